#!/usr/bin/env python3
"""Pages that are not the page, with status 200: "not found" in words, a login, a consent. They have a verdict, and
nothing of them is kept or followed."""
import unittest

import harness

NAV = "".join(f"<a href=/{name}>{name}</a>" for name in ("a", "b", "c", "d", "e", "gone", "private"))
GONE = f"<title>Page not found - Shop</title>{NAV}<a href=/from-gone>on</a><h1>Sorry</h1>"
LOGIN = "<title>Shop</title><form><input name=u><input type=password name=p></form><a href=/from-login>on</a>"
ARTICLE = f"<title>404 Not Found</title>{NAV}<p>" + "How an error page came to be a film of its own. " * 60


class Soft404(harness.TestCase):
    def crawl_site(self, *options):
        names = {name: f"<title>{name}</title>{NAV}" for name in "abcd"}
        site = self.make_site({"index.html": f"<title>Shop</title>{NAV}", "gone": GONE, "private": LOGIN, "e": ARTICLE,
                               **names})
        seed = self.start_nginx({"a.localhost": site}, "default_type text/html;").url("a.localhost", "/")
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", "--text", "all", "--dedupe", "near",
                            "--bodies", "bodies", *options, seed)
        self.assertEqual(result.status, 0, result.stderr)
        return {r["url"].removeprefix(seed): r for r in self.records("pages.jsonl")}

    def test_they_are_told_and_nothing_of_them_is_kept(self):
        pages = self.crawl_site()
        self.assertEqual({path: r["verdict"] for path, r in pages.items() if "verdict" in r},
                         {"gone": "soft-404", "private": "login"})
        self.assertEqual(set(pages), {"", "a", "b", "c", "d", "e", "gone", "private"})
        for path in ("gone", "private"):
            self.assertEqual((pages[path]["status"], pages[path]["error"]), (200, None))
            self.assertEqual({"text", "body", "simhash", "duplicate_of"} & set(pages[path]), set(), pages[path])
        self.assertEqual(pages["gone"]["detail"], "soft-404: title Page not found - Shop")

    def test_a_report_has_them_as_broken_where_they_count_as_errors(self):
        self.crawl_site()
        self.assertEqual(self.crawl("report", "--fail-on", "broken", "pages.jsonl").status, 0)
        pages = self.crawl_site("--soft-404", "--overwrite")
        self.assertEqual(pages["gone"]["error"], "soft-404")
        report = self.crawl("report", "--fail-on", "broken", "--print", "broken", "pages.jsonl")
        self.assertEqual(report.status, 5, report.stderr)
        self.assertIn("/gone", report.stdout)


if __name__ == "__main__":
    unittest.main()
