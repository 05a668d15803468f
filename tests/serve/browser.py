"""A real browser on a real server, for the tests of the page.

Chromium and its driver come from the system (``install_browser.sh``); nothing is downloaded. Waiting is
always for something that can be seen, never for a time.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

SECONDS = 60  # the longest wait; a busy machine may be slow, and a test that passes never waits for it
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic", "--hide-scrollbars",
    "--disable-dev-shm-usage", "--force-color-profile=srgb",
)  # fmt: skip
AXE = Path(__file__).parent / ".axe/axe_playwright_python/axe.min.js"
TENOR = [sys.executable, "-c", "from tenor.cli.main import run; run()"]


def programs():
    """Return the browser and its driver, or skip with a reason."""
    pytest.importorskip("selenium", reason="selenium is not installed")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed; see tests/serve/install_browser.sh")
    return browser, driver


def tenor(*arguments, **settings):
    """Run a command of tenor to its end and return what it said."""
    done = subprocess.run(
        [*TENOR, *map(str, arguments)], capture_output=True, text=True, check=False, **settings
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def serving(*arguments, log):
    """Run ``tenor serve`` on a free port until the end of the block; gives its address and the process."""
    command = [*TENOR, "serve", "--port", "0", *map(str, arguments)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with (
        open(log, "wb") as file,
        subprocess.Popen(command, stdout=file, stderr=file, env=environment) as process,
    ):
        try:
            yield _address(process, Path(log)), process
        finally:
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(process, log):
    """Wait until the server prints its address and answers there."""
    end = time.monotonic() + 2 * SECONDS
    while time.monotonic() < end and process.poll() is None:
        printed = re.search(r"http://127\.0\.0\.1:\d+", log.read_text(errors="replace"))
        if printed:
            with urllib.request.urlopen(f"{printed[0]}/api/health", timeout=SECONDS) as answer:
                assert answer.status == 200
            return f"{printed[0]}/"
        time.sleep(0.1)
    pytest.fail(f"tenor serve did not start: {log.read_text(errors='replace')[-2000:]}")


def starter():
    """Skip where the starter model is not at hand."""
    from tenor.assets import find
    from tenor.errors import TenorError

    try:
        find("minilm")
    except TenorError as error:
        pytest.skip(f"the starter model is not at hand: {error}")


@contextmanager
def browsing(home, folder):
    """Open a browser until the end of the block; pictures and downloads go to the folder."""
    browser = Browser(home, folder / "profile")
    browser.shots = folder / "screenshots"
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def clean(browser):
    """Begin as a newcomer does; till the end no word in the console, and no request to another origin."""
    browser.resize(1280)
    browser.recolour(dark=False)
    browser.open()
    browser.requests()
    yield browser
    assert browser.errors() == []
    own = (browser.home, "blob:", "data:", "about:")
    assert [url for url in browser.requests() if not url.startswith(own)] == []


class Browser:
    """A chromium at one address, with the few verbs that the tests need."""

    def __init__(self, home, profile, *, width=1280, dark=False):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        browser, driver = programs()
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.home = home
        self.driver = webdriver.Chrome(options=options, service=Service(executable_path=driver))
        self.driver.set_page_load_timeout(SECONDS)
        self.driver.set_script_timeout(SECONDS)
        self.resize(width)
        self.recolour(dark=dark)

    def close(self):
        self.driver.quit()

    def resize(self, width):
        size = {"width": width, "height": 844 if width < 500 else 900, "deviceScaleFactor": 1}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**size, "mobile": width < 500})

    def recolour(self, *, dark, still=False):
        """Prefer light or dark; ``still`` without motion, so that no picture shows colours in between."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        if still:
            features.append({"name": "prefers-reduced-motion", "value": "reduce"})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, fragment=""):
        """Load the page afresh, as from a link; what it logged before is forgotten."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(self.home + fragment)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        """Wait until exactly one such element can be seen, and return it."""
        self.until(
            lambda: [each for each in self.all(selector) if each.is_displayed()], f"{selector} to be seen"
        )
        return next(each for each in self.all(selector) if each.is_displayed())

    def until(self, condition, what):
        """Wait until something is so; elements that are replaced meanwhile do not matter."""
        from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        waiting = WebDriverWait(self.driver, SECONDS, 0.05, [StaleElementReferenceException])
        try:
            return waiting.until(lambda _: condition())
        except TimeoutException:
            pytest.fail(f"Waited in vain for {what}; the page says: {self.text('main')[:1500]}")

    def text(self, selector):
        return "\n".join(each.text for each in self.all(selector) if each.is_displayed())

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def module(self, name, expression, *arguments):
        """Import a module of the page and evaluate an expression of ``m`` (the module) and ``a``."""
        script = f"""
            const [a, done] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]];
            import("/{name}").then((m) => done({{ value: {expression} }}))
                .catch((e) => done({{ error: String(e) }}));
        """
        found = self.driver.execute_async_script(script, *arguments)
        assert "error" not in found, found
        return found["value"]

    def click(self, selector):
        self.one(selector).click()

    def fill(self, selector, text):
        """Put a text into a field as by pasting: the driver cannot type what is beyond the basic plane."""
        self.one(selector)
        self.run(
            "const box = document.querySelector(arguments[0]); box.focus(); box.select();"
            "if (!document.execCommand('insertText', false, arguments[1])) {"
            "  box.value = arguments[1]; box.dispatchEvent(new Event('input', { bubbles: true })); }",
            selector,
            text,
        )

    def slide(self, value):
        """Move the slider of the threshold, and wait until the page has drawn what follows."""
        self.driver.execute_async_script(
            "const [value, done] = arguments; const slider = document.getElementById('threshold');"
            "slider.value = value;"
            "for (const name of ['input', 'change']) slider.dispatchEvent(new Event(name));"
            "requestAnimationFrame(() => requestAnimationFrame(() => done()));",
            str(value),
        )

    def keys(self, *keys):
        """Press keys wherever the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def control(self, key):
        """Press a key while Control is held."""
        from selenium.webdriver import ActionChains, Keys

        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

    def focus(self):
        """Return the id of the element with the focus, or its text where it has none."""
        return self.run("const e = document.activeElement; return e.id || e.textContent.trim()")

    def shot(self, name):
        """Keep a picture of the whole page in the folder of artefacts."""
        folder = Path(os.environ.get("TENOR_SCREENSHOTS") or self.shots)
        folder.mkdir(parents=True, exist_ok=True)
        taken = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
        (folder / f"{name}.png").write_bytes(base64.b64decode(taken["data"]))

    def nameless(self):
        """Return the roles of what takes the focus but has no name for a screen reader."""
        self.driver.execute_cdp_cmd("Accessibility.enable", {})
        nodes = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        told = []
        for node in nodes:
            marks = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
            role = node.get("role", {}).get("value")
            name = node.get("name", {}).get("value", "").strip()
            if marks.get("focusable") and not name and role not in ("RootWebArea", "main"):
                told.append(role)
        return told

    def axe(self):
        """Return what axe-core finds wrong in what is shown, each with its elements."""
        if not AXE.is_file():
            pytest.skip("axe-core is not installed; see tests/serve/install_browser.sh")
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
        script = (
            "const done = arguments[0]; axe.run().then((r) => done(r.violations), (e) => done(String(e)))"
        )
        found = self.driver.execute_async_script(script)
        assert isinstance(found, list), found
        return [(each["id"], [node["html"][:200] for node in each["nodes"]][:4]) for each in found]

    def errors(self):
        """Return what the console has to complain about since the page was opened."""
        return [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Return the addresses that were asked for since this was last called."""
        events = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        sent = [each["params"] for each in events if each["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent]
