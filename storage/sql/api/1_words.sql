-- The public interface of arauto for other people's SQL: README.md of this folder. Its version is raised when something
-- in it is renamed, removed or means something else; what is added, is added at the end and raises nothing.
create or replace function arauto.api_version() returns integer language sql immutable parallel safe as 'select 1';

-- Why a live delivery was not sent yet, in one word, from what its row says. The word of a doubt is doubt_waits_for's.
create or replace function arauto.waiting_for(state text, next_attempt_at timestamptz, begun_at timestamptz,
                                              gives_up_at timestamptz, stop_reason text, at timestamptz)
returns text language sql immutable parallel safe as $$
  select case when state = 'in_doubt' then arauto.doubt_waits_for(next_attempt_at, gives_up_at, stop_reason)
              when state = 'leased' and begun_at is not null then 'answer'
              when state = 'leased' then 'lease'
              when next_attempt_at <= at then 'turn'
              when state = 'retry_wait' then 'retry'
              else 'not_before' end
$$;
