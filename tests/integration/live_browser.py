#!/usr/bin/env python3
"""Opens the live page of a running crawl in headless Chromium, as a person would. It pauses the crawl by its button and
compares the page with /stats.json of that moment, looks at it at the width of a phone and of a screen, in light and in
dark, and finally ends the crawl.

    crawl --listen 8080 ... &
    npm install axe-core
    python3 tests/integration/live_browser.py 'http://127.0.0.1:8080/#token=...' [--axe
    node_modules/axe-core/axe.min.js] [--pictures FOLDER]

crawl prints the address. With --axe the checks of axe-core must find nothing. Not part of the test suite, since it
takes half a minute and a browser; the tests of the live view read the page's files without one (output/test_live*.py).
"""
import argparse
import base64
import json
import os
import sys
import time
import urllib.request

import browser

FORMS = [(width, scheme) for width in (390, 1400) for scheme in ("light", "dark")]
# Figures of the page, and their places in /stats.json.
FIGURES = {
    "pages": lambda stats: f"{stats['pages']:,}",
    "bound": lambda stats: "Nobody: it is paused" if stats["bound"]["by"] == "paused" else None,
    "queue": lambda stats: f"{stats['queue']['queued']:,}",
    "status": lambda stats: f"{stats['status']['2xx']:,}",
    "links": lambda stats: f"{stats['links']['found']:,}",
    "filter": lambda stats: f"{stats['filter']['keys']:,}",
}


class LivePage(browser.Browser):
    def __init__(self):
        super().__init__()
        for domain in ("Runtime", "Log"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        answer = self.ask(method, **params)
        if answer is None or "error" in answer:
            raise RuntimeError(answer and answer["error"])
        return answer["result"]

    def faults(self):
        """Returns events about errors of the page or failed requests."""
        return [event for event in self.events if event.get("method") in ("Runtime.exceptionThrown",
                                                                          "Network.loadingFailed")
                or event.get("params", {}).get("entry", {}).get("level") == "error"]

    def run(self, script):
        """Returns the value of an expression on the page, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait_for(self, script):
        end = time.monotonic() + browser.PATIENCE_S
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.1)

    def show(self, url, width, scheme):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait_for("document.getElementById('pages') !== null && document.getElementById('pages').textContent !== "
                      "'' && !document.getElementById('which').hidden"
                      " && document.getElementById('all-hosts').rows.length > 0 && "
                      "document.getElementById('requests').rows.length > 0")


def figures_of(address):
    with urllib.request.urlopen(address + "stats.json", timeout=browser.PATIENCE_S) as answer:
        return json.load(answer)


def expect(holds, words):
    print(("ok      " if holds else "NOT OK  ") + words)
    return bool(holds)


def check_figures(page, address):
    """Compares the figures while the page has paused the crawl, so that both are of one moment."""
    page.run("document.getElementById('pause').click()")
    page.wait_for("document.getElementById('state').textContent === 'paused'")
    while (stats := figures_of(address))["connections"]["in_use"] or stats["queue"]["leased"]:
        time.sleep(0.1)
    time.sleep(2.5)  # two polls of the page
    stats = figures_of(address)
    whole = True
    for name, expected in FIGURES.items():
        wanted = expected(stats)
        said = page.run(f"document.getElementById({json.dumps(name)}).innerText")
        whole &= expect(wanted is None or wanted in said.split() or wanted in said, f"{name}: {wanted}")
    later = figures_of(address)
    whole &= expect(later["pages"] == stats["pages"] and later["bytes_received"] == stats["bytes_received"],
                    "nothing was received while it was paused")
    page.run("document.getElementById('pause').click()")
    page.wait_for("document.getElementById('state').textContent === 'running'")
    return whole


def check_form(page, url, width, scheme, axe, pictures):
    page.show(url, width, scheme)
    name = f"{width}-{scheme}"
    whole = expect(page.run("document.documentElement.scrollWidth") <= width, f"{name}: it does not scroll sideways")
    whole &= expect("0.0 s" not in page.run("document.getElementById('all-hosts').innerText"),
                    f"{name}: no pause and no answer of a host takes 0.0 s")
    if pictures:
        shot = page.call("Page.captureScreenshot", captureBeyondViewport=True)
        with open(os.path.join(pictures, f"live-{name}.png"), "wb") as file:
            file.write(base64.b64decode(shot["data"]))
    if axe:
        page.call("Runtime.evaluate", expression=axe)
        found = page.run("axe.run().then((found) => found.violations.map((one) => one.id + ': ' + "
                         "one.nodes.map((node) => node.html).join(' ')))")
        whole &= expect(not found, f"{name}: axe finds nothing {found or ''}")
    return whole


# Keeps the page busy for longer than it waits for figures, and records all texts of the badge.
BUSY = """(() => {
  const at_once = window.fetch;
  window.said = [];
  new MutationObserver(() => window.said.push(document.getElementById("state").textContent)).observe(document.getElementById("state"), {childList: true});
  window.fetch = (...what) => {
    const answer = at_once(...what);
    if (what[0] !== "/stats.json") return answer;
    window.fetch = at_once;
    for (const end = Date.now() + 5500; Date.now() < end;);
    setTimeout(() => { window.was_busy = true; }, 3000);
    return answer;
  };
})()"""


def check_busy(page):
    """Checks that a page that was late itself does not say that the crawl is gone."""
    page.run(BUSY)
    page.wait_for("window.was_busy === true")
    said = page.run("window.said")
    return expect("not reachable" not in said, f"a browser that is busy does not take the crawl for gone {said}")


# Ends the crawl when figures have come, and delivers them to the page after it has learned of the end.
LATE_FIGURES = """(() => {
  const at_once = window.fetch;
  window.confirm = () => true;
  window.fetch = async (...what) => {
    const answer = await at_once(...what);
    if (what[0] !== "/stats.json" || window.fetch === at_once) return answer;
    window.fetch = at_once;
    document.getElementById("end").click();
    while (document.getElementById("state").textContent !== "ended") await new Promise((go) => setTimeout(go, 50));
    setTimeout(() => { window.came = true; }, 1000);
    return answer;
  };
})()"""


def check_end(page):
    """Ends the crawl. Figures that were requested before the end and arrive after it must not replace the page's last
    message."""
    page.run(LATE_FIGURES)
    page.wait_for("window.came === true || document.getElementById('lost') === null")
    return expect(page.run("document.getElementById('lost') !== null && "
                           "document.getElementById('lost').textContent.startsWith('The crawl has ended')"),
                  "its last word stays")


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
    page = LivePage()
    try:
        page.show(options.url, 1400, "light")
        whole = check_figures(page, options.url.partition("#")[0])
        for width, scheme in FORMS:
            whole &= check_form(page, options.url, width, scheme, axe, options.pictures)
        faults = page.faults()
        whole &= expect(not faults, f"no request failed, no error in the page {faults or ''}")
        whole &= check_busy(page)
        whole &= check_end(page)
    finally:
        page.close()
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
