"""F30: every statement and every COMMIT may fail at any time: cut before it, cut after it was done, or late."""

import random
import time

import checker
import client
from gated import Gate
from stage import Scene

USERS = {f"u{n}": ("slow250" if n % 5 == 0 else "accept") for n in range(60)}
MOST = 0.05


def run(stage, report, options):
    scene = Scene(stage, "f30")
    try:
        chance = random.Random(options.seed)
        gate = Gate(scene)
        service = gate.service(node_lease="3s", doubt_resend_after="1s", retry_base="1s")
        scene.furnish(service, USERS)
        rates = [round(chance.uniform(0.01, MOST), 3) for _ in range(4)]
        for n, (at, do) in enumerate((("before", "cut"), ("after", "cut"), ("before", "delay"), ("after", "delay"))):
            gate.rule(f"{at} {do}", at, do=do, ms=chance.randrange(20, 200), chance=rates[n],
                      seed=chance.randrange(10 ** 6))
        report.figure(f"seed {options.seed}; of all questions cut before {rates[0]:.1%}, cut after {rates[1]:.1%}, "
                      f"late {rates[2]:.1%} and {rates[3]:.1%}")
        clients = client.Clients(service.url, scene.key, list(USERS), scene.path("client.journal"), pause=0.02)
        time.sleep(options.chaos)
        clients.stop() # the faults go on until all is settled: nothing heals because they stop
        scene.wait_until_quiet(options.patience)
        evidence = checker.gather(scene.database, clients, scene.journal)
        cuts = [gate.told(f"{at} cut") for at in ("before", "after")]
        held = sum(1 for one in evidence.deliveries if checker.is_held(one))
        twice = sum(count - 1 for count in checker.taken_count(evidence).values())
        report.count(cut_before=cuts[0]["done"], cut_after=cuts[1]["done"], done_commits_cut=cuts[1]["committed"],
                     events=len(evidence.events), duplicates=twice, held_in_doubt=held,
                     permanent_failures=sum(1 for one in evidence.deliveries if one["state"] == "permanent_failure"),
                     answers_503=sum(1 for one in clients.told if one.status == 503))
        report.none_of("nothing but 202 and 503 is said", [(one.status, one.operation) for one in clients.told
                                                           if one.status not in (202, 503)], len(clients.told))
        report.findings(checker.check_all(evidence))
    finally:
        scene.close()


ENTRIES = {"F30": ("random faults of every statement and COMMIT", run)}
NUMBERS = {"chaos": (5, 20, 300)} # seconds under load
CHUNKS = {"F30": ("chaos", 60)}
