"""Tests pages, robots.txt and sitemaps from Python."""
import support

support.need("cffi")

import gc  # noqa: E402
import gzip  # noqa: E402
import threading  # noqa: E402

import crawlfrontier  # noqa: E402
from crawlfrontier import extract_links, parse_page, parse_robots, sitemap  # noqa: E402

BASE = "http://a.example/d/"


class Pages(support.TestCase):
    def test_links_in_order(self):
        html = ("<base href=/e/><a href='x?b&amp;c' rel='nofollow me'>one <b>two</b></a><area href=#f><img src=i.png>"
                "<a href='http://:0'>none</a><iframe src=//b.example></iframe>"
                "<meta http-equiv=refresh content='1;url=r'>")
        links = extract_links(html, BASE, text=True)
        urls = ["http://a.example/e/x?b&c", "http://a.example/e/#f", "http://b.example/", "http://a.example/e/r"]
        self.assertEqual([link.url for link in links], urls)
        self.assertEqual(links[0], ("a", "href", "http://a.example/e/x?b&c", "nofollow me", True, "one two"))
        self.assertEqual([link.tag for link in links], ["a", "area", "iframe", "meta"])
        self.assertEqual([link.url for link in extract_links(html, BASE, tags=["img"])], ["http://a.example/e/i.png"])
        self.assertEqual(extract_links("<a href=x>", None), [])
        self.assertEqual(len(extract_links("<a href=http://a.example>", None)), 1)
        with self.assertRaises(crawlfrontier.InvalidError):
            extract_links(html, BASE, tags=["marquee"])
        with self.assertRaises(crawlfrontier.ParseError):
            extract_links(html, "no base")

    def test_encodings(self):
        html = "<a href='/é?é'>é</a>"
        for name, text, charset in (("str", html, None), ("declared", html.encode("latin-1"), "latin1"),
                                    ("meta", b"<meta charset=latin1>" + html.encode("latin-1"), None)):
            with self.subTest(name):
                link, = extract_links(text, BASE, charset=charset, text=True)
                self.assertEqual(link.text, "é")
                query = "%C3%A9" if name == "str" else "%E9"
                self.assertEqual(link.url, "http://a.example/%C3%A9?" + query)

    def test_what_a_page_says(self):
        page = parse_page("<title> A\n b</title><meta name=robots content=nofollow><meta name=x content=noindex>"
                          "<link rel=canonical href=/c><meta http-equiv=refresh content='2; url=r'><p>text", BASE,
                          text=True, agent="x")
        self.assertEqual((page.title, page.base, page.charset, page.text), ("A b", BASE, "utf-8", "text"))
        self.assertEqual((page.canonical, page.refresh, page.cut), ("/c", (2.0, "r"), False))
        self.assertTrue(page.nofollow and page.noindex)
        empty = parse_page(b"")
        self.assertEqual((empty.links, empty.base, empty.refresh, empty.text), ([], None, None, ""))

    def test_feeds(self):
        feed = "<rss><channel><item><link>/a</link></item></channel></rss>"
        self.assertEqual([link.url for link in extract_links(feed, BASE, document="feed")], ["http://a.example/a"])

    def test_more_links_than_are_kept(self):
        page = parse_page("<a href=x>" * 100_001, BASE)
        self.assertEqual((len(page.links), page.cut), (100_000, True))

    def test_threads_have_pages_of_their_own(self):
        wrong = []

        def run(number):
            html = f"<a href={number}>" * 50
            for _ in range(200):
                if {link.url for link in extract_links(html, BASE)} != {f"{BASE}{number}"}:
                    wrong.append(number)
        threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_nothing_is_kept(self):
        html = b"<title>t</title><a href=x>y</a>" * 3

        def some(count):
            for _ in range(count):
                extract_links(html, BASE, text=True)
                parse_robots(b"Disallow: /", "")
            for _ in range(count // 20):
                sitemap(b"http://a.example/\n")
            gc.collect()
        some(2000)
        before = support.resident()
        some(100_000)
        self.assertLess(support.resident() - before, 8 << 20)


class Robots(support.TestCase):
    BODY = ("user-agent: bot\nDisallow: /a # no\nAllow: /a/b$\n\nUser-agent: *\nDisallow: /\n"
            "Sitemap: http://a.example/s\n")

    def test_verdicts(self):
        robots = parse_robots(self.BODY, "BOT")
        self.assertEqual(robots.check("http://a.example/a/x"), (False, 2, "Disallow: /a"))
        self.assertEqual(robots.check("http://a.example/a/b"), (True, 3, "Allow: /a/b$"))
        self.assertEqual(robots.check("http://a.example/c"), (True, 0, ""))
        self.assertFalse(parse_robots(self.BODY.encode(), "").allowed("http://a.example/c"))
        self.assertEqual((robots.sitemaps, robots.crawl_delay), (["http://a.example/s"], None))
        self.assertEqual(parse_robots("User-agent: *\nCrawl-delay: 1.5", "x").crawl_delay, 1.5)
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "agent 'a b'"):
            parse_robots("", "a b")
        with self.assertRaises(crawlfrontier.ParseError):
            robots.allowed("no url")

    def test_agents(self):
        for text, token in (("", ""), ("a_b-c/1", "a_b-c"), ("Bot", "Bot"), ("1bot", ""), ("é", ""), (b"x y", "x"),
                            ("Mozilla/5.0 (compatible; mybot/1.0)", "mybot"), ("Mozilla/5.0 (X11)", "")):
            self.assertEqual(crawlfrontier.agent_token(text), token)


