#!/usr/bin/env python3
"""Tests WARC files of real crawls with a strict reader and, if available, with other readers."""
import collections
import glob
import json
import os
import shutil
import signal
import subprocess
import zipfile

import harness
import warc_reader


def by_type(records):
    return collections.Counter(record.headers["WARC-Type"] for record in records)


def of_url(records, url, kind="response"):
    return [r for r in records if r.headers.get("WARC-Target-URI") == url and r.headers["WARC-Type"] == kind]


class Pages(harness.TestCase):
    SITE = {
        "index.html": "<a href=a.html>a</a><a href=same1.html>1</a><a href=same2.html>2</a><a href=missing>m</a><a "
                      "href=empty.html>e</a>",
        "a.html": "a page " * 1000,
        "same1.html": "the same",
        "same2.html": "the same",
        "empty.html": "",
    }

    def test_what_was_asked_and_got(self):
        nginx = self.start_nginx({"a.localhost": self.make_site(self.SITE)}, "gzip on; gzip_min_length 100;")
        result = self.crawl("--delay", "0", "--connections", "1", "--warc", "out", "--output", "pages.jsonl",
                            nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        records = warc_reader.read_all(self.path("out"))
        pages = self.records("pages.jsonl")
        self.assertEqual(by_type(records), {"warcinfo": 1, "response": 6, "revisit": 1, "request": 7, "metadata": 6})
        robots = of_url(records, nginx.url("a.localhost", "/robots.txt"), "metadata")[0]
        self.assertTrue(robots.block.startswith(b"hopsFromSeed: P\r\n"), robots.block)
        self.assertEqual({p["url"] for p in pages} | {nginx.url("a.localhost", "/robots.txt")},
                         {r.headers["WARC-Target-URI"] for r in records if r.headers["WARC-Type"] == "request"})
        long = of_url(records, nginx.url("a.localhost", "/a.html"))[0]
        self.assertIn(b"Content-Encoding: gzip", long.block)
        self.assertIn(b"Transfer-Encoding: chunked", long.block)
        self.assertLess(len(long.block), 1000)
        again = of_url(records, nginx.url("a.localhost", "/same2.html"), "revisit")[0]
        self.assertEqual(again.headers["WARC-Refers-To-Target-URI"], nginx.url("a.localhost", "/same1.html"))
        missing = of_url(records, nginx.url("a.localhost", "/missing"), "metadata")[0]
        self.assertIn(b"via: " + nginx.url("a.localhost", "/").encode() + b"\r\nhopsFromSeed: L\r\n", missing.block)
        self.assertEqual(glob.glob(self.path("*.open")), [])

    def test_the_archive_names_the_user_agent_that_was_sent(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "x"})})
        for name, header, named in (("own", "User-Agent: tea/1", [b"http-header-user-agent: tea/1"]),
                                    ("none", "User-Agent:", [])):
            self.assertEqual(self.crawl("--delay", "0", "--header", header, "--warc", name,
                                        nginx.url("a.localhost", "/")).status, 0)
            about = warc_reader.read_all(self.path(name))[0].block.splitlines()
            self.assertEqual([line for line in about if line.startswith(b"http-header-user-agent")], named)

    def test_texts_are_conversions_in_files_of_their_own(self):
        """Records and WET files have the same texts. A document that is not a page and an error page have none;
        truncation is marked."""
        long = ("<p>" + "some words of a long page " * 10) * 6000
        site = {"index.html": "<nav><a href=a.html>a</a> <a href=long.html>l</a> <a href=b.txt>t</a> <a "
                              "href=missing>m</a></nav><h1>Top</h1><p>An <b>ox</b> and more words than there are "
                              "links above.",
                "a.html": "<h1>\u00c4 page</h1><ul><li>one<li>two</ul>", "long.html": long, "b.txt": "no page"}
        nginx = self.start_nginx({"a.localhost": self.make_site(site)})
        url = nginx.url("a.localhost", "/")
        for form, kind, top in (("plain", "text/plain", "Top\n\nAn ox and more words than there are links above.\n"),
                                ("all-markdown", "text/markdown", None)):
            self.assertEqual(self.crawl("--delay", "0", "--text", form, "--warc", form, "--output", form + ".jsonl",
                                        url).status, 0)
            pages = {page["url"]: page for page in self.records(form + ".jsonl")}
            texts = warc_reader.read_texts(self.path(form), warc_reader.read_all(self.path(form)))
            self.assertEqual({r.headers["WARC-Target-URI"]: r.block.decode() for r in texts},
                             {u: page["text"] for u, page in pages.items() if "text" in page})
            self.assertEqual({r.headers["Content-Type"] for r in texts}, {kind})
            self.assertEqual(len(texts), 3)
            cut = [r for r in texts if "WARC-Truncated" in r.headers]
            self.assertEqual([r.headers["WARC-Target-URI"] for r in cut], [url + "long.html"])
            self.assertEqual([u for u, page in pages.items() if "text_cut" in page], [url + "long.html"])
            self.assertLessEqual(len(cut[0].block), 1 << 20)
            self.assertTrue(top is None or pages[url]["text"] == top, pages[url])
        self.assertIn("# Top\n\nAn **ox** and more words than there are links above.\n", pages[url]["text"])
        self.assertIn("[a](" + url + "a.html)", pages[url]["text"])
        self.assertEqual(glob.glob(self.path("*.open")), [])
        self.assertEqual([*map(os.path.basename, glob.glob(self.path("*.wet.cdxj")))], [])
        refused = self.crawl("--text", "plain", "--output", "x.csv", url)
        self.assertEqual((refused.status, refused.stderr.startswith("crawl: text: nothing receives the texts")),
                         (2, True), refused.stderr)

    def test_names_and_types_beyond_ascii(self):
        """In the index a name keeps its bytes; a media type that is not UTF-8 is Latin-1."""
        types = {"utf8": "text/h\u00e4\u20ac\U0001f577", "latin1": "text/\u00fc"}
        sent = {"utf8": types["utf8"], "latin1": "text/\udcfc"}  # the byte FC
        locations = "".join(f'location /{name} {{ default_type "{value}"; return 200 "{name}"; }} ' for name,
                            value in sent.items())
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "<a href=/utf8>u</a><a "
                                                                               "href=/latin1>l</a>"})}, locations)
        prefix = "\u00fcber \u65e5\u672c \U0001f577"
        result = self.crawl("--delay", "0", "--warc", prefix, nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        with open(glob.glob(self.path(glob.escape(prefix) + "-*.cdxj"))[0], encoding="ascii") as file:
            rows = [json.loads(line.split(" ", 2)[2]) for line in file]
        mimes = {row["url"].rsplit("/", 1)[1]: row["mime"] for row in rows}
        self.assertEqual({name: mimes[name] for name in types}, types)
        for row in rows:
            self.assertTrue(row["filename"].startswith(prefix + "-"), row)
            self.assertTrue(os.path.exists(self.path(row["filename"])), row)

    def test_files_are_finished_by_size(self):
        docs = harness.python_docs()
        if not docs:
            self.skipTest("python3-doc is not installed")
        nginx = self.start_nginx({"docs.localhost": docs})
        result = self.crawl("--delay", "0", "--warc", "out", "--set", "output.warc_size=1MiB", "--max-pages", "200",
                            "--output", "pages.jsonl",
                            nginx.url("docs.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        records = warc_reader.read_all(self.path("out"))
        files = sorted(glob.glob(self.path("out-*.warc.gz")))
        self.assertGreater(len(files), 2)
        for path in files[:-1]:
            last = [r for r in records if r.file == path][-1]
            self.assertGreaterEqual(os.path.getsize(path), 1 << 20)
            self.assertLess(last.offset - last.length, os.path.getsize(path))
        responses = [r for r in records if r.headers["WARC-Type"] in ("response", "revisit")]
        self.assertEqual(len(responses), len(self.records("pages.jsonl")) + 1)
        self.check_with_warcio(files, len(responses))

    @staticmethod
    def index_row(line):
        key, when, fields = line.split(" ", 2)
        fields = json.loads(fields)
        return (key, when, *(str(fields[name]) for name in ("url", "mime", "status", "digest", "offset", "length")))

    def check_with_warcio(self, files, count):
        """If npm's warcio is available, its index must have as many lines and lead to the same places."""
        warcio = os.environ.get("CRAWL_WARCIO") or shutil.which("warcio")
        if not warcio:
            print("skipped: no warcio (npm install -g warcio, or CRAWL_WARCIO)")
            return
        out = subprocess.run([warcio, "cdx-index", "--format", "cdxj", *files], capture_output=True, text=True,
                             check=True)
        self.assertEqual(out.stderr.strip(), "")
        ours = set()
        for path in files:
            with open(path.replace(".warc.gz", ".cdxj"), encoding="ascii") as file:
                ours |= {self.index_row(line) for line in file}
        theirs = {self.index_row(line) for line in out.stdout.splitlines()}
        self.assertEqual(len(ours), count)
        self.assertEqual(ours, theirs)

    def test_kill_leaves_whole_records(self):
        docs = harness.python_docs()
        if not docs:
            self.skipTest("python3-doc is not installed")
        nginx = self.start_nginx({"docs.localhost": docs})
        for pages in (3, 40, 120, 200, 300):
            process = self.start("--delay", "0", "--warc", "out%d" % pages, "--output", "pages%d.jsonl" % pages,
                                 nginx.url("docs.localhost", "/"))
            self.wait_for(lambda: len(nginx.requests()) > pages or process.poll() is not None)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            open_files = glob.glob(self.path("out%d-*.warc.gz.open" % pages))
            self.assertEqual(len(open_files), 1)
            records = warc_reader.read(open_files[0], whole=False)
            self.assertGreater(len(records), 1)
            kept = {r.headers["WARC-Target-URI"] for r in records if r.headers["WARC-Type"] in ("response", "revisit")}
            with open(self.path("pages%d.jsonl" % pages), "rb") as file:
                told = {json.loads(line)["url"] for line in file if line.endswith(b"\n")}
            self.assertGreater(len(kept), 1)
            self.assertEqual(told - kept, set(), "what has a record is in the archive")
            nginx.forget()

    def test_a_304_refers_to_an_answer_with_the_body(self):
        """The answer that it confirms is a revisit record of another page, written by the run before."""
        body = "<a href=b.html>b</a>"
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": body, "b.html": body})})
        url = nginx.url("a.localhost", "/")
        often = [word for name in ("interval", "min_interval", "max_interval")
                 for word in ("--set", f"revisit.{name}=100ms")]

        def confirmed(*seeds):
            result = self.crawl("--state", "st", "--delay", "0", "--warc", "out", "--revisit=due", *often,
                                "--max-pages", "40", *seeds)
            self.assertIn(result.status, (0, 3), result.stderr)
            return [r for r in of_url(warc_reader.read_all(self.path("out")), url + "b.html", "revisit")
                    if r.block.startswith(b"HTTP/1.1 304 ")]

        before = len(confirmed(url))
        harness.wait_for(lambda: len(confirmed()) > before)
        first, = of_url(warc_reader.read_all(self.path("out")), url)
        self.assertEqual({(r.headers["WARC-Refers-To-Target-URI"], r.headers["WARC-Refers-To-Date"])
                          for r in confirmed()}, {(url, first.headers["WARC-Date"])})
        names = sorted(os.path.basename(path) for path in glob.glob(self.path("out-*.warc.gz")))
        result = self.crawl("warc", "--wacz", "out.wacz", *names)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(self.crawl("warc", "--check", "out.wacz", *names), (0, "", ""))

    def test_a_folder_that_is_not_there(self):
        result = self.crawl("--warc", "nowhere/out", "http://127.0.0.1:1/")
        self.assertEqual(result.status, 4)
        self.assertRegex(result.stderr, r"^crawl: warc: nowhere/out-\d{14}-00000\.warc\.gz\.open: No such file or "
                                        r"directory")


class Wild(harness.TestCase):
    PATHS = ["/chunked", "/gzip", "/twicegzip", "/br", "/untilclose", "/http10", "/204body", "/early", "/nul", "/long",
             "/short", "/badchunk",
             "/chunkcut", "/huge", "/bomb", "/oddheaders", "/redirect/302?to=/page", "/status/404", "/truncgzip",
             "/cookie", "/raw/barelf", "/raw/nobody", "/raw/foldedfirst", "/bigheader", "/manyheaders"]

    def archive(self, urls, *options):
        self.write("seeds.txt", "".join(url + "\n" for url in urls))
        result = self.crawl("--delay", "0", "--retries", "0", "--depth", "0", "--set", "fetch.max_body=1MiB", "--warc",
                            "out", "--output", "pages.jsonl",
                            "--seeds", "seeds.txt", *options)
        self.assertEqual(result.status, 0, result.stderr)

    def test_answers_as_they_came(self):
        wild = self.start_wild()
        # Each has its own host: the remains of a broken response on its connection must not count as another's.
        urls = {path: wild.url("case%d.localhost" % n, path) for n, path in enumerate(self.PATHS)}
        self.archive(urls.values())
        records = warc_reader.read_all(self.path("out"))
        pages = {page["url"]: page for page in self.records("pages.jsonl")}
        for path in self.PATHS:
            self.assertEqual(len(of_url(records, urls[path]) + of_url(records, urls[path], "revisit")), 1, path)
        reasons = {path: of_url(records, urls[path])[0].headers.get("WARC-Truncated")
                   for path in ("/short", "/huge", "/bomb", "/chunked", "/gzip", "/badchunk")}
        self.assertEqual(reasons, {"/short": "disconnect", "/huge": "length", "/bomb": "length", "/chunked": None,
                                   "/gzip": None, "/badchunk": "unspecified"})
        for path in ("/chunked", "/http10", "/untilclose"):
            record = of_url(records, urls[path])[0]
            self.assertEqual(harness.digest(warc_reader.payload_of(record.block)), pages[urls[path]]["digest"])
        self.check_own()

    def check_own(self):
        """Checks that the archive has no faults, and that the index made of it is the one written with it."""
        name, = [os.path.basename(path) for path in glob.glob(self.path("out-*.warc.gz"))]
        self.assertEqual(self.crawl("warc", "--wacz", "out.wacz", name)[::2], (0, ""))
        self.assertEqual(self.crawl("warc", "--check", name, "out.wacz"), (0, "", ""))
        with zipfile.ZipFile(self.path("out.wacz")) as parcel:
            self.assertEqual(sorted(self.bytes_of(name.replace(".warc.gz", ".cdxj")).splitlines()),
                             parcel.read("indexes/index.cdxj").splitlines())

    def test_an_answer_that_comes_too_slowly(self):
        """This response is alone, so that the machine's load delays no other one."""
        wild = self.start_wild()
        url = wild.url("slow.localhost", "/drip?bytes=1000&ms=500")
        self.archive([url, wild.url("good.localhost", "/page")], "--no-robots", "--set", "fetch.timeout=4s")
        record, = of_url(warc_reader.read_all(self.path("out")), url)
        self.assertEqual(record.headers.get("WARC-Truncated"), "time")


if __name__ == "__main__":
    harness.main()
