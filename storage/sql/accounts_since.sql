-- $1 version   $2 most rows
-- Leans on account_version.
select a.id, a.tenant_id, a.provider, a.app, a.version, a.removed_at is not null as removed
  from arauto.account a
 where a.version > $1
 order by a.version
 limit $2
