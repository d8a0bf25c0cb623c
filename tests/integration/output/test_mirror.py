#!/usr/bin/env python3
"""Tests that --mirror makes a copy in which every local link leads to the file of its page."""
import fcntl
import html.parser
import http.server
import json
import os
import re
import shlex
import shutil
import signal
import threading
import urllib.parse

import harness

# Paths that file systems and browsers trip over, all linked from the first page.
ODD = ["/a", "/a/", "/a/b", "/a.html", "/a.html/b", "/A", "/A.html", "/index", "/index.html", "/d/", "/d/index.html",
       "/con", "/con.html",
       "/nul/x", "/x.", "/x./y", "/q?a=1&b=2", "/q?a=/../../x", "/q?", "/%2e%2e%2fetc", "/a%2Fb", "/a%2fb%00", "/a:b",
       "/a*b|c", "/a%3Fb",
       "/a%23b", "/a%25b", "/caf%C3%A9", "/cafe%CC%81", "/it's", "/a!b", "/a!.html", "/e//f", "/.hidden", "/~me", "/"
       + "l" * 700,
       "/" + "deep/" * 400 + "end", "/a b".replace(" ", "%20"), "/$(x)", "/a&amp;b".replace("&amp;", "&"), "/-rf"]


def page(name, links=(), head="", more=""):
    """Returns a page that carries its own name, and in each link the name of the page it leads to."""
    quoted = [(href.replace("&", "&amp;").replace("'", "&#39;"), leads.replace("&", "&amp;").replace("'", "&#39;"))
              for href, leads in links]
    anchors = "".join(f"<p><a href='{href}' data-leads='{leads}'>x</a>" for href, leads in quoted)
    name = name.replace("&", "&amp;")
    return ("text/html", f"<!DOCTYPE html><html><head>{head}</head><body data-is=\"{name}\">{anchors}{more}\n")


def make_site(origin):
    site = {path: page(path, [("/", "/"), ("/a", "/a")]) for path in ODD}
    site["/"] = page("/", [(path, path) for path in ODD] + [
        ("/moved", "/a.html"), ("/moved?twice", "/a.html"), ("#part", ""), ("/#part", "/"), ("/gone", origin + "/gone"),
        (origin.replace("//", "//user:word@") + "/a.html#part", "/a.html#part"),
        ("mailto:a@b", "mailto:a@b"),
        ("//other.localhost:1/", "http://other.localhost:1/"), ("/base/", "/base/"), ("/q?b=2&a=1", "/q?a=1&b=2"),
        ("/1251", "/1251"), ("/t1251", "/t1251"), ("/c1251", "/c1251"),
        ("/s.css", "/s.css"), ("/i", "/i"), ("/v.svg", "/v.svg"), ("/t", "/t")])
    site["/base/"] = page("/base/", [("b", "/a/b"), ("#here", "/a/#here")], head="<base href='/a/'>")
    site["/1251"] = ("text/html; charset=windows-1251", "<!DOCTYPE html><html><head></head><body "
                                                        "data-is='/1251'>\u043f<a href=/a data-leads=/a>x</a>")
    site["/s.css"] = ("text/css", "@import '/a.css'; p { background: url(/i) }")
    site["/i"] = ("image/png", "\x89PNG")
    site["/v.svg"] = ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><a href='/a'/></svg>")
    site["/t"] = ("text/plain", "<a href=/a>")
    site["/t1251"] = ("text/plain; charset=windows-1251", "\u043f")
    site["/c1251"] = ("text/csv; charset=windows-1251", "\u043f")
    return site


# Redirects; the first has a fragment, the last one's is long.
HOPS = {"/hop": "/hop2#sec", "/hop2": "/hop3", "/hop3": "/" + "long" * 20}


