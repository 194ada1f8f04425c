-- What came in and what failed for good since midnight UTC. A count ends at $2: then there is at least so much.
-- $1 tenant   $2 counted to
-- Leans on event_of_tenant (see events_older for its order) and delivery_dead; the newest are counted first.
select arauto.rfc3339(t.since) as since,
       (select count(*) from (
          select e.id from arauto.event e
           where e.tenant_id = $1 and (e.tenant_id, e.id) >= ($1, arauto.first_id_of(t.since))
           order by e.id desc nulls last limit $2::integer) e) as notifications,
       (select count(*) from (
          select d.settled_at from arauto.delivery d
           where d.tenant_id = $1 and d.state = 'permanent_failure' and d.settled_at >= t.since
           order by d.settled_at desc limit $2::integer) d) as dead_letters
  from (select date_trunc('day', now(), 'UTC') as since) t
