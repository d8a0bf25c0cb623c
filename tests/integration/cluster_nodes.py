#!/usr/bin/env python3
"""Runs the bad day of cluster_kills.py with a Redis Cluster of three masters and a replica. In addition, slots are
moved between nodes, and a master is killed: its replica takes over, and the master comes back as the replica. Links
that the replica had not received are lost; such pages are reported.

    export PYTHONPATH=tests/integration CRAWL_PROGRAM=$PWD/build/program/crawler/crawl
    python3 tests/integration/cluster_nodes.py [--moves N] [--redis N] ...   (--help has the others)

Not part of the test suite, since it takes minutes."""
import subprocess

import cluster_kills
import harness
import redis_cluster


class Day(cluster_kills.Day):
    @staticmethod
    def start_redis():
        return redis_cluster.RedisCluster()

    @property
    def may_be_lost(self):
        return self.options.pages if self.options.redis else 0

    def acts(self):
        return super().acts() + [self.move_slot] * self.options.moves

    def kill_redis(self):
        self.redis.kill_master()
        self.redis.bring_back()

    def move_slot(self):
        source, target = self.random.sample(self.redis.masters, 2)
        slots = self.redis.slots_with_keys(source)
        if slots:
            self.redis.move(self.random.choice(slots), source, target)

    def judge(self, done):
        said = subprocess.run([harness.program(), "inspect", "--check", self.redis.url("name=day")],
                              capture_output=True, text=True, timeout=120, check=False)
        print(said.stdout + said.stderr, end="")
        return super().judge(done) and said.returncode == 0


if __name__ == "__main__":
    cluster_kills.main(Day, __doc__, moves=40, cuts=0, away=0)
