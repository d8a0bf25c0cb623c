#!/usr/bin/env python3
"""Tests --revisit, which visits changing pages again at the pace of their changes, and seen.forget_after."""
import http.server
import json
import os
import signal
import threading
import time
import unittest.mock

import harness
import warc_reader


class Changing(harness.OwnServer):
    """A site on its own port. pages: path -> function of the seconds since the start that returns (status, headers,
    body)."""

    def __init__(self, pages):
        self.pages = pages
        self.broken = False  # fails on conditions
        self.log = []  # (seconds since the start, path, headers, status)
        self.began = time.monotonic()
        super().__init__(Handler)

    def url(self, path="/"):
        return super().url("a.localhost", path)

    def asked(self, path, since=0.0):
        return [entry for entry in self.log if entry[1] == path and entry[0] >= since]

    def gaps(self, path, since=0.0):
        times = [entry[0] for entry in self.asked(path, since)]
        return [b - a for a, b in zip(times, times[1:])]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        now = time.monotonic() - self.server.began
        page = self.server.pages.get(self.path)
        status, headers, body = page(now) if page else (404, {}, b"")
        tag = headers.get("ETag")
        if status == 200 and tag and self.headers.get("If-None-Match") == tag:
            status, body = 412 if self.server.broken else 304, b""
        if status == 200 and "Last-Modified" in headers and self.headers.get(
            "If-Modified-Since") == headers["Last-Modified"] and not tag:
            status, body = 304, b""
        self.server.log.append((now, self.path, dict(self.headers), status))
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *args):
        pass


def page(period=None, tag="strong", links=(), status=200, **headers):
    """Makes a page whose content changes each period (None: never)."""

    def answer(now):
        version = int(now / period) if period else 0
        text = f"<title>version {version}</title>" + "".join(f"<a href={link}>x</a>" for link in links)
        tags = {"strong": f'"{version}"', "weak": f'W/"{version}"', "long": '"' + "x" * 5000 + f'{version}"',
                "none": None}[tag]
        fields = {"Content-Type": "text/html", **{name.replace("_", "-"): value for name, value in headers.items()}}
        if tags:
            fields["ETag"] = tags
        return status, fields, text.encode()

    return answer


def home(*paths):
    return page(links=paths)


OPTIONS = ("--revisit", "--delay", "5ms", "--no-adaptive", "--retries", "0", "--workers", "2", "--output",
           "pages.jsonl", "--requests", "requests.jsonl",
           "--set", "revisit.interval=1s", "--set", "revisit.min_interval=100ms", "--set", "revisit.max_interval=4s",
           "--set",
           "politeness.give_up=0", "--set", "politeness.backoff=0ms")


