"""More ways to misbehave, for wild_server.py: responses sent byte for byte, and slow or endless ones.

RAW has complete responses, each under /raw/NAME; the connection is closed after each."""
import asyncio
import ctypes
import gzip
import zlib

from wild_server import MIB, case, counters, page, robots

# The answers for NAME.names.test, in the form of dns_server.py's Zone. HERE stands for the server's address.
HERE = "127.0.0.1"
NAMES = {
    "good": dict(a=[HERE]),
    "nosuch": dict(rcode=3),
    "broken": dict(rcode=2),
    "refused": dict(rcode=5),
    "empty": dict(),
    "silent": dict(silent=("A", "AAAA")),
    "slow": dict(a=[HERE], delay=1.5),
    "half": dict(a=[HERE], silent=("AAAA",)),
    "lame": dict(aaaa=["::1"], delays={"A": 0.2}, a=[HERE]),
    "chain": dict(a=[HERE], cname=["a.names.test", "b.names.test"]),
    "fleeting": dict(a=[HERE], ttl=0),
    "forever": dict(a=[HERE], ttl=4294967295),
    "many": dict(a=[HERE] + [f"127.1.0.{n}" for n in range(1, 20)]),
    "zero": dict(a=["0.0.0.0"]),
    "inside": dict(a=["10.0.0.1", "169.254.169.254"]),
}

OK = b"HTTP/1.1 200 OK\r\n"
HELLO = b"Content-Length: 5\r\n\r\nhello"


def moved(location):
    return b"HTTP/1.1 302 Found\r\n" + location + b"\r\nContent-Length: 0\r\n\r\n"


