drop view if exists "search_documents_{{ $workflow.id }}";
create view "search_documents_{{ $workflow.id }}" as

-- Change only this query.
select
  p.id as key,
  p.id::text as id,
  json_build_object(
    'name', p.title,
    'url', 'https://example.com/products/' || p.id,
    'text', p.body,
    'price', p.price
  ) as document
from products p;
