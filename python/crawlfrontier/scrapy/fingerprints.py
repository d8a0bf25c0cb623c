"""Scrapy's fingerprints of requests, made by the library where it makes the same ones: bit for bit, but faster."""
from __future__ import annotations

from typing import Any, Optional

from scrapy.http import Request
from scrapy.utils.request import RequestFingerprinter

from ..errors import ParseError
from ..urls import fingerprint

KINDS = ("scrapy-2.7", "scrapy-2.6")
PROBE = Request("http://a.example/?b=2&a=1", method="POST", body=b"c")


class Fingerprints:
    """What a job's fingerprinter makes of its requests.

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
        return next((kind for kind in KINDS if fingerprint(PROBE.method, PROBE.url, PROBE.body, kind=kind) == made), None)

    def of(self, request: Request) -> bytes:
        """The bytes that Scrapy's own fingerprinter makes, a custom one too."""
        if self.kind:
            try:
                return fingerprint(request.method, request.url, request.body, kind=self.kind)
            except ParseError:
                pass  # a URL that the library refuses goes the slow way, to the same bytes
        return self._fingerprinter.fingerprint(request)
