#!/usr/bin/env python3
"""Tests which headers, credentials, cookies and bodies requests carry, and that none of them leaves its origin."""
import base64
import gzip
import json
import os
import stat
import threading

import harness
import warc_reader
from recording import Answer, Redirect, Site

QUICK = ("--delay", "0", "--output", "pages.jsonl")


def basic(user):
    return ["Basic " + base64.b64encode(user.encode()).decode()]


class Requests(harness.TestCase):
    def site(self, pages, **options):
        return self.serve(Site(pages, **options))

    def configure(self, text):
        path = self.write("crawler.conf", text)
        os.chmod(path, 0o600)

    def run_crawl(self, *args, status=0, **options):
        result = self.crawl(*QUICK, *args, **options)
        self.assertEqual(result.status, status, result.stderr)
        return result

    def nothing_holds(self, *secrets):
        """Checks that no file of the crawl contains a secret."""
        for folder, _, names in os.walk(self.folder):
            for name in names:
                if name in ("crawler.conf", "seeds", "secret") and folder == self.folder:
                    continue
                with open(os.path.join(folder, name), "rb") as file:
                    text = file.read()
                for secret in secrets:
                    self.assertNotIn(secret.encode(), text, f"{folder}/{name}")


class Hosts(Requests):
    def test_headers_of_all_and_of_one(self):
        a = self.site({"/": "<a href=/2>", "/2": "x"})
        self.configure(f"[fetch]\nheader = Accept-Language: de\nheader = X-All: 1\nheader = X-Gone: 1\n"
                       f"[host a.localhost]\nheader = X-One: 1\nheader = x-all: 2\nheader = X-Gone:\n")
        self.run_crawl("--scope", "any", "--allow-private", a.url("a.localhost"), a.url("b.localhost", "/b"))
        for request in a.requests:
            self.assertEqual(request.headers["accept-language"], ["de"])
            is_a = request.host.startswith("a.")
            self.assertEqual(request.headers["x-one"], ["1"] if is_a else [])
            self.assertEqual(request.headers["x-all"], ["2"] if is_a else ["1"])
            self.assertEqual(request.headers["x-gone"], [] if is_a else ["1"])
            self.assertEqual(len(request.headers["accept"]), 1)
        self.assertEqual({(r.host.split(".")[0], r.path) for r in a.requests},
                         {("a", "/"), ("a", "/2"), ("a", "/robots.txt"), ("b", "/b"), ("b", "/robots.txt")})

    def test_headers_of_our_own_that_are_not_wanted(self):
        a = self.site({"/": "x", "/b": "x"})
        names = ("Accept", "User-Agent", "Accept-Encoding")
        self.configure("[fetch]\nheader = Accept:\n[host b.localhost]\nheader = User-Agent:\n"
                       "header = Accept-Encoding:\n")
        self.run_crawl("--warc", "out", a.url("a.localhost"), a.url("b.localhost", "/b"))
        sent = {request.path: [len(request.headers[name.lower()]) for name in names] for request in a.requests}
        self.assertEqual((sent["/"], sent["/b"]), ([0, 1, 1], [0, 0, 0]))
        archived = {r.headers["WARC-Target-URI"]: r.block for r in warc_reader.read_all(self.path("out"))
                    if r.headers["WARC-Type"] == "request"}
        lines = archived[a.url("b.localhost", "/b")].lower().splitlines()
        self.assertEqual([line for line in lines if line.split(b":")[0].decode() in map(str.lower, names)], [])

    def test_header_option_and_its_errors(self):
        a = self.site({"/": "x"})
        self.run_crawl("--header", "X-Opt: yes", a.url("a.localhost"))
        self.assertEqual(a.asked("/")[0].headers["x-opt"], ["yes"])
        for bad in ("Host: b", "X-A: b\r\nX-B: c", "Content-Length: 3", "Authorization: Basic SECRET", "nothing"):
            result = self.crawl("--header", bad, a.url("a.localhost"))
            self.assertEqual(result.status, 2, bad)
            self.assertNotIn("SECRET", result.stderr)

    def test_the_most_particular_section_holds_key_by_key(self):
        a = self.site({"/": "x"})
        self.configure(f"[host *.x.localhost:{a.port}]\nuser = wide\npassword = one\nheader = X-Wide: 1\n"
                       f"[host *.y.x.localhost:{a.port}]\nuser = near\nheader = X-Near: 1\n"
                       f"[host a.y.x.localhost]\npassword = own\n[host b.x.localhost]\nbearer = token\n")
        self.run_crawl(*(a.url(host) for host in ("a.y.x.localhost", "c.y.x.localhost", "b.x.localhost",
                                                  "x.localhost")))
        sent = {request.host.rsplit(":", 1)[0]: request.headers for request in a.asked("/")}
        self.assertEqual(sent["a.y.x.localhost"]["authorization"], basic("near:own"))
        self.assertEqual(sent["c.y.x.localhost"]["authorization"], basic("near:one"))
        self.assertEqual(sent["b.x.localhost"]["authorization"], ["Bearer token"])
        self.assertEqual(sent["x.localhost"]["authorization"], [])
        self.assertEqual((sent["a.y.x.localhost"]["x-near"], sent["a.y.x.localhost"]["x-wide"]), (["1"], ["1"]))
        self.assertEqual(sent["b.x.localhost"]["x-near"], [])

    def test_password_file_robots_and_sitemap(self):
        def site(request):
            return {"/robots.txt": "User-agent: *\nAllow: /\nSitemap: /map.xml\n",
                    "/map.xml": "<urlset><url><loc>/3</loc></url></urlset>"}.get(request.path, "x")

        a = self.site({path: (lambda request: site(request) if request.headers["authorization"]
                              else Answer("who?", 401))
                       for path in ("/", "/robots.txt", "/map.xml", "/sitemap.xml")})
        os.chmod(self.write("secret", "p w\u00e9\nsecond line\n"), 0o600)
        self.configure("[host a.localhost]\nuser = me\npassword_file = secret\n")
        result = self.run_crawl("--sitemaps", a.url("a.localhost"))
        self.assertNotIn("warning", result.stderr)
        for path in ("/", "/robots.txt", "/map.xml", "/sitemap.xml"):
            self.assertEqual(a.asked(path)[0].headers["authorization"], basic("me:p w\u00e9"), path)

    def test_ipv6_and_idn_names(self):
        try:
            six = self.site({"/": "x"}, address="::1")
        except OSError:
            self.skipTest("no IPv6 here")
        a = self.site({"/": "x"})
        self.configure(f"[host [::1]:{six.port}]\nheader = X-Six: 1\n[host \u00fcber.localhost]\nheader = X-Idn: 1\n")
        self.run_crawl(six.url("[::1]"), a.url("\u00fcber.localhost"), a.url("xn--ber-goa.localhost", "/?2"))
        self.assertEqual(six.asked("/")[0].headers["x-six"], ["1"])
        self.assertEqual([r.host for r in six.asked("/")], [f"[::1]:{six.port}"])
        for request in a.requests:
            self.assertEqual(request.host, f"xn--ber-goa.localhost:{a.port}")
            self.assertEqual(request.headers["x-idn"], ["1"])

    def test_delay_limit_and_budget_of_a_host(self):
        links = "".join(f"<a href=/{i}>" for i in range(10))
        a = self.site({"/": links, **{f"/{i}": "x" for i in range(10)}})
        self.configure("[host slow.localhost]\ndelay = 300ms\nper_host = 1\nmax_pages = 3\n[host wide.localhost]\n"
                       "per_host = 5\n")
        result = self.run_crawl("--requests", "requests.jsonl", a.url("slow.localhost"), a.url("b.localhost"),
                                a.url("wide.localhost"))
        asked = self.exchanges()
        slow = [one for one in asked if "slow." in one["url"]]
        self.assertEqual(len(slow), 4)  # with robots.txt
        starts = sorted(one["start"] for one in slow)
        self.assertTrue(all(later - sooner >= 300 for sooner, later in zip(starts, starts[1:])), starts)
        self.assertEqual({one["limit"] for one in slow}, {1})
        self.assertEqual({one["limit"] for one in asked if "wide." in one["url"]}, {5})
        self.assertEqual({one["limit"] for one in asked if "b." in one["url"]}, {2})
        self.assertEqual({(one["pause"], one["pause_by"]) for one in slow}, {(300, "delay")})
        self.assertEqual(len([r for r in a.requests if r.host.startswith("b.")]), 12)
        self.assertEqual(self.crawl("audit", "requests.jsonl").status, 0)

    def test_mistakes_are_told_before_anything_is_asked(self):
        a = self.site({"/": "x"})
        cases = (("user = a:b", 2, "cannot contain a colon"),
                 ("password_file = nowhere", 4, "[host a.localhost] password_file: nowhere: No such file"),
                 ("bearer_file = nowhere", 4, "[host a.localhost] bearer_file: nowhere: No such file"),
                 ("bearer = b", 2, "[host a.localhost] has a user and a bearer, but a request has one Authorization"),
                 ("client_cert = nowhere", 4, "client_cert"))
        for line, status, words in cases:
            self.configure(f"[host a.localhost]\nuser = a\n{line}\n".replace("user = a\nuser", "user"))
            result = self.run_crawl(a.url("a.localhost"), status=status)
            self.assertIn(words, result.stderr)
        self.configure("[host a.localhost]\npassword = p\n")
        self.assertIn("[host a.localhost] has a password, but no section has a user",
                      self.run_crawl(a.url("a.localhost"), status=2).stderr)
        self.configure("[host exa\u00admple..com]\nuser = a\n[host a b]\n")
        self.assertEqual(self.run_crawl(a.url("a.localhost"), status=2).stderr.count("crawler.conf:3:1"), 1)
        self.assertEqual(a.requests, [])

    def test_files_that_others_may_read_are_warned_of(self):
        a = self.site({"/": "x"})
        self.write("secret", "pw\n")
        path = self.write("crawler.conf", "[host a.localhost]\nuser = u\npassword_file = secret\nheader = X-Token: t\n")
        os.chmod(path, 0o644)
        os.chmod(self.path("secret"), 0o640)
        result = self.run_crawl(a.url("a.localhost"))
        self.assertIn("warning: crawler.conf holds a secret", result.stderr)
        self.assertIn("warning: secret holds a password", result.stderr)
        self.assertEqual(a.asked("/")[0].headers["authorization"], basic("u:pw"))


