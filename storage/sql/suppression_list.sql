-- $1 tenant  $2 after this channel  $3 and this digest, hex  $4 most rows
select s.channel, encode(s.digest, 'hex') as digest, s.reason, arauto.rfc3339(s.created_at) as created_at
  from arauto.suppression s
 where s.tenant_id = $1 and (s.channel, s.digest) > ($2, decode($3, 'hex'))
 order by s.channel, s.digest limit $4::integer
