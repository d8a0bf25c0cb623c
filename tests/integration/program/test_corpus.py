#!/usr/bin/env python3
"""Tests `crawl corpus`: the texts of a crawl as Markdown, JSON Lines and llms.txt, the pages left out, and that a
folder is complete or absent."""
import json
import os
import re
import shutil

import harness


def record(url, text, **more):
    return {"url": url, "canonical": url, "fingerprint": url[-4:] * 10, "status": 200, "depth": url.count("/") - 3,
            "fetched_at": "2026-11-23T10:00:00.000Z", "title": f"Page {url[9:]} - The site", "error": None,
            "robots": [], "text": text, **more}


class Corpus(harness.TestCase):
    def make(self, records, *args, status=0):
        self.write("records.jsonl", "".join(json.dumps(line) + "\n" for line in records))
        result = self.crawl("corpus", *args, "made", "records.jsonl")
        self.assertEqual(result.status, status, result.stderr)
        return result.stderr

    def made(self, name):
        with open(self.path("made/" + name), encoding="utf-8") as file:
            return file.read()

    def rows(self):
        return [json.loads(line) for line in self.made("corpus.jsonl").splitlines()]

    def test_a_page(self):
        title = 'A "title": with # signs - The site'
        self.make([record("http://h/docs/a", "# Heading\n\nText.\n", title=title, may={"train": "n"},
                          data={"lang": "en", "canonical": "http://h/docs/b", "description": "All\nof it"})])
        front, text = re.fullmatch(r"---\n(.*?)\n---\n\n(.*)", self.made("pages/000001.md"), re.S).groups()
        fields = dict(line.split(": ", 1) for line in front.splitlines())
        self.assertEqual({key: json.loads(value) for key, value in fields.items()},
                         {"title": title, "url": "http://h/docs/a", "date": "2026-11-23T10:00:00.000Z", "lang": "en",
                          "canonical": "http://h/docs/b", "depth": 1, "may": {"train": "n"}})
        self.assertEqual(text, "# Heading\n\nText.\n")
        row, = self.rows()
        self.assertEqual((row["text"], row["language"], row["source"], row["file"]),
                         (text, "en", "h", "pages/000001.md"))
        self.assertEqual(self.made("llms-full.txt"), "# Heading\n\nSource: http://h/docs/a\n\nText.\n\n")
        self.assertEqual(self.made("llms.txt"),
                         f"# h\n\n> All of it\n\n## docs\n\n- [{title}](http://h/docs/a): All of it\n")

    def test_what_yaml_forbids_is_escaped(self):
        title = "a\x01\x7f\x80\x85\x9f\u2028\u2029\ufeff\ufffe\uffff \u00e9\u20ac\U0001f600"
        self.make([record("http://h/", "text", title=title)])
        line = self.made("pages/000001.md").split("\n")[1]
        self.assertNotRegex(line, "[\x01-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
        self.assertEqual(json.loads(line.removeprefix("title: ")), title)
        self.assertIn("\u00e9\u20ac\U0001f600", line)

    def test_the_license(self):
        """The license comes from rel=license, otherwise from JSON-LD, as a text or an object, in lists and graphs."""
        by = "https://creativecommons.org/licenses/by/4.0/"
        rows = [({"license": by, "json_ld": [{"license": "x"}]}, by), ({"json_ld": [{}, {"license": by}]}, by),
                ({"json_ld": [[{"license": {"@type": "CreativeWork", "url": by}}]]}, by),
                ({"json_ld": [{"@graph": [{"@type": "ImageObject", "license": "x"}, {"license": {"@id": by}}]}]}, by),
                ({"json_ld": [{"@graph": [{"@graph": [{"license": by}]}]}]}, None),
                ({"json_ld": [{"license": 1}]}, None), ({}, None)]
        self.make([record(f"http://h/{i}", f"text {i}", data=data) for i, (data, _) in enumerate(rows)])
        self.assertEqual([row.get("license") for row in self.rows()], [license for _, license in rows])
        self.assertIn(f'license: "{by}"\n', self.made("pages/000001.md"))

    def test_the_lines_by_zstd(self):
        """Other tools can read the lines, in blocks of many pages too."""
        pages = [record(f"http://h/{i}", f"text {i} {'x' * 9 * i}") for i in range(400)]
        self.make(pages, "--zstd")
        self.assertEqual(sorted(os.listdir(self.path("made"))),
                         ["corpus.jsonl.zst", "llms-full.txt", "llms.txt", "pages"])
        result = self.crawl("query", "--json", "--columns", "url,text", "made/corpus.jsonl.zst")
        self.assertEqual([json.loads(line) for line in result.stdout.splitlines()],
                         [{"url": page["url"], "text": page["text"]} for page in pages], result.stderr)
        self.assertLess(os.path.getsize(self.path("made/corpus.jsonl.zst")), 60000)

    def test_what_is_left_out(self):
        out = [{"error": "wall"}, {"status": 404}, {"robots": ["noindex"]}, {"verdict": "soft-404"},
               {"duplicate_of": "http://h/"}, {"near_duplicate_of": "http://h/"}, {"text": None}, {"text": " \n"}]
        records = [record(f"http://h/{i}", f"text {i}") | fields for i, fields in enumerate(out)]
        records += [record("http://h/kept", "kept"), record("http://h/same", "kept"),
                    record("http://h/not-for-training", "other", may={"train": "n", "search": "y"})]
        said = self.make(records, "--for", "train")
        self.assertEqual([row["url"] for row in self.rows()], ["http://h/kept"])
        self.assertEqual(os.listdir(self.path("made/pages")), ["000001.md"])
        self.assertIn("1 pages in made; 10 records left out", said)

    def test_the_latest_record_counts(self):
        """What a later visit says of a page counts, in whatever order and file the records are, and from a pipe too; a
        visit that says nothing of the text leaves it."""
        def again(path, text=None, visit=2, **more):
            at = f"2026-11-24T10:00:0{visit}.000Z"
            return record(f"http://h/{path}", text, visit=visit, **{"fetched_at": at, "changed": None, **more})
        leaves = {"304": {"status": 304, "changed": False}, "same": {"changed": False}, "down": {"status": 503},
                  "late": {"status": 0, "error": "timeout"}, "wall": {"status": 302, "error": "wall"},
                  "external": {"external": True, "status": 404}, "head": {"method": "HEAD"}}
        takes = {"refused": {"text": "r", "may": {"train": "n"}}, "refused-304": {"status": 304, "changed": False,
                 "may": {"train": "n"}}, "noindex": {"text": "n", "robots": ["noindex"]}, "404": {"status": 404},
                 "410": {"status": 410}, "moved": {"status": 301}, "withheld": {"withheld": "train"},
                 "robots": {"status": 0, "error": "robots"}, "soft": {"error": "soft-404", "verdict": "soft-404"}}
        records = [record(f"http://h/{path}", "of " + path, visit=1) for path in [*leaves, *takes]]
        records += [again(path, **fields) for path, fields in [*leaves.items(), *takes.items()]]
        records += [again("refused-304", visit=3, status=304, changed=False), record("http://h/new", "old", visit=1),
                    again("new", "newer"), record("http://h/new", "as old", visit=1)]
        kept = sorted([("http://h/" + path, "of " + path) for path in leaves] + [("http://h/new", "newer")])
        for lines in records, records[::-1]:
            said = self.make(lines, "--for", "train")
            self.assertEqual(sorted((row["url"], row["text"]) for row in self.rows()), kept)
            self.assertIn(f"8 pages in made; {len(records) - 8} records left out", said)
            self.assertEqual(sorted(os.listdir(self.path("made"))),
                             ["corpus.jsonl", "llms-full.txt", "llms.txt", "pages"])
            shutil.rmtree(self.path("made"))
        with open(self.path("records.jsonl"), encoding="utf-8") as file:
            piped = self.crawl("corpus", "--for", "train", "made", stdin=file.read())
        self.assertEqual((piped.status, len(self.rows())), (0, 8), piped.stderr)

    def test_requests_with_other_bodies_are_other_pages(self):
        sent = [record("http://h/search", f"found {n}", method="POST", visit=n) | {"fingerprint": f"{n % 3}" * 40}
                for n in range(6)]
        self.make([record("http://h/search", "ask"), *sent])
        self.assertEqual(sorted(row["text"] for row in self.rows()), ["ask", "found 3", "found 4", "found 5"])

    def test_the_list_has_sections_and_an_end(self):
        records = [record(f"http://h/{folder}page{i}", f"text {folder}{i}", data={"description": "d" * 200})
                   for folder in ("", "b/", "a/") for i in range(100)]
        records[5]["title"] = "Home"
        said = self.make(records)
        listed = self.made("llms.txt")
        self.assertEqual(re.findall("^## (.*)$", listed, re.M), ["h", "a", "b"])
        self.assertIn("- [Page page0](http://h/page0): ddd", listed, "without what most titles share")
        self.assertLess(len(listed), 51300)
        count = listed.count("\n- [")
        self.assertLess(count, 300)
        self.assertIn(f"llms.txt has {count} of 300 pages", said)
        self.assertEqual(self.made("llms-full.txt").count("Source: http://h/"), 300)

    def test_it_is_there_whole_or_not(self):
        self.make([record("http://h/a", "text")])
        self.assertIn("already exists", self.make([record("http://h/b", "other")], status=2))
        self.assertEqual(self.rows()[0]["url"], "http://h/a")
        os.rename(self.path("made"), self.path("kept"))
        self.assertIn("no page is left", self.make([record("http://h/b", None)], status=1))
        self.assertEqual(sorted(os.listdir(self.path("."))), ["kept", "records.jsonl"])
        self.write("records.jsonl", "no JSON\n" + json.dumps(record("http://h/b", "other")) + "\n")
        result = self.crawl("corpus", "made", "records.jsonl")
        self.assertEqual((result.status, len(self.rows())), (1, 1), result.stderr)
        self.assertIn("line 1 is not a record", result.stderr)
        for folder in "slash/", self.path("slashes//"):
            self.assertEqual(self.crawl("corpus", folder, "records.jsonl").status, 1)
            self.assertTrue(os.path.exists(os.path.join(folder if folder[0] == "/" else self.path(folder), "llms.txt")))
        self.assertEqual(sorted(os.listdir(self.path("."))), ["kept", "made", "records.jsonl", "slash", "slashes"])
        self.assertIn("already exists", self.crawl("corpus", "slash/", "records.jsonl").stderr)
        self.assertEqual(self.crawl("corpus", "--for", "fun", "x").status, 2)
        self.assertEqual(self.crawl("corpus").status, 2)


if __name__ == "__main__":
    harness.main()
