#!/usr/bin/env python3
"""Tests faulty TLS, with the test's own CA, and HTTP/2 that breaks off."""
import json
import os
import shutil
import subprocess
import sys

import harness
import warc_reader

CA_CONFIG = """
[ca]
default_ca = d
[d]
database = index
rand_serial = yes
new_certs_dir = .
default_md = sha256
policy = p
unique_subject = no
[p]
commonName = supplied
"""

QUICK = ("--delay", "0", "--retries", "1", "--set", "politeness.retry_delay=10ms", "--output", "pages.jsonl",
         "--depth", "0")

# label: status, error class
CERTIFICATES = {
    "good": (200, None),
    "expired": (0, "tls"),
    "early": (0, "tls"),
    "wronghost": (0, "tls"),
    "selfsigned": (0, "tls"),
    "unknown": (0, "tls"),
}

# label: status, error class, requests seen
HTTP2 = {
    "h2-good": (200, None, {1}),
    "h2-trailers": (200, None, {1}),
    "h2-reset": (200, "reset", {2}),
    "h2-refuse": (200, None, {2}),
    "h2-goaway0": (200, None, {2}),
    "h2-cut": (200, "reset", {2}),
    "h2-garbage": (0, "reset", {2}),
    "h2-headers": (0, "reset", {2}),
}
UNSEEN = {"h2-refuse", "h2-goaway0"}  # requests that the server did not process are no attempts
WAITING = {"h2-never": (0, "timeout", {1, 2})}


class Tls(harness.Server):
    def __init__(self):
        self.folder = harness.temporary_folder()
        self.make_certificates()
        port_file, self.log = os.path.join(self.folder, "port"), os.path.join(self.folder, "log")
        super().__init__([sys.executable, os.path.join(harness.HERE, "wild_tls.py"), port_file, self.folder, "--log",
                          self.log])
        harness.wait_for(lambda: self.process.poll() is not None or os.path.exists(port_file))
        with open(port_file, encoding="ascii") as file:
            self.port = int(file.read())

    def url(self, host, path="/"):
        return f"https://{host}:{self.port}{path}"

    def requests(self, host):
        with open(self.log, encoding="ascii") as file:
            return [r for r in map(json.loads, file) if r["host"] == host and r["path"] != "/robots.txt"]

    def openssl(self, *args):
        subprocess.run(["openssl", *args], cwd=self.folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(text)

    def authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name
                     + ".key", "-out", name + ".crt",
                     "-subj", "/CN=" + name, "-days", "2", "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    # No wildcard: libcurl accepts none below a name of one label.
    HOSTS = ",".join(f"DNS:{label}.localhost" for label in [*CERTIFICATES, *HTTP2, *WAITING, "h2-goaway", "up", "down"])

    def certificate(self, name, ca="ca", hosts=HOSTS, start="20200101000000Z", end="20491231000000Z"):
        self.write("ext", f"subjectAltName={hosts}\n")
        self.openssl("ca", "-batch", "-config", "ca.conf", "-cert", ca + ".crt", "-keyfile", ca + ".key", "-in",
                     "leaf.csr", "-extfile", "ext", "-notext",
                     "-startdate", start, "-enddate", end, "-out", name + ".crt")
        self.join(name, name + ".crt", "leaf.key")

    def join(self, name, *parts):
        text = ""
        for part in parts:
            with open(os.path.join(self.folder, part), encoding="ascii") as file:
                text += file.read()
        self.write(name + ".pem", text)

    def make_certificates(self):
        self.write("ca.conf", CA_CONFIG)
        self.write("index", "")
        self.authority("ca")
        self.authority("other")
        self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                     "leaf.key", "-out", "leaf.csr", "-subj", "/CN=leaf")
        self.certificate("good")
        self.certificate("expired", end="20210101000000Z")
        self.certificate("early", start="20480101000000Z")
        self.certificate("wronghost", hosts="DNS:elsewhere.example")
        self.certificate("unknown", ca="other")
        self.openssl("req", "-x509", "-key", "leaf.key", "-out", "selfsigned.crt", "-subj", "/CN=selfsigned.localhost",
                     "-days", "2",
                     "-addext", "subjectAltName=DNS:selfsigned.localhost")
        self.join("selfsigned", "selfsigned.crt", "leaf.key")


