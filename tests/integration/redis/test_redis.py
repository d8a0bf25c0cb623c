#!/usr/bin/env python3
"""Tests seeds from Redis and records to it, with a real redis-server: kills lose nothing; and messages."""
import json
import os
import re
import signal
import subprocess
import time

import harness
import redis_server

PAGES = 40


class Redis(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.redis = cls.keep(redis_server.Redis())
        folder = harness.temporary_folder()
        for page in range(PAGES):
            with open(os.path.join(folder, f"p{page}.html"), "w", encoding="utf-8") as file:
                file.write(f"<title>page {page}</title>"
                           + "".join(f"<a href=p{link}.html>x</a>" for link in (2 * page + 1, 2 * page + 2)
                                     if link < PAGES))
        cls.site = cls.start_nginx({"a.localhost": folder})
        cls.first = cls.site.url("a.localhost", "/p0.html")

    def setUp(self):
        super().setUp()
        self.redis.ask("FLUSHALL")
        self.site.forget()

    def items(self, key="items"):
        return [json.loads(text) for text in self.redis.ask("LRANGE", key, 0, -1)]

    def urls(self, records):
        return sorted(record["url"] for record in records)

    def pages(self):
        return sorted(self.site.url("a.localhost", f"/p{page}.html") for page in range(PAGES))

    def expect_nothing_left(self, key="urls"):
        self.assertEqual(self.redis.ask("KEYS", key + "*"), [])

    # ---- records ----

    def test_a_list_has_what_a_file_has(self):
        crawl = ("--depth", "100", "--delay", "0", self.first)
        result = self.crawl("--output", self.redis.url("list=items"), *crawl)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.crawl("--output", "file", *crawl).status, 0)
        varying = ("fetched_at", "elapsed_ms", "parent", "new")
        there, here = ({record["url"]: {name: value for name, value in record.items() if name not in varying}
                        for record in records}
                       for records in (self.items(), self.records("file")))
        self.assertEqual(there, here)
        self.assertEqual(len(self.items()), PAGES)
        self.assertTrue(redis_server.cli(self.redis, "lindex", "items", "0").startswith('{"url":'))

    def test_a_stream_keeps_about_as_many_as_it_is_told(self):
        url = f"unix:{self.redis.folder}/socket?stream=s&maxlen=1"
        self.redis.ask("CONFIG", "SET", "stream-node-max-entries", "10")
        result = self.crawl("--depth", "100", "--delay", "0", "--output", url, self.first)
        self.assertEqual(result.status, 0, result.stderr)
        length = self.redis.ask("XLEN", "s")
        self.assertTrue(1 <= length <= 20, length)
        name, record = self.redis.ask("XREVRANGE", "s", "+", "-", "COUNT", 1)[0][1]
        self.assertEqual(name, "record")
        self.assertIn(json.loads(record)["url"], self.pages())

    def test_kills_of_the_crawl_lose_no_record(self):
        command = ("--state", "state", "--depth", "100", "--delay", "30ms", "--output", self.redis.url("list=items"),
                   self.first)
        for at in (8, 20):
            process = self.start(*command)
            self.wait_for(lambda at=at: self.redis.ask("LLEN", "items") >= at)
            process.kill()
            process.communicate()
        result = self.crawl(*command)
        self.assertEqual(result.status, 0, result.stderr)
        urls = self.urls(self.items())
        self.assertEqual(sorted(set(urls)), self.pages())
        self.assertLessEqual(len(urls), PAGES + 4, "twice at most what was in flight at two kills")

    def test_a_kill_of_redis_loses_no_record(self):
        redis = self.serve(redis_server.Redis())
        process = self.start("--depth", "100", "--delay", "20ms", "--output", redis.url("list=items"), self.first)
        self.wait_for(lambda: redis.ask("LLEN", "items") >= 10)
        redis.kill()
        time.sleep(0.5)  # the crawl may or may not notice the absence
        redis.begin()
        _, said = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, 0, said)
        self.assertIn(f"redis://127.0.0.1:{redis.port}/0 is unavailable: ", said)
        self.assertIn("is back", said)
        urls = [json.loads(text)["url"] for text in redis.ask("LRANGE", "items", 0, -1)]
        self.assertEqual(sorted(set(urls)), self.pages())
        self.assertLessEqual(len(urls), PAGES + 4)

    def test_a_page_is_not_done_before_its_record_is_acknowledged(self):
        """Redis is stopped, and so is the crawl. The next run repeats unacknowledged requests and has their records."""
        redis = self.serve(redis_server.Redis())
        command = ("--state", "state", "--depth", "100", "--delay", "0", "--output", redis.url("list=items"))
        self.crawl(*command, "--max-pages", "1", self.first)
        self.site.forget()
        process = self.start(*command, "--delay", "200ms")
        self.wait_for(lambda: redis.ask("LLEN", "items") >= 2)
        redis.pause()
        before = len(self.site.requests("a.localhost"))
        self.wait_for(lambda: len(self.site.requests("a.localhost")) > before)
        process.kill()
        process.communicate()
        redis.kill()
        redis.begin()
        result = self.crawl(*command)
        self.assertEqual(result.status, 0, result.stderr)
        urls = [json.loads(text)["url"] for text in redis.ask("LRANGE", "items", 0, -1)]
        self.assertEqual(sorted(set(urls)), self.pages())

    def test_a_full_server_stops_the_crawl_and_loses_nothing(self):
        command = ("--state", "state", "--depth", "100", "--delay", "10ms", "--output", self.redis.url("list=items"),
                   self.first)
        process = self.start(*command)
        self.wait_for(lambda: self.redis.ask("LLEN", "items") >= 5)
        self.redis.ask("CONFIG", "SET", "maxmemory", "1")
        try:
            _, said = process.communicate(timeout=harness.LIMIT_S)
        finally:
            self.redis.ask("CONFIG", "SET", "maxmemory", "0")
        self.assertEqual(process.returncode, 4, said)
        self.assertIn("output: redis://", said)
        self.assertIn("the server is out of memory (maxmemory is reached)", said)
        result = self.crawl(*command)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(sorted(set(self.urls(self.items()))), self.pages())

    def test_a_signal_ends_it_while_redis_does_not_answer(self):
        redis = self.serve(redis_server.Redis())
        process = self.start("--state", "state", "--depth", "100", "--delay", "20ms", "--output",
                             redis.url("list=items"), self.first)
        self.wait_for(lambda: redis.ask("LLEN", "items") >= 3)
        redis.pause()
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=harness.LIMIT_S)
        redis.resume()
        self.assertIn(process.returncode, (3, 4), said)
        self.assertEqual(self.crawl("--state", "state").status, 0)
        urls = [json.loads(text)["url"] for text in redis.ask("LRANGE", "items", 0, -1)]
        self.assertEqual(sorted(set(urls)), self.pages())

    # ---- what is refused ----

    def test_what_cannot_be_is_said_at_the_start(self):
        self.redis.ask("SET", "text", "x")
        dead = harness.free_port()
        rows = (
            (("--output", self.redis.url("list=text")), 2, 'the key "text" is a string, not a list'),
            (("--output", self.redis.url("stream=text")), 2, 'the key "text" is a string, not a stream'),
            (("--output", self.redis.url("")), 2, "expected ?list=KEY or ?stream=KEY"),
            (("--output", self.redis.url("list=a&maxlen=5")), 2, "maxlen"),
            (("--output", self.redis.url("list=a", "me:secret@")), 2, "a password in it would be visible"),
            (("--links", self.redis.url("list=a")), 2, "only records"),
            (("--seeds", self.redis.url("list=text")), 2, 'the key "text" is a string, not a list'),
            (("--seeds", self.redis.url("")), 2, "expected ?list=KEY"),
            (("--wait",), 2, "--wait is for seeds in Redis"),
            (("--output", f"redis://127.0.0.1:{dead}?list=a"), 4, "Connection refused"),
            (("--output", f"redis://127.0.0.1:{self.site.port}?list=a"), 4, "not RESP"),
        )
        for options, status, words in rows:
            with self.subTest(options):
                result = self.crawl(*options, self.first)
                self.assertEqual(result.status, status, result.stderr)
                self.assertIn(words, result.stderr)
                self.assertNotIn("secret", result.stderr)
        self.assertEqual([request for request in self.site.requests("a.localhost") if request.method == "GET"], [])

    def test_a_server_that_evicts_is_refused(self):
        self.redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        try:
            result = self.crawl("--output", self.redis.url("list=items"), self.first)
        finally:
            self.redis.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        self.assertEqual(result.status, 2, result.stderr)
        self.assertIn("maxmemory-policy allkeys-lru", result.stderr)

    def is_loading(self, redis):
        try:
            redis.ask("PING")
        except (OSError, redis_server.RedisError) as error:
            return "LOADING" in str(error)
        return self.fail("it was read before anybody could look")

    def test_a_server_that_is_still_reading_its_data_is_waited_for(self):
        redis = self.serve(redis_server.Redis("--rdbcompression", "no", "--key-load-delay", "40000",
                                              "--loading-process-events-interval-bytes", "1024"))
        for number in range(50):
            redis.ask("SET", f"key{number}", "x" * 2000)
        redis.ask("BGREWRITEAOF")
        self.wait_for(lambda: "aof_rewrite_in_progress:0" in redis.ask("INFO", "persistence"))
        redis.kill()
        redis.begin_without_waiting()
        self.wait_for(redis.answers)
        self.wait_for(lambda: self.is_loading(redis))
        result = self.crawl("--depth", "0", "--delay", "0", "--output", redis.url("list=items"), self.first)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(redis.ask("LLEN", "items"), 1)

    def test_passwords_come_from_a_file_or_the_environment(self):
        redis = self.serve(redis_server.Redis())
        redis.ask("ACL", "SETUSER", "eve", "on", ">open", "~items",
                  *"+auth +select +client +time +info +type +rpush".split())
        redis.ask("CONFIG", "SET", "requirepass", "sesame")
        redis.password = "sesame"
        self.write("secret", "open\n")
        os.chmod(self.path("secret"), 0o600)
        command = ("--depth", "0", "--delay", "0")
        result = self.crawl(*command, "--output", redis.url("list=items"), self.first)
        self.assertEqual(result.status, 2, result.stderr)
        self.assertIn("the server wants a password", result.stderr)
        os.environ["CRAWL_REDIS_PASSWORD"] = "sesame"
        try:
            self.assertEqual(self.crawl(*command, "--output", redis.url("list=items"), self.first).status, 0)
            for_eve = ("--output", redis.url("list=items", "eve@"), *command)
            result = self.crawl(*for_eve, self.first)
            self.assertEqual(result.status, 2, result.stderr)
            self.assertIn("the user or the password is wrong", result.stderr)
            self.assertEqual(self.crawl(*for_eve, "--set", f"redis.password_file={self.path('secret')}",
                                        self.first).status, 0)
            printed = self.crawl(*for_eve, "--print-config").stdout
        finally:
            del os.environ["CRAWL_REDIS_PASSWORD"]
        self.assertNotIn("sesame", printed)
        self.assertEqual(redis.ask("LLEN", "items"), 2)

    def test_tls_is_verified(self):
        folder = harness.temporary_folder()
        certificate, key, port = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem"), harness.free_port()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", "/CN=redis.localhost",
                        "-addext", "subjectAltName=DNS:redis.localhost", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        redis = self.serve(redis_server.Redis("--tls-port", str(port), "--tls-cert-file", certificate, "--tls-key-file",
                                              key, "--tls-auth-clients", "no"))
        command = ("--depth", "0", "--delay", "0", self.first, "--output")
        trusting = ("--set", f"redis.ca_file={certificate}")
        result = self.crawl(*command, f"rediss://redis.localhost:{port}?list=items", *trusting)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(redis.ask("LLEN", "items"), 1)
        for host, options in (("redis.localhost", ()), ("other.localhost", trusting)):
            result = self.crawl(*command, f"rediss://{host}:{port}?list=items", *options)
            self.assertEqual(result.status, 4, result.stderr)
            self.assertIn("certificate verify failed", result.stderr)
        self.assertEqual(redis.ask("LLEN", "items"), 1)

    # ---- seeds ----

    def seed_urls(self, count, word="s"):
        return [self.site.url("a.localhost", f"/p0.html?{word}{number}") for number in range(count)]

    def test_a_list_of_seeds_is_read_to_its_end(self):
        self.redis.ask("RPUSH", "urls", self.first, "nonsense",
                       json.dumps({"url": self.site.url("a.localhost", "/p1.html"), "meta": {"a": [1]}}),
                       json.dumps({"url": self.first, "colour": 1}),
                       json.dumps({"url": self.site.url("a.localhost", "/p2.html"), "method": "HEAD"}))
        result = self.crawl("--depth", "0", "--delay", "0", "--seeds", self.redis.url("list=urls"), "--output", "pages")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.urls(self.records("pages")), self.pages()[:1]
                         + sorted(self.site.url("a.localhost", f"/p{n}.html") for n in (1, 2)))
        self.assertIn("not an absolute URL: nonsense", result.stderr)
        self.assertIn('unknown field "colour"', result.stderr)
        self.assertIn("3 taken, 2 refused, which are in urls:refused", result.stderr)
        self.assertEqual(self.redis.ask("LRANGE", "urls:refused", 0, -1),
                         ["nonsense", json.dumps({"url": self.first, "colour": 1})])
        self.assertEqual(self.redis.ask("KEYS", "urls*"), ["urls:refused"])

    def test_many_seeds_come_in_batches(self):
        urls = self.seed_urls(350)
        self.redis.ask("RPUSH", "urls", *urls)
        result = self.crawl("--depth", "0", "--delay", "0", "--per-host", "8", "--seeds", self.redis.url("list=urls"),
                            "--output", "pages")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.urls(self.records("pages")), sorted(urls))
        self.expect_nothing_left()

    def test_it_waits_for_more_until_it_is_stopped(self):
        process = self.start("--wait", "--depth", "0", "--delay", "0", "--seeds", self.redis.url("list=urls"),
                             "--output", self.redis.url("list=items"))
        for number, url in enumerate(self.seed_urls(3)):
            self.redis.ask("RPUSH", "urls", url)
            self.wait_for(lambda number=number: self.redis.ask("LLEN", "items") == number + 1)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, 3, said)
        self.assertEqual(self.urls(self.items()), sorted(self.seed_urls(3)))
        self.expect_nothing_left()

    def test_each_seed_goes_to_one_of_several_crawls(self):
        urls = self.seed_urls(300)
        command = ("--wait", "--depth", "0", "--delay", "0", "--per-host", "8", "--seeds", self.redis.url("list=urls"),
                   "--output", self.redis.url("list=items"))
        crawls = [self.start(*command) for _ in range(2)]
        for url in urls:
            self.redis.ask("RPUSH", "urls", url)
        self.wait_for(lambda: self.redis.ask("LLEN", "items") >= len(urls))
        for process in crawls:
            process.send_signal(signal.SIGTERM)
        for process in crawls:
            process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(self.urls(self.items()), sorted(urls))
        self.expect_nothing_left()

    def test_a_kill_loses_no_seed(self):
        urls = self.seed_urls(250)
        command = ("--depth", "0", "--delay", "2ms", "--state", "state", "--seeds", self.redis.url("list=urls"),
                   "--output", self.redis.url("list=items"))
        self.redis.ask("RPUSH", "urls", *urls)
        kills = (30, 120)
        for at in kills:
            process = self.start(*command)
            self.wait_for(lambda at=at: self.redis.ask("LLEN", "items") >= at)
            process.kill()
            process.communicate()
        result = self.crawl(*command)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(sorted(set(self.urls(self.items()))), sorted(urls))
        # Those whose record Redis has not acknowledged at a kill come again, but not all that were done by then.
        self.assertLess(len(self.items()) - len(urls), kills[0], "a seed that comes twice is seen")
        self.expect_nothing_left()

    def test_what_a_dead_process_had_taken_comes_back(self):
        urls = self.seed_urls(5)
        self.redis.ask("RPUSH", "urls", *urls[3:])
        self.redis.ask("RPUSH", "urls:taken:dead", *urls[:2])
        self.redis.ask("RPUSH", "urls:taken:alive", urls[2])
        self.redis.ask("ZADD", "urls:takers", 1, "dead", 99999999999999, "alive")
        result = self.crawl("--depth", "0", "--delay", "0", "--seeds", self.redis.url("list=urls"), "--output", "pages")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.urls(self.records("pages")), sorted(urls[:2] + urls[3:]))
        self.assertEqual(self.redis.ask("LRANGE", "urls:taken:alive", 0, -1), [urls[2]])
        self.assertEqual(self.redis.ask("ZRANGE", "urls:takers", 0, -1), ["alive"])

    def test_a_password_that_is_changed(self):
        """A process that reconnects ends: it has no other password."""
        for option in ("--seeds", "--output"):
            redis = self.serve(redis_server.Redis())
            servers = {"--seeds": self.redis, "--output": self.redis, option: redis}
            self.redis.ask("CONFIG", "RESETSTAT")
            process = self.start("--wait", *[word for name, server in servers.items()
                                             for word in (name, server.url("list=own"))])
            self.wait_for(lambda: "cmdstat_eval" in servers["--seeds"].ask("INFO", "commandstats"))
            redis.ask("CONFIG", "SET", "requirepass", "sesame")
            redis.password = "sesame"
            redis.ask("CLIENT", "KILL", "TYPE", "normal")
            _, said = process.communicate(timeout=harness.LIMIT_S)
            self.assertEqual(process.returncode, 4, said)
            self.assertRegex(said, "crawl: (seeds|output): .*the server wants a password")

    def test_redis_that_is_killed_while_seeds_are_read(self):
        redis = self.serve(redis_server.Redis())
        urls = self.seed_urls(60)
        process = self.start("--wait", "--depth", "0", "--delay", "0", "--seeds", redis.url("list=urls"), "--output",
                             redis.url("list=items"))
        redis.ask("RPUSH", "urls", *urls[:30])
        self.wait_for(lambda: redis.ask("LLEN", "items") >= 5)
        redis.kill()
        redis.begin()
        redis.ask("RPUSH", "urls", *urls[30:])
        self.wait_for(lambda: len({json.loads(text)["url"]
                                   for text in redis.ask("LRANGE", "items", 0, -1)}) == len(urls))
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, 3, said)
        self.assertTrue(re.search(r"is back", said), said)


if __name__ == "__main__":
    harness.main()
