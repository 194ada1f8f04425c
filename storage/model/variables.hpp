// The variables of an event as mustache wants them. Used by rendering only.
#pragma once

#include <optional>
#include <string_view>

#include <kainjow/mustache.hpp>

namespace arauto {

// Numbers are strings, exactly as written; null is `invalid`, which is no type of JSON. Nothing
// when the text is no JSON object, or deeper than the JSON door lets in.
std::optional<kainjow::mustache::data> read_variables(std::string_view text);

} // namespace arauto
