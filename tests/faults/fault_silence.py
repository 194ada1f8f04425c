"""F5: the database takes every byte and answers nothing, under load; libpq alone would wait for ever. Then it speaks
again."""

import time

import checker
import client
from gated import Gate
from processes import wait_until
from stage import Scene

USERS = {f"u{n}": ("slow250" if n % 3 == 0 else "accept") for n in range(30)}
SILENCE_S = 2  # database.silence_timeout here; 8 s as it comes
CONNECT_S = 2
WATCH_S = 0.25 # how often the watchdog looks
SLACK_S = 1.0  # of a busy machine
BACK_WITHIN_S = 5
POST_WITHIN_S = 10 + SLACK_S # accept_patience as it comes


def fall_silent(gate, service, clients, seconds):
    before = clients.accepted()
    wait_until("the load runs", lambda: clients.accepted() > before + 50)
    gate.order(silent=True)
    silent_at = time.time()
    time.sleep(seconds / 2)
    door = client.Door(service.url, "")
    asked_at = time.monotonic()
    healthy, took = door.ask("GET", "/healthz").status, time.monotonic() - asked_at
    door.close()
    time.sleep(seconds / 2)
    left = gate.order(silent=False)["left"]
    speaks_at = time.time()
    wait_until("a 202 afterwards", lambda: any(
        one.status == 202 and one.told_at > speaks_at for one in list(clients.told)), 60)
    return {"silent_at": silent_at, "speaks_at": speaks_at, "left": left, "health": (healthy, took < SLACK_S)}


def tell(report, silences, clients):
    left = [one for silence in silences for one in silence["left"]]
    report.times("question -> its session is cut and the worker free", left)
    bound = max(SILENCE_S, CONNECT_S) + WATCH_S + SLACK_S
    report.none_of(f"no worker waits longer than {bound} s", [one for one in left if one > bound], len(left))
    told = [one for one in clients.told for silence in silences
            if one.asked_at > silence["silent_at"] and one.told_at < silence["speaks_at"]]
    report.none_of("meanwhile every POST is told 503 with Retry-After", [
        (one.status, one.operation) for one in told if one.status != 503 or not (one.retry_after or "").isdigit()],
        len(told))
    took = [one.told_at - one.asked_at for one in clients.told]
    report.times("POST -> its answer", took)
    report.none_of(f"no POST waits longer than {POST_WITHIN_S} s", [one for one in took if one > POST_WITHIN_S],
                   len(took))
    report.none_of("nothing but 202 and 503 is ever said", [(one.status, one.operation) for one in clients.told
                                                            if one.status not in (202, 503)], len(clients.told))
    report.none_of("healthz says 200 at once meanwhile", [one["health"] for one in silences
                                                          if one["health"] != (200, True)], len(silences))
    back = [min(one.told_at for one in clients.told if one.status == 202 and one.told_at > silence["speaks_at"])
            - silence["speaks_at"] for silence in silences]
    report.times("bytes flow again -> first 202", back)
    report.none_of(f"accepting again within {BACK_WITHIN_S} s", [one for one in back if one > BACK_WITHIN_S], len(back))


def run(stage, report, options):
    scene = Scene(stage, "f5")
    try:
        gate = Gate(scene)
        service = gate.service(node_lease="5s", doubt_resend_after="1s", retry_base="1s",
                               database_silence_timeout=f"{SILENCE_S}s", database_statement_timeout=f"{SILENCE_S}s",
                               database_connect_timeout=f"{CONNECT_S}s")
        scene.furnish(service, USERS)
        clients = client.Clients(service.url, scene.key, list(USERS), scene.path("client.journal"))
        silences = [fall_silent(gate, service, clients, options.silence) for _ in range(options.silences)]
        time.sleep(1)
        clients.stop()
        scene.wait_until_quiet(options.patience)
        evidence = checker.gather(scene.database, clients, scene.journal)
        report.figure(f"silences of {options.silence} s")
        report.count(silences=len(silences), events=len(evidence.events))
        tell(report, silences, clients)
        report.findings(checker.check_all(evidence))
    finally:
        scene.close()


ENTRIES = {"F5": ("the database takes bytes and never answers", run)}
NUMBERS = {"silence": (8, 20, 20), "silences": (1, 2, 10)}
