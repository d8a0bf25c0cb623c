#!/usr/bin/env python3
"""Opens the live page of a crawl that runs in headless Chromium, as a person would: pauses the crawl by its button, and holds what the page says
against /stats.json of that moment; then looks at it at the width of a phone and of a screen, in light and in dark.

    crawl --listen 8080 ... &
    npm install axe-core
    python3 tests/integration/live_browser.py 'http://127.0.0.1:8080/#token=...' [--axe node_modules/axe-core/axe.min.js] [--pictures FOLDER]

The address is that which crawl prints. With --axe the checks of axe-core must find nothing. Beside the tests, since it takes half a minute and a
browser; the tests of the live view read the page's files without one (output/test_live*.py).
"""
import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

PATIENCE_S = 60
FORMS = [(width, scheme) for width in (390, 1400) for scheme in ("light", "dark")]
# What the page says, and where /stats.json has it.
FIGURES = {
    "pages": lambda stats: f"{stats['pages']:,}",
    "bound": lambda stats: "Nobody: it is paused" if stats["bound"]["by"] == "paused" else None,
    "queue": lambda stats: f"{stats['queue']['queued']:,}",
    "status": lambda stats: f"{stats['status']['2xx']:,}",
    "links": lambda stats: f"{stats['links']['found']:,}",
    "filter": lambda stats: f"{stats['filter']['keys']:,}",
}


class Browser:
    """Chromium, told what to do over a pair of pipes, which it has as 3 and 4."""

    def __init__(self, folder):
        ours, theirs = os.pipe(), os.pipe()
        self.to, self.out = ours[1], os.fdopen(theirs[0], "rb")
        self.rest, self.number, self.session, self.faults = b"", 0, None, []

        def give():
            os.dup2(ours[0], 103)
            os.dup2(theirs[1], 104)
            os.dup2(103, 3)
            os.dup2(104, 4)
        self.process = subprocess.Popen(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--remote-debugging-pipe"],
                                        preexec_fn=give, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def read(self):
        while b"\0" not in self.rest:
            self.rest += self.out.read1(1 << 20)
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params, **({"sessionId": self.session} if self.session else {})}
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while (answer := self.read()).get("id") != self.number:
            if answer.get("method") in ("Runtime.exceptionThrown", "Network.loadingFailed") or answer.get("params", {}).get("entry", {}).get("level") == "error":
                self.faults.append(answer)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def run(self, script):
        """The value of an expression on the page, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait_for(self, script):
        end = time.monotonic() + PATIENCE_S
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.1)

    def show(self, url, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait_for("document.getElementById('pages') !== null && document.getElementById('pages').textContent !== '' && !document.getElementById('which').hidden"
                      " && document.getElementById('all-hosts').rows.length > 0 && document.getElementById('requests').rows.length > 0")

    def close(self):
        self.process.kill()
        self.process.wait()


def figures_of(address):
    with urllib.request.urlopen(address + "stats.json", timeout=PATIENCE_S) as answer:
        return json.load(answer)


def expect(holds, words):
    print(("ok      " if holds else "NOT OK  ") + words)
    return bool(holds)


def check_figures(browser, address):
    """Paused by the page, so that the figures of both are of one moment."""
    browser.run("document.getElementById('pause').click()")
    browser.wait_for("document.getElementById('state').textContent === 'paused'")
    while (stats := figures_of(address))["connections"]["in_use"] or stats["queue"]["leased"]:
        time.sleep(0.1)
    time.sleep(2.5)  # two polls of the page
    stats = figures_of(address)
    whole = True
    for name, expected in FIGURES.items():
        wanted = expected(stats)
        said = browser.run(f"document.getElementById({json.dumps(name)}).innerText")
        whole &= expect(wanted is None or wanted in said.split() or wanted in said, f"{name}: {wanted}")
    later = figures_of(address)
    whole &= expect(later["pages"] == stats["pages"] and later["bytes_received"] == stats["bytes_received"], "nothing was received while it was paused")
    browser.run("document.getElementById('pause').click()")
    browser.wait_for("document.getElementById('state').textContent === 'running'")
    return whole


def check_form(browser, url, width, scheme, axe, pictures):
    browser.show(url, width, scheme)
    name = f"{width}-{scheme}"
    whole = expect(browser.run("document.documentElement.scrollWidth") <= width, f"{name}: it does not scroll sideways")
    if pictures:
        shot = browser.call("Page.captureScreenshot", captureBeyondViewport=True)
        with open(os.path.join(pictures, f"live-{name}.png"), "wb") as file:
            file.write(base64.b64decode(shot["data"]))
    if axe:
        browser.call("Runtime.evaluate", expression=axe)
        found = browser.run("axe.run().then((found) => found.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html).join(' ')))")
        whole &= expect(not found, f"{name}: axe finds nothing {found or ''}")
    return whole


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--axe")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    axe = None
    if options.axe:
        with open(options.axe, encoding="utf-8") as file:
            axe = file.read()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            browser.show(options.url, 1400, "light")
            whole = check_figures(browser, options.url.partition("#")[0])
            for width, scheme in FORMS:
                whole &= check_form(browser, options.url, width, scheme, axe, options.pictures)
            whole &= expect(not browser.faults, f"no request failed, no error in the page {browser.faults or ''}")
        finally:
            browser.close()
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
