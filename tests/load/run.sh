#!/usr/bin/env bash
# Measures the running product beside the limits of the same machine, in one run, and prints one table.
#   tests/load/run.sh [accept|drain|both|latency|slow|door|idle|push ...]     all of them when none is named; about eight minutes
# Needs wrk, smtp-sink, smtp-source, nghttpd and h2load (deployment/install.sh --tests). ARAUTO_BINARY names another build.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
exec /usr/bin/python3 "$here/measure.py" "$@"
