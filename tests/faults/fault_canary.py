"""S05: an address, a name, a variable, a template, a token and every secret go through each path of the service and each
of its errors, at log level debug; then everything that must not know them is searched. And a key that is revoked beside
two services opens neither a second later."""

import http.client
import json
import socket
import subprocess
import time
import urllib.parse

import canary
import client
from gated import Gate
from processes import Process, Trouble, wait_until
from sabotage import without
from stage import Scene, Service, free_port

MOUTH, NAME, CODE = "canary-mouth", "Canary-Nameson", "CANARY-482913"
WORDS, TOKEN, MAIL_PASSWORD = "canary-template-words", "canary-device-token", "canary-mail-sesame"
PERSONAL = [MOUTH, NAME, CODE, WORDS, TOKEN]
STEPS = {"fine": "accept", "unknown": "rcpt550", "policy": "dot550", "busy": "busy-accept", "many": "many",
         "cut": "drop-accept", "odd": "dot999-accept", "shown": "accept", "gone": "accept"}
REVOKED_WITHIN_S = 1.0
SLACK_S = 0.5 # of a busy machine, and of our own asking


class Ear:
    """A door that keeps all it was told."""

    def __init__(self, url, key, heard, own=False):
        self.door, self.heard, self.own = client.Door(url, key), heard, own

    def ask(self, method, path, body=None, text=None):
        try:
            answer = self.door.ask_as_written(method, path, text if body is None else json.dumps(body))
        except (OSError, http.client.HTTPException, ValueError):
            return None
        head = json.dumps(answer.headers)
        if answer.status >= 400 and isinstance(answer.body, dict):
            for error in answer.body.get("errors", ()): # a place, told to who wrote it: a member is called as it was sent
                error.pop("pointer", None)
        body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        # The tenant's own good answers may tell it what is its own; their headers may not.
        self.heard.append((f"{method} {path} {answer.status}", head + (body if answer.status >= 400 or not self.own else "")))
        return answer


class QuietService(Service):
    """Its secrets are in files, as a careful operator keeps them."""

    def start(self):
        url = self.environment.pop("ARAUTO_DATABASE_URL", None)
        if url is not None:
            self.environment["ARAUTO_DATABASE_URL_FILE"] = keep(self.log + ".url", url)
        self.process = Process([self.binary, "serve"], self.log, self.environment)
        self.url = self.process.ready()


def keep(path, secret):
    with open(path, "w") as file:
        file.write(secret + "\n")
    return path


def quiet_service(scene, url, name):
    made = QuietService(scene.binary, scene.path(name + ".log"), url, scene.provider_port, {
        "log_level": "debug", "node_lease": "5s", "retry_base": "1s", "doubt_resend_after": "1s", "smtp_user": "herald",
        "smtp_password_file": keep(scene.path("mail-password"), MAIL_PASSWORD), "smtp_command_timeout": "3s",
        "smtp_answer_timeout": "3s"}, {})
    scene.processes.append(made)
    return made


def furnish(ours):
    told = [ours.ask("PUT", "/v1/templates/fault.probe/email",
                     {"parts": {"subject": WORDS + " {{code}}", "text": "{{name}} {{code}}"}}),
            ours.ask("PUT", "/v1/templates/secret.probe/email",
                     {"private": True, "parts": {"subject": WORDS, "text": "{{code}}"}})]
    told += [ours.ask("PUT", f"/v1/users/{user}", {"email": f"{MOUTH}-{user}+{steps}@probe.example", "name": NAME})
             for user, steps in STEPS.items()]
    bad = [one.body for one in told if one is None or one.status != 200]
    if bad:
        raise Trouble(f"cannot furnish: {bad[:2]}")


def event(user, operation, **more):
    return {"user_id": user, "type": "fault.probe", "client_operation_id": operation,
            "variables": {"code": CODE, "token": TOKEN, "name": NAME}, **more}


