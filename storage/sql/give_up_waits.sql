-- Ends doubts under the rule `wait` whose time passed without evidence: a dead letter, cause unconfirmed.
-- $1 most rows at once
-- Of a push the devices in doubt end; when another device has it, the push is accepted.
-- A stopped one is on hold and stays. Rows somebody holds (late evidence, a person) are left to them. Leans on
-- delivery_gives_up.
with over as materialized (
  select d.event_id, d.channel from arauto.delivery d
   where d.state = 'in_doubt' and d.stop_reason is null and d.gives_up_at <= statement_timestamp()
   order by d.gives_up_at
   limit $1::integer
     for update skip locked
),
unconfirmed as (
  update arauto.target t
     set state = 'permanent_failure', cause = 'unconfirmed', due_at = 'infinity', told_at = clock_timestamp()
    from over o
   where t.event_id = o.event_id and t.channel = o.channel and t.state = 'in_doubt'
)
update arauto.delivery d
   set state = case when p.accepted_at is null then 'permanent_failure' else 'provider_accepted' end,
       cause = case when p.accepted_at is null then 'unconfirmed' end,
       accepted_at = coalesce(d.accepted_at, p.accepted_at), gives_up_at = null, settled_at = clock_timestamp()
  from over o
  cross join lateral (
    select case when o.channel = 'push' then arauto.push_accepted_at(o.event_id) end as accepted_at) p
 where d.event_id = o.event_id and d.channel = o.channel
returning d.tenant_id, d.event_id, d.channel, d.lease_token, d.state