class Origins(Requests):
    """Credentials of http://a.localhost:A, and all other origins that might get them."""

    def test_redirects_links_and_retries(self):
        other = self.site({"/got": "x", "/page": "x"})
        tries = []

        def flaky(request):
            tries.append(request)
            return Answer("later", 503) if len(tries) == 1 else "x"

        a = self.site({})
        a.pages.update({
            "/": f"<a href=/out><a href=/port><a href=/in><a href=/flaky><a href={other.url('a.localhost', '/page')}>",
            "/out": Redirect(a.url("b.localhost", "/got")), "/port": Redirect(other.url("a.localhost", "/got")),
            "/in": Redirect("/inside"),
            "/inside": "x", "/flaky": flaky, "/got": "x",
            "/robots.txt": lambda request: Redirect(other.url("c.localhost", "/robots.txt"))
            if request.host.startswith("a.") else Answer("", 404)})
        self.configure("[host a.localhost]\nuser = u\npassword = pw\nheader = X-Mine: 1\nheader = Cookie: c=1\n")
        self.run_crawl("--scope", "any", "--allow-private", "--set", "politeness.retry_delay=10ms",
                       a.url("a.localhost"), "--requests", "requests.jsonl", "--links", "links.jsonl",
                       "--verbose")
        for request in a.requests + other.requests:
            mine = request in a.requests and request.host == f"a.localhost:{a.port}"
            for name, value in (("authorization", basic("u:pw")), ("x-mine", ["1"]), ("cookie", ["c=1"])):
                self.assertEqual(request.headers[name], value if mine else [], (request.host, request.path, name))
        self.assertEqual(len(tries), 2)
        self.assertTrue(other.asked("/robots.txt") and other.asked("/got") and other.asked("/page"))
        self.assertTrue([r for r in a.asked("/got") if r.host.startswith("b.")])
        self.nothing_holds("pw", "dTpwdw")

    def test_archives_hold_requests_without_secrets(self):
        a = self.site({"/": "x", "/post": "x"})
        self.configure(
            "[host a.localhost]\nuser = u\npassword = pw\nheader = Cookie: c=SECRET\nheader = X-Mine: kept\n")
        self.write("seeds", json.dumps({"url": a.url("a.localhost", "/post"), "method": "POST",
                                        "body": "a: b\r\nCookie: in the body\r\n",
                                        "headers": {"X-Token": "SECRET"}}) + "\n")
        self.run_crawl("--warc", "w", "--seeds", "seeds", a.url("a.localhost"))
        self.assertEqual(a.asked("/post")[0].headers["x-token"], ["SECRET"])
        archive = b""
        for name in os.listdir(self.folder):
            if name.endswith(".warc.gz"):
                with gzip.open(self.path(name)) as file:
                    archive += file.read()
        self.assertEqual(archive.count(b"X-Mine: kept"), 3)
        self.assertIn(b"Cookie: in the body", archive)
        self.assertNotIn(b"SECRET", archive)
        self.assertNotIn(b"Authorization", archive)

    def test_a_section_without_port_means_origins_of_seeds(self):
        a = self.site({"/": "x"})
        b = self.site({"/": "x"})
        a.pages["/"] = f"<a href={b.url('b.localhost')}>"
        self.configure(f"[host b.localhost]\nheader = X-Mine: 1\n[host https://a.localhost:{a.port}]\nheader = X-Tls: "
                       f"1\n")
        self.run_crawl("--scope", "any", "--allow-private", a.url("a.localhost"))
        self.assertEqual(b.asked("/")[0].headers["x-mine"], [])
        self.assertEqual(a.asked("/")[0].headers["x-tls"], [])

    def test_user_in_a_url(self):
        a = self.site({"/": "<a href=2><a href=http://x:y@b.localhost:%d/b><a href=/out>", "/2": "x", "/b": "x"})
        a.pages["/"] = a.pages["/"] % a.port
        a.pages["/out"] = Redirect(f"http://u:v@b.localhost:{a.port}/c")
        a.pages["/c"] = "x"
        self.run_crawl("--scope", "any", "--allow-private", "--verbose", "--links", "links.jsonl", "--requests",
                       "requests.jsonl", "--warc", "w",
                       f"http://me:s%3Acret@a.localhost:{a.port}/")
        for request in a.requests:
            self.assertEqual(request.headers["authorization"], basic("me:s:cret") if request.host.startswith("a.")
                             else [], request.path)
        self.assertEqual({record["url"] for record in self.records("pages.jsonl")},
                         {a.url("a.localhost"), a.url("a.localhost", "/2"), a.url("a.localhost", "/out"),
                          a.url("b.localhost", "/b"), a.url("b.localhost", "/c")})
        self.nothing_holds("s%3Acret", "x:y@")
        result = self.crawl(*QUICK, "--state", "kept", f"http://me:pw@a.localhost:{a.port}/")
        self.assertEqual(result.status, 2)
        self.assertIn("password_file", result.stderr)

    def test_json_seeds(self):
        a = self.site({"/ok": "x"})
        a.pages.update({"/303": Redirect("/ok?303", 303), "/307": Redirect("/ok?307", 307),
                        "/308": Redirect(a.url("b.localhost", "/ok?308"), 308),
                        "/ok?303": "x", "/ok?307": "x", "/ok?308": "x"})
        headers = {"Authorization": "Bearer SECRET", "Cookie": "s=SECRET", "Content-Type": "text/plain", "X-Mine": "1"}
        seeds = [{"url": a.url("a.localhost", path), "method": "post", "body": "q=1", "headers": headers}
                 for path in ("/303", "/307", "/308")]
        self.write("seeds", "".join(json.dumps(seed) + "\n" for seed in seeds))
        self.run_crawl("--seeds", "seeds", "--allow-private")
        sent = {request.path: request for request in a.requests}
        for path in ("/303", "/307", "/308"):
            self.assertEqual((sent[path].method, sent[path].body), ("POST", b"q=1"))
            self.assertEqual(sent[path].headers["authorization"], ["Bearer SECRET"])
        see_other = sent["/ok?303"]
        self.assertEqual((see_other.method, see_other.body, see_other.headers["content-type"]), ("GET", b"", []))
        self.assertEqual((see_other.headers["authorization"], see_other.headers["x-mine"]), (["Bearer SECRET"], ["1"]))
        same = sent["/ok?307"]
        self.assertEqual((same.method, same.body, same.headers["content-type"]), ("POST", b"q=1", ["text/plain"]))
        self.assertEqual(same.headers["cookie"], ["s=SECRET"])
        across = sent["/ok?308"]
        self.assertEqual((across.method, across.body, across.headers["content-type"]), ("POST", b"q=1", ["text/plain"]))
        self.assertEqual((across.headers["authorization"], across.headers["cookie"], across.headers["x-mine"]),
                         ([], [], []))
        self.assertEqual(sent["/robots.txt"].headers["authorization"], [])
        prints = {record["url"]: record["fingerprint"] for record in self.records("pages.jsonl")}
        self.assertEqual(len(set(prints.values())), 6)
        expected = self.crawl("url", "--jsonl", stdin=json.dumps({"input": seeds[0]["url"], "method": "POST",
                                                                  "body": "q=1"}) + "\n")
        self.assertEqual(prints[seeds[0]["url"]], json.loads(expected.stdout)["fingerprint"])

    def test_bad_json_seeds(self):
        a = self.site({"/": "x"})
        url = a.url("a.localhost")
        cases = [({"headers": {"Host": "b"}}, "follows from the URL"), ({"headers": {"Content-Length": "1"}},
                                                                        "request's body"),
                 ({"headers": {"Connection": "close"}}, "connection"), ({"headers": {"X": "a\r\nY: b"}}, "one line"),
                 ({"headers": {"X\u0000": "a"}}, ""),
                 ({"headers": {"X": "a\u0000b"}}, ""), ({"headers": {"X": 1}}, "one line"),
                 ({"headers": {"a b": "c"}}, ""), ({"headers": ["X: 1"]}, "object"),
                 ({"method": "G T"}, "token"), ({"body": 1}, "must be text"), ({"body_hex": "0"}, "hexadecimal"),
                 ({"headrs": {}}, "unknown field"),
                 ({"headers": {"Proxy-Authorization": "SECRET"}}, "proxy's URL")]
        self.write("seeds", "".join(json.dumps({"url": url, **fields}) + "\n" for fields, _ in cases) + url + "\n")
        result = self.run_crawl("--seeds", "seeds")
        lines = [line for line in result.stderr.splitlines() if line.startswith("crawl: seeds:")]
        self.assertEqual(len(lines), len(cases), result.stderr)
        for number, (line, (_, words)) in enumerate(zip(lines, cases), 1):
            self.assertTrue(line.startswith(f"crawl: seeds:{number}: "), line)
            self.assertIn(words, line)
            self.assertNotIn("SECRET", line)
        self.assertEqual([r.method for r in a.asked("/")], ["GET"])


