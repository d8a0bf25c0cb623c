"""Makes WARC files as other programs write them, and their digests."""
import base64
import gzip
import hashlib
import uuid


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record(kind, fields, block):
    lines = {"WARC-Type": kind, "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>", **fields,
             "WARC-Block-Digest": sha1(block), "Content-Length": len(block)}
    return ("WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
            + "\r\n").encode() + block + b"\r\n\r\n"


def response(url, date, body, content_type="text/html", status="200 OK"):
    block = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    return record("response", {"WARC-Date": date, "WARC-Target-URI": url, "WARC-Payload-Digest": sha1(body),
                               "Content-Type": "application/http;msgtype=response"}, block)


def pages(host, count, minute=0):
    """Makes a page for each second, from that minute on."""
    return [response(f"https://{host}/{n}", f"2026-11-21T10:{minute + n // 60:02}:{n % 60:02}Z",
                     f"<title>{host} {n}</title>{n}".encode()) for n in range(count)]


def write(path, records, level=6):
    """Writes gzip members if the name says so."""
    with open(path, "wb") as file:
        for one in records:
            file.write(gzip.compress(one, level) if path.endswith(".gz") else one)
    return path
