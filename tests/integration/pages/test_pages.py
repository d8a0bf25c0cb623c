"""Tests which kinds of documents and which headers with links both extractors follow."""
import http.server
import threading

import harness

HTML = "text/html; charset=utf-8"
XMLNS = "http://www.w3.org/1999/xhtml"
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:base="/atom/"><title>An Atom feed</title>
<link rel="self" href="/atom.xml"/><link rel="hub" href="/hub"/><entry><link href="1"/></entry><entry><link rel="enclosure" href="2.mp3"/></entry></feed>"""
RSS = """<rss version="2.0"><channel><title>An RSS feed</title><link>{root}/rss/home</link>
<item><link><![CDATA[{root}/rss/1?a&b]]></link><enclosure url="/rss/2.mp3"/></item></channel></rss>"""
XHTML = f"""<?xml version="1.0"?><html xmlns="{XMLNS}"><head><title>X</title><script src="s"/></head>
<body><textarea/><a href="/x/1">a</a><a href='/x/2'/></body></html>"""
SITEMAP = ('<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
           "<url><loc>{root}/map/1</loc></url></urlset>")
INDEX = """<sitemapindex><sitemap><loc>{root}/map.xml</loc></sitemap></sitemapindex>"""


class Site(harness.OwnServer):
    """Answers by a table, path -> (headers, body) or (headers, body, status), and records the requests. Other paths
    give an empty HTML page."""

    def __init__(self, pages):
        self.pages, self.asked, self.lock = pages, [], threading.Lock()
        super().__init__(Handler)

    @property
    def root(self):
        return self.url("a.localhost", "")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self.server.asked.append(self.path)
        headers, body, *status = self.server.pages.get(self.path, ({"Content-Type": HTML}, ""))
        if self.path in ("/robots.txt", "/sitemap.xml") and self.path not in self.server.pages:
            return self.answer(404, {}, b"")
        return self.answer(*(status or [200]), headers, body.replace("{root}", self.server.root).encode()
                           if isinstance(body, str) else body)

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, values in headers.items():
            for value in [values] if isinstance(values, str) else values:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Pages(harness.TestCase):
    def follow(self, pages, *args, start="/", status=0):
        """Crawls with each extractor. Returns the requests besides robots.txt, in any order, which must be the same for
        both."""
        asked = {}
        for extractor in ("scan", "libxml2"):
            site = Site(pages)
            result = self.crawl("--delay", "0", "--set", f"parse.html={extractor}", "--output", "pages.jsonl", *args,
                                site.root + start)
            site.stop()
            self.assertEqual(result.status, status, result.stderr)
            asked[extractor] = sorted(path for path in site.asked if path not in ("/robots.txt", start))
        self.assertEqual(asked["scan"], asked["libxml2"])
        self.by_path = {"/" + record["url"].split("/", 3)[3]: record for record in self.records("pages.jsonl")}
        return asked["scan"]

    def one(self, headers, body="", *args):
        """Returns the pages that such a start page leads to."""
        return self.follow({"/": ({"Content-Type": HTML, **headers}, body)}, *args)

    def of_type(self, content_type, body, *args):
        return self.follow({"/": ({"Content-Type": content_type} if content_type else {}, body)}, *args)


class Documents(Pages):
    def test_atom(self):
        for content_type in ("application/atom+xml", "text/xml; charset=utf-8", "application/xml", "text/html", None):
            with self.subTest(content_type):
                self.assertEqual(self.of_type(content_type, ATOM), ["/atom/1"])
                self.assertEqual((self.by_path["/"]["title"], self.by_path["/"]["links"], self.by_path["/"]["new"]),
                                 ("An Atom feed", 4, 1))

    def test_rss(self):
        for content_type in ("application/rss+xml", "text/xml", "application/xml", "text/html"):
            with self.subTest(content_type):
                self.assertEqual(self.of_type(content_type, RSS), ["/rss/1?a&b", "/rss/home"])

    def test_xhtml_is_read_as_xml(self):
        for content_type in ("application/xhtml+xml", "text/xml", None):
            with self.subTest(content_type):
                self.assertEqual(self.of_type(content_type, XHTML), ["/x/1", "/x/2"])
        self.assertEqual(self.of_type(HTML, XHTML), [], "as HTML the script does not end")

    def test_what_has_no_links(self):
        body = "<html><a href=/a>a</a></html>"
        for content_type in ("text/plain", "application/octet-stream", "image/svg+xml", "application/json"):
            with self.subTest(content_type):
                self.assertEqual(self.of_type(content_type, body.replace("html", "svg")), [])
                self.assertIsNone(self.by_path["/"]["title"])

    def test_a_page_without_a_type(self):
        self.assertEqual(self.of_type(None, " \n<title>t</title><a href=/a>a</a>"), ["/a"])
        self.assertEqual(self.of_type(None, "text, and <a href=/a>a</a>"), [])

    def test_types_as_servers_spell_them(self):
        body = "<!doctype html><title>t</title><a href=/a>a</a>"
        for content_type in ("text/html;charset=utf-8", 'TEXT/HTML; charset="utf-8"', "text/html,charset=utf-8",
                             "text/html charset=utf-8", "text/plain, text/html", "html", "*/*", "unknown/unknown"):
            with self.subTest(content_type):
                self.assertEqual(self.of_type(content_type, body), ["/a"])
                record = self.by_path["/"]
                self.assertEqual((record["title"], record["content_type_header"]), ("t", content_type))
                self.assertEqual(record["content_type"], "text/html" if "text/html" in content_type.lower() else
                                 content_type if "unknown" in content_type else None)

    def test_two_lines_with_the_encoding_in_the_first(self):
        self.of_type(["text/plain", "text/html; charset=windows-1251", "text/html"], b"<title>\xcf\xf0</title>")
        self.assertEqual(self.by_path["/"]["title"], "\u041f\u0440")

    def test_a_content_coding_that_nobody_knows(self):
        for coding in ("utf-8", "binary", "aws-chunked", "x-none, utf-8"):
            with self.subTest(coding):
                self.assertEqual(self.one({"Content-Encoding": coding}, "<a href=/a>a</a>"), ["/a"])
                self.assertIsNone(self.by_path["/"]["error"])

    def test_a_length_beside_a_transfer_coding_that_is_none(self):
        for coding in ("identity", "none", "binary"):
            with self.subTest(coding):
                asked = self.one({"Transfer-Encoding": coding}, "<a href=/a>a</a>", "--timeout", "20s",
                                 "--max-time", "9s")
                self.assertEqual(asked, ["/a"], "the connection stays open")

    def test_bytes_of_headers(self):
        asked = self.one({"Link": "</l\xe9>; rel=next", "Refresh": "0; url=/r\xff?\xd6\xd0"})
        self.assertEqual(asked, ["/l%E9", "/r%FF?%D6%D0"])

    def test_charset_of_a_feed_shapes_its_queries(self):
        feed = '<?xml version="1.0" encoding="iso-8859-1"?><feed><link href="/p?q=\xe9"/></feed>'.encode("latin-1")
        self.assertEqual(self.of_type("application/atom+xml", feed), ["/p?q=%E9"])
        self.assertEqual(self.by_path["/"]["charset"], "windows-1252")

    def test_a_sitemap_that_a_page_links_to(self):
        pages = {"/": ({"Content-Type": HTML}, "<a href=/index.xml>map</a>"),
                 "/index.xml": ({"Content-Type": "application/xml"}, INDEX),
                 "/map.xml": ({"Content-Type": "text/xml"}, SITEMAP)}
        self.assertEqual(self.follow(pages, "--sitemaps"), ["/index.xml", "/map.xml", "/map/1", "/sitemap.xml"])
        self.assertEqual((self.by_path["/map/1"]["depth"], self.by_path["/index.xml"]["links"]), (2, 1))
        self.assertEqual(self.follow(pages, "--sitemaps", "--depth", "1"), ["/index.xml", "/sitemap.xml"])
        self.assertEqual(self.follow(pages), ["/index.xml"], "they are not asked for")

    def test_a_sitemap_that_says_nofollow(self):
        pages = {"/": ({"Content-Type": "text/xml", "X-Robots-Tag": "nofollow"}, SITEMAP)}
        self.assertEqual(self.follow(pages, "--sitemaps"), ["/sitemap.xml"])

    def test_feeds_lead_on_by_link_alone(self):
        self.assertEqual(self.of_type("application/atom+xml", ATOM, "--set", "parse.follow=a"), [])


class LinkHeader(Pages):
    def test_relations(self):
        header = ('</next>; rel=next, <style.css>; rel="preload stylesheet", <../up?a,b>; rel="start UP"; title="a, '
                  'b", <//other.example/>; rel=next,'
                  ' <norel>, </anchored>; rel=next; anchor="/elsewhere", </here>; rel=next; anchor="#part"')
        self.assertEqual(self.one({"Link": [header, "</second>; rel=canonical", "no link"]}),
                         ["/here", "/next", "/second", "/up?a,b"])
        self.assertEqual(self.by_path["/"]["links"], 8)
        self.assertEqual(self.by_path["/next"]["depth"], 1)

    def test_of_what_is_no_page(self):
        self.assertEqual(self.one({"Content-Type": "application/pdf", "Link": "</page.html>; rel=canonical"}, "%PDF"),
                         ["/page.html"])

    def test_relative_to_the_answer_and_not_to_its_base(self):
        self.assertEqual(self.one({"Link": "<p>; rel=next"}, "<base href=/b/><a href=p>p</a>"), ["/b/p", "/p"])

    def test_of_an_error_nothing_is_followed(self):
        headers = {"Content-Type": HTML, "Link": "</a>; rel=next", "Refresh": "0; url=/b"}
        self.assertEqual(self.follow({"/": (headers, "<a href=/c>c</a>", 404)}, status=1), [])
        self.assertEqual(self.by_path["/"]["status"], 404)

    def test_settings_of_link_elements(self):
        link = {"Link": "</next>; rel=next"}
        self.assertEqual(self.one(link, "", "--set", "parse.follow=a"), [])
        self.assertEqual(self.one(link, "", "--depth", "0"), [])
        self.assertEqual(self.one(link, "", "--exclude", "/next"), [])

    def test_nofollow(self):
        link = {"Link": '</a>; rel="next nofollow", </b>; rel=next'}
        self.assertEqual(self.one(link), ["/b"])
        self.assertEqual(self.one(link, "", "--no-obey-nofollow"), ["/a", "/b"])

    def test_a_header_made_to_be_long(self):
        links = ", ".join(f"</{n}>;rel=next" for n in range(1200))
        site = self.follow({"/": ({"Content-Type": HTML, "Link": links[:60000]}, "")}, "--max-pages", "3")
        self.assertEqual(len(site), 2)
        self.assertEqual(self.by_path["/"]["links"], 1000)


class Refresh(Pages):
    def test_where_to(self):
        self.assertEqual(self.one({"Refresh": "5; url=/later"}), ["/later"])
        self.assertEqual(self.by_path["/later"]["depth"], 1)
        self.assertEqual(self.one({"Refresh": "0;URL='quoted'"}), ["/quoted"])
        self.assertEqual(self.one({"Content-Type": "text/plain", "Refresh": "1; /plain"}), ["/plain"])

    def test_itself_or_none(self):
        self.assertEqual(self.one({"Refresh": "30"}), [])
        self.assertEqual(self.one({"Refresh": "soon; url=/a"}), [])

    def test_settings_of_meta_refresh(self):
        self.assertEqual(self.one({"Refresh": "0; url=/a"}, "<meta http-equiv=refresh content='0; url=/b'>", "--set",
                                  "parse.follow=a"), [])
        self.assertEqual(self.one({"Refresh": "0; url=/a"}, "<meta http-equiv=refresh content='0; url=/b'>"),
                         ["/a", "/b"])


class RobotsTag(Pages):
    BODY = "<a href=/a>a</a>"
    LINKS = {"Link": "</b>; rel=next", "Refresh": "0; url=/c"}

    def tagged(self, tag, *args):
        return self.one({"X-Robots-Tag": tag, **self.LINKS}, self.BODY, *args)

    def test_nofollow_closes_a_page_and_its_headers(self):
        for tag in ("nofollow", "none", "noarchive, NoFollow", "crawl: nofollow", ["noindex", "nofollow"],
                    "otherbot: noindex, crawl: none"):
            with self.subTest(tag):
                self.assertEqual(self.tagged(tag), [])
                self.assertIn("nofollow", self.by_path["/"]["robots"])

    def test_what_does_not(self):
        for tag in ("noindex", "otherbot: nofollow", "unavailable_after: 25 Jun 2030 15:00:00 PST", ""):
            with self.subTest(tag):
                self.assertEqual(self.tagged(tag), ["/a", "/b", "/c"])
        self.assertEqual(self.tagged("none", "--no-obey-nofollow"), ["/a", "/b", "/c"])
        self.assertEqual(self.by_path["/"]["robots"], ["noindex", "nofollow"])
        self.assertEqual(self.by_path["/a"]["robots"], [])

    def test_our_name_is_that_of_robots_txt(self):
        named = ("--set", "politeness.robots_agent=examplebot")
        self.assertEqual(self.tagged("ExampleBot: nofollow", *named), [])
        self.assertEqual(self.tagged("crawl: nofollow", *named), ["/a", "/b", "/c"])

    def test_of_feeds(self):
        self.assertEqual(self.follow({"/": ({"Content-Type": "application/atom+xml", "X-Robots-Tag": "nofollow"},
                                            ATOM)}), [])

    def test_meta_and_header_add_up(self):
        self.assertEqual(self.one({"X-Robots-Tag": "noindex", **self.LINKS}, "<meta name=robots content=nofollow>"
                                  + self.BODY), [])
        self.assertEqual(self.by_path["/"]["robots"], ["noindex", "nofollow"])

    def test_rel_nofollow(self):
        self.assertEqual(self.one({}, "<a rel=nofollow href=/a>a</a><a href=/b>b</a>"), ["/b"])


if __name__ == "__main__":
    harness.main()
