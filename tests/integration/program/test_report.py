#!/usr/bin/env python3
"""Tests crawl report: the real program crawls a site with planted faults, and the report names exactly these; foreign
texts are inert; exit statuses; the comparison with an earlier crawl; many records in bounded memory. In Chromium, if
installed, with scripts and without."""
import csv
import html.parser
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time
import unittest
import xml.etree.ElementTree

import browser
import harness

SLOW_MS = 1500
PADDING = "a fish and a bird " * 5
FAULTS = ("broken broken-external broken-fragments redirect-loops redirect-chains slow large page-weight duplicates "
          "near-duplicates untitled same-titles title-lengths undescribed no-heading thin-pages no-alt "
          "canonical-elsewhere canonical-loops hreflang noindex nofollow deep orphans unlisted mixed-content "
          "security-headers newly-broken").split()
VOID = {"meta", "link", "input", "rect", "br"}


class Site(http.server.ThreadingHTTPServer):
    """Serves `pages`: path -> (status, headers, body, seconds before the response)."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, pages):
        self.pages = pages
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path="/", host="site.localhost"):
        return f"http://{host}:{self.server_address[1]}{path}"

    def handle_error(self, request, client_address):
        """Ignores errors: a crawl that checks a link does not read the body of a response to GET."""

    def stop(self):
        self.shutdown()
        self.server_close()


class Handler(harness.Handler):
    def do_GET(self):
        status, headers, body, wait_s = self.server.pages.get(self.path, (404, [], "gone", 0))
        time.sleep(wait_s)  # the planted fault
        self.answer(status, body, *headers)


def page(title, *links, head=""):
    anchors = '<p id="there"><p id="&eacute;"><a name=named></a>' + "".join(f'<p><a href="{to}">{text}</a>' for to,
                                                                            text in links)
    return (200, [], f"<html><head><title>{title}</title>{head}</head><body>{anchors}", 0)


def redirect(to, status=302):
    return (status, [f"Location: {to}"], f"to {to}", 0)


def planted(other):
    """Returns the pages of a site, by path, its faults, and those of its links to the site other."""
    pages, broken, outside = {}, [], []
    home = [(f"/page/{n}", f"Page {n}") for n in range(30)]
    links = {n: [("/", "Home")] for n in range(30)}
    for n in range(20):
        for holder in range(n % 3 + 1):
            links[(n + holder * 7) % 30].append((f"/missing/{n}", f"Guide {n}, {holder}"))
            broken.append((f"/missing/{n}", f"/page/{(n + holder * 7) % 30}", f"Guide {n}, {holder}"))
    for n in range(5):
        links[n].append((f"/chain/{n}/0", f"Chain {n}"))
        pages |= {f"/chain/{n}/{hop}": redirect(f"/chain/{n}/{hop + 1}", 301) for hop in range(2)}
        pages[f"/chain/{n}/2"] = redirect(f"/page/{n}")
    links[7].append(("/loop/a", "Loop"))
    pages |= {"/loop/a": redirect("/loop/b"), "/loop/b": redirect("/loop/a")}
    for n in range(3):
        for copy in "xyz"[:n % 2 + 2]:
            links[10 + n].append((f"/copy/{n}/{copy}", "copy"))
            pages[f"/copy/{n}/{copy}"] = page(f"Copied {n}")
    for n in range(4):
        links[15].append((f"/slow/{n}", "slow"))
        pages[f"/slow/{n}"] = (*page(f"Slow {n}")[:3], SLOW_MS / 1000 + 0.1)
    for n in range(5):
        links[16].append((f"/untitled/{n}", "untitled"))
        pages[f"/untitled/{n}"] = (200, [], f"<html><head><title> </title></head><body>{PADDING}{n}", 0)
    for n in range(6):
        pages[f"/orphan/{n}"] = page(f"Orphan {n}", ("#there", "its own place"),
                                     head=f"<link rel=canonical href=/orphan/{n}>")
    for n in range(6):
        other.pages |= {f"/out/{n}": page(f"Out {n}")} if n < 3 else {"/out/3": redirect("/out/2"),
                                                                      "/out/4": redirect("/out/nothing")}
        for holder in (20 + n, 21 + n):
            links[holder].append((other.url(f"/out/{n}", "other.localhost"), f"Other {n}"))
            outside += [(f"/out/{n}", f"/page/{holder}", f"Other {n}")] if n > 3 else []
    places = [("/page/1#there", True), ("/page/2#nowhere", False), ("/page/3#%C3%A9", True),
              ("/page/4#:~:text=x", True), ("/page/5#Top", True),
              ("/page/6#", True), ("/page/7#named", True), ("/page/8#here:~:text=y", False), ("/chain/0/0#there", True),
              ("/chain/1/0#lost", False),
              ("/page/9#There", False), ("/missing/0#there", True), ("#nothing", False), ("#there", True),
              ("/page/10#/route", True), ("#!/route", True), ("/plain#x", True)]
    links[19] += [(to, f"Place {to}") for to, _ in places]
    lost = [(("/page/19" + to if to[0] == "#" else to).split(":~:")[0], f"Place {to}") for to, is_there in places
            if not is_there]
    broken.append(("/missing/0", "/page/19", "Place /missing/0#there"))
    pages["/plain"] = (200, ["Content-Type: text/plain"], "plain", 0)
    links[17] += [("/hidden", "hidden"), ("http://[nonsense", "nonsense"), ('http://elsewhere.example/" rel="nofollow',
                                                                            "elsewhere")]
    pages["/hidden"] = page("Hidden", head='<meta name="robots" content="noindex, nofollow">')
    pages |= {f"/page/{n}": page(f"Page {n}", *links[n]) for n in range(30)}
    pages["/"] = page("Home", *home)
    return pages, broken, outside, lost


def sitemap(site, paths):
    urls = "".join(f"<url><loc>{site.url(path)}</loc></url>" for path in paths)
    return (200, ["Content-Type: application/xml"], f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                                                    f'{urls}</urlset>', 0)


class PageParser(html.parser.HTMLParser):
    """Collects the elements of a page with their attributes, whether they are closed in order, and the cells of each
    table."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.wrong, self.table, self.rows = [], [], [], None, {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.table = dict(attrs)["id"]
        if tag == "tr":
            self.rows[self.table] = self.rows.get(self.table, 0) + 1

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append((tag, self.getpos()))


