-- $1 tenant  $2 user
delete from arauto.preference p where p.tenant_id = $1 and p.user_id = $2
