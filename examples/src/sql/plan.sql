  (
    -- What a run would do with the changed documents, and the first IDs of each kind
    select json_build_object(
      'new', count(*) filter (where is_new and not is_unread),
      'changed', count(*) filter (where not is_new and not is_unread),
      'unreadable', count(*) filter (where is_unread),
      'characters', coalesce(sum(characters) filter (where not is_unread), 0),
      'newIds', coalesce(
        (array_agg(id order by id) filter (where is_new and not is_unread))[1:20], array[]::text[]
      ),
      'changedIds', coalesce(
        (array_agg(id order by id) filter (where not is_new and not is_unread))[1:20], array[]::text[]
      ),
      'unreadableIds', array(
        select c.id from compared c where c.state = 'unreadable' order by c.id limit 20
      ) || (array_agg(id order by id) filter (where is_unread))[1:20],
      'missingIds', array(select c.id from compared c where c.state = 'gone' order by c.id limit 20)
    )
    from (
      select c.document_id as id, c.id is null as is_new, length(l.document ->> 'text') as characters,
        l.document is null or (is_chunked and coalesce(l.document ->> 'problem', '') <> '') as is_unread
      from compared c join (
        select d.id::text as id, case
          when d.document is null or json_typeof(to_json(d.document)) <> 'object' then null
          else clean_json(d.document::text)
        end as document
        from (
          $4:raw
        ) d
      ) l on l.id = c.document_id
      where c.state = 'changed'
    ) as looked
  ) as plan
