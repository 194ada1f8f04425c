-- What waits for a tenant, by channel and priority. A count ends at $2: then there is at least so much.
-- $1 tenant   $2 counted to
-- due: could be sent now; later: waits for its time (send_at, or a retry); held: waits for evidence or a person.
-- Leans on delivery_due, three short walks for each channel and priority; suspects and what is leased are not in it.
select c.channel, p.priority, due.counted as due, later.counted as later, held.counted as held,
       arauto.rfc3339(due.oldest) as oldest_due_at,
       coalesce(extract(epoch from statement_timestamp() - due.oldest), 0)::double precision as lag_s
  from unnest(array['email', 'push']) as c(channel)
 cross join unnest(array[0, 1]::smallint[]) as p(priority)
 cross join lateral (
   select count(*) as counted, min(d.next_attempt_at) as oldest from (
     select d.next_attempt_at from arauto.delivery d
      where d.tenant_id = $1 and d.channel = c.channel and d.priority = p.priority
        and d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2
        and d.next_attempt_at <= statement_timestamp()
      order by d.next_attempt_at limit $2::integer) d) due
 cross join lateral (
   select count(*) as counted from (
     select d.next_attempt_at from arauto.delivery d
      where d.tenant_id = $1 and d.channel = c.channel and d.priority = p.priority
        and d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2
        and d.next_attempt_at > statement_timestamp() and d.next_attempt_at < 'infinity'
      order by d.next_attempt_at limit $2::integer) d) later
 cross join lateral (
   select count(*) as counted from (
     select d.next_attempt_at from arauto.delivery d
      where d.tenant_id = $1 and d.channel = c.channel and d.priority = p.priority
        and d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2
        and d.next_attempt_at = 'infinity'
      limit $2::integer) d) held
 order by c.channel, p.priority
