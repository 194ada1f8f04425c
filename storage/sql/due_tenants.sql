-- Tenants and channels with work that is due, found by jumping from tenant to tenant (loose index scan).
-- $1 channels served here, text array
-- Leans on delivery_due: cost grows with the number of tenants that wait, not with their backlogs.
with recursive waiting as (
  (select d.tenant_id, d.channel from arauto.delivery d
    where d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2
    order by d.tenant_id, d.channel limit 1)
  union all
  select n.tenant_id, n.channel from waiting w
    cross join lateral (
      select d.tenant_id, d.channel from arauto.delivery d
       where d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2
         and (d.tenant_id, d.channel) > (w.tenant_id, w.channel)
       order by d.tenant_id, d.channel limit 1) n
)
select w.tenant_id, w.channel from waiting w
 where w.channel = any ($1::text[])
   and exists (
     select from unnest(array[0, 1]::smallint[]) as p(priority)
      cross join lateral (
        select from arauto.delivery d
         where d.tenant_id = w.tenant_id and d.channel = w.channel and d.priority = p.priority
           and d.state in ('pending', 'retry_wait', 'in_doubt') and d.lost_leases < 2
           and d.next_attempt_at <= statement_timestamp()
         limit 1) due)
