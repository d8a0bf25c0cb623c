#!/usr/bin/env python3
"""Tests proxies, client certificates, trusted certificates by host, and the source address of requests."""
import base64
import os
import shlex
import shutil
import ssl
import subprocess
from unittest import mock

import harness
from recording import Answer, Proxy, Redirect, Site, Socks

QUICK = ("--delay", "0", "--retries", "0", "--output", "pages.jsonl")


class Authority:
    """A CA for the test, a certificate for a.localhost and b.localhost, and one for a client."""

    def __init__(self, name="ca"):
        self.folder = harness.temporary_folder()
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                     "ca.key", "-out", "ca.crt", "-subj",
                     "/CN=" + name, "-days", "2", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        self.leaf("server", "subjectAltName=DNS:a.localhost,DNS:b.localhost,DNS:proxy.localhost")
        self.leaf("client", "extendedKeyUsage=clientAuth")

    def path(self, name):
        return os.path.join(self.folder, name)

    def openssl(self, *args):
        subprocess.run(["openssl", *args], cwd=self.folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def hash(self):
        """Returns the name by which OpenSSL finds the CA in a folder."""
        done = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", self.path("ca.crt")], check=True,
                              capture_output=True, text=True)
        return done.stdout.strip() + ".0"

    def leaf(self, name, extension):
        with open(self.path("ext"), "w", encoding="ascii") as file:
            file.write(extension + "\n")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key",
                     "-out", name + ".csr", "-subj", "/CN=" + name)
        self.openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                     "-days", "2", "-extfile", "ext", "-out",
                     name + ".crt")
        os.chmod(self.path(name + ".key"), 0o600)

    def server(self, wants_client=False):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("server.crt"), self.path("server.key"))
        if wants_client:
            context.load_verify_locations(self.path("ca.crt"))
            context.verify_mode = ssl.CERT_REQUIRED
        return context


