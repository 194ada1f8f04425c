"""S15: ten messages at a provider that takes 20 s for its answer, others that are answered in time; then SIGTERM with a
drain limit of 5 s, SIGTERM twice, SIGKILL. SIGTERM is never worse than SIGKILL: the same ends, nothing lost."""

import signal
import time

import checker
from stage import Scene

LIMIT_S = 5
LEASE_S = 5
ANSWER_S = 20
WAYS = {"SIGTERM": (signal.SIGTERM,), "SIGTERM twice": (signal.SIGTERM, signal.SIGTERM), "SIGKILL": (signal.SIGKILL,)}
SLOW, QUICK = 10, 5


def stop(service, signals):
    """The exit code and the seconds it took."""
    began = time.monotonic()
    for n, number in enumerate(signals):
        time.sleep(0.5 if n else 0)
        service.process.send(number)
    code = service.process.child.wait(60)
    return code, time.monotonic() - began


def one_way(stage, report, options, name, signals):
    scene = Scene(stage, "s15")
    try:
        service = scene.service(stop_limit=f"{LIMIT_S}s", node_lease=f"{LEASE_S}s", doubt_resend_after="1s",
                                retry_base="1s", smtp_answer_timeout="60s")
        slow = {f"slow{n}": f"slow{ANSWER_S * 1000}-accept" for n in range(SLOW)}
        quick = {f"quick{n}": "slow2000" for n in range(QUICK)}
        scene.furnish(service, {**slow, **quick})
        ids = scene.post_each(service, {**slow, **quick})
        scene.wait_for_provider({f"{user}+{steps}@probe.example" for user, steps in {**slow, **quick}.items()})
        code, took = stop(service, signals)
        claims = scene.database.number("select count(*) from arauto.delivery where lease_token <> 1")
        states = {user: scene.rows_of(ids.values(), "state")[event][0] for user, event in ids.items()}
        report.figure(f"{name}: code {code} after {took:.1f} s; then {sorted(set(states.values()))}")
        given_up = [user for user, state in states.items() if state in ("permanent_failure", "cancelled", "pending")]
        report.none_of(f"{name}: what was at the provider is neither given up nor forgotten", given_up, len(states))
        report.holds(f"{name}: no new claims", claims == 0, f"{claims:.0f}")
        if name == "SIGTERM":
            report.holds("SIGTERM: exit 0 within the limit + 1 s", code == 0 and took < LIMIT_S + 1)
            unsaid = [user for user in quick if states[user] != "provider_accepted"]
            report.none_of("SIGTERM: what was answered in time is recorded", unsaid, len(quick))
        service.process.kill()
        service.start()
        scene.wait_until_quiet(LEASE_S * 2 + options.patience)
        report.findings([one for one in checker.check_all(scene.gather()) if not one.name.startswith(("I1 ", "I2 "))])
        rows = scene.rows_of(ids.values(), "state, doubtful")
        return {tuple(rows[ids[user]]) for user in slow}
    finally:
        scene.close()


def run(stage, report, options):
    ends = {name: one_way(stage, report, options, name, signals) for name, signals in WAYS.items()}
    report.holds("all three end the same: accepted, and marked doubtful",
                 all(one == {("provider_accepted", "t")} for one in ends.values()), ends)


ENTRIES = {"S15": ("SIGTERM is never worse than SIGKILL", run)}
