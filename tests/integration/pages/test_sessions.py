#!/usr/bin/env python3
"""Tests sites that give each visitor a session in the URL: a page is fetched under only a few of them, and the summary
recommends a better way. Also tests the rest of the summary as a new user sees it."""
import itertools
import re

import harness

PAGES = 4


class Site(harness.OwnServer):
    """Each response links to all pages, with a new session for each."""

    def __init__(self):
        self.sessions = itertools.count(1)
        super().__init__(Handler)

    def url(self, path="/"):
        return super().url("a.localhost", path)


class Handler(harness.Handler):
    def do_GET(self):
        if self.path == "/robots.txt":
            self.answer(404, "")
            return
        session = f"{next(self.server.sessions):032x}"
        links = [link for page in range(PAGES) for link in (f"/p{page};jsessionid={session}",
                                                            f"/q?id={page}&PHPSESSID={session}")]
        self.answer(200, "".join(f"<a href='{link}'>x</a>" for link in links))


class Sessions(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.site = self.serve(Site())

    def asked(self, *options):
        """Returns the result, and the number of requests for each page, by its URL without the session."""
        result = self.crawl("--delay", "0", "--depth", "100", "--max-pages", "200", "--overwrite", "--output",
                            "pages.jsonl", *options, self.site.url())
        self.assertEqual(result.status, 0, result.stderr)
        counts = {}
        for record in self.records("pages.jsonl"):
            page = re.sub(r"(;jsessionid=|&PHPSESSID=).*", "", record["url"])
            counts[page] = counts.get(page, 0) + 1
        return result, counts

    def test_a_page_under_few_sessions(self):
        result, counts = self.asked()
        self.assertEqual(len(counts), 1 + 2 * PAGES)
        self.assertEqual({count for page, count in counts.items() if page != self.site.url()}, {3}, counts)
        self.assertRegex(result.stderr, r"\n  links .* \d+ max_sessions")
        self.assertRegex(result.stderr, r"\n  hint +\d+ links differ from requested pages only by a session id: "
                                        r"--drop-params @sessions\n")

    def test_the_hint_is_right(self):
        result, counts = self.asked("--drop-params", "@sessions")
        self.assertEqual(set(counts.values()), {1})
        self.assertNotIn("--drop-params", result.stderr)

    def test_another_limit(self):
        self.assertEqual(set(self.asked("--set", "crawl.max_sessions=1")[1].values()), {1})
        self.assertEqual(sum(self.asked("--set", "crawl.max_sessions=0")[1].values()), 200)

    def test_parameters_that_are_no_sessions(self):
        folder = self.make_site({"index.html": "".join(f"<a href='/?page={n}&sid={n}'>x</a>" for n in range(50))})
        nginx = self.start_nginx({"b.localhost": folder})
        result = self.crawl("--delay", "0", "--depth", "1", nginx.url("b.localhost", "/"))
        self.assertIn("  pages     51 ", result.stderr)


class Summary(harness.TestCase):
    def test_where_the_results_are(self):
        nginx = self.start_nginx({"b.localhost": self.make_site({"index.html": "x"})})
        url = nginx.url("b.localhost", "/")
        said = self.crawl("--output", "pages.jsonl", "--links", "links.jsonl", "--bodies", "b", "--state", "s",
                          url).stderr
        self.assertIn("\n  results   records in pages.jsonl, links in links.jsonl, bodies below b\n", said)
        self.assertIn("\n  state     s: 1 request finished in all its runs, 0 left\n", said)
        self.assertNotIn("filter", said)
        said = self.crawl("--verbose", "--output", "-", url).stderr
        self.assertIn("\n  results   records in standard output\n", said)
        self.assertIn("\n  filter    scalable, 1 ", said)
        self.assertIn("\n  results   were not kept; --output pages.jsonl keeps a record of each page\n",
                      self.crawl(url).stderr)


if __name__ == "__main__":
    harness.main()