class Case(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.authority = Authority()

    def configure(self, text):
        os.chmod(self.write("crawler.conf", text), 0o600)

    def run_crawl(self, *args, status=0):
        result = self.crawl(*QUICK, *args)
        self.assertEqual(result.status, status, result.stderr)
        return {record["url"]: record for record in self.records("pages.jsonl")}


class Proxies(Case):
    def test_http_through_a_proxy_that_wants_a_user(self):
        a = self.serve(Site({"/": "<a href=/2>", "/2": "x"}))
        proxy = self.serve(Proxy("me:p w"))
        self.configure(f"[fetch]\nproxy = http://me:p%20w@127.0.0.1:{proxy.port}\n[host name.invalid:{a.port}]\nuser "
                       f"= u\npassword = pw\n")
        records = self.run_crawl(a.url("name.invalid"))
        self.assertEqual([(r["status"], r["ip"] or None) for r in records.values()], [(200, None)] * 2)
        self.assertEqual([r.path for r in proxy.requests],
                         [a.url("name.invalid", path) for path in ("/robots.txt", "/", "/2")])
        own = "Basic " + base64.b64encode(b"u:pw").decode()
        for request in a.requests:
            self.assertEqual(request.headers["authorization"], [own])
            self.assertEqual(request.headers["proxy-authorization"], [])

    def test_the_environment_is_ignored(self):
        a = self.serve(Site({"/": "x"}))
        proxy = self.serve(Proxy())
        names = ("http_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy")
        for name in names:
            os.environ[name] = "*" if name == "no_proxy" else f"http://127.0.0.1:{proxy.port}"
        try:
            self.run_crawl(a.url("a.localhost"))
            self.assertEqual(proxy.requests, [])
            self.run_crawl("--proxy", f"http://127.0.0.1:{proxy.port}", a.url("b.localhost"))
            self.assertEqual(len(proxy.requests), 2)
        finally:
            for name in names:
                del os.environ[name]

    def test_https_by_connect(self):
        a = self.serve(Site({"/": "x"}, context=self.authority.server()))
        proxy = self.serve(Proxy("me:pw"))
        self.configure(f"[fetch]\nca_file = {self.authority.path('ca.crt')}\nproxy = "
                       f"http://me:pw@127.0.0.1:{proxy.port}\n"
                       f"[host a.localhost]\nbearer = SECRET\n")
        records = self.run_crawl("--warc", "w", a.url("a.localhost"))
        self.assertEqual([r["status"] for r in records.values()], [200])
        self.assertEqual({(r.method, r.path) for r in proxy.requests}, {("CONNECT", f"a.localhost:{a.port}")})
        self.assertNotIn("SECRET", repr([r.headers for r in proxy.requests]))
        self.assertEqual(a.asked("/")[0].headers["authorization"], ["Bearer SECRET"])
        self.assertEqual(a.asked("/")[0].headers["proxy-authorization"], [])

    def test_what_a_proxy_refuses(self):
        tls = self.serve(Site({"/": "x"}, context=self.authority.server()))
        proxy = self.serve(Proxy("me:pw"))
        gone = harness.free_port()
        for url in (f"http://127.0.0.1:{proxy.port}", f"http://127.0.0.1:{gone}", f"socks5h://127.0.0.1:{gone}"):
            records = self.run_crawl("--proxy", url, "--no-robots", tls.url("a.localhost"), status=1)
            self.assertEqual([(r["status"], r["error"]) for r in records.values()], [(0, "connect")], url)
        self.assertEqual(tls.requests, [])

    def test_socks(self):
        a = self.serve(Site({"/": "x"}))
        local, remote = self.serve(Socks()), self.serve(Socks("me:p:w"))
        self.run_crawl("--proxy", f"socks5://127.0.0.1:{local.port}", a.url("a.localhost"))
        self.assertEqual({(kind in (1, 4), port) for kind, _, port in local.requests}, {(True, a.port)})
        self.run_crawl("--proxy", f"socks5h://me:p%3Aw@127.0.0.1:{remote.port}", a.url("name.invalid"))
        self.assertEqual(set(remote.requests), {(3, "name.invalid", a.port)})

    def test_by_host_and_without(self):
        a = self.serve(Site({"/": "x"}))
        one, two = self.serve(Proxy()), self.serve(Proxy())
        self.configure(f"[fetch]\nproxy = http://127.0.0.1:{one.port}\nno_proxy = c.localhost, 127.0.0.1\n[host "
                       f"b.localhost]\nproxy = http://127.0.0.1:{two.port}\n"
                       f"[host d.localhost]\nproxy = direct\n")
        hosts = ("a.localhost", "b.localhost", "c.localhost", "x.c.localhost", "d.localhost", "127.0.0.1")
        records = self.run_crawl("--no-robots", *(a.url(host) for host in hosts))
        self.assertEqual([r.path for r in one.requests], [a.url("a.localhost")])
        self.assertEqual([r.path for r in two.requests], [a.url("b.localhost")])
        self.assertEqual({url for url, r in records.items() if r["ip"]}, {a.url(host) for host in hosts[2:]})

    def test_private_targets_are_refused_as_far_as_they_are_known(self):
        a = self.serve(Site({"/": "x"}))
        proxy = self.serve(Proxy())
        names = (f"127.0.0.1:{a.port}", f"[::1]:{a.port}", f"b.localhost:{a.port}", "169.254.169.254",
                 f"known.invalid:{a.port}")
        a.pages["/"] = "".join(f"<a href=http://{name}/x>" for name in names)
        self.run_crawl("--no-robots", "--scope", "any", "--proxy", f"http://127.0.0.1:{proxy.port}",
                       a.url("seed.invalid"))
        self.assertEqual([r.path for r in proxy.requests], [a.url("seed.invalid"), f"http://known.invalid:{a.port}/x"])
        errors = {record["url"]: record["error"] for record in self.records("pages.jsonl")}
        self.assertEqual([errors[f"http://{name}/x"] for name in names], ["private"] * 4 + [None])

    def test_one_proxy_is_no_address_that_hosts_share(self):
        a = self.serve(Site({"/": "x"}))
        proxy = self.serve(Proxy())
        result = self.crawl("--delay", "20s", "--per-ip", "--no-robots", "--proxy", f"http://127.0.0.1:{proxy.port}",
                            a.url("a.invalid"), a.url("b.invalid"), limit_s=15)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(len(a.requests), 2)


class Certificates(Case):
    def test_of_the_client_by_host(self):
        a = self.serve(Site({"/": "x"}, context=self.authority.server(wants_client=True)))
        path = self.authority.path
        self.configure(f"[fetch]\nca_file = {path('ca.crt')}\n[host a.localhost]\nclient_cert = {path('client.crt')}\n"
                       f"client_key = {path('client.key')}\n")
        records = self.run_crawl(a.url("a.localhost"), a.url("b.localhost"))
        self.assertEqual((records[a.url("a.localhost")]["status"], records[a.url("b.localhost")]["status"]), (200, 0))
        self.assertEqual({request.host for request in a.requests}, {f"a.localhost:{a.port}"})
        self.assertEqual(a.asked("/")[0].cert["subject"], ((("commonName", "client"),),))

    def test_of_the_client_for_all(self):
        a = self.serve(Site({"/": "x"}, context=self.authority.server(wants_client=True)))
        path = self.authority.path
        with open(path("both.pem"), "w", encoding="ascii") as file:
            for name in ("client.crt", "client.key"):
                with open(path(name), encoding="ascii") as part:
                    file.write(part.read())
        records = self.run_crawl("--set", f"fetch.ca_file={path('ca.crt')}", "--set",
                                 f"fetch.client_cert={path('both.pem')}", a.url("a.localhost"))
        self.assertEqual([r["status"] for r in records.values()], [200])

    def test_a_key_with_a_passphrase(self):
        """It is refused at the start; one that comes later fails, and nobody is asked for the passphrase."""
        a = self.serve(Site({"/": "x"}, context=self.authority.server(wants_client=True)))
        path = self.authority.path
        key = self.path("client.key")
        self.configure(f"[fetch]\nca_file = {path('ca.crt')}\nclient_cert = {path('client.crt')}\nclient_key = {key}\n")

        def lock(*form):
            self.authority.openssl(*form, "-in", "client.key", "-out", "locked.key", "-passout", "pass:secret")
            shutil.copy(path("locked.key"), key)
            os.chmod(key, 0o600)

        for form in (("pkcs8", "-topk8"), ("ec", "-aes256")):
            lock(*form)
            result = self.crawl(*QUICK, a.url("a.localhost"))
            self.assertEqual(result.status, 2, result.stderr)
            self.assertIn(f"[fetch] client_key: {key} has a passphrase: openssl pkey", result.stderr)
        shutil.copy(path("client.key"), key)
        first = self.serve(Site({"/": lambda _: lock("pkcs8", "-topk8") or Redirect(a.url("a.localhost"))}))
        result = self.crawl(*QUICK, "--no-robots", "--allow-private", first.url("b.localhost"))
        self.assertEqual([r["error"] for r in self.records("pages.jsonl") if r["status"] == 0], ["tls"], result.stderr)
        self.assertNotIn("pass phrase:", result.stderr)

    def test_authority_by_host(self):
        a = self.serve(Site({"/": "x"}, context=self.authority.server()))
        self.configure(f"[host a.localhost]\nca_file = {self.authority.path('ca.crt')}\n")
        records = self.run_crawl(a.url("a.localhost"), a.url("b.localhost"))
        self.assertEqual(records[a.url("a.localhost")]["status"], 200)
        self.assertEqual(records[a.url("b.localhost")]["error"], "tls")

    def test_credentials_do_not_go_from_https_to_http(self):
        plain = self.serve(Site({"/": "x"}))
        a = self.serve(Site({"/": Redirect(plain.url("a.localhost")), "/robots.txt": ""},
                            context=self.authority.server()))
        self.configure(f"[host a.localhost]\nca_file = {self.authority.path('ca.crt')}\nuser = u\npassword = SECRET\n")
        self.run_crawl("--private-ports", str(plain.port), a.url("a.localhost"))
        self.assertEqual(len(a.asked("/")[0].headers["authorization"]), 1)
        self.assertEqual([r.headers["authorization"] for r in plain.requests], [[], []])


class Authorities(Case):
    """The system's folder of authorities holds our CA alone, and its file another one."""

    INSIDE = 'mount --bind "$1" /etc/ssl/certs && shift && exec "$@"'

    def setUp(self):
        super().setUp()
        self.other = Authority("other")
        system = self.path("system")
        os.mkdir(system)
        shutil.copy(self.authority.path("ca.crt"), os.path.join(system, self.authority.hash()))
        shutil.copy(self.other.path("ca.crt"), os.path.join(system, "ca-certificates.crt"))
        command = ["unshare", "--mount", "--map-root-user", "sh", "-c", self.INSIDE, "sh", system]
        if subprocess.run([*command, "true"], check=False, capture_output=True).returncode:
            self.skipTest("this system gives nobody a mount namespace of its own")
        os.chmod(self.write("crawl", f'#!/bin/sh\nexec {shlex.join([*command, harness.program()])} "$@"\n'), 0o700)
        program = mock.patch.dict(os.environ, CRAWL_PROGRAM=self.path("crawl"))
        program.start()
        self.addCleanup(program.stop)

    def test_a_file_replaces_the_folder_of_the_system(self):
        a = self.serve(Site({"/": "x"}, context=self.authority.server()))
        records = self.run_crawl(a.url("a.localhost"))
        self.assertEqual([r["status"] for r in records.values()], [200], "the folder is in use")
        for setting in ("fetch.ca_file", "host a.localhost.ca_file"):
            records = self.run_crawl("--set", f"{setting}={self.other.path('ca.crt')}", a.url("a.localhost"), status=1)
            self.assertEqual([r["error"] for r in records.values()], ["tls"], setting)

    def test_a_file_replaces_it_for_a_proxy(self):
        a = self.serve(Site({"/": "x"}))
        proxy = self.serve(Proxy(context=self.authority.server()))
        for status, more in ((0, ()), (1, ("--set", f"fetch.ca_file={self.other.path('ca.crt')}"))):
            self.run_crawl("--proxy", proxy.url("proxy.localhost").rstrip("/"), *more, a.url("name.invalid"),
                           status=status)
        self.assertEqual(len(a.asked("/")), 1)

    def test_a_file_replaces_it_for_tools(self):
        a = self.serve(Site({}, context=self.authority.server()))
        url = a.url("a.localhost").rstrip("/")
        other = ("--ca-file", self.other.path("ca.crt"))
        keys = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}
        with mock.patch.dict(os.environ, keys):
            for command in (("index", "es", url, "--index", "pages", "--purge-before", "1"),
                            ("upload", "--endpoint", url, "--tries", "1", "s3://bucket")):
                a.requests.clear()
                self.crawl(*command, stdin="")
                self.assertTrue(a.requests, command)
                a.requests.clear()
                self.crawl(*command, *other, stdin="")
                self.assertEqual(a.requests, [], command)


