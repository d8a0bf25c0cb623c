#!/usr/bin/env python3
"""The bodies under way share a memory: large ones wait beyond it, and are whole in the end; small pages come
meanwhile."""
import gzip
import http.server
import re
import socket
import threading
import time

import harness

MIB = 1 << 20
LARGE = 15 * MIB  # below fetch.max_body
SLOW = 3 * MIB  # more than the memory that the test of slow ones gives
BUDGET = 32 * MIB
OPTIONS = ("--depth", "0", "--retries", "0", "--no-robots", "--output", "pages.jsonl")


class Site(harness.Handler):
    """Names of hosts say what they send."""

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
        """Little that becomes much, its last byte held back."""
        self.begin(len(self.server.bomb), ("Content-Encoding", "gzip"))
        self.wfile.write(self.server.bomb[:-1])
        self.wfile.flush()
        self.server.released.wait()
        self.wfile.write(self.server.bomb[-1:])

    def slow(self):
        """Takes more than a second, most of it sleep: twelve in turn take more than the time that one of them has."""
        self.begin(SLOW)
        for _ in range(12):
            time.sleep(0.1)
            self.wfile.write(b"x" * (SLOW // 12))


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True
    bomb = gzip.compress(bytes(LARGE))

    def handle_error(self, request, client_address):
        pass  # clients that go away


class BodiesMemory(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = Server(("127.0.0.1", 0), Site)
        self.server.released = threading.Event()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.released.set)

    def seeds(self, **kinds):
        names = [f"{kind}-{n}" for kind, count in kinds.items() for n in range(count)]
        self.write("seeds", "".join(f"http://{name}.localhost:{self.server.server_port}/\n" for name in names))

    def sizes(self):
        """By kind of host."""
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
        time.sleep(1)  # whatever the bombs may take meanwhile, they have taken
        resident = self.resident(process)
        self.server.released.set()
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertEqual(self.sizes(), {"small": [(200, None, 50000)] * 20, "bomb": [(200, None, LARGE)] * 40})
        if not self.is_sanitized():
            # the budget, two bodies for each worker, 128 KiB (in buffers that double) for each other one, and the
            # program
            self.assertLess(resident, BUDGET + 4 * 16 * MIB + 40 * MIB // 4 + 64 * MIB)

    def test_waiting_costs_no_time(self):
        self.seeds(slow=12)
        result = self.crawl(*OPTIONS, "--workers", "1", "--timeout", "6s", "--set", "fetch.low_speed_time=4s", "--set",
                            "fetch.body_memory=1MiB", "--seeds", "seeds")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.sizes(), {"slow": [(200, None, SLOW)] * 12}, result.stderr)


if __name__ == "__main__":
    harness.main()
