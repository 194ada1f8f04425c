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
import fault_outage
import sabotage
from processes import PR_SET_PDEATHSIG, Trouble
from report import Report
from stage import Stage

SMALL = {"kills": 5, "lease": 5, "zombies": 10, "answers": 10, "outage": 10, "outages": 1, "events": 20_000, "patience": 60}
FULL = {"kills": 20, "lease": 30, "zombies": 80, "answers": 50, "outage": 10, "outages": 4, "events": 200_000, "patience": 120}


def run_kill(stage, report, options):
    evidence = fault_kill.run(stage, report, options)
    fault_checker.run(report, evidence)


def without(guard, scenario, must_be_red, **numbers):
    """An entry: the scenario with a guard taken out of a copy of the program must turn these checks red, and no other:
    what only broke the scenario proves nothing."""
    def run(stage, report, options):
        twin = stage.with_program(sabotage.apply(stage.binary, stage.scratch, guard))
        found = Report(quiet=not options.keep)
        scenario(twin, found, argparse.Namespace(**{**vars(options), **numbers}))
        for name in must_be_red:
            report.holds(f"without it this turns red: {name}", any(one.startswith(name) for one in found.red))
        others = [one for one in found.red if not one.startswith(must_be_red)]
        report.holds("and nothing else does", not others, others or "")
    return run


# Name: what happens, the entry, whether it belongs to --short.
ENTRIES = {
    "F1": ("kill -9 of the service under load", run_kill, True),
    "F1-reaper": ("the same without a reaper", without("reaper", fault_kill.run, ("I4", "I6"), kills=1, lease=2,
                                                     patience=6), True),
    "F1-loop": ("it dies again and again with a full window", fault_loop.run, False),
    "F3": ("PostgreSQL away under load", fault_outage.run, True),
    "F8": ("a frozen worker comes back after its lease", fault_freeze.run, True),
    "F8-fence": ("the same without the lease token in settle.sql", without(
        "fence", fault_freeze.meet_the_new_holder, (fault_freeze.NOTHING_CHANGED, fault_freeze.COUNTED_STALE,
                                                        fault_freeze.ENDS_WELL, "I9")), True),
    "F8-doubt": ("the same without in_doubt in reap.sql", without(
        "doubt", fault_freeze.meet_the_new_holder, ("I7",)), True),
    "F10": ("the provider's answer is lost", fault_answer.run, True),
    "F10-memory": ("the same without a memory of doubt", without(
        "memory", fault_answer.run, ("drop", "hang", "the API", "I4", "I6", "I7"), answers=5, patience=12), True),
    "F21": ("the provider hangs, events keep coming: memory", fault_memory.run, True),
    "F21-window": ("the same without the room in claim.sql", without(
        "window", fault_memory.run_small, (fault_memory.WITHIN_WINDOW,)), True),
}


def read_options():
    options = argparse.ArgumentParser(prog="run.sh", description=__doc__)
    options.add_argument("entries", nargs="*", metavar="ENTRY", help=" ".join(ENTRIES))
    options.add_argument("--short", action="store_true", help="small numbers")
    options.add_argument("--list", action="store_true", help="name the entries")
    options.add_argument("--keep", action="store_true", help="keep logs and journals")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    for name, number in FULL.items():
        options.add_argument(f"--{name}", type=int, help=f"{number}, short {SMALL[name]}")
    options.add_argument("--binary", help=argparse.SUPPRESS)
    options.add_argument("--scratch", help=argparse.SUPPRESS)
    given = options.parse_args()
    for unknown in set(given.entries) - set(ENTRIES):
        options.error(f"no entry {unknown}; there are {' '.join(ENTRIES)}")
    for name, number in (SMALL if given.short else FULL).items():
        if getattr(given, name) is None:
            setattr(given, name, number)
    return given


def run_entry(stage, name, options):
    title, entry, _ = ENTRIES[name]
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
        for name, (title, *_) in ENTRIES.items():
            print(f"{name:12} {title}")
        return 0
    passed = failed = 0
    stage = None
    try:
        stage = Stage(options.binary, options.scratch)
        for name in options.entries or [one for one in ENTRIES if ENTRIES[one][2] or not options.short]:
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
