"""F1: the service is killed with SIGKILL again and again under load and started again at once."""

import random
import time

import checker
import client
from processes import wait_until
from report import middle_and_most
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
        report.figure(f"kill -> {what}: p50 %.1f s, max %.1f s" % middle_and_most([row[n] for row in rows]))
    taken = checker.taken_count(evidence)
    twice = sum(count - 1 for count in taken.values())
    held = sum(1 for one in evidence.deliveries if checker.is_held(one))
    failed = sum(1 for one in evidence.deliveries if one["state"] == "permanent_failure")
    cut, count = sum(len(kill["leased"]) for kill in kills), len(evidence.events)
    report.figure(f"{len(kills)} kills, {count} events, {cut} leases cut, {twice} duplicates "
                  f"({1e6 * twice / max(1, count):.0f} per million), {held} held in doubt, {failed} permanent failures")
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
        evidence = checker.gather(scene.database, clients, scene.journal)
        rows = tell(scene, report, kills, evidence)
        report.findings(checker.check_all(evidence))
        lost = [one for one in evidence.deliveries if one["state"] == "permanent_failure"]
        report.none_of("nothing was given up: the provider took everything it was asked", lost, len(evidence.events))
        late = [row for row in rows if row[1] > options.lease + 5]
        report.none_of("leases of the dead are taken over within lease + 5 s", late, len(rows))
        return evidence
    finally:
        scene.close()
