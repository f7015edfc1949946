-- Otherwise, a timestamp with time zone would be another text if the server's time zone changed.
set local time zone 'UTC';

with owner as (
  select from search_sync_runs
  where run = $1 and locked_until > now()
), documents as materialized (
  -- The version of a document is a checksum of the document and of the settings of the nodes that push it. A document
  -- that is null has a version too, because only what is gone has none.
  select d.key, d.id::text as id, md5(md5($2) || counted_text(d.document, $5)) as version
  from owner, (
    $4:raw
  ) d
), known as (
  select * from search_sync_documents where workflow = '{{ $workflow.id }}'
), compared as materialized (
  select d.key, d.id as document_id, k.id, k.chunks, k.problem, k.version = '' as has_failed,
    case
      when d.version is null then 'gone'
      when k.version is distinct from d.version then 'changed'
      when d.id in (select json_array_elements_text(clean_json($3))) then 'changed'
      when k.problem is not null then 'unreadable'
      else 'unchanged'
    end as state
  from documents d full join known k on k.id = d.id
), changed as (
  select key, document_id as id, has_failed, (row_number() over (order by key) - 1) / $6 as batch
  from compared where state = 'changed'
), gone as (
  select id, (row_number() over (order by id) - 1) / $6 as batch
  from compared where state = 'gone'
), changed_batches as (
  -- min and max do not exist for all types of keys. A key travels as text, and comes back with its own type.
  select (array_agg(key::text order by key))[1] as "from",
    (array_agg(key::text order by key desc))[1] as "to", count(*) as documents,
    json_agg(id)::text as ids
  -- A document that the service rejects may end the run, so its batch comes last.
  from changed group by batch order by coalesce(bool_or(has_failed), false), batch
), gone_batches as (
  select min(id) as "from", max(id) as "to", count(*) as documents
  from gone group by batch order by batch
)
select
  md5($2) as settings,
  exists (select from owner) as "isOwner",
  (
    select max(locked_until) from search_sync_runs
    where workflow = '{{ $workflow.id }}' and locked_until > now()
  ) as "lockedUntil",
  (select count(*)::int from documents) as rows,
  (select pg_typeof(key)::text from documents limit 1) as "keyType",
  (
    select count(*)::int from documents where id is null or trim(id) = '' or key is null
  ) as "rowsWithoutId",
  (
    select min(id) from (select id from documents group by id having count(*) > 1) as repeated
  ) as "repeatedId",
  count(id)::int as known,
  count(*) filter (where state = 'unchanged')::int as unchanged,
  count(*) filter (where state = 'gone' and chunks > 0)::int as "goneFromIndex",
  count(*) filter (where state = 'unreadable')::int as unreadable,
  (
    select coalesce(json_agg(format('''%s'' %s', id, problem)), '[]')
    from (select id, problem from compared where state = 'unreadable' order by id limit 20) as first
  ) as problems,
  (select coalesce(json_agg(b), '[]') from changed_batches b) as changed,
  (select coalesce(json_agg(b), '[]') from gone_batches b) as gone
from compared;
