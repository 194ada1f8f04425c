-- $1 tenant   $2 provider   $3 app   $4 what may be shown, JSON   $5 sealed   $6 the key's name
-- Runs after account_turn. A place that had an account before keeps its id.
insert into arauto.account as a (tenant_id, provider, app, open, sealed, key_name, version)
values ($1, $2, $3, $4::json, $5, $6, nextval('arauto.account_version'))
    on conflict (tenant_id, provider, app) do update
   set open = excluded.open, sealed = excluded.sealed, key_name = excluded.key_name, version = excluded.version,
       created_at = case when a.removed_at is null then a.created_at else now() end, changed_at = now(),
       removed_at = null, paused_at = null, pause_cause = null, pause_code = 0
returning a.id, a.tenant_id, a.provider, a.app, a.version, false as removed
