"""F21: the provider takes every message and never answers; events keep coming. What does not fit a window waits in
PostgreSQL, and the service stays small."""

import time

import flood
import processes
from sabotage import without
from stage import Scene

BOUND_KB = 64 * 1024
GROWTH_KB = 8 * 1024 # from a tenth of the events to all of them: memory does not follow the backlog
WINDOW = 256         # node.window_max as it comes; deliveries of one tenant and channel in flight on a node
WITHIN_WINDOW = f"at most {WINDOW} deliveries are leased"


def count_states(scene):
    return {state: int(count) for state, count in scene.database.rows(
        "select state, count(*) from arauto.delivery group by state")}


def run(stage, report, options):
    count = options.events
    scene = Scene(stage, "f21")
    try:
        service = scene.service() # every setting as it comes
        scene.furnish(service, {"nobody": "hang"})
        at_rest = service.process.memory_kb("VmRSS")
        tenth, seconds = flood.pour(service.url, scene.key, "nobody", range(count // 10))
        early = service.process.memory_kb()
        rest, more_seconds = flood.pour(service.url, scene.key, "nobody", range(count // 10, count))
        most, seconds = service.process.memory_kb(), seconds + more_seconds
        report.figure(f"{count} events in {seconds:.0f} s, {count / seconds:.0f}/s; resident {at_rest / 1024:.0f} MB "
                      f"at rest, {early / 1024:.0f} MB at a tenth, {most / 1024:.0f} MB at most")
        said = [status for status, times in (*tenth.items(), *rest.items()) for _ in range(times)]
        report.none_of("every event was accepted", [one for one in said if one != 202], len(said))
        report.holds(f"resident memory never passed {BOUND_KB // 1024} MB", most <= BOUND_KB, f"{most / 1024:.0f} MB")
        report.holds(f"and grew by less than {GROWTH_KB // 1024} MB after a tenth", most - early < GROWTH_KB,
                     f"{(most - early) / 1024:.1f} MB")
        check_the_rest(report, scene, service, count)
        start_with_a_backlog(report, scene, service)
    except OSError as why:
        raise processes.Trouble(f"the flood: {why}") from why
    finally:
        scene.close()


def check_the_rest(report, scene, service, count):
    states = count_states(scene)
    leased, lines = states.get("leased", 0), scene.provider_lines()
    report.holds(WITHIN_WINDOW, 0 < leased <= WINDOW, leased)
    report.holds("all others wait in PostgreSQL", leased + states.get("pending", 0) == count, states)
    report.holds("the provider heard some and answered none", lines and not any(line["taken"] for line in lines),
                 f"{len(lines)} messages")
    in_flight = service.metric("arauto_deliveries_in_flight")
    report.holds(f"{WITHIN_WINDOW}, says the gauge", in_flight <= WINDOW, f"{in_flight:.0f} in flight")


def start_with_a_backlog(report, scene, service):
    """A new process finds all of it waiting, and claims no more than it has room for."""
    service.process.kill()
    service.start()
    processes.wait_until("it has work", lambda: service.metric("arauto_deliveries_in_flight") > WINDOW // 2)
    time.sleep(2)
    leased = [int(count) for _, count in scene.database.rows(
        "select lease_owner, count(*) from arauto.delivery where state = 'leased' group by lease_owner")]
    report.holds(f"{WITHIN_WINDOW} by each process, also when it starts with the backlog",
                 max(leased) <= WINDOW, leased)
    most = service.process.memory_kb()
    report.holds(f"nor did it pass {BOUND_KB // 1024} MB then", most <= BOUND_KB, f"{most / 1024:.0f} MB")


ENTRIES = {
    "F21": ("the provider hangs, events keep coming: memory", run),
    "F21-window": ("the same without the room in claim.sql", without("window", run, (WITHIN_WINDOW,), events=4_000)),
}
NUMBERS = {"events": (20_000, 200_000, 200_000)}
