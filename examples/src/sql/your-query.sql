select
  p.id as key,
  p.id::text as id,
  json_build_object(
    'name', p.title,
    'url', 'https://example.com/products/' || p.id,
    'text', p.body,
    'price', p.price
  ) as document
from products p
