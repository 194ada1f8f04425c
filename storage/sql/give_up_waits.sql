-- Ends doubts under the rule `wait` whose time passed without evidence: a dead letter, cause unconfirmed.
-- $1 most rows at once
-- A stopped one is on hold and stays. Rows somebody holds (late evidence, a person) are left to them. Leans on
-- delivery_gives_up.
with over as materialized (
  select d.event_id, d.channel from arauto.delivery d
   where d.state = 'in_doubt' and d.stop_reason is null and d.gives_up_at <= statement_timestamp()
   order by d.gives_up_at
   limit $1::integer
     for update skip locked
)
update arauto.delivery d
   set state = 'permanent_failure', cause = 'unconfirmed', gives_up_at = null, settled_at = clock_timestamp()
  from over o
 where d.event_id = o.event_id and d.channel = o.channel
returning d.tenant_id, d.event_id, d.channel, d.lease_token, d.state
