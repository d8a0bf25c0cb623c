"""Exceptions: one class for each code of the library that a caller tells apart, all below Error.

Each is also the built-in exception that fits, so that ``except ValueError`` and ``except OSError`` catch what one
expects. The message is the library's own; ``code`` is its crawl_err; ``line`` and ``column`` say where in a file or
text, counted from 1, and are 0 where that is not known.
"""
from __future__ import annotations

__all__ = ["Error", "InvalidError", "NoMemoryError", "ParseError", "FileError", "NetworkError", "CorruptError",
           "StateError", "FullError", "RefusedError", "RenderError"]


class Error(Exception):
    """The base of every failure of the library."""

    def __init__(self, message: str, code: int = 0, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.line = line
        self.column = column


class InvalidError(Error, ValueError):
    """An argument out of its range."""


class NoMemoryError(Error, MemoryError):
    """There is no memory, or no more than was allowed."""


class ParseError(Error, ValueError):
    """The input is not in the language it should be in: no URL, no filter options, no sitemap."""


class FileError(Error, OSError):
    """A file or a disk."""


class NetworkError(Error, OSError):
    """A connection, a name or a transfer."""


class CorruptError(Error, ValueError):
    """A file of the library's whose content cannot be trusted."""


class StateError(Error, RuntimeError):
    """Not in this state of the object: closed, open elsewhere, or a lease that has ended."""


class FullError(Error):
    """A maximum that was set is reached."""


class RefusedError(Error):
    """Against a rule: an operation that this kind does not have."""


class RenderError(Error):
    """A page of which nothing could be rendered. lack says why: "document" (the answer is none), "browser", ..."""

    def __init__(self, message: str, code: int = 0, line: int = 0, column: int = 0, lack: str = "") -> None:
        super().__init__(message, code, line, column)
        self.lack = lack
