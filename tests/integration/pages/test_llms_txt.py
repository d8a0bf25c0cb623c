#!/usr/bin/env python3
"""Tests llms.txt: its links are seeds in scope, it is requested once and politely, and a missing one is no error."""
import harness

LLMS = """# The site
A paragraph with [prose](/prose).
## Docs
- [One](/one.md): the first
- [Two](two.md)
- [Out](http://b.localhost/out)
- [Blocked](/private/x)
- Bare http://a.localhost/bare
## Optional
- [Three](/three.md)
"""
PAGES = {
    "robots.txt": "User-agent: *\nDisallow: /private/\n",
    "index.html": "<title>start</title><a href=/linked>x</a>",
    "linked": "linked",
    "one.md": "one", "two.md": "two", "three.md": "three", "prose": "prose", "bare": "bare", "private/x": "private",
    "sitemap.xml": "http://a.localhost/never\n",
}


class LlmsTxt(harness.TestCase):
    def crawled(self, pages, *options, server="", seeds=("/",)):
        """Returns the records by their path."""
        self.nginx = self.start_nginx({"a.localhost": self.make_site(pages)}, "default_type text/plain;" + server)
        result = self.crawl("--delay", "0", "--llms-txt", "--overwrite", "--output", "pages.jsonl", "--requests",
                            "requests.jsonl", *options, *(self.nginx.url("a.localhost", seed) for seed in seeds))
        self.assertEqual(result.status, 0, result.stderr)
        self.said = result.stderr
        return {record["url"].split("/", 3)[3]: record for record in self.records("pages.jsonl")}

    def asked(self, path):
        return sum(request.uri == path for request in self.nginx.requests("a.localhost"))

    def kinds(self):
        return [line["kind"] for line in self.records("requests.jsonl") if line["event"] == "end"]

    def test_its_links_are_seeds_in_scope(self):
        records = self.crawled({**PAGES, "llms.txt": LLMS}, "--depth", "0", seeds=("/", "/one.md"))
        self.assertEqual(set(records), {"", "one.md", "two.md", "three.md", "private/x"})
        self.assertEqual(records["private/x"]["error"], "robots")
        self.assertEqual({record["depth"] for record in records.values()}, {0})
        self.assertEqual(records["two.md"]["parent"], self.nginx.url("a.localhost", "/llms.txt"))
        self.assertEqual((self.asked("/llms.txt"), self.asked("/sitemap.xml")), (1, 0))
        self.assertEqual(sorted(self.kinds()), ["llms", "page", "page", "page", "page", "robots"])
        self.assertIn("sitemaps  1 asked, 1 llms.txt found, 5 URLs in them", self.said)
        self.assertNotIn("unread", self.said)

    def test_what_is_optional_comes_last(self):
        llms = "# T\n## Optional\n- [C](/three.md)\n## Docs\n- [A](/one.md)\n- [B](/two.md)"
        self.crawled({**PAGES, "llms.txt": llms}, "--depth", "0", "--order", "best")
        asked = [request.uri for request in self.nginx.requests("a.localhost")]
        self.assertGreater(asked.index("/three.md"), asked.index("/two.md"))

    def test_a_missing_one_is_no_fault(self):
        html = "<!doctype html><title>Not here</title><h1># Not here</h1>\n## D\n- [A](/one.md)\n"
        typed = "location = /llms.txt { types {} default_type text/html; }"
        for pages, server in ((PAGES, ""), ({**PAGES, "llms.txt": html}, ""),
                              ({**PAGES, "llms.txt": LLMS}, typed), ({**PAGES, "llms.txt": "Not found\n"}, ""),
                              (PAGES, "location = /llms.txt { return 503; }")):
            records = self.crawled(pages, "--report", "report.html", "--retries", "0", server=server)
            self.assertEqual(self.asked("/llms.txt"), 1)
            self.assertNotIn("one.md", records)
            self.assertIn("1 asked, 0 llms.txt found, 0 URLs in them", self.said)
            self.assertNotIn("unread", self.said)
            with open(self.path("report.html"), encoding="utf-8") as file:
                self.assertNotIn("llms.txt", file.read().split("</style>")[-1])
            self.nginx.stop()

    def test_robots_txt_is_obeyed(self):
        pages = {**PAGES, "robots.txt": "User-agent: *\nDisallow: /llms.txt\n", "llms.txt": LLMS}
        self.assertNotIn("one.md", self.crawled(pages))
        self.assertEqual(self.asked("/llms.txt"), 0)
        self.assertNotIn("unread", self.said)

    def test_it_keeps_to_the_pause(self):
        self.crawled({**PAGES, "llms.txt": "# T"}, "--delay", "300ms", "--depth", "0")
        starts = [request.start for request in self.nginx.requests("a.localhost")]
        self.assertEqual(len(starts), 3)
        for before, after in zip(starts, starts[1:], strict=False):
            self.assertGreater(after - before, 0.25)

    def test_a_crawl_that_goes_on_asks_once(self):
        site = self.make_site({**PAGES, "llms.txt": LLMS})
        self.nginx = self.start_nginx({"a.localhost": site}, "default_type text/plain;")
        for _ in range(8):
            result = self.crawl("--state", "kept", "--delay", "0", "--max-pages", "1", "--llms-txt", "--output",
                                "pages.jsonl", self.nginx.url("a.localhost", "/"))
            self.assertIn(result.status, (0, 1), result.stderr)
        self.assertEqual(self.asked("/llms.txt"), 1)
        self.assertIn(self.nginx.url("a.localhost", "/three.md"), {line["url"] for line in self.records("pages.jsonl")})

    def test_a_redirect_is_followed(self):
        moved = "location = /llms.txt { return 302 /docs/llms.txt; }"
        records = self.crawled({**PAGES, "docs/llms.txt": "# T\n## D\n- [A](a.md)", "docs/a.md": "a"}, server=moved)
        self.assertIn("docs/a.md", records)

    def test_one_without_a_title_is_read_and_said_to_be_broken(self):
        records = self.crawled({**PAGES, "llms.txt": "## D\n- [A](/one.md)\n"})
        self.assertIn("one.md", records)
        self.assertIn("unread    of sitemaps 1 broken", self.said)

    def test_a_long_one_is_cut(self):
        self.crawled({**PAGES, "llms.txt": "# T\n## D\n- [A](/one.md)\n" + "- [B](/two.md)\n" * 100000})
        self.assertIn("unread    of sitemaps 1 cut", self.said)

    def test_with_sitemaps_both_are_asked_for(self):
        self.crawled({**PAGES, "llms.txt": LLMS}, "--sitemaps")
        self.assertEqual((self.asked("/llms.txt"), self.asked("/sitemap.xml")), (1, 1))

    def test_the_tool(self):
        path = self.write("llms.txt", LLMS)
        result = self.crawl("sitemap", "--llms", "--base", "http://a.localhost/llms.txt", path)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 5)
        self.assertIn('"http://a.localhost/three.md"', result.stdout)
        result = self.crawl("sitemap", "--llms", self.write("page", "<html>"))
        self.assertEqual((result.status, result.stdout), (1, ""))
        self.assertIn("not an llms.txt", result.stderr)


if __name__ == "__main__":
    harness.main()
