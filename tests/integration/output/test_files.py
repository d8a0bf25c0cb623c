#!/usr/bin/env python3
"""Tests the files that a crawl writes: existing ones, CSV, and the page of --report."""
import csv
import fcntl
import io
import json
import os
import signal

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
                self.assertEqual(result.stderr, f"crawl: {option[2:]}: there already exists: --append adds to it, "
                                                f"--overwrite replaces it\n")
                self.assertEqual(self.text("there"), "precious\n")
                self.assertFalse(os.path.exists(self.path("state")))
        self.assertEqual(self.nginx.requests(), [])

    def test_append_adds_and_overwrite_replaces(self):
        files = [word for option, _ in OPTIONS for word in (option, "file" + option)]
        self.assertEqual(self.run_crawl(*files, self.url).status, 0)
        once = {option: self.records("file" + option) for option, _ in OPTIONS}
        self.assertEqual(self.run_crawl(*files, "--append", self.url).status, 0)
        audit = self.crawl("audit", "file--requests")
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)
        for option, field in OPTIONS:
            twice = self.records("file" + option)
            self.assertEqual(twice[:len(once[option])], once[option])
            self.assertEqual(sorted(line[field] for line in twice[len(once[option]):]),
                             sorted(line[field] for line in once[option]))
        self.assertEqual(self.run_crawl(*files, "--overwrite", self.url).status, 0)
        for option, _ in OPTIONS:
            self.assertEqual(len(self.records("file" + option)), len(once[option]))

    def test_a_file_that_another_process_writes_is_left_alone(self):
        self.write("there", "precious\n")
        with open(self.path("there"), encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            result = self.run_crawl("--output", "there", "--overwrite", self.url)
            self.assertEqual((result.status, result.stderr),
                             (6, "crawl: output: there: in use by another process\n"))
            self.assertEqual(self.text("there"), "precious\n")
            self.assertEqual(self.run_crawl("--output", "there", "--append", self.url).status, 0)

    def test_a_missing_folder_shows_before_a_file_is_emptied(self):
        for option, _ in OPTIONS[1:]:
            self.write("there", "precious\n")
            result = self.run_crawl("--output", "there", option, "none/file", "--overwrite", self.url)
            self.assertEqual((result.status, result.stderr), (4, f"crawl: {option[2:]}: none/file: No such file or "
                                                                 "directory\n"))
            self.assertEqual(self.text("there"), "precious\n")

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
        self.assertIn("other already exists", refused.stderr)
        os.symlink("own", self.path("link"))
        self.assertEqual(self.run_crawl("--state", "state", "--output", "link").status, 0)
        self.assertEqual(len(self.records("own")), 2)
        self.assertEqual(self.run_crawl("--state", "state", "--output", "other", "--append", self.url
                                        + "x.html?y").status, 0)
        self.assertEqual([line["url"] for line in self.records("other")], ["precious", self.url + "x.html?y"])
        kept = self.text("state/crawler.conf")
        self.assertIn("existing = refuse", kept)


class Csv(harness.TestCase):
    """Python's CSV reader finds in the rows the contents of the JSON lines."""
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
            "index.html": '<title>=1+1, "quoted"; \xe9</title><meta name=robots content="noindex, nofollow"><a '
                          'href="a,b.html">a, "b"</a>'
                          '<a href=mailto:x>-mail</a><a href=gone>gone</a>',
            "a,b.html": "<title>\u202eturned\n\nlines</title>"})})
        common = ("--delay", "0", "--no-obey-nofollow", "--bodies", "bodies", "--dedupe", "near",
                  nginx.url("a.localhost", "/"))
        self.assertEqual(self.crawl("--output", "pages.jsonl", "--links", "links.jsonl", *common).status, 0)
        self.assertEqual(self.crawl("--output", "pages.csv", "--links", "links.csv", *common).status, 0)
        records = self.records("pages.jsonl")
        for record in records:
            record["title"] = record["title"] and record["title"].replace("\u202e", "\ufffd")
        self.compare(self.rows("pages.csv"), records, ("fetched_at", "elapsed_ms"))
        self.compare(self.rows("links.csv"), self.records("links.jsonl"))

    def test_columns_are_those_that_are_named(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({
            "index.html": '<title>A</title><meta name=description content="d, e"><p>one<p>two<a href=b></a>'})})
        common = ("--delay", "0", "--data", "--text", "plain", nginx.url("a.localhost", "/"))
        self.assertEqual(self.crawl("--output", "pages.jsonl", *common).status, 0)
        named = self.crawl("--output", "pages.csv", "--columns", "title, data text robots,url", *common)
        self.assertEqual(named.status, 0, named.stderr)
        records = {record["url"]: record for record in self.records("pages.jsonl")}
        rows = self.rows("pages.csv")
        self.assertEqual(list(rows[0]), ["title", "data", "text", "robots", "url"])
        self.assertEqual({row["url"] for row in rows}, set(records))
        for row in rows:
            record = records[row["url"]]
            self.assertEqual((row["title"], row["text"]), (record["title"] or "",
                                                           record.get("text", "").replace("\n", " ")))
            self.assertEqual(json.loads(row["data"] or "null"), record.get("data"))

    def test_columns_that_cannot_be_are_refused(self):
        for output, columns, words in (
                ("x.csv", "url,stauts", 'columns: records have no field "stauts"; they have url canonical '),
                ("x.csv", "url,url", "columns: url is named twice"), ("x.csv", " ,", "columns: no field is named"),
                ("x.jsonl", "url", "columns: only CSV has columns: use --output FILE.csv")):
            refused = self.crawl("--output", output, "--columns", columns, "http://127.0.0.1:9/")
            self.assertEqual(refused.status, 2)
            self.assertIn(f"crawl: {words}", refused.stderr.replace("\n", " "))
            self.assertFalse(os.path.exists(self.path(output)))

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
        self.assertEqual((refused.status, refused.stderr), (2, "crawl: output: other.csv: its columns differ from "
                                                               "those to be appended\n"))

    def test_a_log_of_requests_is_no_csv(self):
        refused = self.crawl("--requests", "requests.csv", "http://127.0.0.1:9/")
        self.assertEqual(refused.status, 2)
        self.assertFalse(os.path.exists(self.path("requests.csv")))


