"""Scrapy's fingerprints of requests, made by the library where it makes the same ones: bit for bit, but faster."""
from __future__ import annotations

from typing import Any, Optional

from scrapy.http import Request
from scrapy.utils.request import RequestFingerprinter
from w3lib.url import canonicalize_url

from ..errors import ParseError
from ..urls import fingerprint

KINDS = ("scrapy-2.7", "scrapy-2.6")
PROBE = Request("http://a.example/?b=2&a=1", method="POST", body=b"c")

# w3lib 2.1 of Debian 12 parts a query at ";" too; the library, as the URL standard, at "&" alone.
PARTS_AT_SEMICOLONS = canonicalize_url("http://a.example/?b;a").count("=") == 2


class Fingerprints:
    """The fingerprints that a job's fingerprinter makes.

    kind is the library's name of these fingerprints, or None where the fingerprinter is somebody else's. label is a
    text that changes when they do: what is kept on disk goes with it.
    """

    def __init__(self, fingerprinter: Any) -> None:
        self._fingerprinter = fingerprinter
        self.kind = self._kind()
        self.label = self.kind or f"scrapy {type(fingerprinter).__qualname__}"[:63]

    def _kind(self) -> Optional[str]:
        """Is told by one of them: which setting chooses, and what it is by itself, depends on Scrapy's version."""
        if type(self._fingerprinter) is not RequestFingerprinter:
            return None
        made = self._fingerprinter.fingerprint(PROBE)
        same = (kind for kind in KINDS if fingerprint(PROBE.method, PROBE.url, PROBE.body, kind=kind) == made)
        return next(same, None)

    def of(self, request: Request) -> bytes:
        """The bytes that Scrapy's own fingerprinter makes, a custom one too."""
        if self.kind and not (PARTS_AT_SEMICOLONS and ";" in request.url):
            try:
                return fingerprint(request.method, request.url, request.body, kind=self.kind)
            except ParseError:
                pass  # a URL that the library refuses goes the slow way, to the same bytes
        return self._fingerprinter.fingerprint(request)
