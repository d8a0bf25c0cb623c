#!/usr/bin/env python3
"""Tests several processes that share a crawl through Redis: each page is fetched once and robots.txt once per host,
whichever process has it; pauses hold between processes; nothing is lost when one is killed, or stopped for longer than
its lease; and all of them end by themselves."""
import collections
import json
import os
import re
import signal
import subprocess
import time

import harness
import redis_crawl

HOSTS = 24
PAGES = 6  # per host
SHORT_LEASE = "3s"  # one that must expire; a busy machine may stall a process for longer than a shorter one


class Shared(redis_crawl.RedisCrawl):
    is_checked = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_pages(HOSTS * PAGES, HOSTS)
        for page, url in enumerate(cls.pages):
            host = cls.hosts[page % HOSTS]
            links = [cls.pages[link] for link in (2 * page + 1, 2 * page + 2, 0) if link < len(cls.pages)]
            with open(os.path.join(cls.folders[host], f"{page}.html"), "w", encoding="utf-8") as file:
                file.write(f"<title>{url}</title>" + "".join(f"<a href={link}>x</a>" for link in links))
            with open(os.path.join(cls.folders[host], "robots.txt"), "w", encoding="utf-8") as file:
                file.write("User-agent: *\nDisallow: /private\n")

    def worker(self, number, *options, lease="30s"):
        return self.start("--state", self.state, "--scope", "any", "--allow-private", "--depth", "100", "--delay",
                          "20ms", "--workers", "1", "--set", f"state.lease={lease}",
                          "--output", f"pages{number}.jsonl", "--requests", f"requests{number}.jsonl", "--append",
                          *options, self.pages[0])

    def wait_until_all_run(self, count, requests):
        """Waits until all have begun, and together have sent this many requests."""
        self.wait_for(lambda: all(os.path.exists(self.path(f"requests{number}.jsonl")) for number in range(count)))
        self.wait_for(lambda: len(self.site.requests()) > requests)

    def records_of_all(self, count):
        return [record for number in range(count) for record in self.lines(f"pages{number}.jsonl")]

    def lines(self, name):
        """Returns the complete lines of a file, which a kill may have truncated; empty if the file does not exist."""
        if not os.path.exists(self.path(name)):
            return []
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def expect_complete(self, count):
        self.assertEqual(sorted({record["url"] for record in self.records_of_all(count)}), sorted(self.pages))

    def expect_pauses(self, count, pause_ms):
        """Checks the pauses between requests to one host, whichever process sent them. They share one clock here, which
        each logs to the microsecond."""
        starts = {}
        for number in range(count):
            for line in self.lines(f"requests{number}.jsonl"):
                if line["event"] == "depart":
                    starts.setdefault(line["host"], []).append(line["start"])
        self.assertEqual(len(starts), HOSTS)
        for host, times in starts.items():
            times.sort()
            for before, after in zip(times, times[1:]):
                self.assertGreaterEqual(after - before, pause_ms - 0.5, (host, times))

    def departs(self, number):
        return [line["start"] for line in self.lines(f"requests{number}.jsonl") if line["event"] == "depart"]

    def expect_turns(self, count, pause_ms):
        """Checks that all have sent requests, none within the pause of another."""
        starts = sorted((start, number) for number in range(count) for start in self.departs(number))
        self.assertEqual({file for _, file in starts}, set(range(count)))
        for (before, one), (after, other) in zip(starts, starts[1:]):
            self.assertGreaterEqual(after - before, pause_ms - 0.5, (one, other))

    def kill_first(self, workers):
        """Kills the first of two processes to send a request. The other one continues to the end."""
        self.wait_for(lambda: self.departs(0) or self.departs(1))
        workers.pop(0 if self.departs(0) else 1).kill()
        self.finish(workers)

    def stop(self, process):
        """Stops a process. Returns the milliseconds since 1970 when it had stopped."""
        self.assertTrue(harness.stop_process(process))
        return time.time() * 1000

    def asked(self, path=None):
        return [(request.host, request.uri) for request in self.site.requests() if path is None or request.uri == path]


