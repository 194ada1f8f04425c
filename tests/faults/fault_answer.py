"""F10: the provider takes the message and the answer is lost; and its harmless look-alikes before the final dot."""

import time

import checker
import client
from sabotage import without
from stage import Scene

RESEND_S = 2
# What each group's provider does, attempt by attempt, and what must become of it: (state, doubtful, mails taken).
GROUPS = {
    "drop": ("drop-accept", ("provider_accepted", "t", 2)),
    "dropagain": ("drop-drop", ("in_doubt", "t", 2)),
    "hang": ("hang-accept", ("provider_accepted", "t", 1)),
    "busy": ("busy-accept", ("provider_accepted", "f", 1)),
    "cutdata": ("cutdata-cutdata-accept", ("provider_accepted", "f", 1)),
    "cutcontent": ("cutcontent-accept", ("provider_accepted", "f", 1)),
}
TEXT = "{{n}}\n" + "{{pad}}\n" * 24
PADS = {"cutcontent": "x" * 60_000} # over a megabyte: the final dot cannot be on its way before the cut
LARGE_MOST = 10 # so many at once: more do not get through small buffers before their answer is overdue


def group_of(user):
    return user.partition(".")[0]


def check_group(report, scene, group, ids, evidence):
    steps, wanted = GROUPS[group]
    rows = {d["event"]: d for d in evidence.deliveries}
    taken = checker.taken_count(evidence)
    mine = [event for user, event in ids.items() if group_of(user) == group]
    found = [(rows[one]["state"], rows[one]["doubtful"], taken[one]) for one in mine]
    report.none_of(f"{steps}: {wanted[0]}, {'doubtful' if wanted[1] == 't' else 'no doubt'}, {wanted[2]} taken",
                   [one for one in found if one != wanted], len(mine))


def attempts_of(evidence, ids, group):
    """The provider's lines of each user of the group, in order."""
    lines = {user: [] for user in ids if group_of(user) == group}
    for line in evidence.provider:
        user = line["to"].partition("+")[0]
        if user in lines:
            lines[user].append(line)
    return lines


def check_resends(report, evidence, ids):
    for group in ("drop", "dropagain", "hang"):
        lines = attempts_of(evidence, ids, group)
        other_id = [user for user, two in lines.items() if len({one["id"] for one in two}) != 1]
        report.none_of(f"{group}: the resend carries the same Message-ID", other_id, len(lines))
        early = [user for user, two in lines.items() if len(two) != 2 or two[1]["at"] - two[0]["at"] < RESEND_S]
        report.none_of(f"{group}: one resend, not before {RESEND_S} s", early, len(lines))


def run(stage, report, options):
    scene = Scene(stage, "f10", "--narrow")
    try:
        service = scene.service(node_lease="5s", doubt_resend_after=f"{RESEND_S}s", retry_base="1s", retry_cap="2s",
                                smtp_answer_timeout="4s")
        users = {f"{group}.{n}": steps for group, (steps, _) in GROUPS.items()
                 for n in range(min(options.answers, LARGE_MOST) if group in PADS else options.answers)}
        scene.furnish(service, users, TEXT)
        ids = scene.post_each(service, users, lambda user: {"n": 1, "pad": PADS.get(group_of(user), "")})
        scene.wait_until_quiet(options.patience)
        time.sleep(2 * RESEND_S) # held means held: nothing more comes
        evidence = scene.gather()
        report.count(lost_answers=sum(line["step"] in ("drop", "hang") for line in evidence.provider), events=len(ids),
                     duplicates=sum(count - 1 for count in checker.taken_count(evidence).values()))
        for group in GROUPS:
            check_group(report, scene, group, ids, evidence)
        check_resends(report, evidence, ids)
        doubted = {move["event"] for move in evidence.moves if move["new_state"] == "in_doubt"}
        sure = [event for user, event in ids.items() if group_of(user) in ("busy", "cutdata", "cutcontent")]
        report.none_of("before the dot, or refused: never in doubt", [one for one in sure if one in doubted], len(sure))
        retried = {move["event"] for move in evidence.moves if move["new_state"] == "retry_wait"}
        plain = [event for user, event in ids.items() if group_of(user) in ("busy", "cutcontent")]
        report.none_of("but plainly tried again", [one for one in plain if one not in retried], len(plain))
        check_the_held(report, scene, service, ids)
        report.findings([one for one in checker.check_all(evidence) if not one.name.startswith(("I1 ", "I2 "))])
    finally:
        scene.close()


def check_the_held(report, scene, service, ids):
    door = client.Door(service.url, scene.key)
    held = [event for user, event in ids.items() if group_of(user) == "dropagain"]
    told = [door.ask("GET", f"/v1/notifications/{event}").body for event in held]
    door.close()
    wrong = [one["id"] for one in told if one["status"] != "in_doubt" or not one["deliveries"][0].get("doubtful", True)
             or "next_attempt_at" in one["deliveries"][0]]
    report.none_of("the API says in_doubt, with no next attempt", wrong, len(held))


DOUBT_IS_FORGOTTEN = ("drop", "hang", "the API", "I4", "I6", "I7")
ENTRIES = {
    "F10": ("the provider's answer is lost", run),
    "F10-memory": ("the same, doubts are forgotten",
                   without("memory", run, DOUBT_IS_FORGOTTEN, answers=5, patience=12)),
    "F10-identity": ("the same, each attempt has a Message-ID of its own",
                     without("identity", run, tuple(f"{one}: the resend" for one in ("drop", "dropagain", "hang")),
                             answers=5)),
}
NUMBERS = {"answers": (10, 50, 520)}
CHUNKS = {"F10": ("answers", 130)}
