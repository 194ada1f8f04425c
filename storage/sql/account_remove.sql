-- $1 tenant   $2 provider   $3 app
-- Runs after account_turn. The row stays, for nodes that have the account open; what it held does not.
update arauto.account a
   set removed_at = now(), changed_at = now(), version = nextval('arauto.account_version'), open = '{}', sealed = null,
       key_name = null, paused_at = null, pause_cause = null, pause_code = 0
 where a.tenant_id = $1 and a.provider = $2 and a.app = $3 and a.removed_at is null
returning a.id
