"""Tests that the examples of docs/python.md and docs/scrapy.md run as they are."""
import support

support.need("cffi", "scrapy")

import contextlib  # noqa: E402
import io  # noqa: E402
import os  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import sys  # noqa: E402
import types  # noqa: E402
import unittest  # noqa: E402

sys.path.append(os.path.join(support.ROOT, "tests", "integration"))

import redis_server  # noqa: E402
import rendering  # noqa: E402
import site_server  # noqa: E402
from scrapy import Request, Spider  # noqa: E402
from scrapy.http import HtmlResponse  # noqa: E402
from scrapy.utils.misc import load_object  # noqa: E402
from scrapy.utils.test import get_crawler  # noqa: E402

import crawlfrontier  # noqa: E402

PAGES = {"http://a.example/": b"<title>Home</title><a href=x>X</a> <a href=y rel=nofollow>Y</a>",
         "http://a.example/x": b"<a href=/>home</a>", "http://a.example/y": b""}


def examples(name):
    """Returns the blocks of Python in a document."""
    with open(os.path.join(support.ROOT, "docs", name), encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)


def run(code, **names):
    """Returns the output of the code, line by line. names: predefined names."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "example", "exec"), names)  # pylint: disable=exec-used
    return said.getvalue().splitlines()


class Python(support.TestCase):
    def setUp(self):
        super().setUp()
        self.first, self.pages, self.renderer, self.frontier, self.shared = examples("python.md")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def test_a_filter(self):
        said = run(self.first.replace("/tmp/seen.filter", self.path("seen.filter")))
        self.assertEqual(said[:2], ["new: http://a.example/?b=2&a=1", "new: http://b.example/"])
        self.assertRegex(said[2], r"^2 keys in \d+ bytes$")
        self.assertEqual(said[3:], ["True"])

    def test_pages(self):
        sitemap = b"<urlset><url><loc>http://a.example/1</loc><lastmod>2026-01-02</lastmod></url></urlset>"
        robots = b"User-agent: example-bot\nCrawl-delay: 2\nSitemap: http://a.example/s.xml\n"
        said = run(self.pages, crawlfrontier=crawlfrontier, html=PAGES["http://a.example/"], body=robots, data=sitemap)
        self.assertEqual(said[0], "a http://a.example/x False X")
        self.assertEqual(said[1], "a http://a.example/y True Y")
        self.assertRegex(said[2], r"^2(\.0)? .*http://a\.example/s\.xml")
        self.assertRegex(said[3], r"^http://a\.example/1 (2026-01-02|\d{10})")

    def test_a_page_that_a_script_makes(self):
        rendering.need_browser()
        root = site_server.serve(self, {"/": "<p id=p><script src=/s.js></script>", "/s.js": (302, "/t.js"),
                                        "/t.js": "p.innerHTML='<a hr'+'ef=x>x</a>'"}).url
        said = run(self.renderer.replace("http://a.example/", root + "/"))
        self.assertEqual(said, [f"['{root}/x'] whole"])

    def test_a_frontier(self):
        asked = []

        async def fetch(url):
            asked.append(url)
            return PAGES[url]

        code = self.frontier.replace("pause=1.0", "pause=0.01") + "\nasyncio.run(main())\n"
        run(code, fetch=fetch)
        self.assertEqual(sorted(asked), sorted(PAGES))

    @unittest.skipUnless(shutil.which("redis-server"), "redis-server is not installed")
    def test_a_frontier_of_several_processes(self):
        redis = redis_server.Redis()
        self.addCleanup(redis.stop)
        said = run(self.shared.replace("redis://localhost/0?name=shop", redis.url("name=shop")))
        self.assertEqual(said, ["http://a.example/"])


class Scrapy(support.TestCase):
    def settings_of(self, code):
        given = types.ModuleType("settings")
        exec(compile(code, "settings.py", "exec"), vars(given))  # pylint: disable=exec-used
        return given, {name: value for name, value in vars(given).items() if name.isupper()}

    def test_settings(self):
        module, settings = self.settings_of(examples("scrapy.md")[0])
        crawler = get_crawler(Spider, settings)
        crawler.spider = Spider.from_crawler(crawler, "test")
        for name in ("SCHEDULER", "DUPEFILTER_CLASS", "ROBOTSTXT_PARSER"):
            self.assertTrue(settings[name].startswith("crawlfrontier.scrapy."))
        self.assertEqual(settings["CRAWLFRONTIER_SEEN"], {"kind": "scalable", "capacity": 10_000_000, "fpr": 1e-6})
        links = b"<a href=/news/1>1</a><a href=/old>2</a><a href=http://ads.example/news/>3</a>"
        page = HtmlResponse("http://a.example/", body=links)
        self.assertEqual([link.url for link in module.links.extract_links(page)], ["http://a.example/news/1"])
        self.run_with(crawler)

    def test_pages_that_scripts_make(self):
        rendering.need_browser()
        module, settings = self.settings_of(examples("scrapy.md")[2])
        (name, place), = settings["DOWNLOADER_MIDDLEWARES"].items()
        self.assertEqual(place, 540)
        load_object(name).from_crawler(get_crawler(Spider, settings)).spider_closed(None)
        self.assertTrue(settings["HTTPCACHE_ENABLED"] and load_object(settings["HTTPCACHE_POLICY"]))
        self.assertEqual(module.shop("http://a.example/").meta, {"render": True, "screenshot": False})

    def run_with(self, crawler):
        """Checks that a scheduler with these settings accepts a request once, and returns it."""
        scheduler = load_object(crawler.settings["SCHEDULER"]).from_crawler(crawler)
        scheduler.open(crawler.spider)
        try:
            self.assertTrue(scheduler.enqueue_request(Request("http://a.example/?b=2&a=1")))
            self.assertFalse(scheduler.enqueue_request(Request("http://a.example/?a=1&b=2")))
            self.assertEqual(scheduler.next_request().url, "http://a.example/?b=2&a=1")
        finally:
            scheduler.close("finished")


if __name__ == "__main__":
    support.main()