class Site(harness.Handler):
    def do_GET(self):
        server = self.server
        if self.path in HOPS:
            return self.answer(301, "", "Location: " + HOPS[self.path])
        if server.asks_for_a_cookie and not self.headers["Cookie"]:
            return self.answer(302, "", "Location: " + self.path, "Set-Cookie: known=1")
        if self.path in ("/moved", "/moved?twice"):
            return self.answer(301, "", "Location: " + ("/moved" if "?" in self.path else "/a.html"))
        if self.path not in server.site:
            return self.answer(404, "none")
        kind, text = server.site[self.path]
        body = text.encode("windows-1251" if "1251" in kind else "latin-1")
        tag = f'"{hash(body) & 0xffffffff}"'
        if self.headers["If-None-Match"] == tag:
            self.send_response(304)
            self.end_headers()
            return None
        self.send_response(200)
        for header in (("Content-Type", kind), ("Content-Length", str(len(body))), ("ETag", tag)):
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)
        return None


class Server:
    def __init__(self):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        self.origin = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.http.site = make_site(self.origin)
        self.http.asks_for_a_cookie = False
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.name = None
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.name = values.get("data-is", self.name)
        if "data-leads" in values:
            self.links.append((values["href"], values["data-leads"]))


class Mirror(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve(Server())
        self.site = self.server.http.site
        self.write("crawler.conf", "[parse]\nfollow = a link img\n[crawl]\nmax_path_depth = 1000\nmax_repeats = 1000\n"
                                   "max_url = 4096\n"
                                   "[politeness]\nrobots = false\nper_host = 8\ndelay = 0\n")

    def mirror(self, *options):
        return self.crawl("--depth", "2", "--mirror", "copy", *options, self.server.origin + "/")

    def files(self):
        """Returns the modification time of each file of the copy, except crawl's own."""
        found = {}
        for folder, folders, names in os.walk(self.path("copy")):
            folders[:] = [name for name in folders if name != ".crawl-mirror"]
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.path("copy"))] = os.stat(path).st_mtime_ns
        return found

    def text(self, path, encoding="latin-1"):
        with open(os.path.join(self.path("copy"), path), encoding=encoding, newline="") as file:
            return file.read()

    def home(self):
        return [path for path in self.files() if path.count("/") == 1 and path.endswith("/index.html")][0]

    def check_link(self, path, name, href, leads):
        """Checks a link of the page called name, which is stored in the file path."""
        where = urllib.parse.urlsplit(href)
        if leads.startswith(("http:", "mailto:")):
            return self.assertEqual(href, leads, path)
        if not leads:
            return self.assertEqual(href, "#part")
        self.assertFalse(where.scheme or where.netloc or href.startswith("/"), href)
        target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(where.path)))
        self.assertFalse(target.startswith(".."), href)
        wanted = leads.partition("#")[0]
        if wanted in ("/s.css", "/i", "/v.svg", "/t", "/t1251", "/c1251"):
            return self.assertTrue(os.path.isfile(os.path.join(self.path("copy"), target)), (name, href))
        return self.assertEqual(Page(self.text(target)).name, wanted, (name, href, target))

    def check_copy(self):
        """Checks every link of the copy and returns their number."""
        count = 0
        for path in self.files():
            if not path.endswith("html"):
                continue
            found = Page(self.text(path))
            for href, leads in found.links:
                self.check_link(path, found.name, href, leads)
                count += 1
        return count

    def test_every_link_leads_to_its_file(self):
        result = self.mirror()
        self.assertEqual(result.status, 0, result.stderr)
        files = self.files()
        self.assertEqual(len({path.lower() for path in files}), len(self.site), sorted(files))
        self.assertGreater(self.check_copy(), 2 * len(ODD))
        host = os.path.dirname(self.home())
        self.assertEqual(self.text(f"{host}/s.css"), "@import \"" + self.server.origin
                         + "/a.css\"; p { background: url(\"i+.png\") }")
        self.assertEqual(self.text(f"{host}/v.svg"), self.site["/v.svg"][1].replace("'/a'", "'a+.html'"))
        self.assertEqual(self.text(f"{host}/t+.txt"), self.site["/t"][1])
        self.assertEqual(self.text(f"{host}/t1251+.txt", "utf-8"), "\ufeff" + self.site["/t1251"][1])
        self.assertEqual(self.text(f"{host}/c1251+.txt", "utf-8"), "\ufeff" + self.site["/c1251"][1])
        self.assertEqual(self.text(f"{host}/1251+.html", "windows-1251"),
                         self.site["/1251"][1].replace("<head>", '<head><meta charset="windows-1251">')
                         .replace("href=/a ", 'href="a+.html" '))
        before = self.site["/a"][1]  # only the links may change
        self.assertEqual(re.sub("href='[^']*'", "", self.text(f"{host}/a+.html")), re.sub("href='[^']*'", "", before))

    def test_what_a_page_needs_to_be_shown_is_there(self):
        """Parts are fetched beyond the depth, and if only a style sheet names them."""
        self.site["/"] = page("/", head="<link rel=stylesheet href='/look'>")
        self.site["/look"] = ("text/css", "@import '/more'; p { background: url(/i) }")
        self.site["/more"] = ("text/css", "@font-face { src: url(/font) }")
        self.site["/font"] = ("font/woff2", "wOF2")
        result = self.crawl("--depth", "0", "--mirror", "copy", self.server.origin + "/")
        self.assertEqual(result.status, 0, result.stderr)
        host = os.path.dirname(self.home())
        self.assertEqual(self.text(f"{host}/look+.css"), "@import \"more+.css\"; p { background: url(\"i+.png\") }")
        self.assertEqual(self.text(f"{host}/more+.css"), "@font-face { src: url(\"font+.woff2\") }")
        self.assertEqual(self.text(f"{host}/i+.png"), "\x89PNG")
        self.assertTrue(os.path.isfile(self.path(f"copy/{host}/font+.woff2")))

    def test_a_copy_is_finished_once_and_brought_up_to_date(self):
        self.write("crawler.conf", "[parse]\nfollow = a\n[politeness]\nrobots = false\ndelay = 0\n")
        self.site["/"] = page("/", [("/a", "/a"), ("/old", "/old"), ("/late", self.server.origin + "/late")])
        self.site["/old"] = page("/old", [("/", "/")])
        self.assertEqual(self.mirror().status, 0)
        self.check_copy()
        before = self.files()
        self.assertEqual(self.mirror().status, 0)
        self.assertEqual(self.files(), before)  # nothing was written
        self.site["/"] = page("/", [("/a", "/a"), ("/old", self.server.origin + "/old"), ("/late", "/late")])
        self.site["/late"] = page("/late", [("/", "/")])
        del self.site["/old"]
        self.crawl("--depth", "1", "--mirror", "copy", self.server.origin + "/", self.server.origin + "/old")
        self.check_copy()
        after = self.files()
        host = os.path.dirname(self.home())
        self.assertEqual(set(after) - set(before), {f"{host}/late+.html"})
        self.assertEqual(set(before) - set(after), {f"{host}/old+.html"})
        self.assertEqual({path for path in before if after.get(path) == before[path]}, {f"{host}/a+.html"})

    def test_a_later_run_of_a_kept_crawl_asks_for_changes_alone(self):
        self.write("crawler.conf", "[parse]\nfollow = a\n[politeness]\nrobots = false\ndelay = 0\n[revisit]\ninterval "
                                   "= 1s\nmin_interval = 1s\nmax_interval = 1s\n")
        self.site["/"] = page("/", [("/a", "/a"), ("/A", "/A")])
        self.site["/a"] = self.site["/A"] = page("/a")
        self.site["/A"] = page("/A")
        options = ("--depth", "2", "--mirror", "copy", "--state", "kept", "--revisit", "--output", "pages.jsonl",
                   self.server.origin + "/")
        self.visit_all(0, *options)
        before = self.files()
        told = len(self.whole_records())
        self.site["/A"] = page("/A", [("/a", "/a")])
        self.visit_all(told, "--state", "kept")
        after = self.files()
        again = [record for record in self.whole_records()[told:] if not record["url"].endswith("/A")]
        self.assertEqual({record["status"] for record in again}, {304})
        self.assertEqual(self.check_copy(), 3)
        self.assertEqual([path for path in after if after[path] != before[path]],
                         [path for path in after if "+u" in path])

    def whole_records(self):
        lines = self.bytes_of("pages.jsonl").split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def visit_all(self, told, *options):
        """Runs the crawl until it has visited all three pages, some of them perhaps more than once."""
        process = self.start(*options)
        harness.wait_for(lambda: len({record["url"] for record in self.whole_records()[told:]}) == 3)
        process.send_signal(signal.SIGINT)
        stderr = process.communicate()[1]
        self.assertEqual(process.returncode, 3, stderr)

    def test_a_run_after_a_kill_goes_on_and_finishes(self):
        process = self.start("--depth", "2", "--mirror", "copy", "--state", "kept", "--per-host", "1", "--delay",
                             "20ms", self.server.origin + "/")
        harness.wait_for(lambda: os.path.isdir(self.path("copy")) and len(self.files()) > 8)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(self.crawl("--state", "kept", "--delay", "0").status, 0)
        self.assertEqual(len(self.files()), len(self.site))
        self.assertGreater(self.check_copy(), 2 * len(ODD))

    def test_a_page_that_redirects_to_itself_for_a_cookie_stays(self):
        self.site["/"] = page("/")
        self.server.http.asks_for_a_cookie = True
        for _ in range(3):
            result = self.mirror("--cookies")
            self.assertEqual(result.status, 0, result.stderr)
            self.assertEqual(Page(self.text(self.home())).name, "/", result.stderr)

    def test_a_page_that_a_killed_run_missed_stays(self):
        """The killed run found the page gone or of another type; the next finds it as it was."""
        self.site["/p"] = as_it_was = page("/p")
        seeds = (self.server.origin + "/p", self.server.origin + "/")
        for missed, word in ((None, b"gone"), (("text/plain", "other"), b"file")):
            self.site["/p"] = as_it_was
            self.assertEqual(self.crawl("--depth", "0", "--mirror", "copy", *seeds).status, 0)
            before = self.files()
            self.site.pop("/p")
            if missed:
                self.site["/p"] = missed
            process = self.start("--depth", "0", "--mirror", "copy", "--delay", "60s", *seeds)
            harness.wait_for(lambda: b"\n" + word + b"\t" in b"\n" + self.bytes_of("copy/.crawl-mirror/table"))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            self.site["/p"] = as_it_was
            result = self.crawl("--depth", "0", "--mirror", "copy", *seeds)
            self.assertEqual(result.status, 0, result.stderr)
            self.assertEqual(set(before), set(self.files()), result.stderr)

    def test_pages_that_may_not_be_kept_any_more_leave_the_copy(self):
        """One says "not found" with 200, the other's site refuses training by AI."""
        seeds = (self.server.origin + "/p", self.server.origin + "/q", self.server.origin + "/")
        options = ("--depth", "0", "--mirror", "copy", "--respect", "train", *seeds)
        self.site["/p"], self.site["/q"] = page("/p"), page("/q")
        self.assertEqual(self.crawl(*options).status, 0)
        self.assertEqual(len(self.files()), 3)
        self.site["/p"] = ("text/html", "<title>404 Page not found</title><h1>Page not found</h1>")
        self.site["/q"] = ("text/html", "<meta name=robots content=noai><title>q</title>")
        result = self.crawl(*options)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(len(self.files()), 1, result.stderr)

    def test_what_was_planted_is_not_followed(self):
        os.makedirs(self.path("copy/.crawl-mirror"))
        os.mkdir(self.path("outside"))
        host = f"copy/127.0.0.1+http{self.server.http.server_address[1]}"
        os.mkdir(self.path(host))
        os.symlink(self.write("outside/file", "as it was"), self.path(f"{host}/index.html"))
        self.site["/"] = page("/")
        result = self.mirror()
        self.assertEqual(result.status, 0)
        self.assertIn("crawl: mirror: 1 file new or changed, links of ", result.stderr)
        self.assertFalse(os.path.islink(self.path(f"{host}/index.html")))  # replaced, not written through
        os.symlink(self.path("outside"), self.path(f"{host}/a"))
        self.site["/"] = page("/", [("/a/b", "/a/b")])
        result = self.mirror()
        self.assertEqual(result.status, 4)
        self.assertIn("/a/b+.html: a symbolic link or a file stands where a folder should be", result.stderr)
        self.assertEqual(os.listdir(self.path("outside")), ["file"])
        self.assertEqual(self.bytes_of("outside/file"), b"as it was")

    def test_no_hard_link_is_written_through(self):
        self.site["/"] = page("/")
        for name, status in (("new-table", 0), ("table", 4)):
            shutil.rmtree(self.path("copy"), ignore_errors=True)
            os.makedirs(self.path("copy/.crawl-mirror"))
            os.link(self.write(f"outside/{name}", "as it was\nwithout an end"),
                    self.path(f"copy/.crawl-mirror/{name}"))
            result = self.mirror()
            self.assertEqual(result.status, status, result.stderr)
            self.assertEqual(self.bytes_of(f"outside/{name}"), b"as it was\nwithout an end")
        self.assertIn("is a hard link", result.stderr)

    def test_a_copy_in_use(self):
        self.site["/"] = page("/")
        os.makedirs(self.path("copy/.crawl-mirror"))
        with open(self.path("copy/.crawl-mirror/table"), "w", encoding="utf-8") as table:
            fcntl.flock(table, fcntl.LOCK_EX)
            result = self.mirror()
        self.assertEqual(result.status, 6, result.stderr)
        self.assertIn("another crawl is writing this copy", result.stderr)

    def test_the_first_page_is_named_so_that_a_shell_takes_it(self):
        self.site["/"] = page("/")
        host = f"127.0.0.1+http{self.server.http.server_address[1]}"
        for folder in ("copy", "the user's copy"):
            result = self.crawl("--depth", "0", "--mirror", folder, self.server.origin + "/")
            quoted = re.search(r"; open (.*)$", result.stderr, re.M)[1]
            self.assertEqual(shlex.split(quoted), [f"{folder}/{host}/index.html"])
            self.assertTrue(os.path.isfile(self.path(f"{folder}/{host}/index.html")))
            self.assertEqual("'" in quoted, "'" in folder, quoted)

    def test_the_page_of_the_seed_stays_the_first(self):
        self.site["/a"] = page("/a", [("/", "/")])
        for depth, changed in (("1", "/"), ("0", "/"), ("1", "/a")):
            self.site[changed] = page(changed, [("/a", "/a")], more=depth)
            result = self.crawl("--depth", depth, "--mirror", "copy", self.server.origin + "/")
            self.assertRegex(result.stderr, r"; open \S+/index\.html\n", (depth, changed))

    def test_a_copy_of_an_older_version_keeps_its_mark(self):
        self.site["/"] = page("/", [("/a", "/a")])
        self.mirror()
        os.remove(self.path("copy/.crawl-mirror/mark"))
        self.site["/"] = page("/", [("/a", "/a"), ("/b", "/b")])
        self.site["/b"] = page("/b")
        self.mirror()
        new = [path.split("/", 1)[1] for path in self.files() if "/b" in path]
        self.assertEqual(new, ["b!.html"])

    def test_the_fragment_of_a_redirect_stays(self):
        long = HOPS["/hop3"]
        self.site["/"] = page("/", [("/hop", long)])
        self.site[long] = page(long)
        self.assertEqual(self.mirror().status, 0)
        self.assertIn(f"href='{long[1:]}+.html#sec'", self.text(self.home()).replace('"', "'"))

    def test_a_page_does_not_become_gigabytes(self):
        body = f"<base href='http://a.localhost/{'x' * 8000}/'>" + "<a href=y>y</a>" * 20000
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": body})})
        result = self.crawl("--mirror", "copy", "--depth", "0", "--delay", "0", nginx.url("a.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn("mirror: 1 page would be too long", result.stderr)
        self.assertEqual(self.text(self.home()), body)

    def test_a_folder_of_others_is_refused(self):
        self.write("copy/file", "of others")
        result = self.mirror()
        self.assertEqual(result.status, 2)
        self.assertIn("mirror: copy: the folder is not empty, and is not a copy made by --mirror", result.stderr)
        self.assertEqual(os.listdir(self.path("copy")), ["file"])


if __name__ == "__main__":
    harness.main()
