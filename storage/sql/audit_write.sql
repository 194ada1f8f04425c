-- $1 who  $2 action  $3 tenant or null  $4 object  $5 request id or null
insert into arauto.audit (who, action, tenant_id, object, request_id) values ($1, $2, $3, $4, $5::uuid)
