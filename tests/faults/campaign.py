"""Runs entries of the fault campaign and counts; called by run.sh. The entries themselves stand in fault_*.py:

  ENTRIES  name: (title, function of stage, report, options)
  NUMBERS  option: (in --short, as it comes, in --long); the same option of two modules has the same numbers
  CHUNKS   entry: (option, rounds): in --long that option is split into runs of so many rounds, whose counts add up
  NOT_IN_SHORT  entries that --short leaves out

The last three may be missing."""

import argparse
import copy
import ctypes
import glob
import importlib
import os
import random
import re
import signal
import sys
import time
import traceback

import lanes
import state
from processes import PR_SET_PDEATHSIG, Trouble
from report import Report
from stage import HERE, Stage

SHORT, FULL, LONG = range(3)


class Entries:
    """What the modules export, as one."""

    def __init__(self):
        self.titles, self.run, self.chunks, self.not_in_short = {}, {}, {}, set()
        self.numbers = {"patience": (60, 120, 240)} # seconds until everything must be quiet
        found = {}
        for path in sorted(glob.glob(os.path.join(HERE, "fault_*.py"))):
            module = importlib.import_module(os.path.basename(path)[:-len(".py")])
            for option, sizes in getattr(module, "NUMBERS", {}).items():
                if self.numbers.setdefault(option, sizes) != sizes:
                    raise SystemExit(f"{path}: --{option} has other numbers elsewhere")
            found.update(getattr(module, "ENTRIES", {}))
            self.chunks.update(getattr(module, "CHUNKS", {}))
            self.not_in_short.update(getattr(module, "NOT_IN_SHORT", ()))
        for name in sorted(found, key=lambda one: (one[0], int(re.search(r"\d+", one)[0]), one)):
            self.titles[name], self.run[name] = found[name]


def read_options(entries):
    options = argparse.ArgumentParser(prog="run.sh", description="Runs the fault tests; see README.md.")
    options.add_argument("entries", nargs="*", metavar="ENTRY", help=" ".join(entries.run))
    options.add_argument("--short", dest="size", action="store_const", const=SHORT, default=FULL, help="small numbers")
    options.add_argument("--long", dest="size", action="store_const", const=LONG, help="large ones, in chunks")
    options.add_argument("--resume", metavar="FILE", help="go on with the long campaign of this state file")
    options.add_argument("--table", metavar="FILE", help="print the results in a state file as Markdown")
    options.add_argument("--list", action="store_true", help="name the entries")
    options.add_argument("--keep", action="store_true", help="keep logs and journals")
    options.add_argument("--lanes", type=int, help="so many entries at a time: 1, in --short 3")
    options.add_argument("--lane", action="store_true", help=argparse.SUPPRESS)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    for name, sizes in entries.numbers.items():
        options.add_argument("--" + name.replace("_", "-"), dest=name, type=int, help="%d; in --short %d, in --long %d"
                             % (sizes[FULL], sizes[SHORT], sizes[LONG]))
    options.add_argument("--binary", help=argparse.SUPPRESS)
    options.add_argument("--scratch", help=argparse.SUPPRESS)
    given = options.parse_args()
    for unknown in set(given.entries) - set(entries.run):
        options.error(f"no entry {unknown}; there are {' '.join(entries.run)}")
    given.size = LONG if given.resume else given.size
    for name, sizes in entries.numbers.items():
        if getattr(given, name) is None:
            setattr(given, name, sizes[given.size])
    given.lanes = given.lanes or (3 if given.size == SHORT and not given.lane else 1)
    left_out = entries.not_in_short if given.size == SHORT else ()
    given.entries = given.entries or [one for one in entries.run if one not in left_out]
    return given


def run_entry(entries, stage, name, options):
    print(f"\n{name}  {entries.titles[name]}", flush=True)
    began, report = time.monotonic(), Report()
    try:
        entries.run[name](stage, report, options)
    except Exception as why: # the surroundings, or a program error of ours: either way nothing was shown
        traceback.print_exc()
        report.holds("the entry came to its end", False, why)
    report.seconds = time.monotonic() - began
    report.figure(f"{report.seconds:.0f} s")
    return report


def run_short(entries, stage, options, name):
    report = run_entry(entries, stage, name, options)
    return report.passed, len(report.red)


def run_long(entries, stage, options, name):
    """What the state file has not seen yet, chunk by chunk; a red one is not tried again in the same sitting."""
    book, passed, failed = state.State(options.resume), 0, 0
    option, rounds = entries.chunks.get(name, (None, 1))
    wanted = getattr(options, option) if option else 1
    while (left := wanted - book.rounds_done(name)) > 0 and failed == 0:
        mine = copy.copy(options)
        mine.seed = options.seed + book.runs(name)
        if option:
            setattr(mine, option, min(left, rounds))
        report = run_entry(entries, stage, name, mine)
        book.add(name, mine.seed, min(left, rounds), report)
        passed, failed = passed + report.passed, len(report.red)
    return passed, failed


def with_stage(entries, options, use):
    """Calls `use` with what runs one entry; gives how many checks failed on the way."""
    stage, failed = None, []
    def run_one(name):
        passed, red = (run_long if options.size == LONG else run_short)(entries, stage, options, name)
        failed.extend([name] * red)
        return passed, red
    try:
        stage = Stage(options.binary, options.scratch)
        use(run_one)
    except Trouble as why:
        print(f"no stage: {why}", flush=True)
        failed.append("stage")
    finally:
        if stage is not None:
            stage.close()
        if options.keep or failed:
            open(os.path.join(options.scratch, "keep"), "w").close()
    return len(failed)


def run_campaign(entries, options):
    if options.size == LONG:
        options.resume = options.resume or state.new_path()
        print(f"state: {options.resume}", flush=True)
    if options.lanes > 1:
        words = [os.path.abspath(__file__), *given_again(entries, options)]
        passed, failed = lanes.run(options.entries, options.lanes, words, options.scratch)
        if options.keep or failed:
            open(os.path.join(options.scratch, "keep"), "w").close()
    else:
        passed = 0
        def one_after_the_other(run_one):
            nonlocal passed
            for name in options.entries:
                passed += run_one(name)[0]
        failed = with_stage(entries, options, one_after_the_other)
    print(f"\n{passed} passed, {failed} failed", flush=True)
    return 0 if failed == 0 and passed > 0 else 1


def given_again(entries, options):
    """The same options for a lane."""
    words = ["--binary", options.binary, "--seed", str(options.seed)]
    words += [["--short"], [], ["--long", "--resume", options.resume]][options.size]
    for name in entries.numbers:
        words += ["--" + name.replace("_", "-"), str(getattr(options, name))]
    return words


def main():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    entries = Entries()
    options = read_options(entries)
    if options.list:
        for name, title in entries.titles.items():
            print(f"{name:12} {title}")
        return 0
    if options.table:
        print(state.table(options.table, entries.titles))
        return 0
    if options.lane:
        return with_stage(entries, options, lanes.serve)
    return run_campaign(entries, options)


sys.exit(main())
