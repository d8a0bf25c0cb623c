#!/usr/bin/env python3
"""Tests `--output NAME.sqlite`: the database has the contents of the JSON lines, and loses nothing if the crawl or the
process that writes it is killed. CRAWL_DATABASE_KILLS: how often each is killed; 2."""
import contextlib
import glob
import json
import os
import random
import signal
import sqlite3
import threading
import time

import harness

KILLS = int(os.environ.get("CRAWL_DATABASE_KILLS", "2"))
PAGES = 200


class Database(harness.TestCase):
    def setUp(self):
        super().setUp()
        files = {f"{n}.html": f"<title>{n}</title>" + "".join(
            f"<a href={(n * 3 + k) % PAGES}.html#x{k}>{k}</a>" for k in range(9)) + "<a href=gone.html>g</a>"
            for n in range(PAGES)}
        self.nginx = self.start_nginx({"a.localhost": self.make_site({**files, "index.html": "<a href=0.html>0</a>"})})
        self.seed = self.nginx.url("a.localhost", "/")

    def options(self, *more):
        return ["--delay", "0", "--depth", "99", "--quiet", "--no-robots", *more, self.seed]

    def rows(self, sql, name="site.sqlite"):
        with contextlib.closing(sqlite3.connect(self.path(name))) as site:
            return site.execute(sql).fetchall()

    def told(self, files, view):
        result = self.crawl("query", *files, view)
        self.assertEqual(result.status, 0, result.stderr)
        return sorted(result.stdout.splitlines())

    def expect_all(self):
        """Checks that the database has the site once."""
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.rows("SELECT count(*), sum(error IS NOT NULL) FROM pages"), [(PAGES + 2, 0)])
        self.assertEqual(self.rows("SELECT count(*) FROM links"), [(PAGES * 10 + 1,)])
        self.assertEqual(self.rows("SELECT count(*) FROM broken_links"), [(PAGES,)])

    def test_as_lines(self):
        result = self.crawl(*self.options("--output", "site.sqlite", "--links", "site.sqlite"))
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.expect_all()
        lines = self.crawl(*self.options("--output", "pages.jsonl", "--links", "links.jsonl"))
        self.assertEqual(lines.status, 0, lines.stderr)
        for view in "broken_links", "duplicate_titles", "statuses", "SELECT url, title, status FROM page":
            self.assertEqual(self.told(["site.sqlite"], view), self.told(["pages.jsonl", "links.jsonl"], view), view)
        report = self.crawl("report", "site.sqlite", "--fail-on", "broken")
        self.assertEqual(report.status, 5, report.stderr)
        self.assertEqual(report.stdout.replace(",", "").split()[:2], [str(PAGES + 2), "URLs"])
        for old in "site.sqlite", "pages.jsonl":
            changed = self.crawl("report", "site.sqlite", "--compare", old, "--print", "changed")
            self.assertEqual((changed.status, len(changed.stdout.splitlines())), (0, 1), changed.stderr)
        with contextlib.closing(sqlite3.connect(self.path("other.sqlite"))) as other:
            other.execute("CREATE TABLE t(x)")
        for args in ["other.sqlite"], ["pages.jsonl", "--compare", "other.sqlite"]:
            self.assertIn("of another program", self.crawl("report", *args).stderr)
        self.assertIn("its own links", self.crawl("report", "site.sqlite", "--links", "links.jsonl").stderr)

    def test_repeated_links(self):
        """A link that occurs earlier on its page is left out, unless fragments are checked or a report counts it."""
        page = "<a href=p.png>1</a><img src=p.png><a href=x.html#a>2</a><a href=x.html#b>3</a>"
        site = self.make_site({"index.html": page, "x.html": "<p id=a>", "p.png": "p"})
        nginx = self.start_nginx({"b.localhost": site})
        for more, links in ([], ["p.png a", "p.png img", "x.html a"]), (["--check-fragments"], None), \
                (["--report", "r.html"], None):
            with self.subTest(more=more):
                args = ["--output", "b.sqlite", "--links", "b.sqlite", "--delay", "0", "--overwrite", "--quiet",
                        "--requisites"]
                result = self.crawl(*args, *more, nginx.url("b.localhost", "/"))
                self.assertEqual(result.status, 0, result.stderr)
                rows = self.rows("SELECT replace(t.url, rtrim(t.url, 'pngxhtml.'), '') || ' ' || tag FROM links l "
                                 "JOIN urls t ON t.id = target ORDER BY l.id", "b.sqlite")
                self.assertEqual([row for row, in rows], links or ["p.png a", "p.png img", "x.html a", "x.html a"])

    def test_requests(self):
        """Compares the log of requests in a database written by the crawl with one made from its lines."""
        args = ["--output", "site.sqlite", "--requests", "site.sqlite", *self.options()]
        args.remove("--no-robots")
        self.assertEqual(self.crawl(*args).status, 0)
        self.assertEqual(self.rows("SELECT requests, robots, retries, s2xx, s4xx, errors FROM host_requests"),
                         [(PAGES + 3, 1, 0, PAGES + 1, 2, 0)])  # robots.txt and gone.html are missing
        self.assertEqual(self.rows("SELECT count(DISTINCT request), count(DISTINCT seq), sum(\"end\" >= start) "
                                   "FROM requests"), [(PAGES + 3, PAGES + 3, PAGES + 3)])
        self.assertEqual(self.rows("SELECT status, kind, method FROM request WHERE url LIKE '%gone.html'"),
                         [(404, "page", "GET")])
        args[args.index("--output") + 1], args[args.index("--requests") + 1] = "pages.jsonl", "requests.jsonl"
        self.assertEqual(self.crawl(*args).status, 0)
        self.assertEqual(self.crawl("query", "--save", "kept.sqlite", "requests.jsonl").status, 0)
        ask = "SELECT url, host, ip, kind, method, status, error FROM request"
        self.assertEqual(sorted(self.rows(ask)), sorted(self.rows(ask, "kept.sqlite")))
        self.assertEqual(self.rows("SELECT count(*) FROM pages", "kept.sqlite"), [(0,)])
        with open(self.path("requests.jsonl"), encoding="utf-8") as file:
            departures = [line for line in file if '"depart"' in line]  # as a kill leaves them
        self.write("cut.jsonl", "".join(departures))
        cut = self.crawl("query", "cut.jsonl", "SELECT count(*), count(\"end\") FROM requests")
        self.assertEqual(cut.stdout, f"{PAGES + 3}\t0\n", cut.stderr)
        self.assertIn("name it with --output too",
                      self.crawl(*self.options("--output", "x.jsonl", "--requests", "x.sqlite")).stderr)

    def test_report_of_a_kept_crawl(self):
        args = ["--state", "state", "--max-pages", "9", "--output", "site.sqlite", "--links", "site.sqlite",
                "--requests", "site.sqlite", *self.options()]
        self.assertEqual(self.crawl(*args).status, 0)
        report = self.crawl("report", "--state", "state", "--print", "statuses")
        self.assertEqual((report.status, report.stderr), (0, ""))
        self.assertIn("200 OK\t9", report.stdout)

    def test_report_at_the_end(self):
        """The report is made from the database, including the requests in it, and nothing is written twice. Requests
        logged to another file and records that were not kept are in no report."""
        args = [*self.options(), "--report", "site.html", "--overwrite", "--state"]
        args.remove("--no-robots")
        for state, more, is_copied in (("a", ["--requests", "a.sqlite"], False), ("b", [], False),
                                       ("c", ["--requests", "requests.jsonl"], True),
                                       ("d", ["--keep-type", "text/html"], True)):
            result = self.crawl(*args, state, "--output", f"{state}.sqlite", "--links", f"{state}.sqlite", *more)
            self.assertEqual(result.status, 0, result.stderr)
            self.assertEqual([os.path.exists(self.path(f"{state}/report-{kind}")) for kind in ("records", "links")],
                             [is_copied] * 2)
            with open(self.path("site.html"), encoding="utf-8") as file:
                page = file.read()
            self.assertEqual("How often was each host asked" in page, not more[0:1] == ["--requests"], state)
        said = self.crawl("report", "a.sqlite", "--requests", "requests.jsonl")
        self.assertIn("its own links, requests and sitemaps", said.stderr)
        of_database, of_lines = (self.crawl("report", *words, "--print", "hosts").stdout for words in (
            ["--state", "a"], ["c/report-records", "--links", "c/report-links", "--requests", "requests.jsonl"]))
        self.assertRegex(of_database, f"\\t{PAGES + 3}\\t0\\t404\n")
        self.assertEqual(of_database, of_lines)

    def test_datasette(self):
        """The metadata covers the whole database, with the descriptions of the documents, and its queries work."""
        self.assertEqual(self.crawl(*self.options("--output", "site.v2.sqlite", "--links", "site.v2.sqlite")).status, 0)
        result = self.crawl("query", "--datasette", self.path("site.v2.sqlite"))
        self.assertEqual((result.status, result.stderr), (0, ""))
        said = json.loads(result.stdout)["databases"]["site.v2"]
        made = {name for name, in self.rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name "
                                            "NOT LIKE 'sqlite_%' AND name NOT LIKE 'search%'", "site.v2.sqlite")}
        self.assertEqual(set(said["tables"]), made)
        self.assertEqual({name for name, table in said["tables"].items() if not table["description"]}, set())
        pages, links = said["tables"]["pages"]["columns"], said["tables"]["links"]["columns"]
        self.assertEqual(pages["elapsed_ms"], "duration in milliseconds")
        self.assertEqual((pages["id"], pages["error"]), ("URL requested", "class of error"))
        self.assertEqual(pages["fields"], 'values by rules: {"NAME": {"FIELD": value, ...}}')
        requests = said["tables"]["requests"]["columns"]
        self.assertEqual((requests["start"], requests["end"]), ("departure", "when the answer was complete"))
        self.assertEqual(links["target"], "resolved target; as written if not a URL")
        for name, table in said["tables"].items():
            columns = {column for column, in self.rows(f"SELECT name FROM pragma_table_xinfo('{name}')",
                                                       "site.v2.sqlite")}
            named = [*table.get("columns", {}), *table.get("facets", []), *(table[key] for key in (
                "label_column", "sort", "sort_desc") if key in table)]
            self.assertEqual(set(named) - columns, set(), name)
        self.assertTrue(said["tables"]["orphans"]["hidden"])
        self.assertNotIn("hidden", said["tables"]["broken_links"])
        values = {"words": "7", "url": self.nginx.url("a.localhost", "/7.html"), "host": "http://a.localhost"}
        with contextlib.closing(sqlite3.connect(self.path("site.v2.sqlite"))) as site:
            found = {name: len(site.execute(query["sql"], values).fetchall())
                     for name, query in said["queries"].items()}
        self.assertEqual(found, {"full_text": 1, "links_to": 9, "links_of": 10, "requests_of_host": 0})
        self.assertEqual(self.crawl("query", "--datasette", "none.sqlite").status, 4)

    def test_links_of_pages_that_are_not_kept(self):
        result = self.crawl(*self.options("--keep", "/7[.]html", "--output", "site.sqlite", "--links", "site.sqlite"))
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(self.rows("SELECT count(*) FROM pages"), [(1,)])
        self.assertEqual(self.rows("SELECT count(*) FROM links"), [(PAGES * 10 + 1,)])

    def visit_again(self, files, home):
        """Crawls the files into a database, and them again with another home page. Returns the texts of the links that
        the database then had each time."""
        self.make_site(files)
        at_once = [f"revisit.{name}=1s" for name in ("interval", "min_interval", "max_interval")]
        options = [word for value in at_once for word in ("--set", value)]
        ask = "SELECT text FROM link ORDER BY text"
        result = self.crawl("--state", "state", "--revisit=due", *options, *self.options(
            "--output", "site.sqlite", "--links", "site.sqlite"))
        self.assertEqual(result.status, 0, result.stderr)
        first = self.rows(ask)
        self.write("site/index.html", home)
        time.sleep(1.5)  # until they are due
        result = self.crawl("--state", "state", *(value.replace("=1s", "=1d") for value in options))
        self.assertEqual(result.status, 0, result.stderr)
        return first, self.rows(ask)

    def test_links_that_a_changed_page_no_longer_has(self):
        first, second = self.visit_again({"index.html": "<a href=a.html>a</a><a href=none.html>n</a>",
                                          "a.html": "<a href=/>home</a>"}, "<a href=a.html>b</a>")
        self.assertEqual((first, second), ([("a",), ("home",), ("n",)], [("b",), ("home",)]))
        self.assertEqual(self.rows("SELECT source FROM broken_links"), [(None,)])

    def test_links_of_a_page_that_has_lost_them_all(self):
        """The second run finds no link at all."""
        first, second = self.visit_again({"index.html": "<a href=none.html>n</a><a href=gone.html>o</a>"}, "nothing")
        self.assertEqual((first, second), ([("n",), ("o",)], []))

    def test_links_after_a_second_crawl(self):
        """It appends to the database, and its pages are those of a first visit."""
        self.make_site({"index.html": "<a href=a.html>a</a><a href=none.html>n</a>", "a.html": "<a href=/>home</a>"})
        options = self.options("--append", "--output", "site.sqlite", "--links", "site.sqlite")
        self.assertEqual(self.crawl(*options).status, 0)
        self.write("site/index.html", "<a href=a.html>b</a>")
        result = self.crawl(*options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(self.rows("SELECT text FROM link ORDER BY text"), [("b",), ("home",)])

    def test_query_waits_for_the_writer(self):
        self.assertEqual(self.crawl(*self.options("--max-pages", "2", "--output", "site.sqlite")).status, 0)
        with contextlib.closing(sqlite3.connect(self.path("site.sqlite"), check_same_thread=False,
                                                isolation_level=None)) as writer:
            writer.execute("BEGIN EXCLUSIVE")
            timer = threading.Timer(0.5, writer.execute, ["COMMIT"])
            timer.start()
            result = self.crawl("query", "site.sqlite", "SELECT count(*) FROM pages")
            timer.join()
        self.assertEqual((result.status, result.stdout.split()[-1]), (0, "2"), result.stderr)

    def test_what_is_there_already(self):
        self.overwrites = False
        first = self.options("--max-pages", "5", "--output", "site.sqlite")
        self.assertEqual(self.crawl(*first).status, 0)
        again = self.crawl(*first)
        self.assertEqual(again.status, 2)
        self.assertIn("site.sqlite already exists", again.stderr)
        self.assertEqual(self.crawl("--overwrite", *self.options("--max-pages", "2", "--output", "site.sqlite")).status,
                         0)
        self.assertEqual(self.rows("SELECT count(*) FROM pages"), [(2,)])
        self.assertIn("name it with --output too",
                      self.crawl(*self.options("--output", "x.jsonl", "--links", "x.sqlite")).stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM links"), [(0,)])

    def writers(self):
        """Returns the processes that write this test's database."""
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                words = file.read().split(b"\0")
                if b"--sink" in words and os.readlink(os.path.dirname(path) + "/cwd") == os.path.realpath(self.folder):
                    yield int(path.split("/")[2])

    def test_kills(self):
        args = ["--state", "state", "--delay", "2ms", *self.options("--output", "site.sqlite", "--links",
                                                                     "site.sqlite")[2:]]
        for n in range(2 * KILLS):
            process = self.start(*args)
            time.sleep(random.uniform(0.2, 0.6) * harness.slack())
            for pid in self.writers() if n % 2 else []:
                os.kill(pid, signal.SIGKILL)
            if n % 2:
                time.sleep(0.2)
            process.kill()
            process.wait()
            for stream in process.stdout, process.stderr:
                if stream:
                    stream.close()
        result = self.crawl(*args)
        self.assertEqual(result.status, 0, result.stderr)
        self.expect_all()


if __name__ == "__main__":
    harness.main()
