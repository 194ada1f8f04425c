-- $1 role  $2 tenant  $3 whether its commits wake the dispatcher
insert into arauto.door (role, tenant_id, wakes) values ($1::name, $2, $3::boolean)
    on conflict (role) do update set wakes = excluded.wakes
