#!/usr/bin/env bash
# The contract: the OpenAPI document judged by an independent validator, every call and status of it asked of a running
# service, and an independent client that knows nothing but the document. The last line is "N passed, M failed".
# The program is $ARAUTO_BINARY or build/arauto.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --ignore-scripts --no-audit --no-fund >/dev/null && cp package-lock.json node_modules/.installed || {
    printf '0 passed, 1 failed\n'
    exit 1
  }
fi
exec node contract.mjs
