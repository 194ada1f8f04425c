-- $1 tenant
select a.id, a.provider, a.app, a.open, arauto.rfc3339(a.created_at) as created_at,
       arauto.rfc3339(a.changed_at) as changed_at, arauto.rfc3339(a.paused_at) as paused_at, a.pause_cause, a.pause_code,
       a.key_name
  from arauto.account a
 where a.tenant_id = $1 and a.removed_at is null
 order by a.provider, a.app
