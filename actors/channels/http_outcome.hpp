// What all HTTP providers' answers have in common on their way to an outcome. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "actors/channels/http_client.hpp"
#include "storage/model/outcome.hpp"

namespace arauto::channels {

// Of a request that was not answered: not_begun and unknown as the transport says, a server whose
// certificate does not hold refuses us (account_refused).
outcome outcome_of_end(const http_answer& said);

// Of an answered one: the status is its code, the provider's own wish its retry_after, bounded.
outcome answered_with(const http_answer& said, verdict means, const char* cause);

// The same with `otherwise` for a provider that named no wish.
outcome later(const http_answer& said, const char* cause, std::chrono::milliseconds otherwise);

// The body as JSON, or null; never throws.
nlohmann::json json_in(const http_answer& said);
// A member's text; empty when it is none.
std::string text_in(const nlohmann::json& object, const char* member);

// A provider's words, fit to be kept: mended UTF-8, at most 500 bytes, and no word so long that it
// could be a token.
std::string kept_words(std::string_view words);

} // namespace arauto::channels
