#!/usr/bin/env bash
# shellcheck disable=SC2317 # functions are called by name
# What CI runs and what a person runs: installs, builds, and checks everything. The last line is
# "N passed, M failed"; the exit code is zero only when nothing failed and something passed.
#   deployment/test.sh              about twelve minutes on two cores
#   deployment/test.sh --quick      no sanitizers, faults, model or fuzzing
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$here" || exit
mode=${1:-}
cores="$(nproc)"
passed=0
failed=0
tidy_seconds=150
began=$SECONDS

step() { printf '\n== %s (%d s)\n' "$1" "$((SECONDS - began))"; }

finish() {
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  [[ "$failed" == 0 && "$passed" -gt 0 ]]
  exit
}

must() { # a step without which nothing else makes sense
  "$@" && return
  failed=$((failed + 1))
  finish
}

should() {
  "$@" && return
  echo "FAILED: $1"
  failed=$((failed + 1))
}

# Adds what Boost.Test reported in a log of ctest; a program that ended without a report is one failure.
count() {
  local good bad
  read -r good bad < <(sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '
    /^Command: /                                        {silent++}
    /^Test module .* has /                              {silent--}
    /^ +[0-9]+ test cases? out of [0-9]+ passed/        {good += $1}
    /^ +[0-9]+ test cases? out of [0-9]+ failed/        {bad += $1}
    END {print good + 0, bad + silent}')
  passed=$((passed + good))
  failed=$((failed + bad))
  echo "$good passed, $bad failed"
}

# $1 build directory, $2... options of ctest
run_tests() {
  local build="$1" code
  shift
  ctest --test-dir "$build" -j "$cores" --output-on-failure --no-tests=error "$@"
  code=$?
  local before="$failed"
  count "$build/Testing/Temporary/LastTest.log"
  # ctest is not happy and nobody says why: that is a failure too
  [[ "$code" == 0 || "$failed" -gt "$before" ]] || failed=$((failed + 1))
}

# Runs a program whose last line is "N passed, M failed".
counted() {
  local log="$home/counted.log"
  "$@" 2>&1 | tee "$log"
  if [[ "$(tail -n 1 "$log")" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
  fi
}

configure() { # $1 build directory, $2... options
  local build="$1"
  shift
  cmake -S . -B "$build" -G Ninja "$@" >/dev/null
}

format_is_ours() {
  git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror
}

# Only what changed, and not for ever: the whole tree takes longer than all else together.
tidy_changed() {
  local base changed
  base="$(git merge-base HEAD origin/main 2>/dev/null || true)"
  [[ -n "$base" && "$base" != "$(git rev-parse HEAD)" ]] || base="$(git rev-parse -q --verify HEAD~ || true)"
  mapfile -t changed < <(git diff --name-only --diff-filter=d ${base:+"$base"} -- '*.cpp' | grep -v '^tests/')
  echo "${#changed[@]} files"
  [[ ${#changed[@]} -gt 0 ]] || return 0
  printf '%s\n' "${changed[@]}" | timeout "$tidy_seconds" xargs -P "$cores" -n 1 clang-tidy -p build --quiet 2>/dev/null
  local code=$?
  [[ "$code" != 124 ]] || { echo "stopped after $tidy_seconds s"; return 0; }
  return "$code"
}

own_postgres() {
  home="$(mktemp -d -t arauto-XXXXXXXX)"
  chmod 711 "$home"
  build/arauto postgres --data "$home" >"$home/ready" &
  server=$!
  trap 'kill -TERM "$server" 2>/dev/null; wait "$server"; rm -rf "$home"' EXIT
  until grep -q '^ready ' "$home/ready"; do
    kill -0 "$server" 2>/dev/null || return 1
    sleep 0.1
  done
  read -r _ ARAUTO_TEST_POSTGRES <"$home/ready"
  export ARAUTO_TEST_POSTGRES
}

# A build of its own for programs that are run under a sanitizer; light on debug information, to be quick.
# $1 its name, $2 regular expression of the programs, $3... options of cmake
sanitized() {
  local build="build-$1" programs="$2"
  shift 2
  if configure "$build" -DCMAKE_BUILD_TYPE=None "$@" \
    && cmake --build "$build" --target model_test storage_test channels_test; then
    LSAN_OPTIONS="suppressions=$here/tests/support/leaks.supp" run_tests "$build" -R "$programs"
  else
    failed=$((failed + 1))
  fi
}

step "installing"
must deployment/install.sh --tests
step "building, warnings are errors"
must configure build
must cmake --build build
step "starting a private PostgreSQL for all tests"
must own_postgres
step "tests"
run_tests build
step "the contract: the OpenAPI document and the running service"
counted tests/contract/run.sh
step "pushes to browsers: judged by implementations of others"
counted tests/push/run.sh
step "clang-format"
should format_is_ours
step "clang-tidy on what changed"
should tidy_changed

if [[ "$mode" != --quick ]]; then
  step "address and undefined behaviour sanitizers"
  sanitized asan '^(model|storage|channels)$' -DARAUTO_SANITIZE=ON '-DCMAKE_CXX_FLAGS=-O1 -g1'
  step "thread sanitizer, where no CAF takes part: Debian's is not built for it"
  sanitized tsan '^(storage|channels)$' '-DCMAKE_CXX_FLAGS=-O1 -g1 -fsanitize=thread -Wno-tsan'
  step "faults"
  counted tests/faults/run.sh --short
  step "the protocol's model and its guards"
  counted tests/model_check/run.sh
  step "fuzzing"
  counted tests/fuzz/run.sh 5
fi
finish
