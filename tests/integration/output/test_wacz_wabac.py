#!/usr/bin/env python3
"""Tests our WACZ with wabac.js, the reader of ReplayWeb.page: its signature is valid, and every response is replayed.
Finds @webrecorder/wabac and fake-indexeddb in the folder node_modules that CRAWL_WABAC names, or in one that npm fills;
otherwise skipped."""
import base64
import gzip
import json
import os
import shutil
import subprocess
import zipfile

import harness
import node_packages
import warc_maker
import warc_reader

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = node_packages.find("CRAWL_WABAC", ["@webrecorder/wabac@2.26.5", "fake-indexeddb@6.0.0"])


def body_of(answer):
    """Returns the original body, without the codings that the server has added."""
    body = base64.b64decode(answer["body"])
    if answer["headers"].get("transfer-encoding") == "chunked":
        body = warc_reader.dechunk(body)
    return (gzip.decompress(body) if answer["headers"].get("content-encoding") == "gzip" else body).decode()


class Wabac(harness.TestCase):
    def open(self, places):
        shutil.copy(HERE + "/wabac_open.mjs", self.path("open.mjs"))  # node looks for modules beside the file
        if not os.path.islink(self.path("node_modules")):
            os.symlink(MODULES, self.path("node_modules"))
        done = subprocess.run(["node", self.path("open.mjs"), self.path("out.wacz"), *places], capture_output=True,
                              text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_site(self):
        site = {f"{n}.html": f"<title>{n}</title><a href={n + 1}.html>next</a>" + "same" * (n % 2) for n in range(30)}
        site |= {"index.html": "<title>Home</title><a href=0.html>x</a><a href=copy1.txt>1</a><a href=copy2.txt>2</a>",
                 "copy1.txt": "the same", "copy2.txt": "the same"}
        nginx = self.start_nginx({"a.localhost": self.make_site(site)}, "gzip on; gzip_min_length 1;")
        url = nginx.url("a.localhost", "/")
        result = self.crawl("--delay", "0", "--depth", "50", "--warc", "site", "--wacz", "out.wacz", "--output",
                            "pages.jsonl", url)
        self.assertEqual(result.status, 0, result.stderr)
        pages = {page["url"]: page for page in self.records("pages.jsonl")}
        self.assertEqual(len(pages), 1 + 31 + 2)  # the 31st is missing
        with zipfile.ZipFile(self.path("out.wacz")) as parcel:
            lists = [json.loads(line) for name in ("pages/pages.jsonl", "pages/extraPages.jsonl")
                     for line in parcel.read(name).splitlines()[1:]]
        self.assertEqual({page["url"] for page in lists}, {url for url, page in pages.items()
                                                           if page["status"] == 200 and url.endswith(("html", "/"))})
        opened = self.open([f"{page['fetched_at'].translate({ord(c): None for c in '-:T'})[:14]}/{url}"
                            for url, page in pages.items()])
        self.assertEqual(([page["url"] for page in opened["pages"]], opened["signed"]), ([url], True))
        for one, page in zip(opened["replayed"], pages.values()):
            self.assertEqual((one["url"], one["status"]), (page["url"], page["status"]))
            name = page["url"].removeprefix(url) or "index.html"
            if page["status"] == 200:
                self.assertEqual(body_of(one), site[name])

    def test_an_index_in_blocks(self):
        """The reader finds all of 600 responses."""
        warc_maker.write(self.path("many.warc.gz"), warc_maker.pages("a.example", 600))
        self.assertEqual(self.crawl("warc", "--wacz", "out.wacz", "many.warc.gz").status, 0)
        places = [f"202611211{n // 3600}{n // 60 % 60:02}{n % 60:02}/https://a.example/{n}" for n in range(600)]
        opened = self.open(places)
        self.assertEqual([body_of(one) for one in opened["replayed"]],
                         [f"<title>a.example {n}</title>{n}" for n in range(600)])


if __name__ == "__main__":
    harness.main()
