"""Sitemaps: XML, text, RSS and Atom, plain or compressed by gzip."""
from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Optional, Union

from ._library import NULL, OK, Text, check, failure, ffi, lib, sized, slice_of, text_of, to_bytes, tools
from .urls import parsed


class SitemapLink(NamedTuple):
    """A URL that belongs to the URL of an entry."""

    kind: str
    """"alternate": the page in another language; "image", "video", "player", "thumbnail"."""
    url: str
    hreflang: Optional[str]
    """Of an alternate, as written."""


class SitemapNews(NamedTuple):
    """The facts about a page in a news sitemap, as written; None: absent."""

    name: Optional[str]
    language: Optional[str]
    title: Optional[str]
    date: Optional[float]
    """As lastmod."""


class SitemapEntry(NamedTuple):
    """One URL, or one sitemap of an index."""

    url: str
    is_sitemap: bool
    lastmod: Optional[float]
    """Seconds since 1970, as time.time() counts; None: none, or unreadable."""
    changefreq: Optional[str]
    priority: float
    """0 to 1; 0.5 if none is given."""
    links: tuple[SitemapLink, ...] = ()
    news: Optional[SitemapNews] = None


class Sitemap(NamedTuple):
    """The entries of a sitemap, and its type."""

    entries: list[SitemapEntry]
    type: str
    """"urlset", "index", "text", "rss", "atom"; "unknown": not a sitemap."""
    skipped: int
    """Entries and links without a location, or with one that is not an http or https URL."""
    bytes: int
    """Bytes read, uncompressed."""
    full: bool
    """A maximum was reached: by default 50,000 entries or 50 MiB."""
    broken: bool
    """Not well-formed, truncated, or against the protocol; its entries were read all the same."""


def _date(raw: int) -> Optional[float]:
    return None if raw == -2**63 else float(raw)  # CRAWL_SITEMAP_NO_DATE


def _link(raw: Any) -> SitemapLink:
    return SitemapLink(ffi.string(lib.crawl_sitemap_link_name(raw.kind)).decode(), text_of(raw.url),
                       text_of(raw.hreflang) or None)


def _news(raw: Any) -> SitemapNews:
    return SitemapNews(text_of(raw.name) or None, text_of(raw.language) or None, text_of(raw.title) or None,
                       _date(raw.date))


def _entry(raw: Any) -> SitemapEntry:
    return SitemapEntry(
        text_of(lib.crawl_url_href(raw.url)), raw.is_sitemap, _date(raw.lastmod),
        ffi.string(raw.changefreq).decode() if raw.changefreq else None, raw.priority,
        tuple(_link(raw.links[i]) for i in range(raw.link_count)), _news(raw.news) if raw.news else None)


def sitemap(data: Union[Text, Iterable[bytes]], url: Optional[Text] = None, *, max_entries: int = 0,
            max_bytes: int = 0) -> Sitemap:
    """Reads a sitemap, given as str, bytes or an iterable of bytes. A str is read as it is, whatever encoding it
    declares. url is its own URL, for relative locations. A broken
    sitemap is read to its end and marked as broken; a document of another sort has the type "unknown".

    >>> found = sitemap(b"<urlset><url><loc>http://a.example/</loc><lastmod>2026-01-02</lastmod></url></urlset>")
    >>> found.type, found.entries[0].url, found.entries[0].lastmod
    ('urlset', 'http://a.example/', 1767312000.0)
    """
    if isinstance(data, str):
        data = "\ufeff" + data  # says UTF-8, against a declaration too
    pieces = [to_bytes(data)] if isinstance(data, (str, bytes, bytearray, memoryview)) else data
    entries: list[SitemapEntry] = []

    @ffi.callback("crawl_sitemap_on_entry", error=lib.CRAWL_ENOMEM)
    def on_entry(_user: Any, raw: Any) -> int:
        entries.append(_entry(raw))
        return OK

    options, out = sized("crawl_sitemap_options"), ffi.new("crawl_sitemap **")
    options.url = NULL if url is None else parsed(url, tools.base)
    options.max_entries, options.max_bytes, options.on_entry = max_entries, max_bytes, on_entry
    check(lib.crawl_sitemap_create(options, out))
    reader = ffi.gc(out[0], lib.crawl_sitemap_free)
    code = OK
    for piece in pieces:
        code = lib.crawl_sitemap_feed(reader, slice_of(to_bytes(piece)))
        if code:
            break
    if not code:
        code = lib.crawl_sitemap_end(reader)
    if code == lib.CRAWL_ENOMEM:
        raise failure(code)
    stats = ffi.new("crawl_sitemap_stats *")
    lib.crawl_sitemap_stats_get(reader, stats)
    kind = ffi.string(lib.crawl_sitemap_type_name(stats.type)).decode()
    return Sitemap(entries, kind, stats.skipped, stats.bytes, stats.full, stats.broken)
