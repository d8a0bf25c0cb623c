#!/usr/bin/env python3
"""Tests limits of bytes per second by the time that transfers take."""
import os
import unittest

import harness

FILES = 10
SIZE = 64 * 1024
HOSTS = ("a.localhost", "b.localhost")
# least part of the computed time: the last read of a transfer is not waited for, and a late loop catches up
PART = 0.85


class Rates(harness.TestCase):
    def crawl_files(self, *options):
        """Fetches all files of both hosts. Returns when each host was done, and when all were, in seconds from the
        first request. Transfers that are held back take longer than their time limit, and are slower than the least
        rate allowed, which is not the server's fault."""
        os.makedirs(self.path("files"))
        for number in range(FILES):
            with open(self.path(f"files/{number}.bin"), "wb") as file:
                file.write(os.urandom(SIZE))
        nginx = self.start_nginx({name: self.path("files") for name in HOSTS})
        self.write("seeds.txt", "".join(nginx.url(host, f"/{number}.bin") + "\n" for host in HOSTS
                                        for number in range(FILES)))
        result = self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--per-host", "5", "--no-robots",
                            "--requests", "requests.jsonl",
                            "--timeout", "900ms", "--set", "fetch.low_speed_time=1s", "--set",
                            "fetch.low_speed_bytes=1GiB", *options)
        self.assertEqual(result.status, 0, result.stderr)
        ends = [event for event in self.records("requests.jsonl") if event["event"] == "end"]
        self.assertEqual([(e["status"], e["error"]) for e in ends], [(200, None)] * FILES * len(HOSTS))
        begin = min(e["start"] for e in ends)
        return result, *(max(e["end"] - begin for e in ends if host in e["url"]) / 1000 for host in (*HOSTS, ""))

    def test_all_transfers_share_a_rate(self):
        result, _, _, took_s = self.crawl_files("--rate-limit", "600k")
        self.assertGreater(took_s, PART * len(HOSTS) * FILES * SIZE / 600e3)
        self.assertIn("bound by  the rate limit", result.stderr)

    def test_a_host_has_a_rate_of_its_own_and_keeps_no_other_waiting(self):
        self.write("rates.conf", "[politeness]\nhost_rate_limit = 1G\n[host b.localhost]\nrate_limit = 400k\n")
        _, a_s, b_s, _ = self.crawl_files("--config", "rates.conf")
        self.assertGreater(b_s, PART * FILES * SIZE / 400e3)
        self.assertLess(a_s, b_s / 2)

    def test_hosts_of_a_group_share_a_rate(self):
        self.write("rates.conf", f"[group both]\nhosts = {' '.join(HOSTS)}\nrate_limit = 600k\n")
        _, a_s, b_s, _ = self.crawl_files("--config", "rates.conf")
        self.assertGreater(max(a_s, b_s), PART * len(HOSTS) * FILES * SIZE / 600e3)

    def test_what_is_no_rate_is_refused(self):
        result = self.crawl("--rate-limit", "2m", "http://localhost:9/")
        self.assertEqual(result.status, 2)
        self.assertIn("expected bytes a second from 0 to 1000G, as 200k or 2M", result.stderr)


if __name__ == "__main__":
    unittest.main()
