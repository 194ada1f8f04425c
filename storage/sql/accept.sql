-- Accepts a group of notifications, each on its own: one bad item never fails its neighbours.
-- $1 json array of {n, id, tenant_id, user_id, type, variables (text), client_key, channels, priority, send_at,
--    expires_at, lease_at_once}; channels null: every channel that has a template
-- $2 owner (node) for deliveries born leased   $3 lease in ms
-- Gives per n one row per delivery (one row with channel null where there is none): n, verdict, subject, id,
-- created_at, channel, state. Verdict 'unseen': the key was taken by a transaction this snapshot cannot see; ask again.
-- Leans on event (tenant_id, client_key), template_standing, preference's key. Recipients are locked and events are
-- inserted in key order, so that two groups cannot deadlock; KEY SHARE keeps a person from being erased meanwhile.
with given as materialized (
  select g.*, g.variables::json as body from json_to_recordset($1::json) as g(
    n integer, id uuid, tenant_id text, user_id text, type text, variables text, client_key text, channels text[],
    priority smallint, send_at timestamptz, expires_at timestamptz, lease_at_once text[])
),
meant as materialized (
  select g.n, arauto.fingerprint(g.user_id, g.type, g.body, g.channels, g.priority, g.send_at, g.expires_at) as fingerprint
    from given g
),
known as materialized (
  select g.n, e.id, e.created_at, e.fingerprint
    from given g join arauto.event e on e.tenant_id = g.tenant_id and e.client_key = g.client_key
),
person as materialized (
  select g.n, r.locale, r.email is not null as has_address
    from given g join arauto.recipient r on r.tenant_id = g.tenant_id and r.user_id = g.user_id
   where r.erased_at is null
   order by r.tenant_id, r.user_id
     for key share of r
),
chosen as materialized ( -- with what is known about the channel, so that no later join asks again
  select g.n, g.id, g.tenant_id, g.user_id, g.priority, g.send_at, g.lease_at_once, t.channel, t.id as template_id,
         t.required,
         case when not consent.allowed then 'opted_out'
              when t.channel = 'email' and not p.has_address then 'no_address'
              when t.channel = 'push' and not exists (
                     select from arauto.device d
                      where d.tenant_id = g.tenant_id and d.user_id = g.user_id and d.ended_at is null)
              then 'no_device' end as cause
    from given g
    left join person p using (n) -- left, for the planner: it then counts on all of them; judged drops the unknown
    cross join lateral (
      select distinct on (t.channel) t.channel, t.id, t.required
        from arauto.template t
       where t.tenant_id = g.tenant_id and t.type = g.type and t.ended_at is null
         and (g.channels is null or t.channel = any (g.channels))
       order by t.channel, t.locale = coalesce(p.locale, '') desc,
                t.locale = split_part(coalesce(p.locale, ''), '-', 1) desc, t.locale = '' desc, t.locale) t
    cross join lateral arauto.consent(g.tenant_id, g.user_id, t.channel, g.type) as consent
),
fitting as materialized (
  select c.n, count(*) as channels, array_agg(c.channel) as found,
         min((select v from unnest(c.required) v where (g.body -> v) is null limit 1)) as missing
    from chosen c join given g using (n) group by c.n
),
judged as materialized (
  select g.n,
         case when p.n is null then 'unknown_user'
              when f.n is null or f.channels < cardinality(g.channels) then 'no_template'
              when f.missing is not null then 'missing_variable'
              else 'created' end as verdict,
         case when f.n is null or f.channels < cardinality(g.channels)
              then (select w from unnest(g.channels) w where w <> all (coalesce(f.found, '{}')) limit 1)
              else f.missing end as subject
    from given g
    left join person p using (n)
    left join fitting f using (n)
),
event_made as (
  insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, fingerprint, created_at,
                            send_at, expires_at)
  select g.id, g.tenant_id, g.user_id, g.type, g.body, g.priority, g.client_key, m.fingerprint, now(),
         g.send_at, g.expires_at
    from given g join judged j using (n) join meant m using (n)
   where j.verdict = 'created' and not exists (select from known k where k.n = g.n)
   order by g.tenant_id, g.client_key, g.n
      on conflict (tenant_id, client_key) do nothing
  returning id, tenant_id, client_key, fingerprint, created_at
),
delivery_made as (
  insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, cause, next_attempt_at,
                               template_id, lease_token, lease_owner, lease_until, settled_at)
  select c.id, c.channel, c.tenant_id, c.user_id, c.priority, s.state, c.cause, coalesce(c.send_at, now()),
         c.template_id,
         case when s.state = 'leased' then 1 else 0 end,
         case when s.state = 'leased' then $2::uuid end,
         case when s.state = 'leased' then clock_timestamp() + $3::integer * interval '1 millisecond' end,
         case when s.state in ('suppressed', 'permanent_failure') then now() end
    from chosen c
    join event_made e on e.id = c.id
    cross join lateral (
      select case when c.cause = 'opted_out' then 'suppressed'
                  when c.cause is not null then 'permanent_failure'
                  when c.channel = any (c.lease_at_once) and c.send_at is null then 'leased'
                  else 'pending' end as state) s
  returning event_id, channel, state
),
standing as (
  select g.n, e.id, e.created_at, e.fingerprint, e.id = g.id as ours
    from given g join event_made e on e.tenant_id = g.tenant_id and e.client_key = g.client_key
  union all
  select k.n, k.id, k.created_at, k.fingerprint, k.id = g.id from known k join given g using (n)
),
shown as (
  select event_id, channel, state from delivery_made
  union
  select d.event_id, d.channel, d.state from known k join arauto.delivery d on d.event_id = k.id
)
select g.n,
       case when s.id is null and j.verdict <> 'created' then j.verdict
            when s.id is null then 'unseen'
            when s.fingerprint <> m.fingerprint then 'conflict'
            when s.ours then 'created'
            else 'replayed' end as verdict,
       coalesce(j.subject, '') as subject,
       s.id,
       to_char(s.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
       d.channel, d.state
  from given g
  join judged j using (n)
  join meant m using (n)
  left join standing s using (n)
  left join shown d on d.event_id = s.id
 order by g.n, d.channel
