"""The figures the product is held to, each beside the limit measured in the same run."""
import json, subprocess, sys, threading, time
from urllib.parse import urlsplit

import limits, push, sql_door, steady
from stage import ROOT, Stage, USERS, cpu_seconds, rss_mib

TOMORROW = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86_400))
rows = []


def say(what, figure, bar=None, met=None):
    rows.append((what, figure, bar or "", "" if met is None else ("met" if met else "MISSED")))
    print(f"  {what}: {figure}{'  (' + bar + ')' if bar else ''}{'' if met is None else '  ' + rows[-1][3]}", flush=True)


def measure_accept(stage):
    stage.fresh_database()
    one = limits.accept(stage, 1, 1, 6)
    sixteen = limits.accept(stage, 16, 1, 8)
    hundred = limits.accept(stage, 1, 100, 6)
    say("limit: accept statement, row by row, 1 client", f"{one:,.0f} events/s")
    say("limit: accept statement, row by row, 16 clients", f"{sixteen:,.0f} events/s")
    say("limit: accept statement, batches of 100, 1 client", f"{hundred:,.0f} events/s")
    stage.fresh_database()
    stage.serve()
    stage.wrk(2, "warm", TOMORROW)
    before, begun = cpu_seconds([stage.service.pid]), time.monotonic()
    rate, errors = stage.wrk(10, "accept", TOMORROW)
    cpu = (cpu_seconds([stage.service.pid]) - before) / (time.monotonic() - begun)
    say("durable accepts over HTTP, wrk, 64 connections", f"{rate:,.0f} events/s, {errors} errors, service {cpu:.2f} cores",
        f"{rate / sixteen:.2f} x 16 clients, bar 0.70", rate / sixteen >= 0.70)
    stage.stop_service()


def measure_drain(stage, deliveries=100_000):
    mails = limits.mail(stage)
    say("limit: smtp-source to smtp-sink, 50 sessions", f"{mails:,.0f} mails/s")
    stage.fresh_database()
    stage.sql(f"""
      insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, fingerprint, created_at)
      select gen_random_uuid(), 'load', 'u' || (i % {USERS}), 'order_shipped',
             json_build_object('name', 'Maria', 'order', 'A-' || i, 'op', 'OP-' || i), 1, 'drain-' || i, '', now()
        from generate_series(1, {deliveries}) i;
      insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, next_attempt_at, template_id)
      select e.id, 'email', e.tenant_id, e.user_id, 1, 'pending', now(), t.id
        from arauto.event e join arauto.template t on t.channel = 'email';
      vacuum analyze""")
    stage.serve()
    begun, first = time.monotonic(), None
    while True:
        settled = int(stage.metric('arauto_settlements_total{state="provider_accepted"}'))
        now = time.monotonic()
        if first is None and settled > deliveries * 0.03:
            first, first_at = settled, now
        if settled >= deliveries or now - begun > 120:
            break
        time.sleep(0.25)
    rate = (settled - first) / (now - first_at)
    say(f"drain of {deliveries:,} waiting e-mails", f"{rate:,.0f} mails/s, {settled:,} accepted, RSS {rss_mib(stage.service.pid):.0f} MiB",
        f"{rate / mails:.2f} x smtp-source, bar 0.35", rate / mails >= 0.35)
    stage.stop_service()


def accepted(stage):
    return int(stage.sql("select count(*) from arauto.delivery where state = 'provider_accepted'"))


def measure_both(stage):
    stage.fresh_database()
    stage.serve()
    stage.wrk(2, "warm")
    before, begun = accepted(stage), time.monotonic()
    rate, errors = stage.wrk(15, "both")
    done, took = accepted(stage) - before, time.monotonic() - begun
    say("accept and deliver at once", f"{done / took:,.0f} settled e-mails/s beside {rate:,.0f} accepts/s, {errors} errors",
        "bar 5,000", done / took >= 5_000)
    stage.stop_service()


def measure_latency(stage, rate=231, seconds=30):
    stage.fresh_database()
    stage.serve()
    steady.run(stage.address, stage.token, USERS, 20, 3)
    stage.sql("delete from arauto.attempt; delete from arauto.delivery; delete from arauto.event")
    before, begun = cpu_seconds([stage.service.pid]), time.monotonic()
    answers = steady.run(stage.address, stage.token, USERS, rate, seconds)
    cpu = (cpu_seconds([stage.service.pid]) - before) / (time.monotonic() - begun)
    time.sleep(1)
    p50, p99, late = map(float, stage.sql("""
      select percentile_cont(0.5) within group (order by ms), percentile_cont(0.99) within group (order by ms),
             count(*) filter (where ms is null)
        from (select extract(epoch from d.accepted_at - e.created_at) * 1000 as ms
                from arauto.delivery d join arauto.event e on e.id = d.event_id where d.channel = 'email') x""").split("|"))
    took = sorted(t for _, t in answers)
    bad = sum(1 for status, _ in answers if status != 202)
    say(f"at {rate} events/s offered: accept to recorded provider answer", f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, {late:.0f} missing",
        "bar 3 and 15", p50 <= 3 and p99 <= 15 and late == 0)
    say("  the 202 itself, from its due instant", f"p50 {took[len(took) // 2] * 1000:.1f} ms, p99 {took[int(len(took) * 0.99)] * 1000:.1f} ms, {bad} not 202")
    say("  CPU of the service", f"{cpu:.2f} cores", "bar 0.40", cpu <= 0.40)
    stage.stop_service()


