#!/usr/bin/env python3
"""Tests that --requests and `crawl audit` prove the politeness of a crawl, and that a modified log proves nothing."""
import collections
import json

import harness

HOSTS = [f"host{n}.localhost" for n in range(100)]
PAGES = 6


def crawl_delay(n):
    """Returns the Crawl-delay of the n-th host, in milliseconds; 0: none."""
    return 0 if n % 5 == 0 else 40 * (n % 10)


class Audit(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = harness.temporary_folder()
        cls.folder = folder
        sites = {}
        for n, name in enumerate(HOSTS):
            site = f"{folder}/{name}"
            rules = (f"User-agent: *\nCrawl-delay: {crawl_delay(n) / 1000}\n" if crawl_delay(n)
                     else "User-agent: *\nAllow: /\n")
            links = "".join(f"<a href=/{page}.html>{page}</a>" for page in range(PAGES))
            cls.put(f"{site}/robots.txt", rules)
            for page in ["index"] + list(range(PAGES)):
                cls.put(f"{site}/{page}.html", links)
            sites[name] = site
        cls.nginx = cls.start_nginx(sites)
        cls.wild = cls.start_wild()

    @staticmethod
    def put(path, text):
        import os
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def crawl_all(self, *options):
        """Crawls hosts with their own pauses, one that asks to come later, several that fail in various ways, and one
        that does not exist."""
        wild = [self.wild.url("later.localhost", "/retry/a%d?fail=1&status=429&retry_after=1" % id(self))]
        wild += [self.wild.url("later.localhost", f"/page?n={n}") for n in range(4)]
        wild += [self.wild.url("broken.localhost", f"/status/500?n={n}") for n in range(8)]
        wild += [self.wild.url("dropping.localhost", f"/drop?n={n}") for n in range(8)]
        wild += [self.wild.url("slow.localhost", f"/slow?ms=150&n={n}") for n in range(6)]
        wild += [f"http://nobody.localhost:{harness.free_port()}/{n}" for n in range(4)]
        self.write("seeds.txt", "".join(url + "\n" for url in wild + [self.nginx.url(name) for name in HOSTS]))
        # A connection for each host, from each worker: otherwise a host that is silent for most of a second, as all are
        # on a busy machine, makes room for others and is asked again. Time limits exceed any stall, for the same
        # reason.
        result = self.crawl("--seeds", "seeds.txt", "--connections", "800", "--delay", "60ms", "--depth", "2",
                            "--requests", "requests.jsonl", "--output",
                            "pages.jsonl", "--set", "politeness.backoff=100ms", "--set", "politeness.retry_delay=50ms",
                            "--set",
                            "politeness.give_up=5", "--set", "fetch.connect_timeout=10m", "--set", "fetch.timeout=10m",
                            *options)
        self.assertEqual(result.status, 0, result.stderr)
        return self.exchanges()

    def audit(self, *args, status=None, stdin=None):
        result = self.crawl("audit", "--jsonl", *args, stdin=stdin)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        if status is not None:
            self.assertEqual(result.status, status, result.stdout + result.stderr)
        return lines

    def violations(self, text):
        return [line for line in self.audit(status=1, stdin=text) if "violation" in line]

    def tampered(self, log, numbers, **changes):
        """Returns the findings in a log whose lines `numbers` (from 0) have these fields, with a recomputed chain."""
        return self.violations(harness.chained([dict(line, **changes) if n in numbers else line for n,
                                             line in enumerate(log)]))

    def test_a_crawl_proves_itself_and_a_tampered_log_does_not(self):
        requests = self.crawl_all()
        lines = self.audit("requests.jsonl", status=0)
        hosts = {line["host"]: line for line in lines if "host" in line}
        self.assertEqual(lines[-1], {"proven": True, "requests": len(requests), "violations": 0, "runs": 1, "killed": 0,
                                     "in_flight": 0, "torn": False})
        self.assertEqual(sum(h["requests"] for h in hosts.values()), len(requests))
        self.whole(requests)
        self.reasons(requests, hosts)
        self.tamper_with_its_contents(self.records("requests.jsonl"))
        self.tamper_with_its_lines("requests.jsonl")

    def test_drawn_pauses(self):
        """Each pause is random, around the delay and never below that of robots.txt. The log proves the pauses, and a
        request within a pause is found."""
        patient, slower, free = HOSTS[1::10], HOSTS[3], HOSTS[10]
        hosts = [*patient, slower, free]
        result = self.crawl("--delay", "60ms", "--random-delay", "50%", "--no-adaptive", "--requests", "requests.jsonl",
                            *(self.nginx.url(name) for name in hosts))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.audit("requests.jsonl", status=0)[-1]["violations"], 0)
        log = self.records("requests.jsonl")
        drawn = collections.defaultdict(set)
        for name in hosts:
            asked = crawl_delay(HOSTS.index(name))
            pauses = [line["pause"] for line in log if line["event"] == "end"
                      and line["host"] == self.nginx.url(name, "") and line["seq"] > 2]
            self.assertEqual(len(pauses), PAGES, name)
            self.assertTrue(all(max(asked, 30) <= pause <= max(asked, 90) for pause in pauses), (name, pauses))
            drawn[asked].update(pauses)
        # One pause in six is below 40 ms: all six of one host may be, all sixty of ten hosts are not.
        self.assertEqual({asked: len(pauses) > 2 for asked, pauses in drawn.items()},
                         {crawl_delay(1): True, crawl_delay(3): False, crawl_delay(10): True}, drawn)
        last = [line for line in log if line["event"] == "end" and line["host"] == self.nginx.url(free, "")][-1]
        numbers = [n for n, line in enumerate(log) if line.get("request") == last["request"]]
        gap = max(line["start"] for line in log if line.get("host") == last["host"] and line["start"] < last["start"])
        found = self.tampered(log, numbers, start=gap + last["pause"] - 1, end=gap + last["pause"])
        self.assertIn("too-soon", [v["violation"] for v in found])

    def tamper_with_its_contents(self, log):
        """The contents of modified lines with a matching chain reveal the change."""
        self.assertEqual(self.audit(status=0, stdin=harness.chained(log))[-1]["violations"], 0)
        departures, ends = ({line["request"]: n for n, line in enumerate(log) if line["event"] == event}
                            for event in ("depart", "end"))
        by_host = collections.defaultdict(list)
        for line in sorted((line for line in log if line["event"] == "end"), key=lambda line: line["start"]):
            by_host[line["host"]].append(line)
        for n in self.hosts_asked_in_time(by_host, 3):
            before, request, after = by_host[self.nginx.url(HOSTS[n], "")][3:6]
            departs, ended = departures[request["request"]], ends[request["request"]]
            found = self.tampered(log, [departs, ended], start=request["start"] - 50, end=request["end"] - 50)
            # the request was in flight for most of the pause, and would be still
            if before["end"] > request["start"] - 51:
                found = [v for v in found if v["violation"] != "at-once"]
            self.assertEqual([(v["violation"], v["line"], v["after_line"]) for v in found],
                             [("too-soon", departs + 1, departures[before["request"]] + 1)])
            found = self.tampered(log, [ended], start=request["start"] - 50)
            self.assertEqual([(v["violation"], v["line"], v["after_line"]) for v in found],
                             [("differs", ended + 1, departs + 1)])
            other = self.nginx.url(HOSTS[(n + 1) % len(HOSTS)], "")
            found = self.tampered(log, [departs, ended], host=other)
            self.assertIn(("foreign", departs + 1), [(v["violation"], v["line"]) for v in found],
                          "given to another host by its name alone")
            found = self.tampered(log, [departs, ended], host=other, url=other + "/x.html")
            self.assertIn(("missing", departures[after["request"]] + 1), [(v["violation"], v["line"]) for v in found],
                          "given to another host altogether")
            self.assertTrue(any(v["violation"] == "foreign" and departs + 1 in (v["line"], v["after_line"])
                                for v in found), found)
            found = self.violations(harness.chained([line for i, line in enumerate(log) if i not in (departs, ended)]))
            self.assertEqual([v["violation"] for v in found], ["lost", "missing"])
            self.assertLess(found[1]["line"], departures[after["request"]] + 1)
            for gone in (departs, ended):
                found = self.violations(harness.chained([line for i, line in enumerate(log) if i != gone]))
                self.assertIn("unpaired", [v["violation"] for v in found])

    def tamper_with_its_lines(self, name):
        """The chain reveals lines that were changed, moved or removed: every tenth line, whatever its contents."""
        with open(self.path(name), encoding="utf-8") as file:
            lines = file.readlines()
        first = self.violations("".join(lines[1:]))
        self.assertEqual([(v["violation"], v["line"]) for v in first if v["violation"] == "chain"], [("chain", 1)],
                         "without its beginning")
        for n in range(1, len(lines) - 2, len(lines) // 10):
            out = self.violations("".join(lines[:n] + lines[n + 1:]))
            self.assertIn(("chain", n + 1), [(v["violation"], v["line"]) for v in out], "taken out")
            moved = self.violations("".join(lines[:n] + lines[n + 1:n + 2] + lines[n:n + 1] + lines[n + 2:]))
            self.assertEqual([v["line"] for v in moved if v["violation"] == "chain"], [n + 1, n + 2, n + 3],
                             "changed for the next")
            changed = self.violations("".join(lines[:n] + [lines[n].replace('"attempt":', '"attempt":1')]
                                              + lines[n + 1:]))
            self.assertIn(("chain", n + 1), [(v["violation"], v["line"]) for v in changed], "changed")
            twice = self.violations("".join(lines[:n + 1] + lines[n:]))
            self.assertIn(("chain", n + 2), [(v["violation"], v["line"]) for v in twice], "put in once more")
        cut = self.audit(status=0, stdin="".join(lines[:-1]) + lines[-1][:20])[-1]
        self.assertEqual((cut["killed"], cut["torn"], cut["proven"]), (1, True, True),
                         "where it is cut off its run is taken for one that was killed")
        self.assertEqual(self.crawl("audit", stdin="".join(lines[:-1]) + lines[-1][:20] + "\n").status, 2,
                         "half a line that has an end")

    def hosts_asked_in_time(self, by_host, count):
        """Returns the `count` hosts whose fifth request left soonest after its pause: at once, unless the machine is
        busy."""
        def late(n):
            before, request = by_host[self.nginx.url(HOSTS[n], "")][3:5]
            return request["start"] - before["start"] - request["pause"]

        found = sorted(range(len(HOSTS)), key=late)[:count]
        self.assertLess(late(found[-1]), 45, "every host was asked late")
        return found

    def whole(self, requests):
        """Checks that the log has every request that a server saw, including robots.txt and retries, and no other."""
        logged = collections.Counter(r["host"].split("//")[1].split(":")[0] for r in requests if r["sent"])
        for name in HOSTS:
            self.assertEqual(logged[name], len(self.nginx.requests(name)), name)
            self.assertEqual(logged[name], PAGES + 2, name)
        for name in ("later.localhost", "broken.localhost", "slow.localhost"):
            self.assertEqual(logged[name], len(self.wild.requests(name)), name)
        self.assertEqual({r["kind"] for r in requests}, {"page", "robots"})
        self.assertEqual(sorted(r["attempt"] for r in requests if "/retry/" in r["url"]), [1, 2])

    def reasons(self, requests, hosts):
        """Checks that a host's lines give the reasons for its pause and its hold."""
        for n, name in enumerate(HOSTS):
            pages = [r for r in requests if r["host"] == self.nginx.url(name, "") and r["kind"] == "page"]
            slow = any(r["pause_by"] == "adaptive" for r in pages)
            expected = ("crawl-delay", crawl_delay(n)) if crawl_delay(n) > 60 else ("delay", 60)
            self.assertTrue(slow or all((r["pause_by"], r["pause"]) == expected for r in pages), name)
        late = next(r for r in requests if r["status"] == 429)
        self.assertEqual((late["retry_after"], late["hold_by"]), (1000, "retry-after"))
        self.assertGreaterEqual(late["hold_until"], late["end"] + 1000)
        for name in ("broken", "dropping"):
            of_host = [r for r in requests if name + ".localhost" in r["host"]]
            holds = [r["hold_by"] for r in of_host if r["kind"] == "page"]
            self.assertEqual((holds[0], set(holds[:-1]), holds[-1]), (None, {None, "backoff"}, "given-up"), name)
            errors = {r["error"] for r in self.records("pages.jsonl") if name + ".localhost" in r["url"]}
            self.assertIn("given-up", errors, name)
        self.assertTrue(any(r["pause_by"] == "adaptive" and r["pause"] > 100 for r in requests
                            if "slow.localhost" in r["host"]))
        self.assertTrue(any(not r["sent"] and r["error"] == "connect" for r in requests if "nobody" in r["host"]))

    def lateness_of_nginx(self, requests):
        """Returns by how many milliseconds the times differ that requests take from their departure to a busy server's
        log."""
        left = {r["url"]: r["start"] for r in requests if r["sent"]}
        late = [r.start * 1000 - left[self.nginx.url(r.host, r.uri)] for r in self.nginx.requests()]
        return int(max(late) - min(late)) + 2

    def test_nginx_agrees(self):
        tolerance_ms = self.lateness_of_nginx(self.crawl_all())
        delays = [f"--delay={name}={max(60, crawl_delay(n))}ms" for n, name in enumerate(HOSTS)]
        log = f"{self.nginx.folder}/access.log"
        # robots.txt is fetched before the Crawl-delay is known; the next request keeps at least the delay.
        tolerance = f"--tolerance={tolerance_ms}ms"
        lines = self.audit("--nginx", "--per-host", "2", tolerance, *delays, log, status=0)
        asked = collections.Counter(request.host for request in self.nginx.requests())
        self.assertEqual({name: asked[name] for name in HOSTS}, {name: PAGES + 2 for name in HOSTS})
        self.assertEqual(lines[-1]["requests"], asked.total(), asked.keys() - set(HOSTS))
        self.audit("--nginx", "--delay", "2s", log, status=1)
        self.audit("--nginx", log, status=None)

    def test_one_request_too_soon_in_a_log_of_nginx(self):
        """The log has artificial times, so that only one request can be late."""
        pauses = {name: max(60, crawl_delay(n)) for n, name in enumerate(HOSTS)}
        asked = sorted((1000 + number * pause / 1000, name) for name, pause in pauses.items()
                       for number in range(PAGES + 2))
        lines = [f"{start + 0.004:.3f}\t0.004\t{name}\tGET\t/\t200\t1" for start, name in asked]
        delays = [f"--delay={name}={pause}ms" for name, pause in pauses.items()]
        self.audit("--nginx", *delays, status=0, stdin="\n".join(lines) + "\n")
        last = max(i for i, (_, name) in enumerate(asked) if name == "host9.localhost")
        start, name = asked[last]
        lines[last] = f"{start + 0.004 - 0.150:.3f}\t0.004\t{name}\tGET\t/\t200\t1"
        self.audit("--nginx", "--tolerance=151ms", *delays, status=0, stdin="\n".join(lines) + "\n")
        tampered = self.audit("--nginx", "--tolerance=149ms", *delays, status=1, stdin="\n".join(lines) + "\n")
        self.assertEqual([v["line"] for v in tampered if "violation" in v], [last + 1])

    def test_hosts_at_one_address_share_its_pause(self):
        names = [f"shared{n}.localhost" for n in range(6)]
        wild = [self.wild.url(name, f"/page?n={n}") for name in names for n in range(3)]
        self.write("seeds.txt", "".join(url + "\n" for url in wild))
        options = ("--seeds", "seeds.txt", "--delay", "50ms", "--depth", "0", "--no-robots", "--requests")
        result = self.crawl(*options, "apart.jsonl")
        self.assertEqual(result.status, 0, result.stderr)
        self.audit("--per-ip", "apart.jsonl", status=1)
        result = self.crawl(*options, "shared.jsonl", "--per-ip")
        self.assertEqual(result.status, 0, result.stderr)
        lines = self.audit("shared.jsonl", status=0)
        requests = self.exchanges("shared.jsonl")
        self.assertEqual(len(requests), 18)
        self.assertEqual({r["status"] for r in requests}, {200})
        self.assertTrue(any(line.get("address") and line["requests"] > 6 and line["least_gap"] >= 50 for line in lines))
        starts = sorted(r["start"] for r in self.wild.requests() if r["host"] in names)[-18:]
        self.assertGreaterEqual(starts[-1] - starts[0], 17 * 0.05 - 0.01)

    def test_the_text_is_for_people(self):
        row = {"host": "http://a", "url": "http://a/1", "sent": True, "pause": 250, "pause_by": "delay", "limit": 2}
        log = [{"event": "run", "start": 1000, "workers": 1}]
        for number, start, end in (1, 1000, 1010), (2, 1200.5, 1300):
            for event in "depart", "end":
                log.append({"event": event, "request": number, "seq": number, "start": start, "end": end, **row})
        log = harness.chained([*log, {"event": "run-end", "end": 1400, "requests": 2}])
        result = self.crawl("audit", stdin=log)
        self.assertEqual(result.status, 1)
        self.assertIn("line 4: http://a: 49.500 ms too soon: 200.500 ms after line 2, with a pause of 250.000 ms "
                      "(delay)\n", result.stdout)
        self.assertIn("not proven: 1 violations in 2 requests\n", result.stdout)
        self.assertEqual(self.crawl("audit", "--tolerance", "50ms", stdin=log).status, 0)
        self.assertEqual(self.crawl("audit", "--delay", "1s", "--tolerance", "50ms", stdin=log).status, 1)

    def test_what_cannot_be_read_proves_nothing(self):
        run = harness.chained([{"event": "run", "start": 1000, "workers": 1}])
        row = {"event": "end", "request": 1, "host": "http://a", "url": "http://a/1", "start": 1000, "end": 1010,
               "pause": 250}
        bad = [("{", "line 2"), ("[]", "not an object"), (json.dumps(dict(row, event=None)), '"event": expected run'),
               (json.dumps(dict(row, start=None)), '"start": expected milliseconds'),
               (json.dumps(dict(row, end=1)), '"end" is before "start"'), (json.dumps(dict(row, url="x")),
                                                                           '"url": expected'),
               (json.dumps(dict(row, pause=-1)), '"pause": expected milliseconds'),
               (json.dumps(dict(row, limit="2")), '"limit": expected')]
        for line, words in bad:
            result = self.crawl("audit", stdin=run + line + "\n")
            self.assertEqual(result.status, 2, line)
            self.assertIn("line 2: ", result.stderr)
            self.assertIn(words, result.stderr)
            self.assertNotIn("proven:", result.stdout)
        self.assertEqual(self.crawl("audit", stdin="").status, 2)
        self.assertEqual(self.crawl("audit", "--nginx", stdin="").status, 2)
        result = self.crawl("audit", "--nginx", "--delay", "a=1ms", "--delay", "b=1ms",
                            stdin="1.000 0.010 a GET / 200\n")
        self.assertEqual((result.status, result.stdout), (2, ""))
        self.assertEqual(result.stderr, "crawl audit: --delay b=1ms: the log has no request to this host\n")
        result = self.crawl("audit", "--nginx", "--delay", "1s", "--per-ip", stdin="")
        self.assertEqual((result.status, "has no addresses" in result.stderr), (2, True), result.stderr)
        self.assertEqual(self.crawl("audit", "--delay", "soon", stdin="").status, 2)
        self.assertEqual(self.crawl("audit", "--what", stdin="").status, 2)
        self.assertEqual(self.crawl("audit", "/nowhere/at/all").status, 4)
        result = self.crawl("audit", "--nginx", "--delay", "1s", stdin="[21/Nov/2026:09:11:09 +0000] 0.010 a\n")
        self.assertEqual(result.status, 2)
        self.assertIn("whole seconds", result.stderr)
        self.assertEqual(self.crawl("audit", "--nginx", "--delay", "1s", "--tolerance", "1s",
                                    stdin="[21/Nov/2026:09:11:09 +0000] 0.010 a\n").status, 0)


if __name__ == "__main__":
    harness.main()