def refusals(door):
    """Each way to be told no, with a canary in what is refused."""
    good = json.dumps(event("fine", "no"))
    texts = [good[:-3], good.replace(CODE, CODE + '","code":"' + CODE), good.replace(CODE, CODE + "\\ud800"),
             good.replace(CODE, CODE + "\\u0000"), good.replace(CODE, CODE * 20_000), good.replace(CODE, CODE * 6_000),
             "[" * 40 + f'"{CODE}"', good.replace('"type"', f'"{CODE}":1,"type"'), f'"{CODE}"',
             json.dumps(event("nobody-of-" + MOUTH, "no")), json.dumps(event("fine", "no", channels=[CODE])),
             json.dumps(event("fine", "no", priority=CODE)), json.dumps(event("fine", "no", send_at=CODE)),
             json.dumps({**event("fine", "no"), "variables": {"token": TOKEN}}),
             json.dumps({**event("fine", "no"), "variables": CODE}), json.dumps(event("fine", CODE * 10, type=CODE + " "))]
    for text in texts:
        door.ask("POST", "/v1/notifications", text=text)
    door.ask("POST", "/v1/notifications", event("fine", "op-fine", priority="urgent")) # 409: another meaning
    for path in (f"/v1/nothing/{MOUTH}", f"/v1/notifications/{MOUTH}", f"/v1/users/nobody-{MOUTH}",
                 f"/v1/notifications?client_operation_id={CODE}", f"/v1/notifications?{CODE}={TOKEN}",
                 f"/v1/dead-letters?cause={CODE}", f"/v1/dead-letters?cursor={CODE}", f"/problems/{CODE}"):
        door.ask("GET", path)
    door.ask("PUT", "/v1/users/x", {"email": MOUTH + " no address", "name": NAME})
    door.ask("PUT", "/v1/users/x", {"email": MOUTH + "@probe.example", "name": NAME + "\n"})
    door.ask("PUT", "/v1/templates/x/email", {"parts": {"subject": WORDS + "{{", "text": WORDS}})
    door.ask("PUT", "/v1/templates/x/email", {"parts": {WORDS: WORDS}})
    door.ask("PUT", "/v1/users/fine/preferences", {"channels": {CODE: True}})


def raw(service, heard, text):
    """What no client library would send."""
    with socket.create_connection(("127.0.0.1", service.port), 5) as link:
        link.sendall(text.encode())
        link.settimeout(3)
        got = b""
        try:
            while piece := link.recv(65536):
                got += piece
        except TimeoutError:
            pass
        heard.append(("raw", got.decode(errors="replace")))


def operators(scene, service, key, heard):
    door = Ear(service.url, key, heard)
    door.ask("POST", "/v1/admin/tenants", {"id": "second", "sender_address": MOUTH + " no"})
    door.ask("POST", "/v1/admin/tenants", {"id": CODE})
    door.ask("POST", "/v1/admin/keys", {"tenant": CODE})
    door.ask("PUT", "/v1/admin/tenants/faults/limits", {CODE: 1})
    door.ask("GET", "/v1/admin/tenants/faults/suppressions")
    lift = "/v1/admin/tenants/faults/suppressions/lift"
    door.ask("POST", lift, {"channel": "email", "address": f"{MOUTH}-nobody@probe.example"})
    told = door.ask("POST", lift, {"channel": "email", "address": f"{MOUTH}-unknown+rcpt550@probe.example"})
    for path in ("nodes", "audit", "tenants", "keys?tenant=faults"):
        door.ask("GET", "/v1/admin/" + path)
    return told is not None and told.status == 204


def sql_door(scene, heard):
    database = canary.Database(scene.database_url)
    role = "door_of_" + scene.name
    database.rows(f"create role {role}")
    heard.append(("door bind", scene.command("door", "bind", role, "--tenant", "faults")))
    variables = json.dumps({"code": CODE, "name": NAME})
    try:
        for who, kind, values in (("fine", "fault.probe", variables), ("nobody", "fault.probe", variables),
                                  ("fine", "no.such", variables), ("fine", "fault.probe", "{}"), ("fine", "fault.probe",
                                                                                                 f'["{CODE}"]')):
            try:
                database.rows(f"set role {role}; select arauto.notify(user_id => '{who}', type => '{kind}', "
                              f"variables => '{values}', client_operation_id => 'sql')")
            except Trouble as why:
                heard.append(("arauto.notify", str(why)))
        database.rows("reset role")
    finally:
        database.close()


