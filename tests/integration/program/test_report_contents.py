#!/usr/bin/env python3
"""Tests the tables of crawl report about the contents of pages and their parts: exactly the planted faults, with
--fail-on, and a message if nothing was examined. crawl --audit examines everything."""
import csv
import io
import json

import harness

SITE, PLAIN = "https://a.test", "http://a.test"
GUARDS = ("content-security-policy", "referrer-policy", "strict-transport-security", "x-content-type-options",
          "x-frame-options")
TABLES = ("canonical-loops", "title-lengths", "thin-pages", "mixed-content", "security-headers", "page-weight")
FINE = {"status": 200, "content_type": "text/html", "charset": "utf-8", "visit": 1, "bytes": 1000, "error": None}


def page(path, words=200, title="A title of the right length", origin=SITE, **more):
    return {"url": origin + path, "title": title, "text": " ".join(["word"] * words), **FINE, **more}


def link(to, source="/", tag="img", **more):
    return {"from": SITE + source, "to": to, "tag": tag, "attr": "src", "rel": "", "text": "", "depth": 1,
            "nofollow": False, "verdict": "new", **({"requisite": True} if tag not in ("a", "form") else {}), **more}


class Contents(harness.TestCase):
    def write_lines(self, name, lines):
        self.write(name, "".join(json.dumps(line) + "\n" for line in lines))

    def rows(self, table, *columns, args=("pages.jsonl", "--links", "links.jsonl")):
        result = self.crawl("report", *args, "--print", table)
        self.assertEqual(result.status, 0, result.stderr)
        rows = csv.DictReader(io.StringIO(result.stdout), delimiter="\t")
        return [tuple(row[column].replace(SITE, "") for column in columns) for row in rows]

    def expect_faults(self, found, *args):
        for table in TABLES:
            result = self.crawl("report", *args, "--fail-on", table)
            self.assertEqual(result.status, 5 if table in found else 0, (table, result.stderr))

    def test_canonical_links_in_a_circle(self):
        names = {"/a": "/b", "/b": "/a", "/c": "/a", "/d": "/d", "/e": "/f", "/f": "/f"}
        self.write_lines("pages.jsonl", [page(url, data={"canonical": SITE + to}) for url, to in names.items()])
        self.write("links.jsonl", "")
        self.assertEqual(self.rows("canonical-loops", "url", "canonical_link", "pages"),
                         [("/a", "/b", "2"), ("/b", "/a", "2")])
        self.assertEqual(self.crawl("query", "pages.jsonl", "canonical_loops").stdout.count("\n"), 2)

    def test_copies_that_name_their_original(self):
        def copy(path, digest, canonical, **more):
            return page(path, digest=digest, title=path, data={"canonical": SITE + canonical}, **more)
        self.write_lines("pages.jsonl", [
            copy("/p", "1", "/p"), copy("/p?utm_source=x", "1", "/p"), copy("/q", "2", "/q"), copy("/q?1", "2", "/q"),
            copy("/q?2", "2", "/p"), copy("/n", "3", "/p", near_duplicate_of=SITE + "/p"),
            copy("/m", "4", "/m", near_duplicate_of=SITE + "/p"),
            copy("/r", "5", "/s"), copy("/s", "6", "/s", near_duplicate_of=SITE + "/r"),
            copy("/t1", "7", "/t0"), copy("/t2", "8", "/t0", near_duplicate_of=SITE + "/t1")])
        self.write("links.jsonl", "")
        self.assertEqual(self.rows("duplicates", "url"), [("/q",), ("/q?2",)])
        self.assertEqual(self.rows("near-duplicates", "url"), [("/m",)])

    def test_parameters_in_another_order_lead_to_the_same_page(self):
        self.write_lines("pages.jsonl", [page("/"), page("/two"), page("/g?a=1&b=2", status=404),
                                         page("/i?a=1&b=2", parent=SITE + "/sitemap.xml")])
        self.write_lines("links.jsonl", [link(SITE + "/g?a=1&b=2", tag="a"), link(SITE + "/g?b=2&a=1", "/two", tag="a"),
                                         link(SITE + "/i?b=2&a=1", "/two", tag="a")])
        self.assertEqual(self.rows("broken", "url", "page"), [("/g?a=1&b=2", "/"), ("/g?a=1&b=2", "/two")])
        self.assertEqual(self.rows("unchecked", "url"), [])
        self.assertEqual(self.rows("orphans", "url"), [])

    def test_links_to_redirects_that_end_badly(self):
        elsewhere = "https://partner.test/gone"
        self.write_lines("pages.jsonl", [
            page("/"), page("/go", status=301, redirect=elsewhere),
            page("/gone", origin="https://partner.test", external=True, title=None, status=404),
            page("/r1", status=301, redirect=SITE + "/r2"),
            page("/r2", status=301, redirect=SITE + "/r3", error="redirects")])
        self.write_lines("links.jsonl", [
            link(SITE + "/go", tag="a", text="partner"), link(elsewhere, "/go", tag="redirect"),
            link(SITE + "/r1", tag="a", text="far"), link(SITE + "/r2", "/r1", tag="redirect")])
        self.assertEqual(self.rows("broken-external", "url", "page", "text"),
                         [(elsewhere, "/go", ""), (elsewhere, "/", "partner")])
        self.assertEqual(self.rows("broken", "url", "page", "text"), [("/r2", "/r1", ""), ("/r2", "/", "far")])

    def test_a_broken_translation_on_another_site(self):
        """Of one that is not broken, nothing more is known."""
        named = [{"lang": lang, "url": f"https://{lang}.test/"} for lang in ("de", "fr", "it")]
        self.write_lines("pages.jsonl", [
            page("/", data={"hreflang": named}),
            page("/", origin="https://de.test", external=True, title=None, status=404),
            page("/", origin="https://fr.test", external=True, title=None)])
        self.write("links.jsonl", "")
        self.assertEqual(self.rows("hreflang", "url", "language", "translation", "why"),
                         [("/", "de", "https://de.test/", "it is broken")])
        self.assertEqual(self.crawl("query", "pages.jsonl", "hreflang_without_return").stdout, "")

    def test_a_page_that_links_of_other_sites_lead_back_to_is_one_of_the_crawl(self):
        own = [page("/a", title="Short", fetched_at="2026-01-01T00:00:00.000Z"),
               page("/b", fetched_at="2026-01-01T00:00:02.000Z")]
        back = [page("/a", title=None, external=True, fetched_at="2026-01-01T00:00:01.000Z"),
                page("/b", title=None, external=True, fetched_at="2026-01-01T00:00:03.000Z")]
        self.write("links.jsonl", "")
        for lines in (own + back, back + own, back[::-1] + own[::-1]):
            self.write_lines("pages.jsonl", lines)
            self.assertEqual(sorted(self.rows("pages", "url")), [("/a",), ("/b",)])
            self.assertEqual(self.rows("title-lengths", "url"), [("/a",)])

    def test_lengths_and_words(self):
        long = "\u00e9" * 61
        self.write_lines("pages.jsonl", [
            page("/short", title="Short"), page("/long", title=long), page("/right", title="\u00e9" * 60),
            page("/described", data={"description": "few words"}), page("/none", words=0), page("/thin", words=199),
            page("/thick", text="word\n\nword " * 100), page("/list", text="- word\n" * 120),
            page("/\u4e2d", text="\u4e2d" * 400), page("/withheld", words=0, withheld="train"),
            page("/endless", title="e" * 900), page("/thai", data={"description": "\u0e01" * 200}),
            page("/gone", words=1, status=404), page("/cut", words=0, text_cut=True)])
        self.write("links.jsonl", "")
        self.assertEqual(self.rows("title-lengths", "url", "title_length", "description_length"),
                         [("/endless", "900", ""), ("/long", "61", ""), ("/described", "27", "9"),
                          ("/thai", "27", "200"), ("/short", "5", "")])
        thin = [("/none", "0"), ("/thin", "199")]
        self.assertEqual(self.rows("thin-pages", "url", "words"), thin)
        asked = self.crawl("query", "pages.jsonl", "thin_pages").stdout.replace(SITE, "").splitlines()
        self.assertEqual([tuple(row.split("\t")) for row in asked], thin)

    def test_a_title_of_spaces_alone_is_none(self):
        self.write_lines("pages.jsonl", [page("/"), page("/blank", title="\u00a0 \u00a0"), page("/none", title=None)])
        self.write("links.jsonl", "")
        self.assertEqual(self.rows("untitled", "url"), [("/blank",), ("/none",)])
        self.assertEqual(self.crawl("query", "pages.jsonl", "untitled").stdout,
                         f"{SITE}/blank\n{SITE}/none\n")

    def test_parts(self):
        pages = [page("/"), page("/light"), page("/plain", origin=PLAIN)]
        parts = [("/a.css", 1 << 20), ("/font", 1 << 20), ("/a.png", 1 << 20), ("/old.png", 0)]
        pages += [{"url": SITE + url, "status": 200, "visit": 1, "error": None, "requisite": True, "bytes": size,
                   "content_type": "text/css"} for url, size in parts]
        pages[-1] |= {"status": 301, "redirect": SITE + "/a.png"}
        self.write_lines("pages.jsonl", pages)
        self.write_lines("links.jsonl", [
            link(SITE + "/a.css", tag="link", rel="stylesheet"), link(SITE + "/font", "/a.css", tag="css"),
            link(SITE + "/old.png"), link(SITE + "/old.png"), link(SITE + "/a.png", "/light"), link(SITE + "/light",
                                                                                                   tag="a"),
            link(PLAIN + "/x.png", "/light"), link(PLAIN + "/x.png", "/light"), link(PLAIN + "/f", tag="form"),
            link(PLAIN + "/page", tag="a"), {**link(PLAIN + "/y.png"), "from": PLAIN + "/plain"}])
        self.assertEqual(self.rows("page-weight", "url", "weight_bytes", "parts"), [("/", str((3 << 20) + 1000), "4")])
        heavy = self.crawl("query", "pages.jsonl", "links.jsonl", "page_weight").stdout.splitlines()[0]
        self.assertEqual(heavy.split("\t"), [SITE + "/", "1000", "4", str(3 << 20), str((3 << 20) + 1000)])
        self.assertEqual(len(self.rows("page-weight", "url", args=("pages.jsonl", "--links", "links.jsonl", "--heavy",
                                                                   "1MiB"))), 2)
        self.assertEqual(self.rows("mixed-content", "page", "part", "element"),
                         [("/", PLAIN + "/f", "form"), ("/light", PLAIN + "/x.png", "img")])

    def weights(self):
        """Returns the parts and the weight of / by the report and by the view."""
        asked = self.crawl("query", "pages.jsonl", "links.jsonl", "page_weight").stdout.splitlines()
        by_view = [row.split("\t") for row in asked if row.startswith(SITE + "/\t")][0]
        args = ("pages.jsonl", "--links", "links.jsonl", "--heavy", "1")
        by_report = [row[1:] for row in self.rows("page-weight", "url", "parts", "weight_bytes", args=args)
                     if row[0] == "/"]
        self.assertEqual(by_report, [(by_view[2], by_view[4])])
        return by_report[0]

    def test_candidates_for_an_image(self):
        """Of an image with srcset the file that src names counts."""
        files = [{"url": SITE + url, "status": 200, "visit": 1, "error": None, "requisite": True, "bytes": 100}
                 for url in ("/s", "/m", "/l", "/p")]
        self.write_lines("pages.jsonl", [page("/"), *files])
        self.write_lines("links.jsonl", [
            link(SITE + "/m"), *(link(SITE + url, attr="srcset") for url in ("/s", "/m", "/l")),
            link(SITE + "/p", tag="link", attr="imagesrcset")])
        self.assertEqual(self.weights(), ("1", "1100"))

    def test_frames_of_the_same_site(self):
        """They are pages of the crawl, whose parts count, too."""
        part = {"url": SITE + "/x", "status": 200, "visit": 1, "error": None, "requisite": True, "bytes": 100}
        self.write_lines("pages.jsonl", [page("/"), page("/in"), page("/other"), part])
        self.write_lines("links.jsonl", [
            {**link(SITE + "/in", tag="iframe"), "requisite": None}, link(SITE + "/x", source="/in"),
            {**link(SITE + "/", source="/in", tag="frame"), "requisite": None}, link(SITE + "/other", tag="a")])
        self.assertEqual(self.weights(), ("2", "2100"))

    def test_headers_that_guard(self):
        whole = dict.fromkeys(GUARDS, ["x"])
        framed = {**whole, "content-security-policy": ["frame-ancestors 'self'"]}
        del framed["x-frame-options"]
        some = {"x-content-type-options": ["nosniff"]}
        self.write_lines("pages.jsonl", [page("/", headers=whole), page("/framed", headers=framed),
                                         page("/none"), page("/some", headers=some),
                                         page("/plain", origin=PLAIN, headers=some)])
        self.write("links.jsonl", "")
        missing = {row[0]: [] for row in self.rows("security-headers", "header")}
        for header, url in self.rows("security-headers", "header", "url"):
            missing[header].append(url)
        three = [PLAIN + "/plain", "/none", "/some"]
        self.assertEqual(missing, {"content-security-policy": three, "referrer-policy": three,
                                   "x-frame-options": three, "strict-transport-security": three[1:],
                                   "x-content-type-options": ["/none"]})
        self.write_lines("pages.jsonl", [page("/", headers=some)])
        found = self.crawl("report", "pages.jsonl", "--fail-on", "security-headers")
        self.assertEqual(found.status, 2, "nobody looked for four headers")
        none = {name: [] for name in GUARDS}
        self.write_lines("pages.jsonl", [page("/", headers={**none, **some})])
        self.assertEqual(len(self.rows("security-headers", "header", args=["pages.jsonl"])), 4)
        self.write_lines("pages.jsonl", [page("/", headers=none)])
        self.assertEqual(self.crawl("report", "pages.jsonl", "--fail-on", "security-headers").status, 5)
        asked = self.crawl("query", "pages.jsonl", "security_headers")
        self.assertEqual((asked.status, asked.stdout), (0, SITE + "/\t0\t0\t0\t0\t0\n"))

    def test_an_index_of_sitemaps_is_none(self):
        self.write_lines("pages.jsonl", [page("/")])
        self.write("links.jsonl", json.dumps(link(SITE + "/", source="/x", tag="a")) + "\n")
        self.write("index.xml", f"<sitemapindex><sitemap><loc>{SITE}/1.xml</loc></sitemap></sitemapindex>")
        self.write("1.xml", f"<urlset><url><loc>{SITE}/other</loc></url><url><loc>{SITE}/</loc></url></urlset>")
        args = ("pages.jsonl", "--links", "links.jsonl", "--sitemap", "index.xml", "--fail-on")
        for fault in "orphans", "unlisted":
            said = self.crawl("report", *args, fault)
            self.assertEqual(said.status, 2, said.stderr)
            self.assertIn("index.xml: an index: give the sitemaps that it names", said.stderr)
            self.assertIn(f"--fail-on {fault}: not known", said.stderr)
        asked = self.crawl("query", "--sitemap", "index.xml", "pages.jsonl", "links.jsonl", "orphans")
        self.assertEqual((asked.status, asked.stdout), (1, ""))
        self.assertIn("index.xml: an index: give the sitemaps that it names", asked.stderr)
        both = self.crawl("report", *args, "orphans", "--sitemap", "1.xml", "--print", "orphans")
        self.assertEqual((both.status, both.stdout.count("/other")), (5, 1), both.stderr)

    def test_a_sitemap_without_a_page_is_one(self):
        self.write_lines("pages.jsonl", [page("/")])
        self.write("links.jsonl", "")
        self.write("empty.xml", "<urlset></urlset>")
        args = ("pages.jsonl", "--links", "links.jsonl", "--sitemap", "empty.xml")
        self.assertEqual([self.rows(table, "url", args=args) for table in ("unlisted", "orphans")], [[("/",)], []])
        for fault, status in ("unlisted", 5), ("orphans", 0):
            self.assertEqual(self.crawl("report", *args, "--fail-on", fault).status, status, fault)

    def test_what_nobody_looked_at_is_said(self):
        self.write_lines("pages.jsonl", [{"url": SITE + "/", "title": "A title of the right length", **FINE}])
        said = self.crawl("report", "pages.jsonl", "--html", "report.html").stdout
        for table, option in zip(TABLES, ("--data", None, "--text", "--requisites", "--audit", "--requisites")):
            lines = [line for line in said.splitlines() if table in line]
            self.assertEqual([option in line for line in lines if line.split()[0] == "?"], [True] if option else [])
            if option:
                self.assertEqual(self.crawl("report", "pages.jsonl", "--fail-on", table).status, 2)
        self.write_lines("pages.jsonl", [page("/", headers={name: ["x"] for name in GUARDS}, data={"lang": "en"}),
                                         {"url": SITE + "/p", "status": 200, "requisite": True, "visit": 1}])
        self.write("links.jsonl", "")
        self.expect_faults((), "pages.jsonl", "--links", "links.jsonl")


