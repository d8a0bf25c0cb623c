#!/usr/bin/env python3
"""Puts a shared crawl through a bad day. Processes are killed and restarted, stopped for longer than their lease, or
cut off from Redis for as long by a proxy. Redis, which writes before it answers, is killed and restarted, and is away
for half a minute. After each event `crawl inspect --check` must find nothing. At the end every page has a record, no
pause was too short in the logs of all processes together, no process sent a request later than its lease after it was
cut off, and repeated requests are reported.

    export PYTHONPATH=tests/integration CRAWL_PROGRAM=$PWD/build/program/crawler/crawl
    python3 tests/integration/cluster_kills.py [--kills N] [--stops N] [--redis N] ...   (--help has the others)

With --limits 1 all hosts share the pauses of two places, a group of hosts and an address; use far fewer pages then, say
1500. With --max-hosts N no more hosts than that receive requests, whoever is killed, and every page found has a record,
which is a refusal if its host was beyond the limit.

Not part of the test suite, since it takes minutes."""
import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.parse

import harness
import redis_proxy
import redis_server


QUERIES = 20  # per path, with --limits


class Day:
    may_be_lost = 0

    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.redis = self.start_redis()
        self.folder = harness.temporary_folder()
        self.hosts = [f"h{number}.localhost" for number in range(options.hosts)]
        folders = {host: os.path.join(self.folder, host) for host in self.hosts}
        for folder in folders.values():
            os.mkdir(folder)
        self.site = harness.Nginx(folders)
        self.pages = [self.site.url(self.hosts[page % options.hosts], f"/{page}.html") for page in range(options.pages)]
        self.links = {}
        for page, url in enumerate(self.pages):
            links = [self.pages[link] for link in (3 * page + 1, 3 * page + 2, 3 * page + 3, page // 7, 0)
                     if link < options.pages]
            self.links[url] = list(links)
            if options.limits:
                links.append(self.site.url(self.hosts[0], f"/?{page}"))
            with open(os.path.join(folders[self.hosts[page % options.hosts]], f"{page}.html"), "w",
                      encoding="utf-8") as file:
                file.write(f"<title>{url}</title>" + "".join(f"<a href={link}>x</a>" for link in links))
        for folder in folders.values():
            with open(os.path.join(folder, "robots.txt"), "w", encoding="utf-8") as file:
                file.write("User-agent: *\nDisallow: /private\n")
        with open(os.path.join(self.folder, "limits.conf"), "w", encoding="utf-8") as file:
            file.write(f"[politeness]\nper_ip = true\nper_host = 1\n[crawl]\nmax_queries = {QUERIES}\n"
                       f"max_hosts = {options.hosts + 16 * options.kills}\n[group odd]\nhosts = "
                       + " \\\n  ".join(f'"{host} "' for host in self.hosts[1::2]) + "\n")
        self.started = 0
        self.workers = []
        self.proxies = {}  # by number of the process
        self.cuts = []  # (number of the process, start, end) of each cut, in milliseconds since 1970
        self.checks = collections.Counter()
        self.statuses = collections.Counter()

    @staticmethod
    def start_redis():
        return redis_server.Redis()

    def url_for(self, number):
        """Returns the URL of Redis, or of a proxy for it that can be cut."""
        if not self.options.cuts:
            return self.redis.url("name=day")
        self.proxies[number] = redis_proxy.Proxy(self.redis.port)
        return self.proxies[number].url("name=day")

    def start(self):
        number = self.started
        self.started += 1
        options = self.options
        command = [harness.program(), "--state", self.url_for(number), "--scope", "any", "--allow-private", "--depth",
                   "1000", "--workers", "1",
                   "--delay", f"{options.delay}ms", "--set", f"state.lease={options.lease}s", "--output",
                   f"pages{number}.jsonl", "--requests",
                   f"requests{number}.jsonl", *(("--config", "limits.conf") if options.limits else ()),
                   *(("--set", f"crawl.max_hosts={options.max_hosts}") if options.max_hosts else ()), self.pages[0]]
        errors = open(os.path.join(self.folder, f"errors{number}"), "w", encoding="utf-8")
        self.workers.append((number, subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                                      stderr=errors)))

    def running(self):
        return [(number, process) for number, process in self.workers if process.poll() is None]

    def replace_ended(self):
        """Restarts processes that were killed, unless the crawl is over."""
        for number, process in self.workers:
            if process.poll() is not None and number in self.proxies:
                self.proxies.pop(number).stop()
        while len(self.running()) < self.options.workers and not self.is_over():
            self.start()

    def is_over(self):
        return any(process.poll() == 0 for _, process in self.workers)

    def kill_one(self):
        _, process = self.random.choice(self.running())
        process.kill()
        process.wait()

    def stop_one(self):
        _, process = self.random.choice(self.running())
        process.send_signal(signal.SIGSTOP)
        time.sleep(self.options.lease * 1.5)
        process.send_signal(signal.SIGCONT)

    def cut_one(self):
        number, _ = self.random.choice(self.running())
        proxy = self.proxies[number]
        proxy.cut()
        since = time.time() * 1000
        time.sleep(self.options.lease * 1.5)
        self.cuts.append((number, since, time.time() * 1000))
        proxy.mend()

    def take_redis_away(self):
        self.redis.pause()
        time.sleep(self.options.away_seconds)
        self.redis.resume()

    def check(self):
        """Returns True if Redis is consistent now."""
        said = subprocess.run([harness.program(), "inspect", "--check", self.redis.url("name=day")],
                              capture_output=True, text=True, timeout=120, check=False)
        self.checks[said.returncode] += 1
        if said.returncode:
            print(said.stdout + said.stderr, end="")

    def kill_redis(self):
        self.redis.kill()
        time.sleep(self.random.uniform(0, 0.5))
        self.redis.begin()

    def acts(self):
        options = self.options
        return ([self.kill_one] * options.kills + [self.stop_one] * options.stops + [self.cut_one] * options.cuts
                + [self.kill_redis] * options.redis +
                [self.take_redis_away] * options.away)

    def run(self):
        options = self.options
        acts = self.acts()
        self.random.shuffle(acts)
        done = 0
        for _ in range(options.workers):
            self.start()
        for act in acts:
            time.sleep(self.random.uniform(0.1, 0.6))
            if self.is_over():
                break
            act()
            self.check()
            done += 1
            self.replace_ended()
        for number, process in self.workers:
            status = process.wait(timeout=600)
            self.statuses[status] += 1
            if status not in (0, -9):
                with open(os.path.join(self.folder, f"errors{number}"), encoding="utf-8") as file:
                    print(f"process {number} ended with {status}: {file.read()}")
        return done

    def lines(self, name):
        return [line for number in range(self.started) for line in self.lines_of(name, number)]

    def lines_of(self, name, number):
        path = os.path.join(self.folder, f"{name}{number}.jsonl")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def paced_as(self, host):
        """Returns a name that stands for a pause: hosts with the same name share one, either all of a group or, with
        limits, all others at one address."""
        return self.hosts.index(urllib.parse.urlsplit(host).hostname) % 2 if self.options.limits else host

    def shortest_pause(self):
        starts = collections.defaultdict(list)
        for line in self.lines("requests"):
            if line["event"] == "depart":
                starts[self.paced_as(line["host"])].append(line["start"])
        return min((after - before for times in starts.values() for before,
                    after in zip(sorted(times), sorted(times)[1:])), default=0)

    def asked_without_lease(self):
        """Counts requests of a process that was cut off, sent between the end of its lease and the repair of the
        network."""
        count = 0
        for number, since, until in self.cuts:
            starts = [line["start"] for line in self.lines_of("requests", number) if line["event"] == "depart"]
            count += sum(since + 1000 * self.options.lease < start < until for start in starts)
        return count

    def found(self, records):
        """Returns the pages that must have a record."""
        if not self.options.max_hosts:
            return self.pages
        return {self.pages[0]}.union(*(self.links[record["url"]] for record in records if not record["error"]))

    def judge(self, done):
        records = self.lines("pages")
        recorded = collections.Counter(record["url"] for record in records)
        asked = collections.Counter((request.host, request.uri) for request in self.site.requests())
        lost = [url for url in self.found(records) if url not in recorded]
        hosts = len({host for host, _ in asked})
        pause = self.shortest_pause()
        again = sum(count - 1 for count in asked.values())
        print(f"{done} acts, {self.started} processes, statuses {dict(self.statuses)}")
        print(f"{len(self.pages)} pages on {len(self.hosts)} hosts, {hosts} of them asked: {len(lost)} lost, "
              f"{sum(recorded.values()) - len(recorded)} records twice")
        robots = sum(count for (_, uri), count in asked.items() if uri == "/robots.txt")
        print(f"{sum(asked.values())} requests, {again} of them once more than needed, {robots} of them for robots.txt")
        print(f"shortest pause {pause:.3f} ms of {self.options.delay}")
        queries = len([uri for _, uri in asked if uri.startswith("/?")])
        print(f"{queries} queries, {QUERIES} at most with --limits")
        late = self.asked_without_lease()
        print(f"{len(self.cuts)} cut off, {late} requests without a lease; inspect --check: {self.checks[0]} clean of "
              f"{sum(self.checks.values())}")
        print(
            f"statuses of the server: {dict(collections.Counter(request.status for request in self.site.requests()))}")
        return (len(lost) <= self.may_be_lost and pause >= self.options.delay - 0.5 and set(self.statuses) <= {0, -9}
                and not late and set(self.checks) <= {0} and queries <= QUERIES
                and hosts <= (self.options.max_hosts or hosts))


def main(kind, description, **defaults):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    acts = {"kills": 60, "stops": 10, "cuts": 5, "redis": 5, "away": 1, "away-seconds": 30}
    for name, value in (acts | {"hosts": 150, "pages": 25000, "delay": 800, "workers": 4, "lease": 5, "seed": 1,
                         "limits": 0, "max-hosts": 0}
                        | defaults).items():
        parser.add_argument("--" + name, type=int, default=value)
    day = kind(parser.parse_args())
    try:
        sys.exit(0 if day.judge(day.run()) else 1)
    finally:
        for _, process in day.running():
            process.kill()


if __name__ == "__main__":
    main(Day, __doc__)
