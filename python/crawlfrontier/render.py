"""Renders pages in a headless Chromium that has no network: the caller makes each of its requests.

A Renderer has its own thread, which runs the library's renderer and its event loop. Other threads hand it work and wait
for a future.
"""
from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import os
import socket
import ssl
import threading
import weakref
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Union

from . import errors
from ._library import NULL, Text, bytes_of, check, failure, ffi, lib, milliseconds, slice_of, text_of, to_bytes
from .frontier import set_words
from .urls import resolve

Headers = list[tuple[str, str]]
Answer = tuple[int, Union[Mapping[str, str], Iterable[tuple[Text, Text]]], bytes]
"""Status, headers and body; the body is without its Content-Encoding."""
Fetched = Union[None, Answer, concurrent.futures.Future[Optional[Answer]]]
Fetch = Callable[[str, str, Headers, bytes], Fetched]
"""Makes a request: method, URL, headers and body; a redirect is a response too. None, RefusedError: the request is
forbidden. OSError: it failed."""

FETCHES = 4  # parallel calls of fetch
REDIRECTS = 20  # most per page


class RenderedFrame(NamedTuple):
    """A document of a page."""

    url: str
    base: str
    """The URL against which its links are resolved."""
    html: str
    """The document after its scripts; shadow roots are <template shadowrootmode=...>."""
    is_own: bool
    """It has the page's origin, or stands in an attribute of a document that has it."""


class RenderedLink(NamedTuple):
    """A URL that no element of the page contains."""

    url: str
    how: str
    """"route" (pushState and the like), "open" (a window), "location", "refresh", "form" or "download"."""


class RenderedPart(NamedTuple):
    """A request of a page."""

    url: str
    method: str
    kind: str
    """In the browser's terms: "Document" (of a frame), "Script", "Stylesheet", "XHR", "Image", ..."""
    fate: str
    """The status of its response, why there was none, or what replaced it: "one pixel", "not fetched", "not sent"."""


class Rendered(NamedTuple):
    """A rendered page."""

    frames: list[RenderedFrame]
    """The page itself, then its frames."""
    links: list[RenderedLink]
    lack: str
    """Why the page is incomplete: "time", "parts", "bytes", "busy", "dialogs", ...; empty: it is complete."""
    words: str
    """Details of lack, for people."""
    parts: list[RenderedPart]
    """In the order of the requests."""
    screenshot: bytes
    """A PNG; empty: none was requested, or none came."""
    body_bytes: int
    """Bytes of the responses to parts."""

    @property
    def html(self) -> str:
        """The HTML of the page itself."""
        return self.frames[0].html


def _refusal(reason: Optional[BaseException]) -> tuple[int, str]:
    """Returns how a part without a response fails: a code for the page, and a text for people."""
    kinds: list[tuple[tuple[type[BaseException], ...], int, str]] = [
        ((errors.RefusedError,), lib.CRAWL_RENDER_REFUSE_BLOCKED, "refused"),
        ((socket.gaierror,), lib.CRAWL_RENDER_REFUSE_NAME, "no such name"),
        ((TimeoutError,), lib.CRAWL_RENDER_REFUSE_TIMEOUT, "no answer in time"),
        ((ssl.SSLError, ConnectionResetError, BrokenPipeError), lib.CRAWL_RENDER_REFUSE_CLOSED, "connection closed"),
        ((OSError,), lib.CRAWL_RENDER_REFUSE_CONNECT, "no connection"),
    ]
    for types, why, words in kinds:
        if isinstance(reason, types):
            return why, f"{words}: {reason}" if str(reason) else words
    return lib.CRAWL_RENDER_REFUSE_BLOCKED, "refused"


def _pairs(headers: Any) -> list[tuple[bytes, bytes]]:
    pairs = headers.items() if hasattr(headers, "items") else headers
    return [(to_bytes(name), to_bytes(value)) for name, value in pairs]


