"""Tests pages rendered for Scrapy: the spider's responses, and that only Scrapy sends requests to the site, by its
usual rules."""
import support

support.need("cffi", "scrapy")

import json  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402

import rendering  # noqa: E402
import site_server  # noqa: E402
from scrapy import Request, Spider  # noqa: E402
from scrapy.utils.test import get_crawler  # noqa: E402

import crawlfrontier  # noqa: E402
from crawlfrontier.scrapy import RenderMiddleware  # noqa: E402

ASYNCIO = {"TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor"}
SPIDER = """
import sys, json
from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.downloadermiddlewares import cookies
import crawlfrontier.scrapy  # which leaves the choice of the reactor to the settings

class Pages(Spider):
    name = "pages"

    def start_requests(self):
        for url in json.loads(sys.argv[1]):
            yield Request(url, meta={"render": True, "screenshot": "picture" in url}, dont_filter=True)

    def parse(self, response):
        rendered = response.meta.get("rendered")
        print(json.dumps({
            "url": response.url, "flags": response.flags, "links": response.css("a::attr(href)").getall(),
            "text": response.css("p::text").get(), "failed": response.meta.get("render_failed"),
            "more": rendered and rendered.links, "picture": rendered and rendered.screenshot[:4].decode("latin-1"),
            "parts": rendered and [part.fate for part in rendered.parts]}))

cookies._is_public_domain = lambda domain: False  # by a list that is asked of the network
process = CrawlerProcess({"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "REQUEST_FINGERPRINTER_IMPLEMENTATION":
                          "2.7", "DOWNLOADER_MIDDLEWARES": {"crawlfrontier.scrapy.RenderMiddleware": 540},
                          **json.loads(sys.argv[2])})
crawler = process.create_crawler(Pages)
process.crawl(crawler)
process.start()
print(json.dumps({name: value for name, value in crawler.stats.get_stats().items() if isinstance(value, (int, float))}))
"""
# A link that is not in the source, from a list that a script requests.
LIST = {"/": "<p id=p>\u00e9</p><script src=/list.js></script>", "/teas.json": '["green"]',
        "/list.js": "fetch('/teas.json').then(r=>r.json()).then(l=>p.insertAdjacentHTML('afterend',"
                    "'<a hr'+'ef=/tea/'+l[0]+'>x</a>'))"}


def script(text):
    return f"<!doctype html><p id=p></p><script>{text}</script>"


def asks(url):
    """Returns a page whose text shows the result of requesting a URL."""
    return script(f"fetch({url!r}).then(r=>r.text()).then(t=>p.append(t),()=>p.append('re'+'fused'))")


