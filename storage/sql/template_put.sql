-- $1 tenant  $2 type  $3 channel  $4 locale  $5 parts json  $6 required, json array  $7 private
-- $8 doubt rule  $9 its time in ms  $10 most resends; null: as the channel's settings say
-- The version before it has just been ended in the same transaction (template_end).
insert into arauto.template (tenant_id, type, channel, locale, version, parts, required, private, doubt_rule,
                             doubt_after_ms, doubt_resends)
select $1, $2, $3, $4, coalesce(max(t.version), 0) + 1, $5::json,
       array(select json_array_elements_text($6::json)), $7::boolean, $8, $9::bigint, $10::smallint
  from arauto.template t where t.tenant_id = $1 and t.type = $2 and t.channel = $3 and t.locale = $4
returning version