def _response(answer: Answer) -> tuple[Any, object]:
    """Makes the crawl_render_response of an answer. Also returns what it borrows."""
    status, headers, body = answer
    pairs = _pairs(headers)
    made = ffi.new("crawl_render_response *")
    made.size, made.status = ffi.sizeof(made[0]), status
    made.headers = array = ffi.new("crawl_header[]", [(slice_of(name), slice_of(value)) for name, value in pairs])
    made.header_count = len(pairs)
    made.body = slice_of(body)
    return made, (pairs, array, body)


class _Job:
    """A page from its submission to its end."""

    def __init__(self, loop: "_Loop", url: str, fetch: Fetch, screenshot: bool, response: Optional[Answer]) -> None:
        self.loop, self.url, self.fetch, self.screenshot, self.response = loop, url, fetch, screenshot, response
        self.future: concurrent.futures.Future[Rendered] = concurrent.futures.Future()
        self.parts: list[RenderedPart] = []
        self.reason: Optional[BaseException] = None  # an error of the caller's, which ends the render
        self.handle = ffi.new_handle(self)
        self.id = 0

    def fail(self, reason: BaseException) -> None:
        """Sets an exception on the future, unless the future is done."""
        with contextlib.suppress(concurrent.futures.InvalidStateError):
            self.future.set_exception(reason)

    # ---- in a thread of the pool ----

    def ask_for_page(self) -> None:
        try:
            self.response = self._page()
        except BaseException as reason:
            self.fail(reason)
        else:
            self.loop.call(self.loop.begin, self)

    def _page(self) -> Answer:
        for _ in range(REDIRECTS + 1):
            answer = self.fetch("GET", self.url, [], b"")
            if isinstance(answer, concurrent.futures.Future):
                answer = answer.result()
            if answer is None:
                raise errors.RefusedError(f"{self.url}: refused by fetch", lib.CRAWL_REFUSED)
            to = dict((name.lower(), value) for name, value in _pairs(answer[1])).get(b"location")
            if answer[0] not in (301, 302, 303, 307, 308) or to is None:
                return answer
            self.url = resolve(to, self.url)
        raise errors.RenderError(f"{self.url}: more than {REDIRECTS} redirects")

    # ---- in the thread of the loop ----

    def start(self, renderer: Any) -> None:
        """Starts the render. Raises whatever prevents it."""
        assert self.response is not None
        response, keep = _response(self.response)
        request, number, url = ffi.new("crawl_render_request *"), ffi.new("uint64_t *"), to_bytes(self.url)
        request.size, request.url, request.screenshot = ffi.sizeof(request[0]), slice_of(url), self.screenshot
        request.response, request.user = response, self.handle
        request.on_part, request.on_done = self.loop.on_part, self.loop.on_done
        check(lib.crawl_render(renderer, request, number), about=self.url)
        self.id, self.response = number[0], None

    def take_part(self, part: Any) -> None:
        """Asks the caller for a part."""
        url, method, body, fate = text_of(part.url), text_of(part.method), bytes_of(part.body), part.fate
        lines = (line.partition(": ") for line in text_of(part.headers).split("\n") if line)
        at = len(self.parts)
        self.parts.append(RenderedPart(url, method, ffi.string(part.kind).decode(),
                                       ffi.string(fate).decode() if fate else "not answered"))
        if fate:
            return
        asked = self.loop.pool.submit(self.fetch, method, url, [(name, value) for name, _, value in lines], body)
        number = part.id
        asked.add_done_callback(lambda done: self._fetched(done, number, at))

    def _fetched(self, done: Any, number: int, at: int) -> None:
        """Takes the result of fetch, or waits for the future that fetch returned. Runs in any thread."""
        if not done.cancelled() and done.exception() is None and isinstance(done.result(), concurrent.futures.Future):
            done.result().add_done_callback(lambda later: self._fetched(later, number, at))
        else:
            self.loop.call(self._answer, done, number, at)

    def _answer(self, done: Any, number: int, at: int) -> None:
        if self.future.done():
            return
        try:
            fate = self._pass(done, number)
        except Exception as reason:
            self.end_by(reason)
        else:
            self.parts[at] = self.parts[at]._replace(fate=fate)

    def _pass(self, done: Any, number: int) -> str:
        """Passes the answer or its failure to the page. Returns the text for RenderedPart.fate."""
        try:
            answer = done.result()
        except (errors.RefusedError, OSError, concurrent.futures.CancelledError) as reason:
            why, words = _refusal(reason)
        else:
            if answer is not None:
                return self._pass_answer(answer, number)
            why, words = _refusal(None)
        lib.crawl_render_refuse(self.loop.renderer, number, why)
        return words

    def _pass_answer(self, answer: Answer, number: int) -> str:
        response, keep = _response(answer)
        err = lib.crawl_render_answer(self.loop.renderer, number, response)
        if err == lib.CRAWL_EINVAL:  # the browser does not accept this status
            lib.crawl_render_refuse(self.loop.renderer, number, lib.CRAWL_RENDER_REFUSE_CLOSED)
        return str(answer[0]) if err != lib.CRAWL_FULL else f"{answer[0]}, too large"

    def end_by(self, reason: BaseException) -> None:
        """Ends the render with an exception, which is set on its future."""
        self.reason = self.reason or reason
        lib.crawl_render_cancel(self.loop.renderer, self.id)

    def finish(self, page: Any) -> None:
        if self.reason is not None:
            self.fail(self.reason)
        elif page.failed:
            lack = ffi.string(lib.crawl_render_lack_name(page.lack)).decode()
            words = ffi.string(page.words).decode("utf-8", "replace")
            self.fail(errors.RenderError(f"{self.url}: {words or lack}", lack=lack))
        else:
            self.future.set_result(self._rendered(page))

    def _rendered(self, page: Any) -> Rendered:
        frames = (page.frames[i] for i in range(page.frame_count))
        links = (page.links[i] for i in range(page.link_count))
        return Rendered(
            frames=[RenderedFrame(text_of(frame.url), text_of(frame.base), text_of(frame.html), bool(frame.is_own))
                    for frame in frames],
            links=[RenderedLink(text_of(link.url), ffi.string(link.how).decode()) for link in links],
            lack=ffi.string(lib.crawl_render_lack_name(page.lack)).decode(),
            words=ffi.string(page.words).decode("utf-8", "replace"), parts=list(self.parts),
            screenshot=bytes_of(page.screenshot), body_bytes=page.bytes)


