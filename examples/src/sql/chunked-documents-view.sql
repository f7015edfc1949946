drop view if exists "search_documents_{{ $workflow.id }}";
create view "search_documents_{{ $workflow.id }}" as

-- Change only this query.
select
  a.id as key,
  a.id::text as id,
  json_build_object(
    'name', a.title,
    'url', 'https://example.com/articles/' || a.id,
    'text', a.body
  ) as document
from articles a;
