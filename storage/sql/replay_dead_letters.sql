-- Tries a tenant's dead letters again, oldest first, spread over time. Runs after replay_turn, in its transaction.
-- $1 tenant   $2 cause   $3 type   $4 channel   $5 settled at or after   $6 settled before (each null: any)
-- $7 most rows   $8 even if doubtful   $9 per second
-- Gives one row: how many were replayed, how many were passed over on the way and why (counted up to 10,000), when the
-- last one falls due, and whether there are more.
-- The first falls due now, or behind the last one of the paced replay before (tenant.paced_until).
-- Locks as replay.sql does, in key order, and judges the locked rows: what was replayed, stopped or erased since this
-- snapshot is not touched. Leans on delivery_dead.
with matching as not materialized (
  select d.event_id, d.channel, d.user_id, d.settled_at,
         arauto.replay_refusal(d.stop_reason, d.erased, d.doubted_at, $8::boolean) as refusal
    from arauto.dead_delivery d
   where d.tenant_id = $1
     and d.settled_at >= coalesce($5::timestamptz, '-infinity')
     and d.settled_at < coalesce($6::timestamptz, 'infinity')
     and ($2::text is null or d.cause = $2)
     and ($3::text is null or d.type = $3)
     and ($4::text is null or d.channel = $4)
),
found as materialized (
  select m.* from matching m where m.refusal is null
   order by m.settled_at, m.event_id, m.channel limit $7::integer + 1 -- one more than wanted: there are more
),
chosen as materialized (
  select c.event_id, c.channel, c.user_id
    from (select f.* from found f order by f.settled_at, f.event_id, f.channel limit $7::integer) c
   order by c.event_id, c.channel
),
person as materialized (
  select c.*, r.erased_at from chosen c
    cross join lateral (
      select r.erased_at from arauto.recipient r where r.tenant_id = $1 and r.user_id = c.user_id
       limit 1 for key share of r) r
),
held as materialized (
  select p.erased_at as buried_at, d.* from person p
    cross join lateral (
      select d.* from arauto.delivery d
       where d.event_id = p.event_id and d.channel = p.channel and d.tenant_id = $1
       -- no word on the state: it would invite delivery_dead
       limit 1 for update of d) d
),
judged as materialized (
  select h.event_id, h.channel, h.settled_at,
         arauto.replay_refusal(h.stop_reason, e.erased_at is not null or h.buried_at is not null, h.doubted_at,
                               $8::boolean) as refusal
    from held h
    cross join lateral (select e.erased_at from arauto.event e
                         where e.id = h.event_id and e.tenant_id = $1 limit 1 for share of e) e
   where h.state = 'permanent_failure'
),
start as materialized (
  select greatest(clock_timestamp(), t.paced_until + interval '1 second' / $9::integer) as due_at
    from arauto.tenant t where t.id = $1
),
paced as materialized (
  select j.event_id, j.channel,
         s.due_at + (row_number() over (order by j.settled_at, j.event_id, j.channel) - 1)
                    * interval '1 second' / $9::integer as due_at
    from judged j cross join start s
   where j.refusal is null
),
moved as (
  update arauto.delivery d
     set state = 'pending', next_attempt_at = p.due_at, attempts_before = d.attempts, lost_leases = 0,
         replays = d.replays + 1, settled_at = null
    from paced p
   where d.event_id = p.event_id and d.channel = p.channel
),
queued as (
  update arauto.tenant t set paced_until = p.last from (select max(due_at) as last from paced) p
   where t.id = $1 and p.last is not null
),
passed_over as (
  select m.refusal
    from (select m.refusal from matching m
           where m.refusal is not null
             and m.settled_at <= (select case when count(*) > $7::integer then max(f.settled_at)
                                              else 'infinity' end from found f)
           limit 10000) m
  union all
  select j.refusal from judged j where j.refusal is not null
)
select (select count(*) from paced) as replayed,
       count(*) filter (where o.refusal = 'doubtful') as doubtful,
       count(*) filter (where o.refusal = 'stopped') as stopped,
       count(*) filter (where o.refusal = 'erased') as erased,
       (select arauto.rfc3339(max(due_at)) from paced) as last_due_at,
       (select count(*) from found) > $7::integer as more
  from passed_over o
