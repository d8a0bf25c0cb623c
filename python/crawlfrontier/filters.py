"""Filters: sets of keys, a few bytes per key, that answer "seen before?"."""
from __future__ import annotations

import contextlib
import os
import threading
from array import array
from itertools import compress
from typing import Any, ContextManager, Iterable, NamedTuple, Optional, Sequence, Union

from ._batch import Slices, chunks, key_count
from ._library import ABSENT, EXISTS, NULL, OK, Text, check, failure, ffi, lib, milliseconds, to_bytes

Buffer = Union[bytes, bytearray, memoryview]
Path = Union[str, "os.PathLike[str]"]

KINDS: tuple[str, ...] = tuple(ffi.string(lib.crawl_bloom_kind_name(kind)).decode()
                               for kind in range(lib.CRAWL_BLOOM_KINDS))


class FilterStats(NamedTuple):
    """Figures of a filter. Rates and shares are between 0 and 1."""

    count: int  # type: ignore[assignment]  # hides a tuple's own count
    """Keys in the filter: added minus removed."""
    capacity: int
    """Keys that the filter was sized for."""
    bytes: int
    """Memory in use."""
    fill: float
    """Share of bits set, of counters that are not zero, or of slots taken."""
    fpr: float
    """The rate of false positives that the filter was sized for."""
    fpr_now: float
    """The present rate, from the actual fill."""
    expected_false: float
    """Expected number of new keys mistaken for seen ones so far: the loss of a crawl."""
    refused: int
    """Removals refused."""
    filters: int
    """Filters in the chain, or generations."""


def stats_of(raw: Any) -> FilterStats:
    """Returns the figures of a crawl_bloom_stats."""
    return FilterStats(*(getattr(raw, name) for name in FilterStats._fields))


def filter_options(kind: str = "scalable", *, capacity: int = 1_000_000, fpr: float = 1e-4, growth: float = 2,
                   tightening: float = 0.85, max_bytes: int = 0, seed: int = 0, bits: int = 0, hashes: int = 0,
                   generations: int = 4, window: float = 0, shards: int = 1) -> Any:
    """Makes crawl_bloom_options from these arguments; see Filter."""
    options = ffi.new("crawl_bloom_options *")
    lib.crawl_bloom_options_init(options)
    number = ffi.new("crawl_bloom_kind *")
    if lib.crawl_bloom_kind_named(kind.encode() + b"\0", number):
        raise failure(lib.CRAWL_EINVAL, about=f"unknown kind of filter {kind!r}; known are {', '.join(KINDS)}")
    options.kind = number[0]
    for name, value in (("capacity", capacity), ("fpr", fpr), ("growth", growth), ("tightening", tightening),
                        ("max_bytes", max_bytes), ("seed", seed), ("bits", bits), ("hashes", hashes),
                        ("generations", generations), ("window_ms", milliseconds(window)), ("shards", shards)):
        try:
            setattr(options, name, value)
        except OverflowError:
            raise failure(lib.CRAWL_EINVAL, about=f"{name} is {value}") from None
    return options


