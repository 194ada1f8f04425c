"""Proof that a guard is a guard: a copy of the program in which one piece of embedded SQL is replaced by a text of the
same length, as <name>.sabotage says; or, where its guard stands in C++, one that is built from a changed copy of that
source (source_twin.py). The product itself has no switch; the copy lives in the scratch directory."""

import argparse
import os
import shutil

import source_twin
from processes import Trouble
from report import Report

HERE = os.path.dirname(os.path.abspath(__file__))


def read(name):
    """Pairs of lines: `-` the guard as it stands in storage/sql, `+` what replaces it; `=` before them: how many times
    it stands there, if not once; `@`: the source file it stands in, if not SQL. Others are comments. Gives the source,
    and (times, guard, replacement) of each pair."""
    source, times, old, changes = None, 1, None, []
    with open(os.path.join(HERE, name + ".sabotage")) as file:
        for line in file:
            mark, text = line[:2], line[2:].rstrip("\n")
            if mark == "@ ":
                source = text
            elif mark == "= ":
                times = int(text)
            elif mark == "- ":
                old = text
            elif mark == "+ ":
                changes.append((times, old, text))
                times = 1
    return source, changes


def apply(binary, scratch, name):
    source, changes = read(name)
    if source:
        return source_twin.build(binary, scratch, name, source, [(old, new) for _, old, new in changes])
    with open(binary, "rb") as file:
        program = file.read()
    for times, old, new in changes:
        if program.count(old.encode()) != times:
            raise Trouble(f"{name}.sabotage: not found {times} times in the program: {old}")
        if len(new) > len(old):
            raise Trouble(f"{name}.sabotage: too long: {new}")
        program = program.replace(old.encode(), new.encode().ljust(len(old.encode())))
    copy = os.path.join(scratch, "arauto-" + name)
    with open(copy, "wb") as file:
        file.write(program)
    shutil.copymode(binary, copy)
    return copy


def without(guard, scenario, must_be_red, may_be_red=(), **numbers):
    """An entry: the scenario with a guard taken out of a copy of the program must turn these checks red, and no other
    save those that chance decides: what only broke the scenario proves nothing."""
    def run(stage, report, options):
        twin = stage.with_program(apply(stage.binary, stage.scratch, guard))
        found = Report(quiet=True)
        scenario(twin, found, argparse.Namespace(**{**vars(options), **numbers}))
        for name in must_be_red:
            report.holds(f"without it this turns red: {name}", any(one.startswith(name) for one in found.red))
        others = [one for one in found.red if not one.startswith((*must_be_red, *may_be_red))]
        report.holds("and nothing else does", not others, others or "")
    return run
