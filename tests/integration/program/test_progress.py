#!/usr/bin/env python3
"""Tests messages of a running crawl whose standard error is not a terminal; test_bound has the line of a terminal."""
import json
import re

import harness


class Progress(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.nginx = self.start_nginx({"a.localhost": self.make_site({f"{n}.html": "page" for n in range(4)})})

    def said(self, *options):
        """Runs a crawl whose pauses take more than a second, in which a line is due twice."""
        urls = [self.nginx.url("a.localhost", f"/{n}.html") for n in range(4)]
        result = self.crawl("--delay", "300ms", "--no-robots", "--set", "output.progress_interval=400ms",
                            *options, *urls)
        self.assertEqual(result.status, 0, result.stderr)
        return [line for line in result.stderr.splitlines() if line.startswith(("2", "{"))]

    def test_lines_with_their_time(self):
        lines = self.said()
        self.assertGreaterEqual(len(lines), 1)
        for line in lines:
            self.assertRegex(line, r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ crawl: \d pages  \d+/s  \d queued  ")

    def test_json(self):
        lines = [json.loads(line) for line in self.said("--progress", "json")]
        self.assertGreaterEqual(len(lines), 1)
        for line in lines:
            self.assertEqual(set(line), {"time", "elapsed_ms", "pages", "pages_per_second", "bytes", "errors",
                                         "retries", "queued",
                                         "in_flight", "hosts", "bound"})
            self.assertTrue(re.match(r"20\d\d-\d\d-\d\dT", line["time"]))
            self.assertGreaterEqual(line["elapsed_ms"], 400)
            self.assertEqual(line["hosts"], 1)

    def test_nothing(self):
        self.assertEqual(self.said("--progress", "none"), [])
        self.assertEqual(self.said("--quiet"), [])
        self.assertEqual(self.said("--set", "output.progress_interval=1m"), [])


if __name__ == "__main__":
    harness.main()
