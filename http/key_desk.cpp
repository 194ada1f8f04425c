#include "http/key_desk.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "storage/pool.hpp"

namespace arauto::http {

namespace {

template <class Do>
struct on_leaving {
  explicit on_leaving(Do what) : act{std::move(what)} {}
  ~on_leaving() { act(); }
  on_leaving(const on_leaving&) = delete;
  on_leaving& operator=(const on_leaving&) = delete;
  const Do act;
};

} // namespace

result<key_desk::answer> key_desk::ask(const std::string& prefix) {
  std::unique_lock lock{mutex_};
  const auto mine = next_;
  if (std::find(mine->prefixes.begin(), mine->prefixes.end(), prefix) == mine->prefixes.end()) {
    if (waiting_ >= room_) return errc::no_room;
    mine->prefixes.push_back(prefix);
    ++waiting_;
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
  const on_leaving end{[&] { end_of_lead(lock, mine); }};
  const auto not_before = last_asked_at_ + settings_.key_questions_apart;
  lock.unlock();
  std::this_thread::sleep_until(not_before);
  auto following = std::make_shared<round>();
  lock.lock();
  next_ = std::move(following);
  last_asked_at_ = mine.asked_at = clock::now();
  lock.unlock();
  auto said =
      sessions_.with([&](storage::session& db) { return storage::find_keys(db, mine.prefixes); },
                     settings_.database_patience);
  lock.lock();
  mine.said = std::move(said);
}

// Also when leading threw: nobody may wait for an answer that nobody will bring. A round that was
// not closed yet is led by the next.
void key_desk::end_of_lead(std::unique_lock<std::mutex>& lock, round& mine) {
  if (!lock.owns_lock()) lock.lock();
  being_asked_ = false;
  if (&mine != next_.get()) {
    if (!mine.said) mine.said.emplace(errc::internal);
    waiting_ -= mine.prefixes.size();
  }
  answered_.notify_all();
}

} // namespace arauto::http
