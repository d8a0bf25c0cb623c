"""Many texts in one call: what a caller has in an iterable of Python's becomes an array of slices, without a loop of
Python over the items. The texts are joined with a NUL between them, and the library cuts the whole at each; texts that
have a NUL themselves are measured one by one, by C functions of Python's: map(len), accumulate, array."""
from __future__ import annotations

from array import array
from itertools import accumulate, islice
from typing import Any, Iterable, Iterator

from ._library import Text, ffi, lib, to_bytes

# Texts that go into one call: so many that their bytes are still in the cache of a processor when the call reads them.
CHUNK = 8192
NUL = "\0"


class Slices:
    """An array of crawl_slice over the texts of a list, which it keeps alive."""

    def __init__(self, texts: list[Text]) -> None:
        self.count = len(texts)
        self._joined = _joined(texts)
        self._words: Any = ffi.new("crawl_slice[]", self.count)
        self.pointer = self._words
        text = ffi.from_buffer(self._joined)
        if self.count and lib.crawl_slices_cut((text, len(self._joined)), b"\0", self._words, self.count) != self.count:
            self._measure(texts)

    def _measure(self, texts: list[Text]) -> None:
        """For texts that have a NUL themselves."""
        encoded = list(map(to_bytes, texts))
        self._joined = b"".join(encoded)
        sizes = array("L", map(len, encoded))
        start = int(ffi.cast("size_t", ffi.from_buffer(self._joined)))
        words = array("L", bytes(ffi.sizeof("crawl_slice") * self.count))
        words[0::2] = array("L", accumulate(sizes[:-1], initial=start))
        words[1::2] = sizes
        self._words = words
        self.pointer = ffi.from_buffer("crawl_slice[]", words)


def _joined(texts: list[Text]) -> bytes:
    """All bytes of the texts with a NUL between each two. A list of one type is the quick case."""
    try:
        return NUL.join(texts).encode()  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        return b"\0".join(texts)  # type: ignore[arg-type]
    except TypeError:
        return b"\0".join(map(to_bytes, texts))


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
