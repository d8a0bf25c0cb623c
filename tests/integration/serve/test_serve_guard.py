#!/usr/bin/env python3
"""Tests crawl serve with TLS and a token, as required beyond this machine: clients that are accepted or refused, and
options that are refused at the start."""
import os
import socket
import ssl
import subprocess

from frontier_client import OK, Server, TestCase, found, grpc, harness
from guard_files import TOKEN, make_certificate, write_secret


class Guarded(TestCase):
    """An address that other machines can reach."""

    @classmethod
    def setUpClass(cls):
        harness.TestCase.setUpClass.__func__(cls)
        cls.files = harness.temporary_folder()
        make_certificate(cls.files)
        with open(cls.files + "/server.crt", "rb") as file:
            cls.root = file.read()
        options = ["--tls-cert", cls.files + "/server.crt", "--tls-key", cls.files + "/server.key",
                   "--token-file", write_secret(cls.files + "/token", TOKEN + "\n")]
        cls.server = cls.keep(Server(*options, at="0.0.0.0", root=cls.root, shows="Bearer " + TOKEN))

    def test_a_token_lets_in(self):
        self.assertEqual(self.put(found("http://a.com/1")), [OK])
        self.assertEqual(self.get(), ["http://a.com/1"])
        self.assertEqual(self.server.connect(shows="bEARER  " + TOKEN).ListCrawls().values, ["DEFAULT"])

    def test_without_the_token_nothing_is_done(self):
        for shows in (None, TOKEN, "Basic " + TOKEN, "Bearer", "Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "x",
                      "Bearer " + TOKEN[:-1] + "-"):
            client = self.server.connect(shows=shows)
            self.assertIn("token", self.fails(grpc.StatusCode.UNAUTHENTICATED, client.PutURLs,
                                              [found("http://a.com/1")] * 1000))
            self.fails(grpc.StatusCode.UNAUTHENTICATED, client.GetStats)
            self.fails(grpc.StatusCode.UNAUTHENTICATED, self.server.connect("grpc.health.v1.Health", shows=shows).Check)
            client.close()
        self.assertEqual(self.client.CountURLs().value, 0)

    def test_much_goes_over_tls(self):
        value = "v" * 5000
        self.assertEqual(set(self.put(*[found(f"http://a.com/{n}", x=[value]) for n in range(2000)])), {OK})
        listed = self.client.ListURLs(size=2000)
        self.assertEqual((len(listed), {item.known.info.metadata["x"].values[0] for item in listed}), (2000, {value}))

    def shut_out(self, connect):
        """Checks that the server ends such a connection, and continues."""
        with socket.create_connection(self.server.address.split(":"), 10) as peer:
            peer.settimeout(30)
            try:
                with connect(peer) as stream:
                    while stream.recv(65536):
                        pass
            except (ssl.SSLError, ConnectionResetError) as error:
                self.assertNotIsInstance(error, TimeoutError)
        self.assertEqual(self.client.GetActive().state, True)

    def test_what_is_no_http2_over_tls(self):
        def plainly(peer):
            peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")
            return peer

        def by_tls(version, protocols):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(cadata=self.root.decode())
            context.minimum_version = context.maximum_version = version
            if version < ssl.TLSVersion.TLSv1_2:
                context.set_ciphers("ALL:@SECLEVEL=0")
            if protocols:
                context.set_alpn_protocols(protocols)
            return lambda peer: context.wrap_socket(peer, server_hostname="127.0.0.1")
        self.shut_out(plainly)
        self.shut_out(by_tls(ssl.TLSVersion.TLSv1_3, ["http/1.1"]))
        self.shut_out(by_tls(ssl.TLSVersion.TLSv1_3, None))
        with self.assertWarns(DeprecationWarning):
            old = by_tls(ssl.TLSVersion.TLSv1_1, ["h2"])
        with socket.create_connection(self.server.address.split(":"), 10) as peer, self.assertRaises(ssl.SSLError):
            old(peer)
        with socket.create_connection(self.server.address.split(":"), 10) as peer:
            good = by_tls(ssl.TLSVersion.TLSv1_2, ["h2"])(peer)
            self.assertEqual((good.version(), good.selected_alpn_protocol()), ("TLSv1.2", "h2"))
            good.close()


