-- One paced replay of a tenant at a time: whoever comes second sees what the first one did, and queues behind its pace.
-- $1 tenant
select t.id from arauto.tenant t where t.id = $1 for no key update
