#!/usr/bin/env python3
"""Tests hosts that allow a number of requests per period, report with each response how many are left, and answer 429
beyond that."""
import email.utils
import math
import threading
import time
import unittest

import harness
from recording import Answer, Redirect, Site

WINDOW_S = 1
LIMIT = 8


class Quota:
    """Counts requests in windows of the wall clock, from one whole second to another."""

    def __init__(self, limit, headers):
        self.limit = limit
        self.headers = headers  # from the number left, and the end of the window in seconds since 1970
        self.lock = threading.Lock()
        self.counts = {}

    def answer(self, body):
        with self.lock:
            end = math.floor(time.time() / WINDOW_S) * WINDOW_S + WINDOW_S
            self.counts[end] = self.counts.get(end, 0) + 1
            left = self.limit - self.counts[end]
        headers = tuple(self.headers(max(left, 0), end))
        return Answer("too many", 429, headers) if left < 0 else Answer(body, 200, headers)


def rate_limit(left, end):
    yield "RateLimit-Policy", f'"second";q={LIMIT};w={WINDOW_S}'
    yield "RateLimit", f'"second";r={left};t={math.ceil(end - time.time())}'


def since_1970(left, end):
    yield "X-RateLimit-Limit", str(LIMIT)
    yield "X-RateLimit-Remaining", str(left)
    yield "X-RateLimit-Reset", str(end)


def left_and_reset(left, reset, prefix="X-RateLimit-"):
    yield prefix + "Remaining", str(left)
    yield prefix + "Reset", str(reset)


def seconds_to(end):
    return math.ceil(end - time.time())


# Forms in which a host tells the number left; the host is named after its form.
FORMS = {
    "draft11": rate_limit,
    "partition": lambda left, end: (("RateLimit", f'"second";r={left};t={seconds_to(end)};pk=:WA==:, '
                                     '"day";r=99999;t=60000;pk=:WQ==:'),),
    "draft08": lambda left, end: (("RateLimit", f"limit={LIMIT}, remaining={left}, reset={seconds_to(end)}"),),
    "draft07": lambda left, end: left_and_reset(left, seconds_to(end), "RateLimit-"),
    "seconds": lambda left, end: left_and_reset(left, seconds_to(end)),
    "after": lambda left, end: (("X-RateLimit-Remaining", str(left)),
                                ("X-RateLimit-Reset-After", f"{max(end - time.time(), 0.001):.3f}")),
    "since1970": since_1970,
    "milliseconds": lambda left, end: left_and_reset(left, end * 1000),
    "iso": lambda left, end: left_and_reset(left, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(end))),
    "date": lambda left, end: left_and_reset(left, email.utils.formatdate(end, usegmt=True)),
    "hyphen": lambda left, end: left_and_reset(left, end, "X-Rate-Limit-"),
}


