"""F1-stop: SIGTERM under load. An orderly stop is no fault: nothing in doubt, nothing twice, no lease left behind."""

import random
import time

import checker
import client
from fault_kill import USERS
from stage import Scene


def stop_once(scene, service, chance):
    time.sleep(chance.uniform(0.8, 2.0))
    began = time.monotonic()
    code = service.process.end()
    took = time.monotonic() - began
    leased = int(scene.database.number("select count(*) from arauto.delivery where state = 'leased'"))
    service.start()
    return code, took, leased


def run(stage, report, options):
    scene = Scene(stage, "f1_stop")
    try:
        service = scene.service(node_lease="5s", doubt_resend_after="2s", retry_base="1s")
        scene.furnish(service, USERS)
        chance = random.Random(options.seed)
        clients = client.Clients(service.url, scene.key, list(USERS), scene.path("client.journal"))
        stops = [stop_once(scene, service, chance) for _ in range(options.stops)]
        time.sleep(1)
        clients.stop()
        scene.wait_until_quiet(options.patience)
        evidence = scene.gather(clients)
        report.count(stops=options.stops, events=len(evidence.events))
        report.times("SIGTERM -> end", [took for _, took, _ in stops])
        evidence.orderly = stops
        report.none_of("nothing is in doubt", [d["event"] for d in evidence.deliveries if d["doubtful"] == "t"],
                       len(evidence.deliveries))
        report.findings(checker.check_all(evidence))
    finally:
        scene.close()


ENTRIES = {"F1-stop": ("SIGTERM under load", run)}
NUMBERS = {"stops": (3, 10, 50)}
CHUNKS = {"F1-stop": ("stops", 25)}
