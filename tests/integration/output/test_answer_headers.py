#!/usr/bin/env python3
"""Tests that with --answer-headers records have the named headers and no others, in valid JSON whatever they
contain."""
import json

import harness

PAGES = {"index.html": "<a href=/two>two</a><a href=/odd>odd</a><a href=/gone>gone</a>"}
SERVER = """location = /two { add_header X-Twice one; add_header x-twice 'two, three'; add_header X-Other no; return 200 two; }
location = /odd { add_header X-Twice 'a "b" \\\\ \u00ff'; return 302 /two; }"""


class AnswerHeaders(harness.TestCase):
    def records(self, nginx, *options):
        result = self.crawl("--delay", "0", "--no-robots", "--overwrite", "--output", "pages.jsonl", *options,
                            nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        with open(self.path("pages.jsonl"), encoding="utf-8") as file:
            return {record["url"].split("/", 3)[3]: record for record in map(json.loads, file)}

    def test_those_that_are_named(self):
        nginx = self.start_nginx({"a.localhost": self.make_site(PAGES)}, SERVER)
        records = self.records(nginx, "--answer-headers", "X-Twice, server x-nothing SERVER")
        self.assertEqual(len(records), 4)
        server = {"server": [records[""]["headers"]["server"][0]], "x-nothing": []}
        self.assertRegex(server["server"][0], "^nginx")
        self.assertEqual({path: record["headers"] for path, record in records.items()},
                         {"": {"x-twice": [], **server}, "gone": {"x-twice": [], **server},
                          "two": {"x-twice": ["one", "two, three"], **server},
                          "odd": {"x-twice": ['a "b" \\ \u00ff'], **server}})
        self.assertEqual({path: record["headers"]["x-other"]
                          for path, record in self.records(nginx, "--answer-headers", "x-other").items()},
                         {"": [], "gone": [], "two": ["no"], "odd": []})
        self.assertEqual([path for path, record in self.records(nginx).items() if "headers" in record], [])

    def test_what_is_no_name(self):
        result = self.crawl("--answer-headers", "server: nginx", "http://a.localhost/")
        self.assertEqual(result.status, 2)
        self.assertIn("names of headers", result.stderr)


if __name__ == "__main__":
    harness.main()
