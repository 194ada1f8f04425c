"""F9: an application's session holds locks on rows of the product and says nothing more: on deliveries that are under
way, and on operations it has inserted and not committed. Another tenant must not feel it, and nothing may be lost."""

import time

import checker
import client
from database import Database
from processes import wait_until
from sabotage import without
from stage import Scene

LEASE_S = 3
FROZEN = 10          # deliveries of one tenant whose rows are locked, and operations that are held
HELD_WITHIN_S = 1.5  # lock_timeout of an accept is 150 ms, and a group with it is tried again in parts
LOCK_S = 2.0         # lock_timeout of all others as it comes
SLOW_S = 2.5         # of the provider
SLACK_S = 1.0        # of a busy machine
WITHIN_S = SLOW_S + LOCK_S + SLACK_S
THEIRS = f"another tenant's are settled within {WITHIN_S} s, slow answer and lock_timeout included"
INNOCENT = "nothing is in doubt but what was locked"
USERS = {f"u{n}": (f"slow{SLOW_S * 1000:.0f}" if n % 3 == 0 else "accept") for n in range(30)}


def furnish(scene, service, key):
    mine, scene.key = scene.key, key
    scene.furnish(service, USERS)
    scene.key = mine


def freeze(scene, clients):
    """The session, the events whose deliveries it holds, the operations it holds."""
    held = [f"held-{n}" for n in range(FROZEN)]
    session = Database(scene.database_url)
    session.rows("begin")
    def lock():
        session.rows("commit; begin")
        return session.rows("select event_id from arauto.delivery where tenant_id = 'faults' and begun_at is not null"
                            f" limit {FROZEN} for update skip locked")
    rows = wait_until("deliveries are under way", lambda: len(found := lock()) == FROZEN and found, 30)
    session.rows("insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, fingerprint,"
                 " created_at) select gen_random_uuid(), 'faults', 'u1', 'fault.probe', '{}', 1, 'held-' || n, '\\x00',"
                 f" now() from generate_series(0, {FROZEN - 1}) n")
    return session, [row[0] for row in rows], held


def post_held(service, key, operations):
    """(status, seconds) of each while it is held by the other session."""
    door, said = client.Door(service.url, key), []
    for operation in operations:
        asked_at = time.monotonic()
        answer = door.ask("POST", "/v1/notifications", {"user_id": "u1", "type": "fault.probe", "variables": {"n": 1},
                                                        "client_operation_id": operation})
        code = answer.body.get("code") if isinstance(answer.body, dict) else None
        said.append((answer.status, code, time.monotonic() - asked_at))
    door.close()
    return said


def ends(scene, name, since, until):
    """Seconds from accept to settled, of what a tenant's clients had accepted in that time."""
    return [float(took) for (took,) in scene.database.rows(
        "select extract(epoch from coalesce(d.settled_at, clock_timestamp()) - e.created_at) from arauto.event e"
        f" join arauto.delivery d on d.event_id = e.id where e.tenant_id = '{name}' and e.created_at between"
        f" to_timestamp({since}) and to_timestamp({until})")]


def run(stage, report, options):
    scene = Scene(stage, "f9")
    frozen = None
    try:
        scene.command("tenant", "create", "other")
        other_key = scene.command("key", "create", "other")
        service = scene.service(node_lease=f"{LEASE_S}s", doubt_resend_after="1s", retry_base="1s",
                                smtp_connections_max=256)
        scene.furnish(service, USERS)
        furnish(scene, service, other_key)
        load = [client.Clients(service.url, key, list(USERS), scene.path(name + ".journal"), threads=4, pause=0.1,
                               name=name)
                for name, key in (("mine", scene.key), ("theirs", other_key))]
        wait_until("the load runs", lambda: all(one.accepted() > 50 for one in load))
        session, events, operations = freeze(scene, load[0])
        frozen = session
        frozen_at = time.time()
        said = post_held(service, scene.key, operations)
        time.sleep(max(0.0, options.frozen - (time.time() - frozen_at)))
        thawed_at = time.time()
        session.close()
        frozen = None
        for one in load:
            one.stop()
        scene.wait_until_quiet(options.patience)
        tell(report, scene, load, said, frozen_at, thawed_at)
        evidence = checker.gather(scene.database, load[0], scene.journal)
        evidence.answers += load[1].told
        evidence.unanswered |= load[1].unanswered
        report.findings(checker.check_all(evidence))
        innocent = [one["event"] for one in evidence.deliveries
                    if one["doubtful"] == "t" and one["event"] not in events]
        report.none_of(INNOCENT, innocent, len(evidence.deliveries))
    finally:
        if frozen is not None:
            frozen.close()
        scene.close()


def tell(report, scene, load, said, frozen_at, thawed_at):
    report.figure(f"{FROZEN} deliveries and {FROZEN} operations held for {thawed_at - frozen_at:.0f} s")
    report.times("a held operation is answered", [took for _, _, took in said])
    report.none_of(f"a held operation is told 503 operation-in-progress within {HELD_WITHIN_S} s", [
        one for one in said if one[:2] != (503, "operation-in-progress") or one[2] > HELD_WITHIN_S], len(said))
    for name, clients in (("mine", load[0]), ("theirs", load[1])):
        took = [one.told_at - one.asked_at for one in clients.told if frozen_at < one.asked_at < thawed_at]
        report.times(f"{name}: POST -> its answer meanwhile", took)
        report.none_of(f"{name}: every POST of others is taken, within {HELD_WITHIN_S} s", [
            (one.status, one.told_at - one.asked_at) for one in clients.told if frozen_at < one.asked_at < thawed_at
            and (one.status != 202 or one.told_at - one.asked_at > HELD_WITHIN_S)], len(took))
    meanwhile = ends(scene, "other", frozen_at, thawed_at)
    report.times("theirs: accept -> settled meanwhile", meanwhile)
    report.none_of(THEIRS, [one for one in meanwhile if one > WITHIN_S], len(meanwhile))


ENTRIES = {
    "F9": ("a session is frozen while it holds locks", run),
    "F9-held": ("the same without held_rows.sql", without("held", run, (THEIRS, INNOCENT), frozen=8)),
}
NUMBERS = {"frozen": (6, 15, 40)}
