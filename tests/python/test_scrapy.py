"""Tests the Scrapy components against Scrapy's own: fingerprints, links argument by argument on real pages, and a crawl
on loopback with settings alone."""
import support

support.need("cffi", "scrapy")

import errno  # noqa: E402
import glob  # noqa: E402
import http.server  # noqa: E402
import io  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402
import warnings  # noqa: E402

import scrapy  # noqa: E402
from scrapy import Request, Spider  # noqa: E402
from scrapy.http import HtmlResponse, XmlResponse  # noqa: E402
from scrapy.linkextractors import LinkExtractor as ScrapysExtractor  # noqa: E402
from scrapy.settings import Settings  # noqa: E402
from scrapy.utils.test import get_crawler  # noqa: E402

import crawlfrontier  # noqa: E402
from crawlfrontier.scrapy import DupeFilter, LinkExtractor, RobotParser  # noqa: E402

warnings.simplefilter("ignore")

# Pages of Debian's python3-doc; small ones, since Scrapy's own extractor takes a second for a large one.
SMALL = (name for name in glob.glob("/usr/share/doc/python3.*/html/*/*.html") if os.path.getsize(name) < 30_000)
PAGES = sorted(SMALL)[::60]
BROKEN = b"""<base href="/d/"><a href=" x y ">a<b>b</a>
<a href="../z?q=1&amp;r=\xc3\xa9#f" rel="x nofollow">c</a><a>none</a>
<area href="z.PDF"><a href="a.tar.gz?x">d</a><a href="b.html;p.pdf">e</a><a href="javascript:go('n.html')">f</a>
<a href=//user@B.example:8080/p>g</a><img src=i.png><link rel=next href=n><frame src=fr><iframe src=if></iframe>
<a href="mailto:a@b">h</a><a href="?b=2&a=1">i</a><a href="?a=1&b=2">j</a><a href="?a=1&b=2#x">k</a><a href="#">l</a>
<script src=s.js>"<a href=no>"</script><!-- <a href=no> --><video src=v poster=p></video>
<a href="ftp://f.example/a">m</a>
<a href="?z;c=1">n</a><a href="?c=1&z">o</a><a href="p;q?b;a#f">p</a>"""

ARGUMENTS = {
    "nothing": {}, "allow": {"allow": r"/library/|q="}, "allow several": {"allow": (r"html$", re.compile("Z", re.I))},
    "deny": {"deny": [r"index", r"b=2"]}, "allow and deny": {"allow": "html", "deny": "genindex"},
    "allow_domains": {"allow_domains": "a.example"}, "deny_domains": {"deny_domains": ["A.example", "f.example"]},
    "restrict_css": {"restrict_css": "div.body, b"}, "restrict_xpaths": {"restrict_xpaths": "//li"},
    "restrict_text": {"restrict_text": "a"}, "tags": {"tags": "area"}, "tags several": {"tags": ("a", "link", "area")},
    "tags and attrs": {"tags": ("img", "script", "iframe", "frame"), "attrs": "src", "deny_extensions": ()},
    "one of two attrs": {"tags": "video", "attrs": "poster"}, "unknown attr": {"tags": "div", "attrs": "id"},
    "canonicalize": {"canonicalize": True}, "not unique": {"unique": False},
    "canonicalize, not unique": {"canonicalize": True, "unique": False},
    "deny_extensions": {"deny_extensions": ["html", "gz"]}, "no deny_extensions": {"deny_extensions": ()},
    "process_value": {"process_value": lambda url: None if "index" in url else url.replace("javascript:go('", "")[:-2]
                      if url.startswith("javascript:") else url},
    "not stripped": {"strip": False},
}


def page(name, body):
    return HtmlResponse(f"http://a.example/{os.path.basename(name)}", body=body, encoding="utf-8")


