-- These keys opened a door lately. Once a minute for each, whatever the number of nodes; a row that somebody holds is
-- left for the next time.
-- $1 prefixes, text array
with used as materialized (
  select k.id from arauto.api_key k
   where k.prefix = any ($1::text[])
     and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
   order by k.id for no key update skip locked
)
update arauto.api_key k set last_used_at = now() from used u where k.id = u.id
