"""F1-nodes: three services on one database, all under load; at each step a random one is killed, or frozen for less or
more than its lease."""

import random
import signal
import time

import checker
import client
from fault_kill import USERS
from stage import Scene

NODES = 3
LEASE_S = 5


def hurt_one(nodes, chance):
    time.sleep(chance.uniform(0.5, 1.5))
    node = chance.choice(nodes)
    if chance.random() < 0.6:
        node.process.kill()
        node.start()
        return "killed"
    node.process.send(signal.SIGSTOP)
    time.sleep(chance.choice((1, LEASE_S + 1.5)))
    node.process.send(signal.SIGCONT)
    return "frozen"


def run(stage, report, options):
    scene = Scene(stage, "f1_nodes")
    try:
        nodes = [scene.service(f"node{n}", node_lease=f"{LEASE_S}s", doubt_resend_after="2s", retry_base="1s")
                 for n in range(NODES)]
        scene.furnish(nodes[0], USERS)
        groups = [client.Clients(node.url, scene.key, list(USERS), scene.path("client.journal"), threads=4,
                                 name=f"node{n}") for n, node in enumerate(nodes)]
        chance = random.Random(options.seed)
        done = [hurt_one(nodes, chance) for _ in range(options.blows)]
        time.sleep(1)
        for group in groups:
            group.stop()
        scene.wait_until_quiet(options.patience)
        evidence = scene.gather(client.AllClients(groups))
        twice = sum(count - 1 for count in checker.taken_count(evidence).values())
        report.figure(f"seed {options.seed}")
        report.count(killed=done.count("killed"), frozen=done.count("frozen"), events=len(evidence.events),
                     duplicates=twice)
        report.findings(checker.check_all(evidence))
    finally:
        scene.close()


ENTRIES = {"F1-nodes": ("three services, killed and frozen at random", run)}
NUMBERS = {"blows": (5, 20, 100)}
CHUNKS = {"F1-nodes": ("blows", 25)}
NOT_IN_SHORT = ("F1-nodes",)