class Filter:
    """A set of keys that have been seen.

    kind is one of KINDS: "scalable" (grows without limit; the default), "counting" (grows, and allows removal), "exact"
    (16-byte hashes, practically no false positives), "bloom" (fixed size), "table" (short fingerprints; grows, and
    allows removal), "rotating" (drops keys older than its window), "digest" (8-byte hashes). The other arguments are
    those of crawl_bloom_options, with window in seconds. shards is the number of parts with a lock each. With at least
    one, any thread may call any method at any time, and calls of several threads run in parallel.

    Keys are str (as UTF-8) or bytes; a str and the bytes of its UTF-8 are the same key.

    >>> seen = Filter(fpr=1e-6)
    >>> seen.add("http://a.example/"), seen.add(b"http://a.example/")
    (True, False)
    >>> "http://a.example/" in seen, "http://b.example/" in seen
    (True, False)
    >>> seen.update(["http://b.example/", "http://c.example/", "http://a.example/"])
    2
    >>> len(seen)
    3
    """

    def __init__(self, kind: str = "scalable", *, capacity: int = 1_000_000, fpr: float = 1e-4, growth: float = 2,
                 tightening: float = 0.85, max_bytes: int = 0, seed: int = 0, bits: int = 0, hashes: int = 0,
                 generations: int = 4, window: float = 0, shards: int = 1, label: str = "") -> None:
        options = filter_options(kind, capacity=capacity, fpr=fpr, growth=growth, tightening=tightening,
                                 max_bytes=max_bytes, seed=seed, bits=bits, hashes=hashes, generations=generations,
                                 window=window, shards=shards)
        out, error = ffi.new("crawl_bloom **"), ffi.new("crawl_error *")
        check(lib.crawl_bloom_create(options, out, error), error)
        self._own(out[0])
        if label:
            check(lib.crawl_bloom_set_label(self._bloom, label.encode() + b"\0"), about="label")

    def _own(self, bloom: Any) -> None:
        # Memory is freed after the last call that uses it has returned, so closing the filter under a call is safe.
        self._bloom = ffi.gc(bloom, lib.crawl_bloom_free)
        shared = lib.crawl_bloom_options_of(bloom).shards > 0
        self._turn: ContextManager[Any] = threading.Lock()
        if shared:
            self._turn = contextlib.nullcontext()

    @classmethod
    def load(cls, path: Path, *, map: bool = False) -> "Filter":
        """Loads a filter from a file and verifies all of it. With map, loading takes no time whatever the size: the
        file is read on demand, and its checksums are not verified. FileError, CorruptError."""
        out, error = ffi.new("crawl_bloom **"), ffi.new("crawl_error *")
        read = lib.crawl_bloom_map if map else lib.crawl_bloom_load
        check(read(os.fsencode(path) + b"\0", out, error), error)
        self = cls.__new__(cls)
        self._own(out[0])
        return self

    def save(self, path: Path) -> None:
        """Writes the filter to a file. After a crash the file is either the old one or the new one. FileError."""
        error = ffi.new("crawl_error *")
        with self._turn:
            code = lib.crawl_bloom_save(self._open(), os.fsencode(path) + b"\0", error)
        check(code, error)

    def close(self) -> None:
        """Frees the memory. Later calls raise StateError; a second close is harmless."""
        self._bloom = None

    def __enter__(self) -> "Filter":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _open(self) -> Any:
        bloom = self._bloom
        if bloom is None:
            raise failure(lib.CRAWL_ESTATE, about="the filter is closed")
        return bloom

    def add(self, key: Text) -> bool:
        """Adds a key. True: it is new. False: it was seen before, or is mistaken for one that was."""
        data = to_bytes(key)
        with self._turn:
            code = lib.crawl_bloom_add(self._open(), data, len(data), NULL)
        return self._is_new(code)

    def add_where(self, key: Text) -> Optional[int]:
        """Like add, for a key that will be removed later. Returns the place of the new key, for remove. None: it was
        seen before."""
        data, where = to_bytes(key), ffi.new("uint32_t *")
        with self._turn:
            code = lib.crawl_bloom_add(self._open(), data, len(data), where)
        return where[0] if self._is_new(code) else None

    @staticmethod
    def _is_new(code: int) -> bool:
        if code not in (OK, EXISTS):
            raise failure(code, about="the key was not added")
        return code == OK

    def __contains__(self, key: Text) -> bool:
        data = to_bytes(key)
        with self._turn:
            return lib.crawl_bloom_test(self._open(), data, len(data)) == EXISTS

    def add_many(self, keys: Union[Buffer, Iterable[Text]], key_size: Optional[int] = None, *,
                 where: Optional[array[int]] = None) -> bytearray:
        """Adds many keys. Returns a byte for each: 1 if it is new, 0 if it was seen before.

        keys is an iterable of str or bytes. With key_size it is one buffer of keys of that many bytes each, as
        fingerprint_many returns them. where, an array("I"), receives the place of each key, for remove_many. A key that
        occurs twice in a batch is new once.

        >>> list(Filter().add_many([b"a", "b", b"a"]))
        [1, 1, 0]
        >>> list(Filter().add_many(b"aabbaa", key_size=2))
        [1, 1, 0]
        """
        if key_size is not None:
            return self._add_keys(memoryview(keys).cast("B"), key_size, where)  # type: ignore[arg-type]
        fresh = bytearray()
        for texts in chunks(keys):  # type: ignore[arg-type]
            fresh += self._add_texts(texts, where)
        return fresh

    def _add_texts(self, texts: Sequence[Text], where: Optional[array[int]] = None) -> bytearray:
        slices = Slices(texts)
        return self._batch(slices.count, where, lambda out, at: lib.crawl_bloom_add_slices(
            self._open(), slices.pointer, slices.count, out, at))

    def _add_keys(self, keys: memoryview, key_size: int, where: Optional[array[int]]) -> bytearray:
        count, data = key_count(keys, key_size), ffi.from_buffer(keys)
        return self._batch(count, where, lambda out, at: lib.crawl_bloom_add_many(self._open(), data, key_size, count,
                                                                                  out, at))

    def _batch(self, count: int, where: Optional[array[int]], call: Any) -> bytearray:
        fresh, held = bytearray(count), array("I", bytes(4 * count if where is not None else 0))
        with self._turn:
            code = call(ffi.from_buffer("uint8_t[]", fresh),
                        NULL if where is None else ffi.from_buffer("uint32_t[]", held))
        check(code, about="not all keys are added")
        if where is not None:
            where.extend(held)
        return fresh

    def contains_many(self, keys: Union[Buffer, Iterable[Text]], key_size: Optional[int] = None) -> bytearray:
        """Looks up many keys, given as to add_many. Returns a byte for each: 1 if it is in the filter."""
        if key_size is not None:
            buffer = memoryview(keys).cast("B")  # type: ignore[arg-type]
            count, data = key_count(buffer, key_size), ffi.from_buffer(buffer)
            present = bytearray(count)
            with self._turn:
                lib.crawl_bloom_test_many(self._open(), data, key_size, count, ffi.from_buffer("uint8_t[]", present))
            return present
        present = bytearray()
        for texts in chunks(keys):  # type: ignore[arg-type]
            slices, part = Slices(texts), bytearray(len(texts))
            with self._turn:
                lib.crawl_bloom_test_slices(self._open(), slices.pointer, slices.count,
                                            ffi.from_buffer("uint8_t[]", part))
            present += part
        return present

    def update(self, keys: Union[Buffer, Iterable[Text]], key_size: Optional[int] = None) -> int:
        """Like add_many, but returns how many of the keys are new."""
        if key_size is not None:
            return self.add_many(keys, key_size).count(1)
        return sum(self._add_texts(texts).count(1) for texts in chunks(keys))  # type: ignore[arg-type,misc]

    def fresh(self, keys: Iterable[Text]) -> Iterable[Text]:
        """Adds the keys as they are consumed, and yields the new ones in their order. The keys of a list or a tuple are
        added 4096 at a time, which is faster; those of another iterable one at a time, so that it may wait for each.

        >>> list(Filter().fresh(["a", "b", "a", "c"]))
        ['a', 'b', 'c']
        """
        if type(keys) not in (list, tuple) and not isinstance(keys, (str, bytes)):
            yield from filter(self.add, keys)
            return
        for texts in chunks(keys):
            yield from compress(texts, self._add_texts(texts))

    def remove(self, key: Text, where: Optional[int] = None) -> None:
        """Removes a key from a filter of the kinds counting, exact, table or digest. RefusedError: another kind.
        KeyError: the key is visibly absent.

        where is the result of add_where for the key. Without it the key is looked up. A counting chain may then remove
        the cells of another key, if two filters of the chain seem to hold this one.

        >>> seen = Filter("table")
        >>> seen.add("a"), seen.remove("a"), "a" in seen
        (True, None, False)
        """
        data, bloom = to_bytes(key), self._forgetting()
        with self._turn:
            if where is None:
                found = ffi.new("crawl_bloom_found *")
                if lib.crawl_bloom_find(bloom, data, len(data), found) == ABSENT:
                    raise KeyError(key)
                where = found.filter
            code = lib.crawl_bloom_forget(bloom, data, len(data), where)
        if code == ABSENT:
            raise KeyError(key)
        check(code, about="where")

    def _forgetting(self) -> Any:
        bloom = self._open()
        if not lib.crawl_bloom_kind_forgets(lib.crawl_bloom_kind_of(bloom)):
            raise failure(lib.CRAWL_REFUSED, about=f"a filter of the kind {self.kind!r} does not forget")
        return bloom

    def discard(self, key: Text, where: Optional[int] = None) -> bool:
        """Like remove, but returns False if the key is absent."""
        try:
            self.remove(key, where)
        except KeyError:
            return False
        return True

    def remove_many(self, keys: Buffer, key_size: int, where: array[int]) -> bytearray:
        """Removes the keys of one buffer; where is the array that add_many filled. Returns a byte for each: 1 if it was
        removed."""
        buffer = memoryview(keys).cast("B")
        count, data = key_count(buffer, key_size), ffi.from_buffer(buffer)
        if len(where) != count or where.typecode != "I":
            raise ValueError(f"where has {len(where)} places of type {where.typecode!r} for {count} keys")
        gone = bytearray(count)
        with self._turn:
            check(lib.crawl_bloom_forget_many(self._forgetting(), data, key_size, count,
                                              ffi.from_buffer("uint32_t[]", where),
                                              ffi.from_buffer("uint8_t[]", gone)))
        return gone

    def advance(self, now: float) -> None:
        """Tells a rotating filter with a window the time: seconds since any fixed moment."""
        with self._turn:
            lib.crawl_bloom_advance(self._open(), milliseconds(now))

    def stats(self) -> FilterStats:
        """Returns the filter's figures. A long chain takes some milliseconds."""
        raw = ffi.new("crawl_bloom_stats *")
        with self._turn:
            lib.crawl_bloom_stats_get(self._open(), raw)
        return stats_of(raw)

    def __len__(self) -> int:
        return self.stats().count

    def __bool__(self) -> bool:
        return True  # an empty filter is still a filter

    @property
    def kind(self) -> str:
        """The kind, as given or as read from the file."""
        return ffi.string(lib.crawl_bloom_kind_name(lib.crawl_bloom_kind_of(self._open()))).decode()

    @property
    def label(self) -> str:
        """The caller's text, which is stored in the filter's files."""
        return ffi.string(lib.crawl_bloom_label(self._open())).decode("utf-8", "replace")

    def __repr__(self) -> str:
        if self._bloom is None:
            return "<Filter, closed>"
        stats = self.stats()
        return f"<Filter {self.kind!r}, {stats.count} keys in {stats.bytes} bytes>"
