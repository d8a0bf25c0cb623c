#!/usr/bin/env python3
"""`crawl list`: which lines meet which conditions, how fields are printed, and what is said of lines and names that are
wrong."""
import json

import harness

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


class List(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.write("lines.jsonl", "".join(json.dumps(line) + "\n" for line in LINES))

    def listed(self, *args, status=0):
        result = self.crawl("list", *args, "lines.jsonl")
        self.assertEqual(result.status, status, result.stderr)
        return result.stdout.splitlines()

    def test_conditions(self):
        for conditions, found in (
                ((), "abcd"), (("error",), "c"), (("!error",), "abd"), (("title",), "ab"), (("!title",), "cd"),
                (("robots",), "b"), (("depth",), ""),
                (("links",), ""), (("headers",), "a"), (("changed",), "a"), (("changed=false",), "b"),
                (("status=404",), "b"), (("status=404.0",), "b"),
                (("status!=200",), "bcd"), (("status>=400",), "bd"), (("status>400",), "bd"), (("status>404",), "d"),
                (("status<=200",), "ac"),
                (("bytes<1e3",), "bc"), (("status>=400", "bytes<1000"), "b"), (("robots=nofollow",), "b"),
                (("robots!=nofollow",), "acd"),
                (("title~NEWS",), "a"), (("title!~news",), "bcd"), (("title=",), "cd"), (("url=http://h/c?x=1",), "c"),
                (("url~?X=",), "c"),
                (("fetched_at>=2026-11-24",), "c"), (("fetched_at<2026-11-23T10:30",), "a"), (("fetched_at>5",), ""),
                (("bytes>abc",), ""),
                (("headers.x-cache=MISS",), "a"), (("headers.none",), ""), (("title.x",), ""),
                (("nested.a.d=-2.5",), "d"), (("none=",), "abcd"),
                (("text~\t",), "d"), (("text~É",), ""), (("text~é \"Q\" \\",), "d")):
            options = [word for condition in conditions for word in ("--where", condition)]
            self.assertEqual("".join(line.split("/")[3][0] for line in self.listed(*options)), found, conditions)

    def test_fields(self):
        self.assertEqual(self.listed("--where", "status=200", "--show",
                                     "status, title,changed,robots,error,headers.x-cache,headers,url,none"),
                         ['200\tNews of the day\ttrue\t\t\tHIT MISS\t{"server": ["nginx"], "x-cache": ["HIT", '
                          '"MISS"]}\thttp://h/a\t'])
        self.assertEqual(self.listed("--where", "status=503", "--show", "text"), [r'a\x09b\x0a\x1b[31m é "q" ' + "\\"])
        self.assertEqual(self.listed("--show", "bytes", "--show", "bytes"), [f"{line['bytes']}\t{line['bytes']}"
                                                                             for line in LINES])
        self.assertEqual([json.loads(line) for line in self.listed("--jsonl", "--where", "bytes>100")],
                         [LINES[0], LINES[3]])

    def test_input(self):
        """Several files; standard input; a line that is none is named, and the others are read."""
        self.write("more.jsonl", '\ufeff{"url":"http://h/e"}\r\n\n[1]\n{"url":"http://h/\\ud83d\\ude00"}\n{"url":"cut')
        result = self.crawl("list", "more.jsonl", "lines.jsonl")
        self.assertEqual((result.status, result.stdout.splitlines()),
                         (1, ["http://h/e", "http://h/\U0001f600", *(line["url"] for line in LINES)]))
        self.assertEqual(result.stderr, "crawl list: more.jsonl: line 3 is no JSON object\ncrawl list: more.jsonl: "
                                        "line 5 is no JSON object\n")
        self.write("table.csv", "url,status\n" * 1000)
        said = self.crawl("list", "table.csv").stderr.splitlines()
        self.assertEqual((len(said), said[-1]), (6, "crawl list: table.csv: 1000 lines are no JSON objects"))
        self.assertEqual(self.crawl("list", stdin='{"url": "http://h/"}').stdout, "http://h/\n")
        self.assertEqual(self.crawl("list", stdin="").status, 0)
        self.assertEqual(self.crawl("list", "none.jsonl").status, 4)

    def test_wrong_names(self):
        """A name that no line has does not pass for a site without faults; what is no condition is refused."""
        result = self.crawl("list", "--show", "ulr,tilte", "lines.jsonl")
        self.assertEqual((result.status, result.stderr), (1, "crawl list: no line has ulr,tilte: --show names the "
                                                             "fields to print\n"))
        self.assertEqual(self.listed("--show", "none", "--where", "status=1"), [])
        for condition in ("stauts=404", "stauts>=400", "stauts!=200", "stauts~4"):
            result = self.crawl("list", "--where", "url", "--where", condition, "lines.jsonl")
            self.assertEqual((result.status, result.stderr),
                             (1, "crawl list: no line has stauts, which --where compares\n"), condition)
        for condition in ("stauts", "!stauts"):
            self.assertEqual(self.crawl("list", "--where", condition, "lines.jsonl").status, 0)
        self.assertEqual(self.crawl("list", "--where", "stauts=404", stdin="").status, 0)
        for wrong in ("", "=1", "a..b", ".a", "a.=1", "!a=1", "a!b", "!", "~x"):
            result = self.crawl("list", "--where", wrong, "lines.jsonl")
            self.assertEqual((result.status, result.stdout), (2, ""), wrong)
            self.assertIn(f"crawl list: --where {wrong}: no condition", result.stderr)
        self.assertEqual(self.crawl("list", "--show", "url,,status", "lines.jsonl").status, 2)
        self.assertEqual(self.crawl("list", *["--where", "a"] * 33, "lines.jsonl").status, 2)
        self.assertEqual(self.crawl("list", "--show", ",".join(f"f{n}" for n in range(65)), "lines.jsonl").status, 2)

    def test_what_a_crawl_writes(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<title>A</title><a href=x>The X</a>"})})
        self.crawl("--delay", "0", "--output", "pages.jsonl", "--links", "links.jsonl", nginx.url("a.localhost", "/"))
        gone = self.crawl("list", "--where", "status=404", "--show", "url,parent", "pages.jsonl").stdout
        self.assertEqual(gone, f"{nginx.url('a.localhost', '/x')}\t{nginx.url('a.localhost', '/')}\n")
        self.assertEqual(self.crawl("list", "--where", "to~/x", "--show", "text", "links.jsonl").stdout, "The X\n")


if __name__ == "__main__":
    harness.main()
