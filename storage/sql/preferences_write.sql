-- $1 tenant  $2 user  $3 json array of {channel, type, allowed}
insert into arauto.preference (tenant_id, user_id, channel, type, allowed)
select $1, $2, w.channel, w.type, w.allowed
  from json_to_recordset($3::json) as w(channel text, type text, allowed boolean)
