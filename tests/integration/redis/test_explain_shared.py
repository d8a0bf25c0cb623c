#!/usr/bin/env python3
"""Tests `crawl explain --state redis://`: the knowledge of a shared crawl about a URL and its host, with and without
running processes."""
import json
import signal

import harness
import redis_server

HOST = "a.localhost"


class Explain(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.redis = cls.keep(redis_server.Redis())
        cls.folder_of_all = harness.temporary_folder()
        for page in range(4):
            with open(f"{cls.folder_of_all}/{page}.html", "w", encoding="utf-8") as file:
                file.write("".join(f"<a href=/{link}.html>x</a>" for link in range(4)))
        with open(f"{cls.folder_of_all}/robots.txt", "w", encoding="utf-8") as file:
            file.write("User-agent: *\nDisallow: /private\n")
        cls.site = cls.start_nginx({HOST: cls.folder_of_all})
        cls.pages = [cls.site.url(HOST, f"/{page}.html") for page in range(4)]

    def setUp(self):
        super().setUp()
        self.redis.ask("FLUSHALL")
        self.state = self.redis.url("name=test")

    def options(self, delay="10ms"):
        return ["--state", self.state, "--depth", "7", "--delay", delay, "--allow-private", "--exclude", "[.]pdf$"]

    def explain(self, *urls, options=()):
        """Returns, by URL, the verdict and text of each check."""
        said = self.crawl("explain", "--state", self.state, "--jsonl", *options, *urls)
        self.assertEqual(said.stderr, "")
        self.assertIn(said.status, (0, 1))
        rows = [json.loads(line) for line in said.stdout.splitlines()]
        self.assertEqual([row["url"] for row in rows], list(urls))
        return [{check["name"]: (check["verdict"], check["rule"]) for check in row["checks"]} for row in rows]

    def test_of_a_crawl_that_nobody_works_at(self):
        self.assertEqual(self.crawl(*self.options(), "--max-pages", "2", self.pages[0]).status, 0)
        done, queued, new, private, out, pdf = self.explain(self.pages[0], self.pages[3], self.site.url(HOST, "/new"),
                                                            self.site.url(HOST, "/private/"),
                                                           self.site.url("b.test", "/"), self.site.url(HOST, "/x.pdf"))
        self.assertEqual(done["seen"][0], "refuse")
        self.assertRegex(done["seen"][1], "^seen before, and done: fetched or refused; held by the filter, chance of "
                                          "error [0-9.e-]+$")
        self.assertEqual(queued["seen"][0], "pass")
        self.assertRegex(queued["seen"][1], f"^queued, attempt 1, behind 1 of its host(, not before .*)?, found on "
                                            f"{self.pages[0]}$")
        self.assertEqual(queued["depth"], ("pass", "crawl.depth = 7, queued at depth 1"))
        self.assertEqual(queued["robots"], ("pass", "robots.txt: no rule for crawl"))
        self.assertEqual(queued["host"], ("pass", "may be asked"))
        self.assertEqual(new["seen"], ("pass", "not seen before"))
        self.assertEqual(private["robots"], ("refuse", "robots.txt:2: Disallow: /private"))
        self.assertEqual(out["scope"][0], "refuse")
        self.assertEqual(out["host"], ("pass", "was never asked"))
        self.assertEqual(pdf["patterns"], ("refuse", "crawl.exclude = [.]pdf$"))

    def test_of_one_that_works(self):
        process = self.start(*self.options(delay="30s"), "--output", "pages.jsonl", "--requests", "requests.jsonl",
                             self.pages[0])
        self.wait_for(lambda: self.redis.ask("KEYS", "{test:*}:held:*"))
        held, = self.explain(self.pages[0])
        worker = self.worker()
        self.assertRegex(held["seen"][1], f"^queued, attempt 1, in flight or about to be: worker {worker} has it$")
        self.assertRegex(held["host"][1], f"; worker {worker} has it until .*, or longer if it stays alive$")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)

    def worker(self):
        summary = self.crawl("inspect", self.state, "--jsonl")
        worker, = json.loads(summary.stdout)["workers"]
        return worker["name"]

    def expect_words(self, status, words, *options, state=None, printed=""):
        said = self.crawl("explain", "--state", state or self.state, *options, self.pages[0])
        self.assertEqual((said.status, said.stdout), (status, printed), said.stderr)
        self.assertIn(words, said.stderr)

    def test_says_what_cannot_be_read(self):
        self.expect_words(4, "test: there is no crawl of this name")
        self.assertEqual(self.crawl(*self.options(), "--max-pages", "1", self.pages[0]).status, 0)
        self.expect_words(4, "Connection refused", state=f"redis://127.0.0.1:{harness.free_port()}/0?name=test")
        for key in self.redis.ask("KEYS", "{test:*}:host:*"):
            self.redis.ask("HSET", key, "record", "damaged")
        self.expect_words(4, "what is kept of the request or of its host cannot be read", printed=self.pages[0] + "\n")


if __name__ == "__main__":
    harness.main()
