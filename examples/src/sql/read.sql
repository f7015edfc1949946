set local time zone 'UTC';

with lock as (
  update search_sync_runs set locked_until = now() + interval '15 minutes'
  where run = $1 and locked_until > now()
  returning run
), documents as (
  select d.key, d.id, md5($2 || d.document::text) as version, d.document
  from lock, "search_documents_{{ $workflow.id }}" d
  where d.key between $4 and $5
), changed as (
  select d.key, json_build_object(
    'id', d.id, 'version', d.version, 'chunks', coalesce(k.chunks, 0), 'text', k.text,
    'isConfirmed', d.id in (select json_array_elements_text($3)),
    'document', d.document
  ) as work
  from documents d left join search_sync_documents k
    on k.workflow = '{{ $workflow.id }}' and k.id = d.id
  where k.version is distinct from d.version or d.id in (select json_array_elements_text($3))
  -- If many more rows have changed since they were compared, the next run pushes them.
  order by d.key limit 2 * $8
), gone as (
  select json_build_object('id', k.id, 'version', null, 'chunks', k.chunks, 'text', k.text) as work
  from lock, search_sync_documents k
  where k.workflow = '{{ $workflow.id }}' and k.id between $6 and $7
    and not exists (select from "search_documents_{{ $workflow.id }}" d where d.id = k.id)
)
select run,
  (select coalesce(json_agg(work), '[]') from gone) as gone,
  (select coalesce(json_agg(work order by key), '[]') from changed) as changed
from lock;
