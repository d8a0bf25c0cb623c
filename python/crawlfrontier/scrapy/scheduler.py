"""The frontier in place of Scrapy's queues: SCHEDULER = "crawlfrontier.scrapy.Scheduler".

A request that the engine takes is leased. The lease ends when the engine has finished the request: its page was
scraped, and everything that the callback yielded was scheduled. A killed job therefore loses nothing, and repeats only
requests in flight. With JOBDIR the frontier is durable, in JOBDIR/frontier. It stores a request as Scrapy does:
pickled, with callback, errback, meta, cb_kwargs and flags. Without JOBDIR the frontier and the requests are in memory.
CRAWLFRONTIER_SHARED keeps them in Redis, for many processes: see shared.py.
"""
from __future__ import annotations

import hashlib
import logging
import os
import pickle
from typing import Any, Optional, Union

from scrapy.core.scheduler import BaseScheduler
from scrapy.dupefilters import RFPDupeFilter
from scrapy.http import Request
from scrapy.utils.job import job_dir
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

from ..errors import Error, FullError, InvalidError, ParseError
from ..frontier import FOREVER, Frontier, Lease
from .dupefilter import DupeFilter
from .fingerprints import Fingerprints

logger = logging.getLogger(__name__)

HELD = 1  # tag of a request that is an object in memory, whose body is the key of the object
LONGEST_SLEEP = 3600.0  # seconds until the queue is looked at again, at most
PRIORITIES = (-2**31, 2**31 - 1)  # those of the frontier; Scrapy has no limits
DEPTHS = (0, 2**32 - 1)


def made_of(filter_class: Any, crawler: Any) -> Any:
    """Makes a dupefilter as Scrapy does: with from_crawler, else from_settings, else without arguments."""
    if hasattr(filter_class, "from_crawler"):
        return filter_class.from_crawler(crawler)
    if hasattr(filter_class, "from_settings"):
        return filter_class.from_settings(crawler.settings)
    return filter_class()


