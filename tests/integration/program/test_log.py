#!/usr/bin/env python3
"""Tests the messages of a crawl in a file, --log, --log-level, --log-format, and SIGHUP with such a file."""
import json
import os
import re
import signal

import harness

STAMP = r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error  |warning|info   |debug  ) "


class Log(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.nginx = self.start_nginx({"a.localhost": self.make_site({f"{n}.html": "page" for n in range(4)})})

    def crawl_with(self, *options):
        urls = [self.nginx.url("a.localhost", f"/{n}.html") for n in (0, 1, 2, "missing")]
        result = self.crawl("--delay", "0s", "--no-robots", *options, *urls)
        self.assertEqual(result.status, 0, result.stderr)
        return result.stderr

    def lines(self, name="log"):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.endswith("\n"))
        return text.splitlines()

    def test_lines_with_their_time_and_level(self):
        said = self.crawl_with("--log", self.path("log"), "--log-level", "debug")
        lines = self.lines()
        for line in lines:
            self.assertRegex(line, STAMP)
        self.assertEqual(sum("Z debug   200 http" in line for line in lines), 3)
        self.assertEqual(sum("Z warning 404 http" in line for line in lines), 1)
        self.assertRegex(lines[0], r"Z info    crawl \d+\.\S+ begins, process \d+$")
        self.assertTrue(any("Z info    nothing left to fetch" in line for line in lines))
        self.assertNotIn(" 200 http", said, "standard error has what it had without a log")
        self.assertIn("crawl: nothing left to fetch", said)

    def test_a_log_goes_on_and_quiet_is_of_standard_error(self):
        for _ in range(2):
            self.assertEqual(self.crawl_with("--quiet", "--log", self.path("log")), "")
        self.assertEqual(sum("nothing left to fetch" in line for line in self.lines()), 2)
        self.assertFalse(any(" debug " in line for line in self.lines()))

    def test_progress_is_in_it_and_in_json_with_its_figures(self):
        urls = [self.nginx.url("a.localhost", f"/{n}.html") for n in range(4)]
        result = self.crawl("--delay", "300ms", "--no-robots", "--progress", "none", "--set",
                            "output.progress_interval=400ms",
                            "--log", self.path("log"), "--log-format", "json", *urls)
        self.assertNotIn("queued", result.stderr.split("nothing left")[0])
        messages = [json.loads(line) for line in self.lines()]
        progress = [message for message in messages if "figures" in message]
        self.assertGreaterEqual(len(progress), 1)
        for message in progress:
            self.assertEqual((message["level"], message["figures"]["hosts"]), ("info", 1))
            self.assertIn(" pages  ", message["message"])
        self.assertTrue(any("\n  pages     4 " in message["message"] for message in messages), "a message is one line")

    def test_json_on_standard_error_without_a_file(self):
        said = self.crawl_with("--log-format", "json", self.nginx.url("a.localhost", "/%1b%ff\"é\\.html"),
                               f"http://127.0.0.1:{harness.free_port()}/\x1b]0;x", "--retries", "0")
        messages = [json.loads(line) for line in said.splitlines()]
        self.assertEqual([message["level"] for message in messages if "connect" in message["message"].split("\n")[0]],
                         ["warning"])

    def test_what_cannot_be_a_log(self):
        for status, option, words in ((2, "-", "a log must be a file"), (4, self.path("none/log"), "No such file"),
                                      (4, self.path("."), "Is a directory")):
            result = self.crawl("--log", option, self.nginx.url("a.localhost", "/0.html"))
            self.assertEqual(result.status, status, result.stderr)
            self.assertIn(words, result.stderr)
        same = self.path("same")
        result = self.crawl("--log", same, "--output", same, self.nginx.url("a.localhost", "/0.html"))
        self.assertEqual(result.status, 2)
        self.assertIn("output.output and output.log are the same", result.stderr)
        result = self.crawl("--log", "/dev/full", self.nginx.url("a.localhost", "/0.html"))
        self.assertEqual(result.status, 0, "a log that is full ends no crawl")
        self.assertEqual(result.stderr.count("crawl: log: /dev/full: No space left on device"), 1)


