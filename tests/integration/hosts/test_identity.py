"""Tests a crawl that signs its requests (Web Bot Auth) with a server that verifies each of them."""
import glob
import os
import subprocess
import threading

import harness
from cryptography.hazmat.primitives import serialization
from recording import Server
from signed_requests import AGENT, FULL, Seen, SignedCase, make_certificate, thumbprint

PAGE = "<title>page</title>"


class Site(harness.Handler):
    """Serves pages that make the crawl send every kind of request; self.server.seen has the requests."""

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        seen = Seen(self)
        self.server.seen.append(seen)
        path = seen.target.partition("?")[0].strip("/").replace("-", "_").replace(".", "_")
        getattr(self, "page_" + path, self.page)(seen)

    def answer(self, status, body, *headers):
        super().answer(status, "" if self.command == "HEAD" else body, *headers)

    def page(self, _):
        self.answer(200, PAGE)

    def page_(self, _):
        other = self.server.other
        self.answer(200, PAGE + '<a href="/a%20b/?q=[]&amp;c=caf%C3%A9">1</a><a href="/old">2</a><a href="/flaky">3</a>'
                    f'<a href="/away">4</a><a href="{other}/outside">5</a><a href="/tagged">6</a>')

    def page_old(self, _):
        self.answer(302, "", "Location: /new?from=old")

    def page_away(self, _):
        self.answer(302, "", f"Location: {self.server.other}/landed")

    def page_flaky(self, _):
        self.server.flaky += 1
        self.answer(503 if self.server.flaky == 1 else 200, PAGE)

    def page_tagged(self, seen):
        if seen.headers.get("If-None-Match") == '"one"':
            self.answer(304, "")
        else:
            self.answer(200, PAGE, 'ETag: "one"')

    def ask(self, seen, asked, accepts=lambda seen: seen.is_signed()):
        if accepts(seen):
            self.answer(200, PAGE)
        else:
            self.answer(403, "", f"Accept-Signature: {asked}")

    def page_asked(self, seen):
        self.ask(seen, 'abc=("@authority" "@target-uri" "user-agent" "signature-agent";key="abc");created;expires;'
                 'nonce="from-the-server";tag="web-bot-auth"')

    def page_asked_cookie(self, seen):
        self.ask(seen, 'sig1=("@authority" "cookie");created')

    def page_asked_again(self, seen):
        self.ask(seen, 'sig1=("@authority" "signature-agent");created;nonce="x"', lambda seen: False)

    def page_robots_txt(self, seen):
        if not self.server.both:
            self.page(seen)
            return
        if not seen.is_signed():
            self.server.both.wait(5)
        self.ask(seen, f'sig1=("@authority" "signature-agent");created;nonce="{seen.host}"')


