"""Renders pages for Scrapy: Request(url, meta={"render": True}).

Each request of a page becomes a request of Scrapy: it passes the downloader middlewares (robots.txt, cookies, cache),
and waits in the slot of its host. The browser itself sends nothing.
"""
from __future__ import annotations

import concurrent.futures
import functools
import ipaddress
import logging
import socket
from typing import Any, Optional
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.misc import load_object
from twisted.internet import defer, error
from twisted.web.client import ResponseFailed

from ..errors import Error, InvalidError, RefusedError
from ..render import Answer, Headers, Rendered, Renderer
from .scheduler import Scheduler

logger = logging.getLogger(__name__)

OPEN = 4  # pages at once, most of which wait for the delays of their hosts

# Keys of a page's meta that its parts get too.
KEPT = ("cookiejar", "dont_merge_cookies", "proxy", "bindaddress", "download_timeout")
FAILURES: tuple[tuple[tuple[type[BaseException], ...], type[Exception]], ...] = (
    ((IgnoreRequest, ValueError), RefusedError),  # ValueError: a host that Scrapy does not accept
    ((error.DNSLookupError,), socket.gaierror),
    ((error.TimeoutError, defer.TimeoutError), TimeoutError),
    ((error.ConnectError,), ConnectionRefusedError),
    ((error.ConnectionClosed, ResponseFailed, TunnelError, OSError), ConnectionResetError),
)


@functools.lru_cache(maxsize=10_000)
def resolves_privately(host: str) -> bool:
    """Returns True if the host has a private address. OSError, UnicodeError: the host is unknown, which is not
    cached."""
    found = {str(info[4][0]).partition("%")[0] for info in socket.getaddrinfo(host, None)}
    addresses = [ipaddress.ip_address(text) for text in found]
    return not all((getattr(address, "ipv4_mapped", None) or address).is_global for address in addresses)


def is_private(host: str) -> bool:
    """Returns True if the host resolves to an address of a private network or of this machine. A name that is unknown
    here does not: a proxy may know it."""
    try:
        return resolves_privately(host)
    except (OSError, UnicodeError):
        return False


def origin(url: str) -> tuple[str, str, Optional[int]]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port


def answer_of(response: Any) -> Answer:
    headers = [(name, value) for name, values in response.headers.items() for value in values]
    return response.status, headers, response.body


def cookie_names(response: Any) -> set[str]:
    """Returns the names of the cookies that a response sets."""
    lines = (value.decode("latin-1") for value in response.headers.getlist("Set-Cookie"))
    return {line.partition(";")[0].partition("=")[0].strip() for line in lines}


class PageParts:
    """The requests of one page."""

    def __init__(self, middleware: "RenderMiddleware", request: Request, response: Any) -> None:
        self._middleware, self._request = middleware, request
        self._cookies = cookie_names(response)  # those in the jar too; others were set by scripts

    def fetch(self, method: str, url: str, headers: Headers, body: bytes) -> concurrent.futures.Future[Any]:
        """Starts a request for a part. Called in a thread of the renderer."""
        from twisted.internet import reactor
        try:
            part = self._part(method, url, headers, body)
        except ValueError as reason:
            raise RefusedError(f"Scrapy refuses the URL: {reason}") from None
        answer: concurrent.futures.Future[Any] = concurrent.futures.Future()
        reactor.callFromThread(self._download, part, answer)  # type: ignore[attr-defined]
        return answer

    def _part(self, method: str, url: str, headers: Headers, body: bytes) -> Request:
        """Makes the request for a part. RefusedError, ValueError."""
        is_own = origin(url) == origin(self._request.url)
        if not is_own and not self._middleware.allow_private and is_private(origin(url)[1]):
            raise RefusedError("a private address")
        part = Request(url, NO_CALLBACK, method, headers, body, self._scripts_cookies(headers), self._meta(),
                       priority=self._request.priority + 1, dont_filter=True)
        for name in ("User-Agent", "Accept-Language"):
            if name in self._request.headers:
                part.headers[name] = self._request.headers[name]
        return part

    def _meta(self) -> dict[str, Any]:
        """Returns the meta of a part. The browser follows redirects itself, and a part may come from any site."""
        kept = {name: self._request.meta[name] for name in KEPT if name in self._request.meta}
        return {**kept, "dont_redirect": True, "handle_httpstatus_all": True, "allow_offsite": True,
                "rendered_for": self._request.url}

    def _scripts_cookies(self, headers: Headers) -> dict[str, str]:
        """Returns the cookies set by scripts, for the jar, which already has those set by responses."""
        items = (item.partition("=") for name, value in headers if name == "Cookie" for item in value.split("; "))
        return {name: value for name, _, value in items if name not in self._cookies}

    def _download(self, part: Request, answer: concurrent.futures.Future[Any]) -> None:
        """Downloads a part. Called in the thread of the reactor."""
        crawler = self._middleware.crawler
        crawler.stats.inc_value("render/parts")
        done = defer.maybeDeferred(crawler.engine.download, part)
        done.addCallbacks(self._take, self._take_failure, callbackArgs=(answer,), errbackArgs=(answer, part))

    def _take(self, response: Any, answer: concurrent.futures.Future[Any]) -> None:
        self._cookies |= cookie_names(response)
        answer.set_result(answer_of(response))

    def _take_failure(self, failure: Any, answer: concurrent.futures.Future[Any], part: Request) -> None:
        words = str(failure.value)
        for types, made in FAILURES:
            if failure.check(*types):
                answer.set_exception(made(words))
                return
        logger.error("Error downloading %(part)s: %(reason)s", {"part": part, "reason": failure.value},
                     exc_info=failure.value)
        answer.set_exception(ConnectionResetError(words))


