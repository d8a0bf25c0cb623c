#!/usr/bin/env python3
"""Tests which links and texts a crawl finds without running scripts in shapes of script-made pages, each a folder of
tests/data/shapes, and which it must not find.

A folder's expected.json describes the result after its scripts have run: links and text of its start page and of pages
reached from there; not_links and not_text, which look like links and text; text_of a path; by_click and by_scroll,
links that need a reader; never_asked, paths that must not be requested. A server waits delay ms before these paths, and
answers any other path with fallback. most_requests and most_ms limit a run, needs are actions of a reader, and a gate
of false marks a page that needs no scripts.
"""
import json
import os
import shutil
import unittest

import harness

SHAPES = os.path.join(harness.HERE, "..", "data", "shapes")

# All links of these shapes can be read: in elements, in attributes, in data and strings of scripts, also where these
# are joined from constants.
WHOLE = ("async", "built", "declarative", "delegated", "endless", "hashes", "head", "hover", "hydration", "idle",
         "inline", "json", "late", "menus", "more", "routes", "slots", "splash", "srcdoc", "template", "transition",
         "write")

# No link of these shapes can be read, so nothing may be found in them without running scripts: they come from data that
# scripts fetch, from other files, or from elements that scripts define.
NONE = ("fetch", "fragment", "modules", "observer", "shadow", "socket", "storage", "stream", "wasm")

# Texts in the source: the start page's of expected.json, except those made by scripts.
TEXTS = {
    "declarative": {"/": ["The box holds two teas, which were picked this spring by hand.", "It weighs a pound."]},
    "head": {"/": ["A head made by a script."]},
    "more": {"/accordion.html": ["Three minutes are enough for most teas, and five for those that are rolled.",
                                 "As hot as it gets for black tea, and not quite so for green."],
             "/images.html": ["A pot of clay", "A cup of glass"]},
    "slots": {"/": ["The first word is about water.", "The last word is about sugar."]},
}


def expected_of(name):
    with open(os.path.join(SHAPES, name, "expected.json"), encoding="utf-8") as file:
        return json.load(file)


class Shapes(harness.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.expected = {name: expected_of(name) for name in sorted(os.listdir(SHAPES))}
        cls.sites = {f"{name}.localhost": cls.site_of(name) for name in cls.expected}
        cls.nginx = cls.start_nginx(cls.sites)

    @classmethod
    def site_of(cls, name):
        """Makes a site of the shape, with a page wherever its links lead."""
        site = harness.temporary_folder()
        shutil.copytree(os.path.join(SHAPES, name), site, dirs_exist_ok=True)
        for link in cls.links_of(name):
            path = site + link
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if not os.path.exists(path):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("<title>stub</title>")
        return site

    @classmethod
    def links_of(cls, name):
        """Returns all links of a shape, with those that need a reader."""
        expected = cls.expected[name]
        return [*expected["links"], *expected.get("by_click", []), *expected.get("by_scroll", [])]

    def pages(self, name, *options):
        seed = self.nginx.url(f"{name}.localhost", "/")
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", "--links-from", "elements,scripts,form",
                            "--text", "all", *options, seed)
        self.assertEqual(result.status, 0, result.stderr)
        return {r["url"].removeprefix(seed[:-1]): r for r in self.records("pages.jsonl")}

    def test_links(self):
        self.assertEqual({*WHOLE, *NONE}, set(self.expected))
        for name, expected in self.expected.items():
            for extractor in ("scan", "libxml2"):
                pages = self.pages(name, "--set", f"parse.html={extractor}")
                found = {path for path in pages if path != "/" and not path.endswith(".js")}
                held = set(self.links_of(name)) if name in WHOLE else set()
                self.assertEqual(found, held, (name, extractor))
                self.assertFalse(set(expected.get("not_links", [])) & set(pages), (name, extractor))

    def test_texts(self):
        for name, texts in TEXTS.items():
            pages = self.pages(name)
            for path, lines in texts.items():
                for line in lines:
                    self.assertIn(line, pages[path]["text"], (name, path))

    def test_what_looks_like_text_is_none(self):
        for name, expected in self.expected.items():
            if expected.get("not_text"):
                text = self.pages(name)["/"].get("text", "")
                self.assertFalse([line for line in expected["not_text"] if line in text], name)


if __name__ == "__main__":
    unittest.main()
