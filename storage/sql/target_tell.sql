-- Records what the providers of some devices said, each under the lease token that addressed it.
-- $1 json array of {tenant_id, event_id, channel, lease_token, device_id, registered_at, state, delay_ms (null: held or
--    over), outcome, code, cause, detail, provider_ref, end_reason}
-- Saying the same again changes nothing. What a stale holder learned counts where nobody has addressed the device since
-- (the reaper called it in doubt), and an acceptance counts always. A device ends only while the very token stands that
-- was addressed. Deliveries are locked first, in key order, as everywhere.
with told as materialized (
  select t.* from json_to_recordset($1::json) as t(
    tenant_id text, event_id uuid, channel text, lease_token bigint, device_id text, registered_at timestamptz, state text,
    delay_ms bigint, outcome text, code integer, cause text, detail text, provider_ref text, end_reason text)
),
held as materialized (
  select d.event_id, d.channel, d.user_id, arauto.is_erased(d.event_id) as forgotten
    from (select distinct t.event_id, t.channel, t.tenant_id from told t order by t.event_id, t.channel) k
    cross join lateral (
      select d.* from arauto.delivery d
       where d.event_id = k.event_id and d.channel = k.channel and d.tenant_id = k.tenant_id
       limit 1 for update of d) d
),
judged as materialized (
  select t.*, h.user_id, h.forgotten from told t join held h on h.event_id = t.event_id and h.channel = t.channel
),
moved as (
  update arauto.target t
     set state = j.state,
         due_at = case when j.delay_ms is null then 'infinity'
                       else clock_timestamp() + j.delay_ms * interval '1 millisecond' end,
         doubted_at = case when j.state = 'in_doubt' then coalesce(t.doubted_at, clock_timestamp()) else t.doubted_at end,
         code = j.code, cause = j.cause, detail = case when not j.forgotten then j.detail end,
         provider_ref = coalesce(j.provider_ref, t.provider_ref), told_at = clock_timestamp()
    from judged j
   where t.event_id = j.event_id and t.channel = j.channel and t.device_id = j.device_id
     and (t.lease_token = j.lease_token and t.state in ('leased', 'in_doubt')
          or j.outcome = 'accepted' and t.state <> 'provider_accepted')
),
ended as (
  update arauto.device dv
     set ended_at = clock_timestamp(), end_reason = j.end_reason, token = '', keys = null
    from judged j
   where j.end_reason is not null and dv.tenant_id = j.tenant_id and dv.user_id = j.user_id
     and dv.device_id = j.device_id and dv.ended_at is null and dv.registered_at = j.registered_at
)
select count(*) from judged
