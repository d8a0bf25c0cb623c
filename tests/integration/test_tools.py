#!/usr/bin/env python3
"""crawl url, crawl links, crawl robots: what goes in, what comes out, what is said of bad input."""
import hashlib
import json
import os
import unittest
from pathlib import Path

import harness

DATA = Path(os.environ.get("CRAWL_CONFORMANCE", ""))


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def jsonl(objects):
    return "".join(json.dumps(o) + "\n" for o in objects)


class Tools(harness.TestCase):
    def ask(self, word, objects, status=0):
        result = self.crawl(word, "--jsonl", stdin=jsonl(objects))
        self.assertEqual(result.status, status, result.stderr)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(len(answers), len(objects))
        return answers

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
        answers = self.ask("url", [{"input": "?b=2&a=1", "base": "http://h/x"}, {"input": "http://h/", "method": "POST", "body": "q"},
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
        cases = [r for r in rows("url/http-cases.jsonl") if "input" in r and not r.get("implementations_differ") and r["kind"] == "http"]
        answers = self.ask("url", [{"input": r["input"], "base": r["base"]} if r["base"] else {"input": r["input"]} for r in cases])
        self.assertEqual([(r["id"], a["href"]) for r, a in zip(cases, answers)], [(r["id"], r["href"]) for r in cases])

    def test_links(self):
        page = "<base href=/d/><title> A  b </title><a href=x rel='nofollow me'>x</a><link rel=next href=../y><area href='z#q'>"
        self.write("page.html", page)
        result = self.crawl("links", "--base", "http://h/", "page.html")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([json.loads(line) for line in result.stdout.splitlines()], [
            {"url": "http://h/d/x", "tag": "a", "attr": "href", "rel": "nofollow me", "nofollow": True},
            {"url": "http://h/y", "tag": "link", "attr": "href", "rel": "next", "nofollow": False},
            {"url": "http://h/d/z#q", "tag": "area", "attr": "href", "rel": "", "nofollow": False},
        ])
        self.assertEqual(self.crawl("links", "--nonsense").status, 2)

    def test_links_of_every_kind(self):
        page = "<img src=1 srcset='2 2x'><video poster=3></video><form action=4></form><form method=post action=no></form>"
        self.write("page.html", page)
        for extractor in ("scan", "libxml2"):
            result = self.crawl("links", "--base", "http://h/", "--html", extractor, "page.html")
            links = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual([(link["tag"], link["attr"], link["url"]) for link in links],
                             [("img", "src", "http://h/1"), ("img", "srcset", "http://h/2"), ("video", "poster", "http://h/3"),
                              ("form", "action", "http://h/4")])
        feed = "<rss><channel><link>http://h/x</link></channel></rss>"
        result = self.crawl("links", "--type", "application/rss+xml; charset=utf-8", stdin=feed)
        self.assertEqual(json.loads(result.stdout)["url"], "http://h/x")
        self.assertEqual(self.ask("links", [{"html": feed, "type": "application/rss+xml"}])[0]["links"][0]["url"], "http://h/x")
        for content_type in ([], ["--type", "text/xml"]):  # what it is, its outermost element says
            self.assertEqual(json.loads(self.crawl("links", *content_type, stdin=feed).stdout)["url"], "http://h/x")
        self.assertEqual(self.ask("links", [{"html": feed}])[0]["links"][0]["tag"], "link")
        self.assertEqual(self.crawl("links", "--html", "nonsense").status, 2)

    def test_links_jsonl(self):
        answers = self.ask("links", [{"html": "<a href=x>", "url": "http://h/"}, {"html_hex": "3c6120687265663d79e93e", "url": "http://h/",
                                                                             "charset": "latin1"},
                                     {"html": "<meta http-equiv=refresh content='3;url=n'><meta name=robots content=none>",
                                      "url": "http://h/"}])
        self.assertEqual(answers[0]["links"][0]["url"], "http://h/x")
        self.assertEqual(answers[1]["links"][0]["url"], "http://h/y%C3%A9")
        self.assertEqual(answers[2]["meta_refresh"]["delay"], 3)
        self.assertEqual(set(answers[2]["robots_meta"]), {"noindex", "nofollow"})

    def test_robots(self):
        self.write("robots.txt", "User-agent: *\nDisallow: /private\nAllow: /private/open\n")
        result = self.crawl("robots", "--agent", "me", "--file", "robots.txt", "http://h/private", "http://h/private/open", "http://h/")
        self.assertEqual(result.status, 0, result.stderr)
        lines = [line.split("\t") for line in result.stdout.splitlines()]
        self.assertEqual([line[:2] for line in lines], [["disallowed", "http://h/private"], ["allowed", "http://h/private/open"],
                                                        ["allowed", "http://h/"]])
        self.assertIn("Disallow: /private", lines[0][2])
        self.assertEqual(self.crawl("robots", "--agent", "me").status, 2)
        self.assertEqual(self.crawl("robots", "--agent", "me", "--file", "robots.txt", stdin="nonsense\n").status, 1)

    @unittest.skipUnless(DATA.is_dir() and os.environ.get("CRAWL_CONFORMANCE"), "no conformance data")
    def test_robots_standard(self):
        cases = rows("robots/rfc9309.jsonl")
        answers = self.ask("robots", [{k: r[k] for k in ("robots", "robots_hex", "agent", "url") if k in r} for r in cases])
        self.assertEqual([(r["id"], a["allowed"]) for r, a in zip(cases, answers)], [(r["id"], r["allowed"]) for r in cases])

    def test_lines_that_are_no_objects(self):
        for word in ("url", "links", "robots"):
            result = self.crawl(word, "--jsonl", stdin="[1]\n{\n")
            self.assertEqual(result.status, 1, word)
            self.assertEqual([sorted(json.loads(line)) for line in result.stdout.splitlines()], [["error"], ["error"]])


if __name__ == "__main__":
    harness.main()
