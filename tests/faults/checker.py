"""What must hold after any fault, judged from three witnesses: the clients' journal, the provider's journal and the
database. Independent of the product: it reads rows and lines, and knows only the promises."""

import collections
import dataclasses
import json

FINAL = ("provider_accepted", "permanent_failure", "suppressed", "cancelled", "expired")
BACKED_BY = {"provider_accepted": ("accepted",), "retry_wait": ("refused_for_now",), "in_doubt": ("unknown",),
             "permanent_failure": ("refused", "bad_address", "refused_for_now")}
CLOCK_TOLERANCE_S = 0.05 # between two processes of one machine
WITHOUT_ATTEMPT = ("worker_lost", "worker_crashed", "no_address")


@dataclasses.dataclass
class Evidence:
    answers: list     # of client.Told
    unanswered: set   # operations that never got a 202
    provider: list    # lines of the provider's journal
    events: dict      # client_key -> event id
    deliveries: list  # dicts: event, channel, state, doubtful, held, attempts, token, cause
    attempts: dict    # (event, token) -> (outcome, late)
    moves: list       # dicts: event, old_state, new_state, old_token, new_token, cause, at, due_at,
                      # leased_until, taken_over
    begun: dict = dataclasses.field(default_factory=dict)      # (event, token) -> when the permit was given
    opt_outs: list = dataclasses.field(default_factory=list)   # of Stop; told: how many of which result
    cancels: list = dataclasses.field(default_factory=list)    # of Stop; told: the result of the one delivery
    orderly: list = dataclasses.field(default_factory=list)    # SIGTERMs: (exit code, seconds, leases left behind)
    due: dict = dataclasses.field(default_factory=dict)        # event -> (first due, expires at or None)
    canaries: tuple = ()                                       # what belongs to people or is secret, and
    places: list = dataclasses.field(default_factory=list)     # (name, text): where it must not be found
    attempts_max: int = 25                                     # retry.attempts_max
    stop_limit: float = 8                                      # as it comes


@dataclasses.dataclass
class Stop:
    """A cancel or an opt-out that was answered."""
    events: set
    answered_at: float
    status: int
    told: object


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
    keys = ("event", "channel", "state", "doubtful", "held", "attempts", "token", "cause", "used")
    deliveries = [dict(zip(keys, row)) for row in database.rows(
        "select event_id, channel, state, doubtful, next_attempt_at = 'infinity', attempts, lease_token, cause,"
        " attempts - attempts_before from arauto.delivery")]
    attempts = {(event, int(token)): (outcome, late == "t") for event, token, outcome, late in database.rows(
        "select event_id, lease_token, outcome, late from arauto.attempt")}
    moves = [{"event": event, "old_state": old, "new_state": new, "old_token": int(old_token),
              "new_token": int(new_token), "cause": cause, "at": float(at),
              "due_at": float(due_at), "leased_until": float(leased_until or "inf"),
              "taken_over": taken_over == "t"}
             for event, old, new, old_token, new_token, cause, at, due_at, leased_until, taken_over in database.rows(
                 "select event_id, old_state, new_state, old_token, new_token, new_cause, extract(epoch from at),"
                 " extract(epoch from due_at), extract(epoch from leased_until), taken_over from faults.move"
                 " order by number")]
    begun = {(event, int(token)): float(at) for event, token, at in database.rows(
        "select event_id, lease_token, extract(epoch from begun_at) from arauto.attempt where begun_at is not null")}
    due = {event: (float(first), None if expires is None else float(expires)) for event, first, expires in database.rows(
        "select id, extract(epoch from coalesce(send_at, created_at)), extract(epoch from expires_at)"
        " from arauto.event")}
    return Evidence(list(clients.told), set(clients.unanswered), read_provider(provider_journal), events, deliveries,
                    attempts, moves, begun, due=due)


def taken_count(evidence):
    return count_taken(evidence.provider)


def count_taken(lines):
    """How many mails the provider took for each event."""
    return collections.Counter(event_of(line["id"]) for line in lines if line["taken"])


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
    if move["new_state"] == "in_doubt" and outcome is None: # as it was: a stop or a death before the resend began
        return any(attempts.get((move["event"], token), (None,))[0] == "unknown" for token in range(move["old_token"]))
    return outcome is None and move["new_state"] == "permanent_failure" and move["cause"] in WITHOUT_ATTEMPT


def tokens_only_grow(e):
    def is_wrong(move):
        step = move["new_token"] - move["old_token"]
        claimed = move["new_state"] == "leased"
        return step != (1 if claimed else 0) or not is_backed(move, e.attempts)
    return Finding("I9 tokens only grow, each result under its own token", [m for m in e.moves if is_wrong(m)],
                   len(e.moves))


def starts_of(e):
    """event -> when the provider heard DATA for it, in order."""
    starts = collections.defaultdict(list)
    for line in e.provider:
        if line["id"] is not None:
            starts[event_of(line["id"])].append(line["began"])
    return {event: sorted(began) for event, began in starts.items()}


def attempts_are_counted(e):
    starts = starts_of(e)
    wrong = [d["event"] for d in e.deliveries if int(d["used"]) > e.attempts_max
             or len(starts.get(d["event"], ())) > int(d["attempts"])]
    return Finding("I8 every attempt was counted before it began, none beyond the bound", wrong, len(e.deliveries))


