-- Whom a push that may begin is for, and which of them this attempt addresses. Runs after permit.sql, in its transaction:
-- the deliveries are locked.
-- $1 json array of {n, tenant_id, event_id, channel, lease_token, provider, app}; provider null: there is no slot
-- The first permit of a budget decides whom it is for: the devices that are registered now. Later ones only drop those that
-- ended or moved away. Addressed are those of the outlet that are due. Asking twice under one token changes nothing more.
-- Devices are locked: a registration that takes a token away has answered before, and is seen, or answers after this
-- attempt has begun (S36).
-- Gives per n one row for each addressed device, and one with device_id null that tells how the others stand.
-- Leans on target's and device's keys, device_of_user. A plan made while there were no targets must not walk them later:
-- `offset 0` and scalar subqueries look them up by delivery, and they are updated where they were seen (ctid), which
-- holds because they are locked there.
with asked as materialized (
  select a.*, d.user_id, d.attempts = d.attempts_before + 1 as begins
    from json_to_recordset($1::json) as a(
      n integer, tenant_id text, event_id uuid, channel text, lease_token bigint, provider text, app text)
    cross join lateral (
      select d.user_id, d.attempts, d.attempts_before from arauto.delivery d
       where d.event_id = a.event_id and d.channel = a.channel and d.tenant_id = a.tenant_id limit 1) d
   order by a.event_id, a.channel
),
standing as materialized (
  select a.n, a.lease_token as held_token, t.*, t.ctid as place, dv.token, dv.keys, dv.registered_at,
         case when t.state in ('provider_accepted', 'permanent_failure') then 'over'
              when dv.device_id is null then 'gone'
              when t.provider = a.provider and t.app = a.app and t.due_at <= clock_timestamp() then 'addressed'
              else 'later' end as part
    from asked a
    cross join lateral (
      select t.*, t.ctid from arauto.target t
       where t.event_id = a.event_id and t.channel = a.channel
       order by t.device_id offset 0 for update of t) t
    left join lateral (
      select dv.* from arauto.device dv
       where dv.tenant_id = a.tenant_id and dv.user_id = a.user_id and dv.device_id = t.device_id
         and dv.ended_at is null and dv.provider = t.provider and dv.app = t.app
       limit 1 for share of dv) dv on true
),
found as materialized (
  select a.*, dv.device_id, dv.provider as its_provider, dv.app as its_app, dv.token, dv.keys, dv.registered_at,
         coalesce(dv.provider = a.provider and dv.app = a.app, false) as addressed
    from asked a
    cross join lateral (
      select dv.* from arauto.device dv
       where dv.tenant_id = a.tenant_id and dv.user_id = a.user_id and dv.ended_at is null
       order by dv.device_id for share of dv) dv
   where a.begins
     and (select 1 from arauto.target t where t.event_id = a.event_id and t.channel = a.channel
                                          and t.device_id = dv.device_id) is null
),
made as (
  insert into arauto.target (event_id, channel, device_id, tenant_id, provider, app, state, due_at, lease_token, attempts)
  select f.event_id, f.channel, f.device_id, f.tenant_id, f.its_provider, f.its_app,
         case when f.addressed then 'leased' else 'pending' end, clock_timestamp(),
         case when f.addressed then f.lease_token end, case when f.addressed then 1 else 0 end
    from found f
),
moved as (
  update arauto.target t
     set state = case when s.part = 'addressed' then 'leased'
                      when t.state = 'in_doubt' then 'in_doubt' -- the device ended, the doubt stands
                      else 'permanent_failure' end,
         due_at = case when s.part = 'addressed' then t.due_at else 'infinity' end,
         attempts = t.attempts + case when s.part = 'addressed' and (t.state <> 'leased' or t.lease_token <> s.held_token)
                                      then 1 else 0 end,
         lease_token = case when s.part = 'addressed' then s.held_token else t.lease_token end,
         cause = case when s.part = 'addressed' then t.cause else 'device_ended' end,
         told_at = case when s.part = 'addressed' then t.told_at else clock_timestamp() end
    from standing s
   where s.part in ('addressed', 'gone') and t.ctid = s.place
),
facts as (
  select s.n, s.device_id, s.token, s.keys, s.registered_at from standing s where s.part = 'addressed'
  union all
  select f.n, f.device_id, f.token, f.keys, f.registered_at from found f where f.addressed
),
others as (
  select s.n, s.state, s.due_at from standing s where s.part in ('over', 'later')
  union all
  select f.n, 'pending', clock_timestamp() from found f where not f.addressed
)
select f.n, f.device_id, f.token, f.keys ->> 'p256dh' as p256dh, f.keys ->> 'auth' as auth,
       f.registered_at::text as registered_at, floor(extract(epoch from f.registered_at) * 1000)::bigint as registered_at_ms,
       null::bigint as accepted, null::bigint as outstanding, null::bigint as in_doubt, null::bigint as due_ms
  from facts f
union all
select a.n, null, null, null, null, null, null, o.accepted, o.outstanding, o.in_doubt, o.due_ms
  from asked a
  cross join lateral (
    select count(*) filter (where o.state = 'provider_accepted') as accepted,
           count(*) filter (where o.state in ('pending', 'leased', 'retry_wait')) as outstanding,
           count(*) filter (where o.state = 'in_doubt') as in_doubt,
           greatest(0, ceil(extract(epoch from min(o.due_at) filter (where o.due_at < 'infinity') - clock_timestamp())
                            * 1000))::bigint as due_ms
      from others o where o.n = a.n) o
 order by n, device_id
