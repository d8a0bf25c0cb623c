"""Tests crawl identity: the key and the files that it makes, and its findings about directories that are published
correctly and incorrectly. The package cryptography verifies the signatures here."""
import base64
import hashlib
import http.server
import json
import os
import re
import ssl
import stat
import subprocess
import threading
import time

import harness
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

PATH = "/.well-known/http-message-signatures-directory"


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Directory(harness.Handler):
    """A server whose response each test sets."""

    def do_GET(self):
        status, body, headers = self.server.answer_of(self.path)
        self.answer(status, body, *headers)


class Logged(harness.OwnServer):
    """A site that logs the signature agents of its requests, as `crawl identity --help` shows."""

    def __init__(self):
        self.lines = []
        super().__init__(LoggedHandler)


class LoggedHandler(harness.Handler):
    def do_GET(self):
        fields = {name: self.headers.get(name.replace("_", "-"), "")
                  for name in ("signature_agent", "signature_input", "signature", "content_digest")}
        self.server.lines.append({"time": time.time(), "method": "GET", **fields,
                                  "url": f"http://{self.headers['Host']}{self.path}"})
        self.answer(404 if self.path == "/robots.txt" else 200, "<a href=/a?x=%20y>a</a><a href=/b>b</a>")


class Identity(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = harness.temporary_folder()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-keyout", folder + "/key.pem", "-out",
                        folder + "/cert.pem"], check=True, capture_output=True)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Directory)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
        cls.server.socket = context.wrap_socket(cls.server.socket, server_side=True)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.here = f"https://bot.localhost:{cls.server.server_port}"

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.server.shutdown()
        cls.server.server_close()

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def make(self, *args, folder="bot"):
        result = self.crawl("identity", "new", "--url", self.here + "/about?a&b", *args, folder)
        self.assertEqual(result.status, 0, result.stderr)

    def check(self, what):
        return self.crawl("identity", "check", "--insecure", "--allow-private", what)

    def verify(self, body, headers, host):
        """Verifies the signatures of a directory. Returns the thumbprints of the keys that have one."""
        signed = set()
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        self.assertIn(f"Content-Digest: sha-256=:{digest}:\n", headers)
        for key in json.loads(body)["keys"]:
            thumb = hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{key["x"]}"}}'.encode()).digest()
            self.assertEqual(decode(key["kid"]), thumb)
            label, params = re.search(rf'^Signature-Input: (\w+)=(\(.*keyid="{key["kid"]}".*)$', headers, re.M).groups()
            signature = re.search(rf"^Signature: {label}=:(.*):$", headers, re.M)[1]
            base = (f'"@authority";req: {host}\n"content-digest": sha-256=:{digest}:\n"@signature-params": {params}')
            Ed25519PublicKey.from_public_bytes(decode(key["x"])).verify(base64.b64decode(signature), base.encode())
            signed.add(key["kid"])
        return signed

    def test_what_is_made(self):
        self.make("--name", "Probe_Bot", "--days", "7")
        mode = stat.S_IMODE(os.stat(self.path("bot/key.pem")).st_mode)
        self.assertEqual(mode, 0o600)
        key = serialization.load_pem_private_key(self.text("bot/key.pem").encode(), None)
        body, headers = self.text("bot/directory.json"), self.text("bot/directory.headers")
        self.assertEqual(decode(json.loads(body)["keys"][0]["x"]), key.public_key().public_bytes(
            serialization.Encoding.Raw, serialization.PublicFormat.Raw))
        kid = self.verify(body, headers, self.here[8:]).pop()
        times = re.search(r"created=(\d+).*expires=(\d+)", headers)
        self.assertEqual(int(times[2]) - int(times[1]), 7 * 86400 + 5)
        self.assertIn("Content-Type: application/http-message-signatures-directory+json\n", headers)
        self.assertEqual(self.crawl("identity", "thumbprint", "bot/key.pem").stdout, kid + "\n")
        card = json.loads(self.text("bot/card.json"))
        self.assertEqual((card["client_id"], card["jwks_uri"], card["client_uri"], card["client_name"]),
                         (self.here + "/card.json", self.here + PATH, self.here + "/about?a&b", "Probe_Bot"))
        page = self.text("bot/bot.html")
        self.assertIn("User-agent: Probe_Bot\nDisallow: /", page)
        self.assertIn("/about?a&amp;b)", page)
        private = self.text("bot/key.pem").splitlines()[1]
        for name in os.listdir(self.path("bot")):
            if name != "key.pem":
                self.assertNotIn(private, self.text("bot/" + name), name)
        shown = self.crawl("--config", "bot/crawler.conf", "--print-config")
        self.assertEqual(shown.status, 0, shown.stderr)
        self.assertIn("\nsign = always\n", shown.stdout)

    def test_a_server_verifies_who_came_by_its_log(self):
        self.make()
        self.make(folder="other")
        server = self.serve(Logged())
        result = self.crawl("--config", "bot/crawler.conf", "--set", "identity.http=true", "--delay", "0",
                            server.url("a.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        good = [json.dumps(line) for line in server.lines]

        def check(lines, *words, status=1, keys="bot"):
            self.write("log", "".join(line + "\n" for line in lines))
            checked = self.crawl("identity", "check", "--requests", "log", keys)
            self.assertEqual(checked.status, status, checked.stdout + checked.stderr)
            for text in words:
                self.assertIn(text, checked.stdout)

        check(good, "4 requests verified, 0 signed by others, 0 with a wrong", status=0)
        check(good, "4 requests verified", status=0, keys="bot/directory.json")
        check(good, "0 requests verified, 4 signed by others", keys="other")
        check(good + good[1:2], "4 requests verified", "line 5: a signature that came before", "1 with one that came")
        check([line.replace("x=%20y", "x=%20z") for line in good], "a wrong signature", "3 requests verified")
        check([json.dumps({**line, "time": line["time"] + 3600}) for line in server.lines], "4 with a wrong signature")
        check([json.dumps({"time": 1, "url": "http://a/"})], "0 requests verified", "1 without", status=0)
        check(["no json", '{"url":"http://a/"}'], "line 1: not a JSON object", "line 2: not a JSON object")

    def test_the_page_says_what_sites_ask(self):
        """The page contains everything given, and so does the card; the rest is marked, to be filled in."""
        self.make()
        page, card = self.text("bot/bot.html"), json.loads(self.text("bot/card.json"))
        self.assertEqual(len(re.findall("<mark>", page)), 2)
        self.assertNotIn("client-ranges", page)
        self.assertIn("does not run their scripts", page)
        self.assertNotIn("render", self.text("bot/crawler.conf"))
        self.assertEqual((card["contacts"], card["web_bot_auth"]["purpose"]), ([], ""))
        self.make("--contact", "<bot@example.com>", "--purpose", 'It reads "news" & trains nothing.', "--ranges",
                  "https://bot.example/ranges.json?a&b", "--renders", folder="told")
        self.assertIn("\nrender = auto\n", self.text("told/crawler.conf"))
        page, card = self.text("told/bot.html"), json.loads(self.text("told/card.json"))
        self.assertNotIn("<mark>", page)
        self.assertIn("&lt;bot@example.com>", page.replace("&gt;", ">"))
        self.assertIn("news", page)
        self.assertIn('<link rel="client-ranges" href="https://bot.example/ranges.json?a&amp;b">', page)
        self.assertIn("Crawl-delay: 10", page)
        self.assertIn("It runs the scripts of pages", page)
        self.assertEqual((card["contacts"], card["web_bot_auth"]["purpose"]),
                         (["<bot@example.com>"], 'It reads "news" & trains nothing.'))
        for args, why in ((("--url", self.here, "--ranges", "http://a/"), "expected an https URL, that of a list"),
                          (("--renew", "--contact", "x"), "edit bot.html and card.json")):
            result = self.crawl("identity", "new", *args, "other")
            self.assertEqual(result.status, 2, args)
            self.assertIn(why, result.stderr)

    def test_a_key_is_never_replaced(self):
        self.make()
        before = self.text("bot/key.pem")
        result = self.crawl("identity", "new", "--url", self.here, "bot")
        self.assertEqual(result.status, 4, result.stderr)
        self.assertIn("key.pem: File exists", result.stderr)
        result = self.crawl("identity", "new", "--renew", "--days", "1", "bot")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.text("bot/key.pem"), before)
        self.assertEqual(self.check("bot").status, 0)

    def test_two_keys(self):
        self.make(folder="old")
        self.make("--also", "old/key.pem", folder="new")
        signed = self.verify(self.text("new/directory.json"), self.text("new/directory.headers"), self.here[8:])
        self.assertEqual(len(signed), 2)
        self.assertEqual(self.check("new").status, 0)

    def test_directories_of_servers(self):
        self.make()
        body, lines = self.text("bot/directory.json"), self.text("bot/directory.headers").splitlines()
        plain = [line if not line.startswith("Content-Type") else "Content-Type: application/json" for line in lines]
        other = body.replace('"use":"sig"', '"use":"enc"')
        cases = (
            ("good", 200, body, lines, 0, "good: each key signs"),
            ("unsigned", 200, body, lines[:1], 1, "does not sign this directory"),
            ("another type", 200, body, plain, 1, "Content-Type is not"),
            ("another body", 200, other, lines, 1, "the body does not match Content-Digest"),
            ("no JSON", 200, "{", lines, 1, "not a set of keys"),
            ("no key", 200, '{"keys":[]}', lines, 1, "no key of Ed25519"),
            ("not there", 404, body, lines, 1, "status 404"),
            ("elsewhere", 302, "", [f"Location: {self.here}/x"], 1, "status 302"),
            ("private", 200, body.replace('"use"', '"d":"AA","use"'), lines, 1, "its private half"),
            ("kid", 200, re.sub('"kid":"...', '"kid":"AAA', body), lines, 1, '"kid" is not its thumbprint'),
        )
        for name, status, answer, headers, wanted, words in cases:
            with self.subTest(name):
                self.server.answer_of = lambda path, given=(status, answer, headers): given
                result = self.check(self.here + PATH)
                self.assertEqual(result.status, wanted, result.stdout + result.stderr)
                self.assertIn(words, result.stdout + result.stderr)
        self.server.answer_of = lambda path: (200, body, lines)
        self.assertEqual(self.check(self.here.replace("bot.", "other.") + PATH).status, 1)
        self.assertIn("certificate", self.crawl("identity", "check", "--allow-private", self.here + PATH).stderr)

    def test_files_alone_and_thumbprints(self):
        self.make()
        self.assertEqual(self.check("bot/directory.json").status, 0)
        key = json.loads(self.text("bot/directory.json"))["keys"][0]
        self.write("public.json", json.dumps(key))
        self.assertEqual(self.crawl("identity", "thumbprint", "public.json").stdout, key["kid"] + "\n")
        self.write("none", "none")
        self.assertEqual(self.crawl("identity", "thumbprint", "none").status, 1)
        self.assertEqual(self.check("none").status, 1)
        self.assertEqual(self.check("gone").status, 4)

    def test_mistakes(self):
        for args, words in ((("new", "bot"), "either --url or --renew"), (("new", "--url", self.here), "one FOLDER"),
                            (("new", "--url", "http://bot.example/", "bot"), "expected an https URL"),
                            (("new", "--url", self.here, "--name", "a b", "bot"), "expected letters"),
                            (("new", "--url", self.here, "--days", "0", "bot"), "expected a number"),
                            ((), "expected new, check or thumbprint"), (("what",), "expected new"),
                            (("check",), "one FILE"), (("thumbprint", "a", "b"), "one FILE")):
            result = self.crawl("identity", *args)
            self.assertEqual(result.status, 2, result.stderr)
            self.assertIn(words, result.stderr)
        self.assertFalse(os.path.exists(self.path("bot")))


if __name__ == "__main__":
    harness.main()
