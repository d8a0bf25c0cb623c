#!/usr/bin/env python3
"""Tests --dedupe-against: bodies in the index of another archive become revisit records that refer to its responses."""
import glob
import gzip
import json

import harness
import warc_maker
import warc_reader

PAGES = {"index.html": "<a href=a.html>a</a><a href=b.html>b</a><a href=c.html>c</a>", "a.html": "the body of a",
         "b.html": "the body of b", "c.html": "the body of c"}


class DedupeAgainst(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.url = self.start_nginx({"a.localhost": self.make_site(PAGES)}).url("a.localhost", "/")

    def archive(self, prefix, *options):
        """Returns the responses in a crawl's archive: types of records and their fields, by the part of the URL after
        the host."""
        result = self.crawl("--delay", "0", "--warc", prefix, *options, self.url)
        self.assertEqual(result.status, 0, result.stderr)
        path, = glob.glob(self.path(prefix + "-*.warc.gz"))
        return {record.headers["WARC-Target-URI"].removeprefix(self.url): record.headers
                for record in warc_reader.read(path) if record.headers["WARC-Type"] in ("response", "revisit")}

    def index(self, name, lines):
        with (gzip.open if name.endswith(".gz") else open)(self.path(name), "wt", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        return name

    def test_an_archive_of_ours(self):
        """With all bodies known, from an index in plain text and in consecutive gzip members, only changed bodies are
        written."""
        before = self.archive("first")
        index, = glob.glob(self.path("first-*.cdxj"))
        with open(index, "rb") as plain, open(self.path("index.gz"), "wb") as packed:
            packed.write(b"".join(gzip.compress(line) for line in plain))
        self.write("site/c.html", "another body of c")
        for prefix, file in (("plain", index), ("packed", "index.gz")):
            again = self.archive(prefix, "--dedupe-against", file)
            self.assertEqual({name: headers["WARC-Type"] for name, headers in again.items()},
                             {name: "response" if name == "c.html" else "revisit" for name in before})
            for name in set(again) - {"c.html"}:
                headers = again[name]
                self.assertNotIn("WARC-Refers-To", headers)
                self.assertEqual((headers["WARC-Payload-Digest"], headers["WARC-Refers-To-Target-URI"],
                                  headers["WARC-Refers-To-Date"][:19]),
                                 (before[name]["WARC-Payload-Digest"], self.url + name, before[name]["WARC-Date"][:19]))
        self.assertEqual(self.crawl("warc", "--check", *glob.glob(self.path("p*.warc.gz"))), (0, "", ""))

    def test_indexes_of_others(self):
        """Indexes may have head lines, milliseconds, and digests with or without their method; useless lines are
        skipped."""
        def line(name, **members):
            digest = warc_maker.sha1(PAGES[name].encode())
            return json.dumps({"url": "https://other.example/" + name, "mime": "text/html", "status": 200,
                               "digest": digest, "filename": "x.warc.gz", "offset": 0, "length": 1, **members})
        again = self.archive("out", "--dedupe-against", self.index("other.cdxj", [
            " CDXJ 1", '!meta 0 {"format": "cdxj"}', "example,other)/a 20260102030405678 " + line("a.html"),
            "example,other)/b 20260102030405 " + line("b.html", digest=warc_maker.sha1(PAGES["b.html"].encode())[5:]),
            "example,other)/c 20260102030405 " + line("c.html", mime="warc/revisit"),
            "example,other)/i 20260102030405 " + line("index.html", digest="sha256:" + "0" * 64), ""]))
        self.assertEqual({name: headers["WARC-Type"] for name, headers in again.items()},
                         {"a.html": "revisit", "b.html": "revisit", "c.html": "response", "": "response",
                          "robots.txt": "response"})
        self.assertEqual([(again[name]["WARC-Refers-To-Target-URI"], again[name]["WARC-Refers-To-Date"])
                          for name in ("a.html", "b.html")],
                         [("https://other.example/a.html", "2026-01-02T03:04:05.678Z"),
                          ("https://other.example/b.html", "2026-01-02T03:04:05Z")])

    def test_what_is_refused(self):
        """Refusals come before any request is sent or any file made."""
        bad = self.index("bad.cdxj", ['example,a)/ 20260102030405 {"url": "https://a.example/"}', "no line"])
        with open(self.path("torn.gz"), "wb") as file:
            file.write(gzip.compress(b"x" * 1000)[:-12])
        for options, why in ((("--warc", "x", "--dedupe-against", bad), "bad.cdxj: line 2 is not CDXJ"),
                             (("--warc", "x", "--dedupe-against", "none.cdxj"), "none.cdxj: No such file"),
                             (("--warc", "x", "--dedupe-against", "torn.gz"), "torn.gz: "),
                             (("--dedupe-against", bad), "--warc PREFIX")):
            refused = self.crawl(*options, self.url)
            self.assertNotIn(refused.status, (0, 1), options)
            self.assertIn(why, refused.stderr)
            self.assertEqual(glob.glob(self.path("x-*")), [])


if __name__ == "__main__":
    harness.main()
