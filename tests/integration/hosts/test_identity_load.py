"""Tests many signed requests of all kinds: with redirects, retries, robots.txt, HEAD, conditions, over HTTP/1.1, HTTP/2
and through a proxy, from servers that close kept connections. All must verify, and no nonce may occur twice.

CRAWL_SIGNED_REQUESTS is the least number of requests."""
import collections
import os
import sys
import threading

import harness
from recording import Proxy, Server
from signed_requests import Seen, SignedCase, make_certificate, tls_context

COUNT = int(os.environ.get("CRAWL_SIGNED_REQUESTS", "1500"))
PAGES = COUNT // 3  # of two servers; they are visited again until there were enough visits
LIMIT_S = 180 + COUNT // 10


class Pages(harness.Handler):
    """Serves pages: / leads to /1, /2 and so on; the last digit decides the kind of a page. self.server.cut: of each
    `cut` requests of a kept connection, the last is not answered, and the connection is closed."""

    def setup(self):
        super().setup()
        self.count = 0

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        server, path = self.server, self.path[1:]
        self.count += 1
        with server.lock:
            server.seen.append(Seen(self))
            server.visits[self.path] += 1
            visits = server.visits[self.path]
        if server.cut and self.count > 1 and self.count % server.cut == 0:
            self.close_connection = True
        elif not path:
            self.answer(200, "".join(f"<a href=/{number}>" for number in range(1, server.pages)))
        elif path.endswith("2"):
            self.answer(302, "", f"Location: /moved/{path}?from=/{path}")
        elif path.endswith("3") and visits == 1:
            self.answer(503, "", "Retry-After: 0")
        elif path.endswith("4"):
            self.answer(302, "", f"Location: {server.unsigned}/landed/{path}")
        elif path.endswith("5"):
            self.answer(200, f"<a href={server.outside}/outside/{path}>")
        elif self.headers["If-None-Match"]:
            self.answer(304, "")
        else:
            self.answer(200, f"<title>{path}</title>", 'ETag: "one"')

    def answer(self, status, body, *headers):
        super().answer(status, "" if self.command == "HEAD" else body, *headers)


class PagesServer(Server):
    def __init__(self, pages, context=None, cut=0):
        self.pages, self.cut, self.lock = pages, cut, threading.Lock()
        self.seen, self.visits = [], collections.Counter()
        self.unsigned = self.outside = "https://c.localhost:1"
        super().__init__(Pages, context=context)


class Load(SignedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.certificate = make_certificate()

    def lines_to(self, origin):
        return [line for line in self.exchanges() if line["url"].startswith(origin + "/")]

    def test_every_request_of_a_large_crawl(self):
        """One server uses nginx with HTTP/2, which ends connections after fifty requests; the other HTTP/1.1."""
        behind = self.serve(PagesServer(PAGES // 2))
        direct = self.serve(PagesServer(PAGES // 2, tls_context(self.certificate), cut=7))
        port = self.start_tls(self.certificate, behind, "keepalive_requests 50;")
        first, second = f"https://a.localhost:{port}", f"https://b.localhost:{direct.port}"
        for server in (behind, direct):
            server.unsigned, server.outside = f"https://c.localhost:{port}", f"https://d.localhost:{port}"
        signed = "".join(f"[host {name}.localhost]\nsign = always\n" for name in "abd")
        result = self.signed_crawl(
            "--state", "state", "--revisit", "--max-pages", str(COUNT), "--scope", "host", "--per-host", "8",
            "--requests", "requests.jsonl", "--set", "crawl.check_external=true", "--set", "politeness.give_up=0",
            "--set", "revisit.interval=1ms", "--set", "revisit.min_interval=1ms", first + "/", second + "/",
            sign="never", more=signed, limit_s=LIMIT_S)
        self.assertEqual(result.status, 0, result.stderr)
        seen = behind.seen + direct.seen
        at_unsigned = [request for request in seen if request.host.startswith("c.")]
        at_signed = [request for request in seen if not request.host.startswith("c.")]
        self.assertEqual([request.target for request in at_unsigned if request.is_signed()], [])
        self.expect_verified(at_signed)
        self.expect_new_nonces(at_signed)
        self.assertGreaterEqual(len(at_signed), COUNT)
        kinds = {
            "over HTTP/2": sum(request.protocol == "HTTP/2.0" for request in at_signed),
            "HEAD": sum(request.method == "HEAD" for request in at_signed),
            "conditional": sum("If-None-Match" in request.headers for request in at_signed),
            "robots.txt": sum(request.target == "/robots.txt" for request in at_signed),
            "redirected": sum("?from=" in request.target for request in at_signed),
            "retried": len([line for line in self.exchanges() if line["status"] == 503]),
            "sent again by libcurl": len(direct.seen) - len(self.lines_to(second)),
            "at an origin that gets no signature": len(at_unsigned),
        }
        if "CRAWL_SIGNED_REQUESTS" in os.environ:
            print(f"{len(at_signed)} signed requests: {kinds}", file=sys.stderr)
        for kind, count in kinds.items():
            self.assertGreaterEqual(count, 2 if kind == "robots.txt" else PAGES // 40, kind)

    def test_a_proxy_gets_no_signature(self):
        """CONNECT carries no signature. The requests inside are signed for the origin, including repeated ones."""
        site = self.serve(PagesServer(40, tls_context(self.certificate), cut=3))
        proxy = self.serve(Proxy())
        origin = f"https://a.localhost:{site.port}"
        result = self.signed_crawl("--proxy", f"http://127.0.0.1:{proxy.port}", "--scope", "host", "--per-host", "1",
                                   "--requests", "requests.jsonl", origin + "/")
        self.assertEqual(result.status, 0, result.stderr)
        self.expect_verified(site.seen)
        self.expect_new_nonces(site.seen)
        self.assertEqual({request.host for request in site.seen}, {origin[8:]})
        self.assertGreater(len(site.seen), len(self.lines_to(origin)) + 5, "some were sent again")
        self.assertGreaterEqual(len(proxy.requests), 5)
        self.assertEqual({request.method for request in proxy.requests}, {"CONNECT"})
        for request in proxy.requests:
            self.assertLessEqual(set(request.headers), {"host", "user-agent", "proxy-connection"}, request.path)

    def test_plain_http_through_a_proxy(self):
        """The proxy gets an absolute request line; the signature is for the origin."""
        site, proxy = self.serve(PagesServer(10)), self.serve(Proxy())
        result = self.signed_crawl("--proxy", f"http://127.0.0.1:{proxy.port}",
                                   f"http://a.localhost:{site.port}/", more="http = true\n")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(len(proxy.requests), len(site.seen))
        self.assertGreater(len(site.seen), 10)
        self.expect_verified(site.seen)
        self.expect_new_nonces(site.seen)


if __name__ == "__main__":
    harness.main()
