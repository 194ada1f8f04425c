"""F22: foreign sessions take every connection of PostgreSQL, and the service runs out of file descriptors. S21:
PostgreSQL has few connections left, the provider is slow, and 200 clients post while notifications are cancelled."""

import http.client
import os
import resource
import signal
import threading
import time

import checker
import client
from database import Database
from processes import Trouble, wait_until
from stage import Scene

USERS = {f"u{n}": ("slow250" if n % 3 == 0 else "accept") for n in range(30)}
BACK_WITHIN_S = 10
LEFT_FOR_US = 1 # of the connections, in S21, beyond those it has when it is idle
PARALLEL = 200  # posts at once, in S21
QUICK_S = 10
IDLE_S = 1.0


def take_connections(url, leave=0):
    """Foreign sessions, until PostgreSQL has no more; gives them back but for `leave`."""
    taken = []
    while True:
        try:
            taken.append(Database(url))
        except Trouble:
            break
    for session in taken[:leave]:
        session.close()
    return taken[leave:]


def end_sessions(scene):
    """Of the service: what a restart of a balancer or a firewall does."""
    scene.database.rows("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
                        " and pid <> pg_backend_pid()")


def starve_of_connections(scene, service, foreign_url, seconds):
    service.process.send(signal.SIGSTOP) # so that it does not win the race for the places
    end_sessions(scene)
    taken = take_connections(foreign_url)
    time.sleep(0.2)
    taken += take_connections(foreign_url) # those that were still ending
    service.process.send(signal.SIGCONT)
    began_at = time.time()
    time.sleep(seconds)
    ended_at = time.time()
    for session in taken:
        session.close()
    return began_at, ended_at


def starve_of_descriptors(scene, service, clients, seconds):
    """No descriptor is left: new clients, sessions and mails cannot be opened."""
    pid = service.process.pid
    service.process.send(signal.SIGSTOP)
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    most = max(int(name) for name in os.listdir(f"/proc/{pid}/fd")) + 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, hard))
    end_sessions(scene) # their places go to whoever is first
    crowd = client.Clients(service.url, scene.key, list(USERS), scene.path("crowd.journal"), threads=40, name="crowd")
    time.sleep(0.2)
    service.process.send(signal.SIGCONT)
    began_at, worked, free = time.time(), cpu_seconds(pid), []
    while time.time() - began_at < seconds:
        free.append(most - len(os.listdir(f"/proc/{pid}/fd")))
        time.sleep(0.05)
    ended_at, worked = time.time(), cpu_seconds(pid) - worked
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
    return began_at, ended_at, worked, free, crowd


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def back_after(clients, ended_at):
    return min((one.told_at for one in clients.told if one.status == 202 and one.told_at > ended_at),
               default=float("inf")) - ended_at


def run(stage, report, options):
    scene = Scene(stage, "f22")
    try:
        service = scene.service(node_lease="5s", doubt_resend_after="1s", retry_base="1s")
        scene.furnish(service, USERS)
        pid = service.process.pid
        clients = client.Clients(service.url, scene.key, list(USERS), scene.path("client.journal"))
        wait_until("the load runs", lambda: clients.accepted() > 50)
        began_at, ended_at = starve_of_connections(scene, service, stage.postgres.url, options.starving)
        wait_until("a 202 after the connections came back", lambda: back_after(clients, ended_at) < 60, 60)
        no_descriptors = starve_of_descriptors(scene, service, clients, options.starving)
        crowd = no_descriptors[4]
        wait_until("a 202 after the descriptors came back", lambda: back_after(crowd, no_descriptors[1]) < 60, 60)
        time.sleep(1)
        for one in (clients, crowd):
            one.stop()
        report.holds("the service was never restarted", service.process.alive() and service.process.pid == pid)
        scene.wait_until_quiet(options.patience)
        evidence = checker.gather(scene.database, clients, scene.journal)
        evidence.answers += crowd.told
        evidence.unanswered |= crowd.unanswered
        tell(report, clients, crowd, (began_at, ended_at), no_descriptors[:4])
        report.findings(checker.check_all(evidence))
    finally:
        scene.close()


def tell(report, clients, crowd, no_connections, no_descriptors):
    told = clients.told + crowd.told
    report.count(answers_202=sum(1 for one in told if one.status == 202),
                 answers_503=sum(1 for one in told if one.status == 503),
                 no_answer=sum(1 for one in told if one.status is None))
    report.none_of("nothing but 202 and 503 is ever said", [(one.status, one.operation) for one in told
                                                            if one.status not in (202, 503, None)], len(told))
    meanwhile = [one for one in clients.told if no_connections[0] < one.asked_at and one.told_at < no_connections[1]]
    report.none_of("no connection left: every POST is told 503 with Retry-After", [
        (one.status, one.operation) for one in meanwhile if one.status != 503 or not (one.retry_after or "").isdigit()],
        len(meanwhile))
    back = [back_after(clients, no_connections[1]), back_after(crowd, no_descriptors[1])]
    report.times("connections, descriptors are there again -> first 202", back)
    report.none_of(f"accepting again within {BACK_WITHIN_S} s", [one for one in back if one > BACK_WITHIN_S], len(back))
    report.holds("there was a time without a free descriptor", min(no_descriptors[3]) <= 0,
                 f"{sum(1 for one in no_descriptors[3] if one <= 0)} of {len(no_descriptors[3])} samples")
    lasted = no_descriptors[1] - no_descriptors[0]
    report.holds("without descriptors it does not spin", no_descriptors[2] < 0.5 * lasted,
                 f"{no_descriptors[2]:.2f} s of CPU in {lasted:.1f} s")


