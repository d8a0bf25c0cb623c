#!/usr/bin/env python3
"""Tests `crawl query --where` and --columns: the lines that match conditions, the format of fields, and messages about
wrong lines and names."""
import json
import os

import harness
import played_terminal

LINES = [
    {"url": "http://h/a", "status": 200, "bytes": 1200, "title": "News of the day", "robots": [], "error": None,
     "changed": True,
     "fetched_at": "2026-11-23T10:00:00.000Z", "headers": {"server": ["nginx"], "x-cache": ["HIT", "MISS"]}},
    {"url": "http://h/b", "status": 404, "bytes": 90, "title": "Not found", "robots": ["noindex", "nofollow"],
     "error": None, "changed": False,
     "fetched_at": "2026-11-23T11:00:00.000Z", "depth": 0},
    {"url": "http://h/c?x=1", "status": 0, "bytes": 0, "title": None, "robots": [], "error": "timeout",
     "fetched_at": "2026-11-24T01:00:00.000Z", "links": {}},
    {"url": "http://h/d", "status": 503, "bytes": 9000, "title": "", "error": None,
     "text": "a\tb\n\u001b[31m \u00e9 \"q\" \\", "nested": {"a": {"b.c": 1, "d": -2.5e0}}},
]


class QueryLines(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.write("lines.jsonl", "".join(json.dumps(line) + "\n" for line in LINES))

    def ask(self, *args, status=0):
        result = self.crawl("query", *args, "lines.jsonl")
        self.assertEqual(result.status, status, result.stderr)
        return result.stdout.splitlines()

    def test_conditions(self):
        for conditions, found in (
                (("1",), "abcd"), (("error",), "c"), (("!error",), "abd"), (("NOT error",), "abd"), (("title",), "ab"),
                (("not title",), "cd"), (("robots",), "b"), (("depth",), ""),
                (("links",), ""), (("headers",), "a"), (("changed",), "a"), (("changed = false",), "b"),
                (("status=404",), "b"), (("status = 404.0",), "b"),
                (("status != 200",), "bcd"), (("status>=400",), "bd"), (("status>400",), "bd"), (("status>404",), "d"),
                (("status<=200",), "ac"), (("200 < status",), "bd"), (("status IN (404, 503)",), "bd"),
                (("bytes<1e3",), "bc"), (("status>=400", "bytes<1000"), "b"), (("bytes BETWEEN 1 AND status",), "b"),
                (("robots LIKE '%nofollow%'",), "b"), (("robots NOT LIKE '%nofollow%'",), "ac"),
                (("title LIKE '%NEWS%'",), "a"), (("title NOT LIKE '%news%'",), "bd"), (("title = ''",), "d"),
                (("coalesce(title, '') = ''",), "cd"), (("url = 'http://h/c?x=1'",), "c"),
                (("url LIKE '%?X=%'",), "c"), (("error OR status = 404",), "bc"),
                (("(error or changed) AND NOT (title)",), "c"), (("(error)", "not (status)"), "c"),
                (("fetched_at >= '2026-11-24'",), "c"), (("fetched_at < '2026-11-23T10:30'",), "a"),
                (("headers.x-cache LIKE '%MISS'",), "a"), (("headers.none",), ""), (("title.x",), ""),
                (("\"headers.x-cache\" = 'HIT MISS'",), "a"), (("nested.a.d = -2.5",), "d"),
                (("none IS NULL",), "abcd"),
                (("CASE WHEN error THEN 1 ELSE status = 404 END",), "bc"), (("status-4.0 = 400",), "b"),
                (("text LIKE '%\t%'",), "d"), (("text LIKE '%É%'",), ""), (("text LIKE '%é \"Q\" \\'",), "d")):
            options = [word for condition in conditions for word in ("--where", condition)]
            self.assertEqual("".join(line.split("/")[3][0] for line in self.ask("--columns", "url", *options)), found,
                             conditions)

    def test_fields(self):
        self.assertEqual(self.ask("--where", "status=200", "--columns",
                                  "status, title,changed,robots,error,headers.x-cache,headers,url,none"),
                         ['200\tNews of the day\t1\t\t\tHIT MISS\t{"server": ["nginx"], "x-cache": ["HIT", '
                          '"MISS"]}\thttp://h/a\t'])
        self.assertEqual(self.ask("--where", "status=503", "--columns", "text"), [r'a\x09b\x0a\x1b[31m é "q" ' + "\\"])
        self.assertEqual(self.ask("--columns", "bytes", "--columns", "bytes"), [f"{line['bytes']}\t{line['bytes']}"
                                                                               for line in LINES])
        self.assertEqual([json.loads(line) for line in self.ask("--where", "bytes>100")], [LINES[0], LINES[3]])

    def test_forms(self):
        """Lines have the output formats of SQL, with columns by their names or texts. Numbers and texts keep their
        types."""
        self.assertEqual(self.ask("--csv", "--bom", "--where", "status = 404", "--columns",
                                  "url,upper(title), bytes / 2 AS half,\"headers.x\",robots AS \"its, robots\""),
                         ['\ufeffurl,upper(title),half,headers.x,"its, robots"',
                          "http://h/b,NOT FOUND,45,,noindex nofollow"])
        self.write("odd.jsonl", '{"a": 12345678901234567, "b": 1.5, "c": [1, [2], null, "\\u00e9"], "from": "x"}')
        result = self.crawl("query", "--json", "--where", "\"from\" = 'x' and from = 'x'", "--columns", "a,b,c,from,d",
                            "odd.jsonl")
        self.assertEqual(json.loads(result.stdout),
                         {"a": 12345678901234567, "b": 1.5, "c": "1 [2]  é", "from": "x", "d": None})
        shown = played_terminal.Terminal([harness.program(), "query", "--columns", "status,title", "lines.jsonl"],
                                         self.folder, (24, 40), LC_ALL="C.UTF-8")
        self.addCleanup(shown.close)
        self.assertEqual(shown.end(), 0)
        self.assertIn("   200 │ News of the day", shown.text)
        self.assertIn("(4 rows)", shown.text)

    def test_numbers_keep_all_their_digits(self):
        numbers = [1764540123456.789, 0.1, 0.30000000000000004, 1e300, -2.5, 5e-324]
        self.write("numbers.jsonl", "".join(json.dumps({"x": number}) + "\n" for number in numbers))
        shown = ["1764540123456.789", "0.1", "0.3", "1.0e+300", "-2.5"]
        for form in ([], ["--csv"]):
            rows = self.crawl("query", *form, "--columns", "x", "numbers.jsonl").stdout.split()[len(form):]
            self.assertEqual((rows[:5], float(rows[5])), (shown, numbers[5]))
        rows = self.crawl("query", "--json", "--columns", "x,x+1 AS y", "numbers.jsonl").stdout.splitlines()
        self.assertEqual(rows[:2], ['{"x":1764540123456.789,"y":1764540123457.789}', '{"x":0.1,"y":1.1}'])
        self.assertEqual([json.loads(row)["x"] for row in rows], numbers)
        table = played_terminal.Terminal([harness.program(), "query", "--columns", "x", "numbers.jsonl"], self.folder)
        self.addCleanup(table.close)
        self.assertEqual(table.end(), 0)
        self.assertIn("1764540123456.789\r\n", table.text)

    def test_a_terminal_shows_the_rows_of_a_pipe_as_they_come(self):
        """Until Ctrl-C, whose status is that of an interrupted query."""
        reader, writer = os.pipe()
        shown = played_terminal.Terminal([harness.program(), "query", "--columns", "status,url"], self.folder,
                                         stdin=reader)
        self.addCleanup(shown.close)
        self.addCleanup(os.close, writer)
        os.close(reader)
        for line in LINES[:2]:
            os.write(writer, json.dumps(line).encode() + b"\n")
            shown.wait_for(f"{line['status']}\\s+{line['url']}")
        shown.press("\x03")
        self.assertEqual(shown.end(), 3, shown.text)

    def test_input(self):
        """Input may be several files or standard input. An invalid line is named, and the others are read."""
        self.write("more.jsonl", '\ufeff{"url":"http://h/e"}\r\n\n[1]\n{"url":"http://h/\\ud83d\\ude00"}\n{"url":"cut')
        result = self.crawl("query", "--columns", "url", "more.jsonl", "lines.jsonl")
        self.assertEqual((result.status, result.stdout.splitlines()),
                         (1, ["http://h/e", "http://h/\U0001f600", *(line["url"] for line in LINES)]))
        self.assertEqual(result.stderr, "crawl query: more.jsonl: line 3 is not a JSON object\ncrawl query: "
                                        "more.jsonl: line 5 is not a JSON object\n")
        self.write("table.csv", "url,status\n" * 1000)
        said = self.crawl("query", "--where", "url", "table.csv").stderr.splitlines()
        self.assertEqual((len(said), said[-1]), (11, "crawl query: table.csv: 1000 lines are not JSON objects"))
        self.assertEqual(self.crawl("query", "--columns=url", stdin='{"url": "http://h/"}').stdout, "http://h/\n")
        self.assertEqual(self.crawl("query", "--columns=url", stdin="").status, 0)
        result = self.crawl("query", "--columns=url", "none.jsonl", "lines.jsonl")
        self.assertEqual((result.status, len(result.stdout.splitlines())), (4, len(LINES)))
        result = self.crawl("query", "--where", "json_valid(json(url))", "lines.jsonl")
        self.assertEqual((result.status, result.stderr), (1, "crawl query: lines.jsonl: line 1: malformed JSON\n"))

    def test_a_pipe_is_read_from_its_beginning(self):
        urls = [f"http://h/{n}" for n in range(200)]
        pipe = self.feed("pipe", "".join(json.dumps({"url": url}) + "\n" for url in urls))
        result = self.crawl("query", "--columns", "url", pipe)
        self.assertEqual((result.status, result.stdout.splitlines()), (0, urls), result.stderr)

    def test_wrong_names(self):
        """A misspelt name must not look like a site without faults; an invalid condition is refused."""
        result = self.crawl("query", "--columns", "ulr,tilte", "lines.jsonl")
        self.assertEqual((result.status, result.stderr), (1, "crawl query: no line has ulr,tilte: --columns names the "
                                                             "fields to print\n"))
        self.assertEqual(self.ask("--columns", "none", "--where", "status=1"), [])
        for condition in ("stauts=404", "stauts>=400", "stauts!=200", "stauts LIKE '4%'", "url = stauts"):
            result = self.crawl("query", "--where", "url", "--where", condition, "lines.jsonl")
            self.assertEqual((result.status, result.stderr),
                             (1, "crawl query: no line has stauts, which --where compares (a text stands in quotes: "
                                 "'stauts')\n"), condition)
        for condition in ("stauts", "!stauts", "stauts IS NULL"):
            self.assertEqual(self.crawl("query", "--where", condition, "lines.jsonl").status, 0)
        self.assertEqual(self.crawl("query", "--where", "stauts=404", stdin="").status, 0)
        for wrong in ("", "=1", "a..b", ".a", "a.=1", "a!b", "!", "a ~", "a=1)", "1); SELECT (1", "a = 'b", '"a', '""',
                      "nothing(a)", "a /*", "a -- b"):
            for option in "--where", "--columns":
                result = self.crawl("query", option, wrong, "lines.jsonl")
                self.assertEqual((result.status, result.stdout), (2, ""), wrong)
                self.assertIn(option, result.stderr)
        self.assertEqual(self.crawl("query", "--columns", "url,,status", "lines.jsonl").status, 2)
        many = ",".join(f"f{n}" for n in range(65))
        self.assertIn("too many fields", self.crawl("query", "--columns", many, "lines.jsonl").stderr)

    def test_what_excludes_it(self):
        self.crawl("query", "--save", "kept.sqlite", "lines.jsonl")
        for options in ["--csv"], ["--save", "x.sqlite"], ["--sitemap", "lines.jsonl"], ["kept.sqlite"]:
            self.assertEqual(self.crawl("query", "--where", "url", *options, "lines.jsonl").status, 2, options)
        self.assertIn("crawl query --where CONDITION --columns FIELDS", self.crawl("list", "lines.jsonl").stderr)

    def test_what_a_crawl_writes(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<title>A</title><a href=x>The X</a>"})})
        self.crawl("--delay", "0", "--output", "pages.jsonl", "--links", "links.jsonl", nginx.url("a.localhost", "/"))
        gone = self.crawl("query", "--where", "status=404", "--columns", "url,parent", "pages.jsonl").stdout
        self.assertEqual(gone, f"{nginx.url('a.localhost', '/x')}\t{nginx.url('a.localhost', '/')}\n")
        self.assertEqual(self.crawl("query", "--where", "to LIKE '%/x'", "--columns", "text", "links.jsonl").stdout,
                         "The X\n")


if __name__ == "__main__":
    harness.main()
