#!/usr/bin/env python3
"""Tests --check-external: links that leave the scope are checked once, by HEAD or else by GET, and nothing is followed
there. robots.txt, the address guard and the log of requests apply to them, limits of pages do not count them, and a
killed crawl resumes with them."""
import os
import unittest

import harness


class Site(harness.OwnServer):
    """Serves many hosts. `pages` has (host, path) -> (status, headers, body) for GET, and `heads` the same for HEAD if
    it differs, or a function that gives this for a Cookie; asked: all requests, as (method, host, path)."""

    def __init__(self):
        self.pages, self.heads, self.asked = {}, {}, []
        super().__init__(Handler)

    def asked_of(self, host):
        return sorted((method, path) for method, name, path in self.asked if name == host)


class Handler(harness.Handler):
    def find(self, table):
        host = self.headers["Host"].split(":")[0]
        self.server.asked.append((self.command, host, self.path))
        found = table.get((host, self.path)) or self.server.pages.get((host, self.path), (404, [], "gone"))
        return found(self.headers["Cookie"]) if callable(found) else found

    def do_GET(self):
        status, headers, body = self.find({})
        self.answer(status, body, *headers)

    def do_HEAD(self):
        status, headers, _ = self.find(self.server.heads)
        self.answer(status, "", *headers)


