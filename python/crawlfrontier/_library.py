"""Finds the shared library and loads it; and the few steps that every call into it takes.

Which library is loaded, the first of these that is there:

1. the file that the environment variable CRAWLFRONTIER_LIBRARY names;
2. where this package lies in a source tree of crawl: build/program/libcrawl.so.0.1, then build/release/libcrawl.so.0.1;
3. what the system's loader finds as libcrawl.so.0.1.

Text goes in as str or bytes: a str is encoded as UTF-8, bytes are taken as they are.
"""
from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, Union

from . import errors

Text = Union[str, bytes]

SONAME = "libcrawl.so.0.1"  # before 1.0 each minor version has a soname of its own


def _declarations() -> Any:
    try:
        from ._native import ffi as made
    except ImportError:  # a source tree in which nothing was built
        import cffi
        made = cffi.FFI()
        made.cdef((Path(__file__).parent / "_cdef.txt").read_text())
    return made


def _library_names() -> list[str]:
    named = os.environ.get("CRAWLFRONTIER_LIBRARY")
    if named:
        return [named]
    root = Path(__file__).resolve().parents[2]
    built = [root / "build" / folder / SONAME for folder in ("program", "release")]
    in_tree = (root / "include" / "crawl" / "base.h").is_file()
    return [str(path) for path in built if in_tree and path.is_file()] + [SONAME]


ffi = _declarations()
NULL = ffi.NULL
library_name = _library_names()[0]
try:
    lib: Any = ffi.dlopen(library_name)
except OSError as reason:
    raise ImportError(f"libcrawl is not to be loaded: {reason}. Install it, or name its file in "
                      "CRAWLFRONTIER_LIBRARY.") from None


def fitting_version(loaded: str, name: str) -> str:
    """The version that was loaded. ImportError: another than the one whose declarations these are."""
    if loaded.split(".")[:2] != SONAME.split(".")[2:]:
        raise ImportError(f"{name} is of version {loaded}, and this package reads {SONAME}")
    return loaded


version: str = fitting_version(ffi.string(lib.crawl_version()).decode(), library_name)

OK: int = lib.CRAWL_OK
EXISTS: int = lib.CRAWL_EXISTS
ABSENT: int = lib.CRAWL_ABSENT


_CLASSES: dict[int, type[errors.Error]] = {
    lib.CRAWL_FULL: errors.FullError,
    lib.CRAWL_REFUSED: errors.RefusedError,
    lib.CRAWL_EINVAL: errors.InvalidError,
    lib.CRAWL_ENOMEM: errors.NoMemoryError,
    lib.CRAWL_EPARSE: errors.ParseError,
    lib.CRAWL_EIO: errors.FileError,
    lib.CRAWL_ENET: errors.NetworkError,
    lib.CRAWL_ECORRUPT: errors.CorruptError,
    lib.CRAWL_ESTATE: errors.StateError,
}


def to_bytes(text: Text) -> bytes:
    """The bytes that a text stands for: those of a str are UTF-8."""
    if type(text) is str:
        return text.encode()
    if type(text) is bytes:
        return text
    if isinstance(text, str):
        return str.encode(text)
    return bytes(memoryview(text))  # a TypeError names what is no text


def sized(name: str) -> Any:
    """A struct whose first member is its size, with zeros for all else."""
    made = ffi.new(f"{name} *")
    made.size = ffi.sizeof(made[0])
    return made


def slice_of(data: bytes) -> tuple[Any, int]:
    """A crawl_slice of bytes that the caller holds, as an argument of a call."""
    return ffi.from_buffer(data), len(data)


def bytes_of(piece: Any) -> bytes:
    """The bytes of a crawl_slice or a crawl_buf, copied."""
    return ffi.unpack(piece.data, piece.size) if piece.size else b""


def text_of(piece: Any) -> str:
    """The text of a crawl_slice or a crawl_buf. Bytes that are no UTF-8 become U+FFFD."""
    return bytes_of(piece).decode("utf-8", "replace")


def milliseconds(seconds: float) -> int:
    """The library's milliseconds of Python's seconds; infinity is CRAWL_FOREVER."""
    if seconds == float("inf"):
        return 0x7FFFFFFFFFFFFFFF
    return round(seconds * 1000)


def words_of(code: int, error: Any = None) -> str:
    """The library's words for a code: those that the call filled in, or else the name of the code."""
    words = ffi.string(error.message).decode("utf-8", "replace") if error else ""
    return words or ffi.string(lib.crawl_strerror(code)).decode()


def failure(code: int, error: Any = None, about: str = "") -> Exception:
    """The exception for a code that a call answered; about is put before the library's words."""
    words = words_of(code, error)
    line, column = (error.line, error.column) if error else (0, 0)
    return _CLASSES.get(code, errors.Error)(f"{about}: {words}" if about else words, code, line, column)


def check(code: int, error: Any = None, about: str = "") -> None:
    """Raises what a code stands for, but for CRAWL_OK."""
    if code:
        raise failure(code, error, about)


class Tools(threading.local):
    """Objects that one thread uses again for each call: the library has these for one thread at a time."""

    def __init__(self) -> None:
        self.url = self._made(lib.crawl_url_create(), lib.crawl_url_free)
        self.base = self._made(lib.crawl_url_create(), lib.crawl_url_free)
        self.fingerprinter = self._made(lib.crawl_fingerprinter_create(), lib.crawl_fingerprinter_free)
        self.buffer = ffi.gc(ffi.new("crawl_buf *"), lib.crawl_buf_free)
        self.page = self._made(lib.crawl_page_create(), lib.crawl_page_free)
        self.fingerprint = ffi.new("crawl_fingerprint *")

    @staticmethod
    def _made(pointer: Any, free: Any) -> Any:
        if not pointer:
            raise failure(lib.CRAWL_ENOMEM)
        return ffi.gc(pointer, free)


tools = Tools()
