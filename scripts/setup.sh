#!/bin/sh
# Makes this checkout ready to run: npm packages when they are missing or stale, and the real servers that the demo
# and the tests with real streams use. Safe to call again; says in a few lines on stderr what it found and did.
#   setup.sh                 npm packages, then Debian packages where it may (root and apt-get)
#   setup.sh --no-packages   npm packages only (also: REEVE_NO_APT=1)
# Exit 0 when Reeve itself can run: a Debian package that is missing only means skipped tests. 78: no usable Node.
set -u
cd "$(dirname "$0")/.." || exit 70
say() { echo "setup: $*" >&2; }

# --- npm packages ------------------------------------------------------------------------------------------------
node_is_new_enough() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 24 || (a === 24 && b >= 12) ? 0 : 1)' 2>/dev/null
}
usable_node() { node_is_new_enough ./node_modules/.bin/node || node_is_new_enough node; }
npm_ci() { npm ci --no-audit --no-fund --loglevel=error </dev/null >&2; }

if ! command -v npm >/dev/null 2>&1; then
  say "npm is missing; install Node 24.12 or newer from https://nodejs.org"
  exit 78
fi
if node scripts/installed.js && usable_node; then
  say "npm packages are up to date"
else
  say "installing npm packages (npm ci) …"
  npm_ci || { say "npm ci failed; trying once more"; npm_ci; } || { say "npm ci failed; nothing can run without it"; exit 69; }
fi
if ! usable_node; then
  say "needs Node 24.12 or newer; this is $(node --version) and no runtime package fits this machine ($(uname -sm)): install it from https://nodejs.org"
  exit 78
fi

# --- Debian packages: `what it is found by:package` --------------------------------------------------------------
wanted='ffmpeg:ffmpeg supervisord:supervisor nginx:nginx /usr/lib/nginx/modules/ngx_rtmp_module.so:libnginx-mod-rtmp
icecast2:icecast2 prometheus:prometheus promtool:prometheus prometheus-alertmanager:prometheus-alertmanager
prometheus-blackbox-exporter:prometheus-blackbox-exporter
cpulimit:cpulimit curl:curl pgrep:procps ss:iproute2 setpriv:util-linux strace:strace rsyslogd:rsyslog logrotate:logrotate logger:bsdutils spin:spin gcc:gcc chromium:chromium
bindfs:bindfs
/lib/systemd/systemd-journald:systemd'

missing() {
  for pair in $wanted; do
    sign=${pair%:*}
    case $sign in
      /*) [ -e "$sign" ] && continue ;;
      *) PATH=$PATH:/usr/sbin:/sbin command -v "$sign" >/dev/null 2>&1 && continue ;;
    esac
    echo "${pair##*:}"
  done | sort -u | tr '\n' ' '
}

need=$(missing)
need=${need% }
if [ -z "$need" ]; then
  say "the servers for tests and demo are all there"
  exit 0
fi
if [ "${1:-}" = --no-packages ] || [ -n "${REEVE_NO_APT:-}" ]; then
  say "not installed, as asked: $need"
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  say "for the demo and the tests with real servers, install: sudo apt-get install --no-install-recommends $need"
  say "(tests that need what is missing are listed as skipped)"
  exit 0
fi

# Package scripts must not start daemons on this machine, unless it has a policy of its own.
policy=/usr/sbin/policy-rc.d
log=$(mktemp) || exit 74
trap 'rm -f "$log"; [ -z "${made_policy:-}" ] || rm -f "$policy"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ ! -e "$policy" ]; then
  made_policy=yes
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
fi
apt() {
  DEBIAN_FRONTEND=noninteractive timeout 900 apt-get -qq -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@" </dev/null >>"$log" 2>&1
}
say "installing Debian packages: $need …"
apt update || say "apt-get update failed; trying with the lists that are there"
# shellcheck disable=SC2086  # a list of names
apt install --no-install-recommends $need || {
  say "not all at once; trying one by one"
  for package in $need; do
    apt install --no-install-recommends "$package" || say "could not install $package"
  done
}
still=$(missing)
still=${still% }
if [ -z "$still" ]; then
  say "installed; none of them was started"
else
  tail -n 3 "$log" | sed 's/^/setup:   /' >&2
  say "still missing: $still (tests that need them are listed as skipped)"
fi
exit 0
