#!/usr/bin/env python3
"""Tests webhooks: messages to targets, signatures, and crawls whose targets refuse, are slow, or are gone."""
import os
import signal
import time
import unittest.mock

import dns_server
import harness
import hook_target

WALL = ("cf-mitigated: challenge", "Server: cloudflare")


class Site(harness.OwnServer):
    """Serves pages. "new" is different each time; the pages of hosts w... are walls, and so are the robots.txt of
    w2..."""

    def __init__(self):
        self.count = 0
        super().__init__(Page)


class Page(harness.Handler):
    def do_GET(self):
        host = self.headers["Host"]
        if self.path == "/robots.txt" and not host.startswith("w2"):
            self.answer(404, "")
        elif host.startswith("w"):
            self.answer(403, "<title>Just a moment...</title>", *WALL)
        elif self.path == "/new":
            self.server.count += 1
            self.answer(200, f"<title>{self.server.count}{'x' * 600}</title>",
                        "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT")
        else:
            self.answer(200, "<a href=new>x</a>")


class Webhook(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.site = self.serve(Site())
        self.environment(CRAWL_WEBHOOK_SECRET=hook_target.SECRET)

    def environment(self, **variables):
        patch = unittest.mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def target(self, *answers, **how):
        return self.serve(hook_target.Target(*answers, **how))

    def run_crawl(self, *words, targets=(), hosts=("a",)):
        hooks = [word for target in targets for word in ("--webhook", target if isinstance(target, str) else
                                                         target.url())]
        return self.crawl("--delay", "0", "--no-adaptive", "--allow-private", *hooks, *words,
                          *(self.site.url(f"{host}.localhost", "/") for host in hosts))

    def text(self, name):
        return self.bytes_of(name).decode()

    def expect_right(self, *targets):
        for target in targets:
            self.assertEqual(target.wrong, [])

    def test_the_end_is_told(self):
        targets = [self.target(), self.target()]
        result = self.run_crawl(targets=targets)
        self.assertEqual(result.status, 0)
        self.assertIn("\n  webhooks  2 delivered, 0 not, 0 dropped\n", result.stderr)
        self.expect_right(*targets)
        for target in targets:
            message, = target.messages()
            self.assertEqual(sorted(message), ["data", "timestamp", "type"])
            data = message["data"]
            self.assertEqual((message["type"], data["crawl"], data["exit_status"], data["end"], data["is_complete"]),
                             ("crawl.finished", None, 0, "nothing left to fetch", True))
            self.assertEqual((data["pages"], data["errors"], data["queued"], data["statuses"]["2xx"]), (2, 0, 0, 2))
        self.assertEqual(targets[0].tries[0][0], targets[1].tries[0][0])
        target = self.target()
        result = self.run_crawl("--max-pages", "1", "--state", "st", targets=[target])
        data = target.messages()[0]["data"]
        self.assertEqual((data["end"], data["is_complete"], data["queued"], data["crawl"]),
                         ("crawl.max_pages reached", False, 1, "st"))

    def test_a_host_of_other_letters_is_told(self):
        target = self.target()
        result = self.run_crawl(targets=[f"http://\u00fcber.localhost:{target.port}/hook#x"])
        self.assertIn("\n  webhooks  1 delivered, 0 not, 0 dropped\n", result.stderr)
        self.expect_right(target)

    def test_pages_that_change_and_walls(self):
        target = self.target()
        hosts = ("a", "w1", "w2")
        result = self.run_crawl("--revisit", *(word for name in ("interval", "min_interval", "max_interval")
                                               for word in ("--set", f"revisit.{name}=50ms")),
                                "--max-time", "2s", "--output", "pages.jsonl", targets=[target], hosts=hosts)
        self.assertEqual(result.status, 0, result.stderr)
        walls = target.messages("wall.met")
        self.assertEqual(sorted(wall["data"]["host"] for wall in walls),
                         [f"{host}.localhost:{self.site.port}" for host in hosts[1:]])
        for wall in walls:
            data = wall["data"]
            is_asked = data["host"].startswith("w1")
            self.assertEqual((data["verdict"], data["service"], data["status"]),
                             ("challenge", "Cloudflare", 403) if is_asked else (None, None, 0))
            self.assertIn("Cloudflare", data["detail"])
            self.assertEqual(data["url"], f"http://{data['host']}/")
        changes = target.messages("page.changed")
        records = [record for record in self.records("pages.jsonl") if record.get("changed")]
        self.assertEqual(len(changes), len(records))
        self.assertGreater(len(changes), 0)
        for change, record in zip(changes, records):
            data = change["data"]
            self.assertEqual({name: data[name] for name in ("url", "visit", "status", "fingerprint", "fetched_at")},
                             {name: record[name] for name in ("url", "visit", "status", "fingerprint", "fetched_at")})
            self.assertEqual((data["digest"], data["last_modified"]), (record["digest"], "2026-11-21T10:00:00.000Z"))
            self.assertEqual(data["title"], record["title"][:512])
            self.assertGreater(len(record["title"]), 512)
        self.expect_right(target)

    def test_what_fails_is_tried_again_with_the_same_id(self):
        elsewhere = self.target()
        for said in (500, "close", 503, (302, "Location: " + elsewhere.url()), (429, "Retry-After: 1"), 400):
            target = self.target(said)
            result = self.run_crawl(targets=[target])
            self.assertEqual((result.status, len(target.tries)), (0, 2), (said, result.stderr))
            (first, before, body), (second, after, again) = target.tries
            self.assertEqual((first, body), (second, again))
            self.assertGreaterEqual(after, before)
            self.assertIn("retrying\n", result.stderr)
            self.assertIn("  webhooks  1 delivered, 0 not, 0 dropped\n", result.stderr)
            self.expect_right(target, elsewhere)
        self.assertEqual(elsewhere.tries, [])

    def test_a_target_that_is_gone_is_not_asked_again(self):
        gone, other = self.target(410), self.target()
        result = self.run_crawl(targets=[gone, other], hosts=("w1", "w2", "a"))
        self.assertEqual((len(gone.tries), len(other.tries)), (1, 3), result.stderr)
        self.assertIn(f"webhook http://127.0.0.1:{gone.port}: status 410: it wants no more messages", result.stderr)
        self.assertIn("  webhooks  3 delivered, 3 not, 0 dropped\n", result.stderr)
        self.assertIn("webhook: 3 messages were not delivered, 0 dropped for want of room\n", result.stderr)

    def test_the_crawl_does_not_wait_and_its_end_is_bounded(self):
        slow, dead = self.target(always="slow"), f"http://127.0.0.1:{harness.free_port()}/secret?x"
        process = self.start("--delay", "0", "--allow-private", "--log", "log", "--webhook", slow.url(), "--webhook",
                             dead, self.site.url("w.localhost", "/"), self.site.url("a.localhost", "/"))
        self.wait_for(lambda: "nothing left to fetch after" in self.text("log"))
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - began, 5 + 4 * harness.slack())
        self.assertIn("  webhooks  0 delivered, 4 not, 0 dropped\n", stderr)
        self.assertNotIn("secret", stderr)
        self.assertNotIn("Sanitizer", stderr)
        self.assertEqual(process.returncode, 0, stderr)  # the crawl itself was not stopped

    def test_what_must_be_mended_is_said(self):
        good = "http://127.0.0.1:1/"
        for words, secret, said in (
                (["--webhook", "x"], hook_target.SECRET, '--webhook: "x": expected an http or https URL'),
                (["--webhook", "http://u:p@a/"], hook_target.SECRET, "webhook: 1 of 1 has a user or a password"),
                (["--webhook", good, "--no-allow-private"], hook_target.SECRET, "1 of 1 is at a private address: --"),
                (["--webhook", "http://x.localhost/", "--no-allow-private"], hook_target.SECRET, "private address"),
                (["--webhook", "http://localhost./", "--no-allow-private"], hook_target.SECRET, "private address"),
                (["--webhook", good] * 9, hook_target.SECRET, "webhook: there are more than 8"),
                (["--webhook", good], "", "webhook: signing messages needs a secret: set CRAWL_WEBHOOK_SECRET"),
                (["--webhook", good], "whsec_x", "webhook: the secret is not \"whsec_\" and base64"),
                (["--webhook", good, "--webhook-secret-file", "none"], "", "none: ")):
            self.environment(CRAWL_WEBHOOK_SECRET=secret)
            result = self.run_crawl(*words)
            self.assertEqual(result.status, 2, words)
            self.assertIn(said, result.stderr)
        self.assertEqual(self.site.count, 0)

    def test_the_secret_of_a_file_and_a_state(self):
        self.environment(CRAWL_WEBHOOK_SECRET="")
        self.write("secret", hook_target.SECRET + "\n")
        os.chmod(self.path("secret"), 0o600)
        target, other = self.target(), self.target()
        result = self.run_crawl("--state", "st", "--webhook-secret-file", "secret", targets=[target])
        self.assertEqual((result.status, len(target.tries)), (0, 1), result.stderr)
        self.assertNotIn(hook_target.SECRET, self.text("st/crawler.conf"))
        self.assertEqual(self.run_crawl("--state", "st", hosts=()).status, 0)
        self.assertEqual(len(target.tries), 2)  # it is kept
        self.assertEqual(self.run_crawl("--state", "st", targets=[other], hosts=()).status, 0)
        self.assertEqual((len(target.tries), len(other.tries)), (2, 1))  # replaced
        self.expect_right(target, other)

    def test_a_name_that_leads_to_a_private_address(self):
        """The private address is detected when the crawl connects, and the target is left alone."""
        target = self.target()
        names = self.serve(dns_server.DnsServer({"hook.test": dns_server.Zone(["127.0.0.1"])}))
        result = self.crawl("--delay", "0", "--set", f"fetch.dns_servers=127.0.0.1:{names.port}", "--webhook",
                            target.url("hook.test"), self.site.url("127.0.0.1"))
        self.assertIn("its address is private: --allow-private allows it", result.stderr)
        self.assertEqual((result.status, target.tries), (0, []))


if __name__ == "__main__":
    harness.main()
