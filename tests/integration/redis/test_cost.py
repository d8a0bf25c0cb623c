#!/usr/bin/env python3
"""Tests the number of Redis commands of a crawl with pauses, in which each page is reported separately, and most looks
for hosts find none. The figures are the server's own."""
import os
import re

import harness
import redis_crawl

HOSTS = 40
PAGES = 2000
MOST = 20  # commands per page, including those of scripts


class Cost(redis_crawl.RedisCrawl):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_pages(PAGES, HOSTS)
        for page, url in enumerate(cls.pages):
            links = [cls.pages[link] for link in (3 * page + 1, 3 * page + 2, 3 * page + 3, page // 7, 0)
                     if link < PAGES]
            with open(os.path.join(cls.folders[cls.hosts[page % HOSTS]], f"{page}.html"), "w",
                      encoding="utf-8") as file:
                file.write(f"<title>{url}</title>" + "".join(f"<a href={link}>x</a>" for link in links))

    def calls(self, command=r"\S+"):
        return sum(int(calls) for calls in re.findall(rf"cmdstat_{command}:calls=(\d+)",
                                                      self.redis.ask("INFO", "commandstats")))

    def commands_a_page(self, workers, command=r"\S+"):
        self.redis.ask("CONFIG", "RESETSTAT")
        running = [self.start("--state", self.state, "--scope", "any", "--allow-private", "--depth", "100", "--workers",
                              "1", "--delay", "20ms", "--output", f"pages{number}.jsonl", self.pages[0])
                   for number in range(workers)]
        for process in running:
            process.wait(60)
        calls = self.calls(command)
        self.finish(running)
        pages = sum(len(self.records(f"pages{number}.jsonl")) for number in range(workers))
        self.assertEqual(pages, PAGES)
        return calls / pages

    def test_one(self):
        self.assertLess(self.commands_a_page(1), MOST)

    def test_pushes_read_the_sign_with_the_rest(self):
        self.assertLess(self.commands_a_page(1, "hget"), 0.9)

    def test_three_that_share_it(self):
        self.assertLess(self.commands_a_page(3), MOST)

    def test_pages_are_told_together(self):
        """Pages are reported together even if the pause is longer than half a second. Five hosts have twelve pages
        each."""
        self.redis.ask("CONFIG", "RESETSTAT")
        seeds = [url for page, url in enumerate(self.pages[:12 * HOSTS]) if page % HOSTS < 5]
        self.finish([self.start("--state", self.state, "--allow-private", "--depth", "0", "--delay", "600ms",
                                "--no-robots", "--output", "pages.jsonl", *seeds)])
        self.assertEqual(len(self.records("pages.jsonl")), len(seeds))
        self.assertLess(self.calls("hdel"), 0.6 * len(seeds))


if __name__ == "__main__":
    harness.main()
