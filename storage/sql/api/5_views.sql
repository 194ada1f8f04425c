-- What a tenant's own SQL may look at: README.md. A role that is bound to a tenant sees this tenant's rows; who has
-- arauto_steward's rights sees all; everybody else none. No variables and no address are in any of them.
-- The barriers keep a cheap function in somebody's WHERE from seeing a row before it is known to be theirs. Tenants come as
-- an array, made once: a planner walks an index by it, where a join made it read what belongs to all the others.

-- Not public itself.
create or replace view arauto.tenant_in_view with (security_barrier) as
select t.id from arauto.tenant t
 where t.id = (select d.tenant_id from arauto.door d where d.role = current_user)
    or (select pg_has_role(current_user, 'arauto_steward', 'usage'));

create or replace view arauto.dead_letters with (security_barrier) as
select d.tenant_id, d.event_id, d.channel, e.type, d.user_id, e.client_key as client_operation_id, d.cause, d.detail,
       d.attempts, d.replays, d.doubtful, d.doubted_at, d.stop_reason, e.erased_at is not null as erased, e.created_at,
       d.settled_at
  from arauto.delivery d
 cross join lateral (
    select e.* from arauto.event e where e.id = d.event_id and e.tenant_id = d.tenant_id limit 1) e
 where d.tenant_id = any (array(select t.id from arauto.tenant_in_view t)) and d.state = 'permanent_failure';
comment on view arauto.dead_letters is
  'version 1: deliveries that were refused for good or given up, with cause and the provider''s own words (detail)';

create or replace view arauto.in_doubt with (security_barrier) as
select d.tenant_id, d.event_id, d.channel, d.user_id, e.type, d.doubted_at as since, d.doubts, w.waits_for,
       case when w.waits_for = 'resend' then d.next_attempt_at end as resend_at,
       case when w.waits_for = 'evidence' then d.gives_up_at end as gives_up_at,
       d.lease_token, d.stop_reason
  from arauto.delivery d
 cross join lateral (
    select e.* from arauto.event e where e.id = d.event_id and e.tenant_id = d.tenant_id limit 1) e
 cross join lateral (select arauto.doubt_waits_for(d.next_attempt_at, d.gives_up_at, d.stop_reason) as waits_for) w
 where d.tenant_id = any (array(select t.id from arauto.tenant_in_view t)) and d.state = 'in_doubt';
comment on view arauto.in_doubt is
  'version 1: deliveries that a provider may have taken and nobody knows; waits_for is resend, evidence or person';

create or replace view arauto.waiting with (security_barrier) as
select d.tenant_id, d.event_id, d.channel, e.type, d.user_id, e.client_key as client_operation_id, d.state,
       arauto.waiting_for(d.state, d.next_attempt_at, d.begun_at, d.gives_up_at, d.stop_reason, now()) as waiting_for,
       case when d.state <> 'leased' and d.next_attempt_at <> 'infinity' then d.next_attempt_at end as next_attempt_at,
       case d.priority when 0 then 'urgent' else 'normal' end as priority, d.attempts, d.deferrals, e.created_at
  from arauto.delivery d
 cross join lateral (
    select e.* from arauto.event e where e.id = d.event_id and e.tenant_id = d.tenant_id limit 1) e
 where d.tenant_id = any (array(select t.id from arauto.tenant_in_view t))
   and d.state in ('pending', 'leased', 'retry_wait', 'in_doubt');
comment on view arauto.waiting is
  'version 1: deliveries that are not final; waiting_for is turn, not_before, retry, lease, answer, resend, evidence or
   person. Words may be added within a version.';

create or replace view arauto.lag_by_tenant with (security_barrier) as
select d.tenant_id, d.channel, case d.priority when 0 then 'urgent' else 'normal' end as priority,
       count(*) as due, min(d.next_attempt_at) as oldest_due_at,
       greatest(0, extract(epoch from now() - min(d.next_attempt_at)))::double precision as lag_s
  from arauto.delivery d
 where d.tenant_id = any (array(select t.id from arauto.tenant_in_view t))
   and d.state in ('pending', 'retry_wait', 'in_doubt') and d.next_attempt_at <= now()
 group by d.tenant_id, d.channel, d.priority;
comment on view arauto.lag_by_tenant is
  'version 1: what could be sent now and was not yet claimed, and since when its oldest waits';
