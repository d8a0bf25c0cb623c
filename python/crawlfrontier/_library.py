"""Finds and loads the shared library, and holds the few steps that every call into it takes.

The first of these that exists is loaded:

1. the file named by the environment variable CRAWLFRONTIER_LIBRARY;
2. if this package lies in a source tree of crawl: build/program/libcrawl.so.0.1, then build/release/libcrawl.so.0.1;
3. the system loader's libcrawl.so.0.1.

Text is passed as str or bytes: a str is encoded as UTF-8, bytes are passed unchanged.
"""
from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import Any, Union

from . import errors

Text = Union[str, bytes]

SONAME = "libcrawl.so.0.1"  # before 1.0 each minor version has its own soname


def _declarations() -> Any:
    try:
        from ._native import ffi as made
    except ImportError:  # a source tree without a build
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
    """Returns the loaded version. ImportError: it is not the version that these declarations describe."""
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
    """Returns the bytes of a text; a str is encoded as UTF-8."""
    if type(text) is str:
        return text.encode()
    if type(text) is bytes:
        return text
    if isinstance(text, str):
        return str.encode(text)
    return bytes(memoryview(text))  # raises a TypeError if it is not a text


_lone_surrogate = re.compile("[\ud800-\udfff]")


def scalars(text: Text) -> Text:
    """Returns the text with U+FFFD for each lone surrogate, as browsers read it."""
    return _lone_surrogate.sub("\ufffd", text) if isinstance(text, str) else text


def sized(name: str) -> Any:
    """Makes a struct whose first member is its size. The other members are zero."""
    made = ffi.new(f"{name} *")
    made.size = ffi.sizeof(made[0])
    return made


def slice_of(data: bytes) -> tuple[Any, int]:
    """Returns a crawl_slice of bytes that the caller holds, as an argument of a call."""
    return ffi.from_buffer(data), len(data)


def bytes_of(piece: Any) -> bytes:
    """Returns a copy of the bytes of a crawl_slice or a crawl_buf."""
    return ffi.unpack(piece.data, piece.size) if piece.size else b""


def text_of(piece: Any) -> str:
    """Returns the text of a crawl_slice or a crawl_buf. Invalid UTF-8 becomes U+FFFD."""
    return bytes_of(piece).decode("utf-8", "replace")


def milliseconds(seconds: float) -> int:
    """Converts seconds to the library's milliseconds; infinity and all beyond their range become CRAWL_FOREVER."""
    if seconds * 1000 >= 2**63:
        return 2**63 - 1
    return round(max(seconds * 1000, -2**63))


def words_of(code: int, error: Any = None) -> str:
    """Returns the library's message for a code: the one that the call filled in, otherwise the name of the code."""
    words = ffi.string(error.message).decode("utf-8", "replace") if error else ""
    return words or ffi.string(lib.crawl_strerror(code)).decode()


def failure(code: int, error: Any = None, about: str = "") -> Exception:
    """Returns the exception for a code that a call returned; about precedes the library's message."""
    words = words_of(code, error)
    line, column = (error.line, error.column) if error else (0, 0)
    return _CLASSES.get(code, errors.Error)(f"{about}: {words}" if about else words, code, line, column)


def check(code: int, error: Any = None, about: str = "") -> None:
    """Raises the exception for a code, unless it is CRAWL_OK."""
    if code:
        raise failure(code, error, about)


class Tools(threading.local):
    """Objects that a thread reuses for each call. The library allows one thread at a time to use them."""

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
