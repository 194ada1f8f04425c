"""F12: the wall clock of one node jumps an hour ahead and an hour back, while another node's stays right. The database
judges leases and due times, so nothing comes early, nothing late, and no lease is stolen. F12-lease: a node sleeps past
its leases before any permit; what ran out by the database's clock is not begun under the old token."""

import glob
import signal
import time

import checker
import client
from processes import Trouble, wait_until
from sabotage import without
from stage import Scene

JUMPS = ("+3600", "-3600", "+0")
BETWEEN_JUMPS_S = 5
LEASE_S = 5
LATE_S = 5 # a poll, a full queue and a busy machine
NOT_BEGUN = "what ran out is not begun under the old token"


def jumping_clock(scene):
    """The environment of a process whose system clock, and no other, is what a file says."""
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not found:
        raise Trouble("no libfaketime: deployment/install.sh --tests")
    path = scene.path("clock")
    def jump(to):
        with open(path, "w") as file:
            file.write(to + "\n")
    jump("+0")
    return jump, {"LD_PRELOAD": found[0], "FAKETIME_TIMESTAMP_FILE": path, "FAKETIME_NO_CACHE": "1",
                  "DONT_FAKE_MONOTONIC": "1"}


def post_with_time(door, users, member, seconds):
    """Notifications with a send_at, or expires_at, within the next `seconds`; gives event -> that time."""
    times = {}
    for n, user in enumerate(users):
        at = round(time.time() + 1 + seconds * n / len(users), 3)
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{round(at * 1000) % 1000:03d}Z"
        answer = door.insist("POST", "/v1/notifications", {
            "user_id": user, "type": "fault.probe", "client_operation_id": f"{member}-{n}", "variables": {"n": n},
            member: text})
        if answer.status != 202:
            raise Trouble(f"{member}: {answer.status} {answer.body}")
        times[answer.body["id"]] = at
    return times


def jumps(stage, report, options):
    scene = Scene(stage, "f12")
    try:
        jump, environment = jumping_clock(scene)
        rules = {"node_lease": f"{LEASE_S}s", "retry_base": "1s", "retry_cap": "2s"}
        jumper = scene.service("jumper", environment, **rules)
        steady = scene.service("steady", **rules)
        users = {f"u{n}": ("slow2500", "busy-accept", "accept")[n % 3] for n in range(30)}
        later, passing = [f"later{n}" for n in range(60)], [f"passing{n}" for n in range(20)]
        scene.furnish(steady, {**users, **{one: "accept" for one in later},
                               **{one: "busy-busy-busy-accept" for one in passing}})
        groups = [client.Clients(one.url, scene.key, list(users), scene.path("client.journal"), threads=2, pause=0.2,
                                 name=name) for name, one in (("jumper", jumper), ("steady", steady))]
        door, due = client.Door(jumper.url, scene.key), {}
        for n, to in enumerate(JUMPS):
            time.sleep(BETWEEN_JUMPS_S)
            jump(to)
            if n == 0:
                wait_until("the jumper's clock has jumped", lambda: '"time":"' + time.strftime(
                    "%Y-%m-%dT%H", time.gmtime(time.time() + 3600)) in open(jumper.log).read(), 20)
                due = post_with_time(door, later, "send_at", 3 * BETWEEN_JUMPS_S)
                # through the other door: this one would take a time that it believes to be over for a mistake
                post_with_time(client.Door(steady.url, scene.key), passing, "expires_at", BETWEEN_JUMPS_S)
        time.sleep(BETWEEN_JUMPS_S)
        for group in groups:
            group.stop()
        door.close()
        scene.wait_until_quiet(options.patience)
        evidence = scene.gather(client.AllClients(groups))
        judge(report, scene, evidence, due)
    finally:
        scene.close()


def judge(report, scene, evidence, due):
    starts = checker.starts_of(evidence)
    early = [event for event, at in due.items() if any(began < at for began in starts[event])]
    late = [event for event, at in due.items() if min(starts[event]) > at + LATE_S]
    report.count(jumps=len(JUMPS), events=len(evidence.events), asked_for_later=len(due))
    report.times("send_at -> provider", [min(starts[event]) - at for event, at in due.items()])
    report.none_of("what was asked for later never comes early", early, len(due))
    report.none_of(f"nor more than {LATE_S} s late", late, len(due))
    lost = scene.database.number("select count(*) from arauto.delivery where lost_leases > 0 or doubtful")
    report.holds("no lease was lost or stolen", lost == 0, f"{lost:.0f} of {len(evidence.deliveries)}")
    waits = [later - before for began in starts.values() for before, later in zip(began, began[1:])]
    report.none_of("no retry is early, or held up by the jumps", [one for one in waits if not 0.5 <= one < 2 + LATE_S],
                   len(waits))
    report.findings(checker.check_all(evidence))


def sleep_past_the_lease(stage, report, options):
    """A window full of leases without a permit, the one slot taken by a slow message; then sleep."""
    scene = Scene(stage, "f12_lease")
    try:
        service = scene.service(node_lease=f"{LEASE_S}s", smtp_connections_max=1, retry_base="1s",
                                doubt_resend_after="1s")
        users = {"first": "slow2000", **{f"u{n}": "accept" for n in range(options.sleepers)}}
        scene.furnish(service, users)
        ids = scene.post_each(service, users)
        scene.wait_for_provider({"first+slow2000@probe.example"})
        service.process.send(signal.SIGSTOP)
        waiting = {(event, int(token)) for event, token in scene.database.rows(
            "select event_id, lease_token from arauto.delivery where state = 'leased' and begun_at is null")}
        time.sleep(LEASE_S + 1)
        ran_out = scene.database.number("select count(*) from arauto.delivery where state = 'leased' and"
                                        " begun_at is null and lease_until < clock_timestamp()")
        service.process.send(signal.SIGCONT)
        scene.wait_until_quiet(options.patience)
        evidence = scene.gather()
        report.holds("all leases had run out when it woke up", ran_out == len(waiting), f"{ran_out:.0f}")
        report.none_of(NOT_BEGUN, [one for one in waiting if one in evidence.begun], len(waiting))
        report.none_of("and all are served under a new one", [
            one for one in ids.values() if not checker.taken_count(evidence)[one]], len(ids))
        report.findings([one for one in checker.check_all(evidence) if not one.name.startswith(("I1 ", "I2 "))])
    finally:
        scene.close()


ENTRIES = {
    "F12": ("the clock of one node jumps an hour", jumps),
    "F12-lease": ("a node sleeps past leases without a permit", sleep_past_the_lease),
    "F12-expiry": ("the same, permit.sql and renew.sql do not ask the database's clock",
                   without("expiry", sleep_past_the_lease, (NOT_BEGUN,))),
}
NUMBERS = {"sleepers": (40, 40, 40)}