class Report(harness.TestCase):
    def report(self, *args, status=0):
        result = self.crawl("report", *args)
        self.assertEqual(result.status, status, result.stderr)
        return result

    def rows(self, name, folder="csv"):
        with open(self.path(f"{folder}/{name}.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def column(self, name, column="url", folder="csv"):
        return [row[column] for row in self.rows(name, folder)]

    def page_of(self, name="report.html"):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        parsed = PageParser(text)
        self.assertEqual((parsed.wrong, parsed.open), ([], []))
        self.assertEqual(sum(tag == "script" for tag, _ in parsed.elements), 1)
        self.assertFalse([e for e in parsed.elements if any(name.startswith("on") or name == "style" for name in e[1])])
        self.assertFalse([e for e in parsed.elements
                          if not e[1].get("href", "http").startswith(("http", "#", "data:,"))])
        return text, parsed

    def write_records(self, name, *records):
        self.write(name, "".join(json.dumps(record) + "\n" for record in records))

    def crawl_planted(self):
        other = self.serve(Site({}))
        pages, broken, outside, lost = planted(other)
        site = self.serve(Site(pages))
        in_sitemap = [f"/orphan/{n}" for n in range(6)] + [f"/page/{n}" for n in range(28)] + ["/"]
        pages["/sitemap.xml"] = sitemap(site, in_sitemap)
        self.write("sitemap.xml", pages["/sitemap.xml"][2])
        result = self.crawl("--delay", "0", "--depth", "10", "--sitemaps", "--check-external", "--check-fragments",
                            "--allow-private", "--output", "pages.jsonl", "--links", "links.jsonl", "--requests",
                            "requests.jsonl", site.url("/"))
        self.assertEqual(result.status, 0, result.stderr)
        outside = [(other.url(url, "other.localhost"), site.url(holder), text) for url, holder, text in outside]
        return site, broken, outside, [(site.url(url), site.url("/page/19"), text) for url, text in lost]

    def test_planted_faults_are_named_exactly(self):
        site, broken, outside, lost = self.crawl_planted()
        args = ("pages.jsonl", "--links", "links.jsonl", "--requests", "requests.jsonl", "--csv", "csv", "--html",
                "report.html", "--slow", f"{SLOW_MS}ms")
        said = self.report(*args).stdout
        rows = self.rows("broken")
        links = sorted((site.url(url), site.url(holder), text) for url, holder, text in broken)
        self.assertEqual(sorted((r["url"], r["page"], r["text"]) for r in rows if r["status"] == "404"), links)
        self.assertEqual([(r["url"], r["error"], r["page"]) for r in rows if r["status"] != "404"],
                         [("http://[nonsense", "no-url", site.url("/page/17"))])
        self.assertIn("        21  Broken links (broken)\n", said)
        printed = [line.split("\t") for line in self.report(*args[:3], "--print", "broken").stdout.splitlines()]
        self.assertEqual((printed[0], [dict(zip(printed[0], row)) for row in printed[1:]]), (list(rows[0]), rows))
        rows = self.rows("broken-external")
        self.assertEqual(sorted((r["url"], r["page"], r["text"]) for r in rows), sorted(outside))
        self.assertEqual({(r["status"], r["detail"][-12:]) for r in rows}, {("404", ""), ("404", "/out/nothing")})
        self.assertEqual(sorted((r["url"], r["page"], r["text"]) for r in self.rows("broken-fragments")), sorted(lost))
        self.report("pages.jsonl", "--links", "links.jsonl", "--fail-on", "broken-external", status=5)
        self.report("pages.jsonl", "--links", "links.jsonl", "--fail-on", "broken-fragments", status=5)
        self.report("pages.jsonl", "--fail-on", "slow", "--slow", "1h", status=0)
        self.report("pages.jsonl", "--links", "links.jsonl", "--fail-on", "deep", "--deep", "1", status=5)
        chains = [(r["chain"], r["url"], r["status"]) for r in self.rows("redirect-chains")]
        hops = (("chain/{}/0", 301), ("chain/{}/1", 301), ("chain/{}/2", 302), ("page/{}", 200))
        self.assertEqual(chains, [(str(n + 1), site.url("/" + path.format(n)), str(status)) for n in range(5) for path,
                                  status in hops])
        loops = self.rows("redirect-loops")
        self.assertEqual(({r["loop"] for r in loops}, {r["url"] for r in loops}, len(loops)),
                         ({"1"}, {site.url("/loop/a"), site.url("/loop/b")}, 3))
        copies = {}
        for row in self.rows("duplicates"):
            copies.setdefault(row["digest"], []).append(row["url"])
        self.assertEqual(sorted(copies.values()), [[site.url(f"/copy/{n}/{copy}") for copy in "xyz"[:n % 2 + 2]]
                                                   for n in range(3)])
        self.assertEqual(self.column("untitled"), [site.url(f"/untitled/{n}") for n in range(5)])
        self.assertEqual(self.column("orphans"), [site.url(f"/orphan/{n}") for n in range(6)])
        self.assertEqual((self.column("noindex"), self.column("nofollow")),
                         ([site.url("/hidden")], [site.url("/hidden")]))
        # and pages that a busy machine made slow
        slow = {r["url"] for r in self.records("pages.jsonl") if r["elapsed_ms"] >= SLOW_MS and "external" not in r}
        self.assertEqual(set(self.column("slow")), slow)
        self.assertLessEqual({site.url(f"/slow/{n}") for n in range(4)}, slow)
        self.assertEqual(self.column("hosts", "host")[0], site.url("/").split("/")[2])
        self.assertIn("elsewhere.example", self.column("hosts", "host"))
        records = [r for r in self.records("pages.jsonl") if "external" not in r]
        self.assertEqual(len(self.rows("pages")), len(records))
        text, parsed = self.page_of()
        self.assertEqual(parsed.rows["table-broken"], 1 + 2 + 21, "a head, two causes, a row for each")
        self.assertNotIn("Which pages hold each broken link", text)
        self.assertIn("<q>Guide 4, 1</q>", text)
        self.report(*args[:1], "--links", "links.jsonl", "--sitemap", "sitemap.xml", "--csv", "csv2")
        html_pages = {r["url"] for r in records if r["status"] == 200 and r["content_type"] == "text/html"}
        listed = {site.url(path) for path in ["/", "/hidden", *(f"/page/{n}" for n in range(28)),
                                              *(f"/orphan/{n}" for n in range(6))]}
        self.assertEqual(set(self.column("unlisted", folder="csv2")), html_pages - listed)
        self.assertEqual(self.column("orphans", folder="csv2"), [site.url(f"/orphan/{n}") for n in range(6)])

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_in_chromium(self):
        """The page's policy permits its own style and script, and nothing from the records; without scripts everything
        works except search."""
        self.write_records("pages.jsonl", {"url": "http://a/x", "status": 404,
                                           "error": "</script><script>document.title = 'taken'</script>"})
        self.report("pages.jsonl", "--html", "report.html")
        text, _ = self.page_of()
        self.write("without.html", re.sub("script-src '[^']+'", "script-src 'none'", text))
        for name, buttons in (("report.html", True), ("without.html", False)):
            command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                       f"--user-data-dir={self.path('profile')}", "--dump-dom"]
            shown = subprocess.run([*command, "file://" + self.path(name)], capture_output=True, text=True, check=False,
                                   timeout=120).stdout
            self.assertEqual('<button type="button">Held by</button>' in shown, buttons)
            self.assertEqual('id="search" hidden' in shown, not buttons)
            self.assertIn("<title>a: crawl report</title>", shown)
            self.assertIn('<a href="http://a/x">/x</a>', shown)

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_on_a_phone(self):
        """At 390 pixels the page is as wide as the screen, and so is each list of faults; wider tables scroll by
        themselves."""
        urls = [f"http://a/a-folder-with-a-long-name/a-page-with-a-longer-name-{n}.html" for n in range(3)]
        self.write_records("pages.jsonl", *({"url": url, "status": 200, "content_type": "text/html", "charset": "utf-8",
                                             "digest": url,
                                             "title": "Documentation of everything \u2014 administrators",
                                             "data": {"canonical": "http://a/"}, "parent": urls[0], "bytes": 1 << 21,
                                             "elapsed_ms": 12345} for url in urls))
        self.report("pages.jsonl", "--html", "report.html")
        shown = browser.Browser()
        try:
            shown.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
            shown.open("file://" + self.path("report.html"))
            script = ("[document.documentElement.scrollWidth, ...[...document.querySelectorAll('.scroll')].map((one) "
                      "=> one.querySelector('table').id + ' ' + (one.scrollWidth - one.clientWidth))].join()")
            width, *tables = shown.call("Runtime.evaluate", expression=script)["result"]["value"].split(",")
            shown.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
            script = """(async () => {
              const link = document.querySelector('.checks a'), heading = document.querySelector(link.getAttribute('href') + ' h3, h3' + link.getAttribute('href'));
              link.click();
              for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
              return scrollY > 0 ? heading.getBoundingClientRect().top - document.getElementById('search').getBoundingClientRect().bottom : 'nothing moved';
            })()"""
            free = shown.call("Runtime.evaluate", expression=script, awaitPromise=True,
                              returnByValue=True)["result"].get("value")
        finally:
            shown.close()
        self.assertGreaterEqual(free, 0, "a heading that a link leads to is beneath the search")
        beyond = dict(table.split() for table in tables)
        lists = ("undescribed", "canonical-elsewhere", "same-titles", "slow", "large")
        self.assertEqual((width, {name: beyond.get("table-" + name) for name in lists}),
                         ("390", dict.fromkeys(lists, "0")))

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_in_print_without_scripts(self):
        """All rows of a folded table are printed."""
        self.write_records("pages.jsonl", *({"url": f"http://a/{n}", "status": 200} for n in range(30)))
        self.report("pages.jsonl", "--html", "report.html")
        self.write("without.html", re.sub("script-src '[^']+'", "script-src 'none'", self.page_of()[0]))
        shown = browser.Browser()
        try:
            shown.open("file://" + self.path("without.html"))
            script = "document.querySelector('#table-pages tbody').checkVisibility()"
            visible = []
            for media in ("screen", "print"):
                shown.call("Emulation.setEmulatedMedia", media=media)
                visible.append(shown.call("Runtime.evaluate", expression=script)["result"]["value"])
        finally:
            shown.close()
        self.assertEqual(visible, [False, True])

    def test_names_on_the_map_end_where_their_box_does(self):
        """A name that is too long ends with dots, and its count is left out if there is no room."""
        self.write_records("pages.jsonl", *({"url": f"http://a/{name}/{n}", "status": 200} for size, name in
                                            ((60, "large"), (4, "whatsnew"), (3, "distributing"),
                                             (2, "\u00fcbersetzungen"), (2, "c-api"), (1, "extending"))
                                            for n in range(size)))
        self.report("pages.jsonl", "--html", "report.html")
        narrow = self.page_of()[0].split('class="treemap narrow"')[1].split("</article>")[0]
        boxes = re.findall(r'<svg x="[^"]*" y="[^"]*" width="([0-9.]+)%".*?<title>([^:]*): .*?</title>(?:<text '
                           r'class="name"[^>]*>([^<]*)(?:<tspan>(\d+)</tspan>)?</text>)?', narrow)
        for width, whole, shown, count in boxes:
            if shown:
                self.assertLessEqual(8 * len(shown + count), 350 * float(width) / 100, shown)
                self.assertTrue(whole.startswith(shown.rstrip(" \u2026/")), (whole, shown))
        texts = [shown + count for _, _, shown, count in boxes]
        self.assertIn("large/ 60", texts)
        self.assertTrue(any(text.endswith("\u2026") for text in texts), texts)

    def test_what_is_not_known_is_said(self):
        self.write_records("pages.jsonl", {"url": "http://a/", "status": 200, "content_type": "text/html", "charset":
                                           "utf-8"}, {"url": "http://a/x", "status": 404, "parent": "http://a/"})
        self.report("pages.jsonl", "--html", "report.html", "--csv", "csv")
        text, _ = self.page_of()
        for option in ("--check-external", "--check-fragments", "--links FILE", "--sitemaps", "--requests FILE",
                       "--state DIR", "--compare OLD", "--dedupe near"):
            self.assertIn(option, text)
        self.assertEqual([(r["url"], r["page"]) for r in self.rows("broken")], [("http://a/x", "http://a/")])
        self.assertFalse(os.path.exists(self.path("csv/orphans.csv")))
        self.report("pages.jsonl", "--fail-on", "broken-external", status=2)
        result = self.report("pages.jsonl", "--fail-on", "orphans", status=2)
        self.assertIn("--fail-on orphans: not known. There is no record of a URL that a sitemap named first: ",
                      result.stderr)

    HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'-alert(1)-'",
               "</style></script><svg onload=alert(1)>", "\x1b[2J\x07\x01",
               "\u202egnp.exe", "=HYPERLINK(\"http://evil\")", "+1", "@SUM(A1)", "]]>", "&lt;b&gt;", "{{css}}", "%s%n")

    def test_hostile_texts_come_out_inert(self):
        records, links = [], []
        for n, text in enumerate(self.HOSTILE):
            records.append({"url": f"http://a/{text}", "status": 404, "title": text, "detail": text, "error": text,
                            "parent": f"javascript:{text}"})
            records.append({"url": f"http://a/{n}/{text}/", "status": 200, "title": text, "content_type": text,
                            "charset": text, "robots": [text, 1, "noindex"]})
            records.append({"url": f"{text}", "status": 500, "redirect": text, "digest": text, "bytes": 5})
            links += [{"from": text, "to": f"http://a/{text}", "text": text, "tag": text, "verdict": "seen"},
                      {"from": text, "to": text, "verdict": "no-url"}]
            links.append({"from": text, "to": f"http://{text}/", "verdict": "scope"})
        self.write_records("pages.jsonl", *records)
        self.write_records("links.jsonl", *links)
        with open(self.path("pages.jsonl"), "ab") as file:
            file.write(b'{"url":"http://a/bad\xff\xc3(","status":404,"title":"\xe2\x82"}\n')
        self.report("pages.jsonl", "--links", "links.jsonl", "--compare", "pages.jsonl", "--html", "report.html",
                    "--csv", "csv", "--junit", "junit.xml")
        text, parsed = self.page_of()
        self.assertNotIn("javascript:", "".join(e[1].get("href", "") for e in parsed.elements))
        self.assertFalse([e for e in parsed.elements if e[0] in ("img", "iframe", "object", "form", "base")])
        self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]")
        self.assertEqual(text.count("<style>"), 1)
        tree = xml.etree.ElementTree.parse(self.path("junit.xml"))
        self.assertEqual(len(tree.findall("testsuite[@name='broken']/testcase/failure")),
                         int(tree.find("testsuite[@name='broken']").get("failures")))
        for name in os.listdir(self.path("csv")):
            with open(self.path("csv/" + name), encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, name)
            self.assertFalse([cell for row in rows for cell in row if re.match(r"[=+@-]", cell)], name)

    def test_bad_lines_are_named_and_counted(self):
        self.write("pages.jsonl", '{"url":"http://a/","status":200}\nnonsense\n[1]\n\n{"url":7}\n'
                                  '{"url":"http://a/x","sta')
        self.write("more.jsonl", "".join("x\n" for _ in range(20)))
        result = self.report("pages.jsonl", "--html", "report.html", status=1)
        self.assertEqual([line.split(": ")[1:3] for line in result.stderr.splitlines()],
                         [["pages.jsonl", f"line {n}"] for n in (2, 3, 5, 6)])
        self.assertIn("4 lines could not be read.", self.page_of()[0])
        self.assertEqual(len(self.report("pages.jsonl", "more.jsonl", status=1).stderr.splitlines()), 11)
        self.assertIn("there was no record", self.report("more.jsonl", status=1).stderr)
        self.report("missing.jsonl", status=4)
        self.report("pages.jsonl", "--links", "missing.jsonl", status=4)
        self.report("pages.jsonl", "--html", "missing/report.html", status=4)
        self.write("long.jsonl", '{"url":"http://a/","title":"' + "x" * (16 << 20)
                   + '"}\n{"url":"http://a/","status":200}\n')
        self.assertIn("line 1: longer than 16 MiB", self.report("long.jsonl", status=1).stderr)
        self.write("text.jsonl", '{"url":"http://a/","status":200,"text":"' + "\\u0001" * (1 << 20) + '"}\n')
        self.report("text.jsonl")

    def test_usage(self):
        self.write_records("pages.jsonl", {"url": "http://a/", "status": 200})
        for args in ([], ["pages.jsonl", "--what"], ["pages.jsonl", "--fail-on", "folders"],
                     ["pages.jsonl", "--fail-on", "broken,nonsense"],
                     ["pages.jsonl", "--slow", "soon"], ["pages.jsonl", "--large", "-1"], ["pages.jsonl", "--html"],
                     ["pages.jsonl", "--print", "nonsense"],
                     ["pages.jsonl", "--print", "broken", "--print", "pages"], ["pages.jsonl", "--print", "orphans"]):
            self.assertNotEqual(self.report(*args, status=2).stderr, "", args)
        result = self.crawl("report", "-", "--html", "-", stdin='{"url":"http://a/","status":200}\n')
        self.assertEqual((result.status, result.stdout[:15], result.stdout[-8:]), (0, "<!DOCTYPE html>", "</html>\n"))

    def test_a_file_that_is_no_report_is_not_replaced(self):
        """As in --html *.jsonl."""
        self.write_records("pages.jsonl", {"url": "http://a/", "status": 200})
        self.write_records("more.jsonl", {"url": "http://a/x", "status": 200})
        before = self.bytes_of("pages.jsonl")
        for option in ("--html", "--junit"):
            for name in ("pages.jsonl", "more.jsonl"):
                said = self.report(name, option, "pages.jsonl", "--csv", "csv", status=2).stderr
                self.assertEqual(said, f"crawl report: {option[2:]}: pages.jsonl already exists and is not a file "
                                       "of this kind: move it away\n")
        self.assertEqual((self.bytes_of("pages.jsonl"), os.path.exists(self.path("csv"))), (before, False))
        self.write("empty", "")
        for _ in range(2):
            self.report("pages.jsonl", "--html", "empty", "--junit", "junit.xml")

    def test_fail_on_and_junit(self):
        self.write_records("pages.jsonl", {"url": "http://a/", "status": 200}, {"url": "http://a/x", "status": 404})
        self.report("pages.jsonl", "--fail-on", "broken", status=5)
        self.report("pages.jsonl", "--fail-on", "redirect-loops, broken", status=5)
        self.report("pages.jsonl", "--fail-on", "", status=2)
        self.report("pages.jsonl", "--fail-on", "redirect-loops,duplicates", status=0)
        self.report("pages.jsonl", "--junit", "junit.xml", "--fail-on", "broken,slow", status=5)
        suites = {s.get("name"): s for s in xml.etree.ElementTree.parse(self.path("junit.xml")).findall("testsuite")}
        self.assertEqual({name: (s.get("tests"), s.get("failures")) for name, s in suites.items()},
                         {"broken": ("1", "1"), "slow": ("1", "0")})
        case = suites["broken"].find("testcase")
        self.assertEqual((case.get("name"), case.find("failure").get("message")), ("http://a/x", "404 Not Found"))
        self.assertIsNone(suites["slow"].find("testcase/failure"))

    def test_compare(self):
        self.write_records("old.jsonl", *({"url": f"http://a/{name}", "status": status} for name, status in
                                          (("same", 200), ("gone", 200), ("breaks", 200), ("mended", 404),
                                           ("still", 404), ("gone-broken", 500))))
        self.write_records("new.jsonl", *({"url": f"http://a/{name}", "status": status} for name, status in
                                          (("same", 200), ("breaks", 410), ("mended", 200), ("still", 404),
                                           ("new", 200), ("new-broken", 404))))
        self.report("new.jsonl", "--compare", "old.jsonl", "--csv", "csv", "--html", "report.html")
        found = {name: [url.split("/")[-1] for url in self.column(name)]
                 for name in ("new", "gone", "newly-broken", "mended")}
        self.assertEqual(found, {"new": ["new", "new-broken"], "gone": ["gone", "gone-broken"],
                                 "newly-broken": ["breaks", "new-broken"], "mended": ["mended"]})
        self.assertEqual([r["before"] for r in self.rows("newly-broken")], ["200 OK", "Not in that crawl"])
        self.assertIn("What has changed", self.page_of()[0])
        self.report("new.jsonl", "--compare", "old.jsonl", "--fail-on", "newly-broken", status=5)
        self.report("new.jsonl", "--compare", "new.jsonl", "--fail-on", "newly-broken", "--html", "same.html", status=0)
        self.assertIn("Nothing new, nothing gone", self.page_of("same.html")[0])
        name = "DB.OF_old's.sqlite"  # with the words that stand for a schema and a prefix in the SQL of reports
        self.assertEqual(self.crawl("query", "--save", name, "old.jsonl").status, 0)
        before = os.listdir(self.folder)
        rows = self.report("new.jsonl", "--compare", name, "--print", "mended").stdout.splitlines()
        self.assertEqual((len(rows), sorted(os.listdir(self.folder))), (2, sorted(before)))

    def test_compare_with_nothing(self):
        """A crawl without a record would make each fault a new one."""
        self.write_records("new.jsonl", {"url": "http://a/", "status": 404})
        self.write_records("links.jsonl", {"from": "http://a/", "to": "http://a/x", "tag": "a"})
        self.write("empty.jsonl", "")
        for name in ("links.jsonl", "empty.jsonl"):
            for options in ((), ("--map", "a=b")):
                said = self.report("new.jsonl", "--compare", name, *options, "--fail-on", "newly-broken",
                                   status=1).stderr
                self.assertEqual(said, f"crawl report: --compare {name}: there was no record\n")

    def test_compare_with_another_host(self):
        """A site differs from its staging server, whose host has another name."""
        page = {"status": 200, "content_type": "text/html", "charset": "utf-8"}
        self.write_records("old.jsonl", {"url": "http://www.a/same", "title": "S", **page},
                           {"url": "http://www.a/x", "title": "Old", "data": {"description": "d"}, **page},
                           {"url": "http://www.a/y", "status": 200},
                           {"url": "http://www.a/t1", "text": "One two\ntwo three \u6587\u5b57", **page},
                           {"url": "http://www.a/t2", "text": "the same words, moved", **page},
                           {"url": "http://www.a/t3", "simhash": "00000000000000ff", "digest": "1", **page},
                           {"url": "http://www.a/t4", "simhash": "00000000000000ff", "text": "new", **page})
        self.write_records("new.jsonl", {"url": "http://staging.a:81/same", "title": "S", **page},
                           {"url": "http://staging.a:81/t1", "text": "One two three\n\u6587 four", **page},
                           {"url": "http://staging.a:81/t2", "text": "moved the same\nwords,", **page},
                           {"url": "http://staging.a:81/t3", "simhash": "00000000000000f0", "digest": "2", **page},
                           {"url": "http://staging.a:81/t4", "simhash": "000000000000000f", "text": "", **page},
                           {"url": "http://staging.a:81/x", "title": "New", "data": {"description": "e"}, **page},
                           {"url": "http://staging.a:81/y", "status": 404})
        args = ("new.jsonl", "--compare", "old.jsonl", "--map", "staging.a:81=www.a")
        rows = self.report(*args, "--print", "changed").stdout.replace("http://staging.a:81/", "")
        self.assertEqual(rows, "url\twhat\tbefore\tnow\nt1\ttext\t2 of 6 words gone\t1 of 5 words new\n"
                               "t3\ttext\t\t4 of 64 bits differ\nt4\ttext\t1 of 1 word gone\tnone new\n"
                               "x\tdescription\td\te\nx\ttitle\tOld\tNew\n"
                               "y\tstatus\t200 OK\t404 Not Found\n")
        self.assertEqual(self.report(*args, "--print", "new").stdout.count("\n"), 1)
        self.assertEqual(self.report(*args, "--print", "gone").stdout.count("\n"), 1)
        self.assertIn("expected HOST=HOST", self.report("new.jsonl", "--map", "www.a", status=2).stderr)
        self.assertIn("expected HOST=HOST", self.report("new.jsonl", "--map", "www.a/x=b", status=2).stderr)

    def test_compare_with_another_origin(self):
        """The staging server has another scheme, host and port, which are written as people do."""
        self.write_records("old.jsonl", {"url": "https://www.a/", "status": 200}, {"url": "https://www.a/x",
                                                                                  "status": 404})
        self.write_records("new.jsonl", {"url": "http://staging.a:81/", "status": 404},
                           {"url": "http://staging.a:81/x", "status": 404})
        for value in ("http://staging.a:81=https://www.a", "HTTP://Staging.A:81/=https://www.a:443/",
                      "staging.a:81=https://www.a"):
            broken = self.report("new.jsonl", "--compare", "old.jsonl", "--map", value, "--print", "newly-broken")
            self.assertEqual(broken.stdout.splitlines()[1:], ["http://staging.a:81/\t404 Not Found\t200 OK\t"], value)
        unheard = self.report("new.jsonl", "--compare", "old.jsonl", "--map", "stagin.a:81=https://www.a",
                              "--fail-on", "newly-broken", status=2).stderr
        self.assertIn("no page of this crawl is on stagin.a:81", unheard)
        for options in ((), ("--map", "staging.a:81=www.a")):
            apart = self.report("new.jsonl", "--compare", "old.jsonl", *options, status=2).stderr
            self.assertIn("old.jsonl: it has no page of this crawl", apart)

    def test_chains_and_loops_through_another_site(self):
        """Redirects among other sites alone are not those of the site."""
        def moved(url, to, **more):
            return {"url": url, "status": 302, "redirect": to, **more}
        away, back = "http://b/", {"external": True}
        self.write_records("pages.jsonl", {"url": "http://a/", "status": 200},
                           moved("http://a/1", away + "1"), moved(away + "1", "http://a/2", **back),
                           moved("http://a/2", "http://a/end"), {"url": "http://a/end", "status": 200},
                           moved("http://a/l", away + "l"), moved(away + "l", "http://a/l", **back),
                           moved(away + "m", away + "n", **back), moved(away + "n", away + "m", **back))
        self.write("links.jsonl", "")
        self.report("pages.jsonl", "--links", "links.jsonl", "--csv", "csv")
        self.assertEqual([(r["chain"], r["url"]) for r in self.rows("redirect-chains")],
                         [("1", url) for url in ("http://a/1", away + "1", "http://a/2", "http://a/end")])
        self.assertEqual({r["url"] for r in self.rows("redirect-loops")}, {"http://a/l", away + "l"})

    def test_records_that_are_given_as_links(self):
        self.write_records("pages.jsonl", {"url": "http://a/", "status": 200})
        said = self.report("pages.jsonl", "--links", "pages.jsonl", status=2).stderr
        self.assertEqual(said, "crawl report: --links pages.jsonl: it has no link, but records or requests\n")
        self.write("links.jsonl", "")
        self.report("pages.jsonl", "--links", "links.jsonl")

    def test_links_that_redirect(self):
        self.write_records("pages.jsonl", {"url": "http://a/", "status": 200},
                           {"url": "http://a/old", "status": 301, "redirect": "http://a/"})
        self.write_records("links.jsonl", {"from": "http://a/", "to": "http://a/old", "text": "the old", "tag": "a",
                                           "verdict": "new"})
        self.assertEqual(self.report("pages.jsonl", "--links", "links.jsonl", "--print", "redirects").stdout,
                         "url\tleads_to\tstatus\tpage\ttext\telement\n"
                         "http://a/old\thttp://a/\t301\thttp://a/\tthe old\ta\n")

    def test_links_of_earlier_visits_do_not_count(self):
        """Files of links keep all visits in their order, and those of an unchanged page only once."""
        page = {"url": "http://a/", "content_type": "text/html", "charset": "utf-8"}
        old = {"url": "http://a/old", "status": 301, "redirect": "http://a/", "links": 0}
        visits = [{**page, "status": 200, "links": 3}, {**page, "status": 200, "links": 2}, {**page, "status": 304,
                  "changed": False, "links": 0}, {**page, "status": 500, "links": 0}]
        self.write_records("pages.jsonl", *({**record, "visit": n, "fetched_at": f"2026-01-0{n}T00:00:00.000Z"}
                                            for n, record in enumerate(visits, 1)),
                           *({**old, "visit": n, "fetched_at": f"2026-01-0{n}T00:00:00.000Z"} for n in (1, 2)),
                           *({"url": f"http://a/{name}", "status": 404} for name in ("gone", "lost")))
        gone, lost, moved = ({"from": "http://a/", "to": f"http://a/{to}", "text": to, "tag": "a", "verdict": "seen"}
                             for to in ("gone", "lost", "old"))
        redirect = {"from": "http://a/old", "to": "http://a/", "tag": "redirect", "verdict": "seen"}
        self.write_records("links.jsonl", gone, gone, lost, redirect, gone, moved, redirect)
        self.report("pages.jsonl", "--links", "links.jsonl", "--csv", "csv")
        self.assertEqual([(r["url"], r["page"]) for r in self.rows("broken")],
                         [("http://a/gone", "http://a/"), ("http://a/lost", ""), ("http://a/", "http://a/old"),
                          ("http://a/", "http://a/")])
        self.assertEqual({r["url"][9:]: r["links_to_it"] for r in self.rows("pages")},
                         {"": "1", "gone": "1", "lost": "0", "old": "1"})

    def test_a_pipe_is_read_from_its_beginning(self):
        lines = "".join(json.dumps({"url": f"http://a/{n}", "status": 404}) + "\n" for n in range(200))
        self.report(self.feed("now", lines), "--compare", self.feed("then", lines), "--csv", "csv")
        self.assertEqual([len(self.rows(name)) for name in ("pages", "newly-broken")], [200, 0])

    def test_what_was_left_in_the_queue(self):
        """Links to what a sitemap queued before, and links that were refused before another one was followed."""
        self.write_records("pages.jsonl", {"url": "http://a/", "status": 200},
                           {"url": "http://a/guess", "status": 404, "guessed": True})
        self.write_records("links.jsonl", *(
            {"from": "http://a/", "to": "http://a/" + to, "tag": "a", "verdict": verdict} for to, verdict in
            (("guess", "new"), ("s", "seen"), ("n", "nofollow"), ("n", "new"), ("d", "depth"), ("d", "seen"),
             ("f", "nofollow"), ("f", "repeated"), ("", "seen"))))
        printed = self.report("pages.jsonl", "--links", "links.jsonl", "--print", "coverage").stdout
        self.assertEqual(printed.splitlines()[1:],
                         ["checked\t1", "left when the crawl ended\t3", "linked by nofollow alone\t1"])

    def test_nothing_is_left_of_a_finished_crawl(self):
        """A seen URL without a record is then another spelling of a page."""
        self.write_records("pages.jsonl", *({"url": "http://a/" + path, "status": 200} for path in ("", "x", "y")))
        self.write_records("links.jsonl", *(
            {"from": "http://a/", "to": "http://a/" + to, "tag": "a", "verdict": verdict} for to, verdict in
            (("x", "new"), ("x?utm_source=1", "seen"), ("x?utm_source=2", "seen"), ("y", "new"), ("d", "depth"),
             ("d", "seen"))))
        for ended, others in ("", "deeper than --depth\t1"), ("SIGINT", "left when the crawl ended\t3"):
            printed = self.report("pages.jsonl", "--links", "links.jsonl", "--ended-by", ended,
                                  "--print", "coverage").stdout
            self.assertEqual(printed.splitlines()[1:], ["checked\t3", others])
        self.report("pages.jsonl", "--links", "links.jsonl", "--ended-by", "<i>me</i>", "--html", "report.html")
        self.assertIn("not kept by --keep (&lt;i&gt;me&lt;/i&gt;)", self.page_of()[0].split("</header>")[0])

    def test_state(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<title>A</title><a href=x>x</a><a "
                                                                               "href=y>y</a>"})})
        self.crawl("--state", "state", "--delay", "0", "--max-pages", "1", "--output", "pages.jsonl",
                   nginx.url("a.localhost", "/"))
        self.report("pages.jsonl", "--state", "state", "--html", "report.html")
        self.assertIn("The crawl is not finished: 2 requests are still queued.", self.page_of()[0])
        self.report("pages.jsonl", "--state", "nothing", status=4)
        self.assertIn("name the files of all its processes",
                      self.report("--state", "redis://localhost/0?name=a", status=2).stderr)
        revisit = ("--state", "again", "--delay", "0", "--revisit=due", "--overwrite", "--output", "pages.jsonl")
        self.crawl(*revisit, "--max-pages", "1", nginx.url("a.localhost", "/"))
        self.report("pages.jsonl", "--state", "again", "--html", "report.html")
        self.assertIn("The crawl is not finished: 2 requests are still queued.", self.page_of()[0])
        self.crawl("--state", "again")
        self.report("pages.jsonl", "--state", "again", "--html", "report.html")
        self.assertNotIn("not finished", self.page_of()[0])

    def test_files_of_a_crawl_are_found_by_its_directory(self):
        """crawl report --state DIR works from any folder: it reads the files that the crawl's options name, or the
        copies of --report. If there are none it gives the reason."""
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<title>A</title><a href=x>the x</a>"})})
        url = nginx.url("a.localhost", "/")
        self.crawl("--state", "named", "--delay", "0", "--output", "pages.jsonl", "--links", "links.jsonl",
                   "--requests", "requests.jsonl", url)
        self.crawl("--state", "copied", "--delay", "0", "--output", "pages.csv", "--report", "site.html", url)
        self.crawl("--state", "database", "--delay", "0", "--quiet", "--output", "a.sqlite", "--links", "a.sqlite", url)
        self.crawl("--state", "neither", "--delay", "0", url)
        os.mkdir(self.path("elsewhere"))
        for state in ("named", "copied", "database"):
            result = subprocess.run([harness.program(), "report", "--state", "../" + state, "--csv", "csv", "--fail-on",
                                     "broken"], cwd=self.path("elsewhere"),
                                    capture_output=True, text=True, env={**os.environ, **harness.SANITIZERS},
                                    check=False)
            self.assertEqual((result.returncode, result.stderr), (5, ""))
            with open(self.path("elsewhere/csv/broken.csv"), encoding="utf-8-sig", newline="") as file:
                self.assertEqual([(row["url"], row["page"], row["text"]) for row in csv.DictReader(file)],
                                 [(url + "x", url, "the x")])
        os.mkdir(self.path("nothing"))
        os.unlink(self.path("pages.jsonl"))
        for state, status, words in (("neither", 2, "neither: this crawl kept no records"),
                                     ("nothing", 4, "nothing: not the directory of a crawl"),
                                     ("named", 2, "named: the records of this crawl, " + self.path("pages.jsonl")
                                      + ", are not there")):
            result = self.crawl("report", "--state", state)
            self.assertEqual(result.status, status, result.stderr)
            self.assertIn("crawl report: " + words, result.stderr)

    def test_lines_beside_the_database_of_a_crawl_are_named(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<title>A</title><a href=x>x</a>"})})
        files = ("--output", "a.sqlite", "--links", "links.jsonl", "--requests", "requests.jsonl")
        self.crawl("--state", "state", "--delay", "0", "--quiet", *files, nginx.url("a.localhost", "/"))
        said = self.report("--state", "state").stderr.splitlines()
        self.assertEqual(len(said), 2, said)
        for line in said:
            command = line.split(": crawl ")[1].split()
            self.assertEqual(self.crawl(*command).status, 0, command)
        self.assertEqual(self.report("--state", "state", "--fail-on", "broken", status=5).stderr, "")

    def test_many_records_in_bounded_memory(self):
        """With 100,000 records, some with long URLs, the page stays small, the CSV files complete, and memory below 300
        MiB. A program with a sanitizer, which uses memory of its own, gets 10,000."""
        with open(harness.program(), "rb") as file:
            is_sanitized = b"__asan_init" in file.read()
        count = 10000 if is_sanitized else 100000
        with open(self.path("pages.jsonl"), "w", encoding="utf-8") as file:
            for n in range(count):
                long = "&<\"'" * 400 if n % 10 == 0 else ""
                file.write('{"url":"https://www.example.com/section-%d/%d/article-%d.html%s","status":%d,"depth":%d,'
                           '"parent":"https://www.example.com/%d",'
                           '"fetched_at":"2026-11-22T19:34:30.668Z","elapsed_ms":%d,"content_type":"text/html",'
                           '"charset":"utf-8","bytes":%d,"digest":"sha1:%d",'
                           '"title":"%s"}\n' % (n % 37, n % 911, n, long.replace('"', ""), 404 if n % 3 else 200,
                                                n % 12, n, n % 3000, n * 20, n // 2, "T" * 60 + str(n)))
        command = [harness.program(), "report", "pages.jsonl", "--html", "report.html", "--csv", "csv"]
        sanitizer = harness.SANITIZERS["ASAN_OPTIONS"] + ":quarantine_size_mb=16"  # freed memory counts as well
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                              env={**os.environ, **harness.SANITIZERS, "ASAN_OPTIONS": sanitizer}) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(os.path.getsize(self.path("report.html")), 4 << 20)
        with open(self.path("csv/pages.csv"), encoding="utf-8") as file:
            self.assertEqual(sum(1 for _ in file), count + 1)
        self.assertIn("rows. <code>--csv DIR</code>", self.page_of()[0])
        self.assertLess(usage.ru_maxrss, 300 * 1024)


class Coverage(harness.TestCase):
    """A page that was not examined must not be reported as sound."""

    def setUp(self):
        super().setUp()
        pages = {"index.html": "<title>T</title><a href=1.html>1</a><a href=a.html>a</a>",
                 **{f"{n}.html": f"<title>{n}</title><a href={n + 1}.html#there>n</a><a rel=nofollow href=no.html>x</a>"
                    for n in range(1, 5)},
                 "a.html": "<title>A</title><a href=1.html>1</a><a href=left.html>l</a>",
                 "left.html": "<title>L</title>", "no.html": "<title>N</title>", "5.html": "<title>5</title>"}
        self.nginx = self.start_nginx({"a.localhost": self.make_site(pages)})

    def reported(self, *options, status=0):
        """Returns the text of the page, and of `crawl report`."""
        result = self.crawl("--delay", "0", "--no-robots", "--overwrite", "--output", "pages.jsonl", "--links",
                            "links.jsonl", "--report", "site.html", *options, self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, status, result.stderr)
        return self.said()

    def said(self):
        with open(self.path("site.html"), encoding="utf-8") as file:
            text = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", file.read().split("<body>")[1]))
        return text, self.crawl("report", "pages.jsonl", "--links", "links.jsonl").stdout

    def test_a_crawl_that_was_cut(self):
        text, said = self.reported("--depth", "1")
        self.assertIn("None of the 3 URLs that were checked is broken. 3 succeeded", text)
        self.assertIn("This is a part of the site: 3 of 6 URLs that were found. Nothing is known of the others: 2 "
                      "deeper than --depth; 1 linked by nofollow alone.", text)
        self.assertIn("Looked for in what was read, and not found: Broken links", text)
        self.assertNotIn("Deep pages;", text)
        self.assertIn("Deep pages? The crawl did not go so deep, and left out URLs that may lie there.", text)
        self.assertIn("   3  URLs checked\n         3  URLs found and not checked: 2 deeper than --depth; 1 ", said)
        self.assertIn("?  deep: The crawl did not go so deep", said)
        failed = self.crawl("report", "pages.jsonl", "--links", "links.jsonl", "--fail-on", "deep")
        self.assertEqual(failed.status, 2, failed.stderr)
        printed = self.crawl("report", "pages.jsonl", "--links", "links.jsonl", "--print", "coverage")
        self.assertEqual(printed.stdout, "state\turls\nchecked\t3\ndeeper than --depth\t2\n"
                                         "linked by nofollow alone\t1\n")
        printed = self.crawl("report", "pages.jsonl", "--links", "links.jsonl", "--print", "unchecked").stdout
        reasons = [line.split("\t") for line in printed.replace(self.nginx.url("a.localhost", "/"), "").splitlines()]
        self.assertEqual([(cause, url, why) for cause, url, _, _, why, _ in reasons[1:]],
                         [("Not asked for", "2.html", "deeper than --depth"),
                          ("Not asked for", "left.html", "deeper than --depth"),
                          ("Not asked for", "no.html", "linked by nofollow alone")])
        passed = self.crawl("report", "pages.jsonl", "--links", "links.jsonl", "--fail-on", "broken")
        self.assertEqual(passed.status, 0, passed.stderr)
        self.assertIn("--fail-on is about a part of the site: 3 of 6 URLs that were found", passed.stderr)
        alone = self.crawl("report", "pages.jsonl", "--html", "alone.html")
        self.assertIn("?  URLs found and not asked for: No links were given: crawl with --links FILE", alone.stdout)
        with open(self.path("alone.html"), encoding="utf-8") as file:
            self.assertIn("another limit is not known. No links were given", file.read().split("</header>")[0])
        self.assertEqual(self.crawl("report", "pages.jsonl", "--print", "coverage").status, 2)

    def test_a_limit_ended_it(self):
        text, _ = self.reported("--max-pages", "2", "--depth", "100")
        self.assertRegex(text, r"This is a part of the site: 2 of 5 URLs that were found\. .* 2 left when the crawl "
                               r"ended \(crawl\.max_pages reached\)")
        self.assertIn("Deep pages? The crawl did not go so deep", text)
        text, _ = self.reported("--depth", "100", "--exclude", "left")
        self.assertIn("1 left out by --include or --exclude", text)

    def test_all_of_it(self):
        text, said = self.reported("--depth", "100", "--set", "parse.follow=a", "--set", "parse.obey_nofollow=false")
        self.assertNotIn("part of the site", text)
        self.assertIn("Looked for, and not found: ", text)
        self.assertNotIn("not checked", said)
        self.assertIn("; Deep pages", text)
        self.assertNotIn("No links were given", text)

    def test_nothing_was_read(self):
        self.nginx.stop()
        text, _ = self.reported("--retries", "0", status=1)
        self.assertIn("The only URL that could be checked is broken.", text)
        self.assertIn("Redirect loops? No server answered.", text)
        self.assertNotIn("Missing titles;", text)
        self.assertIn("Missing titles? No HTML page was read.", text)
        failed = self.crawl("report", "pages.jsonl", "--fail-on", "untitled,slow")
        self.assertEqual(failed.status, 2, failed.stderr)
        self.assertIn("--fail-on untitled: not known. No HTML page was read.", failed.stderr)

    def test_robots_forbids_all(self):
        """For a site of which nothing was read, nothing is reported as sound."""
        self.nginx.stop()
        self.nginx = self.start_nginx({"a.localhost": self.make_site({"robots.txt": "User-agent: *\nDisallow: /",
                                                                      "index.html": "<title>T</title>"})})
        result = self.crawl("--output", "pages.jsonl", "--links", "links.jsonl", "--report", "site.html",
                            self.nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 1, result.stderr)
        text, said = self.said()
        self.assertIn("Nothing is known of this site: no URL could be checked.", text)
        self.assertIn("0 of 1 URL that was found. Nothing is known of the others: 1 forbidden by robots.txt.", text)
        self.assertIn("Nothing could be checked.", text)
        self.assertNotIn("not found:", text)
        self.assertIn("Not known. No server answered.", text)
        with open(self.path("site.html"), encoding="utf-8") as file:
            shades = re.findall(r'class="out (s\d)"', file.read())
        self.assertEqual(shades, ["s4", "s4"], "the map: not checked, which is not the same as nothing broken")
        self.assertIn("         0  URLs checked\n         1  URLs found and not checked: 1 forbidden by robots", said)
        with open(self.path("pages.jsonl"), encoding="utf-8") as file:
            self.write("old.jsonl", file.read())
        for fault in FAULTS:
            failed = self.crawl("report", "pages.jsonl", "--links", "links.jsonl", "--compare", "old.jsonl",
                                "--fail-on", fault)
            self.assertEqual(failed.status, 2, fault)
            self.assertIn(f"--fail-on {fault}: not known. ", failed.stderr)
        tests = self.crawl("report", "pages.jsonl", "--junit", "-").stdout
        self.assertEqual(tests.count("<skipped "), 2, tests)
        self.assertEqual(self.crawl("report", "pages.jsonl", "--print", "times").status, 2)

    def test_a_part_that_robots_forbids(self):
        self.nginx.stop()
        self.nginx = self.start_nginx({"a.localhost": self.make_site(
            {"robots.txt": "User-agent: *\nDisallow: /no", "no.html": "n", "other/far.html": "f", "in/index.html":
             "<title>T</title><a href=/in/a.html>a</a><a href=/other/far.html>f</a><a href=/in/no.html>n</a>",
             "in/a.html": "<title>A</title><a href=/no.html>n</a>"})})
        result = self.crawl("--delay", "0", "--scope", "prefix", "--output", "p.jsonl", "--links", "l.jsonl",
                            self.nginx.url("a.localhost", "/in/"))
        self.assertEqual(result.status, 0, result.stderr)
        said = self.crawl("report", "p.jsonl", "--links", "l.jsonl").stdout
        self.assertIn("2 outside of --scope", said)

    def test_records_left_out_by_keep(self):
        """A URL without a record was not necessarily left out."""
        kept = self.crawl("--delay", "0", "--no-robots", "--keep", "a.html", "--output", "q.jsonl",
                          "--links", "m.jsonl", self.nginx.url("a.localhost", "/"))
        self.assertEqual(kept.status, 0, kept.stderr)
        said = self.crawl("report", "q.jsonl", "--links", "m.jsonl").stdout
        self.assertIn("left when the crawl ended, or not kept by --keep", said)

    def test_links_to_others_that_could_not_be_checked(self):
        """Nothing is known of a link that answers 429."""
        self.write("p.jsonl", "".join(json.dumps({"canonical": None, "method": "GET", "depth": 0, **record}) + "\n"
                                      for record in (
            {"url": "http://b.example/", "status": 200, "content_type": "text/html", "charset": "utf-8"},
            {"url": "http://c.example/", "status": 429, "external": True})))
        failed = self.crawl("report", "p.jsonl", "--fail-on", "broken-external")
        self.assertEqual(failed.status, 2, failed.stderr)
        self.assertIn("No link to another site could be checked.", failed.stderr)

    def test_the_name_of_the_seed(self):
        """The seed's host is above the page, whatever other hosts there are, and URLs are readable."""
        self.write("pages.jsonl", "".join(json.dumps(
            {"url": f"http://{host}/{path}", "canonical": None, "method": "GET", "status": 200, "parent": parent,
             "depth": 0, "bytes": 1, "elapsed_ms": 1, "content_type": "text/html", "charset": "utf-8"}) + "\n"
            for host, path, parent in (("b.example", "%C3%BCber%20uns/%E2%80%AE%2F", None),
                                       ("b.example", "u%CC%88/%CC%B8/%E3%85%A4", "x"), ("c.example", "", "x"))))
        self.assertEqual(self.crawl("report", "pages.jsonl", "--html", "r.html").status, 0)
        with open(self.path("r.html"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("<h1>b.example and 1 other host</h1>", text)
        # neither a mark that strikes a slash out, nor an invisible letter
        self.assertIn('">http://b.example/u\u0308/%CC%B8/%E3%85%A4</a>', text)
        self.assertIn('<a href="http://b.example/%C3%BCber%20uns/%E2%80%AE%2F">http://b.example/über%20uns/%E2%80%AE%2F'
                      "</a>", text)


class Data(harness.TestCase):
    def test_what_pages_say_of_themselves(self):
        """With --data the report lists pages without description and first heading, and pages with another canonical
        URL; without it the report says that it needs --data."""
        pages = {"index.html": "<title>T</title><meta name=description content=d><h1>h</h1><link rel=canonical "
                               "href=/><a href=a.html>a</a><a href=b.html>b</a><a href=c.html>c</a>",
                 "a.html": "<title>A</title><h1> </h1><link rel=canonical href=/b.html>",
                 "b.html": "<title>B</title><p lang=en>no data at all",
                 "c.html": "<title>C</title><meta name=description content=d><h1>h</h1><img src=1.png><img src=2.png "
                           "alt=''><input type=image src=3.png>"}
        nginx = self.start_nginx({"a.localhost": self.make_site(pages)})
        url = nginx.url("a.localhost", "/")
        for arguments in ((), ("--data",)):
            result = self.crawl("--delay", "0", "--no-robots", "--overwrite", *arguments, "--output", "pages.jsonl",
                                "--report", "site.html", url)
            self.assertEqual(result.status, 0, result.stderr)
            with open(self.path("site.html"), encoding="utf-8") as file:
                self.assertEqual("crawl with --data" in file.read(), not arguments)
        self.assertIn("2 undescribed, 2 no-heading, 1 no-alt, 1 canonical-elsewhere", result.stderr)
        self.assertEqual(self.crawl("report", "--csv", "tables", "--fail-on", "no-heading", "pages.jsonl").status, 5)
        rows = {}
        for name in ("undescribed", "no-heading", "no-alt", "canonical-elsewhere"):
            with open(self.path("tables/" + name + ".csv"), encoding="utf-8-sig", newline="") as file:
                rows[name] = [row[:3 if name == "no-alt" else 2] for row in list(csv.reader(file))[1:]]
        both = [[url + "a.html", "A"], [url + "b.html", "B"]]
        self.assertEqual(rows, {"undescribed": both, "no-heading": both,
                                "no-alt": [[url + "c.html", "2", url + "1.png"]],
                                "canonical-elsewhere": [[url + "a.html", url + "b.html"]]})
        self.assertEqual(self.crawl("--data", "--report", "other.html", "--max-pages", "1", url).status, 0)

    def test_translations_that_do_not_name_their_page_back(self):
        def page(*translations):
            return "<title>T</title>" + "".join(f"<link rel=alternate hreflang={lang} href=/{name}>"
                                                for lang, name in translations)
        pages = {"index.html": page(("en", ""), ("de", "de.html"), ("fr", "fr.html"), ("x-default", "fr.html"),
                                    ("it", "it.html"), ("es", "es.html"), ("pt", "gone.html"),
                                    ("nl", "not-crawled/nl.html")),
                 "de.html": page(("x-default", ""), ("de", "de.html")),
                 "fr.html": page(("de", "de.html"), ("fr", "fr.html")),
                 "it.html": page(("en", "index.html"), ("en-gb", "index.html?x"), ("x-default", "moved"),
                                 ("x-default", "gone.html")),
                 "nl.html": page(("en", "moved")),
                 "es.html": "<title>T</title>"}
        nginx = self.start_nginx({"a.localhost": self.make_site(pages)}, "location /moved { return 302 /de.html; }")
        url = nginx.url("a.localhost", "/")
        self.crawl("--delay", "0", "--no-robots", "--data", "--exclude", "/not-crawled/", "--exclude", "/index",
                   "--output", "pages.jsonl", url, *[url + name for name in [*list(pages)[1:], "gone.html"]])
        result = self.crawl("report", "--print", "hreflang", "--fail-on", "hreflang", "pages.jsonl")
        self.assertEqual(result.status, 5, result.stderr)
        rows = [line.replace(url, "/").split("\t") for line in result.stdout.splitlines()[1:]]
        self.assertEqual(rows, [["/", "fr", "/fr.html", "it names others"], ["/", "it", "/it.html", "it names others"],
                                ["/", "es", "/es.html", "it names no translation"],
                                ["/", "pt", "/gone.html", "it is broken"],
                                ["/fr.html", "de", "/de.html", "it names others"],
                                ["/it.html", "x-default", "/gone.html", "it is broken"],
                                ["/nl.html", "en", "/moved", "it redirects"]])
        with open(self.path("pages.jsonl"), encoding="utf-8") as file:
            alone = [line for line in file if json.loads(line)["url"] == url]
        self.write("alone.jsonl", "".join(alone))
        self.assertIn("Pages name translations, but there is no record of one",
                      self.crawl("report", "alone.jsonl").stdout)

    def test_pages_that_say_nothing(self):
        """The directory, not records without data, shows that the crawl had --data."""
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<title>T</title><p>alone"})})
        result = self.crawl("--delay", "0", "--no-robots", "--data", "--state", "s", "--output", "pages.jsonl",
                            "--report", "site.html", nginx.url("a.localhost", "/"))
        self.assertIn("1 undescribed, 1 no-heading", result.stderr)
        self.assertEqual(self.crawl("report", "--state", "s", "--fail-on", "undescribed").status, 5)
        failed = self.crawl("report", "pages.jsonl", "--fail-on", "undescribed")
        self.assertEqual(failed.status, 2, failed.stderr)
        self.assertIn("No record has data: crawl with --data; if it had", failed.stderr)


if __name__ == "__main__":
    harness.main()
