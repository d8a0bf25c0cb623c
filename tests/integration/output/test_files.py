#!/usr/bin/env python3
"""Files that a crawl writes: what becomes of those that are there already, and CSV."""
import csv
import io
import json
import os

import harness

OPTIONS = (("--output", "url"), ("--links", "from"), ("--requests", "event"))


class Existing(harness.TestCase):
    overwrites = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = harness.temporary_folder()
        for name, text in (("index.html", "<a href=x.html>x</a>"), ("x.html", "x")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        cls.nginx = cls.start_nginx({"a.localhost": folder})
        cls.url = cls.nginx.url("a.localhost", "/")

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_crawl(self, *args):
        return self.crawl("--delay", "0", "--depth", "1", *args)

    def test_a_file_that_is_there_is_refused(self):
        for option, _ in OPTIONS:
            with self.subTest(option):
                self.write("there", "precious\n")
                result = self.run_crawl(option, "there", "--state", "state", self.url)
                self.assertEqual(result.status, 2)
                self.assertEqual(result.stderr, f"crawl: {option[2:]}: there is there already: --append adds to it, --overwrite replaces it\n")
                self.assertEqual(self.text("there"), "precious\n")
                self.assertFalse(os.path.exists(self.path("state")))
        self.assertEqual(self.nginx.requests(), [])

    def test_append_adds_and_overwrite_replaces(self):
        for option, field in OPTIONS:
            with self.subTest(option):
                first = self.run_crawl(option, "file" + option, self.url)
                once = self.records("file" + option)
                again = self.run_crawl(option, "file" + option, "--append", self.url)
                twice = self.records("file" + option)
                replaced = self.run_crawl(option, "file" + option, "--overwrite", self.url)
                self.assertEqual((first.status, again.status, replaced.status), (0, 0, 0))
                self.assertEqual([line[field] for line in twice], 2 * [line[field] for line in once])
                self.assertEqual(twice[:len(once)], once)
                self.assertEqual(len(self.records("file" + option)), len(once))

    def test_requests_that_were_appended_pass_the_audit(self):
        for how in ((), ("--append",)):
            self.run_crawl("--requests", "requests", *how, self.url)
        audit = self.crawl("audit", "requests")
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)

    def test_nothing_to_lose_is_not_refused(self):
        self.write("empty", "")
        for name in ("empty", "/dev/null"):
            self.assertEqual(self.run_crawl("--output", name, self.url).status, 0)
        self.assertEqual(len(self.records("empty")), 2)

    def test_a_state_adds_to_its_own_files_alone(self):
        self.assertEqual(self.run_crawl("--state", "state", "--max-pages", "1", "--output", "own", self.url).status, 0)
        self.write("other", json.dumps({"url": "precious"}) + "\n")
        refused = self.run_crawl("--state", "state", "--output", "other")
        self.assertEqual(refused.status, 2)
        self.assertIn("other is there already", refused.stderr)
        os.symlink("own", self.path("link"))
        self.assertEqual(self.run_crawl("--state", "state", "--output", "link").status, 0)
        self.assertEqual(len(self.records("own")), 2)
        self.assertEqual(self.run_crawl("--state", "state", "--output", "other", "--append", self.url + "x.html?y").status, 0)
        self.assertEqual([line["url"] for line in self.records("other")], ["precious", self.url + "x.html?y"])
        kept = self.text("state/crawler.conf")
        self.assertIn("existing = refuse", kept)


class Csv(harness.TestCase):
    """Python's reader of CSV finds in the rows what stands in the lines of JSON."""
    overwrites = False

    @staticmethod
    def as_text(value):
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(value).lower()
        text = " ".join(value) if isinstance(value, list) else str(value)
        return "'" + text if isinstance(value, str) and text[:1] in ("=", "+", "-", "@") else text

    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            text = file.read()
        self.assertEqual(text.count("\n"), text.count("\r\n"))
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))

    def compare(self, rows, records, unlike=()):
        self.assertEqual(len(rows), len(records))
        by_key = {tuple(row[name] for name in list(row)[:2]): row for row in rows}
        for record in records:
            row = by_key[tuple(self.as_text(value) for value in list(record.values())[:2])]
            self.assertEqual({name: value for name, value in row.items() if name not in unlike},
                             {name: self.as_text(record.get(name)) for name in row if name not in unlike})
            self.assertLessEqual(set(record), set(row))

    def test_rows_say_what_lines_say(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({
            "index.html": '<title>=1+1, "quoted"; \xe9</title><meta name=robots content="noindex, nofollow"><a href="a,b.html">a, "b"</a>'
                          '<a href=mailto:x>-mail</a><a href=gone>gone</a>',
            "a,b.html": "<title>\u202eturned\n\nlines</title>"})})
        common = ("--delay", "0", "--no-obey-nofollow", "--bodies", "bodies", "--dedupe", "near", nginx.url("a.localhost", "/"))
        self.assertEqual(self.crawl("--output", "pages.jsonl", "--links", "links.jsonl", *common).status, 0)
        self.assertEqual(self.crawl("--output", "pages.csv", "--links", "links.csv", *common).status, 0)
        records = self.records("pages.jsonl")
        for record in records:
            record["title"] = record["title"] and record["title"].replace("\u202e", "\ufffd")
        self.compare(self.rows("pages.csv"), records, ("fetched_at", "elapsed_ms"))
        self.compare(self.rows("links.csv"), self.records("links.jsonl"))

    def test_appended_rows_have_one_head(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "x"})})
        url = nginx.url("a.localhost", "/")
        for how in ((), ("--append",), ("--append",)):
            self.assertEqual(self.crawl("--depth", "0", "--output", "pages.csv", *how, url).status, 0)
        self.assertEqual([row["url"] for row in self.rows("pages.csv")], [url] * 3)
        with open(self.path("pages.csv"), "a", encoding="utf-8") as file:
            file.write('http://torn/,"')
        self.assertEqual(self.crawl("--depth", "0", "--output", "pages.csv", "--append", url).status, 0)
        self.assertEqual([row["url"] for row in self.rows("pages.csv")], [url] * 4)
        self.write("other.csv", "name,age\r\n")
        refused = self.crawl("--depth", "0", "--output", "other.csv", "--append", url)
        self.assertEqual((refused.status, refused.stderr), (2, "crawl: output: other.csv: has other columns than what would be appended\n"))

    def test_a_log_of_requests_is_no_csv(self):
        refused = self.crawl("--requests", "requests.csv", "http://127.0.0.1:9/")
        self.assertEqual(refused.status, 2)
        self.assertFalse(os.path.exists(self.path("requests.csv")))


if __name__ == "__main__":
    harness.main()