class Identity(SignedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.backend = cls.keep(Server(Site))
        cls.port = cls.start_tls(make_certificate(), cls.backend)
        cls.here, cls.other = f"https://a.localhost:{cls.port}", f"https://b.localhost:{cls.port}"
        cls.backend.other = cls.other

    def setUp(self):
        super().setUp()
        self.backend.seen, self.backend.flaky, self.backend.both = [], 0, None

    def asked(self, path):
        return [request for request in self.backend.seen if request.target == path]

    def test_every_request_is_verified(self):
        """Pages, robots.txt, redirects, including to another host, retries, HEAD: by HTTP/2 and HTTP/1.1, in each
        form."""
        for http2, form, components, agent in ((True, "dictionary", "full", f'sig1="{AGENT}"'),
                                               (False, "string", "full", f'"{AGENT}"'),
                                               (False, "dictionary", "minimal", f'sig1="{AGENT}"')):
            with self.subTest(http2=http2, form=form, components=components):
                self.backend.seen, self.backend.flaky = [], 0
                result = self.signed_crawl("--scope", "host", "--set", "crawl.check_external=true", "--set",
                                           f"fetch.http2={str(http2).lower()}", "--requests", "requests.jsonl",
                                           self.here + "/", more=f"form = {form}\ncomponents = {components}\n")
                self.assertEqual(result.status, 0, result.stderr)
                seen = self.backend.seen
                self.expect_verified(seen, FULL if components == "full" else ("@authority", "signature-agent"))
                self.expect_new_nonces(seen)
                self.assertEqual({request.headers["Signature-Agent"] for request in seen}, {agent})
                self.assertEqual({request.protocol for request in seen}, {"HTTP/2.0" if http2 else "HTTP/1.1"})
                targets = {request.target for request in seen}
                self.assertLessEqual({"/robots.txt", "/", "/a%20b/?q=[]&c=caf%C3%A9", "/old", "/new?from=old", "/flaky",
                                      "/away", "/outside"}, targets)
                self.assertEqual(len(self.asked("/flaky")), 2)
                self.assertIn("HEAD", {request.method for request in self.asked("/outside")})
                self.assertEqual({request.host for request in seen}, {url[8:] for url in (self.here, self.other)})
                for record in self.records("pages.jsonl"):
                    self.assertEqual((record["signed"], record["signed_by"]), (True, thumbprint(self.key.public_key())))

    def test_conditional_requests_are_signed(self):
        if not harness.has_disk():
            self.skipTest("this build has no disk store")
        options = ("--state", "state", "--revisit=due", "--set", "revisit.interval=1ms", "--set",
                   "revisit.min_interval=1ms", "--depth", "0", self.here + "/tagged")
        self.assertEqual(self.signed_crawl(*options).status, 0)
        self.assertEqual(self.signed_crawl(*options).status, 0)
        seen = self.asked("/tagged")
        self.assertGreaterEqual(len([request for request in seen if request.headers["If-None-Match"]]), 1)
        self.expect_verified(self.backend.seen)
        self.expect_new_nonces(self.backend.seen)

    def test_only_hosts_that_are_named_get_signatures(self):
        """A request signed at one origin is not signed at the origin that it redirects to, nor over plain http."""
        plain = f"http://a.localhost:{self.backend.port}/plain"
        result = self.signed_crawl("--scope", "any", self.here + "/", plain, sign="never",
                                   more=f"[host a.localhost]\nsign = always\n")
        self.assertEqual(result.status, 0, result.stderr)
        at = {True: set(), False: set()}
        for request in self.backend.seen:
            at[request.is_signed()].add((request.scheme, request.host))
        self.assertEqual(at[True], {("https", self.here[8:])})
        self.assertEqual(at[False], {("https", self.other[8:]), ("http", f"a.localhost:{self.backend.port}")})
        self.expect_verified([request for request in self.backend.seen if request.is_signed()])
        signed = {record["url"].split("/")[2] for record in self.records("pages.jsonl") if "signed" in record}
        self.assertEqual(signed, {self.here[8:]})

    def test_plain_http_where_it_is_told(self):
        plain = f"http://a.localhost:{self.backend.port}/plain"
        self.assertEqual(self.signed_crawl(plain, more="http = true\n").status, 0)
        self.expect_verified(self.backend.seen)

    def test_signatures_that_are_asked_for(self):
        """Each URL is signed once, as the server asked. No signature covers a component that it may not ask for."""
        urls = [self.here + path for path in ("/asked", "/asked-cookie", "/asked-again", "/free")]
        result = self.signed_crawl("--depth", "0", *urls, sign="asked")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([request.is_signed() for request in self.asked("/asked")], [False, True])
        self.assertEqual([request.is_signed() for request in self.asked("/asked-cookie")], [False])
        self.assertEqual([request.is_signed() for request in self.asked("/asked-again")], [False, True])
        self.assertEqual([request.is_signed() for request in self.asked("/free")], [False])
        self.expect_verified(self.asked("/asked")[1:], ("@authority", "@target-uri", "user-agent", "signature-agent"))
        self.expect_verified(self.asked("/asked-again")[1:], ("@authority", "signature-agent"))
        self.assertEqual(self.asked("/asked")[1].parameter("nonce")[1], "from-the-server")
        self.assertEqual(self.asked("/asked")[1].headers["Signature-Agent"], f'abc="{AGENT}"')
        records = {record["url"]: record for record in self.records("pages.jsonl")}
        self.assertEqual([(records[url]["status"], "signed" in records[url]) for url in urls],
                         [(200, True), (403, False), (403, True), (200, False)])
        self.assertIn("asks for a signature and gets none", result.stderr)

    def test_two_hosts_ask_for_their_robots_txt_at_once(self):
        self.backend.both = threading.Barrier(2)
        result = self.signed_crawl("--depth", "0", self.here + "/free", self.other + "/free", sign="asked")
        self.assertEqual(result.status, 0, result.stderr)
        asked = self.asked("/robots.txt")
        self.assertEqual([request.is_signed() for request in asked], [False, False, True, True])
        self.expect_verified(asked[2:], ("@authority", "signature-agent"))
        self.assertEqual({request.host: request.parameter("nonce")[1] for request in asked[2:]},
                         {url[8:]: url[8:] for url in (self.here, self.other)})

    def test_a_signed_crawl_answers_too(self):
        self.signed_crawl("--depth", "0", self.here + "/asked-again")
        seen = self.asked("/asked-again")
        self.assertEqual([request.headers["Signature-Agent"] for request in seen], [f'sig1="{AGENT}"', f'"{AGENT}"'])

    def test_nothing_is_kept_of_it(self):
        options = ["--state", "state"] if harness.has_disk() else []
        result = self.signed_crawl(*options, "--warc", "crawl", "--requests", "requests.jsonl", "--log", "log", "--set",
                                   "output.log_level=debug", self.here + "/")
        self.assertEqual(result.status, 0, result.stderr)
        shown = self.crawl("--config", "crawler.conf", "--print-config").stdout
        self.assertIn("key_file = key.pem", shown)
        private = self.pem.splitlines()[1]
        secrets = [private, *(request.headers["Signature"] for request in self.backend.seen),
                   *(request.parameter("nonce")[1] for request in self.backend.seen)]
        texts = {"standard error": result.stderr, "--print-config": shown}
        for path in glob.glob(self.path("**"), recursive=True):
            if os.path.isfile(path) and not path.endswith("/key.pem"):
                command = ["zcat", "-f", path] if path.endswith(".gz") else ["cat", path]
                texts[path] = subprocess.run(command, capture_output=True, check=False).stdout.decode("latin-1")
        self.assertTrue(any(path.endswith(".warc.gz") for path in texts), list(texts))
        for path, text in texts.items():
            for secret in secrets:
                self.assertNotIn(secret, text, path)

    def test_extract_signs_too(self):
        self.write("crawler.conf", f"[identity]\nkey_file = key.pem\nagent = {AGENT}\nsign = always\n[fetch]\n"
                   "insecure = true\nallow_private = true\n[extract it]\nfield.title = title\n")
        result = self.crawl("extract", "--rules", "crawler.conf", self.here + "/old")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([request.target for request in self.backend.seen], ["/robots.txt", "/old", "/new?from=old"])
        self.expect_verified(self.backend.seen)
        self.expect_new_nonces(self.backend.seen)

    def test_what_cannot_be_signed_does_not_start(self):
        browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
        os.chmod(self.write("open.pem", self.pem), 0o644)
        os.chmod(self.write("none.pem", "none"), 0o600)
        for more, key, status, words in (
                ("[host b.localhost]\nheader = \"User-Agent:\"\n", "key.pem", 2, "neither empty"),
                (f"[fetch]\nuser_agent = \"{browser}\"\n", "key.pem", 2, "nor a browser's"),
                (f"[host b.localhost]\nheader = \"User-Agent: {browser}\"\n", "key.pem", 2, "nor a browser's"),
                ("[fetch]\nheader = \"Signature-Agent: x\"\n", "key.pem", 2, "Signature-Agent"),
                ("", "open.pem", 4, "chmod 600"),
                ("", "none.pem", 2, "Ed25519 private key"), ("", "gone.pem", 4, "gone.pem"),
                ("", "", 2, "identity.key_file")):
            with self.subTest(more=more, key=key):
                result = self.signed_crawl(self.here + "/", more=more, key=key)
                self.assertEqual(result.status, status, result.stderr)
                self.assertIn(words, result.stderr)
        result = self.signed_crawl("--set", "identity.agent=http://bot.example", self.here + "/")
        self.assertEqual(result.status, 2, result.stderr)
        self.assertIn("not an https URL: http://bot.example", result.stderr)
        self.assertEqual(self.backend.seen, [])

    def test_a_key_that_everybody_has_serves_at_loopback(self):
        """The key is that of RFC 9421, B.1.4."""
        self.pem = ("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n"
                    "-----END PRIVATE KEY-----\n")
        self.key = serialization.load_pem_private_key(self.pem.encode(), None)
        os.chmod(self.write("key.pem", self.pem), 0o600)
        self.assertEqual(self.signed_crawl("--depth", "0", self.here + "/free").status, 0)
        self.expect_verified(self.backend.seen)


if __name__ == "__main__":
    harness.main()
