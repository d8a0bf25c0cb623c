#!/usr/bin/env python3
"""Tests every call of the URLFrontier protocol and its rules at crawl serve, with a client of Debian's
python3-grpcio."""
import os
import re
import signal
import subprocess
import time
import unittest

from frontier_client import OK, ROOT, SKIPPED, TestCase, found, grpc, harness, info, known, types

FAR = 4_000_000_000  # a date after any test


class Rules(TestCase):
    def status(self, url, **more):
        return self.client.GetURLStatus(url=url, **more)

    def get_when_there(self, **fields):
        """Returns the URLs that are handed out, once there are any."""
        got = []
        harness.wait_for(lambda: got.extend(self.get(**fields)) or got)
        return got

    # --- what comes in

    def test_acknowledgements(self):
        items = [found("http://a.com/1", item_id="one"), found("http://a.com/2"),
                 found("http://a.com/1", item_id="again"), types.URLItem(ID="nothing"),
                 found("", item_id="empty"), found("no key"), found("http://a.com/4", key="k" * 256),
                 found("http://a.com/5", key="é" * 255)]
        acks = self.client.PutURLs(items)
        self.assertEqual([(ack.ID, ack.status) for ack in acks], [
            ("one", OK), ("http://a.com/2", OK), ("again", SKIPPED), ("nothing", SKIPPED), ("empty", SKIPPED),
            ("no key", SKIPPED), ("http://a.com/4", SKIPPED),
            ("http://a.com/5", OK)])
        self.assertEqual(self.put(found("http://a.com/2"), found("http://a.com/2", key="other"),
                                  found("http://a.com/2", crawl="other")), [SKIPPED, OK, OK])

    def test_batches(self):
        batches = [types.DiscoveredBatch(ID="x", items=[info("http://a.com/1"), info("none"), info("http://a.com/1"),
                                                        info("http://b.com/1")]),
                   types.DiscoveredBatch(),
                   types.DiscoveredBatch(ID="y", items=[info("http://a.com/1"), info("http://a.com/2")])]
        acks = self.client.PutDiscovered(batches)
        self.assertEqual([(ack.ID, list(ack.statuses)) for ack in acks], [("x", [OK, SKIPPED, SKIPPED, OK]), ("", []),
                                                                          ("y", [SKIPPED, OK])])

    def test_keys_of_urls(self):
        urls = {"http://a.com:80/x": "a.com", "http://b.com?x": "b.com", "ftp://c.com&x": "c.com",
                "http://d.com": "d.com"}
        self.put(*map(found, urls))
        self.assertEqual(list(self.client.ListQueues().values), list(urls.values()))
        self.assertEqual({item.url: item.key for item in self.client.GetURLs()}, urls)

    def test_metadata_is_kept(self):
        self.put(found("http://a.com/1", crawl="c", depth=["1"], path=["x", "y é"]))
        item, = self.client.GetURLs(crawlID="c")
        self.assertEqual((item.url, item.key, item.crawlID), ("http://a.com/1", "a.com", "c"))
        self.assertEqual({name: list(value.values) for name, value in item.metadata.items()},
                         {"depth": ["1"], "path": ["x", "y é"]})
        self.put(known("http://a.com/1", FAR, crawl="c", depth=["2"]))
        said = self.status("http://a.com/1", crawlID="c").known
        self.assertEqual({name: list(value.values) for name, value in said.info.metadata.items()}, {"depth": ["2"]})

    def test_known_items(self):
        self.assertEqual(self.put(known("http://a.com/done"), known("http://a.com/later", FAR),
                                  known("http://a.com/now", 1)), [OK] * 3)
        self.assertEqual(self.put(found("http://a.com/done"), found("http://a.com/later")), [SKIPPED] * 2)
        self.assertEqual(self.get(), ["http://a.com/now"])
        self.assertEqual(self.stats(), {"size": 2, "in": 1, "queues": 1, "completed": 1, "active_queues": 1})
        self.put(known("http://a.com/now"))
        self.assertEqual(self.stats(), {"size": 1, "in": 0, "queues": 1, "completed": 2, "active_queues": 1})
        self.assertEqual(self.get(), [])
        # sooner than before, and no longer completed
        self.put(known("http://a.com/later", 1), known("http://a.com/done", 1))
        self.assertEqual(sorted(self.get_when_there()), ["http://a.com/done", "http://a.com/later"])
        self.assertEqual(self.put(known("http://a.com/later", int(time.time()) + 1)), [OK])
        self.assertEqual(self.get_when_there(), ["http://a.com/later"])

    # --- what goes out

    def test_hand_outs_have_two_bounds(self):
        self.put(*[found(f"http://{host}.com/{n}") for host in "xyz" for n in range(4)])
        self.assertEqual(self.get(max_urls_per_queue=2, max_queues=2), ["http://x.com/0", "http://x.com/1",
                                                                        "http://y.com/0", "http://y.com/1"])
        self.assertEqual(self.get(max_urls_per_queue=3, max_queues=1), ["http://z.com/0", "http://z.com/1",
                                                                        "http://z.com/2"])
        self.assertEqual(self.get(max_urls_per_queue=2), [])  # this many of each are in process
        self.assertEqual(self.get_when_there(max_urls_per_queue=3), ["http://x.com/2", "http://x.com/3",
                                                                     "http://y.com/2", "http://y.com/3"])
        self.put(known("http://z.com/1"))
        self.assertEqual(self.get(max_urls_per_queue=3), ["http://z.com/3"])

    def test_what_is_due_longest_comes_first(self):
        self.put(found("http://due.com/new"), *[known(f"http://due.com/{date}", date) for date in (500, 100, 900)],
                 found("http://turn.com/1"), found("http://turn.com/2"))
        self.assertEqual(self.get(max_urls_per_queue=1), ["http://due.com/100", "http://turn.com/1"])
        # A URL given back is due at the date given; queues still take turns.
        self.put(known("http://due.com/100", 700), known("http://turn.com/1"))
        self.server.restart()
        self.assertEqual(self.get_when_there(max_urls_per_queue=1, max_queues=1), ["http://due.com/500"])
        self.assertEqual(self.get_when_there(max_urls_per_queue=1, max_queues=1), ["http://turn.com/2"])
        self.assertEqual(self.get_when_there(), [f"http://due.com/{name}" for name in ("100", "900", "new")])

    def test_what_comes_due_does_not_wait_for_what_was_put_later(self):
        soon = int(time.time()) + 4  # after the next two calls, on a busy machine too
        self.put(known("http://soon.com/soon", soon), *[found(f"http://soon.com/{n}") for n in range(3)])
        self.assertEqual(self.get(max_urls_per_queue=1), ["http://soon.com/0"])
        self.put(known("http://soon.com/0", soon + 1))
        self.assertEqual(self.get_when_there(max_urls_per_queue=1), ["http://soon.com/1"])
        self.put(known("http://soon.com/1"), known("http://soon.com/2", soon + 2))
        self.assertEqual([self.get_when_there(max_urls_per_queue=100)[0] for _ in range(3)],
                         [f"http://soon.com/{name}" for name in ("soon", "0", "2")])

    def test_a_crawl_is_deleted_under_a_slow_reader(self):
        """The server is in the middle of a turn when its data is deleted."""
        long, count = "x" * 2000, 5000
        for delete in (lambda: self.client.DeleteCrawl(value="slow"),
                       lambda: self.client.DeleteQueue(key="slow.com", crawlID="slow")):
            self.put(*[found(f"http://slow.com/{n}/{long}", crawl="slow") for n in range(count)])
            call, request, _ = self.client.stub("GetURLs")
            reader = call(request(crawlID="slow"), timeout=60)
            self.assertIn(long, next(reader).url)
            delete()
            rest = sum(1 for _ in reader)
            self.assertLess(rest, count - 1, "all was sent before the crawl was deleted")
            self.put(found("http://slow.com/again", crawl="slow"))
            self.assertEqual(self.get(crawlID="slow"), ["http://slow.com/again"])
            self.client.DeleteCrawl(value="slow")

    def test_a_listing_goes_on_in_steps(self):
        """For a client that reads slowly no more is held than it reads. URLs that come and go meanwhile do no harm, and
        each that stays is listed once."""
        long, count = "x" * 2000, 3000
        self.put(*[found(f"http://list.com/{n:04}/{long}", crawl="list") for n in range(count)])
        call, request, _ = self.client.stub("ListURLs")
        reader = call(request(crawlID="list", size=2 * count), timeout=60)
        first = next(reader).known.info.url
        self.put(*[known(f"http://list.com/{n:04}/{long}", FAR, crawl="list") for n in range(0, count, 2)])
        listed = [first, *(item.known.info.url for item in reader)]
        self.assertEqual(listed, [f"http://list.com/{n:04}/{long}" for n in range(count)])
        self.assertEqual(self.client.CountURLs(crawlID="list", filter="/29").value, 100)
        reader = call(request(crawlID="list", size=2 * count), timeout=60)
        next(reader)
        self.client.DeleteCrawl(value="list")
        self.assertLess(sum(1 for _ in reader), count - 1, "all was sent before the crawl was deleted")
        self.assertEqual(self.client.PurgeURLs(crawlID="list").value, 0)

    def test_many_old_urls_are_purged(self):
        long, count = "x" * 2000, 1500  # more than one step gathers
        self.put(*[found(f"http://old.com/{n}/{long}") for n in range(count)])
        time.sleep(0.002)
        self.assertEqual(self.client.PurgeURLs().value, count)
        self.assertEqual(self.client.CountURLs().value, 0)

    def test_stats_are_of_one_crawl(self):
        self.put(found("http://a.com/1"), found("http://a.com/2", crawl="other"),
                 found("http://b.com/1", crawl="other"))
        self.assertEqual((self.stats()["size"], self.stats(crawlID="DEFAULT")["size"]), (1, 1))
        self.assertEqual((self.stats(crawlID="other")["size"], self.stats(crawlID="none")["size"]), (2, 0))
        self.assertEqual(self.stats(crawlID="other", key="b.com")["size"], 1)
        self.assertEqual(self.client.GetStats().crawlID, "DEFAULT")

    def test_a_key_is_of_one_crawl(self):
        self.put(found("http://a.com/1"), found("http://b.com/1"), found("http://a.com/2", crawl="other"))
        self.assertEqual(self.get(key="a.com"), [])
        self.assertEqual(self.get(key="a.com", crawlID="DEFAULT"), ["http://a.com/1"])
        self.assertEqual(self.get(key="z.com", crawlID="DEFAULT"), [])
        self.assertEqual(self.get(crawlID="none"), [])
        self.assertEqual(self.get(crawlID="other"), ["http://a.com/2"])
        self.assertEqual(self.get(anyCrawlID=types.AnyCrawlID()), ["http://b.com/1"])

    def test_no_crawl_waits_for_another(self):
        self.put(*[found(f"http://{host}.com/", crawl=crawl) for crawl in ("first", "second") for host in "xyz"])
        self.assertEqual({self.client.GetURLs(max_queues=1)[0].crawlID for _ in range(2)}, {"first", "second"})

    # Tests that depend on the order of URLs use their own: of URLs that arrive together, one that an earlier test had
    # and deleted comes after new ones.

    def test_a_lease_ends(self):
        self.put(found("http://lease.com/1"), found("http://lease.com/2"))
        self.assertEqual(self.get(delay_requestable=1, max_urls_per_queue=1), ["http://lease.com/1"])
        self.assertEqual(self.get_when_there(delay_requestable=100), ["http://lease.com/2"])
        self.assertEqual(self.get_when_there(delay_requestable=100), ["http://lease.com/1"])
        self.assertEqual(self.stats()["in"], 2)

    def test_pauses_and_blocks(self):
        self.put(*[found(f"http://{host}.com/{n}") for host in "ab" for n in range(3)])
        self.client.SetDelay(key="a.com", delay_requestable=1000)
        self.client.BlockQueueUntil(key="b.com", time=FAR)
        self.assertEqual(list(self.client.ListQueues().values), ["a.com"])
        self.assertEqual(self.get(max_urls_per_queue=1), ["http://a.com/0"])
        self.assertEqual(self.get(), [])
        self.assertEqual(self.get(key="a.com", crawlID="DEFAULT"), [])
        self.client.BlockQueueUntil(key="b.com", time=0)
        self.assertEqual(self.get(max_urls_per_queue=1), ["http://b.com/0"])

    def test_a_new_delay_counts_from_the_last_hand_out(self):
        self.put(*[found(f"http://{host}.com/{n}") for host in ("own", "default") for n in range(4)])
        for key, words in ("own", {"key": "own.com"}), ("default", {}):
            named = {"key": key + ".com", "crawlID": "DEFAULT", "max_urls_per_queue": 4}
            self.assertEqual(self.get(**{**named, "max_urls_per_queue": 1}), [f"http://{key}.com/0"])
            self.client.SetDelay(delay_requestable=86400, **words)
            self.assertEqual(self.get(**named), [])
            self.server.restart()
            self.client.SetCrawlLimit(key=key + ".com", limit=9)
            self.assertEqual(self.get(**named), [], "a limit lifted the pause")
            self.client.SetDelay(delay_requestable=0, **words)
            self.assertEqual(self.get_when_there(**named), [f"http://{key}.com/{n}" for n in range(1, 4)])

    def test_a_limit(self):
        self.put(found("http://limit.com/1"), found("http://limit.com/2"), known("http://limit.com/3"))
        self.client.SetCrawlLimit(key="limit.com", limit=2)
        self.assertEqual(self.get(max_urls_per_queue=1), ["http://limit.com/1"])
        self.put(known("http://limit.com/1"))
        self.assertEqual(self.get(), [])
        self.client.SetCrawlLimit(key="limit.com", limit=0)
        self.assertEqual(self.get_when_there(), ["http://limit.com/2"])
        for wrong in {"key": "none.com"}, {"key": "limit.com", "crawlID": "none"}:
            self.assertEqual(self.fails(grpc.StatusCode.NOT_FOUND, self.client.SetCrawlLimit, limit=1, **wrong),
                             "there is no such queue")

    def test_a_purge_makes_room_below_a_limit(self):
        self.put(known("http://room.com/1"), known("http://room.com/2"))
        self.client.SetCrawlLimit(key="room.com", limit=2)
        time.sleep(0.002)
        self.assertEqual(self.client.PurgeURLs(key="room.com").value, 2)
        self.put(found("http://room.com/3"))
        self.assertEqual(self.get(), ["http://room.com/3"])

    def test_the_whole_service_pauses(self):
        self.assertTrue(self.client.GetActive().state)
        self.client.SetActive(state=False)
        self.assertEqual(self.put(found("http://a.com/1")), [OK])
        self.assertEqual((self.get(), self.client.GetActive().state), ([], False))
        self.client.SetActive(state=True)
        self.assertEqual(self.get(), ["http://a.com/1"])

    # --- what is told

    def test_lists(self):
        self.put(*[found(f"http://h{n:03}.com/") for n in range(130)], known("http://done.com/"),
                 found("http://x.com/", crawl="second"))
        self.assertEqual(list(self.client.ListCrawls().values), ["DEFAULT", "second"])
        self.assertEqual(list(self.client.ListNodes().values), [self.server.address])
        self.assertEqual(len(self.client.ListQueues().values), 100)
        self.assertEqual(list(self.client.ListQueues(start=128, size=9).values), ["h128.com", "h129.com"])
        self.assertEqual(list(self.client.ListQueues(start=128, size=9, include_inactive=True).values),
                         ["h128.com", "h129.com", "done.com"])
        self.assertEqual(list(self.client.ListQueues(crawlID="second").values), ["x.com"])
        self.assertEqual(self.stats(), {"size": 130, "in": 0, "queues": 131, "completed": 1, "active_queues": 130})
        self.assertEqual(self.stats(crawlID="second"), {"size": 1, "in": 0, "queues": 1, "completed": 0,
                                                        "active_queues": 1})
        self.assertEqual(self.stats(key="done.com"), {"size": 0, "in": 0, "queues": 1, "completed": 1,
                                                      "active_queues": 0})
        self.client.SetLogLevel(package="x", level=1)

    def test_status_of_a_url(self):
        before = int(time.time())
        self.put(found("http://a.com/1"), known("http://a.com/2"),
                 types.URLItem(known=types.KnownURLItem(info=info("http://a.com/3"), refetchable_from_date=FAR),
                                                                                 creation_date=5))
        first = self.status("http://a.com/1")
        self.assertGreaterEqual(first.known.refetchable_from_date, before)
        self.assertGreaterEqual(first.creation_date, before)
        self.assertEqual(self.status("http://a.com/2").known.refetchable_from_date, 0)
        third = self.status("http://a.com/3", key="a.com", crawlID="DEFAULT")
        self.assertEqual((third.known.refetchable_from_date, third.known.info.url), (FAR, "http://a.com/3"))
        self.assertGreaterEqual(third.creation_date, before)
        self.fails(grpc.StatusCode.NOT_FOUND, self.status, url="http://a.com/4")
        self.fails(grpc.StatusCode.NOT_FOUND, self.status, url="http://z.com/4")
        self.fails(grpc.StatusCode.INVALID_ARGUMENT, self.status, url="none")

    def test_urls_are_listed_and_counted(self):
        self.put(*[found(f"http://a.com/{n:03}") for n in range(120)], found("http://b.com/Straße/X"),
                 known("http://b.com/y"))
        urls = [item.known.info.url for item in self.client.ListURLs()]
        self.assertEqual(urls, [f"http://a.com/{n:03}" for n in range(100)])
        self.assertEqual([item.known.info.url for item in self.client.ListURLs(start=119, size=2)],
                         ["http://a.com/119", "http://b.com/Straße/X"])
        self.assertEqual([item.known.info.url
                          for item in self.client.ListURLs(key="b.com", filter="/x", ignoreCase=True)],
                         ["http://b.com/Straße/X"])
        self.assertEqual(self.client.ListURLs(key="b.com", filter="/x"), [])
        self.assertEqual([self.client.CountURLs(**fields).value
                          for fields in ({}, {"key": "b.com"}, {"filter": "com/11"}, {"crawlID": "none"})],
                         [122, 2, 10, 0])

    # --- what goes

    def test_a_queue_is_deleted(self):
        self.put(found("http://deleted.com/1"), found("http://deleted.com/2"), known("http://deleted.com/3"),
                 found("http://b.com/1"))
        self.assertEqual(self.get(key="deleted.com", crawlID="DEFAULT", max_urls_per_queue=1), ["http://deleted.com/1"])
        self.assertEqual(self.client.DeleteQueue(key="deleted.com").value, 3)
        self.assertEqual(self.client.DeleteQueue(key="deleted.com").value, 0)
        self.assertEqual(self.stats(), {"size": 1, "in": 0, "queues": 1, "completed": 0, "active_queues": 1})
        self.assertEqual(self.get(), ["http://b.com/1"])
        # no client knows them any more
        self.assertEqual(self.put(found("http://deleted.com/1"), found("http://deleted.com/3")), [OK, OK])
        self.assertEqual(sorted(self.get_when_there()), ["http://deleted.com/1", "http://deleted.com/3"])

    def test_a_crawl_is_deleted(self):
        self.put(found("http://a.com/1"), found("http://a.com/1", crawl="a/../b é"),
                 known("http://a.com/2", crawl="a/../b é"))
        self.assertEqual(self.client.DeleteCrawl(value="a/../b é").value, 2)
        self.assertEqual(self.client.DeleteCrawl(value="a/../b é").value, 0)
        self.assertEqual(list(self.client.ListCrawls().values), ["DEFAULT"])
        self.server.restart()
        self.assertEqual(list(self.client.ListCrawls().values), ["DEFAULT"])
        self.assertEqual(self.put(found("http://a.com/1", crawl="a/../b é")), [OK])

    def test_old_urls_are_purged(self):
        self.put(found("http://a.com/1"), found("http://b.com/1"), known("http://a.com/2"))
        self.assertEqual(self.client.PurgeURLs(days=1).value, 0)
        time.sleep(0.002)  # days of 0 are those before this moment
        self.assertEqual(self.client.PurgeURLs(key="a.com").value, 2)
        self.assertEqual(self.stats(), {"size": 1, "in": 0, "queues": 2, "completed": 0, "active_queues": 1})
        self.assertEqual(self.get(), ["http://b.com/1"])
        self.assertEqual(self.put(found("http://a.com/1")), [OK])

    # --- what is kept

    def test_nothing_is_forgotten_by_a_kill(self):
        self.put(*[found(f"http://{host}.com/{n}", n=[str(n)]) for host in "klmn" for n in range(3)],
                 found("http://o.com/1", crawl="two"))
        self.assertEqual(self.get(crawlID="DEFAULT", max_queues=1, max_urls_per_queue=2, delay_requestable=1000),
                         ["http://k.com/0", "http://k.com/1"])
        self.put(known("http://k.com/0"), known("http://n.com/0", FAR))
        self.client.SetDelay(key="l.com", delay_requestable=1000)
        self.client.BlockQueueUntil(key="m.com", time=FAR)
        self.client.SetCrawlLimit(key="k.com", limit=1)
        self.assertEqual(self.get(key="l.com", crawlID="DEFAULT", max_urls_per_queue=1, delay_requestable=1),
                         ["http://l.com/0"])
        before = self.stats()
        self.client.SetActive(state=False)
        self.server.restart(signal.SIGKILL)
        self.assertFalse(self.client.GetActive().state)
        self.client.SetActive(state=True)
        self.assertEqual({**self.stats(), "in": before["in"]}, before)
        self.assertEqual(sorted(self.get()), ["http://n.com/1", "http://n.com/2", "http://o.com/1"])
        self.client.SetCrawlLimit(key="k.com", limit=0)
        self.assertEqual(self.get_when_there(), ["http://k.com/2"])  # and not the URL that is still leased
        self.client.BlockQueueUntil(key="m.com", time=0)
        self.assertEqual(self.get(), [f"http://m.com/{n}" for n in range(3)])
        self.server.restart()
        self.assertEqual(self.get(), [])
        self.assertEqual(self.put(known("http://k.com/1")), [OK])
        self.assertEqual(self.stats()["completed"], 2)


