-- $1 tenant   $2 user   $3 device   $4 provider   $5 app   $6 token   $7 keys, JSON or null
-- Runs after device_give_up. The same token said again is a newer registration: what a provider says of an older one
-- does not end it.
insert into arauto.device (tenant_id, user_id, device_id, provider, app, token, keys, registered_at)
values ($1, $2, $3, $4, $5, $6, $7::json, clock_timestamp())
    on conflict (tenant_id, user_id, device_id) do update
   set provider = excluded.provider, app = excluded.app, token = excluded.token, keys = excluded.keys,
       registered_at = excluded.registered_at, ended_at = null, end_reason = null
returning arauto.rfc3339(registered_at) as registered_at
