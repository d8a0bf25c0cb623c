"""The frontier: what to fetch next, and when. It is in memory, or durable in a directory."""
from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
import weakref
from enum import IntEnum
from typing import Any, AsyncIterator, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from ._batch import Slices, chunks
from ._library import (NULL, Text, bytes_of, check, failure, ffi, lib, milliseconds, scalars, slice_of, text_of,
                       to_bytes, tools)
from .errors import ParseError, StateError
from .filters import FilterStats, filter_options, stats_of
from .urls import FINGERPRINT_SIZE, chosen, parsed

FOREVER = float("inf")
ORDERS = {"bfs": lib.CRAWL_ORDER_BFS, "dfs": lib.CRAWL_ORDER_DFS, "best": lib.CRAWL_ORDER_BEST}
SYNCS = {"interval": lib.CRAWL_SYNC_INTERVAL, "always": lib.CRAWL_SYNC_ALWAYS, "never": lib.CRAWL_SYNC_NEVER}
STANDINGS = ("ready", "paused", "busy", "blocked", "dated")

Headers = Union[Text, Mapping[str, Text], Mapping[bytes, Text]]


class Pushed(IntEnum):
    """The fate of a URL that was pushed."""

    NEW = lib.CRAWL_PUSHED_NEW
    SEEN = lib.CRAWL_PUSHED_SEEN
    INVALID = lib.CRAWL_PUSHED_INVALID
    FULL = lib.CRAWL_PUSHED_FULL


class FrontierStats(NamedTuple):
    """Figures of the frontier."""

    queued: int
    """Ready or delayed."""
    leased: int
    hosts: int
    """Known hosts."""
    hosts_queued: int
    """Hosts with something queued."""
    hosts_blocked: int
    """Blocked hosts with something queued."""
    pushed: int
    """Offered to push."""
    accepted: int
    """Queued by push."""
    seen: int
    """Refused as seen."""
    full: int
    """Refused because of max_queued or max_hosts."""
    finished: int
    again: int
    """Finished by revisit_at."""
    revisits: int
    """Queued for another visit."""
    forgetting: int
    """Finished, to be forgotten at a date."""
    bytes: int
    """Memory in use, without the seen-set."""
    disk_bytes: int
    filter: FilterStats
    """The seen-set's figures."""


class Waiting(NamedTuple):
    """What the queue waits for, as of the last pop."""

    hosts: dict[str, int]
    """Hosts with something queued that are ready, paused, busy, blocked or dated (all their requests are for later)."""
    most_queued: list[tuple[str, str, int]]
    """Up to three waiting hosts with the most requests queued: origin, standing, requests."""
    host: str
    """The host whose state time will change first; empty: none."""


class Host(NamedTuple):
    """A host of a durable frontier, as stored on disk."""

    origin: str
    pause: Optional[float]
    """Seconds; None: the frontier's pause."""
    blocked_until: Optional[float]
    ready: int
    delayed: int
    urgent: int


def _time_of(ms: int) -> float:
    return FOREVER if ms == 2**63 - 1 else ms / 1000


class _Waker:
    """Wakes waiting callers when the frontier says, from any thread, that something may be ready. It holds no reference
    to the frontier, so that neither keeps the other alive."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.told = 0  # number of calls of on_ready so far
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self.listeners: list[Callable[[], object]] = []

    def wake(self) -> None:
        with self._changed:
            self.told += 1
            self._changed.notify_all()
            waiting = list(self._waiting)
        for loop, event in waiting:
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(event.set)
        for listener in self.listeners:
            listener()

    def wait(self, told: int, timeout: Optional[float]) -> None:
        """Returns once on_ready has been called more than `told` times, or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self.told != told,
                                   None if timeout is None else min(timeout, threading.TIMEOUT_MAX))

    async def wait_async(self, told: int, timeout: Optional[float]) -> None:
        each = (asyncio.get_running_loop(), asyncio.Event())
        with self._changed:
            if self.told != told:
                return
            self._waiting.add(each)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await each[1].wait()
        finally:
            with self._changed:
                self._waiting.discard(each)


