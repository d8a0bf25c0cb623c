#!/usr/bin/env python3
"""Kills a crawl with --state, seeds from Redis and records to it again and again, and its Redis too; then checks that
its pages are complete.

usage: redis_kills.py [--kills N] [--seeds N] [--random N]

Needs CRAWL_PROGRAM and PYTHONPATH as the tests do; exits 1 if a page is lost.

Every fourth time Redis is killed before the crawl. Each seed must have a record at the end, in Redis, which writes
before it answers.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

import harness
import redis_server

HOSTS = 8


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=1500)
    parser.add_argument("--random", type=int, default=1)
    return parser.parse_args()


def make_seeds(redis, count):
    folder = harness.temporary_folder()
    with open(os.path.join(folder, "p.html"), "w", encoding="utf-8") as file:
        file.write("<title>page</title>")
    names = [f"h{number}.localhost" for number in range(HOSTS)]
    site = harness.Nginx({name: folder for name in names})
    urls = [site.url(names[number % HOSTS], f"/p.html?{number}") for number in range(count)]
    for start in range(0, count, 100):
        redis.ask("RPUSH", "urls", *urls[start:start + 100])
    return urls


def kill_redis(redis):
    redis.kill()
    time.sleep(random.uniform(0, 0.5))
    redis.begin()


def crawl_for(command, seconds, before_kill):
    """Returns the exit status. None: it was killed."""
    process = subprocess.Popen(command)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        before_kill()
        process.kill()
        process.wait()
        return None


def main():
    options = parse()
    random.seed(options.random)
    redis = redis_server.Redis()
    urls = make_seeds(redis, options.seeds)
    command = [harness.program(), "--quiet", "--depth", "0", "--delay", "20ms", "--state",
               os.path.join(harness.temporary_folder(), "state"),
               "--seeds", redis.url("list=urls"), "--output", redis.url("list=items")]
    kills = redis_kills = 0
    while kills < options.kills and crawl_for(command, random.uniform(0.15, 0.9), (lambda: kill_redis(redis))
                                              if kills % 4 == 3 else lambda: None) is None:
        kills += 1
        redis_kills += kills % 4 == 0
    status = crawl_for(command, harness.LIMIT_S, lambda: None)
    records = [json.loads(text)["url"] for text in redis.ask("LRANGE", "items", 0, -1)]
    left = [key for key in redis.ask("KEYS", "*") if key != "items"]
    lost = set(urls) - set(records)
    print(f"{kills} kills, {redis_kills} of them of Redis too; status {status}; {len(urls)} seeds, {len(records)} "
          f"records, {len(lost)} lost; left in Redis: {left}")
    return 1 if lost or left or status != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
