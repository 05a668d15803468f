#!/bin/sh
# Installs what the browser tests need where that is possible: axe-core, which looks for mistakes in accessibility,
# from the package index, and Debian's chromium with its driver as root with apt-get.
# It never fails: what is missing makes those tests be skipped, and they say so.
have() { command -v "$1" >/dev/null 2>&1; }

axe="$(dirname "$0")/.axe"
python=.venv/bin/python
[ -x "$python" ] || python=python3
if [ ! -f "$axe/axe_playwright_python/axe.min.js" ]; then
    # Only the script in the package is used, not its code, so that nothing else is installed with it.
    timeout 120 "$python" -m pip install --quiet --no-deps --root-user-action ignore --target "$axe" axe-playwright-python==0.1.8 ||
        echo "axe-core could not be installed: the tests of accessibility will be skipped." >&2
fi

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
