"""robots.txt by RFC 9309."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from ._library import Text, check, ffi, lib, slice_of, text_of, to_bytes, tools
from .urls import parsed


class Verdict(NamedTuple):
    """Whether a URL may be fetched, and why."""

    allowed: bool
    line: int
    """Line of the deciding rule, from 1; 0: no rule matched."""
    rule: str
    """That line without its comment; empty: none."""


class Robots:
    """The rules of one robots.txt for one agent; see parse_robots. Any thread may use it."""

    def __init__(self, robots: Any) -> None:
        self._robots = ffi.gc(robots, lib.crawl_robots_free)

    def check(self, url: Text) -> Verdict:
        """Returns whether the URL may be fetched, and the deciding rule. ParseError: not a URL."""
        raw = lib.crawl_robots_check(self._robots, parsed(url, tools.url))
        check(raw.err)
        return Verdict(raw.allowed, raw.line, text_of(raw.rule))

    def allowed(self, url: Text) -> bool:
        """Returns True if the URL may be fetched."""
        return self.check(url).allowed

    @property
    def crawl_delay(self) -> Optional[float]:
        """Seconds, the largest Crawl-delay for this agent; None: none."""
        delay = lib.crawl_robots_delay(self._robots)
        return None if delay < 0 else delay

    @property
    def sitemaps(self) -> list[str]:
        """The Sitemap lines of the file, as written."""
        count = lib.crawl_robots_sitemap_count(self._robots)
        return [text_of(lib.crawl_robots_sitemap(self._robots, i)) for i in range(count)]


def agent_token(user_agent: Text) -> str:
    """Returns the product token at the start of a User-Agent, its name in robots.txt (RFC 9309, 2.2.1); of one that
    begins with Mozilla, the token behind "compatible;". Empty: none.

    >>> agent_token("Example-Bot/1.0 (+https://a.example/)")
    'Example-Bot'
    """
    text = to_bytes(user_agent).decode("ascii", "replace")
    token = _leading_token(text)
    return token if token.lower() != "mozilla" else _leading_token(text.partition("compatible;")[2].lstrip())


def _leading_token(text: str) -> str:
    size = next((i for i, c in enumerate(text) if not (c.isascii() and (c.isalpha() or c in "-_"))), len(text))
    return text[:size]


def parse_robots(body: Text, agent: Text) -> Robots:
    """Parses a robots.txt for an agent, named by its product token. An empty token gets only the rules for "*".
    InvalidError: not a product token.

    >>> robots = parse_robots("User-agent: *\\nDisallow: /private\\nCrawl-delay: 2", "example")
    >>> robots.allowed("http://a.example/"), robots.check("http://a.example/private/x")
    (True, Verdict(allowed=False, line=2, rule='Disallow: /private'))
    >>> robots.crawl_delay
    2.0
    """
    out = ffi.new("crawl_robots **")
    check(lib.crawl_robots_parse(slice_of(to_bytes(body)), slice_of(to_bytes(agent)), out), about=f"agent {agent!r}")
    return Robots(out[0])
