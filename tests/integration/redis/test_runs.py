#!/usr/bin/env python3
"""Tests a shared crawl with --revisit=due: each run visits the pages due by its beginning, each once by any process;
ends by itself in all processes; and leaves the rest to a later run."""
import collections
import os

import harness
import redis_crawl

HOSTS, PAGES = 6, 48
SHORT = "2s"  # a lease that must expire


class Runs(redis_crawl.RedisCrawl):
    crawl_name = "nightly"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_pages(PAGES, HOSTS, "if (-f $document_root/fails) { return 503; }")
        for page, url in enumerate(cls.pages):
            folder = cls.folders[cls.hosts[page % HOSTS]]
            links = [cls.pages[link] for link in (2 * page + 1, 2 * page + 2) if link < PAGES]
            with open(os.path.join(folder, f"{page}.html"), "w", encoding="utf-8") as file:
                file.write(f"<title>{url}</title>" + "".join(f"<a href={link}>x</a>" for link in links))

    def worker(self, name, *options, interval="1h", lease="30s", delay="5ms"):
        intervals = [word for key in ("interval", "min_interval", "max_interval")
                     for word in ("--set", f"revisit.{key}={interval}")]
        return self.start("--state", self.state, "--scope", "any", "--allow-private", "--depth", "100", "--delay",
                          delay, "--revisit=due",
                          "--set", f"state.lease={lease}", "--output", f"{name}.jsonl", *intervals, *options,
                          self.pages[0])

    def visits(self, *names):
        """Returns the number of visits to each page in these processes, by the number of the visit."""
        counted = collections.Counter()
        for name in names:
            for record in self.records(f"{name}.jsonl") if os.path.exists(self.path(f"{name}.jsonl")) else []:
                counted[record["url"], record["visit"]] += 1
        return counted

    def each(self, visit):
        return collections.Counter({(url, visit): 1 for url in self.pages})

    def test_each_run_visits_what_is_due_and_ends(self):
        """Pages are due again at once, but are not visited again in the same run, though it lasts longer than that."""
        stderr = self.finish([self.worker(f"first{number}", interval="1ms") for number in range(3)])
        self.assertEqual(self.visits("first0", "first1", "first2"), self.each(1))
        self.assertIn(f": 0 left, {PAGES} for a later run", stderr)
        self.assertIn(f"later       {PAGES} requests are for a later run", self.crawl("inspect", self.state).stdout)
        self.finish([self.worker(f"second{number}") for number in range(3)])
        self.assertEqual(self.visits("second0", "second1", "second2"), self.each(2))
        before = len(self.site.requests())
        self.finish([self.worker(f"third{number}") for number in range(2)])
        self.assertEqual(self.visits("third0", "third1"), collections.Counter())
        self.assertEqual(len(self.site.requests()), before)

    def test_what_is_new_on_a_page_that_is_due_is_fetched(self):
        self.finish([self.worker("first", interval="1ms")])
        path = os.path.join(self.folders["h0.localhost"], "0.html")
        with open(path, encoding="utf-8") as file:
            before = file.read()
        new = self.site.url("h1.localhost", "/new.html")
        with open(os.path.join(self.folders["h1.localhost"], "new.html"), "w", encoding="utf-8") as file:
            file.write("<title>new</title>")
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + f"<a href={new}>new</a>")
        self.finish([self.worker(f"second{number}") for number in range(2)])
        with open(path, "w", encoding="utf-8") as file:
            file.write(before)
        self.assertEqual(self.visits("second0", "second1"), self.each(2) + collections.Counter({(new, 1): 1}))

    def test_one_is_killed_and_another_comes(self):
        """Other processes visit its pages in the same run, whose date is known to a process that joins. Nothing is
        visited a third time."""
        slow = dict(interval="1ms", delay="800ms", lease=SHORT)  # six seconds to join: each host has eight pages
        self.finish([self.worker("first", **slow)])
        workers = [self.worker(f"second{number}", **slow) for number in range(2)]
        self.wait_for(lambda: sum(self.visits("second0", "second1").values()) > 8)
        workers[0].kill()
        workers[0].communicate()
        workers[0] = self.worker("second2", **slow)
        self.finish(workers)
        visits = self.visits("second0", "second1", "second2")
        self.assertEqual(set(visits), set(self.each(2)))
        again = sum(visits.values()) - len(self.pages)
        self.assertLessEqual(again, HOSTS)  # those in flight, or just finished, when it was killed

    def test_a_visit_that_fails_is_left_for_the_next_run(self):
        self.finish([self.worker("first", interval="1ms")])
        fails = os.path.join(self.folders["h5.localhost"], "fails")
        self.addCleanup(lambda: os.path.exists(fails) and os.unlink(fails))
        with open(fails, "w", encoding="utf-8"):
            pass
        # Failures of the host carry over to the next run, where it would wait for minutes, or get one request at a
        # time.
        settings = ("retry_delay=0ms", "backoff=1ms", "max_backoff=1ms", "give_up=0")
        self.finish([self.worker("second", *(word for key in settings for word in ("--set", "politeness." + key)))])
        os.unlink(fails)
        its = {(url, 2): 1 for url in self.pages if "//h5." in url}
        self.assertEqual(self.visits("second"), self.each(2) - collections.Counter(its))
        self.finish([self.worker("third")])
        self.assertEqual(self.visits("third"), collections.Counter(its))


if __name__ == "__main__":
    harness.main()
