-- Records what an attempt came to, under its lease token, and appends it to the trail.
-- $1 json array of {n, tenant_id, event_id, channel, lease_token, state, delay_ms (null: held),
--    gives_up_ms (null: never), outcome (null: no attempt was made), code, detail, provider_ref, cause,
--    given_back, deferred, lost, suppress_digest}
-- Gives per n: verdict 'settled' (ours, now or by an earlier run of this very statement whose answer was lost), 'stale'
-- (the lease had gone), or no row when the delivery is gone; and the state.
-- Rows are locked in key order first. What a stale holder learned is kept as evidence: its attempt row is completed. It
-- moves a delivery that stands in doubt, and no other:
--   an acceptance, of whichever attempt, settles it; elsewhere it is stamped, and the next permit finds it
--   a refusal of the newest attempt in the trail, while that is unknown, ends the doubt as it would have ended the
--   lease, unless a stop holds the delivery
-- While a doubt stands, neither a stop nor the loss of a worker ends the delivery: it is held in doubt.
with given as materialized (
  select g.* from json_to_recordset($1::json) as g(
    n integer, tenant_id text, event_id uuid, channel text, lease_token bigint, state text, delay_ms bigint,
    gives_up_ms bigint, outcome text, code integer, detail text, provider_ref text, cause text, given_back boolean,
    deferred boolean, lost boolean, suppress_digest text)
   order by g.event_id, g.channel
),
held as materialized (
  select g.*, d.attempts, d.begun_at, d.stop_reason, d.accepted_at, d.state as was,
         d.lease_token as standing_token, d.doubted_at,
         g.detail is not null and arauto.is_erased(d.event_id) as forgotten -- under the lock: it may have waited
    from given g
    cross join lateral (
      select d.* from arauto.delivery d
       where d.event_id = g.event_id and d.channel = g.channel and d.tenant_id = g.tenant_id
       limit 1 for update of d) d
),
judged as materialized (
  select h.*,
         h.standing_token = h.lease_token and h.was = 'leased' as ours,
         h.standing_token = h.lease_token and h.was <> 'leased'
           and case when h.outcome is null then h.was = h.state
                    else coalesce(h.outcome = (select a.outcome from arauto.attempt a
                      where a.event_id = h.event_id and a.channel = h.channel and a.lease_token = h.lease_token
                        and not a.late), false) end as ours_before,
         h.was = 'in_doubt'
           and (h.state = 'provider_accepted'
                or (h.outcome in ('refused_for_now', 'refused', 'bad_address') and h.stop_reason is null
                    and exists (
                      select from (select a.lease_token, a.outcome from arauto.attempt a
                                    where a.event_id = h.event_id and a.channel = h.channel
                                    order by a.lease_token desc limit 1) newest
                       where newest.lease_token = h.lease_token and newest.outcome = 'unknown'))) as ends_doubt,
         case when h.state = 'provider_accepted' or h.accepted_at is not null then 'provider_accepted'
              when h.doubted_at is not null and h.outcome is null and h.state in ('pending', 'permanent_failure')
              then 'in_doubt' -- as it was
              when h.doubted_at is not null and h.stop_reason is not null and h.state in ('retry_wait', 'pending')
              then 'in_doubt'
              when h.stop_reason is null then h.state
              when h.state in ('retry_wait', 'pending') and h.stop_reason = 'opted_out' then 'suppressed'
              when h.state in ('retry_wait', 'pending') then 'cancelled'
              else h.state end as becomes
    from held h
),
moved as (
  update arauto.delivery d
     set state = j.becomes,
         attempts = d.attempts - case when j.given_back and d.begun_at is not null then 1 else 0 end,
         deferrals = d.deferrals + case when j.deferred then 1 else 0 end,
         lost_leases = case when j.lost then d.lost_leases + 1 when j.outcome is not null then 0
                            else d.lost_leases end,
         doubts = d.doubts + case when j.becomes = 'in_doubt' and j.outcome = 'unknown' then 1 else 0 end,
         doubted_at = case when j.becomes = 'in_doubt' then coalesce(d.doubted_at, clock_timestamp())
                           else d.doubted_at end,
         gives_up_at = case when j.becomes = 'in_doubt' and d.stop_reason is null
                            then clock_timestamp() + j.gives_up_ms * interval '1 millisecond' end,
         next_attempt_at = case when j.delay_ms is null or (j.becomes = 'in_doubt' and (d.stop_reason is not null
                                                                     or j.state = 'permanent_failure'))
                                then 'infinity'
                                else clock_timestamp() + j.delay_ms * interval '1 millisecond' end,
         begun_at = null, lease_owner = null, lease_until = null,
         provider_ref = coalesce(j.provider_ref, d.provider_ref),
         cause = case when j.becomes = 'provider_accepted' then null else coalesce(j.cause, d.stop_reason, d.cause) end,
         detail = case when not j.forgotten then j.detail end,
         accepted_at = coalesce(d.accepted_at, case when j.state = 'provider_accepted' then clock_timestamp() end),
         settled_at = case when j.becomes in ('provider_accepted', 'permanent_failure', 'suppressed', 'cancelled',
                                              'expired') then clock_timestamp() end
    from judged j
   where j.ours and d.event_id = j.event_id and d.channel = j.channel and d.lease_token = j.lease_token
  returning d.event_id
),
evidence as (
  update arauto.delivery d
     set state = case when j.ends_doubt then j.becomes else d.state end,
         doubted_at = case when j.ends_doubt and d.doubts = 1 then null else d.doubted_at end,
         next_attempt_at = case when j.ends_doubt and j.becomes = 'retry_wait'
                                then clock_timestamp() + j.delay_ms * interval '1 millisecond'
                                else d.next_attempt_at end,
         gives_up_at = case when not j.ends_doubt then d.gives_up_at end,
         cause = case when not j.ends_doubt then d.cause
                      when j.becomes <> 'provider_accepted' then coalesce(j.cause, d.cause) end,
         detail = case when j.ends_doubt and not j.forgotten then j.detail else d.detail end,
         provider_ref = coalesce(d.provider_ref, j.provider_ref),
         accepted_at = coalesce(d.accepted_at, case when j.state = 'provider_accepted' then clock_timestamp() end),
         settled_at = case when j.ends_doubt and j.becomes <> 'retry_wait' then clock_timestamp() else d.settled_at end
    from judged j
   where not j.ours and not j.ours_before and (j.state = 'provider_accepted' or j.ends_doubt)
     and d.event_id = j.event_id and d.channel = j.channel
  returning d.event_id
),
trail as (
  insert into arauto.attempt (event_id, channel, lease_token, tenant_id, number, begun_at, ended_at, outcome, code,
                              detail, late)
  select j.event_id, j.channel, j.lease_token, j.tenant_id, j.attempts, case when j.ours then j.begun_at end,
         clock_timestamp(), j.outcome, j.code, case when not j.forgotten then j.detail end, not j.ours
    from judged j
   where j.outcome is not null and not j.ours_before
      on conflict (event_id, channel, lease_token) do update
     set outcome = excluded.outcome, code = excluded.code, detail = excluded.detail, ended_at = excluded.ended_at,
         late = true
   where attempt.outcome = 'unknown'
  returning 1
),
shunned as (
  insert into arauto.suppression (tenant_id, channel, digest, reason)
  select distinct j.tenant_id, j.channel, decode(j.suppress_digest, 'hex'), 'bad_address'
    from judged j where j.suppress_digest is not null
      on conflict do nothing
  returning 1
)
select j.n, case when j.ours or j.ours_before then 'settled' else 'stale' end as verdict,
       case when j.ours or (j.ends_doubt and not j.ours_before) then j.becomes else j.was end as state
  from judged j
