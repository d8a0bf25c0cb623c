"""Tests the frontier as Scrapy's scheduler: the contract of Scrapy's own, step by step with the test's clock; and jobs
on loopback, one of them killed."""
import support

support.need("cffi", "scrapy")

import logging  # noqa: E402
import os  # noqa: E402
import threading  # noqa: E402
import types  # noqa: E402

import kill_scrapy  # noqa: E402
from scrapy import Request, Spider  # noqa: E402
from scrapy.dupefilters import BaseDupeFilter  # noqa: E402
from scrapy.http import FormRequest  # noqa: E402
from scrapy.squeues import FifoMemoryQueue  # noqa: E402
from scrapy.utils.test import get_crawler  # noqa: E402

import crawlfrontier  # noqa: E402
from crawlfrontier.scrapy import Scheduler  # noqa: E402


class Site(Spider):
    name = "site"

    def parse_page(self, response, number):
        pass

    def failed(self, failure):
        pass


class OddOnes(BaseDupeFilter):
    """Has seen each URL that ends with an odd number."""

    def request_seen(self, request):
        return int(request.url[-1]) % 2 == 1


class Plain:
    """A dupefilter without a factory method, derived from no class of Scrapy's."""

    def open(self):
        pass

    def request_seen(self, request):
        return request.url.endswith("1")

    def log(self, request, spider):
        pass

    def close(self, reason):
        pass


class Engine:
    """The part of Scrapy's engine that a scheduler sees."""

    def __init__(self):
        self.slot = types.SimpleNamespace(inprogress=set())
        self.closed = None

    def close_spider(self, spider, reason):
        self.closed = reason


class Case(support.TestCase):
    def setUp(self):
        super().setUp()
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)
        self.now = 1000.0

    def opened(self, queue=None, **settings):
        """Returns a scheduler as a crawler makes it. The host has no pause unless one is given."""
        queue = {"clock": lambda: self.now, "per_host": 1000, **(queue or {})}
        crawler = get_crawler(Site, {"REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7", "CRAWLFRONTIER_QUEUE": queue,
                                     **settings})
        if getattr(crawler, "request_fingerprinter", None) is None:
            crawler._apply_settings()
        crawler.engine = Engine()
        crawler.spider = crawler._create_spider("site")
        scheduler = Scheduler.from_crawler(crawler)
        scheduler._wake_in = self.woken_in.append  # there is no reactor,
        scheduler._end_crawl = lambda: crawler.engine.close_spider(crawler.spider, "frontier_failed")  # here neither
        scheduler.open(crawler.spider)
        return scheduler

    @property
    def woken_in(self):
        return self.__dict__.setdefault("wakes", [])

    @staticmethod
    def take(scheduler):
        """Takes a request as the engine does: it is in progress from then on."""
        request = scheduler.next_request()
        if request is not None:
            scheduler.crawler.engine.slot.inprogress.add(request)
        return request

    def take_all(self, scheduler):
        return list(iter(lambda: self.take(scheduler), None))

    def numbers(self, scheduler):
        return [int(request.url.rpartition("/")[2]) for request in self.take_all(scheduler)]

    @staticmethod
    def page(number, **words):
        return Request(f"http://a.example/{number}", **words)