RAW = {
    # status lines
    "noreason": b"HTTP/1.1 200\r\n" + HELLO,
    "nospace": b"HTTP/1.1 200OK\r\n" + HELLO,
    "lowercase": b"http/1.1 200 ok\r\n" + HELLO,
    "code99": b"HTTP/1.1 99 Few\r\n" + HELLO,
    "code1000": b"HTTP/1.1 1000 Many\r\n" + HELLO,
    "codeless": b"HTTP/1.1 OK\r\n" + HELLO,
    "http12": b"HTTP/1.2 200 OK\r\n" + HELLO,
    "http99": b"HTTP/9.9 200 OK\r\n" + HELLO,
    "icy": b"ICY 200 OK\r\n" + HELLO,
    "emptyfirst": b"\r\n\r\n" + OK + HELLO,
    # statuses that have no body, with one
    "100first": b"HTTP/1.1 100 Continue\r\n\r\n" + OK + HELLO,
    "205": b"HTTP/1.1 205 Reset Content\r\n" + HELLO,
    "300empty": b"HTTP/1.1 300 Multiple Choices\r\nContent-Length: 0\r\n\r\n",
    "304": b"HTTP/1.1 304 Not Modified\r\n" + HELLO,
    "206": b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/100\r\n" + HELLO,
    "206page": b"HTTP/1.1 206 Partial Content\r\nContent-Type: text/html\r\nContent-Length: 24\r\n\r\n<a "
               b"href=/page?part>x</a>",
    "416": b"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */5\r\n" + HELLO,
    # lengths
    "negative": OK + b"Content-Length: -5\r\n\r\nhello",
    "plus": OK + b"Content-Length: +5\r\n\r\nhello",
    "words": OK + b"Content-Length: five\r\n\r\nhello",
    "lengthtwice": OK + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "lengthstwo": OK + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
    "lengthlist": OK + b"Content-Length: 5, 5\r\n\r\nhello",
    "lengthmost": OK + b"Content-Length: 9223372036854775807\r\n\r\nhello",
    "lengthmore": OK + b"Content-Length: 99999999999999999999999999\r\n\r\nhello",
    "lengthempty": OK + b"Content-Length:\r\n\r\nhello",
    # chunks
    "both": OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "bytechunks": OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 5000 + b"0\r\n\r\n",
    "chunkhuge": OK + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "chunkmost": OK + b"Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nhello",
    "chunknegative": OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
    "chunkempty": OK + b"Transfer-Encoding: chunked\r\n\r\n\r\nhello\r\n0\r\n\r\n",
    "chunklf": OK + b"Transfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n",
    "chunklong": OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello, more\r\n0\r\n\r\n",
    "chunkext": OK + b"Transfer-Encoding: chunked\r\n\r\n5;" + b"x" * 100000 + b"\r\nhello\r\n0\r\n\r\n",
    "chunktrailers": OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n" + b"X-T: t\r\n" * 50000 + b"\r\n",
    "tespace": OK + b"Transfer-Encoding : chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "tespacecut": OK + b"Transfer-Encoding : chunked\r\n\r\n20\r\nshort",
    "teunknown": OK + b"Transfer-Encoding: wild\r\n\r\nhello",
    "tegzip": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    # header lines
    "headernul": OK + b"X-Nul: a\0b\r\n" + HELLO,
    "barecr": OK + b"X-A: b\rX-C: d\r\n" + HELLO,
    "barelf": b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
    "spacecolon": OK + b"Content-Length : 5\r\n\r\nhello",
    "spacecoloncut": OK + b"Content-Length : 50\r\n\r\nshort",
    "noname": OK + b": no name\r\n" + HELLO,
    "foldedfirst": OK + b" folded: from the status line\r\n" + HELLO,
    "latin": OK + b"X-Latin: caf\xe9\r\n" + HELLO,
    "nobody": OK,
    "notype": OK + b"Content-Length: 26\r\n\r\n<title>t</title><p>text</p>",
    "typewild": OK + b"Content-Type: ;;; charset=\"\\\r\nContent-Length: 5\r\n\r\nhello",
    # redirects
    "toutf8": moved(b"Location: /page?caf\xc3\xa9"),
    "tolatin": moved(b"Location: /page?caf\xe9"),
    "tospaces": moved(b"Location:   /page?a b  "),
    "totwo": moved(b"Location: /page?first\r\nLocation: /page?second"),
    "tonul": moved(b"Location: /page?\0nul"),
    "tofragment": moved(b"Location: /page?f#part"),
    "torelative": moved(b"Location: ../page?up"),
    "toquery": moved(b"Location: ?query"),
    "tolong": moved(b"Location: /page?" + b"x" * 60000),
    "todata": moved(b"Location: data:text/html,hello"),
    "toport": moved(b"Location: http://a.localhost:99999/"),
    "totraversal": moved(b"Location: /../../../etc/passwd"),
    # content codings
    "codinglist": OK + b"Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip\r\n" + HELLO,
    "codingidentity": OK + b"Content-Encoding: identity\r\n" + HELLO,
    "codingempty": OK + b"Content-Encoding: \r\n" + HELLO,
    "codingx": OK + b"Content-Encoding: x-gzip\r\n\r\n" + gzip.compress(b"hello", mtime=0),
}


@case("/raw/NAME")
async def raw(request):
    await request.raw(RAW.get(request.last(), b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
    request.close()


@case("/kept/NAME")
async def kept(request):
    """Leaves the connection open."""
    await request.raw(RAW[request.last()])


# ---- content codings ------------------------------------------------------------------------------------------

def brotli(data):
    """Compresses with the library that the build needs anyway."""
    out = ctypes.create_string_buffer(len(data) + 1024)
    size = ctypes.c_size_t(len(out))
    if not ctypes.CDLL("libbrotlienc.so.1").BrotliEncoderCompress(5, 22, 0, ctypes.c_size_t(len(data)), data,
                                                                  ctypes.byref(size), out):
        raise RuntimeError("brotli")
    return out.raw[:size.value]


def zstd(data):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(len(data) + 1024)
    size = library.ZSTD_compress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)), 1)
    return out.raw[:size]


BOMB = 16 * MIB
CODINGS = {"gzip": lambda data: gzip.compress(data, mtime=0), "deflate": zlib.compress, "br": brotli, "zstd": zstd}


