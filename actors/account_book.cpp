#include "actors/account_book.hpp"

#include <mutex>

namespace arauto {

namespace {

// One account's view of a port that others use too.
class shared_port final : public channels::port {
public:
  explicit shared_port(std::shared_ptr<channels::port> whole) : whole_{std::move(whole)} {}

  result<channels::composed> compose(const message& what) const override {
    return whole_->compose(what);
  }
  void send(channels::composed what, steady::time_point trusted_until,
            std::function<void(outcome)> answer) override {
    whole_->send(std::move(what), trusted_until, std::move(answer));
  }
  std::size_t sends_max() const override { return whole_->sends_max(); }
  void stop(steady::time_point) override {} // the others go on

private:
  std::shared_ptr<channels::port> whole_;
};

} // namespace

storage::account_contents house_account(provider via) {
  storage::account_contents made;
  made.place.id = "house/" + std::string{spelled(via)};
  made.place.of = {via, {}};
  made.open = made.secret = "{}";
  return made;
}

account_means all_through(std::shared_ptr<channels::port> port) {
  account_means means;
  for (auto via : all_providers)
    means.of_house.push_back(house_account(via));
  means.open_port = [port = std::move(port)](const storage::account_contents&) {
    return result<std::shared_ptr<channels::port>>{std::make_shared<shared_port>(port)};
  };
  return means;
}

std::string name_of(const storage::account_place& place) {
  const auto owner = place.tenant.text.empty() ? std::string{"house"} : place.tenant.text;
  const auto app = place.of.app.empty() ? std::string{} : "/" + place.of.app;
  return owner + "/" + std::string{spelled(place.of.via)} + app;
}

const storage::account_place* account_book::found(const tenant_id& tenant, const outlet& of) const {
  if (const auto own = own_.find(tenant); own != own_.end())
    for (const auto& wanted : {of, outlet{of.via, {}}})
      if (const auto one = own->second.find(wanted); one != own->second.end()) return &one->second;
  const auto house = of_house_.find(of.via);
  return house == of_house_.end() ? nullptr : &house->second;
}

std::optional<storage::account_place> account_book::resolve(const tenant_id& tenant,
                                                            const outlet& of) const {
  const std::shared_lock lock{mutex_};
  const auto* place = found(tenant, of);
  return place == nullptr ? std::nullopt : std::optional{*place};
}

door_ptr account_book::door_of(const tenant_id& tenant, const outlet& of) const {
  const std::shared_lock lock{mutex_};
  const auto* place = found(tenant, of);
  const auto door = place == nullptr ? doors_.end() : doors_.find(place->id);
  return door == doors_.end() ? nullptr : door->second;
}

door_ptr account_book::door_of(const std::string& account) const {
  const std::shared_lock lock{mutex_};
  const auto door = doors_.find(account);
  return door == doors_.end() ? nullptr : door->second;
}

std::vector<door_ptr> account_book::doors() const {
  const std::shared_lock lock{mutex_};
  std::vector<door_ptr> all;
  for (const auto& [id, door] : doors_)
    all.push_back(door);
  return all;
}

void account_book::write(const storage::account_place& place) {
  const std::unique_lock lock{mutex_};
  if (place.tenant.text.empty())
    of_house_[place.of.via] = place;
  else if (place.removed)
    own_[place.tenant].erase(place.of);
  else
    own_[place.tenant][place.of] = place;
}

void account_book::open(door_ptr door) {
  const std::unique_lock lock{mutex_};
  doors_[door->place.id] = std::move(door);
}

void account_book::close(const std::string& account) {
  const std::unique_lock lock{mutex_};
  doors_.erase(account);
}

} // namespace arauto
