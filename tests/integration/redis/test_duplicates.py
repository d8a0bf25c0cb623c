#!/usr/bin/env python3
"""Tests --dedupe in a shared crawl: of pages with the same body, on any hosts and from any process, one is the first,
and the records of all others name it."""
import collections
import os

import harness
import redis_crawl

HOSTS, PAGES, BODIES = 8, 96, 12


class Duplicates(redis_crawl.RedisCrawl):
    crawl_name = "same"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_site(HOSTS)
        cls.pages = {cls.site.url(cls.hosts[page % HOSTS], f"/{page}.html"): page % BODIES for page in range(PAGES)}
        cls.behind = cls.site.url(cls.hosts[0], "/behind.html")
        for url, body in cls.pages.items():
            host, path = url.split("/")[2].split(":")[0], url.rpartition("/")[2]
            with open(os.path.join(cls.folders[host], path), "w", encoding="utf-8") as file:
                file.write(f"<title>{body}</title><a href=/behind{body}.html>behind</a>")
        for host in cls.hosts:
            for body in range(BODIES):
                with open(os.path.join(cls.folders[host], f"behind{body}.html"), "w", encoding="utf-8") as file:
                    file.write(f"<p>{host} {body}")

    def worker(self, name, *options, lease="30s", urls=None):
        return self.start("--state", self.state, "--allow-private", "--delay", "10ms", "--dedupe", "exact", "--set",
                          f"state.lease={lease}",
                          "--output", f"{name}.jsonl", *options, *(urls or self.pages))

    def expect_one_first_of_each(self, records):
        """Checks, by page, that each body has one first. A page that was fetched twice has the same verdict both times,
        unless it was killed before."""
        firsts = collections.defaultdict(set)
        named = collections.defaultdict(set)
        for record in records:
            body = self.pages[record["url"]]
            if record.get("duplicate_of"):
                named[body].add(record["duplicate_of"])
            else:
                firsts[body].add(record["url"])
        for body in range(BODIES):
            self.assertEqual(len(firsts[body]), 1, firsts[body])
            self.assertEqual(named[body], firsts[body])

    def read(self, *names):
        return [record for name in names if os.path.exists(self.path(f"{name}.jsonl"))
                for record in self.records(f"{name}.jsonl")]

    def test_one_page_is_the_first_of_all_processes(self):
        self.finish([self.worker(f"pages{number}", "--depth", "0") for number in range(3)])
        records = self.read("pages0", "pages1", "pages2")
        self.assertEqual(sorted(record["url"] for record in records), sorted(self.pages))
        self.expect_one_first_of_each(records)

    def test_of_documents_that_are_preprocessed_too(self):
        """The hosts of the documents are held until the last page was made from one."""
        self.finish([self.worker(f"made{number}", "--depth", "0", "--preprocess", "text/html=sh -c 'sleep 0.02; cat'")
                     for number in range(2)])
        records = self.read("made0", "made1")
        self.assertEqual(sorted(record["url"] for record in records), sorted(self.pages))
        self.assertEqual({record["preprocessed"] for record in records}, {"whole"})
        self.assertEqual({record["title"] for record in records}, {str(body) for body in range(BODIES)})
        self.expect_one_first_of_each(records)

    def test_what_one_process_has_fetched_is_known_to_the_next(self):
        """A process that starts when the other has ended knows it too."""
        halves = [[url for url in self.pages if (url.split("/")[2].split(".")[0] < "h4") == is_first]
                  for is_first in (True, False)]
        for number, half in enumerate(halves):
            self.finish([self.worker(f"pages{number}", "--depth", "0", urls=half)])
            self.assertEqual(sorted(record["url"] for record in self.read(f"pages{number}")), sorted(half))
        self.expect_one_first_of_each(self.read("pages0", "pages1"))
        self.assertTrue(all(record.get("duplicate_of") in halves[0] for record in self.read("pages1")))

    def test_links_of_duplicates_are_not_followed(self):
        self.finish([self.worker(f"pages{number}", "--depth", "1", "--no-follow-duplicates") for number in range(2)])
        records = self.read("pages0", "pages1")
        pages = [record for record in records if record["url"] in self.pages]
        self.expect_one_first_of_each(pages)
        behind = [record["url"] for record in records if record["url"] not in self.pages]
        firsts = {record["url"] for record in pages if not record.get("duplicate_of")}
        self.assertEqual(sorted(behind), sorted(url.rpartition("/")[0] + f"/behind{self.pages[url]}.html"
                                                for url in firsts))

    def test_a_process_is_killed(self):
        """The page that the killed process had fetched first is fetched again, and is not a duplicate."""
        workers = [self.worker(f"pages{number}", "--depth", "0", "--delay", "100ms", lease="2s") for number in range(2)]
        names = ("pages0", "pages1")
        self.wait_for(lambda: any(len(self.read(name)) >= 4 for name in names))  # one may have taken all hosts
        killed = max(range(2), key=lambda number: len(self.read(names[number])))
        workers[killed].kill()
        workers[killed].communicate()
        self.finish([workers[1 - killed]])
        records = self.read("pages0", "pages1")
        self.assertEqual({record["url"] for record in records}, set(self.pages))
        self.expect_one_first_of_each(records)

    def test_redis_is_away_for_a_while(self):
        """No page is read meanwhile, and nothing is lost."""
        process = self.worker("pages", "--depth", "0", "--delay", "50ms")
        self.wait_for(lambda: len(self.read("pages")) >= 8)
        self.redis.kill()
        self.redis.begin()
        self.finish([process])
        records = self.read("pages")
        self.assertEqual({record["url"] for record in records}, set(self.pages))
        self.expect_one_first_of_each(records)

    def test_what_is_refused(self):
        self.finish([self.worker("pages", "--depth", "0")])
        for options, words in ((("--dedupe", "near"), "dedupe.kind = near"),
                               (("--dedupe", "off"), 'dedupe = "exact", not "off"'),
                               (("--no-follow-duplicates",), 'dedupe = "exact", not "exact, not followed"')):
            _, stderr = (process := self.worker("other", "--depth", "0", *options)).communicate(timeout=60)
            self.assertEqual(process.returncode, 2, stderr)
            self.assertIn(words, stderr)


if __name__ == "__main__":
    harness.main()