def pickled(request: Request, spider: Any) -> bytes:
    """Returns the pickled request. ValueError: its callback is not a method of the spider, or something in it cannot be
    pickled."""
    try:
        return pickle.dumps(request.to_dict(spider=spider), protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as reason:
        raise ValueError(str(reason)) from reason


def queue_url(url: str) -> str:
    """Returns the stand-in for a URL that is not http, such as data: or s3:, so that it too has a queue with a
    pause."""
    scheme = "".join(letter for letter in url.partition(":")[0].lower() if letter.isascii() and letter.isalnum())
    return f"http://{scheme or 'none'}.invalid/"


def unfiltered(fingerprint: bytes) -> bytes:
    """Returns another fingerprint for a request with dont_filter, since Scrapy does not mark such a request as seen."""
    return hashlib.sha1(b"dont_filter" + fingerprint).digest()


def nearest(number: Any, bounds: tuple[int, int]) -> int:
    """Returns the number within these bounds that is nearest. What is no int counts as 0."""
    return min(max(number if isinstance(number, int) else 0, bounds[0]), bounds[1])


def order_of_queues(settings: Any, on_disk: bool) -> str:
    """Returns the order of Scrapy's own scheduler with these settings: last in first out, or first in first out."""
    queue = load_object(settings["SCHEDULER_DISK_QUEUE" if on_disk else "SCHEDULER_MEMORY_QUEUE"])
    names = [base.__name__ for base in queue.__mro__ if "Fifo" in base.__name__ or "Lifo" in base.__name__]
    return "bfs" if names and "Fifo" in names[0] else "dfs"  # a base further away has the other order


class Scheduler(BaseScheduler):
    """SCHEDULER = "crawlfrontier.scrapy.Scheduler".

    CRAWLFRONTIER_QUEUE is a dict of arguments of crawlfrontier.Frontier: order ("dfs", "bfs" or "best"; the default is
    that of SCHEDULER_DISK_QUEUE with JOBDIR, otherwise of SCHEDULER_MEMORY_QUEUE), pause and per_host (by default
    DOWNLOAD_DELAY, or the spider's download_delay, and CONCURRENT_REQUESTS_PER_DOMAIN), sync and so on.
    CRAWLFRONTIER_SEEN is a dict of the arguments of crawlfrontier.Filter, for the frontier's own seen-set. That set
    replaces Scrapy's dupefilter and crawlfrontier.scrapy.DupeFilter; any other DUPEFILTER_CLASS is called as Scrapy's
    scheduler calls it. CRAWLFRONTIER_SHARED = "redis://HOST/DB?name=NAME" lets many processes share one crawl.
    """

    def __init__(self, crawler: Any) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self.stats = crawler.stats
        self.frontier: Optional[Frontier] = None
        self.fingerprints = Fingerprints(crawler.request_fingerprinter)
        filter_class = load_object(settings["DUPEFILTER_CLASS"])
        self._has_own_filter = filter_class not in (RFPDupeFilter, DupeFilter)
        if self._has_own_filter:
            self.df = made_of(filter_class, crawler)
        else:  # counts and logs what the frontier has seen
            self.df = RFPDupeFilter(None, settings.getbool("DUPEFILTER_DEBUG"),
                                    fingerprinter=crawler.request_fingerprinter)
        self._folder = job_dir(settings)
        self._keeps_bytes = bool(self._folder)  # instead of the requests themselves
        self._logs_unserializable = settings.getbool("SCHEDULER_DEBUG")
        self._leases: dict[Request, Lease] = {}
        self._objects: dict[bytes, Request] = {}
        self._run = os.urandom(8)  # tells the objects of this run from those of earlier runs, which are gone
        self._held = 0
        self._is_drained = False  # as of the last pop: nothing is queued or leased
        self._alarm: Optional[Any] = None
        self._failed = False

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Scheduler":
        if cls is Scheduler and crawler.settings.get("CRAWLFRONTIER_SHARED"):
            from .shared import SharedScheduler
            return SharedScheduler(crawler)
        return cls(crawler)

    # ---- Scrapy's interface ----

    def open(self, spider: Any) -> Any:
        """Opens the frontier. InvalidError: JOBDIR was begun by another scheduler, or with another order, filter or
        fingerprints."""
        self.spider = spider
        self.frontier = self._made(spider)
        if self._keeps_bytes and len(self):
            logger.info("Resuming crawl (%(queued)d requests scheduled)", {"queued": len(self)},
                        extra={"spider": spider})
        return self.df.open()

    def close(self, reason: str) -> Any:
        if self.frontier is not None:
            self._silence()
            self._end_finished()
            self._tell_figures()
            self.frontier.close()
        return self.df.close(reason)

    def has_pending_requests(self) -> bool:
        return self._failed or len(self) > 0  # a failed crawl must not end as "finished" before _end_crawl

    def __len__(self) -> int:
        return self._opened().stats().queued

    def enqueue_request(self, request: Request) -> bool:
        if self._failed:
            return False
        if self._has_own_filter and not request.dont_filter and self.df.request_seen(request):
            self.df.log(request, self.spider)
            return False
        try:
            where = self._push(request)
        except FullError:
            self._count("full")
            return False
        except Error as reason:
            self._fail(reason)
            return False
        if where is None:
            self.df.log(request, self.spider)
            return False
        self._count("enqueued", where)
        return True

    def next_request(self) -> Optional[Request]:
        self._end_finished()
        if self._failed:
            return None
        try:
            return self._pop()
        except Error as reason:
            self._fail(reason)
            return None

    # ---- opening ----

    def _opened(self) -> Frontier:
        assert self.frontier is not None
        return self.frontier

    def _made(self, spider: Any) -> Frontier:
        return Frontier(self._directory(), **self._words(spider))

    def _directory(self) -> Optional[str]:
        if not self._folder:
            return None
        directory, queue = (os.path.join(self._folder, name) for name in ("frontier", "requests.queue"))
        if not os.path.exists(directory) and os.path.isdir(queue) and os.listdir(queue):
            raise InvalidError(f"{queue}: this job was begun with Scrapy's own scheduler, whose queue cannot be taken "
                               "over")
        return directory

    def _order(self) -> str:
        """Returns the order used unless CRAWLFRONTIER_QUEUE sets one."""
        return order_of_queues(self.crawler.settings, self._keeps_bytes)

    def _words(self, spider: Any) -> dict[str, Any]:
        settings = self.crawler.settings
        at_once = settings.getint("CONCURRENT_REQUESTS_PER_IP") or settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        return {
            "order": self._order(),
            "pause": float(getattr(spider, "download_delay", settings.getfloat("DOWNLOAD_DELAY"))),
            "per_host": int(getattr(spider, "max_concurrent_requests", at_once)),
            "fingerprints": self.fingerprints.label,
            "seen": {"fpr": 1e-6, **settings.getdict("CRAWLFRONTIER_SEEN")},
            **settings.getdict("CRAWLFRONTIER_QUEUE"),
        }

    # ---- in and out of the frontier ----

    def _push(self, request: Request) -> Optional[str]:
        """Pushes a request. Returns where it is kept, "disk" or "memory". None: it was seen before."""
        body, tag = self._kept(request)
        filtered = not self._has_own_filter and self._is_filtered(request)
        key = self.fingerprints.of(request)
        words = {"fingerprint": key if filtered else unfiltered(key), "revisit": not filtered, "body": body, "tag": tag,
                 "priority": nearest(request.priority, PRIORITIES),
                 "depth": nearest(request.meta.get("depth", 0), DEPTHS)}
        try:
            is_new = self._opened().push(request.url, **words)
        except ParseError:
            is_new = self._opened().push(queue_url(request.url), **words)
        if not is_new:
            return None
        if tag == HELD:
            self._objects[body] = request
        return "memory" if tag == HELD else "disk"

    def _is_filtered(self, request: Request) -> bool:
        return not request.dont_filter

    def _kept(self, request: Request) -> tuple[bytes, int]:
        """Returns the bytes that the frontier keeps as the body of a request, and their tag."""
        if self._keeps_bytes:
            try:
                return pickled(request, self.spider), 0
            except ValueError as reason:
                self._tell_unserializable(request, reason)
        self._held += 1
        return self._run + self._held.to_bytes(8, "big"), HELD

    def _pop(self) -> Optional[Request]:
        while True:
            lease, wait = self._opened().pop_now()
            self._is_drained = lease is None and wait < 0
            if lease is None:
                if wait > 0:
                    self._wake_in(wait)
                return None
            request = self._request_of(lease)
            if request is not None:
                self._leases[request] = lease
                self._count("dequeued", "memory" if lease.tag == HELD else "disk")
                return request
            lease.done()

    def _request_of(self, lease: Lease) -> Optional[Request]:
        """Returns the request of a lease. None: it was an object in the memory of an earlier run."""
        if lease.tag == HELD:
            request = self._objects.pop(lease.body, None)
            if request is None:
                self.stats.inc_value("scheduler/lost_with_memory", spider=self.spider)
            return request
        try:
            return request_from_dict(pickle.loads(lease.body), spider=self.spider)
        except Exception as reason:
            lease.give_back()
            words = f"{lease.url}: what is kept of this request does not fit the spider: {reason}"
            raise InvalidError(words) from reason

    # ---- the engine ----

    def _slot(self) -> Any:
        """Returns the engine's slot: the requests in progress, and the call that asks for the next one."""
        engine = self.crawler.engine
        return getattr(engine, "slot", None) or getattr(engine, "_slot", None)

    def _end_finished(self) -> None:
        """Ends the leases of requests that the engine has finished. After a failure leases stay open and their requests
        come again, since links of their pages may not have been scheduled."""
        slot = self._slot()
        running = slot.inprogress if slot else ()
        finished = [request for request in self._leases if request not in running]
        for request in finished:
            lease = self._leases.pop(request)
            if not self._failed:
                try:
                    lease.done()
                except Error as reason:
                    self._fail(reason)

    def _wake_in(self, seconds: float) -> None:
        """Wakes the engine when time alone makes a request ready. It asks by itself whenever a request ends."""
        from twisted.internet import reactor  # settings choose the reactor, and the import decides
        self._silence()
        if seconds != FOREVER:
            self._alarm = reactor.callLater(min(seconds, LONGEST_SLEEP), self._wake)  # type: ignore[attr-defined]

    def _wake(self) -> None:
        self._alarm = None
        slot = self._slot()
        if slot:
            slot.nextcall.schedule()

    def _silence(self) -> None:
        if self._alarm is not None and self._alarm.active():
            self._alarm.cancel()
        self._alarm = None

    def _fail(self, reason: Exception) -> None:
        """Ends the crawl. Nothing scheduled is lost, and a job can be resumed once the cause is gone."""
        if self._failed:
            return
        self._failed = True
        logger.critical("The frontier has failed: %(reason)s", {"reason": reason}, extra={"spider": self.spider})
        self._end_crawl()

    def _end_crawl(self) -> None:
        """Closes the spider after the call of the engine that met the failure: it is not made for an end within."""
        from twisted.internet import reactor
        close = self.crawler.engine.close_spider
        reactor.callLater(0, close, self.spider, "frontier_failed")  # type: ignore[attr-defined]

    # ---- figures and words ----

    def _count(self, name: str, where: str = "") -> None:
        self.stats.inc_value(f"scheduler/{name}", spider=self.spider)
        if where:
            self.stats.inc_value(f"scheduler/{name}/{where}", spider=self.spider)

    def _tell_unserializable(self, request: Request, reason: Exception) -> None:
        self.stats.inc_value("scheduler/unserializable", spider=self.spider)
        if self._logs_unserializable:
            self._logs_unserializable = False
            logger.warning("Unable to serialize request: %(request)s - reason: %(reason)s - no more unserializable "
                           "requests will be logged (stats being collected)", {"request": request, "reason": reason},
                           exc_info=True, extra={"spider": self.spider})

    def _tell_figures(self) -> None:
        for name, value in self._figures().items():
            self.stats.set_value(name, value, spider=self.spider)

    def _figures(self) -> dict[str, Union[int, float]]:
        figures = self._opened().stats()
        values: dict[str, Union[int, float]] = {
            "scheduler/queued": figures.queued, "scheduler/hosts": figures.hosts,
            "scheduler/memory_bytes": figures.bytes + figures.filter.bytes}
        if not self._has_own_filter:
            values |= {"dupefilter/seen": figures.filter.count, "dupefilter/memory_bytes": figures.filter.bytes,
                       "dupefilter/expected_loss": figures.filter.expected_false}
        return values
