-- in_doubt made usable: how often, since when, until when, and what a person said.
--   doubts      how often an attempt ended with nobody knowing; never goes back
--   doubted_at  when the doubt that stands arose. Taken back only by who knows: a person, or a late answer to the one
--               attempt that was doubted. While it stands, a prohibition holds the delivery instead of ending it.
--   gives_up_at rule wait: when it ends as permanent_failure / unconfirmed, unless a stop holds it
--   resolved_as what a person said last
-- doubtful stays for who only wants to know whether a duplicate is possible.
alter table arauto.delivery
  add column doubts      smallint not null default 0 check (doubts >= 0),
  add column doubted_at  timestamptz,
  add column gives_up_at timestamptz,
  add column resolved_as text check (resolved_as in ('accepted', 'not_accepted'));

update arauto.delivery d
   set doubts = 1,
       doubted_at = coalesce((select max(a.ended_at) from arauto.attempt a
                               where a.event_id = d.event_id and a.channel = d.channel and a.outcome = 'unknown'), now())
 where d.doubtful;

alter table arauto.delivery drop column doubtful;
alter table arauto.delivery
  add column doubtful boolean generated always as (doubts > 0) stored,
  add check (state <> 'in_doubt' or doubted_at is not null),
  add check (gives_up_at is null or state = 'in_doubt');

-- Rows in doubt are few and stand long: for the count and the view.
create index delivery_in_doubt on arauto.delivery (next_attempt_at) where state = 'in_doubt';
create index delivery_gives_up on arauto.delivery (gives_up_at)
  where state = 'in_doubt' and gives_up_at is not null and stop_reason is null;

-- What the tenant wants when nobody knows; null: the policy of the channel.
alter table arauto.template
  add column doubt_rule     text check (doubt_rule in ('resend', 'wait', 'hold')),
  add column doubt_after_ms bigint check (doubt_after_ms > 0),
  add column doubt_resends  smallint check (doubt_resends > 0),
  add check ((doubt_rule is null) = (doubt_after_ms is null) and (doubt_rule is null) = (doubt_resends is null));

-- What a delivery in doubt waits for: to be sent again, for evidence until a time, or for a person. Evidence settles all
-- of them.
create function arauto.doubt_waits_for(next_attempt_at timestamptz, gives_up_at timestamptz, stop_reason text)
returns text language sql immutable parallel safe as $$
  select case when next_attempt_at <> 'infinity' then 'resend'
              when gives_up_at is not null and stop_reason is null then 'evidence'
              else 'person' end
$$;

create view arauto.in_doubt as
select d.tenant_id, d.event_id, d.channel, d.user_id, e.type, d.doubted_at as since, d.doubts, w.waits_for,
       case when w.waits_for = 'resend' then d.next_attempt_at end as resend_at,
       case when w.waits_for = 'evidence' then d.gives_up_at end as gives_up_at,
       d.lease_token, d.stop_reason
  from arauto.delivery d
  join arauto.event e on e.id = d.event_id
 cross join lateral (select arauto.doubt_waits_for(d.next_attempt_at, d.gives_up_at, d.stop_reason) as waits_for) w
 where d.state = 'in_doubt';
comment on view arauto.in_doubt is
  'version 1: deliveries that a provider may have taken and nobody knows; waits_for is resend, evidence or person';
