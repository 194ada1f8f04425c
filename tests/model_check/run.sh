#!/usr/bin/env bash
# Checks the model of the protocol and that each of its guards is one; see README.md.
#   tests/model_check/run.sh           2 faults in a run; about half a minute
#   tests/model_check/run.sh --deep    3 faults in a run of the whole model
# The last line is "N passed, M failed".
set -uo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$here/../.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
seconds_max=80
whole_faults=2
[[ "${1:-}" != --deep ]] || { whole_faults=3; seconds_max=900; }

# $1 a name  $2 optimisation  $3... definitions: prints what spin found
search() {
  local at="$scratch/$1" speed="$2"
  shift 2
  mkdir "$at" && cp "$here"/*.pml "$at" && cd "$at" || return
  spin -a "$@" delivery.pml >spin.log 2>&1 || { echo "spin failed: $(head -1 spin.log)"; return; }
  gcc "$speed" -DSAFETY -DCOLLAPSE -DMEMLIM=2000 -w -o pan pan.c || { echo "gcc failed"; return; }
  timeout "$seconds_max" ./pan -m20000 >pan.log 2>&1
  if ! grep -q '^State-vector' pan.log; then
    echo "no end within $seconds_max s"
  elif grep -q '^pan:1:' pan.log; then
    sed -n 's/^pan:1: //p' pan.log
  elif grep -qE 'Search not completed|max search depth' pan.log; then
    echo "the search was cut short"
  else
    awk '/states, stored/ {states = $1} /^State-vector.*errors: 0/ {ok = 1}
         END {print ok ? "holds, all of " states " states" : "spin said nothing"}' pan.log
  fi
}

passed() { echo "ok      $1"; }
failed() { echo "FAILED  $1"; }

must_hold() { # $1 a name  $2... definitions
  local found
  found="$(search "$1" -O1 "${@:2}")"
  if [[ "$found" == holds* ]]; then passed "$1: $found"; else failed "$1: $found"; fi
}

must_break() { # $1 guard  $2 what must break, as a piece of its assertion  $3... definitions
  local found piece="$2"
  [[ "$piece" != MOVES ]] || piece='(d.state==4)&&' # may_move's table, its last row
  found="$(search "$1" -O0 "${@:3}")"
  if [[ "$found" == "assertion violated"*"$piece"* ]]; then
    passed "without ${1#NO_}: $(cut -c1-100 <<<"$found")"
  else
    failed "without ${1#NO_}: $found"
  fi
}

must_stand() { # $1 file  $2 text: exactly once, comments left out and blanks as one
  local text times
  text="$(sed -E 's/(--|\/\/).*//' "$root/$1" | tr -s ' \n' '  ' | tr -s ' ')"
  times="$(awk -v text="$text" -v piece="$2" 'BEGIN {
    while ((at = index(text, piece)) > 0) {n++; text = substr(text, at + 1)}; print n + 0}' </dev/null)"
  if [[ "$times" == 1 ]]; then passed "$1 says: $2"; else failed "$1 says $times times: $2"; fi
}

both_know_the_guards() {
  local here_only
  here_only="$(comm -3 <(grep -ohE 'NO_[a-z_]+' "$here"/*.pml | sort -u) \
    <(grep -oE '^\| NO_[a-z_]+' "$here/README.md" | cut -c3- | sort -u))"
  if [[ -z "$here_only" ]]; then passed "model and table name the same guards"
  else failed "not in both, model and table: ${here_only//[$'\n\t']/ }"; fi
}

rows() { sed -nE 's/^\| (NO_[a-z_]+) \| ([^ ]+) \| `(.*)` \| `(.*)` \|$/\1\t\2\t\3\t\4/p' "$here/README.md"; }

# One line a check, for xargs: two at a time, each a bash that knows the functions above.
checks() {
  local guard file text breaks walls="-DNO_settle_stop -DNO_claim_stop -DNO_permit_stop"
  echo "must_hold whole -DFAULTS=$whole_faults"
  echo "must_hold second_wall -DNO_settle_stop -DNO_claim_stop"
  rows | sort -u -k1,1 | while IFS=$'\t' read -r guard file text breaks; do
    case "$guard" in
      NO_permit_stop | NO_claim_stop) echo "must_break $guard '$breaks' $walls" ;;
      NO_settle_doubt) echo "must_break $guard '$breaks' -DATTEMPTS_MAX=3 -D$guard" ;; # a resend, then a retry
      *) echo "must_break $guard '$breaks' -D$guard" ;;
    esac
  done
}

export -f search passed failed must_hold must_break
export here scratch seconds_max
both_know_the_guards >"$scratch/log"
rows | while IFS=$'\t' read -r _ file text _; do must_stand "$file" "$text"; done >>"$scratch/log"
checks | xargs -d '\n' -P 2 -n 1 bash -c >>"$scratch/log"
cat "$scratch/log"
good="$(grep -c '^ok ' "$scratch/log")"
bad="$(grep -c '^FAILED ' "$scratch/log")"
lines="$(wc -l <"$scratch/log")"
expected=$((1 + $(rows | wc -l) + $(checks | wc -l)))
[[ "$lines" == "$expected" && "$expected" -gt 50 ]] || { echo "FAILED  $lines checks of $expected"; bad=$((bad + 1)); }
printf '%d passed, %d failed\n' "$good" "$bad"
[[ "$bad" == 0 ]]
