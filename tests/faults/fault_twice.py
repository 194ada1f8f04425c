"""F17: one operation asked for many times at once is one event: 50 equal POSTs on 50 connections, through one service
and through two (S10); two tenants with the same operation id; the same operation written differently (S09)."""

import json
import threading

import client
from processes import Trouble
from stage import Scene

AT_ONCE = 50
FAIR = (202, 503) # 503 operation-in-progress: come back


def post_together(doors, bodies):
    """Each door posts its body, all at once; the statuses and the ids."""
    gate, answers = threading.Barrier(len(doors)), [None] * len(doors)

    def one(n):
        gate.wait()
        answers[n] = doors[n].ask("POST", "/v1/notifications", bodies[n])

    threads = [threading.Thread(target=one, args=(n,)) for n in range(len(doors))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if None in answers:
        raise Trouble("a POST got no answer")
    return answers


def body(operation, n=1, user="u1"):
    return {"user_id": user, "type": "fault.probe", "client_operation_id": operation, "variables": {"n": n}}


def storm(report, scene, services, rounds):
    """Rounds of equal POSTs, spread over the services."""
    doors = [client.Door(services[n % len(services)].url, scene.key) for n in range(AT_ONCE)]
    wrong, odd, busy = [], [], 0
    for number in range(rounds):
        operation = f"storm-{len(services)}-{number}"
        answers = post_together(doors, [body(operation)] * AT_ONCE)
        odd += [one.status for one in answers if one.status not in FAIR]
        busy += sum(one.status == 503 for one in answers)
        told = {one.body["id"] for one in answers if one.status == 202}
        told.add(doors[0].insist("POST", "/v1/notifications", body(operation)).body["id"])
        rows = scene.database.rows(f"select id from arauto.event where client_key = '{operation}'")
        if [[one] for one in told] != rows:
            wrong.append((operation, told, rows))
    for door in doors:
        door.close()
    many = f"{AT_ONCE} equal POSTs through {len(services)} service{'s' if len(services) > 1 else ''}"
    report.count(storms=rounds, posts=rounds * AT_ONCE, told_503_in_progress=busy)
    report.none_of(f"{many}: one event, one id (I13)", wrong, rounds)
    report.none_of(f"{many}: nothing but 202 and 503 is said", odd, rounds * AT_ONCE)


def two_tenants(report, scene, service, rounds):
    """The same operation ids, equal bodies and different ones, at the same time: two worlds."""
    scene.command("tenant", "create", "others")
    key = scene.command("key", "create", "others")
    theirs = client.Door(service.url, key)
    theirs.ask("PUT", "/v1/templates/fault.probe/email", {"parts": {"subject": "Probe {{n}}", "text": "{{n}}\n"}})
    theirs.ask("PUT", "/v1/users/u1", {"email": "u1+accept@probe.example"})
    ours, wrong = client.Door(service.url, scene.key), []
    for number in range(rounds):
        operation = f"both-{number}"
        two = post_together([ours, theirs], [body(operation), body(operation, 1 + number % 2)])
        ids = [one.body.get("id") for one in two]
        seen = [door.ask("GET", f"/v1/notifications/{one}").status for door in (ours, theirs) for one in ids]
        if [one.status for one in two] != [202, 202] or ids[0] == ids[1] or seen != [200, 404, 404, 200]:
            wrong.append((operation, [one.status for one in two], seen))
    ours.close()
    theirs.close()
    report.none_of("two tenants, one operation id: an event each, and neither sees the other's", wrong, rounds)


SAME = {
    "keys in another order": '{"variables":{"list":[1,2],"name":"Zo\u00eb","n":1},"client_operation_id":"%s",'
                             '"type":"fault.probe","user_id":"u1"}',
    "blanks and line ends": '{ "user_id" : "u1",\r\n "type":"fault.probe", "client_operation_id":"%s",\n'
                            '"variables":{"n":1 , "name":"Zo\u00eb","list":[ 1,2 ]}}\n',
    "escapes": '{"user_id":"\\u00751","type":"fault.probe","client_operation_id":"%s",'
               '"variables":{"n":1,"name":"Zo\\u00eb","list":[1,2]}}',
}
OTHER = {
    "another number": {"n": 2, "name": "Zo\u00eb", "list": [1, 2]},
    "a string for a number": {"n": "1", "name": "Zo\u00eb", "list": [1, 2]},
    "another order of a list": {"n": 1, "name": "Zo\u00eb", "list": [2, 1]},
    "another normal form": {"n": 1, "name": "Zoe\u0308", "list": [1, 2]},
}


def differently_written(report, scene, service, rounds):
    """S09 over HTTP."""
    door = client.Door(service.url, scene.key)
    first = {"n": 1, "name": "Zo\u00eb", "list": [1, 2]}
    same, conflict, count = [], [], 0
    for number in range(rounds):
        operation = f"written-{number}"
        event = door.insist("POST", "/v1/notifications", {**body(operation), "variables": first}).body["id"]
        for what, text in SAME.items():
            answer = door.ask_as_written("POST", "/v1/notifications", (text % operation).encode())
            if (answer.status, answer.body.get("id")) != (202, event) or "Idempotent-Replayed" not in answer.headers:
                same.append((what, answer.status))
        for what, variables in OTHER.items():
            answer = door.ask("POST", "/v1/notifications", {**body(operation), "variables": variables})
            if (answer.status, answer.body.get("code")) != (409, "idempotency-conflict"):
                conflict.append((what, answer.status))
        kept = scene.database.rows(f"select variables, count(*) over () from arauto.event where id = '{event}'")
        if json.loads(kept[0][0]) != first or kept[0][1] != "1":
            conflict.append(("the first one changed", kept))
        count += 1
    door.close()
    report.none_of("written differently: the same event", same, count * len(SAME))
    report.none_of("another meaning: 409, and the first one stays", conflict, count * len(OTHER))


def run(stage, report, options):
    scene = Scene(stage, "f17")
    try:
        service = scene.service(node_lease="5s", retry_base="1s")
        scene.furnish(service, {"u1": "accept"})
        storm(report, scene, [service], options.storms)
        two_tenants(report, scene, service, options.storms)
        differently_written(report, scene, service, options.storms)
        storm(report, scene, [service, scene.service("second", node_lease="5s", retry_base="1s")], options.storms)
        scene.wait_until_quiet(options.patience)
        taken, events = scene.taken(), scene.database.number("select count(*) from arauto.event")
        twice = [event for event, count in taken.items() if count != 1]
        report.none_of("and one mail each", twice, len(taken))
        report.holds("for each event", len(taken) == events, f"{len(taken)} of {events:.0f}")
    finally:
        scene.close()


ENTRIES = {"F17": ("one operation, asked for many times at once", run)}
NUMBERS = {"storms": (10, 20, 500)}
CHUNKS = {"F17": ("storms", 250)}
