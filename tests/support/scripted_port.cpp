#include "tests/support/scripted_port.hpp"

#include <stdexcept>

namespace arauto::tests {

bool scripted_port::journal::wait_seen(std::size_t count, std::chrono::seconds patience) {
  std::unique_lock lock{mutex};
  return changed.wait_for(lock, patience, [&] { return seen.size() >= count; });
}

std::size_t scripted_port::journal::count() {
  const std::lock_guard lock{mutex};
  return seen.size();
}

void scripted_port::journal::release(outcome said) {
  std::vector<std::function<void(outcome)>> askers;
  {
    const std::lock_guard lock{mutex};
    askers.swap(unanswered);
  }
  for (auto& one : askers)
    one(said);
}

result<channels::composed> scripted_port::compose(const message& what) const {
  if (!journal_->poison.empty() && what.to_address == journal_->poison)
    throw std::runtime_error{"poison"};
  channels::composed made;
  made.key = what.key;
  made.to = what.target.token.empty() ? what.to_address : what.target.token;
  made.device_id = what.target.device_id;
  made.bytes = what.parts.empty() ? "" : what.parts.front().text;
  return made;
}

void scripted_port::send(channels::composed what, steady::time_point,
                         std::function<void(outcome)> answer) {
  scripted_port::answer decided;
  {
    const std::lock_guard lock{journal_->mutex};
    journal_->seen.push_back(what);
    const auto times = ++journal_->times[what.key];
    decided = journal_->how ? journal_->how(what, times)
                            : scripted_port::answer{false, says(verdict::accepted)};
    if (decided.silent) journal_->unanswered.push_back(answer);
    journal_->changed.notify_all();
  }
  if (!decided.silent) answer(decided.said);
}

std::size_t scripted_port::sends_max() const {
  if (journal_->broken) throw std::runtime_error{"broken"};
  return journal_->sends_max;
}

outcome says(verdict said, int code, const std::string& cause) {
  outcome made;
  made.said = said;
  made.code = code;
  made.cause = cause;
  if (said == verdict::accepted) made.provider_ref = "ref";
  return made;
}

} // namespace arauto::tests
