"""The surroundings of an entry: a private PostgreSQL, a provider, services; all on loopback, all real processes."""

import itertools
import os
import random
import signal
import socket
import subprocess
import sys
import time

import checker
import client
from checker import read_provider
from database import Database
from processes import Process, Trouble, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
# Below the range from which the kernel takes ports for outgoing connections: nobody grabs ours while it is free.
PORTS = range(20_000, 32_000)
numbers = itertools.count(1) # of scenes: none sees what another left behind


def free_port():
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Postgres:
    """`arauto postgres` on one directory and one port."""

    def __init__(self, binary, scratch):
        self.words = [binary, "postgres", "--data", os.path.join(scratch, "data")]
        self.log = os.path.join(scratch, "postgres.log")
        self.directory = os.path.join(scratch, "data", "postgres")
        self.run()
        self.process.end()
        with open(os.path.join(self.directory, "port"), "w") as wanted:
            wanted.write(str(free_port()))
        self.run()
        self.first_url = self.url

    def run(self):
        self.process = Process(self.words, self.log, last_signal=signal.SIGTERM)
        self.url = self.process.ready()

    def start(self):
        self.run()
        if self.url != self.first_url:
            raise Trouble("another program took PostgreSQL's port meanwhile")

    def stop(self, crash):
        """An orderly stop, or as if the machine had been reset: sessions die where they stand."""
        if crash:
            os.kill(self.server_pid(), signal.SIGQUIT)
        self.process.end()

    def server_pid(self):
        with open(os.path.join(self.directory, "data", "postmaster.pid")) as file:
            return int(file.readline())

    def database_url(self, name):
        return self.url.rsplit("/", 1)[0] + "/" + name


class Service:
    """`arauto serve`, killed and started again on the same port."""

    def __init__(self, binary, log, database_url, provider_port, settings, environment):
        self.binary, self.log, self.port = binary, log, free_port()
        self.environment = {
            "ARAUTO_DATABASE_URL": database_url, "ARAUTO_LISTEN": f"127.0.0.1:{self.port}",
            "ARAUTO_SMTP_HOST": "127.0.0.1", "ARAUTO_SMTP_PORT": str(provider_port),
            "ARAUTO_MAIL_SENDER_ADDRESS": "herald@faults.example",
            **{f"ARAUTO_{name.upper()}": str(value) for name, value in settings.items()},
            **environment}
        self.start()

    def start(self):
        self.process = Process([self.binary, "serve"], self.log, self.environment)
        self.url = self.process.ready()

    def metrics(self):
        door = client.Door(self.url, "")
        try:
            return door.ask("GET", "/metrics").body
        finally:
            door.close()

    def metric(self, name):
        return sum(float(line.split()[-1]) for line in self.metrics().splitlines()
                   if line.startswith((name + " ", name + "{")))