class Loopback(harness.TestCase):
    """On loopback TLS and the token may each be used without the other."""

    def test_a_token_of_the_environment(self):
        os.environ["CRAWL_SERVE_TOKEN"] = TOKEN
        try:
            server = self.keep(Server())
        finally:
            del os.environ["CRAWL_SERVE_TOKEN"]
        with self.assertRaises(grpc.RpcError) as caught:
            server.client.ListCrawls()
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED)
        self.assertEqual(list(server.connect(shows="Bearer " + TOKEN).ListCrawls().values), [])


class Line(harness.TestCase):
    def refused(self, status, *args):
        result = self.crawl("serve", "--state", "s", *args)
        self.assertEqual((result.status, result.stdout), (status, ""), result.stderr)
        return result.stderr

    def test_refusals(self):
        make_certificate(self.folder)
        make_certificate(self.folder, "other")
        write_secret(self.path("token"), TOKEN)
        write_secret(self.path("short"), "0123456789")
        write_secret(self.path("odd"), "0123456789 abcdefghi")
        tls = ["--tls-cert", "server.crt", "--tls-key", "server.key"]
        outside, inside = ["--urlfrontier", "0.0.0.0:0"], ["--urlfrontier", "127.0.0.1:0"]
        for few in ([], tls, ["--token-file", "token"]):
            self.assertIn("needs TLS (--tls-cert and --tls-key) and a token", self.refused(2, *outside, *few))
        self.assertIn("must be given together", self.refused(2, *inside, *tls[:2]))
        self.assertIn("must be given together", self.refused(2, *inside, *tls[2:]))
        self.assertIn("server.key: cannot read a certificate",
                      self.refused(4, *inside, "--tls-cert", "server.key", "--tls-key", "server.key"))
        self.assertIn("other.key: cannot read a private key",
                      self.refused(4, *inside, "--tls-cert", "server.crt", "--tls-key", "other.key"))
        self.assertIn("none.crt: cannot read a certificate",
                      self.refused(4, *inside, "--tls-cert", "none.crt", "--tls-key", "server.key"))
        self.assertIn("fewer than 16 characters", self.refused(2, *inside, "--token-file", "short"))
        self.assertIn("visible ASCII", self.refused(2, *inside, "--token-file", "odd"))
        self.assertIn("none: No such file", self.refused(4, *inside, "--token-file", "none"))
        self.assertNotIn("0123456789", self.refused(2, *inside, "--token-file", "short"))

    def test_a_key_with_a_passphrase(self):
        make_certificate(self.folder)
        subprocess.run(["openssl", "pkey", "-in", "server.key", "-aes256", "-passout", "pass:word", "-out",
                        "locked.key"], cwd=self.folder, check=True)
        self.assertIn("without a passphrase",
                      self.refused(4, "--urlfrontier", "127.0.0.1:0", "--tls-cert", "server.crt", "--tls-key",
                                   "locked.key"))

    def test_secrets_that_others_may_read(self):
        make_certificate(self.folder)
        write_secret(self.path("token"), "short")
        for name, words in (("token", "a token"), ("server.key", "a private key")):
            os.chmod(self.path(name), 0o644)
            said = self.refused(2, "--urlfrontier", "127.0.0.1:0", "--tls-cert", "server.crt", "--tls-key",
                                "server.key", "--token-file", "token")
            self.assertIn(f"warning: {name} holds {words} and may be read by others; chmod 600 {name}", said)
            os.chmod(self.path(name), 0o600)


if __name__ == "__main__":
    harness.main()
