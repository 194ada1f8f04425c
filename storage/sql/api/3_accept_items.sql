-- The statement that accepts, as a function: the very text of accept.sql, so that no door decides otherwise. There its
-- parameters and its answer are explained.
create or replace function arauto.accept_items(items json, owner uuid, lease_ms integer)
returns table (n integer, verdict text, subject text, id uuid, created_at text, channel text, state text,
               outlets json)
language plpgsql as $$
#variable_conflict use_column
begin
  return query
@accept@;
end
$$;
