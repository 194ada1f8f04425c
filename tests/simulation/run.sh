#!/bin/sh
# tests/simulation/run.sh --seeds N [--from N] [--told]: many worlds; the last line says how many passed.
# BUILD names the build directory (default: build).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
ninja -C "$build" simulate >/dev/null
exec "$build/tests/simulation/simulate" "$@"