class Cluster(Shared):
    def test_many_hands(self):
        workers = [self.worker(number) for number in range(4)]
        self.finish(workers)
        self.expect_complete(4)
        records = self.records_of_all(4)
        self.assertEqual(len(records), len(self.pages))
        asked = self.asked()
        pages = [(self.hosts[page % HOSTS], f"/{page}.html") for page in range(len(self.pages))]
        self.assertEqual(sorted(asked), sorted([(host, "/robots.txt") for host in self.hosts] + pages))
        self.expect_pauses(4, 20)

    def test_audit_of_all_logs(self):
        workers = [self.worker(number, "--delay", "200ms") for number in range(3)]
        self.finish(workers)
        logs = sorted((f"requests{number}.jsonl" for number in range(3)), key=lambda log: -len(self.lines(log)))
        proven = self.audit(*logs)
        self.assertEqual(proven.returncode, 0, proven.stdout + proven.stderr)
        self.assertIn(f"proven: of {len(self.asked())} requests, none came too soon", proven.stdout)
        self.expect_violations_between(logs)

    def audit(self, *arguments):
        return subprocess.run([harness.program(), "audit", *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=60, check=False)

    def expect_violations_between(self, logs):
        """Audits the logs with a longer pause than was kept, and finds violations within one log and those that only
        several logs show. The first of the logs are the longest; a process may have had nothing to do."""
        said = self.audit("--delay", "10s", "--jsonl", *logs)
        self.assertEqual(said.returncode, 1, said.stderr)
        found = [row for row in map(json.loads, said.stdout.splitlines()) if row.get("violation") == "too-soon"]
        between = sum(row.get("file") != row.get("after_file") for row in found)  # not reported for a single log
        alone = sum(line.count('"too-soon"') for log in logs
                    for line in self.audit("--delay", "10s", "--jsonl", log).stdout.splitlines())
        self.assertEqual(len(found) - between, alone)
        hosts = [{line["host"] for line in self.lines(log) if line["event"] == "depart"} for log in logs]
        has_passed = sum(map(len, hosts)) > HOSTS
        self.assertEqual(between > 0, has_passed, "hosts that went from one process to another")
        with open(self.path(logs[0]), encoding="utf-8") as file:
            self.write("other.jsonl", "".join(line for line in file if '"clock"' not in line))
        self.assertIn("does not have Redis's time", self.audit(logs[0], "other.jsonl").stderr)

    def test_one_is_killed(self):
        workers = [self.worker(number, lease=SHORT_LEASE) for number in range(3)]
        self.wait_until_all_run(3, len(self.pages) // 3)
        workers[0].kill()
        workers[0].communicate()
        self.finish(workers[1:])
        self.expect_complete(3)
        self.expect_pauses(3, 20)
        twice = {asked for asked, count in collections.Counter(self.asked()).items() if count > 1}
        by_dead = {tuple(line["url"].removeprefix("http://").replace(f":{self.site.port}", "").split("/", 1))
                   for line in self.lines("requests0.jsonl")
                   if line["event"] == "depart"}
        self.assertLessEqual({(host, uri[1:]) for host, uri in twice}, by_dead,
                             "asked twice, but not by the one that was killed")

    def test_one_is_stopped_and_one_interrupted(self):
        workers = [self.worker(number, lease=SHORT_LEASE) for number in range(3)]
        self.wait_until_all_run(3, len(self.pages) // 4)
        stopped_ms = self.stop(workers[0])
        workers[1].send_signal(signal.SIGINT)
        _, stderr = workers[1].communicate(timeout=120)
        self.assertIn(workers[1].returncode, (0, 3), stderr)  # 0: it had come to the end
        self.assertEqual("join again" in stderr, workers[1].returncode == 3, stderr)
        self.finish(workers[2:])
        self.expect_complete(3)
        before = collections.Counter(self.asked())
        workers[0].send_signal(signal.SIGCONT)
        self.finish(workers[:1])
        # A request whose bytes were about to leave, after all checks, when the process was stopped.
        departures = [line for line in self.lines("requests0.jsonl") if line["event"] == "depart"]
        self.assertEqual([line["url"] for line in departures if line["start"] > stopped_ms], [],
                         "it asked what was another's")
        late = {f"http://{host}:{self.site.port}{uri}" for host, uri in collections.Counter(self.asked()) - before}
        self.assertLessEqual(late, {line["url"] for line in departures})

    def expect_pages(self, count, pages):
        """Checks the number of records, without repeated URLs: the limit applies to all processes together."""
        urls = [record["url"] for record in self.records_of_all(count)]
        self.assertEqual((len(urls), len(set(urls))), (pages, pages))
        self.assertEqual(len(self.asked()) - len(self.asked("/robots.txt")), pages)

    def test_pages_of_all_together(self):
        self.finish([self.worker(number, "--max-pages", "50") for number in range(3)])
        self.expect_pages(3, 50)
        # A process that joins with the same limit finds it reached; one with a higher limit continues.
        _, stderr = self.worker(0, "--max-pages", "50").communicate(timeout=60)
        self.assertIn("crawl.max_pages reached by all processes together", stderr)
        self.expect_pages(3, 50)
        self.finish([self.worker(number, "--max-pages", "70") for number in range(3)])
        self.expect_pages(3, 70)
        self.finish([self.worker(0)])
        self.expect_pages(3, len(self.pages))

    def test_the_summary_has_the_figures_of_the_end(self):
        """The summary has them even if a limit ends the crawl before its figures were last read."""
        for pages in (40, 60):
            stderr = self.finish([self.worker(0, "--max-pages", str(pages))])
            inspected, = map(json.loads, self.crawl("inspect", self.state, "--jsonl").stdout.splitlines())
            requests = inspected["requests"]
            self.assertEqual(requests["finished"], pages)
            left = requests["accepted"] - requests["finished"]
            self.assertIn(f": {pages} requests finished by all, {left} left", stderr)

    def test_tickets_of_one_that_is_killed(self):
        """The tickets are lost, at most a quarter of the share each time the process takes some. All others end, and
        there are never too many pages."""
        workers = [self.worker(number, "--max-pages", "100", "--max-pages-per-host", "5", lease=SHORT_LEASE)
                   for number in range(3)]
        self.wait_until_all_run(3, 40)
        workers[0].kill()
        workers[0].communicate()
        self.finish(workers[1:])
        asked = len(self.asked()) - len(self.asked("/robots.txt"))
        self.assertLessEqual(asked, 100)
        self.assertGreater(asked, 60)
        of_hosts = collections.Counter(host for host, uri in self.asked() if uri != "/robots.txt")
        self.assertLessEqual(max(of_hosts.values()), 5)

    def test_bytes_of_all_together(self):
        """All end soon after the limit; the pages have at least 150 bytes each."""
        self.finish([self.worker(number, "--max-bytes", "4KiB", "--delay", "1s") for number in range(3)])
        self.assertGreaterEqual(sum(record["bytes"] for record in self.records_of_all(3)), 4096)
        self.assertLess(len(self.records_of_all(3)), len(self.pages) // 2)

    def test_pages_of_a_host_and_of_a_domain(self):
        """The limits apply to all processes together: several of them have each host in turn, and all domains except
        one have two hosts."""
        folder = harness.temporary_folder()
        hosts = [f"{name}.d{number}.localhost" for number in range(4) for name in ("a", "b")] + ["alone.localhost"]
        site = self.serve(harness.Nginx({host: folder for host in hosts}))
        with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
            file.write("".join(f"<a href={site.url(host, f'/?{page}')}>x</a>" for page in range(8) for host in hosts))
        self.finish([self.start("--state", self.state, "--scope", "any", "--allow-private", "--depth", "9", "--delay",
                                "0ms", "--no-robots",
                                "--max-pages-per-host", "5", "--set", "crawl.max_pages_per_domain=7", "--output",
                                f"pages{number}.jsonl",
                                site.url(hosts[0], "/")) for number in range(3)])
        asked = collections.Counter(request.host for request in site.requests())
        self.assertLessEqual(max(asked.values()), 5)
        self.assertEqual([asked[f"a.d{number}.localhost"] + asked[f"b.d{number}.localhost"] for number in range(4)],
                         [7] * 4)
        self.assertEqual(asked["alone.localhost"], 5)
        refused = [record for record in self.records_of_all(3) if record["error"] == "limit"]
        self.assertEqual({record["detail"] for record in refused}, {"crawl.max_pages_per_host is reached",
                                                                    "crawl.max_pages_per_domain is reached"})
        self.assertEqual(len(self.records_of_all(3)), sum(asked.values()) + len(refused))
        late = self.crawl("--state", self.state, "--scope", "any", "--allow-private", "--depth", "9", "--delay", "0ms",
                          "--no-robots",
                          "--max-pages-per-host", "5", "--set", "crawl.max_pages_per_domain=7",
                          site.url(hosts[0], "/new"))
        self.assertIn("is reached", late.stderr)
        self.assertEqual(len(site.requests()), 33)

    def test_queries_of_a_path(self):
        """The limit applies to all processes together: several of them have each host in turn."""
        folder = harness.temporary_folder()
        hosts = [f"h{number}.localhost" for number in range(4)]
        site = self.serve(harness.Nginx({host: folder for host in hosts}))
        links = "".join(f"<a href='{site.url(host, f'/{path}?{query}')}'>x</a>" for query in range(12)
                        for host in hosts for path in ("", "p"))
        for name in ("index.html", "p"):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(links)
        options = ("--state", self.state, "--scope", "any", "--allow-private", "--depth", "9", "--delay", "0ms",
                   "--no-robots", "--set", "crawl.max_queries=5")
        self.finish([self.start(*options, "--output", f"pages{number}.jsonl", site.url(hosts[0], "/"))
                     for number in range(3)])
        asked = collections.Counter((request.host, request.uri.partition("?")[0]) for request in site.requests()
                                    if "?" in request.uri)
        self.assertEqual(set(asked.values()), {5}, asked)
        self.assertEqual(len(asked), 2 * len(hosts))
        refused = [record for record in self.records_of_all(3) if record["error"]]
        self.assertEqual({record["detail"] for record in refused}, {"crawl.max_queries is reached"})

    def test_hosts_of_all_together(self):
        """Each host is counted once, even if another process has it next, or a run is resumed."""
        folder = harness.temporary_folder()
        hosts = [f"h{number}.localhost" for number in range(24)]
        site = self.serve(harness.Nginx({host: folder for host in hosts}))
        for page in range(3):
            with open(os.path.join(folder, "index.html" if not page else f"{page}"), "w", encoding="utf-8") as file:
                file.write("".join(f"<a href='{site.url(host, f'/{page + 1}')}'>x</a>" for host in hosts))
        options = ("--state", self.state, "--scope", "any", "--allow-private", "--depth", "9", "--delay", "0ms",
                   "--no-robots", "--set", "crawl.max_hosts=7")
        self.finish([self.start(*options, "--output", f"pages{number}.jsonl", site.url(hosts[0], "/"))
                     for number in range(3)])
        self.assertEqual(len({request.host for request in site.requests()}), 7)
        refused = [record for record in self.records_of_all(3) if record["error"] == "limit"]
        self.assertEqual({record["detail"] for record in refused}, {"crawl.max_hosts is reached"})
        late = self.crawl(*options, *(site.url(host, "/late") for host in hosts))
        self.assertEqual(len({request.host for request in site.requests()}), 7)
        self.assertEqual(len([request for request in site.requests() if request.uri == "/late"]), 7)
        beyond = sorted(set(hosts) - {request.host.partition(":")[0] for request in site.requests()})
        self.assertEqual(self.crawl(*options, site.url(beyond[0], "/later")).status, 0, "nothing was left to ask")

    def test_hosts_at_one_address(self):
        """One process is killed during its turn, which ends with its lease."""
        options = ("--per-ip", "--delay", "30ms", "--per-host", "1")
        workers = [self.worker(number, *options, lease=SHORT_LEASE) for number in range(2)]
        self.kill_first(workers)
        self.expect_complete(2)
        self.expect_turns(2, 30)

    def test_groups(self):
        self.write("group.conf", "[group all]\nhosts = *.localhost\ndelay = 30ms\nper_host = 1\n")
        self.kill_first([self.worker(number, "--config", "group.conf", lease=SHORT_LEASE) for number in range(2)])
        self.expect_complete(2)
        self.expect_turns(2, 30)

    def test_report_of_all_records(self):
        workers = [self.worker(number, "--links", f"links{number}.jsonl") for number in range(2)]
        self.finish(workers)
        said = self.crawl("report", *(f"pages{number}.jsonl" for number in range(2)),
                          *(word for number in range(2) for word in ("--links", f"links{number}.jsonl")), "--html",
                          "site.html", "--csv", "tables")
        self.assertEqual(said.status, 0, said.stderr)
        with open(self.path("tables/hosts.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1 + HOSTS)
        with open(self.path("site.html"), encoding="utf-8") as file:
            self.assertIn(self.hosts[-1], file.read())

    def test_depth_first(self):
        """A branch is followed to its end, though two processes have the host in turn."""
        folder = harness.temporary_folder()
        order = []

        def walk(page):
            if page < 31:
                order.append(f"/{page}.html")
                walk(2 * page + 1)
                walk(2 * page + 2)

        walk(0)
        for page in range(31):
            with open(os.path.join(folder, f"{page}.html"), "w", encoding="utf-8") as file:
                file.write("".join(f"<a href=/{link}.html>x</a>" for link in (2 * page + 1, 2 * page + 2, 0)
                                   if link < 31))
        site = self.serve(harness.Nginx({"deep.localhost": folder}))
        self.finish([self.start("--state", self.state, "--order", "dfs", "--per-host", "1", "--allow-private",
                                "--depth", "9", "--delay", "0ms",
                                "--output", f"pages{number}.jsonl", site.url("deep.localhost", "/0.html"))
                     for number in range(2)])
        self.assertEqual([request.uri for request in site.requests()], ["/robots.txt"] + order)

    def test_pages_are_visited_again(self):
        """Whichever process has the host knows the result of the last visit: each visit is made once, and asks whether
        the page changed."""
        intervals = [word for name in ("interval", "min_interval", "max_interval")
                     for word in ("--set", f"revisit.{name}=300ms")]
        self.finish([self.worker(number, "--revisit", "--max-pages", "300", *intervals) for number in range(2)])
        records = self.records_of_all(2)
        self.assertEqual(len(records), 300)
        self.assertEqual([record for record in records if record["status"] != (200 if record["visit"] == 1 else 304)],
                         [])
        visits = collections.defaultdict(list)
        for record in records:
            visits[record["url"]].append(record["visit"])
        for url, numbers in visits.items():
            self.assertEqual(sorted(numbers), list(range(1, len(numbers) + 1)), url)
        self.assertEqual(len(self.asked("/robots.txt")), HOSTS)
        self.expect_pauses(2, 20)

    def asked_of_redis(self):
        """Returns the number of scripts and commands so far."""
        stats = self.redis.ask("INFO", "commandstats")
        return sum(int(calls) for calls in re.findall(r"cmdstat_(?:evalsha|get):calls=(\d+)", stats))

    def test_who_has_nothing_to_do_asks_little(self):
        """One of two processes has the host, whose next page is far off. If the other polled all partitions four times
        a second, this would take thousands of commands."""
        workers = [self.worker(number, "--scope", "host", "--delay", "30s") for number in range(2)]
        self.wait_until_all_run(2, 0)
        before = self.asked_of_redis()
        time.sleep(4)
        self.assertLess(self.asked_of_redis() - before, 2000)
        for process in workers:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)

    def test_robots_txt_of_another_host(self):
        """robots.txt redirects to a host that no process has, and with nothing queued."""
        wild = self.start_wild()
        urls = [wild.url("robots-elsewhere.localhost", path) for path in ("/", "/private")]
        process = self.start("--state", self.state, "--allow-private", "--depth", "0", "--delay", "20ms", "--output",
                             "pages0.jsonl", *urls)
        self.finish([process])
        self.assertEqual({record["url"]: record["error"] for record in self.records_of_all(1)},
                         {urls[0]: None, urls[1]: "robots"})
        self.assertEqual(sorted(request["host"] for request in wild.requests() if request["path"] == "/robots.txt"),
                         ["robots-elsewhere.localhost", "robots-slow.localhost"])

    def test_the_url_alone_joins_what_was_made(self):
        made = ("--depth", "4", "--scope", "host", "--delay", "10ms", "--no-obey-nofollow", "--exclude", "a b",
                "--include", "http", "--cookies", "--seen", "exact", "--drop-params", "x, y", "--allow-private")
        self.assertEqual(self.crawl("--state", self.state, *made, "--max-pages", "1", self.pages[0]).status, 0)
        joined = self.crawl("--state", self.state, "--max-pages", "3")
        self.assertEqual(joined.status, 0, joined.stderr)
        self.assertIn(": joined\n", joined.stderr)
        printed = self.crawl("--state", self.state, "--print-config").stdout
        for line in ("depth = 4", "scope = host", "delay = 10ms", "obey_nofollow = false", "exclude = a b",
                     "include = http", "cookies = true", "kind = exact", "drop_params = x, y", "allow_private = true"):
            self.assertIn(f"\n{line}\n", printed)
        other = self.crawl("--state", self.state, "--depth", "5", "--seen", "scalable")
        self.assertEqual(other.status, 2)
        self.assertIn('crawl.seen = "exact", not "scalable"', other.stderr)
        self.assertIn('; depth = "4", not "5"\n', other.stderr)

    def test_pauses_of_hosts_are_decided_once(self):
        self.write("made.conf", "[host b.test]\ndelay = 2s\nuser = me\npassword = secret\n"
                                "[group g]\nhosts = c.test d.test\nper_host = 3\n[host a.test]\nper_host = 2\n")
        made = self.crawl("--state", self.state, "--config", "made.conf", "--depth", "0", self.pages[0])
        self.assertEqual(made.status, 0, made.stderr)
        printed = self.crawl("--state", self.state, "--print-config").stdout
        for lines in ("[host a.test]\nper_host = 2\n", "[host b.test]\ndelay = 2s\n",
                      "[group g]\nhosts = c.test d.test\nper_host = 3\n"):
            self.assertIn(f"\n{lines}", printed)
        self.assertNotIn("me\n", printed.partition("[host b.test]")[2], "who asks is for each process to say")
        self.write("same.conf", "[host a.test]\nper_host = 2\n[host b.test]\ndelay = 2000ms\nproxy = direct\n")
        self.assertEqual(self.crawl("--state", self.state, "--config", "same.conf").status, 0)
        self.write("other.conf", "[host b.test]\ndelay = 1ms\n")
        other = self.crawl("--state", self.state, "--config", "other.conf", "--depth", "7")
        self.assertEqual(other.status, 2)
        self.assertIn('depth = "0", not "7"', other.stderr)
        self.assertRegex(other.stderr, r'(?s)hosts = ".*host b\.test\.delay=2000ms.*", not ".*host b\.test\.delay=1ms')

    def test_pauses_stay_as_the_crawl_was_made(self):
        self.write("crawl.conf", "[politeness]\ndelay = 2s\n")
        process = self.start("--state", self.state, "--config", "crawl.conf", "--log", "log", "--allow-private",
                             "--scope", "any", self.pages[0])
        self.wait_for(lambda: len(self.site.requests()) > 2)
        self.write("crawl.conf", "[politeness]\ndelay = 1ms\n")
        process.send_signal(signal.SIGHUP)
        said = "politeness.delay stays 2s: 1ms takes effect in the next run"
        self.wait_for(lambda: said in self.bytes_of("log").decode())
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, stderr)

    def test_what_is_refused(self):
        self.finish([self.worker(0, "--depth", "0")])
        for option, words in ((("--depth", "3"), 'depth = "0", not "3"'), (("--cookies",), 'cookies = "0", not "1"'),
                              (("--revisit",), 'revisit = "0", not "1"'),
                              (("--revisit=due",), 'revisit = "0", not "2"'),
                              (("--allow-private", "--delay", "3s"), 'delay = "20", not "3000"'),
                              (("--no-allow-private", "--retries", "7"),
                               'allow_private = "1", not "0"; retries = "2", not "7"'),
                              (("--write-sitemap", "map"), "output.sitemap"),
                              (("--order", "dfs"), 'order = "bfs", not "dfs"'), (("--mirror", "copy"), "output.mirror"),
                              (("--report", "site.html"), "make it from all of them: crawl report 1.jsonl 2.jsonl "
                                                          "--html FILE"),
                              (("--dedupe", "near"), "dedupe.kind = near"), (("--set", "seen.kind=counting"),
                                                                             "scalable or exact")):
            process = self.worker(1, "--depth", "0", *option)
            _, stderr = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 2, (option, stderr))
            self.assertIn(words, stderr)
        nameless = self.crawl("--state", self.redis.url(""), self.pages[0])
        self.assertEqual(nameless.status, 2)
        self.assertIn("name=NAME", nameless.stderr)

    def test_a_directory_goes_before_the_url_of_a_file(self):
        self.write("shared.conf", f"[state]\nshared = redis://127.0.0.1:{harness.free_port()}/0?name=x\n")
        result = self.crawl("--config", "shared.conf", "--state", "kept", "--depth", "0", self.pages[0])
        self.assertEqual(result.status, 0, result.stderr)
        self.assertTrue(os.path.exists(self.path("kept/crawler.conf")))


if __name__ == "__main__":
    harness.main()
