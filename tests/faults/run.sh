#!/usr/bin/env bash
# shellcheck disable=SC2317 # clear_up is called by the traps
# The fault tests: real processes, killed, frozen and starved; see README.md.
#   tests/faults/run.sh --short             small numbers, at most 7 minutes
#   tests/faults/run.sh                     everything with middling numbers
#   tests/faults/run.sh --long              everything with large numbers; --resume FILE goes on, --table FILE prints
#   tests/faults/run.sh F1 --kills 20       one entry; run.sh --list names them and their options
# The last line is "N passed, M failed". The program is $ARAUTO_BINARY or build/arauto.
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
binary="$(realpath -m "${ARAUTO_BINARY:-$here/../../build/arauto}")"
if [[ ! -x "$binary" ]]; then
  echo "no program at $binary: build it, or set ARAUTO_BINARY" >&2
  printf '0 passed, 1 failed\n'
  exit 1
fi

scratch="$(mktemp -d)"
chmod 711 "$scratch" # the account of a private PostgreSQL must pass through
campaign=
clear_up() {
  trap - EXIT INT TERM
  if [[ -n "$campaign" ]]; then
    kill -TERM "$campaign" 2>/dev/null # it ends everything it started, and so does its own death
    wait "$campaign" 2>/dev/null
  fi
  if [[ -e "$scratch/keep" ]]; then echo "what was left behind: $scratch" >&2; else rm -rf "$scratch"; fi
}
trap 'clear_up; exit 130' INT
trap 'clear_up; exit 143' TERM
trap clear_up EXIT

/usr/bin/python3 -B "$here/campaign.py" --binary "$binary" --scratch "$scratch" "$@" &
campaign=$!
wait "$campaign"
code=$?
campaign=
exit "$code"
