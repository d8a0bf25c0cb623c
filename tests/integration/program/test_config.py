#!/usr/bin/env python3
"""Tests crawler.conf and options through the program."""
import re
import zlib

import harness


class Config(harness.TestCase):
    def printed(self, *args):
        result = self.crawl(*args, "--print-config")
        self.assertEqual(result.status, 0, result.stderr)
        return result.stdout

    def value(self, text, key):
        found = [line.split("=", 1)[1].strip() for line in text.splitlines() if line.split("=", 1)[0].strip() == key
                 and "=" in line]
        self.assertEqual(len(found), 1, (key, found))
        return found[0]

    def test_what_is_printed_loads_as_it_was(self):
        first = self.printed("--depth", "7", "--delay", "1500ms", "--exclude", r"\.pdf$", "--include", "a;b # c",
                             "--fpr", "1e-6")
        self.write("copy.conf", first)
        self.assertEqual(self.printed("--config", "copy.conf"), first)
        self.assertEqual(self.value(first, "depth"), "7")

    def test_the_file_in_the_folder_is_read_and_options_override_it(self):
        self.write("crawler.conf", "[crawl]\ndepth = 5\norder = dfs\n[politeness]\ndelay = 2s\n")
        text = self.printed("--depth", "6")
        self.assertEqual((self.value(text, "depth"), self.value(text, "order"), self.value(text, "delay")),
                         ("6", "dfs", "2s"))

    def test_the_file_in_the_folder_is_named_and_leaves_a_kept_crawl_alone(self):
        """A resumed crawl keeps its settings, whatever lies in the folder; --config and options change them."""
        read = "settings are read from ./crawler.conf"
        passed = "kept resumes with its own settings; ./crawler.conf is not read: --config crawler.conf takes it"
        self.write("crawler.conf", "[crawl]\ndepth = 5\n")
        first = self.crawl("--state", "kept", "--retries", "0", "http://127.0.0.1:1/")
        self.assertIn(read, first.stderr)
        self.write("crawler.conf", "[crawl]\ndepth = 1\norder = dfs\n")
        again = self.crawl("--state", "kept")
        self.assertEqual(again.status, 0, again.stderr)
        self.assertIn(passed, again.stderr)
        self.assertNotIn(read, again.stderr)
        self.assertEqual(self.value(self.printed("--state", "kept"), "depth"), "5")
        self.assertEqual(self.value(self.printed("--state", "kept", "--config", "crawler.conf"), "depth"), "1")
        self.assertEqual(self.value(self.printed("--state", "kept", "--depth", "2"), "depth"), "2")
        self.assertEqual(self.value(self.printed("--state", "other"), "depth"), "1")
        self.assertNotIn("crawler.conf", self.crawl("--quiet", "--print-config").stderr)
        self.write("crawler.conf", "[crawl]\ndepth = 4\n[state]\ndirectory = kept\n")
        self.assertEqual(self.value(self.printed(), "depth"), "4", "a file that names the crawl belongs to it")

    def test_a_file_from_a_pipe(self):
        """Settings that need a second reading of the file: a folder, a shared crawl, and those of an audit."""
        text = "[crawl]\ndepth = 5\n"
        for options in ((), ("--state", "new"), ("--audit",), ("--state", "redis://127.0.0.1:1/0?name=x")):
            result = self.crawl("--config", "/dev/stdin", "--print-config", *options, stdin=text)
            self.assertEqual((result.status, self.value(result.stdout, "depth")), (0, "5"), options)
            result = self.crawl("--config", "/dev/stdin", "--print-config", *options, stdin="[crawl]\ndepht = 5\n")
            self.assertEqual((result.status, result.stdout), (2, ""), options)

    def test_errors_name_file_line_value_and_nearest_key(self):
        table = {
            "[politeness]\n\ndealy = 3s\n": ["bad.conf:3:1:", "politeness.dealy", '"delay"'],
            "[politness]\ndelay = 3s\n": ["bad.conf:", "politness", "politeness"],
            "[politeness]\ndelay = -3s\n": ["bad.conf:2:9:", "-3s", "duration"],
            "[politeness]\nper_host = 0\n": ["bad.conf:2:", "per_host", "from 1 to"],
            "[seen]\nfpr = 2\n": ["bad.conf:2:", "fpr", "0.5"],
            "[crawl]\norder = sideways\n": ["bad.conf:2:", "bfs, dfs, best"],
            "[crawl]\ndepth = 1\ndepth = 2\n": ["bad.conf:3:", "depth"],
            "[fetch]\nhttp2 = perhaps\n": ["bad.conf:2:", "http2"],
            "nonsense\n": ["bad.conf:1:"],
        }
        for text, words in table.items():
            self.write("bad.conf", text)
            result = self.crawl("--config", "bad.conf", "--print-config")
            self.assertEqual((result.status, result.stdout), (2, ""), text)
            for word in words:
                self.assertIn(word, result.stderr, text)

    def test_options_of_other_programs(self):
        table = {"--threads": "--connections N", "--concurrency": "--per-host N", "--user": "[host NAME]",
                 "--limit": "--max-pages N", "-r": "--depth N", "--format": "--output FILE.csv",
                 "--max-depth=3": "--depth N", "-np": "--scope prefix", "-U": "--user-agent",
                 "-c8": "--connections N", "-mk": "--mirror DIR", "-k": "--insecure", "-H": "--header",
                 "--javascript": "--render", "-L": "--max-redirects N", "--wait=1": "--delay S",
                 "--wait=0.5": "--delay S", "-nd": "--mirror DIR", "-nv": "--quiet", "-m100": "fetch.max_body",
                 "-A1000": "--rate-limit", "-E100": "--max-time", "-%c4": "--delay S", "-c": "--state DIR"}
        for option, words in table.items():
            result = self.crawl(option, "http://127.0.0.1:1/")
            self.assertEqual(result.status, 2, option)
            name = option.split("=")[0]
            self.assertRegex(result.stderr, rf"\ncrawl: instead of {name}, crawl takes .*{re.escape(words)}")
        self.assertNotIn("--no-requisites", self.crawl("--page-requisites", "http://127.0.0.1:1/").stderr)
        self.assertIn('mean "--no-requisites"', self.crawl("--no-requisits", "http://127.0.0.1:1/").stderr)
        self.assertIn("--delay S", self.crawl("--wait", "2", "http://127.0.0.1:1/").stderr)
        self.assertNotIn("instead of", self.crawl("--wait", "127.0.0.1:1").stderr)
        self.assertNotIn("instead of", self.crawl("--nonsense").stderr)
        self.assertNotIn("instead of", self.crawl("--nonsense", "--proxy", "").stderr)
        self.assertNotIn("instead of", self.crawl("--robots", "--include", "(", "http://127.0.0.1:1/").stderr)

    def test_errors_of_options(self):
        table = {
            ("--dpeth", "3"): ["--dpeth", "--depth"],
            ("--depth", "x"): ["--depth", '"x"'],
            ("--depth",): ["--depth"],
            ("--order", "sideways"): ["bfs, dfs, best"],
            ("--set", "crawl.dept=3"): ["crawl.dept"],
            ("--config",): ["--config: needs a value"],
            ("--config", "missing.conf"): ["missing.conf", "No such file"],
            ("--delay", "5x"): ["--delay", "250ms"],
        }
        for args, words in table.items():
            result = self.crawl(*args)
            self.assertEqual(result.status, 2, args)
            for word in words:
                self.assertIn(word, result.stderr, args)

    def test_help_and_version(self):
        for args, word in ((["--help"], "--seeds FILE"), (["help"], "crawl url"), (["--version"], "crawl 0."),
                           (["help", "url"], "--jsonl"), (["help", "all"], "128 and its"),
                           (["links", "--help"], "--base"), (["robots", "--help"], "--agent")):
            result = self.crawl(*args)
            self.assertEqual((result.status, result.stderr), (0, ""), args)
            self.assertIn(word, result.stdout, args)
        self.assertEqual(self.crawl("help", "nonsense").status, 2)

    def test_version_names_the_libraries_in_use(self):
        lines = self.crawl("--version").stdout.splitlines()
        self.assertRegex(lines[0], r"^crawl \d+\.\d+\.\d+$")
        found = dict(line.split(" ", 1) for line in lines[1:])
        for name in ("libcurl", "nghttp2", "libevent", "zlib", "brotli", "zstd", "libxml2", "libunistring", "Unicode",
                     "RocksDB", "libcrypto", "xxHash", "PCRE2", "libpsl", "jansson"):
            self.assertRegex(found.get(name, ""), r"^\d+\.\d+", name)
        self.assertRegex(found["TLS"], r"^\w+/\d")
        self.assertEqual(found["zlib"], zlib.ZLIB_RUNTIME_VERSION)  # Python's is the system's, as ours is


class Names(harness.TestCase):
    def test_more_names_than_are_looked_for(self):
        """[parse] lazy with 33 names is refused with a message. The 33rd was once ignored in silence."""
        names = " ".join(f"d-{n}" for n in range(33))
        self.write("crawler.conf", f"[parse]\nlazy = {names}\n")
        result = self.crawl("--print-config")
        self.assertEqual((result.status, result.stdout), (2, ""))
        self.assertIn("crawler.conf:2:8: parse.lazy = d-0 d-1", result.stderr)
        self.assertIn("expected at most 32 names of attributes", result.stderr)
        self.write("crawler.conf", f"[parse]\nlazy = {names[:-5]}\n")
        self.assertEqual(self.crawl("--print-config").status, 0)


if __name__ == "__main__":
    harness.main()
