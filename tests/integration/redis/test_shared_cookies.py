#!/usr/bin/env python3
"""Tests cookies of a shared crawl: those that a site sets in one process are sent by all, deleted ones by none, even if
processes die; and no value of a cookie appears in output."""
import os
import re
import subprocess
import threading
import time

import harness
import redis_cluster
import redis_server
from recording import Answer, Site

LOGIN, SHOP, OUT, OTHER = "login.shop.localhost", "www.shop.localhost", "out.shop.localhost", "www.other.localhost"
SECRET = "s3cret"
PATIENCE_S = 60


class SharedCookies(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.redis = self.serve(self.start_redis())
        self.state = self.redis.url(f"name=cookies-{os.getpid()}")
        self.site = self.serve(Site({}))
        self.site.answer = self.answer
        self.answers = {}

    @staticmethod
    def start_redis():
        return redis_server.Redis()

    def answer(self, request):
        """Returns the answer for the host and path, or calls it with the request; a missing text is a page without
        links."""
        answer = self.answers.get((request.host.split(":")[0], request.path), "the end")
        return answer(request) if callable(answer) else answer

    def link(self, host, path):
        return f"<a href={self.site.url(host, path)}>x</a>"

    def asked(self, host, path):
        return [request for request in self.site.requests if request.host.split(":")[0] == host
                and request.path == path]

    def who_asked(self):
        return {request.headers["x-who"][0] for request in self.site.requests}

    def sent(self, host, path):
        """Returns the Cookie header of the only request. None: it had none."""
        requests = self.asked(host, path)
        self.assertEqual(len(requests), 1, (host, path))
        return requests[0].headers.get("cookie", [None])[0]

    def options(self, name, *options):
        return ("--state", self.state, "--scope", "any", "--allow-private", "--depth", "1000", "--no-robots",
                "--no-adaptive", "--workers", "1", "--cookies",
                "--header", f"X-Who: {name}", "--output", f"{name}.jsonl", "--requests", f"{name}.log", "--overwrite",
                *options)

    def run_one(self, name, *options):
        result = self.crawl(*self.options(name, *options))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertNotIn(SECRET, result.stdout + result.stderr)
        return result

    def finish(self, *processes):
        for process in processes:
            _, stderr = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, stderr)
            self.assertNotRegex(stderr, "Sanitizer|runtime error")
            self.assertNotIn(SECRET, stderr)

    def inspect(self, *words):
        result = subprocess.run([harness.program(), "inspect", *words, self.state], cwd=self.folder,
                                capture_output=True, text=True, timeout=60, check=False)
        self.assertNotIn(SECRET, result.stdout + result.stderr)
        return result

    def expect_sound(self):
        result = self.inspect("--check")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def set_cookie(self, text, body="x", status=200):
        return Answer(body, status, (("Set-Cookie", text),))

    # one after another

    def test_from_one_process_to_the_next(self):
        """The cookie goes to the hosts of its domain, or only to its own host if it names none."""
        self.answers[(LOGIN, "/in")] = Answer("x", 200, (("Set-Cookie", f"session={SECRET}; Domain=shop.localhost; "
                                                                        f"Path=/; HttpOnly"),
                                                         ("Set-Cookie", "own=1; Path=/")))
        self.run_one("a", "--delay", "0", self.site.url(LOGIN, "/in"))
        self.run_one("b", "--delay", "0", *(self.site.url(host, "/b") for host in (LOGIN, SHOP, OTHER)))
        self.assertEqual(sorted(self.sent(LOGIN, "/b").split("; ")), ["own=1", f"session={SECRET}"])
        self.assertEqual(self.sent(SHOP, "/b"), f"session={SECRET}")
        self.assertIsNone(self.sent(OTHER, "/b"))
        said = self.inspect()
        self.assertRegex(said.stdout, r"(?m)^cookies     2 of 2 hosts and domains$")
        self.expect_sound()

    def test_redis_is_restarted(self):
        self.answers[(LOGIN, "/in")] = self.set_cookie(f"session={SECRET}; Domain=shop.localhost; Path=/")
        self.run_one("a", "--delay", "0", self.site.url(LOGIN, "/in"))
        self.redis.kill()
        self.redis.begin()
        self.run_one("b", "--delay", "0", self.site.url(SHOP, "/b"))
        self.assertEqual(self.sent(SHOP, "/b"), f"session={SECRET}")

    def test_what_a_date_of_the_past_ends_is_not_sent(self):
        self.answers[(LOGIN, "/in")] = Answer(self.link(LOGIN, "/out"), 200,
                                              (("Set-Cookie", "gone=1; Path=/"),
                                               ("Set-Cookie", "kept=2; Path=/; Max-Age=1000")))
        self.answers[(LOGIN, "/out")] = self.set_cookie("gone=1; Path=/; Expires=Thu, 01 Jan 2015 00:00:00 GMT")
        self.run_one("a", "--delay", "0", self.site.url(LOGIN, "/in"))
        self.assertEqual(self.sent(LOGIN, "/out"), "gone=1; kept=2")
        self.run_one("b", "--delay", "0", self.site.url(LOGIN, "/b"))
        self.assertEqual(self.sent(LOGIN, "/b"), "kept=2")

    # simultaneously

    def hold_until(self, host, path):
        """Waits for a request of this path."""
        harness.wait_for(lambda: self.asked(host, path), PATIENCE_S)

    def chain(self, host, until):
        """Answers each /N of a host with a link to the next one, until a request's cookies make `until` true. Records
        the last client."""
        def page(number):
            def answer(request):
                cookies = request.headers.get("cookie", [""])[0]
                self.last[host] = (request.headers["x-who"][0], cookies, number)
                found = until(cookies) or number >= 500
                self.answers[(host, f"/{number + 1}")] = page(number + 1)
                return "the end" if found else self.link(host, f"/{number + 1}")
            return answer
        self.last = getattr(self, "last", {})
        self.answers[(host, "/1")] = page(1)

    def test_while_they_run(self):
        """a and c have a connection each, which waits for the rest of a response, so b has the shop all the time. b
        learns of the cookie that a's response sets, and then that c's deletes it."""
        deleted = threading.Event()
        self.chain(SHOP, lambda cookies: deleted.is_set() and SECRET not in cookies)

        def login(_):
            self.hold_until(SHOP, "/2")
            return Answer("x", 200, (("Set-Cookie", f"session={SECRET}; Domain=shop.localhost; Path=/"),
                                     ("Content-Length", "1000")))

        def logout(_):
            harness.wait_for(lambda: SHOP in self.last and SECRET in self.last[SHOP][1], PATIENCE_S)
            deleted.set()
            return Answer("x", 200, (("Set-Cookie", "session=; Domain=shop.localhost; Path=/; Max-Age=0"),
                                     ("Content-Length", "1000")))

        processes = []
        for name, host, answer in (("a", LOGIN, login), ("c", OUT, logout)):
            self.answers[(host, "/")] = answer
            processes.append(self.start(*self.options(name, "--delay", "50ms", "--connections", "1",
                                                      self.site.url(host, "/"))))
            self.hold_until(host, "/")
        processes.append(self.start(*self.options("b", "--delay", "50ms", self.site.url(SHOP, "/1"))))
        harness.wait_for(lambda: deleted.is_set() and SECRET not in self.last[SHOP][1], PATIENCE_S)
        for process in processes:
            process.terminate()
        for process in processes:
            self.assertNotRegex(process.communicate(timeout=60)[1], "Sanitizer|runtime error")
        self.assertLess(self.last[SHOP][2], 500)
        self.assertEqual({request.headers["x-who"][0] for request in self.site.requests
                          if request.host.startswith(SHOP)}, {"b"})
        self.expect_sound()

    def test_every_answer_counts(self):
        """Three processes pass the hosts of one site around; each page links to the next host. Each response increments
        a cookie of its host, and each request has the number of the response before, whichever process sends it; at the
        same time all set one cookie of their domain. Each process has one connection, and the response to its first
        request comes when all three have sent one."""
        hosts, rounds = [f"h{number}.shop.localhost" for number in range(6)], 20
        counts, wrong = dict.fromkeys(hosts, 0), []

        def page(host, number):
            def answer(request):
                if number == 0:
                    harness.wait_for(lambda: len(self.who_asked()) == 3, PATIENCE_S)
                cookies = dict(pair.split("=") for pair in request.headers.get("cookie", [""])[0].split("; ") if pair)
                if int(cookies.get("own", 0)) != counts[host]:
                    wrong.append((host, number, cookies, counts[host], request.headers["x-who"]))
                counts[host] += 1
                following = [hosts[(hosts.index(host) + step) % len(hosts)] for step in (1, 2)]
                links = "".join(self.link(other, f"/{number + 1}") for other in following) if number < rounds else ""
                return Answer(links, 200, (("Set-Cookie", f"own={counts[host]}; Path=/"),
                                           ("Set-Cookie", f"all={number}; Path=/; Domain=shop.localhost")))
            return answer

        for host in hosts:
            for number in range(rounds + 1):
                self.answers[(host, f"/{number}")] = page(host, number)
        processes = []
        for name, host in zip("abc", hosts[::2]):
            processes.append(self.start(*self.options(name, "--delay", "20ms", "--per-host", "1", "--connections", "1",
                                                      self.site.url(host, "/0"))))
            harness.wait_for(lambda: name in self.who_asked(), PATIENCE_S)
        self.finish(*processes)
        self.assertEqual(wrong, [])
        self.assertGreater(sum(counts.values()), rounds * 3)
        self.assertEqual(self.who_asked(), set("abc"))
        self.expect_sound()

    def test_a_process_is_killed(self):
        """The page that set the cookie is done and is not fetched again; the next process to have the host still sends
        the cookie."""
        self.answers[(LOGIN, "/in")] = self.set_cookie(f"session={SECRET}; Path=/", self.link(LOGIN, "/held"))
        self.answers[(LOGIN,
                      "/held")] = lambda request: "the end" if request.headers[
                          "x-who"] == ["b"] else time.sleep(PATIENCE_S)
        first = self.start(*self.options("a", "--delay", "300ms", "--set", "state.lease=3s",
                                         self.site.url(LOGIN, "/in")))
        self.hold_until(LOGIN, "/held")
        first.kill()
        first.communicate()
        self.run_one("b", "--delay", "300ms", "--set", "state.lease=3s", self.site.url(SHOP, "/b"))
        self.assertEqual(len(self.asked(LOGIN, "/in")), 1)
        self.assertEqual([request.headers.get("cookie") for request in self.asked(LOGIN, "/held")],
                         [[f"session={SECRET}"]] * 2)
        self.expect_sound()

    # files

    FILE = f"# Netscape HTTP Cookie File\n.shop.localhost\tTRUE\t/\tFALSE\t0\tgiven\t{SECRET}\n"

    def test_a_file_is_given_once(self):
        """One process brings the file, all send its cookies. A cookie that the server has deleted since does not come
        back with it."""
        self.write("cookies.txt", self.FILE)
        os.chmod(self.path("cookies.txt"), 0o600)
        self.run_one("a", "--delay", "0", "--cookies-file", "cookies.txt", self.site.url(OTHER, "/a"))
        self.answers[(SHOP, "/b")] = self.set_cookie("given=; Domain=shop.localhost; Path=/; Max-Age=0")
        self.run_one("b", "--delay", "0", self.site.url(SHOP, "/b"))
        self.assertEqual(self.sent(SHOP, "/b"), f"given={SECRET}")
        self.run_one("c", "--delay", "0", "--cookies-file", "cookies.txt", self.site.url(SHOP, "/c"))
        self.assertIsNone(self.sent(SHOP, "/c"))

    def test_a_cookie_of_a_public_suffix_is_refused(self):
        self.write("cookies.txt", self.FILE.replace(".shop.localhost", ".co.uk"))
        os.chmod(self.path("cookies.txt"), 0o600)
        result = self.crawl(*self.options("a", "--cookies-file", "cookies.txt", self.site.url(SHOP, "/a")))
        self.assertEqual(result.status, 2, result.stderr)
        self.assertIn("cookies.txt: a cookie for all hosts below the public suffix co.uk", result.stderr)
        self.assertNotIn(SECRET, result.stderr)

    def test_all_are_saved(self):
        """The file has all cookies, including those received from another process, and can be read again."""
        self.answers[(LOGIN, "/in")] = self.set_cookie(f"session={SECRET}; Domain=shop.localhost; Path=/")
        self.answers[(OTHER, "/in")] = self.set_cookie("other=2; Path=/x; Max-Age=1000")
        self.run_one("a", "--delay", "0", self.site.url(LOGIN, "/in"))
        self.run_one("b", "--delay", "0", "--cookies-save", "saved.txt", self.site.url(OTHER, "/in"))
        with open(self.path("saved.txt"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(f".shop.localhost\tTRUE\t/\tFALSE\t0\tsession\t{SECRET}\n", text)
        self.assertTrue(re.search(rf"(?m)^{OTHER}\tFALSE\t/x\tFALSE\t\d+\tother\t2$", text), text)
        self.assertEqual(os.stat(self.path("saved.txt")).st_mode & 0o777, 0o600)

    def test_all_have_to_agree(self):
        self.run_one("a", "--delay", "0", self.site.url(LOGIN, "/in"))
        for options, words in ((("--no-cookies",), 'cookies = "1", not "0"'),
                               (("--set", "fetch.max_cookies=1MiB"), 'max_cookies = "268435456", not "1048576"')):
            result = self.crawl(*self.options("b", "--delay", "0", *options, self.site.url(LOGIN, "/b")))
            self.assertEqual(result.status, 2, result.stderr)
            self.assertIn(words, result.stderr)


class OfNodes(SharedCookies):
    """In a Redis Cluster the node of a site holds its cookies; this may be another node than that of the host."""

    @staticmethod
    def start_redis():
        return redis_cluster.RedisCluster()


for test in [name for name in dir(SharedCookies) if name.startswith("test_")]:
    if test not in ("test_from_one_process_to_the_next", "test_every_answer_counts", "test_all_are_saved"):
        setattr(OfNodes, test, None)


if __name__ == "__main__":
    harness.main()
