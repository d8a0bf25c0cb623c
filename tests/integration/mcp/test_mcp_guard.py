#!/usr/bin/env python3
"""Tests that crawl mcp requests nothing of a server of this machine and reads or writes no file but its own, whatever a
model asks for and wherever a page leads."""
import os
import socket
import threading

from dns_server import DnsServer, Zone
from mcp_client import Client, harness

class Listener:
    """Counts connections to a port, at any address of this machine."""

    def __init__(self):
        self.socket = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port = self.socket.getsockname()[1]
        self.came = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, address = self.socket.accept()
            except OSError:
                return
            self.came.append(address)
            connection.close()

    def stop(self):
        self.socket.close()


class Inside(harness.TestCase):
    # Each with {port}, the port of a server that must not be reached.
    LOOPBACK = [
        "http://127.0.0.1:{port}/", "http://127.1:{port}/", "http://127.0.1:{port}/", "http://2130706433:{port}/",
        "http://0x7f000001:{port}/", "http://0x7f.1:{port}/", "http://0177.0.0.1:{port}/",
        "http://017700000001:{port}/",
        "http://127.0.0.2:{port}/", "http://127.255.255.254:{port}/", "http://0.0.0.0:{port}/", "http://0:{port}/",
        "http://localhost:{port}/", "http://LOCALHOST:{port}/", "http://localhost.:{port}/",
        "http://a.localhost:{port}/",
        "http://[::1]:{port}/", "http://[::]:{port}/", "http://[0:0:0:0:0:0:0:1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/", "http://[::ffff:7f00:1]:{port}/", "http://[::127.0.0.1]:{port}/",
        "http://%31%32%37.0.0.1:{port}/", "http://\uff11\uff12\uff17.0.0.1:{port}/", "http://127\u30020.0.1:{port}/",
        "https://127.0.0.1:{port}/", "http://[64:ff9b::7f00:1]:{port}/", "http://[2002:7f00:1::]:{port}/",
        " http://127.0.0.1:{port}/", "http:\\\\127.0.0.1:{port}\\", "http:127.0.0.1:{port}",
    ]
    PRIVATE = [
        "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/", "http://100.64.0.1/", "http://198.18.0.1/",
        "http://169.254.169.254/latest/meta-data/", "http://[fe80::1]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/",
        "http://224.0.0.1/", "http://255.255.255.255/",
    ]
    SCHEMES = [
        "file:///etc/passwd", "FILE:/etc/passwd", "ftp://127.0.0.1:{port}/", "gopher://127.0.0.1:{port}/_x",
        "dict://127.0.0.1:{port}/x", "data:text/html,x", "view-source:http://127.0.0.1:{port}/", "/etc/passwd",
        "ws://127.0.0.1:{port}/", "http://u:p@127.0.0.1:{port}/",
    ]
    NAMES = ["http://inside.test:{port}/", "http://mapped.test:{port}/", "http://mixed.test:{port}/"]
    PATHS = ["../outside", "/etc", "..", ".", "", "link", "a/../b", "outside.jsonl", "-x", "x\\y", "%2e%2e",
             "link.jsonl"]

    def setUp(self):
        super().setUp()
        self.inside = self.serve(Listener())
        self.dns = self.serve(DnsServer({"inside.test": Zone(["127.0.0.1"]), "outside.test": Zone(["127.0.0.3"]),
                                         "mapped.test": Zone(aaaa=["::ffff:127.0.0.1"]),
                                         "mixed.test": Zone(["127.0.0.1", "10.0.0.1"])}))
        os.mkdir(self.path("root"))
        os.mkdir(self.path("outside"))
        for name in ("outside/pages.jsonl", "outside.jsonl"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write('{"url":"http://secret/","status":200,"bytes":1}\n')
        os.symlink(self.path("outside"), self.path("root/link"))
        os.symlink(self.path("outside.jsonl"), self.path("root/link.jsonl"))
        with open(self.path("dns.conf"), "w", encoding="utf-8") as file:
            file.write(f"[fetch]\ndns_servers = 127.0.0.1:{self.dns.port}\n[politeness]\ndelay = 0\nretries = 0\n")
        self.client = Client("--root", self.path("root"), "--config", self.path("dns.conf"), folder=self.folder)
        self.addCleanup(self.client.stop)

    def places(self):
        forms = self.LOOPBACK + self.PRIVATE + self.SCHEMES + self.NAMES
        return [form.format(port=self.inside.port) for form in forms]


class Guard(Inside):
    def test_no_place_inside_is_asked(self):
        places = self.places()
        self.assertGreaterEqual(len(places), 52)
        waiting = [(place, self.client.begin("fetch", url=place)) for place in places]
        for place, wanted in waiting:
            facts, text, is_error = self.client.result(self.client.wait(wanted))
            self.assertTrue(is_error, place)
            self.assertEqual(text, "", place)
            if isinstance(facts, dict):
                self.assertIn(facts["error"], ("private", "port"), (place, facts))
        self.assertEqual(self.inside.came, [])
        self.assertEqual(set(os.listdir(self.path("root"))), {"link", "link.jsonl"})

    def test_nor_by_a_crawl_or_for_its_robots_txt(self):
        for place in self.places()[:4] + self.places()[-3:]:
            facts, _, is_error = self.client.call("crawl", urls=[place])
            self.assertTrue(is_error or facts["failed"] == facts["pages"], (place, facts))
            self.assertTrue(self.client.call("robots", url=place)[2], place)
        self.assertEqual(self.inside.came, [])

    def test_a_crawl_that_goes_on_is_guarded_as_the_server_is(self):
        site = self.serve(Outside({"/x": "/y"}))
        self.client = Client("--root", self.path("root"), "--allow-private", "--max-pages", "1")
        self.addCleanup(self.client.stop)
        facts, _, _ = self.client.call("crawl", urls=[site.url("127.0.0.3")])
        self.assertEqual(facts["failed"], 0)
        self.client.stop()
        asked = len(site.asked)
        self.client = Client("--root", self.path("root"))
        self.addCleanup(self.client.stop)
        self.client.call("crawl", handle=facts["handle"])
        self.assertEqual(len(site.asked), asked)

    def test_no_handle_leads_out_of_the_root(self):
        before = sorted(os.listdir(self.folder))
        for handle in self.PATHS:
            for tool, arguments in (("list", {}), ("report", {}), ("explain", {"url": "http://secret/"}),
                                    ("fetch", {"url": "http://secret/"}), ("crawl", {})):
                facts, text, is_error = self.client.call(tool, handle=handle, **arguments)
                self.assertTrue(is_error, (tool, handle))
                self.assertNotIn("secret", text)
        self.assertEqual(self.client.call("list")[0]["handles"], [])
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Site(harness.Handler):
    """Serves a page that the client takes for one of the internet, and that leads inside."""

    def do_GET(self):
        self.server.asked.append(self.path)
        where = self.server.places.get(self.path)
        if where:
            self.answer(302, "", f"Location: {where}")
        elif self.path == "/robots.txt":
            self.answer(404, "")
        else:
            self.answer(200, "".join(f"<a href='{place}'>x</a>" for place in self.server.places.values()))


class Outside(harness.OwnServer):
    def __init__(self, places):
        self.places = places
        self.asked = []
        super().__init__(Site, "127.0.0.3")


class Redirects(Inside):
    def test_no_redirect_and_no_link_leads_inside(self):
        places = {f"/{i}": place for i, place in enumerate(self.places())
                  if place.isascii() and not place.startswith(("data:", " "))}
        outside = self.serve(Outside(places))
        with open(self.path("dns.conf"), "a", encoding="utf-8") as file:
            file.write(f"internal_hosts = outside.test\nprivate_ports = {outside.port}\n")
        base = f"http://outside.test:{outside.port}"
        self.assertFalse(self.client.call("fetch", url=base + "/")[2])
        for path in list(places)[::12]:
            facts, text, is_error = self.client.call("fetch", url=base + path)
            self.assertEqual((is_error, text), (True, ""), (places[path], facts))
        facts, _, _ = self.client.call("crawl", urls=[base + "/"], scope="any", depth=3)
        self.assertGreater(facts["pages"], len(places) // 2)
        self.assertEqual(self.inside.came, [])


if __name__ == "__main__":
    harness.main()
