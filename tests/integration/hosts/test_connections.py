#!/usr/bin/env python3
"""Tests that connections are reused: a host costs one connection however often it is asked, for any number of workers
and hosts."""
import harness

PAGES = 8


class Connections(harness.TestCase):
    def connections_of(self, hosts, *options):
        """Returns how many connections a crawl of all pages of `hosts` hosts makes."""
        names = [f"h{n}.localhost" for n in range(hosts)]
        site = self.make_site({"0.html": "".join(f"<a href={n}.html>{n}</a>" for n in range(1, PAGES)),
                               **{f"{n}.html": "x" for n in range(1, PAGES)}})
        nginx = self.start_nginx({"*.localhost": site})
        self.write("seeds", "".join(nginx.url(name, "/0.html") + "\n" for name in names))
        result = self.crawl("--seeds", "seeds", "--depth", "1", "--no-robots", *options)
        self.assertEqual(result.status, 0, result.stderr)
        requests = nginx.requests()
        self.assertEqual(len(requests), hosts * PAGES)
        return len({request.connection for request in requests})

    def test_of_more_hosts_than_transfers_at_once(self):
        self.assertLessEqual(self.connections_of(100, "--workers", "1", "--connections", "10", "--delay", "0"), 110)

    def test_of_more_hosts_than_connections_are_kept(self):
        """Hosts take turns in sessions, which end with the pages of a depth: one for the seed, one for all others."""
        made = self.connections_of(100, "--workers", "1", "--connections", "10", "--delay", "0", "--per-host", "1",
                                   "--set", "fetch.idle_connections=10")
        self.assertGreaterEqual(made, 190)
        self.assertLessEqual(made, 210)

    def test_of_more_hosts_than_take_turns_at_once(self):
        """25 of the 100 hosts take turns at once, and their connections are kept when others begin."""
        made = self.connections_of(100, "--workers", "1", "--connections", "5", "--delay", "0", "--per-host", "1",
                                   "--set", "fetch.idle_connections=200")
        self.assertLessEqual(made, 105)

    def test_a_host_stays_with_one_worker(self):
        """A host would cost 3.6 connections if each request went to whichever of four workers asks the frontier
        next."""
        self.assertLess(self.connections_of(40, "--workers", "4", "--delay", "200ms"), 40 * 2)


if __name__ == "__main__":
    harness.main()
