#!/usr/bin/env python3
"""Tests --links: an edge for each link and redirect, with its text and its verdict, and outputs whose reader leaves or
whose disk is full."""
import json
import os
import time
import unittest

import harness

OPTIONS = ("--delay", "0", "--retries", "0", "--links", "links.jsonl", "--output", "pages.jsonl")

INDEX = """<!doctype html><title>t</title>
<a href="a.html">To <b>a</b></a>
<a href="a.html#part">again</a>
<a href="./a.html">a by another name</a>
<a href="no.html" rel="external nofollow">not there</a>
<a href="http://elsewhere.example/">out</a>
<a href="secret/x.html">filtered</a>
<a href="mailto:x@example.com">mail</a>
<a href="http://[bad">bad</a>
<a href="moved"><img src="pic.png" alt=" a  picture "></a>
<link rel="stylesheet" href="style.css">
<a href="/b.html">&quot;b&quot; caf&eacute;</a>
"""

# target, verdict and text of each
EXPECTED = [
    ("/a.html", "new", "To a"),
    ("/a.html#part", "repeated", "again"),
    ("/a.html", "seen", "a by another name"),
    ("/no.html", "nofollow", "not there"),
    ("http://elsewhere.example/", "scope", "out"),
    ("/secret/x.html", "filter", "filtered"),
    ("mailto:x@example.com", "not-http", "mail"),
    ("http://[bad", "no-url", "bad"),
    ("/moved", "new", "a picture"),
    ("/style.css", "element", ""),
    ("/b.html", "new", '"b" caf\u00e9'),
]


