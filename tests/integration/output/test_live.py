#!/usr/bin/env python3
"""Tests the live view, --listen: its report of a crawl that a server holds open, its clients, and that it delays
nothing."""
import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest

import harness
import live_view

PATHS = {
    "/": "text/html; charset=utf-8",
    "/live.css": "text/css; charset=utf-8",
    "/live.js": "text/javascript; charset=utf-8",
    "/figures.js": "text/javascript; charset=utf-8",
    "/format.js": "text/javascript; charset=utf-8",
    "/identity.js": "text/javascript; charset=utf-8",
    "/requests.js": "text/javascript; charset=utf-8",
    "/charts.js": "text/javascript; charset=utf-8",
    "/controls.js": "text/javascript; charset=utf-8",
    "/hosts.js": "text/javascript; charset=utf-8",
    "/workers.js": "text/javascript; charset=utf-8",
    "/crawl.json": "application/json",
    "/hosts.json": "application/json",
    "/timeline.json": "application/json",
    "/breakdown.json": "application/json",
    "/stats.json": "application/json",
    "/metrics": "text/plain; version=0.0.4; charset=utf-8",
}
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")


def parse_metrics(text):
    """Returns {metric: (type, {labels: value})} of Prometheus' text format 0.0.4, read strictly: each metric once, its
    HELP, its TYPE, its samples, no sample twice."""
    metrics, current, helped = {}, None, None
    assert text.endswith("\n"), "the last line is not ended"
    for line in text.split("\n")[:-1]:
        if match := re.fullmatch(rf"# HELP ({NAME}) ((?:[^\\]|\\[\\n])+)", line):
            assert match[1] not in metrics, line
            helped, current = match[1], None
        elif match := re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge)", line):
            assert match[1] == helped, f"TYPE without its HELP: {line}"
            metrics[match[1]] = (match[2], {})
            current, helped = match[1], None
        else:
            match = SAMPLE.fullmatch(line)
            assert match, f"no sample: {line!r}"
            assert match[1] == current, f"not below its TYPE: {line}"
            samples = metrics[current][1]
            assert match[2] not in samples, f"twice: {line}"
            value = float(match[3])
            assert math.isfinite(value) and (value >= 0 or metrics[current][0] == "gauge"), line
            samples[match[2]] = value
    for name, (kind, samples) in metrics.items():
        assert name.startswith("crawl_"), name
        assert (kind == "counter") == name.endswith("_total"), name
        assert len({tuple(re.findall(r'(\w+)="', labels or "")) for labels in samples}) <= 1, f"{name}: other labels"
    return metrics


