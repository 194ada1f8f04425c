#include "storage/templates.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

result<template_view> put_template(session& db, const tenant_id& tenant,
                                   const template_view& wanted) {
  auto parts = nlohmann::json::array();
  for (const auto& one : wanted.parts)
    parts.push_back({{"name", one.name}, {"text", one.text}});
  std::optional<std::string> rule;
  std::optional<std::int64_t> after_ms;
  std::optional<int> resends;
  if (wanted.doubt.given) {
    rule = std::string{spelled(wanted.doubt.policy.rule)};
    after_ms = wanted.doubt.policy.after.count();
    resends = wanted.doubt.policy.resends_max;
  }
  auto made = wanted;
  const auto version = db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    t.run(sql::template_end, tenant.text, wanted.type, to_string(wanted.via), wanted.locale);
    return t
        .run(sql::template_put, tenant.text, wanted.type, to_string(wanted.via), wanted.locale,
             dumped(parts), dumped(nlohmann::json(wanted.required)), wanted.is_private, rule,
             after_ms, resends)[0][0]
        .as<int>();
  });
  // Two writers of one template at once: the later one finds its number taken; both were asked, one
  // may ask again.
  if (version.error() == errc::already_exists) return failure{errc::try_again, version.why().text};
  if (!version) return version.why();
  made.version = *version;
  return made;
}

result<template_view> find_template(session& db, const tenant_id& tenant, const std::string& type,
                                    channel via, const std::string& locale) {
  auto found = db.in_transaction(
      reach::of(tenant), [&](session::transaction& t) -> std::optional<template_view> {
        const auto rows = t.run(sql::template_find, tenant.text, type, to_string(via), locale);
        if (rows.empty()) return std::nullopt;
        const auto& row = rows[0];
        template_view one;
        one.type = type;
        one.via = via;
        one.locale = locale;
        one.version = row["version"].as<int>();
        for (const auto& p : nlohmann::json::parse(row["parts"].c_str()))
          one.parts.push_back({p.at("name").get<std::string>(), p.at("text").get<std::string>()});
        one.required =
            nlohmann::json::parse(row["required"].c_str()).get<std::vector<std::string>>();
        one.is_private = row["private"].as<bool>();
        one.doubt = read_doubt(row);
        return one;
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  return std::move(**found);
}

result<done> end_template(session& db, const tenant_id& tenant, const std::string& type,
                          channel via, const std::string& locale) {
  const auto ended = db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    return !t.run(sql::template_end, tenant.text, type, to_string(via), locale).empty();
  });
  if (!ended) return ended.why();
  if (!*ended) return errc::not_found;
  return done{};
}

} // namespace arauto::storage
