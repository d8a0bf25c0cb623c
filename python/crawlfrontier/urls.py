"""URLs by the WHATWG URL standard, canonical forms, which decide whether two URLs are the same page, and request
fingerprints."""
from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Sequence, Tuple, Union

from ._batch import Slices, chunks
from ._library import NULL, Text, bytes_of, check, failure, ffi, lib, sized, slice_of, text_of, to_bytes, tools

PROFILES = {"default": lib.CRAWL_PROFILE_DEFAULT, "w3lib": lib.CRAWL_PROFILE_W3LIB, "surt": lib.CRAWL_PROFILE_SURT}
FINGERPRINTS = {"default": lib.CRAWL_FINGERPRINT_DEFAULT, "scrapy-2.6": lib.CRAWL_FINGERPRINT_SCRAPY_26,
                "scrapy-2.7": lib.CRAWL_FINGERPRINT_SCRAPY_27,
                "scrapy-redis-0.8": lib.CRAWL_FINGERPRINT_SCRAPY_REDIS}
FINGERPRINT_SIZE: int = lib.CRAWL_FINGERPRINT_SIZE


def chosen(table: dict[str, int], name: str, what: str) -> int:
    """Returns the number of a name in a table. InvalidError: not in the table; the message lists the names."""
    if name not in table:
        raise failure(lib.CRAWL_EINVAL, about=f"unknown {what} {name!r}; known are {', '.join(table)}")
    return table[name]


def c_text(text: Optional[Text]) -> Any:
    """Returns a C string, or NULL for None."""
    return NULL if text is None else to_bytes(text) + b"\0"


def parsed(url: Text, into: Any, base: Any = NULL, charset: Optional[str] = None) -> Any:
    """Parses a URL into one of the thread's objects. ParseError: not a URL."""
    code = lib.crawl_url_parse(into, slice_of(to_bytes(url)), base, c_text(charset))
    if code:
        raise failure(code, about=f"no URL: {url!r}")
    return into


def resolve(url: Text, base: Optional[Text] = None, *, charset: Optional[str] = None) -> str:
    """Resolves a URL against base and serializes it as the standard does. charset is the encoding of the document that
    contains it, which shapes the query. ParseError: not a URL.

    >>> resolve("../b?q#f", "http://EXAMPLE.com:80/a/x/")
    'http://example.com/a/b?q#f'
    """
    of = NULL if base is None else parsed(base, tools.base)
    return text_of(lib.crawl_url_href(parsed(url, tools.url, of, charset)))


class _Canonical:
    """The options of a canonical form, with everything that they borrow."""

    def __init__(self, profile: str, drop: Text, charset: Optional[str], keep_fragment: bool, drop_blank: bool) -> None:
        self.options = sized("crawl_canonical_options")
        self.options.profile = chosen(PROFILES, profile, "profile")
        self.options.keep_fragment, self.options.drop_blank = keep_fragment, drop_blank
        if charset is not None:
            self._charset = ffi.new("char[]", charset.encode())
            self.options.charset = self._charset
        if drop:
            out, error = ffi.new("crawl_drop_params **"), ffi.new("crawl_error *")
            check(lib.crawl_drop_params_create(slice_of(to_bytes(drop)), out, error), error)
            self._drop = ffi.gc(out[0], lib.crawl_drop_params_free)
            self.options.drop = self._drop


_DEFAULT = _Canonical("default", "", None, False, False).options
_W3LIB = _Canonical("w3lib", "", None, False, False).options


def canonicalize(url: Text, base: Optional[Text] = None, *, profile: str = "default", drop: Text = "",
                 charset: Optional[str] = None, keep_fragment: bool = False, drop_blank: bool = False) -> str:
    """Returns the canonical form, equal for two URLs of the same page. It is a key, not an address to fetch from.

    profile is "default", "w3lib" (the form that Scrapy fingerprints) or "surt" (the key of web archives). drop names
    query parameters to leave out, separated by blanks or commas: "name", "prefix*", "@tracking", "@sessions".
    keep_fragment and drop_blank are for w3lib alone. ParseError: the profile does not accept the URL. InvalidError: not
    http or https.

    >>> canonicalize("HTTP://example.com:80/%7Ea/./b?c=2&a=1#top")
    'http://example.com/~a/b?a=1&c=2'
    >>> canonicalize("http://example.com/?id=1&utm_source=x", drop="@tracking")
    'http://example.com/?id=1'
    """
    plain = profile == "default" and not drop and charset is None
    options = _DEFAULT if plain else _Canonical(profile, drop, charset, keep_fragment, drop_blank)
    text = to_bytes(url) if base is None else to_bytes(resolve(url, base, charset=charset))
    return _canonical_text(text, options if plain else options.options, url).decode("utf-8", "replace")


