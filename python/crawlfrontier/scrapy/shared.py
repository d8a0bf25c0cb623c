"""A crawl that several Scrapy processes share through Redis: CRAWLFRONTIER_SHARED = "redis://HOST/DB?name=NAME".

Each process runs the same spider, and takes hosts of the crawl for a time. All requests are in Redis, pickled, so that
any process can call their callbacks. A process ends when nothing is left in any of them.
"""
from __future__ import annotations

from typing import Any, Union

from scrapy.http import Request

from ..errors import InvalidError
from ..shared import SharedFigures, SharedFrontier
from .scheduler import Scheduler

TAKEN = "crawlfrontier_taken"  # in the meta of a start request of the spider, once the engine has it


class SharedScheduler(Scheduler):
    """The Scheduler with CRAWLFRONTIER_SHARED.

    CRAWLFRONTIER_QUEUE is a dict of arguments of crawlfrontier.SharedFrontier. The frontier alone keeps the pause: a
    delay in Scrapy's downloader would move a request too close to the next one of another process.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._keeps_bytes = True
        self._feeds = True
        layers = crawler.settings.getwithbase("SPIDER_MIDDLEWARES")
        self._knows_depths = any("DepthMiddleware" in str(layer) for layer, at in layers.items() if at is not None)

    def _order(self) -> str:
        return "bfs"

    def _made(self, spider: Any) -> SharedFrontier:
        words = self._words(spider)
        agreed = {"spider": spider.name, "pause": str(words["pause"]), "per host": str(words["per_host"])}
        frontier = SharedFrontier(self.crawler.settings["CRAWLFRONTIER_SHARED"], feeding=True, choices=agreed, **words)
        frontier.on_ready(self._wake_from_thread)
        spider.download_delay = 0
        return frontier

    def _joined(self) -> SharedFrontier:
        frontier = self._opened()
        assert isinstance(frontier, SharedFrontier)
        return frontier

    def has_pending_requests(self) -> bool:
        """Returns True if anything is left in any process."""
        self._tell_fed()
        return not self._is_drained

    def __len__(self) -> int:
        figures = self._joined().shared_figures()
        return figures.queued + figures.held

    def next_request(self) -> Any:
        self._tell_fed()
        return super().next_request()

    def _tell_fed(self) -> None:
        """Tells the frontier once all start requests are pushed. No process ends before all processes have done so."""
        slot = self._slot()
        if self._feeds and slot and getattr(slot, "start_requests", None) is None:
            self._feeds = False
            self._joined().feed(False)

    def _is_start(self, request: Request) -> bool:
        """Returns True for a start request of the spider. Scrapy sets a depth on requests that pages yield; a request
        that middlewares make from a taken one keeps its meta."""
        return self._knows_depths and "depth" not in request.meta and TAKEN not in request.meta

    def _is_filtered(self, request: Request) -> bool:
        """Filters start requests despite their dont_filter: each process has them all, and one must take each."""
        return super()._is_filtered(request) or self._is_start(request)

    def _push(self, request: Request) -> Any:
        where = super()._push(request)
        self._is_drained = False
        return where

    def _kept(self, request: Request) -> tuple[bytes, int]:
        kept = super()._kept(request)
        if kept[1]:
            raise InvalidError(f"{request.url}: this request cannot be pickled for other processes: its callbacks "
                               "must be methods of the spider, and pickle must accept its meta and cb_kwargs")
        return kept

    def _request_of(self, lease: Any) -> Any:
        request = super()._request_of(lease)
        if request is not None and "depth" not in request.meta:
            request.meta[TAKEN] = True
        return request

    def _wake_from_thread(self) -> None:
        from twisted.internet import reactor
        reactor.callFromThread(self._wake)  # type: ignore[attr-defined]

    def _figures(self) -> dict[str, Union[int, float]]:
        own = self._opened().stats()
        of_all = self._joined().shared_figures()
        values = {f"scheduler/shared/{name}": getattr(of_all, name) for name in SharedFigures._fields[:-1]}
        return {**values, "scheduler/hosts": own.hosts, "scheduler/memory_bytes": own.bytes + own.filter.bytes}