class LiveView(harness.TestCase):
    def start_site(self):
        return self.serve(live_view.Site())

    def start_live(self, site, listen="127.0.0.1:0", *args):
        """Starts a crawl and waits until all pages but the held one are finished."""
        live = live_view.Live(self, listen, "--output", "pages.jsonl", *args, site.url())
        stats = live.wait_for_stats(lambda stats: stats["queue"]["finished"] == 5
                                    and stats["connections"]["in_use"] == 1)
        return live, stats

    def test_figures_are_those_of_the_summary_and_the_records(self):
        site = self.start_site()
        live, stats = self.start_live(site)
        self.assertEqual(stats["state"], "running")
        self.assertEqual(stats["pages"], 5)
        self.assertEqual(stats["queue"]["queued"], 0)
        self.assertEqual(stats["queue"]["leased"], 1)
        self.assertEqual(stats["connections"], {"in_use": 1, "limit": 64, "no_socket": 0})
        self.assertEqual(stats["hosts"]["known"], 1)
        self.assertEqual({name: count for name, count in stats["status"].items() if count},
                         {"2xx": 3, "3xx": 1, "4xx": 1})
        self.assertEqual(stats["robots_asked"], 1)
        self.assertEqual(stats["filter"]["kind"], "scalable")
        self.assertEqual(stats["filter"]["keys"], 6)
        self.assertGreater(stats["memory"]["resident_bytes"], 1 << 20)
        self.assertRegex(stats["started"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        # The page before it may still be written: its connection is free before that.
        stats = live.wait_for_stats(lambda stats: stats["bound"]["words"] == "waiting for 1 answer")
        self.assertEqual(stats["bound"]["by"], "answers")
        site.release()
        status, said = live.end()
        self.assertEqual(status, 0, said)
        records = self.records("pages.jsonl")
        held = next(record for record in records if record["url"].endswith("/held"))
        self.assertEqual(stats["pages"] + 1, len(records))
        self.assertEqual(stats["bytes"] + held["bytes"], sum(record["bytes"] for record in records))
        links = stats["links"]
        redirects = sum(record["redirect"] is not None for record in records)
        self.assertEqual(links["found"], redirects + sum(record["links"] for record in records))
        summary = harness.Summary(said)
        self.assertEqual((summary.links, summary.by_verdict),
                         (links["found"], {name: count for name, count in links["by_verdict"].items() if count}))
        self.assertEqual(links["found"], sum(links["by_verdict"].values()))
        self.assertIn(f"queue     {stats['queue']['accepted']} requests taken on 1 host\n", said)
        self.assertIn("status    2xx 4 3xx 1 4xx 1\n", said)
        self.assertNotIn("filter    ", said, "nobody has asked for it")

    def test_paths_and_their_headers(self):
        site = self.start_site()
        live, _ = self.start_live(site)
        for path, kind in PATHS.items():
            status, headers, body = live.ask(path)
            self.assertEqual((status, headers["Content-Type"]), (200, kind), path)
            self.assertEqual(int(headers["Content-Length"]), len(body), path)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            self.assertNotIn("unsafe", headers["Content-Security-Policy"])
            self.assertNotIn("Access-Control-Allow-Origin", headers)
            self.assertNotIn("\0", body.decode())
            if path == "/hosts.json":  # it is not made for each request
                continue
            self.assertEqual(live.ask(path + "?a=b")[0], 200)
            status, head, body = live.ask(path, "HEAD")
            self.assertEqual((status, head["Content-Type"], body), (200, kind, b""), path)
            if not path.endswith(("json", "metrics")):  # their figures have changed
                self.assertEqual(head["Content-Length"], headers["Content-Length"])
        site.release()
        self.assertEqual(live.end()[0], 0)

    def test_page_needs_nothing_from_elsewhere(self):
        site = self.start_site()
        live, _ = self.start_live(site)
        page, style = (live.ask(path)[2].decode() for path in ("/", "/live.css"))
        script = "".join(live.ask(path)[2].decode() for path in PATHS if path.endswith(".js"))
        self.assertLessEqual(set(re.findall(r'from "([^"]+)"', script)), set(PATHS))
        found = re.findall(r'(?:href|src)="([^"]+)"', page)
        self.assertEqual(set(found) - set(PATHS), {"data:,"})
        for text in (page, style, script):
            self.assertNotRegex(text, r"https?://|@import|url\(")
        self.assertNotRegex(page, r"<script(?! src)|<style| style=| on\w+=")
        self.assertNotRegex(script, r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(")
        # the page has every element that the script looks for
        for name in set(re.findall(r'(?:byId|put|rows)\("([\w-]+)"', script)):
            self.assertIn(f'id="{name}"', page)
        # and the figures have every member that it reads
        stats = live.stats()
        for name in set(re.findall(r"(?<!/)\bstats\.(\w+)", script)):
            self.assertIn(name, stats)
        crawl = json.loads(live.ask("/crawl.json")[2])
        for name in set(re.findall(r"(?<!/)\bcrawl\.(\w+)", script)):
            self.assertIn(name, crawl)
        figures = live.ask("/figures.js")[2].decode()
        for part in ("queue", "links", "connections", "hosts", "filter", "memory", "bound", "visits"):
            for name in set(re.findall(rf"(?<!/)\b{part}\.(\w+)", figures)):
                self.assertIn(name, stats[part])

    def test_metrics(self):
        site = self.start_site()
        live, stats = self.start_live(site)
        before = parse_metrics(live.ask("/metrics")[2].decode())
        self.assertEqual(before["crawl_pages_total"], ("counter", {None: stats["pages"]}))
        self.assertEqual(before["crawl_links_found_total"][1], {None: stats["links"]["found"]})
        self.assertEqual({re.fullmatch(r'verdict="(.*)"', label)[1]: value for label,
                          value in before["crawl_links_by_verdict_total"][1].items()},
                         stats["links"]["by_verdict"])
        self.assertEqual({re.fullmatch(r'class="(.*)"', label)[1]: value for label,
                          value in before["crawl_responses_total"][1].items()}, stats["status"])
        self.assertEqual({re.fullmatch(r'class="(.*)"', label)[1]: value for label,
                          value in before["crawl_errors_total"][1].items()}, stats["errors_by_class"])
        self.assertEqual(set(before["crawl_hosts_queued"][1]),
                         {f'standing="{name}"' for name in ("ready", "paused", "busy", "blocked", "later")})
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=live.ask("/metrics")[2],
                                     capture_output=True)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, b""))
        live.wait_for_stats(lambda now: now["elapsed_s"] > stats["elapsed_s"] + 0.3)
        after = parse_metrics(live.ask("/metrics")[2].decode())
        self.assertEqual(set(before), set(after))
        for name, (kind, samples) in before.items():
            for labels, value in samples.items():
                if kind == "counter":
                    self.assertGreaterEqual(after[name][1][labels], value, (name, labels))
        self.assertGreater(after["crawl_elapsed_seconds"][1][None], before["crawl_elapsed_seconds"][1][None])
        with open(os.path.join(harness.HERE, "..", "..", "examples", "grafana.json"), encoding="utf-8") as file:
            shown = [target["expr"] for panel in json.load(file)["panels"] for target in panel["targets"]]
        self.assertLessEqual({name for expression in shown for name in re.findall(r"\bcrawl_\w+", expression)},
                             set(before))
        site.release()
        self.assertEqual(live.end()[0], 0)

    def test_what_the_requests_came_to(self):
        site = self.start_site()
        live, stats = self.start_live(site)
        all = json.loads(live.ask("/breakdown.json")[2])
        self.assertEqual((all["depths"], all["types"]), ([1, 4], [{"type": "text/html", "count": 5}]))
        [error] = all["errors"]
        self.assertEqual((error["kind"], error["count"]), ("404", 1))
        self.assertEqual([(example["url"], example["parent"]) for example in error["examples"]],
                         [(site.url("/gone"), site.url("/"))])
        self.assertEqual(sum(all["depths"]), stats["pages"])
        harness.wait_for(lambda: len(json.loads(live.ask("/timeline.json")[2])["pages"]) > 1, harness.LIMIT_S)
        line = json.loads(live.ask("/timeline.json")[2])
        self.assertEqual({len(values) for values in line.values()}, {len(line["pages"])})
        self.assertEqual((line["pages"][-1], line["queued"][-1], line["filter_keys"][-1]),
                         (5, 0, stats["filter"]["keys"]))
        site.release()
        self.assertEqual(live.end()[0], 0)

    def test_counters_go_on(self):
        """Counters only grow, from a scrape while the crawl waits for seeds to one with pages."""
        site = self.start_site()
        live = live_view.Live(self, "0", "--seeds", "-", stdin="")
        before = parse_metrics(live.ask("/metrics")[2].decode())
        self.assertEqual(before["crawl_pages_total"][1], {None: 0})
        self.assertEqual(site.asked, [])
        live.process.stdin.write(site.url() + "\n")
        live.process.stdin.close()
        live.wait_for_stats(lambda stats: stats["pages"] == 5)
        after = parse_metrics(live.ask("/metrics")[2].decode())
        for name, (kind, samples) in before.items():
            for labels, value in samples.items():
                if kind == "counter":
                    self.assertGreaterEqual(after[name][1][labels], value, (name, labels))
        self.assertEqual(after["crawl_pages_total"][1], {None: 5})
        site.release()
        self.assertEqual(live.end()[0], 0)

    def test_whom_it_answers(self):
        site = self.start_site()
        live, _ = self.start_live(site)
        port = live.address.port
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"a.localhost:{port}", f"[::1]:{port}", "192.0.2.1"):
            self.assertEqual(live.ask("/stats.json", headers={"Host": host})[0], 200, host)
        for host in ("example.com", f"example.com:{port}", f"127.0.0.1.example.com:{port}", ""):
            status, headers, body = live.ask("/stats.json", headers={"Host": host})
            self.assertEqual(status, 403, host)
            self.assertNotIn(b"pages", body)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        for second in ("localhost", "example.com"):
            with socket.create_connection(("127.0.0.1", port)) as reader:
                reader.sendall(f"GET /stats.json HTTP/1.1\r\nHost: localhost\r\nhost: {second}\r\n\r\n".encode())
                reply = b"".join(iter(lambda: reader.recv(65536), b""))
            self.assertTrue(reply.startswith(b"HTTP/1.1 400 "), second)
            self.assertIn(b"X-Content-Type-Options: nosniff", reply)
            self.assertNotIn(b"pages", reply)
        self.assertEqual(live.ask("//example.com/stats.json")[0], 403)
        self.assertEqual(live.ask("http://example.com/stats.json", headers={"Host": "localhost"})[0], 403)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"):
            status, headers, _ = live.ask("/stats.json", method)
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"), method)
        self.assertEqual(live.ask("/", "POST", body=b"a=b")[0], 405)
        self.assertEqual(live.ask("/", "POST", body=b"a" * 100000)[0], 413)
        for path in ("/index.html", "/stats.json/", "/../etc/passwd", "/%2e%2e/", "/live"):
            self.assertEqual(live.ask(path)[0], 404, path)
        self.assertEqual(live.ask("/", headers={"X": "y" * 20000})[0], 400)
        site.release()
        self.assertEqual(live.end()[0], 0)

    def test_readers_that_hang_hold_up_nothing(self):
        """More readers than connections: silent ones, ones in the middle of a request, ones that do not read."""
        site = self.start_site()
        live, _ = self.start_live(site)
        hanging = []
        for i in range(60):
            reader = socket.create_connection((live.address.hostname, live.address.port))
            self.addCleanup(reader.close)
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            reader.sendall((b"", b"GET /stats.json HT", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5)[i % 3])
            hanging.append(reader)
            if i % 8 == 7:
                self.assertEqual(live.ask("/stats.json")[0], 200)
        open_files = len(os.listdir(f"/proc/{live.process.pid}/fd"))
        self.assertLess(open_files, 60 + 32)
        site.release()
        status, said = live.end()
        self.assertEqual(status, 0, said)
        took = re.search(r"nothing left to fetch after ([\d.]+) s", said)
        self.assertTrue(took, said)
        for reader in hanging:
            reader.settimeout(harness.LIMIT_S)
            try:
                while reader.recv(65536):
                    pass
            except ConnectionResetError:
                pass

    def test_a_thousand_come_at_once(self):
        """Each viewer gets a connection although the program does not look at them for a while. Then others are
        answered."""
        site = self.start_site()
        live, _ = self.start_live(site)
        os.kill(live.process.pid, signal.SIGSTOP)
        try:
            for _ in range(1000):
                idle = socket.create_connection((live.address.hostname, live.address.port), timeout=harness.LIMIT_S)
                self.addCleanup(idle.close)
        finally:
            os.kill(live.process.pid, signal.SIGCONT)
        self.assertEqual(live.ask("/stats.json")[0], 200)
        site.release()
        status, said = live.end()
        self.assertEqual(status, 0, said)

    def test_it_ends_with_the_crawl(self):
        site = self.start_site()
        live, _ = self.start_live(site)
        idle = socket.create_connection((live.address.hostname, live.address.port))
        self.addCleanup(idle.close)
        live.process.send_signal(signal.SIGINT)
        live.wait_for_stats(lambda stats: stats["state"] == "stopped")  # and waits for requests in flight
        site.release()
        status, said = live.end()
        self.assertEqual(status, 3, said)
        self.assertIn("crawl: stopped after", said)
        with self.assertRaises(ConnectionRefusedError):
            live.ask("/")

    def test_addresses(self):
        for listen, host in (("0", "127.0.0.1"), (":0", "127.0.0.1"), ("localhost:0", "127.0.0.1"),
                             ("0.0.0.0:0", "0.0.0.0"), ("[::1]:0", "::1")):
            if host == "::1" and not os.path.exists("/proc/net/if_inet6"):
                continue
            site = self.start_site()
            live, _ = self.start_live(site, listen)
            self.assertEqual(live.address.hostname, host)
            self.assertGreater(live.address.port, 0)
            site.release()
            self.assertEqual(live.end()[0], 0)

    def test_quiet_says_a_port_that_nobody_could_know(self):
        site = self.start_site()
        site.release()
        result = self.crawl("--quiet", "--listen", "127.0.0.1:0", "--delay", "0", site.url())
        self.assertRegex(result.stderr, r"^crawl: live at http://127\.0\.0\.1:\d+/\n$")
        result = self.crawl("--quiet", "--listen", f"127.0.0.1:{harness.free_port()}", "--delay", "0", site.url())
        self.assertEqual((result.status, result.stderr), (0, ""))

    def test_a_port_in_use_ends_it_before_anything_is_asked(self):
        site = self.start_site()
        site.release()
        port = site.server_address[1]
        result = self.crawl("--listen", f"127.0.0.1:{port}", "--state", "state", site.url())
        self.assertEqual(result.status, 4)
        self.assertEqual(result.stderr, f"crawl: --listen 127.0.0.1:{port}: Address already in use\n")
        result = self.crawl("--listen", "192.0.2.1:0", site.url())
        self.assertEqual((result.status, result.stderr), (4, "crawl: --listen 192.0.2.1:0: Cannot assign requested "
                                                             "address\n"))
        self.assertEqual(site.asked, [])
        self.assertFalse(os.path.exists(self.path("state")))

    def test_a_bad_address_is_a_matter_of_usage(self):
        for bad in ("nowhere", "127.0.0.1", "::1:8080", "localhost:99999", "http://localhost:1/"):
            result = self.crawl("--listen", bad, "http://a.localhost/")
            self.assertEqual(result.status, 2)
            self.assertIn("expected an address and a port, or a port of 127.0.0.1, as 127.0.0.1:8080", result.stderr)
        self.assertIn("--listen ADDR:PORT", self.crawl("help", "output").stdout)

    def test_a_crawl_that_goes_on_listens_where_it_is_told_again(self):
        site = self.start_site()
        site.release()
        self.assertEqual(self.crawl("--state", "state", "--listen", "127.0.0.1:0", "--delay", "0", site.url()).status,
                         0)
        self.assertNotIn("live at", self.crawl("--state", "state").stderr)
        self.assertIn("live at", self.crawl("--state", "state", "--listen", "0").stderr)


