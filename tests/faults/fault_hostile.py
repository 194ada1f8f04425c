"""F11: the provider answers everything a provider can answer, hangs wherever it can hang and babbles; others' mail must
go on meanwhile (S25, S26). Then it refuses us altogether, which costs no attempt (S26), also over TLS (S28)."""

import subprocess
import time

import checker
import client
from processes import Trouble
from stage import Scene

RETRY_BASE_S = 1
BOUND_KB = 64 * 1024
RETRIED, DOUBTED = "refused_for_now", "unknown"
# The script of a recipient: what the first attempt comes to (outcome, code; None: nothing of it is written down, or
# anything may be), the state in the end, its cause. A reply that comes before the content on a used connection is asked
# for again on a fresh one as the same attempt (S27): such steps stand twice.
TABLE = {
    "rcpt421-rcpt421-accept": ((RETRIED, 421), "provider_accepted", None),
    "rcpt450-accept": ((RETRIED, 450), "provider_accepted", None),
    "rcpt451-accept": ((RETRIED, 451), "provider_accepted", None),
    "rcpt452-accept": ((RETRIED, 452), "provider_accepted", None),
    "rcpt550": (("bad_address", 550), "permanent_failure", "recipient_unknown"),
    "rcpt552": (("refused", 552), "permanent_failure", "mailbox_full"),
    "rcpt553": (("bad_address", 553), "permanent_failure", "recipient_unknown"),
    "rcpt554": (("refused", 554), "permanent_failure", "policy_refused"),
    "rcpt251": (("accepted", 250), "provider_accepted", None),
    "rcpt999-rcpt999-accept": (None, "provider_accepted", None),
    "hangrcpt-hangrcpt-accept": (None, "provider_accepted", None),
    "longrcpt-longrcpt-accept": (None, "provider_accepted", None),
    "data451-accept": ((RETRIED, 451), "provider_accepted", None),
    "data554": (("refused", 554), "permanent_failure", "policy_refused"),
    "hangdata-hangdata-accept": (None, "provider_accepted", None),
    "cutdata-cutdata-accept": (None, "provider_accepted", None),
    "shut-accept": (None, "provider_accepted", None),
    "dot421-accept": ((RETRIED, 421), "provider_accepted", None),
    "dot450-accept": ((RETRIED, 450), "provider_accepted", None),
    "dot451-dot451-dot451-dot451-accept": ((RETRIED, 451), "provider_accepted", None),
    "dot452-accept": ((RETRIED, 452), "provider_accepted", None),
    "dot550": (("refused", 550), "permanent_failure", "policy_refused"),
    "dot552": (("refused", 552), "permanent_failure", "too_large"),
    "dot554": (("refused", 554), "permanent_failure", "content_refused"),
    "many": (("refused", 550), "permanent_failure", "policy_refused"),
    "dot999-accept": ((DOUBTED, None), "provider_accepted", None),
    "hang-accept": ((DOUBTED, 0), "provider_accepted", None),
    "long-accept": ((DOUBTED, None), "provider_accepted", None),
    "drip-accept": ((DOUBTED, None), "provider_accepted", None),
}


STEPS = list(TABLE)


def steps_of(user):
    return STEPS[int(user.partition(".")[2])]


def check_table(report, scene, ids):
    rows = scene.rows_of(ids.values(), "state, cause, doubtful")
    first = {}
    for event, outcome, code in scene.database.rows(
            "select event_id, outcome, code from arauto.attempt order by lease_token desc"):
        first[event] = (outcome, int(code))
    wrong = []
    for user, event in ids.items():
        wanted, state, cause = TABLE[steps_of(user)]
        seen = first.get(event)
        good = wanted is None or (seen and seen[0] == wanted[0] and wanted[1] in (None, seen[1]))
        if not good or rows[event][:2] != [state, cause]:
            wrong.append((steps_of(user), seen, rows[event]))
        elif wanted and (wanted[0] == DOUBTED) != (rows[event][2] == "t"):
            wrong.append((steps_of(user), "doubtful", rows[event][2]))
    report.none_of("states, outcomes, codes and causes are those of the table (S25, S26)", wrong, len(ids))


def check_waits(report, evidence, ids):
    """Half of each wait is fixed, so a shortest span can be proven, and it grows."""
    user = next(user for user in ids if steps_of(user).startswith("dot451-dot451"))
    began = checker.starts_of(evidence)[ids[user]]
    waits = [after - before for before, after in zip(began, began[1:])]
    early = [wait for n, wait in enumerate(waits) if wait < RETRY_BASE_S * 2 ** n / 2]
    report.none_of("each wait is at least half of its growing span", early, len(waits))
    report.figure("451 four times, waits: " + ", ".join(f"{wait:.1f} s" for wait in waits))


def check_suppression(report, scene, service, ids):
    door, wrong = client.Door(service.url, scene.key), []
    watched = [user for user in ids if steps_of(user).startswith("rcpt55")]
    for user in watched:
        again = door.ask("POST", "/v1/notifications", {"user_id": user, "type": "fault.probe", "variables": {"n": 2},
                                                       "client_operation_id": f"again-{user}"}).body["id"]
        scene.wait_until_quiet(20)
        state = scene.rows_of([again], "state")[again][0]
        if (state == "suppressed") != (steps_of(user) in ("rcpt550", "rcpt553")):
            wrong.append((user, state))
    door.close()
    report.none_of("only an address that does not exist is suppressed afterwards", wrong, len(watched))


