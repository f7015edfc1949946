-- The whole result of a batch is one JSON parameter, so commas and quotes in IDs do no harm.
with batch as (
  select * from json_to_record(clean_json($1)) as batch (
    run bigint, entries text, pushed int, deleted int, "chunksDeleted" int,
    "notIndexed" int, failed int, unreadable int, withheld int, error text, problems text
  )
), late as (
  -- If this run had lost its lock, its last requests may have overtaken those of a newer run.
  select max(r.run) as until from batch b, search_sync_runs r
  where r.workflow = '{{ $workflow.id }}' and r.run > b.run
), entries as (
  select entry ->> 0 as id,
    case when late.until is null then entry ->> 1 else '' end as version,
    coalesce((entry ->> 2)::int, 1) as chunks,
    entry ->> 3 as text,
    entry ->> 4 as problem,
    late.until as late_until
  from late, batch b, json_array_elements(clean_json(b.entries)) as entry
), kept as (
  insert into search_sync_documents as k (workflow, id, version, chunks, text, problem, late_until)
  select '{{ $workflow.id }}', id, version, chunks, text, problem, late_until
  from entries where version is not null
  on conflict (workflow, id) do update
  set version = case
      when k.late_until >= (select run from batch) then ''
      else excluded.version
    end,
    chunks = case
      when excluded.version = '' or k.late_until >= (select run from batch)
        then greatest(k.chunks, excluded.chunks)
      else excluded.chunks
    end,
    text = excluded.text, problem = excluded.problem,
    late_until = greatest(k.late_until, excluded.late_until)
), removed as (
  delete from search_sync_documents k using entries e, batch b
  where k.workflow = '{{ $workflow.id }}' and k.id = e.id and e.version is null
    and (k.late_until is null or k.late_until < b.run)
), counted as (
  update search_sync_runs r
  set pushed = r.pushed + b.pushed, deleted = r.deleted + b.deleted,
    chunks_deleted = r.chunks_deleted + b."chunksDeleted", failed = r.failed + b.failed,
    unreadable = r.unreadable + b.unreadable, withheld = r.withheld + b.withheld,
    error = coalesce(nullif(r.error, ''), b.error)
  from batch b where r.run = b.run
)
select run, $2::int as planned, pushed, deleted, "chunksDeleted",
  "notIndexed", failed, unreadable, withheld, error, problems
from batch;
