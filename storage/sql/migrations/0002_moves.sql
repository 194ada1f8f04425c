-- The only moves of a delivery's state; the same table as model/state.hpp (a test compares them pair by pair).
-- The trigger holds every writer to it, whatever door it came by. The list is judged inside WHEN, so a legal move costs
-- a comparison and no function call.
create function arauto.may_move(from_state text, to_state text)
returns boolean language sql immutable parallel safe as $$
  select (from_state, to_state) in (
    ('pending', 'leased'), ('leased', 'provider_accepted'), ('leased', 'retry_wait'), ('retry_wait', 'leased'),
    ('leased', 'permanent_failure'), ('leased', 'in_doubt'), ('leased', 'pending'),
    ('leased', 'suppressed'), ('leased', 'cancelled'), ('leased', 'expired'),
    ('pending', 'suppressed'), ('pending', 'cancelled'), ('pending', 'expired'),
    ('retry_wait', 'suppressed'), ('retry_wait', 'cancelled'), ('retry_wait', 'expired'),
    ('retry_wait', 'permanent_failure'),
    ('in_doubt', 'leased'), ('in_doubt', 'provider_accepted'), ('in_doubt', 'retry_wait'),
    ('in_doubt', 'permanent_failure'),
    ('permanent_failure', 'pending'))
$$;

create function arauto.refuse_move() returns trigger language plpgsql as $$
begin
  raise exception 'a delivery may not move from % to %', old.state, new.state using errcode = 'AR001';
end
$$;

create trigger delivery_moves before update on arauto.delivery
  for each row when (old.state <> new.state and not arauto.may_move(old.state, new.state))
  execute function arauto.refuse_move();