class Links(support.TestCase):
    def links(self, extractor, body, name):
        # Scrapy's URLs in the form of the URL standard: with "/" for an empty path.
        return [(crawlfrontier.resolve(link.url), link.fragment, link.nofollow)
                for link in extractor.extract_links(page(name, body))]

    def test_the_same_argument_by_argument(self):
        self.assertTrue(PAGES)
        # The libxml2 that later versions use reads broken pages differently.
        bodies = {"broken": BROKEN} if scrapy.version_info < (2, 12) else {}
        for name in PAGES:
            with open(name, "rb") as file:
                bodies[name] = file.read()
        found = 0
        for words, arguments in ARGUMENTS.items():
            ours, scrapys = LinkExtractor(**arguments), ScrapysExtractor(**arguments)
            for name, body in bodies.items():
                with self.subTest(words, page=name):
                    links = self.links(ours, body, name)
                    self.assertEqual(links, self.links(scrapys, body, name))
                    found += len(links)
        self.assertGreater(found, 1000)

    def test_texts_are_those_of_scrapy_without_white_space(self):
        for name in PAGES:
            with open(name, "rb") as file:
                body = file.read()
            both = (extractor().extract_links(page(name, body)) for extractor in (LinkExtractor, ScrapysExtractor))
            for ours, scrapys in zip(*both):
                text = " ".join(scrapys.text.split())
                if text:  # otherwise ours is the alt of an image, if there is one
                    self.assertEqual(ours.text, text.encode()[:256].decode(errors="ignore").rstrip())
        link, = LinkExtractor().extract_links(page("p", b"<a href=x><img alt='an image'></a>"))
        self.assertEqual(link.text, "an image")

    def test_the_encoding_is_that_of_the_response(self):
        for name, text in (("Shift_JIS", "日"), ("EUC-JP", "日本"), ("ISO-2022-JP", "中"), ("EUC-KR", "한국"),
                           ("Big5", "中文"), ("GB2312", "中文"), ("TIS-620", "ไทย"), ("macintosh", "é"),
                           ("ISO-8859-16", "ș"), ("windows-1251", "я")):
            with self.subTest(name):
                response = HtmlResponse("http://a.example/", body=f"<a href='/{text}?q={text}'>{text}</a>".encode(name),
                                        headers={"Content-Type": f"text/html; charset={name}"})
                ours, = LinkExtractor().extract_links(response)
                scrapys, = ScrapysExtractor().extract_links(response)
                self.assertEqual((ours.url, ours.text), (scrapys.url, scrapys.text))

    def test_what_the_html_standard_says_otherwise(self):
        # A <base> counts at any place; Scrapy looks at the first 4096 characters.
        late = b"<!--" + b"x" * 5000 + b"--><base href=http://b.example/><a href=x>x</a>"
        self.assertEqual([link.url for link in LinkExtractor().extract_links(page("p", late))], ["http://b.example/x"])
        # The words of rel are compared without case (HTML standard, 4.6.7).
        link, = LinkExtractor().extract_links(page("p", b"<a href=x rel=NoFollow>x</a>"))
        self.assertTrue(link.nofollow)
        # A URL without a path has the path "/" (URL standard, "path state").
        link, = LinkExtractor().extract_links(page("p", b"<a href=http://b.example>x</a>"))
        self.assertEqual(link.url, "http://b.example/")
        # Tabs and newlines inside a URL are removed.
        self.assertEqual([link.url for link in LinkExtractor().extract_links(page("p", b"<a href='x\n\ty'>x</a>"))],
                         ["http://a.example/xy"])

    def test_xml_is_scrapys(self):
        response = XmlResponse("http://a.example/", body=b"<r><a href='/x'>x</a></r>")
        self.assertEqual([link.url for link in LinkExtractor().extract_links(response)], ["http://a.example/x"])


