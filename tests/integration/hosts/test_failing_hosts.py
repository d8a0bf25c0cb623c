#!/usr/bin/env python3
"""Tests that failing hosts are backed off, given up, and tried again."""
import collections
import time

import harness


class Flaky(harness.Handler):
    """down: its first requests fail; hub: links to it, requested well after the failures."""
    failures = 4
    failing_for_good = set()
    asked = collections.Counter()

    def do_GET(self):
        host = self.headers["Host"].split(".")[0]
        self.asked[host] += 1
        if host in self.failing_for_good or host.startswith("down") and self.asked[host] <= self.failures:
            return self.answer(500, "broken")
        if host == "partly":
            links = "".join(f"<a href=/{n}>x</a>" for n in [f"e{i}" for i in range(8)] + list(range(20)))
            return self.answer(500 if self.path.startswith("/e") else 200, links if self.path == "/" else "")
        if host.startswith("hub"):
            self.wait_for(host.replace("hub", "down"))
            return self.answer(200, "<a href=http://%s/4>x</a>" % self.headers["Host"].replace("hub", "down"))
        return self.answer(200, "fine")

    def wait_for(self, down):
        """Waits until the host has failed for good, and has been left alone for over a second."""
        end = time.monotonic() + 30
        while self.asked[down] < self.failures and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(1.5)


class FailingHosts(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.keep(harness.OwnServer(Flaky))

    def crawl_both(self, name, *options):
        port = self.server.port
        down = [f"http://down{name}.localhost:{port}/{n}" for n in range(6)]
        self.write("seeds.txt", "".join(url + "\n" for url in down + [f"http://hub{name}.localhost:{port}/"]))
        # One at once: failures of simultaneous requests count as one.
        result = self.crawl("--seeds", "seeds.txt", "--depth", "1", "--delay", "20ms", "--per-host", "1", "--no-robots",
                            "--retries", "0",
                            "--seen", "exact", "--output", "pages.jsonl", "--requests", "requests.jsonl", "--set",
                            "politeness.give_up=4",
                            "--set", "politeness.backoff=100ms", *options)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.crawl("audit", "requests.jsonl").status, 0)
        records = collections.defaultdict(list)
        for record in self.records("pages.jsonl"):
            records[record["url"]].append(record["error"] or record["status"])
        requests = [r for r in self.exchanges() if "down" in r["host"]]
        return [records[url] for url in down], requests, result.stderr

    def test_given_up_and_back(self):
        answers, requests, _ = self.crawl_both("1", "--set", "politeness.away=1s")
        self.assertEqual(answers, [[500]] * 4 + [["given-up", 200], ["given-up"]])
        self.assertEqual([r["hold_by"] for r in requests], [None, "backoff", "backoff", "given-up", None])
        self.assertEqual([r["probe"] for r in requests], [False] * 4 + [True])
        gaps = [b["start"] - a["end"] for a, b in zip(requests, requests[1:])]
        self.assertGreaterEqual(gaps[1], 75)
        self.assertGreaterEqual(gaps[2], 150)
        self.assertGreaterEqual(gaps[3], 1000)

    def test_given_up_for_longer(self):
        answers, requests, summary = self.crawl_both("2", "--set", "politeness.away=1h")
        self.assertEqual(answers, [[500]] * 4 + [["given-up", "given-up"], ["given-up"]])
        self.assertEqual(len(requests), 4)
        self.assertIn("given-up 3", summary)

    def test_never_given_up(self):
        answers, _, _ = self.crawl_both("3", "--set", "politeness.give_up=0")
        self.assertEqual(answers, [[500]] * 4 + [[200], [200]])

    def test_its_queue_keeps_its_order(self):
        """A request that is leased before its host's backoff is over goes back, and others must not overtake it."""
        port = self.server.port
        urls = [f"http://downall.localhost:{port}/{n}" for n in range(100)]
        Flaky.failing_for_good.add("downall")
        self.write("seeds.txt", "".join(url + "\n" for url in urls))
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--per-host", "1", "--no-robots",
                            "--retries", "0", "--requests", "requests.jsonl", "--set", "politeness.give_up=0",
                            "--set", "politeness.backoff=5ms", "--set", "politeness.max_backoff=5ms")
        self.assertEqual(result.status, 1, result.stderr)  # no page was fetched
        self.assertEqual([r["url"] for r in self.exchanges()], urls)

    def test_some_broken_pages(self):
        """A site with some broken pages is not given up for their retries."""
        result = self.crawl("--delay", "0", "--per-host", "1", "--no-robots", "--retries", "2", "--output",
                            "pages.jsonl", "--requests", "requests.jsonl", "--set", "politeness.backoff=5ms", "--set",
                            "politeness.max_backoff=5ms", "--set", "politeness.retry_delay=5ms",
                            self.server.url("partly.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.crawl("audit", "requests.jsonl").status, 0)
        found = collections.Counter(record["error"] or record["status"] for record in self.records("pages.jsonl"))
        self.assertEqual(found, {500: 8, 200: 21})
        self.assertEqual(len(self.exchanges()), 8 * 3 + 21)


if __name__ == "__main__":
    harness.main()
