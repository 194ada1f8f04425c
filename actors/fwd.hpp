// Names of every message, and their numbers on CAF's wire. Only names and numbers: most files need
// no more.
#pragma once

#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/type_id.hpp>

#include "storage/model/errc.hpp"

namespace arauto {

struct submit_notification;
struct commit_accepted;
struct accepted_one;
struct accepted_group;
struct room_offered;
struct withdraw_room;
struct room_returned;
struct flush_due;
struct work_ready;
struct leases_granted;
struct claim_due;
struct claim_suspect;
struct claimed;
struct ask_permit;
struct settle_attempt;
struct renew_leases;
struct leases_lost;
struct run_suspect;
struct attempt_begun;
struct suspect_cleared;
struct drained;
struct want_slot;
struct slot_granted;
struct return_slot;
struct send_message;
struct attempt_answered;
struct reap_leases;
struct leases_reaped;
struct find_due;
struct due_work;
struct forget_events;
struct events_forgotten;
struct send_heartbeat;
struct poll_due;
struct listen_due;
struct hints_missed;
struct renewal_due;
struct retry_due;
struct may_retire;
struct stop_claiming;
struct give_back;
struct meet_colleagues;
struct orderly_stop;
struct note_targets;
struct want_courier;
struct courier_ready;
struct stand_down;
struct account_fares;
struct courier_lost;
struct find_accounts;
struct accounts_found;
struct find_account;
struct account_found;
struct colleagues;
struct accept_answer;
struct outcome;
namespace storage {
struct permit;
struct settled;
} // namespace storage

} // namespace arauto

// A changed layout under an old name is misread by another node: change the name when the fields
// change.
CAF_BEGIN_TYPE_ID_BLOCK(arauto, first_custom_type_id)

  CAF_ADD_TYPE_ID(arauto, (arauto::submit_notification))
  CAF_ADD_TYPE_ID(arauto, (arauto::commit_accepted))
  CAF_ADD_TYPE_ID(arauto, (arauto::accepted_one))
  CAF_ADD_TYPE_ID(arauto, (arauto::accepted_group))
  CAF_ADD_TYPE_ID(arauto, (arauto::room_offered))
  CAF_ADD_TYPE_ID(arauto, (arauto::withdraw_room))
  CAF_ADD_TYPE_ID(arauto, (arauto::room_returned))
  CAF_ADD_TYPE_ID(arauto, (arauto::flush_due))
  CAF_ADD_TYPE_ID(arauto, (arauto::work_ready))
  CAF_ADD_TYPE_ID(arauto, (arauto::leases_granted))
  CAF_ADD_TYPE_ID(arauto, (arauto::claim_due))
  CAF_ADD_TYPE_ID(arauto, (arauto::claim_suspect))
  CAF_ADD_TYPE_ID(arauto, (arauto::claimed))
  CAF_ADD_TYPE_ID(arauto, (arauto::ask_permit))
  CAF_ADD_TYPE_ID(arauto, (arauto::settle_attempt))
  CAF_ADD_TYPE_ID(arauto, (arauto::renew_leases))
  CAF_ADD_TYPE_ID(arauto, (arauto::leases_lost))
  CAF_ADD_TYPE_ID(arauto, (arauto::run_suspect))
  CAF_ADD_TYPE_ID(arauto, (arauto::attempt_begun))
  CAF_ADD_TYPE_ID(arauto, (arauto::suspect_cleared))
  CAF_ADD_TYPE_ID(arauto, (arauto::drained))
  CAF_ADD_TYPE_ID(arauto, (arauto::want_slot))
  CAF_ADD_TYPE_ID(arauto, (arauto::slot_granted))
  CAF_ADD_TYPE_ID(arauto, (arauto::return_slot))
  CAF_ADD_TYPE_ID(arauto, (arauto::send_message))
  CAF_ADD_TYPE_ID(arauto, (arauto::attempt_answered))
  CAF_ADD_TYPE_ID(arauto, (arauto::reap_leases))
  CAF_ADD_TYPE_ID(arauto, (arauto::leases_reaped))
  CAF_ADD_TYPE_ID(arauto, (arauto::find_due))
  CAF_ADD_TYPE_ID(arauto, (arauto::due_work))
  CAF_ADD_TYPE_ID(arauto, (arauto::forget_events))
  CAF_ADD_TYPE_ID(arauto, (arauto::events_forgotten))
  CAF_ADD_TYPE_ID(arauto, (arauto::send_heartbeat))
  CAF_ADD_TYPE_ID(arauto, (arauto::poll_due))
  CAF_ADD_TYPE_ID(arauto, (arauto::listen_due))
  CAF_ADD_TYPE_ID(arauto, (arauto::hints_missed))
  CAF_ADD_TYPE_ID(arauto, (arauto::renewal_due))
  CAF_ADD_TYPE_ID(arauto, (arauto::retry_due))
  CAF_ADD_TYPE_ID(arauto, (arauto::may_retire))
  CAF_ADD_TYPE_ID(arauto, (arauto::stop_claiming))
  CAF_ADD_TYPE_ID(arauto, (arauto::give_back))
  CAF_ADD_TYPE_ID(arauto, (arauto::meet_colleagues))
  CAF_ADD_TYPE_ID(arauto, (arauto::orderly_stop))
  CAF_ADD_TYPE_ID(arauto, (arauto::note_targets))
  CAF_ADD_TYPE_ID(arauto, (arauto::want_courier))
  CAF_ADD_TYPE_ID(arauto, (arauto::courier_ready))
  CAF_ADD_TYPE_ID(arauto, (arauto::stand_down))
  CAF_ADD_TYPE_ID(arauto, (arauto::account_fares))
  CAF_ADD_TYPE_ID(arauto, (arauto::courier_lost))
  CAF_ADD_TYPE_ID(arauto, (arauto::find_accounts))
  CAF_ADD_TYPE_ID(arauto, (arauto::accounts_found))
  CAF_ADD_TYPE_ID(arauto, (arauto::find_account))
  CAF_ADD_TYPE_ID(arauto, (arauto::account_found))
  CAF_ADD_TYPE_ID(arauto, (arauto::colleagues))
  CAF_ADD_TYPE_ID(arauto, (arauto::accept_answer))
  CAF_ADD_TYPE_ID(arauto, (arauto::outcome))
  CAF_ADD_TYPE_ID(arauto, (arauto::storage::permit))
  CAF_ADD_TYPE_ID(arauto, (arauto::storage::settled))

CAF_END_TYPE_ID_BLOCK(arauto)

CAF_ERROR_CODE_ENUM(arauto::errc, "arauto")
