#!/usr/bin/env python3
"""A web server that misbehaves, the same way each time.

    wild_server.py PORTFILE [--port N] [--log FILE] [--ipv4-only]

Each way to misbehave is a small function below with a path that names it. The @case lines here and in wild_cases.py
make up the table, and `/?cases=1` shows it as a page of links. Its robots.txt depends on the host's first label: names
such as robots-503.localhost need no DNS. It listens on 127.0.0.1 and ::1, and then writes its port to PORTFILE. Each
request becomes one JSON line of the log. Standard library only, one process, one thread.
"""

import argparse
import asyncio
import gzip
import html
import json
import os
import socket
import struct
import sys
import time
import urllib.parse
import zlib

MAX_HEADER = 1 << 20  # per request
MIB = 1 << 20

CASES = []  # (pattern, path without variable parts, function), in the order written
ROBOTS = []  # (host label or prefix ending in "-", function)
counters = {}  # KEY -> number of requests


def case(pattern):
    """Registers a function for paths of this pattern: words in capitals stand for one segment."""

    def add(function):
        fixed = "/".join(s for s in pattern.split("?")[0].split("/") if not s.isupper())
        CASES.append((pattern, fixed, function))
        return function

    return add


def robots(label):
    def add(function):
        ROBOTS.append((label, function))
        return function

    return add


