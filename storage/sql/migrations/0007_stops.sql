-- A stop makes nothing of a doubt that stands, nor of an acceptance on record, but what they are: two more ways out of
-- waiting. A delivery waits with them after a person's word (resolve, replay).
create or replace function arauto.may_move(from_state text, to_state text)
returns boolean language sql immutable parallel safe as $$
  select (from_state, to_state) in (
    ('pending', 'leased'), ('leased', 'provider_accepted'), ('leased', 'retry_wait'), ('retry_wait', 'leased'),
    ('leased', 'permanent_failure'), ('leased', 'in_doubt'), ('leased', 'pending'),
    ('leased', 'suppressed'), ('leased', 'cancelled'), ('leased', 'expired'),
    ('pending', 'suppressed'), ('pending', 'cancelled'), ('pending', 'expired'),
    ('pending', 'provider_accepted'), ('pending', 'in_doubt'),
    ('retry_wait', 'suppressed'), ('retry_wait', 'cancelled'), ('retry_wait', 'expired'),
    ('retry_wait', 'permanent_failure'), ('retry_wait', 'provider_accepted'), ('retry_wait', 'in_doubt'),
    ('in_doubt', 'leased'), ('in_doubt', 'provider_accepted'), ('in_doubt', 'retry_wait'),
    ('in_doubt', 'permanent_failure'),
    ('permanent_failure', 'pending'))
$$;

-- What a stop makes of a delivery, from what its locked row says, and what it answers. The one place where that is
-- decided. A permitted attempt is in flight, and no other follows; what is final stays; an acceptance on record settles
-- it; while a doubt stands it is held; the rest ends here. A table function: see arauto.consent.
create function arauto.stop_makes(now_is text, begun_at timestamptz, accepted_at timestamptz, doubted_at timestamptz,
                                  reason text)
returns table (becomes text, ends boolean, came_to text) language sql immutable parallel safe as $$
  select s.becomes, s.ends,
         case when now_is = 'leased' and begun_at is not null then 'in_flight'
              when s.ends and s.becomes <> 'provider_accepted' then 'stopped'
              else s.becomes end
    from (select b.becomes, b.becomes not in (now_is, 'in_doubt') as ends
            from (select case when begun_at is not null
                                or now_is not in ('pending', 'leased', 'retry_wait', 'in_doubt') then now_is
                              when accepted_at is not null then 'provider_accepted'
                              when doubted_at is not null then 'in_doubt'
                              when reason = 'opted_out' then 'suppressed'
                              else 'cancelled' end as becomes) b) s
$$;
