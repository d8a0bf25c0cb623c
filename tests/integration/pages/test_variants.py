#!/usr/bin/env python3
"""Tests sites that show each page under many values of a meaningless parameter, and sites that tell their pages apart
by a parameter."""
import time
import urllib.parse

import harness

PAGES = 32
BRANCHES = ["main", "topic", "v1", "v2", "v3"]
TOPICS = 64


def link(pattern, values):
    return "".join(f"<a href='{pattern.format(value)}'>x</a>" for value in values)


class Site(harness.OwnServer):
    def __init__(self):
        super().__init__(Handler)

    def url(self, path="/"):
        return super().url("a.localhost", path)


class Handler(harness.Handler):
    """/commit is like a viewer of a repository: a commit is the same on every branch, and all links keep the branch.
    /topic.php is like a forum, whose pages are much alike."""

    def do_GET(self):
        path, _, query = self.path.partition("?")
        of = dict(urllib.parse.parse_qsl(query))
        bodies = {"/": self.home, "/commit": self.commit, "/topic.php": self.topic}
        if path in bodies:
            self.answer(200, bodies[path](of))
        else:
            self.answer(404, "")

    @staticmethod
    def home(_of):
        return link("/commit?h={}&amp;id=0", BRANCHES) + link("/topic.php?f=1&amp;t={}", [0])

    @staticmethod
    def commit(of):
        number = int(of["id"])
        branch = of.get("h", "main")
        near = [(number + step) % PAGES for step in (1, 2, 3)]
        options = "".join(f"<option{' selected' if name == branch else ''}>{name}" for name in BRANCHES)
        return (f"<form><select name=h>{options}</select></form><h1>commit {number}</h1>" +
                link(f"/commit?h={branch}&amp;id={{}}", near) + link(f"/commit?h={{}}&amp;id={number}", BRANCHES) +
                time.strftime("<p>made at %Y-%m-%d %H:%M:%S +0000", time.gmtime()))

    @staticmethod
    def topic(of):
        number = int(of["t"])
        near = [other for other in (number + 1, number + 2) if other < TOPICS]
        return "<p>words of all topics</p>" + link(f"/topic.php?f={number % 7}&amp;t={{}}", near) + f"<p>topic {number}"


class Variants(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.site = self.serve(Site())

    def asked(self, *options):
        """Returns the result, and the requested queries by path."""
        result = self.crawl("--delay", "0", "--depth", "1000", "--per-host", "4", "--overwrite",
                            "--output", "pages.jsonl", "--links", "links.jsonl", *options, self.site.url())
        self.assertEqual(result.status, 0, result.stderr)
        paths = {}
        for record in self.records("pages.jsonl"):
            url = urllib.parse.urlsplit(record["url"])
            paths.setdefault(url.path, []).append(dict(urllib.parse.parse_qsl(url.query)))
        return result, paths

    def test_few_variants_of_all_pages(self):
        result, paths = self.asked()
        commits = paths["/commit"]
        self.assertEqual({int(of["id"]) for of in commits}, set(range(PAGES)))
        self.assertLess(len(commits), 0.8 * PAGES * len(BRANCHES))
        self.assertEqual({int(of["t"]) for of in paths["/topic.php"]}, set(range(TOPICS)))
        self.assertRegex(result.stderr, r"a\.localhost: the parameter h changed nothing on 16 pages: links that "
                                        r"differ by it alone are left out \(crawl\.max_variants\)")
        self.assertRegex(result.stderr, r"\n  links .* \d+ max_variants")
        self.assertRegex(result.stderr, r"\n  hint +\d+ links differ from requested pages only by parameters")
        left_out = {edge["to"] for edge in self.records("links.jsonl") if edge["verdict"] == "max_variants"}
        known = {record["url"] for record in self.records("pages.jsonl")}
        self.assertTrue(left_out)
        self.assertLess(len(left_out & known), 20, "a link to a page that was asked for is none that is left out")

    def test_all_of_them(self):
        result, paths = self.asked("--set", "crawl.max_variants=0")
        self.assertEqual(len(paths["/commit"]), PAGES * len(BRANCHES))
        self.assertNotIn("variants", result.stderr)


if __name__ == "__main__":
    harness.main()
