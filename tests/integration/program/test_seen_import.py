#!/usr/bin/env python3
"""Tests crawl seen --import-scrapy: requests seen by a Scrapy job count as seen, by Scrapy's own fingerprints."""
import hashlib
import json
import os
import re
import unittest

import harness


def scrapy_26(url):
    """Returns the fingerprint of a GET request for a canonical URL."""
    return hashlib.sha1(b"GET" + url.encode()).hexdigest()


def conformance():
    """Returns rows of plain GET requests, by Scrapy's version: (url, fingerprint)."""
    folder = os.path.join(os.environ.get("CRAWL_CONFORMANCE", ""), "fingerprint")
    rows = {"2.6": [], "2.7": []}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.endswith(".jsonl"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for row in map(json.loads, file):
                    plain = (row["method"] == "GET" and not row["body_hex"] and not row["include_headers"]
                             and not row["keep_fragments"])
                    if plain and "\n" not in row["url"]:
                        rows[row["implementation"]].append((row["url"], row["sha1"]))
    return rows


class Import(harness.TestCase):
    URLS = [f"http://example.org/page?id={n}" for n in range(2000)]

    def seen(self, *args, lines=(), status=0):
        result = self.crawl("seen", *args, stdin="".join(line + "\n" for line in lines))
        self.assertEqual(result.status, status, result.stderr)
        return result.stdout.splitlines(), result.stderr

    def requests_seen(self, urls, name="requests.seen", extra=""):
        return self.write(name, "".join(scrapy_26(url) + "\n" for url in urls) + extra)

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_what_scrapy_saw_counts_as_seen(self):
        self.requests_seen(self.URLS[:1000])
        got, said = self.seen("--kind", "exact", "--fingerprint", "scrapy-2.6", "--import-scrapy", "requests.seen",
                              lines=self.URLS)
        self.assertEqual(got, self.URLS[1000:])
        self.assertIn("requests.seen: 1000 fingerprints read, 1000 of them new", said)
        self.assertIn("2000 lines: 1000 new, 1000 seen before, 0 refused", said)

    def test_urls_are_compared_as_scrapy_does(self):
        self.requests_seen(["http://example.org/?a=1&b=2"])
        lines = ["http://EXAMPLE.org?b=2&a=1#x", "http://example.org/?a=1&b=2", "http://example.org/?b=3", "no URL",
                 "ftp://example.org/"]
        got, said = self.seen("--kind", "exact", "--fingerprint", "scrapy-2.6", "--import-scrapy", "requests.seen",
                              lines=lines, status=1)
        self.assertEqual(got, ["http://example.org/?b=3"])
        self.assertIn("line 4: not an http or https URL", said)
        self.assertIn("line 5: not an http or https URL", said)

    def test_queries_are_parted_as_w3lib_of_the_job_did(self):
        # The fingerprints of Scrapy 2.8 with w3lib 2.1 for http://a.example/p;q?b=1;a=2&c#d;e
        for kind, known in (("scrapy-2.6", "dd6082395cbedad2c3d96768413a3f55e7e5b536"),
                            ("scrapy-2.7", "0707834e1e2d203a7c31466d7ff0a3ed1879d16a")):
            with self.subTest(kind):
                self.write("requests.seen", known + "\n")
                options = ("--kind", "exact", "--fingerprint", kind, "--import-scrapy", "requests.seen")
                same = ["http://a.example/p;q?b=1;a=2&c#d;e", "http://a.example/p;q?a=2&b=1&c="]
                other = ["http://a.example/p;q?a=2%3Bb=1&c=", "http://a.example/p?q;a=2&b=1&c="]
                self.assertEqual(self.seen(*options, "--semicolons", lines=same + other)[0], other)
                self.assertIn(same[0], self.seen(*options, lines=same)[0], "at & alone without the option")

    def test_a_file_keeps_them(self):
        self.requests_seen(self.URLS[:500])
        for kind in ("exact", "digest", "counting"):
            with self.subTest(kind):
                self.seen("--file", kind, "--kind", kind, "--fingerprint", "scrapy-2.6", "--import-scrapy",
                          "requests.seen")
                _, said = self.seen("--file", kind, "--fingerprint", "scrapy-2.6", "--import-scrapy", "requests.seen")
                self.assertIn("500 fingerprints read, 0 of them new", said)
                self.assertEqual(self.seen("--file", kind, "--fingerprint", "scrapy-2.6", lines=self.URLS[:500])[0], [])
                self.assertGreater(len(self.seen("--file", kind, "--fingerprint", "scrapy-2.6", lines=self.URLS)[0]),
                                   1490)

    def test_an_import_into_a_file_that_is_there(self):
        self.seen("--file", "f", "--kind", "exact", "--fingerprint", "scrapy-2.6", lines=self.URLS[:100])
        self.requests_seen(self.URLS[50:200])
        _, said = self.seen("--file", "f", "--fingerprint", "scrapy-2.6", "--import-scrapy", "requests.seen")
        self.assertIn("150 fingerprints read, 100 of them new", said)
        self.assertEqual(self.seen("--file", "f", "--fingerprint", "scrapy-2.6", lines=self.URLS[:201])[0],
                         [self.URLS[200]])

    def test_an_import_of_the_other_fingerprints(self):
        self.seen("--file", "f", "--kind", "exact", "--fingerprint", "scrapy-2.7", lines=self.URLS[:10])
        before = self.content("f")
        self.requests_seen(self.URLS)
        got, said = self.seen("--file", "f", "--fingerprint", "scrapy-2.6", "--import-scrapy", "requests.seen",
                              lines=self.URLS, status=2)
        self.assertEqual(got, [])
        self.assertIn("--fingerprint scrapy-2.6: f was made with --fingerprint scrapy-2.7", said)
        self.assertEqual(self.content("f"), before)

    def test_a_bad_line_leaves_the_file_untouched(self):
        self.seen("--file", "f", "--kind", "exact", "--fingerprint", "scrapy-2.6", lines=self.URLS[:10])
        before = self.content("f")
        for bad in ("nonsense\n", "12" * 19 + "\n", "g" * 40 + "\n", "a" * 41 + "\n", "a" * 5000 + "\n"):
            self.requests_seen(self.URLS, extra=bad)
            got, said = self.seen("--file", "f", "--fingerprint", "scrapy-2.6", "--import-scrapy", "requests.seen",
                                  lines=["http://h/"], status=2)
            self.assertEqual(got, [])
            self.assertIn("requests.seen:2001: expected 40 hexadecimal digits; nothing is imported", said)
            self.assertEqual(self.content("f"), before)
        got, _ = self.seen("--file", "new", "--fingerprint", "scrapy-2.6", "--import-scrapy", "requests.seen",
                           lines=["http://h/"], status=2)
        self.assertEqual((got, os.path.exists(self.path("new"))), ([], False))

    def test_a_last_line_that_a_crash_cut(self):
        self.requests_seen(self.URLS[:3], extra="\r\n  " + scrapy_26(self.URLS[3])[:30])
        _, said = self.seen("--fingerprint", "scrapy-2.6", "--import-scrapy", "requests.seen")
        self.assertIn("3 fingerprints read", said)

    def test_usage(self):
        self.requests_seen([])
        for args, words, status in (
                (("--import-scrapy", "requests.seen"), "add --fingerprint scrapy-2.7", 2),
                (("--import-scrapy", "requests.seen", "--urls"), "add --fingerprint scrapy-2.7", 2),
                (("--import-scrapy", "requests.seen", "--fingerprint", "default"), "add --fingerprint scrapy-2.7", 2),
                (("--fingerprint", "scrapy"), "--fingerprint: ", 2),
                (("--import-scrapy",), "needs a value", 2),
                (("--import-scrapy", "missing", "--fingerprint", "scrapy-2.7"), "missing: No such file or directory",
                 4),
                (("--import-scrapy", ".", "--fingerprint", "scrapy-2.7"), "Is a directory", 4)):
            with self.subTest(args):
                self.assertIn(words, self.seen(*args, status=status)[1])
        self.assertNotIn("fingerprints read", self.seen("--quiet", "--import-scrapy", "requests.seen", "--fingerprint",
                                                        "scrapy-2.7")[1])

    def test_a_filter_that_is_full(self):
        self.requests_seen([f"http://h/{n}" for n in range(200_000)])
        _, said = self.seen("--kind", "exact", "--capacity", "1k", "--max-memory", "1MiB", "--file", "f",
                            "--fingerprint", "scrapy-2.6",
                            "--import-scrapy", "requests.seen", status=4)
        self.assertRegex(said, r"requests.seen:\d+: ")
        self.assertFalse(os.path.exists(self.path("f")))

    def test_own_fingerprints(self):
        lines = ["http://H/?b=1&a=2", "http://h/?a=2&b=1", "http://h/x"]
        self.assertEqual(self.seen("--fingerprint", "default", lines=lines)[0], [lines[0], lines[2]])

    def test_published_fingerprints(self):
        rows = conformance()
        if not rows["2.6"]:
            self.skipTest("no conformance data here")
        for version, pairs in rows.items():
            self.write("requests.seen", "".join(fingerprint + "\n" for _, fingerprint in pairs))
            args = ("--kind", "exact", "--fingerprint", "scrapy-" + version)
            usable = [url for url, _ in pairs if re.match(r"(?i)https?://[^/?#\s]+", url)]
            got, said = self.seen(*args, "--import-scrapy", "requests.seen", "--invert", lines=usable)
            self.assertEqual(got, usable, version)
            self.assertGreater(len(got), 5)
            self.assertIn(f"{len(pairs)} fingerprints read", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
