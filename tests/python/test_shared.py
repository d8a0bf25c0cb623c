"""Tests a crawl shared through Redis: the frontier of each process, the scheduler step by step, and three Scrapy
processes on one crawl, one of which is killed."""
import support

support.need("cffi", "scrapy")

import json  # noqa: E402
import logging  # noqa: E402
import os  # noqa: E402
import pathlib  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402

sys.path.append(os.path.join(support.ROOT, "tests", "integration"))

import kill_scrapy  # noqa: E402
import redis_server  # noqa: E402
import test_scheduler  # noqa: E402
from scrapy import Request  # noqa: E402

import crawlfrontier  # noqa: E402

# Prints when each request was taken, by the clock of all processes: between the first time and the second.
SPIDER = """
import crawlfrontier, time
whole = crawlfrontier.SharedFrontier.pop_now

def pop_now(self):
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    lease, wait = whole(self)
    if lease:
        print("pop", lease.url, before, time.clock_gettime(time.CLOCK_BOOTTIME), flush=True)
    return lease, wait

crawlfrontier.SharedFrontier.pop_now = pop_now
""" + kill_scrapy.SPIDER.replace("process.crawl(Site)", "process.crawl(crawler := process.create_crawler(Site))") + """
print("stats", crawler.stats.get_value("scheduler/shared/lost"), crawler.stats.get_value("finish_reason"), flush=True)
"""


@classmethod
def start_redis(cls):
    if not shutil.which("redis-server"):
        raise support.unittest.SkipTest("redis-server is not installed")
    cls.redis = redis_server.Redis()
    cls.addClassCleanup(cls.redis.stop)


class Frontiers(support.TestCase):
    setUpClass = start_redis

    def setUp(self):
        super().setUp()
        self.redis.ask("FLUSHALL")

    def joined(self, **words):
        frontier = crawlfrontier.SharedFrontier(self.redis.url("name=test"), **{"pause": 0, **words})
        self.addCleanup(frontier.close)
        return frontier

    def test_each_request_goes_to_one_of_them_with_all_that_it_is_made_of(self):
        first, second = self.joined(feeding=True), self.joined()
        self.assertEqual((first.made, second.made), (True, False))
        urls = [f"http://h{number % 7}.example/{number}" for number in range(50)]
        self.assertEqual(set(first.push_many(urls, memo=b"memo", depth=2)), {crawlfrontier.Pushed.NEW})
        first.push("http://a.example/", method="POST", body=b"\0body", headers={"X-A": "b"}, priority=9, tag=7)
        with self.assertRaises(TimeoutError):  # everything is taken, and a process may still push more
            while lease := second.pop(timeout=1):
                urls.remove(lease.url) if lease.memo else self.expect_post(lease)
                lease.done()
        first.feed(False)
        self.assertEqual((first.pop(timeout=30), second.pop(timeout=30), urls), (None, None, []))
        figures = first.shared_figures()
        self.assertEqual((figures.finished, figures.accepted, figures.queued, figures.held), (51, 51, 0, 0))

    def expect_post(self, lease):
        self.assertEqual((lease.url, lease.method, lease.body, lease.headers, lease.priority, lease.tag),
                         ("http://a.example/", "POST", b"\0body", "X-A: b\n", 9, 7))

    def test_one_that_joins_to_push_and_goes_loses_nothing(self):
        for number in range(5):
            feeder = self.joined()
            feeder.push(f"http://h{number}.example/")
            feeder.close()
        reader = self.joined()
        self.assertEqual({lease.url for lease in reader}, {f"http://h{number}.example/" for number in range(5)})
        reader.close()

    def test_what_was_out_of_one_that_goes_comes_to_another(self):
        first = self.joined()
        first.push("http://a.example/")
        lease = first.pop(timeout=30)
        second = self.joined()
        with self.assertRaises(TimeoutError):
            second.pop(timeout=0.5)
        first.close()
        self.assertEqual(second.pop(timeout=30).url, lease.url)

    def test_dates_that_never_come(self):
        dates = [float("inf"), 250_000_000_000.0]
        first = self.joined()
        for number, date in enumerate(dates):
            first.push(f"http://h{number}.example/")
            first.pop(60).retry_at(date)
        self.wait_for(lambda: first.shared_figures().queued == 2)
        for frontier in first, self.joined():
            with self.assertRaises(TimeoutError):
                frontier.pop(1)

    def test_one_that_does_not_fit_is_refused(self):
        self.joined(choices={"spider": "a"})
        for words, said in (({"order": "dfs"}, '"bfs", not "dfs"'), ({"seen": "table"}, "scalable or exact"),
                            ({"choices": {"spider": "b"}}, '"a", not "b"'), ({"order": "best"}, '"bfs", not "best"'),
                            ({"lease": 0}, "lease"), ({"lease": 60}, '"30000", not "60000"'),
                            ({"hosts": -1}, "hosts")):
            with self.assertRaisesRegex(crawlfrontier.InvalidError, said):
                self.joined(**words)
        for url, kind, said in ((self.redis.url(""), crawlfrontier.InvalidError, "name of the crawl is missing"),
                                ("http://a.example/", crawlfrontier.ParseError, "expected redis://"),
                                ("redis://:secret@127.0.0.1/0?name=x", crawlfrontier.ParseError, "^(?!.*secret)"),
                                ("redis://127.0.0.1:1/0?name=x", crawlfrontier.NetworkError, "127.0.0.1:1.*refused")):
            with self.assertRaisesRegex(kind, said):
                crawlfrontier.SharedFrontier(url)

    def test_a_server_that_goes_away_is_told_of_and_waited_for(self):
        words = []
        frontier = self.joined(on_words=words.append)
        self.redis.kill()
        frontier.push("http://a.example/")
        self.wait_for(lambda: any("unavailable" in word for word in words))
        self.redis.begin()
        self.assertEqual(frontier.pop(timeout=60).url, "http://a.example/")
        self.assertEqual(words[-1], "redis is back")

    def wait_for(self, condition):
        until = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)


