#!/usr/bin/env python3
"""Tests that bad input gives a clear message and the right exit status, and that nothing is lost."""
import json
import os
import signal
import socket
import subprocess

import harness


class BadInput(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wild = cls.start_wild()

    def expect(self, status, words, *args, **more):
        result = self.crawl(*args, **more)
        self.assertEqual(result.status, status, result.stderr)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, result.stderr)
        return result

    def page(self, path="/page"):
        return self.wild.url("bad.localhost", path)

    def test_bad_lines_of_seeds_are_named_and_the_rest_is_crawled(self):
        lines = ["# a comment", "", self.page("/page?n=1"), "example com/x", "ftp://example.com/", "http://[::g]/",
                 "{\"url\": 3}",
                 "{\"url\": \"" + self.page("/page?n=2") + "\", \"dept\": 1}", "{\"url\": ", "{\"url\":\""
                 + self.page("/page?n=3")
                 + "\",\"headers\":{\"A\":\"b\\nc\"}}", self.page("/page?n=4") + "   # why not", "http://"
                 + "a" * 70000 + "/",
                 "{\"url\": \"" + self.page("/page?n=5") + "\", \"method\": \"connect\"}", "{\"url\": \""
                 + self.page("/page?n=6") + "\", \"method\": \"TRACE\"}"]
        self.write("seeds.txt", "\n".join(lines) + "\n")
        result = self.expect(0, [], "--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--output", "pages.jsonl")
        for number in (4, 5, 6, 7, 8, 9, 10, 12, 13, 14):
            self.assertIn(f"seeds.txt:{number}: ", result.stderr)
        self.assertIn("seeds.txt:13: method CONNECT fetches nothing", result.stderr)
        self.assertEqual(sorted(r["url"][-3:] for r in self.records("pages.jsonl")), ["n=1", "n=4"])

    def test_names_without_a_scheme(self):
        name = self.page("/page?bare").split("//")[1]
        args = ("--depth", "0", "--delay", "0", "--output", "pages.jsonl", "--overwrite",
                "--set", "politeness.retry_delay=1ms", "--set", "fetch.connect_timeout=1s")
        result = self.expect(0, [f"seed without a scheme: requested as https://{name}", f"{name}: no answer by https"],
                             *args, name)
        self.assertEqual([(r["url"], r["status"]) for r in self.records("pages.jsonl")],
                         [(f"https://{name}", 0), (f"http://{name}", 200)], result.stderr)
        self.write("names.txt", f"{name}1\n{name}2\n")
        self.expect(0, "2 seeds without a scheme: requested by https", *args, "--seeds", "names.txt")
        self.assertEqual(sum(r["status"] == 200 for r in self.records("pages.jsonl")), 2)
        self.expect(0, f"seed without a scheme: requested as https://{name}", *args, "//" + name)

    def test_by_http_a_seed_without_a_scheme_is_the_same_request(self):
        seen = []

        class Handler(harness.Handler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
                seen.append((self.path, self.headers["X-Client"], body))
                self.answer(200, "x")

            do_GET = do_POST

        server = self.serve(harness.OwnServer(Handler))
        name = f"a.localhost:{server.port}"
        seeds = [{"url": f"{name}/form", "method": "POST", "headers": {"X-Client": f"c{n}"}, "body": f"n={n}"}
                 for n in range(3)]
        plain = {"url": f"{name}/form"}
        self.write("seeds.jsonl", "".join(json.dumps(seed) + "\n"
                                          for seed in [*seeds, {**plain, "body": "get"}, plain, plain]))
        expected = [("/form", None, ""), ("/form", None, "get"), *(("/form", f"c{n}", f"n={n}") for n in range(3))]
        for options in ((), ("--state", "kept")):
            seen.clear()
            self.expect(0, "trying http", "--seeds", "seeds.jsonl", "--depth", "0", "--delay", "0", "--no-robots",
                        "--retries", "0", "--output", "pages.jsonl", "--overwrite", *options)
            self.assertEqual(sorted(seen, key=str), sorted(expected, key=str), options)

    def test_by_http_a_seed_without_a_scheme_is_tried_after_a_resume(self):
        class Handler(harness.Handler):
            def do_GET(self):
                self.answer(200, "x")

        name = f"a.localhost:{self.serve(harness.OwnServer(Handler)).port}"
        self.write("seeds.jsonl", json.dumps({"url": f"http://{name}/first", "priority": 5}) + f"\n{name}\n")
        args = ("--seeds", "seeds.jsonl", "--state", "kept", "--depth", "0", "--delay", "0", "--retries", "0",
                "--no-robots", "--order", "dfs", "--output", "pages.jsonl")
        self.expect(0, [], *args, "--max-pages", "1")
        self.expect(0, "trying http", *args, "--max-pages", "0")
        self.assertEqual([r["status"] for r in self.records("pages.jsonl")], [200, 0, 200])

    def test_of_many_failed_seeds_a_hundred_are_named(self):
        gone = [self.page(f"/gone?n={i}") for i in range(103)]
        self.write("gone.txt", "\n".join(gone) + "\n")
        args = ("--seeds", "gone.txt", "--delay", "0", "--output", "pages.jsonl", "--overwrite")
        result = self.expect(1, "more than 100 seeds failed", *args)
        self.assertEqual(result.stderr.count("/gone?n="), 100)
        self.assertEqual(len(self.records("pages.jsonl")), 103)
        self.assertEqual(self.expect(1, [], *args, "--verbose").stderr.count(": 404"), 103)

    def test_seeds_in_utf_16(self):
        lines = "".join(self.page(path) + "\r\n" for path in ("/page?n=1", "/page?\u00e9", "/page?\U0001f600"))
        for number, encoding in enumerate(("utf-16-le", "utf-16-be")):
            with open(self.path("wide.txt"), "wb") as file:
                file.write(("\ufeff" + lines).encode(encoding))
            output = f"wide{number}.jsonl"
            self.expect(0, [], "--seeds", "wide.txt", "--depth", "0", "--delay", "0", "--output", output)
            self.assertEqual(sorted(r["url"].split("?")[1] for r in self.records(output)),
                             ["%C3%A9", "%F0%9F%98%80", "n=1"])

    def test_seeds_of_tables_and_of_old_files(self):
        """A tab ends a URL, a CR a line; in JSON both are white space."""
        pages = [self.page(f"/page?n={n}") for n in range(5)]
        self.write("seeds.txt", f'{pages[0]}\t2024-01-01\n{pages[1]}\r\r# none\r{pages[2]}\t# x\r'
                                f'{{"url":\r"{pages[3]}",\t"depth": 0}}\n{pages[4]}\r')
        self.expect(0, [], "--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--output", "lines.jsonl")
        self.assertEqual(sorted(record["url"] for record in self.records("lines.jsonl")), pages)

    def test_no_seeds(self):
        self.expect(2, "no seeds")
        self.expect(2, "not an absolute URL", " ")
        self.write("empty.txt", "# nothing\n")
        self.expect(1, "crawl: empty.txt has no seeds", "--seeds", "empty.txt")
        self.expect(1, "crawl: standard input has no seeds", "--seeds", "-")
        self.write("bad.txt", "nothing usable\n")
        self.expect(2, ["bad.txt:1:", "no usable seed"], "--seeds", "bad.txt")

    def test_options_that_nothing_uses(self):
        csv = ("--output", "pages.csv")
        for words, *options in (("answer-headers: nothing receives", "--answer-headers", "server", *csv),
                                ("sitemap-gzip: ", "--sitemap-gzip"), ("render-pages: ", "--render-pages", "x"),
                                ("render-click: ", "--render-click", "a.more"),
                                ("webhook-secret-file: ", "--webhook-secret-file", "nowhere")):
            self.expect(2, words, *options, self.page())

    def test_a_file_without_its_option(self):
        self.write("seeds.txt", self.page() + "\n")
        self.expect(2, "./seeds.txt is a file: --seeds ./seeds.txt reads seeds from it", "./seeds.txt")
        self.expect(2, "- is no URL: --seeds - reads seeds from it", "-")
        name = self.page("").split("//")[1].rstrip("/")
        self.write(name, "x\n")
        self.expect(0, f"{name} is a file too, and taken for a URL: --seeds {name} reads seeds from it", "--depth", "0",
                    "--delay", "0", name)

    def test_seeds_that_cannot_be_read(self):
        self.expect(2, ["missing.txt", "No such file"], "--seeds", "missing.txt")
        self.expect(2, "Is a directory", "--seeds", self.folder)
        self.expect(2, "No such file", "--state", "unborn", "--seeds", "missing.txt")
        self.assertFalse(os.path.exists(self.path("unborn")))

    def test_seeds_from_standard_input(self):
        self.expect(0, [], "--seeds", "-", "--depth", "0", "--output", "pages.jsonl", stdin=self.page() + "\r\n")
        self.assertEqual(len(self.records("pages.jsonl")), 1)

    def test_output_that_cannot_be_written(self):
        self.expect(4, "Is a directory", "--output", self.folder, self.page())
        self.expect(4, "No such file", "--output", "no/such/folder/x", self.page())
        self.expect(4, "No space left", "--output", "/dev/full", self.page())

    def test_a_reader_that_leaves_is_no_failure(self):
        seeds = "".join(self.page(f"/page?n={n}") + "\n" for n in range(60))
        self.write("seeds.txt", seeds)
        command = (f"{harness.program()} --seeds seeds.txt --depth 0 --delay 20ms --output - 2>err.txt | head -n 1; "
                   f"echo ${{PIPESTATUS[0]}}")
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              check=False)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[1], "0")

    def test_unresolvable_host(self):
        self.expect(1, "http://nosuch.invalid/: dns: ", "--retries", "0", "http://nosuch.invalid/")

    def test_port_nobody_listens_on(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            self.expect(1, f"http://127.0.0.1:{port}/: connect: ", "--retries", "0", f"http://127.0.0.1:{port}/")

    def test_answers_that_are_errors_alone(self):
        for status in (404, 410, 500):
            self.expect(1, "nothing left to fetch", "--retries", "0", self.page(f"/status/{status}"))
        self.expect(0, [], "--retries", "0", self.page("/status/404"), self.page("/page"))
        # Neither gives a page: a 304 without a condition, and a redirect out of the crawl.
        self.expect(1, [], "--depth", "0", self.page("/status/304"))
        self.expect(1, [], "--scope", "host", self.page("/redirect/302?to=http://elsewhere.invalid/"))
        moved = self.page("/redirect/302?to=/status/404")
        self.expect(1, f"crawl: 404 {self.page('/status/404')}\n", "--depth", "0", moved)
        self.expect(1, "only redirects were received", "--depth", "0", self.page("/cookie"))
        nowhere = self.expect(1, [], "--depth", "0", self.page("/status/301"))
        self.assertNotIn("--cookies", nowhere.stderr)
        self.expect(1, f"crawl: 404 {self.page('/status/404')}\n", "--depth", "0", self.page("/status/404"))

    def test_pages_that_are_not_called_html(self):
        files = {"page.txt": " <!DOCTYPE html><a href=/no>no</a>", "plain.txt": "words", "page.html": "<html>words"}
        nginx = self.start_nginx({"a.localhost": self.make_site(files)})
        url = nginx.url("a.localhost", "/")
        said = "1 of 1 pages look like HTML, but were not read"
        self.assertIn(said, self.crawl("--depth", "0", url + "page.txt").stderr)
        for other in ("plain.txt", "page.html"):
            self.assertNotIn("look like HTML", self.crawl("--depth", "0", url + other).stderr)

    def test_bad_pattern_and_bad_agent(self):
        self.expect(2, "\"a(b\"", "--exclude", "a(b", self.page())
        self.expect(2, "politeness.robots_agent", "--set", "politeness.robots_agent=a b", self.page())

    def test_interrupted_crawl_ends_cleanly(self):
        self.write("seeds.txt", "".join(self.page(f"/page?n={n}") + "\n" for n in range(600)))
        for number in (signal.SIGINT, signal.SIGTERM):
            self.write("pages.jsonl", "")
            process = self.start("--seeds", "seeds.txt", "--depth", "0", "--delay", "50ms", "--output", "pages.jsonl")
            self.wait_for(lambda: os.path.getsize(self.path("pages.jsonl")) > 0)
            process.send_signal(number)
            _, stderr = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 3, stderr)
            self.assertIn("stopped after", stderr)
            self.assertIn("not fetched", stderr)
            self.assertGreater(len(self.records("pages.jsonl")), 0)


if __name__ == "__main__":
    harness.main()
