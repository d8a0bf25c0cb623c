"""Tests the frontier from Python: in memory and durable, with threads and with asyncio. The test sets the time."""
import support

support.need("cffi")

import asyncio  # noqa: E402
import gc  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

import crawlfrontier  # noqa: E402
from crawlfrontier import FOREVER, Frontier, Pushed, fingerprint, hosts_of  # noqa: E402

A = "http://a.example/"


class Clock:
    def __init__(self, now=1000.0):
        self.now = now

    def __call__(self):
        return self.now


class Requests(support.TestCase):
    def test_a_request_keeps_all_of_it(self):
        frontier = Frontier(pause=0)
        self.assertTrue(frontier.push("x?b&a#f", parent=A, depth=3, priority=-2, tag=7, method="POST",
                                      headers={"X-A": "é", "X-B": "2"}, body=b"\0body", memo=b"memo"))
        lease = frontier.pop(0)
        self.assertEqual((lease.url, lease.origin, lease.parent), (A + "x?b&a", "http://a.example", A))
        self.assertEqual((lease.method, lease.headers, lease.body), ("POST", "X-A: é\nX-B: 2\n", b"\0body"))
        self.assertEqual((lease.depth, lease.priority, lease.tag, lease.memo), (3, -2, 7, b"memo"))
        self.assertEqual((lease.attempt, lease.visit, lease.urgent), (1, 1, False))
        self.assertEqual(lease.fingerprint, fingerprint("POST", A + "x?b&a", b"\0body"))
        self.assertTrue(frontier.seen(lease.fingerprint))
        self.assertFalse(frontier.seen(b"\0" * 20))

    def test_answers_of_push(self):
        frontier = Frontier(max_queued=2)
        self.assertEqual(list(frontier.push_many([A, A + "#x", "no url", A + "b", A + "c"])),
                         [Pushed.NEW, Pushed.SEEN, Pushed.INVALID, Pushed.NEW, Pushed.FULL])
        with self.assertRaises(crawlfrontier.FullError):
            frontier.push(A + "d")
        with self.assertRaisesRegex(crawlfrontier.ParseError, "not queued: 'mailto:a'"):
            frontier.push("mailto:a")
        for words in ({"depth": -1}, {"priority": 2**31}, {"tag": 2**32}):
            with self.assertRaisesRegex(crawlfrontier.InvalidError, f"{next(iter(words))} is"):
                frontier.push(A, **words)
        self.assertEqual(frontier.push_many([]), b"")
        self.assertEqual((len(frontier), frontier.stats().full, bool(Frontier())), (2, 2, True))

    def test_fingerprints_of_the_caller(self):
        frontier = Frontier(pause=0)
        self.assertTrue(frontier.push(A, fingerprint=b"1" * 20))
        self.assertFalse(frontier.push(A + "other", fingerprint=b"1" * 20))
        self.assertTrue(frontier.push(A, fingerprint=b"2" * 20))
        with frontier.pop(0) as lease:
            self.assertEqual(lease.fingerprint, b"1" * 20)
        self.assertTrue(frontier.push("?x#y", parent="http://A.example:80/p", fingerprint=b"3" * 20))
        self.assertTrue(frontier.push("http://a.example?q=/z", parent="no URL", fingerprint=b"4" * 20))
        self.assertEqual([lease.url for lease in frontier], [A, A + "p?x", A + "?q=/z"])
        for url in ("x", "mailto:a", "http://%zz/"):
            with self.assertRaises(crawlfrontier.ParseError):
                frontier.push(url, fingerprint=b"5" * 20)
        self.assertEqual(frontier.stats().hosts, 1)
        with self.assertRaises(ValueError):
            frontier.push(A, fingerprint=b"short")

    def test_orders(self):
        for order, expected in (("bfs", "abcd"), ("dfs", "dcab"), ("best", "abcd")):
            frontier = Frontier(order=order, pause=0)
            frontier.push_many([A + "a", A + "b"])
            frontier.push(A + "c", depth=1)
            frontier.push(A + "d", depth=1)
            self.assertEqual("".join(lease.url[-1] for lease in frontier), expected)
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "bfs, dfs, best"):
            Frontier(order="random")
        with self.assertRaises(crawlfrontier.InvalidError):
            Frontier(pause=-1)

    def test_many_are_pushed(self):
        frontier = Frontier(pause=0)
        results = frontier.push_many(f"http://h{i % 100}.example/{i}" for i in range(100_000))
        self.assertEqual(results.count(Pushed.NEW), 100_000)
        self.assertEqual(frontier.stats().hosts, 100)

    def test_headers_are_str_or_bytes(self):
        frontier = Frontier(pause=0)
        frontier.push("http://a.example/", headers={b"Accept": b"text/html", "X-A": "b"})
        self.assertEqual(frontier.pop().headers, "Accept: text/html\nX-A: b\n")
        for headers, error in (({"Cookie": ["a"]}, TypeError), ({"X": "a\nY: b"}, crawlfrontier.InvalidError),
                               ({"": "a"}, crawlfrontier.InvalidError)):
            with self.assertRaises(error):
                frontier.push("http://b.example/", headers=headers)

    def test_half_of_a_surrogate_pair_costs_no_other_url(self):
        frontier = Frontier(pause=0)
        self.assertEqual(frontier.push_many(["http://a.example/ok", "http://a.example/\ud83d", "http://"]),
                         bytes([Pushed.NEW, Pushed.NEW, Pushed.INVALID]))
        self.assertEqual([lease.url for lease in frontier], ["http://a.example/ok", "http://a.example/%EF%BF%BD"])


