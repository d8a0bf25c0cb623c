"""The crawl library for Python: seen-sets, URL rules, the URL frontier, and pages rendered by a browser.

    >>> import crawlfrontier
    >>> seen = crawlfrontier.Filter(fpr=1e-6)
    >>> list(seen.fresh(["http://a.example/", "http://b.example/", "http://a.example/"]))
    ['http://a.example/', 'http://b.example/']

Three rules hold throughout. Text is str or bytes: a str is passed as UTF-8, bytes unchanged. Results are str, except
fingerprints, bodies and memos, which are bytes. Times and durations are seconds. A failure raises a subclass of Error,
with the library's message.
"""
from ._library import library_name, version
from .errors import (CorruptError, Error, FileError, FullError, InvalidError, NetworkError, NoMemoryError, ParseError,
                     RefusedError, RenderError, StateError)
from .filters import KINDS, Filter, FilterStats
from .frontier import FOREVER, Frontier, FrontierStats, Host, Lease, Pushed, Waiting, hosts_of
from .pages import Page, PageLink, extract_links, parse_page
from .render import Answer, Fetch, Headers, Rendered, RenderedFrame, RenderedLink, RenderedPart, Renderer
from .robots import Robots, Verdict, agent_token, parse_robots
from .shared import SharedFigures, SharedFrontier
from .sitemaps import Sitemap, SitemapEntry, SitemapLink, SitemapNews, sitemap
from .urls import FINGERPRINT_SIZE, canonicalize, fingerprint, fingerprint_many, resolve

__version__ = version

__all__ = [
    "Answer", "CorruptError", "Error", "FINGERPRINT_SIZE", "FOREVER", "Fetch", "FileError", "Filter", "FilterStats",
    "Frontier", "FrontierStats", "FullError", "Headers", "Host", "InvalidError", "KINDS", "Lease", "NetworkError",
    "NoMemoryError", "Page", "PageLink", "ParseError", "Pushed", "RefusedError", "RenderError", "Rendered",
    "RenderedFrame", "RenderedLink", "RenderedPart", "Renderer", "Robots", "SharedFigures", "SharedFrontier",
    "Sitemap", "SitemapEntry", "SitemapLink", "SitemapNews", "StateError", "Verdict", "Waiting", "agent_token",
    "canonicalize", "extract_links", "fingerprint", "fingerprint_many", "hosts_of", "library_name", "parse_page",
    "parse_robots", "resolve", "sitemap", "version",
]
