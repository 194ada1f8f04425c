"""S19: a failover leaves every session on a server that refuses writes; under load, then undone without ending one."""

import time

import checker
import client
from processes import wait_until
from stage import Scene

USERS = {f"u{n}": ("slow250" if n % 3 == 0 else "accept") for n in range(30)}
RELOAD_S = 1.0 # a session learns of a changed setting at its next command
BACK_WITHIN_S = 10


def switch(scene, on):
    scene.database.rows(f"alter system set default_transaction_read_only = {'on' if on else 'off'}")
    scene.database.rows("select pg_reload_conf()")
    scene.database.rows("set default_transaction_read_only = off") # ours stays what it is
    return time.time()


def begun_at(scene):
    """Of each attempt; the trail is written from the permit's own stamp."""
    return [float(at) for (at,) in scene.database.rows(
        "select extract(epoch from begun_at) from arauto.attempt where begun_at is not null")]


def run(stage, report, options):
    scene = Scene(stage, "s19")
    try:
        service = scene.service(node_lease="5s", doubt_resend_after="2s", retry_base="1s")
        scene.furnish(service, USERS)
        pid = service.process.pid
        clients = client.Clients(service.url, scene.key, list(USERS), scene.path("client.journal"))
        wait_until("the load runs", lambda: clients.accepted() > 100)
        on_at = switch(scene, True)
        time.sleep(options.readonly)
        waiting = scene.left()
        off_at = switch(scene, False)
        first = wait_until("a 202 afterwards", lambda: [
            one.told_at for one in list(clients.told) if one.status == 202 and one.asked_at > on_at + RELOAD_S], 60)
        time.sleep(1)
        clients.stop()
        scene.wait_until_quiet(options.patience)
        evidence = checker.gather(scene.database, clients, scene.journal)
        report.count(seconds_read_only=options.readonly, events=len(evidence.events), deliveries_that_waited=waiting)
        report.times("writable -> first 202", [min(first) - off_at])
        report.holds("the service was never restarted", service.process.alive() and service.process.pid == pid)
        meanwhile = [one for one in clients.told if one.asked_at > on_at + RELOAD_S and one.told_at < off_at]
        report.none_of("read-only: every POST is told 503 with Retry-After", [
            (one.status, one.operation) for one in meanwhile if one.status != 503
            or not (one.retry_after or "").isdigit()], len(meanwhile))
        report.none_of("nothing but 202 and 503 is ever said", [(one.status, one.operation) for one in clients.told
                                                                if one.status not in (202, 503)], len(clients.told))
        begun = begun_at(scene)
        report.none_of("no attempt begins that could not be recorded", [
            at for at in begun if on_at + RELOAD_S < at < off_at], len(begun))
        sent = [line["at"] for line in evidence.provider if line["heard"] == "message"]
        report.none_of("nor is anything sent then", [at for at in sent if on_at + RELOAD_S < at < off_at], len(sent))
        report.holds(f"accepting again within {BACK_WITHIN_S} s", min(first) - off_at < BACK_WITHIN_S)
        report.none_of("nothing is doubled", [one for one, count in checker.taken_count(evidence).items() if count > 1],
                       len(evidence.events))
        report.findings(checker.check_all(evidence))
    finally:
        switch(scene, False)
        scene.close()


ENTRIES = {"S19": ("a failover leaves sessions on a read-only server", run)}
NUMBERS = {"readonly": (6, 30, 30)}
