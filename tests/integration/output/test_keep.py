#!/usr/bin/env python3
"""Tests --keep and --keep-type: which pages are recorded, kept and archived, apart from which are fetched and
followed."""
import json
import os

import harness
import redis_server
import warc_reader

PDF = "%PDF-1.4 "
SITE = {
    "index.html": "<a href=a.html>a</a><a href=one.pdf>1</a><a href=moved>m</a><a href=none.pdf>4</a>",
    "a.html": "<a href=two.PDF>2</a><a href=hidden>h</a>",
    "one.pdf": PDF + "one",
    "two.PDF": PDF + "two",
    "hidden": PDF + "three",
    "robots.txt": "User-agent: *\nDisallow: /never\n",
}
EXTRA = ("types { text/html html; application/pdf pdf PDF; } location /moved { return 302 /a.html; } "
         "location /hidden { types {} default_type 'Application/PDF; version=1.4'; }")
OUTPUTS = ("--delay", "0", "--output", "pages.jsonl", "--links", "links.jsonl", "--bodies", "bodies", "--warc",
           "archive")


class Keep(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.nginx = self.start_nginx({"a.localhost": self.make_site(SITE)}, EXTRA)

    def url(self, path="/"):
        return self.nginx.url("a.localhost", path)

    def crawl_with(self, *options):
        result = self.crawl(*OUTPUTS, *options, self.url())
        self.assertEqual(result.status, 0, result.stderr)
        return result

    def urls_of_records(self):
        return sorted(record["url"] for record in self.records("pages.jsonl"))

    def urls_in_warc(self):
        return sorted(record.headers["WARC-Target-URI"] for record in warc_reader.read_all(self.path("archive"))
                      if record.headers["WARC-Type"] in ("response", "revisit"))

    def test_all_pdfs_of_a_site(self):
        pdfs = sorted(self.url(path) for path in ("/one.pdf", "/two.PDF", "/hidden"))
        result = self.crawl_with("--keep-type", "application/pdf")
        self.assertEqual(self.urls_of_records(), pdfs)
        self.assertEqual(self.urls_in_warc(), pdfs)
        self.assertEqual(sum(len(files) for _, _, files in os.walk(self.path("bodies"))), 3)
        self.assertTrue(all(record["body"] for record in self.records("pages.jsonl")))
        self.assertIn("  kept      3 of 7 answered\n", result.stderr)
        edges = {(edge["from"], edge["to"]) for edge in self.records("links.jsonl")}
        self.assertIn((self.url(), self.url("/a.html")), edges)
        self.assertIn((self.url("/moved"), self.url("/a.html")), edges)

    def test_both_must_hold_and_one_of_each_is_enough(self):
        kept = ("--keep", r"/one\.", "--keep", r"none[.]pdf|/a[.]html", "--keep-type", "image/*", "--keep-type",
                "application/*")
        self.crawl_with(*kept)
        self.assertEqual(self.urls_of_records(), [self.url("/one.pdf")])
        self.crawl_with(*kept[:4])
        self.assertEqual(self.urls_of_records(), [self.url(path) for path in ("/a.html", "/none.pdf", "/one.pdf")])

    def test_what_is_asked_is_said_by_include_alone(self):
        self.crawl_with("--exclude", "hidden", "--exclude", "two", "--keep", "hidden|/one")
        self.assertEqual(self.urls_of_records(), [self.url("/one.pdf")])

    def test_a_match_that_takes_too_many_steps_keeps(self):
        path = "/" + "a" * 60 + "!"
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", "--keep", r"(a+)+$", self.url(path))
        self.assertEqual(self.urls_of_records(), [self.url(path)])
        self.assertIn("output.keep = (a+)+$: a match takes too many steps and is stopped; such URLs are kept",
                      result.stderr)
        self.assertIn("kept      1 of 1 answered; of 1 a match of keep took too many steps to tell", result.stderr)

    def test_a_304_is_of_the_type_of_what_it_confirms(self):
        options = ("--keep-type", "application/pdf", "--revisit", "--max-pages", "15", "--set", "revisit.interval=10ms",
                   "--set", "revisit.min_interval=10ms", "--set", "revisit.max_interval=20ms")
        self.crawl_with(*options)
        again = [record for record in self.records("pages.jsonl") if record["status"] == 304]
        self.assertTrue(again)
        for record in again:
            self.assertRegex(record["url"], r"(pdf|PDF|hidden)$")

    def test_a_resumed_crawl_keeps_the_same_unless_it_is_told_otherwise(self):
        state = ("--state", "state")
        self.crawl_with(*state, "--max-pages", "1", "--keep", "hidden", "--keep", "none")
        self.assertEqual(self.urls_of_records(), [])
        self.assertEqual(self.crawl(*state, "--max-pages", "4").status, 0)
        self.assertEqual(self.crawl(*state, "--keep", "two").status, 0)
        with open(self.path("state/crawler.conf"), encoding="utf-8") as file:
            self.assertEqual([line for line in file if line.startswith("keep =")], ["keep = two\n"])
        self.assertIn(self.url("/two.PDF"), self.urls_of_records())
        self.assertNotIn(self.url("/hidden"), self.urls_of_records())

    def test_a_page_that_is_not_kept_is_done_though_records_go_to_redis(self):
        redis = self.serve(redis_server.Redis())
        result = self.crawl("--delay", "0", "--state", "state", "--keep", "/one", "--output", redis.url("list=items"),
                            self.url())
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn("7 requests finished in all its runs, 0 left", result.stderr)
        self.assertEqual([json.loads(text)["url"] for text in redis.ask("LRANGE", "items", 0, -1)],
                         [self.url("/one.pdf")])


if __name__ == "__main__":
    harness.main()
