"""F1-loop: the service dies several times in a row with a full window that waits for a provider that says nothing.
Nobody is guilty, and everybody must be served soon after the last death."""

import signal
import time

import checker
import client
import flood
from processes import wait_until
from stage import Scene

DEATHS = 3
LEASE_S = 5
EVENTS = 300
SERVED_WITHIN_S = 60


def run(stage, report, options):
    scene = Scene(stage, "f1_loop")
    try:
        service = scene.service(node_lease=f"{LEASE_S}s", doubt_resend_after="2s", retry_base="1s")
        scene.furnish(service, {"u1": "accept"})
        scene.provider.send(signal.SIGSTOP)
        flood.pour(service.url, scene.key, "u1", range(EVENTS))
        wait_until("the window is full", lambda: scene.database.number(
            "select count(*) from arauto.delivery where state = 'leased'") > 200)
        for _ in range(DEATHS):
            service.process.kill()
            service.start()
            time.sleep(LEASE_S + 3) # taken over, and claimed anew
        suspects = scene.database.number("select count(*) from arauto.delivery where lost_leases >= 2")
        scene.provider.send(signal.SIGCONT)
        began = time.monotonic()
        scene.wait_until_quiet(SERVED_WITHIN_S)
        report.figure(f"{DEATHS} deaths, {suspects:.0f} of {EVENTS} deliveries lost two leases and more; all but "
                      f"{scene.left()} served after {time.monotonic() - began:.0f} s")
        report.holds(f"all are served {SERVED_WITHIN_S} s after the provider is back", scene.left() == 0,
                     f"{scene.left()} of {EVENTS} wait")
        evidence = checker.gather(scene.database, client.NoClients(), scene.journal)
        lost = [one for one in evidence.deliveries if one["state"] == "permanent_failure"]
        report.none_of("nobody was convicted", lost, EVENTS)
    finally:
        scene.close()


ENTRIES = {"F1-loop": ("it dies again and again with a full window", run)}
