"""Tests that addresses which are not public are requested only if a seed names them, at its port, or with
--allow-private, whatever else leads there; and ports that browsers block."""
import os
import socket
import threading

import harness
from dns_server import DnsServer, Zone
from recording import Answer, Redirect, Site

PAGES = {"index.html": "<a href=page.html>p</a>", "page.html": "page", "robots.txt": "User-agent: *\nDisallow: /no\n"}


class Guard(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.inside = self.start_nginx({"inside.localhost": self.make_site(PAGES)})
        port = self.inside.port
        links = ["<a href=http://inside.localhost:%d/>" % port, "<a href=http://127.0.0.1:%d/>" % port,
                 "<a href=http://[::1]:%d/>" % port,
                 "<a href=/go>", "<a href=http://0.0.0.0:%d/>" % port, "<a href=http://2130706433:%d/>" % port]
        outside = self.path("outside")
        self.write("outside/index.html", "".join(links))
        self.outside = self.start_nginx({"outside.localhost": outside},
                                        "location = /go { return 302 http://inside.localhost:%d/page.html; }" % port)

    def by_url(self):
        return {record["url"]: record for record in self.records("pages.jsonl")}

    def test_links_and_redirects_do_not_lead_inside(self):
        result = self.crawl("--delay", "0", "--scope", "any", "--output", "pages.jsonl",
                            self.outside.url("outside.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.inside.requests(), [])
        records = self.by_url()
        refused = [record for record in records.values() if record["error"] == "private"]
        self.assertEqual(len(refused), 5, records)  # two spellings are one URL
        for record in refused:
            self.assertEqual(record["status"], 0)
            self.assertEqual(record["attempt"], 1)

    def test_a_seed_names_its_host(self):
        result = self.crawl("--delay", "0", "--scope", "any", "--output", "pages.jsonl",
                            self.inside.url("inside.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(sorted(record["status"] for record in self.by_url().values()), [200, 200])

    def test_all_are_asked_when_allowed(self):
        result = self.crawl("--delay", "0", "--scope", "any", "--allow-private", "--output", "pages.jsonl",
                            self.outside.url("outside.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([record for record in self.by_url().values() if record["error"] == "private"], [])
        self.assertTrue(self.inside.requests("inside.localhost"))

    def test_the_summary_counts_them(self):
        result = self.crawl("--delay", "0", "--scope", "any", self.outside.url("outside.localhost", "/"))
        self.assertRegex(result.stderr, r"private 5")


class Listener:
    """Answers every connection at its own port with a page, and counts them."""

    def __init__(self, address, port):
        self.socket = socket.create_server((address, port))
        self.accepted = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.accepted += 1
            with connection:
                connection.settimeout(5)
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

    def stop(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Names(harness.TestCase):
    """The owner of a zone decides the addresses of its names, even of a seed's name."""

    def crawl_name(self, zone, *options, internal=None, paths=("/",)):
        dns = DnsServer({"shop.test": zone})
        self.addCleanup(dns.stop)
        page = Answer("x", 200, (("Connection", "close"),))
        site = self.serve(Site({"/": page, "/2": page}))
        self.write("seeds.txt", "".join(site.url("shop.test", path) + "\n" for path in paths))
        result = self.crawl("--seeds", "seeds.txt", "--no-robots", "--retries", "0", "--output", "pages.jsonl",
                            *dns.option(internal), *options)
        self.assertIn(result.status, (0, 1), result.stderr)
        return site, {record["url"]: record for record in self.records("pages.jsonl")}

    def test_a_seed_by_name_opens_nothing(self):
        for address in ("127.0.0.1", "169.254.169.254", "10.0.0.1"):
            site, records = self.crawl_name(Zone([address]))
            [record] = records.values()
            self.assertEqual((record["status"], record["error"], record["ip"]), (0, "private", None), address)
            self.assertIn("politeness.internal_hosts", record["detail"])
            self.assertEqual(site.requests, [])

    def test_an_internal_name_may_be_at_a_private_address(self):
        for internal in ("shop.test", "*.test", "other.example, SHOP.test."):
            _, records = self.crawl_name(Zone(["127.0.0.1"]), internal=internal)
            self.assertEqual([record["status"] for record in records.values()], [200], internal)
        for internal in ("test", "*.shop.test", "hop.test"):
            _, records = self.crawl_name(Zone(["127.0.0.1"]), internal=internal)
            self.assertEqual([record["error"] for record in records.values()], ["private"], internal)

    def test_a_name_never_moves_to_a_link_local_address(self):
        """The address of each connection is checked anew, and no name may have that of a metadata service."""
        for internal, options in (("shop.test", ()), (None, ("--allow-private",))):
            for metadata in ("169.254.169.254", "100.100.100.200"):
                zone = Zone(["127.0.0.1"], ttl=1, then=Zone([metadata], ttl=1))
                _, records = self.crawl_name(zone, "--delay", "2s", *options, internal=internal, paths=("/", "/2"))
                self.assertEqual(sorted((r["status"], r["error"]) for r in records.values()),
                                 [(0, "private"), (200, None)])
                [refused] = (record for record in records.values() if record["error"])
                self.assertIn("link-local", refused["detail"])

    def test_settings_that_are_none(self):
        for option, value in (("--internal-hosts", "a b/c"), ("--internal-hosts", "*"), ("--internal-hosts", "a:80"),
                              ("--private-ports", "80-"),
                              ("--private-ports", "70000"), ("--private-ports", "90-80"), ("--private-ports", "http")):
            result = self.crawl(option, value, "http://a.localhost/")
            self.assertEqual(result.status, 2, value)
            self.assertIn("politeness." + option[2:].replace("-", "_"), result.stderr)


class Ports(harness.TestCase):
    # for this process alone: others may use the same port
    HOST = "127.77.%d.%d" % divmod(os.getpid() % 65536, 256)
    BLOCKED = 6667

    def setUp(self):
        super().setUp()
        self.blocked = self.serve(Listener(self.HOST, self.BLOCKED))
        self.other = self.serve(Site({"/": "x"}, self.HOST))
        self.site = self.serve(Site({"/": f"<a href=/to-blocked><a href=/to-other><a "
                                          f"href=http://{self.HOST}:{self.BLOCKED}/link>",
                                     "/to-blocked": Redirect(f"http://{self.HOST}:{self.BLOCKED}/"),
                                     "/to-other": Redirect(self.other.url(self.HOST))},
                                    self.HOST))

    def crawl_site(self, *args):
        result = self.crawl("--delay", "0", "--retries", "0", "--output", "pages.jsonl", "--links", "links.jsonl",
                            *args, self.site.url(self.HOST))
        self.assertEqual(result.status, 0, result.stderr)
        return {record["url"]: record for record in self.records("pages.jsonl")}

    def test_a_seed_opens_its_port_alone(self):
        records = self.crawl_site()
        self.assertEqual((self.blocked.accepted, self.other.requests), (0, []))
        blocked = records[self.site.url(self.HOST, "/to-blocked")]
        self.assertEqual((blocked["status"], blocked["error"]), (302, "port"))
        self.assertIn("port that browsers block", blocked["detail"])
        other = records[self.other.url(self.HOST)]
        self.assertEqual((other["status"], other["error"]), (0, "private"))
        self.assertIn("politeness.private_ports", other["detail"])
        verdicts = {(edge["tag"], edge["to"]): edge["verdict"] for edge in self.records("links.jsonl")}
        self.assertEqual(verdicts["a", f"http://{self.HOST}:{self.BLOCKED}/link"], "port")
        self.assertEqual(verdicts["redirect", f"http://{self.HOST}:{self.BLOCKED}/"], "port")

    def test_private_ports_widen_it_but_not_to_those_that_browsers_block(self):
        records = self.crawl_site("--private-ports", f"1-{self.other.port - 1}, {self.other.port}")
        self.assertEqual(records[self.other.url(self.HOST)]["status"], 200)
        self.assertEqual(self.blocked.accepted, 0)
        self.crawl_site("--allow-private")
        self.assertEqual(self.blocked.accepted, 0)

    def test_a_seed_names_a_port_that_browsers_block(self):
        records = self.crawl_site(f"http://{self.HOST}:{self.BLOCKED}/")
        self.assertEqual(records[f"http://{self.HOST}:{self.BLOCKED}/link"]["status"], 200)
        self.assertEqual(records[self.site.url(self.HOST, "/to-blocked")]["error"], None)

    def test_robots_txt_does_not_lead_there_either(self):
        self.site.pages["/robots.txt"] = Redirect(f"http://{self.HOST}:{self.BLOCKED}/")
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", self.site.url(self.HOST))
        self.assertEqual(result.status, 1, result.stderr)
        [record] = self.records("pages.jsonl")
        self.assertEqual((record["status"], record["error"]), (0, "port"))
        self.assertEqual(self.blocked.accepted, 0)

    def test_what_was_queued_before_is_looked_at_again(self):
        """The seeds of a resumed crawl open the same addresses as before, and nothing else."""
        self.crawl("--state", "kept", "--max-pages", "1", "--delay", "0", self.site.url(self.HOST))
        result = self.crawl("--state", "kept", "--output", "pages.jsonl")
        self.assertEqual(result.status, 1, result.stderr)
        self.assertEqual({record["error"] for record in self.records("pages.jsonl")}, {None, "port", "private"})
        self.assertEqual((self.blocked.accepted, self.other.requests), (0, []))


if __name__ == "__main__":
    harness.main()
