-- $1 tenant or null (an operator's key)  $2 prefix  $3 SHA-256 of the secret, hex  $4 scopes, "send,read"  $5 name
-- $6 when it ends, or null
-- No row: two of the tenant's keys live already. Runs after tenant_hold and keys_expire, in their transaction; without
-- them the table's own rule (tenant_id, slot) would still hold.
insert into arauto.api_key (tenant_id, prefix, digest, scopes, name, expires_at, slot)
select $1::text, $2, decode($3, 'hex'), string_to_array($4, ','), $5, $6::timestamptz,
       case when $1::text is not null then free.slot end
  from (select min(w) as slot from unnest('{1,2}'::smallint[]) w
         where not exists (select from arauto.api_key k where k.tenant_id = $1 and k.slot = w)) free
 where $1::text is null
    or (select count(*) from arauto.api_key k where k.tenant_id = $1 and k.slot is not null) < 2
returning prefix