class Lease:
    """A popped request. It belongs to the caller until done, retry_at, give_back, forget_at or revisit_at ends it. A
    with statement ends it as done, or gives it back if an exception leaves the block."""

    __slots__ = ("_frontier", "_id", "url", "origin", "fingerprint", "method", "headers", "body", "parent", "priority",
                 "depth", "tag", "memo", "attempt", "visit", "urgent")

    def __init__(self, frontier: "Frontier", raw: Any) -> None:
        self._frontier: Optional[Frontier] = frontier
        self._id: int = raw.id
        self.url: str = text_of(raw.url)
        self.origin: str = text_of(raw.origin)
        self.fingerprint: bytes = bytes(ffi.buffer(raw.fingerprint.bytes))
        self.method: str = text_of(raw.method)
        self.headers: str = text_of(raw.headers)
        self.body: bytes = bytes_of(raw.body)
        self.parent: str = text_of(raw.parent)
        self.priority: int = raw.priority
        self.depth: int = raw.depth
        self.tag: int = raw.tag
        self.memo: bytes = bytes_of(raw.memo)
        self.attempt: int = raw.attempt
        self.visit: int = raw.visit
        self.urgent: bool = raw.urgent

    def done(self) -> None:
        """Ends the lease: the request was fetched, or is given up for good. StateError: it has ended."""
        self._end(lib.CRAWL_DONE_FINISHED, 0)

    def retry_at(self, when: float) -> None:
        """Ends the lease and queues the request for this time, as a further attempt."""
        self._end(lib.CRAWL_DONE_RETRY, when)

    def give_back(self, when: float = 0) -> None:
        """Ends the lease: the request was not sent, and returns to its place in the queue at this time."""
        self._end(lib.CRAWL_DONE_RETURN, when)

    def forget_at(self, when: float) -> None:
        """Ends the lease as done does, and removes the request from the seen-set at this time, if its kind can
        forget."""
        self._end(lib.CRAWL_DONE_FORGET, when)

    def revisit_at(self, when: float, memo: bytes = b"") -> None:
        """Ends the lease as done does, and queues the next visit with a memo of the caller's."""
        self._owner()._revisit(self._id, when, to_bytes(memo))
        self._frontier = None

    @property
    def ended(self) -> bool:
        return self._frontier is None

    def _owner(self) -> "Frontier":
        if self._frontier is None:
            raise failure(lib.CRAWL_ESTATE, about="the lease has ended")
        return self._frontier

    def _end(self, outcome: int, when: float) -> None:
        owner, at_ms = self._owner(), milliseconds(when)
        self._frontier = None
        owner._done(self._id, outcome, at_ms)

    def __enter__(self) -> "Lease":
        return self

    def __exit__(self, kind: Optional[type], *rest: object) -> None:
        if self._frontier is None:
            return
        if kind is None:
            self.done()
        else:
            with contextlib.suppress(StateError):  # a frontier that was closed has it back
                self.give_back()

    def __repr__(self) -> str:
        return f"<Lease of {self.url!r}{', ended' if self.ended else ''}>"


_open_ones: "weakref.WeakSet[Frontier]" = weakref.WeakSet()


def _leave_to_parent() -> None:
    """Runs in a forked process, where the threads and the directory still belong to the parent."""
    for frontier in list(_open_ones):
        frontier._turn = threading.RLock()
        frontier._pointer.clear()
        frontier._is_parents = True


os.register_at_fork(after_in_child=_leave_to_parent)


def _close(pointer: list[Any], keep: object) -> tuple[int, Any]:
    """Closes the frontier in the list and removes it. keep holds everything that the frontier calls until then."""
    error = ffi.new("crawl_error *")
    return (lib.crawl_frontier_close(pointer.pop(), error), error) if pointer else (0, error)


def set_words(options: Any, words: Mapping[str, int]) -> None:
    """Sets members of a struct. InvalidError: a number is out of a member's range."""
    for name, value in words.items():
        try:
            setattr(options, name, value)
        except OverflowError:
            raise failure(lib.CRAWL_EINVAL, about=f"{name} is {value}") from None


def frontier_options(*, order: str, pause: float, per_host: int, seen: Union[str, Mapping[str, Any]],
                     max_queued: int = 0, max_hosts: int = 0, sync: str = "interval", sync_interval: float = 1,
                     window_bytes: int = 256 << 20, cache_bytes: int = 64 << 20,
                     fingerprints: str = "") -> tuple[Any, object]:
    """Makes crawl_frontier_options from these arguments. Also returns what they borrow; see Frontier."""
    options = ffi.new("crawl_frontier_options *")
    lib.crawl_frontier_options_init(options, ffi.sizeof(options[0]))
    filter_words: dict[str, Any] = {"shards": 0, **({"kind": seen} if isinstance(seen, str) else seen)}
    options.order, options.sync = chosen(ORDERS, order, "order"), chosen(SYNCS, sync, "sync")
    options.seen = filter_options(**filter_words)[0]
    options.fingerprints = text = ffi.new("char[]", fingerprints.encode())
    set_words(options, {"pause_ms": milliseconds(pause), "per_host": per_host, "max_queued": max_queued,
                        "max_hosts": max_hosts, "sync_ms": milliseconds(sync_interval), "window_bytes": window_bytes,
                        "cache_bytes": cache_bytes})
    return options, text


