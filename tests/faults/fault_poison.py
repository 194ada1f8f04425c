"""S12: a delivery that kills its node every time it is about to begin. It ends worker_lost and its neighbours are
innocent; another one like it is cancelled between two deaths, and that is honoured at once."""

import time

import client
from processes import wait_until
from stage import Scene

DEATHS = 4 # node.lost_leases_max of this entry
LEASE_S = 3
# The permit of a poisoned delivery takes a while; in that time its node is killed, so no permit ever stands.
TRAP = """
create function faults.trap() returns trigger language plpgsql security definer as $$
begin
  perform pg_sleep(1);
  return new;
end
$$;
create trigger faults_trap before update on arauto.delivery for each row
  when (old.begun_at is null and new.begun_at is not null and new.user_id like 'poison%') execute function faults.trap()
"""
IN_THE_TRAP = "select count(*) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"


def die_and_rise(scene, service, over):
    """Kills the service whenever a poisoned permit is on its way, until it is over; gives the deaths."""
    deaths = []
    while not over(deaths):
        if scene.database.number(IN_THE_TRAP) == 0:
            time.sleep(0.01)
            continue
        service.process.kill()
        deaths.append(time.time())
        wait_until("the permit is gone with its session", lambda: scene.database.number(IN_THE_TRAP) == 0, 10)
        service.start()
    return deaths


def run(stage, report, options):
    scene = Scene(stage, "s12")
    try:
        service = scene.service(node_lease=f"{LEASE_S}s", node_lost_leases_max=DEATHS, retry_base="1s",
                                doubt_resend_after="1s")
        good = {f"good{n}": "accept" for n in range(20)}
        scene.furnish(service, {**good, "poison1": "accept", "poison2": "accept"})
        scene.database.rows(TRAP)
        others = client.Clients(service.url, scene.key, list(good), scene.path("client.journal"), threads=2)
        first = scene.post_each(service, ["poison1"])["poison1"]
        deaths = die_and_rise(scene, service, lambda _: scene.rows_of([first], "state")[first] == ["permanent_failure"])
        state, cause, lost, attempts = scene.rows_of([first], "state, cause, lost_leases, attempts")[first]
        report.count(deaths=len(deaths))
        report.holds(f"dead after {DEATHS} lost workers, and the row says why and how many",
                     (state, cause, lost, attempts) == ("permanent_failure", "worker_lost", str(DEATHS), "0"),
                     f"{state}, {cause}, {lost} lost, {attempts} attempts")
        report.holds("which is as many deaths", len(deaths) == DEATHS, len(deaths))
        cancel_the_second(scene, report, service)
        others.stop()
        scene.wait_until_quiet(options.patience)
        convicted = scene.database.rows("select event_id, state, cause from arauto.delivery where user_id like 'good%'"
                                        " and state <> 'provider_accepted'")
        report.none_of("its neighbours are innocent: all accepted", convicted, others.accepted())
        sent = [line["to"] for line in scene.provider_lines() if line["to"].startswith("poison")]
        report.holds("nothing of the poison was ever sent", not sent, sent or "")
    finally:
        scene.close()


def cancel_the_second(scene, report, service):
    second = scene.post_each(service, ["poison2"])["poison2"]
    die_and_rise(scene, service, lambda deaths: len(deaths) == 1) # its lease still runs: nobody has claimed it anew
    door = client.Door(service.url, scene.key)
    began = time.monotonic()
    said = door.insist("POST", f"/v1/notifications/{second}/cancel").body["deliveries"][0]["result"]
    took = time.monotonic() - began
    door.close()
    report.holds("another one is cancelled between two deaths", said == "stopped", f"{said} in {took:.2f} s")
    state = scene.rows_of([second], "state")[second]
    report.holds("and stays so", state == ["cancelled"], state)


ENTRIES = {"S12": ("a delivery that kills its node every time", run)}
