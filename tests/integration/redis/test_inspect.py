"""Tests `crawl inspect redis://`: a shared crawl as a user sees it, and messages about unreadable data."""
import json
import subprocess
import unittest

import harness
from played_terminal import Terminal
from redis_server import Redis

MADE = ("crawl.format", "2", "crawl.seen", "scalable", "crawl.seen.rate", "0.001", "crawl.seen.capacity", "25600",
        "order", "bfs")
NOW_MS = 4_000_000_000_000  # in the next century: times here are not over


class Inspect(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.redis = Redis()

    @classmethod
    def tearDownClass(cls):
        cls.redis.stop()

    def setUp(self):
        self.redis.ask("FLUSHALL")

    def make(self):
        """Makes a crawl of two processes, one of which has a host; another host waits."""
        ask = self.redis.ask
        ask("HSET", "{news}:crawl", *MADE)
        ask("ZADD", "{news}:workers", NOW_MS, "left", NOW_MS, "right")
        ask("ZADD", "{news}:feeders", NOW_MS, "right")
        ask("HSET", "{news}:reports", "left", f"{NOW_MS} 0 {NOW_MS - 10000} 12 3 900 700 2 1 1500 0.1")
        ask("HSET", "{news}:gone", "workers", 4, "pages", 100)
        ask("HSET", "{news:7}:figures", "queued", 3, "held", 1, "accepted", 9, "refused", 4, "done", 5, "token", 2,
            "links", 1, "added", 9)
        ask("SETRANGE", "{news:7}:seen:0", 63, "\0")
        ask("ZADD", "{news:7}:sessions", NOW_MS, "http://had.test")
        ask("HSET", "{news:7}:host:http://had.test", "token", 2, "worker", "left", "pause", 1500)
        ask("HSET", "{news:7}:held:http://had.test", 1, "0000000000000001x")
        ask("ZADD", "{news:7}:hosts", 0, "http://waits.test")
        ask("ZADD", "{news:7}:levels:http://waits.test", 0, "0000000000000001")
        ask("RPUSH", "{news:7}:queue:http://waits.test:0000000000000001", "a", "b")
        ask("ZADD", "{news:7}:dated:http://waits.test", NOW_MS, "c")

    def inspect(self, *options, url=None, password=None):
        environment = {"CRAWL_REDIS_PASSWORD": password} if password else {}
        return subprocess.run([harness.program(), "inspect", url or self.redis.url("name=news"), *options],
                              capture_output=True, text=True,
                              timeout=60, env=environment | {"PATH": "/usr/bin"}, cwd=self.redis.folder)

    def rows(self, *options):
        said = self.inspect(*options, "--jsonl")
        self.assertEqual(said.returncode, 0, said.stderr)
        return [json.loads(line) for line in said.stdout.splitlines()]

    def test_shows_workers_hosts_and_queue(self):
        self.make()
        summary, = self.rows()
        report = {"started": "2096-10-02T07:06:30.000Z", "pages": 12, "failures": 3, "bytes": 900, "received": 700,
                  "running": 2, "pages_per_s": 1.5, "version": "0.1"}
        self.assertEqual(summary["workers"],
                         [{"name": "left", "alive": True, "ended": False, "until": "2096-10-02T07:06:40.000Z",
                           "hosts": 1, "feeding": False,
                                               "report": report},
                                              {"name": "right", "alive": True, "ended": False,
                                               "until": "2096-10-02T07:06:40.000Z", "hosts": 0, "feeding": True,
                                               "report": None}])
        self.assertEqual(summary["all_workers"], {name: 100 + value if name == "pages" else value for name,
                                                  value in report.items() if name != "version"})
        self.assertEqual(summary["queue"], {"queued": 3, "held": 1, "later": 0, "largest_partition": 7,
                                            "largest_queued": 3})
        self.assertEqual(summary["requests"], {"accepted": 9, "seen": 4, "finished": 5})
        self.assertEqual(summary["decided"]["order"], "bfs")
        had, waits = self.rows("--hosts")
        self.assertEqual(had, {"origin": "http://had.test", "worker": "left", "until": "2096-10-02T07:06:40.000Z",
                               "pause_ms": 1500, "ready": 0,
                               "delayed": 0, "held": 1})
        self.assertEqual(waits, {"origin": "http://waits.test", "worker": None, "due_at": "1970-01-01T00:00:00.000Z",
                                 "pause_ms": 0, "ready": 2,
                                 "delayed": 1, "held": 0})
        self.assertEqual(self.rows("--queue"), [{"partition": 7, "queued": 3, "held": 1, "waiting": 1, "sessions": 1}])
        filter, = self.rows("--filter")
        self.assertEqual((filter["kind"], filter["count"], filter["filters"], filter["fpr"]), ("scalable", 9, 1, 0.001))
        text = self.inspect().stdout
        self.assertIn("partition 7 is the largest, with 3 queued", text)
        self.assertIn("left: 1 host, alive", text)
        self.assertIn("; 12 pages, 3 failures, 700 B received, 2 under way, 1.5 pages a second\n", text)
        self.assertIn("all workers 6 so far; 112 pages, 3 failures, ", text)
        self.assertRegex(self.inspect("--hosts").stdout, r"2 +1 +0 +0ms  now +- +http://waits.test")

    def expect_words(self, status, words, **how):
        said = self.inspect(**how)
        self.assertEqual((said.returncode, said.stdout), (status, ""), said.stderr)
        self.assertIn(words, said.stderr)

    def test_says_what_cannot_be_read(self):
        self.expect_words(4, "news: there is no crawl of this name")
        self.expect_words(2, "name the crawl, with ?name=NAME", url=self.redis.url("")[:-1])
        self.expect_words(2, "a password in it would be visible", url="redis://me:secret@127.0.0.1/0?name=news")
        self.expect_words(4, "Connection refused", url=f"redis://127.0.0.1:{harness.free_port()}/0?name=news")
        self.redis.ask("HSET", "{news}:crawl", "crawl.format", "9")
        self.expect_words(4, "the crawl is of format 9, and this program has format 2")
        self.redis.ask("DEL", "{news}:crawl")
        self.redis.ask("SET", "{news}:crawl", "text")
        self.expect_words(4, "another program's")
        self.redis.ask("CONFIG", "SET", "requirepass", "right")
        self.redis.password = "right"
        self.expect_words(2, "NOAUTH")
        self.expect_words(2, "WRONGPASS", password="wrong")
        self.redis.ask("CONFIG", "SET", "requirepass", "")
        self.redis.password = None


    def end_workers(self):
        self.redis.ask("DEL", "{news}:workers", "{news}:feeders", "{news}:reports")
        self.redis.ask("ZADD", "{news:7}:sessions", 1, "http://had.test")

    def test_drops_a_crawl_of_which_no_worker_is_alive(self):
        self.make()
        others = ["NAME", "{news2}:crawl", "{news2:1}:figures", "{news", "{newsx}", "news:dupefilter", "{n?ws}:crawl",
                  "{news:eu}:crawl", "{news:eu:7}:figures", "{news:256}:crawl", "{news:7", "{news:}:crawl"]
        for key in others:
            self.redis.ask("SET", key, "text")
        every = self.redis.ask("DBSIZE")
        drop = self.inspect("--drop", "--yes")
        self.assertEqual((drop.returncode, self.redis.ask("DBSIZE")), (6, every), drop.stderr)
        self.assertIn("2 workers are alive", drop.stderr)
        self.end_workers()
        every = self.redis.ask("DBSIZE")
        drop = self.inspect("--drop")
        self.assertEqual((drop.returncode, self.redis.ask("DBSIZE")), (2, every), "nobody can be asked")
        self.assertIn("add --yes", drop.stderr)
        many = 3000
        for number in range(many):
            self.redis.ask("HSET", f"{{news:{number % 256}}}:host:http://{number}.test", "ids", 1)
        own = every - len(others) + many
        drop = self.inspect("--drop", "--yes", "--jsonl")
        self.assertEqual((drop.returncode, json.loads(drop.stdout)), (0, {"keys": own}), drop.stderr)
        self.assertEqual(sorted(self.redis.ask("KEYS", "*")), sorted(others))
        self.assertIn("there is no crawl", self.inspect("--drop", "--yes").stderr)
        drop = self.inspect("--drop", "--yes", url=self.redis.url("name=n%3Fws"))
        self.assertEqual(drop.returncode, 4, "its key is another program's")
        drop = self.inspect("--drop", "--yes", url=self.redis.url("name=news:7"))
        self.assertEqual(drop.returncode, 2, "its keys would be those of a partition")
        self.assertIn("cannot end in a colon and a number up to 255: news:7", drop.stderr)
        drop = self.inspect("--drop", url=self.redis.folder)
        self.assertEqual(drop.returncode, 4, "a directory that is none of a crawl")

    def answer(self, words):
        terminal = Terminal([harness.program(), "inspect", self.redis.url("name=news"), "--drop"], self.redis.folder)
        self.addCleanup(terminal.close)
        terminal.wait_for(r"5 requests finished, 3 queued. Delete all of it\? \(type 'yes'\): ")
        terminal.press(words + "\n")
        return terminal.end(), terminal.text

    def test_a_person_is_asked_before(self):
        self.make()
        self.end_workers()
        status, text = self.answer("no")
        self.assertEqual((status, "nothing was deleted" in text), (1, True), text)
        self.assertGreater(self.redis.ask("DBSIZE"), 5)
        status, text = self.answer("yes")
        self.assertEqual((status, self.redis.ask("DBSIZE")), (0, 0), text)


class PlantedFaults(harness.TestCase):
    """Plants each fault in a crawl that has most of its pages ahead."""

    def setUp(self):
        super().setUp()
        self.redis = Redis()
        self.addCleanup(self.redis.stop)
        page = "".join(f"<a href=/{number}.html>x</a>" for number in range(40))
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": page})})
        state = self.redis.url("name=t")
        result = self.crawl("--state", state, "--delay", "0", "--max-pages", "1", nginx.url("a.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        keys = self.redis.ask("KEYS", "*")
        self.kept = [(key, self.redis.ask_bytes("DUMP", key)) for key in keys]
        self.origin = nginx.url("a.localhost").rstrip("/")
        self.base = next(key.split("}")[0] + "}" for key in keys if key.endswith(":host:" + self.origin))
        self.list = next(key for key in keys if key.startswith(f"{self.base}:queue:"))
        self.request = self.redis.ask_bytes("LINDEX", self.list, 0)

    def plant(self, *commands):
        self.redis.ask("FLUSHALL")
        for key, dump in self.kept:
            self.redis.ask("RESTORE", key, 0, dump)
        for command in commands:
            self.redis.ask(*command)
        said = self.crawl("inspect", self.redis.url("name=t"), "--check")
        return said.status, said.stdout

    def test_each_is_found(self):
        base, origin = self.base, self.origin
        figures, host, level = f"{base}:figures", f"{base}:host:{origin}", self.list.rsplit(":", 1)[1]
        session = ("ZADD", f"{base}:sessions", NOW_MS, origin), ("ZREM", f"{base}:hosts", origin)
        other = b"\1" * 20 + self.request[20:]
        empty = bytes(self.redis.ask("STRLEN", f"{base}:seen:0"))
        more = ("HINCRBY", figures, "queued", 1), ("HINCRBY", figures, "accepted", 1)
        self.assertEqual(self.plant(), (0, "t: 0 violations\n"))
        self.assertEqual(self.plant(*session, ("HSET", host, "token", 1)), (0, "t: 0 violations\n"))
        for words, *commands in (
                ("its sign is not", ("DEL", *(key for key, _ in self.kept if key.startswith(base)))),
                ("its sign is not", ("HSET", figures, "made", "ff")),
                ("figures say 0", ("HSET", figures, "queued", 0)),
                ("figures say 3", ("HSET", figures, "held", 3)),
                ("figures say 2", ("HSET", figures, "later", 2)),
                ("are finished", ("HSET", figures, "done", 1000)),
                ("are finished", ("HSET", figures, "accepted", 1)),
                ("is there twice", ("RPUSH", self.list, self.request), *more),
                ("cannot be read", ("RPUSH", self.list, "junk"), *more),
                ("cannot be read", ("RPUSH", self.list, self.request[:-1]), *more),
                ("cannot be read", ("ZADD", f"{base}:dated:{origin}", NOW_MS, "0" * 32 + "junk"), *more),
                ("not in the seen-set", ("RPUSH", self.list, other), *more),
                ("not in the seen-set", ("SETRANGE", f"{base}:seen:0", 0, empty)),
                ("link 0 of its seen-set is missing", ("DEL", f"{base}:seen:0")),
                ("link 1 of its seen-set is missing", ("HSET", figures, "links", 2)),
                ("and has none", ("DEL", self.list)),
                ("and has none", ("ZADD", f"{base}:levels:{origin}", 0, "f" * 16)),
                ("are queued, and its figures", ("ZREM", f"{base}:levels:{origin}", level)),
                ("has nothing queued", ("ZADD", f"{base}:hosts", 0, "http://none.test")),
                ("waits for its turn and has a session", session[0], ("HSET", host, "token", 1)),
                ("a token without a session", ("HSET", host, "token", 1)),
                ("a session without a token", *session),
                ("above the last that was given", *session, ("HSET", host, "token", NOW_MS * 2048)),
                ("are held without a session", ("HSET", f"{base}:held:{origin}", 1, b"0" * 16 + other)),
                ("are queued, and its figures", ("ZREM", f"{base}:hosts", origin)),
                ("for a later run and has none", ("ZADD", f"{base}:later", 1, origin))):
            status, said = self.plant(*commands)
            self.assertEqual((status, words in said), (1, True), f"{words}: {said}")


if __name__ == "__main__":
    harness.main()
