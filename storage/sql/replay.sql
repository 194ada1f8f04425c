-- Tries one delivery again because a person asked: a dead letter becomes pending, one in doubt is sent again.
-- $1 tenant   $2 event id   $3 channel   $4 even if doubtful
-- No row: unknown, foreign, or gone. Otherwise verdict: 'replayed'; 'already' (another replay was first; the state says
-- how far it came); 'not_dead'; or why not (arauto.replay_refusal).
-- A new budget begins (attempts_before); trail, doubts, lease token and identity stay as they are, the cause until the
-- next outcome. Every check of a send is made again by the next permit.
-- Locks the person first: an erasure waits, then sweeps what was made live here; then delivery and event in the order
-- of a cancel (stop_event, cancel_mark). Retention passes over what is held here; what it holds is gone when we get it.
with asked as materialized (
  select d.event_id, d.channel, d.user_id from arauto.delivery d
   where d.tenant_id = $1 and d.event_id = $2::uuid and d.channel = $3
),
person as materialized (
  select a.*, r.erased_at from asked a
    cross join lateral (
      select r.erased_at from arauto.recipient r where r.tenant_id = $1 and r.user_id = a.user_id
       limit 1 for key share of r) r
),
held as materialized (
  select p.erased_at as buried_at, d.* from person p
    cross join lateral (
      select d.* from arauto.delivery d
       where d.event_id = p.event_id and d.channel = p.channel and d.tenant_id = $1
       limit 1 for update of d) d
),
judged as materialized (
  select h.event_id, h.channel, h.state, h.next_attempt_at,
         case when h.state in ('permanent_failure', 'in_doubt')
              then coalesce(arauto.replay_refusal(h.stop_reason, e.erased_at is not null or h.buried_at is not null,
                                                  h.doubted_at, $4::boolean),
                            case when h.state = 'in_doubt' and h.next_attempt_at <= clock_timestamp()
                                 then 'already' else 'replayed' end)
              when h.replays > 0 then 'already'
              else 'not_dead' end as verdict
    from held h
    cross join lateral (select e.erased_at from arauto.event e
                         where e.id = h.event_id and e.tenant_id = $1 limit 1 for share of e) e
),
anew as ( -- whom a push reached keeps it; all others are addressed again, and who came since
  delete from arauto.target t using judged j
   where j.verdict = 'replayed' and t.event_id = j.event_id and t.channel = j.channel and t.state <> 'provider_accepted'
),
moved as (
  update arauto.delivery d
     set state = case when d.state = 'permanent_failure' then 'pending' else d.state end,
         next_attempt_at = clock_timestamp(), attempts_before = d.attempts, lost_leases = 0, replays = d.replays + 1,
         gives_up_at = null, settled_at = null
    from judged j
   where j.verdict = 'replayed' and d.event_id = j.event_id and d.channel = j.channel
  returning d.state, d.next_attempt_at
)
select j.verdict, coalesce(m.state, j.state) as state,
       case when coalesce(m.state, j.state) in ('pending', 'retry_wait', 'in_doubt')
             and coalesce(m.next_attempt_at, j.next_attempt_at) <> 'infinity'
            then arauto.rfc3339(coalesce(m.next_attempt_at, j.next_attempt_at)) end as next_attempt_at
  from judged j left join moved m on true
