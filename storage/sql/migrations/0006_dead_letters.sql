-- Dead letters: deliveries that ended in permanent_failure, and a person's wish to try them again.
--   replays      how often a person asked for this delivery again
--   paced_until  when the last delivery of the tenant's latest paced replay falls due; the next one queues behind it
alter table arauto.delivery add column replays integer not null default 0 check (replays >= 0);
alter table arauto.tenant add column paced_until timestamptz;

-- The whole order of the list, so that a page is read and never sorted.
drop index arauto.delivery_dead;
create index delivery_dead on arauto.delivery (tenant_id, settled_at, event_id, channel)
  where state = 'permanent_failure';

-- Why a delivery may not be tried again, from what its locked row says; null: it may. The one place where that is
-- decided. A stop is never taken back; without words there is nothing to send; while a doubt stands the provider may
-- have it already.
create function arauto.replay_refusal(stop_reason text, erased boolean, doubted_at timestamptz,
                                      even_if_doubtful boolean)
returns text language sql immutable parallel safe as $$
  select case when stop_reason is not null then 'stopped'
              when erased then 'erased'
              when doubted_at is not null and not even_if_doubtful then 'doubtful' end
$$;

create view arauto.dead_letters as
select d.tenant_id, d.event_id, d.channel, e.type, d.user_id, e.client_operation_id, d.cause, d.detail, d.attempts,
       d.replays, d.doubtful, d.doubted_at, d.stop_reason, e.erased, e.created_at, d.settled_at
  from arauto.delivery d
  cross join lateral (
    select e.type, e.client_key as client_operation_id, e.erased_at is not null as erased, e.created_at
      from arauto.event e where e.id = d.event_id limit 1) e -- limit: looked up row by row, in the list's order
 where d.state = 'permanent_failure';
comment on view arauto.dead_letters is
  'version 1: deliveries that were refused for good or given up, with cause and the provider''s own words (detail).
   Columns are added at the end; none is renamed or removed within a version.';