def answers(stage, report, options):
    scene = Scene(stage, "f11")
    try:
        service = scene.service(node_lease="10s", doubt_resend_after="2s", retry_base=f"{RETRY_BASE_S}s", retry_cap="20s",
                                smtp_command_timeout="3s", smtp_answer_timeout="3s", smtp_connections_max=32)
        users = {f"h{n}.{at}": steps for n in range(options.hostile) for at, steps in enumerate(STEPS)}
        good = {f"good{n}": "accept" for n in range(20)}
        scene.furnish(service, {**users, **good})
        others = client.Clients(service.url, scene.key, list(good), scene.path("client.journal"), threads=2, name="good")
        ids = scene.post_each(service, users)
        scene.wait_until_quiet(options.patience)
        others.stop()
        scene.wait_until_quiet(20)
        evidence = scene.gather(others)
        check_table(report, scene, ids)
        check_waits(report, evidence, ids)
        tell_others(report, scene)
        report.findings(checker.check_all(evidence))
        most = service.process.memory_kb()
        report.holds(f"resident memory never passed {BOUND_KB // 1024} MB", most <= BOUND_KB, f"{most / 1024:.0f} MB")
        check_suppression(report, scene, service, ids)
    finally:
        scene.close()


def tell_others(report, scene):
    rows = scene.database.rows("select extract(epoch from d.settled_at - e.created_at), d.state from arauto.event e"
                               " join arauto.delivery d on d.event_id = e.id where e.client_key like 'good-%'")
    report.none_of("others' mail goes on: accepted at the first attempt", [r for r in rows if r[1] != "provider_accepted"],
                   len(rows))
    report.times("others' mail, accept -> acknowledged", [float(row[0]) for row in rows if row[0]])


def refused_altogether(stage, report, options, name, manners, **settings):
    """Connections that are refused before any message: every delivery waits and none pays an attempt for it."""
    scene = Scene(stage, "f11_" + name, *manners)
    try:
        service = scene.service(node_lease="10s", retry_base="1s", smtp_command_timeout="2s", smtp_connections_max=4,
                                **settings)
        users = {f"u{n}": "accept" for n in range(options.refused)}
        scene.furnish(service, users)
        began = time.monotonic()
        ids = scene.post_each(service, users)
        scene.wait_until_quiet(options.patience)
        rows = scene.rows_of(ids.values(), "state, attempts, deferrals").values()
        report.none_of(f"{name}: all go in the end, with one attempt", [
            row for row in rows if row[:2] != ["provider_accepted", "1"]], len(rows))
        report.figure(f"{name}: {len(rows)} deliveries through after {time.monotonic() - began:.1f} s, "
                      f"{sum(int(row[2]) for row in rows)} deferrals")
    finally:
        scene.close()


def certificate(scene, name, when="now"):
    """A self-signed one for 127.0.0.1, made `when` and good for a day."""
    cert, key = scene.path(name + ".pem"), scene.path(name + ".key")
    made = subprocess.run(["faketime", when, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                           "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days", "1",
                           "-subj", "/CN=provider.example", "-addext", "subjectAltName=IP:127.0.0.1"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if made.returncode != 0:
        raise Trouble(f"openssl: {made.stderr[-300:]}")
    return cert, key


def bad_certificates(stage, report, options):
    """An expired certificate and one nobody vouches for: nothing is said to such a peer; then a good one appears."""
    scene = Scene(stage, "f11_tls")
    try:
        good = certificate(scene, "good")
        bad = {"expired": certificate(scene, "expired", "3 days ago"), "unknown": certificate(scene, "unknown")}
        port = scene.provider_port
        scene.provider.kill()
        with open(scene.path("trusted.pem"), "w") as trusted:
            for one in (good, bad["expired"]):
                trusted.write(open(one[0]).read())
        service = scene.service(node_lease="10s", retry_base="1s", smtp_command_timeout="2s", smtp_tls="required",
                                smtp_ca_file=scene.path("trusted.pem"))
        users = {f"u{n}": "accept" for n in range(options.refused)}
        scene.furnish(service, users)
        ids = None
        for name, pair in bad.items():
            scene.start_provider("--port", str(port), "--tls", *pair)
            ids = ids or scene.post_each(service, users)
            time.sleep(4)
            rows = scene.rows_of(ids.values(), "state, attempts").values()
            report.none_of(f"{name} certificate: nothing is sent, no attempt is spent", [
                row for row in rows if row[0] not in ("pending", "leased") or row[1] != "0"], len(rows))
            scene.provider.kill()
        report.holds("the provider heard of nobody", not scene.provider_lines())
        scene.start_provider("--port", str(port), "--tls", *good)
        scene.wait_until_quiet(options.patience)
        rows = scene.rows_of(ids.values(), "state, attempts").values()
        report.none_of("a good one: all go, with one attempt", [
            row for row in rows if row != ["provider_accepted", "1"]], len(rows))
    finally:
        scene.close()


def before_any_message(stage, report, options):
    refused_altogether(stage, report, options, "greetings",
                       ("--meet", "421:2,silent:1,close:2,huge:1,554:1"))
    refused_altogether(stage, report, options, "password", ("--auth", "4"), smtp_user="herald", smtp_password="wrong")
    bad_certificates(stage, report, options)


ENTRIES = {
    "F11": ("the provider answers everything that can be answered", answers),
    "F11-door": ("the provider refuses us before any message", before_any_message),
}
NUMBERS = {"hostile": (1, 3, 10), "refused": (50, 200, 1_000)}
