"""Processes that die with us: each is told by the kernel when the thread that started it is gone, so nothing is
left running however the campaign ends."""

import ctypes
import os
import signal
import subprocess
import time

libc = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


class Trouble(Exception):
    """The surroundings failed, not the product: the entry counts as failed and says why."""


def wait_until(what, condition, seconds=30.0, every=0.05):
    """The first true value of `condition`, or Trouble that names what was waited for."""
    give_up = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > give_up:
            raise Trouble(f"waited {seconds:.0f} s in vain: {what}")
        time.sleep(every)


class Process:
    def __init__(self, words, log, environment=None, directory="/", last_signal=signal.SIGKILL):
        self.log = log
        with open(log, "ab") as errors:
            self.child = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, cwd=directory,
                env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", **(environment or {})},
                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, last_signal))
        self.pid = self.child.pid

    def ready(self):
        """The word after "ready " on its first line of output."""
        line = self.child.stdout.readline().decode()
        if not line.startswith("ready "):
            raise Trouble(f"{self.log}: not ready: {self.last_words()}")
        return line.split()[1]

    def last_words(self):
        with open(self.log, "rb") as log:
            return log.read()[-600:].decode(errors="replace")

    def alive(self):
        return self.child.poll() is None

    def send(self, number):
        self.child.send_signal(number)

    def kill(self):
        self.end(signal.SIGKILL)

    def end(self, number=signal.SIGTERM, seconds=30.0):
        """Its exit code; a stopped one is woken first, a deaf one is killed."""
        if self.alive():
            self.send(number)
            self.send(signal.SIGCONT)
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.child.stdout.close()
        return self.child.returncode

    def memory_kb(self, name="VmHWM"):
        """VmRSS: resident now; VmHWM: the most it ever was."""
        with open(f"/proc/{self.pid}/status") as status:
            for line in status:
                if line.startswith(name + ":"):
                    return int(line.split()[1])
        raise Trouble(f"no {name} of {self.pid}")