class Frontier:
    """A queue for each host, with its pause and its limit of parallel requests, and the set of all requests seen.

    directory holds a durable frontier, and is made if it does not exist; None: in memory. order is "bfs", "dfs" or
    "best". pause is the least time between two requests to a host; per_host is the most that may be out at once. seen
    is the kind of the seen-set, or a dict of the arguments of Filter. sync says when a durable frontier is written
    through to the disk: "interval" (within sync_interval seconds), "always" or "never". A killed process loses nothing
    in any case. clock returns the time in seconds; for a durable frontier it must continue across processes.

    Any thread may call any method at any time; calls take turns. Close it or use a with statement. Frontiers still open
    are closed when the interpreter exits.

    >>> frontier = Frontier(pause=0)
    >>> frontier.push("http://a.example/"), frontier.push("http://a.example/#top")
    (True, False)
    >>> for lease in frontier:
    ...     print(lease.url, lease.depth)
    ...     if lease.depth < 2:
    ...         frontier.push_many(["x/", "y/"], parent=lease.url, depth=lease.depth + 1).count(Pushed.NEW)
    http://a.example/ 0
    2
    http://a.example/x/ 1
    2
    http://a.example/y/ 1
    2
    http://a.example/x/x/ 2
    http://a.example/x/y/ 2
    http://a.example/y/x/ 2
    http://a.example/y/y/ 2
    """

    def __init__(self, directory: Optional[Union[str, "os.PathLike[str]"]] = None, *, order: str = "bfs",
                 pause: float = 0.25, per_host: int = 2, seen: Union[str, Mapping[str, Any]] = "scalable",
                 max_queued: int = 0, max_hosts: int = 0, sync: str = "interval", sync_interval: float = 1,
                 window_bytes: int = 256 << 20, cache_bytes: int = 64 << 20, fingerprints: str = "",
                 clock: Callable[[], float] = time.time) -> None:
        options, keep = frontier_options(order=order, pause=pause, per_host=per_host, seen=seen, max_queued=max_queued,
                                         max_hosts=max_hosts, sync=sync, sync_interval=sync_interval,
                                         window_bytes=window_bytes, cache_bytes=cache_bytes, fingerprints=fingerprints)
        self._clock = clock
        if directory is None:
            self._begin(options, keep, lambda out, error: lib.crawl_frontier_create(options, out, error))
        else:
            name, now = os.fsencode(directory) + b"\0", self._now()
            self._begin(options, keep, lambda out, error: lib.crawl_frontier_open(name, options, now, out, error))

    def _begin(self, options: Any, keep: object, make: Callable[[Any, Any], int], about: str = "") -> None:
        """Makes the frontier by calling make with the addresses of its pointer and of an error. keep is everything that
        it calls or borrows until it is closed."""
        self._turn = threading.RLock()  # a listener, or a lease that is collected, may call during a call
        self._waker = waker = _Waker()
        self._leaders: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]" = \
            weakref.WeakKeyDictionary()
        options.on_ready = on_ready = ffi.callback("void(void *)", lambda _user: waker.wake())
        out, error = ffi.new("crawl_frontier **"), ffi.new("crawl_error *")
        check(make(out, error), error, about)
        self._pointer = [out[0]]
        self._finalizer = weakref.finalize(self, _close, self._pointer, (on_ready, keep))
        self._is_parents = False
        _open_ones.add(self)

    def on_ready(self, listener: Callable[[], object]) -> None:
        """Adds a listener, called from any thread whenever something may be ready sooner than the last pop said, also
        during a push or the end of a lease: it must not wait for another thread, nor close the frontier."""
        self._waker.listeners.append(listener)

    def _now(self) -> int:
        return milliseconds(self._clock())

    def _open(self) -> Any:
        if self._is_parents:
            raise failure(lib.CRAWL_ESTATE,
                          about="the frontier is of the process that made it: after a fork, make another")
        if not self._pointer:
            raise failure(lib.CRAWL_ESTATE, about="the frontier is closed")
        return self._pointer[0]

    def close(self) -> None:
        """Writes everything to the disk and closes. Open leases return when the frontier is opened again. A second
        close is harmless. FileError, CorruptError: the directory is as after a crash."""
        if self._turn._is_owned():
            raise failure(lib.CRAWL_ESTATE, about="a listener cannot close the frontier")
        with self._turn:
            kept = self._finalizer.detach()
            pointer = self._pointer[:]
            self._pointer.clear()
        closed = _close(pointer, kept)  # outside the turn, for which a listener in a thread of the library may wait
        self._waker.wake()
        check(*closed)

    def __enter__(self) -> "Frontier":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def sync(self) -> None:
        """Durable only: returns once all earlier changes are on the disk."""
        with self._turn:
            check(lib.crawl_frontier_sync(self._open()))

    def push(self, url: Text, *, parent: Text = "", depth: int = 0, priority: int = 0, tag: int = 0,
             method: Text = "", headers: Headers = "", body: bytes = b"", memo: bytes = b"", revisit: bool = False,
             fingerprint: Optional[bytes] = None) -> bool:
        """Queues a request. True: it is queued. False: it was seen before.

        url is resolved against parent, the page that it was found on. Of two requests with the same fingerprint, the
        second counts as seen. The fingerprint covers method, canonical URL and body, unless one is given. Higher
        priorities come first. tag and memo (at most 4096 bytes) are the caller's own. revisit queues the request even
        if it was seen. ParseError: not an http or https URL, or too long a memo. FullError: max_queued or max_hosts.
        """
        request, keep = _request_of(depth, priority, tag, method, headers, body, memo, revisit)
        return self._accepted(url, self._push_one(url, request, parent, fingerprint))

    @staticmethod
    def _accepted(url: Text, result: int) -> bool:
        if result == Pushed.INVALID:
            raise failure(lib.CRAWL_EPARSE, about=f"not queued: {url!r}")
        if result == Pushed.FULL:
            raise failure(lib.CRAWL_FULL, about=f"not queued: {url!r}")
        return result == Pushed.NEW

    def _push_one(self, url: Text, request: Any, parent: Text, fingerprint: Optional[bytes]) -> int:
        if fingerprint is None:
            return self._push([url], request, parent)[0]
        if len(fingerprint) != FINGERPRINT_SIZE:
            raise ValueError(f"a fingerprint has {FINGERPRINT_SIZE} bytes, not {len(fingerprint)}")
        try:
            text = _request_url(scalars(url), scalars(parent))
        except ParseError:
            return Pushed.INVALID
        result = bytearray(1)
        request.url = slice_of(text)
        request.fingerprint.bytes = fingerprint
        with self._turn:
            code = lib.crawl_frontier_push(self._open(), request, 1, slice_of(to_bytes(scalars(parent))),
                                           ffi.from_buffer("uint8_t[]", result), NULL, self._now())
        if code not in (0, lib.CRAWL_FULL):
            raise failure(code)
        return result[0]

    def push_many(self, urls: Iterable[Text], *, parent: Text = "", depth: int = 0, priority: int = 0, tag: int = 0,
                  memo: bytes = b"", revisit: bool = False) -> bytearray:
        """Queues many URLs found on one page; the arguments are those of push. Returns a byte for each, as in Pushed:
        NEW, SEEN, INVALID or FULL."""
        request, keep = _request_of(depth, priority, tag, "", "", b"", memo, revisit)
        results = bytearray()
        for texts in chunks(urls):
            results += self._push(texts, request, parent)
        return results

    def _push(self, texts: Sequence[Text], request: Any, parent: Text) -> bytearray:
        try:
            slices = Slices(texts)
        except UnicodeEncodeError:
            slices = Slices(list(map(scalars, texts)))
        results = bytearray(len(texts))
        with self._turn:
            code = lib.crawl_frontier_push_urls(self._open(), tools.fingerprinter, slices.pointer, slices.count,
                                                request, slice_of(to_bytes(scalars(parent))),
                                                ffi.from_buffer("uint8_t[]", results), NULL, self._now())
        if code not in (0, lib.CRAWL_FULL):
            raise failure(code)
        return results

    def pop_now(self) -> tuple[Optional[Lease], float]:
        """Returns the lease of the best request that may be sent now, and 0. Otherwise returns None and the seconds
        until there may be one: FOREVER if only a push, the end of a lease or a lifted block can bring one, -1 if
        nothing is queued or leased."""
        raw, wait = ffi.new("crawl_lease *"), ffi.new("int64_t *")
        with self._turn:
            code = lib.crawl_frontier_pop(self._open(), self._now(), raw, wait)
            if code == 0:
                return Lease(self, raw), 0
        if code == lib.CRAWL_AGAIN:
            return None, _time_of(wait[0])
        if code == lib.CRAWL_DRAINED:
            return None, -1
        raise failure(code)

    def pop(self, timeout: Optional[float] = None) -> Optional[Lease]:
        """Waits until a request may be sent, and returns its lease. None: nothing is queued or leased any more.
        TimeoutError: none came within this many seconds (0: does not wait)."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            told = self._waker.told
            lease, wait = self.pop_now()
            if lease is not None or wait < 0:
                return lease
            self._waker.wait(told, _within(wait, end))

    async def pop_async(self, timeout: Optional[float] = None) -> Optional[Lease]:
        """As pop, without blocking the event loop. Waiting tasks of a loop are served in order."""
        leader = self._leaders.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        try:
            async with asyncio.timeout(timeout), leader:
                return await self._pop_as_leader()
        except TimeoutError:
            raise TimeoutError("no request may be sent yet") from None

    async def _pop_as_leader(self) -> Optional[Lease]:
        while True:
            told = self._waker.told
            lease, wait = self.pop_now()
            if lease is not None or wait < 0:
                return lease
            await self._waker.wait_async(told, None if wait == FOREVER else wait)

    def __iter__(self) -> Iterator[Lease]:
        """Yields leases until nothing is left. Each ends as done after its loop body, unless the body ended it; leaving
        the loop gives it back."""
        while (lease := self.pop()) is not None:
            with lease:
                yield lease

    async def __aiter__(self) -> AsyncIterator[Lease]:
        """As __iter__, for `async for`."""
        while (lease := await self.pop_async()) is not None:
            with lease:
                yield lease

    def _done(self, lease: int, outcome: int, at_ms: int) -> None:
        with self._turn:
            check(lib.crawl_frontier_done(self._open(), lease, outcome, at_ms, self._now()))

    def _revisit(self, lease: int, when: float, memo: bytes) -> None:
        with self._turn:
            check(lib.crawl_frontier_done_again(self._open(), lease, milliseconds(when), slice_of(memo), self._now()))

    def block(self, origin: Text, until: float = FOREVER) -> None:
        """Leases nothing of this host, "scheme://host:port", before this time; 0 lifts a block."""
        with self._turn:
            check(lib.crawl_frontier_block(self._open(), slice_of(_origin_of(origin)), milliseconds(until),
                                           self._now()), about=f"origin {origin!r}")

    def set_pause(self, origin: Text, pause: Optional[float]) -> None:
        """Sets the pause of this host alone, in seconds; None: the frontier's pause again."""
        with self._turn:
            check(lib.crawl_frontier_set_pause(self._open(), slice_of(_origin_of(origin)),
                                               -1 if pause is None else milliseconds(pause), self._now()),
                  about=f"origin {origin!r}")

    def set_share(self, origin: Text, share: int) -> None:
        """Sets how many turns this host gets for each turn of a host whose share is 1: 1 to 1000."""
        with self._turn:
            check(lib.crawl_frontier_set_share(self._open(), slice_of(_origin_of(origin)), share, self._now()),
                  about=f"share {share} of {origin!r}")

    def set_note(self, name: Text, note: bytes) -> None:
        """Stores the caller's bytes under an origin, or under a name that begins with "#". Empty: removes them."""
        with self._turn:
            check(lib.crawl_frontier_note_set(self._open(), slice_of(_origin_of(name)), slice_of(to_bytes(note))),
                  about=f"note {name!r}")

    def note(self, name: Text) -> bytes:
        """Returns the bytes stored by set_note; empty if there are none."""
        key, buffer = _origin_of(name), tools.buffer
        buffer.size = 0
        with self._turn:
            code = lib.crawl_frontier_note_get(self._open(), slice_of(key), buffer)
        if code != lib.CRAWL_ABSENT:
            check(code)
        return bytes_of(buffer)

    def seen(self, fingerprint: bytes) -> bool:
        """Returns True if the seen-set contains this fingerprint."""
        raw = ffi.new("crawl_fingerprint *", (fingerprint,))
        with self._turn:
            return lib.crawl_frontier_seen(self._open(), raw) == lib.CRAWL_EXISTS

    def stats(self) -> FrontierStats:
        """Returns figures of the frontier."""
        raw = ffi.new("crawl_frontier_stats *")
        with self._turn:
            lib.crawl_frontier_stats_get(self._open(), self._now(), raw)
        figures = [getattr(raw, name) for name in FrontierStats._fields[:-1]]
        return FrontierStats._make([*figures, stats_of(raw.filter)])

    def waiting(self) -> Waiting:
        """Returns what the queue waits for, as of the last pop."""
        raw = ffi.new("crawl_frontier_binding *")
        with self._turn:
            lib.crawl_frontier_binding_get(self._open(), self._now(), raw)
        most = [(ffi.string(host.origin).decode(), STANDINGS[host.standing], host.queued)
                for host in list(raw.most_queued)[:raw.most_queued_count]]
        return Waiting(dict(zip(STANDINGS, raw.hosts)), most, ffi.string(raw.due.origin).decode())

    def __len__(self) -> int:
        return self.stats().queued

    def __bool__(self) -> bool:
        return True  # an empty frontier is still a frontier


