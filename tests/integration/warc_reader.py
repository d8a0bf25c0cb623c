"""A strict reader of WARC/1.1 files: checks the requirements of ISO 28500:2017 for records as it reads. Standard
library only."""
import base64
import collections
import glob
import gzip
import hashlib
import json
import re
import zlib

Record = collections.namedtuple("Record", "file offset length headers block")

MUST = {"WARC-Record-ID", "Content-Length", "WARC-Date", "WARC-Type"}  # ISO 28500:2017, 5.1
TYPES = {"warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"}
ONCE = MUST | {"WARC-Target-URI", "WARC-IP-Address", "Content-Type", "WARC-Block-Digest", "WARC-Payload-Digest",
               "WARC-Truncated",
               "WARC-Filename", "WARC-Profile", "WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"}
TRUNCATED = {"length", "time", "disconnect", "unspecified"}
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
UUID = re.compile(r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>")


class Wrong(Exception):
    pass


def must(condition, *words):
    if not condition:
        raise Wrong(" ".join(str(word) for word in words))


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def split_message(block, is_truncated=False):
    """Returns the header lines and the body of an HTTP message."""
    head, separator, body = (re.split(rb"(\n\r?\n)", block, maxsplit=1) + [b"", b""])[:3]
    must(separator or is_truncated, "a message without an empty line", block[:80])
    lines = [line.removesuffix(b"\r") for line in head.split(b"\n")]
    return lines[0], [line.split(b":", 1) for line in lines[1:] if b":" in line], body


def dechunk(body):
    out = b""
    while body:
        line, _, body = body.partition(b"\n")
        size = line.split(b";")[0].strip()
        if not re.fullmatch(rb"[0-9a-fA-F]+", size) or int(size, 16) == 0:
            break
        out += body[:int(size, 16)]
        body = body[int(size, 16) + 2:]
    return out


def payload_of(block, is_truncated=False):
    _, fields, body = split_message(block, is_truncated)
    coding = [value.strip().lower() for name, value in fields if name.strip().lower() == b"transfer-encoding"]
    return dechunk(body) if coding and coding[-1].endswith(b"chunked") else body


def unpack(data, at):
    """Returns the content and length of the gzip member at that offset. None: it is truncated. It is fed in pieces,
    since the data behind the member is copied."""
    piece = 1 << 16
    one = zlib.decompressobj(16 + zlib.MAX_WBITS)
    content, end = [], at
    while not one.eof and end < len(data):
        content.append(one.decompress(data[end:end + piece]))
        end = min(end + piece, len(data))
    return (b"".join(content), end - len(one.unused_data) - at) if one.eof else None


def members(path, whole):
    """Yields each gzip member with its offset and length. whole: the file must end with its last member."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        try:
            found = unpack(data, at)
        except zlib.error:
            must(not whole, path, "is broken at", at)
            return
        if not found:
            must(not whole, path, "is cut at", at)
            return
        content, length = found
        yield at, length, content
        at += length


def parse(path, offset, length, content):
    head, separator, rest = content.partition(b"\r\n\r\n")
    lines = head.decode("utf-8").split("\r\n")
    must(separator and lines[0] == "WARC/1.1", path, offset, "begins with", lines[0])
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(": ")
        must(colon and re.fullmatch(r"[A-Za-z0-9-]+", name), path, offset, "no field:", line)
        must(name not in headers or name not in ONCE, path, offset, name, "stands twice")
        headers[name] = value
    must(MUST <= set(headers), path, offset, "lacks", MUST - set(headers))
    size = int(headers["Content-Length"])
    must(rest[size:] == b"\r\n\r\n", path, offset, "block of", len(rest) - 4, "bytes, said to be", size)
    return Record(path, offset, length, headers, rest[:size])

PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
NOT_MODIFIED = PROFILE + "server-not-modified"


def check(record):
    h = record.headers
    where = (record.file, record.offset)
    must(h["WARC-Type"] in TYPES, *where, h["WARC-Type"])
    must(UUID.fullmatch(h["WARC-Record-ID"]), *where, h["WARC-Record-ID"])
    must(DATE.fullmatch(h["WARC-Date"]), *where, h["WARC-Date"])
    must(h["WARC-Block-Digest"] == sha1(record.block), *where, "block digest")
    must(("WARC-Target-URI" in h) == (h["WARC-Type"] != "warcinfo"), *where, "target")
    must(h.get("WARC-Truncated", "length") in TRUNCATED, *where, h.get("WARC-Truncated"))
    if h["WARC-Type"] == "response":
        must(h["Content-Type"] == "application/http;msgtype=response", *where, h["Content-Type"])
        cut = "WARC-Truncated" in h
        line, _, _ = split_message(record.block, cut)
        must(re.match(rb"HTTP/1\.[01] \d{3}", line), *where, line)
        must(h["WARC-Payload-Digest"] == sha1(payload_of(record.block, cut)), *where, "payload digest")
    elif h["WARC-Type"] == "request":
        must(h["Content-Type"] == "application/http;msgtype=request", *where, h["Content-Type"])
        line, fields, _ = split_message(record.block)
        must(re.fullmatch(rb"[A-Z]+ \S+ HTTP/1\.1", line), *where, line)
        must(any(name.lower() == b"host" for name, _ in fields), *where, "no Host")
    elif h["WARC-Type"] == "revisit":
        must(h["WARC-Profile"] in (PROFILE + "identical-payload-digest", NOT_MODIFIED), *where, h["WARC-Profile"])
        must((b" 304" in record.block.split(b"\r\n")[0]) == (h["WARC-Profile"] == NOT_MODIFIED), *where,
             "status and profile")
        must(split_message(record.block)[2] == b"", *where, "a revisit with a body")
    elif h["WARC-Type"] == "conversion":
        rendered = h["Content-Type"] == "text/html; charset=utf-8"
        must(rendered or h["Content-Type"] in ("text/plain", "text/markdown"), *where, h["Content-Type"])
        must("WARC-Refers-To" in h and (rendered or record.block.decode().endswith("\n")), *where, "no text")
    elif h["WARC-Type"] == "metadata" and h["Content-Type"] == "application/json":
        about = json.loads(record.block)
        must(about["url"] == h["WARC-Target-URI"], *where, about["url"])
        must(("withheld" in about) != ("WARC-Refers-To" in h), *where, "refers to what is withheld")
    elif h["WARC-Type"] in ("warcinfo", "metadata"):
        must(h["Content-Type"] == "application/warc-fields", *where, h["Content-Type"])
        for line in record.block.decode().rstrip("\r\n").split("\r\n"):
            must(re.match(r"[\w-]+: ", line), *where, "no field:", line)


def read(path, whole=True):
    """Returns all records of a file, each checked alone, and then together."""
    records = [parse(path, *member) for member in members(path, whole)]
    must(records and records[0].headers["WARC-Type"] == "warcinfo", path, "begins with no warcinfo")
    for record in records:
        check(record)
    return records


def check_together(records):
    """Checks that references lead to existing records of the right kind."""
    by_id = {record.headers["WARC-Record-ID"]: record for record in records}
    bodies = {(r.headers["WARC-Target-URI"], r.headers["WARC-Date"]) for r in records
              if r.headers["WARC-Type"] in ("response", "revisit")}
    must(len(by_id) == len(records), "two records share an identifier")
    for record in records:
        h = record.headers
        for name in ("WARC-Concurrent-To", "WARC-Refers-To"):
            must(name not in h or h[name] in by_id, record.file, record.offset, name, "leads nowhere")
        if h["WARC-Type"] == "request":
            other = by_id[h["WARC-Concurrent-To"]].headers
            must(other["WARC-Target-URI"] == h["WARC-Target-URI"] and other["WARC-Date"] == h["WARC-Date"],
                 record.offset, "another's answer")
        if h.get("WARC-Profile") == NOT_MODIFIED:
            must((h["WARC-Refers-To-Target-URI"], h["WARC-Refers-To-Date"]) in bodies, record.offset,
                 "confirms nothing that is there")
        elif h["WARC-Type"] == "revisit":
            first = by_id[h["WARC-Refers-To"]].headers
            must(first["WARC-Type"] == "response" and first["WARC-Payload-Digest"] == h["WARC-Payload-Digest"],
                 record.offset, "another body")
            must(first["WARC-Target-URI"] == h["WARC-Refers-To-Target-URI"]
                 and first["WARC-Date"] == h["WARC-Refers-To-Date"], record.offset, "original")


def check_index(path, records):
    """Checks that the index has a line for each response and revisit of its file, sorted, each of which leads to its
    record."""
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    must(lines == sorted(lines), path, "is not sorted")
    wanted = {(record.offset, record.length): record for record in records
              if record.headers["WARC-Type"] in ("response", "revisit")}
    must(len(lines) == len(wanted), path, len(lines), "lines for", len(wanted), "records")
    for line in lines:
        key, when, fields = line.split(" ", 2)
        fields = json.loads(fields)
        record = wanted[(int(fields["offset"]), int(fields["length"]))]
        h = record.headers
        must(h["WARC-Target-URI"] == fields["url"] and key.islower() or not re.search("[a-z]", key), path, line)
        must(fields["digest"] == h.get("WARC-Payload-Digest", "sha1:-").removeprefix("sha1:"), path, line)
        must(when == re.sub(r"\D", "", h["WARC-Date"])[:14], path, line)
        must((fields["mime"] == "warc/revisit") == (h["WARC-Type"] == "revisit"), path, line)
        with open(record.file, "rb") as file:
            file.seek(int(fields["offset"]))
            content = gzip.decompress(file.read(int(fields["length"])))
        must(content.startswith(b"WARC/1.1\r\n"), path, line)


def read_texts(prefix, records):
    """Reads every finished WET file of a prefix: conversions of responses among records, each with the URL and the date
    of its response."""
    texts = []
    for path in sorted(glob.glob(prefix + "-*.warc.wet.gz")):
        texts += read(path)[1:]
    answers = {r.headers["WARC-Record-ID"]: r.headers for r in records
               if r.headers["WARC-Type"] in ("response", "revisit")}
    for record in texts:
        h = record.headers
        must(h["WARC-Type"] == "conversion" and h["WARC-Refers-To"] in answers, record.file, record.offset,
             "of no answer")
        answer = answers[h["WARC-Refers-To"]]
        must(all(answer[name] == h[name] for name in ("WARC-Target-URI", "WARC-Date")), record.file, record.offset,
             "another's text")
    return texts


def read_all(prefix):
    """Reads every finished file of a prefix with its index. Returns all records, in order."""
    records = []
    for path in sorted(glob.glob(prefix + "-*.warc.gz")):
        some = read(path)
        check_index(path.replace(".warc.gz", ".cdxj"), some)
        records += some
    check_together(records)
    return records
