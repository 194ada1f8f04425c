-- $1 tenant  $2 name  $3 status  $4 sender address  $5 sender name; null: as it is, '' takes a sender away
update arauto.tenant t
   set name = coalesce($2, t.name), status = coalesce($3, t.status),
       sender_address = nullif(coalesce($4, t.sender_address), ''), sender_name = nullif(coalesce($5, t.sender_name), '')
 where t.id = $1
returning t.id, t.name, t.status, arauto.rfc3339(t.created_at) as created_at, t.sender_address, t.sender_name