def _within(wait: float, end: Optional[float]) -> Optional[float]:
    """Returns wait, shortened to end. TimeoutError: end has passed."""
    if end is None:
        return None if wait == FOREVER else wait
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("no request may be sent yet")
    return min(wait, left)


def _origin_of(text: Text) -> bytes:
    """Returns an origin as the library writes it, without a default port; any other text unchanged."""
    try:
        url = parsed(text, tools.url)
    except ParseError:
        return to_bytes(text)
    buffer = tools.buffer
    buffer.size = 0
    lib.crawl_url_origin(url, buffer)
    origin = bytes_of(buffer)
    return origin if bytes_of(lib.crawl_url_href(url)) == origin + b"/" else to_bytes(text)


def _request_url(url: Text, parent: Text) -> bytes:
    """Returns the URL to fetch, resolved against parent if that is a URL. ParseError: not a URL."""
    base = NULL
    with contextlib.suppress(ParseError):
        base = parsed(parent, tools.base)
    return bytes_of(lib.crawl_url_request(parsed(url, tools.url, base)))


def _header_line(name: bytes, value: bytes) -> bytes:
    """Returns a line of headers. InvalidError: an empty name, or a line end within."""
    if not name or b":" in name or any(end in name + value for end in (b"\r", b"\n", b"\0")):
        raise failure(lib.CRAWL_EINVAL, about=f"headers: {name!r}: {value!r}")
    return name + b": " + value + b"\n"


