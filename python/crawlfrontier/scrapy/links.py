"""Scrapy's link extractor, based on the library's scanner.

Scrapy's own extractor does the rest: restrict_xpaths, restrict_css and restrict_text, elements or attributes that hold
no link by the HTML standard, strip=False, and XML documents. Everything else, including the filters of the arguments,
is done here, on the lines that crawl_page_table returns for a page.
"""
from __future__ import annotations

from typing import Any, Callable, Iterable, Optional
from urllib.parse import urlparse

from scrapy.http import XmlResponse
from scrapy.link import Link
from scrapy.linkextractors.lxmlhtml import LxmlLinkExtractor
from scrapy.utils.misc import arg_to_iter
from w3lib.url import canonicalize_url

from .._library import lib
from ..errors import ParseError
from ..pages import DOCUMENTS, kinds_of, scanned, table_of
from ..urls import canonicalize, resolve
from .fingerprints import PARTS_AT_SEMICOLONS

# The attributes in which an element holds one URL, by the HTML standard. Others go to Scrapy's extractor.
HELD = {
    "a": {"href"}, "area": {"href"}, "link": {"href"}, "frame": {"src"}, "iframe": {"src"}, "img": {"src"},
    "source": {"src"}, "script": {"src"}, "video": {"src", "poster"}, "audio": {"src"}, "track": {"src"},
    "embed": {"src"}, "object": {"data"}, "body": {"background"},
}
# Python's names of encodings, as Scrapy passes them, that are no labels of the Encoding standard.
LABELS = {"cp932": "shift_jis", "euc_jp": "euc-jp", "iso2022_jp": "iso-2022-jp", "cp949": "euc-kr", "big5hkscs": "big5",
          "cp874": "windows-874", "mac-roman": "macintosh", "iso8859-16": "iso-8859-16", "utf-16-le": "utf-16le",
          "utf-16-be": "utf-16be"}
SCHEMES = ("http://", "https://", "file://", "ftp://")

_LINE = lib.CRAWL_COLUMN_URL | lib.CRAWL_COLUMN_W3LIB | lib.CRAWL_COLUMN_NOFOLLOW | lib.CRAWL_COLUMN_TEXT
_NAMES = lib.CRAWL_COLUMN_TAG | lib.CRAWL_COLUMN_ATTR

Row = list[str]  # URL, its canonical form as w3lib makes it, "1" for nofollow, text


