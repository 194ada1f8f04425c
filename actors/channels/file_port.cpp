#include "actors/channels/file_port.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "actors/channels/push_content.hpp"

namespace arauto::channels {

namespace {

class descriptor {
public:
  explicit descriptor(int number) : number_{number} {}
  ~descriptor() { shut(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool shut() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

private:
  int number_;
};

bool write_all(const descriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto taken = ::write(file.number(), bytes.data(), bytes.size());
    if (taken < 0 && errno == EINTR) continue;
    if (taken <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(taken));
  }
  return true;
}

bool sync_directory(const std::string& directory) {
  const descriptor opened{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  return opened.is_open() && ::fsync(opened.number()) == 0;
}

outcome ended(verdict said, const char* cause) {
  outcome made;
  made.said = said;
  made.cause = cause;
  return made;
}

class file_port : public port {
public:
  explicit file_port(std::string directory) : directory_{std::move(directory)} {}

  void send(composed what, steady::time_point trusted_until,
            std::function<void(outcome)> answer) override {
    answer(write(what, trusted_until));
  }

  std::size_t sends_max() const override { return 8; }

  void stop(steady::time_point) override {} // nothing is ever open

protected:
  // Of the file; the same on each attempt. Nothing: the delivery has no usable name.
  virtual std::optional<std::string> name_of(const composed& what) const = 0;

private:
  outcome write(const composed& what, steady::time_point trusted_until) const {
    const auto name = name_of(what);
    if (!name) return ended(verdict::refused, "header_unsafe");
    const auto path = directory_ + "/" + *name;
    auto draft = directory_ + "/." + *name + ".XXXXXX";
    descriptor file{::mkostemp(draft.data(), O_CLOEXEC)};
    if (!file.is_open()) return ended(verdict::not_begun, "file_not_written");
    const auto whole = write_all(file, what.bytes) && ::fsync(file.number()) == 0 && file.shut();
    const auto trusted = steady::now() < trusted_until;
    if (!whole || !trusted || std::rename(draft.c_str(), path.c_str()) != 0) {
      ::unlink(draft.c_str());
      return ended(verdict::not_begun, trusted ? "file_not_written" : "trust_ended");
    }
    if (!sync_directory(directory_)) return ended(verdict::unknown, "lost_answer");
    auto made = ended(verdict::accepted, "");
    made.provider_ref = *name;
    return made;
  }

  const std::string directory_;
};

class mail_file_port : public file_port {
public:
  mail_file_port(std::string directory, mail_account account, wall_clock now)
      : file_port{std::move(directory)}, account_{std::move(account)}, now_{std::move(now)} {}

  result<composed> compose(const message& what) const override {
    return compose_mail(what, account_, now_());
  }

private:
  std::optional<std::string> name_of(const composed& what) const override {
    const auto name = delivery_name(what.key);
    return name ? std::optional{*name + ".eml"} : std::nullopt;
  }

  const mail_account account_;
  const wall_clock now_;
};

// What a device would show, whatever its provider; the token is not in it.
class push_file_port : public file_port {
public:
  using file_port::file_port;

  result<composed> compose(const message& what) const override {
    const auto content = read_push(what);
    if (!content) return content.why();
    nlohmann::ordered_json shown = {{"device_id", what.target.device_id},
                                    {"app", what.app},
                                    {"title", content->title},
                                    {"body", content->body},
                                    {"image", content->image},
                                    {"link", content->link},
                                    {"data", content->data}};
    composed made;
    made.key = what.key;
    made.device_id = what.target.device_id;
    made.to = content->tag;
    made.bytes = shown.dump(2) + "\n";
    return made;
  }

private:
  std::optional<std::string> name_of(const composed& what) const override {
    const auto name = delivery_name(what.key);
    return name ? std::optional{*name + "." + what.to + ".json"} : std::nullopt;
  }
};

result<done> make_directory(const std::string& directory) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem) return failure{errc::bad_input, "directory_unusable"};
  return done{};
}

} // namespace

result<std::unique_ptr<port>> make_file_port(const file_settings& settings, wall_clock now) {
  auto account =
      make_mail_account(settings.sender_address, settings.sender_name, settings.message_id_domain);
  if (!account) return account.why();
  if (const auto made = make_directory(settings.directory); !made) return made.why();
  return std::unique_ptr<port>{
      std::make_unique<mail_file_port>(settings.directory, std::move(*account), std::move(now))};
}

result<std::unique_ptr<port>> make_push_file_port(const std::string& directory) {
  if (const auto made = make_directory(directory); !made) return made.why();
  return std::unique_ptr<port>{std::make_unique<push_file_port>(directory)};
}

} // namespace arauto::channels