class Crawl(support.TestCase):
    @classmethod
    def setUpClass(cls):
        rendering.need_browser()

    def crawl(self, site, *paths, **settings):
        """Returns the pages that the spider got, and the stats."""
        done = subprocess.run([sys.executable, "-c", SPIDER, json.dumps([site.url + path for path in paths]),
                               json.dumps(settings)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        *pages, stats = (json.loads(line) for line in done.stdout.splitlines())
        return pages, stats

    def test_a_link_that_a_script_makes(self):
        for settings in ({}, ASYNCIO):
            with self.subTest(**settings):
                site = site_server.serve(self, LIST)
                (page,), stats = self.crawl(site, "/", USER_AGENT="eyes/1", **settings)
                self.assertEqual((page["flags"], page["links"], page["text"], page["parts"]),
                                 (["rendered"], ["/tea/green"], "\u00e9", ["200", "200"]))
                self.assertEqual((stats["render/rendered"], stats["render/parts"]), (1, 2))
                self.assertEqual(site.paths, ["/", "/list.js", "/teas.json"])
                self.assertEqual({asked.headers["User-Agent"] for asked in site.asked}, {"eyes/1"})

    def test_routes_pictures_and_answers_that_are_not_rendered(self):
        site = site_server.serve(self, {
            "/picture": script("history.pushState(0,'','/rou'+'te')"), "/old": (302, "/picture"), "/gone": (404, "<p>"),
            "/feed": (200, "<p>", ("Content-Type", "application/xml"))})
        pages, stats = self.crawl(site, "/picture", "/gone", "/feed", "/old", HTTPERROR_ALLOW_ALL=True)
        by_path = {page["url"].removeprefix(site.url): page for page in pages}
        self.assertEqual({path: page["flags"] for path, page in by_path.items()},
                         {"/gone": [], "/feed": [], "/route": ["rendered"]})
        self.assertEqual(sorted(page["picture"] or "" for page in pages), ["", "", "", "\x89PNG"])
        self.assertEqual(by_path["/route"]["more"], [[site.url + "/route", "route"]])
        self.assertEqual(stats["render/rendered"], 2)

    def test_robots_txt_holds_for_parts(self):
        site = site_server.serve(self, {"/": asks("/no/x"), "/no/x": "1", "/robots.txt": (
            200, "User-agent: *\nDisallow: /no/", ("Content-Type", "text/plain"))})
        (page,), stats = self.crawl(site, "/", ROBOTSTXT_OBEY=True)
        self.assertEqual((page["text"], page["parts"]), ("refused", ["refused: Forbidden by robots.txt"]))
        self.assertEqual(site.paths, ["/robots.txt", "/"])
        self.assertEqual(stats["robotstxt/forbidden"], 1)

    def test_pauses_are_kept_and_the_page_does_not_notice(self):
        late = script("const t=Date.now();fetch('/1').then(()=>fetch('/2')).then(()=>"
                      "p.append(Date.now()-t<400?'at '+'once':'late'))")
        frontier = {"SCHEDULER": "crawlfrontier.scrapy.Scheduler", "CRAWLFRONTIER_QUEUE": {"pause": 0.8}}
        for settings in ({"DOWNLOAD_DELAY": 0.8}, frontier):
            with self.subTest(**settings):
                site = site_server.serve(self, {"/": late, "/1": "1", "/2": "2"})
                pages, _ = self.crawl(site, "/", "/", RANDOMIZE_DOWNLOAD_DELAY=False, **settings)
                self.assertEqual([page["text"] for page in pages], ["at once"] * 2)
                whens = [asked.when for asked in site.asked]
                self.assertEqual(len(whens), 6)
                self.assertGreater(min(later - earlier for earlier, later in zip(whens, whens[1:])), 0.7)

    def test_one_jar_of_cookies(self):
        site = site_server.serve(self, {
            "/": (200, script("document.cookie='made={2:\x22x\x22}';fetch('/1')"), ("Content-Type", "text/html"),
                  ("Set-Cookie", "sent=1; HttpOnly")), "/1": "1", "/next": "<p>"})
        self.crawl(site, "/", "/next", CONCURRENT_REQUESTS=1)
        cookies = {asked.path: sorted(asked.headers.get("Cookie", "").split("; ")) for asked in site.asked}
        self.assertEqual(cookies, {"/": [""], "/1": ['made={2:"x"}', "sent=1"], "/next": ['made={2:"x"}', "sent=1"]})

    def test_the_cache_of_scrapy_has_the_scripts_of_a_site(self):
        site = site_server.serve(self, {
            "/1": "<p id=p><script src=/s.js></script>", "/2": "<p id=p><script src=/s.js></script>",
            "/s.js": (200, "p.append('ma'+'de')", ("Content-Type", "text/javascript"),
                      ("Cache-Control", "max-age=600"))})
        pages, stats = self.crawl(site, "/1", "/2", CONCURRENT_REQUESTS=1, HTTPCACHE_ENABLED=True, HTTPCACHE_POLICY=
                                  "scrapy.extensions.httpcache.RFC2616Policy", HTTPCACHE_DIR=self.path("cache"))
        self.assertEqual([page["text"] for page in pages], ["made", "made"])
        self.assertEqual((sorted(site.paths), stats["render/parts"]), (["/1", "/2", "/s.js"], 2))

    def test_private_addresses_are_asked_where_they_may_be(self):
        other = site_server.serve(self, {"/x": (200, "let in", ("Access-Control-Allow-Origin", "*"))})
        site = site_server.serve(self, {"/": asks(other.url + "/x"), "/moved": asks("/away"),
                                        "/away": (302, other.url + "/x")})
        pages, _ = self.crawl(site, "/", "/moved")
        self.assertEqual([(page["text"], page["parts"][-1]) for page in pages],
                         [("refused", "refused: a private address")] * 2)
        self.assertEqual(other.paths, [])
        (page,), _ = self.crawl(site, "/", CRAWLFRONTIER_RENDER={"allow_private": True})
        self.assertEqual(page["text"], "let in")

    def test_a_page_that_cannot_be_rendered_comes_as_it_was(self):
        site = site_server.serve(self, {"/": (200, "<p>as it was</p>", ("Content-Type", "text/html"),
                                              ("Content-Disposition", "attachment"))})
        (page,), stats = self.crawl(site, "/")
        self.assertEqual((page["flags"], page["text"]), (["render-failed"], "as it was"))
        self.assertIn(site.url, page["failed"])
        self.assertEqual(stats["render/failed"], 1)

    def test_parts_that_are_not_to_be_had(self):
        site = site_server.serve(self, {"/": asks("http://127.0.0.1:1/")})
        (page,), _ = self.crawl(site, "/", CRAWLFRONTIER_RENDER={"allow_private": True}, RETRY_ENABLED=False)
        self.assertEqual(page["text"], "refused")
        self.assertIn("no connection", page["parts"][0])
        site = site_server.serve(self, {"/": asks(f"http://{'a' * 64}.example/")})
        (page,), _ = self.crawl(site, "/")
        self.assertEqual((page["flags"], page["text"]), (["rendered"], "refused"))


class Start(support.TestCase):
    def test_the_meta_of_another_page_tells_nothing_of_the_next(self):
        request = Request("http://a.example/", meta={"render": True, "rendered": 1, "render_failed": 2, "depth": 3})
        RenderMiddleware.process_request(None, request, None)
        self.assertEqual(request.meta, {"render": True, "depth": 3})

    def test_it_does_not_start_where_nothing_can_be_rendered(self):
        rendering.need_browser()
        for settings, kind in (({"CRAWLFRONTIER_RENDER": {"program": "/no/such"}}, crawlfrontier.FileError),
                               ({"CRAWLFRONTIER_SHARED": "redis://localhost/0?name=x"}, crawlfrontier.InvalidError)):
            with self.assertRaises(kind):
                RenderMiddleware.from_crawler(get_crawler(Spider, settings))


if __name__ == "__main__":
    support.main()