class Quotas(harness.TestCase):
    def crawl_pages(self, headers, pages, *options):
        """Crawls all pages. Returns the requests of the log, and the number of responses with status 429."""
        quota = Quota(LIMIT, headers)
        links = "".join(f"<a href=/{number}>" for number in range(1, pages))
        site = self.serve(Site({"/": lambda _: quota.answer(links), "/robots.txt": lambda _: quota.answer(""),
                                **{f"/{number}": lambda _: quota.answer("page") for number in range(1, pages)}}))
        result = self.crawl(site.url("quota.localhost"), "--delay", "0", "--output", "pages.jsonl", "--requests",
                            "requests.jsonl", "--set", "politeness.retries=9", "--set", "politeness.retry_delay=100ms",
                            *options)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(sorted(r["url"] for r in self.records("pages.jsonl") if r["status"] == 200),
                         sorted(site.url("quota.localhost", f"/{number or ''}") for number in range(pages)))
        audit = self.crawl("audit", "requests.jsonl")
        self.assertEqual(audit.status, 0, audit.stdout)
        refused = sum(max(count - LIMIT, 0) for count in quota.counts.values())
        self.assertEqual(refused, len(site.requests) - pages - 1, "each page and robots.txt, and what was refused")
        return self.exchanges(), refused

    def test_no_form_of_header_is_overrun(self):
        """Hosts with each form of header, with one and with four parallel requests, must never have to refuse one."""
        pages = 3 * LIMIT
        links = "".join(f"<a href=/{number}>" for number in range(1, pages))
        for per_host in (1, 4):
            quotas = {name: Quota(LIMIT, headers) for name, headers in FORMS.items()}

            def answer(request):
                return quotas[request.host.split(".")[0]].answer(links if request.path == "/" else "")

            paths = ["/robots.txt", "/", *map("/{}".format, range(1, pages))]
            site = self.serve(Site(dict.fromkeys(paths, answer)))
            result = self.crawl("--delay", "0", "--no-adaptive", "--per-host", str(per_host), "--scope", "host",
                                "--requests", "requests.jsonl", *(site.url(f"{name}.localhost") for name in FORMS))
            self.assertEqual(result.status, 0, result.stderr)
            refused = {name: sum(max(count - LIMIT, 0) for count in quota.counts.values())
                       for name, quota in quotas.items()}
            self.assertEqual(refused, dict.fromkeys(FORMS, 0), f"--per-host {per_host}")
            self.assertEqual(len(site.requests), len(FORMS) * (pages + 1))

    def test_what_is_left_is_spread_and_nothing_is_refused(self):
        requests, refused = self.crawl_pages(rate_limit, 4 * LIMIT, "--per-host", "4")
        self.assertEqual(refused, 0)
        self.assertEqual({r["status"] for r in requests}, {200})
        self.assertIn("ratelimit", {r["pause_by"] for r in requests})
        self.assertLessEqual({r["hold_by"] for r in requests}, {None, "ratelimit"})

    def test_a_reset_since_1970_holds_until_then(self):
        requests, refused = self.crawl_pages(since_1970, 3 * LIMIT, "--per-host", "1")
        self.assertEqual(refused, 0)
        held = [r for r in requests if r["hold_by"]]
        self.assertEqual({r["hold_by"] for r in held}, {"ratelimit"})
        self.assertGreaterEqual(len(held), 2)

    def test_the_target_of_a_redirect_waits_too(self):
        used_up = (("RateLimit", '"second";r=0'), ("RateLimit-Policy", '"second";q=1;w=1'))
        site = self.serve(Site({"/": Redirect("/1", 302, used_up), "/1": "page"}))
        result = self.crawl("--delay", "0", "--no-robots", "--requests", "requests.jsonl",
                            site.url("quota.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        first, second = self.exchanges()
        self.assertEqual([first["status"], second["status"]], [302, 200])
        self.assertGreaterEqual(second["start"], first["end"] + 1000)

    def test_a_quota_that_is_used_up_holds_from_run_to_run(self):
        used_up = Answer("<a href=/1>", 200, (("RateLimit", '"day";r=0;t=4'),))
        site = self.serve(Site({"/": used_up, "/1": "page"}))
        options = ("--state", "st", "--delay", "0", "--no-robots", "--requests", "requests.jsonl")
        self.assertEqual(self.crawl(*options, "--max-pages", "1", site.url("quota.localhost")).status, 0)
        explained = self.crawl("explain", "--state", "st", site.url("quota.localhost", "/1")).stdout
        self.assertIn("(Retry-After, or a quota)", explained)
        self.assertEqual(self.crawl("--state", "st", "--max-pages", "2").status, 0)
        self.assertEqual([request.path for request in site.requests], ["/", "/1"])
        first, second = self.exchanges()
        self.assertEqual(first["hold_by"], "ratelimit")
        self.assertGreaterEqual(second["start"], first["end"] + 4000)
        audit = self.crawl("audit", "requests.jsonl")
        self.assertEqual(audit.status, 0, audit.stdout)

    def test_without_the_setting_the_host_has_to_refuse(self):
        requests, refused = self.crawl_pages(rate_limit, 3 * LIMIT, "--per-host", "4", "--no-rate-headers",
                                             "--no-adaptive")
        self.assertGreater(refused, 0)
        self.assertNotIn("ratelimit", {r[by] for r in requests for by in ("pause_by", "hold_by")})


if __name__ == "__main__":
    unittest.main()
