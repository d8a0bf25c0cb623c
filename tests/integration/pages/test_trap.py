#!/usr/bin/env python3
"""Tests endless sites, each of its own kind, and the limit that ends the crawl of each."""
import collections
import re

import harness


class Endless(harness.Handler):
    """cal: a link to the next month; grow: relative links that lengthen the path; query: a hundred new queries on each
    page; long: a link twice as long; hop: redirects into a growing path; many: a hundred new pages."""

    def do_GET(self):
        kind = self.headers["Host"].split(".")[0]
        path, _, query = self.path.partition("?")
        number = int((re.findall(r"\d+", self.path) or ["0"])[-1])
        links = {
            "cal": [f"/calendar?month={number + 1}"],
            "grow": ["more/", "there/and/"],
            "query": [f"/search?a={number + 1}&b={n}" for n in range(100)],
            "long": [path + "y" * len(path)],
            "many": [f"/page/{number * 100 + n}" for n in range(1, 101)],
            "deep": [path.rstrip("/") + f"/{number + 1}"],
        }.get(kind, ["/page/1"])
        if path == "/robots.txt":
            return self.answer(404, "")
        if kind == "hop":
            return self.answer(302, "", "Location: " + path.rstrip("/") + "/a/b")
        return self.answer(200, "".join(f'<a href="{link}">x</a>' for link in links))


class Traps(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.keep(harness.OwnServer(Endless))

    def url(self, host, path="/"):
        return self.server.url(host, path)

    def crawl_into(self, url, *options, status=0):
        """Returns the records of a crawl that must end by itself, and its summary."""
        result = self.crawl(url, "--depth", "100000", "--delay", "0", "--max-pages", "5000", "--output", "pages.jsonl",
                            *options)
        self.assertEqual(result.status, status, result.stderr)
        self.assertIn("nothing left to fetch", result.stderr)
        return self.records("pages.jsonl"), result.stderr

    def test_a_path_that_grows(self):
        records, summary = self.crawl_into(self.url("grow.localhost"), "--set", "crawl.max_path_depth=6")
        self.assertIn("by crawl.max_path_depth", summary)
        self.assertIn("by crawl.max_repeats", summary)
        segments = [r["url"].split("/")[3:-1] for r in records]
        self.assertEqual(max(map(len, segments)), 6)
        self.assertFalse(any(s[i:i + 5] == ["more"] * 5 for s in segments for i in range(len(s))))
        self.assertTrue(any(s[i:i + 4] == ["more"] * 4 for s in segments for i in range(len(s))))

    def test_a_path_that_grows_without_repeating_ends_by_the_defaults(self):
        records, summary = self.crawl_into(self.url("deep.localhost"))
        self.assertIn("1 by crawl.max_path_depth", summary)
        self.assertEqual(len(records), 51)

    def test_a_url_that_grows_ends_by_the_defaults(self):
        records, summary = self.crawl_into(self.url("long.localhost", "/x"))
        self.assertIn("1 by crawl.max_url", summary)
        self.assertLessEqual(max(len(r["url"]) for r in records), 4096)
        self.assertGreaterEqual(len(records), 10)

    def test_an_endless_calendar(self):
        records, summary = self.crawl_into(self.url("cal.localhost"), "--set", "crawl.max_queries=40")
        self.assertEqual(len(records), 41)
        self.assertIn("1 by crawl.max_queries", summary)

    def test_an_explosion_of_queries(self):
        records, summary = self.crawl_into(self.url("query.localhost"), "--set", "crawl.max_queries=250")
        self.assertEqual(sum("?" in r["url"] for r in records), 250)
        self.assertIn("by crawl.max_queries", summary)

    def test_most_pages_have_a_query(self):
        options = (self.url("query.localhost"), "--depth", "100", "--delay", "0", "--max-pages", "15")
        hint = r"\n  hint      1\d\d\d of 1\d\d\d new URLs have a query; to limit them: --exclude "
        self.assertRegex(self.crawl(*options).stderr, hint)
        bounded = self.crawl(*options, "--set", "crawl.max_queries=2000")
        self.assertNotIn("new URLs have a query", bounded.stderr)

    def test_pages_of_a_host(self):
        records, summary = self.crawl_into(self.url("many.localhost"), "--max-pages-per-host", "30")
        counts = collections.Counter(r["error"] for r in records)
        self.assertEqual(counts[None], 30)
        self.assertGreater(counts["limit"], 0, "what was queued before the limit was reached is refused, and says so")
        self.assertEqual({r["detail"] for r in records if r["error"]}, {"crawl.max_pages_per_host is reached"})
        self.assertIn("by crawl.max_pages_per_host", summary)

    def test_a_redirect_into_a_growing_path(self):
        records, _ = self.crawl_into(self.url("hop.localhost"), "--max-redirects", "100", status=1)
        last = [r for r in records if r["error"]]
        self.assertEqual([(r["error"], r["detail"]) for r in last], [("limit", "redirected beyond crawl.max_repeats")])
        self.assertEqual(len(records), 5)


if __name__ == "__main__":
    harness.main()