def late_starts(e, stop, starts=None):
    starts = starts or starts_of(e)
    return {event for event in stop.events if any(began > stop.answered_at for began in starts.get(event, ()))}


def last_begun(e):
    """event -> when its last permit was given; each has a row of its attempt in the end."""
    last = collections.defaultdict(float)
    for (event, _), at in e.begun.items():
        last[event] = max(last[event], at)
    return last


def a_lease_ends_before_it_is_taken_over(e):
    taken_over = [move for move in e.moves if move["taken_over"]]
    return Finding("I10 a lease is taken over only after its end", [
        move for move in taken_over if move["at"] < move["leased_until"]], len(taken_over), may_be_empty=True)


def nothing_begins_after_an_opt_out(e):
    begun, starts, wrong = last_begun(e), starts_of(e), []
    for stop in e.opt_outs:
        wrong += [event for event in stop.events if begun[event] > stop.answered_at]
        late = late_starts(e, stop, starts)
        if len(late) > stop.told["in_flight"]:
            wrong += sorted(late)
    return Finding("I11 nothing begins after an opt-out was answered, save what it listed", wrong, len(e.opt_outs))


ALLOWED_END = {"stopped": ("cancelled",),
               "in_flight": ("provider_accepted", "permanent_failure", "cancelled", "in_doubt"),
               "in_doubt": ("in_doubt", "provider_accepted")}


def a_cancel_says_what_comes_true(e):
    states = {d["event"]: (d["state"], is_held(d)) for d in e.deliveries}
    begun, starts, wrong = last_begun(e), starts_of(e), []
    for stop in e.cancels:
        event, = stop.events
        state, held = states[event]
        late = len([began for began in starts.get(event, ()) if began > stop.answered_at])
        if (state not in ALLOWED_END.get(stop.told, (stop.told,)) or (state == "in_doubt" and not held)
                or begun[event] > stop.answered_at or late > (1 if stop.told == "in_flight" else 0)):
            wrong.append((event, stop.told, state))
    return Finding("I12 a cancel's answer comes true, and nothing begins after it", wrong, len(e.cancels))


def one_operation_has_one_id(e):
    ids = collections.defaultdict(set)
    for one in e.answers:
        if one.status == 202:
            ids[one.operation].add(one.id)
    return Finding("I13 one operation, one id", [one for one in ids.items() if len(one[1]) > 1], len(ids),
                   may_be_empty=True)


def nothing_is_early(e):
    """By the database's clock, whatever the node's says; the provider's starts must fit as well."""
    claims = [move for move in e.moves if move["new_state"] == "leased"]
    wrong = [move["event"] for move in claims if move["at"] < move["due_at"]]
    due = collections.defaultdict(list)
    for move in claims:
        due[move["event"]].append(move["due_at"])
    claimed_first = {move["event"] for move in claims if move["new_token"] == 1}
    for event, began in starts_of(e).items():
        if event in e.due: # one that was leased as it was accepted has no move
            at_once = [] if event in claimed_first else [e.due[event][0]]
            moments = sorted(at_once + due[event])
            wrong += [event for at, earliest in zip(began, moments) if at < earliest - CLOCK_TOLERANCE_S]
    return Finding("I15 no attempt before it was due, by the database's clock", wrong, len(claims))


def nothing_expired_is_sent(e):
    limits = {event: expires for event, (_, expires) in e.due.items() if expires is not None}
    wrong = [event for (event, _), at in e.begun.items() if event in limits and at >= limits[event]]
    sent = {event for event, began in starts_of(e).items() if event in limits and began}
    wrong += [d["event"] for d in e.deliveries if d["event"] in limits and d["event"] not in sent
              and d["state"] not in ("expired", "suppressed", "cancelled")]
    return Finding("I19 what expired is not sent, and says so", wrong, len(limits))


def an_orderly_stop_is_no_fault(e):
    twice = [event for event, count in taken_count(e).items() if count > 1] if e.orderly else []
    wrong = [one for one in e.orderly if one[0] != 0 or one[1] > e.stop_limit or one[2] > 0]
    return Finding("I20 SIGTERM: exit 0 in time, no lease left, nothing twice", wrong + twice, len(e.orderly))


def nobody_is_named(e):
    wrong = [(name, canary) for name, text in e.places for canary in e.canaries if canary in text]
    return Finding("I21 no address, variable or key in logs, metrics and refusals", wrong, len(e.places))


CHECKS = (every_202_has_its_event, every_operation_was_answered, every_event_has_its_delivery, everything_is_final,
          accepted_is_in_the_provider, the_provider_has_nothing_unknown, duplicates_are_explained, attempts_are_counted,
          tokens_only_grow, a_lease_ends_before_it_is_taken_over, one_operation_has_one_id, nothing_is_early)
WITH_EVIDENCE = {"opt_outs": nothing_begins_after_an_opt_out, "cancels": a_cancel_says_what_comes_true,
                 "orderly": an_orderly_stop_is_no_fault, "places": nobody_is_named}


def check_all(evidence):
    """Those of WITH_EVIDENCE, and I19, only where the entry gave them something to look at."""
    found = [check(evidence) for check in CHECKS]
    found += [check(evidence) for name, check in WITH_EVIDENCE.items() if getattr(evidence, name)]
    expiry = nothing_expired_is_sent(evidence)
    return found + ([expiry] if expiry.of else [])
