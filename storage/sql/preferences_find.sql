-- $1 tenant  $2 user
select p.type, p.channel, p.allowed from arauto.preference p where p.tenant_id = $1 and p.user_id = $2
