"""F21: the provider takes every message and never answers; events keep coming. What does not fit a window waits in
PostgreSQL, and the service stays small."""

import flood
import processes
from stage import Scene

BOUND_KB = 128 * 1024
WINDOW = 256 # node.window_max as it comes; deliveries of one tenant and channel in flight on a node


def count_states(scene):
    return {state: int(count) for state, count in scene.database.rows(
        "select state, count(*) from arauto.delivery group by state")}


def run(stage, report, options):
    scene = Scene(stage, "f21")
    try:
        service = scene.service() # every setting as it comes
        scene.furnish(service, {"nobody": "hang"})
        at_rest = service.process.memory_kb("VmRSS")
        statuses, seconds = flood.pour(service.url, scene.key, "nobody", options.events)
        states = count_states(scene)
        most = service.process.memory_kb("VmHWM")
        report.figure(f"{options.events} events in {seconds:.0f} s, {options.events / seconds:.0f}/s; resident "
                      f"{at_rest / 1024:.0f} MB at rest, {most / 1024:.0f} MB at most")
        report.holds("every event was accepted", statuses == {202: options.events}, statuses)
        report.holds(f"resident memory never passed {BOUND_KB // 1024} MB", most <= BOUND_KB, f"{most / 1024:.0f} MB")
        report.holds(f"at most {WINDOW} deliveries are leased", 0 < states.get("leased", 0) <= WINDOW,
                     states.get("leased", 0))
        report.holds("all others wait in PostgreSQL", states.get("leased", 0) + states.get("pending", 0)
                     == options.events, states)
        report.holds("the provider hangs on what it heard", all(
            not line["taken"] for line in scene.provider_lines()) and scene.provider_lines() != [],
            f"{len(scene.provider_lines())} messages")
        in_flight = service.metric("arauto_deliveries_in_flight")
        report.holds("the gauge says the same", in_flight <= WINDOW, f"{in_flight:.0f} in flight")
        report.holds("the service lives", service.process.alive())
    except OSError as why:
        raise processes.Trouble(f"the flood: {why}") from why
    finally:
        scene.close()
