"""Exceptions: one class, below Error, for each code of the library that a caller needs to tell apart.

Each is also the matching built-in exception, so ``except ValueError`` and ``except OSError`` work as expected. The
message is the library's own; ``code`` is its crawl_err; ``line`` and ``column`` give the place in a file or text,
counted from 1, and are 0 if unknown.
"""
from __future__ import annotations

__all__ = ["Error", "InvalidError", "NoMemoryError", "ParseError", "FileError", "NetworkError", "CorruptError",
           "StateError", "FullError", "RefusedError", "RenderError"]


class Error(Exception):
    """The base class of all failures of the library."""

    def __init__(self, message: str, code: int = 0, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.column = column


class InvalidError(Error, ValueError):
    """An argument is out of range."""


class NoMemoryError(Error, MemoryError):
    """Out of memory, or at the memory limit."""


class ParseError(Error, ValueError):
    """The input has the wrong syntax: not a URL, not filter options, not a sitemap."""


class FileError(Error, OSError):
    """A file or a disk failed."""


class NetworkError(Error, OSError):
    """A connection, a name lookup or a transfer failed."""


class CorruptError(Error, ValueError):
    """The content of one of the library's files cannot be trusted."""


class StateError(Error, RuntimeError):
    """Not allowed in the object's state: closed, open elsewhere, or a lease that has ended."""


class FullError(Error):
    """A maximum has been reached."""


class RefusedError(Error):
    """Forbidden by a rule, such as an operation that this kind of filter lacks."""


class RenderError(Error):
    """No part of a page could be rendered. lack says why: "document" (the response is not one), "browser", ..."""

    def __init__(self, message: str, code: int = 0, line: int = 0, column: int = 0, lack: str = "") -> None:
        super().__init__(message, code, line, column)
        self.lack = lack
