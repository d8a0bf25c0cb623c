#!/usr/bin/env python3
"""Tests a shared crawl whose Redis server comes back with less than it had acknowledged: from a snapshot, after a power
failure that lost the end of its file, or as a replica that lagged. This is reported at once; no page is lost, and no
request comes too early."""
import glob
import os
import signal

import redis_proxy
import redis_server
import test_cluster
from test_cluster import SHORT_LEASE

DELAY_MS = 100
WORD = "redis is back, perhaps without its last acknowledged writes"
WARNING = "redis keeps no append-only file"


class OlderData(test_cluster.Shared):
    def begin(self, state, count, *options):
        self.state = state
        workers = [self.worker(number, "--delay", f"{DELAY_MS}ms", *options, lease=SHORT_LEASE)
                   for number in range(count)]
        self.wait_until_all_run(count, test_cluster.HOSTS // 2)
        return workers

    def wait_for_more(self, pages):
        before = len(self.asked())
        self.wait_for(lambda: len(self.asked()) >= before + pages)

    def expect_all(self, workers, warned):
        for process in workers:
            _, stderr = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, stderr)
            self.assertIn(WORD, stderr)
            self.assertEqual(WARNING in stderr, warned, stderr)
            self.assertNotIn("seeds may be missing", stderr)
        self.expect_complete(len(workers))
        self.expect_pauses(len(workers), DELAY_MS)
        self.expect_sound()

    def go_back(self, count, *options):
        """Restores a snapshot, some pages after it was made."""
        kept = self.serve(redis_server.Redis("--appendonly", "no"))
        workers = self.begin(kept.url("name=test"), count, *options)
        kept.ask("SAVE")
        self.wait_for_more(test_cluster.HOSTS)
        kept.kill()
        kept.begin()
        self.expect_all(workers, warned=True)

    def test_a_snapshot(self):
        self.go_back(2)

    def test_a_snapshot_and_one_process_alone(self):
        """The process remembers the links that the server has lost."""
        self.go_back(1)

    def test_a_snapshot_and_exact(self):
        self.go_back(2, "--set", "seen.kind=exact")

    def test_a_snapshot_from_when_seeds_were_read(self):
        kept = self.serve(redis_server.Redis("--appendonly", "no"))
        self.state = kept.url("name=test")
        os.mkfifo(self.path("seeds"))
        worker = self.worker(0, "--delay", f"{DELAY_MS}ms", "--seeds", "seeds", lease=SHORT_LEASE)
        with open(self.path("seeds"), "w", encoding="utf-8") as file:
            file.write(self.pages[1] + "\n")
            file.flush()
            self.wait_for(lambda: kept.ask("ZCARD", "{test}:feeders") == 1)
            kept.ask("SAVE")
        self.wait_until_all_run(1, test_cluster.HOSTS // 2)
        self.wait_for(lambda: kept.ask("ZCARD", "{test}:feeders") == 0)
        kept.kill()
        kept.begin()
        self.expect_all([worker], warned=True)

    def test_a_snapshot_without_the_place_of_a_seed(self):
        """It is written again: processes that join later find their scope there."""
        kept = self.serve(redis_server.Redis("--appendonly", "no"))
        self.state = kept.url("name=test")
        waits = self.start("--state", self.state, "--scope", "host", "--allow-private", "--delay", "20ms", "--set",
                           f"state.lease={SHORT_LEASE}", "--seeds", self.redis.url("list=urls"), "--wait")
        for number, seed in enumerate(self.pages[1:3]):
            self.redis.ask("RPUSH", "urls", seed)
            self.wait_for(lambda count=number: kept.ask("HLEN", "{test}:notes") > count)
            if number == 0:
                kept.ask("SAVE")
        waits.send_signal(signal.SIGSTOP)  # it writes the note as soon as the server is back
        kept.kill()
        kept.begin()
        self.assertEqual(kept.ask("HLEN", "{test}:notes"), 1)
        waits.send_signal(signal.SIGCONT)
        self.wait_for(lambda: kept.ask("HLEN", "{test}:notes") == 2)
        waits.send_signal(signal.SIGINT)
        _, stderr = waits.communicate(timeout=60)
        self.assertIn(waits.returncode, (0, 3), stderr)

    def test_the_end_of_its_file_is_lost(self):
        kept = self.serve(redis_server.Redis("--appendfsync", "everysec"))
        workers = self.begin(kept.url("name=test"), 2)
        file = glob.glob(os.path.join(kept.folder, "appendonlydir", "*.incr.aof"))[0]
        size = os.path.getsize(file)
        self.wait_for_more(test_cluster.HOSTS)
        kept.kill()
        self.assertGreater(os.path.getsize(file), size)
        os.truncate(file, size)
        kept.begin()
        self.expect_all(workers, warned=False)

    def test_a_replica_that_was_behind(self):
        master = self.serve(redis_server.Redis())
        between, before = self.serve(redis_proxy.Proxy(master.port)), self.serve(redis_proxy.Proxy(master.port))
        replica = self.serve(redis_server.Redis("--replicaof", "127.0.0.1", str(between.port),
                                                "--repl-diskless-sync-delay", "0"))
        self.wait_for(lambda: "master_link_status:up" in replica.ask("INFO", "replication"))
        workers = self.begin(before.url("name=test"), 2)
        self.wait_for(lambda: int(replica.ask("DBSIZE")) >= int(master.ask("DBSIZE")) - 1)  # it has the crawl
        between.cut()
        self.wait_for_more(test_cluster.HOSTS)
        before.to = replica.port
        master.kill()
        replica.ask("REPLICAOF", "NO", "ONE")
        self.expect_all(workers, warned=False)

    def test_nothing_is_lost_where_each_write_is_kept(self):
        """Nothing is given up, and no page is repeated, though the server, while it loads its data, says that it keeps
        no log."""
        kept = self.serve(redis_server.Redis("--rdbcompression", "no", "--key-load-delay", "10000",
                                             "--loading-process-events-interval-bytes", "1024"))
        for number in range(100):
            kept.ask("SET", f"key{number}", "x" * 2000)
        kept.ask("BGREWRITEAOF")
        self.wait_for(lambda: "aof_rewrite_in_progress:0" in kept.ask("INFO", "persistence"))
        workers = self.begin(kept.url("name=test"), 2)
        self.wait_for_more(test_cluster.HOSTS)
        kept.kill()
        kept.begin()
        for process in workers:
            _, stderr = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, stderr)
            self.assertNotIn(WORD, stderr)
        self.expect_complete(2)
        self.expect_pauses(2, DELAY_MS)


if __name__ == "__main__":
    redis_server.harness.main()
