"""The SQL door as an application uses it: a role of its own, transactions of its own."""
import subprocess

from limits import PGBENCH

ROLE = "load_shop"
CALL = """select arauto.notify('u' || {user}, 'order_shipped', '{{"name":"Maria","order":"A-1","op":"x"}}',
  '{name}-' || {n}, array['email']);
"""


def open_door(stage, *options):
    """The URL of a role that is bound to the tenant."""
    stage.sql(f"""do $$ begin
      if not exists (select from pg_roles where rolname = '{ROLE}') then
        create role {ROLE} login password 'load';
      end if; end $$""")
    stage.arauto("door", "bind", ROLE, "--tenant", "load", *options)
    return stage.url.replace(stage.url.split("//")[1].split("@")[0], f"{ROLE}:load")


def committed(stage, url, calls, pause_s):
    """Transactions one after the other, each stamped by the database's clock just before its COMMIT."""
    stage.sql(f"""create table if not exists public.committed (operation text, at timestamptz);
                  truncate public.committed; grant insert on public.committed to {ROLE}""")
    lines = []
    for n in range(calls):
        lines.append(f"begin;\n{CALL.format(user=n % 1000, name='door', n=n)}"
                     f"insert into public.committed values ('door-{n}', clock_timestamp());\ncommit;\n"
                     f"select pg_sleep({pause_s});\n")
    stage.sql("".join(lines), url)


def rate(stage, url, clients, seconds, name):
    """Commits a second, one call in each."""
    script = stage.home / "door.sql"
    script.write_text("\\set user random(0, 999)\n\\set n random(1, 9223372036854775807)\n"
                      + CALL.format(user=":user", name=name, n=":n"))
    made = subprocess.run([PGBENCH, "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(seconds), "-f",
                           str(script), url], capture_output=True, text=True, check=True).stdout
    return float(next(l for l in made.splitlines() if l.startswith("tps")).split()[2])
