"""F25: every hint is lost. Work that nobody told the service of, because it was written by another door or because the
answer of its claim never came, is found by the poll."""

import datetime
import random
import time

import checker
import client
from gated import Gate
from processes import wait_until
from stage import Scene

POLL_S = 1.0   # node.poll as it comes
LEASE_S = 2
BOUND_S = 1.0  # what comes on top: claim, permit, send, settle on a busy machine
WRITTEN = """
insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, fingerprint, created_at)
values ('{id}', 'faults', '{user}', 'fault.probe', '{{"n": 1}}', 1, '{operation}',
        arauto.fingerprint('{user}', 'fault.probe', '{{"n": 1}}', null, 1::smallint, null, null), now());
insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, next_attempt_at, template_id)
select '{id}', 'email', 'faults', '{user}', 1, 'pending', now(), t.id from arauto.template t
 where t.tenant_id = 'faults' and t.type = 'fault.probe' and t.channel = 'email' and t.ended_at is null"""


def write(scene, user):
    """As another door would: event and delivery in one transaction, and not a word to anybody."""
    made = scene.database.rows("select gen_random_uuid()")[0][0]
    scene.database.rows("begin;" + WRITTEN.format(id=made, user=user, operation=f"sql-{user}") + "; commit")
    return made, time.time()


def taken_at(scene):
    return {checker.event_of(line["id"]): line["at"] for line in scene.provider_lines() if line["taken"]}


def served(scene, written):
    wait_until("all served", lambda: set(written) <= set(taken_at(scene)), 60)
    heard = taken_at(scene)
    return [heard[event] - at for event, at in written.items()]


def post_later(scene, service, user, seconds):
    """Due in the future, so that it must be claimed; gives its event and when it is due."""
    due = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    door = client.Door(service.url, scene.key)
    answer = door.ask("POST", "/v1/notifications", {
        "user_id": user, "type": "fault.probe", "client_operation_id": f"later-{user}", "variables": {"n": 1},
        "send_at": due.strftime("%Y-%m-%dT%H:%M:%S.%fZ")})
    door.close()
    return answer.body["id"], due.timestamp()


def run(stage, report, options):
    scene = Scene(stage, "f25")
    try:
        chance, users = random.Random(options.seed), [f"u{n}" for n in range(options.hints)]
        gate = Gate(scene)
        service = gate.service(node_lease=f"{LEASE_S}s")
        scene.furnish(service, {user: "accept" for user in users} | {f"{user}c": "accept" for user in users})
        written = {}
        for user in users:
            event, at = write(scene, user)
            written[event] = at
            time.sleep(chance.uniform(0, 0.4))
        took = served(scene, written)
        report.figure(f"seed {options.seed}, poll {POLL_S} s, lease {LEASE_S} s")
        report.times("written by SQL, COMMIT -> provider", took)
        report.none_of(f"served within poll + {BOUND_S} s", [one for one in took if one > POLL_S + BOUND_S], len(took))
        claims(report, scene, gate, service, users)
        scene.wait_until_quiet(options.patience)
        evidence = checker.gather(scene.database, client.NoClients(), scene.journal)
        report.none_of("nothing is in doubt", [d["event"] for d in evidence.deliveries if d["doubtful"] == "t"],
                       len(evidence.deliveries))
        report.findings([one for one in checker.check_all(evidence) if not one.name.startswith(("I1 ", "I2 "))])
    finally:
        scene.close()


def claims(report, scene, gate, service, users):
    """The claim commits and its answer never comes: the rows are leased to nobody, until the lease runs out."""
    due = dict(post_later(scene, service, f"{user}c", 2.0 + len(users) / 40 + n / 50) for n, user in enumerate(users))
    gate.rule("claims", "after", ["claim"], commit=True, word=next(iter(due)), times=1)
    gate.wait_for("claims")
    took = served(scene, due)
    moves = checker.gather(scene.database, client.NoClients(), scene.journal).moves
    lost = {move["event"] for move in moves if move["old_state"] == "leased" and move["new_state"] == "pending"}
    report.holds("the rows of a claim were leased to nobody", lost & set(due), len(lost & set(due)))
    # The poll that claims, the poll that sees the database is back (the reaper waits a lease then), the one that reaps.
    bound = LEASE_S + 3 * POLL_S + BOUND_S
    report.times("the answer of its claim lost, due -> provider", [
        one for one, event in zip(took, due) if event in lost])
    report.none_of(f"served within {bound} s of being due", [one for one in took if one > bound], len(took))


ENTRIES = {"F25": ("hints are lost", run)}
NUMBERS = {"hints": (15, 40, 200)}
