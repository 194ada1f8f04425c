-- $1 node  $2 address
insert into arauto.node (id, address, heartbeat_at) values ($1::uuid, $2, clock_timestamp())
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at, address = excluded.address
