-- How many deliveries stand in doubt: all of them, and those that only evidence or a person will move.
-- $1 most rows that are counted
-- Leans on delivery_in_doubt; bounded, because it is asked at every heartbeat.
select count(*) as deliveries,
       count(*) filter (where arauto.doubt_waits_for(d.next_attempt_at, d.gives_up_at, d.stop_reason) = 'person') as held
  from (select d.next_attempt_at, d.gives_up_at, d.stop_reason from arauto.delivery d
         where d.state = 'in_doubt' limit $1::integer) d
