"""The parts of a page that a crawler needs: links, base, title, encoding, and directives for robots."""
from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Optional

from ._library import NULL, Text, check, ffi, lib, scalars, slice_of, text_of, to_bytes, tools
from .urls import c_text, chosen, parsed

# Elements whose links are found, those that a browser would follow first: the bits of crawl_link_kind.
TAGS: dict[str, int] = {name.lower(): getattr(lib, "CRAWL_LINK_" + name) for name in (
    "A", "AREA", "LINK", "FRAME", "IFRAME", "IMG", "SOURCE", "SCRIPT", "FORM", "VIDEO", "AUDIO", "TRACK", "EMBED",
    "OBJECT", "INPUT", "BODY")} | {"meta": lib.CRAWL_LINK_REFRESH}
DOCUMENTS = {"html": lib.CRAWL_DOCUMENT_HTML, "xhtml": lib.CRAWL_DOCUMENT_XHTML, "feed": lib.CRAWL_DOCUMENT_FEED}

_COLUMNS = (lib.CRAWL_COLUMN_URL | lib.CRAWL_COLUMN_TAG | lib.CRAWL_COLUMN_ATTR | lib.CRAWL_COLUMN_REL |
            lib.CRAWL_COLUMN_NOFOLLOW | lib.CRAWL_COLUMN_TEXT)


class PageLink(NamedTuple):
    """A link of a page."""

    tag: str
    """The element's name, in lower case."""
    attr: str
    """The attribute's name, in lower case."""
    url: str
    """Resolved and serialized, with its fragment."""
    rel: str
    """As written; empty: none."""
    nofollow: bool
    text: str
    """The text in an <a>, or an alt; empty if not requested."""


class Page(NamedTuple):
    """The contents of a page."""

    links: list[PageLink]
    """In the order of the document."""
    cut: bool
    """The page has more than 100,000 links; the rest are left out."""
    base: Optional[str]
    """The base URL of relative links."""
    charset: str
    """The encoding's WHATWG name, in lower case."""
    title: str
    canonical: str
    """The href of rel=canonical, as written; empty: none."""
    noindex: bool
    """<meta name=robots> says noindex."""
    nofollow: bool
    """<meta name=robots> says nofollow."""
    refresh: Optional[tuple[float, str]]
    """Seconds and href, as written, of a meta refresh."""
    text: str
    """The text between the tags; empty if not requested."""


def kinds_of(tags: Optional[Iterable[str]]) -> int:
    """Returns the bits of these elements. None: those of links to other pages (a, area, link, frame, iframe, meta)."""
    if tags is None:
        return lib.CRAWL_LINK_PAGES
    kinds = 0
    for tag in tags:
        kinds |= chosen(TAGS, tag, "element with links")
    return kinds


def scanned(html: Text, url: Optional[Text], charset: Optional[str], kinds: int, texts: int, document: int,
            agent: Optional[Text] = None) -> Any:
    """Parses a page into the thread's crawl_page, which the thread's next call overwrites."""
    page = tools.page
    lib.crawl_page_set_kinds(page, kinds)
    lib.crawl_page_set_text(page, texts)
    check(lib.crawl_page_set_agent(page, c_text(agent)))
    of = NULL if url is None else parsed(url, tools.base)
    declared = NULL
    if isinstance(html, str):
        charset = "utf-8"
        html = scalars(html)
    if charset is not None:
        declared = lib.crawl_charset_name(slice_of(charset.encode()))
    check(lib.crawl_page_parse_as(page, document, slice_of(to_bytes(html)), of, declared))
    return page


def table_of(page: Any, columns: int) -> list[str]:
    """Returns the lines of crawl_page_table."""
    buffer = tools.buffer
    buffer.size = 0
    check(lib.crawl_page_table(page, columns, buffer))
    lines = text_of(buffer).split("\n")
    lines.pop()
    return lines


def _links_of(page: Any) -> list[PageLink]:
    rows = (line.split("\t") for line in table_of(page, _COLUMNS))
    return [PageLink(tag, attr, url, rel, nofollow == "1", text) for tag, attr, url, rel, nofollow, text in rows]


def extract_links(html: Text, base: Optional[Text] = None, *, charset: Optional[str] = None,
                  tags: Optional[Iterable[str]] = None, text: bool = False, document: str = "html") -> list[PageLink]:
    """Returns the links of a page in order, resolved against the URL base and the page's <base>.

    html is str, or bytes whose encoding is found as the HTML standard says, from charset (declared by the transport)
    and the page. tags are the wanted elements of TAGS, by default those that link to other pages. With text each link
    has its text. document is "html", "xhtml" or "feed". A link that is not a URL is left out; without a base that is
    every relative link.

    >>> [link.url for link in extract_links("<a href=b?c>d</a><a href=//e.example>", "http://a.example/x/")]
    ['http://a.example/x/b?c', 'http://e.example/']
    >>> extract_links(b"<img src=i.png alt=I>", "http://a.example/", tags=["img"], text=True)
    [PageLink(tag='img', attr='src', url='http://a.example/i.png', rel='', nofollow=False, text='I')]
    """
    texts = lib.CRAWL_TEXT_LINKS if text else 0
    return _links_of(scanned(html, base, charset, kinds_of(tags), texts, chosen(DOCUMENTS, document, "document")))


def parse_page(html: Text, url: Optional[Text] = None, *, charset: Optional[str] = None,
               tags: Optional[Iterable[str]] = None, text: bool = False, document: str = "html",
               agent: Optional[Text] = None) -> Page:
    """Returns the contents of a page. The arguments are those of extract_links; agent is a name whose <meta name=AGENT>
    counts in addition to <meta name=robots>.

    >>> page = parse_page("<title>A  b</title><meta name=robots content=noindex><a href=/c>c</a>", "http://a.example/")
    >>> page.title, page.noindex, page.nofollow, len(page.links)
    ('A b', True, False, 1)
    """
    texts = lib.CRAWL_TEXT_LINKS | lib.CRAWL_TEXT_PAGE if text else 0
    page = scanned(html, url, charset, kinds_of(tags), texts, chosen(DOCUMENTS, document, "document"), agent)
    base, robots = lib.crawl_page_base(page), lib.crawl_page_robots(page)
    return Page(
        links=_links_of(page), cut=lib.crawl_page_links_cut(page),
        base=text_of(lib.crawl_url_href(base)) if base else None,
        charset=ffi.string(lib.crawl_page_charset(page)).decode(), title=text_of(lib.crawl_page_title(page)),
        canonical=text_of(lib.crawl_page_canonical(page)), noindex=bool(robots & lib.CRAWL_ROBOTS_NOINDEX),
        nofollow=bool(robots & lib.CRAWL_ROBOTS_NOFOLLOW), refresh=_refresh_of(page),
        text=text_of(lib.crawl_page_text(page)))


def _refresh_of(page: Any) -> Optional[tuple[float, str]]:
    delay, href = ffi.new("double *"), ffi.new("crawl_slice *")
    return (delay[0], text_of(href)) if lib.crawl_page_refresh(page, delay, href) else None
