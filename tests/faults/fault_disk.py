"""F6: PostgreSQL's disk is full; F7: its fsync answers EIO. Under load, really: a small file system of its own that
somebody else fills, and a library in front of fsync in the processes of that server only. What was told 202 is there
afterwards, everything else was told 503, and the service comes back without a restart."""

import ctypes
import os
import subprocess
import time

import checker
import client
from database import Database
from processes import Process, Trouble, wait_until
from stage import Postgres, Scene

CLONE_NEWNS, MS_PRIVATE_ALL = 0x20000, 0x40000 | 0x4000
BACK_WITHIN_S = 10
USERS = {f"u{n}": ("slow250" if n % 3 == 0 else "accept") for n in range(30)}
DISK_MB = 256
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>
static int answer(const char* name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (access(FLAG, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return real(file);
}
int fsync(int file) { return answer("fsync", file); }
int fdatasync(int file) { return answer("fdatasync", file); }
"""
libc = ctypes.CDLL(None, use_errno=True)


def must(done, what):
    if done != 0:
        raise Trouble(f"{what}: {os.strerror(ctypes.get_errno())}")


def small_disk(path):
    """A file system of its own, in a mount namespace that ends with us and our children."""
    os.makedirs(path)
    must(libc.unshare(CLONE_NEWNS), "unshare")
    must(libc.mount(b"none", b"/", None, MS_PRIVATE_ALL, None), "mount --make-rprivate")
    must(libc.mount(b"none", path.encode(), b"tmpfs", 0, f"size={DISK_MB}m,mode=711".encode()), f"mount {path}")


def fill(path):
    """Somebody else's file takes what is left; gives its name."""
    name = os.path.join(path, "ballast")
    with open(name, "wb", buffering=0) as file:
        for size in (1 << 20, 4096):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
    return name


class BehindShim(Postgres):
    """The same server started again as `arauto postgres` starts it, with a library of ours in front."""

    def __init__(self, binary, directory, shim):
        self.words_to_server = None
        super().__init__(binary, directory)
        pid = self.server_pid()
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().decode().split("\0")[:-1]
        words[0] = os.readlink(f"/proc/{pid}/exe")
        owner = os.stat(f"/proc/{pid}")
        self.process.end()
        self.shim, self.words_to_server = shim, [
            "setpriv", f"--reuid={owner.st_uid}", f"--regid={owner.st_gid}", "--clear-groups", "--pdeathsig=INT", *words]
        self.run()

    def run(self):
        if self.words_to_server is None:
            return super().run()
        self.process = Process(self.words_to_server, self.log, {"LD_PRELOAD": self.shim})
        wait_until("the server answers", lambda: answers(self), 60)


def answers(postgres):
    try:
        Database(postgres.url).close()
        return True
    except Trouble:
        return False


def wait_for_the_server(postgres):
    """It comes back by itself or gives up; then an operator starts it. True: the latter."""
    wait_until("the server comes back or gives up", lambda: not postgres.process.alive() or answers(postgres), 60)
    if postgres.process.alive():
        return False
    postgres.start()
    return True


def under_load(report, options, stage, name, break_it, mend_it):
    """Load, the fault, and after a while its end; judges what was told."""
    scene = Scene(stage, name)
    try:
        service = scene.service(node_lease="5s", doubt_resend_after="2s", retry_base="1s")
        scene.furnish(service, USERS)
        pid = service.process.pid
        clients = client.Clients(service.url, scene.key, list(USERS), scene.path("client.journal"), pause=0.02)
        wait_until("the load runs", lambda: clients.accepted() > 100)
        break_it()
        broke_at, refused = time.time(), lambda: sum(told.status == 503 for told in list(clients.told))
        wait_until("a 503", lambda: refused() > 0, 60)
        time.sleep(options.broken)
        mend_it()
        restarted = wait_for_the_server(stage.postgres)
        mended_at = time.time()
        wait_until("a 202 afterwards", lambda: any(
            told.status == 202 and told.asked_at > mended_at for told in list(clients.told)), 90)
        time.sleep(1)
        clients.stop()
        report.holds("the service was never restarted", service.process.alive() and service.process.pid == pid)
        scene.reconnect()
        scene.wait_until_quiet(options.patience)
        evidence = scene.gather(clients)
        back = min(told.told_at for told in clients.told if told.status == 202 and told.asked_at > mended_at) - mended_at
        report.times("mended -> first 202", [back])
        report.count(events=len(evidence.events), answers_503=refused(), told_202_meanwhile=sum(
            told.status == 202 and broke_at < told.told_at < mended_at for told in clients.told))
        report.figure("the server " + ("gave up and was started again" if restarted else "came back by itself"))
        odd = [(told.status, told.operation) for told in clients.told if told.status not in (202, 503)]
        report.none_of("nothing but 202 and 503 is ever said", odd, len(clients.told))
        report.holds(f"accepting again within {BACK_WITHIN_S} s", back <= BACK_WITHIN_S, f"{back:.1f} s")
        report.findings(checker.check_all(evidence))
    finally:
        scene.close()


def full_disk(stage, report, options):
    disk = os.path.join(stage.scratch, "disk")
    small_disk(disk)
    small = stage.with_postgres(Postgres(stage.binary, disk))
    try:
        ballast = []
        under_load(report, options, small, "f6", lambda: ballast.append(fill(disk)), lambda: os.remove(ballast[0]))
    finally:
        small.close()
        libc.umount2(disk.encode(), 0)


def failing_fsync(stage, report, options):
    flag, shim = os.path.join(stage.scratch, "eio"), os.path.join(stage.scratch, "eio.so")
    built = subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", f'-DFLAG="{flag}"', "-o", shim, "-ldl"],
                           input=SHIM, capture_output=True, text=True)
    if built.returncode != 0:
        raise Trouble(f"cc: {built.stderr[-300:]}")
    os.chmod(shim, 0o755)
    os.makedirs(os.path.join(stage.scratch, "eio-data"), mode=0o711)
    bad = stage.with_postgres(BehindShim(stage.binary, os.path.join(stage.scratch, "eio-data"), shim))
    try:
        under_load(report, options, bad, "f7", lambda: open(flag, "w").close(), lambda: os.remove(flag))
    finally:
        bad.close()


ENTRIES = {"F6": ("PostgreSQL's disk is full", full_disk), "F7": ("PostgreSQL's fsync fails", failing_fsync)}
NUMBERS = {"broken": (4, 8, 20)}