class WildTls(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tls = cls.keep(Tls())

    def crawl_urls(self, urls, *options, ca=True):
        self.write("seeds.txt", "".join(url + "\n" for url in urls))
        more = ("--set", "fetch.ca_file=" + os.path.join(self.tls.folder, "ca.crt")) if ca else ()
        result = self.crawl("--seeds", "seeds.txt", *QUICK, *more, *options)
        self.assertIn(result.status, (0, 1), result.stderr)
        return {r["url"]: r for r in self.records("pages.jsonl")}

    def test_certificates(self):
        urls = {label: self.tls.url(f"{label}.localhost") for label in CERTIFICATES}
        records = self.crawl_urls(urls.values())
        for label, expected in CERTIFICATES.items():
            record = records[urls[label]]
            self.assertEqual((record["status"], record["error"]), expected, record)
            self.assertEqual(record["attempt"], 1, label)
            if record["error"]:
                self.assertEqual(self.tls.requests(f"{label}.localhost"), [], label)
        records = self.crawl_urls(urls.values(), "--insecure")
        self.assertEqual({r["status"] for r in records.values()}, {200})
        records = self.crawl_urls([urls["good"]], ca=False)
        self.assertEqual(records[urls["good"]]["error"], "tls")

    def test_to_and_from_http(self):
        """Redirects between http and https, and each protocol on the other's port."""
        nginx = self.start_nginx({"plain.localhost": self.make_site({"index.html": "plain"})},
                                 f"location /up {{ return 302 https://up.localhost:{self.tls.port}/there; }}")
        plain = nginx.url("plain.localhost", "/")
        down = self.tls.url("down.localhost", "/?to=" + plain)
        records = self.crawl_urls([down, nginx.url("plain.localhost", "/up")], "--allow-private")
        self.assertEqual(records[down]["redirect"], plain)
        self.assertEqual(records[plain]["status"], 200)
        self.assertEqual(records[self.tls.url("up.localhost", "/there")]["status"], 200)
        crossed = [f"https://plain.localhost:{nginx.port}/", f"http://good.localhost:{self.tls.port}/x"]
        records = self.crawl_urls(crossed)
        self.assertEqual(records[crossed[0]]["error"], "tls")
        self.assertIn(records[crossed[1]]["error"], ("reset", "protocol"))

    def check_http2(self, cases, *options):
        urls = {label: self.tls.url(f"{label}.localhost") for label in cases}
        records = self.crawl_urls(urls.values(), "--no-robots", *options)
        wrong = []
        for label, (status, error, times) in cases.items():
            record = records[urls[label]]
            asked = len(self.tls.requests(f"{label}.localhost"))
            if (record["status"], record["error"]) != (status, error) or asked not in times:
                wrong.append((label, record["status"], record["error"], asked, record["detail"]))
            if label in UNSEEN and record["attempt"] != 1:
                wrong.append((label, "attempt", record["attempt"]))
        self.assertEqual(wrong, [])

    def test_http2(self):
        self.check_http2(HTTP2)

    def test_trailers_of_http2_are_not_archived_as_body(self):
        url = self.tls.url("h2-trailers.localhost")
        self.crawl_urls([url], "--no-robots", "--warc", "out")
        answer, = [r for r in warc_reader.read_all(self.path("out")) if r.headers["WARC-Type"] == "response"]
        self.assertEqual(answer.block.partition(b"\r\n\r\n")[2], b"<title>two</title>")

    def test_http2_that_never_answers(self):
        self.check_http2(WAITING, "--timeout", "4s")

    def test_a_connection_that_goes_away_loses_no_page(self):
        urls = [self.tls.url("h2-goaway.localhost", f"/{n}") for n in range(11)]
        records = self.crawl_urls(urls, "--no-robots", "--per-host", "4")
        self.assertEqual([r["status"] for r in records.values()], [200] * 11, records)
        asked = self.tls.requests("h2-goaway.localhost")
        self.assertGreaterEqual(len({r["conn"] for r in asked}), 5)


if __name__ == "__main__":
    if not shutil.which("openssl"):
        print("skipped: openssl is not installed")
        sys.exit(77)
    harness.main()