class Queue(Case):
    def test_orders_and_priorities(self):
        for order, expected in (("dfs", [3, 5, 4, 2, 1]), ("bfs", [3, 1, 2, 4, 5]), ("best", [3, 1, 2, 4, 5])):
            for folder in ({}, {"JOBDIR": self.path(order)}):
                scheduler = self.opened({"order": order}, **folder)
                for number in range(1, 6):
                    self.assertTrue(scheduler.enqueue_request(self.page(number, priority=int(number == 3),
                                                                       meta={"depth": number})))
                self.assertEqual((len(scheduler), self.numbers(scheduler)), (5, expected))
                scheduler.close("finished")

    def test_any_priority_and_depth_is_taken(self):
        scheduler = self.opened({"order": "bfs"})
        odd = [{"priority": -2**40}, {"meta": {"depth": -1}}, {"meta": {"depth": 2**40}}, {"meta": {"depth": None}},
               {"meta": {"depth": "2"}}, {"priority": 2**40}]
        for number, words in enumerate(odd):
            self.assertTrue(scheduler.enqueue_request(self.page(number, **words)))
        taken = self.take_all(scheduler)
        self.assertEqual([int(request.url[-1]) for request in taken], [5, 1, 3, 4, 2, 0])
        self.assertEqual((taken[0].priority, taken[4].meta["depth"]), (2**40, 2**40))
        scheduler.close("finished")

    def test_the_order_is_that_of_scrapys_settings(self):
        first_in = {"SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue"}
        for name, expected, words in (
                ("last", [3, 2, 1], {}), ("disk", [3, 2, 1], first_in),
                ("memory", [1, 2, 3], {"SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue"}),
                ("class", [1, 2, 3], {"SCHEDULER_MEMORY_QUEUE": FifoMemoryQueue}),
                ("job", [1, 2, 3], {"JOBDIR": self.path("job"), **first_in}),
                ("own", [3, 2, 1], {"JOBDIR": self.path("own"), "CRAWLFRONTIER_QUEUE": {"order": "dfs"}, **first_in})):
            with self.subTest(name):
                scheduler = self.opened(words.pop("CRAWLFRONTIER_QUEUE", None), **words)
                for number in range(1, 4):
                    scheduler.enqueue_request(self.page(number))
                self.assertEqual(self.numbers(scheduler), expected)
                scheduler.close("finished")

    def test_what_was_seen_is_filtered_and_dont_filter_is_not(self):
        scheduler = self.opened()
        self.assertTrue(scheduler.enqueue_request(self.page(1, dont_filter=True)))  # not marked as seen
        self.assertTrue(scheduler.enqueue_request(self.page(1)))
        self.assertFalse(scheduler.enqueue_request(self.page(1)))
        self.assertTrue(scheduler.enqueue_request(self.page(1, dont_filter=True)))
        self.assertTrue(scheduler.enqueue_request(FormRequest("http://a.example/1", formdata={"a": "b"})))
        self.assertEqual(len(self.take_all(scheduler)), 4)
        scheduler.close("finished")
        figures = scheduler.stats.get_stats()
        self.assertEqual([figures["dupefilter/filtered"], figures["scheduler/enqueued"], figures["scheduler/dequeued"],
                          figures["scheduler/enqueued/memory"]], [1, 4, 4, 4])

    def test_a_dupefilter_of_ones_own_is_asked(self):
        scheduler = self.opened(DUPEFILTER_CLASS=OddOnes)
        self.assertEqual([scheduler.enqueue_request(self.page(n)) for n in (1, 2, 2, 3)], [False, True, True, False])
        self.assertTrue(scheduler.enqueue_request(self.page(3, dont_filter=True)))
        self.assertEqual(sorted(self.numbers(scheduler)), [2, 2, 3])
        scheduler.close("finished")

    def test_a_dupefilter_is_made_as_scrapy_makes_it(self):
        scheduler = self.opened(DUPEFILTER_CLASS=Plain)
        self.assertEqual([scheduler.enqueue_request(self.page(n)) for n in (1, 2)], [False, True])
        self.assertEqual(self.numbers(scheduler), [2])
        scheduler.close("finished")

    def test_pause_and_limit_of_a_host(self):
        scheduler = self.opened({"pause": 2, "per_host": 2, "order": "bfs"})
        for number in range(4):
            scheduler.enqueue_request(self.page(number))
        scheduler.enqueue_request(Request("http://b.example/"))
        urls = [request.url for request in self.take_all(scheduler)]
        self.assertEqual(urls, ["http://a.example/0", "http://b.example/"])
        self.assertEqual(self.woken_in, [2])
        self.now += 2
        self.assertEqual(self.numbers(scheduler), [1])
        self.now += 2
        self.assertEqual(self.numbers(scheduler), [])  # two are in progress
        scheduler.crawler.engine.slot.inprogress.clear()
        self.assertEqual(self.numbers(scheduler), [2])
        self.assertTrue(scheduler.has_pending_requests())
        scheduler.close("finished")

    def test_pause_and_limit_are_scrapys_settings(self):
        scheduler = self.opened({"per_host": 1}, DOWNLOAD_DELAY=7)
        self.assertEqual(scheduler._words(Site())["pause"], 7)
        self.assertEqual(scheduler._words(Site(download_delay=3))["pause"], 3)
        scheduler.close("finished")

    def test_spellings_of_a_host_are_one_host(self):
        urls = ["http://b.example", "http://b.example:80/x", "http://B.example?q=/y"]
        scheduler = self.opened({"pause": 2})
        for url in urls:
            self.assertTrue(scheduler.enqueue_request(Request(url)))
        self.assertEqual(scheduler.frontier.stats().hosts, 1)
        self.assertIsNotNone(self.take(scheduler))
        self.assertIsNone(self.take(scheduler))
        scheduler.close("finished")

    def test_what_is_no_http_url_is_queued_too(self):
        urls = ["data:,x", "file:///tmp/x", "s3://bucket/key", "http://%zz/", "ftp://f.example/"]
        for folder in ({}, {"JOBDIR": self.path("job")}):
            scheduler = self.opened(**folder)
            for url in urls:
                self.assertTrue(scheduler.enqueue_request(Request(url)))
                self.assertFalse(scheduler.enqueue_request(Request(url)))
            self.assertEqual(sorted(request.url for request in self.take_all(scheduler)),
                             sorted(Request(url).url for url in urls))
            scheduler.close("finished")


