"""What a measurement needs: a private PostgreSQL, the service, a mail sink, and clocks for the CPU they use."""
import json, os, pathlib, shutil, signal, socket, subprocess, tempfile, time, urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("ARAUTO_BINARY", str(ROOT / "build" / "arauto"))
USERS = 1000


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_port(port, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on {port}")


def started(words, ready=None, **options):
    """A child; with `ready` its standard output is read up to the line that begins so, and that line is given too."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE if ready else subprocess.DEVNULL, text=True, **options)
    if not ready:
        return child
    for line in child.stdout:
        if line.startswith(ready):
            return child, line[len(ready):].strip()
    raise SystemExit(f"{words[0]} ended before it was ready")


def ended(child, sign=signal.SIGTERM):
    if child and child.poll() is None:
        child.send_signal(sign)
        child.wait(30)


def cpu_seconds(pids):
    """User and system time of processes and what they started."""
    total, tick = 0.0, os.sysconf("SC_CLK_TCK")
    for pid in pids:
        for one in [pid] + [int(c) for c in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()]:
            try:
                fields = pathlib.Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
                total += (int(fields[11]) + int(fields[12])) / tick
                if one == pid:  # children that have ended count too
                    total += (int(fields[13]) + int(fields[14])) / tick
            except FileNotFoundError:
                pass
    return total


def rss_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


class Stage:
    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="arauto-load-"))
        self.home.chmod(0o711)
        self.service = None
        self.postgres, self.admin_url = started([BINARY, "postgres", "--data", str(self.home)], "ready ",
                                                env={"PATH": os.environ["PATH"]})
        self.smtp_port = free_port()
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        self.sink = started(["smtp-sink", *user, f"127.0.0.1:{self.smtp_port}", "1024"], stderr=subprocess.DEVNULL)
        wait_port(self.smtp_port)
        self.database = 0
        self.url = self.token = None
        self.environment = {"PATH": os.environ["PATH"]}

    def fresh_database(self):
        """A database with one tenant, its users and templates: one event makes two deliveries, e-mail and push."""
        self.database += 1
        name = f"load{self.database}"
        self.sql(f"create database {name}", self.admin_url)
        self.url = self.admin_url.rsplit("/", 1)[0] + "/" + name
        self.environment = {"PATH": os.environ["PATH"], "ARAUTO_DATABASE_URL": self.url}
        self.arauto("migrate")
        self.arauto("tenant", "create", "load", "--name", "load")
        made = self.arauto("key", "create", "load")
        self.token = next(word for word in made.split() if word.strip('",').startswith("ar_live_")).strip('",')
        self.sql(f"""
          insert into arauto.recipient (tenant_id, user_id, email, email_digest)
          select 'load', 'u' || i, 'u' || i || '@example.com', sha256(convert_to('u' || i || '@example.com', 'UTF8'))
            from generate_series(0, {USERS - 1}) i;
          insert into arauto.template (tenant_id, type, channel, version, parts, required) values
            ('load', 'order_shipped', 'email', 1, '[{{"name":"subject","text":"Order {{{{order}}}}"}},
              {{"name":"text","text":"Dear {{{{name}}}}, your order {{{{order}}}} is on its way. {{{{op}}}}"}}]', '{{order,name,op}}'),
            ('load', 'order_shipped', 'push', 1, '[{{"name":"title","text":"Order {{{{order}}}}"}}]', '{{order}}')""")

    def arauto(self, *words):
        return subprocess.run([BINARY, *words], env=self.environment, check=True, capture_output=True, text=True).stdout

    def sql(self, text, url=None):
        made = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", url or self.url], input=text, text=True,
                              capture_output=True)
        if made.returncode:
            raise SystemExit(made.stderr)
        return made.stdout.strip()

    def serve(self, *options):
        self.service, self.address = started(
            [BINARY, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--mail-transport", "smtp", "--smtp-host",
             "127.0.0.1", "--smtp-port", str(self.smtp_port), "--smtp-tls", "off", *options],
            "ready ", env=self.environment, stderr=open(self.home / "service.log", "a"))

    def stop_service(self):
        ended(self.service)
        self.service = None

    def wrk(self, seconds, prefix, send_at=None):
        """Requests a second that were answered 2xx, with 64 connections."""
        env = {"PATH": os.environ["PATH"], "TOKEN": self.token, "PREFIX": prefix, "USERS": str(USERS)}
        if send_at:
            env["SEND_AT"] = send_at
        made = subprocess.run(["wrk", "-t1", "-c64", f"-d{seconds}s", "-s", str(ROOT / "tests/load/post.lua"), self.address],
                              env=env, capture_output=True, text=True, check=True).stdout
        requests, microseconds, errors = map(int, next(l for l in made.splitlines() if l.startswith("WRK")).split()[1:])
        return (requests - errors) / (microseconds / 1e6), errors

    def metric(self, name):
        with urllib.request.urlopen(self.address + "/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(l.rsplit(" ", 1)[1]) for l in lines if l.startswith(name) and l[len(name)] in "{ ")

    def close(self):
        self.stop_service()
        ended(self.sink)
        ended(self.postgres)
        shutil.rmtree(self.home, ignore_errors=True)
