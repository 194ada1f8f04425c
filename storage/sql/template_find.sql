-- $1 tenant  $2 type  $3 channel  $4 locale
select t.version, t.parts, array_to_json(t.required) as required, t.private,
       t.doubt_rule, t.doubt_after_ms, t.doubt_resends
  from arauto.template t
 where t.tenant_id = $1 and t.type = $2 and t.channel = $3 and t.locale = $4 and t.ended_at is null
