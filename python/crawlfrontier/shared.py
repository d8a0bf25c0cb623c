"""A frontier that shares its crawl with other processes, on any machines, through Redis."""
from __future__ import annotations

import logging
import os
import time
from typing import Any, Callable, Mapping, NamedTuple, Optional, Union

from ._library import NULL, Text, check, failure, ffi, lib, milliseconds, slice_of, to_bytes
from .frontier import Frontier, Lease, frontier_options, set_words

logger = logging.getLogger(__name__)

LOOK = 0.25  # seconds between two looks, since the end of a crawl is found by polling


class SharedFigures(NamedTuple):
    """The work of all processes of a crawl, as this one last saw it, at most some seconds ago."""

    queued: int
    held: int
    """Requests that processes have taken with their hosts."""
    accepted: int
    """Pushes that were new to all processes."""
    seen: int
    """Pushes that were not new, without those that a process itself remembered."""
    finished: int
    sessions: int
    """Hosts that processes have."""
    lost: int
    """Sessions whose process died, or was stopped or cut off for too long."""
    stale: int
    """Messages of such a process that came too late and were refused."""
    hosts: int
    """Hosts that this process has."""
    is_away: bool
    """The server cannot be reached at present."""


def clock() -> float:
    """Returns the seconds of a monotonic clock that includes the machine's sleep."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def parsed(url: str) -> Any:
    """Parses a URL into a crawl_redis_url, whose first value is the name of the crawl. InvalidError, ParseError."""
    raw, error = ffi.new("crawl_redis_url *"), ffi.new("crawl_error *")
    name = ffi.new("char[]", b"name")
    check(lib.crawl_redis_url_parse(slice_of(to_bytes(url)), ffi.new("char *[]", [name, NULL]), raw, error), error,
          about="the URL of Redis")
    if raw.values[0]:
        return ffi.gc(raw, lib.crawl_redis_url_free)
    lib.crawl_redis_url_free(raw)
    raise failure(lib.CRAWL_EINVAL, about=f"{url}: the name of the crawl is missing: ...?name=NAME")


def set_texts(options: Any, **texts: Text) -> list[Any]:
    """Sets members that are C strings, except to empty texts. Returns what they borrow."""
    keep = [(name, ffi.new("char[]", to_bytes(text))) for name, text in texts.items() if text]
    for name, text in keep:
        setattr(options, name, text)
    return keep


def set_choices(options: Any, choices: Mapping[str, str]) -> list[Any]:
    """Sets the choices that all processes must agree on. Returns what they borrow."""
    texts = [(name.encode(), value.encode()) for name, value in choices.items()]
    made = ffi.new("crawl_shared_choice[]", [(slice_of(name), slice_of(value)) for name, value in texts])
    options.choices, options.choice_count = made, len(texts)
    return [made, texts]


class SharedFrontier(Frontier):
    """A frontier whose crawl is shared: each process takes a few hosts at a time, and has each for a session.

    url is "redis://[USER@]HOST[:PORT][/DB]?name=NAME", rediss:// for TLS, or "unix:/PATH?db=DB&name=NAME". It never
    contains the password, whose default is CRAWL_REDIS_PASSWORD of the environment. The first process makes the crawl
    and decides its order ("bfs", "dfs" or "best"), its seen-set ("scalable" or "exact"), its lease, its fingerprints
    and its choices, a dict of texts that all processes must agree on. A process with other values is refused. lease is
    how many seconds hosts stay with a dead process; hosts is how many hosts this process has at once; window is how
    many requests of a host it takes at once; remembers is how many fingerprints it keeps for itself, 8 bytes each.
    feeding: this process will push requests that come from no lease, until feed(False).

    Differences from Frontier: push never waits, and True means that this process had not met the request before; a
    lease whose host has gone to another process ends silently; pop returns None when nothing is left in any process. A
    dying process loses nothing: others get its hosts when its lease is over.

    Redis receives pushes before the end of a lease that follows them, so push the links of a page before you end its
    lease.

    InvalidError: the crawl there is another. NetworkError: the server is not reachable, or refuses.
    """

    def __init__(self, url: str, *, order: str = "bfs", pause: float = 0.25, per_host: int = 2,
                 seen: Union[str, Mapping[str, Any]] = "scalable", fingerprints: str = "", lease: float = 30,
                 hosts: int = 512, window: int = 32, remembers: int = 1 << 20, owed_bytes: int = 32 << 20,
                 feeding: bool = False, choices: Optional[Mapping[str, str]] = None, worker: str = "",
                 password: Optional[str] = None, ca_file: Union[str, "os.PathLike[str]"] = "",
                 on_words: Callable[[str], object] = logger.warning, clock: Callable[[], float] = clock) -> None:
        options, keep = frontier_options(order=order, pause=pause, per_host=per_host, seen=seen,
                                         fingerprints=fingerprints)
        shared = ffi.new("crawl_shared_options *")
        lib.crawl_shared_options_init(shared, ffi.sizeof(shared[0]))
        shared.url = address = parsed(url)
        shared.name, shared.feeding = address.values[0], feeding
        set_words(shared, {"lease_ms": milliseconds(lease), "hosts": hosts, "window": window, "remembers": remembers,
                           "owed_bytes": owed_bytes})
        texts = set_texts(shared, worker=worker, ca_file=os.fsencode(ca_file),
                          password=os.environ.get("CRAWL_REDIS_PASSWORD", "") if password is None else password)
        agreed = set_choices(shared, {"lease": str(milliseconds(lease)), **(choices or {})})
        shared.on_words = heard = ffi.callback("void(void *, const char *)", lambda _user, words: on_words(
            ffi.string(words).decode("utf-8", "replace")))
        made = ffi.new("bool *")
        self._clock = clock
        self._begin(options, (keep, texts, agreed, heard),
                    lambda out, error: lib.crawl_frontier_join(shared, options, out, made, error), url)
        self.made: bool = made[0]
        """This process began the crawl."""

    def pop_now(self) -> tuple[Optional[Lease], float]:
        """Like Frontier.pop_now, but the wait is never FOREVER, since the end of a crawl is found by polling."""
        lease, wait = super().pop_now()
        return lease, min(wait, LOOK)

    def feed(self, feeding: bool) -> None:
        """Says whether this process will push further requests of its own. No process learns that nothing is left while
        one is feeding."""
        with self._turn:
            lib.crawl_frontier_shared_feed(self._open(), feeding)

    def shared_figures(self) -> SharedFigures:
        """Returns the figures of all processes together."""
        raw = ffi.new("crawl_shared_figures *")
        with self._turn:
            check(lib.crawl_frontier_shared_figures(self._open(), raw))
        return SharedFigures(*(getattr(raw, name) for name in SharedFigures._fields))
