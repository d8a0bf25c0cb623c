#!/usr/bin/env python3
"""Tests the live view of a shared crawl: any process shows all of them, each in its row, and the sum, which keeps the
work of those that are gone."""
import json
import re
import shutil
import subprocess
import threading

import harness
import live_view
import redis_server

HOSTS = 6
PAGES = 5  # per host, and one more that is held
FIGURES = ("pages", "failures", "bytes", "received", "running", "hosts")


class Site(harness.OwnServer):
    """Many hosts. The page /held of each is answered once release() was called."""

    def __init__(self):
        self.released = threading.Event()
        super().__init__(SiteHandler)

    def url(self, host, path):
        return super().url(f"h{host}.localhost", path)

    def links(self):
        paths = [f"/{page}" for page in range(PAGES)] + ["/held"]
        return "".join(f"<a href={self.url(host, path)}>x</a>" for host in range(HOSTS) for path in paths)

    def handle_error(self, request, client_address):
        """Ignores errors: a killed program does not read its response."""

    def stop(self):
        self.released.set()
        super().stop()


class SiteHandler(harness.Handler):
    def do_GET(self):
        if self.path == "/held":
            self.server.released.wait(harness.LIMIT_S)
        if self.path == "/robots.txt":
            self.answer(404, "")
        else:
            self.answer(200, self.server.links() if self.path == "/" else "x" * 1000)


class Workers(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.redis = self.serve(redis_server.Redis())
        self.site = self.serve(Site())

    def worker(self, number):
        return live_view.Live(self, "127.0.0.1:0", "--state", self.redis.url("name=test"), "--scope", "any",
                              "--allow-private", "--set", "state.lease=3s",
                              "--output", f"pages{number}.jsonl", self.site.url(0, "/"))

    def expect_rows(self, shared, stats):
        """Checks that each row has a process's own figures, and that the sum is that of the rows."""
        rows = {row["name"]: row for row in shared["workers"]}
        self.assertEqual(len(rows), len(stats))
        self.assertEqual(sorted(row["pages"] for row in rows.values()), sorted(one["pages"] for one in stats))
        self.assertEqual(sorted(row["received"] for row in rows.values()),
                         sorted(one["bytes_received"] for one in stats))
        for figure in FIGURES:
            self.assertEqual(sum(row[figure] for row in rows.values()), shared["total"][figure], figure)
        self.assertEqual([row["self"] for row in rows.values()].count(True), 1)
        for one in stats:
            own, = [row for row in one["shared"]["workers"] if row["self"]]
            self.assertEqual((own["pages"], own["version"]), (one["pages"], one["version"]))
            self.assertEqual(set(rows), {row["name"] for row in one["shared"]["workers"]})

    def expect_metrics(self, worker, shared):
        text = worker.ask("/metrics")[2]
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, b""))
        said = re.findall(r'^crawl_worker_pages_total\{worker="(.*)"\} (\d+)$', text.decode(), re.MULTILINE)
        self.assertEqual({name: int(pages) for name, pages in said},
                         {row["name"]: row["pages"] for row in shared["workers"]})
        for name, value in (("shared_pages_total", shared["total"]["pages"]), ("shared_workers", 3),
                            ("shared_queue_requests", shared["queued"]),
                            ("shared_connections_in_use", HOSTS)):
            self.assertIn(f"\ncrawl_{name} {value}\n", text.decode())

    def test_without_seeds_there_is_nothing_to_make(self):
        """A crawl that exists is joined without seeds."""
        result = self.crawl("--state", self.redis.url("name=test"))
        self.assertEqual(result.status, 2)
        self.assertIn("no seeds", result.stderr)
        self.assertEqual(self.redis.ask("KEYS", "*"), [])
        for seeds in (["--depth", "0", "--allow-private", self.site.url(0, "/1")], []):
            result = self.crawl("--state", self.redis.url("name=test"), *seeds)
            self.assertEqual(result.status, 0, result.stderr)

    def test_each_shows_all(self):
        workers = [self.worker(number) for number in range(3)]
        found = 1 + HOSTS * PAGES
        for worker in workers:
            worker.wait_for_stats(lambda now: now["shared"]["alive"] == 3 and now["shared"]["total"]["pages"] == found
                                  and now["shared"]["finished"] == found
                                  and now["shared"]["total"]["running"] == HOSTS and now["shared"]["held"] == HOSTS)
        stats = [worker.stats() for worker in workers]
        self.expect_rows(stats[0]["shared"], stats)
        self.expect_metrics(workers[0], stats[0]["shared"])
        most = max(range(3), key=lambda number: stats[number]["pages"])
        killed = workers.pop(most)
        killed.process.kill()
        killed.process.wait()
        self.site.released.set()
        for worker in workers:
            self.assertEqual(worker.end()[0], 0)
        self.expect_after_the_end(stats[most], found + HOSTS)

    def expect_after_the_end(self, of_killed, pages):
        """Checks that the sum has everything that the killed process had reported; others have fetched its pages in
        flight."""
        said = subprocess.run([harness.program(), "inspect", self.redis.url("name=test"), "--jsonl"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(said.returncode, 0, said.stderr)
        summary = json.loads(said.stdout)
        self.assertEqual(summary["all_workers"]["pages"], pages)
        own, = [row for row in of_killed["shared"]["workers"] if row["self"]]
        rows = {row["name"]: row for row in summary["workers"]}
        self.assertEqual((rows[own["name"]]["ended"], rows[own["name"]]["report"]["pages"]),
                         (False, of_killed["pages"]))
        self.assertEqual([row["ended"] for row in rows.values()].count(True), 2)
        text = subprocess.run([harness.program(), "inspect", self.redis.url("name=test")], capture_output=True,
                              text=True, timeout=60).stdout
        self.assertIn(f"all workers 3 so far; {pages} pages, 0 failures, ", text)


if __name__ == "__main__":
    harness.main()
