"""A site on loopback that records who requested what, and when."""
import http.server
import threading
import time
from typing import NamedTuple


class Asked(NamedTuple):
    when: float
    path: str
    headers: dict


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(Asked(time.monotonic(), self.path, {**self.headers}))
        page = self.server.pages.get(self.path, (404, ""))
        status, text, *headers = page if isinstance(page, tuple) else (200, page)
        leads = 300 <= status < 400
        body = b"" if leads else text.encode()
        self.send_response(status)
        if leads:
            self.send_header("Location", text)
        for name, value in headers or [("Content-Type", "text/html; charset=utf-8")]:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Site:
    """Serves pages by path: a text, or (status, text, headers...). The text of a redirect is its target."""

    def __init__(self, pages):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.pages, self._server.asked = pages, []
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def asked(self):
        return sorted(self._server.asked, key=lambda asked: asked.when)

    @property
    def paths(self):
        return [asked.path for asked in self.asked]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def serve(test, pages):
    """Serves a site until the end of a test."""
    made = Site(pages)
    test.addCleanup(made.close)
    return made