def _canonical_text(text: bytes, options: Any, url: Text) -> bytes:
    buffer = tools.buffer
    buffer.size = 0
    code = lib.crawl_text_canonical(slice_of(text), options, buffer)
    if code:
        raise failure(code, about=f"no canonical form: {url!r}")
    return bytes_of(buffer)


def _options_of(kind: int, names: Optional[Slices] = None) -> Any:
    options = sized("crawl_fingerprint_options")
    options.kind = kind
    if names:
        options.include_headers, options.include_count = names.pointer, names.count
    return options


_PLAIN = {name: _options_of(kind) for name, kind in FINGERPRINTS.items()}  # without headers, as nearly all are


def fingerprint(method: Text, url: Text, body: Text = b"", *, kind: str = "default",
                headers: Union[Mapping[Text, Text], Iterable[Tuple[Text, Text]]] = (),
                include_headers: Sequence[Text] = ()) -> bytes:
    """Returns the 20-byte fingerprint of a request: SHA-1 over the method, the canonical URL and the body.

    kind is "default", "scrapy-2.6", "scrapy-2.7" or "scrapy-redis-0.8". All but the first equal those of that program
    bit for bit, including the headers that include_headers names; headers are pairs or a dict. The method is used as
    given; convert it to upper case first if necessary.

    >>> fingerprint("GET", "http://example.com/?b=2&a=1") == fingerprint("GET", "http://example.com/?a=1&b=2")
    True
    >>> fingerprint("GET", "http://example.com/?id=111&cat=222", kind="scrapy-2.6").hex()
    '94ab4fdcc9ce074f75c553a2dceedb933d5ee924'
    """
    number = chosen(FINGERPRINTS, kind, "fingerprint")
    canonical = _canonical_text(to_bytes(url), _DEFAULT if kind == "default" else _W3LIB, url)
    options, sent, count = _PLAIN[kind], NULL, 0
    if headers or include_headers:
        names = Slices([to_bytes(name) for name in include_headers])
        items = headers.items() if isinstance(headers, Mapping) else headers
        pairs = Slices([text for pair in items for text in pair])
        options = _options_of(number, names)
        sent, count = ffi.cast("const crawl_fingerprint_header *", pairs.pointer), pairs.count // 2
    out = tools.fingerprint
    check(lib.crawl_fingerprint_by(tools.fingerprinter, options, slice_of(to_bytes(method)), slice_of(canonical),
                                   slice_of(to_bytes(body)), sent, count, out))
    return bytes(ffi.buffer(out))


def fingerprint_many(urls: Iterable[Text], *, kind: str = "default") -> bytes:
    """Returns the fingerprints of plain requests (GET, no headers, no body), 20 bytes each, concatenated: keys for
    Filter.add_many(..., key_size=20). ParseError: names the first that is not a URL.

    >>> urls = ["http://a.example/", "http://b.example/"]
    >>> fingerprint_many(urls) == fingerprint("GET", urls[0]) + fingerprint("GET", urls[1])
    True
    """
    number = chosen(FINGERPRINTS, kind, "fingerprint")
    parts = []
    for texts in chunks(urls):
        slices, valid = Slices(texts), bytearray(len(texts))
        out = bytearray(FINGERPRINT_SIZE * len(texts))
        check(lib.crawl_fingerprint_urls(tools.fingerprinter, number, slices.pointer, slices.count,
                                         ffi.from_buffer("crawl_fingerprint[]", out),
                                         ffi.from_buffer("uint8_t[]", valid)))
        if 0 in valid:
            raise failure(lib.CRAWL_EPARSE, about=f"no canonical form: {texts[valid.index(0)]!r}")
        parts.append(out)
    return b"".join(parts)
