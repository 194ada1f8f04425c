-- Tries a tenant's dead letters again, oldest first, spread over time. Runs after replay_turn, in its transaction.
-- $1 tenant   $2 cause   $3 type   $4 channel   $5 settled at or after   $6 settled before (each null: any)
-- $7 most rows   $8 even if doubtful   $9 per second   $10 $11 $12 settled_at, event id and channel of the place it goes
-- on from; null: the oldest   $13 most dead letters looked at
-- Gives one row: how many were replayed, how many were passed over on the way and why, when the last one falls due, and
-- the place to go on from; null: nothing is behind it.
-- The first falls due now, or behind the last one of the paced replay before (tenant.paced_until).
-- Locks as replay.sql does, in key order, and judges the locked rows: what was replayed, stopped or erased since this
-- snapshot is not touched. Leans on delivery_dead, walked once.
with walked as materialized (
  select l.*, row_number() over by_age as step,
         count(*) filter (where l.fits and l.refusal is null) over (by_age rows unbounded preceding) as found
    from (
      select d.event_id, d.channel, d.user_id, d.settled_at,
             arauto.replay_refusal(d.stop_reason, e.erased, d.doubted_at, $8::boolean) as refusal,
             ($2::text is null or d.cause = $2) and ($3::text is null or e.type = $3)
             and ($4::text is null or d.channel = $4) as fits
        from (
          select d.* from arauto.delivery d
           where d.tenant_id = $1 and d.state = 'permanent_failure'
             and d.settled_at >= greatest($5::timestamptz, $10::timestamptz, '-infinity')
             and d.settled_at < coalesce($6::timestamptz, 'infinity')
             and ($10::timestamptz is null
                  or (d.settled_at, d.event_id, d.channel) > ($10::timestamptz, $11::uuid, $12::text))
           order by d.settled_at, d.event_id, d.channel
           limit $13::integer) d
       cross join lateral (
         select e.type, e.erased_at is not null as erased from arauto.event e
          where e.id = d.event_id and e.tenant_id is not distinct from $1 limit 1) e) l
  window by_age as (order by l.settled_at, l.event_id, l.channel)
),
ended as materialized ( -- the last one this call looks at: it has enough, or has looked at enough
  select w.* from walked w
   where (w.found = $7::integer and w.fits and w.refusal is null) or w.step = $13::integer
   order by w.step limit 1
),
chosen as materialized (
  select w.event_id, w.channel, w.user_id from walked w
   where w.fits and w.refusal is null and w.found <= $7::integer
   order by w.event_id, w.channel
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
anew as ( -- whom a push reached keeps it; all others are addressed again, and who came since
  delete from arauto.target t using paced p
   where t.event_id = p.event_id and t.channel = p.channel and t.state <> 'provider_accepted'
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
  select w.refusal from walked w
   where w.fits and w.refusal is not null and w.step <= coalesce((select e.step from ended e), w.step)
  union all
  select j.refusal from judged j where j.refusal is not null
),
goes_on as (
  select e.* from ended e where e.step = $13::integer or exists (select from walked w where w.step > e.step)
)
select (select count(*) from paced) as replayed,
       count(*) filter (where o.refusal = 'doubtful') as doubtful,
       count(*) filter (where o.refusal = 'stopped') as stopped,
       count(*) filter (where o.refusal = 'erased') as erased,
       (select arauto.rfc3339(max(due_at)) from paced) as last_due_at,
       (select arauto.rfc3339(g.settled_at) from goes_on g) as next_settled_at,
       (select g.event_id from goes_on g) as next_event_id,
       (select g.channel from goes_on g) as next_channel
  from passed_over o