@unittest.skipUnless(os.path.exists("/usr/bin/grpc_python_plugin"), "protobuf-compiler-grpc is not installed")
class Example(TestCase):
    """The first example of docs/urlfrontier.md, unchanged except for the port."""

    def test_it_runs(self):
        with open(os.path.join(ROOT, "docs", "urlfrontier.md"), encoding="utf-8") as file:
            first, _, rest = re.search(r"^```\n(.*?)^```", file.read(), re.M | re.S)[1].partition("\n")
        self.assertEqual(first, "crawl serve --urlfrontier 127.0.0.1:7071 --state frontier &")
        script = rest.replace("127.0.0.1:7071", self.server.address).replace("-I tools", f"-I {ROOT}/tools")
        said = subprocess.run(["bash", "-ec", script], cwd=self.folder, env={"PATH": "/usr/bin:/bin"},
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(said.stdout.splitlines()[0], "[0, 0]")
        self.assertEqual(sorted(said.stdout.splitlines()[1:]), ["https://example.com/ [0]", "https://example.org/ [0]"])
        self.assertEqual(self.stats()["completed"], 2)


class Line(harness.TestCase):
    """The command line."""

    def refused(self, status, *args):
        result = self.crawl("serve", *args)
        self.assertEqual((result.status, result.stdout), (status, ""), result.stderr)
        return result.stderr

    def test_refusals(self):
        self.assertIn("--state is missing", self.refused(2, "--urlfrontier", "127.0.0.1:0"))
        self.assertIn("--urlfrontier: serve.urlfrontier = x:y:z: expected an address and a port",
                      self.refused(2, "--urlfrontier", "x:y:z", "--state", "s"))
        self.assertIn("--sync: serve.sync = never: expected one of interval, always\n",
                      self.refused(2, "--urlfrontier", "127.0.0.1:0", "--state", "s", "--sync", "never"))
        self.write("file", "")
        self.assertIn("file", self.refused(4, "--urlfrontier", "127.0.0.1:0", "--state", "file/x"))


if __name__ == "__main__":
    harness.main()
