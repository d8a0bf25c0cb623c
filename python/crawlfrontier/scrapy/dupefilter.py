"""Scrapy's set of requests seen, in a few bytes each.

JOBDIR holds seen.filter, the filter as of the last clean shutdown, and seen.log, the fingerprints added since, 20 bytes
each and written one by one: a killed job loses none. The filter is read first, then the log. The log is emptied after
the filter was replaced, so a crash in between only adds keys that are already in the filter.
"""
from __future__ import annotations

import os
from itertools import islice
from typing import Any, BinaryIO, Iterator, Optional

from scrapy.dupefilters import RFPDupeFilter
from scrapy.http import Request
from scrapy.utils.job import job_dir

from ..errors import CorruptError, InvalidError
from ..filters import Filter
from ..urls import FINGERPRINT_SIZE
from .fingerprints import Fingerprints

AT_ONCE = 65536  # fingerprints read in one step


def hex_keys(path: str) -> Iterator[bytes]:
    """Yields the fingerprints of a requests.seen, many at a time. Leaves out a last line that a crash cut off."""
    with open(path, encoding="ascii") as file:
        while lines := list(islice(file, AT_ONCE)):
            if not lines[-1].endswith("\n") and len(lines[-1]) != 2 * FINGERPRINT_SIZE:
                lines.pop()
            try:
                keys = bytes.fromhex("".join(lines))
            except ValueError:
                keys = b""
            if len(keys) != FINGERPRINT_SIZE * len(lines):
                raise CorruptError(f"{path}: not all lines are fingerprints of 40 hexadecimal digits")
            yield keys


def logged_keys(file: BinaryIO) -> Iterator[bytes]:
    """Yields the fingerprints of a log, many at a time. Leaves out one that a crash cut off."""
    while keys := file.read(FINGERPRINT_SIZE * AT_ONCE):
        yield keys[:len(keys) - len(keys) % FINGERPRINT_SIZE]


class DupeFilter(RFPDupeFilter):
    """DUPEFILTER_CLASS = "crawlfrontier.scrapy.DupeFilter".

    The setting CRAWLFRONTIER_SEEN is a dict of the arguments of crawlfrontier.Filter. The default is a scalable filter
    with one false positive in a million. A resumed job keeps the filter that it began with.
    """

    def __init__(self, path: Optional[str] = None, debug: bool = False, *, fingerprinter: Any = None,
                 seen: Optional[dict[str, Any]] = None) -> None:
        super().__init__(None, debug, fingerprinter=fingerprinter)
        self.fingerprints = Fingerprints(self.fingerprinter)
        self._stats: Optional[Any] = None
        self._folder = path
        self._log: Optional[Any] = None
        self._words: dict[str, Any] = {"fpr": 1e-6, **(seen or {})}
        self.filter = self._read() if path else self._new()

    @classmethod
    def from_crawler(cls, crawler: Any) -> "DupeFilter":
        """Calls from_settings, as Scrapy's own does; a subclass's may take no fingerprinter."""
        try:
            made = cls.from_settings(crawler.settings, fingerprinter=crawler.request_fingerprinter)
        except TypeError:
            made = cls.from_settings(crawler.settings)
        made._stats = crawler.stats
        return made

    @classmethod
    def from_settings(cls, settings: Any, *, fingerprinter: Any = None) -> "DupeFilter":
        return cls(job_dir(settings), settings.getbool("DUPEFILTER_DEBUG"), fingerprinter=fingerprinter,
                   seen=settings.getdict("CRAWLFRONTIER_SEEN"))

    def _new(self) -> Filter:
        return Filter(**self._words, label=self.fingerprints.label)

    def _path(self, name: str) -> str:
        assert self._folder is not None
        return os.path.join(self._folder, name)

    def _read(self) -> Filter:
        """Returns the filter of the job's folder, with everything logged since it was saved."""
        if os.path.exists(self._path("seen.filter")):
            found = Filter.load(self._path("seen.filter"))
            if found.label != self.fingerprints.label:
                raise InvalidError(f"{self._path('seen.filter')}: its fingerprints are {found.label!r}, but this "
                                   f"job makes {self.fingerprints.label!r}")
        else:
            found = self._new()
            if os.path.exists(self._path("requests.seen")):
                for keys in hex_keys(self._path("requests.seen")):
                    found.update(keys, FINGERPRINT_SIZE)
            found.save(self._path("seen.filter"))
        self._log = open(self._path("seen.log"), "a+b", buffering=0)
        self._log.seek(0)
        size = 0
        for keys in logged_keys(self._log):
            found.update(keys, FINGERPRINT_SIZE)
            size += len(keys)
        self._log.truncate(size)
        return found

    def request_fingerprint(self, request: Request) -> str:
        return self.fingerprints.of(request).hex()

    def request_seen(self, request: Request) -> bool:
        key = self.fingerprints.of(request)
        if not self.filter.add(key):
            return True
        if self._log:
            self._keep(key)
        return False

    def _keep(self, key: bytes) -> None:
        """Logs a fingerprint, whole or not at all, since later ones are found by their place. OSError."""
        assert self._log is not None
        rest = key
        try:
            while rest:
                rest = rest[self._log.write(rest):]
        except OSError:
            size = self._log.seek(0, os.SEEK_END)
            self._log.truncate(size - size % FINGERPRINT_SIZE)
            raise

    def close(self, reason: str) -> None:
        """Saves the filter, and adds its size and its expected loss to the crawl's stats."""
        if self._log:
            self.filter.save(self._path("seen.filter"))
            self._log.truncate(0)
            self._log.close()
            self._log = None
        if self._stats:
            figures = self.filter.stats()
            self._stats.set_value("dupefilter/seen", figures.count)
            self._stats.set_value("dupefilter/expected_loss", figures.expected_false)
            self._stats.set_value("dupefilter/memory_bytes", figures.bytes)
        self.filter.close()