class Time(support.TestCase):
    def test_pauses_blocks_and_shares(self):
        clock = Clock()
        frontier = Frontier(pause=2, per_host=5, clock=clock)
        frontier.push_many([A + "1", A + "2", A + "3"])
        frontier.pop(0).done()
        lease, wait = frontier.pop_now()
        self.assertEqual((lease, wait), (None, 2))
        with self.assertRaises(TimeoutError):
            frontier.pop(0)
        clock.now += 2
        frontier.set_pause("http://a.example", 10)
        self.assertEqual(frontier.pop_now()[1], 8)
        frontier.set_pause("http://a.example", None)
        frontier.block("http://a.example", clock.now + 5)
        self.assertEqual(frontier.pop_now()[1], 5)
        self.assertEqual(frontier.waiting().hosts["blocked"], 1)
        self.assertEqual(frontier.waiting().most_queued, [("http://a.example", "blocked", 2)])
        self.assertEqual(frontier.waiting().host, "http://a.example")
        frontier.block("http://a.example")
        self.assertEqual(frontier.pop_now()[1], FOREVER)
        frontier.block("http://a.example", 0)
        self.assertEqual(frontier.pop(0).url, A + "2")
        frontier.set_share("http://a.example", 3)
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "share 0"):
            frontier.set_share("http://a.example", 0)
        for origin in ("no origin", "http://a.example/p", "ftp://a.example"):
            with self.assertRaises(crawlfrontier.InvalidError):
                frontier.block(origin)

    def test_spellings_of_an_origin(self):
        frontier = Frontier(pause=0, per_host=5)
        frontier.push_many([A, "https://\u00e9.example"])
        for origin in ("http://a.example:80", "HTTP://A.example", "https://\u00c9.example:443"):
            frontier.block(origin)
        self.assertEqual((frontier.pop_now(), frontier.stats().hosts), ((None, FOREVER), 2))
        frontier.block("http://a.example:80", 0)
        frontier.set_pause("http://a.example:80", 10)
        frontier.set_share("http://a.example:80", 2)
        frontier.set_note("http://a.example:80", b"x")
        self.assertEqual(frontier.note("http://a.example"), b"x")
        frontier.pop(0).done()
        frontier.push(A + "2")
        self.assertGreater(frontier.pop_now()[1], 9)

    def test_ends_of_leases(self):
        clock = Clock()
        frontier = Frontier(pause=0, seen="exact", clock=clock)
        frontier.push(A)
        lease = frontier.pop(0)
        lease.retry_at(clock.now + 3)
        self.assertTrue(lease.ended)
        with self.assertRaisesRegex(crawlfrontier.StateError, "the lease has ended"):
            lease.done()
        self.assertEqual(frontier.pop_now()[1], 3)
        clock.now += 3
        lease = frontier.pop(0)
        self.assertEqual(lease.attempt, 2)
        lease.give_back()
        lease = frontier.pop(0)
        self.assertEqual(lease.attempt, 2)
        lease.revisit_at(clock.now + 10, b"etag")
        clock.now += 10
        lease = frontier.pop(0)
        self.assertEqual((lease.visit, lease.attempt, lease.memo), (2, 1, b"etag"))
        lease.forget_at(clock.now + 5)
        self.assertFalse(frontier.push(A))
        clock.now += 5
        self.assertTrue(frontier.push(A))
        with self.assertRaises(ZeroDivisionError):
            with frontier.pop(0):
                1 / 0
        with frontier.pop(0):
            pass
        self.assertIsNone(frontier.pop(0))
        self.assertEqual(frontier.pop_now(), (None, -1))

    def test_dates_out_of_range(self):
        frontier = Frontier(pause=0)
        frontier.push(A)
        lease = frontier.pop(0)
        with self.assertRaises(ValueError):
            lease.retry_at(float("nan"))
        self.assertFalse(lease.ended)
        lease.retry_at(-1e30)
        lease = frontier.pop(0)
        lease.retry_at(1e30)
        self.assertTrue(lease.ended)
        self.assertEqual((frontier.stats().leased, frontier.pop_now()), (0, (None, FOREVER)))

    def test_a_loop_that_is_left_gives_back(self):
        frontier = Frontier(pause=0)
        frontier.push(A)
        for lease in frontier:
            break
        gc.collect()
        self.assertEqual(frontier.pop(0).url, A)

    def test_an_exception_is_not_hidden_by_a_closed_frontier(self):
        frontier = Frontier(pause=0)
        frontier.push("http://a.example/")
        with self.assertRaises(KeyError), frontier.pop():
            frontier.close()
            raise KeyError


