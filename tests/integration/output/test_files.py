#!/usr/bin/env python3
"""Files that a crawl writes: what becomes of those that are there already."""
import json
import os

import harness

OPTIONS = (("--output", "url"), ("--links", "from"), ("--requests", "event"))


class Existing(harness.TestCase):
    overwrites = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = harness.temporary_folder()
        for name, text in (("index.html", "<a href=x.html>x</a>"), ("x.html", "x")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        cls.nginx = cls.start_nginx({"a.localhost": folder})
        cls.url = cls.nginx.url("a.localhost", "/")

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_crawl(self, *args):
        return self.crawl("--delay", "0", "--depth", "1", *args)

    def test_a_file_that_is_there_is_refused(self):
        for option, _ in OPTIONS:
            with self.subTest(option):
                self.write("there", "precious\n")
                result = self.run_crawl(option, "there", "--state", "state", self.url)
                self.assertEqual(result.status, 2)
                self.assertEqual(result.stderr, f"crawl: {option[2:]}: there is there already: --append adds to it, --overwrite replaces it\n")
                self.assertEqual(self.text("there"), "precious\n")
                self.assertFalse(os.path.exists(self.path("state")))
        self.assertEqual(self.nginx.requests(), [])

    def test_append_adds_and_overwrite_replaces(self):
        for option, field in OPTIONS:
            with self.subTest(option):
                first = self.run_crawl(option, "file" + option, self.url)
                once = self.records("file" + option)
                again = self.run_crawl(option, "file" + option, "--append", self.url)
                twice = self.records("file" + option)
                replaced = self.run_crawl(option, "file" + option, "--overwrite", self.url)
                self.assertEqual((first.status, again.status, replaced.status), (0, 0, 0))
                self.assertEqual([line[field] for line in twice], 2 * [line[field] for line in once])
                self.assertEqual(twice[:len(once)], once)
                self.assertEqual(len(self.records("file" + option)), len(once))

    def test_requests_that_were_appended_pass_the_audit(self):
        for how in ((), ("--append",)):
            self.run_crawl("--requests", "requests", *how, self.url)
        audit = self.crawl("audit", "requests")
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)

    def test_nothing_to_lose_is_not_refused(self):
        self.write("empty", "")
        for name in ("empty", "/dev/null"):
            self.assertEqual(self.run_crawl("--output", name, self.url).status, 0)
        self.assertEqual(len(self.records("empty")), 2)

    def test_a_state_adds_to_its_own_files_alone(self):
        self.assertEqual(self.run_crawl("--state", "state", "--max-pages", "1", "--output", "own", self.url).status, 0)
        self.write("other", json.dumps({"url": "precious"}) + "\n")
        refused = self.run_crawl("--state", "state", "--output", "other")
        self.assertEqual(refused.status, 2)
        self.assertIn("other is there already", refused.stderr)
        os.symlink("own", self.path("link"))
        self.assertEqual(self.run_crawl("--state", "state", "--output", "link").status, 0)
        self.assertEqual(len(self.records("own")), 2)
        self.assertEqual(self.run_crawl("--state", "state", "--output", "other", "--append", self.url + "x.html?y").status, 0)
        self.assertEqual([line["url"] for line in self.records("other")], ["precious", self.url + "x.html?y"])
        kept = self.text("state/crawler.conf")
        self.assertIn("existing = refuse", kept)


if __name__ == "__main__":
    harness.main()
