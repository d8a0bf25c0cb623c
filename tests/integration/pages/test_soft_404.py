#!/usr/bin/env python3
"""Tests pages with status 200 that are "not found" in words, a login, or a consent: they get a verdict, and are neither
kept nor followed."""
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

    def crawl_server(self, locations, files, *options):
        """Crawls a server that gives this answer for every path without a file."""
        site = self.make_site(files)
        nginx = self.start_nginx({"b.localhost": site}, "default_type text/html;" + locations)
        result = self.crawl("--delay", "0", "--per-host", "1", "--output", "pages.jsonl", "--overwrite", "--requests",
                            "requests.jsonl", *options, nginx.url("b.localhost", "/"))
        self.assertIn(result.status, (0, 1), result.stderr)
        self.asked = [r["url"] for r in self.records("requests.jsonl") if r.get("kind") == "missing" and "status" in r]
        origin = nginx.url("b.localhost", "")
        return {r["url"].removeprefix(origin): r.get("verdict") for r in self.records("pages.jsonl")}

    PAGES = {"index.html": "<title>Home</title>" + "".join(f"<a href=/{n}>{n}</a>" for n in ("a", "b", "old1", "old2",
                                                                                          "dir/c", "dir/old3")),
             "a": "<title>A</title>" + "The first of the pages that are here, with words of its own. " * 5,
             "b": "<title>B</title>" + "Another one, which says something else than that one does. " * 5,
             "dir/c": "<title>C</title>" + "And a third below a folder, of which there is not much to say. " * 5}
    SORRY = "<title>Shop</title>" + "We looked everywhere and this thing is not in our shop any more, sorry. " * 4

    def test_a_page_like_the_answer_for_one_that_cannot_be_there(self):
        pages = self.crawl_server("location / { try_files $uri $uri/index.html /sorry; }",
                                  self.PAGES | {"sorry": self.SORRY}, "--soft-404")
        self.assertEqual({path for path, verdict in pages.items() if verdict}, {"/old1", "/old2", "/dir/old3"}, pages)
        self.assertEqual(set(pages), {"/", "/a", "/b", "/old1", "/old2", "/dir/c", "/dir/old3"})
        self.assertEqual(len(self.asked), 2, self.asked)
        self.assertTrue(all(len(url.rsplit("/", 1)[1]) == 25 for url in self.asked))
        self.assertEqual(self.crawl("audit", "requests.jsonl").status, 0)

    def test_a_level_that_a_guess_came_to_first(self):
        guess = ("<title>D</title><a href=/dir/c>c</a><a href=/dir/old>old</a>" +
                 "A page of which only a script knows. " * 5)
        pages = self.crawl_server("location / { try_files $uri $uri/index.html /sorry; }",
                                  {"index.html": "<title>Home</title><script>go('/dir/d')</script>", "dir/d": guess,
                                   "dir/c": self.PAGES["dir/c"], "sorry": self.SORRY},
                                  "--soft-404", "--links-from", "elements,scripts")
        self.assertEqual({path for path, verdict in pages.items() if verdict}, {"/dir/old"}, pages)

    def test_nothing_is_asked_without_the_option_or_against_robots_txt(self):
        files = self.PAGES | {"sorry": self.SORRY}
        everything = "location / { try_files $uri $uri/index.html /sorry; }"
        self.assertEqual(set(self.crawl_server(everything, files).values()), {None})
        self.assertEqual(self.asked, [])
        closed = {"robots.txt": "User-agent: *\nAllow: /a$\nAllow: /old1$\nAllow: /$\nDisallow: /\n"}
        self.crawl_server(everything, files | closed, "--soft-404")
        self.assertEqual(self.asked, [])

    def test_a_redirect_to_where_it_leads(self):
        pages = self.crawl_server("location / { try_files $uri $uri/index.html @home; } "
                                  "location @home { return 302 /; }", self.PAGES, "--soft-404")
        self.assertEqual((pages["/old1"], pages["/old2"], pages["/a"]), (None, "soft-404", None))

    def test_an_application_that_answers_everything_is_kept(self):
        shell = "<title>App</title><a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>" + "Loading the application. " * 30
        pages = self.crawl_server("location / { try_files $uri /index.html; }", {"index.html": shell}, "--soft-404")
        self.assertEqual(pages, {"/": None, "/a": None, "/b": None, "/c": None})


if __name__ == "__main__":
    unittest.main()