def coded(coding, data):
    """Compresses and caches, since it takes a moment."""
    key = (coding, len(data))
    if key not in counters:
        counters[key] = CODINGS[coding](data)
    return counters[key]


@case("/coded/CODING?as=plain|bomb|cut|twice|tail|doublebomb")
async def coding(request):
    """A page in a content coding; a bomb; a truncated one; one inside another."""
    name, how = request.last(), request.query.get("as", "plain")
    if name not in CODINGS:
        await request.answer(404)
        return
    text = page("coded", text=" ".join(str(n) for n in range(20000))).encode()
    header = name
    if how == "bomb":
        body = coded(name, bytes(BOMB))
    elif how == "doublebomb":
        body, header = CODINGS[name](coded(name, bytes(BOMB))), f"{name}, {name}"
    elif how == "twice":
        body, header = CODINGS[name](CODINGS[name](text)), f"{name}, {name}"
    elif how == "cut":
        body = CODINGS[name](text)
        body = body[:len(body) // 2]
    elif how == "tail":
        body = CODINGS[name](text) + b"left over"
    else:
        body = CODINGS[name](text)
    await request.answer(200, body, Content_Encoding=header)


# ---- endless ------------------------------------------------------------------------------------------------

@case("/dripheader?ms=M")
async def drip_header(request):
    """Sends a byte of the header every M ms."""
    for byte in b"HTTP/1.1 200 OK\r\nX-Drip: " + b"d" * 100000:
        await request.raw(bytes([byte]))
        await asyncio.sleep(request.number("ms", 100) / 1000)


@case("/endlessheader")
async def endless_header(request):
    await request.raw("HTTP/1.1 200 OK\r\n")
    while not request.writer.transport.is_closing():
        await request.raw("X-More: and more\r\n" * 1000)
    request.close()


@case("/endlessline")
async def endless_line(request):
    """Sends one endless header line."""
    await request.raw("HTTP/1.1 200 OK\r\nX-Long: ")
    while not request.writer.transport.is_closing():
        await request.raw("x" * 10000)
    request.close()


@case("/endlesschunks")
async def endless_chunks(request):
    """Sends endless chunks of one byte each."""
    await request.head(200, None, "text/plain", Transfer_Encoding="chunked")
    while not request.writer.transport.is_closing():
        await request.raw("1\r\nx\r\n" * 2000)
    request.close()


# ---- connections ----------------------------------------------------------------------------------------------

@case("/lastof/N?n=M")
async def last_of(request):
    """Ends each connection silently after N requests."""
    key = ("connection", request.connection)
    counters[key] = counters.get(key, 0) + 1
    await request.answer(200, page(f"request {counters[key]} of this connection"))
    if counters[key] >= int(request.last()):
        request.close()


@case("/wall?name=NAME")
async def wall(request):
    """A page behind a cookie wall: a client without the cookie is redirected to get it, and from there back."""
    name = request.query.get("name", "x")
    if f"wall={name}" in request.header("cookie"):
        await request.answer(200, page("behind the wall", ["/page?found"]))
    else:
        await request.answer(302, "", Location=f"/gate?name={name}")


@case("/gate?name=NAME")
async def gate(request):
    name = request.query.get("name", "x")
    await request.answer(302, "", Location=f"/wall?name={name}", Set_Cookie=f"wall={name}; Path=/")


# ---- traps ----------------------------------------------------------------------------------------------------

@case("/trap/calendar/DAY")
async def calendar(request):
    """A page for each day, with links to the days before and after."""
    day = int(request.last()) if request.last().lstrip("-").isdigit() else 0
    await request.answer(200, page(f"day {day}", [f"/trap/calendar/{day - 1}", f"/trap/calendar/{day + 1}"]))


@case("/trap/path")
async def growing_path(request):
    """Relative links that lead ever deeper."""
    await request.answer(200, page("deeper", ["x/", "y/"]))


@case("/trap/session")
async def session_ids(request):
    """Each visit gives its links a new session."""
    counters["session"] = counters.get("session", 0) + 1
    links = [f"/trap/session?id={counters['session']}&page={n}" for n in range(3)]
    await request.answer(200, page("session", links))


@case("/trap/query")
async def query_explosion(request):
    """Each parameter may be present or absent."""
    here = "&".join(f"{k}={v}" for k, v in request.query.items())
    await request.answer(200, page("filters", [f"/trap/query?{here}&f{n}=1" for n in range(20)
                                               if f"f{n}" not in request.query]))


@case("/trap/hosts")
async def wildcard_hosts(request):
    """Every name below this one leads here."""
    host = request.header("host")
    await request.answer(200, page("hosts", [f"http://{label}.{host}/trap/hosts" for label in ("a", "b", "c")]))


# ---- pages ----------------------------------------------------------------------------------------------------

PAGES = {
    "deep": lambda: "<div>" * 100000 + "<a href=/page?deep>x</a>",
    "links": lambda: "".join(f"<a href=/page?{n}>{n}</a>" for n in range(1000000)),
    "attribute": lambda: f"<a title=\"{'x' * 10 * MIB}\" href=/page?after>x</a>",
    "href": lambda: f"<a href=\"/page?{'x' * 10 * MIB}\">x</a><a href=/page?after>x</a>",
    "open": lambda: "<a href=/page?before>x</a><a href=\"" + "x" * MIB,
    "comment": lambda: "<a href=/page?before>x</a><!--" + "-" * MIB,
    "references": lambda: f"<title>{'&nGt;' * 200000}</title><a href=/page?after>{'&amp;' * 100000}</a>",
    "bases": lambda: "<base href=http://elsewhere.example/><base href=/page/>" * 1000
    + "<a href=x>x</a><a href=/page?away>x</a>",
    "basedata": lambda: "<base href=data:text/plain,x><a href=/page?after>x</a>",
    "svg": lambda: "<svg>" * 50000 + "<a href=/page?svg>x</a>",
    "tags": lambda: "<" * MIB + "<a href=/page?after>x</a>",
    "attributes": lambda: "<a " + " ".join(f"a{n}=1" for n in range(100000)) + " href=/page?after>x</a>",
}


@case("/big/NAME")
async def big(request):
    name = request.last()
    if name not in PAGES:
        await request.answer(404)
        return
    if name not in counters:
        counters[name] = "<!doctype html>" + PAGES[name]()
    await request.answer(200, counters[name])


# ---- robots.txt -----------------------------------------------------------------------------------------------

@robots("robots-away")
async def robots_away(request):
    """Redirects to another host."""
    port = request.header("host").rsplit(":", 1)[-1]
    await request.answer(301, "", Location=f"http://robots-disallow.localhost:{port}/robots.txt")


@robots("robots-10mb")
async def robots_10mb(request):
    await request.answer(200, "User-agent: *\nDisallow: /private\n" + "Disallow: /x\n" * 800000, "text/plain")


@robots("robots-line")
async def robots_line(request):
    """One endless line, then rules."""
    await request.answer(200, "User-agent: *\nDisallow: /private\n" + "#" * MIB + "\nDisallow: /\n", "text/plain")


@robots("robots-stars")
async def robots_stars(request):
    """Patterns that take for ever if each way to match is tried."""
    await request.answer(200, "User-agent: *\nDisallow: /" + "*a" * 2000 + "$\nDisallow: /private\n", "text/plain")


@robots("robots-binary")
async def robots_binary(request):
    await request.answer(200, bytes(range(256)) * 1000 + b"\nUser-agent: *\nDisallow: /private\n", "text/plain")


@robots("robots-bomb")
async def robots_bomb(request):
    await request.answer(200, coded("gzip", bytes(BOMB)), "text/plain", Content_Encoding="gzip")


@robots("robots-short")
async def robots_short(request):
    await request.head(200, 1000, "text/plain")
    await request.raw("User-agent: *\nDisallow: /private\n")
    request.close()


@robots("robots-drip")
async def robots_drip(request):
    await request.head(200, 100000, "text/plain")
    for _ in range(1000):
        await request.raw("#")
        await asyncio.sleep(0.1)
