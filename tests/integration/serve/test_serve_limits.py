#!/usr/bin/env python3
"""Tests crawl serve against greedy clients, which are silent, send endless headers, search for long texts in long URLs,
keep large requests open, or have a NUL in a text."""
import os
import socket
import time

from frontier_client import OK, Server, TestCase, found, grpc, harness, types
from guard_files import TOKEN, write_secret

STRANGERS = 128  # accepted at once
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def call_frames(stream, method, request):
    """Returns the frames of a whole call."""
    fields = ((":method", "POST"), (":scheme", "http"), (":authority", "x"),
              (":path", "/urlfrontier.URLFrontier/" + method), ("te", "trailers"), ("content-type", "application/grpc"))
    block = b"".join(b"\0" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()
                     for name, value in fields)
    body = request.SerializeToString()
    return frame(1, 4, stream, block) + frame(0, 1, stream, b"\0" + len(body).to_bytes(4, "big") + body)


def answers(peer):
    """Yields the stream and the message of each answer of one message, in the order in which they end."""
    messages = {}
    with peer.makefile("rb") as file:
        while head := file.read(9):
            payload, kind, flags, stream = file.read(int.from_bytes(head[:3], "big")), head[3], head[4], head[5:]
            if kind == 0:
                messages[stream] = messages.get(stream, b"") + payload
            if kind in (0, 1) and flags & 1:
                yield int.from_bytes(stream, "big"), messages[stream][5:]


