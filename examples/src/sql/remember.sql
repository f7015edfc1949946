-- The whole result of a batch is one JSON parameter, so commas and quotes in IDs do no harm.
with batch as (
  select * from json_to_record($1) as batch (
    run bigint, entries text, pushed int, deleted int, "chunksDeleted" int,
    failed int, unreadable int, withheld int, error text, problems text
  )
), late as (
  -- This run had lost its lock. What the index contains now is not certain.
  select from batch b, search_sync_runs r
  where r.workflow = '{{ $workflow.id }}' and r.run > b.run
  limit 1
), entries as (
  select entry ->> 0 as id,
    case when exists (select from late) then '' else entry ->> 1 end as version,
    coalesce((entry ->> 2)::int, 1) as chunks,
    case when exists (select from late) then null else entry ->> 3 end as text,
    entry ->> 4 as problem
  from batch b, json_array_elements(b.entries::json) as entry
), kept as (
  insert into search_sync_documents as k (workflow, id, version, chunks, text, problem)
  select '{{ $workflow.id }}', id, version, chunks, text, problem
  from entries where version is not null
  on conflict (workflow, id) do update
  set version = excluded.version, text = excluded.text, problem = excluded.problem,
    chunks = case when excluded.version = '' then greatest(k.chunks, excluded.chunks) else excluded.chunks end
), removed as (
  delete from search_sync_documents k using entries e
  where k.workflow = '{{ $workflow.id }}' and k.id = e.id and e.version is null
), counted as (
  update search_sync_runs r
  set pushed = r.pushed + b.pushed, deleted = r.deleted + b.deleted,
    chunks_deleted = r.chunks_deleted + b."chunksDeleted", failed = r.failed + b.failed,
    unreadable = r.unreadable + b.unreadable, withheld = r.withheld + b.withheld,
    error = coalesce(nullif(r.error, ''), b.error)
  from batch b where r.run = b.run
)
select run, $2::int as planned, pushed, deleted, "chunksDeleted", failed, unreadable, withheld, error, problems
from batch;
