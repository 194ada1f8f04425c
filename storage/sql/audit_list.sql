-- Newest first.
-- $1 tenant or null (any)  $2 before this one  $3 most rows
select a.id, arauto.rfc3339(a.at) as at, a.who, a.action, a.tenant_id, a.object, a.request_id
  from arauto.audit a
 where ($1::text is null or a.tenant_id = $1) and a.id < $2::bigint
 order by a.id desc limit $3::integer
