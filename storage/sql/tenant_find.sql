-- $1 tenant
select t.id, t.name, t.status, arauto.rfc3339(t.created_at) as created_at, t.sender_address, t.sender_name
  from arauto.tenant t where t.id = $1