class Sitemaps(support.TestCase):
    def test_entries(self):
        xml = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
            <url><loc>/a</loc><lastmod>1970-01-01T00:01:00Z</lastmod><changefreq>daily</changefreq>
            <priority>0.8</priority></url><url><loc>mailto:x</loc></url><url><loc>http://b.example/</loc></url>
            </urlset>"""
        for name, data in (("whole", xml), ("str", xml.decode()), ("gzip", gzip.compress(xml)),
                           ("pieces", (xml[i:i + 7] for i in range(0, len(xml), 7)))):
            with self.subTest(name):
                found = sitemap(data, "http://a.example/sitemap.xml")
                self.assertEqual(found.entries, [("http://a.example/a", False, 60.0, "daily", 0.8, (), None),
                                                 ("http://b.example/", False, None, None, 0.5, (), None)])
                self.assertEqual((found.type, found.skipped, found.full, found.broken), ("urlset", 1, False, False))

    def test_links_and_news(self):
        xml = b"""<urlset><url><loc>http://a.example/</loc><xhtml:link rel="alternate" hreflang="de" href="/de"/>
            <image:image><image:loc>/i.png</image:loc></image:image><news:news><news:title>T</news:title>
            <news:publication_date>1970-01-02</news:publication_date></news:news></url></urlset>"""
        entry = sitemap(xml, "http://a.example/sitemap.xml").entries[0]
        self.assertEqual(entry.links, (("alternate", "http://a.example/de", "de"),
                                       ("image", "http://a.example/i.png", None)))
        self.assertEqual(entry.news, (None, None, "T", 86400.0))

    def test_a_str_is_read_as_it_is(self):
        for declared in ("", '<?xml version="1.0" encoding="ISO-8859-1"?>', '<?xml version="1.0" encoding="UTF-16"?>'):
            found = sitemap(declared + "<urlset><url><loc>http://a.example/\u00e9</loc></url></urlset>")
            self.assertEqual([entry.url for entry in found.entries], ["http://a.example/%C3%A9"])
        self.assertEqual(sitemap("http://a.example/1\nhttp://a.example/2").entries[0].url, "http://a.example/1")
        self.assertEqual(extract_links("<a href='/\ud83d'>", "http://a.example/")[0].url,
                         "http://a.example/%EF%BF%BD")

    def test_what_is_none_or_too_much(self):
        self.assertEqual(sitemap(b"<html>").type, "unknown")
        self.assertEqual(sitemap(b"").entries, [])
        self.assertTrue(sitemap(b"<urlset><url><loc>http://a.example/</loc>").broken)
        index = sitemap(b"<sitemapindex><sitemap><loc>http://a.example/s</loc></sitemap></sitemapindex>")
        self.assertEqual((index.type, index.entries[0].is_sitemap), ("index", True))
        lines = b"".join(b"http://a.example/%d\n" % i for i in range(10))
        found = sitemap(lines, max_entries=3)
        self.assertEqual((len(found.entries), found.full, found.type), (3, True, "text"))


if __name__ == "__main__":
    support.main()
