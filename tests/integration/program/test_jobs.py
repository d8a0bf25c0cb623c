#!/usr/bin/env python3
"""Tests the jobs of docs/jobs.md and docs/archive.md, run as written except for the port: each succeeds and has the
promised result."""
import collections
import glob
import os
import re
import subprocess

import harness

DOCS = os.path.join(os.path.dirname(os.path.dirname(harness.HERE)), "docs")
JOB = re.compile(r"^### (\d+)\. ([^\n]*)\n(.*?)(?=^##|\Z)", re.M | re.S)
BLOCK = re.compile(r"^```(sh|file (\S+))\n(.*?)^```$", re.M | re.S)

# The result of a job: the file ("": its output), and an expression that matches in it.
BRINGS = {
    1: ("report.html", "20 URLs|<table"),
    2: ("links.xml", "<testsuite"),
    3: ("changes.html", "<table"),
    4: ("", r"(?m)^[0-9]{5,}\t[0-9.]+\thttp"),
    5: ("tables/duplicates.csv", "url"),
    6: ("", r"(?m)^http://localhost:\d+/about\.html\tHistory and License$"),
    7: ("", r"(http://localhost:\d+/\S*\n){20}"),
    8: ("", r"http://localhost:\d+/\t"),
    9: ("redirects.csv", "(?s)^\ufeffurl;status;target;"),
    10: ("", r"(?m)^http://localhost:\d+/\S*\t[0-9]+\t[0-9]*\t.*Python"),
    11: ("", r"(?m)^http://localhost:\d+/\S*\t[0-9]{4,}\t[1-9]"),
    12: ("", r"(?m)^http://localhost:\d+/library/\t[0-9]+\t[0-9]+"),
    13: ("copy/localhost+httpPORT/index.html", r'href="about\.html"'),
    14: ("", r"archive-\d+-00000\.warc\.gz"),
    15: ("images.jsonl", r'"body":"[0-9a-f]{2}/'),
    16: ("", "requests    [0-9]+ found, .* 40 of them finished"),
    17: ("nightly.jsonl", '"visit":1'),
    18: ("pages.csv", "(?s)^url,.*The Python Standard Library"),
    19: ("", "page.title .*JSON encoder and decoder"),
    20: ("json.md", "(?m)^# .*JSON encoder and decoder"),
    21: ("", r"http://localhost:\d+/genindex\.html\tindex"),
    22: ("part.jsonl", r'"url":"http://localhost:\d+/library/[a-z]'),
    23: ("list.csv", r"(?s)^url,.*\nhttp://localhost:\d+/library/csv\.html,"),
    24: ("", "not fetched: scope"),
    25: ("", "disallowed\t.*line 2: Disallow: /private/\nallowed"),
    26: ("", r"http://127\.0\.0\.1:\d+/"),
    27: ("", "proven: of 21 requests, none came too soon"),
    28: ("", r"http://a\.example/\nhttp://b\.example/\n(.*\n)*http://c\.example/\n"),
    29: ("", r"http://example\.com/b\?x=1&y=2\n"),
}


class Jobs(harness.TestCase):
    def setUp(self):
        super().setUp()
        docs = harness.python_docs()
        if not docs:
            self.skipTest("python3-doc is not installed")
        # The documentation of Debian 13 names pages of another host as canonical.
        self.nginx = self.start_nginx({"localhost": docs}, "sub_filter 'rel=\"canonical\"' 'rel=\"help\"';")
        self.write("bin/crawl", f'#!/bin/sh\nexec "{harness.program()}" "$@"\n')
        os.chmod(self.path("bin/crawl"), 0o755)
        self.environment = {**os.environ, **harness.SANITIZERS, "PATH": self.path("bin") + ":" + os.environ["PATH"],
                            "LC_ALL": "C.UTF-8"}

    def type(self, text):
        """Writes the files of a text and runs its commands. Returns their output."""
        said = ""
        for kind, name, content in BLOCK.findall(text.replace("localhost:8000", f"localhost:{self.nginx.port}")):
            if kind != "sh":
                self.write(name, content)
                continue
            if "--state" in content and not harness.has_disk():
                continue
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", content], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.LIMIT_S,
                                  check=False)
            self.assertEqual(done.returncode, 0, content + done.stdout)
            said += done.stdout
        return said

    @staticmethod
    def read(name):
        with open(os.path.join(DOCS, name), encoding="utf-8") as file:
            return file.read()

    def test_an_archive(self):
        """Runs the page from its first line on, and checks the output of each command and the files at the end."""
        jobs = self.read("jobs.md")
        self.type(jobs[:jobs.index("\n### ")])
        said = self.type(self.read("archive.md"))
        for expected in (r"(?m)^archive-\d{14}-00000\.warc\.gz$",
                         r"WARC-Type: conversion\n(?s:.*)\nPython [0-9.]+ documentation\n",
                         r"(?m)^ +\d+ text/html$", r"WARC-Target-URI: http://localhost:\d+/about\.html\n(?s:.*)\nHTTP/"
                                                   r"1\.1 200 OK\n"):
            self.assertRegex(said, expected)
        files = collections.Counter(os.path.basename(path).split("-")[0] for path in glob.glob(self.path("*.warc.gz")))
        self.assertEqual(files, {"archive": 2, "texts": 1, "many": 1, "today": 1, "whole": 1,
                                 **({"long": 2} if harness.has_disk() else {})})
        parcels = [self.crawl("warc", "--check", name) for name in ("site.wacz", "again.wacz")]
        self.assertEqual(parcels, [(0, "", "")] * 2)

    def test_each_job(self):
        text = self.read("jobs.md")
        for other in ("jq", "curl"):  # no job needs them
            self.write("bin/" + other, "#!/bin/sh\nexit 127\n")
            os.chmod(self.path("bin/" + other), 0o755)
        self.type(text[:text.index("\n### ")])
        jobs = JOB.findall(text)
        self.assertEqual([int(number) for number, _, _ in jobs], list(BRINGS))
        for number, title, content in jobs:
            with self.subTest(number + ". " + title):
                if "--state" in content and not harness.has_disk():
                    continue
                said = self.type(content)
                name, expected = BRINGS[int(number)]
                if name:
                    with open(self.path(name.replace("PORT", str(self.nginx.port))), encoding="utf-8") as file:
                        said = file.read()
                self.assertRegex(said, expected)


if __name__ == "__main__":
    harness.main()
