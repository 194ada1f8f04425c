#!/usr/bin/env bash
# What we send to browsers, judged by implementations that others wrote: a push service that checks our VAPID token and
# opens what we sealed (npm web-push-testing), and a client (npm web-push) that checks our own double of a push service.
# The last line is "N passed, M failed". The program is $ARAUTO_CHANNELS_TEST or build/tests/channels_test.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --ignore-scripts --no-audit --no-fund >/dev/null && cp package-lock.json node_modules/.installed || {
    printf '0 passed, 1 failed\n'
    exit 1
  }
fi
exec node push.mjs
