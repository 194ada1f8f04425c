"""F2-devices: the service is killed between the answers of one push's devices. What was answered is recorded before
the others answer, so nobody who was heard is sent to again (P3, P6); who took it without being heard is in doubt, and
gets it once more under the same identity."""

import collections
import json
import os
import subprocess
import sys

import client
from processes import Trouble, wait_until
from sabotage import without
from stage import HERE, Scene

NAMED = {"phone": "accept", "tablet": "accept", "watch": "accept", "car": "hold", "desk": "busy"}
LATE_MS = 2_000
# When it is killed: names, their state, how many of them must have got there.
QUICK = ("phone", "tablet", "watch"), "provider_accepted", 1
BUSY = ("desk", "desk"), "retry_wait", 1 # twice: SQL knows no comma after a single one
LATE = ("late0", "late1", "late2", "late3"), "provider_accepted", 0.4
HEARD = "a device that was heard is not sent to again"


class Pushes:
    """The push provider of a scene, and the service account that leads there."""

    def __init__(self, scene):
        self.journal = scene.path("push.journal")
        self.process = scene.run([sys.executable, "-B", os.path.join(HERE, "push_provider.py"), self.journal], "push.log")
        self.url = f"http://127.0.0.1:{self.process.ready()}"
        self.account = scene.path("service-account.json")
        made = subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
                              check=True, capture_output=True, text=True)
        with open(self.account, "w") as file:
            json.dump({"type": "service_account", "project_id": "p", "client_email": "herald@faults.example",
                       "private_key_id": "k1", "private_key": made.stdout, "token_uri": self.url + "/token"}, file)

    def settings(self):
        return {"fcm_service_account_file": self.account, "fcm_url": self.url, "push_sends_max": 1_000}

    def taken(self):
        """(event, token): the identities under which that device took that event, one for each time."""
        found = collections.defaultdict(list)
        if os.path.exists(self.journal):
            with open(self.journal) as lines:
                for line in map(json.loads, lines):
                    if line["said"] == "taken":
                        found[line["event"], line["token"]].append(line["tag"])
        return found


def devices_of(user):
    """Of every other user the answers are scattered: the kill falls anywhere among them."""
    number = int(user[1:])
    late = {f"late{n}": f"late{(n * LATE_MS // 4 + number * 37) % LATE_MS}" for n in range(4)}
    return NAMED if number % 2 == 0 else {**late, "car": "hold"}


def furnish(scene, service, users):
    door = client.Door(service.url, scene.key)
    wanted = [("/v1/templates/fault.probe/push", {"parts": {"title": "Probe {{n}}", "body": "Number {{n}}"}})]
    for user in users:
        wanted.append((f"/v1/users/{user}", {}))
        wanted += [(f"/v1/users/{user}/devices/{name}", {"provider": "fcm", "token": f"{manner}-{user}-{name}"})
                   for name, manner in devices_of(user).items()]
    for path, body in wanted:
        answer = door.ask("PUT", path, body)
        if answer.status not in (200, 201):
            raise Trouble(f"PUT {path}: {answer.status} {answer.body}")
    door.close()


class Target:
    """A device of a push, as it stood when the service was dead and as it stands in the end."""

    def __init__(self, row, manner, user, before, taken):
        self.event, self.device, self.state = row[:3]
        self.attempts, self.doubted = int(row[3]), row[4] == "t"
        self.manner, self.heard = manner, before == "provider_accepted"
        self.taken = taken[self.event, f"{manner}-{user}-{self.device}"]

    def __repr__(self):
        return f"{self.device} of {self.event}: {self.state}, {self.attempts} attempts, taken {len(self.taken)} times"


def kill_between_answers(scene, service, users, report):
    """Gives the states of all targets while nobody runs."""
    named = [name for user in users for name in devices_of(user)]
    for names, state, part in QUICK, BUSY, LATE:
        wait_until(f"answers of {names} are recorded", lambda: scene.database.number(
            f"select count(*) from arauto.target where state = '{state}' and device_id in {names}")
            >= part * sum(name in names for name in named), 20, 0.02)
    service.process.kill()
    wait_until("what it had begun in the database is over", lambda: scene.database.number(
        "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        " and backend_type = 'client backend'") == 0, 20, 0.02)
    report.none_of("killed while each push waited for a device", scene.database.rows(
        "select event_id, state from arauto.delivery where state <> 'leased'"), len(users))
    return {tuple(row[:2]): row[2] for row in scene.database.rows("select event_id, device_id, state from arauto.target")}


def judge(report, targets):
    def of(manner):
        return [one for one in targets if one.manner.startswith(manner)]
    heard = [one for one in targets if one.heard]
    unheard = [one for one in targets if not one.heard and one.manner != "busy"]
    report.none_of(HEARD, [one for one in heard if len(one.taken) != 1 or one.attempts != 1 or one.doubted], len(heard))
    report.none_of("the quick ones were heard, who never answered was not",
                   [one for one in of("accept") + of("hold") if one.heard != (one.manner == "accept")],
                   len(of("accept") + of("hold")))
    report.none_of("one that took it unheard gets it once more, and is marked",
                   [one for one in unheard if not one.doubted or one.attempts != 2 or len(one.taken) > 2
                    or one.manner == "hold" and len(one.taken) != 2], len(unheard))
    report.none_of("under the same identity", [one for one in targets if len(set(one.taken)) != 1], len(targets))
    report.none_of("one that was busy gets it once, without a doubt",
                   [one for one in of("busy") if len(one.taken) != 1 or one.doubted], len(of("busy")))
    report.none_of("in the end each has it, and says so", [one for one in targets if one.state != "provider_accepted"],
                   len(targets))


def run(stage, report, options):
    scene = Scene(stage, "f2_devices")
    try:
        pushes = Pushes(scene)
        service = scene.service(node_lease="5s", node_lease_margin="1s", doubt_resend_after="1s", retry_base="1s",
                                **pushes.settings())
        users = [f"u{n}" for n in range(options.devices_of)]
        furnish(scene, service, users)
        user_of = {event: user for user, event in scene.post_each(service, users).items()}
        before = kill_between_answers(scene, service, users, report)
        service.start()
        scene.wait_until_quiet(options.patience)
        taken = pushes.taken()
        targets = [Target(row, devices_of(user_of[row[0]])[row[1]], user_of[row[0]], before[tuple(row[:2])], taken)
                   for row in scene.database.rows("select event_id, device_id, state, attempts, doubted_at is not null"
                                                  " from arauto.target")]
        judge(report, targets)
        rows = scene.database.rows("select event_id, state, doubts > 0 from arauto.delivery")
        report.none_of("all are accepted, and marked doubtful",
                       [row for row in rows if tuple(row[1:]) != ("provider_accepted", "t")], len(rows))
        late = [one.heard for one in targets if one.manner.startswith("late")]
        report.figure(f"of {len(late)} late answers {sum(late)} were heard")
        report.count(pushes=len(users), devices=len(targets), duplicates=sum(len(one.taken) - 1 for one in targets))
    finally:
        scene.close()


ENTRIES = {
    "F2-devices": ("killed between the answers of one push's devices", run),
    "F2-again": ("the same when the permit addresses who took it, too", without(
        "again", run, (HEARD,), devices_of=4)),
}
NUMBERS = {"devices_of": (40, 60, 500)}
CHUNKS = {"F2-devices": ("devices_of", 50)}
