#!/usr/bin/env python3
"""Tests crawl explain of a killed crawl with two dozen URLs, each held or refused by another rule, which must be in the
first line."""
import json
import re
import signal
import socket
import threading
import time

import harness

LONG = "/long/" + "x" * 200
DEEP = "/" + "/".join("abcdefghijkl")
LINKS = ("mailto:a@example.org", "http://a.localhost:99999/", "http://other.example/", "/b.pdf", "/left/c", "/no/d",
         "/1", LONG, "/r/r/r/r/r/r", DEEP,
         "/q?n=1", "/q?n=2", "/q?n=3", "http://private.a.localhost:PORT/", "/nofollow-me")


def links(*targets):
    return "".join(f"<a href='{target}'>a</a>" for target in targets)


class Site(harness.Handler):
    """Each host behaves as the first label of its name says."""
    asked = []
    released = threading.Event()

    def do_GET(self):
        host = self.headers["Host"].split(".")[0]
        Site.asked.append(host + self.path)
        if self.path == "/robots.txt":
            return self.robots(host)
        if self.path == "/slow":
            return self.slow()
        if self.path == "/busy":
            return self.answer(429, "busy", "Retry-After: 200")
        if self.path == "/away":
            return self.answer(503, "away", "Retry-After: 604800")
        if self.path == "/error":
            return self.answer(500, "broken")
        if host == "drop":
            return self.hang_up()
        return self.answer(200, self.page(host))

    def page(self, host):
        port = self.headers["Host"].split(":")[1]
        if host == "a" and self.path == "/":
            return links(*(link.replace("PORT", port) for link in LINKS)) + "<a rel=nofollow href=/told>a</a>"
        if host == "many" or host in ("c", "e"):
            return links(*(f"/{host}{n}" for n in range(30)))
        return links(f"{self.path.rstrip('/')}/1".replace("//",
                                                          "/")) if host == "a" and self.path.startswith(
                                                              "/1") else "fine"

    def robots(self, host):
        if host == "unknown":
            return self.slow()
        rules = {"long": "Crawl-delay: 60\n", "a": "Disallow: /no/\n"}.get(host, "Disallow:\n")
        return self.answer(200, "User-agent: *\n" + rules, "Content-Type: text/plain")

    def slow(self):
        Site.released.wait(120)
        return self.hang_up()

    def hang_up(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


class Twenty(harness.TestCase):
    SETTINGS = {"crawl.max_url": "150", "crawl.max_repeats": "3", "crawl.max_path_depth": "8", "crawl.max_queries": "2",
                "crawl.max_pages_per_host": "10",
                "crawl.max_pages_per_domain": "12", "politeness.retry_delay": "4m", "politeness.backoff": "5m",
                "politeness.max_backoff": "1h",
                "politeness.adaptive": "false", "politeness.max_crawl_delay": "1m"}
    SEEDS = ("a/", "hang/slow", "many/", "c.d/", "e.d/", "busy/busy", "busy/waits", "away/away", "away/waits",
             "failing/error", "drop/1", "drop/2", "drop/3",
             "unknown/", *(f"long/{n}" for n in range(6)))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.keep(harness.OwnServer(Site))
        cls.port = cls.server.port

    @classmethod
    def tearDownClass(cls):
        Site.released.set()
        super().tearDownClass()

    def url(self, name):
        """Returns the URL of HOST/PATH; the host is without .localhost."""
        host, path = name.split("/", 1)
        return f"http://{host}.localhost:{self.port}/{path}"

    def edges(self):
        with open(self.path("links.jsonl"), encoding="utf-8") as file:
            return {line.split('"verdict":"')[1].split('"')[0] for line in file if line.endswith("}\n")}

    def is_under_way(self):
        """Returns True once everything possible is done and only held requests wait."""
        try:
            records = [record["url"] for record in self.records("pages.jsonl")]
            refused = self.edges()
        except (OSError, json.JSONDecodeError):
            return False
        asked = Site.asked
        return ({"max_pages_per_host", "max_pages_per_domain", "max_queries", "depth"} <= refused
                and self.url("a/no/d") in records
                and {"hang/slow", "busy/busy", "away/away", "failing/error", "long/robots.txt",
                     "unknown/robots.txt"} <= set(asked)
                and self.url("away/waits") in records and self.url("private.a/") in records
                and sum(name.startswith("drop/") for name in asked) >= 3)  # with its robots.txt

    def crawl_and_kill(self):
        options = [word for key, value in self.SETTINGS.items() for word in ("--set", f"{key}={value}")]
        self.process = self.start("--state", "st", "--output", "pages.jsonl", "--links", "links.jsonl", "--workers",
                                  "1", "--delay", "0", "--per-host", "1", "--depth", "2",
                                  "--include", "localhost:[0-9]+/(?!left)", "--exclude", "[.]pdf$", *options,
                                  *map(self.url, self.SEEDS))
        try:
            self.wait_for(self.is_under_way, 60)
            asked = None
            while asked != len(Site.asked):  # and the last response has been processed
                asked = len(Site.asked)
                time.sleep(0.5)
        finally:
            self.process.send_signal(signal.SIGKILL)
            _, self.errors = self.process.communicate()

    def explain(self, url):
        result = self.crawl("explain", "--state", "st", "--records", "pages.jsonl", "--records", "links.jsonl", url)
        self.assertIn(result.status, (0, 1), result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], url)
        self.assertLessEqual(len(lines), 24)
        self.assertEqual(result.status, int(lines[1].startswith("  not fetched")), lines[1])
        return lines[1].strip()

    def test_each_by_its_own_rule(self):
        self.crawl_and_kill()
        date = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ"
        home = re.escape(self.url("a/"))
        many = r"http://many\.localhost:\d+/\S*"
        for url, words in (
                ("mailto:a@example.org", r"not fetched: not an http or https URL"),
                ("http://a.localhost:99999/", r"not fetched: not an absolute URL"),
                ("http://other.example/", r"not fetched: scope: crawl\.scope = domain: no seed is in other\.example"),
                (self.url("a/b.pdf"), r"not fetched: patterns: crawl\.exclude = \[\.\]pdf\$"),
                (self.url("a/left/c"), r"not fetched: patterns: no pattern matches, and the first is an include"),
                (self.url("a/no/d"), r"not fetched: robots: robots\.txt:2: Disallow: /no/"),
                (self.url("a/1/1/1"), r"not fetched: depth: crawl\.depth = 2, found last at depth 3"),
                (self.url("a" + LONG), r"not fetched: shape: beyond crawl\.max_url"),
                (self.url("a/r/r/r/r/r/r"), r"not fetched: shape: beyond crawl\.max_repeats"),
                (self.url("a" + DEEP), r"not fetched: shape: beyond crawl\.max_path_depth"),
                (self.url("a/q?n=3"), rf"not fetched: counts: crawl\.max_queries = 2 was reached, for the link on "
                                      rf"{home}"),
                (self.url("many/many29"), rf"not fetched again: record: limit: crawl.max_pages_per_host.*|not "
                                          rf"fetched: counts: crawl\.max_pages_per_host = 10 was reached, for the "
                                          rf"link on {many}"),
                (self.url("e.d/e29"), r"not fetched again: record: limit: crawl.max_pages_per_domain.*|not fetched: "
                                      r"counts: crawl\.max_pages_per_domain = 12 was reached, .*"),
                (self.url("private.a/"), r"not fetched: address: fetch\.allow_private = false: .*"),
                (self.url("a/told"), rf"not fetched: record: no record; the link to it on {home}: nofollow"),
                (self.url("a/q?n=1"), rf"not fetched again: record: status 200, 0 links, on {date}, depth 1, attempt "
                                      rf"1, found on {home}"),
                (self.url("hang/slow"), r"fetched: seen: queued, attempt 1, behind 0 of its host, or in flight "
                                        r"\(which is not recorded\)"),
                (self.url("busy/waits"), rf"fetched, but not now: host: asked us not to come before {date} "
                                         rf"\(Retry-After, or a quota\)"),
                (self.url("away/later"), rf"not fetched: host: asked us to stay away until {date}, longer than "
                                         rf"politeness\.max_retry_delay"),
                (self.url("away/waits"), rf"not fetched again: record: retry-after: .*on {date}.*"),
                (self.url("failing/error"), rf"fetched, but not now: seen: queued, attempt 2, behind 0 of its host, "
                                            rf"not before {date}"),
                (self.url("drop/new"), rf"fetched, but not now: host: blocked until {date}: it failed several times "
                                       rf"in a row"),
                (self.url("long/5"), rf"fetched: seen: queued, attempt 1, behind 5 of its host, not before {date}"),
                (self.url("unknown/"), r"fetched, as far as is known: robots: robots\.txt was not fetched yet"),
                (self.url("a/never-linked"), r"fetched, as far as is known: depth: crawl\.depth = 2: .*")):
            with self.subTest(url):
                self.assertRegex(self.explain(url), f"^({words})$")

        self.check_times()

    def check_times(self):
        """Checks that each request in the queue of a host with a pause of a minute is a minute after the one before."""
        times = []
        for n in range(1, 6):
            found = re.search(rf"behind {n} of its host, not before 20\d\d-\d\d-\d\dT(\d\d):(\d\d):(\d\d)",
                              self.explain(self.url(f"long/{n}")))
            self.assertTrue(found, n)
            hours, minutes, seconds = map(int, found.groups())
            times.append(hours * 3600 + minutes * 60 + seconds)
        self.assertEqual([(later - sooner) % 86400 for sooner, later in zip(times, times[1:])], [60] * 4)


if __name__ == "__main__":
    harness.main()
