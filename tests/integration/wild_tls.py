#!/usr/bin/env python3
"""A TLS server that misbehaves, in its certificates and in HTTP/2.

    wild_tls.py PORTFILE FOLDER --log FILE

The name that the client asks for (SNI) decides: FOLDER/LABEL.pem is its certificate if it exists, otherwise good.pem.
If a function below has its label, the server speaks HTTP/2 in that way. All others get HTTP/1.1: a page, or a redirect
with ?to=URL. Each request becomes a JSON line of the log: host, path (except for HTTP/2, whose headers are not decoded)
and connection. Standard library only; frames are those of RFC 9113."""
import argparse
import asyncio
import json
import os
import ssl
import struct
import urllib.parse

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM = 0, 2, 7
STATUS_200 = b"\x88"  # RFC 7541, appendix A: index 8

HTTP2 = {}  # label: function(connection, stream)
counters = {}


def http2(label):
    def add(function):
        HTTP2[label] = function
        return function

    return add


class Connection:
    """A connection with HTTP/2."""

    def __init__(self, reader, writer, host):
        self.reader, self.writer, self.host = reader, writer, host
        self.requests = 0
        self.open = True

    async def frame(self, kind, flags, stream, payload=b""):
        self.writer.write(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream)
                          + payload)
        await self.writer.drain()

    async def answer(self, stream, body=b"<title>two</title>"):
        await self.frame(HEADERS, END_HEADERS, stream, STATUS_200)
        await self.frame(DATA, END_STREAM, stream, body)

    async def reset(self, stream, why):
        await self.frame(RST_STREAM, 0, stream, struct.pack(">I", why))

    async def goaway(self, last, why=NO_ERROR):
        await self.frame(GOAWAY, 0, 0, struct.pack(">II", last, why))

    async def run(self, note):
        if await self.reader.readexactly(len(PREFACE)) != PREFACE:
            return
        await self.frame(SETTINGS, 0, 0)
        while self.open:
            header = await self.reader.readexactly(9)
            size, kind, flags = int.from_bytes(header[:3], "big"), header[3], header[4]
            stream = int.from_bytes(header[5:], "big")
            payload = await self.reader.readexactly(size)
            if kind == SETTINGS and not flags & ACK:
                await self.frame(SETTINGS, ACK, 0)
            elif kind == PING and not flags & ACK:
                await self.frame(PING, ACK, 0, payload)
            elif kind == HEADERS:
                self.requests += 1
                note(self.host, None)
                await HTTP2[self.host.split(".")[0]](self, stream)


@http2("h2-good")
async def good(connection, stream):
    await connection.answer(stream)


@http2("h2-trailers")
async def trailers(connection, stream):
    await connection.frame(HEADERS, END_HEADERS, stream, STATUS_200)
    await connection.frame(DATA, 0, stream, b"<title>two</title>")
    await connection.frame(HEADERS, END_HEADERS | END_STREAM, stream, b"\x00\x07x-trail\x03end")


@http2("h2-reset")
async def reset(connection, stream):
    """Resets in the middle of the body."""
    await connection.frame(HEADERS, END_HEADERS, stream, STATUS_200)
    await connection.frame(DATA, 0, stream, b"half")
    await connection.reset(stream, INTERNAL_ERROR)


@http2("h2-refuse")
async def refuse(connection, stream):
    """Refuses every other stream before an answer."""
    counters["refuse"] = counters.get("refuse", 0) + 1
    if counters["refuse"] % 2:
        await connection.reset(stream, REFUSED_STREAM)
    else:
        await connection.answer(stream)


@http2("h2-goaway")
async def goaway(connection, stream):
    """Each connection answers two requests, and then sends GOAWAY."""
    await connection.answer(stream)
    if connection.requests == 2:
        await connection.goaway(stream)
        connection.open = False


@http2("h2-goaway0")
async def goaway_unserved(connection, stream):
    """The first connection says that it served no request; later ones answer."""
    counters["goaway0"] = counters.get("goaway0", 0) + 1
    if counters["goaway0"] == 1:
        await connection.goaway(0)
        connection.open = False
    else:
        await connection.answer(stream)


@http2("h2-cut")
async def cut(connection, stream):
    """Closes the connection within the body."""
    await connection.frame(HEADERS, END_HEADERS, stream, STATUS_200)
    await connection.frame(DATA, 0, stream, b"half")
    connection.open = False


@http2("h2-garbage")
async def garbage(connection, stream):
    """Sends bytes that are no frame."""
    connection.writer.write(b"\xff" * 1000)
    await connection.writer.drain()


@http2("h2-headers")
async def endless_headers(connection, stream):
    """Sends an endless header."""
    line = b"\x00\x01a\x7f\x81\x05" + b"v" * 260
    await connection.frame(HEADERS, 0, stream, STATUS_200 + line)
    while not connection.writer.transport.is_closing():
        await connection.frame(CONTINUATION, 0, stream, line * 60)
        await asyncio.sleep(0)  # drain alone need not give others, and the end of this connection, their turn


@http2("h2-never")
async def never(connection, stream):
    """Sends pings, and no answer."""
    while not connection.writer.transport.is_closing():
        await connection.frame(PING, 0, 0, b"12345678")
        await asyncio.sleep(0.05)


class Server:
    def __init__(self, folder, log):
        self.folder = folder
        self.log = log
        self.connections = 0
        self.names = {}  # the name that each SSL object was asked for
        self.context = self.context_of("good")

    def context_of(self, label):
        path = os.path.join(self.folder, label + ".pem")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path if os.path.exists(path) else os.path.join(self.folder, "good.pem"))
        context.set_alpn_protocols(["h2"] if label in HTTP2 else ["http/1.1"])
        context.sni_callback = self.choose
        return context

    def choose(self, socket, name, _):
        socket.context = self.context_of((name or "").split(".")[0])
        self.names[id(socket)] = name or ""

    async def serve(self, reader, writer):
        self.connections += 1
        connection = self.connections
        host = self.names.pop(id(writer.get_extra_info("ssl_object")), "")

        def note(host, path):
            self.log.write(json.dumps({"host": host, "path": path, "conn": connection}) + "\n")
            self.log.flush()

        try:
            if host.split(".")[0] in HTTP2:
                await Connection(reader, writer, host).run(note)
            else:
                await self.serve_plain(reader, writer, host, note)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass  # the client went away
        finally:
            writer.close()

    async def serve_plain(self, reader, writer, host, note):
        while block := await reader.readuntil(b"\r\n\r\n"):
            path = block.split(b" ")[1].decode("latin-1")
            note(host, path)
            to = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query).get("to")
            if path == "/robots.txt":
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            elif to:
                writer.write(f"HTTP/1.1 302 Found\r\nLocation: {to[0]}\r\nContent-Length: 0\r\n\r\n".encode())
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\ntls")
            await writer.drain()

    async def run(self, port_file):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context)
        with open(port_file + ".new", "w", encoding="ascii") as file:
            file.write(f"{server.sockets[0].getsockname()[1]}\n")
        os.replace(port_file + ".new", port_file)
        await server.serve_forever()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("port_file", metavar="PORTFILE")
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--log", metavar="FILE", required=True)
    arguments = parser.parse_args()
    with open(arguments.log, "a", encoding="ascii") as log:
        asyncio.run(Server(arguments.folder, log).run(arguments.port_file))


if __name__ == "__main__":
    main()
