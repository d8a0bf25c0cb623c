#!/usr/bin/env python3
"""Tests `crawl audit --practices`: a good crawl of several hosts keeps each practice that a log can prove, and a log
that violates one names it, at its line."""
import datetime
import json
import os

import harness
from recording import Answer, Redirect, Site

HOSTS = [f"site{n}.localhost" for n in range(3)]
AGENT = "Testbot/1.0 (+https://bot.example/)"
HOUR_MS = 3600 * 1000
SEEN_BY_OTHERS = {"noindex", "off-peak", "logins", "max-age", "page"}
OPTIONAL = {"nofollow", "ranges", "address"}


class Practices(harness.TestCase):
    overwrites = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = harness.temporary_folder()
        sites = {name: f"{folder}/{name}" for name in HOSTS}
        links = "".join(f"<a href=/{n}.html>{n}</a>" for n in range(4)) + "<a href=/secret/x.html>no</a>"
        for site in sites.values():
            os.makedirs(f"{site}/secret")
            cls.put(f"{site}/robots.txt", "User-agent: testbot\nDisallow: /secret/\nDisallow: /schl\u00fcssel\n"
                                          "User-agent: *\nDisallow: /\n")
            for page in ["index", "secret/x"] + list(range(4)):
                cls.put(f"{site}/{page}.html", links)
            cls.put(f"{site}/last.html", "<meta name=robots content=nofollow><a href=/unseen.html>no</a>")
        cls.nginx = cls.start_nginx(sites)
        cls.wild = cls.start_wild()

    @staticmethod
    def put(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def setUp(self):
        super().setUp()
        self.log = None

    def crawl_well(self):
        """Makes two runs, the second of which visits due pages again. One host asks to come later, one is
        overloaded."""
        seeds = [self.nginx.url(name) for name in HOSTS] + [self.nginx.url(HOSTS[0], "/last.html")]
        seeds += [self.wild.url("later.localhost", f"/retry/p{id(self)}?fail=1&status=429&retry_after=1"),
                  self.wild.url("busy.localhost", f"/retry/b{id(self)}?fail=1&status=503"),
                  self.wild.url("broken.localhost", f"/retry/c{id(self)}?fail=2&status=500")]
        kept = ("--state", "state", "--requests", "requests.jsonl", "--output", "pages.jsonl", "--set",
                "politeness.retry_delay=50ms", "--set", "politeness.backoff=100ms", "--delay", "50ms", "--revisit=due",
                "--set", f"fetch.user_agent={AGENT}", "--set", "politeness.robots_agent=Testbot")
        for interval, more in (("400ms", ["--max-pages", "22", *seeds]), ("1d", ["--max-pages", "100"])):
            options = [f"--set=revisit.{name}={interval}" for name in ("interval", "min_interval", "max_interval")]
            result = self.crawl(*kept, *options, *more)
            self.assertEqual(result.status, 0, result.stderr)
        self.log = self.records("requests.jsonl")

    def audit(self, *args, log=None, status=None):
        """Returns the verdict on each practice."""
        result = self.crawl("audit", "--jsonl", "--practices", *args, stdin=harness.chained(log or self.log))
        said = {line["practice"]: line for line in map(json.loads, result.stdout.splitlines()) if "practice" in line}
        if status is not None:
            self.assertEqual(result.status, status, result.stdout + result.stderr)
        return said

    def expect_broken(self, practice, log, line=None, *args):
        """Checks that only this practice is violated, first on that line (from 1)."""
        said = self.audit(*args, log=log, status=1)
        broken = {name: row["first"] for name, row in said.items() if row["status"] == "broken"}
        self.assertEqual(list(broken), [practice], broken)
        if line:
            self.assertEqual(broken[practice][0]["line"], line, broken)
        return broken[practice][0]["words"]

    def changed(self, numbers, **fields):
        """Returns the log with other fields in these lines, from 0."""
        return [{**line, **fields} if n in numbers else line for n, line in enumerate(self.log)]

    def pair(self, wanted):
        """Returns the departure and the end, from 0, of the last request that is wanted."""
        last = [(n, line) for n, line in enumerate(self.log) if line["event"] == "end" and wanted(line)][-1]
        departs = [n for n, line in enumerate(self.log[:last[0]])
                   if line["event"] == "depart" and line["request"] == last[1]["request"]]
        return departs[-1], last[0]

    def now(self, hours=0):
        at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=hours)
        return at.strftime("%Y-%m-%dT%H:%M:%SZ")

    def ranges(self, hours=0, prefixes=({"ipv4Prefix": "192.0.2.0/24", "services": []},
                                        {"ipv4Prefix": "192.0.2.64/26"}, {"ipv6Prefix": "2001:db8::/33"}), **fields):
        return self.write("ranges.json", json.dumps({"creationTime": self.now(hours), "prefixes": prefixes, **fields}))

    def test_a_good_crawl_and_what_breaks_it(self):
        self.crawl_well()
        said = self.audit("--records", "pages.jsonl", "--ranges", self.ranges(notes="x"), "--address", "192.0.2.70",
                          status=0)
        statuses = {name: row["status"] for name, row in said.items()}
        self.assertEqual(statuses, {name: "unknown" if name in SEEN_BY_OTHERS else "kept" for name in statuses}, said)
        self.assertEqual(said["address"]["words"], "192.0.2.70 is in 192.0.2.64/26")
        self.assertEqual({name for name, row in self.audit(status=0).items() if row["status"] == "unknown"},
                         SEEN_BY_OTHERS | OPTIONAL)
        self.it_is_no_empty_proof()
        for check in (self.robots_txt, self.user_agent, self.urls, self.patience, self.whole_log):
            check()

    def it_is_no_empty_proof(self):
        """Checks that the crawl had occasion to violate each practice."""
        ends = self.exchanges()
        self.assertTrue(any("conditional" in line for line in ends))
        self.assertTrue({429, 503, 500} <= {line["status"] for line in ends})
        self.assertTrue(any(line["retry_after"] for line in ends))
        rules = {line["rules"] for line in ends if line["kind"] == "robots" and "site" in line["host"]}
        self.assertEqual({len(text.splitlines()) for text in rules}, {2})
        self.assertIn("/schl%C3%BCssel", rules.pop())

    def robots_txt(self):
        host = self.nginx.url(HOSTS[1], "")
        page = self.pair(lambda line: line["host"] == host and line["kind"] == "page")
        forbidden = self.changed(page, url=host + "/secret/a.html")
        self.assertIn("/secret/", self.expect_broken("robots-obeyed", forbidden, page[0] + 1))
        key = self.changed(page, url=host + "/schl%C3%BCssel.html")
        self.expect_broken("robots-obeyed", key, page[0] + 1)
        asked = self.pair(lambda line: line["host"] == host and line["kind"] == "robots")
        self.expect_broken("robots-obeyed", self.changed(asked, status=500, rules=None))
        self.expect_broken("robots-first", self.changed(asked, kind="sitemap"), asked[0] + 1)
        away = self.changed([0], robots=False)
        self.assertIn("--no-robots", self.expect_broken("robots-first", away, 1))
        begins = [n for n, line in enumerate(self.log) if line["event"] == "run"][1]
        later = [{name: value + 25 * HOUR_MS if name in ("start", "end", "hold_until") and value else value
                  for name, value in line.items()} if n >= begins else line for n, line in enumerate(self.log)]
        self.assertIn("25.0 hours", self.expect_broken("robots-day", later))
        second = self.audit(log=self.log[begins:])
        self.assertEqual(second["robots-first"]["status"], "unknown", "the first run has asked for it")

    def user_agent(self):
        runs = [n for n, line in enumerate(self.log) if line["event"] == "run"]
        self.expect_broken("agent-url", self.changed(runs, user_agent="Testbot/1.0"), 1)
        self.expect_broken("agent-name", self.changed(runs, robots_agent="other"), 1)
        self.expect_broken("agent-name", self.changed(runs, robots_agent="crawl", user_agent="crawl/1 +https://b/"), 1)
        other = "Otherbot testbot (+https://bot.example/)"
        self.expect_broken("agent-same", self.changed(runs[1:], user_agent=other), runs[1] + 1)
        self.audit(log=self.changed(runs[1:], user_agent=AGENT.replace("1.0", "1.1")), status=0)
        self.assertEqual(self.audit()["identity"]["words"], "no wall answered")
        self.write("behind.jsonl", '{"url":"http://a/","error":"wall","fetched_at":"2026-01-01T00:00:00.000Z"}\n')
        said = self.audit("--records", "behind.jsonl", log=self.log)  # behind the wall of a robots.txt
        self.assertEqual(said["identity"]["words"], "")
        walled = self.changed([runs[1] - 2], hold_by="wall")
        walled[runs[1]] = {**walled[runs[1]], "user_agent": other}
        said = self.audit(log=walled, status=1)
        self.assertEqual({name for name, row in said.items() if row["status"] == "broken"}, {"agent-same", "identity"})
        self.expect_broken("agent-same", self.changed([0], other_agents=True), 1)

    def urls(self):
        host = self.nginx.url(HOSTS[2], "")
        page = self.pair(lambda line: line["host"] == host and line["kind"] == "page" and "conditional" in line)
        self.expect_broken("challenges", self.changed(page, url=host + "/cdn-cgi/challenge-platform/x"), page[0] + 1)
        self.expect_broken("depth", self.changed(page, depth=9), page[0] + 1)
        self.expect_broken("conditional", self.changed(page, conditional=False), page[0] + 1)
        departs = [n for n, line in enumerate(self.log) if line["event"] in ("depart", "end")]
        self.expect_broken("methods", self.changed(departs, method="POST"))

    def patience(self):
        asked = self.pair(lambda line: line["status"] == 503)
        again = self.pair(lambda line: line["url"] == self.log[asked[0]]["url"] and line["attempt"] == 2)
        words = self.expect_broken("back-off", self.changed(again, pause=self.log[asked[0]]["pause"]), again[0] + 1)
        self.assertIn(f"line {asked[1] + 1}", words)
        failed = self.pair(lambda line: line["status"] == 500 and line["hold_by"])
        self.expect_broken("back-off", self.changed(failed, hold_by=None, hold_until=None), failed[1] + 1)
        later = [n for n, line in enumerate(self.log) if line["event"] == "end" and line["retry_after"]][0]
        self.expect_broken("retry-after", self.changed([later], retry_after=30000.0))
        host = self.nginx.url(HOSTS[2], "")
        page = self.pair(lambda line: line["host"] == host and line["kind"] == "page")
        self.expect_broken("pause", self.changed(page, pause=1e6), page[0] + 1)
        self.assertIn("--delay 0", self.expect_broken("pause", self.changed(page, pause=0.0), page[0] + 1))

    def whole_log(self):
        page = self.pair(lambda line: line["kind"] == "page")
        self.expect_broken("log", [line for n, line in enumerate(self.log) if n not in page])

    @staticmethod
    def made(times, host="http://a.localhost", **fields):
        """Makes a log of visits of one page at these seconds, each of which takes a second."""
        run = {"event": "run", "program": "crawl", "start": 1e12, "user_agent": AGENT, "robots_agent": "Testbot",
               "depth": 3, "workers": 1}
        log = [run]
        for n, at in enumerate([0] + times):
            url = host + ("/page" if n else "/robots.txt")
            start = 1e12 + at * 1000
            line = {"request": n + 1, "host": host, "ip": None, "url": url, "kind": "page" if n else "robots",
                    "seq": n + 1, "attempt": 1, "sent": True, "start": start, "pause": 250.0, "pause_by": "delay",
                    "limit": 2, "per_ip": False, "probe": False, **fields}
            end = {"end": start + 1000, "status": 200, "error": None, "retry_after": None, "hold_until": None,
                   "hold_by": None}
            log += [{"event": "depart", **line}, {"event": "end", **line, **end}]
        return log + [{"event": "run-end", "end": 1e12 + max(times + [0]) * 1000 + 1000, "requests": len(times) + 1}]

    def test_a_page_asked_too_often(self):
        self.audit(log=self.made(list(range(600, 4200, 600))), status=0)
        self.expect_broken("revisits", self.made(list(range(100, 800, 100))), 16)

    def test_a_page_asked_twice_at_once(self):
        log = self.made([10, 10.5])
        log[4], log[5] = log[5], log[4]
        self.expect_broken("same-resource", log, 5)
        log[4] = {**log[4], "method": "HEAD"}
        log[6] = {**log[6], "method": "HEAD"}
        self.audit(log=log, status=0)

    def test_forms_sent_to_one_url(self):
        """They differ in their bodies, which no log has."""
        log = self.made(list(range(100, 800, 100)), method="POST")
        log[4], log[5] = log[5], log[4]
        said = self.audit(log=log, status=1)
        self.assertEqual([name for name, row in said.items() if row["status"] == "broken"], ["methods"])

    def test_more_at_once_than_allowed(self):
        log = self.made([10, 10.5], limit=1)
        log[4], log[5] = ({**line, "url": line["url"] + "2"} if line["event"] == "depart" else line
                          for line in (log[5], log[4]))
        log[6] = {**log[6], "url": log[6]["url"] + "2"}
        self.expect_broken("at-once", log, 5)

    def test_a_log_without_what_is_asked_for(self):
        """For a log of an earlier version there is no verdict without evidence."""
        log = [{name: value for name, value in line.items() if name not in ("user_agent", "robots_agent", "depth")}
               for line in self.made([10])]
        said = self.audit(log=log, status=0)
        for name in ("agent-name", "agent-url", "agent-same", "identity", "depth", "conditional", "methods",
                     "robots-obeyed"):
            self.assertEqual(said[name]["status"], "unknown", name)

    def test_what_the_log_has_for_it(self):
        """A robots.txt that redirects elsewhere counts for the original site, and an external link is checked by
        HEAD."""
        other = self.serve(Site({"/": "", "/rules": Answer("User-agent: *\nDisallow: /no\n")}))
        site = self.serve(Site({"/robots.txt": Redirect(other.url("other.localhost", "/rules")),
                                "/": f"<a href=/a><a href=/no><a href={other.url('other.localhost', '/')}>",
                                "/a": "x"}))
        self.write("crawler.conf", "[host site.localhost]\nheader = User-Agent: Another\n")
        result = self.crawl("--requests", "requests.jsonl", "--allow-private", "--check-external", "--depth", "7",
                            site.url("site.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        self.log = self.records("requests.jsonl")
        self.assertEqual({name: self.log[0][name] for name in ("robots_agent", "depth", "other_agents")},
                         {"robots_agent": "crawl", "depth": 7, "other_agents": True})
        ends = {line["url"].split("/", 3)[3]: line for line in self.exchanges() if line["status"] != 404}
        self.assertEqual(ends["rules"]["site"], site.url("site.localhost", ""))
        self.assertEqual(ends["rules"]["rules"], "2: Disallow: /no\n")
        self.assertEqual(ends["a"]["depth"], 1)
        self.assertIn("HEAD", [line.get("method") for line in self.exchanges()])
        said = self.audit(status=1)
        broken = [name for name, row in said.items() if row["status"] == "broken"]
        self.assertEqual(broken, ["agent-name", "agent-url", "agent-same"])
        pair = self.pair(lambda line: line["url"].endswith("/a"))
        no = self.changed(pair, url=site.url("site.localhost", "/no"))
        self.assertEqual(self.audit(log=no)["robots-obeyed"]["first"][0]["line"], pair[0] + 1)

    def test_what_a_crawl_without_settings_is_told(self):
        result = self.crawl("--requests", "requests.jsonl", "--quiet", self.wild.url("plain.localhost", "/page"))
        self.assertEqual(result.status, 0, result.stderr)
        result = self.crawl("audit", "--practices", "requests.jsonl")
        self.assertEqual(result.status, 1, result.stdout)
        broken = [line for line in result.stdout.splitlines() if line.startswith("BROKEN")]
        self.assertEqual(len(broken), 2, result.stdout)
        self.assertIn('set user_agent = "NAME/1.0 (+https://...)"', result.stdout)

    def test_records(self):
        self.write("pages.jsonl", '{"url":"http://a/","robots":["nofollow"],"parent":null}\n'
                                  '{"url":"http://a/x.css","robots":[],"parent":"http://a/","requisite":true}\n')
        said = self.audit("--records", "pages.jsonl", log=self.made([10]), status=0)
        self.assertEqual(said["nofollow"]["words"], "1 pages of 2 records say so")
        with open(self.path("pages.jsonl"), "a", encoding="utf-8") as file:
            file.write('{"url":"http://a/b","robots":[],"parent":"http://a/"}\n')
        words = self.expect_broken("nofollow", self.made([10]), None, "--records", "pages.jsonl")
        self.assertIn("record 3: http://a/b", words)
        result = self.crawl("audit", "--practices", "--records", self.write("none", "[]\n"),
                            stdin=harness.chained(self.made([10])))
        self.assertEqual((result.status, result.stdout), (2, ""))
        self.assertIn("line 1 is not a record", result.stderr)

    def test_ranges(self):
        log = self.made([10])
        self.assertIn("no prefix", self.expect_broken("address", log, None, "--ranges", self.ranges(), "--address",
                                                      "2001:db8:8000::1"))
        said = self.audit("--ranges", self.ranges(), "--address", "2001:db8:7fff::1", log=log, status=0)
        self.assertEqual(said["address"]["words"], "2001:db8:7fff::1 is in 2001:db8::/33")
        self.assertIn("25.0 hours", self.expect_broken("ranges", log, None, "--ranges", self.ranges(25)))
        both = ({"ipv4Prefix": "192.0.2.0/24", "ipv6Prefix": "2001:db8::/32"}, {}, {"ipv4Prefix": "192.0.2.0/33"},
                {"ipv6Prefix": "2001:db8::/32"})
        self.assertIn("3 of 4", self.expect_broken("ranges", log, None, "--ranges", self.ranges(prefixes=both)))
        for text in ("[]", "{", '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}',
                     f'{{"creationTime":"{self.now()}"}}', f'{{"creationTime":"{self.now()}","prefixes":[]}}',
                     f'{{"creationTime":"{self.now(-2)}","prefixes":[{{"ipv4Prefix":"192.0.2.0/24"}}]}}'):
            self.expect_broken("ranges", log, None, "--ranges", self.write("wrong.json", text))

    def test_options(self):
        for args, why in ((("--ranges", "x"), "are for --practices"),
                          (("--practices", "--address", "192.0.2.1"), "needs --ranges"),
                          (("--practices", "a", "b"), "one FILE"),
                          (("--practices", "--nginx", "--delay", "1s"), "one FILE at most, of --requests"),
                          (("--practices", "--ranges", self.ranges(), "--address", "me"), "expected an IP address")):
            result = self.crawl("audit", *args, stdin="")
            self.assertEqual(result.status, 2, args)
            self.assertIn(why, result.stderr)


if __name__ == "__main__":
    harness.main()
