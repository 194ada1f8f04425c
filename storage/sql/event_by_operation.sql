-- $1 tenant  $2 client_operation_id
select e.id, e.user_id, e.type, e.client_key, e.priority,
       arauto.rfc3339(e.created_at) as created_at, arauto.rfc3339(e.send_at) as send_at,
       arauto.rfc3339(e.expires_at) as expires_at, arauto.rfc3339(e.cancelled_at) as cancelled_at
  from arauto.event e where e.client_key = $2 and e.tenant_id is not distinct from $1
