#!/usr/bin/env python3
"""Tests the memory budget of bodies in flight: large bodies wait beyond it and are complete in the end, and small pages
are fetched meanwhile."""
import gzip
import re
import socket
import threading
import time

import harness

MIB = 1 << 20
LARGE = 15 * MIB  # below fetch.max_body
SLOW = 3 * MIB  # more than the budget in the test of slow bodies
BUDGET = 32 * MIB
OPTIONS = ("--depth", "0", "--retries", "0", "--no-robots", "--output", "pages.jsonl")


def block(kind, size, data, last=False):
    return (size << 3 | kind << 1 | last).to_bytes(3, "little") + data


def frame(blocks, window=0x00):
    """Makes a zstd frame (RFC 8878) with this window descriptor; 0x68: 8 MiB."""
    return b"\x28\xb5\x2f\xfd\0" + bytes([window]) + blocks


RAW, RLE, SKIPPED = 0, 1, 60 << 17
INNER = frame(block(RAW, 2, b"ok", True))
# Fills a window of 8 MiB with a frame that the inner decoding skips; the last block has the page.
WINDOW = frame(block(RAW, 8, b"\x50\x2a\x4d\x18" + SKIPPED.to_bytes(4, "little"))
               + block(RLE, 1 << 17, b"\0") * 60, 0x68)
WINDOW_END = block(RAW, len(INNER), INNER, True)


class Site(harness.Handler):
    """Sends what the name of the host says."""

    def do_GET(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * 1024)
        kind = self.headers["Host"].split("-")[0]
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        getattr(self, kind)()

    def begin(self, size, *headers):
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def small(self):
        self.begin(50000)
        self.wfile.write(b"s" * 50000)

    def bomb(self):
        """Sends a small body that decodes to a large one; its last byte is held back."""
        self.begin(len(self.server.bomb), ("Content-Encoding", "gzip"))
        self.wfile.write(self.server.bomb[:-1])
        self.wfile.flush()
        self.server.released.wait()
        self.wfile.write(self.server.bomb[-1:])

    def window(self):
        """Sends some hundred bytes that fill a window; the end is held back."""
        self.begin(len(WINDOW + WINDOW_END), ("Content-Encoding", "zstd, zstd"))
        self.wfile.write(WINDOW)
        self.wfile.flush()
        self.server.released.wait()
        self.wfile.write(WINDOW_END)

    def slow(self):
        """Takes more than a second, mostly asleep. Twelve in turn take more than the time limit of one."""
        self.begin(SLOW)
        for _ in range(12):
            time.sleep(0.1)
            self.wfile.write(b"x" * (SLOW // 12))


class Server(harness.OwnServer):
    bomb = gzip.compress(bytes(LARGE))

    def handle_error(self, request, client_address):
        pass  # clients that go away


class BodiesMemory(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(Site))
        self.server.released = threading.Event()
        self.addCleanup(self.server.released.set)

    def seeds(self, **kinds):
        names = [f"{kind}-{n}" for kind, count in kinds.items() for n in range(count)]
        self.write("seeds", "".join(f"http://{name}.localhost:{self.server.server_port}/\n" for name in names))

    def sizes(self):
        """Returns the sizes by kind of host."""
        found = {}
        for record in self.records("pages.jsonl"):
            kind = record["url"].split("/")[2].split("-")[0]
            found.setdefault(kind, []).append((record["status"], record["error"], record["bytes"]))
        return found

    def resident(self, process):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) * 1024

    def is_sanitized(self):
        with open(harness.program(), "rb") as file:
            return b"__asan_init" in file.read()

    def test_bombs_that_hold_their_end_back(self):
        self.seeds(bomb=40, small=20)
        process = self.start(*OPTIONS, "--workers", "2", "--connections", "90", "--set", f"fetch.body_memory={BUDGET}",
                             "--seeds", "seeds")

        def small_pages():
            return self.bytes_of("pages.jsonl").count(b'"url":"http://small-')

        self.wait_for(lambda: small_pages() == 20)
        time.sleep(1)  # the bombs have taken all the memory that they will take
        resident = self.resident(process)
        self.server.released.set()
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertEqual(self.sizes(), {"small": [(200, None, 50000)] * 20, "bomb": [(200, None, LARGE)] * 40})
        if not self.is_sanitized():
            # the budget, two bodies for each worker, 128 KiB (in buffers that double) for each other body, and the
            # program
            self.assertLess(resident, BUDGET + 4 * 16 * MIB + 40 * MIB // 4 + 64 * MIB)

    def test_windows_count(self):
        self.seeds(window=60, small=20)
        process = self.start(*OPTIONS, "--workers", "1", "--connections", "90", "--set", f"fetch.body_memory={BUDGET}",
                             "--seeds", "seeds")
        self.wait_for(lambda: self.bytes_of("pages.jsonl").count(b'"url":"http://small-') == 20)
        time.sleep(1)
        resident = self.resident(process)
        self.server.released.set()
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertEqual(self.sizes(), {"small": [(200, None, 50000)] * 20, "window": [(200, None, 2)] * 60})
        if not self.is_sanitized():
            self.assertLess(resident, BUDGET + 2 * 9 * MIB + 100 * MIB)  # of 480 MiB of windows

    def test_waiting_costs_no_time(self):
        self.seeds(slow=12)
        result = self.crawl(*OPTIONS, "--workers", "1", "--timeout", "6s", "--set", "fetch.low_speed_time=4s", "--set",
                            "fetch.body_memory=1MiB", "--seeds", "seeds")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.sizes(), {"slow": [(200, None, SLOW)] * 12}, result.stderr)


if __name__ == "__main__":
    harness.main()
