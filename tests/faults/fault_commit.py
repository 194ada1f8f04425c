"""F4: COMMITs that are lost on their way, and COMMITs whose answer is lost, by the hundreds: of the accepts, and of the
work (claim, permit, settle and the rest). Clients repeat their operation; who asks does not know what had happened."""

import checker
import client
from gated import Gate
from processes import wait_until
from sabotage import without
from stage import Scene

USERS = {f"u{n}": ("slow250" if n % 5 == 0 else "accept") for n in range(60)}
WORK = ("claim", "claim_suspect", "permit", "settle", "renew", "reap")
SAME_ID = "asked again, every operation gives its id"
OTHER_MEANING = "with another meaning it is a conflict"
RATES = {"accepts": 0.3, "work": 0.15}


class Clients(client.Clients):
    """They remember their words."""

    def __init__(self, *given, **named):
        self.bodies = {}
        super().__init__(*given, **named)

    def post(self, door, operation, body):
        self.bodies[operation] = body
        super().post(door, operation, body)


def ask_again(report, service, key, clients):
    """After all is over, with the words of the first time and with others."""
    door, first = client.Door(service.url, key), {}
    for told in clients.told:
        first.setdefault(told.operation, told)
    unsure = [one.operation for one in first.values() if one.status != 202][:100]
    known = {one.operation: one.id for one in clients.told if one.status == 202}
    asked = unsure + [one for one in known if one not in unsure][:100]
    wrong, no_conflict = [], []
    for operation in asked:
        body = clients.bodies[operation]
        answer = door.ask("POST", "/v1/notifications", body)
        clients.told.append(client.Told(operation, 0.0, answer.status, answer.headers, answer.body))
        if clients.told[-1].id != known.get(operation, "none"):
            wrong.append((operation, answer.status))
        if door.ask("POST", "/v1/notifications", {**body, "variables": {"n": -1}}).status != 409:
            no_conflict.append(operation)
    door.close()
    report.none_of(SAME_ID, wrong, len(asked))
    report.none_of(OTHER_MEANING, no_conflict, len(asked))


def lose(gate, options):
    """Half of what is lost is the COMMIT itself, half its answer."""
    for n, (name, of) in enumerate((("accepts", ["accept"]), ("work", WORK))):
        for at, chance in (("before", RATES[name]), ("after", RATES[name] / (1 - RATES[name]))):
            gate.rule(f"{name} {at}", at, of, commit=True, chance=chance, seed=options.seed + n)
    def enough():
        return all(sum(gate.told(f"{name} {at}")["done"] for at in ("before", "after")) >= options.commits / 2
                   for name in RATES)
    wait_until(f"{options.commits} lost COMMITs", enough, 60 + options.commits / 5, 0.1)
    for name in RATES:
        for at in ("before", "after"):
            gate.drop(f"{name} {at}")


def tell(report, gate, clients, evidence):
    for name in RATES:
        lost, unanswered = gate.told(f"{name} before"), gate.told(f"{name} after")
        report.count(**{f"{name}_in_doubt": lost["done"] + unanswered["done"],
                        f"{name}_that_had_committed": unanswered["committed"]})
    held = sum(1 for one in evidence.deliveries if checker.is_held(one))
    given_up = sum(1 for one in evidence.deliveries if one["state"] == "permanent_failure")
    twice = sum(count - 1 for count in checker.taken_count(evidence).values())
    report.count(events=len(evidence.events), answers_503=sum(1 for one in clients.told if one.status == 503),
                 duplicates=twice, held_in_doubt=held, permanent_failures=given_up)
    said = [one.status for one in clients.told if one.asked_at]
    report.none_of("nothing but 202 and 503 is said", [one for one in said if one not in (202, 503)], len(said))


def run(stage, report, options):
    scene = Scene(stage, "f4")
    try:
        gate = Gate(scene)
        service = gate.service(node_lease="3s", doubt_resend_after="1s", retry_base="1s")
        scene.furnish(service, USERS)
        report.figure(f"seed {options.seed}")
        clients = Clients(service.url, scene.key, list(USERS), scene.path("client.journal"), pause=0.01,
                          patience=options.patience)
        lose(gate, options)
        clients.stop()
        scene.wait_until_quiet(options.patience)
        ask_again(report, service, scene.key, clients)
        evidence = checker.gather(scene.database, clients, scene.journal)
        tell(report, gate, clients, evidence)
        report.findings(checker.check_all(evidence))
    finally:
        scene.close()


ENTRIES = {
    "F4": ("lost COMMITs and lost answers of COMMITs", run),
    "F4-lookup": ("the same without the lookup in accept.sql", without(
        "lookup", run, ("I2 ", SAME_ID, OTHER_MEANING), ("I1 ",), commits=20, patience=6)),
}
NUMBERS = {"commits": (60, 400, 2_000)}
CHUNKS = {"F4": ("commits", 1_000)}