class Parser(unittest.TestCase):
    """Checks that the parser refuses errors, so that its acceptance counts."""

    def test_refuses(self):
        good = '# HELP crawl_a_total A.\n# TYPE crawl_a_total counter\ncrawl_a_total{b="c\\n"} 1\n'
        self.assertEqual(parse_metrics(good), {"crawl_a_total": ("counter", {'b="c\\n"': 1})})
        for old, new in ((' 1\n', ' 1'), (' 1\n', ' x\n'), (' 1\n', ' -1\n'), (' 1\n', ' NaN\n'), ('c\\n', 'c\\d'),
                         ('c\\n', 'c"'), ("# TYPE crawl_a_total counter\n", ""),
                         ("crawl_a_total{", "crawl_b_total{"), ("counter", "gauge"), ("_total", ""),
                         ("crawl_", "other_"), ('b="', 'b-="')):
            with self.assertRaises((AssertionError, ValueError), msg=(old, new)):
                parse_metrics(good.replace(old, new))
        for bad in (good + good, good + 'crawl_a_total{b="c\\n"} 2\n', good + 'crawl_a_total{d="c"} 2\n', "\n" + good):
            with self.assertRaises(AssertionError, msg=bad):
                parse_metrics(bad)


if __name__ == "__main__":
    harness.main()
