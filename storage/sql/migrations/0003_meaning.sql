-- The meaning of an operation, for both doors. jsonb forgets key order, blanks and the spelling of escapes; numbers keep
-- their digits (1 and 1.0 differ). `channels` must come sorted: a list of channels is a set; null: not said.
-- Written so that the planner can inline it: no sub-selects.
create function arauto.fingerprint(user_id text, type text, variables json, channels text[], priority integer,
                                   send_at timestamptz, expires_at timestamptz)
returns bytea language sql stable parallel safe as $$
  select sha256(convert_to(
    jsonb_build_array(user_id, type, variables::jsonb, channels, priority,
                      extract(epoch from send_at), extract(epoch from expires_at))::text, 'UTF8'))
$$;

-- Whether a person may be told this by that channel: the row for the type, else the row for all types, else yes.
-- The one place where consent is decided: accept, permit and the sweep after a change all ask it. A table function,
-- because the planner inlines those even with a sub-select.
create function arauto.consent(tenant text, who text, via text, about text)
returns table (allowed boolean) language sql stable parallel safe as $$
  select coalesce(
    (select p.allowed from arauto.preference p
      where p.tenant_id = tenant and p.user_id = who and p.channel = via and p.type in ('', about)
      order by p.type desc limit 1),
    true)
$$;
