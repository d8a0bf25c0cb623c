"""Tests input compressed by gzip and zstd: seeds, records and lines of URLs, intact and damaged."""
import gzip
import subprocess
import sys
import unittest

import harness


def zstd(data):
    """Makes a frame of one raw block."""
    size = len(data)
    return b"\x28\xb5\x2f\xfd\x60" + (size - 256).to_bytes(2, "little") + (size << 3 | 1).to_bytes(3, "little") + data


class Compressed(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.urls = "".join(f"http://a.example/page-{i}\n" for i in range(40)).encode()

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def run_tool(self, *args, data=b""):
        done = subprocess.run([harness.program(), *args], input=data, capture_output=True, timeout=60)
        return done.returncode, done.stdout, done.stderr.decode()

    def test_lines_of_standard_input(self):
        half = len(self.urls) // 2
        first, second = self.urls[:half], self.urls[half:]
        for data in (gzip.compress(self.urls), gzip.compress(first) + gzip.compress(second), zstd(self.urls),
                     zstd(first) + zstd(second)):
            self.assertEqual(self.run_tool("url", data=data), (0, self.urls, ""))

    def test_what_only_begins_alike_is_read_as_it_is(self):
        for data in (b"\x1f", b"(", b"(\xb5/", b"\x1f\x8c"):
            status, out, err = self.run_tool("url", data=data)
            self.assertEqual((status, err), (1, "crawl url: line 1: not a URL\n"), data)
        self.assertEqual(self.run_tool("url", data=b""), (0, b"", ""))

    def test_damage_is_told(self):
        packed, framed = gzip.compress(self.urls), zstd(self.urls)
        flipped = packed[:20] + bytes([packed[20] ^ 0x55]) + packed[21:]
        for data in (packed[:-1], packed[:40], packed[:2], flipped, framed[:-1], framed[:4], packed + b"rubbish"):
            status, _, err = self.run_tool("url", data=data)
            self.assertIn("standard input: its compressed data is damaged, or ends too soon", err, data)
            self.assertEqual(status, 4)

    def test_seeds_and_records(self):
        site = self.start_nginx({"a.localhost": self.make_site({"index.html": "one", "two.html": "two"})})
        seeds = f"{site.url('a.localhost')}\n{site.url('a.localhost', '/two.html')}\n# end\n"
        for name, data in (("seeds.gz", gzip.compress(seeds.encode())), ("seeds", gzip.compress(seeds.encode()))):
            self.crawl("--seeds", self.put(name, data), "--delay", "0", "--overwrite", "--output", "pages.jsonl")
            self.assertEqual(len(self.records("pages.jsonl")), 2)
        with open(self.path("pages.jsonl"), "rb") as file:
            records = self.put("pages.jsonl.gz", gzip.compress(file.read()))
        _, out, err = self.run_tool("explain", "--records", records, site.url("a.localhost", "/two.html"))
        self.assertIn(b"200", out, err)

    def test_seeds_that_end_too_soon_end_the_crawl(self):
        path = self.put("seeds.gz", gzip.compress(self.urls)[:-4])
        status, _, err = self.run_tool("--seeds", path, "--state", self.path("state"))
        self.assertEqual(status, 2)
        self.assertIn("its compressed data is damaged", err)


if __name__ == "__main__":
    sys.exit(unittest.main())
