"""F3: PostgreSQL is away for a while under load, in turns like a crash and like an orderly stop."""

import time

import checker
import client
from processes import wait_until
from sabotage import without
from stage import Scene

USERS = {f"u{n}": ("slow250" if n % 3 == 0 else "accept") for n in range(30)}
BACK_WITHIN_S = 10


def ask_all(url, key):
    """What other calls say meanwhile."""
    door, said = client.Door(url, key), {}
    for path in ("/healthz", "/readyz", "/v1/users/u1", "/v1/notifications?client_operation_id=op-0-0"):
        answer = door.ask("GET", path)
        said[path] = (answer.status, "Retry-After" in answer.headers)
    door.close()
    return said


def one_outage(stage, scene, service, clients, seconds, crash):
    before = clients.accepted()
    wait_until("the load runs", lambda: clients.accepted() > before + 50)
    stage.postgres.stop(crash)
    gone_at = time.time()
    time.sleep(seconds / 2)
    said = ask_all(service.url, scene.key)
    time.sleep(seconds / 2)
    starts_at = time.time()
    stage.postgres.start()
    ready_at = time.time()
    wait_until("a 202 after the outage", lambda: any(
        told.status == 202 and told.told_at > ready_at for told in list(clients.told)), 60)
    return {"gone_at": gone_at, "starts_at": starts_at, "ready_at": ready_at, "said": said}


def tell(report, outages, clients):
    told = clients.told
    while_away = [one for one in told for outage in outages
                  if one.asked_at > outage["gone_at"] and one.told_at < outage["starts_at"]]
    report.none_of("while it is away every POST is told 503", [(one.status, one.operation) for one in while_away
                                                              if one.status != 503], len(while_away))
    refused = [one for one in told if one.status == 503]
    report.none_of("every 503 has a Retry-After", [one.operation for one in refused
                                                   if not (one.retry_after or "").isdigit()], len(refused))
    report.none_of("nothing but 202 and 503 is ever said", [(one.status, one.operation) for one in told
                                                            if one.status not in (202, 503)], len(told))
    wanted = {"/healthz": (200, False), "/readyz": (503, True), "/v1/users/u1": (503, True),
              "/v1/notifications?client_operation_id=op-0-0": (503, True)}
    report.none_of("healthz says 200, readyz and reads say 503 meanwhile",
                   [outage["said"] for outage in outages if outage["said"] != wanted], len(outages))
    back = [min(one.told_at for one in told if one.status == 202 and one.told_at > outage["ready_at"])
            - outage["ready_at"] for outage in outages]
    report.times("PostgreSQL ready -> first 202", back)
    report.none_of(f"accepting again within {BACK_WITHIN_S} s", [one for one in back if one > BACK_WITHIN_S], len(back))


def run(stage, report, options):
    scene = Scene(stage, "f3")
    try:
        service = scene.service(node_lease="5s", doubt_resend_after="2s", retry_base="1s")
        scene.furnish(service, USERS)
        first_pid = service.process.pid
        clients = client.Clients(service.url, scene.key, list(USERS), scene.path("client.journal"))
        outages = []
        for n in range(options.outages):
            outages.append(one_outage(stage, scene, service, clients, options.outage, crash=n % 2 == 0))
        time.sleep(1)
        clients.stop()
        report.holds("the service was never restarted", service.process.alive() and service.process.pid == first_pid)
        scene.reconnect()
        scene.wait_until_quiet(options.patience)
        evidence = scene.gather(clients)
        tell(report, outages, clients)
        twice = sum(count - 1 for count in checker.taken_count(evidence).values())
        report.count(outages=len(outages), events=len(evidence.events), duplicates=twice,
                     answers_503=sum(1 for one in clients.told if one.status == 503))
        report.findings(checker.check_all(evidence))
    finally:
        if not stage.postgres.process.alive(): # the next entry needs it
            stage.postgres.start()
        scene.close()


ENTRIES = {
    "F3": ("PostgreSQL away under load", run),
    "F3-durable": ("the same, COMMIT does not wait for the disk",
                   without("durable", run, ("I1 ",), ("I6 ", "I7 ", "I8 ", "I9 ", "I10 ", "I15 "), outages=3, outage=4)),
}
NUMBERS = {"outages": (1, 4, 50), "outage": (10, 10, 4)}
CHUNKS = {"F3": ("outages", 10)}
