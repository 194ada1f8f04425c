"""Runs entries of the fault campaign and counts; called by run.sh."""

import argparse
import ctypes
import os
import random
import signal
import sys
import time
import traceback

import fault_answer
import fault_checker
import fault_freeze
import fault_kill
import fault_loop
import fault_memory
import fault_nodes
import fault_outage
import fault_stop
import sabotage
from processes import PR_SET_PDEATHSIG, Trouble
from report import Report
from stage import Stage

# Name of a number: in --short, in the campaign.
NUMBERS = {"kills": (5, 20), "lease": (5, 30), "stops": (3, 10), "outages": (1, 4), "outage": (10, 10),
           "zombies": (10, 80), "answers": (10, 50), "events": (20_000, 200_000), "patience": (60, 120)}


def run_kill(stage, report, options):
    evidence = fault_kill.run(stage, report, options)
    fault_checker.run(report, evidence)


def without(guard, scenario, must_be_red, **numbers):
    """An entry: the scenario with a guard taken out of a copy of the program must turn these checks red, and no other:
    what only broke the scenario proves nothing."""
    def run(stage, report, options):
        twin = stage.with_program(sabotage.apply(stage.binary, stage.scratch, guard))
        found = Report(quiet=True)
        scenario(twin, found, argparse.Namespace(**{**vars(options), **numbers}))
        for name in must_be_red:
            report.holds(f"without it this turns red: {name}", any(one.startswith(name) for one in found.red))
        others = [one for one in found.red if not one.startswith(must_be_red)]
        report.holds("and nothing else does", not others, others or "")
    return run


FENCE_IS_OUT = (fault_freeze.NOTHING_CHANGED, fault_freeze.COUNTED_STALE, fault_freeze.ENDS_WELL, "I9")
DOUBT_IS_FORGOTTEN = ("drop", "hang", "the API", "I4", "I6", "I7")

ENTRIES = {
    "F1": ("kill -9 of the service under load", run_kill),
    "F1-reaper": ("the same, no lease ever runs out",
                  without("reaper", fault_kill.run, ("I4", "I6"), kills=1, lease=2, patience=6)),
    "F1-loop": ("it dies again and again with a full window", fault_loop.run),
    "F1-nodes": ("three services, killed and frozen at random", fault_nodes.run),
    "F1-stop": ("SIGTERM under load", fault_stop.run),
    "F3": ("PostgreSQL away under load", fault_outage.run),
    "F8": ("a frozen worker comes back after its lease", fault_freeze.run),
    "F8-fence": ("the same without the lease token in settle.sql",
                 without("fence", fault_freeze.meet_the_new_holder, FENCE_IS_OUT, zombies=10)),
    "F8-doubt": ("the same without in_doubt in reap.sql",
                 without("doubt", fault_freeze.meet_the_new_holder, ("I7",), zombies=10)),
    "F10": ("the provider's answer is lost", fault_answer.run),
    "F10-memory": ("the same, doubts are forgotten",
                   without("memory", fault_answer.run, DOUBT_IS_FORGOTTEN, answers=5, patience=12)),
    "F21": ("the provider hangs, events keep coming: memory", fault_memory.run),
    "F21-window": ("the same without the room in claim.sql",
                   without("window", fault_memory.run, (fault_memory.WITHIN_WINDOW,), events=4_000)),
}
NOT_IN_SHORT = ("F1-nodes",)


def read_options():
    options = argparse.ArgumentParser(prog="run.sh", description=__doc__)
    options.add_argument("entries", nargs="*", metavar="ENTRY", help=" ".join(ENTRIES))
    options.add_argument("--short", action="store_true", help="small numbers")
    options.add_argument("--list", action="store_true", help="name the entries")
    options.add_argument("--keep", action="store_true", help="keep logs and journals")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    for name, (short, full) in NUMBERS.items():
        options.add_argument(f"--{name}", type=int, help=f"{full}, in --short {short}")
    options.add_argument("--binary", help=argparse.SUPPRESS)
    options.add_argument("--scratch", help=argparse.SUPPRESS)
    given = options.parse_args()
    for unknown in set(given.entries) - set(ENTRIES):
        options.error(f"no entry {unknown}; there are {' '.join(ENTRIES)}")
    for name, (short, full) in NUMBERS.items():
        if getattr(given, name) is None:
            setattr(given, name, short if given.short else full)
    given.entries = given.entries or [one for one in ENTRIES if one not in NOT_IN_SHORT or not given.short]
    return given


def run_entry(stage, name, options):
    title, entry = ENTRIES[name]
    print(f"\n{name}  {title}", flush=True)
    began, report = time.monotonic(), Report()
    try:
        entry(stage, report, options)
    except Exception as why: # the surroundings, or a program error of ours: either way nothing was shown
        traceback.print_exc()
        report.holds("the entry came to its end", False, why)
    report.figure(f"{time.monotonic() - began:.0f} s")
    return report


def main():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = read_options()
    if options.list:
        for name, (title, _) in ENTRIES.items():
            print(f"{name:12} {title}")
        return 0
    passed = failed = 0
    stage = None
    try:
        stage = Stage(options.binary, options.scratch)
        for name in options.entries:
            report = run_entry(stage, name, options)
            passed, failed = passed + report.passed, failed + len(report.red)
    except Trouble as why:
        print(f"no stage: {why}", flush=True)
        failed += 1
    finally:
        if stage is not None:
            stage.close()
        if options.keep or failed:
            open(os.path.join(options.scratch, "keep"), "w").close()
    print(f"\n{passed} passed, {failed} failed", flush=True)
    return 0 if failed == 0 and passed > 0 else 1


sys.exit(main())