def outage(scene, gate, ours):
    """The database loses an answer, cuts a question, and is silent for a while."""
    for at in ("before", "after"):
        for of in (["accept"], ["event_by_operation"], ["recipient_put"]):
            gate.rule(f"{at}{of}", at, of, times=1)
            ours.ask("POST", "/v1/notifications", event("fine", f"cut-{at}-{of[0]}"))
            ours.ask("GET", f"/v1/notifications?client_operation_id={CODE}")
            ours.ask("PUT", "/v1/users/late", {"email": MOUTH + "@probe.example", "name": NAME})
            gate.drop(f"{at}{of}")
    gate.order(silent=True)
    for n in range(2):
        ours.ask("POST", "/v1/notifications", event("fine", f"silent-{n}"))
    gate.order(silent=False)
    wait_until("the service is back", lambda: (one := ours.ask("GET", "/v1/users/fine")) and one.status == 200, 30)


def commands(scene, service, heard):
    for words in (["tenant", "list"], ["key", "list", "faults"], ["suppression", "list", "faults"],
                  ["key", "create", CODE], ["suppression", "lift", "faults"], ["tenant", "stop", CODE], ["check"],
                  ["dead"], ["status", CODE], ["send", "--client-url", service.url, CODE]):
        done = subprocess.run([scene.binary, *words], input=f"{MOUTH} is none\n", capture_output=True, text=True, cwd="/", env={
            "ARAUTO_DATABASE_URL": scene.database_url, "ARAUTO_CLIENT_URL": service.url, "ARAUTO_CLIENT_KEY": scene.key,
            "ARAUTO_LOG_LEVEL": "debug"}, timeout=60)
        told = done.stderr if words == ["dead"] else done.stdout + done.stderr # its list is the tenant's own
        heard.append(("arauto " + words[0], told.replace(CODE, "") if CODE in words else told)) # what was typed


def stories(ours, ids):
    """What can become of a delivery, each once more asked for."""
    dead = ids["policy"]
    for path in (f"/v1/notifications/{dead}", "/v1/dead-letters", f"/v1/notifications/{ids['odd']}"):
        ours.ask("GET", path)
    ours.ask("POST", f"/v1/notifications/{dead}/deliveries/email/replay")
    ours.ask("POST", f"/v1/notifications/{ids['odd']}/deliveries/email/resolve", {"as": "accepted"})
    ours.ask("POST", f"/v1/notifications/{ids['many']}/cancel")
    ours.ask("POST", "/v1/dead-letters/replay", {"all": True})
    ours.ask("PUT", "/v1/users/shown/preferences", {"types": {"fault.probe": {"email": False}}})
    ours.ask("POST", "/v1/notifications", {**event("fine", "private"), "type": "secret.probe"})
    ours.ask("DELETE", "/v1/users/gone")


def revoked_on_both(scene, services, report):
    key = scene.command("key", "create", "faults", "--name", "to be revoked")
    doors = [client.Door(one.url, key) for one in services]
    opened = [one.ask("GET", "/v1/users/fine").status for one in doors]
    scene.command("key", "revoke", key.split("_")[2])
    since, closed = time.monotonic(), {}
    while len(closed) < len(doors) and time.monotonic() < since + 5:
        for n, one in enumerate(doors):
            if n not in closed and one.ask("GET", "/v1/users/fine").status == 401:
                closed[n] = time.monotonic() - since
        time.sleep(0.01)
    for one in doors:
        one.close()
    report.times("a key is revoked -> no service takes it", list(closed.values()))
    report.holds("it was good on two services, and a second later on none", opened == [200, 200] and len(closed) == 2 and
                 max(closed.values()) <= REVOKED_WITHIN_S + SLACK_S, closed)


def search(report, places, words, what):
    hits = [(place, word, text[max(0, text.find(word) - 120):][:200]) for place, text in places for word in words
            if word in text]
    report.none_of(what, hits, len(places))


