// The program. What it can be asked for is in commands.hpp; the service is put together in
// service.cpp.
#include "deployment/commands.hpp"

int main(int argc, char** argv) {
  return arauto::deployment::run(argc, argv);
}
