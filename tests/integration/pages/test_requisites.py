#!/usr/bin/env python3
"""Tests --requisites: everything that a page needs to be shown, and nothing else, is requested at its own depth and
from any host; and WARC files have all of it."""
import glob
import gzip
import os
import re
import urllib.parse

import harness
import shown_site

OPTIONS = ("--requisites", "--delay", "0", "--retries", "0", "--no-robots", "--allow-private", "--scope", "host",
           "--links", "links.jsonl", "--output", "pages.jsonl")

# {b}: the address of another host. Parts named "no..." must not be requested.
INDEX = """<!doctype html><title>t</title><meta name=robots content=nofollow>
<link rel=stylesheet href=sheet.css><link rel="shortcut icon" href=icon.png><link rel=manifest href=app.json>
<link rel=preload as=image href=pre.png imagesrcset="pre1.png 1x, pre2.png 2x"><link rel=modulepreload href=module.js>
<link rel=prefetch href=no1.html><link rel=next href=no2.html><link rel=canonical href=no3.html>
<style>@import "inner.css"; @namespace url(no4); p{background:url( 'p\\.png' )} @font-face{src:url(f.woff2) format('no')}</style>
<style>p{} @import 'no5.css'; p{fill:url(#no)}</style>
<script src="{b}script.js"></script><script>"<img src=no6.png>"</script>
<body background=body.png><p style="background:image-set('s1.png' 1x, url(&quot;s2.png&quot;) 2x)">
<a href=no7.html>no</a><area href=no8.html>
<img src=i.png srcset="i1.png 1x, i2.png 2x"><picture><source srcset="c.webp"><img src=c.png></picture>
<img data-src=lazy.png data-srcset="lazy1.png 1x"><div data-bg=lazybg.png></div>
<video src=v.mp4 poster=v.png><source src=v.webm><track src=v.vtt></video><audio src=a.mp3></audio>
<object data=o.html></object><embed src=e.svg><input type=image src=b.png><table background=t.png><td background=d.png></table>
<svg><image href=x1.png /><use xlink:href="x2.svg#part"/><use href="#no"/><g filter="url(x3.svg#f)" fill=url(#no) /></svg>
<iframe src="{b}frame.html"></iframe><iframe srcdoc="&lt;img src=doc.png&gt;"></iframe>
<form action=no9.html><button formaction=no10.html>no</button></form><!-- <img src=no11.png> -->
<img src=page.png><img src=data:image/png,no>"""

FILES = {
    "index.html": INDEX,
    "sheet.css": "@import url(deep.css) print; b{cursor:url(cursor.cur)} b[c='no'] {background:url('{b}far.png')} "
                 "@import 'no12.css';",
    "deep.css": "@import 'sheet.css'; i{background:url(deep.png)}",
    "inner.css": "",
    "e.svg": "<?xml-stylesheet href='pi.css'?><svg xmlns='http://www.w3.org/2000/svg'><style><![CDATA[@import "
             "'svg.css'; a{fill:url(svg1.png)}]]></style><image href='svg2.png'/>"
             "<a href='no18.html'/></svg>",
    "o.html": "<img src=o.png><a href=no13.html>no</a>",
    "page.png": "<!doctype html><img src=no14.png><a href=no15.html>no</a>",
}
OTHER = {
    "script.js": "'<img src=no16.png>'",
    "frame.html": "<link rel=stylesheet href=frame.css><a href=no17.html>no</a><iframe src=frame2.html></iframe>",
    "frame.css": "p{background:url(frame.png)}",
    "frame2.html": "<img src=frame2.png>",
}

NEEDED = set("""sheet.css icon.png app.json pre.png pre1.png pre2.png module.js inner.css p.png f.woff2 body.png s1.png
s2.png i.png i1.png i2.png c.webp c.png lazy.png lazy1.png lazybg.png v.mp4 v.png v.webm v.vtt a.mp3 o.html o.png e.svg
b.png t.png d.png x1.png x2.svg x3.svg doc.png page.png deep.css cursor.cur deep.png
svg.css svg1.png svg2.png pi.css""".split())
NEEDED_OF_OTHER = {"script.js", "far.png", "frame.html", "frame.css", "frame.png", "frame2.html", "frame2.png"}

