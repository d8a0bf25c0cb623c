#!/usr/bin/env python3
"""Tests pauses and limits per host, as the servers saw them."""
import contextlib
import resource
import threading
import unittest

import harness
from recording import Answer, Site, Socks, SocksHandler

DOCS = harness.python_docs()
HOSTS = [f"polite{i}.localhost" for i in range(10)]


class Gate(SocksHandler):
    """A proxy that establishes its second connection once the first response has come back and been processed."""

    def address(self):
        address = super().address()
        if len(self.server.requests) == 1:
            self.server.second.set()
            harness.wait_for(self.server.first_is_over)
        return address


class GateServer(Socks):
    def __init__(self, first_is_over):
        self.second = threading.Event()
        self.first_is_over = first_is_over
        super().__init__()
        self.RequestHandlerClass = Gate


class HoldWhileConnecting(harness.TestCase):
    """A host asks to be left alone while the connection of another request to it is being made."""

    def crawl_through_gate(self, page, *options):
        requests = self.path("requests.jsonl")

        def is_answered():
            with contextlib.suppress(FileNotFoundError), open(requests, encoding="utf-8") as file:
                return '"event":"end"' in file.read()
            return False
        proxy = self.serve(GateServer(is_answered))

        def answer(_):
            proxy.second.wait(30)
            return page
        site = self.serve(Site({f"/{n}": answer for n in range(3)}))
        self.write("seeds.txt", "".join(site.url("held.localhost", f"/{n}") + "\n" for n in range(3)))
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--no-robots", "--retries", "0",
                            "--proxy",
                            f"socks5h://127.0.0.1:{proxy.port}", "--output", "pages.jsonl", "--requests",
                            "requests.jsonl", *options, limit_s=60)
        self.assertEqual(self.crawl("audit", "requests.jsonl").status, 0)
        self.assertEqual(len(site.requests), 1, "the second request did not leave")
        return result, sorted((r["status"], r["error"], r["detail"]) for r in self.records("pages.jsonl"))

    def test_a_retry_after_that_is_too_long_refuses_what_is_on_its_way(self):
        result, records = self.crawl_through_gate(Answer("later", 429, (("Retry-After", "99999999"),)))
        self.assertEqual([(status, error) for status, error, _ in records], [(0, "retry-after")] * 2
                         + [(429, "retry-after")])
        for _, _, detail in records:
            self.assertIn("later than politeness.max_retry_delay" if "come back" in detail
                          else "longer than politeness.max_retry_delay", detail)
        self.assertIn("nothing left to fetch", result.stderr)

    def test_a_host_that_is_given_up_refuses_what_is_on_its_way(self):
        _, records = self.crawl_through_gate(Answer("broken", 500), "--set", "politeness.give_up=1")
        self.assertEqual([(status, error) for status, error, _ in records], [(0, "given-up")] * 2 + [(500, None)])


def false_log(requests, field, value):
    """Returns the text of a log of these requests that claims another value of a field for each."""
    requests = sorted(requests, key=lambda r: r["start"])
    log = [{"event": "run", "start": requests[0]["start"], "workers": 1}]
    for number, request in enumerate(requests, 1):
        log += [{**request, "event": event, "request": number, "seq": number, field: value}
                for event in ("depart", "end")]
    end = max(r["end"] for r in requests)
    return harness.chained([*log, {"event": "run-end", "end": end, "requests": len(requests)}])


