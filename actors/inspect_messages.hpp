// Field by field, for every message of protocol.hpp; included by it only.
#pragma once

namespace arauto {

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, submit_notification& x) {
  return f(type_name("submit_notification"), x.asked);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, commit_accepted& x) {
  return f(type_name("commit_accepted"), x.group);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, accepted_one& x) {
  return f(type_name("accepted_one"), x.failed, x.answer);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, accepted_group& x) {
  return f(type_name("accepted_group"), x.ones);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, room_offered& x) {
  return f(type_name("room_offered"), x.tenant, x.via, x.deliveries);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, withdraw_room& x) {
  return f(type_name("withdraw_room"), x.tenant, x.via);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, room_returned& x) {
  return f(type_name("room_returned"), x.deliveries);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, flush_due&) {
  return f(type_name("flush_due"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, work_ready& x) {
  return f(type_name("work_ready"), x.tenant, x.via);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, leases_granted& x) {
  return f(type_name("leases_granted"), x.leases);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, claim_due& x) {
  return f(type_name("claim_due"), x.wanted);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, claim_suspect&) {
  return f(type_name("claim_suspect"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, claimed& x) {
  return f(type_name("claimed"), x.leases);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ask_permit& x) {
  return f(type_name("ask_permit"), x.asked);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, settle_attempt& x) {
  return f(type_name("settle_attempt"), x.what);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, renew_leases& x) {
  return f(type_name("renew_leases"), x.held);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, leases_lost& x) {
  return f(type_name("leases_lost"), x.lost);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, run_suspect& x) {
  return f(type_name("run_suspect"), x.held);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, attempt_begun& x) {
  return f(type_name("attempt_begun"), x.whose);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, suspect_cleared&) {
  return f(type_name("suspect_cleared"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, drained&) {
  return f(type_name("drained"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, want_slot& x) {
  return f(type_name("want_slot"), x.tenant, x.whose, x.urgency);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, slot_granted&) {
  return f(type_name("slot_granted"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, return_slot& x) {
  return f(type_name("return_slot"), x.tenant, x.whose);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, send_message& x) {
  return f(type_name("send_message"), x.whose, x.what, x.trusted_until);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, attempt_answered& x) {
  return f(type_name("attempt_answered"), x.whose, x.device_id, x.what);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, note_targets& x) {
  return f(type_name("note_targets"), x.what);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, want_courier& x) {
  return f(type_name("want_courier"), x.tenant, x.of);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, courier_ready&) {
  return f(type_name("courier_ready"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, stand_down&) {
  return f(type_name("stand_down"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, account_fares& x) {
  return f(type_name("account_fares"), x.which, x.cause, x.code);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, courier_lost& x) {
  return f(type_name("courier_lost"), x.account);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, find_accounts& x) {
  return f(type_name("find_accounts"), x.after);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, accounts_found& x) {
  return f(type_name("accounts_found"), x.changed);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, find_account& x) {
  return f(type_name("find_account"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, account_found& x) {
  return f(type_name("account_found"), x.whole);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reap_leases&) {
  return f(type_name("reap_leases"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, leases_reaped& x) {
  return f(type_name("leases_reaped"), x.reaped, x.given_up);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, find_due&) {
  return f(type_name("find_due"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, due_work& x) {
  return f(type_name("due_work"), x.hints);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, forget_events&) {
  return f(type_name("forget_events"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, events_forgotten& x) {
  return f(type_name("events_forgotten"), x.full);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, send_heartbeat&) {
  return f(type_name("send_heartbeat"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, poll_due&) {
  return f(type_name("poll_due"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, listen_due&) {
  return f(type_name("listen_due"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, hints_missed&) {
  return f(type_name("hints_missed"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, renewal_due&) {
  return f(type_name("renewal_due"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, retry_due&) {
  return f(type_name("retry_due"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, may_retire& x) {
  return f(type_name("may_retire"), x.tenant);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, stop_claiming&) {
  return f(type_name("stop_claiming"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, meet_colleagues& x) {
  return f(type_name("meet_colleagues"), x.keeper, x.registrar);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, give_back&) {
  return f(type_name("give_back"));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, orderly_stop& x) {
  return f(type_name("orderly_stop"), x.limit);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, colleagues& x) {
  return f(type_name("colleagues"), x.accept_keepers, x.work_keepers, x.registrar, x.front);
}

} // namespace arauto
