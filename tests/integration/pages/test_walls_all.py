#!/usr/bin/env python3
"""Tests that every response of tests/data/walls.jsonl that is a wall is recognized, and that no page that resembles
one, and no page of real documentation, is taken for a wall. The server is used as a proxy, so that each response comes
from its proper host."""
import json
import os

import harness

ROWS = os.path.join(os.path.dirname(harness.HERE), "data", "walls.jsonl")
PAGES = 300


class Everyone(harness.OwnServer):
    """answers: URL -> (status, headers, body); a missing URL gives 404."""

    def __init__(self, answers):
        self.answers = answers
        super().__init__(Handler)


class Handler(harness.Handler):
    def do_GET(self):
        status, headers, body = self.server.answers.get(self.path, (404, [], b""))
        self.send_response_only(status)
        for header in headers:
            self.send_header(*header.split(": ", 1))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def read_rows():
    """Returns URL -> (expected verdict, response). A row without a host gets one of its own."""
    found = {}
    with open(ROWS, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            row = json.loads(line)
            url = row.get("url", "http://h/a/b").replace("http://h", f"http://h{number}.example")
            url = url if url.count("/") > 2 else url + "/"
            found[url] = ((row["verdict"], row.get("service")), (row["status"], row["headers"], row["body"].encode()))
    return found


def read_pages(paths):
    """Returns the same for files, which are pages."""
    found = {}
    for number, path in enumerate(paths):
        with open(path, "rb") as file:
            answer = 200, ["Content-Type: text/html"], file.read()
        found[f"http://docs.example/{number}.html"] = ("content", None), answer
    return found


class AllWalls(harness.TestCase):
    def judge(self, expected):
        """Crawls only the expected URLs. Returns the differences as URL -> (expected, recorded)."""
        site = self.serve(Everyone({url: answer for url, (_, answer) in expected.items()}))
        self.write("seeds.txt", "".join(url + "\n" for url in expected))
        self.crawl("--seeds", "seeds.txt", "--proxy", f"http://127.0.0.1:{site.port}", "--depth", "0",
                   "--delay", "0", "--per-host", "4", "--retries", "0", "--set", "politeness.wall_backoff=0ms",
                   "--output", "pages.jsonl", "--quiet")
        got = {one["url"]: (one.get("verdict", "content"), one.get("wall")) for one in self.records("pages.jsonl")}
        return {url: (what, got.get(url)) for url, (what, _) in expected.items() if got.get(url) != what}

    def test_walls_are_told_and_traps_are_pages(self):
        rows = read_rows()
        self.assertGreater(len(rows), 150)
        self.assertEqual(self.judge(rows), {})

    def test_pages_of_a_documentation_are_pages_beside_them(self):
        folder = harness.python_docs()
        if not folder:
            self.skipTest(f"{PAGES} pages: python3-doc is not installed")
        paths = [folder + path for path in harness.pages_of(folder, PAGES) if path != "/404.html"]
        self.assertGreater(len(paths), PAGES // 2)
        self.assertEqual(self.judge({**read_pages(paths), **read_rows()}), {})


if __name__ == "__main__":
    harness.main()
