#!/usr/bin/env python3
"""Tests crawl.max_queued in a shared crawl: it applies to all processes together, by the figures that each has of the
others. What has no such limit may grow."""
import json
import os

import harness
import redis_crawl
import redis_proxy

HOSTS, FAN, LEVELS = 8, 10, 3
PAGES = sum(FAN**level for level in range(LEVELS + 1))
INNER = sum(FAN**level for level in range(LEVELS))
ROOM = 300


class Forgetful(redis_proxy.Proxy):
    """Answers the first question with a cursor as a server that has no more: asks for another key."""

    def __init__(self, port):
        self.begun = self.forgotten = 0
        super().__init__(port)

    def passed_on(self, data, is_answer):
        if is_answer or b"HSCAN" not in data:
            return data
        is_first = b":notes\r\n$1\r\n0\r\n" in data
        self.begun += is_first
        if is_first or self.forgotten:
            return data
        self.forgotten += 1
        return data.replace(b"{room}:notes", b"{room}:other")


class Room(redis_crawl.RedisCrawl):
    crawl_name = "room"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_pages(PAGES, HOSTS)
        for page in range(PAGES):
            folder = cls.folders[cls.hosts[page % HOSTS]]
            links = cls.pages[FAN * page + 1:FAN * page + FAN + 1]
            with open(os.path.join(folder, f"{page}.html"), "w", encoding="utf-8") as file:
                file.write("".join(f"<a href={link}>x</a>" for link in links))

    def worker(self, name, *options):
        return self.start("--state", self.state, "--scope", "any", "--allow-private", "--no-robots", "--depth", "9",
                          "--delay", "30ms", "--output", f"{name}.jsonl",
                          "--links", f"{name}.links", *options, self.pages[0])

    def queued(self):
        """Returns the number queued; 0 before there is a crawl."""
        said = self.crawl("inspect", self.state, "--jsonl").stdout
        queue = json.loads(said)["queue"] if said else {"queued": 0, "held": 0}
        return queue["queued"] + queue["held"]

    def test_room_of_one(self):
        """The process knows its own pushes at once, and its finished requests from its next look."""
        process = self.worker("pages", "--set", f"crawl.max_queued={ROOM}")
        most = 0
        while process.poll() is None:
            most = max(most, self.queued())
        self.finish([process])
        asked = len(self.records("pages.jsonl"))
        self.assertGreater(asked, INNER)
        self.assertLess(asked, PAGES)
        full = [line for line in self.records("pages.links") if line["verdict"] == "full"]
        self.assertEqual(asked + len({line["to"] for line in full}), PAGES)
        self.assertLess(most, ROOM + ROOM // 2)  # this test does not see all figures at one moment

    def test_room_of_all(self):
        """A process that joins learns that there is no room; it may still bring its seeds."""
        first = self.worker("first", "--set", f"crawl.max_queued={ROOM}", "--delay", "100ms")
        self.wait_for(lambda: self.queued() > ROOM // 2)
        second = self.worker("second", "--set", f"crawl.max_queued={ROOM}", "--delay", "100ms")
        self.finish([first, second])
        asked = [record["url"] for name in ("first", "second") for record in self.records(f"{name}.jsonl")]
        self.assertEqual(len(asked), len(set(asked)))
        self.assertLess(len(asked), PAGES)

    def test_without_a_limit(self):
        self.finish([self.worker("pages", "--delay", "0ms")])
        self.assertEqual(len(self.records("pages.jsonl")), PAGES)

    def test_more_notes_than_an_answer_holds(self):
        """Each seed and each host may leave a note that all processes read; one that joins reads them in parts."""
        self.finish([self.worker("first", "--max-pages", "5")])
        self.redis.ask("EVAL", "for i = 1, 600000 do redis.call('HSET', KEYS[1], '#note ' .. i, 'x') end "
                       "redis.call('INCR', '{room}:noted')", 1, "{room}:notes")
        self.finish([self.worker("second")])
        self.assertEqual(len(self.records("first.jsonl")) + len(self.records("second.jsonl")), PAGES)
        explained = self.crawl("explain", "--state", self.state, self.pages[0])
        self.assertEqual((explained.status, explained.stderr), (1, ""), explained.stdout)

    def test_notes_move_while_they_are_read(self):
        """In a Redis Cluster the next part may be asked from a server that does not know the cursor."""
        self.finish([self.worker("first", "--max-pages", "5")])
        self.redis.ask("EVAL", "for i = 1, 5000 do redis.call('HSET', KEYS[1], '#note ' .. i, 'x') end "
                       "redis.call('INCR', '{room}:noted')", 1, "{room}:notes")
        between = self.serve(Forgetful(self.redis.port))
        self.state = between.url("name=room")
        self.finish([self.worker("second")])
        self.assertEqual((between.forgotten, between.begun), (1, 2))


if __name__ == "__main__":
    harness.main()
