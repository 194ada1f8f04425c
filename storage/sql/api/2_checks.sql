-- What http/notification_shape.cpp and storage/model/json.cpp ask of a notification, asked of arguments. A test sends the
-- same requests through both doors.

-- Refuses the call. No message quotes what came in: it ends up in other people's logs.
create or replace function arauto.refuse(code text, argument text, what text, advice text) returns void
language plpgsql as $$
begin
  raise exception using errcode = code, column = argument, hint = advice,
    message = 'arauto.notify: ' || case argument when '' then '' else argument || ': ' end || what;
end
$$;

create or replace function arauto.refuse_argument(argument text, what text) returns void language sql as $$
  select arauto.refuse('AR002', argument, what, 'Mend the argument; the same call will be refused again.')
$$;

create or replace function arauto.check_name(argument text, name text) returns void language plpgsql as $$
begin
  if coalesce(octet_length(name), 0) not between 1 and 255 then
    perform arauto.refuse_argument(argument, '1 to 255 bytes are expected');
  elsif name ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]' then
    perform arauto.refuse_argument(argument, 'control characters are not allowed');
  end if;
end
$$;

-- The numbers that a JSON door can keep: no more digits than 64, and no larger than a double holds.
create or replace function arauto.is_keepable(number text) returns boolean language sql immutable as $$
  select case when number !~ '[.eE]' and length(number) <= 18 then true
              when length(number) > 64 then false
              when length(ltrim(substring(number from '[eE](.*)$'), '+-0')) > 3 then false
              else abs(number::numeric) < 1.797693134862315807937e308 end
$$;

-- The variables compact, each text spelled the shortest way, numbers as written; or what is wrong with them. json (jsonb
-- would do the same silently) keeps repeated members and any depth, so the text is taken apart once: every token with its
-- depth, every member with the object it belongs to.
create or replace function arauto.read_variables(given json, bytes_max integer, out compact text, out fault text)
language plpgsql as $$
declare
  deepest integer;
  repeats boolean;
  keepable boolean;
begin
  if octet_length(given::text) > 262144 then
    fault := 'too_large';
    return;
  elsif json_typeof(given) <> 'object' then
    fault := 'an object is expected';
    return;
  end if;
  with token as materialized (
    select m.word[1] as word, m.at
      from regexp_matches(given::text, '"(?:[^"\\]|\\.)*"|[^][{}:,"[:space:]]+|[][{}:,]', 'g')
           with ordinality as m(word, at)
  ),
  spelled as materialized (
    select t.at, t.word, left(t.word, 1) as first, lead(t.word) over (order by t.at) = ':' as names,
           case when left(t.word, 1) = '"' then to_json(t.word::json #>> '{}')::text else t.word end as text,
           sum(case when t.word in ('{', '[') then 1 when t.word in ('}', ']') then -1 else 0 end)
             over (order by t.at) as depth
      from token t
  ),
  member as materialized (
    select s.names, s.text, max(s.at) filter (where s.word = '{') over (partition by s.depth order by s.at) as of_object
      from spelled s where s.names or s.word = '{'
  )
  select string_agg(s.text, '' order by s.at), max(s.depth),
         exists (select from member m where m.names group by m.of_object, m.text having count(*) > 1),
         bool_and(s.first not between '0' and '9' and s.first <> '-' or arauto.is_keepable(s.word))
    into compact, deepest, repeats, keepable
    from spelled s;
  fault := case when repeats then 'a member is given twice'
                when deepest > 31 then 'deeper than 31 levels'
                when not keepable then 'a number has too many digits or is too large'
                when octet_length(compact) > bytes_max then 'too_large' end;
exception when data_exception then
  fault := 'U+0000 and lone surrogates are not allowed';
end
$$;

create or replace function arauto.check_channels(channels text[]) returns void language plpgsql as $$
declare
  unknown boolean;
begin
  if array_ndims(channels) is distinct from 1 then
    perform arauto.refuse_argument('channels', 'a list with something in it is expected');
  end if;
  select bool_or(c.via is null or c.via <> all (array['email', 'push'])) into unknown from unnest(channels) as c(via);
  if unknown then
    perform arauto.refuse('AR007', 'channels', 'this channel is not known', 'Known channels: email, push.');
  elsif cardinality(channels) <> (select count(distinct c.via) from unnest(channels) as c(via)) then
    perform arauto.refuse_argument('channels', 'a channel repeats');
  end if;
end
$$;

create or replace function arauto.check_times(send_at timestamptz, expires_at timestamptz) returns void
language plpgsql as $$
begin
  if send_at not between 'epoch' and '9999-12-31 23:59:59.999999+00' then
    perform arauto.refuse_argument('send_at', 'a time between 1970 and 9999 is expected');
  elsif expires_at not between 'epoch' and '9999-12-31 23:59:59.999999+00' then
    perform arauto.refuse_argument('expires_at', 'a time between 1970 and 9999 is expected');
  elsif send_at > clock_timestamp() + interval '90 days' then
    perform arauto.refuse('AR010', 'send_at', 'at most 90 days ahead', 'Call again nearer to that time.');
  elsif expires_at <= send_at then
    perform arauto.refuse('AR010', 'expires_at', 'must come after send_at', 'Give it time to be sent.');
  end if;
end
$$;
