#!/usr/bin/env python3
"""Tests --bodies: decoded bodies are stored once each, named after their content, and are complete or absent."""
import base64
import hashlib
import os
import resource
import signal
import subprocess

import harness

OPTIONS = ("--delay", "0", "--retries", "0", "--output", "pages.jsonl", "--bodies", "bodies")


class Bodies(harness.TestCase):
    def bodies(self):
        """Returns path below the folder: content."""
        found = {}
        for folder, _, names in os.walk(self.path("bodies")):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.path("bodies"))] = file.read()
        return found

    def check_names(self):
        for path, body in self.bodies().items():
            digest = hashlib.sha1(body).hexdigest()
            self.assertEqual(path, f"{digest[:2]}/{digest[2:]}")

    def test_each_body_once(self):
        files = {"index.html": "<a href=a.html>a</a><a href=b.html>b</a><a href=e.html>e</a><a href=none>4</a><a "
                               "href=moved>m</a>",
                 "a.html": "<p>the same</p>" * 100, "b.html": "<p>the same</p>" * 100, "e.html": ""}
        nginx = self.start_nginx({"a.localhost": self.make_site(files)},
                                 "gzip on; gzip_min_length 1; location /moved { return 302 /a.html; }")
        result = self.crawl(*OPTIONS, nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.check_names()
        self.assertEqual(sorted(self.bodies().values()),
                         sorted(files[name].encode() for name in ("index.html", "a.html")))
        bodies = self.bodies()
        for record in self.records("pages.jsonl"):
            kept = record["status"] == 200 and record["bytes"] > 0
            self.assertEqual("body" in record, kept, record)
            if kept:
                digest = base64.b32decode(record["digest"].removeprefix("sha1:")).hex()
                self.assertEqual(record["body"], f"{digest[:2]}/{digest[2:]}")
                self.assertEqual(len(bodies[record["body"]]), record["bytes"])

    def test_without_a_digest_but_where_something_needs_it(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<p>one</p>"})})
        usual = ("--delay", "0", "--output", "pages.jsonl")
        for options, has_digest in (((), True), (("--digest", "none"), False),
                                    (("--digest", "none", "--bodies", "bodies"), True),
                                    (("--digest", "none", "--dedupe", "exact"), True),
                                    (("--digest", "none", "--warc", "page"), False)):
            with self.subTest(options):
                self.crawl(*usual, *options, nginx.url("a.localhost", "/"))
                record, = self.records("pages.jsonl")
                self.assertEqual(record["digest"], harness.digest(b"<p>one</p>") if has_digest else None)

    def test_bodies_that_are_there_are_not_written_again(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<p>one</p>"})})
        home = nginx.url("a.localhost", "/")
        self.crawl(*OPTIONS, home)
        path = self.path("bodies/" + next(iter(self.bodies())))
        before = os.stat(path)
        self.crawl(*OPTIONS, home)
        self.assertEqual((os.stat(path).st_ino, os.stat(path).st_mtime_ns), (before.st_ino, before.st_mtime_ns))
        os.truncate(path, 3)  # as after a power failure
        self.crawl(*OPTIONS, home)
        self.check_names()

    def test_what_a_killed_crawl_of_the_same_process_number_left_is_not_in_the_way(self):
        """In a container each run has the same process number."""
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<a href=a.html>a</a>",
                                                                 "a.html": "<p>two</p>"})})
        os.mkdir(self.path("bodies"))

        def leave():
            for number in range(8):
                with open(f"bodies/.new-{os.getpid()}-{number}", "w", encoding="ascii") as file:
                    file.write("half")

        run = subprocess.run([harness.program(), *OPTIONS, nginx.url("a.localhost", "/")], cwd=self.folder,
                             preexec_fn=leave,
                             env={**os.environ, **harness.SANITIZERS}, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=harness.LIMIT_S)
        self.assertEqual(run.returncode, 0, run.stderr)
        whole = [path for path in self.bodies() if not path.startswith(".new-")]
        self.assertEqual(len(whole), 2)

    def test_a_broken_body_is_not_kept(self):
        wild = self.start_wild()
        for path in ("/short", "/huge", "/truncgzip"):
            self.crawl(*OPTIONS, "--set", "fetch.max_body=100KiB", wild.url("w.localhost", path))
            self.assertEqual(self.bodies(), {}, path)

    def test_a_full_disk(self):
        """A limit on the size of files simulates a full disk."""
        files = {"index.html": "<a href=a.html>a</a><a href=big.bin>b</a>", "a.html": "<p>small</p>"}
        site = self.make_site(files)
        with open(os.path.join(site, "big.bin"), "wb") as file:
            file.write(bytes(300000))
        nginx = self.start_nginx({"a.localhost": site})

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        run = subprocess.run([harness.program(), *OPTIONS, nginx.url("a.localhost", "/")], cwd=self.folder,
                             preexec_fn=limit,
                             env={**os.environ, **harness.SANITIZERS}, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=harness.LIMIT_S)
        self.assertEqual(run.returncode, 4, run.stderr)
        digest = hashlib.sha1(bytes(300000)).hexdigest()
        self.assertIn(f"crawl: bodies: bodies/{digest[:2]}/{digest[2:]}: File too large", run.stderr)
        self.check_names()
        self.assertNotIn(300000, [len(body) for body in self.bodies().values()])

    def test_a_folder_that_cannot_be(self):
        self.write("file", "")
        for folder, why in (("no/such/folder", "No such file or directory"), ("file", "Not a directory")):
            result = self.crawl("--bodies", folder, "http://a.localhost/")
            self.assertEqual(result.status, 4)
            self.assertIn(f"crawl: bodies: {folder}: {why}", result.stderr)


if __name__ == "__main__":
    harness.main()
