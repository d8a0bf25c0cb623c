"""A target of webhooks for tests: keeps the messages with a correct signature, and answers as instructed."""
import base64
import hashlib
import hmac
import json
import threading
import time

import harness

KEY = b"0123456789abcdef0123456789abcdef"
SECRET = "whsec_" + base64.b64encode(KEY).decode()


class Target(harness.OwnServer):
    """answers: for the first requests, each a status, (status, "Name: value"...), "close" (no answer) or "slow" (none
    until the test ends); later ones get 204. always: the answer for all of them instead."""

    def __init__(self, *answers, always=None):
        self.answers, self.always = list(answers), always
        self.tries, self.wrong = [], []  # (id, timestamp, body), requests that our client does not send
        self.raw = []  # (headers, bytes)
        self.lock, self.ended = threading.Lock(), threading.Event()
        super().__init__(Hook)

    def url(self, host="127.0.0.1", path="/hook"):
        return super().url(host, path)

    def messages(self, kind=None):
        """Returns the bodies, accepted or not, each once, in the order of their first arrival."""
        bodies = {name: body for name, _, body in reversed(self.tries)}
        names = list(dict.fromkeys(name for name, _, _ in self.tries))
        return [bodies[name] for name in names if kind in (None, bodies[name]["type"])]

    def stop(self):
        self.ended.set()
        super().stop()

    def handle_error(self, request, client_address):
        pass  # the client went away


class Hook(harness.Handler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name, when, given = (self.headers["webhook-" + part] for part in ("id", "timestamp", "signature"))
        made = base64.b64encode(hmac.new(KEY, f"{name}.{when}.".encode() + body, hashlib.sha256).digest()).decode()
        server = self.server
        with server.lock:
            right = f"v1,{made}" in given.split() and abs(int(when) - time.time()) < 60 and "." not in name
            if not right or self.headers["Content-Type"] != "application/json" or len(body) > 20000:
                server.wrong.append((dict(self.headers), body))
            server.raw.append((dict(self.headers), body))
            server.tries.append((name, int(when), json.loads(body)))
            said = server.always or (server.answers.pop(0) if server.answers else 204)
        if said == "slow":
            server.ended.wait()
        if said in ("slow", "close"):
            self.close_connection = True
        elif isinstance(said, tuple):
            self.answer(said[0], "", *said[1:])
        else:
            self.answer(said, "")

    def do_GET(self):
        self.server.wrong.append((self.path, b""))
        self.answer(200, "")