class Revisit(harness.TestCase):
    def serve(self, pages):
        server = Changing({"/robots.txt": lambda now: (404, {}, b""), **pages})
        self.addCleanup(server.stop)
        return server

    def run_crawl(self, *options, status=0):
        result = self.crawl(*OPTIONS, *options)
        self.assertEqual(result.status, status, result.stderr)
        audit = self.crawl("audit", "requests.jsonl")
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)
        return result, self.records("pages.jsonl")

    def test_intervals_follow_the_changes(self):
        periods = {"/half": 0.5, "/one": 1.0, "/two": 2.0, "/never": None}
        server = self.serve({"/": home(*periods, "weak", "long", "bare", "dated"),
                             **{path: page(period) for path, period in periods.items()},
                             "/weak": page(1.0, "weak"), "/long": page(1.0, "long"), "/bare": page(1.0, "none"),
                             "/dated": page(None, "none", Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT")})
        result, records = self.run_crawl("--max-time", "20s", server.url())
        for path, period in periods.items():
            gaps = server.gaps(path, since=9)
            mean = sum(gaps) / len(gaps)
            wanted = period or 4.0
            self.assertTrue(wanted / 2.5 <= mean <= wanted * 2.5, (path, mean, gaps))
            self.assertTrue(0.09 <= min(server.gaps(path)) and max(server.gaps(path)) <= 4.4 + harness.slack(),
                            server.gaps(path))
        for path in [*periods, "/weak", "/long", "/bare", "/dated", "/"]:
            self.check_page(server, path, [r for r in records if r["url"] == server.url(path)])
        self.assertFalse(any("If-None-Match" in entry[2] for entry in server.asked("/long") + server.asked("/bare")))
        self.assertTrue(all("If-None-Match" in entry[2] for entry in server.asked("/weak")[1:]))
        self.assertEqual({entry[3] for entry in server.asked("/bare")}, {200})
        self.assertEqual([entry[3] for entry in server.asked("/dated")][1:], [304] * (len(server.asked("/dated")) - 1))
        visits, changed, same, not_modified = self.figures(result.stderr)
        self.assertEqual(visits, sum(r["visit"] > 1 for r in records))
        self.assertEqual(changed, sum(r["changed"] is True for r in records))
        self.assertEqual(same, sum(r["changed"] is False for r in records))
        self.assertEqual(not_modified, sum(r["status"] == 304 for r in records))
        self.assertRegex(result.stderr, "; 9 wait for the next, due in [0-9.]+ s")

    def test_what_is_due_and_no_more(self):
        """A nightly run visits due pages, fetches new ones found there, and ends by itself. If nothing is due it sends
        no request."""
        body = [b"<a href=/old>old</a>"]
        server = self.serve({"/": lambda now: (200, {"Content-Type": "text/html"}, body[0]), "/old": home(),
                             "/new": home()})
        common = ("--state", "st", "--delay", "0", "--output", "pages.jsonl", "--set", "revisit.min_interval=1ms")
        first = self.crawl(*common, "--revisit=due", "--set", "revisit.interval=1ms", "--set",
                           "revisit.max_interval=1ms", "--max-pages", "1", server.url())
        self.assertEqual(first.status, 0, first.stderr)
        body[0] += b"<a href=/new>new</a>"
        nightly = ("--state", "st", "--set", "revisit.min_interval=1d", "--set", "revisit.interval=1d", "--set",
                   "revisit.max_interval=9d")
        second = self.crawl(*nightly)
        self.assertEqual(second.status, 0, second.stderr)
        self.assertIn("crawl: nothing left to fetch", second.stderr)
        self.assertIn("3 pages wait until they are due again; resume with: crawl --state st\n", second.stderr)
        visits = sorted((record["url"], record["visit"]) for record in self.records("pages.jsonl"))
        self.assertEqual(visits, [(server.url(), 1), (server.url(), 2), (server.url("/new"), 1),
                                  (server.url("/old"), 1)])
        third = self.crawl("--state", "st")
        self.assertEqual(third.status, 0, third.stderr)
        self.assertEqual(len(self.records("pages.jsonl")), 4)
        with open(self.path("st/crawler.conf"), encoding="utf-8") as file:
            self.assertIn("\nrevisit = due\n", file.read())

    def test_a_single_page_that_is_due_is_visited(self):
        """The host of the page gets no request before a pause has passed since the beginning of the run."""
        server = self.serve({"/": page()})
        options = ("--revisit=due", "--set", "revisit.interval=600ms", "--set", "revisit.min_interval=600ms", "--set",
                   "revisit.max_interval=600ms",
                   "--no-adaptive", "--delay", "250ms", "--state", "state", server.url())
        self.assertEqual(self.crawl(*options).status, 0)
        last = server.asked("/")[-1][0]
        self.wait_for(lambda: time.monotonic() - server.began > last + 1)
        result = self.crawl("--state", "state")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(len(server.asked("/")), 2, result.stderr)

    def test_a_page_on_its_way_at_the_end_does_not_hide_the_next_date(self):
        """The host is busy with the page, and gets no other request until the crawl has ended."""
        answered = threading.Event()
        self.addCleanup(answered.set)

        def hangs(now):
            answered.wait(60)
            return page()(now)

        server = self.serve({"/": home("/hangs"), "/hangs": hangs})
        result, _ = self.run_crawl("--max-time", "2s", "--per-host", "1", server.url())
        self.assertRegex(result.stderr, "; 1 wait for the next, due in [0-9.]+ ")

    def test_the_next_date_is_that_of_a_visit_where_new_pages_are_left_too(self):
        server = self.serve({"/": home("/a", "/b"), "/a": page(), "/b": page()})
        for state in ((), ("--state", "state")):
            result, _ = self.run_crawl("--max-pages", "1", "--set", "revisit.interval=1h", "--set",
                                       "revisit.max_interval=1h", *state, server.url())
            self.assertRegex(result.stderr, "; 2 not fetched\n")
            self.assertRegex(result.stderr, "; 1 wait for the next, due in (1 h|[56][0-9] min)")

    @staticmethod
    def figures(stderr):
        line = next(line for line in stderr.splitlines() if line.startswith("  visits "))
        words = line.replace(",", " ").replace(";", " ").replace(":", " ").split()
        return (int(words[1]), int(words[words.index("changed") - 1]), int(words[words.index("not") - 1]),
                int(words[words.index("them") + 1]))

    def check_page(self, server, path, records):
        """Checks that the records match the server's log."""
        log = server.asked(path)
        self.assertEqual([r["visit"] for r in records], list(range(1, len(records) + 1)))
        self.assertEqual([r["status"] for r in records], [entry[3] for entry in log][:len(records)])
        self.assertIsNone(records[0]["changed"])
        for before, record in zip(records, records[1:]):
            self.assertEqual(record["changed"], record["status"] == 200
                             and record["digest"] != self.digest_before(records, record))
            self.assertEqual(record["digest"] is None, record["status"] == 304)
            if not record["changed"]:
                self.assertEqual((record["links"], record["new"], record["title"]), (0, 0, None))
            else:
                self.assertTrue(record["title"].startswith("version"))
            self.assertEqual(record["new"], 0)
            self.assertLess(before["fetched_at"], record["fetched_at"])

    @staticmethod
    def digest_before(records, record):
        return [r["digest"] for r in records if r["visit"] < record["visit"] and r["status"] == 200][-1]

    def test_failures_gone_pages_redirects_and_robots(self):
        answers = iter([page(), page(status=404), page(status=500)])
        server = self.serve({"/": home("gone", "broken", "moved", "closed", "flips", "back"),
                             "/back": lambda now: next(answers, page())(now), "/broken": page(status=500),
                             "/moved": page(status=302, Location="/target"),
                             "/target": page(1.0), "/flips": lambda now: (302, {"Location": "/target", "ETag": '"0"'},
                                                                          b"") if now < 4 else page()(now),
                             "/robots.txt": lambda now: (200, {}, b"User-agent: *\nDisallow: /closed\n")})
        result, records = self.run_crawl("--max-time", "10s", "--set", "revisit.gone=2", server.url())
        by = {path: [r for r in records if r["url"] == server.url(path)]
              for path in ("/back", "/gone", "/broken", "/moved", "/target", "/closed", "/flips")}
        self.assertEqual([r["status"] for r in by["/gone"]], [404, 404])
        self.assertIn("; 1 pages are gone", result.stderr)
        # the same bytes as before it vanished
        self.assertEqual([(r["status"], r["changed"], r["title"]) for r in by["/back"]][:4],
                         [(200, None, "version 0"), (404, None, None), (500, None, None), (200, True, "version 0")])
        self.assertEqual([r["changed"] for r in by["/broken"]], [None] * len(by["/broken"]))
        self.assertGreater(len(by["/broken"]), 2)
        self.assertGreater(len(by["/moved"]), 2)
        self.assertEqual([r["changed"] for r in by["/moved"]][1:], [False] * (len(by["/moved"]) - 1))
        self.assertEqual({r["redirect"] for r in by["/moved"]}, {server.url("/target")})
        self.assertEqual([r["error"] for r in by["/closed"]], ["robots"])  # until robots.txt is read again, tomorrow
        # not mistaken for the 302, which has the same tag
        self.assertEqual([r["title"] for r in by["/flips"] if r["changed"]], ["version 0"])
        gaps = server.gaps("/broken")
        self.assertGreater(gaps[-1], gaps[0])

    def test_a_page_that_says_not_found_is_gone(self):
        missing = (200, {"Content-Type": "text/html", "ETag": '"1"'}, b"<title>Page not found</title>")
        server = self.serve({"/": home("/lost"), "/lost": lambda now: missing})
        _, records = self.run_crawl("--max-time", "10s", "--set", "revisit.gone=2", server.url())
        lost = [r for r in records if r["url"] == server.url("/lost")]
        self.assertEqual([(r["status"], r["verdict"], r["changed"]) for r in lost], [(200, "soft-404", None)] * 2)

    def test_other_requests_are_made_once(self):
        server = self.serve({"/": page(0.1)})
        self.write("seeds", json.dumps({"url": server.url(), "method": "HEAD"}) + "\n" + server.url() + "\n")
        _, records = self.run_crawl("--max-pages", "6", "--seeds", "seeds")
        self.assertEqual(sorted(r["method"] for r in records), ["GET"] * 5 + ["HEAD"])
        self.assertEqual(max(r["visit"] for r in records), 5)

    def test_a_limit_of_pages_per_host_counts_pages(self):
        server = self.serve({"/": home("a", "b", "c"), "/a": page(), "/b": page(), "/c": page()})
        result, records = self.run_crawl("--max-time", "6s", "--max-pages-per-host", "2", server.url())
        self.assertEqual(len({r["url"] for r in records if r["status"]}), 2, result.stderr)
        self.assertGreater(max(r["visit"] for r in records), 2)
        refused = [r for r in records if r["error"] == "limit"]
        self.assertTrue(refused and all(r["visit"] == 1 for r in refused))

    def test_kill_and_resume(self):
        server = self.serve({"/": home("fast", "slow"), "/fast": page(0.3), "/slow": page()})
        process = self.start(*OPTIONS, "--state", "state", server.url())
        self.wait_for(lambda: len(server.asked("/slow")) >= 4)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        slow, resumed = len(server.asked("/slow")), time.monotonic() - server.began
        result = self.crawl("--state", "state", "--max-time", "6s")
        self.assertEqual(result.status, 0, result.stderr)
        again = server.asked("/slow")[slow:]
        self.assertTrue(again and all(entry[3] == 304 for entry in again))
        self.assertTrue(all(gap > 2 for gap in server.gaps("/slow", resumed)), server.gaps("/slow"))
        records = [r for r in self.records("pages.jsonl") if r["url"] == server.url("/slow")]
        self.assertEqual([r["visit"] for r in records], sorted({r["visit"] for r in records}))
        self.assertGreater(records[-1]["visit"], 4)

    def test_without_revisit_further_visits_are_left_alone(self):
        server = self.serve({"/": home("a"), "/a": page()})
        options = ("--set", "revisit.interval=1h", "--set", "revisit.max_interval=1h")
        result = self.crawl(*OPTIONS, *options, "--state", "state", "--max-time", "2s", "--per-host", "1", server.url())
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn("resume with: crawl --state state", result.stderr)
        asked = len(server.log)
        result = self.crawl("--state", "state", "--no-revisit", limit_s=30)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn("2; resume with: crawl --revisit --state state", result.stderr)
        self.assertEqual(len(server.log), asked)
        more = self.crawl("--state", "state", "--no-revisit", "--set", "revisit.min_interval=1ms", server.url("/new"),
                          limit_s=30)
        self.assertEqual([entry[1] for entry in server.log[asked:] if entry[1] != "/robots.txt"], ["/new"], more.stderr)
        inspect = self.crawl("inspect", "state", "--check")
        self.assertEqual(inspect.status, 0, inspect.stdout + inspect.stderr)

    def test_without_revisit_visits_that_are_due_keep_no_run_alive(self):
        pages = [str(n) for n in range(30)]
        server = self.serve({"/": home(*pages), **{f"/{n}": page(0.1) for n in pages}})
        options = ("--set", "revisit.interval=100ms", "--set", "revisit.max_interval=100ms")
        # visits enough for each page to get its first, however slow the machine is
        self.crawl(*OPTIONS, *options, "--state", "state", "--max-pages", "200", "--per-host", "1", server.url())
        result = self.crawl("--state", "state", "--no-revisit", limit_s=30)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn("31; resume with: crawl --revisit --state state", result.stderr)
        result = self.crawl("--state", "state", "--revisit", "--max-pages", "100")
        self.assertGreater(self.figures(result.stderr)[0], 60)

    def test_a_crawl_that_was_not_revisiting_ends(self):
        server = self.serve({"/": home("a"), "/a": page()})
        options = [o for o in OPTIONS if o != "--revisit"]
        result = self.crawl(*options, server.url(), limit_s=60)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([(r["visit"], r["changed"]) for r in self.records("pages.jsonl")], [(1, None)] * 2)
        self.assertNotIn("visits  ", result.stderr)

    def test_memory_stays_as_it_is(self):
        """The crawl makes tens of thousands of visits of a few pages, most of them answered by 304."""
        visits = 40000
        site = self.make_site({"index.html": "".join(f"<a href={n}.html>x</a>" for n in range(100)),
                               **{f"{n}.html": f"page {n}" for n in range(100)}})
        nginx = self.start_nginx({"a.localhost": site})
        log = os.path.join(nginx.folder, "access.log")
        # memory that a sanitizer keeps after free, or uses to look for leaks at the end, is not ours
        options = harness.SANITIZERS["ASAN_OPTIONS"] + ":quarantine_size_mb=1:detect_leaks=0"
        with unittest.mock.patch.dict(harness.SANITIZERS, ASAN_OPTIONS=options):
            process = self.start("--revisit", "--delay", "0", "--per-host", "8", "--workers", "1", "--set",
                                 "revisit.interval=1ms",
                                 "--set", "revisit.min_interval=1ms", "--set", "revisit.max_interval=1ms",
                                 "--max-pages", str(visits), nginx.url("a.localhost"))
        sizes = []  # (share of the visits, resident KiB)
        while process.poll() is None:
            done = os.path.getsize(log) / (visits * 70)
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                found = [line.split()[1] for line in status if line.startswith("VmRSS")]
            if found:
                sizes.append((done, int(found[0])))
            time.sleep(0.02)
        _, stderr = process.communicate()
        self.assertEqual(process.returncode, 0, stderr)
        self.assertGreater(self.figures(stderr)[3], visits * 0.9)
        whole = os.path.getsize(log) / (visits * 70)
        quarter = next(size for part, size in sizes if part >= whole / 4)
        self.assertLess(max(size for part, size in sizes if part >= whole / 4), quarter * 1.05, sizes[::20])

    def test_warc(self):
        server = self.serve({"/": page()})
        self.run_crawl("--max-pages", "3", "--warc", "site", server.url())
        records = warc_reader.read_all(self.path("site"))
        first = next(r for r in records if r.headers["WARC-Type"] == "response"
                     and r.headers["WARC-Target-URI"] == server.url())
        revisits = [r for r in records if r.headers["WARC-Type"] == "revisit"]
        self.assertEqual(len(revisits), 2)
        for record in revisits:
            self.assertEqual(record.headers["WARC-Profile"],
                             "http://netpreserve.org/warc/1.1/revisit/server-not-modified")
            self.assertEqual(record.headers["WARC-Refers-To-Target-URI"], server.url())
            self.assertEqual(record.headers["WARC-Refers-To-Date"], first.headers["WARC-Date"])
            self.assertTrue(record.block.startswith(b"HTTP/1.1 304"))

    def test_sitemap_dates_put_first_visits_off(self):
        def entry(path, date):
            return f"<url><loc>{server.url(path)}</loc><lastmod>{date}</lastmod></url>"

        server = self.serve({"/": page(), "/old": page(tag="none"), "/new": page(tag="none")})
        text = ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + entry("/old", "2020-01-01")
                + entry("/new", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())) + "</urlset>")
        server.pages["/sitemap.xml"] = lambda now: (200, {"Content-Type": "text/xml"}, text.encode())
        self.run_crawl("--sitemaps", "--max-time", "6s", "--set", "revisit.max_interval=1h", "--set",
                       "revisit.interval=500ms", server.url())
        self.assertEqual(len(server.asked("/old")), 1)
        self.assertGreater(len(server.asked("/new")), 1)

    def sitemap_of(self, server, dates):
        """Serves a sitemap of an unchanging home page and of pages, whose lastmod dates(path, seconds) returns as
        seconds since 1970."""
        paths = [path for path in server.pages if path.startswith("/page")]

        def text(now):
            rows = "".join(f"<url><loc>{server.url(path)}</loc><lastmod>"
                           + time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(dates(path, now)))
                           + "</lastmod></url>" for path in paths)
            return 200, {"Content-Type": "text/xml"}, f"<urlset>{rows}<!-- {now} --></urlset>".encode()

        server.pages["/sitemap.xml"] = text

    OLD = {"Last-Modified": "Wed, 01 Jan 2020 00:00:00 GMT"}  # so that the next visit is not due within this test
    RARELY = ("--sitemaps", "--set", "revisit.interval=300ms", "--set", "revisit.max_interval=1h")

    def old_pages(self, count):
        return {"/": page(**self.OLD), **{f"/page{n}": page(**self.OLD) for n in range(count)}}

    def test_a_lastmod_later_than_the_last_visit_makes_a_page_due(self):
        server = self.serve(self.old_pages(3))
        began = int(time.time())
        later = began + 4

        def dates(path, now):
            return later if path == "/page0" and time.time() > later else began - 400000 + int(path[-1])

        self.sitemap_of(server, dates)
        result, records = self.run_crawl(*self.RARELY, "--max-time", "8s", server.url())
        self.assertEqual([len(server.asked(f"/page{n}")) for n in range(3)], [2, 1, 1])
        self.assertEqual(server.asked("/page0")[1][3], 304)  # it is still known
        self.assertIn("; 1 made due by their lastmod", result.stderr)
        self.assertEqual([r["visit"] for r in records if r["url"] == server.url("/page0")], [1, 2])

    def test_a_lastmod_on_a_host_beyond_the_most(self):
        server = self.serve(self.old_pages(1))
        other = server.url("/other").replace("a.localhost", "b.localhost")
        text = (f"<urlset><url><loc>{other}</loc><lastmod>2020-01-01</lastmod></url>"
                f"<url><loc>{server.url('/page0')}</loc><lastmod>2020-01-02</lastmod></url></urlset>")
        server.pages["/sitemap.xml"] = lambda now: (200, {"Content-Type": "text/xml"}, text.encode())
        _, records = self.run_crawl(*self.RARELY, "--max-time", "2s", "--scope", "any", "--allow-private", "--set",
                                    "crawl.max_hosts=1", server.url())
        self.assertEqual({r["url"] for r in records}, {server.url("/"), server.url("/page0")})

    def test_lastmods_that_are_all_of_now_are_not_believed(self):
        server = self.serve(self.old_pages(3))
        self.sitemap_of(server, lambda path, now: int(time.time()) if now > 2 else 1000000)
        result, _ = self.run_crawl(*self.RARELY, "--max-time", "6s", server.url())
        self.assertGreater(len(server.asked("/sitemap.xml", 3)), 1)
        self.assertEqual([len(server.asked(f"/page{n}")) for n in range(3)], [1, 1, 1])
        self.assertNotIn("made due", result.stderr)

    def test_lastmods_that_were_three_times_in_vain_are_not_believed(self):
        """Later a sitemap makes one page due when it is read, to see whether its dates are meaningful again."""
        server = self.serve(self.old_pages(12))
        self.sitemap_of(server, lambda path, now: int(time.time()) if now > 2 and path != "/page0" else 1000000)
        self.run_crawl(*self.RARELY, "--max-time", "8s", server.url())
        asked = sum(len(server.asked(f"/page{n}")) for n in range(12)) - 12
        self.assertGreaterEqual(asked, 3)
        self.assertLessEqual(asked, 11 + len(server.asked("/sitemap.xml")))

    def test_lastmods_that_are_right_are_believed_again(self):
        """The pages change only after a while; until then the dates were wrong."""
        pages = {"/": page(**self.OLD)}
        for n in range(6):
            pages[f"/page{n}"] = lambda now: (200, {"Content-Type": "text/html", **self.OLD},
                                              f"<title>{now if now > 5 else 0}</title>".encode())
        server = self.serve(pages)
        self.sitemap_of(server, lambda path, now: int(time.time()) if now > 2 and path != "/page0" else 1000000)
        self.run_crawl(*self.RARELY, "--max-time", "12s", server.url())
        late = [len(server.asked(f"/page{n}", 8)) for n in range(6)]
        self.assertTrue(all(count > 1 for count in late[1:]), late)

    def test_a_lastmod_in_a_later_run_and_why_a_page_is_due(self):
        server = self.serve(self.old_pages(4))
        changed = []  # times since 1970

        def dates(path, now):
            return changed[0] if changed and path != "/page3" else 1000000 + int(path[-1])

        self.sitemap_of(server, dates)
        options = [option for option in OPTIONS if option != "--revisit"]
        result = self.crawl("--revisit=due", *options, *self.RARELY, "--state", "state", server.url())
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([len(server.asked(f"/page{n}")) for n in range(4)], [1] * 4)
        later = int(time.time()) + 1
        self.wait_for(lambda: time.time() > later)
        changed.append(later)
        for _ in range(20):  # until the sitemap is due
            result = self.crawl("--state", "state", "--max-pages", "1")
            self.assertEqual(result.status, 0, result.stderr)
            if "made due" in result.stderr:
                break
        asked = [len(server.asked(f"/page{n}")) for n in range(4)]
        self.assertEqual(sorted(asked), [1, 1, 1, 2])
        waiting = next(n for n in range(3) if asked[n] == 1)
        explained = self.crawl("explain", "--state", "state", server.url(f"/page{waiting}"))
        date = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(later))
        self.assertIn(f"due because the sitemap's lastmod {date}", explained.stdout)
        explained = self.crawl("explain", "--state", "state", server.url("/page3"))
        self.assertNotIn("lastmod", explained.stdout)
        result = self.crawl("--state", "state")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([len(server.asked(f"/page{n}")) for n in range(4)], [2, 2, 2, 1])

    def test_sitemaps_are_visited_again(self):
        """Each version of the sitemap has one page more, named by an index that differs at each visit."""
        def sitemap(now):
            text = "".join(f"{server.url()}{n}\n" for n in range(int(now) + 1))
            return 200, {"Content-Type": "text/plain", "ETag": f'"{int(now)}"'}, text.encode()

        def index(now):
            text = f"<sitemapindex><sitemap><loc>{server.url('/urls.txt')}</loc></sitemap><!-- {now} --></sitemapindex>"
            return 200, {"Content-Type": "text/xml"}, text.encode()

        server = self.serve({"/": page(), "/urls.txt": sitemap, "/sitemap.xml": index,
                             **{f"/{n}": page() for n in range(20)}})
        self.run_crawl("--sitemaps", "--max-time", "8s", server.url())
        self.assertGreater(len({entry[1] for entry in server.log if entry[1][1:].isdigit()}), 4)
        self.assertGreater(len(server.asked("/urls.txt")), 4)
        self.assertGreater(len(server.asked("/sitemap.xml")), 8)

    def test_a_wall_of_cookies_makes_no_second_page(self):
        def wall(now):
            return 302, {"Location": "/wall", "Set-Cookie": f"a={now}"}, b""

        server = self.serve({"/": home("wall"), "/wall": wall})
        _, records = self.run_crawl("--cookies", "--max-time", "5s", "--set", "politeness.max_redirects=1",
                                    server.url())
        first = [r for r in records if r["url"] == server.url("/wall") and r["visit"] > 1]
        self.assertEqual([r["visit"] for r in first], list(range(2, len(first) + 2)))
        self.assertGreater(len(first), 1)
        self.assertLessEqual(len(server.asked("/wall")), 2 * (len(first) + 1))

    def test_near_text_is_no_change(self):
        words = " ".join(f"word{n * n % 97} of{n}" for n in range(400))

        def token(now):
            return 200, {"Content-Type": "text/html"}, f"<title>t</title><p>{words} {now}</p>".encode()

        for dedupe, changed in (("near", False), ("exact", True)):
            server = self.serve({"/": token})
            _, records = self.run_crawl("--dedupe", dedupe, "--max-pages", "4", server.url())
            self.assertEqual([r["changed"] for r in records], [None] + [changed] * 3)
            self.assertEqual([r["title"] for r in records], ["t"] * 4)

    def test_a_page_that_gets_another_x_robots_tag_is_read_again(self):
        """Its body and ETag stay, and so its answers are 304 as long as they were asked for."""
        tags = iter((None, "noindex", "noindex", "noindex", None, None))

        def tagged(now):
            tag = next(tags, None)
            return page(X_Robots_Tag=tag)(now) if tag else page()(now)

        server = self.serve({"/": tagged})
        _, records = self.run_crawl("--max-pages", "6", server.url())
        self.assertEqual([(r["status"], r["changed"], r["robots"]) for r in records],
                         [(200, None, []), (304, False, []), (200, True, ["noindex"]), (304, False, []),
                          (304, False, []), (200, True, [])])

    def test_a_304_with_a_tag_that_was_not_sent_confirms_nothing(self):
        """A node of the server answers 304 once, though it has a newer page, and so a newer tag."""
        server = self.serve({"/": page()})
        answers = iter(((200, '"1"', b"<title>1</title>"), (304, '"2"', b""), (200, '"2"', b"<title>2</title>")))
        server.pages["/"] = lambda now: (lambda status, tag, body: (
            status, {"Content-Type": "text/html", "ETag": tag}, body))(*next(answers, (200, '"2"', b"")))
        _, records = self.run_crawl("--max-pages", "3", server.url())
        self.assertEqual([(r["status"], r["title"]) for r in records], [(200, "1"), (304, None), (200, "2")])
        self.assertEqual([entry[2].get("If-None-Match") for entry in server.asked("/")], [None, '"1"', None])

    def test_a_server_that_fails_on_conditions_is_asked_without(self):
        server = self.serve({"/": page()})
        server.broken = True
        _, records = self.run_crawl("--max-pages", "4", server.url())
        self.assertEqual([(r["status"], r["changed"]) for r in records],
                         [(200, None), (412, None), (200, False), (412, None)])

    def test_near_text_with_noindex_is_a_change(self):
        words = " ".join(f"word{i}" for i in range(400))

        def marked(now):
            robots = "<meta name=robots content=noindex>" if next(visits, 0) == 1 else ""
            return 200, {"Content-Type": "text/html"}, f"{robots}<title>t</title><p>{words}".encode()

        visits = iter((0, 1, 2))
        server = self.serve({"/": marked})
        _, records = self.run_crawl("--max-pages", "3", "--dedupe", "near", server.url())
        self.assertEqual([(r["changed"], r["robots"]) for r in records],
                         [(None, []), (True, ["noindex"]), (True, [])])

    def test_what_does_not_go_together(self):
        for options, words in ((("--revisit", "--seen", "rotating"), "rotating"),
                               (("--set", "seen.forget_after=1s"), "scalable cannot forget"),
                               (("--seen", "rotating", "--set", "seen.forget_failed_after=1s"), "seen.window"),
                               (("--revisit", "--set", "revisit.min_interval=2h", "--set", "revisit.max_interval=1h"),
                                "min_interval")):
            result = self.crawl(*options, "http://a.localhost:1/")
            self.assertEqual(result.status, 2, result.stderr)
            self.assertIn(words, result.stderr)


