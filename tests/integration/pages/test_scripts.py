#!/usr/bin/env python3
"""Tests --links-from scripts: pages whose links are only in scripts, texts that are not URLs, and the summary of
both."""
import json
import unittest

import harness

SHOP = """<!doctype html><title>Shop</title><div id="root"></div><script src="/app/main.js"></script>
<script type="application/json">{"list":[{"href":"/one.html"},{"url":"/two.html"},{"path":"/item/:id"}]}</script>
<script>self.__next_f.push([1,"{\\"href\\":\\"/th"])</script><script>self.__next_f.push([1,"ree.html\\"}"])</script>
<button data-url="/four.html">four</button><b onclick="location.href='/five.html'">five</b>
"""
PAGES = ("one", "two", "three", "four", "five", "six", "seven")
GONE = [f"/gone/{name}" for name in "abcdefghijkl"]


class Scripts(harness.TestCase):
    def serve(self, files):
        pages = {f"{name}.html": f"<title>{name}</title>" for name in PAGES}
        return self.start_nginx({"a.localhost": self.make_site(pages | files)}).url("a.localhost", "/")

    def fetched(self, *options, seed):
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", *options, seed)
        self.assertEqual(result.status, 0, result.stderr)
        self.said = result.stderr
        return {r["url"].removeprefix(seed): r for r in self.records("pages.jsonl")}

    def test_each_source_by_its_word(self):
        seed = self.serve({"index.html": SHOP, "app/main.js": "go({path:`/six.html`});f('/seven.html')"})
        data, attributes = {"one.html", "two.html", "three.html"}, {"four.html", "five.html"}
        for words, found in (
            ("elements", set()),
            ("elements,script-data", data),
            ("elements,data-href", attributes),
            ("elements,script,script-data", data | {"app/main.js", "six.html"}),
            ("elements,scripts", data | attributes | {"app/main.js", "six.html", "seven.html"}),
        ):
            for extractor in ("scan", "libxml2"):
                pages = self.fetched("--links-from", words, "--set", f"parse.html={extractor}", seed=seed)
                self.assertEqual(set(pages), {""} | found, (words, extractor))

    def test_the_tool_takes_the_same_words(self):
        link = {"a": set(), "script": {"app/main.js"}, "script-data": {"one.html", "two.html", "three.html"}}
        for words, wanted in ((["--links-from", "elements"], link["a"]),
                              (["--links-from", "script"], link["script"]),
                              (["--links-from", "elements,script-data"], link["script-data"])):
            result = self.crawl("links", "--base", "http://a.example/", *words, stdin=SHOP)
            found = {json.loads(line)["url"].removeprefix("http://a.example/") for line in result.stdout.splitlines()}
            self.assertEqual(found, wanted, words)
        result = self.crawl("links", "--links-from", "nowhere", stdin=SHOP)
        self.assertEqual((result.status, "nowhere" in result.stderr), (2, True), result.stderr)

    def test_a_site_made_by_scripts_is_said_to_be_one(self):
        seed = self.serve({"index.html": SHOP})
        self.fetched(seed=seed)
        self.assertIn("1 of 1 pages have scripts, but no links: --render auto", self.said)
        self.assertIn("--links-from elements,scripts", self.said)
        self.fetched("--links-from", "elements,scripts", seed=seed)
        self.assertNotIn("--links-from", self.said)

    def test_guesses_come_last_and_end_where_most_are_no_pages(self):
        guesses = ",".join(f"'{path}'" for path in GONE)
        links = "".join(f"<a href=/{name}.html>{name}</a>" for name in PAGES)
        seed = self.serve({"index.html": f"<script>[{guesses}]</script>{links}"})
        pages = self.fetched("--links-from", "elements,scripts", "--per-host", "1", "--links", "links.jsonl", seed=seed)
        order = list(pages)
        self.assertEqual(set(order[1:len(PAGES) + 1]), {f"{name}.html" for name in PAGES})
        asked = [r for r in pages.values() if r.get("guessed") and r["status"]]
        refused = [r for r in pages.values() if r.get("guessed") and r["error"] == "refused"]
        self.assertEqual((len(asked), len(refused)), (5, len(GONE) - 5))
        self.assertTrue(all(r["status"] == 404 for r in asked))
        report = self.crawl("report", "--links", "links.jsonl", "--fail-on", "broken", "pages.jsonl")
        self.assertEqual(report.status, 0, report.stdout + report.stderr)

    def test_a_link_that_was_guessed_before_it(self):
        seed = self.serve({"index.html": "<script>['/one.html','/two.html']</script><a href=/two.html>two</a>"})
        pages = self.fetched("--links-from", "elements,scripts", "--links", "links.jsonl", seed=seed)
        self.assertEqual({path: record.get("guessed", False) for path, record in pages.items()},
                         {"": False, "one.html": True, "two.html": False})
        self.assertEqual([(link["tag"], link["to"].removeprefix(seed), link["verdict"])
                          for link in self.records("links.jsonl")],
                         [("a", "two.html", "new"), ("script", "one.html", "new"), ("script", "two.html", "repeated")])


if __name__ == "__main__":
    unittest.main()
