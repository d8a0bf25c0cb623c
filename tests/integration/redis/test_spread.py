#!/usr/bin/env python3
"""Tests how processes divide a crawl of few hosts: each has some of them, whichever process finds them, and no page is
requested twice, or too soon after another one of its host."""
import os
import subprocess

import harness
import redis_crawl

HOSTS = 8
PAGES = 400
WORKERS = 4


class Spread(redis_crawl.RedisCrawl):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_pages(PAGES, HOSTS)
        for page, url in enumerate(cls.pages):
            links = [cls.pages[link] for link in (3 * page + 1, 3 * page + 2, 3 * page + 3) if link < PAGES]
            with open(os.path.join(cls.folders[cls.hosts[page % HOSTS]], f"{page}.html"), "w",
                      encoding="utf-8") as file:
                file.write(f"<title>{url}</title>" + "".join(f"<a href={link}>x</a>" for link in links))

    def test_each_has_some(self):
        workers = [self.start("--state", self.state, "--scope", "any", "--allow-private", "--depth", "100", "--workers",
                              "1", "--delay", "150ms", "--output", f"pages{number}.jsonl", "--requests",
                              f"requests{number}.jsonl", self.pages[0]) for number in range(WORKERS)]
        self.finish(workers)
        records = [self.records(f"pages{number}.jsonl") for number in range(WORKERS)]
        self.assertEqual(sorted(record["url"] for of in records for record in of), sorted(self.pages))
        self.assertNotIn([], records)
        audit = subprocess.run([harness.program(), "audit", *(f"requests{number}.jsonl" for number in range(WORKERS))],
                               cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)


if __name__ == "__main__":
    harness.main()
