// How the model's and the ledger's values travel between actors: field by field, nothing hidden.
// Included by protocol.hpp only. CAF 0.17 cannot inspect std::optional or string views, so messages
// have neither.
#pragma once

#include <caf/all.hpp>

#include "actors/channels/port.hpp"
#include "storage/accounts.hpp"
#include "storage/deliveries.hpp"
#include "storage/model/event.hpp"
#include "storage/model/message.hpp"
#include "storage/model/outcome.hpp"
#include "storage/model/plan.hpp"

namespace arauto {

using caf::meta::type_name;

template <class Inspector, class Tag>
typename Inspector::result_type inspect(Inspector& f, named_text<Tag>& x) {
  return f(type_name("named_text"), x.text);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, lease_token& x) {
  return f(type_name("lease_token"), x.number);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, delivery_key& x) {
  return f(type_name("delivery_key"), x.event, x.via);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, notification& x) {
  return f(type_name("notification"), x.id, x.tenant, x.user, x.type, x.variables, x.operation,
           x.channels_given, x.channels, x.urgency, x.send_at, x.expires_at, x.lease_at_once);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, accepted_delivery& x) {
  return f(type_name("accepted_delivery"), x.via, x.now, x.outlets);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, accept_answer& x) {
  return f(type_name("accept_answer"), x.verdict, x.id, x.created_at, x.deliveries, x.subject);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, part& x) {
  return f(type_name("part"), x.name, x.text);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, doubt_policy& x) {
  return f(type_name("doubt_policy"), x.rule, x.after, x.resends_max);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, doubt_choice& x) {
  return f(type_name("doubt_choice"), x.given, x.policy);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, outlet& x) {
  return f(type_name("outlet"), x.via, x.app);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, target_facts& x) {
  return f(type_name("target_facts"), x.device_id, x.token, x.p256dh, x.auth, x.registered_at,
           x.registered_at_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, other_targets& x) {
  return f(type_name("other_targets"), x.accepted, x.outstanding, x.in_doubt, x.due_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, send_facts& x) {
  return f(type_name("send_facts"), x.key, x.held, x.to_address, x.to_name, x.to_digest,
           x.sender_address, x.sender_name, x.parts, x.variables, x.attempts, x.deferrals, x.doubts,
           x.doubt, x.urgency, x.expires_in_ms, x.through, x.targets, x.others);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, outcome& x) {
  return f(type_name("outcome"), x.said, x.code, x.cause, x.detail, x.provider_ref, x.retry_after,
           x.slows_account, x.only_this_target, x.ended_at_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, plan& x) {
  return f(type_name("plan"), x.next, x.delay, x.hold, x.cause, x.gives_up_after);
}

namespace channels {

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, composed& x) {
  return f(type_name("composed"), x.key, x.from, x.to, x.needs_utf8, x.bytes, x.device_id,
           x.headers, x.registered_at_ms);
}

} // namespace channels

namespace storage {

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, account_place& x) {
  return f(type_name("account_place"), x.id, x.tenant, x.of, x.version, x.removed);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, account_contents& x) {
  return f(type_name("account_contents"), x.place, x.open, x.secret);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, lease& x) {
  return f(type_name("lease"), x.key, x.held, x.tenant, x.urgency, x.lost_leases, x.outlets);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, room& x) {
  return f(type_name("room"), x.tenant, x.via, x.deliveries, x.urgent);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, held_delivery& x) {
  return f(type_name("held_delivery"), x.key, x.held, x.tenant);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, permit_question& x) {
  return f(type_name("permit_question"), x.key, x.held, x.tenant, x.through);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, target_told& x) {
  return f(type_name("target_told"), x.device_id, x.registered_at, x.what, x.decided, x.end_reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, targets_note& x) {
  return f(type_name("targets_note"), x.whose, x.targets);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, permit& x) {
  return f(type_name("permit"), x.still_ours, x.now, x.facts);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, settlement& x) {
  return f(type_name("settlement"), x.key, x.held, x.tenant, x.decided, x.attempted, x.what,
           x.given_back, x.deferred, x.lost, x.suppress_digest, x.targets);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, settled& x) {
  return f(type_name("settled"), x.ours, x.now);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reaped& x) {
  return f(type_name("reaped"), x.tenant, x.key, x.lost, x.now);
}

} // namespace storage
} // namespace arauto
