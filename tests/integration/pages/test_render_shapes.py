#!/usr/bin/env python3
"""Tests what `crawl render` finds on the shapes of script-made pages (see test_shapes.py).

Renders a shape's start page and those of its own pages that it links to. Their links and texts together must be those
of expected.json. Links that exist only in data, and that no element has before a reader points at it or clicks, are not
expected here (see EARS).
"""
import concurrent.futures
import http.server
import json
import os
import threading
import time
import unittest
import urllib.parse

import harness
from rendering import Render

SHAPES = os.path.join(harness.HERE, "..", "data", "shapes")

# Links that no element has before a reader points at it, clicks or chooses.
EARS = {name: {"/green.html", "/black.html"} for name in ("delegated", "hover", "menus")}

# The start page of this shape navigates by itself to the last of its routes, in less than its time limit.
GOES_ON = {"routes": "Pea flower is steeped, they say."}


class Site(harness.Handler):
    """NAME.localhost is a shape; its slow paths wait, any other path is a stub."""
    expected = {}
    asked = []

    def do_GET(self):
        name, path = self.headers["Host"].split(".")[0], urllib.parse.urlsplit(self.path).path
        expected = self.expected[name]
        self.asked.append((name, path))
        file = os.path.join(SHAPES, name, path.lstrip("/") or "index.html")
        if path == "/robots.txt":
            self.answer(404, "")
            return
        if not os.path.isfile(file) and "fallback" in expected:
            file = os.path.join(SHAPES, name, expected["fallback"].lstrip("/"))
        time.sleep(expected.get("delay", {}).get(path, 0) / 1000)
        kind = {"js": "text/javascript", "json": "application/json", "wasm": "application/wasm",
                "txt": "text/plain"}.get(file.rsplit(".", 1)[-1], "text/html")
        if os.path.isfile(file):
            with open(file, encoding="utf-8") as opened:
                self.answer(200, opened.read(), f"Content-Type: {kind}")
        elif path.endswith(".html"):
            self.answer(200, "<title>stub</title>")
        else:
            self.answer(404, "nothing", "Content-Type: text/plain")


class Shapes(Render):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in sorted(os.listdir(SHAPES)):
            with open(os.path.join(SHAPES, name, "expected.json"), encoding="utf-8") as file:
                Site.expected[name] = json.load(file)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        super().tearDownClass()

    def url(self, name, path):
        return f"http://{name}.localhost:{self.server.server_port}{path}"

    def is_rendered(self, name, path):
        """Returns True if this link leads to more than a stub."""
        is_file = os.path.isfile(os.path.join(SHAPES, name, path.lstrip("/")))
        return path.endswith(".html") and is_file or "fallback" in Site.expected[name]

    def look(self, name):
        """Returns the links of a shape's pages, and the text of each."""
        found, texts, waiting = set(), {}, ["/"]
        while waiting:
            path = waiting.pop()
            url = self.url(name, path)
            texts[path] = self.render("--text", url).stdout
            for line in self.render("--links", url).stdout.splitlines():
                link = json.loads(line)
                where = urllib.parse.urlsplit(link["url"])
                if where.netloc != urllib.parse.urlsplit(url).netloc or link["tag"] in ("script", "link") and not (
                        link["tag"] == "script" and link["attr"] != "src" or link["rel"] in ("next", "canonical")):
                    continue
                if where.path not in found and where.path not in texts and self.is_rendered(name, where.path):
                    waiting.append(where.path)
                found.add(where.path)
        return found - {"/"}, texts

    def check(self, name):
        expected = Site.expected[name]
        began = time.monotonic()
        found, texts = self.look(name)
        took = time.monotonic() - began
        shown = [GOES_ON[name]] if name in GOES_ON else expected.get("text", [])
        faults = []
        for what, missed in (
                ("links", set(expected["links"]) - found - EARS.get(name, set())),
                ("false links", set(expected.get("not_links", [])) & found),
                ("text", [line for line in shown if line not in texts["/"]]),
                ("false text", [line for line in expected.get("not_text", []) if line in texts["/"]]),
                ("text of pages", [line for path, lines in expected.get("text_of", {}).items() for line in lines
                                   if line not in texts.get(path, "")]),
                ("asked", {path for at, path in Site.asked if at == name} & set(expected.get("never_asked", [])))):
            if missed:
                faults.append(f"{what}: {sorted(missed)}")
        asked = sum(at == name and path != "/robots.txt" for at, path in Site.asked)
        if asked > 2 * expected.get("most_requests", 1000):  # each page is rendered twice
            faults.append(f"{asked} requests")
        return f"{name} ({took:.1f} s): {'; '.join(faults)}" if faults else None

    def test_all(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            faults = [fault for fault in pool.map(self.check, Site.expected) if fault]
        self.assertEqual(faults, [])


if __name__ == "__main__":
    unittest.main()