def run(stage, report, options):
    scene = Scene(stage, "s05", "--auth", "0")
    heard = []
    try:
        operator = scene.command("key", "create", "--operator")
        scene.command("tenant", "create", "others")
        foreign = scene.command("key", "create", "others")
        database_password = urllib.parse.urlsplit(scene.database_url).password
        secret = [one.rpartition("_")[2] for one in (scene.key, operator, foreign)] + [MAIL_PASSWORD, database_password]
        listener = canary.Listener(scene.database_url)
        gate = Gate(scene)
        services = [quiet_service(scene, gate.url, "service"), quiet_service(scene, scene.database_url, "second")]
        ours = Ear(services[0].url, scene.key, heard, own=True)
        furnish(ours)
        device = {"provider": "fcm", "app": "app", "token": TOKEN}
        registered = ours.ask("PUT", "/v1/users/fine/devices/phone", device)
        report.holds("a device is registered", registered is not None and registered.status == 201)
        ours.ask("PUT", "/v1/users/fine/devices/phone", {**device, "colour": TOKEN})
        ours.ask("GET", "/v1/users/fine/devices")
        ids = {user: ours.ask("POST", "/v1/notifications", event(user, f"op-{user}")).body["id"] for user in STEPS}
        scene.wait_until_quiet(options.patience)
        for door in (ours, Ear(services[0].url, foreign, heard), Ear(services[0].url, scene.key[:-2] + "xx", heard),
                     Ear(services[0].url, operator, heard), Ear(services[0].url, "ar_live_" + CODE, heard)):
            refusals(door)
        for text in (f"GET /{MOUTH} HTTP/9.9\r\nHost: {CODE}\r\n\r\n", f"{CODE}\r\n\r\n", f"GET / HTTP/1.1\r\nX {CODE}: 1\r\n\r\n",
                     f"POST /v1/notifications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {scene.key}\r\n"
                     f"Content-Type: text/{CODE}\r\nContent-Length: 5\r\n\r\n{CODE[:5]}"):
            raw(services[0], heard, text)
        stories(ours, ids)
        lifted = operators(scene, services[0], operator, heard)
        sql_door(scene, heard)
        outage(scene, gate, ours)
        commands(scene, services[0], heard)
        revoked_on_both(scene, services, report)
        scene.wait_until_quiet(options.patience)
        told = listener.heard()
        listener.close()
        look_everywhere(stage, scene, services, report, heard, told, secret, lifted)
    finally:
        scene.close()


def look_everywhere(stage, scene, services, report, heard, told, secret, lifted):
    report.holds("the paths were walked: a suppression lifted, dead letters, doubts, refusals of each class", lifted and all(
        scene.database.number(f"select count(*) from {what}") > 0 for what in (
            "arauto.delivery where state = 'permanent_failure'", "arauto.delivery where doubtful", "arauto.attempt where detail is not null",
            "arauto.event where erased_at is not null")) and {"400", "401", "403", "404", "409", "413", "422", "503"} <= {
                place.rpartition(" ")[2] for place, _ in heard})
    everything = PERSONAL + secret
    search(report, heard, everything, "no error, no header, no other tenant's answer and no command tells one")
    search(report, [("/metrics", one.metrics()) for one in services], everything, "no metric names one")
    public = [text for one in services for text in canary.of_process(one.process.pid)]
    public += canary.of_process(stage.postgres.server_pid()) + canary.of_process(stage.postgres.process.pid)
    search(report, public, everything, "no process shows one in its arguments or environment")
    for one in services:
        one.process.send(15)
        rest = one.process.child.stdout.read().decode(errors="replace")
        one.process.child.wait(30)
        with open(one.log) as log:
            search(report, [(one.log, log.read()), ("stdout", rest)], everything, "no log at debug, no word on stdout holds one")
    report.holds("the SQL door notified", len(told) > 0, told[:2])
    search(report, [("NOTIFY", one) for one in told], everything, "no NOTIFY carries one")
    search(report, canary.logs_under(stage.postgres.directory) + [(stage.postgres.log, open(stage.postgres.log).read())],
           everything, "PostgreSQL's own log holds none")
    wrong, looked = canary.hits_in_tables(scene.database, PERSONAL, secret)
    report.none_of("no table holds one but those documented, and no table a secret", wrong, looked)
    kept = [column for column in ("recipient.email", "event.variables", "template.parts", "attempt.detail")
            if scene.database.number("select count(*) from arauto.{0} where {1}::text like '%anary%'".format(
                *column.split("."))) > 0]
    report.holds("the canaries did come that far", len(kept) == 4, kept)


ENTRIES = {
    "S05": ("canaries through every path, and then a search of everything", run),
    "S05-log": ("the same, with a log line that tells what was asked",
                without("told", run, {"no log at debug, no word on stdout holds one"})),
}
NOT_IN_SHORT = ()
