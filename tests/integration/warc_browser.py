#!/usr/bin/env python3
"""Crawls a site with its parts into a WARC, and shows its pages in headless Chromium twice: live, and with every
request answered from the WARC alone. Names each request that the WARC cannot answer, and each page whose picture
differs.

    python3 tests/integration/warc_browser.py CRAWL [FOLDER [START [PAGES]]]

nginx serves FOLDER on loopback, and the crawl starts at START (index.html); without FOLDER it crawls the test site of
shown_site.py. Opens PAGES (40) random pages. Pictures that differ in more than 0.1 % of their pixels are kept in the
folder warc_browser. Too slow for the tests: pages/test_requisites.py compares the same site with a list. Needs Debian's
chromium, nginx and python3-pil.
"""
import http.server
import io
import json
import os
import random
import subprocess
import sys
import threading
import urllib.parse

import PIL.Image
import PIL.ImageChops

import browser
import harness
import shown_site
import warc_reader

BOUND = 0.001  # of the pixels
HOPS = {"connection", "transfer-encoding", "content-length", "keep-alive"}


class Archive:
    """The responses of a WARC by their URLs."""

    def __init__(self, prefix):
        self.answers = {}
        for record in warc_reader.read_all(prefix):
            if record.headers["WARC-Type"] == "response":
                self.answers[record.headers["WARC-Target-URI"]] = record.block
            elif record.headers["WARC-Type"] == "revisit":
                self.answers[
                    record.headers["WARC-Target-URI"]] = self.answers[record.headers["WARC-Refers-To-Target-URI"]]

    def hosts(self):
        return {urllib.parse.urlsplit(url).netloc for url in self.answers}

    def get(self, url):
        """Returns status, header fields and body. None: absent."""
        block = self.answers.get(url)
        if block is None:
            return None
        line, fields, _ = warc_reader.split_message(block)
        kept = [(name.decode(), value.strip().decode("latin-1")) for name, value in fields
                if name.strip().lower().decode() not in HOPS]
        return int(line.split()[1]), kept, warc_reader.payload_of(block)


class Replay(http.server.ThreadingHTTPServer):
    """A proxy that forwards nothing."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        """Ignores errors: the browser closes connections as it likes."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def __init__(self, archive):
        super().__init__(("127.0.0.1", 0), Answer)
        self.archive, self.missing = archive, set()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        found = self.server.archive.get(self.path)
        if found is None:
            self.server.missing.add(self.path)
            found = 504, [("Content-Type", "text/plain")], b"not in the archive\n"
        status, fields, body = found
        status, fields, body = self.part(status, fields, body)
        self.send_response_only(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def part(self, status, fields, body):
        """Answers requests for ranges, which the browser sends for films and sounds."""
        first, dash, last = self.headers.get("Range", "").removeprefix("bytes=").partition("-")
        if status != 200 or not dash or not first.isdigit() or int(first) >= len(body):
            return status, fields, body
        end = min(int(last) + 1 if last else len(body), len(body))
        return 206, [*fields, ("Content-Range", f"bytes {first}-{end - 1}/{len(body)}")], body[int(first):end]

    def do_CONNECT(self):
        self.server.missing.add(self.path)
        self.send_error(504)

    def log_message(self, *args):
        pass


def crawl(program, start, prefix, output):
    done = subprocess.run([program, "--config", "/dev/null", "--requisites", "--warc", prefix, "--output", output,
                           "--delay", "0", "--scope", "host", "--depth", "1000", "--per-host", "8",
                           "--no-robots", "--allow-private", "--retries", "1", "--quiet", start], check=False)
    if done.returncode not in (0, 1):  # 1: some requests failed
        sys.exit(f"crawl ended with status {done.returncode}")
    with open(output, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def is_page(record):
    kinds = ("text/html", "application/xhtml+xml", "image/svg+xml", "text/xml")
    return record["status"] == 200 and not record.get("requisite") and (record["content_type"]
                                                                        or "").split(";")[0] in kinds


def difference(one, other):
    """Returns the share of pixels that differ."""
    one, other = (PIL.Image.open(io.BytesIO(data)).convert("RGB") for data in (one, other))
    if one.size != other.size:
        return 1.0
    bands = PIL.ImageChops.difference(one, other).split()
    most = PIL.ImageChops.lighter(PIL.ImageChops.lighter(bands[0], bands[1]), bands[2])
    return 1 - most.histogram()[0] / (one.size[0] * one.size[1])


def keep(pictures, number):
    os.makedirs("warc_browser", exist_ok=True)
    for name, data in zip(("live", "archive"), pictures):
        with open(f"warc_browser/{number}-{name}.png", "wb") as file:
            file.write(data)


def show(shown, pages):
    """Returns page -> its requests and its picture."""
    found = {}
    for page in pages:
        asked = shown.open(page)
        found[page] = asked, shown.picture()
    return found


def compare(live, replayed, replay):
    """Prints the differences. Returns True if there are none. Requests of Chromium itself, to its maker or for a
    favicon that no page names, are ignored."""
    worst, faults = 0, 0
    for number, (page, (asked, picture)) in enumerate(live.items()):
        asked_again, picture_again = replayed[page]
        share = difference(picture, picture_again)
        worst = max(worst, share)
        if asked is False or asked_again is False or share > BOUND:
            faults += 1
            print(f"   {page}: {share:.3%} of the pixels differ, number {number}")
            keep((picture, picture_again), number)
    requests = {url for asked, _ in replayed.values() for url in asked or ()}
    missing = {url for url in replay.missing if not url.endswith("/favicon.ico")
               and (url in requests or urllib.parse.urlsplit(url).netloc in replay.archive.hosts())}
    print(f"{len(live)} pages, {len(requests)} URLs asked for, {len(missing)} not in the archive; pixels that differ: "
          f"{worst:.4%} at most")
    for url in sorted(missing):
        print("   missing", url)
    return not faults and not missing


def serve(arguments, folder):
    """Returns nginx, and the address where the crawl begins."""
    if arguments:
        nginx = harness.Nginx({"a.localhost": os.path.abspath(arguments[0])})
        return nginx, nginx.url("a.localhost", "/" + (arguments[1] if len(arguments) > 1 else "index.html"))
    folders = {"a.localhost": os.path.join(folder, "a"), "b.localhost": os.path.join(folder, "b")}
    nginx = harness.Nginx(folders, shown_site.TYPES + shown_site.REDIRECTED)
    shown_site.make(*folders.values(), nginx.url("b.localhost", "/"))
    return nginx, nginx.url("a.localhost", "/index.html")


def main():
    program, arguments = os.path.abspath(sys.argv[1]), sys.argv[2:]
    folder = harness.temporary_folder()
    nginx, start = serve(arguments, folder)
    pages = [record["url"] for record in crawl(program, start, folder + "/archive", folder + "/pages.jsonl")
             if is_page(record)]
    some = sorted(random.sample(pages, min(int(arguments[2]) if len(arguments) > 2 else 40, len(pages))))
    shown = browser.Browser()
    live = show(shown, some)
    shown.close()
    nginx.stop()
    replay = Replay(Archive(folder + "/archive"))
    shown = browser.Browser(f"--proxy-server=127.0.0.1:{replay.server_port}", "--proxy-bypass-list=<-loopback>")
    replayed = show(shown, some)
    shown.close()
    print(f"{len(pages)} pages in the archive")
    sys.exit(0 if compare(live, replayed, replay) else 1)


if __name__ == "__main__":
    main()
