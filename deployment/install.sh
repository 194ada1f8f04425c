#!/usr/bin/env bash
# Installs what arauto is built from and runs on, from Debian 12's own packages. Quick when everything is there.
#   deployment/install.sh           to build and run
#   deployment/install.sh --tests   and to test
# Works as root or with sudo. Leaves no daemon running and makes no PostgreSQL cluster of the system's.
set -euo pipefail

packages=(
  cmake ninja-build ccache g++ pkg-config
  libcaf-dev libpqxx-dev nlohmann-json3-dev libcpp-httplib-dev libboost-dev libboost-test-dev
  libgmime-3.0-dev libkainjow-mustache-dev prometheus-cpp-dev libspdlog-dev libfmt-dev
  libcli11-dev libtomlplusplus-dev libidn2-dev libssl-dev zlib1g-dev libbrotli-dev libcurl4-openssl-dev
  postgresql-15 ca-certificates curl jq
)
if [[ "${1:-}" == --tests ]]; then
  packages+=(git clang clang-format clang-tidy faketime python3 python3-aiosmtpd openssl postfix procps spin wrk pgbouncer)
  command -v npm >/dev/null || packages+=(nodejs npm) # another source's nodejs brings npm and bars Debian's
fi

missing() {
  local package
  for package in "$@"; do
    [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] || echo "$package"
  done
}

mapfile -t wanted < <(missing "${packages[@]}")
[[ ${#wanted[@]} -gt 0 ]] || exit 0

root=()
if [[ "$(id -u)" != 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install.sh: these packages are missing, and there is no sudo to install them: ${wanted[*]}" >&2
    exit 1
  fi
  root=(sudo)
fi

echo "installing: ${wanted[*]}"

# While we install, nothing may start; a policy that was there already is left alone.
policy=/usr/sbin/policy-rc.d
if [[ ! -e "$policy" ]]; then
  trap '"${root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${root[@]}" tee "$policy" >/dev/null
  "${root[@]}" chmod 755 "$policy"
fi

install_packages() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

"${root[@]}" apt-get update -q
if [[ " ${wanted[*]} " == *" postgresql-15 "* ]]; then
  install_packages postgresql-common
  "${root[@]}" sed -i "s/^#*create_main_cluster.*/create_main_cluster = false/" \
    /etc/postgresql-common/createcluster.conf
fi
if [[ " ${wanted[*]} " == *" postfix "* ]]; then # only its tools smtp-sink and smtp-source are used
  echo "postfix postfix/main_mailer_type select No configuration" | "${root[@]}" debconf-set-selections
fi
install_packages "${wanted[@]}"
if [[ " ${wanted[*]} " == *" postfix "* ]] && [[ -d /run/systemd/system ]]; then
  "${root[@]}" systemctl disable --now postfix >/dev/null 2>&1 || true
fi
if [[ " ${wanted[*]} " == *" pgbouncer "* ]] && [[ -d /run/systemd/system ]]; then # tests start their own
  "${root[@]}" systemctl disable --now pgbouncer >/dev/null 2>&1 || true
fi
