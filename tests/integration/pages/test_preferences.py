#!/usr/bin/env python3
"""Tests statements on the use of pages: they are read from every place where they may be, recorded separately, and
summed up."""
import csv
import json
import os

import harness
import warc_reader

ROBOTS = """License: https://lic.example/all.xml
User-agent: *
Content-Usage: /usage/ train-ai=n, search=y
Content-Signal: /signal/ search=yes, ai-train=no
Disallow: /private/
"""
LINKS = "".join(f"<a href=/{path}>x</a>" for path in (
    "usage/a", "signal/a", "header", "words", "tdm", "tdmmeta", "meta", "rsl", "moved", "private/a", "plain.txt"))
PAGES = {
    "robots.txt": ROBOTS,
    "index.html": LINKS,
    "usage/a": "<title>usage</title>secret words<a href=/behind>behind</a>",
    "signal/a": "signal words",
    "header": "header words",
    "words": "words",
    "tdm": "tdm words",
    "tdmmeta": "<meta name=tdm-reservation content=0>tdmmeta words",
    "meta": "<meta name=robots content='noai, noimageai'><meta name=gptbot content=noai>dark words",
    "rsl": "<link rel=license type=application/rsl+xml href=/l.xml><a rel=license href=https://cc.example/by>rsl</a>",
    "behind": "behind words",
    "plain.txt": "plain words",
    "private/a": "private words",
}
SERVER = """default_type text/html;
location = /header { add_header Content-Usage 'train-ai=y, ai-use=n'; add_header Content-Usage 'search=y'; }
location = /words { add_header X-Robots-Tag 'gptbot: noai'; add_header X-Robots-Tag 'crawl: noai'; }
location = /tdm { add_header tdm-reservation 1; add_header tdm-policy https://p.example/x.json; }
location = /tdmmeta { add_header tdm-reservation 1; }
location = /moved { add_header Content-Usage train-ai=n; return 302 /behind; }"""
RSL = {"source": "rsl", "label": "license", "value": "https://lic.example/all.xml", "line": 1}
# The statements of each page, besides the licence of robots.txt, and their sum.
STATED = {
    "": ([], None),
    "usage/a": ([{"source": "robots", "label": "train-ai", "value": "n", "line": 3, "pattern": "/usage/",
                  "refuses": ["train"]},
                 {"source": "robots", "label": "search", "value": "y", "line": 3, "pattern": "/usage/",
                  "grants": ["search"]}], "n-y"),
    "signal/a": ([{"source": "signal", "label": "search", "value": "yes", "line": 4, "pattern": "/signal/",
                   "grants": ["search"]},
                  {"source": "signal", "label": "ai-train", "value": "no", "line": 4, "pattern": "/signal/",
                   "refuses": ["train"]}], "n-y"),
    "header": ([{"source": "header", "label": "train-ai", "value": "y", "grants": ["train"]},
                {"source": "header", "label": "ai-use", "value": "n", "refuses": ["input"]},
                {"source": "header", "label": "search", "value": "y", "grants": ["search"]}], "yny"),
    "words": ([{"source": "xrt", "label": "noai", "agent": "gptbot", "ignored": "agent"},
               {"source": "xrt", "label": "noai", "agent": "crawl", "refuses": ["train", "input"]}], "nn-"),
    "tdm": ([{"source": "header", "label": "tdm-reservation", "value": "1", "refuses": ["train", "input"]},
             {"source": "header", "label": "tdm-policy", "value": "https://p.example/x.json"}], "nn-"),
    "tdmmeta": ([{"source": "header", "label": "tdm-reservation", "value": "1", "ignored": "superseded"},
                 {"source": "meta", "label": "tdm-reservation", "value": "0", "grants": ["train", "input"]}], "yy-"),
    "meta": ([{"source": "meta", "label": "noai", "refuses": ["train", "input"]},
              {"source": "meta", "label": "noimageai"},
              {"source": "meta", "label": "noai", "agent": "gptbot", "ignored": "agent"}], "nn-"),
    "rsl": ([{"source": "rsl", "label": "license", "value": "URL/l.xml"},
             {"source": "link", "label": "license", "value": "https://cc.example/by"}], None),
    "moved": ([{"source": "header", "label": "train-ai", "value": "n", "refuses": ["train"]}], "n--"),
    "behind": ([], None),
    "plain.txt": ([], None),
}


