// Every message and every interface between the actors of one node. A message is a small named
// struct: a command is verb and noun, a fact noun and past, a timer ends in _due. A reply is the
// thing itself. Everything between actors is a request that is answered, and each asker may have a
// fixed number open: README.md has the sum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "actors/channels/port.hpp"
#include "actors/fwd.hpp"
#include "actors/inspect.hpp"
#include "storage/accounts.hpp"
#include "storage/deliveries.hpp"
#include "storage/model/event.hpp"

namespace arauto {

// -- accepting ---------------------------------------------------------------

struct submit_notification {
  notification asked;
}; // to the front, by whoever took it from the outside
struct commit_accepted {
  std::vector<notification> group;
}; // one transaction for all of them
struct accepted_one {
  errc failed = errc::none;
  accept_answer answer;
}; // failed: nothing is known but this
struct accepted_group {
  std::vector<accepted_one> ones;
}; // in the order asked
// How many deliveries of a tenant may be born leased: room the dispatcher keeps free for the front.
struct room_offered {
  tenant_id tenant;
  channel via = channel::email;
  std::int32_t deliveries = 0;
};
struct withdraw_room {
  tenant_id tenant;
  channel via = channel::email;
}; // a backlog waits: newcomers must queue
struct room_returned {
  std::int32_t deliveries = 0;
};                   // what was not used
struct flush_due {}; // to oneself: what came before it is now in the group

// -- working -----------------------------------------------------------------

struct work_ready {
  tenant_id tenant;
  channel via = channel::email;
}; // a hint; may be lost, doubled or late
struct leases_granted {
  std::vector<storage::lease> leases;
}; // all of one tenant, born or claimed
struct claim_due {
  storage::room wanted;
};                       // leases for one dispatcher
struct claim_suspect {}; // one that took workers down before
struct claimed {
  std::vector<storage::lease> leases;
};
struct ask_permit {
  storage::permit_question asked;
}; // may this attempt begin?
struct settle_attempt {
  storage::settlement what;
}; // kept and asked again until answered
struct note_targets {
  storage::targets_note what;
}; // what some devices' providers said, before the others have
struct renew_leases {
  std::vector<storage::held_delivery> held;
};
struct leases_lost {
  std::vector<storage::held_delivery> lost;
}; // the rest was renewed
struct run_suspect {
  storage::lease held;
}; // answered when it may be trusted: its attempt has begun, or it has ended
struct suspect_cleared {};
struct attempt_begun { // of a suspect; to its dispatcher
  storage::held_delivery whose;
};

// -- sending -----------------------------------------------------------------

struct want_slot {
  tenant_id tenant;
  storage::held_delivery whose;
  priority urgency = priority::normal;
};
struct slot_granted {}; // send soon: others wait for it
struct return_slot {    // not needed any more, granted or not
  tenant_id tenant;
  storage::held_delivery whose;
};
struct send_message { // uses up the slot
  storage::held_delivery whose;
  channels::composed what;
  caf::timespan trusted_until{0}; // steady clock, since its epoch
};
struct attempt_answered {
  storage::held_delivery whose;
  std::string device_id; // of a push
  outcome what;
}; // from the port's thread

// -- accounts ------------------------------------------------------------------

struct want_courier {
  tenant_id tenant;
  outlet of;
};
struct courier_ready {}; // the account book has it
struct stand_down {};    // to a courier: its account has changed, or nobody needs it
struct account_fares {   // from its courier: paused, with a cause; or flowing again, without
  storage::account_place which;
  std::string cause;
  std::int32_t code = 0;
};
struct courier_lost { // what was asked of it and not answered, will not be
  std::string account;
};
struct find_accounts { // changes since then
  std::int64_t after = 0;
};
struct accounts_found {
  std::vector<storage::account_place> changed;
};
struct find_account {
  std::string id;
};
struct account_found {
  storage::account_contents whole;
};

// -- looking after ------------------------------------------------------------

struct reap_leases {};
struct leases_reaped {
  std::vector<storage::reaped> reaped;
  std::vector<storage::reaped> given_up; // doubts that waited for evidence long enough
};
struct find_due {};
struct due_work {
  std::vector<work_ready> hints;
};
struct forget_events {}; // a batch of what is old and over
struct events_forgotten {
  bool full = false; // there may be more
};
struct send_heartbeat {};
struct poll_due {};
struct listen_due {};
struct hints_missed {}; // nobody listened for a while: look at everything that is due
struct renewal_due {};
struct retry_due {};
struct may_retire {
  tenant_id tenant;
};                       // a dispatcher without work; once answered it gets no more
struct stop_claiming {}; // orderly stop: answered when nothing is in flight here any more
struct drained {};
struct give_back {}; // to a delivery: what has no permit yet goes back to due
struct orderly_stop {
  caf::timespan limit{0};
};

// -- interfaces ---------------------------------------------------------------

// Owns one connection; batches what its mailbox holds into one statement.
using keeper_actor = caf::typed_actor<
    // One transaction for the whole group, a verdict for each.
    caf::replies_to<commit_accepted>::with<accepted_group>,
    // Leases what is due, at most the room; an empty answer means there is no more.
    caf::replies_to<claim_due>::with<claimed>, caf::replies_to<claim_suspect>::with<claimed>,
    // The verdict of the database on this attempt; errc::unavailable: nobody knows; errc::busy:
    // somebody holds its row. Either way nothing may be sent.
    caf::replies_to<ask_permit>::with<storage::permit>,
    // Recorded, or stale. Waits out a database that is away.
    caf::replies_to<settle_attempt>::with<storage::settled>,
    // Written down with the next batch; the settlement says it all again.
    caf::reacts_to<note_targets>,
    // Extends leases by explicit list.
    caf::replies_to<renew_leases>::with<leases_lost>,
    // The registrar's: errc::not_found, errc::bad_input (sealed under another key).
    caf::replies_to<find_accounts>::with<accounts_found>,
    caf::replies_to<find_account>::with<account_found>, caf::reacts_to<account_fares>,
    // The reaper's questions and the node's heartbeat.
    caf::replies_to<reap_leases>::with<leases_reaped>, caf::replies_to<find_due>::with<due_work>,
    caf::replies_to<forget_events>::with<events_forgotten>, caf::reacts_to<send_heartbeat>,
    caf::reacts_to<flush_due>, caf::reacts_to<retry_due>>;

// Owns the conversations with one provider account: fair queue for its slots, breaker, one port.
using courier_actor = caf::typed_actor<
    // Answered when a slot is free for this tenant's turn and the account is open; that may take
    // long. errc::stopping: it stands down, ask the registrar for its successor.
    caf::replies_to<want_slot>::with<slot_granted>, caf::reacts_to<return_slot>,
    // Answered with what the provider said, or unknown. A slot is good for one delivery, and for
    // all its devices of this account.
    caf::replies_to<send_message>::with<outcome>,
    // Gives no slot any more; goes when nothing is open.
    caf::reacts_to<stand_down>,
    // From the port, and from its own clock.
    caf::reacts_to<attempt_answered>, caf::reacts_to<retry_due>, caf::reacts_to<poll_due>>;

// Knows the accounts at providers, and starts one courier for each that is used.
using registrar_actor = caf::typed_actor<
    // Answered when the account book has the courier. errc::not_found: there is no account;
    // errc::bad_input: it cannot be used; errc::unavailable: not now.
    caf::replies_to<want_courier>::with<courier_ready>, caf::reacts_to<account_fares>,
    caf::reacts_to<poll_due>, caf::reacts_to<colleagues>>;

// Takes notifications, commits them in groups, tells dispatchers.
using front_actor = caf::typed_actor<
    // errc::no_room when the window is full, errc::unavailable when the database is away: send the
    // same operation again.
    caf::replies_to<submit_notification>::with<accept_answer>, caf::reacts_to<room_offered>,
    caf::replies_to<withdraw_room>::with<room_returned>, caf::reacts_to<flush_due>,
    caf::reacts_to<colleagues>>;

// Who is to be asked. A new set means: what was asked of the old ones and not answered, will not
// be.
struct colleagues {
  std::vector<keeper_actor> accept_keepers;
  std::vector<keeper_actor> work_keepers;
  registrar_actor registrar;
  front_actor front;
};

// To a delivery: one of the two was replaced, and what was asked of the old one will not be
// answered.
struct meet_colleagues {
  keeper_actor keeper;
  registrar_actor registrar;
};

// One (event, channel) from lease to result; gone afterwards.
using delivery_actor = caf::typed_actor<
    // Before the permit: back to due and gone. After it: finish.
    caf::reacts_to<give_back>, caf::reacts_to<meet_colleagues>, caf::reacts_to<courier_lost>,
    caf::reacts_to<retry_due>>;

// One tenant's window on this node.
using dispatcher_actor =
    caf::typed_actor<caf::reacts_to<work_ready>, caf::reacts_to<leases_granted>,
                     // Runs this one with no other suspect until its attempt has begun: a worker
                     // lost after that is doubt, and doubt has rules of its own.
                     caf::replies_to<run_suspect>::with<suspect_cleared>,
                     caf::reacts_to<attempt_begun>, caf::reacts_to<renewal_due>,
                     caf::reacts_to<colleagues>, caf::reacts_to<courier_lost>,
                     caf::reacts_to<retry_due>,
                     // Answered when nothing is in flight any more.
                     caf::replies_to<stop_claiming>::with<drained>>;

// Timers: ends lost leases, finds forgotten work, keeps the node's heartbeat.
using reaper_actor = caf::typed_actor<caf::reacts_to<poll_due>, caf::reacts_to<colleagues>,
                                      caf::reacts_to<hints_missed>,
                                      // Answered when no suspect is on its way any more.
                                      caf::replies_to<stop_claiming>::with<drained>>;

// Hears the SQL door's commits; passes hints on.
using porter_actor = caf::typed_actor<caf::reacts_to<listen_due>>;

// Starts everybody, restarts who crashes within an intensity, logs every death, does no work
// itself.
using supervisor_actor = caf::typed_actor<
    // To the tenant's dispatcher, which is started when it is not there.
    caf::reacts_to<work_ready>, caf::reacts_to<leases_granted>,
    caf::replies_to<run_suspect>::with<suspect_cleared>,
    // To the reaper.
    caf::reacts_to<hints_missed>,
    // From the registrar, to every dispatcher and its deliveries.
    caf::reacts_to<courier_lost>,
    // A dispatcher that has nothing to do.
    caf::reacts_to<may_retire>,
    // A branch may be started again.
    caf::reacts_to<retry_due>,
    // Drains; answered when all is quiet or the limit has passed.
    caf::replies_to<orderly_stop>::with<drained>>;

} // namespace arauto

#include "actors/inspect_messages.hpp"
