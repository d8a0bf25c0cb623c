#!/usr/bin/env python3
"""Tests a crawl that shares its seen-set with spiders of scrapy-redis. The test does what their dupefilter does: one
SADD of the fingerprint, as 40 digits, and the page is the spider's if it was new. The fingerprints are made here by
Scrapy's own rules."""
import hashlib
import json
import subprocess
import threading

import harness
import test_cluster

KEY = "test:dupefilter"


def of_26(url):
    """Returns the fingerprint of Scrapy up to 2.6: method, canonical URL and body."""
    return hashlib.sha1(b"GET" + url.encode()).hexdigest()


def of_27(url):
    """Returns the fingerprint of Scrapy from 2.7 on."""
    return hashlib.sha1(json.dumps({"method": "GET", "url": url, "body": "", "headers": {}},
                                   sort_keys=True).encode()).hexdigest()


def of_redis_08(url):
    """Returns the fingerprint of scrapy-redis from 0.8 on, with any Scrapy."""
    return hashlib.sha1(json.dumps({"method": "GET", "url": url, "body": ""}, sort_keys=True).encode()).hexdigest()


class Dupefilter(test_cluster.Shared):
    def spiders_worker(self, number, *options, fingerprint="scrapy-2.7"):
        return self.worker(number, "--set", "redis.layout=scrapy-redis", "--set", "seen.kind=exact", "--set",
                           f"seen.fingerprint={fingerprint}", *options)

    def pages_asked(self):
        return sorted(self.site.url(host, uri) for host, uri in self.asked() if uri != "/robots.txt")

    def run_beside(self, fingerprint_of, fingerprint):
        """Returns the pages of the crawl, and those of a spider that runs at the same time, through all pages from the
        last to the first."""
        spiders = []

        def spider():
            for page in reversed(self.pages):
                if self.redis.ask("SADD", KEY, fingerprint_of(page)):
                    spiders.append(page)

        workers = [self.spiders_worker(number, fingerprint=fingerprint) for number in range(2)]
        self.wait_for(lambda: len(self.pages_asked()) > 2)
        thread = threading.Thread(target=spider)
        thread.start()
        self.finish(workers)
        thread.join()
        return self.pages_asked(), spiders

    def expect_shared_out(self, fingerprint_of, fingerprint):
        crawls, spiders = self.run_beside(fingerprint_of, fingerprint)
        self.assertTrue(crawls and spiders)
        self.assertEqual(sorted(crawls + spiders), sorted(self.pages), "each page by one of them, and by one alone")
        self.assertEqual(sorted(self.redis.ask("SMEMBERS", KEY)), sorted(map(fingerprint_of, self.pages)))

    def test_a_spider_of_today_beside_it(self):
        self.expect_shared_out(of_27, "scrapy-2.7")

    def test_a_spider_of_scrapy_redis_0_8_beside_it(self):
        self.expect_shared_out(of_redis_08, "scrapy-redis-0.8")

    def test_a_spider_of_scrapy_2_6_beside_it(self):
        self.expect_shared_out(of_26, "scrapy-2.6")

    def test_what_spiders_have_asked_for_is_not_asked(self):
        leaves = self.pages[len(self.pages) // 2:]
        self.redis.ask("SADD", KEY, *map(of_27, leaves))
        self.finish([self.spiders_worker(0)])
        self.assertEqual(self.pages_asked(), sorted(set(self.pages) - set(leaves)))
        said = subprocess.run([harness.program(), "inspect", "--check", self.state], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((said.returncode, said.stdout), (0, "test: 0 violations\n"), said.stderr)
        said = subprocess.run([harness.program(), "inspect", self.state], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertIn(f"seen        exact, {len(self.pages)} URLs", said.stdout)
        said = self.crawl("explain", "--state", self.state, "--set", "seen.fingerprint=scrapy-2.7", "--jsonl",
                          self.pages[0], leaves[0], leaves[0] + "?new")
        self.assertEqual([self.seen(line) for line in said.stdout.splitlines()], ["refuse", "refuse", "pass"],
                         said.stdout + said.stderr)

    @staticmethod
    def seen(line):
        """Returns explain's verdict on whether a URL was seen."""
        return next(check["verdict"] for check in json.loads(line)["checks"] if check["name"] == "seen")

    def expect_refused(self, process, words, status=2):
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, said)
        self.assertIn(words, said)
        self.assertEqual(self.asked(), [])

    def test_what_does_not_go_together(self):
        wants = "redis.layout = scrapy-redis needs seen.kind = exact, and seen.fingerprint = scrapy-redis-0.8, or "
        self.expect_refused(self.spiders_worker(0, fingerprint="default"), wants)
        self.expect_refused(self.spiders_worker(0, "--set", "seen.kind=scalable"), wants)
        for made in (("SET", KEY, "text"), ("SADD", KEY, "http://no.fingerprint/")):
            self.redis.ask(*made)
            self.expect_refused(self.spiders_worker(0), "a key of this name is another program's", 4)
            self.redis.ask("DEL", KEY)
        self.assertEqual(self.redis.ask("KEYS", "*"), [])

    def test_all_have_to_share_it(self):
        self.finish([self.spiders_worker(0, "--depth", "0")])
        self.site.forget()
        others = self.worker(1, "--depth", "0", "--set", "redis.layout=crawl", "--set", "seen.kind=exact",
                             "--set", "seen.fingerprint=scrapy-2.7")
        self.expect_refused(others, 'crawl.seen = "scrapy-redis", not "exact"')


# A crawl without spiders is tested elsewhere.
for name in vars(test_cluster.Shared):
    if name.startswith("test_"):
        setattr(Dupefilter, name, None)


if __name__ == "__main__":
    harness.main()