class Schedulers(test_scheduler.Case):
    setUpClass = start_redis

    def setUp(self):
        super().setUp()
        self.redis.ask("FLUSHALL")

    def opened(self, queue=None, **settings):
        queue = {"clock": crawlfrontier.shared.clock, **(queue or {})}
        scheduler = super().opened(queue, CRAWLFRONTIER_SHARED=self.redis.url("name=test"), **settings)
        self.addCleanup(lambda: scheduler.frontier.close())
        return scheduler

    def take(self, *schedulers):
        """Returns a request from whichever scheduler has the host. None: nothing is left in any process."""
        until = time.monotonic() + 60
        while True:
            for scheduler in schedulers:
                if (request := super().take(scheduler)) is not None:
                    return request
            if not any(scheduler.has_pending_requests() for scheduler in schedulers):
                return None
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def test_all_of_a_request_comes_to_another_process(self):
        first, second = self.opened(), self.opened()
        request = Request("http://a.example/1", method="PUT", headers={"X-A": "b"}, body=b"\0\xff", cookies={"c": "d"},
                          meta={"depth": 3, "list": [1, "\u00e9"]}, priority=-5, flags=["f"], dont_filter=True,
                          callback=first.spider.parse_page, errback=first.spider.failed, cb_kwargs={"number": 7})
        self.assertTrue(first.enqueue_request(request))
        found = self.take(second)
        self.assertEqual(found.to_dict(spider=second.spider), request.to_dict(spider=first.spider))
        self.assertEqual(found.callback, second.spider.parse_page)
        self.assertTrue(first.has_pending_requests())  # open leases may bring more
        second.crawler.engine.slot.inprogress.clear()
        self.assertEqual((self.take(second), self.take(first)), (None, None))

    def test_the_spiders_starts_are_taken_once_and_what_came_of_them_passes(self):
        schedulers = [self.opened(), self.opened()]
        for scheduler in schedulers:
            scheduler.enqueue_request(self.page(1, dont_filter=True))
        start = self.take(*schedulers)
        self.assertEqual(start.url, "http://a.example/1")
        for again in (start.replace(dont_filter=True), self.page(1, dont_filter=True, meta={"depth": 1})):
            self.assertTrue(schedulers[0].enqueue_request(again))  # a retry by a middleware, and a request of a page
        self.assertFalse(schedulers[0].enqueue_request(self.page(1, meta={"depth": 1})))
        for scheduler in schedulers:
            scheduler.crawler.engine.slot.inprogress.clear()
            scheduler.next_request()
        taken = [self.take(*schedulers) for _ in range(2)]
        self.assertEqual([request.url for request in taken], [start.url] * 2)
        for scheduler in schedulers:
            scheduler.crawler.engine.slot.inprogress.clear()
        self.assertIsNone(self.take(*schedulers))  # asks both: each ends its own leases when it is asked

    def test_none_ends_while_one_has_starts_left(self):
        first, second = self.opened(), self.opened()
        first.crawler.engine.slot.start_requests = iter(())
        first._feeds = True
        first.frontier.feed(True)
        time.sleep(1)  # longer than it takes to find that nothing is left
        self.assertIsNone(second.next_request())
        self.assertTrue(second.has_pending_requests())
        first.crawler.engine.slot.start_requests = None
        self.assertEqual((self.take(first), self.take(second)), (None, None))

    def test_what_cannot_be_pickled_ends_the_crawl_and_loses_nothing(self):
        logging.disable(logging.CRITICAL)
        scheduler = self.opened({"lease": 0.5})
        scheduler.enqueue_request(self.page(1, meta={"depth": 1}))
        self.take(scheduler)
        self.assertFalse(scheduler.enqueue_request(self.page(2, callback=lambda response: None)))
        self.assertEqual(scheduler.crawler.engine.closed, "frontier_failed")
        scheduler.crawler.engine.slot.inprogress.clear()
        scheduler.close("frontier_failed")
        self.assertEqual(self.take(self.opened({"lease": 0.5})).url, "http://a.example/1")

    def test_another_spider_or_pause_is_refused(self):
        self.opened({"pause": 1})
        with self.assertRaisesRegex(crawlfrontier.InvalidError, 'pause = "1", not "2"'):
            self.opened({"pause": 2})


