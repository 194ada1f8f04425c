-- $1 name of the sealing key   $2 most rows
-- Accounts under another key, held until COMMIT. Leans on account_key.
select a.id, a.tenant_id, a.provider, a.app, a.sealed
  from arauto.account a
 where a.key_name is not null and a.key_name <> $1
 order by a.id
 limit $2
   for update
