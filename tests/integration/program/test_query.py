#!/usr/bin/env python3
"""Tests `crawl query`: records and links, in any order and repeated, answer SQL and the views, and nothing is
changed."""
import contextlib
import json
import os
import re
import sqlite3

import harness
import played_terminal

A, GONE, OLD = "http://a.test/", "http://a.test/x", "http://a.test/old"
RECORDS = [
    {"url": A, "canonical": A, "status": 200, "content_type": "text/html", "title": "Tea, hot", "visit": 2,
     "error": None, "changed": True, "robots": ["noindex", "nofollow"], "headers": {"server": ["nginx", "x"]},
     "data": {"description": "kettles",
              "hreflang": [{"lang": "de", "url": OLD}, {"lang": "fr", "url": "http://a.test/f"}]},
     "ids": ["q"], "text": "some w\u00f6rds"},
    {"url": "http://a.test/f", "status": 200, "content_type": "text/html", "title": "F", "visit": 1, "error": None,
     "parent": "http://a.test/sitemap.xml"},
    {"url": A, "status": 500, "visit": 1, "error": None},  # an earlier visit, later in the file
    {"url": GONE, "canonical": GONE, "status": 404, "error": None},  # as the first versions wrote it
    {"url": OLD, "status": 301, "visit": 1, "redirect": A, "error": None},
]
LINKS = [
    {"from": A, "to": "http://A.test:80/x#f", "tag": "a", "attr": "href", "rel": "", "text": "gone", "depth": 1,
     "nofollow": False, "verdict": "new"},  # another spelling of GONE
    {"from": A, "to": OLD, "tag": "a", "attr": "href", "rel": "", "text": "moved", "depth": 1, "nofollow": False,
     "verdict": "new"},
    {"from": OLD, "to": A, "tag": "redirect", "attr": "location", "rel": "", "text": "", "depth": 0,
     "nofollow": False, "verdict": "seen"},
    {"from": A, "to": "http://", "tag": "a", "attr": "href", "rel": "", "text": "odd", "depth": 1, "nofollow": False,
     "verdict": "no-url"},
]


