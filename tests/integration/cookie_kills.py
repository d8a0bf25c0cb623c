#!/usr/bin/env python3
"""Puts the cookies of a shared crawl through a bad day: three processes pass the hosts of one site around; some are
killed, or stopped for longer than their lease, and Redis is killed too. Each response increments a cookie of its host.
A request carries the number of the last response of its host, or of the one before if the process died before it
reported that response; never an older one.

    export PYTHONPATH=tests/integration CRAWL_PROGRAM=$PWD/build/release/crawler/crawl
    tests/integration/cookie_kills.py [SECONDS [SEED]]
"""
import collections
import random
import signal
import subprocess
import sys
import threading
import time

import harness
import redis_server
from recording import Answer, Site

PROCESSES, HOSTS, LEASE_S = 3, 12, 2


class Day:
    def __init__(self):
        self.redis = redis_server.Redis()
        self.state = self.redis.url("name=kills")
        self.folder = harness.temporary_folder()
        self.site = Site({})
        self.site.answer = self.answer
        self.hosts = [f"h{number}.shop.localhost" for number in range(HOSTS)]
        self.counts = dict.fromkeys(self.hosts, 0)
        self.behind = collections.Counter()  # requests by the number of responses that their cookie was behind
        self.done = collections.Counter()
        self.lock = threading.Lock()
        self.started = 0
        self.processes = [self.start() for _ in range(PROCESSES)]
        self.stopped = None  # a process, and since when it is stopped

    def answer(self, request):
        host, number = request.host.split(":")[0], int(request.path[1:])
        cookies = dict(pair.split("=") for pair in request.headers.get("cookie", [""])[0].split("; ") if pair)
        had = int(cookies.get("own", 0))
        with self.lock:
            self.behind[self.counts[host] - had] += 1
            self.counts[host] = had + 1
        time.sleep(0.03)  # so that kills hit responses in flight
        following = [self.hosts[(self.hosts.index(host) + step) % HOSTS] for step in (1, 5)]
        links = "".join(f"<a href={self.site.url(other, f'/{number + 1}')}>x</a>" for other in following)
        return Answer(links, 200, (("Set-Cookie", f"own={had + 1}; Path=/"),
                                   ("Set-Cookie", f"all={number}; Path=/; Domain=shop.localhost")))

    def start(self):
        self.started += 1
        return subprocess.Popen(
            [harness.program(), "--state", self.state, "--scope", "any", "--allow-private", "--depth", "1000000",
             "--no-robots", "--no-adaptive", "--workers", "1", "--cookies",
             "--delay", "40ms", "--per-host", "1", "--set", f"state.lease={LEASE_S}s", "--output",
             f"pages{self.started}.jsonl", *(self.site.url(host, "/0") for host in self.hosts)],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def go_on(self):
        if self.stopped:
            self.stopped[0].send_signal(signal.SIGCONT)
        self.stopped = None

    def spoil_something(self):
        chance = random.random()
        victim = random.choice([process for process in self.processes if not self.stopped
                                or process is not self.stopped[0]])
        if self.stopped and time.monotonic() - self.stopped[1] > 1.5 * LEASE_S:
            self.go_on()
        if chance < 0.5:
            victim.kill()
            victim.wait()
            self.processes.remove(victim)
            self.processes.append(self.start())
            self.done["killed"] += 1
        elif chance < 0.75 and not self.stopped:
            victim.send_signal(signal.SIGSTOP)
            self.stopped = (victim, time.monotonic())
            self.done["stopped"] += 1
        elif chance < 0.8:
            self.redis.kill()
            self.redis.begin()
            self.done["Redis killed"] += 1

    def end(self):
        self.go_on()
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()
        check = subprocess.run([harness.program(), "inspect", "--check", self.state], capture_output=True, text=True,
                               check=False)
        self.redis.stop()
        self.site.stop()
        print(f"{sum(self.behind.values())} requests, {dict(self.done)}; answers that their cookie was behind: "
              f"{dict(self.behind)}; {check.stdout}", end="")
        return check.returncode == 0 and set(self.behind) <= {0, 1}


def main():
    given = [int(word) for word in sys.argv[1:]]
    seconds, seed = given + [60, 1][len(given):]
    random.seed(seed)
    day, end = Day(), time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.7)
        day.spoil_something()
    sys.exit(0 if day.end() else 1)


if __name__ == "__main__":
    main()
