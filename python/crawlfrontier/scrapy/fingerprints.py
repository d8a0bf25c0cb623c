"""Scrapy's request fingerprints. The library makes them, faster, if its own are the same bit for bit."""
from __future__ import annotations

from typing import Any, Optional

from scrapy.http import Request
from scrapy.utils.request import RequestFingerprinter
from w3lib.url import canonicalize_url

from ..errors import ParseError
from ..urls import fingerprint

KINDS = ("scrapy-2.7", "scrapy-2.6")
PROBE = Request("http://a.example/?b=2&a=1", method="POST", body=b"c")

# w3lib 2.1 of Debian 12 splits a query at ";" too; the library splits at "&" alone, as the URL standard says.
PARTS_AT_SEMICOLONS = canonicalize_url("http://a.example/?b;a").count("=") == 2


class Fingerprints:
    """The fingerprints that a job's fingerprinter makes.

    kind is the library's name of these fingerprints, or None for a custom fingerprinter. label is a text that changes
    when they do; data on disk is stored with it.
    """

    def __init__(self, fingerprinter: Any) -> None:
        self._fingerprinter = fingerprinter
        self.kind = self._kind()
        self.label = self.kind or f"scrapy {type(fingerprinter).__qualname__}"[:63]

    def _kind(self) -> Optional[str]:
        """Finds the kind from a sample fingerprint, since the setting that chooses it and its default depend on
        Scrapy's version."""
        if type(self._fingerprinter) is not RequestFingerprinter:
            return None
        made = self._fingerprinter.fingerprint(PROBE)
        same = (kind for kind in KINDS if fingerprint(PROBE.method, PROBE.url, PROBE.body, kind=kind) == made)
        return next(same, None)

    def of(self, request: Request) -> bytes:
        """Returns the fingerprint that Scrapy's fingerprinter, or a custom one, makes."""
        if self.kind and not (PARTS_AT_SEMICOLONS and ";" in request.url):
            try:
                return fingerprint(request.method, request.url, request.body, kind=self.kind)
            except ParseError:
                pass  # Scrapy makes the fingerprint of a URL that the library refuses
        return self._fingerprinter.fingerprint(request)