class Query(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.write("pages.jsonl", "".join(json.dumps(line) + "\n" for line in RECORDS))
        self.write("links.jsonl", "".join(json.dumps(line) + "\n" for line in LINKS))

    def ask(self, question, *options, files=("links.jsonl", "pages.jsonl"), status=0):
        result = self.crawl("query", *options, *files, question)
        self.assertEqual(result.status, status, result.stderr)
        return result.stdout.splitlines() if not status else result.stderr

    def read_bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_views(self):
        broken = [f"{GONE}\t404\t\t{A}\tgone\t0", f"http://\tno-url\t\t{A}\todd\t0"]
        self.assertEqual(sorted(self.ask("broken_links")), sorted(broken))
        twice = ["pages.jsonl", "links.jsonl", "links.jsonl", "pages.jsonl"]
        self.assertEqual(sorted(self.ask("broken_links", files=twice)), sorted(broken))
        self.assertEqual(self.ask("redirects"), [f"{OLD}\t301\t{A}\t{A}\tmoved"])
        self.assertEqual(self.ask("noindex"), [f"{A}\tnoindex nofollow"])
        self.assertEqual(self.ask("hreflang_without_return"), [f"{A}\tfr\thttp://a.test/f"])

    def test_a_file_that_is_too_large_is_not_broken(self):
        large = {"url": A + "x", "status": 200, "visit": 1, "error": "too-large"}
        gone = {"url": A + "gone", "status": 404, "visit": 1, "error": "too-large"}
        links = [{**LINKS[0], "to": record["url"]} for record in (large, gone)]
        self.write("large.jsonl", "".join(json.dumps(line) + "\n" for line in (large, gone, *links)))
        self.assertEqual(self.ask("SELECT target FROM broken_links", files=["large.jsonl"]), [A + "gone"])

    def test_routes_of_scripts_are_no_broken_fragments(self):
        page = {"url": A, "status": 200, "content_type": "text/html", "visit": 1, "ids": ["q"]}
        links = [{**LINKS[0], "to": A + fragment} for fragment in ("#q", "#TOP", "#/route", "#!route", "#gone")]
        self.write("routes.jsonl", "".join(json.dumps(line) + "\n" for line in (page, *links)))
        self.assertEqual(self.ask("SELECT target FROM broken_fragments", files=["routes.jsonl"]), [A + "#gone"])

    def test_redirects_to_places_and_other_spellings(self):
        """A chain and a loop whose targets have fragments, or are written otherwise."""
        targets = {"a": "http://a.test/b#x", "b": "http://A.test:80/c#y", "c": "http://a.test/#z",
                   "l": "http://a.test/m#x", "m": "http://A.test/l", "s": "http://a.test/s#x"}
        lines = [{"url": "http://a.test/" + path, "canonical": "http://a.test/" + path, "status": 301, "redirect": to}
                 for path, to in targets.items()]
        self.write("moved.jsonl", "".join(json.dumps(line) + "\n" for line in [*lines, RECORDS[0]]))
        self.assertEqual(self.ask("redirect_chains", files=["moved.jsonl"]), [f"{A}a\t3\t{A}\t200"])
        self.assertEqual(sorted(self.ask("redirect_loops", files=["moved.jsonl"])),
                         [f"{A}l\t2", f"{A}m\t2", f"{A}s\t1"])

    def test_a_broken_page_behind_redirects(self):
        """The page with the link is named, not only the redirect."""
        moved = [{"url": A + old, "status": 301, "redirect": A + new, "error": None}
                 for old, new in (("r", "s"), ("s", "x"))]
        hops = [{**LINKS[2], "from": A + old, "to": A + new} for old, new in (("r", "s"), ("s", "x"))]
        links = [*hops, {**LINKS[1], "to": A + "r"}, {**LINKS[1], "from": A + "f", "to": A + "s"}]
        records = [RECORDS[0], RECORDS[1], RECORDS[3], *moved]
        self.write("gone.jsonl", "".join(json.dumps(line) + "\n" for line in records))
        self.write("to.jsonl", "".join(json.dumps(line) + "\n" for line in links))
        self.assertEqual(sorted(self.ask("SELECT target, source, text FROM broken_links",
                                         files=["gone.jsonl", "to.jsonl"])),
                         [f"{GONE}\t{A}\tmoved", f"{GONE}\t{A}f\tmoved"])
        said = self.crawl("report", "gone.jsonl", "--links", "to.jsonl", "--print", "broken").stdout
        self.assertEqual([line.split("\t")[5:] for line in said.splitlines()[1:]],
                         [[A + "s", "", "redirect"], [A, "moved", "a"], [A + "f", "moved", "a"]])

    def test_canonicals_of_the_page_itself(self):
        """With a fragment, or another order of parameters, a canonical link names its own page."""
        page = {**RECORDS[1], "url": A + "p?b=1&a=2", "canonical": A + "p?a=2&b=1"}
        for canonical in ("p?b=1&a=2#top", "p?a=2&b=1"):
            self.write("one.jsonl", json.dumps({**page, "data": {"canonical": A + canonical}}) + "\n")
            self.write("map.txt", page["url"] + "\n")
            self.assertEqual(self.ask("canonical_elsewhere", files=["one.jsonl"]), [])
            self.assertEqual(self.ask("sitemap_faults", "--sitemap", "map.txt", files=["one.jsonl"]), [])
        own, other = A + "p?a=2&b=1", A + "p?b=1&a=2"
        self.write("one.jsonl", json.dumps({**RECORDS[1], "url": own, "data": {"canonical": other}}) + "\n")
        self.write("to.jsonl", json.dumps({**LINKS[0], "from": own, "to": other, "tag": "link", "rel": "canonical",
                                           "verdict": "seen"}) + "\n")
        self.write("map.txt", own + "\n")
        files = ["one.jsonl", "to.jsonl"]
        self.assertEqual(self.ask("canonical_elsewhere", files=files), [])
        self.assertEqual(self.ask("sitemap_faults", "--sitemap", "map.txt", files=files), [])

    def test_a_page_that_says_nothing_of_itself_has_no_data(self):
        bare = {**RECORDS[1], "url": A + "bare"}
        kept = {**bare, "url": A + "kept", "withheld": "train"}
        self.write("bare.jsonl", json.dumps(bare) + "\n" + json.dumps(kept) + "\n")
        for view, pages in ("undescribed", [A + "bare", A + "f"]), ("no_heading", [A, A + "bare", A + "f"]):
            self.assertEqual(sorted(self.ask(view, files=["pages.jsonl", "bare.jsonl"])), pages)
            self.assertIn("--data", self.ask(view, files=["bare.jsonl"], status=1))

    def test_what_was_not_read_is_said(self):
        self.assertEqual(self.ask("orphans", status=1), "crawl query: orphans: no sitemap was read: --sitemap FILE\n")
        self.assertIn("no sitemap was read", self.ask("ORPHANS", status=1))
        self.write("plain.jsonl", json.dumps(LINKS[0]) + "\n")
        self.assertEqual(self.ask("broken_links", files=["plain.jsonl"], status=1),
                         "crawl query: broken_links: no record was read: a crawl writes them with --output\n")
        self.write("sitemap.txt", A + "\n")
        self.assertIn("no record was read",
                      self.ask("sitemap_faults", "--sitemap", "sitemap.txt", files=["links.jsonl"], status=1))
        self.assertIn("--answer-headers", self.ask("security_headers", files=["links.jsonl"], status=1))
        self.assertIn("--links", self.ask("mixed_content", files=["pages.jsonl"], status=1))
        self.assertIn("--requisites", self.ask("mixed_content", status=1))
        self.write("other.jsonl", json.dumps({**LINKS[0], "to": "http://b.test/"}) + "\n")
        self.write("sitemap.xml", f"<urlset><url><loc>{A}</loc></url><url><loc>http://a.test/f</loc></url>"
                                  f"<url><loc>{GONE}</loc></url></urlset>")
        self.assertEqual(self.ask("orphans", "--sitemap", "sitemap.xml"), ["http://a.test/f"])
        self.assertEqual(self.ask("orphans", "--sitemap", "sitemap.xml", files=["pages.jsonl", "other.jsonl"]),
                         ["http://a.test/f"], "seeds are none, even without a link to them")
        self.assertEqual(sorted(self.ask("sitemap_faults", "--sitemap", "sitemap.xml")),
                         [f"{A}\tsitemap.xml\tnoindex", f"{GONE}\tsitemap.xml\t404"])
        self.assertIn("broken one", self.ask("statuses", "--sitemap", "links.jsonl", status=1))
        kept = self.crawl("query", "--save", "kept.sqlite", "--sitemap", "sitemap.xml", "pages.jsonl", "links.jsonl")
        self.assertEqual(kept.status, 0, kept.stderr)
        self.assertEqual(self.ask("orphans", files=["kept.sqlite"]), ["http://a.test/f"])

    def test_a_database_that_fails_is_not_the_fault_of_the_sitemap(self):
        self.assertEqual(self.crawl("query", "--save", "kept.sqlite", "pages.jsonl").status, 0)
        with contextlib.closing(sqlite3.connect(self.path("kept.sqlite"))) as kept:
            kept.execute("CREATE TRIGGER full BEFORE INSERT ON sitemap BEGIN SELECT RAISE(ABORT, 'no room'); END")
        self.write("sitemap.txt", A + "\n")
        result = self.crawl("query", "--save", "kept.sqlite", "--sitemap", "sitemap.txt", "links.jsonl")
        self.assertEqual((result.status, result.stderr), (4, "crawl query: results: no room\n"))

    def test_a_database_that_fails_ends_the_reading(self):
        self.assertEqual(self.crawl("query", "--save", "kept.sqlite", "pages.jsonl").status, 0)
        with contextlib.closing(sqlite3.connect(self.path("kept.sqlite"))) as kept:
            kept.execute("CREATE TRIGGER full BEFORE INSERT ON links BEGIN SELECT RAISE(ABORT, 'no room'); END")
        self.write("more.jsonl", "[]\n" + "".join(json.dumps(line) + "\n" for line in LINKS))
        result = self.crawl("query", "--save", "kept.sqlite", "more.jsonl", "links.jsonl")
        self.assertEqual((result.status, result.stderr), (4, "crawl query: more.jsonl: line 1: not an object\n"
                                                             "crawl query: more.jsonl: line 2: no room\n"))

    def test_few_bad_lines_are_named(self):
        self.write("table.csv", "url,status\n" * 1000)
        for command in ("query", "--save", "kept.sqlite"), ("corpus", "made"):
            said = self.crawl(*command, "table.csv", "pages.jsonl").stderr.splitlines()
            self.assertIn("line 10", said[9])
            self.assertIn("table.csv: 1000 lines are not", said[10])

    def test_a_kept_database_has_all_links(self):
        repeated = {**LINKS[0], "text": "again", "verdict": "repeated"}
        self.write("more.jsonl", json.dumps(repeated) + "\n")
        files = ["pages.jsonl", "links.jsonl", "more.jsonl"]
        self.assertEqual(self.crawl("query", "--save", "kept.sqlite", *files).status, 0)
        self.assertEqual(self.ask("broken_links", files=["kept.sqlite"]), self.ask("broken_links", files=files))
        self.assertEqual(len(self.ask("broken_links", files=files)), 3)

    def test_each_view_answers(self):
        views = [line.split()[0] for line in self.crawl("query", "--tables").stdout.splitlines()]
        self.assertGreater(len(views), 30)
        part = {"url": "http://a.test/p.css", "status": 200, "visit": 1, "error": None, "requisite": True,
                "digest": "0" * 40, "simhash": "0" * 16}
        sent = {"url": A, "request": 1, "start": 1.5e12, "sent": True, "event": "end", "end": 1.5e12 + 1}
        self.write("more.jsonl", "".join(json.dumps(line) + "\n" for line in (part, {"event": "run"}, sent)))
        self.write("sitemap.txt", A + "\n")
        for view in views:
            self.ask(view, "--sitemap", "sitemap.txt", files=("links.jsonl", "pages.jsonl", "more.jsonl"))
        sql = "SELECT sent_at, r.elapsed_ms, r.url, p.status FROM request r JOIN page p USING (url)"
        self.assertEqual(self.ask(sql, files=["more.jsonl", "pages.jsonl"]),
                         [f"2017-07-14T02:40:00.000Z\t1.0\t{A}\t200"])

    def test_the_document_has_each_view_and_what_it_needs(self):
        views = dict(line.split(None, 1) for line in self.crawl("query", "--tables").stdout.splitlines())
        rows = {}
        with open(os.path.join(os.path.dirname(__file__), "../../../docs/results.md"), encoding="utf-8") as file:
            for line in file.read().split("| needs |")[1].split("\n\n")[0].splitlines()[2:]:
                named, needs = (re.findall("`([^`]+)`", cell) for cell in line.split("|")[2:4])
                rows.update(dict.fromkeys(named, needs))
        self.assertEqual(set(rows), set(views))
        for view, needs in rows.items():
            result = self.crawl("query", "-", view, stdin="")
            self.assertEqual(result.status, 0 if view in ("page", "html_page", "link") else 1, view)
            self.assertIn((needs or ["no record"])[0] if result.status else "", result.stderr, view)
            self.assertEqual(sorted(re.findall("--[a-z-]+(?: near)?", views[view])), sorted(needs), view)

    def test_each_field_of_a_record_has_a_column(self):
        with open(os.path.join(os.path.dirname(__file__), "../../../docs/records.md"), encoding="utf-8") as file:
            fields = re.findall("(?m)^\\| `([a-z_]+)` \\| [a-z]", file.read().split("## Records")[1].split("\n### ")[0])
        self.assertGreater(len(fields), 50)
        record = {"url": A, "status": 200, "visit": 1, "preprocessed": "whole"}
        self.write("one.jsonl", json.dumps(record) + "\n")
        columns = json.loads(self.ask("SELECT * FROM page", "--json", files=["one.jsonl"])[0])
        self.assertEqual(set(fields) - set(columns), {"ids", "headers"})  # tables of their own
        self.assertEqual(columns["preprocessed"], "whole")

    def test_a_pipe_is_read_from_its_beginning(self):
        lines = "".join(json.dumps({**RECORDS[1], "url": f"{A}{n}"}) + "\n" for n in range(200))
        self.assertEqual(self.ask("SELECT count(*) FROM page", files=[self.feed("sql", lines)]), ["200"])
        saved = self.crawl("query", "--save", "kept.sqlite", self.feed("saved", lines), limit_s=20)
        self.assertEqual(saved.status, 0, saved.stderr)
        self.assertEqual(self.ask("SELECT count(*) FROM page", files=["kept.sqlite"]), ["200"])

    def test_sql(self):
        self.assertEqual(self.ask("SELECT status, visit FROM page WHERE url = 'http://a.test/'"), ["200\t2"])
        self.assertEqual(self.ask("SELECT page, visit FROM visits ORDER BY visit DESC LIMIT 1")[0].split("\t")[1], "2")
        self.assertEqual(self.ask("SELECT name, n, value FROM headers"), ["server\t0\tnginx", "server\t1\tx"])
        words = "SELECT u.url FROM search JOIN urls u ON u.id = search.rowid WHERE search MATCH 'words'"
        self.assertEqual(self.ask(words), [A])
        self.assertEqual(self.crawl("query", "--save", "kept.sqlite", "pages.jsonl").status, 0)
        both = self.crawl("query", "links.jsonl", "kept.sqlite", "statuses")
        self.assertEqual((both.status, both.stdout, both.stderr), (
            2, "", "crawl query: kept.sqlite: a database is FILE alone; --save adds lines to it\n"))
        headings = "SELECT j.value FROM pages, json_each(data, '$.description') j"
        for files in (["pages.jsonl"], ["kept.sqlite"]):
            self.assertEqual(self.ask(words, files=files), [A])
            self.assertEqual(self.ask(headings, files=files), ["kettles"])
            self.assertIn("may not be modified", self.ask("UPDATE sqlite_master SET sql = ''", files=files, status=1))
        self.assertEqual(self.ask("SELECT title, description FROM page WHERE id = 2 OR url = 'http://a.test/' LIMIT 1",
                                  "--csv"), ["title,description", '"Tea, hot",kettles'])
        self.assertEqual(json.loads(self.ask("SELECT status, error FROM page WHERE url LIKE '%x'", "--json")[0]),
                         {"status": 404, "error": None})

    def test_json_has_each_column_and_only_what_it_can_write(self):
        sql = "SELECT 1 AS x, 2 AS x, 3 AS \"x:1\", 4 AS x, 9e999 AS y, -9e999 AS z, 5 AS \"\""
        self.assertEqual(json.loads(self.ask(sql, "--json")[0]),
                         {"x": 1, "x:1": 2, "x:1:1": 3, "x:2": 4, "y": None, "z": None, "": 5})
        broken = "SELECT url AS 'b\udcff', page.* FROM page WHERE status = 404"
        row = json.loads(self.ask(broken, "--json")[0])
        self.assertEqual((row["b\ufffd"], row["url"], row["status"]), (GONE, GONE, 404))

    def test_csv_for_spreadsheets(self):
        rows = self.ask("SELECT 'a;b' AS x, 'c,d' AS y", "--csv", "--bom", "--separator=;")
        self.assertEqual(rows, ["\ufeffx;y", '"a;b";c,d'])
        formulas = self.ask("SELECT '=1+1' AS x, -5 AS y, '@\"a' AS z, 'a-b' AS w", "--csv")
        self.assertEqual(formulas[1], "'=1+1,-5,\"'@\"\"a\",a-b")
        for options in ["--bom"], ["--separator=;"], ["--csv", "--separator="], ["--csv", '--separator="'], \
                ["--csv", "--separator=\u00e9"]:
            self.assertIn("--separator", self.ask("page", *options, status=2))

    def test_a_database_that_is_kept(self):
        for name in "links.jsonl", "pages.jsonl", "pages.jsonl":
            self.assertEqual(self.crawl("query", "--save", "site.sqlite", name).status, 0)
        with contextlib.closing(sqlite3.connect(self.path("site.sqlite"))) as site:
            self.assertEqual(site.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            self.assertEqual(site.execute("PRAGMA journal_mode").fetchone(), ("delete",))
            self.assertEqual(site.execute("SELECT count(*) FROM pages").fetchone(), (len(RECORDS) - 1,))
        self.assertEqual(self.ask("SELECT target, text FROM broken_links WHERE cause = 404", files=["site.sqlite"]),
                         [f"{GONE}\tgone"])
        self.assertIn("not authorized", self.ask("DELETE FROM pages", files=["site.sqlite"], status=1))
        with contextlib.closing(sqlite3.connect(self.path("other.db"))) as other:
            other.execute("CREATE TABLE t(x)")
        before = self.read_bytes("other.db")
        self.assertIn("of another program", self.crawl("query", "--save", "other.db", "pages.jsonl").stderr)
        self.assertIn("other.db: a database of another program (application_id 0)",
                      self.ask("SELECT x FROM t", files=["other.db"], status=2))
        self.assertEqual(self.read_bytes("other.db"), before)
        with contextlib.closing(sqlite3.connect(self.path("site.sqlite"))) as site:
            site.execute("PRAGMA user_version = 99")
        self.assertIn("version 99", self.crawl("query", "--save", "site.sqlite", "pages.jsonl").stderr)
        self.assertIn("version 99", self.ask("page", files=["site.sqlite"], status=2))

    def on_terminal(self, sql, keys="", **environment):
        """Returns the exit status, and the lines shown by a terminal of 40 columns; keys are pressed at the first
        line."""
        shown = played_terminal.Terminal([harness.program(), "query", "pages.jsonl", sql], self.folder, (24, 40),
                                         **environment)
        self.addCleanup(shown.close)
        if keys:
            shown.wait_for("1000")
            shown.press(keys)
        return shown.end(), [line.rstrip() for line in shown.text.replace("\r", "").splitlines()]

    def test_a_table_for_a_terminal(self):
        """The columns fit for any texts; files get lines with tabs."""
        sql = "SELECT url, status, title || char(27) AS words FROM page WHERE status < 400 ORDER BY 2, 1"
        self.assertEqual(self.on_terminal(sql), (0, [
            "url              \u2502 status \u2502 words",
            "\u2500" * 17 + "\u253c" + "\u2500" * 8 + "\u253c" + "\u2500" * 13,
            "http://a.test/   \u2502    200 \u2502 Tea, hot\\x1b", "http://a.test/f  \u2502    200 \u2502 F\\x1b",
            "http://a.t\u2026t/old \u2502    301 \u2502", "(3 rows)"]))
        wide = self.on_terminal("SELECT printf('%0100d', 7) AS x, '\u4e2d\u6587' AS y, 5 AS z",
                                LC_ALL="C")[1]
        self.assertEqual({len(line) for line in wide[:3]} | {wide[3]}, {40, "(1 row)"}, wide)
        none = self.on_terminal("SELECT url FROM page WHERE status = 7")
        self.assertEqual(none, (0, ["url", "\u2500" * 3, "(0 rows)"]))

    def test_control_c(self):
        """Ctrl-C ends an endless query."""
        sql = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n WHERE x <= 1000 OR x < 0"
        status, lines = self.on_terminal(sql, "\x03")
        self.assertEqual((status, "SQL: interrupted" in lines[-1]), (3, True), lines[-3:])

    def test_refusals(self):
        self.assertIn("not authorized", self.ask("DELETE FROM pages", status=1))
        self.assertIn("not authorized", self.ask("ATTACH 'x.db' AS x", status=1))
        self.assertIn("no such table", self.ask("brokenlinks", status=1))
        for name in ("brokenlinks", "broken-links", "Broken-Link"):
            self.assertIn("did you mean broken_links?", self.ask(name, status=1))
        self.assertIn("no such table: faults; `crawl query --tables`", self.ask("faults", status=1))
        self.assertIn("no such column: url; `crawl query --tables`", self.ask("SELECT url FROM pages", status=1))
        self.assertIn("a text stands in 'single quotes'", self.ask('SELECT "from" FROM link', status=1))
        self.assertEqual(self.ask('SELECT count("end") FROM requests'), ["0"])
        swapped = self.crawl("query", "SELECT 1", "pages.jsonl")
        self.assertEqual(swapped.status, 2)
        self.assertIn("the SQL, or the name of a view, comes last", swapped.stderr)
        os.mkdir(self.path("orphans"))
        missing = self.crawl("query", "missing.jsonl", "orphans")
        self.assertIn("missing.jsonl: No such file", missing.stderr)
        self.assertIn("one SELECT", self.ask("SELECT 1; SELECT 2", status=1))
        self.write("bad.jsonl", '{"a": 1}\n' + json.dumps(RECORDS[3]) + "\n")
        result = self.crawl("query", "bad.jsonl", "SELECT count(*) FROM pages")
        self.assertEqual((result.status, result.stdout), (1, "1\n"))
        self.assertIn("bad.jsonl: line 1: neither a record", result.stderr)
        self.assertEqual(self.crawl("query", "none.jsonl", "page").status, 4)
        self.assertEqual(self.crawl("query", "pages.jsonl").status, 2)


if __name__ == "__main__":
    harness.main()