class Report(harness.TestCase):
    """--report: a page at the end of the crawl, from its own records."""
    overwrites = False
    PAGES = {"index.html": '<title>Home</title><a href=gone.html>away</a><a href=a.html>a</a>',
             "a.html": "<a href=b.html>b</a>", "b.html": "<title>B</title>"}

    def setUp(self):
        super().setUp()
        self.url = self.start_nginx({"a.localhost": self.make_site(self.PAGES)}).url("a.localhost", "/")
        self.common = ("--delay", "0", "--report", "report.html")

    def page(self):
        with open(self.path("report.html"), encoding="utf-8") as file:
            return file.read()

    def test_it_says_what_crawl_report_says(self):
        """The report is made without any other file, with files that the crawl reads, and with records that cannot be
        read again. Nothing else is left in the folder."""
        for files in ((), ("--output", "pages.jsonl", "--links", "links.jsonl", "--requests", "requests.jsonl"),
                      ("--output", "pages.csv", "--links", "links.jsonl", "--overwrite"),
                      ("--output", "-", "--overwrite")):
            with self.subTest(files):
                result = self.crawl(*self.common, *files, self.url)
                self.assertEqual(result.status, 0, result.stderr)
                self.assertIn("  report    report.html: 1 broken, 1 untitled, 2 title-lengths\n", result.stderr)
                text = self.page()
                self.assertIn(f"{self.url}gone.html", text)
                self.assertIn("away", text)  # the anchor, which only the links have
                self.assertEqual(result.stdout.count("\n"), 4 if files[1:2] == ("-",) else 0)
                self.assertLessEqual(set(os.listdir(self.folder)), {"site", "report.html", "pages.jsonl", "links.jsonl",
                                                                    "requests.jsonl", "pages.csv"})
                if "--overwrite" not in files:
                    os.remove(self.path("report.html"))

    def test_a_page_that_is_there_is_refused(self):
        self.write("report.html", "<p>precious")
        result = self.crawl(*self.common, self.url)
        self.assertEqual((result.status, result.stderr), (2, "crawl: report: report.html already exists: "
                                                             "--overwrite replaces it\n"))
        self.write("a.wacz", "PK\3\4")
        for option in (("--report", "report.html"), ("--warc", "a", "--wacz", "a.wacz")):
            result = self.crawl("--output", "pages.jsonl", "--append", *option, self.url)
            self.assertEqual((result.status, result.stderr),
                             (2, f"crawl: {option[-2][2:]}: {option[-1]} already exists: --append does not apply to "
                                 "it; move it away\n"))
        for option in (("--report", "a.wacz"), ("--warc", "a", "--wacz", "report.html")):
            result = self.crawl("--output", "pages.jsonl", "--overwrite", *option, self.url)
            self.assertEqual((result.status, result.stderr),
                             (2, f"crawl: {option[-2][2:]}: {option[-1]} already exists and is not a file of this "
                                 "kind: move it away\n"))
        with open(self.path("report.html"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "<p>precious")
        self.assertEqual(self.crawl("--report", "no/report.html", self.url).status, 4)

    def test_a_place_where_nothing_can_be_made_is_refused(self):
        """Before the crawl, whatever else it writes."""
        os.mkdir(self.path("folder"))
        lines = ("--output", "pages.jsonl", "--links", "links.jsonl", "--overwrite")
        for path, status in (("folder", 2), ("./", 2), ("-", 2), ("no/file", 4)):
            for option in (("--report", path), ("--warc", "a", "--wacz", path)):
                result = self.crawl(*lines, *option, self.url)
                self.assertEqual(result.status, status, result.stderr)
                self.assertIn(f"crawl: {option[-2][2:]}: {path}: ", result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["folder", "site"])

    def test_names_in_capitals(self):
        self.assertEqual(self.crawl("--output", "A.CSV", "--depth", "0", self.url).status, 0)
        self.assertEqual(self.crawl("--output", "A.Sqlite", "--depth", "0", self.url).status, 0)
        with open(self.path("A.CSV"), encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("url,"))
        self.assertEqual(self.crawl("query", "A.Sqlite", "statuses").stdout, "200\t1\n")

    def test_databases_by_their_usual_names(self):
        for name in ("a.db", "a.sqlite3"):
            self.assertEqual(self.crawl("--output", name, "--depth", "0", self.url).status, 0)
            self.assertEqual(self.bytes_of(name)[:15], b"SQLite format 3")

    def test_of_all_runs_of_a_state(self):
        for _ in range(4):
            self.assertLessEqual(self.crawl(*self.common, "--state", "state", "--max-pages", "1", self.url).status, 1)
        self.assertIn("gone.html", self.page())
        self.assertIn("b.html", self.page())
        self.assertNotIn("is not finished", self.page())
        self.assertEqual(self.crawl("inspect", "--check", "state").status, 0)

    def test_at_a_signal(self):
        process = self.start("--report", "report.html", "--delay", "1h", "--no-robots", "--output", "pages.jsonl",
                             self.url)
        self.wait_for(lambda: os.path.exists(self.path("pages.jsonl")) and os.path.getsize(self.path("pages.jsonl")))
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 3, said)
        self.assertIn("  report    report.html", said)
        self.assertIn("Home", self.page())

    def test_without_a_record_there_is_none(self):
        self.assertEqual(self.crawl("--state", "kept", "--delay", "0", self.url).status, 0)
        result = self.crawl("--state", "kept", "--report", "report.html")
        self.assertEqual((result.status, os.path.exists(self.path("report.html"))), (1, False), result.stderr)
        self.assertIn("report.html was not made: the earlier runs of this crawl kept no records", result.stderr)
        self.crawl("--state", "added", "--append", "--output", "all.jsonl", "--delay", "0", self.url)
        result = self.crawl("--state", "added", "--append", "--report", "report.html")
        self.assertEqual(result.status, 1, result.stderr)
        self.assertRegex(result.stderr, "from the records in (.*all.jsonl): crawl report \\1 --html report.html")
        result = self.crawl("--report", "report.html", "--seeds", "/dev/null")
        self.assertFalse(os.path.exists(self.path("report.html")), result.stderr)


if __name__ == "__main__":
    harness.main()
