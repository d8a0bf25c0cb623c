#!/usr/bin/env python3
"""Tests that a host which a process of a shared crawl gives back and forgets is as it was when it comes back:
robots.txt is not requested again, nor a missing tdmrep.json; its pause and its Retry-After still apply; and its
failures in a row, and its walls, are still known."""
import subprocess
import threading

import harness
import redis_server

ROUNDS = 5
HOSTS = 5


class Slow(harness.OwnServer):
    """Responses take a quarter of a second. The page /N links to next_of(N + 1)."""

    def __init__(self, next_of):
        self.next_of = next_of
        super().__init__(SlowHandler)


class SlowHandler(harness.Handler):
    def do_GET(self):
        threading.Event().wait(0.25)
        self.answer(200, f"<a href={self.server.next_of(int(self.path[1:]) + 1)}>x</a>")


class ComingBack(harness.TestCase):
    """Each page links to the next one, on another host, so the only process gets each host again and again, and gives
    it back in between."""

    def setUp(self):
        super().setUp()
        self.redis = self.serve(redis_server.Redis())
        self.hosts = [f"h{number}.localhost" for number in range(HOSTS)]
        folder = self.make_site({"robots.txt": "User-agent: *\nCrawl-delay: 0.3\nDisallow: /private\n"})
        self.site = self.serve(harness.Nginx({host: folder for host in self.hosts},
                                             "location /bad { return 500; } location /busy { add_header Retry-After 2 "
                                             "always; return 429; } location /wall { add_header cf-mitigated "
                                             "challenge always; return 403; }"))

    def chain(self, paths):
        """Makes pages for these hosts and paths, each linked to the next. Returns the URL of the first."""
        urls = [self.site.url(host, path) for host, path in paths]
        for (_, path), following in zip(paths, urls[1:] + [None]):
            self.write(f"site{path}", f"<a href={following}>x</a>" if following else "the end")
        return urls[0]

    def crawl_shared(self, *options):
        result = self.crawl("--state", self.redis.url("name=test"), "--scope", "any", "--allow-private", "--depth",
                            "100", "--no-adaptive", "--retries", "0",
                            "--output", "pages.jsonl", "--requests", "requests.jsonl", *options)
        self.assertEqual(result.status, 0, result.stderr)
        audit = subprocess.run([harness.program(), "audit", "requests.jsonl"], cwd=self.folder, capture_output=True,
                               text=True, timeout=60, check=False)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)
        return [line for line in self.records("requests.jsonl") if line["event"] == "depart"]

    def test_robots_and_pause(self):
        paths = [(self.hosts[number % HOSTS], f"/{number}.html") for number in range(ROUNDS * HOSTS)]
        departures = self.crawl_shared("--delay", "100ms", self.chain(paths))
        self.assertEqual([record["status"] for record in self.records("pages.jsonl")], [200] * len(paths))
        self.assertEqual(sorted(request.host for request in self.site.requests() if request.uri == "/robots.txt"),
                         self.hosts)
        for host in self.hosts:
            # robots.txt sets the pause
            lines = [line for line in departures if line["host"].startswith(f"http://{host}:")][1:]
            self.assertEqual([line["pause_by"] for line in lines], ["crawl-delay"] * ROUNDS)
            self.assertGreater([line["seq"] for line in lines].count(1), 1, "it was forgotten, and is counted anew")
            for before, after in zip(lines, lines[1:]):
                self.assertGreaterEqual(after["start"] - before["start"], 299.5, host)

    def test_retry_after(self):
        """The host asks for 2 s, and is given back. A link found meanwhile waits for the remaining time."""
        paths = [(self.hosts[0], "/0.html"), (self.hosts[0], "/1.html"), (self.hosts[1], "/2.html")]
        first = self.chain(paths)
        with open(self.path("site/0.html"), "a", encoding="utf-8") as file:
            file.write(f"<a href={self.site.url(self.hosts[1], '/busy')}>x</a>")
        self.crawl_shared("--no-robots", "--delay", "600ms", first)
        ends = {line["url"].rpartition("/")[2]: line for line in self.records("requests.jsonl")
                if line["event"] == "end"}
        self.assertEqual((ends["busy"]["status"], ends["2.html"]["status"]), (429, 200))
        self.assertGreaterEqual(ends["2.html"]["start"], ends["busy"]["end"] + 2000)
        self.assertEqual((ends["busy"]["seq"], ends["2.html"]["seq"]), (1, 1), "it was forgotten, and is counted anew")

    def test_failures(self):
        """Three failures in a row, each in its own session, make a host be given up: the count goes with the host."""
        paths = [(self.hosts[0], f"/{number}.html") for number in range(ROUNDS)]
        first = self.chain(paths)
        for number, (_, path) in enumerate(paths):
            with open(self.path(f"site{path}"), "a", encoding="utf-8") as file:
                file.write(f"<a href={self.site.url(self.hosts[1], f'/bad{number}')}>x</a>")
        departures = self.crawl_shared("--no-robots", "--delay", "600ms", "--per-host", "1", "--set",
                                       "politeness.give_up=3", "--set", "politeness.backoff=10ms", first)
        bad = [record for record in self.records("pages.jsonl") if "/bad" in record["url"]]
        self.assertEqual([record["status"] for record in bad], [500] * 3 + [0] * (ROUNDS - 3))
        self.assertEqual([record["error"] for record in bad[3:]], ["given-up"] * (ROUNDS - 3))
        self.assertEqual([line["seq"] for line in departures if "/bad" in line["url"]], [1, 1, 1],
                         "it was forgotten, and is counted anew")

    def test_walls(self):
        """Two walls in a row, each in its own session, make a host be given up that gave no page. The other requests
        wait for the next run."""
        paths = [(self.hosts[0], f"/{number}.html") for number in range(ROUNDS)]
        first = self.chain(paths)
        for number, (_, path) in enumerate(paths):
            with open(self.path(f"site{path}"), "a", encoding="utf-8") as file:
                file.write(f"<a href={self.site.url(self.hosts[1], f'/wall{number}')}>x</a>")
        departures = self.crawl_shared("--no-robots", "--delay", "600ms", "--per-host", "1", first)
        walls = [record["error"] for record in self.records("pages.jsonl") if "/wall" in record["url"]]
        self.assertEqual(walls, ["wall"] * 2)
        self.assertIn(f"later       {ROUNDS - 2} requests are for a later run",
                      self.crawl("inspect", self.redis.url("name=test")).stdout)
        self.assertEqual([line["seq"] for line in departures if "/wall" in line["url"]], [1, 1],
                         "it was forgotten, and is counted anew")

    def test_no_tdmrep_json(self):
        paths = [(self.hosts[number % HOSTS], f"/{number}.html") for number in range(ROUNDS * HOSTS)]
        self.crawl_shared("--delay", "50ms", "--respect", "train", self.chain(paths))
        self.assertEqual(len(self.records("pages.jsonl")), len(paths))
        asked = sorted(request.host for request in self.site.requests() if request.uri.endswith("/tdmrep.json"))
        self.assertEqual(asked, self.hosts)

    def test_failures_go_to_another_process(self):
        """The first process ends after two failures. The next one has a third, and sends no more requests until the
        host has been away for long enough."""
        options = ("--state", self.redis.url("name=test"), "--allow-private", "--no-robots", "--delay", "0",
                   "--per-host", "1", "--retries", "0",
                   "--set", "politeness.give_up=3", "--set", "politeness.backoff=10ms", "--output", "pages.jsonl",
                   "--append")
        bad = [self.site.url(self.hosts[1], f"/bad{number}") for number in range(5)]
        for seeds in (bad[:2], bad[2:]):
            self.assertEqual(self.crawl(*options, *seeds).status, 1)
        records = self.records("pages.jsonl")
        self.assertEqual([record["status"] for record in records], [500] * 3 + [0] * 2)
        self.assertEqual([record["error"] for record in records[3:]], ["given-up"] * 2)
        self.assertIn("after 3 failures in a row, the last: status 500", records[3]["detail"])

    def test_pause_by_answer_times(self):
        """Each page of the slow host has its own session: the pause that follows from its response times applies from
        the first request on."""
        slow = self.serve(Slow(lambda number: self.site.url(self.hosts[0], f"/{number}.html")))
        host = f"http://{self.hosts[1]}:{slow.port}"
        for number in range(ROUNDS):
            self.write(f"site/{number}.html", f"<a href={host}/{number}>x</a>")
        departures = self.crawl_shared("--no-robots", "--delay", "50ms", "--adaptive",
                                       self.site.url(self.hosts[0], "/0.html"))
        lines = [line for line in departures if line["host"] == host]
        self.assertEqual([line["seq"] for line in lines], [1] * ROUNDS, "it was forgotten, and is counted anew")
        self.assertEqual([line["pause_by"] for line in lines], ["delay"] + ["adaptive"] * (ROUNDS - 1))


if __name__ == "__main__":
    harness.main()