def may_of(letters):
    """Returns {"train": "n", ...} for "n-y"."""
    return letters and {use: None if letter == "-" else letter
                        for use, letter in zip(("train", "input", "search"), letters, strict=True)}


class Crawled(harness.TestCase):
    pages = PAGES

    def setUp(self):
        super().setUp()
        self.nginx = self.start_nginx({"a.localhost": self.make_site(self.pages)}, SERVER)

    def crawled(self, *options):
        """Returns the records by their path."""
        result = self.crawl("--delay", "0", "--overwrite", "--output", "pages.jsonl", "--requests", "requests.jsonl",
                            *options, self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.said = result.stderr
        return {record["url"].split("/", 3)[3]: record for record in self.records("pages.jsonl")}

    def asked(self, path):
        return sum(request.uri == path for request in self.nginx.requests("a.localhost"))


class Preferences(Crawled):

    def test_each_place_is_read(self):
        records = self.crawled()
        self.assertEqual(records["private/a"]["error"], "robots")
        self.assertNotIn("preferences", records.pop("private/a"))
        self.assertEqual(set(records), set(STATED))
        for path, (statements, letters) in STATED.items():
            wanted = json.loads(json.dumps([RSL, *statements]).replace("URL", self.nginx.url("a.localhost", "")))
            found = records[path].get("preferences")
            self.assertCountEqual(found, wanted, path)
            self.assertEqual(records[path].get("may"), may_of(letters), path)

    def test_where_nothing_is_said_nothing_is_recorded(self):
        result = self.crawl("--delay", "0", "--no-robots", "--depth", "0", "--output", "pages.jsonl",
                            self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        for record in self.records("pages.jsonl"):
            self.assertFalse({"preferences", "may", "withheld"} & set(record))

    def test_csv_has_what_it_comes_to(self):
        result = self.crawl("--delay", "0", "--output", "pages.csv", self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        with open(self.path("pages.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found = {row["url"].split("/", 3)[3]: row["may"] for row in rows}
        self.assertEqual(found["header"], "train=y input=n search=y")
        self.assertEqual(found["tdm"], "train=n input=n")
        self.assertEqual(found["behind"], "")

    def test_the_archive_has_the_statements(self):
        self.crawled("--warc", "archive")
        said = {json.loads(record.block)["url"]: (record, json.loads(record.block)) for record in
                warc_reader.read_all(self.path("archive")) if record.headers["Content-Type"] == "application/json"}
        record, about = said[self.nginx.url("a.localhost", "/tdm")]
        self.assertEqual(about["may"], may_of("nn-"))
        self.assertEqual(record.headers["WARC-Type"], "metadata")
        self.assertIn("WARC-Refers-To", record.headers)
        self.assertEqual(len(said), len(STATED))


RSL_LINK = "add_header Link '</l.xml>; rel=license; type=\"application/rsl+xml\"' always;"


class Reported(harness.TestCase):
    def tables(self, pages, server=""):
        """Returns the tables of `crawl report`, as rows of cells."""
        nginx = self.start_nginx({"a.localhost": self.make_site(pages)}, "default_type text/html;" + server)
        self.root = nginx.url("a.localhost", "")
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", "--links", "links.jsonl", f"{self.root}/")
        self.assertEqual(result.status, 0, result.stderr)
        return {table: self.table(table) for table in ("uses", "broken", "unchecked", "statuses", "coverage")}

    def table(self, name):
        result = self.crawl("report", "pages.jsonl", "--links", "links.jsonl", "--print", name)
        self.assertEqual(result.status, 0, result.stderr)
        return [line.split("\t") for line in result.stdout.replace(self.root, "").splitlines()[1:]]

    def page(self):
        self.assertEqual(self.crawl("report", "pages.jsonl", "--html", "report.html").status, 0)
        with open(self.path("report.html"), encoding="utf-8") as file:
            return file.read()

    def test_what_is_said_by_use_and_source(self):
        tables = self.tables({
            "robots.txt": "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /b train-ai=y\n",
            "index.html": "<title>a</title><a href=/b1>x</a><a href=/b2>x</a>",
            "b1": "<meta name=robots content='noai, noai'><meta name=gptbot content=noai>x",
            "b2": "<link rel=license href=https://cc.example/by>x"})
        self.assertEqual(tables["uses"], [
            ["train", "refused and granted", "all", "", "2", "/b1"],
            ["train", "refused", "all", "", "3", "/"],
            ["train", "refused", "meta", "noai", "1", "/b1"],
            ["train", "refused", "signal", "ai-train=no", "3", "/"],
            ["train", "granted", "robots", "train-ai=y", "2", "/b1"],
            ["input", "refused", "all", "", "1", "/b1"],
            ["input", "refused", "meta", "noai", "1", "/b1"],
            ["search", "granted", "all", "", "3", "/"],
            ["search", "granted", "signal", "search=yes", "3", "/"],
            ["", "licence", "link", "https://cc.example/by", "1", "/b2"]])
        self.assertIn('id="uses"', self.page())

    def test_where_nothing_is_said(self):
        self.assertEqual(self.tables({"index.html": "<title>a</title>"})["uses"], [])
        self.assertNotIn('id="uses"', self.page())

    def test_a_request_for_a_licence_is_not_broken(self):
        tables = self.tables(
            {"robots.txt": "License: https://lic.example/all.xml\n",
             "index.html": "".join(f"<a href=/{path}>x</a>" for path in ("paid", "login", "unnamed", "gone"))},
            f"location = /paid {{ {RSL_LINK} return 402; }} location = /login {{ {RSL_LINK} return 401; }}"
            f"location = /unnamed {{ return 402; }} location = /gone {{ {RSL_LINK} return 404; }}")
        self.assertEqual([row[:2] for row in tables["broken"]], [["402 Payment Required", "/unnamed"],
                                                                 ["404 Not Found", "/gone"]])
        words = "The answer asks for a licence"
        self.assertEqual([row[:3] for row in tables["unchecked"]], [[words, "/login", "401"], [words, "/paid", "402"]])
        self.assertIn([words, "2"], tables["statuses"])
        self.assertEqual(tables["coverage"], [["checked", "3"], ["behind a licence", "2"]])

    def test_hostile_statements(self):
        statement = {"source": "x\ty\n", "label": "<script>\n", "value": "\u0001", "refuses": ["train", 7, None],
                     "grants": "train"}
        lines = [{"url": f"http://h.example/{n}", "status": 200, "preferences": said} for n, said in enumerate(
            ([statement] * 500, "no", [[], 1, {}], [dict(statement, source="<b>", label=f"<script>{n}") for n in
                                                    range(300)]))]
        self.write("hostile.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        result = self.crawl("report", "hostile.jsonl", "--html", "hostile.html", "--print", "uses")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertTrue(all(line.count("\t") == 5 for line in result.stdout.splitlines()), result.stdout)
        with open(self.path("hostile.html"), encoding="utf-8") as file:
            self.assertNotIn("<b><", file.read())


# Without --respect there is no request for tdmrep.json, so all of these come from it.
TDMREP = json.dumps([{"location": "/behind", "tdm-reservation": 1, "tdm-policy": "https://p.example/p"}])


class Respect(Crawled):
    pages = {**PAGES, ".well-known/tdmrep.json": TDMREP}
    KEPT = ("--text", "plain", "--data", "--bodies", "bodies", "--warc", "archive", "--mirror", "copy",
            "--config", "rules.conf")
    TRAIN = {"usage/a": "robots", "signal/a": "signal", "words": "xrt", "tdm": "header", "meta": "meta",
             "moved": "header", "behind": "tdmrep"}

    def setUp(self):
        super().setUp()
        self.write("rules.conf", "[extract a]\nfield.words = body\n")

    def everything(self):
        """Returns all bytes written, without the records."""
        found = b"".join(record.block for record in warc_reader.read_all(self.path("archive")))
        for folder in ("bodies", "copy"):
            for place, _, files in os.walk(self.path(folder)):
                for name in files:
                    with open(os.path.join(place, name), "rb") as file:
                        found += file.read()
        with open(self.path("pages.jsonl"), "rb") as file:
            return found + file.read()

    def test_without_it_all_is_kept(self):
        records = self.crawled("--text", "plain", "--warc", "archive", "--bodies", "bodies")
        self.assertFalse([path for path, record in records.items() if "withheld" in record])
        self.assertIn("body", records["usage/a"])
        self.assertIn(b"secret words", self.everything())
        self.assertEqual(self.asked("/.well-known/tdmrep.json"), 0)
        self.assertNotIn("withheld", self.said)

    def test_what_is_refused_is_not_kept(self):
        records = self.crawled("--respect", "train", *self.KEPT)
        self.assertEqual({path: record.get("withheld_by") for path, record in records.items()
                          if "withheld" in record}, self.TRAIN)
        self.assertEqual({record.get("withheld") for record in records.values()}, {None, "train"})
        for path in self.TRAIN:
            self.assertFalse({"text", "data", "fields", "missing", "body"} & set(records[path]), path)
        for path in ("header", "tdmmeta", "plain.txt"):
            self.assertIn("body", records[path])
        self.assertEqual(records["header"]["fields"], {"a": {"words": "header words"}})
        everything = self.everything()
        for words in ("secret words", "signal words", "tdm words", "dark words", "behind words"):
            self.assertFalse(words.encode() in everything, words)
        for words in ("header words", "tdmmeta words", "plain words"):
            self.assertTrue(words.encode() in everything, words)
        # A page that is found at a lower depth while it is fetched is requested again, and has two records.
        withheld = sum("withheld" in record for record in self.records("pages.jsonl"))
        self.assertIn(f"withheld  {withheld} of", self.said)

    def test_its_links_are_followed(self):
        self.crawled("--respect", "train", "--links", "links.jsonl")
        link = [edge["verdict"] for edge in self.records("links.jsonl") if edge["tag"] == "a"
                and edge["from"] == self.nginx.url("a.localhost", "/usage/a")]
        self.assertIn(link, (["new"], ["seen"]))

    def test_each_use(self):
        self.assertEqual({path for path, record in self.crawled("--respect", "input").items() if "withheld" in record},
                         {"header", "words", "tdm", "meta", "behind"})
        self.assertFalse({path for path, record in self.crawled("--respect", "search").items()
                          if "withheld" in record})
        records = self.crawled("--respect", "search,input,train")
        self.assertEqual(records["header"]["withheld"], "input")
        self.assertEqual(records["tdm"]["withheld"], "train")

    def test_the_archive_says_what_is_withheld(self):
        self.crawled("--respect", "train", "--warc", "archive")
        records = warc_reader.read_all(self.path("archive"))
        url = self.nginx.url("a.localhost", "/usage/a")
        [record] = [record for record in records if record.headers.get("WARC-Target-URI") == url]
        self.assertEqual(record.headers["WARC-Type"], "metadata")
        self.assertNotIn("WARC-Refers-To", record.headers)
        about = json.loads(record.block)
        self.assertEqual((about["withheld"], about["withheld_by"]), ("train", "robots"))

    def test_what_is_withheld_is_asked_for_as_a_whole_again(self):
        """The page says so in its <meta>, which a 304 would not repeat. Once it is kept, a 304 confirms that answer."""
        url = self.nginx.url("a.localhost", "/meta")
        for respect in ("train", "train", "search", "search"):
            result = self.crawl("--state", "kept", "--revisit=due", "--set", "revisit.interval=1ms", "--set",
                                "revisit.min_interval=1ms", "--delay", "0", "--depth", "0", "--respect", respect,
                                "--warc", "archive", "--output", "pages.jsonl", "--max-pages", "1", url)
            self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([(record["status"], record.get("withheld")) for record in self.records("pages.jsonl")],
                         [(200, "train"), (200, "train"), (200, None), (304, None)])
        kinds = [record.headers["WARC-Type"] for record in warc_reader.read_all(self.path("archive"))
                 if record.headers.get("WARC-Target-URI") == url]
        self.assertEqual([kind for kind in kinds if kind in ("response", "revisit")], ["response", "revisit"])

    def test_tdmrep_is_asked_for_once_and_first(self):
        self.crawled("--respect", "train")
        self.assertEqual(self.asked("/.well-known/tdmrep.json"), 1)
        self.assertEqual([request.uri for request in self.nginx.requests("a.localhost")][:3],
                         ["/robots.txt", "/.well-known/tdmrep.json", "/"])
        kinds = [line["kind"] for line in self.records("requests.jsonl") if line["event"] == "end"]
        self.assertEqual(kinds[:3], ["robots", "tdmrep", "page"])
        audit = self.crawl("audit", "requests.jsonl")
        self.assertEqual(audit.status, 0, audit.stdout)

    def test_tdmrep_keeps_to_the_pause(self):
        self.crawl("--delay", "300ms", "--depth", "0", "--respect", "train", self.nginx.url("a.localhost", "/"))
        starts = [request.start for request in self.nginx.requests("a.localhost")]
        self.assertEqual(len(starts), 3)
        for before, after in zip(starts, starts[1:], strict=False):
            self.assertGreater(after - before, 0.25)

    def test_a_crawl_that_goes_on_respects_it(self):
        url = self.nginx.url("a.localhost", "/")
        for _ in range(12):
            result = self.crawl("--state", "kept", "--delay", "0", "--max-pages", "1", "--respect", "train", "--output",
                                "pages.jsonl", url)
            self.assertIn(result.status, (0, 1), result.stderr)
        records = {record["url"].split("/", 3)[3]: record for record in self.records("pages.jsonl")}
        self.assertEqual({path for path, record in records.items() if "withheld" in record}, set(self.TRAIN))
        self.assertEqual(self.asked("/robots.txt"), 1)

    def test_a_word_that_is_no_use(self):
        result = self.crawl("--respect", "train,images", self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 2)
        self.assertIn("none or any of train, input, search", result.stderr)


class TdmrepForbidden(Crawled):
    pages = {**Respect.pages, "robots.txt": "User-agent: *\nDisallow: /.well-known/\n"}

    def test_it_is_not_asked_for(self):
        records = self.crawled("--respect", "train")
        self.assertEqual(self.asked("/.well-known/tdmrep.json"), 0)
        self.assertNotIn("withheld", records["behind"])


class TdmrepBehindARedirect(Crawled):
    pages = {**PAGES, "private/tdmrep.json": TDMREP, "tdmrep.json": TDMREP}

    def test_it_obeys_robots_txt(self):
        for place, allowed in (("/private/tdmrep.json", 0), ("/tdmrep.json", 1)):
            self.nginx = self.start_nginx({"a.localhost": self.path("site")},
                                          SERVER + f"location = /.well-known/tdmrep.json {{ return 302 {place}; }}")
            records = self.crawled("--respect", "train")
            self.assertEqual((self.asked(place), "withheld" in records["behind"]), (allowed, bool(allowed)), place)


class TdmrepOfHtml(Crawled):
    pages = {**PAGES, ".well-known/tdmrep.json": "<!doctype html><title>Not here</title>"}

    def test_it_is_none(self):
        self.assertNotIn("withheld", self.crawled("--respect", "train")["behind"])


if __name__ == "__main__":
    harness.main()
