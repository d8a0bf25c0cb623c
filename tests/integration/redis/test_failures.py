#!/usr/bin/env python3
"""Tests failures of the Redis server of a shared crawl: it is away for longer than the lease, cut off from one process,
full, sends something that is not RESP, or is unsuitable from the start. Each gives a clear message, and nothing is
lost."""
import json
import os
import re
import select
import signal
import socket
import subprocess
import time

import harness
import redis_proxy
import redis_server
import test_cluster
from test_cluster import SHORT_LEASE

LEASE_MS = 3000


class Failures(test_cluster.Shared):
    def worker_at(self, state, number, *options):
        self.state, state = state, self.state
        try:
            return self.worker(number, "--delay", "100ms", *options, lease=SHORT_LEASE)
        finally:
            self.state = state

    def expect_check(self):
        said = subprocess.run([harness.program(), "inspect", "--check", self.state], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((said.returncode, said.stdout), (0, "test: 0 violations\n"), said.stderr)

    def expect_all(self, workers, again):
        """Checks that every page has its record. again: at most this many requests were repeated."""
        self.expect_complete(workers)
        self.expect_pauses(workers, 100)
        self.assertLessEqual(len(self.asked()), len(self.pages) + test_cluster.HOSTS + again)
        self.expect_check()

    def departures(self, number, after_ms):
        return [line["url"] for line in self.lines(f"requests{number}.jsonl") if line["event"] == "depart"
                and line["start"] > after_ms]

    def test_it_is_away_for_longer_than_the_lease(self):
        workers = [self.worker_at(self.state, number) for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        self.redis.pause()
        stopped_ms = time.time() * 1000
        time.sleep(LEASE_MS / 1000 + 1)  # tests a loss of this much time
        before = len(self.asked())
        went_on = self.departures(0, stopped_ms + LEASE_MS) + self.departures(1, stopped_ms + LEASE_MS)
        self.redis.resume()
        self.assertIn("redis is unavailable: the server does not answer", self.finish(workers),
                      "its patience is the lease's")
        self.assertEqual(went_on, [], "they asked hosts that they no longer had")
        self.expect_all(2, before)

    def test_it_comes_back_empty(self):
        """A server that stores nothing has neither the queue nor the end of this crawl."""
        kept = redis_server.Redis("--appendonly", "no")
        self.addCleanup(kept.stop)
        workers = [self.worker_at(kept.url("name=test"), number) for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        kept.kill()
        kept.begin()
        for process in workers:
            _, stderr = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 4, stderr)
            self.assertIn("redis has lost the crawl: its server no longer has it", stderr)
        self.assertEqual(kept.ask("KEYS", "*"), [], "what waited was sent all the same")

    def test_it_is_cut_off_from_one(self):
        proxy = self.serve(redis_proxy.Proxy(self.redis.port))
        workers = [self.worker_at(proxy.url("name=test"), 0), self.worker_at(self.state, 1)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        proxy.cut()
        cut_ms = time.time() * 1000
        self.finish(workers[1:])
        self.expect_complete(2)
        in_vain = self.departures(0, cut_ms + LEASE_MS)
        proxy.mend()
        self.finish(workers[:1])
        self.assertEqual(in_vain, [], "it asked hosts that were another's")
        self.expect_all(2, len(self.departures(0, 0)))

    def test_it_is_full(self):
        workers = [self.worker_at(self.state, number) for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        self.redis.ask("CONFIG", "SET", "maxmemory", "1")
        try:
            said = [process.communicate(timeout=120)[1] for process in workers]
        finally:
            self.redis.ask("CONFIG", "SET", "maxmemory", "0")
        for process, words in zip(workers, said):
            self.assertEqual(process.returncode, 4, words)
            self.assertIn("the server is out of memory (maxmemory is reached)", words)
            self.assertNotRegex(words, "Sanitizer|runtime error")
        self.assertLess(len(self.records_of_all(2)), len(self.pages), "it was over before it was full")
        before = len(self.asked())
        self.finish([self.worker_at(self.state, number) for number in range(2)])
        self.expect_all(2, before)

    def test_an_output_cannot_be_opened(self):
        """The crawl is joined by then, and its thread may have something to say: here of a server without a log."""
        kept = self.serve(redis_server.Redis("--appendonly", "no"))
        for number in range(3):
            result = self.crawl("--state", kept.url(f"name=test{number}"), "--output", self.path("none/pages.jsonl"),
                                "--requests", "requests.jsonl", "--append", self.pages[0])
            self.assertEqual(result.status, 4, result.stderr)
            self.assertIn("none/pages.jsonl: No such file or directory", result.stderr)

    def test_it_has_no_replica(self):
        """The server accepts no writes without a replica. All processes wait, for longer than the lease, and continue
        when there is one."""
        workers = [self.worker_at(self.state, number) for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        self.redis.ask("CONFIG", "SET", "min-replicas-to-write", "1")
        stopped_ms = time.time() * 1000
        for process in workers:
            self.wait_for_word([process], "redis: the server has too few replicas to take writes; retrying")
        time.sleep(LEASE_MS / 1000 + 1)
        went_on = self.departures(0, stopped_ms + LEASE_MS) + self.departures(1, stopped_ms + LEASE_MS)
        before = len(self.asked())
        self.redis.ask("CONFIG", "SET", "min-replicas-to-write", "0")
        self.finish(workers)
        self.assertEqual(went_on, [], "they asked hosts that they no longer had")
        self.expect_all(2, before)

    def test_a_replica_that_does_not_follow(self):
        """With redis.wait_replicas no page is done until the replica has its links."""
        replica = self.replica_of(self.redis.port)
        workers = [self.worker_at(self.state, number, "--set", "redis.wait_replicas=1") for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        replica.pause()
        said = self.wait_for_word(workers, "of 1 replicas have what was written; pages are done only when they do")
        self.assertIn("redis: 0", said)
        done = self.finished()
        self.assertTrue(all(process.poll() is None for process in workers))
        replica.resume()
        self.wait_for(lambda: self.finished() > done)
        self.finish(workers)
        self.expect_all(2, len(self.pages))

    def test_a_replica_that_does_not_follow_and_a_long_lease(self):
        """The server is not silent for so long that it counts as away."""
        replica = self.replica_of(self.redis.port)
        worker = self.worker(0, "--delay", "100ms", "--set", "redis.wait_replicas=1", lease="300s")
        self.wait_until_all_run(1, len(self.pages) // 6)
        replica.pause()
        self.wait_for_word([worker], "0 of 1 replicas have what was written; pages are done only when they do")
        replica.resume()
        self.finish([worker])

    def replica_of(self, port):
        replica = self.serve(type(self.redis)("--replicaof", "127.0.0.1", str(port), "--repl-diskless-sync-delay", "0"))
        self.wait_for(lambda: "master_link_status:up" in replica.ask("INFO", "replication"))
        return replica

    def test_a_replica_takes_over_that_had_not_all(self):
        """Links that the master wrote since its replica was cut off are lost with it; they are sent again to the
        replica, which has one of its own. The assignment of hosts may be lost too, and for a moment two processes may
        have one host, so pauses are not checked."""
        master = self.serve(type(self.redis)())
        between, before = self.serve(redis_proxy.Proxy(master.port)), self.serve(redis_proxy.Proxy(master.port))
        replica = self.replica_of(between.port)
        self.replica_of(replica.port)
        self.state = before.url("name=test")
        workers = [self.worker_at(self.state, number, "--set", "redis.wait_replicas=1") for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        between.cut()
        self.wait_for_word(workers, "0 of 1 replicas have what was written; pages are done only when they do")
        # the word may be of a slow answer before the cut
        self.wait_for(lambda: self.offset(replica, "slave") < self.offset(master, "master"))
        before.to = replica.port
        master.kill()
        replica.ask("REPLICAOF", "NO", "ONE")
        self.finish(workers)
        self.expect_complete(2)
        self.expect_check()

    def test_master_and_replica_change_places(self):
        """A master that becomes a replica ends each WAIT with an error."""
        master = self.serve(type(self.redis)())
        before = self.serve(redis_proxy.Proxy(master.port))
        replica = self.replica_of(master.port)
        self.state = before.url("name=test")
        workers = [self.worker_at(self.state, number, "--set", "redis.wait_replicas=1") for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        replica.pause()
        self.wait_for_word(workers, "0 of 1 replicas have what was written; pages are done only when they do")
        master.ask("REPLICAOF", "127.0.0.1", str(replica.port))
        self.wait_for_word(workers, "the server is a replica and takes no writes")
        replica.resume()
        replica.ask("REPLICAOF", "NO", "ONE")
        before.to = replica.port
        master.ask("CLIENT", "KILL", "TYPE", "normal")
        self.finish(workers)
        self.expect_complete(2)
        self.expect_check()

    def offset(self, server, role):
        """Returns the server's replication offset."""
        return int(server.ask("INFO", "replication").split(f"{role}_repl_offset:")[1].split()[0])

    def wait_for_word(self, workers, words):
        """Waits for a line on standard error of any of them: which one has links to report is up to them."""
        said = {process.stderr.fileno(): "" for process in workers}
        end = time.monotonic() + 60
        while time.monotonic() < end and all(process.poll() is None for process in workers):
            for file in select.select(list(said), [], [], 1)[0]:
                said[file] += os.read(file, 1 << 16).decode()
            for line in "".join(said.values()).splitlines():
                if words in line:
                    return line
        requests = [len(self.lines(f"requests{number}.jsonl")) for number in range(len(workers))]
        raise AssertionError(f"none said {words!r}: {list(said.values())}, lines of requests: {requests}")

    def finished(self):
        """Returns the number of finished pages in Redis."""
        said = subprocess.run([harness.program(), "inspect", "--jsonl", self.state], capture_output=True, text=True,
                              timeout=60, check=True)
        return json.loads(said.stdout)["requests"]["finished"]

    def test_what_it_says_is_no_resp(self):
        """Some answers to one process are not RESP, and the process reconnects."""
        proxy = self.serve(redis_proxy.Proxy(self.redis.port))
        workers = [self.worker_at(proxy.url("name=test"), 0), self.worker_at(self.state, 1)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        proxy.spoils = True
        self.wait_for(lambda: proxy.lost >= 2)
        proxy.spoils = False
        _, words = workers[0].communicate(timeout=120)
        self.assertEqual(workers[0].returncode, 0, words)
        self.assertRegex(words, "redis is unavailable: .*not RESP.*; retrying")
        self.assertIn("redis is back", words)
        self.finish(workers[1:])
        self.expect_all(2, len(self.departures(0, 0)))

    def test_keys_of_another_program_in_its_midst(self):
        for partition in range(256):
            self.redis.ask("SET", f"{{test:{partition}}}:hosts", "text")
        process = self.worker_at(self.state, 0)
        _, words = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, words)
        self.assertIn("the key holds another kind of value", words)
        self.assertNotRegex(words, "Sanitizer|runtime error")
        self.assertEqual(self.redis.ask("GET", "{test:0}:hosts"), "text")
        self.assertEqual(self.asked(), [])

    def begin_and_end(self, signal_number):
        """Runs a process that leaves pages to be fetched."""
        process = self.worker_at(self.state, 0)
        self.wait_until_all_run(1, len(self.pages) // 6)
        process.send_signal(signal_number)
        process.communicate(timeout=60)

    def expect_stranded(self):
        """Checks that requests which nothing leads to are left, and that no process waits for them for ever."""
        for process in [self.worker_at(self.state, number) for number in range(2)]:
            _, words = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 4, words)
            self.assertRegex(words, r"redis has lost keys of the crawl: requests are queued or held in \{test:\d+\}")
            self.assertNotRegex(words, "Sanitizer|runtime error")

    def lose_keys(self, word):
        keys = [key for key in self.redis.ask("KEYS", "{test:*") if f"}}:{word}" in key]
        self.assertTrue(keys, word)
        for key in keys:
            self.redis.ask("DEL", key)

    def test_keys_of_what_is_queued_are_deleted(self):
        for word in ("queue:", "hosts", "levels:"):
            self.redis.ask("FLUSHALL")
            self.site.forget()
            self.begin_and_end(signal.SIGINT)
            self.lose_keys(word)
            self.expect_stranded()

    def test_keys_of_what_is_held_are_deleted(self):
        self.begin_and_end(signal.SIGKILL)
        self.lose_keys("held:")
        self.expect_stranded()

    def test_requests_that_cannot_be_read(self):
        self.begin_and_end(signal.SIGINT)
        for key in [key for key in self.redis.ask("KEYS", "{test:*") if "}:queue:" in key]:
            for index in range(self.redis.ask("LLEN", key)):
                self.redis.ask("LSET", key, str(index), "x")
        process = self.worker_at(self.state, 0)
        _, words = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, words)
        self.assertIn("a request of the crawl cannot be read", words)

    def expect_refused(self, words, status, state=None):
        """Checks that a process is refused at its start, without a request and without a change of any key."""
        keys = sorted(self.redis.ask("KEYS", "*"))
        process = self.worker_at(state or self.state, 0)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, said)
        self.assertIn(words, said)
        self.assertNotRegex(said, "Sanitizer|runtime error")
        self.assertEqual(sorted(self.redis.ask("KEYS", "*")), keys)
        self.assertEqual(self.asked(), [])

    def test_what_will_not_do_from_the_start(self):
        self.redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        self.expect_refused("maxmemory-policy allkeys-lru", 2)
        self.redis.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        self.redis.ask("HSET", "{test}:crawl", "crawl.format", "9")
        self.expect_refused("the crawl is of format 9, and this program has format 2", 4)
        self.redis.ask("DEL", "{test}:crawl")
        for made in (("SET", "{test}:crawl", "text"), ("HSET", "{test}:crawl", "title", "text")):
            self.redis.ask(*made)
            self.expect_refused("a key of this name is another program's", 4)
            self.redis.ask("DEL", "{test}:crawl")
        self.expect_refused("Connection refused", 4, f"redis://127.0.0.1:{harness.free_port()}/0?name=test")
        self.expect_refused("Connection refused", 4, f"rediss://127.0.0.1:{harness.free_port()}/0?name=test")
        self.expect_refused("No such file or directory", 4, f"unix:{self.path('none')}?name=test")
        self.expect_refused("neither a directory nor redis://", 2, "valkey://127.0.0.1/0?name=test")
        self.expect_refused("not RESP", 4, f"redis://127.0.0.1:{self.serve(NoRedis()).port}/0?name=test")

    def refused_join(self, *commands):
        """Joins a server that lacks these commands."""
        own = self.serve(redis_server.Redis(*[word for command in commands
                                              for word in ("--rename-command", command, "")]))
        return self.crawl("--state", own.url("name=test"), "--set", "redis.wait_replicas=1", "http://127.0.0.1:1/",
                          limit_s=30)

    def test_a_command_that_it_refuses(self):
        """A permanent failure is reported at once and by name, and not waited for."""
        for command in ("EVALSHA", "HSCAN", "WAIT"):
            result = self.refused_join(command)
            self.assertEqual(result.status, 4, result.stderr)
            self.assertRegex(result.stderr, f"(?i)unknown.*{command}")
            self.assertNotIn("waiting for redis: unknown", result.stderr.lower())
        self.redis.ask("ACL", "SETUSER", "eve", "on", "nopass", "~*", "+@all", "-exists")
        result = self.crawl("--state", self.redis.url("name=test", user="eve:x@"), "http://127.0.0.1:1/")
        self.assertEqual(result.status, 2, result.stderr)

    def test_a_user_with_the_rights_of_the_manual(self):
        with open(os.path.join(harness.HERE, "../../docs/cluster.md"), encoding="utf-8") as file:
            rights = re.search(r"\n```\n(~[^`]*\n\+auth [^`]*)```", file.read())[1]
        self.replica_of(self.redis.port)
        rights = ["on", "nopass", "resetkeys", *rights.replace("NAME", "test").split()]
        self.redis.ask("ACL", "SETUSER", "adam", "reset", *rights)
        self.state = self.redis.url("name=test", user="adam@")
        self.write("secret", "any\n")
        waits = "--set", f"redis.password_file={self.path('secret')}", "--set", "redis.wait_replicas=1"
        process = self.worker_at(self.state, 0, *waits)
        _, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, self.redis.ask("KEYS", "*")), (2, []), said)
        self.assertRegex(said, "NOPERM.*wait")
        self.redis.ask("ACL", "SETUSER", "adam", "+wait")
        self.finish([self.worker_at(self.state, 0, *waits)])
        self.expect_complete(1)

    def test_a_replica_is_waited_for(self):
        """The replica may become a master. The user is told, and Ctrl-C ends the wait."""
        replica = self.replica_of(self.redis.port)
        for wanted in (0, 1):
            process = self.start("--state", replica.url("name=test"), "--set", f"redis.wait_replicas={wanted}",
                                 "http://127.0.0.1:1/")
            self.assertIn("waiting for redis: the server is a replica and takes no writes", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 3, stderr)

    def test_it_refuses_all_writes(self):
        """The refusal is reported once, by name, and so is its end."""
        workers = [self.worker_at(self.state, number) for number in range(2)]
        self.wait_until_all_run(2, len(self.pages) // 6)
        self.redis.ask("REPLICAOF", "127.0.0.1", str(harness.free_port()))  # nobody is there
        try:
            for process in workers:
                self.wait_for_word([process], "redis: the server is a replica and takes no writes; retrying")
        finally:
            self.redis.ask("REPLICAOF", "NO", "ONE")
        for process in workers:
            _, stderr = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, stderr)
            self.assertNotIn("takes no writes", stderr)
            self.assertIn("redis takes writes again", stderr)
        self.expect_complete(2)

    def test_others_have_all_its_connections(self):
        """With a password, a server without a free connection says so in answer to it."""
        redis = self.serve(type(self.redis)("--requirepass", "sesame"))
        redis.password = "sesame"
        self.write("secret", "sesame\n")
        worker = self.worker_at(redis.url("name=test"), 0, "--set", f"redis.password_file={self.path('secret')}")
        self.wait_until_all_run(1, len(self.pages) // 6)
        with socket.create_connection(("127.0.0.1", redis.port)) as other, other.makefile("rwb") as file:
            def ask(words):
                file.write(words + b"\r\n")
                file.flush()
                return redis.read(file, bytes.decode)

            for words in (b"AUTH sesame", b"CONFIG SET maxclients 1", b"CLIENT KILL TYPE normal"):
                ask(words)
            self.wait_for(lambda: int(re.search(r"rejected_connections:(\d+)", ask(b"INFO stats"))[1]) > 1)
            self.assertIsNone(worker.poll())
            ask(b"CONFIG SET maxclients 100")
        self.finish([worker])
        self.expect_complete(1)

    def test_wrong_passwords(self):
        redis = self.serve(type(self.redis)())
        redis.ask("CONFIG", "SET", "requirepass", "sesame")
        self.expect_refused("the server wants a password", 2, redis.url("name=test"))
        self.write("secret", "open\n")
        process = self.worker_at(redis.url("name=test"), 0, "--set", f"redis.password_file={self.path('secret')}")
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, said)
        self.assertIn("the user or the password is wrong", said)
        self.assertNotIn("open", said)


class NoRedis(redis_proxy.Proxy):
    """Speaks HTTP to every client."""

    def __init__(self):
        super().__init__(0)

    def accept(self):
        client, _ = self.listener.accept()
        client.sendall(redis_proxy.NO_RESP)
        client.close()


# Other tests use a working server.
for name in vars(test_cluster.Shared):
    if name.startswith("test_"):
        setattr(Failures, name, None)


if __name__ == "__main__":
    harness.main()