class Hangup(harness.TestCase):
    """A crawl of many small pages that continues while its files are moved away."""
    PAGES = 200

    def setUp(self):
        super().setUp()
        links = "".join(f'<a href="{n}.html">{n}</a>' for n in range(self.PAGES))
        site = self.make_site({"index.html": links, **{f"{n}.html": "page" for n in range(self.PAGES)}})
        self.nginx = self.start_nginx({"a.localhost": site})

    def said(self, words):
        with open(self.path("log"), encoding="utf-8") as file:
            return words in file.read()

    def hang_up(self, process, words="SIGHUP: reopening files"):
        process.send_signal(signal.SIGHUP)
        harness.wait_for(lambda: os.path.exists(self.path("log")) and self.said(words))

    def lines(self, *names):
        """Returns the lines of consecutive files. Each must have some, all complete."""
        lines = []
        for name in names:
            with open(self.path(name), encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(text.endswith("\n"), name)
            lines += text.splitlines()
        return lines

    def test_files_are_moved_away_and_no_line_is_lost_or_cut(self):
        names = ["pages.jsonl", "links.csv", "requests.jsonl", "fields.csv", "log"]
        self.write("rules.conf", "[extract all]\nfield.body = body\n")
        process = self.start("--delay", "4ms", "--no-adaptive", "--output", "pages.jsonl", "--links", "links.csv",
                             "--requests", "requests.jsonl", "--config", "rules.conf", "--fields", "fields.csv",
                             "--log", "log", self.nginx.url("a.localhost"))
        harness.wait_for(lambda: all(os.path.exists(self.path(name)) for name in names)
                         and all(os.path.getsize(self.path(name)) for name in ("links.csv", "fields.csv")))
        for name in names:
            os.rename(self.path(name), self.path(name + ".1"))
        self.hang_up(process)
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, 0, stderr)
        records = [json.loads(line)["url"] for line in self.lines("pages.jsonl.1", "pages.jsonl")]
        self.assertEqual((len(records), len(set(records))), (self.PAGES + 1, self.PAGES + 1))
        for name, rows in (("links.csv", self.PAGES), ("fields.csv", self.PAGES + 1)):
            first, second = self.lines(name + ".1"), self.lines(name)
            self.assertEqual(first[0], second[0], "each has the names of its columns")
            self.assertEqual(len(first) + len(second) - 2, rows, name)
        audit = self.crawl("audit", stdin="\n".join(self.lines("requests.jsonl.1", "requests.jsonl")) + "\n")
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)
        self.assertTrue(self.said("nothing left to fetch"))

    def test_a_report_says_that_a_file_was_moved_away(self):
        process = self.start("--delay", "4ms", "--no-adaptive", "--output", "pages.jsonl", "--report", "site.html",
                             "--log", "log", self.nginx.url("a.localhost"))
        harness.wait_for(lambda: os.path.exists(self.path("pages.jsonl")) and len(self.nginx.requests()) > 9)
        os.rename(self.path("pages.jsonl"), self.path("pages.jsonl.1"))
        self.hang_up(process)
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertIn("report: pages.jsonl was moved away during the crawl: the report lacks what was moved", stderr)

    def test_the_configuration_is_read_again(self):
        self.write("crawler.conf", "[crawl]\ndepth = 1\n[politeness]\ndelay = 1h\n[fetch]\nconnections = 3\n[output]\n"
                                   "progress_interval = 1h\n")
        process = self.start("--log", "log", "--max-pages", "7", self.nginx.url("a.localhost"))
        harness.wait_for(lambda: os.path.exists(self.path("log")) and len(self.nginx.requests()))
        self.write("crawler.conf", "[crawl]\ndepth = 2\nmax_pages = 9\n[politeness]\ndelay = 20m\n[fetch]\n"
                                   "connections = 5\nrate_limit = 5M\n[output]\nlog_level = debug\n")
        self.hang_up(process, "log_level is debug")
        text = "\n".join(self.lines("log"))
        self.assertIn("info    politeness.delay is 20m now; it was 1h", text)
        self.assertIn("info    fetch.connections is 5 now; it was 3", text)
        self.assertIn("info    fetch.rate_limit is 5M now; it was 0", text)
        self.assertIn("info    output.progress_interval is 1m now; it was 1h", text)
        self.assertIn("warning crawl.depth stays 1: 2 takes effect in the next run", text)
        self.assertNotIn("max_pages", text, "an option goes before the file")
        self.write("crawler.conf", "[fetch]\nconnections = none\n")
        self.hang_up(process, "settings are unchanged")
        self.write("crawler.conf", "[crawl]\ndepth = 1\nmax_time = 1ms\n[politeness]\ndelay = 20m\n")
        self.hang_up(process, "crawl.max_time is 1ms now; it was 0")
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertIn("crawl.max_time reached", stderr)

    def test_a_shorter_interval_holds_for_a_crawl_that_waits_for_a_date(self):
        self.write("crawler.conf", "[output]\nprogress_interval = 1h\n")
        process = self.start("--log", "log", "--progress", "none", "--revisit", "--depth", "0", "--no-robots",
                             self.nginx.url("a.localhost"))
        harness.wait_for(self.nginx.requests)
        self.write("crawler.conf", "[output]\nprogress_interval = 250ms\n")
        self.hang_up(process, "progress_interval is 250ms")
        harness.wait_for(lambda: sum(" pages  " in line for line in self.lines("log")) > 3)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=harness.LIMIT_S)

    def test_what_is_said_of_changes_is_true(self):
        """The longest delay takes effect; connections beyond the limit of open files do not."""
        self.write("crawler.conf", "[politeness]\ndelay = 1h\n[fetch]\nconnections = 3\n")
        process = self.start("--log", "log", self.nginx.url("a.localhost"), files=(400, 400))
        harness.wait_for(lambda: os.path.exists(self.path("log")) and len(self.nginx.requests()))
        self.write("crawler.conf", "[politeness]\ndelay = 1d\n[fetch]\nconnections = 5000\n")
        self.hang_up(process, "fetch.connections is")
        self.assertTrue(self.said("info    politeness.delay is 1d now; it was 1h"))
        self.assertFalse(self.said("error"))
        text = "\n".join(self.lines("log"))
        found = re.search(r"warning fetch.connections is (\d+) now, since 5000 is not possible; it was 3$", text, re.M)
        self.assertTrue(found, text)
        self.assertLess(int(found[1]), 400)
        self.write("crawler.conf", "[politeness]\ndelay = 1d\n[fetch]\nconnections = 4\n")
        self.hang_up(process, f"fetch.connections is 4 now; it was {found[1]}")
        process.terminate()
        process.communicate(timeout=harness.LIMIT_S)

    def test_a_pipe_is_not_read_again(self):
        process = self.start("--config", "/dev/stdin", "--log", "log", self.nginx.url("a.localhost"), stdin="")
        process.stdin.write("[politeness]\ndelay = 1h\n")
        process.stdin.close()
        process.stdin = None
        harness.wait_for(lambda: os.path.exists(self.path("log")) and len(self.nginx.requests()))
        self.hang_up(process, "/dev/stdin cannot be read twice, since it is not a regular file; settings are unchanged")
        process.terminate()
        process.communicate(timeout=harness.LIMIT_S)

    def test_a_device_without_contents_is_read_again(self):
        process = self.start("--config", "/dev/null", "--log", "log", "--delay", "1h", self.nginx.url("a.localhost"))
        harness.wait_for(lambda: os.path.exists(self.path("log")) and len(self.nginx.requests()))
        self.hang_up(process)
        process.send_signal(signal.SIGHUP)
        harness.wait_for(lambda: sum("SIGHUP" in line for line in self.lines("log")) == 2)
        process.terminate()
        process.communicate(timeout=harness.LIMIT_S)
        self.assertFalse(self.said("settings are unchanged"))

    def test_a_file_of_cookies_has_changed_nothing(self):
        self.write("cookies.txt", "")
        self.write("crawler.conf", "[politeness]\ndelay = 1h\n")
        process = self.start("--log", "log", "--state", "st", "--cookies-file", "cookies.txt",
                             self.nginx.url("a.localhost"))
        harness.wait_for(lambda: os.path.exists(self.path("log")) and len(self.nginx.requests()))
        self.write("crawler.conf", "[politeness]\ndelay = 20m\n")
        self.hang_up(process, "politeness.delay is 20m now; it was 1h")
        process.terminate()
        process.communicate(timeout=harness.LIMIT_S)
        self.assertFalse(self.said("fetch.cookies"))

    def test_the_file_that_began_a_kept_crawl_is_read_again(self):
        self.write("crawler.conf", "[politeness]\ndelay = 1h\n")
        process = self.start("--log", "log", "--state", "st", self.nginx.url("a.localhost"))
        harness.wait_for(lambda: os.path.exists(self.path("log")) and len(self.nginx.requests()))
        self.write("crawler.conf", "[politeness]\ndelay = 20m\n")
        self.hang_up(process, "politeness.delay is 20m now; it was 1h")
        process.terminate()
        process.communicate(timeout=harness.LIMIT_S)

    def test_without_a_log_it_ends_the_crawl(self):
        process = self.start("--delay", "1h", "--output", "pages.jsonl", self.nginx.url("a.localhost"))
        harness.wait_for(lambda: len(self.nginx.requests()))
        process.send_signal(signal.SIGHUP)
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, 3, stderr)


if __name__ == "__main__":
    harness.main()