class Audit(harness.TestCase):
    SETTINGS = {"sitemaps": "true", "requisites": "true", "check_external": "true", "check_fragments": "true",
                "soft_404": "true", "data": "true", "text": "plain", "answer_headers": ",".join((GUARDS[2], GUARDS[0],
                                                                                              *GUARDS[3:], GUARDS[1]))}

    def settings(self, *args):
        result = self.crawl(*args, "--print-config")
        self.assertEqual(result.status, 0, result.stderr)
        lines = [line.partition(" = ") for line in result.stdout.splitlines()]
        self.assertIn(("kind", " = ", "near"), lines)
        return {name: value for name, _, value in lines if name in self.SETTINGS}

    def test_what_it_sets_and_what_not(self):
        self.assertEqual(self.settings("--audit"), self.SETTINGS)
        own = {**self.SETTINGS, "requisites": "false", "text": "all"}
        self.assertEqual(self.settings("--no-requisites", "--audit", "--text", "all"), own)
        self.write("audit.conf", "[crawl]\nrequisites = false\n[output]\ntext = all\naudit = true\n")
        self.assertEqual(self.settings("--config", "audit.conf"), own)

    def test_its_report(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({
            "index.html": "<title>Home</title><img src=a.png><a href=b.html>b</a><a href=#x>x</a>",
            "a.png": "a", "b.html": "<title>A page of another name</title>"})})
        options = ("--audit", "--no-check-external", "--delay", "1ms", "--quiet", nginx.url("a.localhost", "/"))
        self.assertIn("audit: nothing receives", self.crawl(*options, "--output", "pages.csv").stderr)
        first = self.crawl("--state", "state", "--report", "site.html", "--max-pages", "1", *options)
        self.assertEqual(first.status, 0, first.stderr)
        self.assertEqual(self.crawl("--state", "state", "--quiet").status, 0)
        said = self.crawl("report", "--state", "state").stdout
        unknown = [line for line in said.splitlines() if line.split()[0] == "?"]
        self.assertEqual([line.split()[1] for line in unknown], ["orphans:", "unlisted:"], said)
        self.assertEqual({line.split()[-1] for line in said.splitlines() if " (" in line} - {"(undescribed)"}, {
            "(broken-fragments)", "(title-lengths)", "(no-heading)", "(thin-pages)", "(no-alt)", "(security-headers)"})
        with open(self.path("site.html"), encoding="utf-8") as file:
            self.assertIn("security-headers", file.read())

    def test_pages_that_are_not_kept_are_read_for_it(self):
        page = f"<title>Title</title><meta name=description content=x><h1>Heading</h1>{'word ' * 300}"
        url = self.start_nginx({"a.localhost": self.make_site({"index.html": page})}).url("a.localhost")
        said = self.crawl("--audit", "--delay", "0", "--report", "site.html", "--keep-type", "application/pdf", url)
        self.assertIn("  report    site.html: 1 title-lengths, 4 security-headers\n", said.stderr)

    def test_headers_are_found_without_a_file_of_records(self):
        headers = "".join(f"add_header {name} x; " for name in GUARDS)
        url = self.start_nginx({"a.localhost": self.make_site({"index.html": "x"})}, headers).url("a.localhost")
        for options in ((), ("--output", "pages.jsonl"), ("--output", "pages.csv")):
            said = self.crawl("--audit", "--delay", "0", "--overwrite", "--report", "site.html", *options, url).stderr
            self.assertIn("  report    site.html: ", said)
            self.assertNotIn("security-headers", said, options)


if __name__ == "__main__":
    harness.main()