class Threads(support.TestCase):
    def test_a_waiting_thread_is_woken(self):
        frontier = Frontier(pause=0)
        frontier.push(A)
        first = frontier.pop()
        got = []
        thread = threading.Thread(target=lambda: got.append(frontier.pop(60)))
        thread.start()
        frontier.push(A + "2")
        thread.join(60)
        self.assertEqual(got[0].url, A + "2")
        thread = threading.Thread(target=lambda: got.append(frontier.pop(60)))
        thread.start()
        first.done()
        got[0].done()
        thread.join(60)
        self.assertIsNone(got[1])

    def test_a_listener_calls_the_frontier(self):
        frontier, got = Frontier(pause=0), []
        frontier.push(A)
        first = frontier.pop()
        self.assertEqual(frontier.pop_now(), (None, FOREVER))

        def listen():
            if got:
                return
            with self.assertRaisesRegex(crawlfrontier.StateError, "listener"):
                frontier.close()
            got.append(frontier.pop_now()[0])
        frontier.on_ready(listen)
        thread = threading.Thread(target=frontier.push, args=(A + "2",), daemon=True)
        thread.start()
        thread.join(60)
        self.assertFalse(thread.is_alive())
        self.assertEqual(got[0].url, A + "2")
        first.done()
        got[0].done()
        self.assertIsNone(frontier.pop(0))

    def test_a_heap_of_pages_by_four_threads(self):
        frontier, counts = Frontier(pause=0), []
        frontier.push(A + "1", tag=1)

        def work():
            count = 0
            for lease in frontier:
                count += 1
                for child in (2 * lease.tag, 2 * lease.tag + 1):
                    if child <= 2000:
                        frontier.push(f"http://h{child % 10}.example/{child}", tag=child)
            counts.append(count)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(counts), 2000)

    def test_closing_ends_the_wait(self):
        frontier, said = Frontier(pause=0), []
        frontier.push_many([A, A + "later"])
        lease = frontier.pop()
        frontier.pop().retry_at(250_000_000_000)  # further away than a lock can wait

        def wait():
            try:
                frontier.pop()
            except crawlfrontier.StateError as error:
                said.append(str(error))
        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        while not frontier._waker._changed._waiters and thread.is_alive():
            time.sleep(0.001)
        frontier.close()
        thread.join(60)
        self.assertEqual(said, ["the frontier is closed: wrong state"])
        with self.assertRaises(crawlfrontier.StateError):
            lease.done()


