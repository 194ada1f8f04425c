"""F24: an analyst holds a snapshot open while the load goes on, so no dead row can be cleared away. Claims and accepts
must go on nearly as before."""

import re
import time

import checker
import client
from database import Database
from stage import Scene

RATIO_MAX = 4
FLOOR_S = 0.02 # below this a ratio says nothing
HOLD = "begin isolation level repeatable read; select count(*) from arauto.delivery"
DEAD = "select n_dead_tup from pg_stat_user_tables where relname = 'delivery'"


def claims(service):
    """Upper bound in seconds -> how many claims took at most so long."""
    found = re.findall(r'^arauto_statement_seconds_bucket\{([^}]*)\} (\S+)$', service.metrics(), re.M)
    return {float(re.search(r'le="([^"]+)"', labels)[1]): float(count) for labels, count in found
            if 'statement="claim"' in labels}


def p95_between(before, after):
    """From a histogram: the bound under which 95 % lie."""
    grown = {bound: count - before.get(bound, 0) for bound, count in after.items()}
    most = max(grown.values())
    return min(bound for bound, count in sorted(grown.items()) if count >= 0.95 * most), most


def measure(scene, service, clients, seconds):
    began, before = time.time(), claims(service)
    time.sleep(seconds)
    bound, count = p95_between(before, claims(service))
    asked = [one for one in list(clients.told) if one.asked_at >= began]
    accepts = sorted(one.told_at - one.asked_at for one in asked)
    return {"claim": bound, "claims": count, "accept": accepts[len(accepts) * 95 // 100], "accepted": len(asked),
            "dead": scene.database.number(DEAD)}


def run(stage, report, options):
    scene = Scene(stage, "f24")
    try:
        service = scene.service(node_lease="5s", retry_base="1s", node_window_max=16) # little room: most are claimed
        users = {f"u{n}": "slow40" for n in range(40)}
        scene.furnish(service, users)
        clients = client.Clients(service.url, scene.key, list(users), scene.path("client.journal"), pause=0.04)
        time.sleep(2)
        before = measure(scene, service, clients, options.hold)
        analyst = Database(scene.database_url)
        analyst.rows(HOLD)
        time.sleep(options.hold)
        during = measure(scene, service, clients, options.hold)
        analyst.rows("commit")
        analyst.close()
        clients.stop()
        scene.wait_until_quiet(options.patience)
        for name, one in (("before", before), ("with the snapshot", during)):
            report.figure(f"{name}: claim p95 <= {one['claim'] * 1000:.1f} ms ({one['claims']:.0f}), accept p95 "
                          f"{one['accept'] * 1000:.1f} ms ({one['accepted']}), {one['dead']:.0f} dead rows")
        report.holds("there were claims to measure", min(before["claims"], during["claims"]) > 40)
        for what in ("claim", "accept"):
            ratio = during[what] / before[what]
            report.holds(f"{what}s take at most {RATIO_MAX} times as long (p95)",
                         during[what] <= max(FLOOR_S, RATIO_MAX * before[what]), f"{ratio:.1f} times")
        report.findings(checker.check_all(scene.gather(clients)))
    finally:
        scene.close()


ENTRIES = {"F24": ("an analyst holds a snapshot", run)}
NUMBERS = {"hold": (5, 20, 60)}
