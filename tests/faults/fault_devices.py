"""F2-devices: the service is killed between the answers of one push's devices. What was answered is recorded before
the others answer, so nobody who took it is sent to again (P3, P6); who took it without being heard is in doubt, and
gets it once more under the same identity."""

import json
import os
import subprocess
import sys

import client
from processes import Trouble, wait_until
from stage import HERE, Scene

DEVICES = {"phone": "accept", "tablet": "accept", "watch": "accept", "car": "hold", "desk": "busy"}


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
        return {"fcm_service_account_file": self.account, "fcm_url": self.url, "push_answer_timeout": "3s"}

    def taken(self):
        """How often each device took each event."""
        counts = {}
        if os.path.exists(self.journal):
            with open(self.journal) as lines:
                for line in map(json.loads, lines):
                    if line["said"] == "taken":
                        counts[line["event"], line["token"]] = counts.get((line["event"], line["token"]), 0) + 1
        return counts


def furnish(scene, service, users):
    door = client.Door(service.url, scene.key)
    wanted = [("/v1/templates/fault.probe/push", {"parts": {"title": "Probe {{n}}", "body": "Number {{n}}"}})]
    for user in users:
        wanted.append((f"/v1/users/{user}", {}))
        wanted += [(f"/v1/users/{user}/devices/{name}", {"provider": "fcm", "token": f"{manner}-{user}-{name}"})
                   for name, manner in DEVICES.items()]
    for path, body in wanted:
        answer = door.ask("PUT", path, body)
        if answer.status not in (200, 201):
            raise Trouble(f"PUT {path}: {answer.status} {answer.body}")
    door.close()


def run(stage, report, options):
    scene = Scene(stage, "f2_devices")
    try:
        pushes = Pushes(scene)
        service = scene.service(node_lease="5s", node_lease_margin="1s", doubt_resend_after="1s", retry_base="1s",
                                **pushes.settings())
        users = [f"u{n}" for n in range(options.devices_of)]
        furnish(scene, service, users)
        scene.post_each(service, users)
        recorded = "select count(*) from arauto.target where state = 'provider_accepted'"
        answering = [name for name, manner in DEVICES.items() if manner == "accept"]
        wait_until("the quick devices' answers are recorded",
                   lambda: scene.database.number(recorded) >= len(users) * len(answering), 20)
        open_still = scene.database.number("select count(*) from arauto.delivery where state = 'leased'")
        service.process.kill()
        report.holds("killed while each push waited for a device", open_still == len(users), f"{open_still:.0f}")
        service.start()
        scene.wait_until_quiet(options.patience)
        taken = pushes.taken()
        def by(manner):
            return {key: count for key, count in taken.items() if key[1].startswith(manner)}
        report.none_of("a device that was heard is not sent to again",
                       [key for key, count in by("accept").items() if count != 1], len(by("accept")))
        report.none_of("one that took it unheard gets it once more",
                       [key for key, count in by("hold").items() if count != 2], len(by("hold")))
        report.none_of("one that was busy gets it", [key for key, count in by("busy").items() if count != 1],
                       len(by("busy")))
        rows = scene.database.rows("select event_id, state, doubts > 0 from arauto.delivery")
        report.none_of("all are accepted, and marked doubtful",
                       [row for row in rows if tuple(row[1:]) != ("provider_accepted", "t")], len(rows))
        report.count(pushes=len(users), devices=len(users) * len(DEVICES))
    finally:
        scene.close()


ENTRIES = {"F2-devices": ("killed between the answers of one push's devices", run)}
NUMBERS = {"devices_of": (20, 50, 500)}
