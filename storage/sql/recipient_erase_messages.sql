-- $1 tenant  $2 user
-- What the person was told and what providers said of them. Live rows (in flight, in doubt) lose their words too: they
-- are stopped and never sent again.
with forgotten as (
  update arauto.event e set variables = null, erased_at = now()
   where e.tenant_id = $1 and e.user_id = $2 and e.erased_at is null
  returning e.id
),
deliveries as (
  update arauto.delivery d set detail = null from forgotten f
   where d.event_id = f.id and d.detail is not null
),
devices as (
  update arauto.device d set ended_at = coalesce(d.ended_at, now()), end_reason = coalesce(d.end_reason, 'erased'), token = ''
   where d.tenant_id = $1 and d.user_id = $2
)
update arauto.attempt a set detail = null from forgotten f where a.event_id = f.id and a.detail is not null
