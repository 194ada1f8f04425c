"""F2: the service dies by SIGKILL at exactly one named point of a notification's way, seen from outside: the gate holds
a conversation with the database, or the provider has written down what it took, and then the service is killed. Each
point has one fate, move by move, and no other will do. The points run side by side, each in a scene of its own."""

import dataclasses
import datetime
import signal
import threading
import time

import checker
import client
from gated import Gate
from processes import Trouble, wait_until
from sabotage import without
from stage import Scene

LEASE_S = 2
SAID_MS = 400  # what the provider waits before its 250: time enough to freeze the service in front of it
HELD_MS = 30_000
PLAIN, AGAIN, DOUBT = ("provider_accepted",), ("pending", "leased", "provider_accepted"), (
    "in_doubt", "leased", "provider_accepted")


@dataclasses.dataclass
class Point:
    says: str
    moves: tuple           # of the delivery, from its first lease on
    mails: int             # taken by the provider in the end
    gate: dict = None      # the rule that holds there
    word: str = "event"    # what the rule looks for: the event's id, or the operation
    steps: str = "accept"  # of the provider
    said: bool = False     # killed when the provider has said 250 and the service has not read it

    @property
    def doubtful(self):
        return "in_doubt" in self.moves


POINTS = {
    "accept_lost": Point("before the accept's COMMIT: nothing is there, the retry creates it", PLAIN, 1,
                         {"at": "before", "of": ["accept"], "commit": True}, "operation"),
    "accept_done": Point("after the accept's COMMIT, before the 202: the retry finds it", AGAIN, 1,
                         {"at": "after", "of": ["accept"], "commit": True}, "operation"),
    "claim": Point("after the claim's COMMIT: back to due", AGAIN, 1,
                   {"at": "after", "of": ["claim"], "commit": True}),
    "permit_lost": Point("before the permit's COMMIT: back to due", AGAIN, 1,
                         {"at": "before", "of": ["permit"], "commit": True}),
    "permit": Point("after the permit's COMMIT, nothing sent: in doubt", DOUBT, 1,
                    {"at": "after", "of": ["permit"], "commit": True}),
    "dot": Point("after the final dot, no 250: in doubt", DOUBT, 2, steps=f"slow{HELD_MS}-accept"),
    "said": Point("after the 250, not read: in doubt", DOUBT, 2, steps=f"slow{SAID_MS}-accept", said=True),
    "settle": Point("before the settlement: in doubt", DOUBT, 2, {"at": "before", "of": ["settle"]}),
    "settle_lost": Point("before the settlement's COMMIT: in doubt", DOUBT, 2,
                         {"at": "before", "of": ["settle"], "commit": True}),
    "settle_done": Point("after the settlement's COMMIT: it stands", PLAIN, 1,
                         {"at": "after", "of": ["settle"], "commit": True}),
}


