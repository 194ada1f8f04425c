#!/usr/bin/env bash
# shellcheck disable=SC2317 # fuzz is called by name
# Fuzzes the readers that strangers feed; see README.md.
#   tests/fuzz/run.sh              10 seconds a target
#   tests/fuzz/run.sh 3600         an hour a target
# Builds with clang in $ARAUTO_FUZZ_BUILD or build-fuzz. The last line is "N passed, M failed".
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
seconds="${1:-10}"
build="${ARAUTO_FUZZ_BUILD:-$here/../../build-fuzz}"
targets=(connection json smtp_reply template time wire)

if ! { cmake -S "$here/../.." -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=None \
  '-DCMAKE_CXX_FLAGS=-O1 -g1' -DARAUTO_FUZZ=ON -DARAUTO_TESTS=OFF >/dev/null \
  && cmake --build "$build" --target fuzz_all; }; then
  echo "the fuzz programs do not build"
  printf '0 passed, 1 failed\n'
  exit 1
fi

# $1 a target: first every kept input, then new ones. What it finds stays in found/, what it learnt in learnt/.
fuzz() {
  local program="$build/tests/fuzz/fuzz_$1" corpus="$here/corpus/$1" found="$build/found/$1" log kept
  log="$build/$1.log"
  rm -rf "$found" && mkdir -p "$found" "$build/learnt/$1"
  kept=("$corpus"/*)
  if ! "$program" -malloc_limit_mb=64 -timeout=5 "${kept[@]}" >"$log" 2>&1; then
    echo "FAILED  $1, a kept input: $(grep -m 1 -E 'broken|SUMMARY|ERROR' "$log")"
    return
  fi
  echo "ok      $1: ${#kept[@]} kept inputs"
  if "$program" -malloc_limit_mb=64 -rss_limit_mb=1024 -timeout=5 -max_len=8192 -max_total_time="$seconds" \
    -artifact_prefix="$found/" -print_final_stats=1 "$build/learnt/$1" "$corpus" >"$log" 2>&1; then
    echo "ok      $1: $(sed -n 's/^stat::number_of_executed_units: //p' "$log") executions, 0 crashes"
  else
    echo "FAILED  $1: $(grep -m 1 -E 'broken|SUMMARY|ERROR' "$log"); kept: $(echo "$found"/*)"
  fi
}

export -f fuzz
export here build seconds
results="$(printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c 'fuzz {}')"
echo "$results"
good="$(grep -c '^ok ' <<<"$results")"
bad=$((2 * ${#targets[@]} - good))
printf '%d passed, %d failed\n' "$good" "$bad"
[[ "$bad" == 0 ]]
