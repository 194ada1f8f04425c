"""What must hold after any fault, judged from three witnesses: the clients' journal, the provider's journal and the
database. Independent of the product: it reads rows and lines, and knows only the promises (I1 to I9)."""

import collections
import dataclasses
import json

FINAL = ("provider_accepted", "permanent_failure", "suppressed", "cancelled", "expired")
BACKED_BY = {"provider_accepted": ("accepted",), "retry_wait": ("refused_for_now",), "in_doubt": ("unknown",),
             "permanent_failure": ("refused", "bad_address", "refused_for_now")}

WITHOUT_ATTEMPT = ("worker_lost", "worker_crashed", "no_address")


@dataclasses.dataclass
class Evidence:
    answers: list     # of client.Told
    unanswered: set   # operations that never got a 202
    provider: list    # lines of the provider's journal
    events: dict      # client_key -> event id
    deliveries: list  # dicts: event, channel, state, doubtful, held, attempts, token, cause
    attempts: dict    # (event, token) -> (outcome, late)
    moves: list       # dicts: event, old_state, new_state, old_token, new_token, cause, at


@dataclasses.dataclass
class Finding:
    name: str
    bad: list
    of: int
    may_be_empty: bool = False # nothing to look at is a fine thing here


def read_provider(path):
    with open(path) as journal:
        return [json.loads(line) for line in journal if line.endswith("\n")]


def event_of(message_id):
    """<event.channel@domain>"""
    return message_id.strip("<>").split("@")[0].rpartition(".")[0]


def gather(database, clients, provider_journal):
    events = dict(database.rows("select client_key, id from arauto.event"))
    keys = ("event", "channel", "state", "doubtful", "held", "attempts", "token", "cause")
    deliveries = [dict(zip(keys, row)) for row in database.rows(
        "select event_id, channel, state, doubtful, next_attempt_at = 'infinity', attempts, lease_token, cause"
        " from arauto.delivery")]
    attempts = {(event, int(token)): (outcome, late == "t") for event, token, outcome, late in database.rows(
        "select event_id, lease_token, outcome, late from arauto.attempt")}
    moves = [{"event": event, "old_state": old, "new_state": new, "old_token": int(old_token),
              "new_token": int(new_token), "cause": cause, "at": float(at)}
             for event, old, new, old_token, new_token, cause, at in database.rows(
                 "select event_id, old_state, new_state, old_token, new_token, new_cause, extract(epoch from at)"
                 " from faults.move order by number")]
    return Evidence(list(clients.told), set(clients.unanswered), read_provider(provider_journal), events, deliveries,
                    attempts, moves)


def taken_count(evidence):
    return collections.Counter(event_of(line["id"]) for line in evidence.provider if line["taken"])


def is_held(delivery):
    return delivery["state"] == "in_doubt" and delivery["held"] == "t"


def every_202_has_its_event(e):
    told = [(one.operation, one.id) for one in e.answers if one.status == 202]
    return Finding("I1 every 202 has one event, the same id", [one for one in told if e.events.get(one[0]) != one[1]],
                   len(told))


def every_operation_was_answered(e):
    return Finding("I2 every operation got its 202 in the end", sorted(e.unanswered),
                   len({one.operation for one in e.answers}))


def every_event_has_its_delivery(e):
    count = collections.Counter((d["event"], d["channel"]) for d in e.deliveries)
    wrong = [event for event in e.events.values() if count[event, "email"] != 1]
    return Finding("I3 every event has one delivery", wrong, len(e.events))


def everything_is_final(e):
    stuck = [(d["event"], d["state"]) for d in e.deliveries if d["state"] not in FINAL and not is_held(d)]
    return Finding("I4 every delivery is final or held in doubt", stuck, len(e.deliveries))


def accepted_is_in_the_provider(e):
    taken = taken_count(e)
    accepted = [d["event"] for d in e.deliveries if d["state"] == "provider_accepted"]
    return Finding("I5 provider_accepted is in the provider's journal", [one for one in accepted if not taken[one]],
                   len(accepted))


def the_provider_has_nothing_unknown(e):
    good = {d["event"] for d in e.deliveries if d["state"] == "provider_accepted" or d["doubtful"] == "t"}
    taken = taken_count(e)
    return Finding("I6 what the provider took is accepted or doubtful here", [one for one in taken if one not in good],
                   len(taken))


def duplicates_are_explained(e):
    doubtful = {d["event"] for d in e.deliveries if d["doubtful"] == "t"}
    twice = [event for event, count in taken_count(e).items() if count > 1]
    return Finding("I7 duplicates at the provider are marked doubtful", [one for one in twice if one not in doubtful],
                   len(twice), may_be_empty=True)


def is_backed(move, attempts):
    """A delivery leaves `leased` only by what was learned under that lease."""
    wanted = BACKED_BY.get(move["new_state"])
    if move["old_state"] != "leased" or wanted is None:
        return True
    outcome, late = attempts.get((move["event"], move["old_token"]), (None, False))
    if outcome in wanted or (late and move["new_state"] == "in_doubt"): # the late answer replaced `unknown`
        return True
    if move["new_state"] == "provider_accepted": # a late acceptance of an earlier lease, seen by permit or reaper
        return any(attempts.get((move["event"], token)) == ("accepted", True) for token in range(move["old_token"]))
    return outcome is None and move["new_state"] == "permanent_failure" and move["cause"] in WITHOUT_ATTEMPT


def tokens_only_grow(e):
    def is_wrong(move):
        step = move["new_token"] - move["old_token"]
        claimed = move["new_state"] == "leased"
        return step != (1 if claimed else 0) or not is_backed(move, e.attempts)
    return Finding("I9 tokens only grow, each result under its own token", [m for m in e.moves if is_wrong(m)],
                   len(e.moves))


CHECKS = (every_202_has_its_event, every_operation_was_answered, every_event_has_its_delivery, everything_is_final,
          accepted_is_in_the_provider, the_provider_has_nothing_unknown, duplicates_are_explained, tokens_only_grow)


def check_all(evidence):
    return [check(evidence) for check in CHECKS]
