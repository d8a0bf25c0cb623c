#!/usr/bin/env python3
"""Tests names: the questions to a name server and their number, how long answers are valid, and crawls whose name
servers misbehave. The name server and the sites are on loopback; the names exist nowhere else."""
import http.server
import os
import signal
import time

import harness
from dns_server import DnsServer, REFUSED, SERVFAIL, Zone

HERE = ["127.0.0.1"]


class Site(http.server.BaseHTTPRequestHandler):
    """Serves the same page at every host; each connection ends with its response."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"page")

    def log_message(self, *args):
        pass


class Server(harness.OwnServer):
    def handle_error(self, request, client_address):
        pass  # the client has gone


class Names(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.keep(Server(Site, ""))
        cls.port = cls.server.port

    def start_dns(self, zones):
        dns = DnsServer(zones)
        self.addCleanup(dns.stop)
        return dns

    def options(self, dns, urls, *options):
        self.write("seeds.txt", "".join(url + "\n" for url in urls))
        return ("--seeds", "seeds.txt", "--depth", "0", "--no-robots", "--delay", "0", "--retries", "0", "--seen",
                "exact",
                "--set", "politeness.backoff=0ms", "--set", "politeness.give_up=0", "--output", "pages.jsonl",
                *dns.option(), *options)

    def urls(self, host, count=1):
        return [f"http://{host}:{self.port}/{n}" for n in range(count)]

    def crawl_urls(self, dns, urls, *options, status=0):
        result = self.crawl(*self.options(dns, urls, *options))
        self.assertEqual(result.status, status, result.stderr)
        records = self.records("pages.jsonl")
        self.assertEqual(len(records), len(urls))
        return records

    def crawl_name(self, dns, name, *options, status=0):
        return self.crawl_urls(dns, self.urls(name), *options, status=status)[0]

    def test_one_pair_of_questions_for_many_requests(self):
        dns = self.start_dns({"a.test": Zone(HERE, delay=0.3)})
        records = self.crawl_urls(dns, self.urls("a.test", 100), "--workers", "1", "--connections", "100",
                                  "--per-host", "100")
        self.assertEqual({r["status"] for r in records}, {200})
        self.assertEqual(dns.asked["a.test"], {"A": 1, "AAAA": 1})

    def test_letters_and_ids_are_random(self):
        dns = self.start_dns({"*": lambda name: Zone(HERE)})
        self.crawl_urls(dns, [self.urls(f"host{n}.with-many-letters.test")[0] for n in range(50)])
        self.assertEqual(len(dns.names), 100)
        self.assertEqual([name for name in dns.names if name == name.lower()], [])
        self.assertGreater(len(set(dns.ids)), 90)

    def test_lookups_leave_from_ports_of_their_own(self):
        dns = self.start_dns({"*": lambda name: Zone(HERE)})
        self.crawl_urls(dns, [self.urls(f"host{n}.test")[0] for n in range(100)], "--connections", "4")
        self.assertEqual(len(dns.ports), 200)
        self.assertGreater(len(set(dns.ports)), 90)

    def test_many_lookups_at_once_share_ports_that_change(self):
        dns = self.start_dns({"*": lambda name: Zone(HERE, delay=0.05)})
        # A question that a busy machine leaves unanswered is repeated, but not within this time. With more questions at
        # once some would be lost: the buffer of the server's socket holds 270 unread ones.
        self.crawl_urls(dns, [self.urls(f"host{n}.test")[0] for n in range(600)], "--connections", "100",
                        "--workers", "1", "--set", "fetch.dns_timeout=2m")
        self.assertEqual(len(dns.ports), 1200)
        self.assertGreater(len(set(dns.ports)), 16)
        self.assertLessEqual(len(set(dns.ports[:200])), 8)

    def test_an_answer_holds_for_its_time(self):
        dns = self.start_dns({"long.test": Zone(HERE, ttl=300), "short.test": Zone(HERE, ttl=1)})
        urls = self.urls("long.test", 8) + self.urls("short.test", 8)
        records = self.crawl_urls(dns, urls, "--delay", "400ms")
        self.assertEqual({r["status"] for r in records}, {200})
        self.assertEqual(dns.asked["long.test"], {"A": 1, "AAAA": 1})
        # 2.8 s from the first to the last request; a slower crawl asks more often.
        self.assertGreaterEqual(dns.asked["short.test"]["A"], 3)
        self.assertLess(dns.asked["short.test"]["A"], 8)

    def test_an_address_that_changes(self):
        dns = self.start_dns({"moves.test": Zone(["127.0.0.1"], ttl=1, then=Zone(["127.0.0.2"]))})
        ips = [r["ip"] for r in self.crawl_urls(dns, self.urls("moves.test", 8), "--delay", "300ms", "--per-host", "1")]
        self.assertEqual(ips, sorted(ips))
        self.assertEqual(set(ips), {"127.0.0.1", "127.0.0.2"})
        self.assertEqual(dns.asked["moves.test"]["A"], 2)

    def test_no_such_name_is_remembered(self):
        dns = self.start_dns({})
        records = self.crawl_urls(dns, self.urls("gone.test", 20), "--workers", "1", status=1)
        self.assertEqual({(r["error"], r["detail"]) for r in records}, {("dns", "no such name")})
        self.assertEqual(dns.asked["gone.test"], {"A": 1, "AAAA": 1})

    def test_a_failure_is_not_remembered_for_the_retry(self):
        dns = self.start_dns({"once.test": Zone(rcode=SERVFAIL, after=3, then=Zone(HERE))})
        record = self.crawl_name(dns, "once.test", "--retries", "1", "--set", "politeness.retry_delay=1100ms")
        self.assertEqual((record["status"], record["attempt"]), (200, 2))

    def test_slow_names_hold_nobody_up(self):
        dns = self.start_dns({"slow.test": Zone(HERE, delay=3), "*": lambda name: Zone(HERE)})
        urls = self.urls("slow.test") + [self.urls(f"fast{n}.test")[0] for n in range(100)]
        records = self.crawl_urls(dns, urls, "--connections", "4")
        self.assertEqual(records[-1]["url"], urls[0])
        self.assertGreaterEqual(records[-1]["elapsed_ms"], 2900)
        self.assertEqual({r["status"] for r in records}, {200})

    def test_a_server_that_is_silent(self):
        dns = self.start_dns({"silent.test": Zone(silent=("A", "AAAA"))})
        start = time.monotonic()
        record = self.crawl_name(dns, "silent.test", "--set", "fetch.dns_timeout=500ms", status=1)
        self.assertLess(time.monotonic() - start, 3 + harness.slack())
        self.assertEqual((record["error"], record["detail"]), ("dns", "the name servers did not answer in time"))
        self.assertGreaterEqual(record["elapsed_ms"], 490)

    def test_a_silent_server_has_not_failed_for_a_crawl_that_stood_still(self):
        dns = self.start_dns({"silent.test": Zone(silent=("A", "AAAA"))})
        process = self.start(*self.options(dns, self.urls("silent.test"), "--set", "fetch.dns_timeout=1500ms"))
        harness.wait_for(lambda: dns.asked["silent.test"]["AAAA"] == 1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.7)  # past the first third of the lookup, which then ends later than its first question
        process.send_signal(signal.SIGCONT)
        process.communicate()
        self.assertEqual([r["detail"] for r in self.records("pages.jsonl")],
                         ["the name servers did not answer in time"])

    def test_an_answer_counts_that_comes_when_it_was_asked_for_again(self):
        dns = self.start_dns({"slow.test": Zone(HERE, delay=1)})
        record = self.crawl_name(dns, "slow.test", "--set", "fetch.dns_timeout=2s")
        self.assertEqual(record["status"], 200)
        self.assertEqual(dns.asked["slow.test"], {"A": 2, "AAAA": 2})
        self.assertEqual(len(set(dns.ports)), 2)

    def test_another_server_answers_for_one_that_is_silent(self):
        dead, alive = self.start_dns({"*": lambda name: Zone(silent=("A",
                                                                     "AAAA"))}), self.start_dns(
                                                                         {"*": lambda name: Zone(HERE)})
        urls = [self.urls(f"host{n}.test")[0] for n in range(30)]
        servers = f"fetch.dns_servers=127.0.0.1:{dead.port}, 127.0.0.1:{alive.port}"
        records = self.crawl_urls(dead, urls, "--set", servers, "--set", "fetch.dns_timeout=1500ms")
        self.assertEqual({r["status"] for r in records}, {200})

    def test_a_server_that_was_silent_is_not_waited_for_again(self):
        dead, alive = self.start_dns({"*": lambda name: Zone(silent=("A",
                                                                     "AAAA"))}), self.start_dns(
                                                                         {"*": lambda name: Zone(HERE)})
        urls = [self.urls(f"host{n}.test")[0] for n in range(200)]
        servers = f"fetch.dns_servers=127.0.0.1:{dead.port}, 127.0.0.1:{alive.port}"
        records = self.crawl_urls(dead, urls, "--set", servers, "--set", "fetch.dns_timeout=3s", "--connections", "4",
                                  "--workers", "1")
        self.assertEqual({r["status"] for r in records}, {200})
        # Two of the first four names are asked of it, and a few more until it has lost three questions. An attempt has
        # a second, so that the test's server is not asked twice if the machine stalls for less.
        self.assertLess(len(dead.names), 20)
        self.assertEqual(len(alive.names), 400)

    def test_another_server_answers_for_one_that_refuses(self):
        refuses, alive = (self.start_dns({"*": lambda name: Zone(rcode=REFUSED)}),
                          self.start_dns({"*": lambda name: Zone(HERE)}))
        urls = [self.urls(f"host{n}.test")[0] for n in range(30)]
        servers = f"fetch.dns_servers=127.0.0.1:{refuses.port}, 127.0.0.1:{alive.port}"
        records = self.crawl_urls(refuses, urls, "--set", servers, "--connections", "4", "--workers", "1")
        self.assertEqual({r["status"] for r in records}, {200})
        self.assertLess(len(refuses.names), 20)

    def test_ipv6_addresses_that_never_come(self):
        dns = self.start_dns({"half.test": Zone(HERE, silent=("AAAA",))})
        record = self.crawl_name(dns, "half.test", "--set", "fetch.dns_timeout=20s")
        self.assertEqual(record["status"], 200)
        self.assertLess(record["elapsed_ms"], 2000)

    def test_an_address_where_nobody_listens(self):
        """The next address is tried, even if it is of the other family."""
        dns = self.start_dns({"two.test": Zone(["127.0.0.9", "127.0.0.1"]), "kinds.test": Zone(HERE, aaaa=["::1"])})
        server = self.serve(Server(Site))
        records = self.crawl_urls(dns, [server.url(name) for name in ("two.test", "kinds.test")])
        self.assertEqual({(r["status"], r["ip"]) for r in records}, {(200, "127.0.0.1")})

    def test_a_chain_of_other_names(self):
        dns = self.start_dns({"www.test": Zone(HERE, cname=["cdn.test", "edge.cdn.test"])})
        self.assertEqual(self.crawl_name(dns, "www.test")["status"], 200)

    def test_names_that_are_not_asked_for(self):
        dns = self.start_dns({"*": lambda name: Zone(HERE)})
        longest = ".".join(["x" * 63] * 4)
        rows = {"a.localhost": None, "127.0.0.1": None, "a.invalid": "no such name", "b.onion": "no such name",
                "a..test": "not a valid name in DNS", longest: "not a valid name in DNS"}
        records = self.crawl_urls(dns, [self.urls(name)[0] for name in rows], "--allow-private")
        details = {r["url"].split("/")[2].rsplit(":", 1)[0]: r["detail"] for r in records}
        self.assertEqual(details, rows)
        self.assertEqual(dns.names, [])

    def test_a_dot_at_the_end_and_capital_letters(self):
        dns = self.start_dns({"a.test": Zone(HERE)})
        records = self.crawl_urls(dns, self.urls("a.test.") + self.urls("A.TEST"), "--workers", "1")
        self.assertEqual({r["status"] for r in records}, {200})
        self.assertEqual(set(dns.asked), {"a.test"})

    def test_an_idn_is_asked_for_by_its_ascii_form(self):
        dns = self.start_dns({"xn--bcher-kva.test": Zone(HERE)})
        self.assertEqual(self.crawl_name(dns, "b\u00fccher.test")["status"], 200)

    def test_the_resolver_of_the_system_asks_nobody_named_here(self):
        dns = self.start_dns({"*": lambda name: Zone(HERE)})
        self.crawl_urls(dns, self.urls("a.localhost"), "--set", "fetch.resolver=system")
        self.assertEqual(dns.names, [])

    def test_settings_that_are_wrong(self):
        result = self.crawl("--set", "fetch.dns_servers=ns.example", "http://a.test/")
        self.assertEqual(result.status, 2, result.stderr)
        self.assertIn("dns_servers: ns.example is not the address", result.stderr)
        self.assertEqual(self.crawl("--set", "fetch.resolver=nss", "http://a.test/").status, 2)
        self.assertEqual(self.crawl("--set", "fetch.dns_timeout=1ms", "http://a.test/").status, 2)

    def test_a_thousand_hosts_and_no_thread_for_any(self):
        dns = self.start_dns({"*": lambda name: Zone(HERE, delay=0.05)})
        urls = [self.urls(f"host{n}.test")[0] for n in range(1000)]
        process = self.start(*self.options(dns, urls, "--workers", "2", "--connections", "200", "--quiet",
                                          "--set", "fetch.dns_timeout=2m"))
        threads = []
        while process.poll() is None:
            try:
                threads.append(len(os.listdir(f"/proc/{process.pid}/task")))
            except FileNotFoundError:
                break
            time.sleep(0.01)
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertEqual([r["status"] for r in self.records("pages.jsonl")], [200] * 1000)
        self.assertEqual(sum(sum(asked.values()) for asked in dns.asked.values()), 2000)
        self.assertGreater(len(threads), 10)
        self.assertLessEqual(max(threads), 4)

    def test_a_stop_while_names_are_asked_for(self):
        dns = self.start_dns({"*": lambda name: Zone(silent=("A", "AAAA"))})
        urls = [self.urls(f"host{n}.test")[0] for n in range(50)]
        result = self.crawl(*self.options(dns, urls, "--max-time", "300ms", "--set", "fetch.dns_timeout=1m"))
        self.assertEqual(self.records("pages.jsonl"), [])
        self.assertIn(result.status, (0, 1))

    def test_an_address_that_turns_private(self):
        """DNS rebinding: first an address of the internet, which cannot be reached from 127.0.0.1, then this
        machine."""
        for options, expected in (((), (0, "private")), (("--allow-private",), (200, None))):
            dns = self.start_dns({"rebind.test": Zone(aaaa=["2a00::1"], ttl=1, then=Zone(HERE))})
            hub = self.make_site({"index.html": f"<a href=http://rebind.test:{self.port}/>x</a>"})
            nginx = self.start_nginx({"hub.localhost": hub})
            result = self.crawl("--scope", "any", "--no-robots", "--delay", "0", "--retries", "2", "--set",
                                "politeness.retry_delay=1100ms",
                                "--set", "politeness.backoff=0ms", "--set", "fetch.interface=127.0.0.1", "--output",
                                "pages.jsonl",
                                *dns.option(), *options, nginx.url("hub.localhost"))
            self.assertEqual(result.status, 0, result.stderr)
            record = next(r for r in self.records("pages.jsonl") if "rebind" in r["url"])
            self.assertEqual((record["status"], record["error"]), expected, record)
            self.assertGreater(record["attempt"], 1)
            os.remove(self.path("pages.jsonl"))


if __name__ == "__main__":
    harness.main()
