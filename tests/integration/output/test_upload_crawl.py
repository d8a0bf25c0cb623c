#!/usr/bin/env python3
"""Tests crawl --upload: the files of a crawl are in a bucket, the first while it still runs; if the bucket fails, the
files stay."""
import base64
import glob
import os
import random
import time
import unittest.mock

import harness
import object_store

PAGES = 12
SIZE = 300000  # of a page that gzip shrinks by at most a quarter


class Site(harness.OwnServer):
    """Serves pages that fill WARC files; the last one waits until `until` is true."""

    def __init__(self, until=lambda: True):
        self.until, self.asked = until, 0
        super().__init__(Page)


class Page(harness.Handler):
    def do_GET(self):
        if self.path == "/robots.txt":
            self.answer(404, "")
            return
        self.server.asked += 1
        number = int(self.path[1:] or 0)
        if number == PAGES:
            harness.wait_for(self.server.until)
        noise = base64.b64encode(random.Random(number).randbytes(SIZE)).decode()
        link = f"<a href=/{number + 1}>x</a>" if number < PAGES else ""
        self.answer(200, f"<title>{number}</title>{link}{noise}")


class Upload(harness.TestCase):
    def setUp(self):
        super().setUp()
        key, secret = object_store.KEYS
        patch = unittest.mock.patch.dict(os.environ, AWS_ACCESS_KEY_ID=key, AWS_SECRET_ACCESS_KEY=secret,
                                         AWS_SESSION_TOKEN="", AWS_REGION="", AWS_ENDPOINT_URL="")
        patch.start()
        self.addCleanup(patch.stop)

    def run_crawl(self, store, site, *words, target="s3://box/a"):
        return self.crawl("--delay", "0", "--depth", "20", "--upload", target, "--upload-endpoint", store.url(), *words,
                          *([site.url("a.localhost")] if site else []))

    def files(self, *patterns):
        return sorted(name for pattern in patterns for name in glob.glob(pattern, root_dir=self.folder))

    def expect_objects(self, store, names):
        for name in names:
            with open(self.path(name), "rb") as file:
                self.assertEqual(store.objects["a/" + name][0], file.read(), name)

    def test_each_file_is_brought(self):
        store = self.serve(object_store.Store())
        site = self.serve(Site(until=lambda: any(name.endswith(".cdxj") for name in store.names())))
        how = ("--state", "st", "--warc", "w", "--set", "output.warc_size=1MiB", "--text", "plain", "--output",
               "pages.jsonl")
        result = self.run_crawl(store, site, *how, "--wacz", "all.wacz")
        self.assertEqual(result.status, 0, result.stderr)
        warcs = self.files("w-*.warc.gz", "w-*.cdxj", "w-*.warc.wet.gz")
        self.assertGreater(len(self.files("w-*-0000[0-9].warc.gz")), 2)
        self.expect_objects(store, warcs)
        others = [name for name in store.names() if name[2:] not in warcs]
        self.assertEqual([name.split("-")[0] for name in others], ["a/all", "a/pages"])
        self.assertRegex(" ".join(others), r"^a/all-20\d{12}\.wacz a/pages-20\d{12}\.jsonl$")
        self.assertIn(f"  upload    {len(warcs) + 2} files, ", result.stderr)
        sent = len(store.sent("PUT"))
        self.assertEqual(sent, len(warcs) + 2)
        written = int(os.stat(self.path("all.wacz")).st_mtime)
        harness.wait_for(lambda: time.time() >= written + 1)  # names have the second
        result = self.run_crawl(store, None, "--state", "st", "--overwrite")
        self.assertEqual(result.status, 0, result.stderr)
        old = {target.split("/")[-1] for target in store.sent("PUT")[:sent]}
        again = [target.split("/")[-1] for target in store.sent("PUT")[sent:]]
        self.assertEqual(set(again) & old, set())  # uploaded files are left alone

    def test_what_fails_stays_and_is_said(self):
        store = self.serve(object_store.Store())
        site = self.serve(Site())
        store.counts = lambda request: request.command == "PUT"
        store.faults = [(403, "AccessDenied")] * 1000
        result = self.run_crawl(store, site, "--warc", "w", "--set", "output.warc_size=1MiB", "--set",
                                "upload.delete=true", "--output", "pages.jsonl")
        self.assertEqual((result.status, store.objects), (4, {}))
        self.assertIn("AccessDenied: of the test", result.stderr)
        self.assertIn("crawl: upload: some files are not in s3://box/a and stay here", result.stderr)
        self.assertIn("  upload    0 files, ", result.stderr)
        files = self.files("w-*", "pages.jsonl")
        self.assertGreater(len(files), 4)
        store.faults = []
        result = self.crawl("upload", "--endpoint", store.url(), "s3://box/a", *files)
        self.assertEqual(result.status, 0, result.stderr)
        self.expect_objects(store, files)

    def test_files_that_are_there_may_go(self):
        store = self.serve(object_store.Store())
        site = self.serve(Site())
        result = self.run_crawl(store, site, "--warc", "w", "--set", "output.warc_size=1MiB", "--set",
                                "upload.delete=true", "--output", "pages.jsonl")
        self.assertEqual((result.status, self.files("w-*")), (0, []), result.stderr)
        self.assertTrue(os.path.exists(self.path("pages.jsonl")))
        self.assertGreater(len(store.objects), 5)

    def test_an_index_that_is_refused_once_still_comes(self):
        store = self.serve(object_store.Store())
        store.counts = lambda request: request.command == "PUT" and request.path.endswith(".cdxj")
        store.faults = [(403, "AccessDenied")]
        site = self.serve(Site(until=lambda: not store.faults))
        result = self.run_crawl(store, site, "--warc", "w", "--set", "output.warc_size=1MiB", "--set",
                                "upload.delete=true")
        self.assertEqual((result.status, self.files("w-*")), (0, []), result.stderr)
        names = store.names()
        self.assertEqual([name for name in names if name.endswith(".cdxj")],
                         [name.replace(".warc.gz", ".cdxj") for name in names if name.endswith(".warc.gz")])
        self.assertIn(f"  upload    {len(names)} files, ", result.stderr)

    def test_what_must_be_mended_is_said_first(self):
        store = self.serve(object_store.Store(region="eu-west-1"))
        site = self.serve(Site())
        region = ("--upload-region", "eu-west-1")
        for words, target, status, said in (
                (["--output", "x", *region], "s3://none", 4, "crawl upload: none: there is no bucket none"),
                (["--output", "x"], "s3://box", 4, "the bucket is in the region eu-west-1, not us-east-1"),
                (["--output", "x", *region], "box", 2, "the first argument must be s3://BUCKET/PREFIX"),
                (["--output", "x", "--set", "upload.credentials_file=none", *region], "s3://box", 4, "none: "),
                (["--output", "-", *region], "s3://box", 2, "upload: nothing to upload"),
                (["--warc", "w", "--wacz", "x", "--set", "upload.delete=true"], "s3://box", 2, "upload.delete would")):
            result = self.run_crawl(store, site, *words, target=target)
            self.assertEqual(result.status, status, (words, result.stderr))
            self.assertIn(said, result.stderr)
        self.assertEqual((site.asked, self.files("*")), (0, []))


if __name__ == "__main__":
    harness.main()
