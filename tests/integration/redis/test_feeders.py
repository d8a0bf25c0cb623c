#!/usr/bin/env python3
"""Tests a shared crawl in which a process is killed before all its seeds are in Redis. The others end, and warn that
seeds may be missing; each process that joins gives the warning, until one brings seeds again."""
import os

import harness
import test_cluster
from test_cluster import SHORT_LEASE

WORD = "seeds may be missing: a process of this crawl ended before all of its seeds were in Redis; give the seeds again"


class Feeders(test_cluster.Shared):
    def feeder_is_killed(self):
        """Kills a process in the middle of its seeds."""
        os.mkfifo(self.path("seeds"))
        process = self.start("--state", self.state, "--scope", "any", "--allow-private", "--depth", "100", "--delay",
                             "20ms", "--set", f"state.lease={SHORT_LEASE}", "--seeds", "seeds")
        with open(self.path("seeds"), "w", encoding="utf-8") as file:
            file.write(self.pages[1] + "\n")
            file.flush()
            self.wait_for(lambda: self.redis.ask("ZCARD", "{test}:feeders") == 1)
            process.kill()
            process.communicate()

    def said(self, process):
        _, stderr = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertNotRegex(stderr, "Sanitizer|runtime error")
        return stderr.count(WORD)

    def test_the_others_say_so(self):
        self.feeder_is_killed()
        workers = [self.worker(number, lease=SHORT_LEASE) for number in range(2)]
        for process in workers:
            self.assertGreaterEqual(self.said(process), 1)
        self.expect_complete(2)
        self.expect_sound()

    def test_until_seeds_were_given_again(self):
        self.feeder_is_killed()
        self.assertGreaterEqual(self.said(self.worker(0, lease=SHORT_LEASE)), 1)
        without_seeds = self.start("--state", self.state, "--set", f"state.lease={SHORT_LEASE}", "--scope", "any",
                                   "--allow-private", "--depth", "100", "--delay", "20ms")
        self.assertGreaterEqual(self.said(without_seeds), 1)
        self.assertEqual(self.said(self.worker(1, lease=SHORT_LEASE)), 1, "who joins with seeds hears it once")
        self.assertEqual(self.said(self.worker(2, lease=SHORT_LEASE)), 0)


if __name__ == "__main__":
    harness.main()
