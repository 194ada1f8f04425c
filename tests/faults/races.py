"""What the races have in common: threads that play one round after the other against a service that is killed now and
then, right after an answer."""

import random
import signal
import threading
import traceback

from processes import Trouble
from stage import Scene

SETTINGS = {"node_lease": "5s", "doubt_resend_after": "1s", "retry_base": "1s", "retry_cap": "2s",
            "smtp_connections_max": 8, "node_window_max": 64}


def race(stage, name, options, rounds, deaths, play_one):
    """A scene of rounds; gives the evidence, the number of deaths, and what play_one(scene, service, stops) put into
    its list of stops."""
    scene, stops = Scene(stage, name), []
    try:
        service = scene.service(**SETTINGS)
        scene.furnish(service, {})
        kills = play(rounds, options.seed, service, play_one(scene, service, stops), deaths=max(1, int(deaths)))
        scene.wait_until_quiet(options.patience)
        return scene.gather(), kills, stops
    finally:
        scene.close()


def play(rounds, seed, service, play_one, threads=16, deaths=0):
    """Calls play_one(number, chance, kill_now) for each round; a round that was chosen calls kill_now right after the
    answer it raced for. Chance is of the round alone: it does the same whatever the others do."""
    waiting, guard, failures = iter(range(rounds)), threading.Lock(), []
    chosen = set(random.Random(seed).sample(range(rounds), min(deaths, rounds)))
    shot = threading.Event()

    def go_on():
        while True:
            with guard:
                number = next(waiting, None)
            if number is None:
                return
            def kill_now(mine=number):
                if mine in chosen:
                    service.process.send(signal.SIGKILL)
                    shot.set()
            try:
                play_one(number, random.Random(f"{seed}.{number}"), kill_now)
            except Exception as why:
                failures.append(why)
                traceback.print_exc()
                return

    players = [threading.Thread(target=go_on, daemon=True) for _ in range(threads)]
    for one in players:
        one.start()
    kills = 0
    while any(one.is_alive() for one in players):
        if shot.wait(0.02): # started by this thread: the kernel ends a child with the thread that started it
            shot.clear()
            service.process.kill()
            service.start()
            kills += 1
    if failures:
        raise Trouble(f"a round failed: {failures[0]!r}")
    return kills
