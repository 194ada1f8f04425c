// A gate between a client and a server on loopback that does to the bytes what networks do: lets
// them pass, loses an answer, loses a question, or falls silent with the connection open.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace arauto::tests {

class tcp_gate {
public:
  explicit tcp_gate(int server_port);
  ~tcp_gate();
  tcp_gate(const tcp_gate&) = delete;
  tcp_gate& operator=(const tcp_gate&) = delete;

  enum class mode {
    pass,
    lose_answer,   // the question with the word arrives; then both ends are cut before an answer
                   // passes
    lose_question, // cut before the question with the word arrives
    fall_silent,   // the question with the word arrives; no byte comes back, the connection stays
  };

  // From now on, once, for the first question that holds `word`.
  void set(mode next, const std::string& word);
  int port() const { return port_; }

private:
  void accept_all();
  void carry(int client);
  mode judge(const std::string& question);

  int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  mode mode_ = mode::pass;
  std::string word_;
  std::thread acceptor_;
  std::vector<std::thread> carriers_;
};

} // namespace arauto::tests
