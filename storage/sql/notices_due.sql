-- Which of the named tenants have something to do now. Anybody who may connect may say any name: only the rows count.
-- $1 names, text array
-- Leans on delivery_due.
select t.id from unnest($1::text[]) as t(id)
 where exists (
   select from unnest(array['email', 'push']) as via(channel)
    cross join unnest(array[0, 1]::smallint[]) as p(priority)
    cross join lateral (
      select from arauto.delivery d
       where d.tenant_id = t.id and d.channel = via.channel and d.priority = p.priority
         and d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2
         and d.next_attempt_at <= statement_timestamp()
       limit 1) due)
