"""F1: the service is killed with SIGKILL again and again under load and started again at once."""

import argparse
import random
import time

import checker
import client
import fault_checker
from processes import wait_until
from sabotage import without
from stage import Scene

USERS = {f"u{n}": ("slow250" if n % 3 == 0 else "accept") for n in range(60)}


def kill_once(scene, service, chance, known):
    """Kills at a moment nobody chose; gives what was leased by the dead. `known`: leases of those who died before."""
    time.sleep(chance.uniform(0.8, 2.0))
    killed_at = time.time()
    service.process.kill()
    leased = {(event, int(token)) for event, token in scene.database.rows(
        "select event_id, lease_token from arauto.delivery where state = 'leased'")} - known
    known |= leased
    service.start()
    return {"killed_at": killed_at, "ready_at": time.time(), "leased": leased}


def recovery(scene, kill, moves, settled):
    """Seconds from the kill to: the next settled delivery, the last lease taken over, the last affected one final."""
    taken_over = [move["at"] for move in moves if (move["event"], move["old_token"]) in kill["leased"]
                  and move["old_state"] == "leased"]
    final = [settled[event] for event, _ in kill["leased"] if settled.get(event)]
    later = [at for at in settled.values() if at and at > kill["ready_at"]]
    def since(moments, pick):
        return pick(moments) - kill["killed_at"] if moments else 0.0
    return since(later, min), since(taken_over, max), since(final, max)


def tell(scene, report, kills, evidence):
    settled = {event: float(at) for event, at in scene.database.rows(
        "select event_id, extract(epoch from settled_at) from arauto.delivery where settled_at is not null")}
    rows = [recovery(scene, kill, evidence.moves, settled) for kill in kills]
    for n, what in enumerate(("the next delivery settled", "the last lease of the dead taken over",
                              "the last affected delivery final")):
        report.times(f"kill -> {what}", [row[n] for row in rows])
    taken = checker.taken_count(evidence)
    twice = sum(count - 1 for count in taken.values())
    held = sum(1 for one in evidence.deliveries if checker.is_held(one))
    failed = sum(1 for one in evidence.deliveries if one["state"] == "permanent_failure")
    cut, count = sum(len(kill["leased"]) for kill in kills), len(evidence.events)
    report.count(kills=len(kills), events=count, leases_cut=cut, duplicates=twice, held_in_doubt=held,
                 permanent_failures=failed)
    return rows


def run(stage, report, options):
    scene = Scene(stage, "f1")
    try:
        service = scene.service(node_lease=f"{options.lease}s", doubt_resend_after="2s", retry_base="1s")
        scene.furnish(service, USERS)
        chance = random.Random(options.seed)
        report.figure(f"seed {options.seed}, lease {options.lease} s")
        clients = client.Clients(service.url, scene.key, list(USERS), scene.path("client.journal"))
        known = set()
        kills = [kill_once(scene, service, chance, known) for _ in range(options.kills)]
        time.sleep(1)
        clients.stop()
        wait_until("the service lives", service.process.alive, 1)
        scene.wait_until_quiet(options.lease * 3 + options.patience)
        evidence = scene.gather(clients)
        rows = tell(scene, report, kills, evidence)
        report.findings(checker.check_all(evidence))
        lost = [one for one in evidence.deliveries if one["state"] == "permanent_failure"]
        report.none_of("nothing was given up: the provider took everything it was asked", lost, len(evidence.events))
        late = [row for row in rows if row[1] > options.lease + 5]
        report.none_of("leases of the dead are taken over within lease + 5 s", late, len(rows))
        return evidence
    finally:
        scene.close()


def run_and_forge(stage, report, options):
    fault_checker.run(report, run(stage, report, options))


ENTRIES = {
    "F1": ("kill -9 of the service under load", run_and_forge),
    "F1-lease": ("the same with the lease of production", lambda stage, report, options: run(
        stage, report, argparse.Namespace(**{**vars(options), "kills": options.kills_production, "lease": 30}))),
    "F1-early": ("the same, every lease is taken over at once", without("early", run, ("I10 ",), kills=1)),
    "F1-reaper": ("the same, no lease ever runs out",
                  without("reaper", run, ("I4", "I6"), kills=1, lease=2, patience=6)),
}
NUMBERS = {"kills": (5, 20, 500), "lease": (5, 5, 5), "kills_production": (1, 3, 30)}
CHUNKS = {"F1": ("kills", 100), "F1-lease": ("kills_production", 10)}
NOT_IN_SHORT = ("F1-lease",)
