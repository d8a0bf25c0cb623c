#!/usr/bin/env python3
"""Tests the records of a crawl of a server that misbehaves, and the requests that the server must and must not have
seen."""
import urllib.parse

import harness

# path: status, error class (None: none), requests for the path's URL. Each case has its own host and so its own
# connections.
CASES = {
    "/status/200": (200, None, 1),
    "/status/204": (204, None, 1),
    "/status/404": (404, None, 1),
    "/status/410": (410, None, 1),
    "/status/500": (500, None, 2),
    "/status/501": (501, None, 1),
    "/status/503": (503, None, 2),
    "/nolocation": (302, "protocol", 1),
    "/loop": (302, None, 1),
    "/redirect/302?to=": (302, None, 1),
    "/redirect/302?to=mailto:a@example.com": (302, "redirects", 1),
    "/redirect/302?to=file:///etc/passwd": (302, "redirects", 1),
    "/redirect/302?to=javascript:1": (302, "redirects", 1),
    "/redirect/302?to=http://[bad": (302, "redirects", 1),
    "/retry/a?fail=1": (200, None, 2),
    "/retry/b?fail=9": (503, None, 2),
    "/retry/c?fail=1&status=429&retry_after=1": (200, None, 2),
    "/retry/d?fail=1&status=408": (200, None, 2),
    "/retry/e?fail=1&status=501": (501, None, 1),
    "/early": (200, None, 1),
    "/204body": (204, None, 1),
    "/chunked": (200, None, 1),
    "/untilclose": (200, None, 1),
    "/http10": (200, None, 1),
    "/gzip": (200, None, 1),
    "/deflate": (200, None, 1),
    "/br": (200, None, 1),
    "/nul": (200, None, 1),
    "/long": (200, None, 1),
    "/drop": (0, "reset", {2, 3}),  # one more on a connection that robots.txt left open, which the server may close
    "/reset": (200, "reset", 2),
    "/short": (200, "reset", 2),
    "/badchunk": (200, "protocol", 1),
    "/truncgzip": (200, "protocol", 1),
    "/plaingzip": (200, "protocol", 1),
    "/unknowncoding": (200, None, 1),
    "/http09": (0, "protocol", 1),
    "/ssh": (0, "protocol", 1),
    "/bomb": (200, "too-large", 1),
    "/huge": (200, "too-large", 1),
    "/bigheader": (200, "too-large", 1),
    "/manyheaders": (200, "too-large", 1),
}

# These last until the time limit; the others must be done before, even on a busy machine.
WAITING = {
    "/never": (0, "timeout", 2),
    "/drip?bytes=100&ms=500": (200, "timeout", 2),
}

QUICK = ("--delay", "0", "--retries", "1", "--set", "politeness.retry_delay=10ms", "--set", "fetch.max_body=1MiB",
         "--output", "pages.jsonl")


