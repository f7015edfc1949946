set local time zone 'UTC';

with lock as (
  update search_sync_runs set locked_until = now() + interval '15 minutes'
  where run = $1 and locked_until > now()
  returning run
), named as (
  select json_array_elements_text(clean_json($3)) as id
), documents as (
  select d.key, d.id::text as id, md5($2 || counted_text(d.document, $11)) as version, d.document
  from lock, (
    $9:raw
  ) d
  where d.key between $4 and $5
), changed as (
  select d.key, d.id, json_build_object(
    'id', d.id, 'version', d.version, 'chunks', coalesce(k.chunks, 0), 'text', k.text,
    'isConfirmed', d.id in (select id from named),
    'problem', case
      when d.document is null then 'has no document: the column "document" is null'
      when json_typeof(to_json(d.document)) <> 'object' then
        'has a document that is no JSON object, but JSON of the type ' || json_typeof(to_json(d.document))
    end,
    'document', d.document
  ) as work
  from documents d left join search_sync_documents k
    on k.workflow = '{{ $workflow.id }}' and k.id = d.id
  where k.version is distinct from d.version or d.id in (select id from named)
  -- If many more rows have changed since they were compared, the next run pushes them.
  order by d.key limit 2 * $8
), unread as (
  -- Documents that were compared but are not read: their rows were deleted or are as before, or they are missed.
  select id from json_array_elements_text(clean_json($10)) as id
  where (select count(*) from changed) < 2 * $8
  except select id from changed
), missed as (
  select d.id::text as id, coalesce(k.chunks, 0) as chunks, k.text
  from lock, (
    $9:raw
  ) d left join search_sync_documents k on k.workflow = '{{ $workflow.id }}' and k.id = d.id::text
  -- Without the first condition, each batch would read the whole table.
  where exists (select from unread) and d.id::text in (select id from unread)
    and (
      k.version is distinct from md5($2 || counted_text(d.document, $11))
      or d.id::text in (select id from named)
    )
), missed_work as (
  select json_build_object(
    'id', id, 'version', '', 'chunks', chunks, 'text', text,
    'problem', 'was not found again by its key, so the column "key" must be the primary key, or an expression that is the same in each query'
  ) as work
  from missed
), gone as (
  select json_build_object('id', k.id, 'version', null, 'chunks', k.chunks, 'text', k.text) as work
  from lock, search_sync_documents k
  where k.workflow = '{{ $workflow.id }}' and k.id between $6 and $7
    and not exists (
      select from (
        $9:raw
      ) d
      where d.id::text = k.id
    )
)
select run,
  (select coalesce(json_agg(work), '[]') from gone) as gone,
  (select coalesce(json_agg(work), '[]') from missed_work) as missed,
  (select coalesce(json_agg(work order by key), '[]') from changed) as changed
from lock;
