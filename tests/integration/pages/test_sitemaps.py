"""Tests sitemaps: the tool on files, and crawls that take URLs from them."""
import gzip
import json
import os
import pathlib
import re
import signal
import threading

import harness

PAGE = "<title>{}</title>"


def urlset(*entries):
    rows = "".join(f"<url><loc>{loc}</loc>{more}</url>" for loc, more in entries)
    return (f'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            f'{rows}</urlset>')


def index(*locations):
    rows = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locations)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'


class Tool(harness.TestCase):
    def rows(self, *args, stdin=None, status=0):
        result = self.crawl("sitemap", *args, stdin=stdin)
        self.assertEqual(result.status, status, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_urls_of_a_file(self):
        path = self.write("map.xml", urlset(("http://h/a?x=1&amp;y=2", "<lastmod>2024-01-31</lastmod><priority>0.8</"
                                                                       "priority>"),
                                            ("/b", "<changefreq>daily</changefreq>")))
        self.assertEqual(self.rows("--base", "http://h/map.xml", path), [
            {"url": "http://h/a?x=1&y=2", "lastmod": "2024-01-31", "changefreq": None, "priority": 0.8},
            {"url": "http://h/b", "lastmod": None, "changefreq": "daily", "priority": 0.5}])

    def test_index_from_standard_input(self):
        self.assertEqual(self.rows(stdin=index("http://h/1.xml")), [{"sitemap": "http://h/1.xml", "lastmod": None}])

    def test_compressed(self):
        path = self.path("map.xml.gz")
        with gzip.open(path, "wt") as file:
            file.write(urlset(*((f"http://h/{n}", "") for n in range(1000))))
        self.assertEqual([row["url"] for row in self.rows(path)], [f"http://h/{n}" for n in range(1000)])

    def test_links_and_news_of_entries(self):
        """Translations, images, videos and news are read, even if their namespaces are not declared."""
        video = ("<video:video><video:thumbnail_loc>/t.jpg</video:thumbnail_loc><video:content_loc>/v.mp4"
                 "</video:content_loc><video:player_loc>/p</video:player_loc></video:video>")
        news = ("<news:news><news:publication><news:name>N</news:name><news:language>en</news:language>"
                "</news:publication><news:publication_date>2026-11-26</news:publication_date></news:news>")
        path = self.write("map.xml", urlset(
            ("http://h/", '<xhtml:link rel="alternate" hreflang="x-default" href="/en?a&amp;b"/>'
                          "<image:image><image:loc>http://cdn/1.png</image:loc></image:image>"),
            ("http://h/v", video), ("http://h/n", news)))
        rows = self.rows("--base", "http://h/map.xml", path)
        self.assertEqual(rows[0]["links"], [
            {"kind": "alternate", "url": "http://h/en?a&b", "hreflang": "x-default"},
            {"kind": "image", "url": "http://cdn/1.png"}])
        self.assertEqual(rows[1]["links"], [{"kind": "thumbnail", "url": "http://h/t.jpg"},
                                            {"kind": "video", "url": "http://h/v.mp4"},
                                            {"kind": "player", "url": "http://h/p"}])
        self.assertEqual(rows[2]["news"], {"name": "N", "language": "en", "title": None, "date": "2026-11-26"})
        self.assertNotIn("news", rows[0])

    def test_what_others_do_not_read_is_warned_of(self):
        image = "<image:image><image:loc>/i.png</image:loc></image:image>"
        cases = ((("http://h/", "<lastmod>26.11.2026</lastmod>"), "ignored dates that cannot be read: 1"),
                 (("http://h/", image * 1001), "entries with more than 1000 images: 1"))
        for entry, words in cases:
            result = self.crawl("sitemap", "--base", "http://h/", stdin=urlset(entry))
            self.assertEqual(result.status, 0)
            self.assertIn(words, result.stderr)
        many = urlset(*((f"http://h/{n}", "<news:news/>") for n in range(1001)))
        self.assertIn("more than 1000 entries of news: 1001", self.crawl("sitemap", stdin=many).stderr)

    def test_what_swells(self):
        """Memory is bounded for any input, and an incomplete reading is reported."""
        zeros = self.path("zeros")
        with open(zeros, "wb") as file:
            file.truncate(1 << 30)
        bomb, hollow = self.path("bomb.gz"), self.path("hollow.gz")
        with gzip.open(bomb, "wb") as file:
            file.write(b"<urlset>" + bytes(20 << 20))
        with gzip.open(hollow, "wb") as file:
            file.write(b"<urlset>" + b"<url></url>" * 500000)
        cut = "cut: beyond the maximum"
        for path, words in ((zeros, "not a sitemap"), (bomb, cut), (hollow, cut)):
            result = self.crawl("sitemap", path)
            self.assertEqual((result.status, result.stdout), (1, ""), path)
            self.assertIn(words, result.stderr)
        result = self.crawl("sitemap", stdin="".join(f"http://h/{n}\n" for n in range(50001)))
        self.assertEqual((result.status, len(result.stdout.splitlines())), (1, 50000))
        self.assertIn("50000 entries were read", result.stderr)

    def test_a_doctype_with_a_subset(self):
        feed = ('<!DOCTYPE rss [<!ENTITY nbsp "&#160;">]><rss><channel><item><title>a&nbsp;b</title><link>http://h/a</'
                'link></item></channel></rss>')
        self.assertEqual([row["url"] for row in self.rows(stdin=feed)], ["http://h/a"])

    def test_what_is_none(self):
        result = self.crawl("sitemap", stdin="<html></html>")
        self.assertEqual((result.status, result.stdout), (1, ""))
        self.assertIn("not a sitemap", result.stderr)
        result = self.crawl("sitemap", stdin=urlset(("http://h/a", "")) [:-9])
        self.assertEqual(result.status, 1)
        self.assertIn("broken", result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 1)
        self.assertEqual(self.crawl("sitemap", "--base", "h", stdin="").status, 2)
        entries = "".join(f"<url><loc>http://h/{n}</loc></url>" for n in range(3))
        for text in (f"<urlset>{entries}</url>{entries}</urlset>",
                     f"<urlset>{entries}</urlset><urlset>{entries}</urlset>",
                     f"<sitemapindex>{entries}{entries}</sitemapindex>",
                     f"<urlset>{entries.replace('</url><url>', '') * 2}</urlset>"):
            result = self.crawl("sitemap", stdin=text)
            self.assertEqual((result.status, len(result.stdout.splitlines())), (1, 6), text)
            self.assertIn("broken; 6 entries could be read", result.stderr)
        self.assertEqual(self.crawl("sitemap", self.path("none.xml")).status, 4)


class Crawl(harness.TestCase):
    def serve(self, files, extra="", others=None):
        """Serves a site a.localhost of these files, in which {root} is its address; others: more sites, name ->
        files."""
        site = self.make_site({})
        os.makedirs(site, exist_ok=True)
        folders = {"a.localhost": (site, files)}
        for name, more in (others or {}).items():
            folder = self.path(name)
            os.makedirs(folder, exist_ok=True)
            folders[name] = (folder, more)
        self.nginx = self.start_nginx({name: folder for name, (folder, _) in folders.items()}, extra)
        self.addCleanup(self.nginx.stop)
        for name, (folder, contents) in folders.items():
            for path, text in contents.items():
                text = text.replace("{root}", self.nginx.url("a.localhost",
                                                             "")).replace("{b}", self.nginx.url("b.localhost", ""))
                full = os.path.join(folder, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                if path.endswith(".gz"):
                    with gzip.open(full, "wt", encoding="utf-8") as file:
                        file.write(text)
                else:
                    with open(full, "w", encoding="utf-8") as file:
                        file.write(text)

    def pages(self, *args, start="/"):
        result = self.crawl("--delay", "0", "--sitemaps", "--output", "pages.jsonl", *args,
                            self.nginx.url("a.localhost", start))
        self.assertEqual(result.status, 0, result.stderr)
        self.result = result
        return self.records("pages.jsonl")

    def paths(self, records):
        return {record["url"].split("localhost:", 1)[1].split("/", 1)[1] for record in records}

    def asked(self, host="a.localhost"):
        return [request.uri for request in self.nginx.requests(host)]

    def test_sitemap_at_its_usual_place(self):
        self.serve({"index.html": PAGE.format("i"), "p.html": PAGE.format("p"),
                    "sitemap.xml": urlset(("{root}/p.html", ""), ("{root}/", ""))})
        records = self.pages()
        self.assertEqual(self.paths(records), {"", "p.html"})
        page = next(record for record in records if record["url"].endswith("/p.html"))
        self.assertEqual(page["depth"], 1)
        self.assertEqual(page["parent"], self.nginx.url("a.localhost", "/sitemap.xml"))
        self.assertIn("1 asked, 2 URLs in them", self.result.stderr)

    def test_only_where_asked_for(self):
        self.serve({"index.html": PAGE.format("i"), "p.html": PAGE.format("p"),
                    "sitemap.xml": urlset(("{root}/p.html", ""))})
        self.assertEqual(self.paths(self.pages("--no-sitemaps")), {""})
        self.assertNotIn("/sitemap.xml", self.asked())

    def test_named_by_robots_and_asked_once(self):
        self.serve({"robots.txt": "User-agent: *\nDisallow: /no\nSitemap: {root}/maps/index.xml\nSitemap: "
                                  "/relative.txt\n",
                    "maps/index.xml": index("{root}/maps/1.xml.gz", "/maps/2.xml", "{root}/maps/index.xml",
                                            "{root}/no/3.xml"),
                    "maps/1.xml.gz": urlset(("{root}/1.html", "")),
                    "maps/2.xml": urlset(("/2.html", ""), ("/no/4.html", "")),
                    "no/3.xml": urlset(("{root}/3.html", "")), "relative.txt": "{root}/5.html\n",
                    **{f"{name}.html": PAGE.format(name) for name in ("index", "1", "2", "3", "5", "no/4")}})
        records = self.pages()
        self.assertEqual({path for path in self.paths(records) if "no/" not in path},
                         {"", "1.html", "2.html", "5.html"})
        refused = [record for record in records if record["error"] == "robots"]
        self.assertEqual(self.paths(refused), {"no/4.html"})
        asked = self.asked()
        self.assertEqual(asked.count("/maps/index.xml"), 1)
        self.assertEqual(asked.count("/sitemap.xml"), 1)  # missing
        self.assertNotIn("/no/3.xml", asked)

    def test_relative_to_robots(self):
        self.serve({"robots.txt": "Sitemap: map.xml\n", "blog/post.html": PAGE.format("i"), "p.html": PAGE.format("p"),
                    "map.xml": urlset(("p.html", ""))})
        self.assertEqual(self.paths(self.pages("--scope", "host", start="/blog/post.html")),
                         {"blog/post.html", "p.html"})

    def test_sitemaps_come_before_pages(self):
        self.serve({"index.html": "<a href=a.html>a</a>", "a.html": PAGE.format("a"), "b.html": PAGE.format("b"),
                    "c.html": PAGE.format("c"),
                    "sitemap.xml": urlset(("{root}/b.html", "<priority>0.1</priority>"),
                                          ("{root}/c.html", "<priority>0.9</priority>"))})
        self.pages("--per-host", "1", "--workers", "1")
        self.assertEqual(self.asked(), ["/robots.txt", "/", "/sitemap.xml", "/c.html", "/a.html", "/b.html"])

    def test_scope_and_patterns_hold(self):
        self.serve({"index.html": PAGE.format("i"), "p.html": PAGE.format("p"), "q.html": PAGE.format("q"),
                    "sitemap.xml": urlset(("{root}/p.html", ""), ("{root}/q.html", ""), ("{b}/x.html", ""))},
                   others={"b.localhost": {"x.html": PAGE.format("x")}})
        self.assertEqual(self.paths(self.pages("--exclude", "q[.]html", "--scope", "host")), {"", "p.html"})
        self.assertEqual(self.asked("b.localhost"), [])

    ALTERNATES = "".join(f'<xhtml:link rel="alternate" hreflang="{lang}" href="{{root}}/{path}"/>'
                         for lang, path in (("de", "de.html"), ("en", "en.html"), ("x-default", "en.html")))

    def test_translations_are_found_as_pages(self):
        self.serve({"index.html": PAGE.format("i"), "de.html": PAGE.format("d"), "en.html": PAGE.format("e"),
                    "sitemap.xml": urlset(("{root}/de.html", self.ALTERNATES),
                                          ("{root}/", '<xhtml:link rel="alternate" href="{b}/x.html"/>'))},
                   others={"b.localhost": {"x.html": PAGE.format("x")}})
        records = self.pages("--scope", "host", "--allow-private", "--exclude", "nothing")
        self.assertEqual(self.paths(records), {"", "de.html", "en.html"})
        self.assertEqual([r["depth"] for r in records if r["url"].endswith("en.html")], [1])
        self.assertEqual(self.asked("b.localhost"), [])
        self.assertIn("1 asked, 6 URLs in them", self.result.stderr)

    def test_images_and_videos_are_parts_of_their_page(self):
        """Images and videos are fetched with --requisites from any host, otherwise not at all. A player is a page if it
        is in scope."""
        image = "<image:image><image:loc>{b}/1.png</image:loc></image:image>"
        video = ("<video:video><video:thumbnail_loc>/t.png</video:thumbnail_loc><video:content_loc>{b}/v.mp4"
                 "</video:content_loc><video:player_loc>/player.html</video:player_loc></video:video>"
                 "<video:video><video:player_loc>{b}/frame.html</video:player_loc></video:video>")
        self.serve({"index.html": PAGE.format("i"), "t.png": "t", "p.html": PAGE.format("p"),
                    "player.html": PAGE.format("player"), "sitemap.xml": urlset(("{root}/p.html", image + video))},
                   others={"b.localhost": {"1.png": "i", "v.mp4": "v",
                                           "frame.html": "<a href=no.html>no</a><img src=f.png>", "f.png": "f"}})
        options = ("--scope", "host", "--allow-private")
        self.assertEqual(self.paths(self.pages(*options)), {"", "p.html", "player.html"})
        records = self.pages(*options, "--requisites", "--overwrite")
        self.assertEqual(self.paths(records), {"", "p.html", "player.html", "t.png", "1.png", "v.mp4", "frame.html",
                                               "f.png"})
        self.assertEqual(self.paths(r for r in records if r.get("requisite")),
                         {"t.png", "1.png", "v.mp4", "frame.html", "f.png"})
        report = self.crawl("report", "pages.jsonl")
        self.assertEqual(report.status, 0, report.stderr)
        self.assertNotIn("1.png", report.stdout)  # not a page, and so no orphan

    def test_sitemap_of_another_host(self):
        self.serve({"robots.txt": "Sitemap: {b}/map.xml\n", "index.html": PAGE.format("i"), "p.html": PAGE.format("p")},
                   others={"b.localhost": {"robots.txt": "User-agent: *\nDisallow: /no",
                                           "map.xml": urlset(("{root}/p.html", "")), "index.html": PAGE.format("b")}})
        self.assertEqual(self.paths(self.pages("--scope", "host", self.nginx.url("b.localhost", "/"))), {"", "p.html"})
        self.assertEqual(sorted(self.asked("b.localhost")), ["/", "/map.xml", "/robots.txt", "/sitemap.xml"])

    def test_a_private_host_that_only_a_robots_txt_names(self):
        self.serve({"robots.txt": "Sitemap: {b}/map.xml\n", "index.html": PAGE.format("i"), "p.html": PAGE.format("p")},
                   others={"b.localhost": {"map.xml": urlset(("{root}/p.html", ""))}})
        self.assertEqual(self.paths(self.pages()), {""})
        self.assertEqual(self.asked("b.localhost"), [])

    FEED = "<rss><channel><link>/</link><item><link>{root}/p.html</link></item></channel></rss>"
    PLACES = ["/feed", "/feed/", "/rss", "/rss.xml", "/atom.xml", "/feed.xml", "/index.xml", "/feeds/posts/default",
              "/blog/feed", "/?feed=rss2"]

    def test_a_feed_at_the_fourth_place(self):
        """The first place is a page, the second forbidden by robots.txt, the third not a feed. The fifth is not
        requested."""
        self.serve({"robots.txt": "User-agent: *\nDisallow: /feed/\n", "index.html": PAGE.format("i"),
                    "p.html": PAGE.format("p"), "no.html": PAGE.format("no"), "rss.xml": self.FEED,
                    "atom.xml": self.FEED, "rss": "{root}/no.html\n"},
                   "location = /feed { default_type text/html; return 200 '<html><a href=no.html>no</a></html>'; }")
        records = self.pages("--no-sitemaps", "--find-feeds")
        self.assertEqual(self.paths(records), {"", "p.html"})
        self.assertEqual([r["parent"] for r in records if r["url"].endswith("p.html")],
                         [self.nginx.url("a.localhost", "/rss.xml")])
        places = [uri for uri in self.asked() if uri in self.PLACES]
        self.assertEqual(places, ["/feed", "/rss", "/rss.xml"])
        self.assertIn("  feeds     1 found, 3 places asked\n", self.result.stderr)

    def test_no_feed_anywhere(self):
        """Each place is requested once, only on the seeds' hosts. A missing one is not a broken link."""
        self.serve({"index.html": "<a href={b}/>b</a>", "p.html": PAGE.format("p")},
                   others={"b.localhost": {"index.html": PAGE.format("b")}})
        records = self.pages("--no-sitemaps", "--find-feeds", "--scope", "any", "--allow-private", "--links",
                             "links.jsonl", self.nginx.url("a.localhost", "/p.html"))
        self.assertEqual([r["status"] for r in records], [200] * 3)
        self.assertEqual([uri for uri in self.asked() if uri in self.PLACES], self.PLACES)
        self.assertEqual(sorted(self.asked("b.localhost")), ["/", "/robots.txt"])
        report = self.crawl("report", "--links", "links.jsonl", "--fail-on", "broken", "pages.jsonl")
        self.assertEqual(report.status, 0, report.stdout + report.stderr)

    def test_feeds_are_not_looked_for_unless_asked(self):
        self.serve({"index.html": PAGE.format("i"), "feed": self.FEED, "p.html": PAGE.format("p")})
        self.assertEqual(self.paths(self.pages()), {""})
        self.assertEqual(self.asked().count("/feed"), 0)
        self.assertEqual(self.paths(self.pages("--find-feeds", "--depth", "0", "--overwrite")), {""})
        self.assertEqual(self.asked().count("/feed"), 0)

    def test_places_of_feeds_that_redirect(self):
        """Redirects within the host to a new URL are followed; otherwise the next place is requested."""
        self.serve({"index.html": PAGE.format("i"), "p.html": PAGE.format("p"), "real.xml": self.FEED},
                   "location = /feed { return 301 http://b.localhost:$server_port/; } "
                   "location = /feed/ { return 302 /none; } location = /rss { return 302 /none; } "
                   "location = /rss.xml { return 301 /real.xml; }", others={"b.localhost": {"index.html": self.FEED}})
        self.assertEqual(self.paths(self.pages("--no-sitemaps", "--find-feeds", "--allow-private")), {"", "p.html"})
        self.assertEqual(self.asked("b.localhost"), [])
        self.assertEqual([uri for uri in self.asked() if uri not in ("/", "/robots.txt", "/p.html")],
                         ["/feed", "/feed/", "/none", "/rss", "/rss.xml", "/real.xml"])

    def test_depth_of_nothing_but_seeds(self):
        self.serve({"index.html": PAGE.format("i"), "p.html": PAGE.format("p"),
                    "sitemap.xml": urlset(("{root}/p.html", ""))})
        self.assertEqual(self.paths(self.pages("--depth", "0")), {""})
        self.assertNotIn("/sitemap.xml", self.asked())

    def test_redirects_and_rubbish(self):
        self.serve({"robots.txt": "Sitemap: {root}/old.xml\nSitemap: {root}/page.html\nSitemap: mailto:a\nSitemap: "
                                  "{root}/loop.xml\n",
                    "index.html": PAGE.format("i"), "p.html": PAGE.format("p"), "page.html": PAGE.format("page"),
                    "new.xml": urlset(("{root}/p.html", ""))},
                   "location = /old.xml { return 301 /new.xml; } location = /loop.xml { return 302 "
                   "/loop.xml?a$request_uri; }")
        self.assertEqual(self.paths(self.pages()), {"", "p.html"})
        self.assertLess(len([path for path in self.asked() if path.startswith("/loop.xml")]), 8)

    def test_indexes_nest_to_a_level(self):
        files = {f"{n}.xml": index(f"{{root}}/{n + 1}.xml") for n in range(6)}
        self.serve({"robots.txt": "Sitemap: {root}/0.xml\n", "index.html": PAGE.format("i"), **files})
        self.pages()
        self.assertEqual([path for path in self.asked() if path[1:2].isdigit()], ["/0.xml", "/1.xml", "/2.xml"])

    def test_a_page_may_be_a_sitemap_too(self):
        self.serve({"index.html": "<a href=sitemap.xml>map</a>", "p.html": PAGE.format("p"),
                    "sitemap.xml": urlset(("{root}/p.html", ""))})
        self.assertEqual(self.paths(self.pages()), {"", "p.html", "sitemap.xml"})
        self.assertEqual(self.asked().count("/sitemap.xml"), 2)

    def test_sitemaps_that_find_the_queue_full_do_not_count(self):
        """A site has 1,000 sitemaps; those dropped because of crawl.max_queued leave their room to later ones."""
        self.serve({"robots.txt": "Sitemap: {root}/index.xml\n", "index.html": PAGE.format("i"),
                    "p.html": PAGE.format("p"),
                    "index.xml": index(*(f"{{root}}/{n}.xml" for n in range(1100))),
                    "0.xml": index("{root}/later.xml"), "later.xml": urlset(("{root}/p.html", ""))})
        self.assertEqual(self.paths(self.pages("--workers", "1", "--per-host", "1", "--set", "crawl.max_queued=5")),
                         {"", "p.html"})
        self.assertIn("left out by crawl.max_queued", self.result.stderr)

    def test_part_of_a_line_is_no_url(self):
        """The last line of a body that was cut, and of compressed data that ends too soon."""
        lines = "".join(f"{{root}}/{n}-{'x' * 50}.html\n" for n in range(100))
        self.serve({"robots.txt": "Sitemap: {root}/cut.txt\n", "index.html": PAGE.format("i"), "cut.txt": lines})
        self.pages("--set", "fetch.max_body=4KiB")
        asked = [path for path in self.asked() if "-" in path]
        self.assertGreater(len(asked), 20)
        self.assertEqual([path for path in asked if not path.endswith("x.html")], [])

    def test_what_was_not_read_is_said(self):
        self.serve({"robots.txt": "User-agent: *\nDisallow: /no\n" + "".join(f"Sitemap: {{root}}/{name}\n" for name in (
                        "many.txt", "large.xml", "broken.xml", "page.html", "gone.xml", "no/1.xml",
                        "index.xml", "dates.xml")),
                    "dates.xml": urlset(("{root}/p.html", "<lastmod>26.11.2026</lastmod>")),
                    "index.html": PAGE.format("i"), "page.html": PAGE.format("page"), "p.html": PAGE.format("p"),
                    "many.txt": "\n".join(f"http://x.localhost/{n}" for n in range(50001)),
                    "large.xml": urlset(("{root}/p.html", "")) + " " * 5000000,
                    "broken.xml": urlset(("{root}/p.html", ""))[:-9],
                    "index.xml": index("http://x.localhost/2.xml")})
        self.assertEqual(self.paths(self.pages("--set", "fetch.max_body=4MiB", "--scope", "host")), {"", "p.html"})
        named = {fault: self.nginx.url("a.localhost", path) for fault, path in
                 {"broken": "/broken.xml", "none": "/page.html", "failed": "/gone.xml",
                  "dates": "/dates.xml"}.items()}
        for fault, url in named.items():
            self.assertRegex(self.result.stderr, rf" 1 {fault} \({url}\)")
        self.assertRegex(self.result.stderr, r"of sitemaps 2 cut \(first .*/(many.txt|large.xml)\)")
        self.assertRegex(self.result.stderr, r" 2 refused \(first .*/(no/1.xml|2.xml)\)")
        # a missing sitemap.xml does not count as an unread one, even if a redirect says so
        for extra in ("", "location = /sitemap.xml { return 301 /404; }"):
            self.serve({"index.html": PAGE.format("i"), "robots.txt": ""}, extra)
            self.pages()
            self.assertNotIn("unread", self.result.stderr)
        self.assertEqual(self.asked().count("/404"), 1)

    def test_a_large_file_that_is_none_is_not_called_cut(self):
        self.serve({"robots.txt": "Sitemap: {root}/words.txt\n", "index.html": PAGE.format("i"),
                    "words.txt": "no URL at all\n" * 1000})
        self.pages("--set", "fetch.max_body=4KiB", "--scope", "host")
        self.assertRegex(self.result.stderr, r"1 none \(.*/words.txt\)")

    def test_pauses_hold_for_sitemaps(self):
        self.serve({"index.html": PAGE.format("i"), "p.html": PAGE.format("p"),
                    "sitemap.xml": urlset(("{root}/p.html", ""))})
        self.pages("--set", "politeness.delay=300ms", "--requests", "requests.jsonl")
        starts = [request.start for request in self.nginx.requests("a.localhost")]
        self.assertEqual(len(starts), 4)
        self.expect_pauses(0.3, starts)


class Site(harness.OwnServer):
    """A site whose pages are alike except the first, and a sitemap of them at `place`, which is answered when `held` is
    set."""
    PAGES = 8

    def __init__(self, place):
        self.place = place
        self.held = threading.Event()
        self.began = threading.Event()
        self.asked = []
        super().__init__(Answers)

    def url(self, path):
        return super().url("a.localhost", path)

    def stop(self):
        self.held.set()
        super().stop()


class Answers(harness.Handler):
    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path == self.server.place:
            self.server.began.set()
            self.server.held.wait(60)
            self.answer(200, urlset(*((self.server.url(f"/{n}"), "") for n in range(Site.PAGES))),
                        "Content-Type: text/xml")
        elif self.path == "/start":
            self.answer(200, f"<a href={self.server.place}>map</a>")
        else:
            self.answer(200 if self.path[1:].isdigit() else 404, "")


class InFlight(harness.TestCase):
    """A sitemap that is in flight when the crawl ends, and arrives within the seconds that transfers have then."""

    def begin(self, place, starts, *options):
        self.site = self.serve(Site(place))
        process = self.start("--state", "st", "--delay", "0", "--sitemaps", "--output", "pages.jsonl", *options,
                             *map(self.site.url, starts))
        self.assertTrue(self.site.began.wait(30))
        return process

    def expect_all(self, process, status):
        """Checks that the crawl has ended with the sitemap read, and that the next run fetches its URLs without
        requesting it again."""
        self.site.held.set()
        stderr = process.communicate()[1]
        self.assertEqual(process.returncode, status, stderr)
        self.assertEqual(self.crawl("--state", "st", "--max-pages", "0").status, 0)
        paths = {record["url"].rsplit("/", 1)[1] for record in self.records("pages.jsonl")}
        self.assertTrue(paths >= {str(n) for n in range(Site.PAGES)}, paths)
        self.assertEqual(self.site.asked.count(self.site.place), 1)

    def test_at_the_last_page(self):
        process = self.begin("/sitemap.xml", ("/0", "/1"), "--depth", "1", "--max-pages", "2")
        self.wait_for(lambda: os.path.exists(self.path("pages.jsonl")) and len(self.records("pages.jsonl")) == 2)
        self.expect_all(process, 0)

    def test_page_that_is_a_sitemap_at_a_signal(self):
        process = self.begin("/list.xml", ("/start",))
        process.send_signal(signal.SIGINT)
        self.wait_for(lambda: not self.has_pending_signals(process))
        self.expect_all(process, 3)

    @staticmethod
    def has_pending_signals(process):
        """Returns True while a signal is pending, that is until the process takes it: proc(5), /proc/[pid]/status."""
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        return any(int(mask, 16) for mask in re.findall(r"^(?:SigPnd|ShdPnd):\s*(\w+)", status, re.M))


class Keys(harness.TestCase):
    """[seen] canonical, fingerprint and drop_params decide which pages are the same, and never which URL is fetched."""

    def setUp(self):
        super().setUp()
        site = self.make_site({"index.html": "<a href='p.html?a=1&utm_source=x'>1</a> <a "
                                             "href='p.html?utm_source=y&a=1'>2</a> <a href='p.html?a=2'>3</a>",
                               "p.html": PAGE.format("p")})
        self.nginx = self.start_nginx({"a.localhost": site})
        self.addCleanup(self.nginx.stop)

    def pages(self, *args):
        result = self.crawl("--delay", "0", "--per-host", "1", "--workers", "1", "--output", "pages.jsonl", *args,
                            self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        return {record["url"].split("/", 3)[3]: record for record in self.records("pages.jsonl")}

    def test_dropped_parameters(self):
        self.assertEqual(len(self.pages()), 4)
        pages = self.pages("--drop-params", "utm_*")
        self.assertEqual(set(pages), {"", "p.html?a=1&utm_source=x", "p.html?a=2"})
        self.assertTrue(pages["p.html?a=1&utm_source=x"]["canonical"].endswith("/p.html?a=1"))
        self.assertIn("/p.html?a=1&utm_source=x", [request.uri for request in self.nginx.requests("a.localhost")])

    def test_fingerprints_are_those_of_the_tool(self):
        for kind in ("default", "scrapy-2.6", "scrapy-2.7"):
            pages = self.pages("--set", f"seen.fingerprint={kind}")
            for record in pages.values():
                row = json.dumps({"input": record["url"], "fingerprint": kind})
                answer = json.loads(self.crawl("url", "--jsonl", stdin=row + "\n").stdout)
                self.assertEqual((record["fingerprint"], record["canonical"]),
                                 (answer["fingerprint"], answer["canonical"]))

    def test_a_list_that_is_none(self):
        result = self.crawl("--drop-params", "a*b", self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 2)
        self.assertIn("seen.drop_params: a*b", result.stderr)


if __name__ == "__main__":
    harness.main()
