#!/usr/bin/env python3
"""Tests that good hosts lose no page and keep their pace in one crawl with hosts that hang, drip, send without end,
decode to bombs or reset.

Each host's own requests show the pace: the time from its first to its last, which depends on its pauses and not on the
machine; the median of 200 hosts counts. It is compared with that of a simultaneous crawl of the good hosts alone, so
the machine's load affects both."""
import collections
import signal
import socket
import statistics

import harness

GOOD, PAGES = 200, 8
DELAY_MS = 1000  # so that 200 hosts are no load, even for a program built with sanitizers
# Each host that misbehaves has forty pages.
WAYS = ["/never?n=", "/drip?bytes=100000&ms=300&n=", "/huge?n=", "/coded/gzip?as=bomb&n=", "/reset?n=",
        "/dripheader?ms=200&n="]


class BadHosts(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wild = cls.start_wild()

    def setUp(self):
        super().setUp()
        site = self.make_site({"robots.txt": "", **{f"{n}.html": "page" for n in range(PAGES)}})
        self.nginx = self.start_nginx({"~^good": site})
        self.good = [self.nginx.url(f"good{host}.localhost", f"/{n}.html") for n in range(PAGES)
                     for host in range(GOOD)]

    def bad(self, count, ways):
        """Returns the seeds of bad hosts. They come first, so that they get the free connections."""
        return [self.wild.url(f"bad{host}.localhost", ways[host % len(ways)] + str(n)) for n in range(40)
                for host in range(count)]

    def begin(self, name, urls):
        self.write(name + ".seeds", "".join(url + "\n" for url in urls))
        return self.start("--seeds", name + ".seeds", "--depth", "0", "--seen", "exact", "--delay", f"{DELAY_MS}ms",
                          "--connections", "64",
                          "--set", "fetch.max_body=256KiB", "--output", name + ".pages", "--requests", name
                          + ".requests")

    def good_answers(self, name):
        """Returns the number so far; the last line may be incomplete."""
        return sum(b'"url":"http://good' in line for line in self.bytes_of(name + ".pages").splitlines())

    def end(self, name, process, status):
        """Returns the requests to good hosts, by host, in the order in which they left, in milliseconds."""
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, status, stderr)
        audit = self.crawl("audit", name + ".requests")
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)
        answered = {r["url"] for r in self.records(name + ".pages") if r["status"] == 200}
        self.assertEqual(set(self.good) - answered, set())
        starts = collections.defaultdict(list)
        for request in self.exchanges(name + ".requests"):
            if "//good" in request["host"]:
                starts[request["host"]].append(request["start"])
        self.assertEqual(len(starts), GOOD)
        return starts

    def crawl_alone_and_beside(self, bad):
        """Runs both crawls at once. The one with bad hosts would wait for them, and is ended when the good ones have
        answered."""
        alone, beside = self.begin("alone", self.good), self.begin("beside", bad + self.good)
        try:
            self.wait_for(lambda: self.good_answers("beside") == len(self.good), limit_s=harness.LIMIT_S)
        finally:
            beside.send_signal(signal.SIGTERM)
        return self.end("alone", alone, 0), self.end("beside", beside, 3)

    @staticmethod
    def pace(starts):
        return statistics.median(times[-1] - times[0] for times in starts.values())

    def expect_same_pace(self, bad):
        alone, beside = map(self.pace, self.crawl_alone_and_beside(bad))
        self.assertGreaterEqual(alone, PAGES * DELAY_MS)
        self.assertLessEqual(beside, alone / 0.95)

    def test_fifty_of_all_kinds(self):
        self.expect_same_pace(self.bad(50, WAYS))

    def test_fifty_that_hang(self):
        self.expect_same_pace(self.bad(50, WAYS[:2]))

    def test_more_that_hang_than_there_are_connections(self):
        """Some first requests of the hanging hosts are given back before these are known as slow. From then on the
        other hosts run as if alone."""
        alone, beside = self.crawl_alone_and_beside(self.bad(80, WAYS[:1]))
        last = max(times[-1] for times in beside.values())
        back = [r for r in self.exchanges("beside.requests") if r["error"] == "cancelled" and r["end"] < last]
        self.assertTrue(back)
        self.assertTrue(all("//bad" in r["host"] for r in back))

        def pause(starts):
            """Returns the pause between two requests, without the first two. A moment in which the machine stalls
            changes few of them."""
            return statistics.median(after - before for times in starts.values() for before,
                                     after in zip(times[1:], times[2:]))

        self.assertLessEqual(pause(beside), pause(alone) / 0.95)

    def test_a_good_host_behind_two_hundred_that_hang(self):
        """The silent hosts were never asked before, and their robots.txt does not come either. A host that answers must
        not be found last."""
        # accepts connections and answers nothing
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as silent:
            port = silent.getsockname()[1]
            bad = [f"http://silent{host}.localhost:{port}/{n}" for n in range(3) for host in range(200)]
            for place in (200, 100):
                urls = bad[:place] + self.good[:1] + bad[place:]
                self.write("seeds.txt", "".join(url + "\n" for url in urls))
                result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--seen", "exact", "--delay", "250ms",
                                    "--connections", "64", "--max-time", "6s",
                                    "--output", f"{place}.pages", "--requests", f"{place}.requests")
                self.assertEqual(result.status, 0, result.stderr)
                requests = self.exchanges(f"{place}.requests")
                page = next(r for r in requests if r["url"] == self.good[0])
                self.assertEqual(page["status"], 200)
                self.assertLess(page["end"] - min(r["start"] for r in requests), 5000, f"in place {place}")
                self.assertEqual(self.crawl("audit", f"{place}.requests").status, 0)


if __name__ == "__main__":
    harness.main()
