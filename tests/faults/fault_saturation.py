"""F18: tenant A floods while its provider is slow, then B sends one now and then. B's turn does not depend on how much of
A waits: the courier serves tenants in turns (P8)."""

import time

import flood
from processes import wait_until
from sabotage import without
from stage import Scene

ANSWER_MS = 200
CONNECTIONS = 4     # 20 messages a second, and A's window alone is 12 s of it
FLOOD = 400
PROBES = 5
BOUND_S = 2.0       # ten answers of the provider
IN_TURN = "B begins within"


def run(stage, report, options):
    scene = Scene(stage, "f18")
    try:
        service = scene.service(smtp_connections_max=CONNECTIONS)
        scene.furnish(service, {"a": f"slow{ANSWER_MS}"})
        of_a = scene.key
        scene.command("tenant", "create", "quiet")
        scene.key = scene.command("key", "create", "quiet")
        users = {f"b{n}": "accept" for n in range(PROBES)}
        scene.furnish(service, users)
        said, _ = flood.pour(service.url, of_a, "a", range(FLOOD))
        wait_until("A's window is full", lambda: service.metric("arauto_deliveries_in_flight") >= FLOOD // 2)
        asked = {}
        for user in users:
            asked[user] = time.time()
            scene.post_each(service, [user])
            time.sleep(0.3)
        wait_until("B is served", lambda: len(begun(scene, users)) == PROBES, 60)
        waits = [at - asked[user] for user, at in begun(scene, users).items()]
        left = scene.left()
        report.times("from B's request to its provider", waits)
        report.none_of("A was accepted", [one for one in said if one != 202], FLOOD)
        report.none_of(f"{IN_TURN} {BOUND_S} s", [round(one, 1) for one in waits if one > BOUND_S], PROBES)
        report.holds("while A's flood still waits", left > FLOOD // 4, left)
    finally:
        scene.close()


def begun(scene, users):
    return {user: line["began"] for line in scene.provider_lines() if (user := line["to"].partition("+")[0]) in users}


ENTRIES = {
    "F18": ("tenant A floods, B sends one", run),
    "F18-turns": ("the same with one queue for all tenants (C++)", without("turns", run, (IN_TURN,))),
}