class Cookies(Requests):
    def test_shared_by_workers_and_bound_to_their_host(self):
        links = "".join(f"<a href=/{i}>" for i in range(40))

        def enter(request):
            return Answer(links, 200, (("Set-Cookie", f"who={request.host.split('.')[0]}; Path=/"),))

        a = self.site({"/": enter, **{f"/{i}": "x" for i in range(40)}})
        self.run_crawl("--cookies", "--workers", "4", "--connections", "16", "--per-host", "8", a.url("a.localhost"),
                       a.url("b.localhost"))
        pages = [request for request in a.requests if request.path not in ("/", "/robots.txt")]
        self.assertEqual(len(pages), 80)
        for request in pages:
            self.assertEqual(request.headers["cookie"], [f"who={request.host.split('.')[0]}"])

    def test_file_and_save(self):
        a = self.site({"/": "x", "/s": Answer("x", 200, (("Set-Cookie", "new=2; Path=/; Max-Age=3600"),))})
        self.write("in.txt", "# Netscape HTTP Cookie File\na.localhost\tFALSE\t/\tFALSE\t0\told\t1\n")
        os.chmod(self.path("in.txt"), 0o600)
        self.run_crawl("--cookies-file", "in.txt", "--cookies-save", "out.txt", a.url("a.localhost"),
                       a.url("a.localhost", "/s"), a.url("b.localhost"))
        for request in a.requests:
            self.assertIn("old=1" if request.host.startswith("a.") else "", "".join(request.headers["cookie"]))
            self.assertTrue(request.host.startswith("a.") or not request.headers["cookie"])
        self.assertEqual(stat.S_IMODE(os.stat(self.path("out.txt")).st_mode), 0o600)
        with open(self.path("out.txt"), encoding="ascii") as file:
            saved = file.read()
        self.assertIn("a.localhost\tFALSE\t/\tFALSE\t0\told\t1\n", saved)
        self.assertRegex(saved, r"(?m)^a\.localhost\tFALSE\t/\tFALSE\t\d+\tnew\t2$")
        self.write("bad.txt", "# of another program\n\nnot a cookie\n")
        missing = self.run_crawl("--cookies-file", "nowhere", a.url("a.localhost"), status=4)
        self.assertIn("crawl: cookies_file: nowhere: No such file", missing.stderr)
        result = self.run_crawl("--cookies-file", "bad.txt", a.url("a.localhost"), status=2)
        self.assertIn("bad.txt:3: expected domain", result.stderr)

    def test_kept_by_the_state(self):
        a = self.site({"/": Answer("<a href=/2>", 200, (("Set-Cookie", "s=1"),)), "/2": "x", "/3": "x"})
        self.run_crawl("--cookies", "--state", "kept", a.url("a.localhost"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("kept/cookies.txt")).st_mode), 0o600)
        self.run_crawl("--state", "kept", a.url("a.localhost", "/3"))
        self.assertEqual(a.asked("/3")[0].headers["cookie"], ["s=1"])
        self.assertEqual([name for name in os.listdir(self.path("kept")) if name.endswith((".new", ".tmp"))], [])

    def test_one_header_with_those_of_a_section(self):
        pages = {"/": Answer("<a href=/2>", 200, (("Set-Cookie", "theirs=1"), ("Set-Cookie", "both=theirs"))),
                 "/2": "x"}
        a = self.site(pages)
        self.configure("[host a.localhost]\nheader = cookie: mine=1; both=mine\n")
        self.run_crawl("--cookies", a.url("a.localhost"))
        self.assertEqual(a.asked("/")[0].headers["cookie"], ["mine=1; both=mine"])
        self.assertEqual(a.asked("/2")[0].headers["cookie"], ["mine=1; both=mine; theirs=1"])

    def test_a_page_that_sets_a_cookie_and_refreshes_to_itself_is_asked_again(self):
        def answer(request):
            if request.headers["cookie"]:
                return "<title>in</title><a href=/2>"
            return Answer(refresh.format(request.path), 200, (("Set-Cookie", "s=1; Path=" + request.path),))

        for refresh in ("<base href=/x/><meta http-equiv=refresh content=0>",
                        "<meta http-equiv=refresh content='0;url={}'>"):
            a = self.site({"/": answer, "/2": "x"})
            self.run_crawl("--cookies", a.url("a.localhost"))
            self.assertEqual([request.headers["cookie"] for request in a.asked("/")], [[], ["s=1"]])
            self.assertEqual(len(a.asked("/2")), 1)
            behind = self.site({"/": "<a href=/p><a href=/q>", "/p": answer, "/q": answer, "/2": "x"})
            self.run_crawl("--cookies", behind.url("a.localhost"))
            self.assertEqual((len(behind.asked("/p")), len(behind.asked("/q"))), (2, 2))
        reading = self.site({"/": Answer("<meta http-equiv=refresh content=300>", 200, (("Set-Cookie", "s=1"),))})
        self.run_crawl("--cookies", reading.url("a.localhost"))
        self.assertEqual(len(reading.asked("/")), 1, "it is for readers")
        form = self.site({"/": Answer("<meta http-equiv=refresh content=0>", 200, (("Set-Cookie", "s=1"),))})
        self.write("form.jsonl", '{"url":"%s","method":"POST","body":"a=b"}' % form.url("a.localhost"))
        self.run_crawl("--cookies", "--set", "politeness.max_redirects=2", "--seeds", self.path("form.jsonl"))
        self.assertEqual([request.method for request in form.asked("/")], ["POST", "GET", "GET"])
        loop = self.site({"/": Answer("<meta http-equiv=refresh content=0>", 200, (("Set-Cookie", "s=1"),))})
        self.run_crawl("--cookies", "--set", "politeness.max_redirects=3", loop.url("a.localhost"))
        self.assertEqual(len(loop.asked("/")), 4)
        self.run_crawl(loop.url("b.localhost"))
        self.assertEqual(len(loop.asked("/")), 5)

    def test_a_page_behind_a_test_for_cookies_is_asked_again(self):
        def answer(request):
            return "in" if request.headers["cookie"] else Redirect("/set")

        for gate in ((), (("Set-Cookie", "late=1"),)):
            a = self.site({"/": answer, "/set": Answer("", 302, (("Location", "/test"), ("Set-Cookie", "s=1"))),
                           "/test": Answer("", 302, (("Location", "/"), *gate))})
            self.run_crawl("--cookies", a.url("a.localhost"))
            self.assertEqual([r.path for r in a.requests if r.path != "/robots.txt"], ["/", "/set", "/test", "/"])

    def test_a_form_that_leads_back_to_its_page_with_a_cookie(self):
        def to(place, *cookies):
            return Answer("", 302, (("Location", place), *(("Set-Cookie", cookie) for cookie in cookies)))

        for sent, check in ((to("/check"), to("/in", "s=1")), (to("/check", "s=1"), to("/in")),
                            (to("/in", "s=1"), "")):
            a = self.site({"/in": lambda request, sent=sent: sent if request.method == "POST" else "x",
                           "/check": check})
            self.write("seeds", "".join(json.dumps({"url": a.url("a.localhost", "/in"), "method": method}) + "\n"
                                        for method in ("GET", "POST")))
            self.run_crawl("--cookies", "--seeds", "seeds")
            self.assertEqual(sorted(r.method for r in a.asked("/in")), ["GET", "GET", "POST"])

    def test_a_redirect_sets_what_the_next_request_is_sent_with(self):
        a = self.site({"/": Answer("", 302, (("Location", "/in/2"), ("Set-Cookie", "far=1; Path=/in"),
                                             ("Set-Cookie", "gone=1; Max-Age=0"),
                                            ("Set-Cookie", "wide=1; Domain=localhost"))), "/in/2": "x"})
        self.run_crawl("--cookies", a.url("a.localhost"))
        self.assertEqual(a.asked("/in/2")[0].headers["cookie"], ["far=1"])

    def test_only_regular_files_are_replaced(self):
        a = self.site({"/": Answer("x", 200, (("Set-Cookie", "s=1"),))})
        os.mkfifo(self.path("pipe"))
        for path in ("pipe", "/dev/null", "."):
            result = self.crawl("--cookies-save", path, a.url("a.localhost"))
            self.assertEqual(result.status, 2, result.stderr)
            self.assertIn(f"{path}: cannot save cookies there: not a regular file", result.stderr)
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))

    def test_what_the_user_gave_outlasts_floods_and_runs(self):
        flood = tuple(("Set-Cookie", f"c{i}={'x' * 1000}") for i in range(50))
        a = self.site({"/": Answer("x", 200, flood), "/2": "x"})
        os.chmod(self.write("in.txt", "good.localhost\tFALSE\t/\tFALSE\t0\tlogin\t1\n"), 0o600)
        options = ("--set", "fetch.max_cookies=64KiB", "--cookies-file", "in.txt", "--state", "kept")
        self.run_crawl(*options, *(a.url(f"evil{i}.localhost") for i in range(20)))
        self.run_crawl("--state", "kept", *(a.url(f"evil{i}.localhost", "/2") for i in range(20)),
                       a.url("good.localhost", "/2"))
        sent = {request.host.split(".")[0]: request.headers["cookie"] for request in a.asked("/2")}
        self.assertEqual(sent["good"], ["login=1"])
        self.assertLess(sum(len(cookie) for cookies in sent.values() for cookie in cookies), 64 << 10,
                        "of a thousand KiB that were set")
        with open(self.path("kept/cookies.txt"), encoding="ascii") as file:
            own, theirs = file.read().split("# Set by servers:\n")
        self.assertIn("good.localhost\tFALSE\t/\tFALSE\t0\tlogin\t1\n", own)
        self.assertTrue(theirs and all(line.startswith("evil") for line in theirs.splitlines()))

    def test_the_hint_at_cookies_is_for_those_without(self):
        a = self.site({"/": Redirect("/2"), "/2": Redirect("/")})
        for options, is_said in (((), True), (("--cookies",), False), (("--cookies-save", "out.txt"), False)):
            result = self.crawl(*QUICK, "--no-robots", *options, a.url("a.localhost"))
            self.assertEqual("they get their cookies back: --cookies" in result.stderr, is_said, result.stderr)

    def test_a_kill_at_once_loses_nothing_of_the_users_file(self):
        held = threading.Event()
        self.addCleanup(held.set)
        a = self.site({"/": lambda request: "x" if held.wait(30) else "", "/2": "x"})
        os.chmod(self.write("in.txt", "a.localhost\tFALSE\t/\tFALSE\t0\tlogin\t1\n"), 0o600)
        process = self.start(*QUICK, "--no-robots", "--cookies-file", "in.txt", "--state", "kept", a.url("a.localhost"))
        self.wait_for(lambda: a.asked("/"))
        process.kill()
        process.communicate()
        held.set()
        self.run_crawl("--state", "kept", a.url("a.localhost", "/2"))
        self.assertEqual([request.headers["cookie"] for request in a.asked("/2")], [["login=1"]])

    TEXT = "a.localhost\tFALSE\t/\tFALSE\t0\t{}\t{}\n"

    def text_of(self, name):
        with open(self.path(name), encoding="ascii") as file:
            return file.read()

    def sent_with(self, a, path, text, seconds, *options):
        """Crawls one path of a site with a file of cookies, made so many seconds after the kept ones. Returns what the
        request was sent with."""
        os.chmod(self.write("in.txt", text), 0o600)
        if os.path.exists(self.path("kept/cookies.txt")):
            at = os.stat(self.path("kept/cookies.txt")).st_mtime_ns + seconds * 1000000000
            os.utime(self.path("in.txt"), ns=(at, at))
        self.run_crawl("--cookies-file", "in.txt", "--state", "kept", *options, a.url("a.localhost", path))
        return [request.headers["cookie"] for request in a.asked(path)]

    def test_a_file_goes_before_what_is_kept_if_it_is_another_one(self):
        """The age does not matter: a login may be exported before the crawl is stopped, and a file be made anew at
        each start."""
        a = self.site({f"/{i}": Answer("x", 200, (("Set-Cookie", f"c={i}"),)) for i in range(1, 6)})
        self.assertEqual(self.sent_with(a, "/1", self.TEXT.format("c", "own"), 0), [["c=own"]])
        self.assertEqual(self.sent_with(a, "/2", self.TEXT.format("c", "own"), 60), [["c=1"]])
        other = self.TEXT.format("c", "other")
        self.assertEqual(self.sent_with(a, "/3", other, -60), [["c=other"]])
        self.run_crawl("--state", "kept", a.url("a.localhost", "/4"))
        self.assertEqual(self.sent_with(a, "/5", other, 60), [["c=4"]])

    def test_a_first_file_goes_before_what_is_kept(self):
        a = self.site({"/1": Answer("x", 200, (("Set-Cookie", "c=1"),)), "/2": "x"})
        self.run_crawl("--cookies", "--state", "kept", a.url("a.localhost", "/1"))
        self.assertEqual(self.sent_with(a, "/2", self.TEXT.format("c", "own"), -60), [["c=own"]])

    def test_of_a_file_and_the_kept_ones_of_an_older_version_the_newer_holds(self):
        a = self.site({"/1": "x", "/2": "x", "/3": "x"})
        self.sent_with(a, "/1", self.TEXT.format("c", 1), 0)
        for path, seconds, sent in (("/2", 60, "c=2"), ("/3", -60, "c=2; d=3")):
            kept = self.text_of("kept/cookies.txt")
            self.write("kept/cookies.txt", "".join(line for line in kept.splitlines(True) if "SHA-1" not in line))
            text = "".join(self.TEXT.format(name, path[1:]) for name in "cd"[:int(path[1:]) - 1])
            self.assertEqual(self.sent_with(a, path, text, seconds), [[sent]])

    def test_a_file_is_read_by_the_first_run_alone(self):
        a = self.site({"/": "x", "/2": "x"})
        os.chmod(self.write("in.txt", "a.localhost\tFALSE\t/\tFALSE\t0\tc\t1\n"), 0o600)
        self.run_crawl("--cookies-file", "in.txt", "--state", "kept", a.url("a.localhost"))
        os.remove(self.path("in.txt"))
        self.run_crawl("--state", "kept", a.url("a.localhost", "/2"))
        self.assertEqual([request.headers["cookie"] for request in a.asked("/2")], [["c=1"]])


