#!/usr/bin/env python3
"""Tests a crawl shared through a Redis Cluster in which slots are moved and a node is lost while it runs.
../cluster_nodes.py and cluster_kills.py do the same for longer."""
import contextlib
import json
import subprocess

import harness
import redis_cluster
import test_cluster
import test_duplicates
import test_runs


class Nodes(test_cluster.Shared):
    """Three servers behave like one."""

    @classmethod
    def start_redis(cls):
        return redis_cluster.RedisCluster()

    def inspect(self, *options):
        said = subprocess.run([harness.program(), "inspect", self.state, *options], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(said.returncode, 0, said.stderr + said.stdout)
        return said.stdout

    @contextlib.contextmanager
    def not_over(self):
        """Keeps processes from ending, however slow the machine: an additional feeder claims to have seeds."""
        self.redis.ask_for("{test}", "ZADD", "{test}:feeders", 1 << 52, "holds it open")
        yield
        self.redis.ask_for("{test}", "ZREM", "{test}:feeders", "holds it open")

    def test_slots_are_moved(self):
        with self.not_over():
            workers = [self.worker(number, "--delay", "800ms", lease="9s") for number in range(2)]
            self.wait_until_all_run(2, len(self.pages) // 6)
            _, source, target = self.redis.masters
            slots = self.redis.slots_with_keys(source, least=2)[:5]  # of hosts; no command touches the other slots
            self.assertTrue(slots)
            for slot in slots:
                self.redis.move(slot, source, target, between=lambda: self.wait_until_refused(source))
            self.assertTrue(all(process.poll() is None for process in workers), "it was over before they were moved")
        self.finish(workers)
        self.expect_complete(2)
        self.assertEqual(len(self.asked()), test_cluster.HOSTS + len(self.pages), "something was asked twice")
        self.expect_pauses(2, 800)
        self.assertEqual(self.inspect("--check"), "test: 0 violations\n")
        self.assertEqual(json.loads(self.inspect("--jsonl"))["requests"]["finished"], len(self.pages))

    def wait_until_refused(self, node):
        """Waits until a process was redirected because keys are being moved."""
        had = node.count_of_error("ASK")
        self.wait_for(lambda: node.count_of_error("ASK") > had)

    def test_turns_at_one_address(self):
        """The slots of a node are moved, perhaps including those of the turn, and one process is killed."""
        options = ("--per-ip", "--per-host", "1", "--delay", "30ms")
        workers = [self.worker(number, *options, lease=test_cluster.SHORT_LEASE) for number in range(2)]
        self.wait_for(lambda: self.departs(0) or self.departs(1))
        source, target, _ = self.redis.masters
        for slot in self.redis.slots_with_keys(source, least=2)[:5]:
            self.redis.move(slot, source, target)
        self.kill_first(workers)
        self.expect_complete(2)
        self.expect_turns(2, 30)

    def test_zz_a_node_is_lost(self):
        """This test is the last, since the cluster has no replica afterwards."""
        with self.not_over():
            workers = [self.worker(number, "--delay", "800ms") for number in range(2)]
            self.wait_until_all_run(2, len(self.pages) // 6)
            self.redis.kill_master()
            self.assertTrue(all(process.poll() is None for process in workers),
                            "it was over before the replica took over")
        self.finish(workers)
        self.expect_complete(2)
        self.expect_pauses(2, 800)
        self.inspect("--check")

    def test_what_is_not_whole_is_refused(self):
        alone = self.serve(redis_cluster.Node(1000))
        process = self.crawl("--state", alone.url("name=test"), self.pages[0])
        self.assertEqual(process.status, 4, process.stderr)
        self.assertIn("the cluster serves 0 of its 16384 slots", process.stderr)

    def test_a_node_that_drops_keys_is_refused(self):
        last = self.redis.masters[2]
        last.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        process = self.crawl("--state", self.state, self.pages[0])
        last.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        self.assertEqual(process.status, 2, process.stderr)
        self.assertIn("maxmemory-policy allkeys-lru", process.stderr)

    def test_a_dupefilter_of_spiders_is_refused(self):
        """The dupefilter is one key, which all partitions would need."""
        settings = [word for setting in ("redis.layout=scrapy-redis", "seen.kind=exact", "seen.fingerprint=scrapy-2.7")
                    for word in ("--set", setting)]
        process = self.crawl("--state", self.state, *settings, self.pages[0])
        self.assertEqual(process.status, 2, process.stderr)
        self.assertIn("a Redis Cluster cannot have one dupefilter for all", process.stderr)

    def test_records_and_seeds_go_by_it_too(self):
        self.redis.ask_for("{shop}", "RPUSH", "{shop}:urls", self.pages[0])
        self.crawl("--depth", "0", "--allow-private", "--seeds", self.redis.url("list={shop}:urls"), "--output",
                   self.redis.url("list={shop}:items"))
        items = self.redis.ask_for("{shop}", "LRANGE", "{shop}:items", 0, -1)
        self.assertEqual([json.loads(item)["url"] for item in items], [self.pages[0]])


class LostNodes(test_cluster.Shared):
    """Nodes that store nothing; only the first one has a replica."""

    @classmethod
    def start_redis(cls):
        return redis_cluster.RedisCluster(5000, "--appendonly", "no")

    def setUp(self):
        super().setUp()
        whole = self.redis.node_of("{test}")
        self.other = next(node for node in self.redis.masters[1:] if node is not whole)

    def expect_ended(self, workers):
        """Checks that all processes end by themselves, and that nothing of the crawl has come to the node since."""
        for process in workers:
            _, stderr = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 4, stderr)
            self.assertRegex(stderr, r"redis has lost the crawl: .* \({test:[0-9]+}\)")
            self.assertNotRegex(stderr, "Sanitizer|runtime error")
        self.assertEqual(self.other.ask("KEYS", "*"), [])

    def slow(self, number):
        return self.worker(number, "--delay", "800ms", lease=test_cluster.SHORT_LEASE)

    def start_two(self):
        workers = [self.slow(number) for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        return workers

    def test_a_node_comes_back_empty(self):
        """The node lacks the data by which a single server recognizes the whole crawl."""
        workers = self.start_two()
        self.other.kill()
        self.other.begin()
        self.expect_ended(workers)
        self.expect_ended([self.slow(2)])
        self.redis.ask_for("{test}", "HDEL", "{test}:figures", "made")  # continues with the rest
        self.finish([self.slow(3)])

    def test_a_node_is_emptied(self):
        """The node is emptied while its connections stand, as if slots were given to it without their keys."""
        workers = self.start_two()
        self.other.ask("FLUSHALL")
        self.expect_ended(workers)


class RunsOfNodes(test_runs.Runs):
    start_redis = Nodes.start_redis


class DuplicatesOfNodes(test_duplicates.Duplicates):
    start_redis = Nodes.start_redis


def keep(case, base, *kept):
    """Keeps the tests of a single server that use more than one partition; the others concern servers' messages, or
    count one server's commands."""
    for name in vars(base):
        if name.startswith("test_") and name not in kept:
            setattr(case, name, None)


keep(Nodes, test_cluster.Shared, "test_many_hands", "test_depth_first", "test_pages_of_all_together",
     "test_pages_of_a_host_and_of_a_domain",
     "test_tickets_of_one_that_is_killed")
keep(LostNodes, test_cluster.Shared)
keep(RunsOfNodes, test_runs.Runs, "test_each_run_visits_what_is_due_and_ends")
keep(DuplicatesOfNodes, test_duplicates.Duplicates, "test_one_page_is_the_first_of_all_processes")


if __name__ == "__main__":
    harness.main()
