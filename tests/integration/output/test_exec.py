#!/usr/bin/env python3
"""Tests --output exec:COMMAND, which passes records to a process that acknowledges them. CRAWL_EXEC_KILLS=100 kills
both that often."""
import collections
import os
import shlex
import signal
import sqlite3
import sys

import harness
import kept_crawl

SINK = os.path.join(harness.HERE, "acking_sink.py")
KILLS = int(os.environ.get("CRAWL_EXEC_KILLS", "3"))
PLAIN = ("--delay", "0", "--no-adaptive")


class Answers(harness.Handler):
    """Serves a page for each way in which a document exists or not."""
    HEAD = {"/noindex": "<meta name=robots content=noindex>", "/elsewhere": "<link rel=canonical href=/other>",
            "/itself": "<link rel=canonical href='/itself#top'>"}
    STATUS = {"/gone": 410, "/missing": 404, "/broken": 500, "/moved": 301, "/away": 302, "/secret": 403}

    def do_GET(self):
        paths = [*self.HEAD, *self.STATUS]
        links = "".join(f"<a href={path}>x</a>" for path in paths) if self.path == "/" else ""
        place = ["Location: /"] if self.path in ("/moved", "/away") else []
        status = 404 if self.path == "/robots.txt" else self.STATUS.get(self.path, 200)
        self.answer(status, f"<title>{self.path}</title>{self.HEAD.get(self.path, '')}{links}", *place)


