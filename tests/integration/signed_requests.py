"""Servers that verify signed requests (Web Bot Auth), written from RFC 9421 and the draft with the package
cryptography, and without any of crawl's code. nginx provides TLS and HTTP/2 for one; another has its own TLS."""
import base64
import collections
import os
import re
import ssl
import subprocess
import time

import harness
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

AGENT = "https://bot.example/keys.json"
FULL = ("@authority", "@method", "@path", "@query", "signature-agent")


def thumbprint(public):
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    x = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    digest = hashes.Hash(hashes.SHA256())
    digest.update(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode())
    return base64.urlsafe_b64encode(digest.finalize()).decode().rstrip("=")


class Seen:
    """A request as the server received it."""

    def __init__(self, handler):
        self.method = handler.command
        self.target = handler.path
        self.headers = handler.headers
        is_tls = isinstance(handler.connection, ssl.SSLSocket)
        self.scheme = handler.headers.get("X-Scheme", "https" if is_tls else "http")
        self.protocol = handler.headers.get("X-Protocol", "HTTP/1.1")
        self.host = handler.headers["Host"]
        self.time = time.time()

    def is_signed(self):
        return any(name.lower().startswith("signature") for name in self.headers.keys())

    def parameter(self, name):
        return re.search(rf';{name}=(?:"([^"]*)"|(\d+))', self.headers["Signature-Input"])

    def value(self, name, key):
        """Returns the value of a component."""
        path, _, query = self.target.partition("?")
        if name == "signature-agent" and key:
            return re.fullmatch(rf'{key}=("[^"]*")', self.headers["Signature-Agent"])[1]
        return {"@authority": self.host.lower(), "@method": self.method, "@path": path, "@query": "?" + query,
                "@target-uri": f"{self.scheme}://{self.host}{self.target}",
                }.get(name) or self.headers[name.title()]

    def verify(self, public):
        """Raises an error if the signature is invalid. Returns the covered components."""
        for name in ("Signature", "Signature-Input", "Signature-Agent"):
            assert len(self.headers.get_all(name)) == 1, name
        label, params = re.fullmatch(r"([a-z0-9]+)=(\(.*)", self.headers["Signature-Input"]).groups()
        listed = re.findall(r'"([^"]*)"(?:;key="([^"]*)")?', re.match(r"\((.*?)\)", params)[1])
        base = "".join(f'"{name}"' + (f';key="{key}"' if key else "") + f": {self.value(name, key)}\n"
                       for name, key in listed) + f'"@signature-params": {params}'
        signature = re.fullmatch(rf"{label}=:(.*):", self.headers["Signature"])[1]
        public.verify(base64.b64decode(signature), base.encode())
        created, expires = int(self.parameter("created")[2]), int(self.parameter("expires")[2])
        assert created <= self.time <= expires, (created, self.time, expires)
        assert self.parameter("keyid")[1] == thumbprint(public)
        assert self.parameter("tag")[1] == "web-bot-auth" and self.parameter("alg")[1] == "ed25519"
        return [name for name, _ in listed]


def make_certificate():
    """Makes a certificate for localhost. Returns its folder, with cert.pem and key.pem."""
    folder = harness.temporary_folder()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-keyout", folder + "/key.pem", "-out",
                    folder + "/cert.pem"], check=True, capture_output=True)
    return folder


def tls_context(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
    return context


class SignedCase(harness.TestCase):
    """A key for each test, and crawls that sign with it."""

    @classmethod
    def start_tls(cls, folder, backend, more=""):
        """Starts nginx with TLS and HTTP/2 in front of a server. Returns its port."""
        port = harness.free_port()
        cls.start_nginx({"_": folder}, f"""listen 127.0.0.1:{port} ssl http2 default_server; {more}
            ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
            location / {{ proxy_pass http://127.0.0.1:{backend.port}; proxy_set_header Host $http_host;
                          proxy_set_header X-Scheme https; proxy_set_header X-Protocol $server_protocol; }}""")
        return port

    def setUp(self):
        super().setUp()
        self.key = Ed25519PrivateKey.generate()
        self.pem = self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                          serialization.NoEncryption()).decode()
        os.chmod(self.write("key.pem", self.pem), 0o600)

    def signed_crawl(self, *args, sign="always", more="", key="key.pem", limit_s=harness.LIMIT_S):
        self.write("crawler.conf", f"[identity]\nkey_file = {key}\nagent = {AGENT}\nsign = {sign}\n{more}")
        return self.crawl("--config", "crawler.conf", "--insecure", "--allow-private", "--delay", "0", "--set",
                          "politeness.retry_delay=1ms", "--set", "politeness.backoff=1ms", "--output", "pages.jsonl",
                          *args, limit_s=limit_s)

    def expect_verified(self, seen, cover=FULL):
        for request in seen:
            self.assertTrue(request.is_signed(), request.target)
            try:
                self.assertEqual(request.verify(self.key.public_key()), list(cover))
            except InvalidSignature:
                self.fail(f"{request.target}: {request.headers}")

    def expect_new_nonces(self, seen):
        nonces = collections.Counter(request.parameter("nonce")[1] for request in seen)
        self.assertEqual(max(nonces.values()), 1)
        self.assertEqual({len(base64.b64decode(nonce)) for nonce in nonces}, {64})
