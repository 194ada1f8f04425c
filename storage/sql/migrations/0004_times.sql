-- Times as the outside sees them: RFC 3339, UTC, microseconds.
create function arauto.rfc3339(moment timestamptz) returns text language sql stable parallel safe as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