TYPES = ("types { text/html html; text/css css; image/png png; image/svg+xml svg; text/javascript js; } error_page "
         "404 =200 /empty; location = /empty { return 200 x; }")


class Requisites(harness.TestCase):
    def serve(self, files, other, extra=TYPES + " location = /page.png { default_type text/html; types {} }"):
        folders = {"a.localhost": self.path("a"), "b.localhost": self.path("b")}
        for folder in folders.values():
            os.makedirs(folder, exist_ok=True)
        nginx = self.start_nginx(folders, extra)
        self.addCleanup(nginx.stop)
        self.home, self.other = nginx.url("a.localhost", "/"), nginx.url("b.localhost", "/")
        for folder, contents in (("a", files), ("b", other)):
            for name, text in contents.items():
                self.write(f"{folder}/{name}", text.replace("{b}", self.other))
        return nginx

    def run_crawl(self, *options):
        result = self.crawl(*OPTIONS, *options, self.home)
        self.assertEqual(result.status, 0, result.stderr)
        return self.records("pages.jsonl")

    def asked(self, nginx, host):
        return sorted(request.uri for request in nginx.requests(host))

    def expected(self):
        """Returns all URLs of the test site that must be requested."""
        return {self.home} | {self.home + name for name in NEEDED} | {self.other + name for name in NEEDED_OF_OTHER}

    def test_all_and_nothing_else(self):
        nginx = self.serve(FILES, OTHER)
        for extractor in ("scan", "libxml2"):
            nginx.forget()
            records = self.run_crawl("--depth", "0", "--warc", self.path(extractor), "--set", f"parse.html={extractor}")
            urls = [record["url"] for record in records]
            self.assertEqual(sorted(urls), sorted(self.expected()), extractor)
            self.assertEqual(self.asked(nginx, "a.localhost"), sorted({"/"} | {"/" + name for name in NEEDED}))
            self.assertEqual(self.asked(nginx, "b.localhost"), sorted("/" + name for name in NEEDED_OF_OTHER))
            self.assertEqual({record["depth"] for record in records}, {0})
            self.assertEqual([record["url"] for record in records if not record.get("requisite")], [self.home])
            held = set()
            for path in glob.glob(self.path(extractor) + "*.warc.gz"):
                with gzip.open(path) as file:
                    held |= {uri.decode()
                             for uri in re.findall(rb"WARC-Type: (?:response|revisit)\r\n(?:.+\r\n)*?WARC-Target-URI: "
                                                   rb"(\S+)", file.read())}
            self.assertEqual({url.strip("<>") for url in held}, self.expected())

    def test_every_form_of_the_made_site(self):
        """Every file of the site except those named no-..., and no missing file. A tag cut off by the end of the page
        does not count."""
        folders = {"a.localhost": self.path("a"), "b.localhost": self.path("b")}
        nginx = self.serve({}, {}, shown_site.TYPES + shown_site.REDIRECTED)
        shown_site.make(*folders.values(), self.other)
        for extractor in ("scan", "libxml2"):
            nginx.forget()
            self.assertEqual(self.crawl(*OPTIONS[:-4], "--set", f"parse.html={extractor}", self.home
                                        + "index.html").status, 0)
            for host, folder in folders.items():
                there = {os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder)
                         for name in names if not name.startswith("no-")}
                asked = {urllib.parse.unquote(request.uri.partition("?")[0])[1:] for request in nginx.requests(host)}
                absent = {"css/no", "img/missing.png", "unquoted/slash.png/"} if host == "a.localhost" else set()
                self.assertEqual((there - asked, asked - there), (set(), absent), (extractor, host))

    def test_links_say_where_they_were_found(self):
        self.serve(FILES, OTHER)
        self.run_crawl("--depth", "0")
        found = {(urllib.parse.urlsplit(edge["to"]).path[1:], edge["tag"], edge["attr"])
                 for edge in self.records("links.jsonl")
                 if edge["verdict"] == "new" and edge.get("requisite") and edge["depth"] == 0}
        self.assertLessEqual({("inner.css", "style", "@import"), ("f.woff2", "style", "@font-face"),
                              ("p.png", "style", "url"),
                              ("s1.png", "*", "style"), ("deep.css", "css", "@import"), ("cursor.cur", "css", "url"),
                              ("lazy.png", "*", "data-src"), ("x2.svg", "use", "xlink:href"), ("x3.svg", "*", "filter"),
                              ("d.png", "td", "background"),
                              ("pre2.png", "link", "imagesrcset"), ("doc.png", "img", "src")}, found)

    def test_scope_and_depth_hold_for_pages(self):
        """A frame that belongs to the crawl is a page. Excludes apply to parts, includes do not. A redirected part
        stays a part."""
        nginx = self.serve({"index.html": "<a href=one.html>1</a><iframe src=in.html></iframe><img src=no.png><img "
                                          "src=moved>",
                            "one.html": "<img src=one.png><a href=no2.html>no</a>",
                            "in.html": "<img src=in.png><a href=no3.html>no</a>"},
                           {"there.css": "p{background:url(there.png)}"},
                           TYPES + " location = /moved { return 302 http://b.localhost:$server_port/there.css; }")
        records = self.run_crawl("--depth", "1", "--include", "html$|/$", "--exclude", "/no")
        depths = {urllib.parse.urlsplit(record["url"]).path: (record["depth"], bool(record.get("requisite")))
                  for record in records}
        self.assertEqual(depths, {"/": (0, False), "/one.html": (1, False), "/in.html": (1, False),
                                  "/one.png": (1, True),
                                  "/in.png": (1, True), "/moved": (0, True), "/there.css": (0, True),
                                  "/there.png": (0, True)})
        self.assertEqual(self.asked(nginx, "b.localhost"), ["/there.css", "/there.png"])

    def test_a_frame_that_redirects_out_of_the_scope_becomes_a_part(self):
        redirects = (" location = /in { return 302 /in2; } location = /link { return 302 "
                     "http://b.localhost:$server_port/no.html; } location = /in2 { return 302 "
                     "http://b.localhost:$server_port/there.html; }")
        nginx = self.serve({"index.html": "<iframe src=in></iframe><a href=link>no</a>"},
                           {"there.html": "<img src=there.png><a href=no.html>no</a>"}, TYPES + redirects)
        for depth in ("0", "1"):
            nginx.forget()
            records = self.run_crawl("--depth", depth)
            self.assertEqual(self.asked(nginx, "b.localhost"), ["/there.html", "/there.png"], depth)
            self.assertEqual({record["url"] for record in records if record.get("requisite")} & {
                self.other + "there.html", self.other + "there.png"},
                             {self.other + "there.html", self.other + "there.png"})

    def test_parts_of_parts_come_to_an_end(self):
        """A server that nests frames without end is left after eight, and --max-pages counts all of them."""
        frames = (TYPES + " location ~ ^/f(?<n>1*)$ { default_type text/html; return 200 '<iframe "
                          "src=/f${n}1></iframe>'; }")
        nginx = self.serve({"index.html": f"<iframe src={'{b}'}f></iframe>"}, {}, frames)
        self.run_crawl("--depth", "0")
        self.assertEqual(self.asked(nginx, "b.localhost"), sorted("/f" + "1" * n for n in range(8)))
        nginx.forget()
        self.assertEqual(len(self.run_crawl("--depth", "0", "--max-pages", "3")), 3)

    def test_not_asked_for(self):
        """Without the option none of the parts is requested."""
        self.serve(FILES, OTHER)
        result = self.crawl(*OPTIONS[1:], "--depth", "0", self.home)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(len(self.records("pages.jsonl")), 1)


if __name__ == "__main__":
    harness.main()
