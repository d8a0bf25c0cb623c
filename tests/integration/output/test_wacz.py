#!/usr/bin/env python3
"""Tests crawl warc --wacz: compares the ZIP, its manifest, its indexes and its lists of pages with the WARC files."""
import base64
import glob
import gzip
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import zipfile

import harness
import warc_maker


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def lines_of(data):
    return [json.loads(line) for line in data.decode().splitlines()]


class Parcel:
    """A WACZ whose files match the manifest."""

    def __init__(self, test, path):
        self.test, self.zip = test, zipfile.ZipFile(path)
        test.assertIsNone(self.zip.testzip())
        self.files = {name: self.zip.read(name) for name in self.zip.namelist()}
        self.manifest = json.loads(self.files["datapackage.json"])
        resources = {one["path"]: one for one in self.manifest["resources"]}
        test.assertEqual(set(resources) | {"datapackage.json", "datapackage-digest.json"}, set(self.files))
        for path, one in resources.items():
            name = re.sub("[^a-z0-9._]", "-", path.split("/")[1].lower())
            test.assertEqual((one["hash"], one["bytes"], one["name"]),
                             (sha256(self.files[path]), len(self.files[path]), name))
        self.expect_signature()

    def expect_signature(self):
        digest = json.loads(self.files["datapackage-digest.json"])
        signed = digest["signedData"]
        self.test.assertEqual((digest["hash"], signed["hash"], signed["created"]),
                              (sha256(self.files["datapackage.json"]),) * 2 + (self.manifest["created"],))
        halves = base64.b64decode(signed["signature"])
        numbers = [b"\0" + halves[:48], b"\0" + halves[48:]]  # DER: no leading zero except for the sign
        numbers = [n[1:] if n[1] < 0x80 else n for n in [b"\0" + n.lstrip(b"\0") for n in numbers]]
        body = b"".join(bytes((2, len(n))) + n for n in numbers)
        for name, data in (("key", base64.b64decode(signed["publicKey"])), ("text", digest["hash"].encode()),
                           ("signature", bytes((0x30, len(body))) + body)):
            with open(self.test.path(name), "wb") as file:
                file.write(data)
        done = subprocess.run(["openssl", "dgst", "-sha256", "-verify", "key", "-keyform", "DER", "-signature",
                               "signature", "text"], cwd=self.test.folder, capture_output=True, text=True, check=False)
        self.test.assertEqual(done.stdout, "Verified OK\n", done.stderr)

    def index(self):
        """Returns the lines of the index, each of which leads to its record. A compressed index is read in the blocks
        that its own index lists."""
        data = self.files.get("indexes/index.cdxj")
        if data is None:
            packed, blocks = self.files["indexes/index.cdx.gz"], self.files["indexes/index.idx"].decode().splitlines()
            self.test.assertEqual(blocks[0], '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}')
            data = b""
            for line in blocks[1:]:
                key, when, fields = line.split(" ", 2)
                fields = json.loads(fields)
                member = packed[fields["offset"]:fields["offset"] + fields["length"]]
                self.test.assertEqual(fields["digest"], sha256(member))
                self.test.assertTrue(gzip.decompress(member).startswith(f"{key} {when} ".encode()))
                data += gzip.decompress(member)
        rows = data.decode().splitlines()
        self.test.assertEqual(rows, sorted(rows))
        for row in rows:
            fields = json.loads(row.split(" ", 2)[2])
            begin = int(fields["offset"])
            content = gzip.decompress(self.files["archive/" + fields["filename"]][begin:begin + int(fields["length"])])
            self.test.assertIn(f"WARC-Target-URI: {fields['url']}\r\n".encode(), content)
        return rows

    def pages(self):
        """Returns the pages of both lists, whose first lines are headers."""
        found = []
        for name, title in (("pages", "All Pages"), ("extraPages", "Extra Pages")):
            head, *pages = lines_of(self.files[f"pages/{name}.jsonl"])
            self.test.assertEqual((head["format"], head["title"]), ("json-pages-1.0", title))
            found.append(pages)
        self.test.assertEqual(len({page["id"] for page in sum(found, [])}), len(sum(found, [])))
        return found


