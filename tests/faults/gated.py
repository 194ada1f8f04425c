"""The campaign's hand on a gate (gate.py) between services and the database of a scene."""

import json
import os
import re
import socket
import sys
import threading

from processes import wait_until
from stage import HERE

PORT_OF_URL = re.compile(r":(\d+)(?=/[^/]*$)")


class Gate:
    def __init__(self, scene):
        self.scene = scene
        server = PORT_OF_URL.search(scene.database_url)[1]
        process = scene.run([sys.executable, "-B", os.path.join(HERE, "gate.py"), server], "gate.log")
        port, control = process.ready().split(":")
        self.url = PORT_OF_URL.sub(f":{port}", scene.database_url)
        self.lines = socket.create_connection(("127.0.0.1", int(control))).makefile("rw")
        self.guard = threading.Lock()

    def order(self, **words):
        with self.guard:
            self.lines.write(json.dumps(words) + "\n")
            self.lines.flush()
            return json.loads(self.lines.readline())

    def rule(self, name, at, of=(), do="cut", **more):
        """See gate.py. Cut, at a COMMIT: before, it is lost; after, its answer is."""
        self.order(rule=name, at=at, of=of, do=do, **more)

    def told(self, name):
        return self.order(tell=True)["rules"][name]

    def drop(self, name):
        self.order(drop=name)

    def wait_for(self, name, what="done", count=1, seconds=30.0):
        wait_until(f"the gate says {count} {what}: {name}", lambda: self.told(name)[what] >= count, seconds, 0.01)

    def service(self, name="service", **settings):
        """A service that reaches the database through this gate only."""
        scene = self.scene
        direct, scene.database_url = scene.database_url, self.url
        try:
            return scene.service(name, **settings)
        finally:
            scene.database_url = direct
