"""The program with --listen, and the site for the tests of its live view: one page is held until a test releases it."""
import http.client
import json
import re
import threading
import urllib.parse

import harness

PAGES = {
    "/": "<title>start</title>" + "".join(f"<a href={to}>x</a>" for to in ("/a", "/b", "/a", "/held", "/gone", "/moved",
                                                                           "http://other.localhost/")),
    "/a": "<a href=/>back</a>",
    "/b": "b" * 1000,
    "/held": "<p>at last",
}


class Site(harness.OwnServer):
    """Answers /held once release() was called, all other pages at once."""

    def __init__(self):
        self.released = threading.Event()
        self.asked = []
        super().__init__(SiteHandler)

    def url(self, path="/"):
        return super().url("a.localhost", path)

    def release(self):
        self.released.set()

    def handle_error(self, request, client_address):
        """Ignores errors: a stopped program does not read its response."""

    def stop(self):
        self.release()
        super().stop()


class SiteHandler(harness.Handler):
    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path == "/held":
            self.server.released.wait(harness.LIMIT_S)
        if self.path == "/moved":
            self.answer(301, "", "Location: /a")
        elif self.path in PAGES:
            self.answer(200, PAGES[self.path])
        else:
            self.answer(404, "")


class Live:
    """The program with --listen. text collects its standard error."""

    def __init__(self, test, listen, *args, stdin=None):
        self.process = test.start("--listen", listen, "--delay", "0", "--per-host", "8", *args, stdin=stdin)
        test.addCleanup(self.close)
        self.text = ""
        self.said = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.url = self.wait_for_words(r"crawl: live at (http://\S+/)\n")
        self.address = urllib.parse.urlsplit(self.url)

    def read(self):
        for line in self.process.stderr:
            with self.said:
                self.text += line
                self.said.notify()
        with self.said:
            self.text += "\n(end)\n"
            self.said.notify()

    def wait_for_words(self, pattern):
        with self.said:
            found = self.said.wait_for(lambda: re.search(pattern, self.text) or "(end)" in self.text, harness.LIMIT_S)
            match = re.search(pattern, self.text)
        if not found or not match:
            raise AssertionError(f"{pattern!r} is not in:\n{self.text}")
        return match[1]

    def ask(self, path, method="GET", headers=None, body=None):
        """Returns status, headers and body."""
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=harness.LIMIT_S)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def stats(self):
        try:
            return json.loads(self.ask("/stats.json")[2])
        except OSError as reason:
            raise AssertionError(
                f"{reason}; the program's status is {self.process.poll()}, and it said:\n{self.text}") from reason

    def wait_for_stats(self, condition):
        found = []

        def holds():
            found.append(self.stats())
            return condition(found[-1])
        harness.wait_for(holds, harness.LIMIT_S)
        return found[-1]

    def end(self):
        """Returns the exit status and the output."""
        status = self.process.wait(harness.LIMIT_S)
        self.reader.join(harness.LIMIT_S)
        if any(report in self.text for report in harness.REPORTS):
            raise AssertionError(self.text)
        return status, self.text

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        if self.process.stdin:
            self.process.stdin.close()
        self.reader.join(harness.LIMIT_S)
        self.process.stderr.close()
