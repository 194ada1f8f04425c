-- Holds events that are old and over, so that the next statement may delete them.
-- $1 days an event is kept   $2 most events
-- Gives their ids. An event with anything live, a delivery in doubt among them, is kept however old it is, and one with
-- anything that ended less than those days ago: a dead letter is kept as long, from its end.
-- Ids are uuid v7, which begin with their milliseconds: the walk ends at the boundary; created_at is asked as well,
-- because ids carry a node's clock. It has no order, so that no plan sorts all that is old.
-- It waits for nobody: whatever another transaction holds (a replay, a cancel, an erasure, a late answer) is left for
-- next time. An event counts only when all of its deliveries are held here and over by what the locked rows say, not by
-- what this snapshot believes.
with old as materialized (
  select e.id from arauto.event e
   where e.id < (lpad(to_hex((1000 * extract(epoch from statement_timestamp() - $1::integer * interval '1 day'))::bigint
                             ), 12, '0') || '70000000000000000000')::uuid
     and e.created_at < statement_timestamp() - $1::integer * interval '1 day'
     and (select true from arauto.delivery d
           where d.event_id = e.id
             and (d.settled_at < statement_timestamp() - $1::integer * interval '1 day') is not true limit 1) is null
   limit $2::integer
     for update of e skip locked
),
held as materialized (
  select o.id, h.over
    from old o
    cross join lateral (
      select count(*) filter (where d.settled_at < statement_timestamp() - $1::integer * interval '1 day') as over
        from (select d.settled_at from arauto.delivery d where d.event_id = o.id for update of d skip locked) d) h
)
select h.id from held h
 where h.over = (select count(*) from arauto.delivery d where d.event_id = h.id)