def _on_part(user: Any, part: Any) -> None:
    job = ffi.from_handle(user)
    try:
        job.take_part(part)
    except BaseException as reason:  # the pool has ended because the interpreter is exiting
        job.end_by(reason)


def _on_done(user: Any, page: Any) -> None:
    job = ffi.from_handle(user)
    job.loop.end(job)
    try:
        job.finish(page)
    except BaseException as reason:
        job.fail(reason)


def _on_wake(descriptor: int, what: int, user: Any) -> None:
    ffi.from_handle(user).run_calls()


class _Loop:
    """The thread of a renderer."""

    def __init__(self, options: Any, keep: object) -> None:
        self.renderer = NULL
        self.pool = concurrent.futures.ThreadPoolExecutor(FETCHES, "render-fetch")
        self._options, self._keep = options, keep
        self._calls: collections.deque[tuple[Callable[..., object], tuple[Any, ...]]] = collections.deque()
        self._waiting: collections.deque[_Job] = collections.deque()
        self._running: set[_Job] = set()
        self._jobs: set[_Job] = set()  # unfinished ones
        self.on_part = ffi.callback("void(void *, const crawl_render_part *)", _on_part)
        self.on_done = ffi.callback("void(void *, const crawl_rendered *)", _on_done)
        self._on_wake = ffi.callback("void(int, short, void *)", _on_wake)
        self._woken, self._wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._turn = threading.RLock()  # guards is_open, and everything allowed while it is true
        self.is_open = True
        started: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._thread = threading.Thread(target=self._run, args=(started,), name="render", daemon=True)
        self._thread.start()
        started.result()

    # ---- from any thread ----

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Queues a function call for the thread. Does nothing after the end."""
        with self._turn:
            if self.is_open:
                self._calls.append((function, arguments))
                with contextlib.suppress(BlockingIOError):  # it is awake
                    os.write(self._wake, b".")

    def add(self, job: _Job) -> None:
        """Queues a page for rendering. StateError: the renderer was closed."""
        job.future.set_running_or_notify_cancel()
        with self._turn:
            if not self.is_open:
                raise self.closed()
            self._jobs.add(job)
            job.future.add_done_callback(lambda _: self._jobs.discard(job))
            if job.response is None:
                self.pool.submit(job.ask_for_page)
            else:
                self.call(self.begin, job)

    def closed(self) -> Exception:
        return failure(lib.CRAWL_ESTATE, about="the renderer was closed")

    def close(self) -> None:
        if os.getpid() != self._pid:
            return
        with self._turn:
            self.call(lib.event_base_loopbreak, self._base)
            self.is_open = False
        self.pool.shutdown(wait=False, cancel_futures=True)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    # ---- in the thread ----

    def _run(self, started: concurrent.futures.Future[None]) -> None:
        """Runs the loop. The browser dies with the thread that started it, so this thread lives to the end."""
        self._pid = os.getpid()
        self._base, handle = lib.event_base_new(), ffi.new_handle(self)
        event = lib.event_new(self._base, self._woken, lib.EV_READ | lib.EV_PERSIST, self._on_wake, handle)
        lib.event_add(event, NULL)
        try:
            self._make()
        except BaseException as reason:
            started.set_exception(reason)
        else:
            started.set_result(None)
            lib.event_base_dispatch(self._base)
        with self._turn:  # also if there is no renderer
            self.is_open = False
        lib.crawl_renderer_free(self.renderer)
        lib.event_free(event)
        lib.event_base_free(self._base)
        os.close(self._woken)
        os.close(self._wake)
        for job in list(self._jobs):
            job.fail(self.closed())

    def _make(self) -> None:
        out, error = ffi.new("crawl_renderer **"), ffi.new("crawl_error *")
        err = lib.crawl_renderer_create(self._base, self._options, out, error)
        if err == lib.CRAWL_ABSENT:
            raise errors.FileError(str(failure(err, error)), err)
        check(err, error)
        self.renderer = out[0]

    def run_calls(self) -> None:
        os.read(self._woken, 4096)
        while self._calls:
            function, arguments = self._calls.popleft()
            function(*arguments)

    def begin(self, job: _Job) -> None:
        self._waiting.append(job)
        self._begin_waiting()

    def end(self, job: _Job) -> None:
        self._running.discard(job)
        self._begin_waiting()

    def _begin_waiting(self) -> None:
        while self._waiting and len(self._running) < self._options.open:
            job = self._waiting.popleft()
            try:
                job.start(self.renderer)
            except BaseException as reason:
                job.fail(reason)
            else:
                self._running.add(job)


class Renderer:
    """A headless Chromium that renders pages until close() or the end of a with statement.

    Any thread may call it; at most `open` pages render at once, others wait. The system isolates the browser from the
    network: the caller's fetch makes each request of a page, with the caller's rules for robots.txt and pauses. While a
    request waits, the clock of its page stands still.

    program is the browser, by default Debian's chromium-headless-shell. user_agent is what pages see; requests do not
    carry it. Times are seconds: start for the browser's start; time for a render without its waits for parts, and wait
    including them; silence before an unresponsive script is stopped; clock for the page's own time. max_part_bytes
    limits a body, max_page_bytes all bodies of a render, max_html_bytes all its frames, max_memory_bytes the browser's
    processes; max_parts and max_frames limit a render. After `pages` pages a new browser is started. images: request
    pictures, fonts and media too. post: allow requests other than GET and HEAD. clicks: an XPath of elements to click.
    docs/render.md has the defaults.

    FileError: no such browser. RefusedError: the system refuses the isolation. InvalidError: an option is out of range,
    or the library was built without rendering.
    """

    def __init__(self, *, program: Optional[Text] = None, user_agent: Optional[Text] = None,
                 start: Optional[float] = None, time: Optional[float] = None, wait: Optional[float] = None,
                 silence: Optional[float] = None, clock: Optional[float] = None, max_part_bytes: Optional[int] = None,
                 max_page_bytes: Optional[int] = None, max_html_bytes: Optional[int] = None,
                 max_memory_bytes: Optional[int] = None, max_parts: Optional[int] = None,
                 max_frames: Optional[int] = None, pages: Optional[int] = None, open: Optional[int] = None,
                 images: bool = False, post: bool = False, clicks: Iterable[Text] = ()) -> None:
        options = ffi.new("crawl_render_options *")
        lib.crawl_render_options_init(options, ffi.sizeof(options[0]))
        times = {"start": start, "time": time, "wait": wait, "silence": silence, "clock": clock}
        numbers = {"max_part_bytes": max_part_bytes, "max_page_bytes": max_page_bytes, "max_parts": max_parts,
                   "max_html_bytes": max_html_bytes, "max_memory_bytes": max_memory_bytes, "max_frames": max_frames,
                   "pages": pages, "open": open, "images": images, "post": post}
        set_words(options, {f"{name}_ms": milliseconds(value) for name, value in times.items() if value is not None})
        set_words(options, {name: value for name, value in numbers.items() if value is not None})
        texts = {"program": program, "user_agent": user_agent}
        keep = {name: ffi.new("char[]", to_bytes(text)) for name, text in texts.items() if text is not None}
        for name, text in keep.items():
            setattr(options, name, text)
        if isinstance(clicks, (str, bytes)):
            raise TypeError("clicks: expected an iterable of XPaths, not one")
        chosen = b"".join(to_bytes(path) + b"\0" for path in clicks)
        options.clicks = slice_of(chosen)
        self._loop = _Loop(options, (keep, chosen))
        self._finalizer = weakref.finalize(self, self._loop.close)

    def render(self, url: str, *, fetch: Fetch, response: Optional[Answer] = None,
               screenshot: bool = False) -> Rendered:
        """Returns the page after its scripts have run.

        fetch makes the requests of the page, in one of four threads of the renderer. It is called with method, URL,
        headers ([(name, value), ...]) and body, and returns (status, headers, body) or a concurrent.futures.Future of
        that. The body must be without its Content-Encoding. Redirects are responses: the browser follows them. None or
        RefusedError refuses a request; OSError means that it failed. The page then goes on without it, and `parts` says
        so. Any other exception ends the render and is raised here.

        response is the response to url itself, if the caller already has it. screenshot: take a picture of the first
        1280 x 1024 pixels, which requests pictures and fonts too.

        RenderError: nothing of the page could be read.
        """
        return self.submit(url, fetch=fetch, response=response, screenshot=screenshot).result()

    def submit(self, url: str, *, fetch: Fetch, response: Optional[Answer] = None,
               screenshot: bool = False) -> concurrent.futures.Future[Rendered]:
        """As render, but returns a future at once; for asyncio wrap it in asyncio.wrap_future."""
        if os.getpid() != self._loop._pid:
            raise failure(lib.CRAWL_ESTATE, about="the renderer belongs to the process that made it")
        job = _Job(self._loop, url, fetch, screenshot, response)
        self._loop.add(job)
        return job.future

    def close(self) -> None:
        """Ends the browser. Unfinished renders end with StateError."""
        self._finalizer()

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, *rest: object) -> None:
        self.close()
