"""F8: two services, one database. One is frozen (SIGSTOP) with messages at the provider, beyond its lease; the other
takes over; then the frozen one wakes up with the answers of the provider in its hands."""

import signal
import time

import checker
from processes import wait_until
from sabotage import without
from stage import Scene

NOTHING_CHANGED = "late answers changed no row of the new holder"
ENDS_WELL = "each ends provider_accepted under the new token"
COUNTED_STALE = "late answers were counted stale"
LEASE_S = 5
ANSWER_MS = 3_500 # late enough to be frozen in time, early enough to be there on waking up
SECOND_MS = 7_000 # the new holder is still waiting for the provider when the old one wakes up
ROW = "state, lease_token, lease_owner, begun_at, attempts, cause, settled_at"


def one_of_the_pair(scene, name, **settings):
    """The one that will freeze, or the one that takes over."""
    return scene.service(name, node_lease=f"{LEASE_S}s", smtp_connections_max=256, retry_base="1s", **settings)


def freeze_with(scene, frozen, users, heard):
    """Posts for each user, and freezes the service when the provider has heard of all."""
    scene.furnish(frozen, users)
    ids = scene.post_each(frozen, users)
    scene.wait_for_provider({f"{user}+{steps}@probe.example" for user, steps in users.items()}, heard)
    frozen.process.send(signal.SIGSTOP)
    return ids


def mine_of(scene, ids):
    """The events leased by the frozen one: all, unless the other node was quicker to claim."""
    owners = {event: row[0] for event, row in scene.rows_of(ids.values(), "lease_owner").items()}
    most = max(set(owners.values()), key=list(owners.values()).count)
    return {user: event for user, event in ids.items() if owners[event] == most}


def meet_the_new_holder(stage, report, options):
    """It wakes up while the other one holds the new lease and waits for the provider."""
    scene = Scene(stage, "f8")
    try:
        other = one_of_the_pair(scene, "other", doubt_resend_after="1s")
        numbers = range(options.zombies)
        users = {f"late.{n}": f"slow{ANSWER_MS}-slow{SECOND_MS}" for n in numbers}
        users.update({f"refused.{n}": f"refuse{ANSWER_MS}-slow{SECOND_MS}" for n in numbers})
        users.update({f"stalled.{n}": f"stall{ANSWER_MS}-accept" for n in numbers})
        patient = {f"patient.{n}": f"slow{LEASE_S * 1000 + 2000}" for n in numbers}
        scene.furnish(other, patient)
        slow = scene.post_each(other, patient)
        scene.wait_for_provider({f"{user}+{steps}@probe.example" for user, steps in patient.items()})
        frozen = one_of_the_pair(scene, "frozen", doubt_resend_after="1s") # only now: those before are the other's
        ids = mine_of(scene, freeze_with(scene, frozen, users, ("message", "data")))
        asked = {user: event for user, event in ids.items() if not user.startswith("stalled")}
        wait_until("the new holder's messages are at the provider", lambda: len(
            {line["to"] for line in scene.provider_lines() if line["attempt"] == 2 and line["heard"] == "message"
             and line["to"].partition("+")[0] in asked}) == len(asked), 40, 0.05)
        before = scene.rows_of(asked.values(), ROW)
        frozen.process.send(signal.SIGCONT)
        compare(report, scene, frozen, ids, before)
        scene.wait_until_quiet(options.patience)
        check_the_end(report, scene, ids, slow)
    finally:
        scene.close()


def compare(report, scene, frozen, ids, before):
    give_up = time.monotonic() + 4
    while frozen.metric("arauto_stale_settlements_total") < len(ids) and time.monotonic() < give_up:
        time.sleep(0.1)
    after = scene.rows_of(before, ROW)
    report.none_of("the new holder has a lease of its own at this moment",
                   [row for row in before.values() if row[:2] != ["leased", "2"]], len(before))
    report.none_of(NOTHING_CHANGED, [(before[one], after[one]) for one in before if before[one] != after[one]],
                   len(before))
    stale = frozen.metric("arauto_stale_settlements_total")
    report.holds(COUNTED_STALE, stale >= len(ids), f"{stale:.0f} stale settlements of {len(ids)} zombies")
    report.count(zombies=len(ids))


def check_the_end(report, scene, ids, slow):
    evidence = scene.gather()
    taken = checker.taken_count(evidence)
    rows = {d["event"]: d for d in evidence.deliveries}
    def of(group):
        return [event for user, event in ids.items() if user.startswith(group)]
    report.none_of(ENDS_WELL, [
        rows[one] for one in ids.values() if (rows[one]["state"], rows[one]["token"]) != ("provider_accepted", "2")],
        len(ids))
    for group, outcome in (("late", "accepted"), ("refused", "refused")):
        report.none_of(f"the trail keeps the late answer: {outcome}", [
            one for one in of(group) if evidence.attempts.get((one, 1)) != (outcome, True)], len(of(group)))
    report.none_of("nothing was sent after trust had ended", [one for one in of("stalled") if taken[one] != 1],
                   len(of("stalled")))
    report.none_of("a slow provider is no lost lease: the living keep theirs", [
        rows[one] for one in slow.values() if (rows[one]["state"], rows[one]["token"], rows[one]["doubtful"])
        != ("provider_accepted", "1", "f")], len(slow))
    report.findings([one for one in checker.check_all(evidence) if not one.name.startswith(("I1 ", "I2 "))])


def settle_a_doubt(stage, report, options):
    """It wakes up while its deliveries are held in doubt: the late acceptance ends the doubt, and no second mail."""
    scene = Scene(stage, "f8_held")
    try:
        frozen, other = (one_of_the_pair(scene, name, doubt_rule="hold") for name in ("frozen", "other"))
        users = {f"late.{n}": f"slow{ANSWER_MS}" for n in range(options.zombies)}
        ids = mine_of(scene, freeze_with(scene, frozen, users, ("message",)))
        scene.wait_until_quiet(40)
        doubted = scene.rows_of(ids.values(), "state, next_attempt_at = 'infinity'")
        report.none_of("taken over: held in doubt", [row for row in doubted.values() if row != ["in_doubt", "t"]],
                       len(ids))
        frozen.process.send(signal.SIGCONT)
        def accepted():
            return [row for row in scene.rows_of(ids.values(), "state, lease_token").values()
                    if row == ["provider_accepted", "1"]]
        give_up = time.monotonic() + 10
        while len(accepted()) < len(ids) and time.monotonic() < give_up:
            time.sleep(0.1)
        report.holds("the late acceptance settles the doubt", len(accepted()) == len(ids),
                     f"{len(accepted())} of {len(ids)}")
        evidence = scene.gather()
        twice = [one for one, count in checker.taken_count(evidence).items() if count > 1]
        report.none_of("and nothing was sent twice", twice, len(ids))
        report.holds("the other service lives", other.process.alive())
    finally:
        scene.close()


def run(stage, report, options):
    meet_the_new_holder(stage, report, options)
    settle_a_doubt(stage, report, options)


FENCE_IS_OUT = (NOTHING_CHANGED, COUNTED_STALE, ENDS_WELL, "I9")
ENTRIES = {
    "F8": ("a frozen worker comes back after its lease", run),
    "F8-fence": ("the same without the lease token in settle.sql",
                 without("fence", meet_the_new_holder, FENCE_IS_OUT, zombies=10)),
    "F8-doubt": ("the same without in_doubt in reap.sql", without("doubt", meet_the_new_holder, ("I7",), zombies=10)),
}
NUMBERS = {"zombies": (10, 80, 160)}
CHUNKS = {"F8": ("zombies", 80)}
