#!/usr/bin/env python3
"""Kills a Scrapy job again and again, resumes it from its JOBDIR, and reports lost and repeated requests.

    tests/python/kill_scrapy.py --kills 30           # with the scheduler of crawlfrontier
    tests/python/kill_scrapy.py --kills 30 --stock   # with Scrapy's own

A site on loopback links its pages as a heap, both ways. The site itself kills the job (-9) in the middle of a response,
after a random number of requests. The last run ends by itself."""
import argparse
import collections
import http.server
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading


SPIDER = """
import json, sys
from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess

class Site(Spider):
    name = "site"
    start_urls = [sys.argv[1]]

    def parse(self, response):
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, callback=self.parse_page, errback=self.failed, meta={"from": response.url},
                                  cb_kwargs={"href": href})
        print(response.url, flush=True)

    def parse_page(self, response, href):
        assert response.url.endswith(href) and response.meta["from"]
        yield from self.parse(response)

    def failed(self, failure):
        print(failure, file=sys.stderr)

process = CrawlerProcess({**json.loads(sys.argv[2]), "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False,
                          "RETRY_ENABLED": False, "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7"})
process.crawl(Site)
process.start()
"""


class Site(http.server.ThreadingHTTPServer):
    """Counts requests by path, and kills a process while it answers the chosen request."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, pages, href="/{}".format):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages = pages
        self.href = href
        self.asked = collections.Counter()
        self.lock = threading.Lock()
        self.victim, self.left = None, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def kill_after(self, process, requests):
        with self.lock:
            self.victim, self.left = process, requests

    def count(self, path):
        with self.lock:
            self.asked[path] += 1
            self.left -= 1
            if self.left == 0 and self.victim:
                self.victim.send_signal(signal.SIGKILL)

    def handle_error(self, request, client_address):
        pass  # the client was killed


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.count(self.path)
        number = int(self.path.strip("/") or 0)
        children = [child for child in (2 * number + 1, 2 * number + 2) if child < self.server.pages]
        links = map(self.server.href, [*children, number // 2])
        body = "".join(f"<a href={link}>x</a>" for link in links).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def crawl(pages, kills, settings, seed):
    """Runs the job to its end. Returns the requests per page, the pages whose callback finished, and the standard error
    of the runs."""
    chance, site = random.Random(seed), Site(pages)
    parsed, said = set(), []
    with tempfile.TemporaryDirectory(prefix="crawl-python-") as folder:
        with open(os.path.join(folder, "spider.py"), "w", encoding="ascii") as file:
            file.write(SPIDER)
        arguments = [sys.executable, file.name, f"http://127.0.0.1:{site.server_port}/0",
                     json.dumps({**settings, "JOBDIR": os.path.join(folder, "job")})]
        for run in range(kills + 1):
            process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            site.kill_after(process if run < kills else None, chance.randint(2, 2 * pages // max(kills, 1)))
            output, errors = process.communicate(timeout=300)
            parsed |= {line.rpartition("/")[2] for line in output.splitlines() if line.startswith("http")}
            said.append(errors)
    site.shutdown()
    site.server_close()
    return site.asked, parsed, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stock", action="store_true", help="Scrapy's own scheduler and dupefilter")
    options = parser.parse_args()
    settings = {} if options.stock else {"SCHEDULER": "crawlfrontier.scrapy.Scheduler"}
    asked, parsed, said = crawl(options.pages, options.kills, settings, options.seed)
    # Each run requests its start page, even if it was seen.
    again = sum(asked.values()) - len(asked) - options.kills
    print(f"{options.kills} kills: {len(parsed)} of {options.pages} pages, {options.pages - len(parsed)} lost; "
          f"{again} requests again; {sum(bool(words) for words in said)} runs with errors")
    for words in {words.strip().splitlines()[-1] for words in said if words.strip()}:
        print("  " + words)
    return len(parsed) != options.pages


if __name__ == "__main__":
    sys.exit(main())
