"""The checker's own sabotage: evidence in which one thing is wrong must turn exactly that check red."""

import copy

import checker


def forge_unknown_202(e):
    e.answers[0] = copy.copy(next(one for one in e.answers if one.status == 202))
    e.answers[0].operation = "op-forged"


def forge_unanswered(e):
    e.unanswered.add("op-0-0")


def forge_missing_delivery(e):
    e.deliveries = [d for d in e.deliveries if d["event"] != next(iter(e.events.values()))]


def forge_stuck(e):
    next(d for d in e.deliveries if d["state"] == "provider_accepted")["state"] = "retry_wait"


def forge_acceptance(e):
    once = [event for event, count in checker.taken_count(e).items() if count == 1]
    e.provider = [line for line in e.provider if line["id"] is None or checker.event_of(line["id"]) != once[0]]


def forge_foreign_mail(e):
    e.provider.append({**next(line for line in e.provider if line["taken"]), "id": "<no-event-of-ours.email@x>"})


def forge_duplicate(e):
    sure = {d["event"] for d in e.deliveries if d["doubtful"] == "f"}
    e.provider.append(next(line for line in e.provider if line["taken"] and checker.event_of(line["id"]) in sure))


def forge_late_write(e):
    move = next(m for m in e.moves if m["new_state"] == "provider_accepted")
    e.moves.append({**move, "old_token": move["old_token"] + 1, "new_token": move["new_token"] + 1})


def forge_uncounted(e):
    counted = next(d for d in e.deliveries if d["state"] == "provider_accepted")
    counted["attempts"] = "0"


def forge_takeover(e):
    move = next(m for m in e.moves if m["taken_over"])
    move["leased_until"] = move["at"] + 1


def forge_second_id(e):
    told = copy.copy(next(one for one in e.answers if one.status == 202))
    told.id = "another"
    e.answers.append(told)


def forge_opt_out(e):
    began = min(line["began"] for line in e.provider)
    e.opt_outs.append(checker.Stop(set(e.events.values()), began - 1, 200, {"stopped": 1, "in_flight": 1}))


def forge_cancel(e):
    sent = next(d["event"] for d in e.deliveries if d["state"] == "provider_accepted")
    e.cancels.append(checker.Stop({sent}, 0.0, 200, "stopped"))


def forge_early(e):
    move = next(m for m in e.moves if m["new_state"] == "leased")
    move["due_at"] = move["at"] + 0.001


def forge_expired(e):
    event, _ = next(iter(e.begun))
    e.due[event] = (e.due[event][0], e.begun[event, _] - 0.001)


def forge_stop(e):
    e.orderly.append((0, 1.0, 1))


def forge_name(e):
    e.places.append(("a log", '{"event":"sent","to":"ana@probe.example"}'))


FORGERIES = {"I1": forge_unknown_202, "I2": forge_unanswered, "I3": forge_missing_delivery, "I4": forge_stuck,
             "I5": forge_acceptance, "I6": forge_foreign_mail, "I7": forge_duplicate, "I8": forge_uncounted,
             "I9": forge_late_write, "I10": forge_takeover, "I11": forge_opt_out, "I12": forge_cancel,
             "I13": forge_second_id, "I15": forge_early, "I19": forge_expired, "I20": forge_stop, "I21": forge_name}


def run(report, evidence):
    for name, forge in FORGERIES.items():
        forged = copy.deepcopy(evidence)
        forge(forged)
        red = [one.name for one in checker.check_all(forged) if one.bad]
        report.holds(f"forged evidence turns {name} red", any(one.startswith(name + " ") for one in red))
