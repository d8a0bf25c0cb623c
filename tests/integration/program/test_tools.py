#!/usr/bin/env python3
"""Tests crawl url, crawl links and crawl robots: input, output, and messages about bad input."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import harness

DATA = Path(os.environ.get("CRAWL_CONFORMANCE", ""))


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def jsonl(objects):
    return "".join(json.dumps(o) + "\n" for o in objects)


class Tools(harness.TestCase):
    def ask(self, word, objects):
        """Returns the answers. Refused ones decide the exit status, and are reported with their line."""
        result = self.crawl(word, "--jsonl", stdin=jsonl(objects))
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(len(answers), len(objects))
        refused = [f"crawl {word}: line {n}: {a['error']}" for n, a in enumerate(answers, 1) if a.get("error")]
        self.assertEqual(result.status, 1 if refused else 0, result.stderr)
        self.assertEqual(result.stderr.splitlines(), refused)
        return answers

    def measured(self, *args):
        """Returns status, standard error, and the program's peak memory in MiB."""
        with subprocess.Popen([harness.program(), *args], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              env={**os.environ, **harness.SANITIZERS,
                                   "ASAN_OPTIONS": harness.SANITIZERS["ASAN_OPTIONS"]
                                   + ":quarantine_size_mb=1"}) as process:
            said = process.stderr.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, said, usage.ru_maxrss / 1024

    def test_help_of_each(self):
        """The help of a tool can be requested in any way; the help of the crawl names the option."""
        self.assertRegex(self.crawl("help", "all").stdout, r"\n  -h, --help +print this")
        self.assertEqual(self.crawl("-h").stdout, self.crawl("help").stdout)
        words = re.findall(r"^  crawl ([a-z]+) ", self.crawl("help").stdout, re.M)
        self.assertGreater(len(words), 8)
        for word in words:
            told = [self.crawl(*arguments) for arguments in (("help", word), (word, "--help"), (word, "-h"))]
            self.assertEqual([(result.status, result.stderr) for result in told], [(0, "")] * 3, word)
            self.assertEqual(len({result.stdout for result in told}), 1, word)

    def test_a_tool_that_is_not_installed_is_named(self):
        """Tools that are separate executables are found by the folder of the program."""
        alone = self.path("alone/bin/crawl")
        os.makedirs(os.path.dirname(alone))
        shutil.copy(harness.program(), alone)
        for args in ["query", "x.jsonl"], ["report", "--help"], ["help", "serve"]:
            said = subprocess.run([alone, *args], capture_output=True, text=True, check=False)
            self.assertIn(f"{os.path.dirname(alone)}/../libexec/crawl/crawl-", said.stderr)
            self.assertIn("No such file or directory", said.stderr)
            self.assertEqual((said.returncode, said.stdout), (4, ""), args)
        said = subprocess.run([alone, "url"], input="http://a/", capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)

    def test_url_lines(self):
        result = self.crawl("url", stdin="HTTP://Example.COM:80/%7ea/../b?z=1&a=2#f\nnonsense\nmailto:a@b\nhttps://h\n")
        self.assertEqual(result.status, 1)
        self.assertEqual(result.stdout.split("\n"), ["http://example.com/b?a=2&z=1", "", "", "https://h/", ""])
        self.assertIn("2", result.stderr)
        self.assertEqual(self.crawl("url", "--nonsense").status, 2)

    def test_url_from_a_file(self):
        self.write("urls.txt", "http://a/\r\nhttp://b")
        self.assertEqual(self.crawl("url", "urls.txt").stdout, "http://a/\nhttp://b/\n")
        self.assertNotEqual(self.crawl("url", "missing.txt").status, 0)

    def test_url_fingerprints(self):
        answers = self.ask("url", [{"input": "?b=2&a=1", "base": "http://h/x"},
                                   {"input": "http://h/", "method": "POST", "body": "q"},
                                   {"input": "http://h/", "method": "POST", "body_hex": "71"}, {"input": "http://["}])
        self.assertEqual(answers[0]["href"], "http://h/x?b=2&a=1")
        self.assertEqual(answers[0]["canonical"], "http://h/x?a=1&b=2")
        self.assertEqual(answers[0]["fingerprint"], hashlib.sha1(b"GEThttp://h/x?a=1&b=2").hexdigest())
        self.assertEqual(answers[1]["fingerprint"], hashlib.sha1(b"POSThttp://h/\nq").hexdigest())
        self.assertEqual(answers[1]["fingerprint"], answers[2]["fingerprint"])
        self.assertIsNone(answers[3]["href"])
        self.assertTrue(answers[3]["error"])

    @unittest.skipUnless(DATA.is_dir() and os.environ.get("CRAWL_CONFORMANCE"), "no conformance data")
    def test_url_standard(self):
        cases = [r for r in rows("url/http-cases.jsonl") if "input" in r and not r.get("implementations_differ")
                 and r["kind"] == "http"]
        answers = self.ask("url", [{"input": r["input"], "base": r["base"]} if r["base"] else {"input": r["input"]}
                                   for r in cases])
        self.assertEqual([(r["id"], a["href"]) for r, a in zip(cases, answers)], [(r["id"], r["href"]) for r in cases])

    def test_links(self):
        page = ("<base href=/d/><title> A  b </title><a href=x rel='nofollow me'>x</a><link rel=next href=../y><area "
                "href='z#q'>")
        self.write("page.html", page)
        result = self.crawl("links", "--base", "http://h/", "page.html")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([json.loads(line) for line in result.stdout.splitlines()], [
            {"url": "http://h/d/x", "tag": "a", "attr": "href", "rel": "nofollow me", "nofollow": True},
            {"url": "http://h/y", "tag": "link", "attr": "href", "rel": "next", "nofollow": False},
            {"url": "http://h/d/z#q", "tag": "area", "attr": "href", "rel": "", "nofollow": False},
        ])
        self.assertEqual(self.crawl("links", "--nonsense").status, 2)

    def test_links_that_want_a_base(self):
        self.write("page.html", "<a href=x>x</a><a href=#y>y</a><a href='http://['>no</a><a href=http://h/>h</a>")
        result = self.crawl("links", "page.html")
        self.assertEqual((result.status, len(result.stdout.splitlines())), (0, 1))
        said = ": {} left out: give the page's own URL with --base URL\n"
        self.assertEqual(result.stderr, "crawl links: page.html" + said.format("2 relative links"))
        self.assertEqual(self.crawl("links", stdin="<img src=x>").stderr,
                         "crawl links: standard input" + said.format("1 relative link"))
        self.assertEqual(self.crawl("links", "--base", "http://h/", "page.html").stderr, "")
        self.assertEqual(self.crawl("links", stdin="<base href=http://h/d/><a href=x><a href='http://['>").stderr, "")

    def test_what_is_no_page_is_refused(self):
        with open(self.path("x.png"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR<a href=http://h/>a</a>")
        with open(self.path("wide.html"), "wb") as file:
            file.write("\ufeff<a href=http://h/>a</a>".encode("utf-16-le"))
        self.write("odd.html", "\x01\x02<a href=http://h/>a</a>")
        self.write("stray.html", "\x01\n<a href=http://h/>a</a>")
        self.write("words.html", "A word\x0bprocessor <a href=http://h/>a</a>" + "x" * 99 + "\0 \b")
        for tool in (["text"], ["links"], ["extract", "--data"]):
            result = self.crawl(*tool, "x.png")
            self.assertEqual((result.status, result.stdout), (1, ""))
            self.assertEqual(result.stderr,
                             f"crawl {tool[0]}: x.png: not a page: it contains bytes that are not text\n")
            self.assertEqual(self.crawl(*tool, "wide.html").status, 0)
            self.assertEqual(self.crawl(*tool, "stray.html").status, 0)
            self.assertEqual(self.crawl(*tool, "words.html").status, 0)
            self.assertEqual(self.crawl(*tool, "odd.html").status, 1)
            result = self.crawl(*tool, "--charset", "windows-1252", "odd.html")
            self.assertEqual((result.status, result.stderr), (0, ""), "it was said what it is")

    def test_mistakes_on_the_command_line(self):
        for tool in ("text", "links", "extract", "url", "robots", "sitemap", "query", "corpus", "index",
                     "report", "audit", "warc", "identity", "inspect", "mcp", "serve",
                     "upload"):
            for word, why in (("--nonsense", "unknown option"), ("-x", "unknown option"),
                              ("--help=1", "takes no value")):
                result = self.crawl(tool, word)
                self.assertEqual((result.status, result.stdout), (2, ""))
                self.assertEqual(result.stderr, f"crawl {tool}: {word}: {why}\nTry 'crawl help {tool}'.\n")
            self.assertEqual(self.crawl("help", tool).status, 0)
        self.assertIn("crawl links: --base: needs a value\n", self.crawl("links", "--base").stderr)
        self.assertIn("crawl links: did you mean --base?\n", self.crawl("links", "--bas3=x").stderr)
        self.assertIn("crawl links: one FILE at most\n", self.crawl("links", "a", "b").stderr)

    def test_a_url_is_no_file(self):
        for tool in ("text", "links"):
            result = self.crawl(tool, "http://h.example/")
            self.assertEqual((result.status, result.stdout), (4, ""))
            self.assertEqual(result.stderr, f"crawl {tool}: http://h.example/: no such file, and URLs are not fetched "
                                            f"here: curl -s URL | crawl {tool}\n")
        for words, option in ((["report"], "output"), (["audit"], "requests"),
                              (["query", "--columns", "url"], "output")):
            result = self.crawl(*words, "http://h.example/")
            self.assertEqual(result.status, 4)
            self.assertIn(f"here: crawl --{option} FILE URL\n", result.stderr)
        self.assertIn("here: echo URL | crawl url\n", self.crawl("url", "http://h.example/").stderr)

    def test_links_of_every_kind(self):
        page = ("<img src=1 srcset='2 2x'><video poster=3></video><form action=4></form><form method=post "
                "action=no></form>")
        self.write("page.html", page)
        for extractor in ("scan", "libxml2"):
            result = self.crawl("links", "--base", "http://h/", "--html", extractor, "page.html")
            links = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual([(link["tag"], link["attr"], link["url"]) for link in links],
                             [("img", "src", "http://h/1"), ("img", "srcset", "http://h/2"),
                              ("video", "poster", "http://h/3"),
                              ("form", "action", "http://h/4")])
        feed = "<rss><channel><link>http://h/x</link></channel></rss>"
        result = self.crawl("links", "--type", "application/rss+xml; charset=utf-8", stdin=feed)
        self.assertEqual(json.loads(result.stdout)["url"], "http://h/x")
        self.assertEqual(self.ask("links", [{"html": feed, "type": "application/rss+xml"}])[0]["links"][0]["url"],
                         "http://h/x")
        for content_type in ([], ["--type", "text/xml"]):  # its outermost element decides the type
            self.assertEqual(json.loads(self.crawl("links", *content_type, stdin=feed).stdout)["url"], "http://h/x")
        self.assertEqual(self.ask("links", [{"html": feed}])[0]["links"][0]["tag"], "link")
        self.assertEqual(self.crawl("links", "--html", "nonsense").status, 2)

    def test_links_jsonl(self):
        answers = self.ask("links", [{"html": "<a href=x>", "url": "http://h/"},
                                     {"html_hex": "3c6120687265663d79e93e", "url": "http://h/",
                                                                             "charset": "latin1"},
                                     {"html": "<meta http-equiv=refresh content='3;url=n'><meta name=robots "
                                              "content=none>",
                                      "url": "http://h/"}])
        self.assertEqual(answers[0]["links"][0]["url"], "http://h/x")
        self.assertEqual(answers[1]["links"][0]["url"], "http://h/y%C3%A9")
        self.assertEqual(answers[2]["meta_refresh"]["delay"], 3)
        self.assertEqual(set(answers[2]["robots_meta"]), {"noindex", "nofollow"})

    def test_a_text_that_is_cut_is_said_to_be(self):
        self.write("long", "<p>" + "word " * 500000)
        result = self.crawl("text", "long")
        self.assertEqual((result.status, result.stderr), (0, "crawl text: long: too long: the rest is left out\n"))

    def test_text_of_each_file_is_its_own(self):
        for name in ("one", "two"):
            self.write(name, f"<p>{name}")
        self.assertEqual(self.crawl("text", "one", "two").stdout, "==> one <==\none\n==> two <==\ntwo\n")
        lines = self.crawl("text", "--jsonl", "two", "one").stdout.splitlines()
        self.assertEqual(lines, ['{"file":"two","text":"two\\n"}', '{"file":"one","text":"one\\n"}'])

    def test_robots(self):
        self.write("robots.txt", "User-agent: *\nDisallow: /private\nAllow: /private/open\n")
        result = self.crawl("robots", "--agent", "me", "--file", "robots.txt", "http://h/private",
                            "http://h/private/open", "http://h/")
        self.assertEqual(result.status, 0, result.stderr)
        lines = [line.split("\t") for line in result.stdout.splitlines()]
        self.assertEqual([line[:2] for line in lines], [["disallowed", "http://h/private"],
                                                        ["allowed", "http://h/private/open"],
                                                        ["allowed", "http://h/"]])
        self.assertIn("Disallow: /private", lines[0][2])
        self.assertEqual(self.crawl("robots", "--agent", "me").status, 2)
        self.assertEqual(self.crawl("robots", "--agent", "me", "--file", "robots.txt", stdin="nonsense\n").status, 1)

    def test_robots_says_what_may_be_done_by_ai(self):
        text = ("License: /l\nUser-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=maybe\n"
                "Disallow: /private\n")
        self.write("robots.txt", text)
        result = self.crawl("robots", "--agent", "me", "--file", "robots.txt", "http://h/private", "http://h/")
        self.assertEqual(result.stdout.splitlines(), [
            "disallowed\thttp://h/private\tline 5: Disallow: /private",
            "allowed\thttp://h/\t\ttrain-ai=n (line 3), ai-train=maybe (line 4, ignored: value), "
            "license=/l (line 1, ignored: value)\ttrain=n (line 3)"])
        self.assertEqual(result.stderr, "crawl robots: line 1: /l: not an absolute URL\n"
                                        "crawl robots: line 4: ai-train=maybe: the value is neither yes nor no\n")
        answers = self.ask("robots", [{"robots": text, "agent": "me", "url": f"http://h/{path}"}
                                      for path in ("private", "")])
        self.assertFalse({"preferences", "may"} & set(answers[0]))
        self.assertEqual(answers[1]["may"], {"train": "n", "input": None, "search": None})
        self.assertEqual(answers[1]["preferences"][0],
                         {"source": "robots", "label": "train-ai", "value": "n", "line": 3, "refuses": ["train"]})
        self.assertEqual(answers[1]["warnings"], ["line 1: /l: not an absolute URL",
                                                  "line 4: ai-train=maybe: the value is neither yes nor no"])

    def test_robots_tells_which_line_decides_about_use(self):
        self.write("robots.txt", "User-agent: *\nContent-Usage: train-ai=y, search=y\nContent-Signal: ai-train=no\n")
        result = self.crawl("robots", "--agent", "me", "--file", "robots.txt", "http://h/")
        self.assertTrue(result.stdout.endswith("\ttrain=n (line 3), search=y (line 2)\n"), result.stdout)
        self.assertEqual(result.stderr, "")

    def test_robots_warns_of_lines_about_use(self):
        cases = (
            ("Content-Usage: train-ai=n\nUser-agent: *\nContent-Usage: train-ai=n # all\n",
             "line 1: Content-Usage: train-ai=n: before the first User-agent, so it applies to nobody"),
            ("User-agent: other\ncontent-usage: /a ai-train=no\n", "line 2: ai-train: not a label of Content-Usage"),
            ("User-agent: *\nContent-Usage: genai=n\n", "line 2: genai: a label that a later draft dropped"),
            ("User-agent: *\nContent-Usage: train-ai=no\n", "line 2: train-ai: the value is neither y nor n"),
            ("User-agent: *\nContent-Usage: Train-AI=n\n",
             "line 2: Train-AI=n: not a Dictionary (RFC 9651), so all of it is ignored"),
            ("User-agent: *\nContent-Signal: /b train-ai=no, search=yes, use=full\n",
             "line 2: train-ai=no: not a label of Content-Signal"),
            ("User-agent: *\nContent-Signal: ai-train=n, AI-Input = No,\n",
             "line 2: ai-train=n: the value is neither yes nor no"),
            ("Content-Signal: search=no\n",
             "line 1: Content-Signal: search=no: before the first User-agent, so it applies to nobody"),
            ("License: https://l.example/x.xml\nUser-agent: *\nContent-Usage: /b\nContent-Signal:\n", None),
        )
        for text, warning in cases:
            self.write("robots.txt", text)
            result = self.crawl("robots", "--agent", "me", "--file", "robots.txt", "http://h/")
            self.assertEqual((result.status, result.stderr), (0, f"crawl robots: {warning}\n" if warning else ""), text)

    @unittest.skipUnless(DATA.is_dir() and os.environ.get("CRAWL_CONFORMANCE"), "no conformance data")
    def test_robots_standard(self):
        cases = rows("robots/rfc9309.jsonl")
        answers = self.ask("robots", [{k: r[k] for k in ("robots", "robots_hex", "agent", "url") if k in r}
                                      for r in cases])
        self.assertEqual([(r["id"], a["allowed"]) for r, a in zip(cases, answers)],
                         [(r["id"], r["allowed"]) for r in cases])

    def test_robots_refuses_what_crawl_url_refuses(self):
        self.write("robots.txt", "User-agent: *\nDisallow: /private\n")
        lines = "http://h/private\nmailto:a@b\nnonsense\nhttp://h/\nftp://h/\n"
        result = self.crawl("robots", "--agent", "me", "--file", "robots.txt", stdin=lines)
        self.assertEqual(result.status, 1)
        self.assertEqual([line.split("\t")[:2] for line in result.stdout.splitlines()],
                         [["disallowed", "http://h/private"], ["allowed", "http://h/"]])
        said = ("crawl robots: line 2: not an http or https URL\ncrawl robots: line 3: not a URL\ncrawl robots: line "
                "5: not an http or https URL\n")
        self.assertEqual(result.stderr, said)
        self.assertEqual(self.crawl("url", stdin=lines).stderr, said.replace("robots", "url"))
        result = self.crawl("robots", "--agent", "me", "--file", "robots.txt", "mailto:a@b", "http://h/")
        self.assertEqual((result.status, result.stdout, result.stderr),
                         (1, "allowed\thttp://h/\t\n", "crawl robots: mailto:a@b: not an http or https URL\n"))
        answer = self.ask("robots", [{"robots": "", "agent": "me", "url": "mailto:a@b"}])[0]
        self.assertEqual((answer["allowed"], answer["error"]), (None, "not an http or https URL"))

    def test_refused_rows(self):
        self.assertTrue(self.ask("links", [{"url": "http://h/"}])[0]["error"])
        self.assertTrue(self.ask("url", [{"input": "http://h/"}, {"input": "mailto:a@b"}])[1]["error"])
        self.assertEqual(self.ask("robots", [{"robots": "", "agent": "a b", "url": "http://h/"}])[0]["allowed"], True)

    def test_a_byte_order_mark_is_skipped(self):
        mark = "\ufeff"
        row = {"url": {"input": "http://h/"}, "links": {"html": "<a href=http://h/>"},
               "robots": {"robots": "", "agent": "a", "url": "http://h/"}}
        for word, one in row.items():
            result = self.crawl(word, "--jsonl", stdin=mark + jsonl([one, one]))
            self.assertEqual((result.status, result.stderr, len(set(result.stdout.splitlines()))), (0, "", 1))
        self.write("robots.txt", mark + "User-agent: *\nDisallow: /\n")
        for args, out in ((("url",), "http://h/\nhttp://h/\n"), (("seen", "--urls", "--quiet"), "http://h/\n"),
                          (("seen", "--fingerprint", "scrapy-2.7", "--quiet"), "http://h/\n"),
                          (("robots", "--agent", "a", "--file", "robots.txt"),
                           "disallowed\thttp://h/\tline 2: Disallow: /\n" * 2)):
            result = self.crawl(*args, stdin=mark + "http://h/\nhttp://h/\n")
            self.assertEqual((result.status, result.stdout, result.stderr), (0, out, ""))
        result = self.crawl("explain", "--seed", "http://h/", "--jsonl", stdin=mark + "http://h/a\n")
        self.assertIsNone(json.loads(result.stdout)["error"])
        self.assertEqual(self.crawl("seen", "--quiet", stdin=mark + "a\na\n").stdout, mark + "a\na\n",
                         "lines are any bytes")

    def test_a_line_too_long_is_refused_as_it_comes(self):
        long = "http://h/" + "x" * 65536
        for word, args, out in (("url", (), "http://h/1\n\nhttp://h/2\n"),
                                ("robots", ("--agent", "a", "--file", "robots.txt"),
                                 "allowed\thttp://h/1\t\nallowed\thttp://h/2\t\n")):
            self.write("robots.txt", "")
            result = self.crawl(word, *args, stdin=f"http://h/1\n{long}\nhttp://h/2\n")
            self.assertEqual((result.status, result.stdout), (1, out))
            self.assertEqual(result.stderr, f"crawl {word}: line 2: too long: more than 65536 bytes\n")

    def test_memory_is_bounded(self):
        """Reads a line or a file of 512 MiB, of zeros that take no disk space."""
        with open(self.path("zeros"), "wb") as file:
            file.truncate(512 << 20)
        self.write("robots.txt", "")
        idle = self.measured("url", "robots.txt")[2]
        line = {"url": ((), 65536, 8), "robots": (("--jsonl",), 64 << 20, 140), "links": ((), 64 << 20, 140)}
        for word, (args, most, room) in line.items():
            status, said, held = self.measured(word, *args, "zeros")
            self.assertEqual(status, 1)
            self.assertRegex(said, f"^crawl {word}: (line 1|zeros): too long: more than {most} bytes\n$")
            self.assertLess(held - idle, room)
        status, said, held = self.measured("robots", "--agent", "a", "--file", "zeros", "http://h/")
        self.assertEqual((status, said), (0, "crawl robots: zeros: longer than 512000 bytes (RFC 9309, 2.5): the rest "
                                             "is ignored\n"))
        self.assertLess(held - idle, 8)
        status, said, held = self.measured("audit", "zeros")
        self.assertEqual((status, said), (2, "crawl audit: line 1: too long: more than 8388608 bytes\n"))
        self.assertLess(held - idle, 24)
        status, said, held = self.measured("explain", "--records", "zeros", "http://h/")
        self.assertEqual((status, said), (0, ""))
        self.assertLess(held - idle, 140)

    def test_a_robots_that_is_cut_is_told(self):
        body = "User-agent: *\n" + "#" * 511_000 + "\nDisallow: /a\n" + "#" * 1000 + "\nDisallow: /b\n"
        self.write("robots.txt", body)
        result = self.crawl("robots", "--agent", "a", "--file", "robots.txt", "http://h/a", "http://h/b")
        self.assertEqual([line.split("\t")[0] for line in result.stdout.splitlines()], ["disallowed", "allowed"])
        self.assertEqual(result.stderr, "crawl robots: robots.txt: longer than 512000 bytes (RFC 9309, 2.5): the rest "
                                        "is ignored\n")
        self.assertIn("robots.txt: longer than 512000 bytes", self.crawl("explain", "--seed", "http://h/", "--robots",
                                                                         "robots.txt", "http://h/b").stderr)
        result = self.crawl("robots", "--jsonl", stdin=jsonl([{"robots": body, "agent": "a", "url": "http://h/b"}]))
        self.assertEqual((result.status, json.loads(result.stdout)["allowed"]), (0, True))
        self.assertEqual(result.stderr, "crawl robots: line 1: robots is longer than 512000 bytes (RFC 9309, 2.5): "
                                        "the rest is ignored\n")
        self.write("robots.txt", body[:512_000])
        self.assertEqual(self.crawl("robots", "--agent", "a", "--file", "robots.txt", "http://h/b").stderr, "")

    def test_a_page_of_too_many_links_is_told(self):
        html = "<a href=http://h/>" * 100_001
        self.write("page", html)
        result = self.crawl("links", "page")
        self.assertEqual((result.status, result.stdout.count("\n")), (0, 100_000))
        self.assertEqual(result.stderr, "crawl links: page: more than 100000 links: the rest is left out\n")
        result = self.crawl("links", "--jsonl", stdin=jsonl([{"html": html}, {"html": html[:50]}]))
        self.assertEqual((result.status, [json.loads(line).get("links_cut") for line in result.stdout.splitlines()]),
                         (0, [True, None]))
        self.assertEqual(result.stderr, "crawl links: line 1: more than 100000 links: the rest is left out\n")

    def test_what_was_mistyped_is_named(self):
        for args, meant in ((("raport",), 'there is no tool "raport"; did you mean "report"?'),
                            (("help", "seem"), 'there is no tool or group "seem"; did you mean "seen"?'),
                            (("help", "politness"), 'did you mean "politeness"?'),
                            (("help", "SCOPE"), 'did you mean "scope"?'),
                            (("audit", "--toleranse=3"), "did you mean --tolerance?"),
                            (("report", "x.jsonl", "--csw", "d"), "did you mean --csv?"),
                            (("--max-page", "3"), 'did you mean "--max-pages"?'),
                            (("help", "nothing"), "there is no tool or group \"nothing\"; `crawl help` lists them\n"),
                            (("--csv=d", "http://h/"), "`crawl report` has --csv\n"),
                            (("http://h/", "--tolerance", "3"), "`crawl audit` has --tolerance\n")):
            result = self.crawl(*args)
            self.assertEqual(result.status, 2, args)
            self.assertIn(meant, result.stderr)
        self.assertEqual(self.crawl("help", "help").stdout, self.crawl("help").stdout)
        self.assertIn("not an absolute URL: http\n", self.crawl("http").stderr)
        self.assertNotIn("has --", self.crawl("--output", "x.jsonl", "--depth", "x", "http://h/").stderr,
                         "each is an option of the crawl")

    def test_lines_that_are_no_objects(self):
        for word in ("url", "links", "robots"):
            result = self.crawl(word, "--jsonl", stdin="[1]\n{\n")
            self.assertEqual(result.status, 1, word)
            self.assertEqual([sorted(json.loads(line)) for line in result.stdout.splitlines()], [["error"], ["error"]])


if __name__ == "__main__":
    harness.main()
