#!/usr/bin/env python3
"""Tests that crawl warc --finish keeps each complete record of a file left open, removes a truncated one, and makes the
index that the crawl would have written."""
import fcntl
import glob
import gzip
import json
import os
import random
import re
import signal

import harness
import warc_reader


class Finish(harness.TestCase):
    def setUp(self):
        super().setUp()
        site = {f"{n}.html": f"<title>{n}</title>" + "same body" * 50 if n % 3 else os.urandom(3000).hex()
                for n in range(20)}
        site["index.html"] = "".join(f"<a href={n}.html?a=%C3%A9&b>x</a>" for n in range(20)) + "<a href=none>x</a>"
        self.nginx = self.start_nginx({"a.localhost": self.make_site(site)})

    def finish(self, *names, status=0):
        result = self.crawl("warc", "--finish", *names)
        self.assertEqual(result.status, status, result.stderr)
        return result

    def whole(self):
        """Returns a finished file: its bytes, and its index by the ends of records."""
        self.assertEqual(self.crawl("--delay", "0", "--warc", "out", self.nginx.url("a.localhost")).status, 0)
        path, = glob.glob(self.path("out-*.warc.gz"))
        index = path.replace(".warc.gz", ".cdxj")
        with open(path, "rb") as file, open(index, encoding="ascii") as lines:
            data, lines = file.read(), list(lines)
        os.remove(path)
        os.remove(index)
        return path, data, lines

    def put(self, path, data):
        for left in glob.glob(self.path("out-*")):
            os.remove(left)
        with open(path + ".open", "wb") as file:
            file.write(data)

    def read(self, path):
        with open(path, "rb") as file:
            data = file.read()
        with open(path.replace(".warc.gz", ".cdxj"), encoding="ascii") as lines:
            return data, list(lines)

    def test_wherever_it_was_torn(self):
        path, data, index = self.whole()
        self.assertGreater(len(index), 20)
        ends = [0] + [record.offset + record.length for record in warc_reader.read(self.put(path, data) or path
                                                                                   + ".open", whole=False)]
        self.assertEqual(ends[-1], len(data))
        rows = [(line, json.loads(line.split(" ", 2)[2])) for line in index]
        sizes = [len(data), ends[1], ends[2] + 1, ends[-1] - 1, ends[-2]
                 + 10] + random.Random(7).sample(range(ends[1], len(data)), 12)
        for size in sizes:
            kept = max(end for end in ends if end <= size)
            for tail in (b"", b"\1" * 300):
                self.put(path, data[:size] + tail)
                said = self.finish(path + ".open").stdout
                self.assertEqual(self.read(path), (data[:kept], [line for line, row in rows if int(row["offset"])
                                                                 + int(row["length"]) <= kept]), size)
                self.assertEqual(said.split(": ")[1].strip().split(" ")[0], str(ends.index(kept)))
                self.assertTrue(said.endswith(f"{size + len(tail) - kept} bytes cut\n"), (said, size, kept))
                self.assertFalse(os.path.exists(path + ".open"))

    def test_what_is_left_alone(self):
        path, data, _ = self.whole()
        damaged = bytearray(data)
        damaged[len(data) // 2] ^= 0x55
        for content, why in ((bytes(damaged), "damaged at byte"), (data[:20], "no whole record"),
                             (b"", "no whole record"), (gzip.compress(b"no record"), "no whole record")):
            self.put(path, content)
            self.assertIn(why, self.finish(path + ".open", status=1).stderr)
            with open(path + ".open", "rb") as file:
                self.assertEqual(file.read(), content)
        self.put(path, data)
        with open(path + ".open", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.assertIn("a crawl is writing it", self.finish(path + ".open", status=1).stderr)
        self.write(os.path.basename(path), "another")
        self.assertIn("already exists", self.finish(path + ".open", status=1).stderr)
        self.finish(self.write("x.warc.gz", ""), status=1)
        self.finish(self.path("missing.warc.gz.open"), status=4)
        self.assertEqual(self.crawl("warc").status, 2)
        self.assertEqual(self.crawl("warc", "--finish").status, 2)

    def test_after_a_kill(self):
        process = self.start("--delay", "50ms", "--warc", "out", "--text", "plain", self.nginx.url("a.localhost"))
        self.wait_for(lambda: len(self.nginx.requests()) > 6)
        live, = glob.glob(self.path("out-*.warc.gz.open"))
        self.assertIn("a crawl is writing it", self.finish(live, status=1).stderr)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        left = sorted(glob.glob(self.path("out-*.open")))
        self.assertEqual(len(left), 2, "answers and texts")
        said = self.finish(*left).stdout
        self.assertTrue(re.search(r"wet\.gz: \d+ records, 0 in its index, 0 bytes cut", said), said)
        files = glob.glob(self.path("out-*"))
        self.assertEqual(sorted(name.split("-", 3)[-1].split(".", 1)[1] for name in files),
                         ["cdxj", "warc.gz", "warc.wet.gz"])
        path, = glob.glob(self.path("out-*.warc.gz"))
        records = warc_reader.read(path)
        answers = [r for r in records if r.headers["WARC-Type"] in ("response", "revisit")]
        _, index = self.read(path)
        self.assertEqual(index, sorted(index))
        self.assertEqual({(int(row["offset"]), int(row["length"]), row["url"])
                          for row in (json.loads(line.split(" ", 2)[2]) for line in index)},
                         {(r.offset, r.length, r.headers["WARC-Target-URI"]) for r in answers})


if __name__ == "__main__":
    harness.main()
