#!/usr/bin/env python3
"""Tests --dedupe with pages that equal an earlier one, or nearly, and whose links need not be followed."""
import harness

OPTIONS = ("--delay", "0", "--per-host", "1", "--connections", "1", "--retries", "0", "--output", "pages.jsonl",
           "--links", "links.jsonl")
WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]


def text(start, step=1, count=600):
    return " ".join(WORDS[(start + n * step + n * n // 7) % len(WORDS)] for n in range(count))


class Dedupe(harness.TestCase):
    def serve(self, files, hosts=("a.localhost",)):
        site = self.make_site(files)
        return self.start_nginx({host: site for host in hosts})

    def run_crawl(self, *options):
        result = self.crawl(*OPTIONS, *options)
        self.assertEqual(result.status, 0, result.stderr)
        return result, {r["url"]: r for r in self.records("pages.jsonl")}

    def test_a_mirror(self):
        files = {"index.html": "<a href=a.html>a</a><a href=pic.png>b</a>", "a.html": "<a href=b.html>b</a>",
                 "b.html": "b",
                 "pic.png": "no picture"}
        nginx = self.serve(files, ("a.localhost", "b.localhost"))
        seeds = [nginx.url(host, "/") for host in ("a.localhost", "b.localhost")]
        result, records = self.run_crawl("--dedupe", "exact", *seeds)
        self.assertEqual(len(records), 8)
        for path in ("", "a.html", "b.html", "pic.png"):
            pair = [records[seed + path] for seed in seeds]
            pair.sort(key=lambda record: "duplicate_of" in record)
            self.assertNotIn("duplicate_of", pair[0])
            self.assertEqual(pair[1]["duplicate_of"], pair[0]["url"])
            self.assertNotIn("simhash", pair[0])
        self.assertIn("same      4 pages with the body of another, 0 with nearly its text", result.stderr)
        _, records = self.run_crawl("--dedupe", "exact", "--no-follow-duplicates", "--order", "dfs", *seeds)
        self.assertEqual(len(records), 5)
        mirror = next(r for r in records.values() if "duplicate_of" in r)
        self.assertEqual((mirror["links"], mirror["new"]), (2, 0))
        edges = [e for e in self.records("links.jsonl") if e["from"] == mirror["url"]]
        self.assertEqual([e["verdict"] for e in edges], ["duplicate", "duplicate"])

    def test_headers_of_duplicates_lead_nowhere_either(self):
        site = self.make_site({"1.html": "same", "2.html": "same", "next": "n"})
        nginx = self.start_nginx({"a.localhost": site}, "add_header Link '</next?$uri>; rel=next';")
        one, two = nginx.url("a.localhost", "/1.html"), nginx.url("a.localhost", "/2.html")
        _, records = self.run_crawl("--depth", "1", "--dedupe", "exact", "--no-follow-duplicates", one, two)
        duplicate = next(r for r in records.values() if "duplicate_of" in r and r["url"] in (one, two))
        self.assertEqual((duplicate["links"], duplicate["new"]), (1, 0))
        edges = [e for e in self.records("links.jsonl") if e["from"] == duplicate["url"]]
        self.assertEqual([(e["tag"], e["verdict"]) for e in edges], [("header", "duplicate")])

    def test_off_says_nothing(self):
        nginx = self.serve({"index.html": "<a href=a.html>a</a>", "a.html": "<a href=a.html>a</a>"})
        result, records = self.run_crawl(nginx.url("a.localhost", "/"))
        for record in records.values():
            self.assertFalse({"duplicate_of", "near_duplicate_of", "distance", "simhash"} & set(record))
        self.assertNotIn("same  ", result.stderr)

    def test_a_session_trap(self):
        """Each page has the same text with new links."""
        files = {f"{n}.html": f"<title>{n}</title><p>Session {n}</p><p>{text(0)}</p><a href={n + 1}.html>on</a>"
                 for n in range(30)}
        files["index.html"] = f"<p>{text(41, 3)}</p><a href=0.html>in</a>"
        nginx = self.serve(files)
        home = nginx.url("a.localhost", "/")
        for extractor in ("scan", "libxml2"):
            more = ("--depth", "100", "--set", f"parse.html={extractor}", home)
            _, records = self.run_crawl("--dedupe", "near", *more)
            self.assertEqual(len(records), 32)
            first = records[home + "0.html"]
            self.assertNotIn("near_duplicate_of", first)
            self.assertRegex(first["simhash"], "^[0-9a-f]{16}$")
            for n in range(1, 30):
                record = records[home + f"{n}.html"]
                self.assertEqual(record["near_duplicate_of"], first["url"])
                self.assertEqual(record["distance"],
                                 bin(int(record["simhash"], 16) ^ int(first["simhash"], 16)).count("1"))
                self.assertLessEqual(record["distance"], 3)
            self.assertNotIn("near_duplicate_of", records[home])
            _, records = self.run_crawl("--dedupe", "near", "--no-follow-duplicates", *more)
            self.assertEqual(sorted(records), [home, home + "0.html", home + "1.html"])
            _, records = self.run_crawl("--dedupe", "exact", "--no-follow-duplicates", *more)
            self.assertEqual(len(records), 32)

    def test_short_texts_are_not_compared(self):
        files = {"index.html": "<a href=a.html>Loading</a><a href=b.html>...</a>",
                 "a.html": "<script>a()</script>Please log in",
                 "b.html": "<script>b()</script>Please log in", "c.html": "<script></script>"}
        nginx = self.serve(files)
        _, records = self.run_crawl("--dedupe", "near", nginx.url("a.localhost", "/"),
                                    nginx.url("a.localhost", "/c.html"))
        self.assertEqual([r["url"] for r in records.values() if "near_duplicate_of" in r], [])
        self.assertEqual(len({r["simhash"] for r in records.values() if "simhash" in r}), 2)
        self.assertNotIn("simhash", records[nginx.url("a.localhost", "/c.html")])

    def test_pages_remembered_have_a_maximum(self):
        files = {f"{n}.html": f"body {n // 2}" for n in range(20)}
        files["index.html"] = "".join(f"<a href={n}.html>{n}</a>" for n in range(20))
        nginx = self.serve(files)
        _, records = self.run_crawl("--dedupe", "exact", "--set", "dedupe.max_pages=4", nginx.url("a.localhost", "/"))
        self.assertEqual(sum("duplicate_of" in r for r in records.values()), 3)

    def test_what_is_no_setting(self):
        for option in ("dedupe.distance=8", "dedupe.kind=fuzzy", "dedupe.max_pages=0"):
            result = self.crawl("--set", option, "http://a.localhost/")
            self.assertEqual(result.status, 2, option)


if __name__ == "__main__":
    harness.main()