class Lane:
    """One point, reached again and again by a service that dies of it."""

    def __init__(self, stage, name, count):
        self.name, self.point, self.count = name, POINTS[name], count
        self.scene = Scene(stage, f"f2_{name}")
        self.gate = Gate(self.scene)
        self.ids, self.trouble, self.wrong_before = {}, None, []
        self.thread = threading.Thread(target=self.go)
        self.thread.start()

    def go(self):
        """The kernel ends the services of a thread with it, so they are started here and not needed afterwards."""
        try:
            self.furnish()
            for n in range(self.count):
                self.reach(f"{self.name}-{n}", f"u{n}")
            self.scene.wait_until_quiet(20)
        except Exception as why: # told by the campaign's own thread
            self.trouble = why
        finally:
            self.clients.stop()

    def furnish(self):
        self.service = self.gate.service(node_lease=f"{LEASE_S}s", node_poll="200ms", doubt_resend_after="500ms")
        self.clients = client.Clients(self.service.url, self.scene.key, [], self.scene.path("client.journal"),
                                      threads=0)
        self.scene.furnish(self.service, {f"u{n}": self.point.steps for n in range(self.count)} | {"warm": "accept"})

    def body(self, operation, user, later=False):
        body = {"user_id": user, "type": "fault.probe", "client_operation_id": operation, "variables": {"n": 1}}
        if later: # its id is known before it is claimed
            soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=0.7)
            body["send_at"] = soon.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return body

    def post(self, operation, user, later=False):
        """On a thread of its own: it asks again until it is told 202, whoever dies meanwhile."""
        asking = threading.Thread(target=self.clients.post, daemon=True, args=(
            client.Door(self.service.url, self.scene.key), operation, self.body(operation, user, later)))
        asking.start()
        return asking

    def event_of(self, operation):
        found = self.scene.database.rows(f"select id from arauto.event where client_key = '{operation}'")
        return found[0][0] if found else None

    def settle_all(self, what):
        wait_until(f"{self.name}: {what}", lambda: self.scene.left() == 0, 30)

    def reach(self, operation, user):
        point = self.point
        self.post(f"{operation}-warm", "warm").join()
        self.settle_all("the warming up") # from here on the dispatcher offers room: the next one is born leased
        if point.gate is not None and point.word == "operation":
            self.gate.rule(operation, do="hold", word=f'"{operation}"', times=1, **point.gate)
        asking = self.post(operation, user, later=point.gate is not None and point.word == "event")
        if point.gate is not None and point.word == "event":
            asking.join()
            self.gate.rule(operation, do="hold", word=self.event_of(operation), times=1, **point.gate)
        self.wait_until_reached(operation, user)
        self.service.process.kill()
        if self.name == "accept_lost" and self.event_of(operation) is not None:
            self.wrong_before.append(operation)
        if point.gate is not None:
            wait_until("the gate noticed", lambda: self.gate.told(operation)["held"] == 0, 5, 0.01)
        self.service.start()
        asking.join()
        self.ids[operation] = self.event_of(operation)
        self.settle_all("final")

    def wait_until_reached(self, operation, user):
        if self.point.gate is not None:
            self.gate.wait_for(operation, "held")
            return
        wait_until("the provider took it", lambda: [
            line for line in self.scene.provider_lines()
            if line["to"].startswith(user + "+") and line["heard"] == "message"], 30, 0.01)
        if self.point.said:
            self.service.process.send(signal.SIGSTOP)
            time.sleep(2 * SAID_MS / 1000)

    def evidence(self):
        return checker.gather(self.scene.database, self.clients, self.scene.journal)


def merged(many):
    """The evidence of several scenes as one; ids and operations differ."""
    one = many[0]
    for other in many[1:]:
        for field in dataclasses.fields(one):
            mine, more = getattr(one, field.name), getattr(other, field.name)
            if isinstance(mine, list):
                setattr(one, field.name, mine + more)
            elif isinstance(mine, (dict, set)):
                setattr(one, field.name, mine | more)
    return one


def fate(lane, evidence, taken, event):
    """(moves from the first lease on, doubtful, mails)"""
    moves = [move["new_state"] for move in evidence.moves if move["event"] == event]
    row = next(one for one in evidence.deliveries if one["event"] == event)
    return tuple(moves[1:] if moves[:1] == ["leased"] else moves), row["doubtful"] == "t", taken[event]


def check_lane(report, lane, evidence):
    point, taken = lane.point, checker.taken_count(evidence)
    wanted = (point.moves, point.doubtful, point.mails)
    fates = {event: fate(lane, evidence, taken, event) for event in lane.ids.values()}
    report.none_of(point.says, [one for one in fates.items() if one[1] != wanted] + lane.wrong_before, lane.count)


def run(stage, report, options, points=tuple(POINTS)):
    lanes = []
    try:
        for name in points:
            lanes.append(Lane(stage, name, options.points))
        for lane in lanes:
            lane.thread.join()
        for lane in lanes:
            if lane.trouble is not None:
                raise Trouble(f"{lane.name}: {lane.trouble}") from lane.trouble
        found = [lane.evidence() for lane in lanes]
        for lane, evidence in zip(lanes, found):
            check_lane(report, lane, evidence)
        evidence = merged(found)
        twice = sum(count - 1 for count in checker.taken_count(evidence).values())
        report.figure(f"{len(lanes)} points, lease {LEASE_S} s")
        report.count(kills=len(lanes) * options.points, duplicates=twice)
        report.findings(checker.check_all(evidence))
    finally:
        for lane in lanes:
            lane.thread.join()
            lane.scene.close()


def run_doubted(stage, report, options):
    """For the twin without in_doubt."""
    run(stage, report, options, ("permit", "dot"))


ENTRIES = {
    "F2": ("kill -9 at named points", run),
    "F2-doubt": ("the same without in_doubt in reap.sql", without(
        "doubt", run_doubted, (POINTS["permit"].says, POINTS["dot"].says, "I7"), points=1)),
}
NUMBERS = {"points": (1, 3, 20)}
CHUNKS = {"F2": ("points", 10)}
