-- $1 tenant  $2 event id
select a.channel, a.number, arauto.rfc3339(a.begun_at) as begun_at, arauto.rfc3339(a.ended_at) as ended_at, a.outcome,
       a.code, a.detail
  from arauto.attempt a where a.tenant_id = $1 and a.event_id = $2::uuid
 order by a.channel, a.lease_token