class Seen(support.TestCase):
    def crawler(self, **settings):
        settings.setdefault("REQUEST_FINGERPRINTER_IMPLEMENTATION", "2.7")
        crawler = get_crawler(Spider, {**settings, "DUPEFILTER_CLASS": "crawlfrontier.scrapy.DupeFilter"})
        if getattr(crawler, "request_fingerprinter", None) is None:
            crawler._apply_settings()
        return crawler

    def requests(self):
        for url in ("http://a.example/?b=2&a=1#f", "http://a.example/\u00e9?x=%e9&y", "http://A.example:80/a/../b;p",
                    "data:,x", "file:///x", "http://[::1]/%7e?a=+&a=b+c", "http://a.example/?q=\ud7ff", "s3://b/k",
                    "http://a.example/p;q?b=1;a&;c"):
            yield Request(url)
            yield Request(url, method="post", body=b"a\0b")

    def test_fingerprints_are_scrapys_bit_for_bit(self):
        for implementation in ("2.6", "2.7"):
            crawler = self.crawler(REQUEST_FINGERPRINTER_IMPLEMENTATION=implementation)
            seen = DupeFilter.from_crawler(crawler)
            # From 2.12 on the setting is obsolete; the fingerprints are those of 2.7.
            made = implementation if scrapy.version_info < (2, 12) else "2.7"
            self.assertEqual(seen.fingerprints.kind, "scrapy-" + made)
            for request in self.requests():
                self.assertEqual(seen.fingerprints.of(request), crawler.request_fingerprinter.fingerprint(request),
                                 (implementation, request))

    def test_a_fingerprinter_of_ones_own_is_asked(self):
        class Own:
            def fingerprint(self, request):
                return b"0" * 20
        seen = DupeFilter(fingerprinter=Own())
        self.assertFalse(seen.request_seen(Request("http://a.example/1")))
        self.assertTrue(seen.request_seen(Request("http://a.example/2")))

    def test_a_class_of_ones_own_is_made_by_its_from_settings(self):
        class Own(DupeFilter):
            @classmethod
            def from_settings(cls, settings, **words):
                return super().from_settings(Settings({**settings, "CRAWLFRONTIER_SEEN": {"kind": "exact"}}), **words)

        class Old(DupeFilter):
            @classmethod
            def from_settings(cls, settings):
                return cls(seen={"kind": "exact"})

        for kind in Own, Old:
            seen = kind.from_crawler(self.crawler())
            self.assertEqual(seen.filter.kind, "exact")
            seen.close("finished")

    def test_kept_in_the_job_and_after_a_kill(self):
        settings = {"JOBDIR": self.folder, "CRAWLFRONTIER_SEEN": {"kind": "exact", "capacity": 1000}}
        first, second, third = (Request(f"http://a.example/{i}") for i in range(3))
        seen = DupeFilter.from_crawler(self.crawler(**settings))
        self.assertEqual(seen.filter.kind, "exact")
        self.assertFalse(seen.request_seen(first))
        seen.close("finished")
        seen = DupeFilter.from_crawler(self.crawler(**settings))
        self.assertTrue(seen.request_seen(first))
        self.assertFalse(seen.request_seen(second))
        seen._log.close()  # and not seen, as after a kill
        with open(self.path("seen.log"), "ab") as log:
            log.write(b"cut")
        crawler = self.crawler(**settings)
        seen = DupeFilter.from_crawler(crawler)
        self.assertTrue(seen.request_seen(first) and seen.request_seen(second))
        self.assertFalse(seen.request_seen(third))
        seen.close("finished")
        self.assertEqual(os.path.getsize(self.path("seen.log")), 0)
        self.assertEqual(crawler.stats.get_value("dupefilter/seen"), 3)
        self.assertLess(crawler.stats.get_value("dupefilter/expected_loss"), 1e-9)

        class Own:
            def fingerprint(self, request):
                return b"0" * 20
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "scrapy-2.7.*Own"):
            DupeFilter(self.folder, fingerprinter=Own())

    def test_a_full_disk_shifts_no_fingerprint(self):
        class Full(io.FileIO):
            """Takes 7 bytes, and then none."""
            room = 7

            def write(self, data):
                if not self.room:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                taken, self.room = data[:self.room], 0
                return super().write(taken)

        settings = {"JOBDIR": self.folder}
        lost, kept = (Request(f"http://a.example/{i}") for i in range(2))
        seen = DupeFilter.from_crawler(self.crawler(**settings))
        plain, seen._log = seen._log, Full(self.path("seen.log"), "a+b")
        with self.assertRaises(OSError):
            seen.request_seen(lost)
        seen._log.close()
        seen._log = plain
        self.assertFalse(seen.request_seen(kept))
        seen._log.close()  # a kill
        seen = DupeFilter.from_crawler(self.crawler(**settings))
        self.assertEqual((seen.request_seen(kept), seen.request_seen(lost)), (True, False))
        seen.close("finished")

    def test_a_job_of_scrapys_is_taken_over(self):
        crawler = self.crawler(JOBDIR=self.folder)
        requests = [Request(f"http://a.example/{i}") for i in range(100)]
        with open(self.path("requests.seen"), "w", encoding="ascii") as file:
            for request in requests[:99]:
                file.write(crawler.request_fingerprinter.fingerprint(request).hex() + "\n")
            file.write("00ff")
        seen = DupeFilter.from_crawler(crawler)
        self.assertEqual([seen.request_seen(request) for request in requests], [True] * 99 + [False])
        os.remove(self.path("seen.filter"))
        with open(self.path("requests.seen"), "a", encoding="ascii") as file:
            file.write("\nno fingerprint\n")
        with self.assertRaisesRegex(crawlfrontier.CorruptError, "requests.seen"):
            DupeFilter.from_crawler(crawler)


