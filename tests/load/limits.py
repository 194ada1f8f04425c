"""What the machine allows without any application, for the very rows the service writes."""
import pathlib, subprocess, time

PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"

# One event with its two deliveries in one statement, as a careful application would write it by hand.
STATEMENT = """
with e as (
  insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, fingerprint, created_at)
  select gen_random_uuid(), 'load', 'u' || (random() * 999)::int, 'order_shipped',
         json_build_object('name', 'Maria', 'order', 'A-1', 'op', k), 1, k, sha256(convert_to(k, 'UTF8')), now()
    from (select gen_random_uuid()::text as k from generate_series(1, {rows})) keys
      on conflict (tenant_id, client_key) do nothing
  returning id, tenant_id, user_id)
insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, next_attempt_at)
select e.id, c, e.tenant_id, e.user_id, 1, 'pending', now() + interval '1 day'
  from e, unnest('{{email,push}}'::text[]) c;
"""


def accept(stage, clients, rows, seconds):
    """Events a second through PostgreSQL alone."""
    script = stage.home / "accept.sql"
    script.write_text(STATEMENT.format(rows=rows))
    made = subprocess.run([PGBENCH, "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(seconds), "-f",
                           str(script), stage.url], capture_output=True, text=True, check=True).stdout
    return rows * float(next(l for l in made.splitlines() if l.startswith("tps")).split()[2])


def mail(stage, sessions=50, messages=40_000):
    """Mails a second from smtp-source to the same sink."""
    begun = time.monotonic()
    subprocess.run(["smtp-source", "-d", "-l", "600", "-m", str(messages), "-s", str(sessions), f"127.0.0.1:{stage.smtp_port}"],
                   check=True)
    return messages / (time.monotonic() - begun)
