-- $1 id
select a.id, a.tenant_id, a.provider, a.app, a.version, false as removed, a.open, a.sealed
  from arauto.account a
 where a.id = $1::uuid and a.removed_at is null
