select
  a.id as key,
  a.id::text as id,
  json_build_object(
    'name', a.title,
    'url', 'https://example.com/articles/' || a.id,
    'text', a.body
  ) as document
from articles a
