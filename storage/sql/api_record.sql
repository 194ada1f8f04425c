-- $1 digest of the text that was run
insert into arauto.migration (number, name) values (0, $1)
    on conflict (number) do update set name = excluded.name, run_at = now()
