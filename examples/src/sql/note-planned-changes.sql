-- One statement renews the lock, and writes down what is about to change. Without the lock, it does nothing.
with lock as (
  update search_sync_runs set locked_until = now() + interval '15 minutes'
  where run = $1 and locked_until > now()
  returning run
), noted as (
  insert into search_sync_documents (workflow, id, version, chunks, text)
  select '{{ $workflow.id }}', entry ->> 0, '', (entry ->> 2)::int, entry ->> 3
  from lock, json_array_elements(clean_json($2)) as entry
  on conflict (workflow, id) do update
  set version = '', chunks = excluded.chunks, problem = null
)
select run from lock;
