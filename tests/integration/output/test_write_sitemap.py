#!/usr/bin/env python3
"""Tests --write-sitemap: only the pages for search engines are in the sitemap, which is read back by `crawl sitemap`,
split into files by size and count, and updated over the runs of a --state."""
import glob
import gzip
import json
import os
import unittest
import xml.etree.ElementTree

import harness

SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


class WriteSitemap(harness.TestCase):
    overwrites = False

    def read(self, name):
        """Returns the URLs of a file with their dates, as `crawl sitemap` reads them. Checks that the file is
        well-formed."""
        path = self.path(name)
        with (gzip.open if name.endswith(".gz") else open)(path, "rb") as file:
            tree = xml.etree.ElementTree.parse(file).getroot()
        result = self.crawl("sitemap", path)
        self.assertEqual(result.status, 0, result.stderr)
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([entry.find(f"{SPACE}loc").text for entry in tree], [row["url"] for row in rows])
        return {row["url"]: row.get("lastmod") for row in rows}

    def site(self, extra=""):
        pages = {
            "index.html": "".join(f'<a href="{to}">x</a>'
                                  for to in ("a.html", "b.html", "noindex.html", "elsewhere.html", "self.html",
                                             "missing.html", "moved",
                                                                    "text.txt", "paper.pdf",
                                             "x?q=1&amp;r=%3Cb%3E'\"&amp;amp;", "header.html", "&#233;.html",
                                             "lost.html")),
            "noindex.html": "<meta name=robots content=noindex>", "elsewhere.html": "<link rel=canonical href=a.html>",
            "self.html": "<link rel=canonical href=/self.html#top>", "a.html": "a", "b.html": "b", "text.txt": "text",
            "paper.pdf": "%PDF", "header.html": "h", "\u00e9.html": "e", "lost.html": "<title>Page not found</title>",
        }
        locations = """location = /moved { return 302 /a.html; } location = /x { default_type text/html; return 200 x; } location = /header.html {
            add_header X-Robots-Tag noindex; }""" + extra
        self.make_site(pages)
        for name in pages:
            os.utime(self.path("site/" + name), (1700000000, 1700000000))
        return self.start_nginx({"a.localhost": self.path("site")}, locations)

    def test_years_have_four_digits(self):
        nginx = self.site("location = /a.html { add_header Last-Modified 'Mon, 01 Jan 0001 00:00:00 GMT'; }")
        result = self.crawl("--delay", "0", "--write-sitemap", "maps", nginx.url("a.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.read("maps/sitemap.xml")[nginx.url("a.localhost", "/a.html")], "0001-01-01T00:00:00Z")

    def test_what_belongs_into_it(self):
        nginx = self.site()
        result = self.crawl("--delay", "0", "--write-sitemap", "maps", "--sitemap-gzip", nginx.url("a.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        names = ["", "a.html", "b.html", "self.html", "paper.pdf", "x?q=1&r=%3Cb%3E%27", "%C3%A9.html"]
        found = self.read("maps/sitemap.xml.gz")
        self.assertEqual(sorted(url.split('%22')[0] for url in found), sorted(nginx.url("a.localhost", "/" + name)
                                                                              for name in names))
        self.assertEqual({date for url, date in found.items() if "/x?" not in url}, {"2023-11-14T22:13:20Z"})
        self.assertEqual(os.listdir(self.path("maps")), ["sitemap.xml.gz"])
        self.assertIn("  sitemap   maps: 7 URLs in 1 file; pages left out by their canonical links: 1\n", result.stderr)
        refused = self.crawl("--delay", "0", "--write-sitemap", "maps", nginx.url("a.localhost"))
        self.assertEqual(refused.status, 2)
        self.assertIn("not empty", refused.stderr)
        self.assertEqual(self.crawl("--delay", "0", "--overwrite", "--write-sitemap", "maps",
                                    nginx.url("a.localhost")).status, 0)
        self.assertEqual(self.read("maps/sitemap.xml"), found)
        self.assertEqual(os.listdir(self.path("maps")), ["sitemap.xml"])

    def test_a_canonical_link_without_dropped_parameters_names_the_page_itself(self):
        pages = {"index.html": "<a href=/a.html?utm_source=x>a</a>", "a.html": "<link rel=canonical href=/a.html>"}
        url = self.start_nginx({"a.localhost": self.make_site(pages)}).url("a.localhost")
        self.crawl("--delay", "0", "--drop-params", "utm_*", "--write-sitemap", "maps", url)
        self.assertEqual(list(self.read("maps/sitemap.xml")), [url, url + "a.html?utm_source=x"])

    def test_a_form_sent_to_a_page_says_nothing_about_it(self):
        answers = "location = / { default_type text/html; return 200 x; }"
        url = self.start_nginx({"a.localhost": self.make_site({"index.html": "x"})}, answers).url("a.localhost")
        self.write("seeds.jsonl", json.dumps({"url": url, "priority": 1}) + "\n"
                   + json.dumps({"url": url, "method": "POST", "body": "q=x"}) + "\n")
        self.crawl("--delay", "0", "--write-sitemap", "maps", "--seeds", "seeds.jsonl")
        self.assertEqual(list(self.read("maps/sitemap.xml")), [url])

    def test_several_hosts_have_a_folder_each(self):
        site = self.make_site({"index.html": "x"})
        nginx = self.start_nginx({"a.localhost": site, "b.localhost": site})
        self.crawl("--delay", "0", "--write-sitemap", "maps", nginx.url("a.localhost"), nginx.url("b.localhost"))
        for name in ("a.localhost", "b.localhost"):
            self.assertEqual(list(self.read(f"maps/http_{name}_{nginx.port}/sitemap.xml")), [nginx.url(name)])

    @unittest.skipUnless(harness.has_disk(), "this build has no disk store")
    def test_over_several_runs(self):
        """Pages that are gone are removed, a changed one has a date even if the server names none. An unchanged one
        stays, and so do pages that are refused, too large or behind a challenge for a while."""
        nginx = self.site("location = /b.html { if_modified_since off; add_header Last-Modified ''; }"
                          "location = /self.html { if (-f $document_root/closed) { return 403; } }"
                          "location = /\u00e9.html { if (-f $document_root/closed) { "
                          "add_header cf-mitigated challenge; return 302 /challenge; } }")
        args = ("--state", "state", "--delay", "0", "--revisit=due", "--set", "revisit.interval=1ms", "--set",
                "revisit.min_interval=1ms", "--set",
                "revisit.max_interval=1ms", "--set", "politeness.wall_backoff=0ms", "--write-sitemap", "maps")
        # The first page precedes all others as soon as it is due: on a slow machine that is every second request.
        self.crawl(*args, "--max-pages", "100", nginx.url("a.localhost"))
        before = self.read("maps/sitemap.xml")
        self.write("site/b.html", "another b")
        os.remove(self.path("site/a.html"))
        self.write("site/closed", "")
        self.write("site/paper.pdf", "%PDF" + "x" * 100000)
        result = self.crawl(*args, "--max-pages", "250", "--set", "fetch.max_body=64KiB", "--output", "second.jsonl")
        failed = {record["url"].rpartition("/")[2] for record in self.records("second.jsonl")
                  if record["status"] == 403 or record.get("error") in ("too-large", "wall")}
        self.assertEqual(failed, {"self.html", "paper.pdf", "%C3%A9.html"}, result.stderr)
        after = self.read("maps/sitemap.xml")
        self.assertIsNone(before[nginx.url("a.localhost", "/b.html")])
        self.assertIsNotNone(after[nginx.url("a.localhost", "/b.html")])
        self.assertEqual(set(before) - set(after), {nginx.url("a.localhost", "/a.html")})
        self.assertEqual(glob.glob(self.path("maps/*")), [self.path("maps/sitemap.xml")])


if __name__ == "__main__":
    harness.main()
