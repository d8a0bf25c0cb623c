#!/usr/bin/env python3
"""Tests that processes which share a crawl render its pages, each in its own browser, whose requests go to hosts that
another process has. Each process leaves its hosts to the others during the common pauses, and no request is repeated or
lost."""
import os
import subprocess

import harness
import redis_crawl
import rendering

HOSTS = 3
PAGES = 24
WORKERS = 3
PAGE = """<!doctype html><title>t</title><div id=root></div><script>
Promise.all([%s].map(url => fetch(url).then(answer => answer.text()))).then(all => {
  root.innerHTML = all.map(path => '<a href' + '=' + path + '>x</a>').join('')
  document.title = 'made of ' + all.length
})</script>"""


class RenderedShared(redis_crawl.RedisCrawl, rendering.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_pages(PAGES, HOSTS, "add_header Access-Control-Allow-Origin *;")
        cls.parts = []
        for page, url in enumerate(cls.pages):
            parts = [cls.site.url(host, f"/{page}.txt") for host in cls.hosts]  # one part of each host
            cls.parts += parts
            cls.write_file(url, PAGE % ",".join(f"'{part}'" for part in parts))
            for link, part in enumerate(parts):
                cls.write_file(part, cls.pages[(3 * page + 1 + link) % PAGES])

    @classmethod
    def write_file(cls, url, text):
        host, _, path = url.removeprefix("http://").partition("/")
        with open(os.path.join(cls.folders[host.partition(":")[0]], path), "w", encoding="utf-8") as file:
            file.write(text)

    def worker(self, number, *options):
        return self.start("--state", self.state, "--scope", "any", "--allow-private", "--depth", "100", "--render",
                          "always", "--workers", "1", "--delay", "50ms", "--output", f"pages{number}.jsonl",
                          "--requests", f"requests{number}.jsonl", "--append", *options, self.pages[0])

    def records_of(self, count):
        names = [f"pages{number}.jsonl" for number in range(count)]
        return [record for name in names if os.path.exists(self.path(name)) for record in self.records(name)]

    def expect_made(self, records):
        self.assertEqual({(record["rendered"], record["title"]) for record in records}, {("whole", f"made of {HOSTS}")})

    def expect_polite(self, count):
        logs = [f"requests{number}.jsonl" for number in range(count)]
        audit = subprocess.run([harness.program(), "audit", *logs], cwd=self.folder, capture_output=True, text=True,
                               timeout=60)
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)

    def test_parts_of_hosts_that_others_have(self):
        self.finish([self.worker(number) for number in range(WORKERS)])
        records = self.records_of(WORKERS)
        self.assertEqual(sorted(record["url"] for record in records), sorted(self.pages))
        self.expect_made(records)
        self.expect_polite(WORKERS)
        asked = [request.uri for request in self.site.requests()]
        robots = asked.count("/robots.txt")
        self.assertEqual(robots, HOSTS)
        self.assertEqual(len(asked) - robots, len(self.pages) + len(self.parts))
        self.assertEqual(len(set(asked)) - 1, len(self.pages) + PAGES)

    def test_pages_of_one_body_are_told_apart(self):
        """The pages get their titles from their paths. Two of them are alike as rendered."""
        app = """<!doctype html><div id=root></div><script>
        document.title = location.pathname.replace('copy', '0')
        root.innerHTML = [...'0123'].map(n => `<a href=/app/${n}.html>${n}</a>`).join('') + '<a href=/app/copy.html>'
        </script>"""
        names = [*"0123", "copy"]
        urls = [self.site.url(self.hosts[0], f"/app/{name}.html") for name in names]
        os.mkdir(os.path.join(self.folders[self.hosts[0]], "app"))
        for url in urls:
            self.write_file(url, app)
        worker = self.start("--state", self.state, "--allow-private", "--render", "always", "--delay", "0", "--dedupe",
                            "exact", "--no-follow-duplicates", "--output", "pages.jsonl", urls[0])
        self.finish([worker])
        records = {record["url"]: record for record in self.records("pages.jsonl")}
        self.assertEqual(set(records), set(urls))
        self.assertEqual({url: record["duplicate_of"] for url, record in records.items() if "duplicate_of" in record},
                         {urls[4]: urls[0]})
        self.assertEqual(len({record["digest"] for record in records.values()}), 1)  # of the bodies

    def test_pages_of_a_process_that_dies(self):
        lease = ("--set", "state.lease=3s")
        workers = [self.worker(number, *lease) for number in range(WORKERS)]
        self.wait_for(lambda: len(self.records_of(WORKERS)) >= PAGES / 4)
        workers[0].kill()
        workers[0].communicate()
        self.finish([*workers[1:], self.worker(WORKERS, *lease)])
        records = self.records_of(WORKERS + 1)
        self.assertEqual({record["url"] for record in records}, set(self.pages))
        self.expect_made(records)
        self.expect_polite(WORKERS + 1)


if __name__ == "__main__":
    harness.main()