class Wild(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wild = cls.start_wild()

    def crawl_urls(self, urls, *options, status=0):
        self.write("seeds.txt", "".join(url + "\n" for url in urls))
        result = self.crawl("--seeds", "seeds.txt", *QUICK, *options)
        self.assertEqual(result.status, status, result.stderr)
        return {r["url"]: r for r in self.records("pages.jsonl")}

    def asked(self, host, path=None):
        return [r for r in self.wild.requests(host) if r["path"] != "/robots.txt"
                and (path is None or r["path"] == path)]

    def check(self, cases, label, *options, status=0):
        hosts = {path: f"{label}{number}.localhost" for number, path in enumerate(cases)}
        records = self.crawl_urls([self.wild.url(host, path) for path, host in hosts.items()], "--depth", "0", *options,
                                  status=status)
        wrong = []
        for path, host in hosts.items():
            record = records[self.wild.url(host, path)]
            got = (record["status"], record["error"], len(self.asked(host, path)))
            times = cases[path][2]
            if got[:2] != cases[path][:2] or got[2] not in (times if isinstance(times, set) else {times}):
                wrong.append((path, "got", got, "expected", cases[path], record["detail"]))
            if record["error"] and not record["detail"]:
                wrong.append((path, "an error without words"))
        self.assertEqual(wrong, [])
        self.assertLessEqual(max(r["bytes"] for r in records.values()), 1 << 20)

    def test_cases(self):
        self.check(CASES, "case", "--timeout", "30s")

    def test_cases_that_wait(self):
        self.check(WAITING, "waiting", "--timeout", "3s", status=1)

    def test_an_answer_that_broke_is_not_enough_for_success(self):
        broken = ["/short", "/badchunk", "/truncgzip", "/manyheaders", "/raw/206", "/raw/lengthstwo"]
        seeds = [self.wild.url(f"broken{i}.localhost", path) for i, path in enumerate(broken)]
        self.crawl_urls(seeds, "--depth", "0", status=1)
        self.crawl_urls([self.wild.url("cut.localhost", "/huge")], "--depth", "0")

    def test_redirects_are_followed_like_links(self):
        start = self.wild.url("moved.localhost", "/redirect/301?to=/pingpong/a")
        records = self.crawl_urls([start], "--depth", "0", status=1)
        self.assertEqual(records[start]["redirect"], self.wild.url("moved.localhost", "/pingpong/a"))
        self.assertEqual(records[start]["new"], 1)
        self.assertEqual(records[self.wild.url("moved.localhost", "/pingpong/a")]["parent"], start)
        back = records[self.wild.url("moved.localhost", "/pingpong/b")]
        self.assertEqual((back["depth"], back["new"]), (0, 0))
        self.assertEqual(len(self.asked("moved.localhost")), 3)

    def test_redirects_end_at_their_limit(self):
        records = self.crawl_urls([self.wild.url("grow.localhost", "/grow/0")], "--max-redirects", "4", status=1)
        self.assertEqual(len(self.asked("grow.localhost")), 5)
        last = records[self.wild.url("grow.localhost", "/grow/4")]
        self.assertEqual((last["status"], last["error"]), (302, "redirects"))

    def test_a_page_redirected_out_of_scope_is_not_followed_there(self):
        away = self.wild.url("away.localhost", "/page")
        page = self.wild.url("scoped.localhost", "/page?links=/redirect/302?to=" + urllib.parse.quote(away))
        records = self.crawl_urls([page], "--scope", "host")
        moved = next(r for r in records.values() if r["depth"] == 1)
        self.assertEqual((moved["error"], moved["redirect"]), ("scope", away))
        self.assertEqual(self.wild.requests("away.localhost"), [])

    def test_a_seed_redirected_takes_its_scope_along(self):
        there = self.wild.url("there.localhost", "/page?links=/page?n=1")
        seed = self.wild.url("here.localhost", "/redirect/301?to=" + urllib.parse.quote(there, safe=""))
        self.crawl_urls([seed], "--scope", "host", "--allow-private")
        self.assertEqual([r["path"] for r in self.asked("there.localhost")], ["/page?links=/page?n=1", "/page?n=1"])

    def test_a_redirect_to_a_forbidden_path_is_refused_there(self):
        start = self.wild.url("robots-disallow.localhost", "/redirect/302?to=/private")
        records = self.crawl_urls([start], status=1)
        self.assertEqual(records[self.wild.url("robots-disallow.localhost", "/private")]["error"], "robots")
        self.assertEqual(self.asked("robots-disallow.localhost", "/private"), [])

    def test_robots(self):
        """host label: requests for robots.txt, error of /private, error of /page."""
        table = {
            "robots-disallow": (1, "robots", None),
            "robots-404": (1, None, None),
            "robots-403": (1, None, None),
            "robots-503": (2, "robots", "robots"),
            "robots-500then200": (2, "robots", None),
            "robots-redirect": (1, "robots", None),
            "robots-loop": (6, None, None),
            "robots-drop": (2, "reset", "reset"),
            "robots-never": (2, "timeout", "timeout"),
            "robots-huge": (1, "robots", None),
            "robots-html": (1, None, None),
        }
        urls = [self.wild.url(f"{label}.localhost", path) for label in table for path in ("/private", "/page")]
        before = {label: len(self.wild.requests(f"{label}.localhost")) for label in table}
        records = self.crawl_urls(urls, "--depth", "0", "--timeout", "5s")
        for label, (times, private, page) in table.items():
            host = f"{label}.localhost"
            seen = self.wild.requests(host)[before[label]:]
            got = (sum(r["path"] == "/robots.txt" for r in seen), records[self.wild.url(host, "/private")]["error"],
                   records[self.wild.url(host, "/page")]["error"])
            self.assertEqual(got, (times, private, page), label)
            self.assertEqual(seen[0]["path"], "/robots.txt", label)
            if private:
                self.assertNotIn("/private", [r["path"] for r in seen], label)
        self.assertIn("Disallow: /private", records[self.wild.url("robots-disallow.localhost", "/private")]["detail"])

    def test_no_robots(self):
        url = self.wild.url("robots-all.localhost", "/page")
        self.assertEqual(self.crawl_urls([url], "--depth", "0", status=1)[url]["error"], "robots")
        self.assertIsNone(self.crawl_urls([url], "--depth", "0", "--no-robots")[url]["error"])

    def test_retry_after_holds_for_the_whole_host(self):
        limited = self.wild.url("limited.localhost", "/retry/x?fail=1&status=429&retry_after=1")
        others = [self.wild.url("limited.localhost", f"/page?n={n}") for n in range(5)]
        free = [self.wild.url("free.localhost", f"/page?n={n}") for n in range(5)]
        self.crawl_urls([limited] + others + free, "--depth", "0", "--per-host", "1", "--connections", "1")
        times = [r["start"] for r in self.asked("limited.localhost")]
        self.assertEqual(len(times), 7)
        self.assertGreaterEqual(times[1] - times[0], 0.99)
        free_times = [r["start"] for r in self.asked("free.localhost")]
        self.assertLess(max(free_times), times[1], "another host waited for the limited one")

    def test_longer_retry_after_than_we_wait_gives_the_host_up(self):
        limited = self.wild.url("closed.localhost", "/retry/y?fail=1&status=503&retry_after=3600")
        other = self.wild.url("closed.localhost", "/page?n=1")
        records = self.crawl_urls([limited, other], "--depth", "0", "--per-host", "1", "--connections", "1", status=1)
        self.assertEqual((records[limited]["status"], records[limited]["error"]), (503, "retry-after"))
        self.assertEqual((records[other]["status"], records[other]["error"]), (0, "retry-after"))
        self.assertEqual(len(self.asked("closed.localhost")), 1)

    def test_priorities_decide_the_order(self):
        for order in ("bfs", "dfs", "best"):
            host = f"{order}.localhost"
            self.write("seeds.txt",
                       "".join('{"url": "%s", "priority": %d}\n' % (self.wild.url(host, f"/page?n={n}"), priority)
                                            for n, priority in enumerate((0, -5, 9, 3, 0))))
            self.crawl("--seeds", "seeds.txt", *QUICK, "--depth", "0", "--order", order, "--connections", "1")
            asked = "".join(r["path"][-1] for r in self.asked(host))
            self.assertEqual(asked[:2] + asked[-1], "231", order)
            if order != "dfs":
                self.assertEqual(asked, "23041", order)

    def test_seeds_with_method_headers_and_body(self):
        self.write("seeds.txt", '{"url": "' + self.wild.url("echo.localhost", "/echo")
                   + '", "method": "post", "body": "q=1", '
                   '"headers": {"X-Own": "yes", "Content-Type": "text/plain"}}\n')
        self.crawl("--seeds", "seeds.txt", *QUICK, "--depth", "0")
        record = self.records("pages.jsonl")[0]
        self.assertEqual((record["method"], record["status"]), ("POST", 200))
        request = self.asked("echo.localhost")[0]
        headers = {name.lower(): value for name, value in request["headers"]}
        self.assertEqual(request["method"], "POST")
        self.assertEqual((headers["x-own"], headers["content-type"], headers["content-length"]),
                         ("yes", "text/plain", "3"))
        self.assertTrue(headers["user-agent"].startswith("crawl/"))

    def test_cookies_are_off_unless_asked_for(self):
        self.crawl_urls([self.wild.url("biscuit.localhost", "/cookie")], status=1)
        self.assertNotIn("cookie", [n.lower() for r in self.asked("biscuit.localhost") for n, _ in r["headers"]])

    def test_hosts_and_queue_have_a_maximum(self):
        names = ",".join(self.wild.url(f"many{n}.localhost", "/page?x=1") for n in range(8))
        page = self.wild.url("many.localhost", "/page?links=" + urllib.parse.quote(names, safe=""))
        self.crawl_urls([page], "--scope", "any", "--allow-private", "--set", "crawl.max_hosts=3")
        self.assertEqual(sum(bool(self.wild.requests(f"many{n}.localhost")) for n in range(8)), 2)
        page = self.wild.url("queue.localhost", "/page?links="
                             + urllib.parse.quote(",".join(f"/page?n={n}" for n in range(8)), safe=""))
        self.write("seeds.txt", page + "\n")
        result = self.crawl("--seeds", "seeds.txt", *QUICK, "--set", "crawl.max_queued=5")
        self.assertEqual(len(self.records("pages.jsonl")), 6)
        self.assertIn("3 left out by crawl.max_queued", result.stderr)

    def test_max_time(self):
        urls = [self.wild.url("clock.localhost", f"/page?n={n}") for n in range(100)]
        self.write("seeds.txt", "\n".join(urls))
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "200ms", "--max-time", "1s")
        self.assertEqual(result.status, 0)
        self.assertIn("crawl.max_time reached", result.stderr)

    def test_max_bytes(self):
        urls = [self.wild.url("bytes.localhost", f"/fill?bytes=100000&n={n}") for n in range(50)]
        self.write("seeds.txt", "\n".join(urls))
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--max-bytes", "500KiB", "--output",
                            "pages.jsonl")
        self.assertIn("crawl.max_bytes reached", result.stderr)
        self.assertLess(len(self.records("pages.jsonl")), 20)


if __name__ == "__main__":
    harness.main()
