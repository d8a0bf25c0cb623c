#!/usr/bin/env python3
"""Tests that crawl warc --check reports nothing about intact files, and each of more than a hundred generated faults at
its place."""
import collections
import gzip
import hashlib
import io
import json
import re
import struct
import warnings
import zipfile

import harness
import warc_maker

URL = "https://a.example/"
DATE = "2026-11-21T10:00:00Z"


def about(**fields):
    return {"WARC-Date": DATE, "WARC-Target-URI": URL + "x",
            **{name.replace("_", "-"): text for name, text in fields.items()}}


def records():
    """Makes one record of each kind. The last two refer to the first response."""
    http = {"Content-Type": "application/http;msgtype=response"}
    return [
        warc_maker.record("warcinfo", {"WARC-Date": DATE, "Content-Type": "application/warc-fields"}, b"a: b\r\n"),
        warc_maker.response(URL, DATE, b"<title>A</title>home"),
        warc_maker.record("request", about(Content_Type="application/http;msgtype=request"), b"GET / HTTP/1.1\r\n\r\n"),
        warc_maker.record("resource", about(Content_Type="text/plain"), b"a resource"),
        warc_maker.record("conversion", about(Content_Type="text/plain"), b"a conversion"),
        warc_maker.response(URL + "z", "2026-11-21T10:00:01.250Z", b"<p>z"),
        warc_maker.record("revisit", {
            "WARC-Date": "2026-11-21T10:00:02Z", "WARC-Target-URI": URL + "again", **http,
            "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            "WARC-Refers-To-Target-URI": URL, "WARC-Refers-To-Date": DATE}, b"HTTP/1.1 200 OK\r\n\r\n"),
    ]


def flipped(data, at):
    return data[:at] + bytes((data[at] ^ 0x55,)) + data[at + 1:]


def without(record, field):
    return re.sub(rb"\r\n" + field.encode() + rb": [^\r]*", b"", record, count=1)


def replaced(data, old, new):
    assert old in data, (old, data[:400])
    return data.replace(old, new, 1)


def change(lines, number, **members):
    """Returns the index with other members in that line; None: without the line."""
    key, when, text = lines[number].split(" ", 2)
    fields = {name: value for name, value in {**json.loads(text), **members}.items() if value is not None}
    return lines[:number] + [f"{key} {when} {json.dumps(fields)}"] + lines[number + 1:]


def zipped(files, deflated=()):
    """files: names and contents in their order; a name may occur twice."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as parcel, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in files:
            how = zipfile.ZIP_DEFLATED if name in deflated else zipfile.ZIP_STORED
            parcel.writestr(zipfile.ZipInfo(name), data, how)
    return out.getvalue()


class Check(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.made = {}  # file name -> place and message

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def expect(self, data, what, ending="warc", place=None):
        """Stores a file with a fault, to be checked with all others. place: "byte 12" and the like."""
        name = f"fault{len(self.made)}.{ending}"
        self.put(name, data)
        self.made[name] = f".*: {place}: .*" if place else ".*", what
        return name

    def check(self, *names):
        result = self.crawl("warc", "--check", *names)
        self.assertEqual(result.stderr, "")
        return result

    def check_all(self, least):
        said = collections.defaultdict(list)
        result = self.check(*self.made)
        for line in result.stdout.splitlines():
            said[re.match(r"(\w+)\.", line)[1]].append(line)
        for name, (place, what) in self.made.items():
            lines = said[name.split(".")[0]]
            self.assertTrue([line for line in lines if re.match(re.escape(name.split(".")[0]) + "[^:]*" + place, line)
                             and what in line], (name, place, what, lines))
        self.assertEqual(result.status, 1)
        self.assertGreaterEqual(len(self.made), least)

    # ---- WARC ----

    def test_faults_of_records(self):
        whole = records()
        offsets = [sum(map(len, whole[:n])) for n in range(len(whole) + 1)]
        self.put("whole.warc", b"".join(whole))
        self.put("whole.warc.gz", b"".join(map(gzip.compress, whole)))
        self.assertEqual(self.check("whole.warc", "whole.warc.gz"), (0, "", ""))

        def with_record(number, record, what, place=None):
            self.expect(b"".join(whole[:number] + [record] + whole[number + 1:]), what, "warc",
                        f"byte {offsets[number]}" if place is None else place)

        for number, record in enumerate(whole):
            needed = ["WARC-Record-ID", "WARC-Type", "WARC-Date"] + (["WARC-Target-URI"] if number else [])
            for field in needed + (["WARC-Profile"] if number == 6 else []):
                with_record(number, without(record, field), f"a record without {field}")
            with_record(number, without(record, "Content-Length"), "without Content-Length")
            with_record(number, replaced(record, b"WARC/1.1", b"WARC/2.0"), "no WARC/1.0 or WARC/1.1 record")
            with_record(number, flipped(record, len(record) - 6), "WARC-Block-Digest does not match the block")
            size = re.search(rb"Content-Length: (\d+)\r\n\r\n", record)
            with_record(number, replaced(record, size[0], b"Content-Length: %d\r\n\r\n" % (int(size[1]) - 1)),
                        "Content-Length is not the length")
        for number in (1, 5):
            with_record(number, replaced(whole[number], b"HTTP/1.1", b"PTTH/1.1"), "not an HTTP response")
        with_record(5, re.sub(rb"(Payload-Digest: sha1:).{4}", rb"\1AAAA", whole[5]), "WARC-Payload-Digest does not")
        with_record(3, re.sub(rb"<(urn:[^>]*)>", rb"\1", whole[3]), "not a URI in angle brackets")
        with_record(4, whole[3], "a second record with this WARC-Record-ID")
        for date in (b"2026-11-21", b"2026-13-21T10:00:00Z", b"2026-11-21T10:00:00", b"yesterday",
                     b"2026-11-21T10:00:00+01:00"):
            with_record(2, replaced(whole[2], DATE.encode(), date), "WARC-Date is not a W3C-DTF date")
        with_record(6, without(without(whole[6], "WARC-Refers-To-Target-URI"), "WARC-Refers-To-Date"),
                    "refers to nothing")
        with_record(2, b"no record " + whole[2], "no WARC/1.0", f"byte {offsets[2]}")
        for size in (30, len(whole[6]) - 30):  # within its header, within its block
            self.expect(b"".join(whole[:6]) + whole[6][:size], "the file ends within a record", "warc",
                        f"byte {offsets[6]}")
        self.expect(b'{"url": "https://a.example/"}\n', "not a WARC file", "jsonl", "")
        self.check_all(50)

    def test_faults_of_files(self):
        members = [gzip.compress(record) for record in records()]
        offsets = [sum(map(len, members[:n])) for n in range(len(members) + 1)]
        data = b"".join(members)
        for number, member in enumerate(members):
            place = f"byte {offsets[number]}"
            self.expect(flipped(data, offsets[number] + len(member) // 2), "", "warc.gz", place)
            self.expect(data[:offsets[number + 1] - 9], "the file ends within a record", "warc.gz", place)
            self.expect(flipped(data, offsets[number + 1] - 6), "damaged", "warc.gz", place)
        self.expect(data[:offsets[3]] + b"noise" + data[offsets[3]:], "not a gzip member", "warc.gz",
                    f"byte {offsets[3]}")
        self.expect(b"".join(records()), "must end in .gz", "warc.gz")
        self.expect(data, "must end in .gz", "warc")
        self.expect(b"", "no whole record")
        self.check_all(25)

    def test_an_index_beside_a_warc(self):
        data = b"".join(records())
        self.put("whole.warc.open", data)
        rows = self.index_of(data, "whole.warc")
        self.put("whole.warc", data)
        resource = rows[0].replace(URL, URL + "x").replace(")/ ", ")/x ")  # other programs have lines for resources too
        offset, size = (sum(map(len, records()[:n])) for n in (3, 4))
        others = sorted(rows + change([resource], 0, offset=offset, length=size - offset, digest="-"))
        self.put("whole.cdxj", "".join(line + "\n" for line in others).encode())
        self.assertEqual(self.check("whole.warc"), (0, "", ""))
        self.assertEqual(self.check("whole.cdxj", "whole.warc"), (0, "", ""))
        self.assertEqual(self.check("whole.cdxj"),
                         (1, "whole.cdxj: an index is checked with its WARC: name that\n", ""))
        for what, lines in self.faults_of_an_index(rows):
            name = self.expect(data, what)
            self.put(name.replace(".warc", ".cdxj"),
                     lines.replace("whole.warc", name).encode() if what.startswith("the last") else
                     "".join(line.replace("whole.warc", name) + "\n" for line in lines).encode())
        self.check_all(20)
        self.assertIn("fault0.cdxj: line 1: ", self.check("fault0.warc").stdout)

    def test_a_head_excuses_its_own_answer_alone(self):
        """The answer to HEAD needs no line. In other programs' files its request may come first."""
        head = warc_maker.record("request", about(Content_Type="application/http;msgtype=request",
                                                  WARC_Concurrent_To="<urn:uuid:0>"), b"HEAD /z HTTP/1.1\r\n\r\n")
        data = warc_maker.response(URL, DATE, b"home") + head + warc_maker.response(URL + "z", DATE, b"z")
        rows = self.index_of(data, "heads.warc")
        self.assertEqual(len(rows), 2)
        for n in range(2):
            self.put("heads.cdxj", (rows[n] + "\n").encode())
            self.assertEqual(self.check("heads.cdxj", "heads.warc").status, 1)

    def index_of(self, data, name):
        """Makes sorted lines, as the packer does."""
        self.put(name, data)
        self.assertEqual(self.crawl("warc", "--wacz", "made.wacz", name).status, 0)
        with zipfile.ZipFile(self.path("made.wacz")) as parcel:
            return parcel.read("indexes/index.cdxj").decode().splitlines()

    def faults_of_an_index(self, rows):
        for field in ("url", "digest", "status", "filename"):
            yield "url, digest, status or filename is missing", change(rows, 0, **{field: None})
        for field in ("offset", "length"):
            yield "offset or length is not a number", change(rows, 0, **{field: None})
            yield "offset or length is not a number", change(rows, 0, **{field: "1x"})
        yield "no record begins at byte 3 of", change(rows, 0, offset=3)
        yield "length does not match the record", change(rows, 0, length=3)
        yield "url does not match the record", change(rows, 0, url=URL + "other")
        yield "status does not match the record", change(rows, 0, status=404)
        yield "digest does not match the record", change(rows, 0, digest="sha1:" + "A" * 32)
        yield "time does not match the record", [rows[0].replace(" 20261121100000", " 20261121100009"), *rows[1:]]
        yield "it names a file that does not exist", change(rows, 0, filename="other.warc.gz")
        yield "key does not match the record", [replaced(rows[0], "example,a", "example,b"), *rows[1:]]
        yield "it comes after a greater line", [rows[1], rows[0], *rows[2:]]
        yield "a second line for one record", [rows[0], *rows]
        yield "an answer that the index does not have", rows[1:]
        yield "does not have 14 or 17 digits", [rows[0].replace(" 20261121100000", " 2026112110000"), *rows[1:]]
        yield "not a line of an index", [rows[0][:-1], *rows[1:]]
        yield "not a line of an index", ["", *rows]
        yield "the last line has no newline", "\n".join(rows)

    # ---- WACZ ----

    def pack(self, warc=None, count=0):
        """Returns the files of a WACZ in their order."""
        pages = warc_maker.pages("many.example", count)
        warc_maker.write(self.path("whole.warc.gz"), warc or records() + pages)
        self.assertEqual(self.crawl("warc", "--wacz", "whole.wacz", "whole.warc.gz").status, 0)
        self.assertEqual(self.check("whole.wacz"), (0, "", ""))
        with zipfile.ZipFile(self.path("whole.wacz")) as parcel:
            return {name: parcel.read(name) for name in parcel.namelist()}

    @staticmethod
    def sealed(files, manifest=None):
        """Adds an unsigned manifest that matches the files."""
        manifest = manifest or json.loads(files["datapackage.json"])
        for one in manifest["resources"]:
            data = files.get(one["path"], b"")
            one |= {"hash": "sha256:" + hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        return Check.with_manifest(files, manifest)

    @staticmethod
    def with_manifest(files, manifest):
        text = json.dumps(manifest).encode()
        digest = {"path": "datapackage.json", "hash": "sha256:" + hashlib.sha256(text).hexdigest()}
        return {**files, "datapackage.json": text, "datapackage-digest.json": json.dumps(digest).encode()}

    def expect_wacz(self, files, what, place=None, deflated=()):
        self.expect(zipped(files.items() if isinstance(files, dict) else files, deflated), what, "wacz", place)

    def test_faults_of_a_manifest(self):
        files = self.pack()
        manifest = json.loads(files["datapackage.json"])
        for number, one in enumerate(manifest["resources"]):
            def other(number=number, **members):
                resources = list(manifest["resources"])
                resources[number] = resources[number] | members
                return self.with_manifest(files, {**manifest, "resources": resources})
            self.expect_wacz(other(hash="sha256:" + "0" * 64), "hash is not the SHA-256 of " + one["path"])
            self.expect_wacz(other(bytes=1), "bytes is not the size of " + one["path"])
            self.expect_wacz(other(path="x" + one["path"]), "a resource is not in the ZIP: x" + one["path"])
            self.expect_wacz(other(name="Capital"), "the name of a resource has other characters")
        self.expect_wacz(self.with_manifest(files, {**manifest, "resources": manifest["resources"][:-1]}),
                         "is not among the resources: pages/extraPages.jsonl")
        self.expect_wacz(self.with_manifest(files, {**manifest, "resources": []}), "there are no resources")
        self.expect_wacz(self.with_manifest(files, {**manifest, "resources": manifest["resources"] * 2}), "one name")
        self.expect_wacz(self.with_manifest(files, {**manifest, "profile": "wacz"}), "profile is not")
        self.expect_wacz(self.with_manifest(files, {**manifest, "wacz_version": "2"}), "wacz_version is not")
        self.expect_wacz({**files, "datapackage.json": b"[]"}, "not a JSON object")
        for name in ("datapackage.json", "datapackage-digest.json", "pages/pages.jsonl"):
            self.expect_wacz({path: data for path, data in files.items() if path != name}, f"{name} is missing")
        digest = json.loads(files["datapackage-digest.json"])
        signed = digest["signedData"]
        for members, what in (({"hash": "sha256:0"}, "hash is not the SHA-256 of"), ({"path": "x"}, "path is not"),
                              ({"signedData": {**signed, "hash": "sha256:0"}}, "the hash of signedData"),
                              ({"signedData": {**signed, "created": DATE}}, "time of creation of signedData"),
                              ({"signedData": {**signed, "signature": "A" * 128}}, "signature does not match"),
                              ({"signedData": {**signed, "signature": "AA"}}, "signature does not match"),
                              ({"signedData": {**signed, "publicKey": "A" * 160}}, "signature does not match")):
            self.expect_wacz({**files, "datapackage-digest.json": json.dumps({**digest, **members}).encode()}, what)
        self.check_all(30)

    def test_faults_of_pages_and_indexes(self):
        files = self.pack()
        pages = "pages/pages.jsonl"
        head, *lines = files[pages].splitlines(keepends=True)
        page = json.loads(lines[0])

        def with_pages(*texts):
            return self.sealed({**files, pages: b"".join(texts)})

        self.expect_wacz(with_pages(*lines), "the first line is not a header", "line 1")
        self.expect_wacz(with_pages(), "it is empty")
        self.expect_wacz(with_pages(head, lines[0], lines[0]), "a second page with this id", "line 3")
        self.expect_wacz(with_pages(head, b"{\n"), "not a JSON object", "line 2")
        for members, what in (({"url": None}, "without url or ts"), ({"ts": None}, "without url or ts"),
                              ({"ts": "2026"}, "not an RFC 3339 date"), ({"url": URL + "q"}, "not in the index")):
            self.expect_wacz(with_pages(head, json.dumps({**page, **members}).encode() + b"\n"), what, "line 2")
        rows = files["indexes/index.cdxj"].decode().splitlines()
        for what, texts in self.faults_of_an_index(rows):
            text = texts if isinstance(texts, str) else "".join(line + "\n" for line in texts)
            self.expect_wacz(self.sealed({**files, "indexes/index.cdxj": text.encode()}), what)
        self.expect_wacz({name: data for name, data in files.items() if not name.startswith("indexes/")},
                         "there is no index.cdxj")
        self.expect_wacz({name: data for name, data in files.items() if not name.startswith("archive/")},
                         "there is no WARC file")
        self.expect_wacz({**files, "archive/readme.txt": b"x"}, "archive/ may contain only WARC files")
        alone = [records()[0], *records()[5:]]
        warc_maker.write(self.path("alone.warc.gz"), alone)
        self.assertEqual(self.crawl("warc", "--wacz", "fault_alone.wacz", "alone.warc.gz").status, 0)
        self.made["fault_alone.wacz"] = (".*: line 1: .*", "the answer that its record refers to is not in the WACZ")
        self.check_all(30)

    def test_faults_of_blocks(self):
        files = self.pack(count=400)
        meta, *rows = files["indexes/index.idx"].decode().splitlines(keepends=True)
        self.assertEqual(len(rows), 2)

        def with_rows(*texts):
            return self.sealed({**files, "indexes/index.idx": "".join(texts).encode()})

        first = json.loads(rows[0].split(" ", 2)[2])
        second = gzip.decompress(files["indexes/index.cdx.gz"][:first["length"]]).decode().splitlines()[1]
        self.expect_wacz(with_rows(*rows), "the first line is not !meta", "line 1")
        self.expect_wacz(with_rows(meta, " ".join(second.split(" ")[:2]) + " " + rows[0].split(" ", 2)[2], rows[1]),
                         "the key is not that of the first line", "line 2")
        for members in ({"offset": 1}, {"length": 1 << 40}, {"length": 0}):
            self.expect_wacz(with_rows(meta, change(rows, 0, **members)[0], "\n", rows[1]),
                             "the block does not begin", "line 2")
        self.expect_wacz(with_rows(meta, change(rows, 0, digest="sha256:0")[0], "\n", rows[1]), "not the SHA-256",
                         "line 2")
        self.expect_wacz(with_rows(meta, rows[0]), "has more than the blocks")
        self.expect_wacz(with_rows(meta, "x y z\n", *rows), "not a line of an index of blocks", "line 2")
        data = files["indexes/index.cdx.gz"]
        self.expect_wacz(self.sealed({**files, "indexes/index.cdx.gz": flipped(data, 40)}), "", "line 2")
        self.expect_wacz(files, "deflated in the ZIP", None, ("indexes/index.cdx.gz",))
        self.check_all(10)

    def test_faults_of_a_zip(self):
        files = self.pack()
        data = zipped([("note", b"\x99\x99\0\0note"), *files.items()])  # as the header field begins
        end = data.rindex(b"PK\5\6")
        directory = struct.unpack_from("<I", data, end + 16)[0]
        second = data.index(b"PK\1\2", directory + 4)
        local = struct.unpack_from("<I", data, second + 42)[0]

        def patched(place, form, value):
            out = bytearray(data)
            struct.pack_into(form, out, place, value)
            return bytes(out)

        name = next(iter(files))
        self.expect_wacz(files, "deflated in the ZIP", "byte 0", (name,))
        self.expect_wacz([*files.items(), (name, files[name])], "a second entry of this name")
        self.expect_wacz({**files, "../x": b""}, "leads out of the folder")
        for content, what, place in (
                (data[:end], "no directory at its end", f"byte {end}"), (b"PK", "no directory at its end", "byte 2"),
                (data + b"x", "bytes after the end", f"byte {end}"),
                (patched(end + 10, "<H", 3), "more entries than it says", None),
                (patched(end + 10, "<H", 60), "fewer entries than it says", None),
                (patched(end + 16, "<I", end), "is not within the file", f"byte {end}"),
                (patched(end + 16, "<I", 0xffffffff), "zip64", f"byte {end}"),
                (patched(second, "<I", 0), "the directory is damaged", f"byte {second}"),
                (patched(second + 8, "<H", 1), "is encrypted", f"byte {second}"),
                (patched(second + 10, "<H", 12), "readers do not know", f"byte {second}"),
                (patched(second + 28, "<H", 60000), "reaches beyond it", f"byte {second}"),
                (patched(second + 24, "<I", 0xffffffff), "lacks the numbers of zip64", f"byte {second}"),
                (patched(second + 42, "<I", local + 1), "no local header", f"byte {local + 1}"),
                (patched(second + 20, "<I", 1 << 30), "reaches into the directory", f"byte {local}"),
                (patched(second + 16, "<I", 7), "do not match its checksum", f"byte {local}"),
                (patched(local + 14, "<I", 7), "differ in size, checksum", f"byte {local}"),
                (patched(local + 6, "<H", 1), "differ in size, checksum", f"byte {local}"),
                (patched(local + 28, "<H", 4), "extra field of the local header is damaged", f"byte {local}"),
                (patched(28, "<H", 4), "an extra field in the local header alone", "byte 0"),
                (patched(local + 30, "<B", 0x41), "differs from the directory's", f"byte {local}"),
                (flipped(data, local + 100), "do not match its checksum", f"byte {local}")):
            self.expect(content, what, "wacz", place)
        self.check_all(20)

    def test_what_cannot_be_read(self):
        for names, status in ((("none.warc",), 4), ((), 2), ((".",), 4)):
            self.assertEqual(self.crawl("warc", "--check", *names).status, status, names)


if __name__ == "__main__":
    harness.main()
