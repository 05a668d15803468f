#!/bin/sh
# Installs Debian's chromium and its driver for the browser tests where that is possible: as root, with apt-get.
# It never fails: without a browser those tests are skipped and say so.
have() { command -v "$1" >/dev/null 2>&1; }

have chromium && have chromedriver && exit 0
if [ "$(id -u)" -ne 0 ] || ! have apt-get; then
    echo "No chromium with chromedriver here, and no way to install it: the browser tests will be skipped." >&2
    exit 0
fi
install() {
    DEBIAN_FRONTEND=noninteractive timeout 300 \
        apt-get install -qq -y --no-install-recommends chromium chromium-driver fonts-dejavu-core >/dev/null 2>&1
}
install || { timeout 120 apt-get update -qq >/dev/null 2>&1; install; } ||
    echo "chromium could not be installed: the browser tests will be skipped." >&2
exit 0
