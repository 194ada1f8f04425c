#include "http/key_desk.hpp"

#include <algorithm>
#include <thread>

#include "storage/pool.hpp"

namespace arauto::http {

result<key_desk::answer> key_desk::ask(const std::string& prefix) {
  std::unique_lock lock{mutex_};
  const auto mine = next_;
  if (std::find(mine->prefixes.begin(), mine->prefixes.end(), prefix) == mine->prefixes.end()) {
    if (waiting_ >= room_) return errc::no_room;
    ++waiting_;
    mine->prefixes.push_back(prefix);
  }
  while (!mine->said)
    if (!being_asked_ && mine == next_)
      lead(lock, *mine);
    else
      answered_.wait(lock);
  if (!*mine->said) return mine->said->why();
  answer made{std::nullopt, mine->asked_at};
  for (const auto& key : **mine->said)
    if (key.prefix == prefix) made.key = key;
  return made;
}

// The first of a round asks for all who joined until its time came.
void key_desk::lead(std::unique_lock<std::mutex>& lock, round& mine) {
  being_asked_ = true;
  const auto not_before = last_asked_at_ + settings_.key_questions_apart;
  lock.unlock();
  std::this_thread::sleep_until(not_before);
  lock.lock();
  next_ = std::make_shared<round>();
  last_asked_at_ = mine.asked_at = clock::now();
  lock.unlock();
  auto said =
      sessions_.with([&](storage::session& db) { return storage::find_keys(db, mine.prefixes); },
                     settings_.database_patience);
  lock.lock();
  mine.said = std::move(said);
  waiting_ -= mine.prefixes.size();
  being_asked_ = false;
  answered_.notify_all();
}

} // namespace arauto::http