class External(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.site = self.serve(Site())

    def home(self, *links):
        """Sets the first page of own.localhost, with links to (host, path)."""
        anchors = "".join(f'<a href="{self.site.url(host, path)}">{host} {path}</a>' for host, path in links)
        self.site.pages[("own.localhost", "/")] = (200, [], f"<title>Home</title>{anchors}")

    def check(self, *args, private=True):
        result = self.crawl("--delay", "0", "--check-external", "--output", "pages.jsonl", "--links", "links.jsonl",
                            "--requests", "requests.jsonl",
                            *(["--allow-private"] if private else []), *args, self.site.url("own.localhost"))
        found = {(r["url"].split("/")[2].split(":")[0], "/" + r["url"].split("/", 3)[3]): r
                 for r in self.records("pages.jsonl")}
        self.assertEqual(self.crawl("audit", "--delay", "0ms", "requests.jsonl").status, 0)
        return result, found

    def test_a_link_that_is_only_checked_needs_no_tdmrep_json(self):
        self.home(("a.localhost", "/a"))
        self.site.pages[("a.localhost", "/a")] = (200, [], "a")
        self.check("--respect", "train")
        self.assertEqual(self.site.asked_of("a.localhost"), [("GET", "/robots.txt"), ("HEAD", "/a")])
        self.assertIn(("GET", "/.well-known/tdmrep.json"), self.site.asked_of("own.localhost"))

    def test_whatever_would_be_reported_is_asked_by_get(self):
        statuses = (302, 400, 401, 402, 403, 410, 429, 451, 500, 503, 999)
        self.home(*[("a.localhost", f"/{status}") for status in statuses])
        for status in statuses:
            self.site.pages[("a.localhost", f"/{status}")] = (200, [], "here")
            headers = ["Location: /nowhere"] if status == 302 else []
            self.site.heads[("a.localhost", f"/{status}")] = (status, headers, "")
        _, found = self.check("--set", "politeness.retry_delay=10ms", "--set", "politeness.backoff=10ms",
                              "--set", "politeness.give_up=0")
        external = {path: (r["method"], r["status"]) for (host, path), r in found.items() if r.get("external")}
        self.assertEqual(external, {f"/{status}": ("GET", 200) for status in statuses})

    def test_a_redirect_to_another_spelling_is_asked(self):
        first, then = "/x?b=2&a=1", "/x?a=1&b=2"
        self.home(("a.localhost", first))
        self.site.pages[("a.localhost", first)] = (301, [f"Location: {then}"], "")
        _, found = self.check()
        self.assertEqual(found[("a.localhost", then)]["status"], 404)

    def test_a_page_behind_a_cookie_is_there(self):
        self.home(("a.localhost", "/x"))
        away = (302, ["Location: /set"], "")
        self.site.pages[("a.localhost", "/x")] = lambda cookie: (200, [], "") if cookie else away
        self.site.pages[("a.localhost", "/set")] = (302, ["Location: /x", "Set-Cookie: s=1"], "")
        _, found = self.check("--cookies")
        self.assertEqual(found[("a.localhost", "/x")]["status"], 200)

    def test_each_is_asked_once_and_nothing_is_followed(self):
        pages, heads = self.site.pages, self.site.heads
        self.home(("a.localhost", "/fine"), ("a.localhost", "/missing"), ("a.localhost", "/no-head"),
                  ("a.localhost", "/away"), ("own.localhost", "/deep"),
                  ("own.localhost", "/out"), ("b.localhost", "/private/x"), ("b.localhost", "/open"))
        links = f'<a href="{self.site.url("a.localhost", "/from-there")}">x</a>'
        pages[("a.localhost", "/fine")] = (200, [], links)
        heads[("a.localhost", "/fine")] = (200, ["Transfer-Encoding : chunked"], "")
        pages[("a.localhost", "/no-head")] = (200, [], links * 1000)
        heads[("a.localhost", "/no-head")] = (405, [], "")
        pages[("a.localhost", "/away")] = (301, [f"Location: {self.site.url('c.localhost', '/end')}"], "")
        pages[("c.localhost", "/end")] = (200, [], links)
        pages[("own.localhost", "/out")] = (302, [f"Location: {self.site.url('c.localhost', '/gone')}"], "")
        pages[("own.localhost", "/deep")] = (200, [], f'<a href="{self.site.url("a.localhost", "/fine")}">again</a><a '
                                                      f'href="{self.site.url("b.localhost", "/far")}">far</a>')
        pages[("b.localhost", "/robots.txt")] = (200, ["Content-Type: text/plain"],
                                                 "User-agent: *\nDisallow: /private/\n")
        pages[("b.localhost", "/open")] = pages[("b.localhost", "/far")] = (200, [], "")
        result, found = self.check("--depth", "1", "--max-pages-per-host", "3")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.site.asked_of("a.localhost"),
                         [("GET", "/away"), ("GET", "/missing"), ("GET", "/no-head"), ("GET", "/robots.txt"),
                          ("HEAD", "/away"), ("HEAD", "/fine"), ("HEAD", "/missing"), ("HEAD", "/no-head")])
        self.assertEqual(self.site.asked_of("b.localhost"), [("GET", "/robots.txt"), ("HEAD", "/far"),
                                                             ("HEAD", "/open")])
        self.assertEqual(self.site.asked_of("c.localhost"), [("GET", "/gone"), ("GET", "/robots.txt"), ("HEAD", "/end"),
                                                             ("HEAD", "/gone")])
        external = {key: (r["method"], r["status"], r["error"]) for key, r in found.items() if r.get("external")}
        self.assertEqual(external, {
            ("a.localhost", "/fine"): ("HEAD", 200, None), ("a.localhost", "/missing"): ("GET", 404, None),
            ("a.localhost", "/no-head"): ("GET", 200, None),
            ("a.localhost", "/away"): ("GET", 301, None), ("c.localhost", "/end"): ("HEAD", 200, None),
            ("c.localhost", "/gone"): ("GET", 404, None),
            ("b.localhost", "/private/x"): ("HEAD", 0, "robots"), ("b.localhost", "/open"): ("HEAD", 200, None),
            ("b.localhost", "/far"): ("HEAD", 200, None)})
        self.assertEqual({key[0] for key, r in found.items() if not r.get("external")}, {"own.localhost"})
        self.assertEqual([r["bytes"] for r in found.values() if r.get("external")], [0] * 9)
        self.assertIn("  pages     3 (", result.stderr)
        self.assertIn("  external  2xx 5 3xx 1 4xx 2 without an answer 1\n", result.stderr)

    def test_a_link_whose_get_finds_the_queue_full_has_the_answer_to_its_head(self):
        """The first page waits in the queue for its next visit."""
        self.home(("a.localhost", "/missing"))
        result, found = self.check("--state", "st", "--revisit=due", "--set", "crawl.max_queued=1")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual({key: (r["method"], r["status"]) for key, r in found.items()},
                         {("own.localhost", "/"): ("GET", 200), ("a.localhost", "/missing"): ("HEAD", 404)})

    def test_explain_says_whether_a_link_would_be_asked(self):
        for options, said in (("--check-external",), True), ((), False), (("--check-external", "--exclude", "/fine"),
                                                                          False):
            result = self.crawl("explain", *options, "--seed", "http://own.example/", "http://other.example/fine")
            self.assertEqual(result.status, 1)
            self.assertEqual(
                "checked once, and not followed (crawl.check_external)" in result.stdout, said,
                options)

    def test_without_the_option_nothing_is_asked(self):
        self.home(("a.localhost", "/missing"))
        self.check("--no-check-external")
        self.assertEqual(self.site.asked_of("a.localhost"), [])

    def test_they_are_no_pages_of_a_limit_or_of_the_exit_status(self):
        self.home(*(("a.localhost", f"/{n}") for n in range(8)), *(("own.localhost", f"/{n}") for n in range(3)))
        for n in range(8):
            self.site.pages[("a.localhost", f"/{n}")] = (200, [], "")
        result, found = self.check("--max-pages", "5")
        self.assertEqual((result.status, len(found)), (0, 12), result.stderr)
        self.site.pages[("own.localhost", "/")] = (404, [], self.site.pages[("own.localhost", "/")][2])
        self.assertEqual(self.check()[0].status, 1, "a crawl none of whose pages came is none that went well")

    def test_the_address_guard_holds(self):
        self.home(("a.localhost", "/fine"))
        _, found = self.check(private=False)
        self.assertEqual((found[("a.localhost", "/fine")]["error"], self.site.asked_of("a.localhost")), ("private", []))

    def test_no_scope_is_widened_and_a_shared_part_stays_a_part(self):
        """A redirect back into the site is checked as a link; a page's image on another host is still fetched as a part
        of the page."""
        self.home(("a.localhost", "/back"), ("a.localhost", "/picture"))
        self.site.pages[("own.localhost", "/")] = (200, [], self.site.pages[("own.localhost", "/")][2]
                                                   + f'<img src="{self.site.url("a.localhost", "/picture")}">')
        self.site.pages[("a.localhost", "/back")] = (302, [f"Location: {self.site.url('own.localhost', '/target')}"],
                                                     "")
        self.site.pages[("own.localhost", "/target")] = (200, [], "<a href=/unlinked>x</a>")
        self.site.pages[("a.localhost", "/picture")] = (200, ["Content-Type: image/png"], "png")
        self.check("--requisites")
        self.assertEqual(self.site.asked_of("own.localhost"), [("GET", "/"), ("GET", "/robots.txt"),
                                                               ("HEAD", "/target")])
        self.assertEqual([r["method"] for r in self.records("pages.jsonl")
                          if r["url"].endswith("/picture")].count("GET"), 1)

    @unittest.skipUnless(harness.has_disk(), "this build has no disk store")
    def test_they_survive_a_kill(self):
        self.home(*(("a.localhost", f"/{n}") for n in range(12)))
        for n in range(12):
            self.site.pages[("a.localhost", f"/{n}")] = (200, [], "")
            self.site.heads[("a.localhost", f"/{n}")] = (200 if n % 2 else 405, [], "")
        args = ("--state", "state", "--delay", "100ms", "--per-host", "1", "--check-external", "--allow-private",
                "--output", "pages.jsonl")
        process = self.start(*args, self.site.url("own.localhost"))
        self.wait_for(lambda: os.path.exists(self.path("pages.jsonl")) and len(self.site.asked_of("a.localhost")) > 4)
        process.kill()
        process.communicate()
        self.assertEqual(self.crawl("--state", "state", "--delay", "0", "--allow-private").status, 0)
        with open(self.path("pages.jsonl"), encoding="utf-8") as file:
            answered = {line.split('"')[3] for line in file if '"external":true' in line and '"status":200' in line}
        self.assertEqual(answered, {self.site.url("a.localhost", f"/{n}") for n in range(12)})

    def test_visited_again(self):
        self.home(("a.localhost", "/x"))
        self.site.pages[("a.localhost", "/x")] = (200, [], "")
        self.check("--revisit", "--set", "revisit.interval=100ms", "--set", "revisit.min_interval=100ms", "--set",
                   "revisit.max_interval=100ms", "--max-pages", "4")
        visits = [r for r in self.records("pages.jsonl") if r.get("external")]
        self.assertGreaterEqual(len(visits), 2)
        self.assertEqual({(r["status"], r["changed"]) for r in visits}, {(200, None)})


if __name__ == "__main__":
    harness.main()
