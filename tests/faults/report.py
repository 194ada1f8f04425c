"""What an entry found out: checks that count, figures that do not. Counts and times of the same name add up over the
chunks of a long run (state.py)."""


class Report:
    def __init__(self, quiet=False):
        self.quiet, self.passed, self.red = quiet, 0, []
        self.figures, self.counts, self.seconds_of, self.checks = [], {}, {}, []
        self.seconds = 0.0

    def say(self, text):
        if not self.quiet:
            print(f"       {text}", flush=True)

    def figure(self, text):
        self.figures.append(text)
        self.say(text)

    def count(self, **numbers):
        """Numbers that add up: report.count(kills=20, duplicates=3)."""
        for name, number in numbers.items():
            self.counts[name] = self.counts.get(name, 0) + number
        self.say(", ".join(f"{number} {name.replace('_', ' ')}" for name, number in numbers.items()))

    def times(self, what, seconds):
        """Seconds that something took, each time it was done."""
        self.seconds_of.setdefault(what, []).extend(round(one, 3) for one in seconds)
        self.say(f"{what}: {ranks(seconds)}")

    def holds(self, name, good, seen=""):
        self.judge(name, 0 if good else 1, 1, seen)

    def none_of(self, name, bad, of):
        """`bad` is the list of offenders; an empty `of` proves nothing and fails."""
        some = f", such as {bad[:3]}" if bad else ""
        self.judge(name, len(bad), of, f"{len(bad)} of {of}{some}")

    def findings(self, all_of_them):
        for one in all_of_them:
            some = f", such as {one.bad[:3]}" if one.bad else ""
            self.judge(one.name, len(one.bad), one.of, f"{len(one.bad)} of {one.of}{some}", one.may_be_empty)

    def judge(self, name, bad, of, seen, may_be_empty=False):
        good = bad == 0 and (of > 0 or may_be_empty)
        self.checks.append([name, bad, of])
        if good:
            self.passed += 1
        else:
            self.red.append(name)
        if not self.quiet:
            print(f"  {'ok  ' if good else 'FAIL'} {name}{': ' if seen != '' else ''}{seen}", flush=True)


def ranks(seconds):
    """p50, p99 and the largest, for figures."""
    ranked = sorted(seconds)
    if not ranked:
        return "never"
    return "p50 %.2f s, p99 %.2f s, max %.2f s" % (
        ranked[len(ranked) // 2], ranked[min(len(ranked) - 1, len(ranked) * 99 // 100)], ranked[-1])
