"""Tests a shared crawl whose processes sign their requests, respect statements about AI, and meet walls."""
import collections
import json
import re
import threading
import time

import harness
import redis_crawl
from recording import Server
from signed_requests import Seen, SignedCase, make_certificate

HOSTS, PAGES = 21, 210
WALL = ("<title>Just a moment...</title><a href=/secret>x</a>", "cf-mitigated: challenge")


class Site(harness.Handler):
    """A tree of pages, on the hosts in turn. Odd ones refuse training by a header; those of h1 by tdmrep.json. The host
    h2 has a wall from its fifth request on, while self.server.walls is true."""

    def do_GET(self):
        server, host = self.server, self.headers["Host"].split(":")[0]
        with server.lock:
            server.seen.append(Seen(self))
            asked = sum(one.host.startswith(host) for one in server.seen)
        if self.path == "/robots.txt":
            self.answer(404, "")
        elif self.path == "/.well-known/tdmrep.json" and host.startswith("h1."):
            self.answer(200, '[{"location":"/","tdm-reservation":1}]', "Content-Type: application/json")
        elif self.path == "/.well-known/tdmrep.json":
            self.answer(404, "")
        elif host.startswith("h2.") and server.walls and asked > 5:
            self.answer(403, *WALL)
        else:
            page = int(self.path[1:])
            links = [f"<a href={server.url_of(link)}>x</a>" for link in (2 * page + 1, 2 * page + 2) if link < PAGES]
            self.answer(200, f"<p>page {page} of {host}" + "".join(links), *["Content-Usage: train-ai=n"] * (page % 2))


class SiteServer(Server):
    def __init__(self):
        self.lock, self.seen, self.walls, self.tls_port = threading.Lock(), [], False, 0
        super().__init__(Site)

    def origin(self, host):
        return f"https://h{host}.localhost:{self.tls_port}"

    def url_of(self, page):
        return f"{self.origin(page % HOSTS)}/{page}"


class Shared(redis_crawl.RedisCrawl, SignedCase):
    is_checked = False  # by run_two, when both have ended

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.site = cls.keep(SiteServer())
        cls.site.tls_port = cls.start_tls(make_certificate(), cls.site)

    def setUp(self):
        super().setUp()
        self.site.seen, self.site.walls = [], False
        self.write("crawler.conf", "[identity]\nkey_file = key.pem\nagent = https://bot.example/keys.json\n"
                   "sign = always\n[politeness]\nwall_backoff = 200ms\nretries = 1\nretry_delay = 1ms\n")

    def worker(self, name, *options):
        """Starts a process with one connection, so that requests it does not get to go to the other one."""
        return self.start("--config", "crawler.conf", "--state", self.state, "--insecure", "--allow-private", "--delay",
                          "100ms", "--output", f"{name}.jsonl", "--scope", "any", "--depth", "9", "--per-host", "1",
                          "--set", "fetch.connections=1", *options, self.site.url_of(0))

    def run_two(self, *options, least=5):
        """Runs two processes. Returns their records, and the output of each."""
        workers = [self.worker(name, *options) for name in "ab"]
        stderr = [self.finish([worker]) for worker in workers]
        self.expect_sound()
        records = [self.records(f"{name}.jsonl") for name in "ab"]
        for one in records:
            self.assertGreaterEqual(len(one), least, stderr)
        return records[0] + records[1], stderr

    def later(self):
        """Returns how many requests wait for the next run."""
        found = re.search(r"later +(\d+) requests", self.crawl("inspect", self.state).stdout)
        return int(found[1]) if found else 0

    def whole(self, name):
        """Returns the complete records of a process that was killed."""
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    @staticmethod
    def known(records):
        """Returns the pages linked from pages that were answered without a wall."""
        good = [int(record["url"].rsplit("/", 1)[1]) for record in records if not record["error"]]
        return {0} | {link for page in good for link in (2 * page + 1, 2 * page + 2) if link < PAGES}

    def test_each_process_signs(self):
        records, _ = self.run_two()
        self.assertEqual(len(records), PAGES)
        self.assertTrue(all(record["signed"] for record in records))
        self.expect_verified(self.site.seen)
        self.expect_new_nonces(self.site.seen)

    def test_what_is_refused_is_kept_by_none(self):
        records, _ = self.run_two("--respect", "train", "--text", "plain")
        self.assertEqual(len(records), PAGES)
        for record in records:
            is_refused = record["url"].startswith(self.site.origin(1)) or int(record["url"].rsplit("/", 1)[1]) % 2
            self.assertEqual("withheld" in record, bool(is_refused), record["url"])
            self.assertEqual("text" in record, not is_refused, record["url"])
        asked = collections.Counter(one.host for one in self.site.seen if one.target == "/.well-known/tdmrep.json")
        self.assertEqual(len(asked), HOSTS)
        self.assertEqual({host: count for host, count in asked.items() if not host.startswith("h1.") and count > 1}, {},
                         "whoever gets a host next knows that it has none")
        self.expect_verified(self.site.seen)

    def test_a_host_with_walls_waits_for_the_next_run(self):
        """It does not matter which process gets the host next: after robots.txt and four pages it has at most four
        walls, and the rest waits. This is reported once. The next run requests the rest at once."""
        self.site.walls = True
        records, stderr = self.run_two()
        at_walled = [record for record in records if record["url"].startswith(self.site.origin(2) + "/")]
        others = [record for record in records if record not in at_walled]
        self.assertEqual([record["error"] for record in others if record["error"]], [])
        errors = collections.Counter(record["error"] for record in at_walled)
        # A page is tried three times before its wall becomes its record, so four walls need not give one.
        self.assertEqual((errors[None], set(errors) - {None, "wall"}), (4, set()), errors)
        waiting = sum(int(count) for said in stderr
                      for count in re.findall(r"walls .*?(\d+) URLs? waits? ", said.replace("1 host ", "")))
        self.assertEqual(waiting, self.later(), stderr)
        self.assertGreater(waiting, 0)
        self.assertEqual(sum(errors.values()) + waiting, len([p for p in self.known(records) if p % HOSTS == 2]))
        self.assertEqual(sum("answers with a wall" in said for said in stderr), 1, stderr)
        asked = [one for one in self.site.seen if one.host == self.site.origin(2)[8:]]
        self.assertLessEqual(len(asked), 5 + 4)
        self.site.walls = False
        again, _ = self.run_two(least=0)
        self.assertEqual([one["error"] for one in again if one["error"]], [])
        self.assertEqual(self.later(), 0)
        got = {record["url"] for record in records + again}
        self.assertEqual(len(got), len(records) + len(again), "each is asked once in all")
        self.assertEqual(len(got), len(self.known(records + again)))

    def test_what_waits_outlives_a_process_that_is_killed(self):
        self.site.walls = True
        first, second = (self.worker(name, "--set", "state.lease=1s") for name in "ab")
        self.wait_for(self.later)
        first.kill()
        first.communicate()
        self.finish([second])
        self.expect_sound()
        waiting, before = self.later(), self.whole("a.jsonl") + self.records("b.jsonl")
        self.assertEqual([one["error"] for one in before if one["error"] not in (None, "wall")], [])
        self.assertGreater(waiting, 0)
        self.site.walls = False
        time.sleep(1)  # the lease of the killed process
        again, _ = self.run_two("--set", "state.lease=1s", least=0)
        got = {record["url"] for record in before + again}
        self.assertEqual(got, {self.site.url_of(page) for page in self.known(before + again)})
        self.assertEqual(self.later(), 0)


if __name__ == "__main__":
    harness.main()
