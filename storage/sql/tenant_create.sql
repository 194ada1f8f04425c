-- $1 id  $2 name  $3 sender address or null  $4 sender name or null
insert into arauto.tenant (id, name, sender_address, sender_name) values ($1, $2, $3, $4)
    on conflict (id) do nothing returning id