class RenderMiddleware:
    """DOWNLOADER_MIDDLEWARES = {"crawlfrontier.scrapy.RenderMiddleware": 540}, after redirects, retries and
    decompression.

    An HTML response of status 2xx to a request with meta "render" becomes the page after its scripts, with the flag
    "rendered". Its meta "rendered" is a crawlfrontier.Rendered: frames, links, lack, parts, and the screenshot if meta
    has "screenshot". A page that cannot be rendered is passed on unchanged, with the flag "render-failed" and the
    reason in meta "render_failed".

    CRAWLFRONTIER_RENDER is a dict of arguments of crawlfrontier.Renderer, and allow_private: parts may have private
    addresses even if the page's own is another.

    If nothing can be rendered, the crawl does not start; see Renderer for the errors. InvalidError: a crawl of several
    processes, where another one may have the host of a part.
    """

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler
        if crawler.settings.get("CRAWLFRONTIER_SHARED"):
            raise InvalidError("pages cannot be rendered with CRAWLFRONTIER_SHARED: another process may have the hosts "
                               "of their parts")
        words = {"user_agent": crawler.settings["USER_AGENT"], "open": OPEN,
                 **crawler.settings.getdict("CRAWLFRONTIER_RENDER")}
        self.allow_private = words.pop("allow_private", False)
        self.renderer = Renderer(**words)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "RenderMiddleware":
        made = cls(crawler)
        crawler.signals.connect(made.spider_opened, signals.spider_opened)
        crawler.signals.connect(made.spider_closed, signals.spider_closed)
        return made

    def spider_opened(self, spider: Any) -> None:
        """Sets the downloader's delay, since parts do not come from the frontier."""
        settings = self.crawler.settings
        pause = settings.getdict("CRAWLFRONTIER_QUEUE").get("pause")
        if pause is not None and issubclass(load_object(settings["SCHEDULER"]), Scheduler):
            spider.download_delay = pause

    def spider_closed(self, spider: Any) -> None:
        self.renderer.close()

    def process_request(self, request: Request, spider: Any) -> None:
        """Removes the results of another page from a request's meta."""
        for name in ("rendered", "render_failed"):
            request.meta.pop(name, None)

    def process_response(self, request: Request, response: Any, spider: Any) -> Any:
        if not request.meta.get("render") or not isinstance(response, HtmlResponse) or response.status // 100 != 2:
            return response
        from twisted.internet import reactor
        done: defer.Deferred[None] = defer.Deferred()
        page = self.renderer.submit(request.url, fetch=PageParts(self, request, response).fetch,
                                    response=answer_of(response), screenshot=bool(request.meta.get("screenshot")))
        page.add_done_callback(
            lambda _: reactor.callFromThread(done.callback, None))  # type: ignore[attr-defined]
        return done.addCallback(lambda _: self._taken(page, request, response))

    def _taken(self, page: concurrent.futures.Future[Rendered], request: Request, response: Any) -> Any:
        try:
            rendered = page.result()
        except Exception as reason:
            logger.warning("%(request)s is not rendered: %(reason)s", {"request": request, "reason": reason},
                           exc_info=None if isinstance(reason, Error) else reason)
            self.crawler.stats.inc_value("render/failed")
            request.meta["render_failed"] = str(reason)
            return response.replace(flags=[*response.flags, "render-failed"])
        self.crawler.stats.inc_value("render/rendered")
        if rendered.lack:
            self.crawler.stats.inc_value("render/cut")
        request.meta["rendered"] = rendered
        return response.replace(url=rendered.frames[0].url.partition("#")[0], body=rendered.html.encode(),
                                encoding="utf-8", flags=[*response.flags, "rendered"])