class Watcher:
    """Samples what PostgreSQL says of the sessions, until it is told to end."""

    def __init__(self, url, name):
        self.session, self.name = Database(url), name
        self.idle, self.samples, self.over = [], 0, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.over.wait(0.1):
            self.samples += 1
            self.idle += [(float(seconds), query) for seconds, query in self.session.rows(
                "select extract(epoch from clock_timestamp() - state_change), left(query, 60) from pg_stat_activity"
                f" where datname = '{self.name}' and state like 'idle in transaction%'"
                " and clock_timestamp() - state_change > interval '0.1 s'")]

    def stop(self):
        self.over.set()
        self.thread.join()
        self.session.close()


def cancel_all(service, scene, clients, over, said):
    """One after the other, as they come."""
    door, seen = client.Door(service.url, scene.key), set()
    while not over.is_set():
        with clients.guard:
            fresh = [one.id for one in clients.told[-50:] if one.id is not None and one.id not in seen]
        time.sleep(0 if fresh else 0.01)
        for event in fresh[::-1]:
            seen.add(event)
            asked_at = time.monotonic()
            try:
                said.append((door.ask("POST", f"/v1/notifications/{event}/cancel").status, time.monotonic() - asked_at))
            except (OSError, http.client.HTTPException): # its turn on the connection was over
                seen.discard(event)
    door.close()


def few_connections(stage, report, options):
    scene = Scene(stage, "s21")
    taken, watcher = [], None
    try:
        service = scene.service(node_lease="5s", doubt_resend_after="1s", retry_base="1s", smtp_connections_max=256)
        scene.furnish(service, {"slow": f"slow{options.slow * 1000}"} | {f"warm{n}": "accept" for n in range(20)})
        scene.post_each(service, [f"warm{n}" for n in range(20)]) # every keeper has its connection
        watcher = Watcher(stage.postgres.url, scene.name)
        taken = take_connections(stage.postgres.url, LEFT_FOR_US)
        clients = client.Clients(service.url, scene.key, ["slow"], scene.path("client.journal"), threads=PARALLEL)
        over, said = threading.Event(), []
        canceller = threading.Thread(target=cancel_all, args=(service, scene, clients, over, said))
        canceller.start()
        wait_until(f"{options.posts} accepted, some cancelled", lambda: clients.accepted() >= options.posts
                   and len(said) >= options.posts / 10, 120, 0.2)
        over.set()
        clients.stop()
        canceller.join()
        report.holds("PostgreSQL was full all the time", not take_connections(stage.postgres.url, LEFT_FOR_US))
        scene.wait_until_quiet(options.patience + options.slow)
        watcher.stop()
        report.holds("the service lives", service.process.alive())
        tell_few(report, clients, said, watcher)
        report.findings(checker.check_all(checker.gather(scene.database, clients, scene.journal)))
    finally:
        if watcher is not None and watcher.thread.is_alive():
            watcher.stop()
        for session in taken:
            session.close()
        scene.close()


def tell_few(report, clients, said, watcher):
    posts = [one for one in clients.told if one.status is not None]
    taken = sum(1 for one in posts if one.status == 202)
    report.count(posts=len(posts), posts_202=taken, posts_503=sum(1 for one in posts if one.status == 503),
                 cancels=len(said), samples=watcher.samples)
    report.times(f"{PARALLEL} at once: POST -> its answer", [one.told_at - one.asked_at for one in posts])
    report.none_of(f"a POST is 202 or 503, within {QUICK_S} s", [
        (one.status, one.operation) for one in posts if one.status not in (202, 503)
        or one.told_at - one.asked_at > QUICK_S], len(posts))
    report.holds("accepts do not starve: most are 202", taken > 0.9 * len(posts), f"{taken} of {len(posts)}")
    report.times("cancel -> its answer", [took for _, took in said])
    report.none_of("a cancel is 200 or 503", [one for one in said if one[0] not in (200, 503)], len(said))
    report.times("idle in a transaction", [took for took, _ in watcher.idle])
    report.none_of(f"no session is idle in a transaction for over {IDLE_S} s", [
        one for one in watcher.idle if one[0] > IDLE_S], watcher.samples)


ENTRIES = {
    "F22": ("connections and descriptors exhausted", run),
    "S21": ("few connections, a slow provider, parallel posts and cancels", few_connections),
}
NUMBERS = {"starving": (3, 10, 30), "posts": (400, 600, 800), "slow": (1, 1, 1)}
