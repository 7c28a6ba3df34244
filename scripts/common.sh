# Shared by the scripts beside it: finding the tools, installing what is missing. Sourced, not run.
set -euo pipefail
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# usage_if_asked "$@": prints the comment at the head of the script and ends, if that is asked for.
usage_if_asked() {
    case "${1:-}" in
        -h | --help) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$script"; exit 0 ;;
    esac
}

say() { printf '\033[1m==> %s\033[0m\n' "$*" >&2; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# What `swift build` links against.
build_packages=(pkg-config libssl-dev libavahi-client-dev libqrencode-dev libncurses-dev libzstd-dev libpng-dev libsqlite3-dev libcurl4-openssl-dev)
# What the tests run beside the programs.
test_packages=(
    avahi-daemon avahi-utils dbus zbar-tools tmux iproute2 procps gnome-keyring libsecret-tools zstd openssl xz-utils
    libglib2.0-bin libsecret-1-dev groff gcc
    dunst xvfb xdotool waybar sway i3blocks polybar
    debootstrap dpkg-dev binutils lintian desktop-file-utils appstream man-db systemd dbus-user-session bubblewrap bash-completion zsh fish yamllint
    nodejs node-ws python3-websockets python3-pip python3-pil python3-dbus python3-gi curl git libnotify-bin
)

# ensure_packages NAME...: installs the Debian packages that are not there, asking for sudo only then.
ensure_packages() {
    command -v dpkg-query >/dev/null || die "this script installs Debian packages and needs Debian 12 or 13 (or a system made from it)."
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "please install these packages and start again: ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# ensure_swift: a toolchain of 6.1 or newer, on PATH or in /opt/swift.
ensure_swift() {
    command -v swift >/dev/null || PATH="/opt/swift/usr/bin:$PATH"
    command -v swift >/dev/null || die "Swift 6.1 or newer is needed. Get it from https://www.swift.org/install/linux/ and put its usr/bin on PATH."
    local version
    version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || die "'swift --version' names no version; is the toolchain complete?"
    [ "$(printf '6.1\n%s\n' "$version" | sort -V | head -n 1)" = 6.1 ] || die "Swift 6.1 or newer is needed; this is $version."
}

# The programs carry the Swift runtime, so that a package of them needs no Swift. All that build them say it, or each would undo the other's work.
release=(-c release --static-swift-stdlib)

# build ARGUMENT...: `swift build` that keeps quiet unless it fails.
build() {
    local log
    log=$(mktemp)
    if ! swift build "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        die "the build failed; the compiler's words stand above."
    fi
    rm -f "$log"
}
