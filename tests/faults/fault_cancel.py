"""F16: cancels race the delivery in every state, and the service dies right after some of the answers (S16). A round is
one notification, whose provider is slow, says "later", refuses for good, or loses its answer; then it is cancelled."""

import time

import checker
import client
import races
from sabotage import without

STEPS = ("accept", "slow50", "slow400", "slow1200", "stall300", "stall900", "busy-accept", "busy-busy-accept",
         "slow300-accept", "refuse0", "refuse400", "drop-accept", "drop-drop")
DEATHS_PER_ROUND = 1 / 50


def play_one(scene, service, cancels):
    def play(number, chance, kill_now):
        door, user = client.Door(service.url, scene.key), f"user{number}"
        door.insist("PUT", f"/v1/users/{user}", {"email": f"{user}+{chance.choice(STEPS)}@probe.example"})
        event = door.insist("POST", "/v1/notifications", {
            "user_id": user, "type": "fault.probe", "client_operation_id": user, "variables": {"n": 1}}).body["id"]
        time.sleep(chance.uniform(0, 3) ** 2 / 3) # mostly soon
        answer = door.insist("POST", f"/v1/notifications/{event}/cancel")
        answered_at = time.time()
        kill_now()
        cancels.append(checker.Stop({event}, answered_at, answer.status, answer.body["deliveries"][0]["result"]))
        door.close()
    return play


def run(stage, report, options):
    evidence, kills, cancels = races.race(stage, "f16", options, options.cancels, options.cancels * DEATHS_PER_ROUND,
                                          play_one)
    evidence.cancels = cancels
    said = [one.told for one in cancels]
    report.count(cancels=len(cancels), events=len(evidence.events), kills=kills,
                 **{word: said.count(word) for word in sorted(set(said))})
    report.findings([one for one in checker.check_all(evidence) if not one.name.startswith(("I1 ", "I2 "))])
    report.none_of("each cancel is told 200", [one.status for one in cancels if one.status != 200], len(cancels))


ENTRIES = {
    "F16": ("cancels race deliveries in every state", run),
    "F16-permit": ("the same, neither the stop nor the permit ends a lease without a permit",
                   without("cancel", run, ("I12",), cancels=200)),
}
NUMBERS = {"cancels": (200, 500, 2_000)}
CHUNKS = {"F16": ("cancels", 500)}
