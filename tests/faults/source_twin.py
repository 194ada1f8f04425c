"""A guard that stands in C++ is taken out of a copy of its source file, which is compiled as the build does and linked
in front of the archives. Needs the build directory the program stands in."""

import os
import shlex
import subprocess

from processes import Trouble


def run(words, directory):
    done = subprocess.run(words, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Trouble(f"{' '.join(words[:3])}...: {done.stderr[-600:]}")
    return done.stdout


def without_option(words, *options):
    """`words` without these options and the word after each."""
    left, waiting = [], iter(words)
    for word in waiting:
        if word in options:
            next(waiting)
        else:
            left.append(word)
    return left


def build(binary, scratch, name, source, changes):
    directory = os.path.dirname(os.path.realpath(binary))
    if not os.path.exists(os.path.join(directory, "build.ninja")):
        raise Trouble(f"{binary} does not stand in its build directory: {name} cannot be built")
    commands = run(["ninja", "-t", "commands", os.path.basename(binary)], directory).splitlines()
    compiles = [words for words in map(shlex.split, commands) if "-c" in words and words[-1].endswith("/" + source)]
    if len(compiles) != 1:
        raise Trouble(f"{name}.sabotage: {source} is compiled {len(compiles)} times")
    with open(compiles[0][-1]) as file:
        text = file.read()
    for old, new in changes:
        if text.count(old) != 1:
            raise Trouble(f"{name}.sabotage: not found once in {source}: {old}")
        text = text.replace(old, new)
    copy, object_file, twin = (os.path.join(scratch, "arauto-" + name + end) for end in (".cpp", ".o", ""))
    with open(copy, "w") as file:
        file.write(text)
    run([*without_option(compiles[0][:-1], "-MT", "-MF", "-o"), copy, "-o", object_file], directory)
    link = shlex.split(commands[-1])
    link = link[link.index("&&") + 1:] if "&&" in link else link
    link = without_option(link[:link.index("&&")] if "&&" in link else link, "-o")
    first = next(n for n, word in enumerate(link) if word.endswith(".a"))
    run([*link[:first], object_file, *link[first:], "-o", twin], directory)
    return twin
