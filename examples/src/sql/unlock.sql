update search_sync_runs r
set locked_until = null, ended_at = now(), pushed = result.pushed, deleted = result.deleted,
  failed = result.failed, unreadable = result.unreadable, withheld = result.withheld,
  error = result.error
from json_to_record(clean_json($2)) as result (
  pushed int, deleted int, failed int, unreadable int, withheld int, error text
)
where r.run = $1;

delete from search_sync_runs
where workflow = '{{ $workflow.id }}' and started_at < now() - interval '90 days';

select result ->> 'error' as error, (
    select count(*)::int from search_sync_documents
    where workflow = '{{ $workflow.id }}' and chunks > 0
  ) as documents
from (select clean_json($2) as result) as given;
