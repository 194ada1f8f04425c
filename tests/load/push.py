"""Pushes over HTTP/2 into nghttpd, which has an empty file for each device and so answers 200: what APNs and Web Push cost
us, beside h2load to the same server and the bare encryption (RFC 8291) on one core. (With --echo-upload it would write a file
a request, and what was measured would be the disk that PostgreSQL commits to.)"""
import base64, json, os, pathlib, re, subprocess, time

from stage import ROOT, USERS, ended, free_port, started, wait_port

BUILD = pathlib.Path(os.environ.get("ARAUTO_BINARY", ROOT / "build" / "arauto")).parent


APNS_TOKEN = "{:064x}".format


class Peer:
    def __init__(self, stage):
        self.port, self.home = free_port(), stage.home / "nghttpd"
        self.home.mkdir(exist_ok=True)
        self.certificate, key = str(self.home / "cert.pem"), str(self.home / "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", self.certificate, "-days", "3", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        for place, name in (("3/device", APNS_TOKEN), ("push", str)):
            (self.home / place).mkdir(parents=True, exist_ok=True)
            for user in range(USERS):
                (self.home / place / name(user)).touch()
        self.process = started(["nghttpd", "--address=127.0.0.1", "-d", str(self.home), "-m", "1000", str(self.port), key,
                                self.certificate], stderr=subprocess.DEVNULL)
        wait_port(self.port)
        self.url = f"https://localhost:{self.port}"

    def limit(self, requests=60_000):
        """Requests a second of h2load with a body like ours, 100 streams on one connection."""
        body = self.home / "body.json"
        body.write_text(json.dumps({"aps": {"alert": {"title": "Order A-1", "body": "x" * 60}}}))
        made = subprocess.run(["h2load", "-n", str(requests), "-c", "1", "-m", "100", "-d", str(body), f"{self.url}/3/device/{APNS_TOKEN(1)}"],
                              capture_output=True, text=True, check=True).stdout
        return float(re.search(r"([\d.]+) req/s", made)[1])

    def close(self):
        ended(self.process)


def private_file(stage, name, text):
    path = stage.home / name
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def furnish(stage, provider, token, keys, deliveries):
    stage.fresh_database()
    stage.sql(f"""
      insert into arauto.device (tenant_id, user_id, device_id, provider, app, token, keys, registered_at)
      select 'load', 'u' || i, 'phone', '{provider}', 'app', {token}, {keys}, now() from generate_series(0, {USERS - 1}) i;
      insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, fingerprint, created_at)
      select gen_random_uuid(), 'load', 'u' || (i % {USERS}), 'order_shipped', json_build_object('order', 'A-' || i), 1,
             'push-' || i, '', now() from generate_series(1, {deliveries}) i;
      insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, next_attempt_at, template_id)
      select e.id, 'push', e.tenant_id, e.user_id, 1, 'pending', now(), t.id
        from arauto.event e join arauto.template t on t.channel = 'push';
      vacuum analyze""")


def drained(stage, deliveries):
    """Settled pushes a second; the first 3 % are not counted."""
    begun, first = time.monotonic(), None
    while True:
        settled = int(stage.metric('arauto_settlements_total{state="provider_accepted"}'))
        now = time.monotonic()
        if first is None and settled > deliveries * 0.03:
            first, first_at = settled, now
        if settled >= deliveries or now - begun > 120:
            break
        time.sleep(0.1)
    if settled < deliveries:
        raise SystemExit(f"only {settled} of {deliveries} were accepted")
    return (settled - first) / (now - first_at)


def measure_apns(stage, peer, say, deliveries=60_000):
    limit = peer.limit()
    say("limit: h2load to nghttpd, 100 streams", f"{limit:,.0f} requests/s")
    furnish(stage, "apns", "lpad(to_hex(i), 64, '0')", "null", deliveries)
    key = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"], check=True,
                         capture_output=True, text=True).stdout
    stage.serve("--apns-key-file", private_file(stage, "apns.p8", key), "--apns-key-id", "ABCDE12345", "--apns-team-id",
                "TEAM123456", "--apns-url", peer.url, "--push-ca-file", peer.certificate)
    rate = drained(stage, deliveries)
    say(f"drain of {deliveries:,} waiting pushes over HTTP/2 (APNs)", f"{rate:,.0f} pushes/s",
        f"{rate / limit:.2f} x h2load; bar 3,000, or 0.30", rate >= 3_000 or rate / limit >= 0.30)
    stage.stop_service()


def measure_web_push(stage, peer, say, deliveries=20_000):
    bare = float(subprocess.run([str(BUILD / "tests" / "web_push_rate")], check=True, capture_output=True, text=True).stdout)
    say("limit: RFC 8291 encryptions on one core, nothing else", f"{bare:,.0f}/s")
    made = subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-outform", "DER"], check=True,
                          capture_output=True).stdout
    text = lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("=")
    secret, point = made[7:39], made[-65:]
    keys = json.dumps({"p256dh": text(point), "auth": text(bytes(range(16)))})
    furnish(stage, "web_push", f"'{peer.url}/push/' || i", f"'{keys}'", deliveries)
    stage.serve("--web-push-private-key-file", private_file(stage, "vapid", text(secret)), "--web-push-subject",
                "mailto:ops@example.com", "--push-private-endpoints", "true", "--push-ca-file", peer.certificate)
    rate = drained(stage, deliveries)
    say(f"drain of {deliveries:,} waiting Web Pushes, each encrypted", f"{rate:,.0f} pushes/s",
        f"{rate / bare:.2f} x bare; bar 1,000 or 0.50", rate >= 1_000 or rate / bare >= 0.50)
    stage.stop_service()


def measure(stage, say):
    peer = Peer(stage)
    try:
        measure_apns(stage, peer, say)
        measure_web_push(stage, peer, say)
    finally:
        peer.close()