class Robots(support.TestCase):
    def test_rules(self):
        body = b"User-agent: example\nDisallow: /a\nAllow: /a/b\n\nUser-agent: *\nDisallow: /"
        robots = RobotParser.from_crawler(None, body)
        for agent, url, allowed in (("Example/1.0 (+http://x)", "http://a.example/a", False),
                                    ("example", "http://a.example/a/b", True), (b"example", "http://a.example/", True),
                                    ("other/1", "http://a.example/a/b", False), ("", "http://a.example/x", False),
                                    ("other", "no url", True)):
            self.assertIs(robots.allowed(url, agent), allowed, (agent, url))


SPIDER = """
import sys, json, os, signal
from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from crawlfrontier.scrapy import LinkExtractor

class Site(Spider):
    name = "site"
    start_urls = [sys.argv[1]]
    links = LinkExtractor()

    def parse(self, response):
        print(response.url, flush=True)
        for link in self.links.extract_links(response):
            yield Request(link.url)

process = CrawlerProcess({**json.loads(sys.argv[2]), "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False,
                          "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7"})
crawler = process.create_crawler(Site)
process.crawl(crawler)
process.start()
print(json.dumps({name: value for name, value in crawler.stats.get_stats().items() if isinstance(value, (int, float))}))
"""


class Site(http.server.BaseHTTPRequestHandler):
    """Serves pages /0 to /99 as a heap, each linked from several others; /robots.txt forbids /13."""

    def do_GET(self):
        number = self.path.strip("/")
        first = 2 * int(number) + 1 if number.isdigit() else 1
        body = "User-agent: *\nDisallow: /13\n" if number == "robots.txt" else "".join(
            f"<a href=/{child}>x</a>" for child in (first, first + 1, 0) if child < 100)
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if number == "robots.txt" else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        pass


class Crawl(support.TestCase):
    def test_by_settings_alone(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}"
        settings = {"DUPEFILTER_CLASS": "crawlfrontier.scrapy.DupeFilter", "JOBDIR": self.path("job"),
                    "ROBOTSTXT_PARSER": "crawlfrontier.scrapy.RobotParser", "ROBOTSTXT_OBEY": True}

        def crawl():
            done = subprocess.run([sys.executable, "-c", SPIDER, root + "/0", json.dumps(settings)],
                                  capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            *urls, stats = done.stdout.splitlines()
            return urls, json.loads(stats)
        urls, stats = crawl()
        forbidden = {13, 27, 28, 55, 56, 57, 58}  # and the pages linked only from there
        # /0 comes twice: Scrapy does not mark start requests as seen.
        numbers = [0, *(number for number in range(100) if number not in forbidden)]
        self.assertEqual(sorted(urls), sorted(f"{root}/{number}" for number in numbers))
        self.assertEqual((stats["dupefilter/seen"], stats["robotstxt/forbidden"]), (94, 1))
        self.assertEqual(crawl()[0], [root + "/0"])  # start requests are not filtered; all others were seen


if __name__ == "__main__":
    support.main()
