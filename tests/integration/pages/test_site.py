#!/usr/bin/env python3
"""Tests a crawl of a real site, python3-doc served by nginx: which pages are fetched, how often, and in which order."""
import collections
import os
import unittest

import harness

DOCS = harness.python_docs()
# Deep enough for a crawl, small enough for sanitizers: the tutorial and the pages that it links to within itself.
TUTORIAL = r"/(tutorial|index|contents|glossary|about|license|copyright|bugs)"


@unittest.skipUnless(DOCS, "python3-doc is not installed")
class Site(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.nginx = cls.start_nginx({"site.localhost": DOCS, "other.localhost": DOCS})

    def crawl_site(self, *options):
        result = self.crawl("--scope", "host", "--delay", "0", "--output", "pages.jsonl", *options,
                            self.nginx.url("site.localhost", "/index.html"))
        self.assertEqual(result.status, 0, result.stderr)
        return result, self.records("pages.jsonl")

    def test_fetches_what_can_be_reached_and_each_url_once(self):
        expected = harness.reachable(DOCS, self.nginx.url("site.localhost", "/index.html"))
        result, records = self.crawl_site("--depth", "50")
        asked = collections.Counter(r.uri for r in self.nginx.requests("site.localhost") if r.uri != "/robots.txt")
        self.assertEqual({uri: n for uri, n in asked.items() if n > 1}, {}, "asked more than once")
        self.assertEqual({r["url"] for r in records if r["error"]}, set())
        html = {r["url"] for r in records if r["status"] == 200 and r["content_type"].startswith("text/html")}
        self.assertEqual(html, expected)
        self.assertGreater(len(html), 500)
        self.assertEqual(len(records), len(asked))
        self.assertIn("nothing left to fetch", result.stderr)

    def test_breadth_first_never_goes_back_in_depth(self):
        _, records = self.crawl_site("--depth", "50", "--connections", "1", "--include", TUTORIAL)
        depths = [r["depth"] for r in records]
        self.assertGreater(max(depths), 1)
        self.assertEqual(depths, sorted(depths))

    def test_depth_first_goes_to_the_end_of_a_branch(self):
        depth = 6
        names = [""]
        for _ in range(depth):
            names += [name + letter for name in names if len(name) == len(names[-1]) for letter in "abc"]
        tree = {f"x{name}.html": "".join(f'<a href="x{name}{c}.html">{c}</a>' for c in "abc") if len(name) < depth
                else "leaf"
                for name in names}
        nginx = self.start_nginx({"tree.localhost": self.make_site(tree)})
        self.crawl("--delay", "0", "--depth", "50", "--order", "dfs", "--connections", "1", "--output", "pages.jsonl",
                   nginx.url("tree.localhost", "/x.html"))
        records = self.records("pages.jsonl")
        self.assertEqual(len(records), len(tree))
        parents = {r["url"]: r["parent"] for r in records}
        # The next page was found on the one fetched last. If that one led to nothing new, it was found on the nearest
        # earlier page that still has something queued.
        queued = {}
        stack = []
        for record in records:
            while stack and parents[record["url"]] != stack[-1]:
                self.assertEqual(queued[stack.pop()], 0, "left a branch before its end")
            if stack:
                queued[stack[-1]] -= 1
            stack.append(record["url"])
            queued[record["url"]] = record["new"]
        self.assertEqual([r["url"].rsplit("/", 1)[1] for r in records], sorted(tree))

    def test_depth_is_a_limit(self):
        for depth in (0, 1, 2):
            _, records = self.crawl_site("--depth", str(depth), "--include", TUTORIAL)
            self.assertEqual(max(r["depth"] for r in records), depth)
        _, records = self.crawl_site("--depth", "0")
        self.assertEqual([r["url"] for r in records], [self.nginx.url("site.localhost", "/index.html")])

    def test_max_pages_is_exact(self):
        _, records = self.crawl_site("--max-pages", "17", "--workers", "4")
        self.assertEqual(len(records), 17)

    def test_records_are_whole(self):
        _, records = self.crawl_site("--depth", "1", "--include", TUTORIAL)
        records.sort(key=lambda r: r["depth"])
        first = records[0]
        with open(os.path.join(DOCS, "index.html"), "rb") as file:
            body = file.read()
        self.assertEqual(first["bytes"], len(body))
        self.assertEqual(first["digest"], harness.digest(body))
        self.assertEqual(first["title"], "3.11.2 Documentation" if "3.11" in first["title"] else first["title"])
        self.assertEqual((first["method"], first["status"], first["depth"], first["parent"]), ("GET", 200, 0, None))
        self.assertEqual((first["charset"], first["attempt"]), ("utf-8", 1))
        # nginx listens at both; which of them localhost tries first depends on the version of libcurl
        self.assertIn(first["ip"], ("127.0.0.1", "::1"))
        self.assertRegex(first["fetched_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertRegex(first["fingerprint"], r"^[0-9a-f]{40}$")
        for record in records[1:]:
            self.assertEqual(record["parent"], first["url"])
            self.assertEqual(record["depth"], 1)
        self.assertEqual(sum(r["new"] for r in records), len(records) - 1)

    def test_every_kind_of_seen_set_gives_the_same_pages(self):
        pages = {}
        for kind in ("exact", "scalable", "counting"):
            _, records = self.crawl_site("--seen", kind, "--include", TUTORIAL)
            pages[kind] = {r["url"] for r in records}
        self.assertEqual(pages["exact"], pages["scalable"])
        self.assertEqual(pages["exact"], pages["counting"])

    def test_scope_prefix_stays_below_the_seed(self):
        result = self.crawl("--scope", "prefix", "--delay", "0", "--output", "pages.jsonl",
                            self.nginx.url("site.localhost", "/tutorial/index.html"))
        self.assertEqual(result.status, 0)
        urls = {r["url"] for r in self.records("pages.jsonl")}
        self.assertGreater(len(urls), 10)
        self.assertEqual({u for u in urls if "/tutorial/" not in u}, set())


if __name__ == "__main__":
    harness.main()
