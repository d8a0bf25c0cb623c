# Sourced by the scripts here: installs missing packages, and builds. Messages go to standard error.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

BUILD_PACKAGES=(gcc libc6-dev cmake ninja-build pkg-config libcurl4-openssl-dev libevent-dev libxml2-dev libunistring-dev libxxhash-dev
    libssl-dev libhiredis-dev libinih-dev libjansson-dev libpcre2-dev libpsl-dev libnghttp2-dev libsqlite3-dev
    libprotobuf-c-dev protobuf-c-compiler libpoppler-glib-dev zlib1g-dev libbrotli-dev libzstd-dev librocksdb-dev ca-certificates)
SITE_PACKAGES=(nginx python3-doc)
TEST_PACKAGES=(g++ chromium-headless-shell fonts-dejavu-core curl jq dpkg-dev file libcriterion-dev python3 python3-html5lib valgrind python3-cffi python3-cryptography python3-setuptools python3-wheel
    python3-scrapy python3-cssselect python3-lxml python3-parsel python3-grpcio python3-protobuf protobuf-compiler-grpc redis-server redis-tools
    abigail-tools cmark-gfm tmux doxygen mypy clang lld libclang-rt-dev)
case $(. /etc/os-release && echo "$ID $VERSION_ID") in
"debian 13") TEST_PACKAGES+=(valkey-server) ;; # Debian 12 has none
esac

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "$(basename "$0"): $*"
    exit 2
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || printf '%s\n' "$package"
    done
}

# Installs packages without starting services: a web server for a demo or a test must not listen on port 80.
install_packages() {
    local log policy=/usr/sbin/policy-rc.d made_policy= status=0
    log=$(mktemp)
    say "installing: $*"
    if ! as_root test -e "$policy"; then
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
        made_policy=yes
    fi
    as_root apt-get update >"$log" 2>&1 &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" >>"$log" 2>&1 || status=$?
    if [ -n "$made_policy" ]; then as_root rm -f "$policy"; fi
    if [ $status != 0 ]; then
        tail -n 20 "$log" >&2
        die "could not install: $*"
    fi
    rm -f "$log"
}

need_packages() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        say "there is no dpkg here; needed are what Debian calls: $*"
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        die "as root, please: apt-get install --no-install-recommends ${missing[*]}"
    fi
    install_packages "${missing[@]}"
}

# Prints the folder of python3-doc's pages. Slim systems skip documentation when they unpack a package; it is then
# reinstalled with documentation.
python_docs() {
    local found
    found=$(compgen -G '/usr/share/doc/python3.*/html/index.html' | tail -n 1 || true)
    if [ -z "$found" ]; then
        local package
        package=$(dpkg-query -W -f='${Package}\n' 'python3.*-doc' | tail -n 1)
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --reinstall \
            -o Dpkg::Options::='--path-include=/usr/share/doc/*' "$package" >/dev/null 2>&1 || true
        found=$(compgen -G '/usr/share/doc/python3.*/html/index.html' | tail -n 1 || true)
    fi
    [ -n "$found" ] || die "python3-doc's pages are not below /usr/share/doc"
    dirname "$found"
}

# build_program FOLDER [cmake options]: builds the program alone; silent if there is nothing to do.
build_program() {
    local folder=$1 log
    shift
    log=$(mktemp)
    # A newer list may name packages that were not needed when the folder was configured.
    [ "$folder/build.ninja" -nt "$ROOT/scripts/lib.sh" ] || need_packages "${BUILD_PACKAGES[@]}"
    if [ ! -f "$folder/build.ninja" ]; then
        say "building crawl in ${folder#"$ROOT"/}"
        cmake -S "$ROOT" -B "$folder" -G Ninja -DCRAWL_TESTS=OFF -DCRAWL_BENCH=OFF "$@" >"$log" 2>&1 ||
            { cat "$log" >&2; rm -rf "$folder/build.ninja" "$log"; die "cmake failed"; }
    fi
    ninja -C "$folder" crawl >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; die "the build failed"; }
    rm -f "$log"
}
