"""Several entries at a time, each lane a campaign with a PostgreSQL of its own: entries mostly wait. A lane reads names
of entries and tells what they came to; what it prints is shown when the entry is over."""

import os
import queue
import subprocess
import sys
import threading

from processes import PR_SET_PDEATHSIG, libc

DONE = "= done "


def serve(run_one):
    """The lane's side. `run_one` gives how many checks passed and failed."""
    for line in sys.stdin:
        print(f"{DONE}%d %d" % run_one(line.strip()), flush=True)


class Lane:
    def __init__(self, number, words, scratch):
        scratch = os.path.join(scratch, f"lane{number}")
        os.mkdir(scratch, mode=0o711)
        self.child = subprocess.Popen(
            [sys.executable, "-B", *words, "--lane", "--scratch", scratch], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, 15))

    def run(self, entry):
        """What it printed, and how many checks passed and failed."""
        self.child.stdin.write(entry + "\n")
        self.child.stdin.flush()
        said = []
        for line in self.child.stdout:
            if line.startswith(DONE):
                passed, failed = line[len(DONE):].split()
                return "".join(said), int(passed), int(failed)
            said.append(line)
        return "".join(said) + f"the lane died in {entry}\n", 0, 1

    def close(self):
        self.child.stdin.close()
        print(self.child.stdout.read(), end="", flush=True)
        self.child.wait()


def run(entries, count, words, scratch):
    """The entries in `count` lanes; gives how many checks passed and failed."""
    waiting, guard, total = queue.SimpleQueue(), threading.Lock(), [0, 0]
    for name in entries:
        waiting.put(name)

    def go_on(number):
        lane = Lane(number, words, scratch)
        while True:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                break
            said, passed, failed = lane.run(name)
            with guard:
                print(said, end="", flush=True)
                total[0], total[1] = total[0] + passed, total[1] + failed
        lane.close()

    threads = [threading.Thread(target=go_on, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return total