class Edges(harness.TestCase):
    def serve(self, files, extra=""):
        return self.start_nginx({"a.localhost": self.make_site(files)}, extra)

    def edges(self, *options, seed, status=0):
        result = self.crawl(*OPTIONS, *options, seed)
        self.assertEqual(result.status, status, result.stderr)
        return self.records("links.jsonl")

    def verdicts(self, edges, origin):
        return [(e["to"].removeprefix(origin), e["verdict"], e["text"]) for e in edges]

    def test_each_verdict_of_a_page(self):
        nginx = self.serve({"index.html": INDEX, "a.html": "", "b.html": ""}, "location /moved { return 302 /b.html; }")
        home = nginx.url("a.localhost", "/")
        for extractor in ("scan", "libxml2"):
            edges = self.edges("--exclude", "/secret/", "--set", f"parse.html={extractor}", seed=home)
            page = [e for e in edges if e["from"] == home]
            self.assertEqual(self.verdicts(page, home[:-1]), EXPECTED, extractor)
            self.assertEqual({e["depth"] for e in page}, {1})
            self.assertEqual(list(page[3]), ["from", "to", "tag", "attr", "rel", "nofollow", "text", "depth",
                                             "verdict"])
            self.assertEqual((page[3]["rel"], page[3]["nofollow"], page[3]["tag"], page[3]["attr"]),
                             ("external nofollow", True, "a", "href"))
            moved = [e for e in edges if e["tag"] == "redirect"]
            self.assertEqual(moved, [{"from": home + "moved", "to": home + "b.html", "tag": "redirect",
                                      "attr": "location", "rel": "",
                                      "nofollow": False, "text": "", "depth": 1, "verdict": moved[0]["verdict"]}])
            self.assertEqual(moved[0]["verdict"], "seen")
            # The records match the edges of fetched pages.
            new = {e["to"].split("#")[0] for e in edges if e["verdict"] == "new"}
            self.assertEqual(new | {home}, {r["url"] for r in self.records("pages.jsonl")})

    def test_pages_that_are_left_alone(self):
        nginx = self.serve({"index.html": "<meta name=robots content=nofollow><a href=x.html>x</a><a href=tel:1>y</a>",
                            "deep.html": "<a href=x.html>x</a><link rel=icon href=i>",
                            "full.html": "<a href=1>1</a><a href=2>2</a>"})
        home = nginx.url("a.localhost", "/")
        self.assertEqual(self.verdicts(self.edges(seed=home), home), [("x.html", "nofollow", "x"),
                                                                      ("tel:1", "not-http", "y")])
        deep = self.edges("--depth", "0", seed=home + "deep.html")
        self.assertEqual(self.verdicts(deep, home), [("x.html", "depth", "x"), ("i", "element", "")])
        full = self.edges("--set", "crawl.max_queued=1", seed=home + "full.html")
        self.assertEqual([e["verdict"] for e in full if e["from"].endswith("full.html")], ["new", "full"])

    def test_redirects(self):
        nginx = self.serve({"index.html": ""}, """
            location /out { return 301 http://elsewhere.example/; }
            location /mail { return 301 mailto:x@example.com; }
            location /bad { return 301 "http://[bad"; }
            location /again { return 301 /again; }
            location ~ ^/more(.*)$ { return 302 /more1$1; }""")
        home = nginx.url("a.localhost", "/")
        for path, verdict in (("mail", "not-http"), ("bad", "no-url"), ("again", "seen")):
            edges = self.edges(seed=home + path, status=1)
            self.assertEqual([e["verdict"] for e in edges], [verdict], path)
        more = self.edges("--max-redirects", "2", seed=home + "more", status=1)
        self.assertEqual(sorted((e["to"][len(home):], e["verdict"]) for e in more),
                         [("more1", "new"), ("more11", "new"), ("more111", "redirects")])
        self.write("site/index.html", "<a href=/out>out</a>")
        out = self.edges(seed=home)
        self.assertCountEqual([(e["tag"], e["verdict"]) for e in out], [("a", "new"), ("redirect", "scope")])

    def test_a_redirect_to_another_spelling_of_the_page(self):
        """By the crawl's key such a target is the page, but only the server's spelling has its content."""
        nginx = self.serve({"new.html": "in"}, """
            location /sorted { if ($args = "b=2&a=1") { return 301 "/sorted?a=1&b=2"; } rewrite ^ /new.html; }
            location = /tagged { if ($args) { return 301 /tagged; } rewrite ^ /new.html; }
            location = /turn { if ($args = "b&a") { return 302 "/turn?a&b"; } return 302 "/turn?b&a"; }""")
        home = nginx.url("a.localhost", "/")
        for first, then in (("sorted?b=2&a=1", "sorted?a=1&b=2"), ("tagged?utm_source=x", "tagged")):
            edges = self.edges("--drop-params", "@tracking", seed=home + first)
            self.assertEqual([(e["to"], e["verdict"]) for e in edges], [(home + then, "new")])
        turns = self.edges("--max-redirects", "3", seed=home + "turn?a&b", status=1)
        self.assertEqual([e["verdict"] for e in turns], ["new"] * 3 + ["redirects"])

    def headers(self, edges, home):
        return [(e["attr"], e["to"].removeprefix(home), e["rel"], e["verdict"]) for e in edges if e["tag"] == "header"
                and e["from"] == home]

    def test_links_of_headers(self):
        nginx = self.serve({"index.html": "<base href=/b/><a href=next>of the page</a><a href=/next>n</a>"}, """
            add_header Link '<next>; rel=next, <next#x>; rel=up, <n>; rel="next nofollow", <style>; rel=preload, <norel>';
            add_header Link '</far>; rel=next; anchor="/elsewhere", <http://elsewhere.example/>; rel=next, <tel:1>; rel=next';
            add_header Refresh '5; url=/later';""")
        home = nginx.url("a.localhost", "/")
        edges = self.edges("--depth", "1", seed=home)
        self.assertEqual(self.headers(edges, home), [
            ("link", "next", "next", "new"), ("link", "next#x", "up", "repeated"),
            ("link", "n", "next nofollow", "nofollow"),
            ("link", "style", "preload", "element"), ("link", "norel", "", "element"),
            ("link", "far", "next", "element"),
            ("link", "http://elsewhere.example/", "next", "scope"), ("link", "tel:1", "next", "not-http"),
            ("refresh", "later", "", "new")])
        page = [e for e in edges if e["tag"] == "a" and e["from"] == home]
        self.assertEqual(self.verdicts(page, home), [("b/next", "new", "of the page"), ("next", "seen", "n")])
        self.assertEqual([r["links"] for r in self.records("pages.jsonl") if r["url"] == home], [11])
        closed = self.edges("--depth", "0", seed=home)
        self.assertEqual({v for _, _, _, v in self.headers(closed, home)}, {"depth", "nofollow", "element", "not-http"})
        self.assertEqual([e["verdict"] for e in closed if e["tag"] == "a"], ["depth", "depth"])

    def test_nofollow_by_a_header(self):
        nginx = self.serve({"index.html": "<a href=x>x</a>"},
                           "add_header X-Robots-Tag nofollow; add_header Link '</y>; rel=next';")
        edges = self.edges(seed=nginx.url("a.localhost", "/"))
        self.assertEqual([(e["tag"], e["verdict"]) for e in edges], [("header", "nofollow"), ("a", "nofollow")])

    def test_links_of_a_feed(self):
        feed = ("<feed><link href='/a.html' rel='alternate'/><link rel='hub' href='/hub'/><entry><link "
                "href='/a.html'/></entry></feed>")
        nginx = self.serve({"feed.atom": feed, "a.html": ""}, "types { application/atom+xml atom; text/html html; }")
        home = nginx.url("a.localhost", "/")
        edges = self.edges(seed=home + "feed.atom")
        self.assertEqual(self.verdicts(edges, home), [("a.html", "new", ""), ("hub", "element", ""),
                                                      ("a.html", "repeated", "")])

    def test_limits_say_which(self):
        page = (f"<a href={'x' * 200}></a><a href=1/2/3/4/5/6></a><a href=r/r/r/r></a><a href=?a></a><a href=?b></a>"
                "<a href=ok></a>")
        nginx = self.serve({"index.html": page}, "location /long { return 302 /r/r/r/r; }")
        home = nginx.url("a.localhost", "/")
        limits = ("max_url=150", "max_path_depth=5", "max_repeats=3", "max_queries=1")
        options = [word for limit in limits for word in ("--set", f"crawl.{limit}")]
        edges = [e for e in self.edges(*options, seed=home) if e["from"] == home]
        self.assertEqual([e["verdict"] for e in edges], ["max_url", "max_path_depth", "max_repeats", "new",
                                                         "max_queries", "new"])
        moved = self.edges(*options, seed=home + "long", status=1)
        self.assertEqual([(e["tag"], e["verdict"]) for e in moved], [("redirect", "max_repeats")])
        host = self.edges("--max-pages-per-host", "1", seed=home)
        self.assertEqual({e["verdict"] for e in host if e["from"] == home}, {"max_pages_per_host"})

    ENDLESS = "((a+)+$)|delete"

    def test_a_pattern_that_takes_too_many_steps_leaves_out(self):
        links = "".join(f"<a href=/{n}{'a' * 40}!delete></a>" for n in range(3))
        nginx = self.serve({"index.html": f"<a href=/ok.html></a><a href=/xdelete></a>{links}", "ok.html": ""})
        home = nginx.url("a.localhost", "/")
        result = self.crawl(*OPTIONS, "--exclude", self.ENDLESS, home)
        self.assertEqual(result.status, 0, result.stderr)
        edges = self.records("links.jsonl")
        self.assertEqual([e["verdict"] for e in edges], ["new", "filter", "filter", "filter", "filter"])
        self.assertEqual({r["url"] for r in self.records("pages.jsonl")}, {home, home + "ok.html"})
        said = (f"crawl: crawl.exclude = {self.ENDLESS}: a match takes too many steps and is stopped; such URLs are "
                f"left out, the first is {home}0aaa")
        self.assertEqual(result.stderr.count(said), 1, result.stderr)
        self.assertEqual(result.stderr.count("too many steps and is stopped"), 1, result.stderr)
        self.assertIn("patterns  left out 3 URLs", result.stderr)
        explained = self.crawl("explain", "--exclude", self.ENDLESS, "--seed", home, edges[2]["to"])
        self.assertIn(f"crawl.exclude = {self.ENDLESS}: the match takes too many steps, and is stopped",
                      explained.stdout)

    # Eight patterns that take nearly all the permitted steps, 400 us per link, without a match; and the first, which is
    # tried last and matches. If a match takes all the steps, the link is left out, and no other pattern is tried.
    SLOW = ["--exclude", "!$"] + [word for n in range(8) for word in ("--exclude", f"((a|aa)+$)|{n}delete")]

    def slow_links(self, count):
        return "".join(f"<a href=/{n}{'a' * 17}!></a>" for n in range(count))

    def test_max_time_holds_while_links_are_matched(self):
        nginx = self.serve({"index.html": self.slow_links(100000)})
        home = nginx.url("a.localhost", "/")
        state = ("--state", "state") if harness.has_disk() else ()
        options = ("--delay", "0", "--workers", "1", "--output", "pages.jsonl", *state)
        start = time.monotonic()
        result = self.crawl(*options, "--max-time", "1s", *self.SLOW, home)
        took = time.monotonic() - start
        self.assertIn("crawl.max_time reached", result.stderr)
        self.assertLess(took, 1 + 5 + 2 * harness.slack(), result.stderr)  # five of these for requests in flight
        self.assertEqual(self.records("pages.jsonl"), [])
        if not state:
            return
        result = self.crawl(*options, "--exclude", "a!")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([(r["url"], r["links"], r["attempt"]) for r in self.records("pages.jsonl")],
                         [(home, 100000, 1)])

    def test_others_are_read_while_links_are_matched(self):
        """The order of lines shows it: pages that answer after the slow one have their records before it."""
        chain = {f"fast/{n}.html": f"<a href={n + 1}.html></a>" for n in range(100)}
        self.make_site({"slow/index.html": self.slow_links(4000), **chain})
        nginx = self.start_nginx({f"{name}.localhost": self.path(f"site/{name}") for name in ("fast", "slow")})
        slow = nginx.url("slow.localhost", "/")
        result = self.crawl("--delay", "0", "--workers", "1", "--depth", "200", "--output", "pages.jsonl", "--requests",
                            "requests.jsonl",
                            *self.SLOW, slow, nginx.url("fast.localhost", "/0.html"))
        self.assertEqual(result.status, 0, result.stderr)
        answered = [e["url"] for e in self.exchanges() if e["kind"] == "page"]
        recorded = [r["url"] for r in self.records("pages.jsonl")]
        self.assertEqual(sorted(answered), sorted(recorded))
        self.assertEqual(len(recorded), 1 + 101)
        between = set(answered[answered.index(slow):]) & set(recorded[:recorded.index(slow)])
        self.assertGreater(len(between), 2)
        self.assertEqual([r["links"] for r in self.records("pages.jsonl") if r["url"] == slow], [4000])

    def test_text_of_hostile_pages_is_one_line_of_utf8(self):
        page = b"<meta charset=utf-8><a href=x>\xff\xc3 \x00\x01\x7f\"\\\r\n<p>" + b"\xe2\x82\xac" * 1000 + b"</a>"
        self.make_site({"index.html": ""})
        with open(self.path("site/index.html"), "wb") as file:
            file.write(page)
        nginx = self.start_nginx({"a.localhost": self.path("site")})
        edges = self.edges("--depth", "0", seed=nginx.url("a.localhost", "/"))
        self.assertEqual(len(edges), 1)
        text = edges[0]["text"]
        self.assertTrue(text.startswith("\ufffd\ufffd \"\\ \u20ac"), text[:20])
        self.assertTrue(250 <= len(text.encode()) <= 256, len(text.encode()))

    def many_pages(self):
        files = {f"{n}.html": "".join(f"<a href={m}.html>page {m}</a>" for m in range(400)) for n in range(400)}
        nginx = self.serve({"index.html": files["0.html"], **files})
        return nginx.url("a.localhost", "/")

    def test_what_is_cut_is_said(self):
        files = {"index.html": "<a href=/x.html>x</a>" * 100_001, "x.html": "<a href=/>home</a>",
                 "robots.txt": "User-agent: *\n" + "#" * 512_000 + "\nDisallow: /\n"}
        nginx = self.serve(files)
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", "--requests", "log.jsonl",
                            nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(sorted((r["links"], r.get("links_cut")) for r in self.records("pages.jsonl")),
                         [(1, None), (100_000, True)])
        self.assertEqual([(r["kind"], r.get("cut")) for r in self.exchanges("log.jsonl")],
                         [("robots", True), ("page", None), ("page", None)])
        self.assertIn("  warning   pages cut at 100000 links: 1\n", result.stderr)
        self.assertIn("  warning   robots.txt cut at 512000 bytes: 1\n", result.stderr)
        self.assertEqual(self.crawl("audit", "log.jsonl").status, 0)

    def test_a_reader_that_leaves_ends_the_crawl(self):
        home = self.many_pages()
        for option, field in (("links", "verdict"), ("output", "status"), ("requests", "event")):
            process = self.start("--delay", "10ms", "--per-host", "1", f"--{option}", "-", home)
            first = json.loads(process.stdout.readline())
            self.assertIn(field, first)
            process.stdout.close()
            stderr = process.stderr.read()
            self.assertEqual(process.wait(harness.LIMIT_S), 0, stderr)
            process.stderr.close()
            self.assertIn(f"crawl: {option}: its reader went away\n", stderr)
            self.assertIn("crawl: stopped after", stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk(self):
        home = self.many_pages()
        for option in ("links", "output", "requests"):
            result = self.crawl("--delay", "0", f"--{option}", "/dev/full", home)
            self.assertEqual(result.status, 4)
            self.assertEqual(result.stderr.count("No space left on device"), 1, result.stderr)
            self.assertIn(f"crawl: {option}: /dev/full: No space left on device", result.stderr)

    def test_what_cannot_be(self):
        result = self.crawl("--output", "-", "--links", "-", "http://a.localhost/")
        self.assertEqual(result.status, 2)
        self.assertIn("output.output and output.links are the same: -", result.stderr)
        result = self.crawl("--links", "x.jsonl", "--requests", "x.jsonl", "http://a.localhost/")
        self.assertEqual(result.status, 2)
        self.assertIn("output.links and output.requests are the same: x.jsonl", result.stderr)
        os.symlink("old.jsonl", self.path("link.jsonl"))
        self.write("old.jsonl", "")
        for files in (("./x.jsonl", "x.jsonl"), (self.path("x.jsonl"), "x.jsonl"), ("link.jsonl", "old.jsonl")):
            for option in ("--links", "--log", "--report", "--cookies-save"):
                result = self.crawl("--output", files[0], option, files[1], "http://a.localhost/")
                self.assertEqual(result.status, 2, (option, result.stderr))
                self.assertIn(f"are the same: {files[1] if option != '--links' else files[0]}", result.stderr)
        self.assertEqual(self.bytes_of("old.jsonl"), b"")
        result = self.crawl("--output", "o", "--links", "no/such/folder", "http://a.localhost/")
        self.assertEqual(result.status, 4)
        self.assertIn("crawl: links: no/such/folder: No such file or directory", result.stderr)


if __name__ == "__main__":
    harness.main()