class Asyncio(support.TestCase):
    def test_workers_share_the_queue(self):
        async def crawl(frontier):
            urls = []

            async def work():
                async for lease in frontier:
                    urls.append(lease.url)
                    await asyncio.sleep(0)
                    if lease.depth < 3:
                        frontier.push_many(["x/", "y/", "z/"], parent=lease.url, depth=lease.depth + 1)
            await asyncio.wait_for(asyncio.gather(*(work() for _ in range(20))), 60)
            return urls
        frontier = Frontier(pause=0, per_host=10)
        frontier.push(A)
        urls = asyncio.run(crawl(frontier))
        self.assertEqual((len(urls), len(set(urls))), (40, 40))
        frontier.push(A + "again/")
        self.assertEqual(len(asyncio.run(crawl(frontier))), 40)

    def test_woken_by_another_thread_and_timeouts(self):
        async def wait(frontier):
            with self.assertRaises(TimeoutError):
                await frontier.pop_async(0)
            first = asyncio.ensure_future(frontier.pop_async(60))
            second = asyncio.ensure_future(frontier.pop_async(60))
            await asyncio.sleep(0)
            with self.assertRaises(TimeoutError):
                await frontier.pop_async(0.01)
            threading.Thread(target=frontier.push, args=(A + "2",)).start()
            self.assertEqual((await first).url, A + "2")
            second.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await second
            frontier.push(A + "3")
            self.assertEqual((await frontier.pop_async(60)).url, A + "3")
        frontier = Frontier(pause=0, per_host=10)
        frontier.push(A)
        frontier.pop()
        asyncio.run(wait(frontier))

    def test_pauses_are_slept(self):
        async def all_of(frontier):
            begin = time.monotonic()  # before the first lease: after it, this process may be held up at any moment
            async for _ in frontier:
                end = time.monotonic()
            return end - begin
        frontier = Frontier(pause=0.05)
        frontier.push_many([A, A + "2"])
        self.assertGreaterEqual(asyncio.run(all_of(frontier)), 0.045)

    def test_waits_that_are_cut_off_lose_no_lease(self):
        urls = [f"{A}{i}" for i in range(300)]

        async def work(frontier, got, chance):
            while True:
                popped = asyncio.ensure_future(frontier.pop_async(chance.choice([0, 0.001, None])))
                if chance.random() < 0.5:
                    asyncio.get_running_loop().call_later(chance.random() / 500, popped.cancel)
                await asyncio.wait([popped], timeout=chance.choice([0, 0.001, 60]))
                popped.cancel()
                [lease] = await asyncio.gather(popped, return_exceptions=True)
                if isinstance(lease, (TimeoutError, asyncio.CancelledError)):
                    continue
                if lease is None:
                    return
                got.append(lease.url)
                await asyncio.sleep(0)
                lease.done()

        async def crawl(frontier):
            got = []
            works = [work(frontier, got, random.Random(seed)) for seed in range(12)]
            await asyncio.wait_for(asyncio.gather(*works), 120)
            return got
        frontier = Frontier(pause=0, per_host=4)
        frontier.push(A + "last", priority=-1)
        pushing = threading.Thread(target=lambda: [frontier.push(url) for url in urls])
        with frontier.pop():
            pushing.start()
            pushing.join()
        got = asyncio.run(crawl(frontier))
        self.assertEqual(sorted(got), sorted(urls))
        self.assertEqual((frontier.stats().leased, len(frontier)), (0, 0))


