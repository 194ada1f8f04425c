"""F15: opt-outs race queued deliveries. A round is one user with several notifications that wait, are leased, have a
permit or are at the provider, which is slow and often says "later"; then the user turns the channel off."""

import time

import checker
import client
import races
from sabotage import without

TYPE = "fault.probe"
EVENTS = 4 # of each user
STEPS = ("slow50", "slow300", "slow900", "busy-accept", "busy-busy-accept", "slow600-accept", "drop-slow100")
DEATHS_PER_ROUND = 1 / 100


def play_one(scene, service, opt_outs):
    def play(number, chance, kill_now):
        door, user = client.Door(service.url, scene.key), f"user{number}"
        door.insist("PUT", f"/v1/users/{user}", {"email": f"{user}+{chance.choice(STEPS)}@probe.example"})
        def post(n):
            return door.insist("POST", "/v1/notifications", {
                "user_id": user, "type": TYPE, "client_operation_id": f"{user}-{n}", "variables": {"n": n}}).body["id"]
        events = [post(n) for n in range(EVENTS)]
        time.sleep(chance.uniform(0, 3) ** 2 / 3) # mostly soon
        answer = door.insist("PUT", f"/v1/users/{user}/preferences", {"channels": {"email": False}})
        answered_at = time.time()
        kill_now()
        events += [post(EVENTS)]
        opt_outs.append(checker.Stop(set(events), answered_at, answer.status, {
            word: answer.body.get(word, 0) for word in ("stopped", "in_flight", "in_doubt")}))
        door.close()
    return play


def run(stage, report, options):
    evidence, kills, opt_outs = races.race(stage, "f15", options, options.opt_outs,
                                           options.opt_outs * DEATHS_PER_ROUND, play_one)
    evidence.opt_outs = opt_outs
    tell(report, evidence, kills)
    report.findings([one for one in checker.check_all(evidence) if not one.name.startswith(("I1 ", "I2 "))])
    check_the_end(report, evidence)


def tell(report, evidence, kills):
    report.count(opt_outs=len(evidence.opt_outs), events=len(evidence.events), kills=kills,
                 **{word: sum(one.told[word] for one in evidence.opt_outs)
                    for word in ("stopped", "in_flight", "in_doubt")},
                 late_starts_that_were_listed=sum(len(checker.late_starts(evidence, one))
                                                  for one in evidence.opt_outs))


def check_the_end(report, evidence):
    states = {one["event"]: one["state"] for one in evidence.deliveries}
    report.none_of("each opt-out is told 200", [one.status for one in evidence.opt_outs if one.status != 200],
                   len(evidence.opt_outs))
    fewer = [one.told for one in evidence.opt_outs
             if sum(states[event] == "suppressed" for event in one.events) < one.told["stopped"]]
    report.none_of("what was told stopped is suppressed in the end", fewer, len(evidence.opt_outs))
    revived = [move for move in evidence.moves if move["old_state"] == "suppressed"]
    report.none_of("and stays so", revived, sum(state == "suppressed" for state in states.values()))


ENTRIES = {
    "F15": ("opt-outs race queued deliveries", run),
    "F15-consent": ("the same, neither the sweep nor the permit minds the preference",
                    without("consent", run, ("I11", "what was told stopped"), opt_outs=40)),
}
NUMBERS = {"opt_outs": (60, 300, 2_000)}
CHUNKS = {"F15": ("opt_outs", 500)}
