"""Headless Chromium for checks that need a browser: controlled through a pair of pipes, with its own profile, and
without requests of its own. Debian's package chromium."""
import base64
import json
import os
import select
import subprocess
import tempfile

PATIENCE_S = 60  # per page
QUIET_S = 0.3    # without an event: the page requests nothing more
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe"]


class Browser:
    """Runs the browser, which reads from us at descriptor 3 and writes to us at 4."""

    session = None

    def __init__(self, *flags, before=()):
        """before: a command prefix to start it with, such as unshare for its own network."""
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours, theirs = os.pipe(), os.pipe()
        self.to, self.out = ours[1], theirs[0]
        self.rest, self.number, self.events = b"", 0, []

        def give():
            os.dup2(ours[0], 103)
            os.dup2(theirs[1], 104)
            os.dup2(103, 3)
            os.dup2(104, 4)
        self.process = subprocess.Popen([*before, "chromium", *FLAGS, *flags, f"--user-data-dir={self.folder.name}"],
                                        preexec_fn=give, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Network.enable")
        self.call("Network.setCacheDisabled", cacheDisabled=True)
        self.call("Page.enable")

    def read(self, limit_s):
        """Returns the next message. None: it did not come in time."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.out], [], [], limit_s)
            if not ready:
                return None
            data = os.read(self.out, 1 << 20)
            if not data:
                raise EOFError("Chromium has ended")
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def ask(self, method, **params):
        """Returns the whole answer, with "result" or "error". None: it did not come in time. Earlier events are kept in
        self.events."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params, **({"sessionId": self.session} if self.session
                                                                             else {})}
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read(PATIENCE_S)
            if answer is None or answer.get("id") == self.number:
                return answer
            self.events.append(answer)

    def call(self, method, **params):
        return (self.ask(method, **params) or {}).get("result", {})

    def open(self, url):
        """Opens a page. Returns a dict of the URLs that the page requested: why each failed, or None. False: the page
        did not load."""
        self.events = []
        self.call("Page.navigate", url=url)
        asked, urls = {}, {}
        loaded, event = False, {}
        while event is not None:
            event = self.events.pop(0) if self.events else self.read(QUIET_S if loaded else PATIENCE_S)
            params = (event or {}).get("params", {})
            method = (event or {}).get("method")
            if method == "Network.requestWillBeSent":
                urls[params["requestId"]] = params["request"]["url"]
                asked.setdefault(params["request"]["url"], None)
            elif method == "Network.loadingFailed" and not params.get("canceled"):
                asked[urls.get(params["requestId"], "?")] = params["errorText"]
            loaded = loaded or method == "Page.loadEventFired"
        return asked if loaded else False

    def picture(self, width=1200, height=2000):
        """Returns a PNG of the upper part of the page, drawn without animation."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.out)
        self.folder.cleanup()