class Durable(support.TestCase):
    def test_what_was_accepted_is_there_again(self):
        with Frontier(self.path("state"), pause=0, seen={"kind": "exact"}, clock=Clock()) as frontier:
            frontier.push_many([A, A + "2", A + "3"])
            frontier.pop(0).done()
            frontier.pop(0)
            frontier.set_note("#x", b"\0note")
            frontier.block("http://b.example", 2000)
            with self.assertRaisesRegex(crawlfrontier.StateError, "in use by process"):
                Frontier(self.path("state"), seen="exact")
            frontier.sync()
        with self.assertRaises(crawlfrontier.StateError):
            frontier.push(A)
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "order"):
            Frontier(self.path("state"), seen="exact", order="dfs")
        hosts = {host.origin: host for host in hosts_of(self.path("state"))}
        self.assertEqual(hosts["http://a.example"].ready, 2)
        self.assertEqual(hosts["http://b.example"].blocked_until, 2000)
        with Frontier(self.path("state"), pause=0, seen="exact", clock=Clock(1001)) as frontier:
            self.assertEqual((frontier.note("#x"), frontier.note("#y")), (b"\0note", b""))
            self.assertFalse(frontier.push(A))
            self.assertEqual([lease.url for lease in frontier], [A + "2", A + "3"])
            self.assertGreater(frontier.stats().filter.count, 2)

    def test_words_of_errors(self):
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        with self.assertRaises(crawlfrontier.FileError):
            Frontier(self.path("file/state"))
        with self.assertRaises(crawlfrontier.Error):
            hosts_of(self.path("nothing"))

    def run_python(self, code):
        return subprocess.run([sys.executable, "-c", code, self.path("state")], capture_output=True, text=True,
                              check=False)

    def test_killed(self):
        done = self.run_python("import crawlfrontier, os, sys\n"
                               "f = crawlfrontier.Frontier(sys.argv[1], pause=0)\n"
                               f"f.push_many(['{A}%d' % i for i in range(1000)])\n"
                               "for i in range(10): f.pop(0).done()\n"
                               "f.pop(0)\n"
                               f"os.kill(os.getpid(), {signal.SIGKILL:d})\n")
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        with Frontier(self.path("state"), pause=0) as frontier:
            self.assertEqual(len(frontier), 990)
            self.assertEqual(frontier.push_many([f"{A}{i}" for i in range(1000)]).count(Pushed.SEEN), 1000)

    def test_left_open_it_is_closed_with_the_interpreter(self):
        done = self.run_python("import crawlfrontier, sys\n"
                               f"f = crawlfrontier.Frontier(sys.argv[1]); f.push('{A}')\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with Frontier(self.path("state"), pause=0) as frontier:
            self.assertEqual([lease.url for lease in frontier], [A])

    def test_after_a_fork_it_is_the_parents(self):
        # Python 3.12 warns of any fork in a process with threads.
        done = self.run_python("import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n"
                               "import crawlfrontier, os, sys\n"
                               f"f = crawlfrontier.Frontier(sys.argv[1], pause=0); f.push('{A}')\n"
                               "if os.fork() == 0:\n"
                               "    try: f.push('http://a.example/2')\n"
                               "    except crawlfrontier.StateError as error: print(error)\n"
                               "    f.close()\n"
                               "    sys.stdout.flush()\n"
                               "    os._exit(0)\n"
                               "os.wait()\n"
                               "print(len(f), f.push('http://a.example/3'))\n"
                               "f.close()\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "the frontier is of the process that made it: after a fork, make another: wrong "
                                      "state\n1 True\n")
        with Frontier(self.path("state"), pause=0) as frontier:
            self.assertEqual(len(frontier), 2)


class Memory(support.TestCase):
    def test_what_is_dropped_is_freed(self):
        def some(count):
            for _ in range(count):
                frontier = Frontier(pause=0, seen={"kind": "exact", "capacity": 1000})
                frontier.push(A)
                frontier.pop(0).done()
            gc.collect()
        some(500)
        before = support.resident()
        some(10_000)
        self.assertLess(support.resident() - before, 8 << 20)


if __name__ == "__main__":
    support.main()