class Site(kill_scrapy.Site):
    """Calls a function that each request waits for."""

    def __init__(self, pages, href, enter):
        super().__init__(pages, href)
        self.enter = enter

    def count(self, path):
        super().count(path)
        self.enter(path)


class Processes(support.TestCase):
    setUpClass = start_redis
    HOSTS, PAGES, PAUSE = 6, 72, 0.05
    HELD = 25  # the request that is not answered before its process is dead

    def setUp(self):
        super().setUp()
        self.redis.ask("FLUSHALL")
        self.asked, self.held, self.is_dead = 0, None, threading.Event()
        self.sites = [Site(self.PAGES, self.url, self.enter) for _ in range(self.HOSTS)]
        for site in self.sites:
            self.addCleanup(site.server_close)
            self.addCleanup(site.shutdown)
        self.lines, self.turn = {}, threading.Condition()
        pathlib.Path(self.path("spider.py")).write_text(SPIDER, encoding="ascii")  # a starting process may read it

    def enter(self, path):
        with self.turn:
            self.asked += 1
            is_held = self.asked == self.HELD
            if is_held:
                self.held = path
                self.turn.notify_all()
        if is_held:
            self.is_dead.wait(120)

    def url(self, page):
        return f"http://127.0.0.1:{self.sites[page % self.HOSTS].server_port}/{page}"

    def start(self, number, lease):
        settings = {"SCHEDULER": "crawlfrontier.scrapy.Scheduler", "CRAWLFRONTIER_SHARED": self.redis.url("name=site"),
                    "CRAWLFRONTIER_QUEUE": {"pause": self.PAUSE, "hosts": 2, "window": 4, "lease": lease},
                    "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
        with open(self.path(f"errors{number}"), "w", encoding="utf-8") as errors:
            command = [sys.executable, self.path("spider.py"), self.url(0), json.dumps(settings)]
            process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=errors)
        self.addCleanup(process.kill)
        self.lines[number] = []
        reader = threading.Thread(target=self.read, args=(number, process), daemon=True)
        reader.start()
        return types.SimpleNamespace(process=process, reader=reader)

    def read(self, number, process):
        with process.stdout:
            for line in process.stdout:
                with self.turn:
                    self.lines[number].append(line.split())
                    self.turn.notify_all()

    def wait_for(self, condition):
        with self.turn:
            self.assertTrue(self.turn.wait_for(condition, 120), self.said())

    def said(self):
        return "".join(pathlib.Path(self.path(f"errors{number}")).read_text(encoding="utf-8") for number in self.lines)

    def finish(self, runs):
        for run in runs:
            run.process.wait(120)
            run.reader.join(120)
        self.assertEqual(self.said(), "")
        return [run.process.returncode for run in runs]

    def pages(self):
        words = (line[0] for lines in self.lines.values() for line in lines)
        return {word.rpartition("/")[2] for word in words if word.startswith("http")}

    def pops(self):
        """Returns, by host, the earliest and latest time at which each request was taken, and by whom."""
        found = {}
        for number, lines in self.lines.items():
            for line in lines:
                if line[0] == "pop":
                    found.setdefault(line[1].rpartition("/")[0], []).append((float(line[2]), float(line[3]), number))
        return {origin: sorted(pops) for origin, pops in found.items()}

    def expect_pauses(self):
        for origin, pops in self.pops().items():
            for (before, after, _), (before_next, after_next, _) in zip(pops, pops[1:]):
                self.assertGreater(max(after_next - before, after - before_next), self.PAUSE - 0.002, origin)

    def has_held(self, number):
        """Returns True for the process whose request is not answered."""
        return any(line[0] == "pop" and line[1].endswith(self.held) for line in self.lines[number])

    def test_three_share_a_crawl_each_page_once_with_pauses_over_all(self):
        self.is_dead.set()
        self.assertEqual(self.finish([self.start(number, 30) for number in range(3)]), [0, 0, 0])
        asked = sum((site.asked for site in self.sites), start=kill_scrapy.collections.Counter())
        self.assertEqual(self.pages(), {str(number) for number in range(self.PAGES)})
        self.assertEqual(set(asked.values()), {1})
        self.expect_pauses()
        self.assertEqual(len(self.pops()), self.HOSTS)

    def test_of_one_that_is_killed_nothing_is_lost(self):
        runs = [self.start(number, 1.5) for number in range(3)]
        self.wait_for(lambda: self.held and any(map(self.has_held, range(3))))
        victim = next(filter(self.has_held, range(3)))
        runs[victim].process.kill()
        self.is_dead.set()
        self.assertEqual(self.finish(runs), [-9 if number == victim else 0 for number in range(3)])
        self.assertEqual(self.pages(), {str(number) for number in range(self.PAGES)})
        self.expect_pauses()
        lost = [int(line[1]) for lines in self.lines.values() for line in lines if line[0] == "stats"]
        self.assertEqual(len(lost), 2)
        self.assertGreater(max(lost), 0)  # its hosts went to others when their time was over


if __name__ == "__main__":
    support.main()