class StrictTransport(Case):
    STS = (("Strict-Transport-Security", "max-age=1000; includeSubDomains"),)

    def test_links_and_redirects_are_upgraded(self):
        a = self.serve(Site({}, context=self.authority.server()))
        http = f"http://a.localhost:{a.port}"
        a.pages.update({"/": Answer(f"<a href={http}/link><a href=/go><a href={http}/link#again>", 200, self.STS),
                        "/link": "x", "/go": Redirect(http + "/to"),
                        "/to": "x"})
        records = self.run_crawl("--hsts", "--set", f"fetch.ca_file={self.authority.path('ca.crt')}", "--links",
                                 "links.jsonl", a.url("a.localhost"))
        self.assertEqual({url: r["status"] for url, r in records.items()},
                         {a.url("a.localhost", path): 302 if path == "/go" else 200 for path in a.pages})
        self.assertEqual({edge["to"] for edge in self.records("links.jsonl")},
                         {a.url("a.localhost", p) for p in ("/link", "/go", "/to", "/link#again")})

    def test_sitemaps_and_their_entries_are_upgraded(self):
        a = self.serve(Site({}, context=self.authority.server()))
        http = f"http://a.localhost:{a.port}"
        a.pages.update({"/robots.txt": Answer(f"Sitemap: {http}/index.xml", 200, self.STS), "/": "x", "/link": "x",
                        "/index.xml": f"<sitemapindex><sitemap><loc>{http}/map.xml</loc></sitemap></sitemapindex>",
                        "/map.xml": f"<urlset><url><loc>{http}/link</loc></url></urlset>"})
        records = self.run_crawl("--hsts", "--set", f"fetch.ca_file={self.authority.path('ca.crt')}", "--sitemaps",
                                 a.url("a.localhost"))
        self.assertEqual({url: r["status"] for url, r in records.items()},
                         {a.url("a.localhost", path): 200 for path in ("/", "/link")})

    def test_links_of_an_offline_copy_lead_to_the_pages_by_https(self):
        a = self.serve(Site({}, context=self.authority.server()))
        http = f"http://a.localhost:{a.port}"
        a.pages.update({"/": Answer(f"<a href={http}/link#part><a href={http}/none>", 200, self.STS), "/link": "x"})
        self.run_crawl("--hsts", "--set", f"fetch.ca_file={self.authority.path('ca.crt')}", "--mirror", "copy",
                       a.url("a.localhost"))
        self.assertEqual(self.bytes_of(f"copy/a.localhost+https{a.port}/index.html").decode(),
                         f'<a href="link+.html#part"><a href={http}/none>')

    def test_without_it_and_without_verification_nothing_is_upgraded(self):
        a = self.serve(Site({}, context=self.authority.server()))
        b = self.serve(Site({"/link": "x"}))
        a.pages.update({"/": Answer(f"<a href={b.url('a.localhost', '/link')}>", 200, self.STS)})
        for extra in (["--set", f"fetch.ca_file={self.authority.path('ca.crt')}"], ["--hsts", "--insecure"]):
            self.run_crawl(*extra, "--private-ports", str(b.port), a.url("a.localhost"))
            self.assertEqual(len(b.asked("/link")), 1, extra)
            b.requests.clear()

    def test_what_was_queued_before_is_not_asked_also_in_the_next_run(self):
        a = self.serve(Site({"/": Answer("x", 200, self.STS)}, context=self.authority.server()))
        b = self.serve(Site({"/later": "x"}))
        common = ("--no-robots", "--set", f"fetch.ca_file={self.authority.path('ca.crt')}", "--state", "kept", "--hsts",
                  "--workers", "1")
        self.run_crawl(*common, a.url("a.localhost"))
        self.run_crawl(*common, b.url("sub.a.localhost", "/later"), status=1)  # a seed is upgraded; there is no https
        self.assertEqual(b.requests, [])
        # Queued by a run without HSTS.
        self.run_crawl(*common, "--no-hsts", "--connections", "1", "--max-pages", "1", b.url("a.localhost", "/later"),
                       b.url("a.localhost", "/later2"))
        self.assertEqual(len(b.requests), 1)
        left = next(path for path in ("/later", "/later2") if not b.asked(path))
        records = self.run_crawl(*common, status=1)
        self.assertEqual(len(b.requests), 1)
        skipped = records[b.url("a.localhost", left)]
        self.assertEqual((skipped["status"], skipped["error"], skipped["redirect"]),
                         (0, None, f"https://a.localhost:{b.port}{left}"))
        self.assertIn("Strict-Transport-Security", skipped["detail"])

    def test_a_sitemap_that_was_queued_before_is_not_asked(self):
        a = self.serve(Site({"/": Answer("x", 200, self.STS)}, context=self.authority.server()))
        b = self.serve(Site({"/": "x"}))
        common = ("--no-robots", "--set", f"fetch.ca_file={self.authority.path('ca.crt')}", "--state", "kept", "--hsts",
                  "--workers", "1", "--connections", "1")
        self.run_crawl(*common, a.url("a.localhost"))
        self.run_crawl(*common, "--no-hsts", "--sitemaps", "--max-pages", "1", b.url("a.localhost"))
        self.run_crawl(*common)
        self.assertEqual([request.path for request in b.requests], ["/"])

    def test_nor_a_page_that_cannot_exist(self):
        a = self.serve(Site({"/": Answer("x", 200, self.STS)}, context=self.authority.server()))
        b = self.serve(Site({"/page": "x"}))
        common = ("--no-robots", "--set", f"fetch.ca_file={self.authority.path('ca.crt')}", "--state", "kept", "--hsts",
                  "--soft-404", "--workers", "1", "--connections", "1")
        self.run_crawl(*common, a.url("a.localhost"))
        self.run_crawl(*common, "--no-hsts", "--max-pages", "1", b.url("a.localhost", "/page"))
        self.assertEqual(set(self.run_crawl(*common)), {a.url("a.localhost"), b.url("a.localhost", "/page")})
        self.assertEqual([request.path for request in b.requests], ["/page"])


class Source(Case):
    def test_the_address_that_requests_come_from(self):
        a = self.serve(Site({"/": "x"}))
        self.run_crawl("--interface", "127.0.0.2", a.url("a.localhost"))
        self.assertEqual({request.peer for request in a.requests}, {"127.0.0.2"})
        records = self.run_crawl("--interface", "192.0.2.1", a.url("b.localhost"), status=1)
        self.assertIn([r["error"] for r in records.values()], (["connect"], ["local"]))


if __name__ == "__main__":
    harness.main()