class Exec(kept_crawl.KeptCrawl):
    def sink(self, *options):
        return "exec:" + shlex.join([sys.executable, SINK, self.path("pages.db"), "--log", self.path("log"), *options])

    def lines(self):
        return self.records("log")

    def line_count(self):
        """Returns the number of whole lines, while the sink may be writing one."""
        try:
            with open(self.path("log"), "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def kept(self):
        """Returns the pages that the sink has stored: path -> (operation, version)."""
        with sqlite3.connect(self.path("pages.db")) as database:
            return {url.split("/", 3)[3]: (op, version)
                    for url, op, version in database.execute("SELECT url, op, version FROM pages")}

    def test_lines_say_what_records_mean(self):
        server = self.serve(harness.OwnServer(Answers))
        result = self.crawl(*PLAIN, "--retries", "0", "--output", self.sink(), server.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        first, *lines, last = self.lines()
        self.assertEqual((first["hello"], first["window"]), (1, 10000))
        self.assertEqual(last, {"op": "end"})
        self.assertEqual([line["n"] for line in lines], list(range(1, 12)))
        self.assertEqual({line["record"]["url"].rsplit("/", 1)[1]: line["op"] for line in lines},
                         {"": "index", "itself": "index", "other": "index", "noindex": "delete",
                          "elsewhere": "delete", "gone": "delete", "missing": "delete", "moved": "delete",
                          "away": "keep", "broken": "keep", "secret": "keep"})
        for line in lines:
            self.assertEqual(line["id"], line["record"]["fingerprint"])
        self.assertEqual(len({line["version"] for line in lines}), len(lines))

    def test_a_process_that_gathers_puts_off_and_refuses(self):
        url = self.site(20)
        third, fifth = (f'"url":"{url.replace("/0", page)}"' for page in ("/3", "/5"))
        sink = self.sink("--gather", "7", "--later", third, "--refuse", fifth)
        result = self.crawl(*PLAIN, "--depth", "9", "--output", sink, url)
        self.assertEqual(result.status, 4)
        self.assertIn("output: " + sys.executable + " has refused 1 record for good; the first: not wanted\n",
                      result.stderr)
        self.assertEqual(set(self.kept()), {f"{page}.html" for page in range(20) if page != 5})
        counts = collections.Counter(line["record"]["url"] for line in self.lines() if "n" in line)
        self.assertEqual([u for u, count in counts.items() if count > 1], [url.replace("/0", "/3")])

    def test_a_command_that_is_none(self):
        url = self.site(1)
        result = self.crawl(*PLAIN, "--output", "exec:no-such-command 1", url)
        self.assertEqual((result.status, self.nginx.requests()), (4, []))
        self.assertIn("output: no-such-command cannot be started: No such file", result.stderr)
        for command, words in (("exec:", "exec: no command"), ("exec:cat '", "unterminated quote in the command")):
            result = self.crawl(*PLAIN, "--output", command, url)
            self.assertEqual(result.status, 2)
            self.assertIn(words, result.stderr)
        result = self.crawl(*PLAIN, "--links", "exec:cat", url)
        self.assertEqual(result.status, 2)
        self.assertIn("links: only records (--output) can go to a command", result.stderr)

    def test_words_on_its_standard_error_are_told(self):
        self.write("sink.sh", """echo out of paper >&2; read -r hello; read -r line; echo '{"ack":1}'; read -r end""")
        result = self.crawl(*PLAIN, "--output", "exec:sh sink.sh", self.site(1))
        self.assertEqual(result.status, 0)
        self.assertIn("exec: out of paper\n", result.stderr)

    def test_its_last_words_are_told_though_their_line_has_no_end(self):
        self.write("sink.sh", "read -r hello; printf 'no password' >&2; exit 7")
        result = self.crawl(*PLAIN, "--output", "exec:sh sink.sh", self.site(1))
        self.assertEqual(result.status, 4)
        self.assertRegex(result.stderr, "exec: sh .*: no password\n")

    def test_the_example_for_sqlite(self):
        sink = os.path.join(harness.HERE, "..", "..", "examples", "sinks", "sqlite.py")
        result = self.crawl(*PLAIN, "--depth", "9", "--output", "exec:" + shlex.join([sink, self.path("pages.db")]),
                            self.site(20, {"19.html": "<meta name=robots content=noindex>"}))
        self.assertEqual(result.status, 0, result.stderr)
        with sqlite3.connect(self.path("pages.db")) as database:
            rows = database.execute("SELECT url, record ->> '$.title' FROM pages").fetchall()
        self.assertEqual({(url.rsplit("/", 1)[1], title) for url, title in rows},
                         {*((f"{page}.html", str(page)) for page in range(19)), ("19.html", None)})

    def test_a_page_whose_record_was_never_acknowledged_is_no_original(self):
        folder = self.make_site({"a.html": "the same body", "b.html": "the same body"})
        site = self.start_nginx({"a.localhost": folder})
        options = (*PLAIN, "--state", "st", "--dedupe", "exact")
        # a command that ends at once five times in a row is given up; python3 may need longer than that to start
        self.write("sink.sh", "read -r hello; read -r line; kill -9 $$")
        result = self.crawl(*options, "--output", "exec:sh sink.sh", site.url("a.localhost", "/a.html"))
        self.assertEqual(result.status, 4, result.stderr)
        with open(os.path.join(folder, "a.html"), "w", encoding="utf-8") as file:
            file.write("another body")
        result = self.crawl(*options, "--output", "rest.jsonl", site.url("a.localhost", "/b.html"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual({record["url"][-6:]: record.get("duplicate_of") for record in self.records("rest.jsonl")},
                         {"a.html": None, "b.html": None})

    def test_nothing_is_lost_when_either_is_killed(self):
        count = 40 + 15 * KILLS
        url = self.site(count)
        options = ("--state", "st", "--depth", "50", "--no-adaptive", "--per-host", "4", "--delay", "5ms", "--output")
        for number in range(KILLS):
            process = self.start(*options, self.sink("--die-after", str(5 + number % 3)), url)
            had = self.line_count()
            self.wait_for(lambda: process.poll() is not None or self.line_count() > had + 12)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        result = self.crawl(*options, self.sink(), url)
        self.assertEqual(result.status, 0, result.stderr)
        kept = self.kept()
        self.assertEqual(set(kept), {f"{page}.html" for page in range(count)})
        lines = [line for line in self.lines() if "n" in line]
        newest = {line["record"]["url"].split("/", 3)[3]: line["version"] for line in lines}
        self.assertEqual({path: version for path, (_, version) in kept.items()}, newest)
        # a repeated line is the same line, and another visit of a page is a later version
        for url in {line["record"]["url"] for line in lines}:
            texts = [(line["version"], line["record"]["fetched_at"]) for line in lines if line["record"]["url"] == url]
            self.assertEqual(texts, sorted(texts))
            self.assertEqual(len({version for version, _ in texts}), len(set(texts)))


if __name__ == "__main__":
    harness.main()
