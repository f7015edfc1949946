-- Before the first run, there are no tables. A plan creates none.
select case
  when to_regclass('search_sync_documents') is null then
    'select '''' as workflow, '''' as id, '''' as version, 0 as chunks, '''' as problem where false'
  else 'select workflow, id, version, chunks, problem from search_sync_documents'
end as known;
