#!/usr/bin/env python3
"""Opens pages of an offline copy in headless Chromium with the network off, and names every request that failed.

    python3 tests/integration/mirror_browser.py COPY [PAGES]

Takes PAGES (200) of the copy's pages at random. Requests that Chromium made are read from the log of its network: those for files must all succeed;
those for the web, which a copy makes where something was not crawled, are counted apart. Then as many links of the pages are drawn, and each must lead
to a file. Too slow for the tests: they follow every link of a small copy without a browser (output/test_mirror.py).
"""
import html.parser
import json
import os
import random
import select
import subprocess
import sys
import tempfile
import urllib.parse

PATIENCE_S = 60  # for one page


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.hrefs = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.hrefs += [value for name, value in attrs if name in ("href", "src") and value]


def pages_of(copy):
    found = []
    for folder, folders, names in os.walk(copy):
        folders[:] = [name for name in folders if name != ".crawl-mirror"]
        found += [os.path.join(folder, name) for name in names if name.endswith(".html")]
    return sorted(found)


class Browser:
    """Chromium without a network, told what to do over a pair of pipes, which it has as 3 and 4."""

    def __init__(self, folder):
        ours, theirs = os.pipe(), os.pipe()
        self.to, self.out = ours[1], theirs[0]
        self.rest = b""
        self.number = 0
        self.events = []

        def give():
            os.dup2(ours[0], 103)
            os.dup2(theirs[1], 104)
            os.dup2(103, 3)
            os.dup2(104, 4)
        self.process = subprocess.Popen(["unshare", "--net", "--map-root-user", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
                                         f"--user-data-dir={folder}", "--remote-debugging-pipe"],
                                        preexec_fn=give, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Network.enable")
        self.call("Page.enable")

    session = None

    def read(self, limit_s):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.out], [], [], limit_s)
            if not ready:
                return None
            self.rest += os.read(self.out, 1 << 20)
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params, **({"sessionId": self.session} if self.session else {})}
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read(PATIENCE_S)
            if answer is None or answer.get("id") == self.number:
                return (answer or {}).get("result", {})
            self.events.append(answer)

    def open(self, page):
        """URL -> why it failed, of all that the page asked for; None: it succeeded. False: the page did not load."""
        self.events = []
        self.call("Page.navigate", url="file://" + urllib.parse.quote(page))
        asked, urls = {}, {}
        loaded, event = False, {}
        while event is not None:
            event = self.events.pop(0) if self.events else self.read(0.2 if loaded else PATIENCE_S)
            params = (event or {}).get("params", {})
            method = (event or {}).get("method")
            if method == "Network.requestWillBeSent":
                urls[params["requestId"]] = params["request"]["url"]
                asked.setdefault(params["request"]["url"], None)
            elif method == "Network.loadingFailed" and not params.get("canceled"):
                asked[urls.get(params["requestId"], "?")] = params["errorText"]
            loaded = loaded or method == "Page.loadEventFired"
        return asked if loaded else False

    def close(self):
        self.process.kill()
        self.process.wait()


def open_in_browser(pages):
    """What was asked for: URL -> why it failed. How many pages were opened."""
    asked, opened = {}, 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        for page in pages:
            of_page = browser.open(page)
            opened += of_page is not False
            asked.update(of_page or {})
        browser.close()
    return asked, opened


def check_links(copy, pages, count):
    """How many of the links drawn lead to a file of the copy, and those that do not."""
    drawn = []
    for page in random.sample(pages, len(pages)):
        with open(page, encoding="utf-8", errors="replace") as file:
            hrefs = [href for href in Links(file.read()).hrefs if not urllib.parse.urlsplit(href).scheme and not href.startswith("#")]
        drawn += [(page, href) for href in random.sample(hrefs, min(2, len(hrefs)))]
        if len(drawn) >= count:
            break
    lost = []
    for page, href in drawn[:count]:
        target = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(urllib.parse.urlsplit(href).path)))
        if not os.path.isfile(target) or not target.startswith(os.path.join(copy, "")):
            lost.append((page, href))
    return len(drawn[:count]), lost


def main():
    copy, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    pages = pages_of(copy)
    some = random.sample(pages, min(count, len(pages)))
    asked, opened = open_in_browser(some)
    drawn, lost = check_links(copy, pages, count)
    files = {url: error for url, error in asked.items() if url.startswith("file:")}
    failed = {url: error for url, error in files.items() if error}
    web = {url for url in asked if url.startswith("http")}
    print(f"{opened} of {len(some)} pages opened; {len(files)} files asked for, {len(failed)} failed; {len(web)} URLs of the web asked for")
    print(f"{drawn} links drawn, {len(lost)} lead to no file")
    for what in [*failed.items(), *lost, *sorted(web)[:20]]:
        print("  ", what)
    sys.exit(1 if failed or lost or opened < len(some) else 0)


if __name__ == "__main__":
    main()