class Wacz(harness.TestCase):
    def pack(self, *warcs, status=0):
        result = self.crawl("warc", "--wacz", "out.wacz", *warcs)
        self.assertEqual(result.status, status, result.stderr)
        return result

    def make(self, name, records, level=6):
        warc_maker.write(self.path(name), records, level)
        return name

    def test_a_site(self):
        site = {"index.html": "<title>Home &amp; all</title><a href=a.html>a</a><a href=b.html>b</a><img src=i.png>",
                "a.html": "<meta charset=windows-1252><title>Caf\xe9</title>a<a href=deep.html>d</a>",
                "b.html": "<title>Home &amp; all</title>", "deep.html": "no title", "i.png": "an image"}
        nginx = self.start_nginx({"a.localhost": self.make_site(site)}, "gzip on; gzip_min_length 1;")
        url = nginx.url("a.localhost", "/")
        for _ in range(2):
            self.assertEqual(self.crawl("--delay", "0", "--requisites", "--warc", "site", url).status, 0)
        warcs = sorted(os.path.basename(path) for path in glob.glob(self.path("site-*.warc.gz")))
        os.rename(self.path(warcs[1]), self.path(warcs[1] + ".open"))
        said = self.pack(warcs[0], warcs[1] + ".open")
        self.assertRegex(said.stdout, r"^out.wacz: 2 files, 12 answers, 8 pages, \d+ bytes\n$")
        parcel = Parcel(self, self.path("out.wacz"))
        self.assertEqual([name for name in parcel.files if name.startswith("archive/")],
                         ["archive/" + name for name in warcs])
        self.assertTrue(all(one.compress_type == zipfile.ZIP_STORED and not one.extra
                            for one in parcel.zip.infolist()))
        self.assertEqual(len(parcel.index()), 12)
        seeds, others = parcel.pages()
        self.assertEqual([(page["url"], page["title"], page["seed"], page["depth"]) for page in seeds],
                         [(url, "Home & all", True, 0)] * 2)
        self.assertEqual({(page["url"], page.get("title"), page["depth"]) for page in others},
                         {(url + "a.html", "Caf\u00c3\u00a9", 1), (url + "b.html", "Home & all", 1),
                          (url + "deep.html", None, 2)})
        self.assertEqual((parcel.manifest["title"], parcel.manifest["profile"], parcel.manifest["wacz_version"]),
                         ("Home & all", "data-package", "1.1.1"))
        self.assertNotIn("mainPageUrl", parcel.manifest)  # it has two seeds
        self.pack(warcs[0])
        self.assertEqual(Parcel(self, self.path("out.wacz")).manifest["mainPageUrl"], url)

    def test_only_pages_are_listed(self):
        """The server answers every URL with its page: robots.txt, guessed sitemaps and feeds, llms.txt."""
        page = "<title>Home</title><a href=/a>a</a>"
        nginx = self.start_nginx({"a.localhost": self.make_site({})},
                                 f"location / {{ default_type text/html; return 200 '{page}'; }}")
        url = nginx.url("a.localhost", "/")
        result = self.crawl("--delay", "0", "--warc", "site", "--wacz", "out.wacz", "--sitemaps", "--find-feeds",
                            "--llms-txt", "--soft-404", "--respect", "train", url)
        self.assertEqual(result.status, 0, result.stderr)
        parcel = Parcel(self, self.path("out.wacz"))
        self.assertGreater(len(parcel.index()), 5)
        self.assertEqual([[page["url"] for page in pages] for pages in parcel.pages()], [[url], [url + "a"]])
        self.assertEqual((parcel.manifest["title"], parcel.manifest["mainPageUrl"]), ("Home", url))
        self.assertEqual(self.crawl("warc", "--check", "out.wacz"), (0, "", ""))

    def test_frames_from_other_sites_are_no_pages(self):
        for name, text in (("a/index.html", ""), ("b/f.html", "<iframe src=f2.html></iframe>"), ("b/f2.html", "x")):
            self.write(name, text)
        nginx = self.start_nginx({"a.localhost": self.path("a"), "b.localhost": self.path("b")})
        url, frame = nginx.url("a.localhost", "/"), nginx.url("b.localhost", "/f.html")
        self.write("a/index.html", f"<title>Home</title><iframe src={frame}></iframe><a href=a.html>a</a>")
        self.write("a/a.html", f"<iframe src={frame}?a></iframe>")
        self.assertEqual(self.crawl("--delay", "0", "--requisites", "--scope", "host", "--allow-private", "--warc",
                                    "site", "--wacz", "out.wacz", url).status, 0)
        parcel = Parcel(self, self.path("out.wacz"))
        self.assertEqual([[page["url"] for page in pages] for pages in parcel.pages()], [[url], [url + "a.html"]])
        self.assertEqual(parcel.manifest["mainPageUrl"], url)
        self.assertEqual(len(parcel.index()), 7)

    def test_post_and_head_are_told_from_get(self):
        """All answers have the same body: readers look for that of a revisit by GET."""
        nginx = self.start_nginx({"a.localhost": self.make_site({})},
                                 "location / { default_type text/html; return 200 '<title>Found</title>'; }")
        url = nginx.url("a.localhost", "/f?a=1")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        seeds = [{"url": url, "method": "POST", "body": "q=Tea+x&b=2", "headers": form, "priority": 9},
                 {"url": url, "method": "POST", "body": "{}", "priority": 8},
                 {"url": url, "method": "HEAD", "priority": 7}, {"url": url}, {"url": url + "0"}]
        self.write("seeds.jsonl", "".join(json.dumps(seed) + "\n" for seed in seeds))
        options = ("--delay", "0", "--connections", "1", "--no-robots", "--seeds", "seeds.jsonl")
        self.assertEqual(self.crawl(*options, "--warc", "site", "--wacz", "out.wacz").status, 0)
        parcel = Parcel(self, self.path("out.wacz"))
        path, = glob.glob(self.path("site-*.cdxj"))
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read().splitlines(), parcel.index())
        rows = [row.split(" ", 2) for row in parcel.index()]
        found = [(key, fields.get("method"), fields.get("requestBody"), fields["mime"])
                 for key, fields in ((key.partition("/")[2], json.loads(fields)) for key, _, fields in rows)]
        self.assertEqual(found, [("f?__wb_method=post&a=1", "POST", None, "text/html"),
                                 ("f?__wb_method=post&a=1&b=2&q=tea+x", "POST", "q=Tea+x&b=2", "text/html"),
                                 ("f?a=1", None, None, "text/html"), ("f?a=10", None, None, "warc/revisit")])
        self.assertEqual([page["url"] for page in parcel.pages()[0]], [url, url + "0"])
        self.assertEqual(self.crawl("warc", "--check", "out.wacz", *glob.glob(self.path("site-*"))), (0, "", ""))
        os.rename(path.replace(".cdxj", ".warc.gz"), path.replace(".cdxj", ".warc.gz.open"))
        with open(path, encoding="ascii") as file:
            before = file.read()
        os.remove(path)
        self.assertEqual(self.crawl("warc", "--finish", path.replace(".cdxj", ".warc.gz.open")).status, 0)
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(self.crawl(*options, "--warc", "next", "--dedupe-against", path).status, 0)
        path, = glob.glob(self.path("next-*.warc.gz"))
        with gzip.open(path) as file:
            self.assertEqual(file.read().count(b"WARC-Type: revisit"), 4)

    def test_at_the_end_of_a_crawl(self):
        site = {"index.html": "".join(f"<a href={n}.html>x</a>" for n in range(9))}
        site |= {f"{n}.html": f"<title>{n}</title>" for n in range(9)}
        url = self.start_nginx({"a.localhost": self.make_site(site)}).url("a.localhost", "/")
        for options, why in ((("--wacz", "out.wacz"), "--warc PREFIX"),
                             (("--warc", "a", "--wacz", "site/0.html"), "already exists")):
            refused = self.crawl(*options, url)
            self.assertEqual((refused.status, why in refused.stderr, glob.glob(self.path("*.warc.gz*"))),
                             (2, True, []), refused.stderr)
        options = ("--state", "kept", "--delay", "0", "--warc", "a[*]{b}", "--wacz", "out.wacz")
        first = self.crawl(*options, "--max-pages", "3", url)
        self.assertRegex(first.stderr, r"\n  wacz      out.wacz: 1 files, 4 answers, 3 pages, \d+ bytes\n")
        path, = glob.glob(self.path(glob.escape("a[*]{b}") + "-*.warc.gz"))
        os.rename(path, path + ".open")  # as a kill leaves it
        self.make("a[*]{b}-x.warc.gz", [])
        second = self.crawl("--state", "kept")
        self.assertRegex(second.stderr, r"wacz      \S*out.wacz: 2 files, 1[12] answers, 10 pages")
        self.assertEqual({page["url"] for page in sum(Parcel(self, self.path("out.wacz")).pages(), [])},
                         {url} | {url + f"{n}.html" for n in range(9)})

    def test_a_large_index_is_packed_in_blocks(self):
        names = [self.make(f"{host}.warc.gz", warc_maker.pages(f"{host}.example", 300)) for host in "bac"]
        self.pack(*names)
        rows = Parcel(self, self.path("out.wacz")).index()
        self.assertEqual(len(rows), 900)
        self.assertTrue(rows[0].startswith("example,a)/0 "), rows[0])
        with zipfile.ZipFile(self.path("out.wacz")) as parcel:
            self.assertEqual(len(parcel.read("indexes/index.idx").splitlines()), 1 + 4)  # 256 lines each

    def test_an_open_file_without_a_record_is_left_out(self):
        """A kill before the first record, or a full disk, leaves one."""
        self.write("none.warc.gz.open", "")
        said = self.pack("none.warc.gz.open", self.make("whole.warc.gz", warc_maker.pages("a.example", 3)))
        self.assertIn("none.warc.gz.open: contains no whole record, and is left out\n", said.stderr)
        self.assertIn("out.wacz: 1 files, 3 answers", said.stdout)
        self.assertTrue(os.path.exists(self.path("none.warc.gz.open")))
        self.assertIn("there is no page to pack", self.pack("none.warc.gz.open", status=1).stderr)

    def test_a_content_coding_that_nobody_knows(self):
        records = [warc_maker.response(f"https://a.example/{n}", "2026-11-21T10:00:00Z", b"<title>A</title>",
                                       f"text/html\r\nContent-Encoding: {coding}")
                   for n, coding in enumerate(("utf-8", "gzip, binary"))]
        self.pack(self.make("a.warc.gz", records))
        self.assertEqual([page["title"] for page in sum(Parcel(self, self.path("out.wacz")).pages(), [])], ["A"] * 2)

    def test_incomplete_answers_are_no_pages(self):
        """Each failed attempt has its record."""
        records = [warc_maker.response("https://a.example/", f"2026-11-21T10:00:0{n}Z", b"<title>A</title>")
                   for n in range(3)]
        for n in (0, 1):
            records[n] = records[n].replace(b"WARC-Date", b"WARC-Truncated: disconnect\r\nWARC-Date", 1)
        self.pack(self.make("a.warc.gz", records))
        parcel = Parcel(self, self.path("out.wacz"))
        self.assertEqual([page["ts"] for page in sum(parcel.pages(), [])], ["2026-11-21T10:00:02Z"])
        self.assertEqual(len(parcel.index()), 3)

    def test_warc_1_0_has_uris_in_angle_brackets(self):
        """wget writes them so."""
        page = warc_maker.response("<https://a.example/>", "2026-11-21T10:00:00Z", b"<title>A</title>")
        self.make("old.warc.gz", [page.replace(b"WARC/1.1", b"WARC/1.0")])
        self.pack("old.warc.gz")
        parcel = Parcel(self, self.path("out.wacz"))
        self.assertEqual([page["url"] for page in parcel.pages()[0]], ["https://a.example/"])
        with zipfile.ZipFile(self.path("out.wacz")) as out:
            self.assertIn(b'example,a)/ 20261121100000 {"url": "https://a.example/"', out.read("indexes/index.cdxj"))
        self.assertEqual(self.crawl("warc", "--check", "old.warc.gz", "out.wacz"), (0, "", ""))

    def test_http_lines_may_end_in_lf(self):
        body = b"<title>Old</title>"
        self.make("old.warc.gz", [warc_maker.record("response", {
            "WARC-Date": "2026-11-21T10:00:00Z", "WARC-Target-URI": "https://a.example/",
            "WARC-Payload-Digest": warc_maker.sha1(body), "Content-Type": "application/http;msgtype=response"},
            b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n" + body)])
        self.pack("old.warc.gz")
        parcel = Parcel(self, self.path("out.wacz"))
        self.assertEqual([page["title"] for page in parcel.pages()[0]], ["Old"])
        self.assertIn('"mime": "text/html", "status": "200"', parcel.index()[0])
        self.assertEqual(self.crawl("warc", "--check", "old.warc.gz", "out.wacz"), (0, "", ""))

    def test_what_is_not_packed(self):
        whole = self.make("whole.warc.gz", warc_maker.pages("a.example", 3))
        os.makedirs(self.path("sub"))
        self.make("sub/Whole.warc.gz", warc_maker.pages("a.example", 3))
        self.make("picture.warc", [warc_maker.response("https://a.example/", "2026-11-21T10:00:00Z", b"x",
                                                       "image/png")])
        self.make("plain.warc", warc_maker.pages("b.example", 1))
        os.rename(self.path("plain.warc"), self.path("plain.warc.gz"))
        data = self.bytes_of(whole)
        with open(self.path("damaged.warc.gz"), "wb") as file:
            file.write(data[:-20])
        self.pack(whole)
        before = self.bytes_of("out.wacz")
        for name in "a b.warc", "a-b.warc":
            self.make(name, warc_maker.pages("b.example", 1))
        for names, status, why in (((whole, "sub/Whole.warc.gz"), 2, "cannot have the same name"),
                                   (("a b.warc", "a-b.warc"), 2, "cannot have the same name"),
                                   (("picture.warc",), 1, "there is no page to pack"),
                                   (("plain.warc.gz",), 2, "must end in .gz"),
                                   (("texts.warc.wet.gz",), 2, "ends in .warc.gz"),
                                   (("none.warc.gz",), 4, "none.warc.gz: No such file"),
                                   ((whole, "damaged.warc.gz"), 1, "damaged.warc.gz: byte ")):
            self.assertIn(why, self.pack(*names, status=status).stderr)
            self.assertEqual(self.bytes_of("out.wacz"), before)
            self.assertFalse(os.path.exists(self.path("out.wacz.new")))
        self.assertEqual(self.crawl("warc", "--wacz", "out.wacz").status, 2)
        self.assertEqual(self.crawl("warc", "--wacz", "out.wacz", "--finish", whole).status, 2)

    def test_a_file_that_is_no_parcel_is_not_replaced(self):
        """As in --wacz *.warc.gz."""
        first, second = (self.make(name, warc_maker.pages("a.example", 1)) for name in ("1.warc.gz", "2.warc.gz"))
        os.rename(self.path(second), self.path(second + ".open"))
        before = self.bytes_of(first)
        for names in ((first, second + ".open"), (first, first)):
            result = self.crawl("warc", "--wacz", *names)
            self.assertEqual((result.status, result.stderr), (2, f"crawl warc: wacz: {first} already exists and is not "
                                                                 "a file of this kind: move it away\n"))
            self.assertEqual(self.bytes_of(first), before)
        self.assertTrue(os.path.exists(self.path("2.warc.gz.open")))
        self.write("out.wacz", "")
        for _ in range(2):
            self.pack(first)

    def test_revisits_without_their_answer_are_told(self):
        first, = warc_maker.pages("a.example", 1)
        again = warc_maker.record("revisit", {
            "WARC-Date": "2026-11-22T10:00:00Z", "WARC-Target-URI": "https://a.example/again",
            "WARC-Refers-To-Target-URI": "https://a.example/0", "WARC-Refers-To-Date": "2026-11-21T10:00:00Z",
            "Content-Type": "application/http;msgtype=response"}, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        self.make("first.warc.gz", [first])
        self.make("again.warc.gz", [again])
        self.assertIn("1 answers refer to others", self.pack("again.warc.gz").stderr)
        self.assertEqual(self.pack("again.warc.gz", "first.warc.gz").stderr, "")

    def is_being_packed(self):
        """Returns True once something was written to the new file, which is locked by then."""
        try:
            return os.path.getsize(self.path("out.wacz.new")) > 0
        except FileNotFoundError:
            return False

    def stopped_while_packing(self, warc):
        for _ in range(20):
            process = self.start("warc", "--wacz", "out.wacz", warc)
            self.wait_for(lambda: self.is_being_packed() or process.poll() is not None)
            if harness.stop_process(process) and self.is_being_packed():
                return process
            process.send_signal(signal.SIGCONT)
            process.communicate()
        raise AssertionError("it is never met while it packs")

    def test_a_kill_while_packing(self):
        """A kill leaves the WARC files and the older WACZ intact, and the next run makes the WACZ."""
        noise = random.Random(3).randbytes(64 << 20)
        large = self.make("large.warc.gz", [*warc_maker.pages("a.example", 2), warc_maker.response(
            "https://a.example/noise", "2026-11-21T11:00:00Z", noise, "image/png")], 0)
        self.pack(self.make("small.warc.gz", warc_maker.pages("b.example", 1)))
        before = sha256(self.bytes_of(large))
        process = self.stopped_while_packing(large)
        other = self.crawl("warc", "--wacz", "out.wacz", "small.warc.gz")
        self.assertEqual((other.status, "another process" in other.stderr), (1, True))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(sha256(self.bytes_of(large)), before)
        Parcel(self, self.path("out.wacz"))
        self.assertTrue(os.path.exists(self.path("out.wacz.new")))
        self.pack(large)
        self.assertFalse(os.path.exists(self.path("out.wacz.new")))
        self.assertEqual(len(Parcel(self, self.path("out.wacz")).index()), 3)


if __name__ == "__main__":
    harness.main()
