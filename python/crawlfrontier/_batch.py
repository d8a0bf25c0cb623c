"""Many texts in one call: what a caller has in an iterable of Python's becomes an array of slices, without a loop of
Python over the items. The steps are those of C functions of Python's: join, map(len), accumulate, array."""
from __future__ import annotations

from array import array
from itertools import accumulate, islice
from typing import Any, Iterable, Iterator

from ._library import Text, ffi, to_bytes

# Texts that go into one call, so that an iterable of any length takes little memory; and the most bytes of one key.
CHUNK = 65536


class Slices:
    """An array of crawl_slice over the texts of a list, which it keeps alive."""

    def __init__(self, texts: list[Text]) -> None:
        self._joined, sizes = _join(texts)
        start = int(ffi.cast("size_t", ffi.from_buffer(self._joined)))
        words = array("L", bytes(ffi.sizeof("crawl_slice") * len(texts)))
        words[0::2] = array("L", accumulate(sizes[:-1], initial=start)) if texts else sizes
        words[1::2] = sizes
        self._words = words
        self.count = len(texts)
        self.pointer: Any = ffi.from_buffer("crawl_slice[]", words)


def _join(texts: list[Text]) -> tuple[bytes, array[int]]:
    """All bytes of the texts one behind the other, and the size of each. A list of one type is the quick case."""
    try:
        return b"".join(texts), array("L", map(len, texts))  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        joined = "".join(texts)  # type: ignore[arg-type]
        if joined.isascii():
            return joined.encode(), array("L", map(len, texts))
        encoded = list(map(str.encode, texts))  # type: ignore[arg-type]
    except TypeError:
        encoded = [to_bytes(text) for text in texts]
    return b"".join(encoded), array("L", map(len, encoded))


def chunks(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """The texts in lists of at most CHUNK."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("a batch is an iterable of texts, and this is one text")
    each = iter(texts)
    while taken := list(islice(each, CHUNK)):
        yield taken


def key_count(keys: Any, key_size: int) -> int:
    """How many keys of key_size bytes lie in a buffer of so many bytes."""
    if key_size < 1:
        raise ValueError(f"key_size is {key_size}, and a key has one byte at least")
    count, rest = divmod(len(keys), key_size)
    if rest:
        raise ValueError(f"{len(keys)} bytes are no whole number of keys of {key_size}")
    return count
