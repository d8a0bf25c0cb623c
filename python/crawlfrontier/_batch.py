"""Passes many texts in one call: turns an iterable into an array of slices without a Python loop over its items.

The texts are joined with a NUL between them, and the library splits the whole at each NUL. Texts that contain a NUL
themselves are measured one by one, by Python's C functions: map(len), accumulate, array.
"""
from __future__ import annotations

import ctypes
from array import array
from itertools import accumulate, islice
from typing import Any, Iterable, Iterator, Sequence, Union

from ._library import Text, ffi, lib, to_bytes

# Texts per call. Their bytes are still in the processor's cache when the call reads them.
CHUNK = 4096
NUL = "\0"

# Returns the UTF-8 bytes that a str holds. An ASCII str holds no others, so nothing is copied. A copy of this size
# (str.encode) costs more than the join, since its memory is returned to the system each time. The function is part of
# Python's stable interface. It is called with the GIL held, as all of ctypes.pythonapi is.
_utf8_of = ctypes.pythonapi.PyUnicode_AsUTF8AndSize
_utf8_of.restype = ctypes.c_void_p
_utf8_of.argtypes = (ctypes.py_object, ctypes.POINTER(ctypes.c_ssize_t))

_unset = ffi.new_allocator(should_clear_after_alloc=False)  # the library writes each slice


class Slices:
    """An array of crawl_slice over the texts of a list. Keeps the texts alive."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.count = len(texts)
        self._joined = _joined(texts)
        self._words: Any = _unset("crawl_slice[]", self.count)
        self.pointer = self._words
        if self.count and lib.crawl_slices_cut(_slice_of(self._joined), b"\0", self._words, self.count) != self.count:
            self._measure(texts)

    def _measure(self, texts: Sequence[Text]) -> None:
        """Measures texts that contain a NUL themselves."""
        encoded = list(map(to_bytes, texts))
        self._joined = joined = b"".join(encoded)
        sizes = array("L", map(len, encoded))
        start = int(ffi.cast("size_t", ffi.from_buffer(joined)))
        words = array("L", bytes(ffi.sizeof("crawl_slice") * self.count))
        words[0::2] = array("L", accumulate(sizes[:-1], initial=start))
        words[1::2] = sizes
        self._words = words
        self.pointer = ffi.from_buffer("crawl_slice[]", words)


def _joined(texts: Sequence[Text]) -> Text:
    """Joins all texts with a NUL between them. A list of one type is the fast case."""
    try:
        return NUL.join(texts)  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        return b"\0".join(texts)  # type: ignore[arg-type]
    except TypeError:
        return b"\0".join(map(to_bytes, texts))


def _slice_of(text: Text) -> tuple[Any, int]:
    """Returns a crawl_slice of a text's bytes, valid as long as the text lives. UnicodeEncodeError: a lone
    surrogate."""
    if isinstance(text, bytes):
        return ffi.from_buffer(text), len(text)
    size = ctypes.c_ssize_t()
    return ffi.cast("const char *", _utf8_of(text, ctypes.byref(size))), size.value


def chunks(texts: Iterable[Text]) -> Iterator[Sequence[Text]]:
    """Yields the texts in lists (or tuples, if given a tuple) of at most CHUNK."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("expected an iterable of texts, not one text")
    if type(texts) in (list, tuple):
        return _parts(texts)  # type: ignore[arg-type]
    return _taken(iter(texts))


def _parts(texts: Union[list[Text], tuple[Text, ...]]) -> Iterator[Sequence[Text]]:
    """Slices a list or a tuple, in two thirds of the time that its iterator takes."""
    start = 0
    while part := texts[start:start + CHUNK]:
        yield part
        start += len(part)


def _taken(texts: Iterator[Text]) -> Iterator[Sequence[Text]]:
    while taken := list(islice(texts, CHUNK)):
        yield taken


def key_count(keys: Any, key_size: int) -> int:
    """Returns how many keys of key_size bytes a buffer holds. ValueError: not a whole number of keys."""
    if key_size < 1:
        raise ValueError(f"key_size is {key_size}, and a key has one byte at least")
    count, rest = divmod(len(keys), key_size)
    if rest:
        raise ValueError(f"{len(keys)} bytes are no whole number of keys of {key_size}")
    return count