class Job(Case):
    def opened(self, queue=None, **settings):
        return super().opened(queue, JOBDIR=self.path("job"), **settings)

    def test_all_of_a_request_is_kept(self):
        scheduler = self.opened()
        spider = scheduler.spider
        request = Request("http://a.example/1", method="PUT", headers={"X-A": "b"}, body=b"\0\xff", cookies={"c": "d"},
                          meta={"depth": 3, "list": [1, "\u00e9"]}, priority=-5, flags=["f"], dont_filter=True,
                          callback=spider.parse_page, errback=spider.failed, cb_kwargs={"number": 7})
        form = FormRequest("http://a.example/form", formdata={"a": "b"}, callback=spider.parse_page)
        self.assertTrue(scheduler.enqueue_request(request) and scheduler.enqueue_request(form))
        scheduler.close("shutdown")
        scheduler = self.opened()
        self.assertEqual(len(scheduler), 2)
        found = {type(each): each for each in self.take_all(scheduler)}
        self.assertEqual(found[Request].to_dict(spider=scheduler.spider), request.to_dict(spider=spider))
        self.assertEqual(found[Request].callback, scheduler.spider.parse_page)
        self.assertEqual(found[FormRequest].to_dict(spider=scheduler.spider), form.to_dict(spider=spider))
        scheduler.close("finished")

    def test_what_is_in_progress_comes_again_until_the_engine_has_ended_it(self):
        scheduler = self.opened()
        for number in range(3):
            scheduler.enqueue_request(self.page(number))
        self.assertEqual(self.numbers(scheduler), [2, 1, 0])
        inprogress = scheduler.crawler.engine.slot.inprogress
        inprogress.remove(next(request for request in inprogress if request.url.endswith("1")))
        scheduler.close("shutdown")
        scheduler = self.opened()
        self.assertEqual(self.numbers(scheduler), [2, 0])
        self.assertFalse(scheduler.enqueue_request(self.page(1)))  # it was seen
        scheduler.crawler.engine.slot.inprogress.clear()
        scheduler.close("finished")
        scheduler = self.opened()
        self.assertFalse(scheduler.has_pending_requests())
        scheduler.close("finished")

    def test_what_cannot_be_pickled_stays_in_memory(self):
        scheduler = self.opened()
        scheduler.enqueue_request(self.page(1, callback=lambda response: None))
        scheduler.enqueue_request(self.page(2, meta={"lock": threading.Lock()}))
        scheduler.enqueue_request(self.page(3, callback=lambda response: None))
        self.assertEqual(self.take(scheduler).url, "http://a.example/3")
        self.assertEqual(scheduler.stats.get_value("scheduler/unserializable"), 3)
        scheduler.close("shutdown")
        scheduler = self.opened()  # they were lost with their run, and are not mistaken for objects of this run
        scheduler.enqueue_request(self.page(4, callback=lambda response: None))
        self.assertEqual(self.numbers(scheduler), [4])
        self.assertEqual(scheduler.stats.get_value("scheduler/lost_with_memory"), 3)
        scheduler.close("finished")

    def test_a_job_that_does_not_fit_is_refused(self):
        self.opened().close("shutdown")
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "order"):
            self.opened({"order": "bfs"})
        os.makedirs(os.path.join(self.path("other"), "requests.queue", "0"))
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "requests.queue.*Scrapy's own scheduler"):
            Case.opened(self, JOBDIR=self.path("other"))

    def test_a_spider_that_changed_loses_nothing(self):
        logging.disable(logging.CRITICAL)
        scheduler = self.opened()
        scheduler.enqueue_request(self.page(1, callback=scheduler.spider.parse_page))
        scheduler.close("shutdown")
        whole = Site.parse_page
        try:
            del Site.parse_page
            scheduler = self.opened()
            self.assertIsNone(self.take(scheduler))
            self.assertEqual(scheduler.crawler.engine.closed, "frontier_failed")
            self.assertFalse(scheduler.enqueue_request(self.page(2)))
            scheduler.close("frontier_failed")
        finally:
            Site.parse_page = whole
        scheduler = self.opened()
        self.assertEqual(self.numbers(scheduler), [1])
        scheduler.close("shutdown")

    def test_an_empty_queue_that_failed_is_not_finished(self):
        logging.disable(logging.CRITICAL)
        scheduler = self.opened()
        self.assertFalse(scheduler.has_pending_requests())
        scheduler._fail(OSError("no space left"))
        self.assertTrue(scheduler.has_pending_requests())


class Crawls(support.TestCase):
    SETTINGS = {"SCHEDULER": "crawlfrontier.scrapy.Scheduler"}

    def test_a_job_that_is_killed_loses_nothing(self):
        pages, kills = 120, 2
        asked, parsed, said = kill_scrapy.crawl(pages, kills, self.SETTINGS, seed=7)
        self.assertEqual("".join(said), "")
        self.assertEqual(parsed, {str(number) for number in range(pages)})
        # Each run repeats the start page and the requests in flight: 8 per host by Scrapy's default.
        self.assertLessEqual(sum(asked.values()), pages + 1 + kills * 9)

    def test_pauses_are_kept_where_nothing_else_wakes_the_engine(self):
        settings = {**self.SETTINGS, "CRAWLFRONTIER_QUEUE": {"pause": 0.05}, "CRAWLFRONTIER_SEEN": {"kind": "exact"}}
        asked, parsed, said = kill_scrapy.crawl(20, 0, settings, seed=1)
        self.assertEqual(("".join(said), len(parsed), sum(asked.values())), ("", 20, 21))


if __name__ == "__main__":
    support.main()
