-- $1 tenant
-- One operator at a time; what belongs to the tenant may go on.
select t.id from arauto.tenant t where t.id = $1 for no key update