class LinkExtractor(LxmlLinkExtractor):
    """Takes the arguments of scrapy.linkextractors.LinkExtractor and returns the same links; docs/scrapy.md lists the
    differences. The text of a link has its white space collapsed and is cut at 256 bytes."""

    def __init__(self, allow: Any = (), deny: Any = (), allow_domains: Any = (), deny_domains: Any = (),
                 restrict_xpaths: Any = (), tags: Any = ("a", "area"), attrs: Any = ("href",),
                 canonicalize: bool = False, unique: bool = True, process_value: Optional[Callable[[str], Any]] = None,
                 deny_extensions: Any = None, restrict_css: Any = (), strip: bool = True,
                 restrict_text: Any = None) -> None:
        super().__init__(allow, deny, allow_domains, deny_domains, restrict_xpaths, tags, attrs, canonicalize, unique,
                         process_value, deny_extensions, restrict_css, strip, restrict_text)
        names, wanted = set(arg_to_iter(tags)), set(arg_to_iter(attrs))
        self._process = process_value if callable(process_value) else None
        self._unique = unique
        self._scans = (names <= HELD.keys() and wanted <= set().union(*HELD.values()) and strip
                       and not self.restrict_xpaths and not self.restrict_text)
        self._kinds = kinds_of(names) if self._scans else 0
        # If all attributes that these elements can hold a link in are wanted, rows need no names. Only video has two.
        self._pairs = {f"{tag}\t{attr}" for tag in names & HELD.keys() for attr in HELD[tag] & wanted}
        self._every = self._pairs == {f"{tag}\t{attr}" for tag in names & HELD.keys() for attr in HELD[tag]}
        self._allowed_hosts, self._denied_hosts = _hosts(self.allow_domains), _hosts(self.deny_domains)
        endings = {ending.lower() for ending in self.deny_extensions}
        self._endings = {ending for ending in endings if "." not in ending[1:] and "/" not in ending}
        self._long_endings = tuple(endings - self._endings)

    def extract_links(self, response: Any) -> list[Link]:
        """Returns the links of a response, in their order."""
        if not self._scans or isinstance(response, XmlResponse):
            return super().extract_links(response)
        rows: Iterable[Row] = self._rows(response)
        for row in rows:
            row[0] = row[0].removesuffix("#")  # an empty fragment, which Scrapy leaves out
            row[1] = _canonical(row[0]) if PARTS_AT_SEMICOLONS and ";" in row[0] else row[1].removesuffix("#")
        if self._process:
            rows = self._processed(rows, response.url)
        if self._unique:
            rows = _first_of_each(rows, 0 if self.canonicalize else 1)
        rows = [row for row in rows if self._passes(row[0])]
        if self.canonicalize:
            for row in rows:
                row[0] = row[1].partition("#")[0]
            if self._unique:
                rows = _first_of_each(rows, 0)
        return [Link(url, text, "", nofollow == "1") for url, _, nofollow, text in rows]

    def _rows(self, response: Any) -> list[Row]:
        encoding = LABELS.get(response.encoding, response.encoding)
        page = scanned(response.body, response.url, encoding, self._kinds, lib.CRAWL_TEXT_LINKS, DOCUMENTS["html"])
        if self._every:
            return [line.split("\t") for line in table_of(page, _LINE)]
        lines = [line.split("\t") for line in table_of(page, _LINE | _NAMES)]
        return [row[2:] for row in lines if f"{row[0]}\t{row[1]}" in self._pairs]

    def _processed(self, rows: Iterable[Row], url: str) -> Iterable[Row]:
        """Replaces each URL by the result of process_value; None leaves it out."""
        assert self._process
        for row in rows:
            value = self._process(row[0])
            if value is None:
                continue
            if value != row[0]:
                try:
                    row[0] = resolve(value, url)
                    row[1] = _canonical(row[0])
                except ParseError:
                    continue
            yield row

    def _passes(self, url: str) -> bool:
        if not url.startswith(SCHEMES):
            return False
        if self.allow_res and not any(pattern.search(url) for pattern in self.allow_res):
            return False
        if self.deny_res and any(pattern.search(url) for pattern in self.deny_res):
            return False
        if self._allowed_hosts or self._denied_hosts:
            host = urlparse(url).netloc.lower()
            if self._allowed_hosts and not _within(host, self._allowed_hosts):
                return False
            if self._denied_hosts and _within(host, self._denied_hosts):
                return False
        return not self._has_ending(url)

    def _has_ending(self, url: str) -> bool:
        path = url.partition("#")[0].partition("?")[0]
        if ";" in path:
            path = urlparse(path).path
        name = path.rpartition("/")[2].lower()
        return "." in name and ("." + name.rpartition(".")[2] in self._endings
                                or bool(self._long_endings) and path.lower().endswith(self._long_endings))


def _canonical(url: str) -> str:
    """Returns w3lib's canonical form."""
    if PARTS_AT_SEMICOLONS and ";" in url:
        return canonicalize_url(url, keep_fragments=True)
    return canonicalize(url, profile="w3lib", keep_fragment=True)


def _hosts(domains: Iterable[str]) -> Optional[tuple[set[str], tuple[str, ...]]]:
    """Returns the domains, and the suffixes of names below them. None: there are none."""
    lower = {domain.lower() for domain in domains}
    return (lower, tuple("." + domain for domain in lower)) if lower else None


def _within(host: str, hosts: tuple[set[str], tuple[str, ...]]) -> bool:
    return bool(host) and (host in hosts[0] or host.endswith(hosts[1]))


def _first_of_each(rows: Iterable[Row], key: int) -> list[Row]:
    """Returns the rows without those whose value in this column came before."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row[key], row)
    return list(first.values())
