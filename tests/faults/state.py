"""The memory of a long campaign: a file with one line for each entry or chunk of an entry that came to its end. What
was green is not run again; what was red stays in it and in the table, and is run again when the campaign goes on."""

import json
import os
import subprocess
import tempfile
import time

from report import ranks
from stage import HERE


def new_path():
    return os.path.join(tempfile.gettempdir(), time.strftime("arauto-faults-%Y%m%d-%H%M%S.jsonl"))


def commit():
    """Of the tree these tests stand in; with a + when it is not as committed."""
    def git(*words):
        return subprocess.run(["git", "-C", HERE, *words], capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")


class State:
    def __init__(self, path):
        self.path, self.lines = path, []
        if os.path.exists(path):
            with open(path) as file:
                self.lines = [json.loads(line) for line in file if line.endswith("\n")]

    def of(self, entry):
        return [line for line in self.lines if line["entry"] == entry]

    def runs(self, entry):
        return len(self.of(entry))

    def rounds_done(self, entry):
        return sum(line["rounds"] for line in self.of(entry) if not line["red"])

    def add(self, entry, seed, rounds, report):
        self.lines.append({
            "entry": entry, "seed": seed, "rounds": rounds, "commit": commit(), "seconds": round(report.seconds),
            "date": time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime()), "figures": report.figures,
            "counts": report.counts, "times": report.seconds_of, "checks": report.checks, "red": report.red})
        with open(self.path, "a") as file:
            file.write(json.dumps(self.lines[-1]) + "\n")


def added_up(lines):
    """Counts, times and checks of the chunks of an entry as one."""
    counts, times, checks = {}, {}, {}
    for line in lines:
        for name, number in line["counts"].items():
            counts[name] = counts.get(name, 0) + number
        for name, seconds in line["times"].items():
            times.setdefault(name, []).extend(seconds)
        for name, bad, of in line["checks"]:
            before = checks.get(name, (0, 0))
            checks[name] = (before[0] + bad, before[1] + of)
    return counts, times, checks


def chapter(entry, title, lines):
    counts, times, checks = added_up(lines)
    seeds = ", ".join(str(line["seed"]) for line in lines)
    dates = sorted({line["date"] for line in lines})
    out = [f"## {entry}: {title}", "",
           f"{dates[0]}{' to ' + dates[-1] if len(dates) > 1 else ''}, commit "
           f"{', '.join(sorted({line['commit'] for line in lines}))}, seed {seeds}, "
           f"{sum(line['seconds'] for line in lines)} s", ""]
    if counts:
        out.append("* " + ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items()))
    out += [f"* {text}" for text in per_million(counts)]
    out += [f"* {what}: {ranks(seconds)} ({len(seconds)} times)" for what, seconds in times.items()]
    if len(lines) == 1:
        out += [f"* {text}" for text in lines[0]["figures"][:-1]] # the last is its duration
    out += ["", "| must hold | violations |", "|---|---|"]
    out += [f"| {name} | {'**' if bad else ''}{bad:,} of {of:,}{'**' if bad else ''} |"
            for name, (bad, of) in checks.items()]
    return out + [""]


SUMMARY = ("F1", "F1-lease", "F3", "F4", "F8", "F10", "F15", "F16", "F17")


def per_million(counts):
    if not counts.get("events") or "duplicates" not in counts:
        return []
    return [f"{1e6 * counts['duplicates'] / counts['events']:,.0f} duplicates per million events"]


def summary(book):
    """One line for each of the entries whose numbers matter most; README.md shows it."""
    out = ["| entry | done | times | violations |", "|---|---|---|---|"]
    for entry in SUMMARY:
        if lines := book.of(entry):
            counts, times, checks = added_up(lines)
            done = [f"{number:,} {name.replace('_', ' ')}" for name, number in list(counts.items())[:4]]
            took = "; ".join(f"{what}: {ranks(seconds)}" for what, seconds in list(times.items())[:2])
            bad, of = (sum(one[n] for one in checks.values()) for n in (0, 1))
            out.append(f"| {entry} | {', '.join(done + per_million(counts))} | {took} | {bad:,} of {of:,} |")
    return out + [""]


def table(path, titles):
    book = State(path)
    out = ["# Results of the long campaign", "",
           "Written by `tests/faults/run.sh --table`; what each entry does stands in ENTRIES.md. 0 of N says: not seen in",
           "N tries, which bounds its share below 3 / N (95 %). Times are of one machine with two cores, shared with others.", "",
           "Duplicates: a mail is taken twice only where a node died, froze or lost its sessions between the provider's",
           "acceptance and our settle, or the answer was lost on purpose; the delivery is marked doubtful (I7) and its one",
           "resend carries the same Message-ID. The rate is that of the faults: nobody is killed every two seconds. With",
           "`doubt.rule = hold` it would be none, and each of these a delivery held for a person.", "",
           *summary(book)]
    for entry, title in titles.items():
        if lines := book.of(entry):
            out += chapter(entry, title, lines)
    return "\n".join(out).rstrip()