class Scene:
    """One database with a tenant and a key, one provider, any number of services."""

    def __init__(self, stage, name, *manners):
        self.binary, self.scratch, self.name = stage.binary, stage.scratch, f"{name}_{next(numbers)}"
        self.processes = []
        with_care = Database(stage.postgres.url)
        with_care.rows(f"create database {self.name}")
        with_care.close()
        self.database_url = stage.postgres.database_url(self.name)
        self.command("migrate")
        self.database = Database(self.database_url)
        with open(os.path.join(HERE, "audit.sql")) as audit:
            self.database.rows(audit.read())
        self.command("tenant", "create", "faults")
        self.key = self.command("key", "create", "faults")
        self.journal = self.path("provider.journal")
        self.start_provider(*manners)

    def start_provider(self, *manners):
        self.provider = self.run([sys.executable, "-B", os.path.join(HERE, "provider.py"), self.journal, *manners],
                                 "provider.log")
        self.provider_port = int(self.provider.ready())

    def path(self, name):
        return os.path.join(self.scratch, f"{self.name}-{name}")

    def run(self, words, log):
        self.processes.append(Process(words, self.path(log)))
        return self.processes[-1]

    def command(self, *words):
        done = subprocess.run([self.binary, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/",
                              env={"ARAUTO_DATABASE_URL": self.database_url, "LC_ALL": "C.UTF-8"}, timeout=60)
        if done.returncode != 0:
            raise Trouble(f"arauto {' '.join(words)}: {done.stderr[-500:]}")
        return done.stdout.strip()

    def service(self, name="service", environment=None, **settings):
        made = Service(self.binary, self.path(name + ".log"), self.database_url, self.provider_port, settings,
                       environment or {})
        self.processes.append(made) # its process changes with every start
        return made

    def furnish(self, service, users, text="Number {{n}}\n"):
        """Writes the template and the users (name: what the provider shall do) through the API."""
        door = client.Door(service.url, self.key)
        parts = {"subject": "Probe {{n}}", "text": text}
        wanted = [("/v1/templates/fault.probe/email", {"parts": parts})]
        wanted += [(f"/v1/users/{name}", {"email": f"{name}+{steps}@probe.example"}) for name, steps in users.items()]
        for path, body in wanted:
            answer = door.ask("PUT", path, body)
            if answer.status != 200:
                raise Trouble(f"PUT {path}: {answer.status} {answer.body}")
        door.close()

    def post_each(self, service, users, variables=lambda user: {"n": 1, "who": client.CANARY}):
        """One notification for each user; gives the event ids by user."""
        door, ids = client.Door(service.url, self.key), {}
        for user in users:
            answer = door.ask("POST", "/v1/notifications", {
                "user_id": user, "type": "fault.probe", "client_operation_id": f"for-{user}",
                "variables": variables(user)})
            if answer.status != 202:
                raise Trouble(f"POST for {user}: {answer.status} {answer.body}")
            ids[user] = answer.body["id"]
        door.close()
        return ids

    def provider_lines(self):
        return read_provider(self.journal) if os.path.exists(self.journal) else []

    def wait_for_provider(self, addresses, heard=("message",)):
        """Until the provider heard that much for each of these recipients."""
        wait_until(f"the provider heard of {len(addresses)}", lambda: addresses <= {
            line["to"] for line in self.provider_lines() if line["heard"] in heard}, 20, 0.02)

    def taken(self):
        return checker.count_taken(self.provider_lines())

    def rows_of(self, events, columns):
        """What stands in `columns` of each event's delivery."""
        listed = ",".join(f"'{one}'" for one in events)
        found = self.database.rows(f"select event_id, {columns} from arauto.delivery where event_id in ({listed})")
        return {row[0]: row[1:] for row in found}

    def left(self):
        """Deliveries that wait for something other than a person."""
        return int(self.database.number(
            "select count(*) from arauto.delivery where state in ('pending', 'leased', 'retry_wait')"
            " or (state = 'in_doubt' and next_attempt_at <> 'infinity')"))

    def gather(self, clients=client.NoClients()):
        """What the witnesses say, with all that was written down about it where nobody must be named (I21)."""
        evidence = checker.gather(self.database, clients, self.journal)
        evidence.canaries = ("@probe.example", self.key.rpartition("_")[2], client.CANARY)
        evidence.places.append(("refusals", "".join(one.refusal for one in clients.told)))
        for one in self.processes:
            if isinstance(one, Service):
                with open(one.log) as log:
                    evidence.places.append((one.log, log.read()))
                if one.process.alive():
                    evidence.places.append(("/metrics", one.metrics()))
        return evidence

    def wait_until_quiet(self, seconds):
        """Until nothing waits any more, or the time is over: what is stuck then is the checker's to find (I4)."""
        give_up = time.monotonic() + seconds
        while self.left() > 0 and time.monotonic() < give_up:
            time.sleep(0.2)

    def reconnect(self):
        self.database.close()
        self.database = Database(self.database_url)

    def close(self):
        for one in reversed(self.processes):
            (one.process if isinstance(one, Service) else one).kill()
        self.database.close()


class Stage:
    def __init__(self, binary, scratch):
        self.binary, self.scratch = binary, scratch
        self.postgres = Postgres(binary, scratch)

    def with_program(self, binary):
        """The same surroundings for another build of the product."""
        other = object.__new__(Stage)
        other.binary, other.scratch, other.postgres = binary, self.scratch, self.postgres
        return other

    def with_postgres(self, postgres):
        """The same program on another server."""
        other = self.with_program(self.binary)
        other.postgres = postgres
        return other

    def close(self):
        self.postgres.process.end()
