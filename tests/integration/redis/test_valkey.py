#!/usr/bin/env python3
"""Tests Valkey in place of Redis, if installed: a shared crawl, with a kill of one process and of the server, its end,
and lists of seeds and records."""
import json
import os
import shutil
import sys

import harness
import redis_crawl
import redis_server

PAGES, HOSTS = 120, 6


class Valkey(redis_server.Redis):
    program = "valkey-server"


class OnValkey(redis_crawl.RedisCrawl):
    @classmethod
    def start_redis(cls):
        return Valkey()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_pages(PAGES, HOSTS)
        for page in range(PAGES):
            links = cls.pages[2 * page + 1:2 * page + 3]
            folder = cls.folders[cls.hosts[page % HOSTS]]
            with open(os.path.join(folder, f"{page}.html"), "w", encoding="utf-8") as file:
                file.write("".join(f"<a href={link}>x</a>" for link in links))

    def worker(self, name):
        return self.start("--state", self.state, "--scope", "any", "--allow-private", "--no-robots", "--depth", "9",
                          "--delay", "20ms", "--set", "state.lease=2s", "--output", f"{name}.jsonl", self.pages[0])

    def test_a_shared_crawl(self):
        first = self.worker("a")
        self.wait_for(lambda: len(self.bytes_of("a.jsonl")) > 1000)
        others = [self.worker(name) for name in "bc"]
        first.kill()
        first.communicate()
        self.redis.kill()
        self.redis.begin()
        self.finish(others)
        lines = b"".join(self.bytes_of(f"{name}.jsonl") for name in "abc").splitlines()
        self.assertEqual({json.loads(line)["url"] for line in lines if line.endswith(b"}")}, set(self.pages))
        self.redis.ask("DEL", "{test}:workers", "{test}:reports")  # the killed process would count as alive for a while
        self.assertEqual(self.crawl("inspect", self.state, "--drop", "--yes").status, 0)
        self.assertEqual(self.redis.ask("DBSIZE"), 0)

    def test_lists(self):
        self.redis.ask("RPUSH", "urls", *self.pages)
        result = self.crawl("--depth", "0", "--delay", "0", "--allow-private", "--seeds", self.redis.url("list=urls"),
                            "--output", self.redis.url("list=items"))
        self.assertEqual(result.status, 0, result.stderr)
        items = [json.loads(text)["url"] for text in self.redis.ask("LRANGE", "items", 0, -1)]
        self.assertEqual(sorted(items), sorted(self.pages))


if __name__ == "__main__":
    if not shutil.which("valkey-server"):
        print("skipped: valkey-server is not installed", file=sys.stderr)
        sys.exit(77)
    harness.main()