class Request:
    """A request, and the means to answer it."""

    def __init__(self, writer, connection, line, headers, body):
        self.writer = writer
        self.connection = connection  # number of the connection, from 1
        self.method, self.target, self.version = (line.split(" ") + ["", "", ""])[:3]
        self.path, _, query = self.target.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        self.headers = headers
        self.body = body
        self.keep = self.version == "HTTP/1.1" and self.header("connection").lower() != "close"

    def header(self, name):
        return next((v for n, v in self.headers if n.lower() == name), "")

    def number(self, name, default):
        try:
            return int(self.query.get(name, default))
        except ValueError:
            return default

    def last(self):
        """The last segment of the path."""
        return self.path.rsplit("/", 1)[-1]

    def label(self):
        """The first label of the host's name."""
        return self.header("host").split(":")[0].split(".")[0].lower()

    async def raw(self, data):
        if isinstance(data, str):
            data = data.encode("latin-1")
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, status=200, body="", kind="text/html", **headers):
        """Sends a correct response."""
        await self.head(status, self.length(body), kind, **headers)
        if self.method != "HEAD" and status not in (204, 304):
            await self.raw(body)

    @staticmethod
    def length(body):
        return len(body.encode("latin-1") if isinstance(body, str) else body)

    async def head(self, status, length, kind="text/html", **headers):
        """Sends status and header. length None: no Content-Length. A keyword a_b is the header a-b."""
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Whatever')}", f"Content-Type: {kind}"]
        if length is not None and status != 204:
            lines.append(f"Content-Length: {length}")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join(lines) + "\r\n\r\n")

    def close(self):
        """Accepts no further request on this connection."""
        self.keep = False

    def reset(self):
        """Sends RST instead of FIN."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        self.keep = False

    async def forever(self):
        """Waits until the client goes away."""
        while not self.writer.transport.is_closing():
            await asyncio.sleep(0.05)
        self.close()


REASONS = {200: "OK", 204: "No Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 403: "Forbidden",
           404: "Not Found", 410: "Gone", 429: "Too Many Requests", 500: "Internal Server Error",
           503: "Service Unavailable"}


def page(title, links=(), text=""):
    items = "".join(f'<li><a href="{html.escape(link)}">{html.escape(link)}</a></li>\n' for link in links)
    return f"<!doctype html>\n<title>{html.escape(title)}</title>\n<p>{text}</p>\n<ul>\n{items}</ul>\n"


# ---- pages ----------------------------------------------------------------------------------------------------

@case("/")
async def index(request):
    links = [pattern for pattern, _, _ in CASES] if request.number("cases", 0) else ["/page", "/robots.txt"]
    await request.answer(200, page("index", links))


@case("/page?links=a,b,c")
async def linked_page(request):
    links = [link for link in request.query.get("links", "").split(",") if link]
    await request.answer(200, page("page", links))


@case("/fill?bytes=N")
async def filled(request):
    await request.answer(200, "x" * request.number("bytes", 10000), "text/plain")


@case("/echo")
async def echo(request):
    """Answers the requests that the server saw, as JSON."""
    seen = {"method": request.method, "target": request.target, "headers": request.headers,
            "body": request.body.decode("latin-1"), "connection": request.connection}
    await request.answer(200, json.dumps(seen), "application/json")


# ---- status codes and redirects -------------------------------------------------------------------------------

@case("/status/CODE")
async def status(request):
    code = int(request.last()) if request.last().isdigit() else 404
    await request.answer(code, page(f"status {code}"))


@case("/redirect/CODE?to=URL")
async def redirect(request):
    code = int(request.last()) if request.last().isdigit() else 302
    await request.answer(code, page("moved"), Location=request.query.get("to", "/"))


@case("/loop")
async def loop(request):
    await request.answer(302, page("loop"), Location="/loop")


@case("/pingpong/a")
async def ping(request):
    await request.answer(302, page("a"), Location="/pingpong/b")


@case("/pingpong/b")
async def pong(request):
    await request.answer(302, page("b"), Location="/pingpong/a")


@case("/grow/N")
async def grow(request):
    """Redirects to a new place each time, endlessly."""
    n = int(request.last()) if request.last().isdigit() else 0
    await request.answer(302, page(f"grow {n}"), Location=f"/grow/{n + 1}")


@case("/nolocation")
async def nolocation(request):
    await request.answer(302, page("a redirect to nowhere"))


@case("/retry/KEY?fail=N&status=503&retry_after=S")
async def retry(request):
    """Fails N times for each KEY, then answers."""
    asked = counters[request.path] = counters.get(request.path, 0) + 1
    if asked > request.number("fail", 1):
        await request.answer(200, page(f"at last, request {asked}"))
        return
    after = {"Retry_After": request.query["retry_after"]} if "retry_after" in request.query else {}
    await request.answer(request.number("status", 503), page("not yet"), **after)


@case("/204body")
async def no_content_with_body(request):
    """204 may have no body (RFC 9110, 15.3.5); this one sends some bytes after it."""
    await request.raw("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello")
    request.close()


@case("/early")
async def early_hints(request):
    await request.raw("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\nX-Early: 1\r\n\r\n")
    await request.answer(200, page("after 103"))


@case("/continues")
async def endless_interim(request):
    """Sends endless 1xx responses."""
    while not request.writer.transport.is_closing():
        await request.raw("HTTP/1.1 102 Processing\r\nX-Interim: 1\r\n\r\n" * 100)
    request.close()


# ---- time -----------------------------------------------------------------------------------------------------

@case("/slow?ms=N")
async def slow(request):
    await asyncio.sleep(request.number("ms", 1000) / 1000)
    await request.answer(200, page("slow"))


@case("/drip?bytes=N&ms=M")
async def drip(request):
    """Sends a byte every M ms."""
    count = request.number("bytes", 20)
    await request.head(200, count, "text/plain")
    for _ in range(count):
        await request.raw("d")
        await asyncio.sleep(request.number("ms", 100) / 1000)


@case("/never")
async def never(request):
    await request.forever()


# ---- connections that end early -------------------------------------------------------------------------------

@case("/drop")
async def drop(request):
    """Closes before any byte of a response."""
    request.close()


@case("/reset")
async def reset_in_body(request):
    await request.head(200, 100000, "text/plain")
    await request.raw("r" * 1000)
    await asyncio.sleep(0.02)  # so that the first bytes arrive
    request.reset()


@case("/short")
async def short(request):
    """Sends fewer bytes than Content-Length says."""
    await request.head(200, 1000, "text/plain")
    await request.raw("s" * 100)
    request.close()


@case("/chunkcut")
async def chunk_cut(request):
    """Sends chunks, and closes before the last one."""
    await request.head(200, None, "text/plain", Transfer_Encoding="chunked")
    await request.raw("5\r\nhello\r\n")
    request.close()


# ---- framing --------------------------------------------------------------------------------------------------

@case("/long")
async def long(request):
    """Sends more bytes than Content-Length says."""
    await request.head(200, 5, "text/plain")
    await request.raw("hello, and more than announced")
    request.close()


@case("/chunked")
async def chunked(request):
    """Sends chunks, an extension and a trailer (RFC 9112, 7.1)."""
    await request.head(200, None, "text/plain", Transfer_Encoding="chunked")
    await request.raw("5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\nX-Trailer: 1\r\n\r\n")


@case("/badchunk")
async def bad_chunk(request):
    await request.head(200, None, "text/plain", Transfer_Encoding="chunked")
    await request.raw("5\r\nhello\r\nzz\r\nno length\r\n")
    request.close()


@case("/untilclose")
async def until_close(request):
    """Neither length nor chunks: the body ends with the connection."""
    await request.head(200, None, "text/plain")
    await request.raw("until close")
    request.close()


@case("/twolengths")
async def two_lengths(request):
    await request.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello")
    request.close()


@case("/http09")
async def http09(request):
    await request.raw("<title>no header at all</title>")
    request.close()


@case("/http10")
async def http10(request):
    await request.raw("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nten")
    request.close()


@case("/ssh")
async def ssh(request):
    await request.raw("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
    request.close()


@case("/upgrade")
async def upgrade(request):
    """Switches protocols unasked."""
    await request.raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: nothing\r\nConnection: upgrade\r\n\r\n")
    await request.forever()


# ---- header ---------------------------------------------------------------------------------------------------

@case("/bigheader")
async def big_header(request):
    """Sends one line of 1 MiB."""
    await request.raw("HTTP/1.1 200 OK\r\nX-Big: " + "h" * MIB + "\r\nContent-Length: 2\r\n\r\nok")


@case("/manyheaders")
async def many_headers(request):
    """Sends 20000 lines."""
    lines = "".join(f"X-{n}: {'v' * 40}\r\n" for n in range(20000))
    await request.raw("HTTP/1.1 200 OK\r\n" + lines + "Content-Length: 2\r\n\r\nok")


@case("/oddheaders")
async def odd_headers(request):
    """Folded, repeated, empty, bare LF, not ASCII."""
    await request.raw("HTTP/1.1 200 OK\r\nX-Folded: one\r\n\t two\r\nX-Twice: 1\r\nx-twice: 2\r\nX-Empty:\r\n"
                      "X-Bare: lf\nX-Latin: caf\xe9\r\nContent-Length: 2\r\n\r\nok")


@case("/nocolon")
async def no_colon(request):
    await request.raw("HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 2\r\n\r\nok")


@case("/cookie")
async def cookie(request):
    """Redirects a client without the cookie once, and sets it."""
    if "wild=1" in request.header("cookie"):
        await request.answer(200, page("cookie held"))
    else:
        await request.answer(302, page("take this"), Location="/cookie", Set_Cookie="wild=1; Path=/")


# ---- content coding -------------------------------------------------------------------------------------------

def compressed(body):
    return gzip.compress(body.encode(), mtime=0)


@case("/gzip")
async def gzipped(request):
    await request.answer(200, compressed(page("gzip", text="zip " * 1000)), Content_Encoding="gzip")


@case("/deflate")
async def deflated(request):
    await request.answer(200, zlib.compress(page("deflate").encode()), Content_Encoding="deflate")


@case("/rawdeflate")
async def raw_deflated(request):
    """deflate without its zlib wrapper, as some servers send it."""
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(page("rawdeflate").encode()) + packer.flush()
    await request.answer(200, body, Content_Encoding="deflate")


@case("/br")
async def brotli(request):
    """"<p>brotli</p>", as an uncompressed meta-block (RFC 7932, 9.2). Only if the client offers br."""
    if "br" not in request.header("accept-encoding"):
        await request.answer(200, "<p>plain</p>")
        return
    text = b"<p>brotli</p>"
    # WBITS 16 (0), ISLAST 0, MNIBBLES 4 (00), MLEN - 1 in 16 bits, ISUNCOMPRESSED 1, padding; then ISLAST 1,
    # ISLASTEMPTY 1.
    bits = (len(text) - 1) << 4 | 1 << 20
    await request.answer(200, bits.to_bytes(3, "little") + text + b"\x03", Content_Encoding="br")


@case("/twicegzip")
async def gzip_in_gzip(request):
    body = gzip.compress(compressed(page("twice")), mtime=0)
    await request.answer(200, body, Content_Encoding="gzip, gzip")


def bomb_body(size=64 * MIB):
    packer = zlib.compressobj(9, wbits=31)
    block = bytes(MIB)
    return b"".join(packer.compress(block) for _ in range(size // MIB)) + packer.flush()


@case("/bomb")
async def bomb(request):
    """64 MiB of zero bytes, 1000 to 1."""
    counters.setdefault("bomb", None)
    counters["bomb"] = counters["bomb"] or bomb_body()
    await request.answer(200, counters["bomb"], Content_Encoding="gzip")


@case("/truncgzip")
async def truncated_gzip(request):
    """A complete message with a truncated gzip stream."""
    body = compressed(page("truncated", text="zip " * 1000 + " ".join(str(n) for n in range(5000))))
    await request.answer(200, body[:len(body) // 2], Content_Encoding="gzip")


@case("/badgzip")
async def broken_gzip(request):
    body = bytearray(compressed(page("broken", text=" ".join(str(n) for n in range(5000)))))
    body[len(body) // 2:len(body) // 2 + 64] = bytes(64)
    await request.answer(200, bytes(body), Content_Encoding="gzip")


@case("/gzipcrc")
async def gzip_crc(request):
    """All of the stream is correct except the check value at its end."""
    body = bytearray(compressed(page("crc", text="check")))
    body[-8] ^= 0xff
    await request.answer(200, bytes(body), Content_Encoding="gzip")


@case("/gziptail")
async def gzip_tail(request):
    """Bytes after the end of the gzip stream."""
    await request.answer(200, compressed(page("tail")) + b"\0\0\0\0 left over", Content_Encoding="gzip")


@case("/plaingzip")
async def plain_gzip(request):
    """Declared gzip, sent plain."""
    await request.answer(200, page("not gzip"), Content_Encoding="gzip")


@case("/emptygzip")
async def empty_gzip(request):
    """Declared gzip, no body at all."""
    await request.answer(200, b"", Content_Encoding="gzip")


@case("/unknowncoding")
async def unknown_coding(request):
    await request.answer(200, page("unknown"), Content_Encoding="wild")


# ---- bodies ---------------------------------------------------------------------------------------------------

@case("/nul")
async def nul(request):
    await request.answer(200, b"<title>nul\0nul</title>\0<a href='/page?\0'>x</a>\0")


@case("/huge")
async def huge(request):
    """Sends an endless body."""
    await request.head(200, None, "text/plain")
    while not request.writer.transport.is_closing():
        await request.raw("z" * 65536)
    request.close()


# ---- robots.txt -----------------------------------------------------------------------------------------------

@case("/robots.txt")
async def robots_txt(request):
    label = request.label()
    fits = [row for row in ROBOTS if label == row[0] or (row[0].endswith("-") and label.startswith(row[0]))]
    if fits:
        await max(fits, key=lambda row: len(row[0]))[1](request)
        return
    await rules(request, "User-agent: *\nDisallow:\n")


async def rules(request, text):
    await request.answer(200, text, "text/plain")


@case("/moved-robots.txt")
async def moved_robots(request):
    await rules(request, "User-agent: *\nDisallow: /private\n")


@robots("robots-disallow")
async def robots_disallow(request):
    await rules(request, "User-agent: *\nDisallow: /private\n")


@robots("robots-all")
async def robots_all(request):
    await rules(request, "User-agent: *\nDisallow: /\n")


@robots("robots-delay-")
async def robots_delay(request):
    await rules(request, f"User-agent: *\nCrawl-delay: {request.label().rsplit('-', 1)[-1]}\n")


@robots("robots-500then200")
async def robots_recovering(request):
    key = "robots " + request.header("host")
    counters[key] = counters.get(key, 0) + 1
    if counters[key] == 1:
        await request.answer(500, "broken", "text/plain")
    else:
        await rules(request, "User-agent: *\nDisallow: /private\n")


@robots("robots-redirect")
async def robots_redirect(request):
    await request.answer(301, "", Location="/moved-robots.txt")


@robots("robots-elsewhere")
async def robots_elsewhere(request):
    """Redirects to another, slow host."""
    await request.answer(301, "", Location=f"http://robots-slow.localhost:{request.header('host').rsplit(':', 1)[-1]}/"
                                           f"robots.txt")


@robots("robots-loop")
async def robots_loop(request):
    await request.answer(302, "", Location="/robots.txt")


@robots("robots-slow")
async def robots_slow(request):
    await asyncio.sleep(2)
    await rules(request, "User-agent: *\nDisallow: /private\n")


@robots("robots-never")
async def robots_never(request):
    await request.forever()


@robots("robots-drop")
async def robots_drop(request):
    request.close()


@robots("robots-huge")
async def robots_huge(request):
    """Larger than the 500 KiB that RFC 9309, 2.5 asks a crawler to read; the relevant rule comes first."""
    await rules(request, "User-agent: *\nDisallow: /private\n" + "# padding of a long file\n" * 40000 + "Disallow: /\n")


@robots("robots-html")
async def robots_html(request):
    await request.answer(200, page("an error page in place of rules"))


@robots("robots-")
async def robots_status(request):
    """robots-404, robots-503, ...: answers with that status."""
    code = request.label().rsplit("-", 1)[-1]
    await request.answer(int(code) if code.isdigit() else 404, "no rules", "text/plain")


# ---- the server -----------------------------------------------------------------------------------------------

def find(path):
    """Returns the matching pattern with the longest fixed part."""
    best = None
    for _, fixed, function in CASES:
        fits = path == fixed or (fixed != "/" and path.startswith(fixed + "/"))
        if fits and (best is None or len(fixed) > len(best[0])):
            best = (fixed, function)
    return best[1] if best else not_found


async def not_found(request):
    await request.answer(404, page("not found"))


class Server:
    def __init__(self, log):
        self.log = log
        self.connections = 0

    def note(self, request):
        if self.log:
            line = {"t": time.monotonic_ns() // 1000000, "conn": request.connection, "host": request.header("host"),
                    "method": request.method, "path": request.target, "headers": request.headers}
            self.log.write(json.dumps(line) + "\n")
            self.log.flush()

    async def read(self, reader, writer, connection):
        """Reads one request. None: the end of the connection."""
        try:
            block = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        line, *rest = block.decode("latin-1").rstrip("\r\n").split("\r\n")
        headers = [[n, v.strip()] for n, _, v in (h.partition(":") for h in rest)]
        request = Request(writer, connection, line, headers, b"")
        length = request.header("content-length")
        if length.isdigit():
            request.body = await reader.readexactly(int(length))
        return request

    async def serve(self, reader, writer):
        self.connections += 1
        connection = self.connections
        try:
            while (request := await self.read(reader, writer, connection)) is not None:
                self.note(request)
                await find(request.path)(request)
                if not request.keep:
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass  # the client went away, or does not speak HTTP
        finally:
            writer.close()

    async def run(self, port, port_file, ipv6):
        server = await asyncio.start_server(self.serve, "127.0.0.1", port, limit=MAX_HEADER, backlog=1024)
        port = server.sockets[0].getsockname()[1]
        if ipv6:
            try:
                await asyncio.start_server(self.serve, "::1", port, limit=MAX_HEADER, backlog=1024)
            except OSError:
                pass  # no IPv6 here
        write_whole(port_file, f"{port}\n")
        await server.serve_forever()


def write_whole(path, text):
    """Writes a file so that a waiting reader never sees half of it."""
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("port_file", metavar="PORTFILE")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", metavar="FILE")
    parser.add_argument("--ipv4-only", action="store_true")
    arguments = parser.parse_args()
    log = open(arguments.log, "a", encoding="ascii") if arguments.log else None
    try:
        asyncio.run(Server(log).run(arguments.port, arguments.port_file, not arguments.ipv4_only))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    sys.modules["wild_server"] = sys.modules["__main__"]
    import wild_cases  # noqa: F401, E402  more cases, under the names of this module
    main()
