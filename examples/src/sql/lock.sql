-- Of two runs that start together, the second one waits here, and then returns no row.
lock table search_sync_runs in share row exclusive mode;

insert into search_sync_runs (workflow, execution, locked_until)
select '{{ $workflow.id }}', '{{ $execution.id }}', now() + interval '15 minutes'
where not exists (
  select from search_sync_runs
  where workflow = '{{ $workflow.id }}' and locked_until > now()
)
returning run;
