#!/usr/bin/env python3
"""Statements on the use of pages: read out of every place where they stand, recorded apart, summed up."""
import csv
import json

import harness

ROBOTS = """License: https://lic.example/all.xml
User-agent: *
Content-Usage: /usage/ train-ai=n, search=y
Content-Signal: /signal/ search=yes, ai-train=no
Disallow: /private/
"""
LINKS = "".join(f"<a href=/{path}>x</a>" for path in (
    "usage/a", "signal/a", "header", "words", "tdm", "tdmmeta", "meta", "rsl", "moved", "private/a", "plain.txt"))
PAGES = {
    "robots.txt": ROBOTS,
    "index.html": LINKS,
    "usage/a": "<title>usage</title>secret words<a href=/behind>behind</a>",
    "signal/a": "signal words",
    "header": "header words",
    "words": "words",
    "tdm": "tdm words",
    "tdmmeta": "<meta name=tdm-reservation content=0>tdmmeta words",
    "meta": "<meta name=robots content='noai, noimageai'><meta name=gptbot content=noai>meta words",
    "rsl": "<link rel=license type=application/rsl+xml href=/l.xml><a rel=license href=https://cc.example/by>rsl</a>",
    "behind": "behind words",
    "plain.txt": "plain words",
    "private/a": "private words",
}
SERVER = """default_type text/html;
location = /header { add_header Content-Usage 'train-ai=y, ai-use=n'; add_header Content-Usage 'search=y'; }
location = /words { add_header X-Robots-Tag 'gptbot: noai'; add_header X-Robots-Tag 'crawl: noai'; }
location = /tdm { add_header tdm-reservation 1; add_header tdm-policy https://p.example/x.json; }
location = /tdmmeta { add_header tdm-reservation 1; }
location = /moved { add_header Content-Usage train-ai=n; return 302 /behind; }"""
RSL = {"source": "rsl", "label": "license", "value": "https://lic.example/all.xml", "line": 1}
# What each page says, besides the licence of robots.txt, and what that comes to.
STATED = {
    "": ([], None),
    "usage/a": ([{"source": "robots", "label": "train-ai", "value": "n", "line": 3, "pattern": "/usage/"},
                 {"source": "robots", "label": "search", "value": "y", "line": 3, "pattern": "/usage/"}], "n-y"),
    "signal/a": ([{"source": "signal", "label": "search", "value": "yes", "line": 4, "pattern": "/signal/"},
                  {"source": "signal", "label": "ai-train", "value": "no", "line": 4, "pattern": "/signal/"}], "n-y"),
    "header": ([{"source": "header", "label": "train-ai", "value": "y"},
                {"source": "header", "label": "ai-use", "value": "n"},
                {"source": "header", "label": "search", "value": "y"}], "yny"),
    "words": ([{"source": "xrt", "label": "noai", "agent": "gptbot", "ignored": "agent"},
               {"source": "xrt", "label": "noai", "agent": "crawl"}], "nn-"),
    "tdm": ([{"source": "header", "label": "tdm-reservation", "value": "1"},
             {"source": "header", "label": "tdm-policy", "value": "https://p.example/x.json"}], "nn-"),
    "tdmmeta": ([{"source": "header", "label": "tdm-reservation", "value": "1", "ignored": "superseded"},
                 {"source": "meta", "label": "tdm-reservation", "value": "0"}], "yy-"),
    "meta": ([{"source": "meta", "label": "noai"}, {"source": "meta", "label": "noimageai"},
              {"source": "meta", "label": "noai", "agent": "gptbot", "ignored": "agent"}], "nn-"),
    "rsl": ([{"source": "rsl", "label": "license", "value": "URL/l.xml"},
             {"source": "link", "label": "license", "value": "https://cc.example/by"}], None),
    "moved": ([{"source": "header", "label": "train-ai", "value": "n"}], "n--"),
    "behind": ([], None),
    "plain.txt": ([], None),
}


def may_of(letters):
    """{"train": "n", ...} of "n-y"."""
    return letters and {use: None if letter == "-" else letter
                        for use, letter in zip(("train", "input", "search"), letters, strict=True)}


class Preferences(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.nginx = self.start_nginx({"a.localhost": self.make_site(PAGES)}, SERVER)

    def crawled(self, *options, output="pages.jsonl"):
        """The records by their path."""
        result = self.crawl("--delay", "0", "--overwrite", "--output", output, *options,
                            self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        return {record["url"].split("/", 3)[3]: record for record in self.records("pages.jsonl")}

    def test_each_place_is_read(self):
        records = self.crawled()
        self.assertEqual(records["private/a"]["error"], "robots")
        self.assertNotIn("preferences", records.pop("private/a"))
        self.assertEqual(set(records), set(STATED))
        for path, (statements, letters) in STATED.items():
            wanted = json.loads(json.dumps([RSL, *statements]).replace("URL", self.nginx.url("a.localhost", "")))
            found = records[path].get("preferences")
            self.assertCountEqual(found, wanted, path)
            self.assertEqual(records[path].get("may"), may_of(letters), path)

    def test_where_nothing_is_said_nothing_is_recorded(self):
        result = self.crawl("--delay", "0", "--no-robots", "--depth", "0", "--output", "pages.jsonl",
                            self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        for record in self.records("pages.jsonl"):
            self.assertFalse({"preferences", "may", "withheld"} & set(record))

    def test_csv_has_what_it_comes_to(self):
        result = self.crawl("--delay", "0", "--output", "pages.csv", self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        with open(self.path("pages.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found = {row["url"].split("/", 3)[3]: row["may"] for row in rows}
        self.assertEqual(found["header"], "train=y input=n search=y")
        self.assertEqual(found["tdm"], "train=n input=n")
        self.assertEqual(found["behind"], "")


if __name__ == "__main__":
    harness.main()