class Guarded(TestCase):
    """A server that requires a token."""

    @classmethod
    def setUpClass(cls):
        harness.TestCase.setUpClass.__func__(cls)
        files = harness.temporary_folder()
        cls.server = cls.keep(Server("--token-file", write_secret(files + "/token", TOKEN), shows="Bearer " + TOKEN))

    def is_open(self, peer):
        peer.settimeout(0)
        try:
            while data := peer.recv(65536):
                self.assertTrue(data)
            return False
        except BlockingIOError:
            return True
        except ConnectionResetError:
            return False

    def test_strangers_make_room(self):
        """The oldest clients without a token are disconnected; one with a token is accepted at once, and stays."""
        before = self.server.connect(shows="Bearer " + TOKEN)
        self.assertEqual(list(before.ListCrawls().values), [])
        peers = [socket.create_connection(self.server.address.split(":"), 30) for _ in range(3 * STRANGERS)]
        try:
            after = self.server.connect(shows="Bearer " + TOKEN)
            for client in (after, before):
                self.assertEqual(list(client.ListCrawls(timeout=20).values), [])
            harness.wait_for(lambda: sum(map(self.is_open, peers)) <= STRANGERS)
            self.assertFalse(self.is_open(peers[0]))
            self.assertTrue(self.is_open(peers[-1]))
        finally:
            for peer in peers:
                peer.close()

    def test_headers_without_end(self):
        """One byte of a header list may stand for thousands, so the connection ends while the list arrives, before
        there is a token to check."""
        value = b"v" * 4000
        size = len(value) - 127  # HPACK, 5.1: the part that does not fit a prefix of seven bits
        entry = b"\x40\x01x\x7f" + bytes((size % 128 | 128, size // 128)) + value
        block = entry + b"\xbe" * 8000  # the entry, again and again: 32 MB
        before = self.used_s()
        for _ in range(60):
            with socket.create_connection(self.server.address.split(":"), 30) as peer:
                peer.settimeout(60)
                peer.sendall(PREFACE + frame(4, 0, 0, b"") + frame(1, 4 | 1, 1, block))
                try:
                    while peer.recv(65536):
                        pass
                except ConnectionResetError:
                    pass
        self.assertLess(self.used_s() - before, 0.7, "of the processor, for half a megabyte")
        self.assertEqual(list(self.client.ListCrawls(timeout=20).values), [])

    def used_s(self):
        with open(f"/proc/{self.server.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Limits(TestCase):
    @classmethod
    def setUpClass(cls):
        harness.TestCase.setUpClass.__func__(cls)
        cls.server = cls.keep(Server())

    def setUp(self):
        super().setUp()
        for crawl in list(self.client.ListCrawls().values):
            self.client.DeleteCrawl(value=crawl)

    def test_long_texts_in_long_urls(self):
        """A search takes time in proportion to the data, for any search text."""
        urls = [f"http://a.com/{n:02}" + "a" * 60000 + "B" for n in range(50)]
        self.assertEqual(set(self.put(*map(found, urls))), {OK})
        begun = time.process_time()
        for wanted, ignores, count in (("A" * 30000 + "b", True, 50), ("a" * 30000 + "c", True, 0),
                                       ("a" * 30000 + "b", False, 0), ("a" * 30000 + "B", False, 50),
                                       ("COM/07A", True, 1), ("", True, 50)):
            self.assertEqual(self.client.CountURLs(filter=wanted, ignoreCase=ignores, timeout=30).value, count)
            listed = self.client.ListURLs(filter=wanted, ignoreCase=ignores, size=100, timeout=30)
            self.assertEqual(len(listed), count, (wanted[-5:], ignores))
        self.assertLess(time.process_time() - begun, 30, "of this process, which waits")

    def test_a_large_queue_is_deleted_in_steps(self):
        """Other calls get their answers meanwhile, before and behind it in the same packet."""
        count = 20000
        urls = ["a.com/", *(f"large.com/{n}" for n in range(count)), "b.com/"]
        self.put(*[found("http://" + url) for url in urls])
        with socket.create_connection(self.server.address.split(":"), 60) as peer:
            peer.sendall(PREFACE + frame(4, 0, 0, b"") + b"".join(
                call_frames(stream, "DeleteQueue", types.QueueWithinCrawlParams(key=key))
                for stream, key in ((1, "a.com"), (3, "large.com"), (5, "b.com"))))
            ended = answers(peer)
            deleted = [next(ended) for _ in range(3)]
        self.assertEqual(deleted[-1][0], 3, "nothing was answered before the end")
        self.assertEqual({stream: types.Long.FromString(answer).value for stream, answer in deleted},
                         {1: 1, 3: count, 5: 1})
        self.assertEqual(self.client.ListQueues(include_inactive=True).values, [])

    def test_a_nul_in_a_text(self):
        """The server's texts end at a NUL, so it is refused, not truncated."""
        self.assertEqual(self.put(found("http://a.com/")), [OK])
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, self.client.PutURLs, [found("http://a.com/x\0y")])
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, self.client.PutURLs, [found("http://a.com/x", key="a.com\0")])
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, self.client.PutURLs, [found("http://a.com/x", m=["a\0b"])])
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, self.client.CountURLs, filter="a\0b")
        self.assertEqual(self.client.CountURLs().value, 1)

    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def test_large_requests_that_stay_open(self):
        """A hand-out needs little of its request; the rest is freed while the client reads slowly."""
        calls, fields = 24, b"\x78\x01" * 1500000  # of a field number that the message lacks: 3 MB become some 90
        for queue in range(calls):
            self.put(*[found(f"http://h{queue}.com/{n}", x=["v" * 20000]) for n in range(100)])
        before = self.memory()
        get = self.client.channel.unary_stream("/urlfrontier.URLFrontier/GetURLs",
                                               response_deserializer=types.URLInfo.FromString)
        open_calls = []
        for queue in range(calls):
            params = types.GetParams(key=f"h{queue}.com", crawlID="DEFAULT")
            open_calls.append(get(params.SerializeToString() + fields, timeout=120))
            next(open_calls[-1])
        self.assertLess(self.memory() - before, 700 * 1024, "kB for all of them, with what a sanitizer keeps")
        self.assertEqual(sum(1 for call in open_calls for _ in call), calls * 99)


if __name__ == "__main__":
    harness.main()
