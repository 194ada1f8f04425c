"""What an entry found out: checks that count, figures that do not."""


class Report:
    def __init__(self, quiet=False):
        self.quiet, self.passed, self.red = quiet, 0, []

    def figure(self, text):
        if not self.quiet:
            print(f"       {text}", flush=True)

    def holds(self, name, good, seen=""):
        if good:
            self.passed += 1
        else:
            self.red.append(name)
        if not self.quiet:
            print(f"  {'ok  ' if good else 'FAIL'} {name}{': ' if seen != '' else ''}{seen}", flush=True)

    def none_of(self, name, bad, of):
        """`bad` is the list of offenders; an empty `of` proves nothing and fails."""
        some = f", such as {bad[:3]}" if bad else ""
        self.holds(name, not bad and of > 0, f"{len(bad)} of {of}{some}")

    def findings(self, all_of_them, may_be_empty=("I7", )):
        for one in all_of_them:
            of = one.of if not one.name.startswith(may_be_empty) else max(one.of, 1)
            some = f", such as {one.bad[:3]}" if one.bad else ""
            self.holds(one.name, not one.bad and of > 0, f"{len(one.bad)} of {one.of}{some}")


def middle_and_most(values):
    """p50 and the largest, for figures."""
    ranked = sorted(values)
    return (ranked[len(ranked) // 2], ranked[-1]) if ranked else (0.0, 0.0)
