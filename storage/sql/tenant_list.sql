-- $1 after this one   $2 most rows
select t.id, t.name, t.status, arauto.rfc3339(t.created_at) as created_at, t.sender_address, t.sender_name
  from arauto.tenant t where t.id > $1 order by t.id limit $2::integer
