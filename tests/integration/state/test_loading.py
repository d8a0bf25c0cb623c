#!/usr/bin/env python3
"""Tests that RocksDB is loaded when a directory is opened, not when the program starts. The loader finds a file in its
place that is not a library: commands without a directory work, and those with one report the problem and make
nothing."""
import ctypes.util
import os
import unittest.mock

import harness


class Loading(harness.TestCase):
    def setUp(self):
        super().setUp()
        if not harness.has_disk():
            self.skipTest("this build has no disk store")
        name = ctypes.util.find_library("rocksdb")
        self.assertTrue(name, "the loader knows no RocksDB")
        self.file = self.write(f"lib/{name}", "no library")
        paths = [os.path.dirname(self.file), os.environ.get("LD_LIBRARY_PATH", "")]
        patch = unittest.mock.patch.dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, paths)))
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_crawl_in_memory_does_without(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<a href=x.html>x</a>", "x.html": ""})})
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(len(self.records("pages.jsonl")), 2)

    def expect_words(self, *command):
        result = self.crawl(*command)
        self.assertEqual(result.status, 4, result.stderr)
        self.assertIn(f"RocksDB, which keeps a frontier in its directory, cannot be loaded: {self.file}", result.stderr)

    def test_a_crawl_in_a_directory_says_so(self):
        self.expect_words("--state", "st", "http://a.localhost/")
        self.assertFalse(os.path.exists(self.path("st")))

    def test_a_look_into_a_directory_says_so(self):
        self.write("st/db/CURRENT", "MANIFEST-000001\n")
        self.expect_words("inspect", "st")


if __name__ == "__main__":
    harness.main()