class Forget(harness.TestCase):
    """A page that every other page links to, fetched during a walk through a chain of pages."""

    def walk(self, *options, pages=120, whole=True):
        chain = {f"/{n}": page(links=[f"/{n + 1}", "/hub", "/bad"]) for n in range(pages)}
        server = Changing({"/robots.txt": lambda now: (404, {}, b""), "/hub": page(), "/bad": page(status=403),
                           **chain})
        self.addCleanup(server.stop)
        result = self.crawl("--delay", "50ms", "--no-adaptive", "--per-host", "1", "--depth", "10000", "--output",
                            "pages.jsonl", *options, server.url("/0"))
        self.assertEqual(result.status, 0, result.stderr)
        for n in range(pages if whole else 0):
            self.assertGreaterEqual(len(server.asked(f"/{n}")), 1)
        return server

    def test_forget_after(self):
        for kind in ("counting", "table", "exact"):
            server = self.walk("--seen", kind, "--set", "seen.forget_after=1s", "--set", "seen.forget_failed_after=2s")
            hub, bad = server.gaps("/hub"), server.gaps("/bad")
            self.assertGreaterEqual(len(hub), 3, kind)
            self.assertGreaterEqual(len(bad), 1, kind)
            self.assertGreaterEqual(min(hub), 0.95)
            self.assertGreaterEqual(min(bad), 1.95)
            self.assertTrue(all(not server.gaps(f"/{n}") for n in range(1, 120)))

    def test_forget_after_with_state(self):
        options = ("--seen", "table", "--set", "seen.forget_after=1s", "--state", "state")
        server = self.walk(*options, "--max-pages", "30", whole=False)
        before = len(server.log)
        result = self.crawl("--state", "state")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertGreater(len(server.log), before)
        self.assertGreaterEqual(len(server.gaps("/hub")), 3)
        self.assertGreaterEqual(min(server.gaps("/hub")), 0.95)

    def test_never_without(self):
        server = self.walk("--seen", "exact", pages=40)
        self.assertEqual((server.gaps("/hub"), server.gaps("/bad")), ([], []))

    def test_rotating(self):
        server = self.walk("--seen", "rotating", "--set", "seen.window=2s", "--capacity", "1k")
        self.assertGreaterEqual(len(server.gaps("/hub")), 1)
        self.assertGreaterEqual(min(server.gaps("/hub")), 1.4)  # three of four generations


if __name__ == "__main__":
    harness.main()
