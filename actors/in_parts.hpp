// How a batch meets trouble: one bad item never fails its neighbours, doubt is looked up by running
// again, and a database that is away is said at once for all.
#pragma once

#include <vector>

#include "storage/model/errc.hpp"

namespace arauto {

// `call` takes a batch and gives one answer per item, or fails as a whole; it must be safe to run
// again with the same items (ids and lease tokens make it so). A failure that may be one item's
// fault splits the batch in halves.
template <class Answer, class Item, class Call>
std::vector<result<Answer>> in_parts(const std::vector<Item>& items, const Call& call) {
  constexpr int tries_max = 4;
  std::vector<result<Answer>> answers;
  answers.reserve(items.size());
  errc failed = errc::none;
  for (int tries = 0; tries < tries_max; ++tries) {
    auto made = call(items);
    if (made) {
      for (auto& one : *made)
        answers.emplace_back(std::move(one));
      return answers;
    }
    failed = made.error();
    if (failed != errc::commit_in_doubt && failed != errc::try_again) break;
  }
  const bool somebodys_fault = failed == errc::busy || failed == errc::bad_input
                               || failed == errc::internal || failed == errc::already_exists;
  if (!somebodys_fault || items.size() <= 1) {
    for (std::size_t i = 0; i < items.size(); ++i)
      answers.emplace_back(failed);
    return answers;
  }
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
  for (const auto& half :
       {std::vector<Item>(items.begin(), middle), std::vector<Item>(middle, items.end())})
    for (auto& one : in_parts<Answer>(half, call))
      answers.push_back(std::move(one));
  return answers;
}

} // namespace arauto