class Politeness(harness.TestCase):
    @unittest.skipUnless(DOCS, "python3-doc is not installed")
    def test_pause_per_host_and_pace_of_the_busiest(self):
        """One of ten hosts has four times the pages. No request may come before its pause ends, and hosts must not wait
        for each other."""
        nginx = self.start_nginx({name: DOCS for name in HOSTS})
        pages = harness.pages_of(DOCS, 40)
        counts = {name: 40 if name == HOSTS[0] else 10 for name in HOSTS}
        self.write("seeds.txt", "".join(nginx.url(name, page) + "\n" for name in HOSTS
                                        for page in pages[:counts[name]]))
        delay = 0.1
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "100ms", "--no-adaptive", "--output",
                            "pages.jsonl", "--requests", "requests.jsonl")
        self.assertEqual(result.status, 0, result.stderr)
        for name in HOSTS:
            requests = nginx.requests(name)
            self.assertEqual(len(requests), counts[name] + 1, "the pages and robots.txt")
            self.assertEqual(requests[0].uri, "/robots.txt")
            self.expect_pauses(delay, (r.start for r in requests))
        everything = [r for name in HOSTS for r in nginx.requests(name)]
        took = max(r.end for r in everything) - min(r.start for r in everything)
        one_by_one = sum(counts.values()) * delay
        self.assertLess(took, 0.7 * one_by_one, "the busiest host, which needs a third of it, was held up")

    def test_no_more_at_once_than_per_host(self):
        """Requests take 60 ms each, without a pause. The server counts how many it serves at once."""
        wild = self.start_wild()
        hosts = ["once1.localhost", "once2.localhost"]
        self.write("seeds.txt", "".join(wild.url(name, f"/slow?ms=60&n={n}") + "\n" for n in range(12)
                                        for name in hosts))
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--per-host", "3", "--output",
                            "pages.jsonl")
        self.assertEqual(result.status, 0, result.stderr)
        records = self.records("pages.jsonl")
        self.assertEqual([r["status"] for r in records], [200] * 24)
        for name in hosts:
            # In whole milliseconds: a request that begins when another ends must not overlap it by a rounding error.
            spans = sorted((r["t"], r["t"] + 60) for r in wild.requests(name) if r["path"].startswith("/slow"))
            at_once = max(sum(1 for other in spans if other[0] <= span[0] < other[1]) for span in spans)
            self.assertLessEqual(at_once, 3, name)
            self.assertGreaterEqual(at_once, 2, name)

    def test_hosts_at_one_address_have_a_loose_limit_and_pause_together(self):
        """A domain may have any number of names at one server: 40 hosts, three parallel requests there, an eighth of
        the delay apart."""
        wild = self.start_wild()
        self.write("seeds.txt", "".join(wild.url(f"many{n}.localhost", "/slow?ms=150") + "\n" for n in range(40)))
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--no-robots", "--delay", "160ms", "--output",
                            "pages.jsonl", "--requests", "loose.jsonl",
                            "--set", "politeness.per_address=3", "--set", "politeness.per_address_private=true")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([r["status"] for r in self.records("pages.jsonl")], [200] * 40)
        requests = [r for r in self.records("loose.jsonl") if r.get("event") == "end" and r["sent"]]
        self.assertEqual({(r["address_limit"], r["address_pause"]) for r in requests}, {(3, 20)})
        starts = sorted(r["start"] for r in requests)
        self.assertGreaterEqual(min(b - a for a, b in zip(starts, starts[1:])), 20)
        at_once = max(sum(one["start"] <= start < one["end"] for one in requests) for start in starts)
        self.assertIn(at_once, (2, 3))
        audit = self.crawl("audit", "loose.jsonl")
        self.assertEqual(audit.status, 0, audit.stdout)
        # The proof can fail: a pause or a limit that was not kept is found.
        for field, value in (("address_pause", 500), ("address_limit", 1)):
            audit = self.crawl("audit", stdin=false_log(requests, field, value))
            self.assertEqual(audit.status, 1, field)
            # whichever of the two the version of libcurl tries first
            self.assertRegex(audit.stdout, r"127\.0\.0\.1|::1")

    def test_hosts_of_a_group_share_pause_and_limit(self):
        wild = self.start_wild()
        shop = [f"g{n}.shop.localhost" for n in range(5)] + ["a.localhost"]
        self.write("group.conf", "[group shop]\nhosts = *.shop.localhost a.localhost\ndelay = 100ms\nper_host = 2\n")
        self.write("seeds.txt", "".join(wild.url(host, f"/slow?ms=250&n={n}") + "\n" for n in range(3)
                                        for host in [*shop, "alone.localhost"]))
        result = self.crawl("--config", "group.conf", "--seeds", "seeds.txt", "--depth", "0", "--no-robots", "--delay",
                            "0", "--output", "pages.jsonl", "--requests", "requests.jsonl")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([r["status"] for r in self.records("pages.jsonl")], [200] * 3 * (len(shop) + 1))
        requests = [r for r in self.exchanges() if "alone" not in r["host"]]
        self.assertEqual({r.get("group") for r in requests}, {"shop"})
        starts = sorted(r["start"] for r in requests)
        self.assertGreaterEqual(min(b - a for a, b in zip(starts, starts[1:])), 100)
        at_once = max(sum(one["start"] <= start < one["end"] for one in requests) for start in starts)
        self.assertEqual(at_once, 2)
        alone = [r for r in self.exchanges() if "alone" in r["host"]]
        self.assertNotIn("group", alone[0])
        self.assertLess(max(r["end"] for r in alone), starts[-1], "a host of no group does not wait for one")
        audit = self.crawl("audit", "requests.jsonl")
        self.assertEqual(audit.status, 0, audit.stdout)
        for field, value in (("pause", 500), ("limit", 1)):  # no single host violates them
            first = {r["host"]: r for r in reversed(requests)}.values()
            audit = self.crawl("audit", stdin=false_log(first, field, value))
            self.assertEqual(audit.status, 1, field)
            self.assertRegex(audit.stdout, r"\bshop\b")

    def test_loopback_is_no_address_of_the_internet(self):
        """Servers that seeds name on loopback get requests as fast as their own pauses allow."""
        wild = self.start_wild()
        self.write("seeds.txt", "".join(wild.url(f"free{n}.localhost", "/slow?ms=300") + "\n" for n in range(30)))
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--no-robots", "--delay", "10s", "--requests",
                            "free.jsonl")
        self.assertEqual(result.status, 0, result.stderr)
        requests = [r for r in self.records("free.jsonl") if r.get("event") == "end"]
        self.assertEqual(len(requests), 30)
        self.assertFalse(any("address_limit" in r for r in requests))
        self.assertGreater(max(sum(one["start"] <= r["start"] < one["end"] for one in requests) for r in requests), 8)

    def processor_time(self, delay):
        """Returns the processor time, in seconds, of a crawl of four pages of a host."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", delay, "--max-pages", "4", "--workers", "3",
                   "--no-robots")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def test_waiting_costs_no_processor_time(self):
        """Workers that wait for a pause, or for a page for which another holds the last permit, sleep; a busy one would
        take three seconds."""
        wild = self.start_wild()
        self.write("seeds.txt", "".join(wild.url("calm.localhost", f"/page?n={n}") + "\n" for n in range(9)))
        self.assertLess(self.processor_time("1s"), self.processor_time("0") + 0.5)
        self.assertEqual(len(wild.requests("calm.localhost")), 8)

    def test_crawl_delay_is_honoured_up_to_its_limit(self):
        wild = self.start_wild()
        name = "robots-delay-2.localhost"
        self.write("seeds.txt", "".join(wild.url(name, f"/page?n={n}") + "\n" for n in range(3)))
        self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--set", "politeness.max_crawl_delay=300ms",
                   "--requests",
                   "requests.jsonl")
        pages = [r for r in self.exchanges() if "/page" in r["url"]]
        self.assertEqual([(r["pause"], r["pause_by"]) for r in pages], [(300, "crawl-delay")] * 3,
                         "not the two seconds of robots.txt")
        starts = [r["start"] for r in wild.requests(name)]
        self.assertEqual(len(starts), 4)
        self.expect_pauses(0.3, starts)


if __name__ == "__main__":
    harness.main()
