#!/usr/bin/env bash
# From a fresh machine to a running service: installs, builds, starts `arauto dev`, sends one notification and shows
# what became of it. Then the service stays in the foreground; Ctrl-C stops everything.
#   deployment/run.sh [options of arauto dev, as --listen 127.0.0.1:9000 or --smtp-host mail.example]
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

"$here/deployment/install.sh"
[[ -f "$here/build/build.ninja" ]] || cmake -S "$here" -B "$here/build" -G Ninja >/dev/null
cmake --build "$here/build" --target arauto
arauto="$here/build/arauto"

# PostgreSQL does not run as root, and its account must be able to enter the directory.
data="$PWD/.arauto"
options=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --data) data="$(realpath -m "$2")"; shift 2 ;;
    --data=*) data="$(realpath -m "${1#--data=}")"; shift ;;
    *) options+=("$1"); shift ;;
  esac
done
if [[ "$(id -u)" == 0 && "$data" == "$PWD/.arauto" ]] && ! runuser -u postgres -- test -x "$PWD"; then
  data=/var/lib/arauto
  echo "the account postgres may not enter $PWD: using --data $data"
fi
install -d -m 711 "$data"
log="$data/arauto.log"

# In a session of its own: Ctrl-C reaches this script alone, which asks once for an orderly stop.
: >"$data/ready"
setsid "$arauto" dev --data "$data" ${options[@]+"${options[@]}"} >"$data/ready" 2>"$log" &
pid=$!
trap 'kill -TERM "$pid" 2>/dev/null || true' INT TERM
trap 'kill -TERM "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true' EXIT
until grep -q '^ready ' "$data/ready"; do
  if ! kill -0 "$pid" 2>/dev/null; then
    tail -n 5 "$log" >&2
    exit 1
  fi
  sleep 0.1
done
read -r _ url <"$data/ready"
echo "ready $url (data in $data)"

ask() { "$arauto" "$@" --data "$data"; }

sent="$(ask send ana order.shipped --variables '{"name":"Ana","order":"A-1001"}')"
id="$(jq -r .id <<<"$sent")"
echo "accepted $id"
last=
for _ in $(seq 300); do
  status="$(ask status "$id")"
  states="$(jq -r '[.deliveries[] | .channel + " " + .state] | join(", ")' <<<"$status")"
  [[ "$states" == "$last" ]] || echo "  $states"
  last="$states"
  [[ "$(jq '[.deliveries[].state | IN("pending", "leased", "retry_wait")] | any' <<<"$status")" == true ]] || break
  sleep 0.1
done
if [[ "$last" != "email provider_accepted" ]]; then
  echo "the notification did not get through; log: $log" >&2
  jq . <<<"$status" >&2
  exit 1
fi
mail="$(jq -r .mail_dir "$data/dev.json")/$id.email.eml"
if [[ -f "$mail" ]]; then
  echo "--- $mail"
  tr -d '\r' <"$mail"
  echo "---"
fi
cat <<TEXT

arauto is running. What programs need to know is in $data/dev.json, the log in $log. For example:
  curl -s $url/v1/notifications -H "Authorization: Bearer \$(jq -r .api_key $data/dev.json)" \\
    -H 'Content-Type: application/json' \\
    -d '{"user_id":"ana","type":"order.shipped","client_operation_id":"o-1","variables":{"name":"Ana","order":"1"}}'
Ctrl-C stops it.
TEXT

code=0
while kill -0 "$pid" 2>/dev/null; do
  wait "$pid" && code=0 || code=$? # a signal ends the wait, not the service
done
trap - EXIT
[[ "$code" -gt 128 ]] && code=0
exit "$code"