class Secrets(Requests):
    def test_print_config_and_state_leave_them_out(self):
        a = self.site({"/": "x", "/2": "x", "/3": "x"})
        os.chmod(self.write("secret", "FILED\n"), 0o600)
        self.configure("[host a.localhost]\nuser = u\npassword = HIDDEN1\n[host b.localhost]\nuser = v\npassword_file "
                       "= secret\nheader = X-Api-Key: HIDDEN2\n"
                       "[fetch]\nheader = Accept-Language: de\n")
        printed = self.crawl("--print-config").stdout
        self.assertNotIn("HIDDEN", printed)
        self.assertIn("withheld = password\n", printed)
        self.assertIn("withheld = header X-Api-Key\n", printed)
        self.run_crawl("--state", "kept", a.url("a.localhost"), a.url("b.localhost"))
        self.nothing_holds("HIDDEN", "FILED")
        os.rename(self.path("crawler.conf"), self.path("away"))
        result = self.run_crawl("--state", "kept", a.url("b.localhost", "/2"), status=2)
        self.assertIn("[host a.localhost] lacks a secret, which is never kept: password", result.stderr)
        self.run_crawl("--state", "kept", "--config", "away", a.url("b.localhost", "/2"))
        self.assertEqual(a.asked("/2")[0].headers["authorization"], basic("v:FILED"))
        self.assertEqual(a.asked("/2")[0].headers["x-api-key"], ["HIDDEN2"])
        os.remove(self.path("away"))
        drop = ("--set", "host a.localhost.withheld=", "--set", "host b.localhost.withheld=")
        self.run_crawl("--state", "kept", *drop, a.url("b.localhost", "/3"))
        self.assertEqual(a.asked("/3")[0].headers["authorization"], basic("v:FILED"))
        self.assertEqual(a.asked("/3")[0].headers["accept-language"], ["de"])


if __name__ == "__main__":
    harness.main()
