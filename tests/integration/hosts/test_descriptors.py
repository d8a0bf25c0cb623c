#!/usr/bin/env python3
"""Tests that a crawl whose process may open few files uses fewer connections, says so, and loses no page."""
import os
import resource
import time

import harness

HOSTS = 100
OPTIONS = ("--depth", "0", "--retries", "0", "--no-robots", "--workers", "2", "--output", "pages.jsonl", "--seeds",
           "seeds")


class Slow(harness.Handler):
    """Each response takes so long that many requests are in flight at once."""

    def do_GET(self):
        self.server.asked += 1
        time.sleep(self.server.delay_s)
        self.answer(200, "ok")


class Server(harness.OwnServer):
    delay_s = 0.5
    asked = 0

    def handle_error(self, request, client_address):
        pass  # a host that is slow on a busy machine makes room for others, and is asked again


class Descriptors(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server(Slow))
        self.write("seeds", "".join(f"http://h{n}.localhost:{self.server.server_port}/\n" for n in range(HOSTS)))

    def expect_all(self, status, stderr):
        self.assertEqual(status, 0, stderr)
        records = self.records("pages.jsonl")
        self.assertEqual(len(records), HOSTS)
        self.assertEqual({(record["status"], record["error"], record["attempt"]) for record in records},
                         {(200, None, 1)}, stderr)

    def test_fewer_connections_are_used(self):
        result = self.crawl(*OPTIONS, files=(64, 64))
        self.expect_all(result.status, result.stderr)
        self.assertRegex(result.stderr, r"crawl: using \d+ connections instead of 64: this process may open 64 "
                                        r"files \(ulimit -n\)\n")
        self.assertNotIn("  sockets  ", result.stderr)

    def test_the_limit_is_raised_as_far_as_it_may_be(self):
        result = self.crawl(*OPTIONS, files=(40, 1024))
        self.expect_all(result.status, result.stderr)
        self.assertNotIn("instead of", result.stderr)

    def test_too_few_are_refused_before_anything_is_made(self):
        for files in (24, 36):
            result = self.crawl(*OPTIONS, "--state", "s", files=(files, files))
            self.assertEqual(result.status, 4, result.stderr)
            self.assertRegex(result.stderr, rf"crawl: this process may open {files} files \(ulimit -n\), and a crawl "
                                            rf".*needs \d+")
        self.assertEqual(self.server.asked, 0)

    def test_a_request_without_a_socket_comes_again(self):
        process = self.start(*OPTIONS, "--connections", "40")
        self.wait_for(lambda: self.server.asked >= 10)
        few = len(os.listdir(f"/proc/{process.pid}/fd")) // 2
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (few, few))
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.expect_all(process.returncode, stderr)
        said = ("no socket: Too many open files: using fewer connections for a while; requests without one are tried "
                "again\n")
        self.assertEqual(stderr.count(said), 1, stderr)
        self.assertRegex(stderr, r"  sockets   \d+ times there was none for a request, which was tried again")


if __name__ == "__main__":
    harness.main()