def _request_of(depth: int, priority: int, tag: int, method: Text, headers: Headers, body: bytes, memo: bytes,
                revisit: bool) -> tuple[Any, list[bytes]]:
    """Makes a crawl_request without its URL. Also returns what it borrows."""
    if isinstance(headers, Mapping):
        headers = b"".join(_header_line(to_bytes(name), to_bytes(value)) for name, value in headers.items())
    keep = [to_bytes(text) for text in (method, headers, body, memo)]
    request = ffi.new("crawl_request *")
    request.method, request.headers, request.body, request.memo = map(slice_of, keep)
    request.revisit = revisit
    set_words(request, {"depth": depth, "priority": priority, "tag": tag})
    return request, keep


def hosts_of(directory: Union[str, "os.PathLike[str]"]) -> list[Host]:
    """Returns the hosts of a durable frontier as stored on disk, in the order in which they became known. Another
    process may have it open. FileError, CorruptError."""
    hosts: list[Host] = []

    @ffi.callback(ffi.typeof(lib.crawl_frontier_view_hosts).args[1], error=False)
    def each(raw: Any, _user: Any) -> bool:
        hosts.append(Host(text_of(raw.origin), None if raw.pause_ms < 0 else raw.pause_ms / 1000,
                          None if raw.blocked_ms == -2**63 else _time_of(raw.blocked_ms), raw.ready, raw.delayed,
                          raw.urgent))
        return True

    out, error = ffi.new("crawl_frontier_view **"), ffi.new("crawl_error *")
    check(lib.crawl_frontier_view_open(os.fsencode(directory) + b"\0", out, error), error)
    view = ffi.gc(out[0], lib.crawl_frontier_view_free)
    check(lib.crawl_frontier_view_hosts(view, each, NULL, error), error)
    return hosts
