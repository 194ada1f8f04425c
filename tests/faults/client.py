"""Applications that never give up: threads that post notifications, each under an operation id of its own that is in
the journal before the request is on the wire, and send it again as it is until they are told 202."""

import http.client
import json
import threading
import time
import urllib.parse

RETRIED = (503,)
CANARY = "canary-variable" # in what is sent; it must not be found elsewhere (I21)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers = status, headers
        try:
            self.body = json.loads(body)
        except ValueError:
            self.body = body.decode(errors="replace")


class Door:
    """One keep-alive connection to a service."""

    def __init__(self, url, key, seconds=30.0):
        self.where = urllib.parse.urlsplit(url).netloc
        self.key, self.seconds, self.link = key, seconds, None

    def ask(self, method, path, body=None):
        return self.ask_as_written(method, path, None if body is None else json.dumps(body))

    def ask_as_written(self, method, path, text):
        if self.link is None:
            self.link = http.client.HTTPConnection(self.where, timeout=self.seconds)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            self.link.request(method, path, text, headers)
            reply = self.link.getresponse()
            return Answer(reply.status, dict(reply.getheaders()), reply.read())
        except Exception:
            self.close()
            raise

    def insist(self, method, path, body=None, patience=90.0):
        """Asks until it is answered with something other than 503: for calls that may be repeated."""
        give_up = time.monotonic() + patience
        while True:
            try:
                answer = self.ask(method, path, body)
                if answer.status not in RETRIED or time.monotonic() > give_up:
                    return answer
            except (OSError, http.client.HTTPException):
                if time.monotonic() > give_up:
                    raise
            time.sleep(0.02)

    def close(self):
        if self.link is not None:
            self.link.close()
            self.link = None


class Told:
    """One answer, or its absence (status None)."""

    def __init__(self, operation, asked_at, status, headers, body):
        self.operation, self.asked_at, self.told_at = operation, asked_at, time.time()
        self.status, self.retry_after = status, headers.get("Retry-After")
        self.id = body.get("id") if status == 202 and isinstance(body, dict) else None
        self.refusal = json.dumps(body) if (status or 0) >= 400 else ""


class Clients:
    def __init__(self, url, key, users, journal, threads=8, pause=0.05, patience=90.0, name="op"):
        self.url, self.key, self.users, self.name = url, key, users, name
        self.pause, self.patience = pause, patience
        self.told = []
        self.unanswered = set() # asked, and not yet told 202
        self.guard = threading.Lock()
        self.file = open(journal, "a", buffering=1)
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.go_on, args=(n,), daemon=True) for n in range(threads)]
        for thread in self.threads:
            thread.start()

    def write(self, **line):
        with self.guard:
            self.file.write(json.dumps(line) + "\n")

    def go_on(self, mine):
        door, count = Door(self.url, self.key), 0
        while not self.over.is_set():
            operation = f"{self.name}-{mine}-{count}"
            user = self.users[(mine + count * len(self.threads)) % len(self.users)]
            self.post(door, operation, {"user_id": user, "type": "fault.probe", "client_operation_id": operation,
                                        "variables": {"n": count, "who": CANARY}})
            count += 1
            time.sleep(self.pause)

    def post(self, door, operation, body):
        give_up = time.monotonic() + self.patience
        with self.guard:
            self.unanswered.add(operation)
        while time.monotonic() < give_up:
            asked_at = time.time()
            self.write(asked=operation, at=asked_at)
            try:
                answer = door.ask("POST", "/v1/notifications", body)
                told = Told(operation, asked_at, answer.status, answer.headers, answer.body)
            except (OSError, http.client.HTTPException):
                told = Told(operation, asked_at, None, {}, None)
            self.write(told=operation, at=told.told_at, status=told.status, id=told.id, retry_after=told.retry_after)
            with self.guard:
                self.told.append(told)
                if told.status == 202:
                    self.unanswered.discard(operation)
            if told.status is not None and told.status not in RETRIED:
                return
            time.sleep(0.2)

    def accepted(self):
        with self.guard:
            return sum(1 for told in self.told if told.status == 202)

    def stop(self):
        """Ends when each thread has its 202, or its patience is over."""
        self.over.set()
        for thread in self.threads:
            thread.join()
        self.file.close()


class AllClients:
    """The journals of several groups of clients as one."""

    def __init__(self, groups):
        self.told = [told for group in groups for told in group.told]
        self.unanswered = set().union(*(group.unanswered for group in groups))


class NoClients:
    """For entries that post by themselves."""

    told, unanswered = (), ()
