-- Accepts a group of notifications, each on its own: one bad item never fails its neighbours.
-- $1 json array of {n, id, tenant_id, user_id, type, variables (text), client_key, channels (sorted), priority, send_at,
--    expires_at, lease_at_once}; channels null: every channel that has a template
-- $2 owner (node) for deliveries born leased   $3 lease in ms
-- Gives one row per n (n, verdict, subject, id, created_at) and one per delivery of the events that stand (n null, id,
-- channel, state, outlets of a leased push). Verdict 'unseen': the key was taken by a transaction this snapshot cannot
-- see; ask again.
-- Tables are only looked up by key, one item at a time (lateral, with a limit), and the group is never joined with
-- itself, so the cost of an item does not grow with the group or the tables, whatever the planner believes of them.
-- Leans on event (client_key, tenant_id) (`is not distinct from` keeps a small table's planner from walking another index
-- by tenant), recipient's key, template_standing, preference's key. Recipients are locked
-- and events inserted in key order, so that two groups cannot deadlock; KEY SHARE keeps a person from being erased
-- meanwhile.
with asked as materialized (
  select g.*, g.variables::json as body,
         arauto.fingerprint(g.user_id, g.type, g.variables::json, g.channels, g.priority, g.send_at,
                            g.expires_at) as fingerprint,
         first_value(g.id) over (partition by g.tenant_id, g.client_key order by g.n) as first_id
    from json_to_recordset($1::json) as g(
      n integer, id uuid, tenant_id text, user_id text, type text, variables text, client_key text, channels text[],
      priority smallint, send_at timestamptz, expires_at timestamptz, lease_at_once text[])
   order by g.tenant_id, g.user_id
),
judged as materialized (
  select a.*, k.id as known_id, k.created_at as known_at, k.fingerprint as known_fingerprint,
         c.channels as chosen, c.template_ids, c.causes, c.private,
         case when p.found is null then 'unknown_user'
              when c.channels is null or cardinality(c.channels) < cardinality(a.channels) then 'no_template'
              when c.missing is not null then 'missing_variable'
              when a.expires_at <= now() then 'expired'
              else 'created' end as verdict,
         case when c.channels is null or cardinality(c.channels) < cardinality(a.channels)
              then (select w from unnest(a.channels) w where w <> all (coalesce(c.channels, '{}')) limit 1)
              else c.missing end as subject
    from asked a
    left join lateral (
      select e.id, e.created_at, e.fingerprint from arauto.event e
       where e.client_key = a.client_key and e.tenant_id is not distinct from a.tenant_id limit 1) k on true
    left join lateral (
      select true as found, r.locale, r.email is not null as has_address from arauto.recipient r
       where r.tenant_id = a.tenant_id and r.user_id = a.user_id and r.erased_at is null limit 1
         for key share of r) p on true
    left join lateral (
      select array_agg(t.channel) as channels, array_agg(t.id) as template_ids,
             bool_or(t.private) as private,
             min((select v from unnest(t.required) v where (a.body -> v) is null limit 1)) as missing,
             array_agg(case when not consent.allowed then 'opted_out'
                            when t.channel = 'email' and not p.has_address then 'no_address'
                            when t.channel = 'push' and not exists (
                                   select from arauto.device d where d.tenant_id = a.tenant_id
                                      and d.user_id = a.user_id and d.ended_at is null)
                            then 'no_device' end) as causes
        from (
          select distinct on (t.channel) t.channel, t.id, t.required, t.private
            from arauto.template t
           where t.tenant_id = a.tenant_id and t.type = a.type and t.ended_at is null
             and (a.channels is null or t.channel = any (a.channels))
           order by t.channel, t.locale = coalesce(p.locale, '') desc,
                    t.locale = split_part(coalesce(p.locale, ''), '-', 1) desc, t.locale = '' desc, t.locale) t
        cross join lateral arauto.consent(a.tenant_id, a.user_id, t.channel, a.type) as consent) c on true
),
event_made as (
  insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, fingerprint, created_at,
                            send_at, expires_at)
  select j.id, j.tenant_id, j.user_id, j.type, j.body, j.priority, j.client_key, j.fingerprint, now(), j.send_at,
         j.expires_at
    from judged j where j.verdict = 'created' and j.known_id is null and j.id = j.first_id
   order by j.client_key, j.tenant_id
      on conflict (client_key, tenant_id) do nothing
  returning id
),
delivery_made as (
  insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, cause, next_attempt_at,
                               template_id, private, lease_token, lease_owner, lease_until, settled_at)
  select j.id, c.channel, j.tenant_id, j.user_id, j.priority, s.state, c.cause, coalesce(j.send_at, now()),
         c.template_id, j.private,
         case when s.state = 'leased' then 1 else 0 end,
         case when s.state = 'leased' then $2::uuid end,
         case when s.state = 'leased' then clock_timestamp() + $3::integer * interval '1 millisecond' end,
         case when s.state in ('suppressed', 'permanent_failure') then now() end
    from judged j
    cross join lateral unnest(j.chosen, j.template_ids, j.causes) as c(channel, template_id, cause)
    cross join lateral (
      select case when c.cause = 'opted_out' then 'suppressed'
                  when c.cause is not null then 'permanent_failure'
                  when c.channel = any (j.lease_at_once) and j.send_at is null then 'leased'
                  else 'pending' end as state) s
   where coalesce(j.id in (select id from event_made), false) -- coalesce: looked up by hash, not joined
  returning event_id, channel, state,
            case when channel = 'push' and state = 'leased'
                 then arauto.outlets_due(event_id, channel, tenant_id, user_id, true) end as outlets
)
select j.n,
       case when made.here and j.id = j.first_id then 'created'
            when made.here then case when j.fingerprint = (select f.fingerprint from judged f where f.id = j.first_id)
                                     then 'replayed' else 'conflict' end
            when j.known_id is null and j.verdict = 'created' then 'unseen'
            when j.known_id is null then j.verdict
            when j.known_fingerprint <> j.fingerprint then 'conflict'
            when j.known_id = j.id then 'created'
            else 'replayed' end as verdict,
       coalesce(j.subject, '') as subject,
       case when made.here then j.first_id else j.known_id end as id,
       to_char(case when made.here then now() else j.known_at end at time zone 'UTC',
               'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
       null as channel, null as state, null::json as outlets
  from judged j
  cross join lateral (select coalesce(j.first_id in (select id from event_made), false) as here) made
union all
select null, null, null, d.event_id, null, d.channel, d.state, d.outlets from delivery_made d
union all
select null, null, null, d.event_id, null, d.channel, d.state,
       case when d.channel = 'push' and d.state = 'leased'
            then arauto.outlets_due(d.event_id, d.channel, d.tenant_id, d.user_id, d.attempts = d.attempts_before) end
  from judged j
  cross join lateral (
    select d.* from arauto.delivery d
     where d.event_id = j.known_id and d.tenant_id = j.tenant_id limit 16) d
 where j.known_id is not null