class Largest:
    """The largest resident memory of the service, sampled beside whatever else is done."""

    def __init__(self, pid):
        self.mib, self.pid, self.over = rss_mib(pid), pid, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.over.wait(0.2):
            self.mib = max(self.mib, rss_mib(self.pid))

    def stop(self):
        self.over.set()
        self.thread.join()
        return self.mib


def measure_slow(stage, crowd=1_000, seconds=60, rate=50):
    stage.fresh_database()
    stage.serve()
    stage.wrk(2, "warm")
    time.sleep(2)
    before = rss_mib(stage.service.pid)
    alone = p99_ms(steady.run(stage.address, stage.token, USERS, rate, 10))
    stage.sql("delete from arauto.attempt; delete from arauto.delivery; delete from arauto.event")
    where = urlsplit(stage.address)
    peers = subprocess.Popen([sys.executable, str(ROOT / "tests/load/slow.py"), where.hostname, str(where.port), stage.token,
                              str(crowd), str(seconds + 14)], stdout=subprocess.PIPE, text=True)
    memory = Largest(stage.service.pid)
    time.sleep(11)  # until all are there
    there = stage.metric("arauto_http_connections")
    answers = steady.run(stage.address, stage.token, USERS, rate, seconds)
    beside = p99_ms(answers)
    told = json.loads(peers.communicate()[0])
    grown = memory.stop() - before
    bad = sum(1 for status, _ in answers if status != 202)
    say(f"{there:.0f} connections, {crowd} of them slow for {seconds} s: a good client's 202, {rate} a second",
        f"p99 {beside:.1f} ms (alone {alone:.1f} ms), {bad} not 202", "bar 50", beside <= 50 and bad == 0 and there >= crowd)
    say("  memory of the service", f"grew by {grown:.1f} MiB", "bar 64", grown <= 64)
    cut = min(told["seen"].get(kind, {}).get("408", 0) for kind in ("dripping head", "dripping body"))
    say("  what became of them", json.dumps(told["seen"]), "every drip cut", cut >= crowd // 4)
    say("  a POST without a length, answered", f"after {told['slowest_without_length_ms']:.0f} ms at the worst")
    stage.stop_service()


def p99_ms(answers):
    took = sorted(t for _, t in answers)
    return took[int(len(took) * 0.99)] * 1000


def measure_door(stage, calls=500):
    stage.fresh_database()
    stage.serve()
    url = sql_door.open_door(stage)
    sql_door.committed(stage, url, 50, 0.02)
    stage.sql("delete from arauto.attempt; delete from arauto.delivery; delete from arauto.event")
    sql_door.committed(stage, url, calls, 0.02)
    time.sleep(1)
    p50, p99, late = map(float, stage.sql("""
      select percentile_cont(0.5) within group (order by ms), percentile_cont(0.99) within group (order by ms),
             count(*) filter (where ms is null)
        from (select extract(epoch from d.accepted_at - c.at) * 1000 as ms
                from public.committed c join arauto.event e on e.client_key = c.operation
                join arauto.delivery d on d.event_id = e.id) x""").split("|"))
    say(f"{calls} commits of the SQL door, 20 ms apart: COMMIT to recorded provider answer",
        f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, {late:.0f} missing", "bar 50", p99 <= 50 and late == 0)
    stage.stop_service()
    for how in ("wakes", "--quiet"):
        url = sql_door.open_door(stage, *([how] if how == "--quiet" else []))
        rates = [sql_door.rate(stage, url, clients, 6, f"{how.strip('-')}-{clients}") for clients in (1, 16)]
        say(f"calls of arauto.notify, a commit each, {how.strip('-')}", f"{rates[0]:,.0f}/s with 1 client, {rates[1]:,.0f}/s with 16")


def measure_idle(stage, seconds=60):
    stage.fresh_database()
    stage.serve()
    steady.run(stage.address, stage.token, USERS, 20, 2)
    time.sleep(3)
    before = cpu_seconds([stage.service.pid])
    time.sleep(seconds)
    share = (cpu_seconds([stage.service.pid]) - before) / seconds * 100
    say(f"idle for {seconds} s", f"{share:.2f} % of a core", "bar 1 %", share <= 1)
    stage.stop_service()


MEASURES = {"accept": measure_accept, "drain": measure_drain, "both": measure_both,
            "push": lambda stage: push.measure(stage, say), "latency": measure_latency, "slow": measure_slow, "door": measure_door, "idle": measure_idle}


def main():
    wanted = sys.argv[1:] or list(MEASURES)
    if any(one not in MEASURES for one in wanted):
        raise SystemExit(f"measures: {' '.join(MEASURES)}")
    stage = Stage()
    try:
        for one in wanted:
            print(f"{one}:", flush=True)
            MEASURES[one](stage)
    finally:
        stage.close()
    print("\n| what | figure | bar | |\n| --- | --- | --- | --- |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


main()
