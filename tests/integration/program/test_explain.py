#!/usr/bin/env python3
"""Tests that crawl explain gives each verdict with the rule that decided it, and that a crawl with the same settings
confirms it."""
import json
import re
import unittest

import harness


class Explain(harness.TestCase):
    def rows(self, *args, stdin=None, status=0):
        result = self.crawl("explain", "--jsonl", *args, stdin=stdin)
        self.assertEqual(result.status, status, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def check(self, name, verdict, rule, *args, status=None):
        """Checks one line of the answer. The last argument is a URL."""
        row, = self.rows(*args, status=status if status is not None else int(verdict == "refuse"))
        found = {check["name"]: (check["verdict"], check["rule"]) for check in row["checks"]}
        self.assertEqual(found[name], (verdict, rule))
        return row

    def test_steps_and_keys(self):
        row, = self.rows("--drop-params", "utm_*", "HTTP://H.example:80/a/../%7e?b=1&utm_x=2&a#f")
        self.assertEqual(row["href"], "http://h.example/%7e?b=1&utm_x=2&a")
        self.assertEqual([step["step"] for step in row["steps"]], [
            "parsed by the URL standard", "fragment dropped", "escapes of the path unified",
            "escapes of the query unified, empty pairs dropped",
            "parameters and session ids dropped", "query sorted"])
        self.assertEqual(row["steps"][-1]["text"], row["canonical"])
        self.assertEqual(row["canonical"], "http://h.example/~?a=&b=1")
        answer = self.crawl("url", "--jsonl", stdin=json.dumps({"input": row["canonical"]}) + "\n")
        self.assertEqual(row["fingerprint"], json.loads(answer.stdout)["fingerprint"])
        self.assertEqual(self.rows("http://h.example/")[0]["steps"], [])

    def test_fingerprint_and_profile_of_the_configuration(self):
        row, = self.rows("--set", "seen.fingerprint=scrapy-2.7", "http://example.org")
        self.assertEqual(row["fingerprint"], "7873d70c33756a15fed7649ba909e064bf9c5844")

    def test_depth(self):
        self.check("depth", "pass", "crawl.depth = 2, found at depth 2", "--depth", "2", "--at-depth", "2", "http://h/")
        self.check("depth", "refuse", "crawl.depth = 2, found at depth 3", "--depth", "2", "--at-depth=3", "http://h/")
        self.check("depth", "refuse", "crawl.depth = 0: only the seeds", "--depth", "0", "http://h/")
        self.check("depth", "pass", "a seed, at depth 0", "--depth", "0", "--seed", "http://H/#x", "http://h/")
        self.write("seeds", '{"url": "http://h/", "depth": 1}\n')
        self.check("depth", "pass", "a seed, at depth 1", "--seeds", "seeds", "http://h/")
        self.check("depth", "unknown", "crawl.depth = 3: fetched if found at most that many links away from a seed "
                                       "(--at-depth N says where)", "http://h/")

    def test_scope(self):
        seed = ("--seed", "http://www.example.com/a/b")
        self.check("scope", "unknown", "crawl.scope = domain, and no seed is named (--seed URL, --seeds FILE)",
                   "http://h/")
        self.check("scope", "pass", "crawl.scope = domain: example.com, of the seed http://www.example.com/a/b", *seed,
                   "https://x.example.com/")
        self.check("scope", "refuse", "crawl.scope = domain: no seed is in example.org", *seed, "http://example.org/")
        self.check("scope", "pass", "crawl.scope = host: www.example.com, of the seed http://www.example.com/a/b",
                   *seed, "--scope", "host", "http://www.example.com/")
        self.check("scope", "refuse", "crawl.scope = host: no seed is in x.example.com", *seed, "--scope", "host",
                   "http://x.example.com/")
        prefix = (*seed, "--seed", "http://other.example/", "--scope", "prefix")
        self.check("scope", "pass", "crawl.scope = prefix: http://www.example.com/a/, of the seed "
                                    "http://www.example.com/a/b", *prefix, "http://www.example.com/a/x/y")
        self.check("scope", "pass", "crawl.scope = prefix: http://other.example/, of the seed http://other.example/",
                   *prefix, "http://other.example/a")
        self.check("scope", "refuse", "crawl.scope = prefix: no seed is in http://www.example.com/", *prefix,
                   "http://www.example.com/ab")
        self.check("scope", "pass", "crawl.scope = any", *seed, "--scope", "any", "http://example.org/")
        self.check("scope", "pass", "a seed", *seed, "http://www.example.com/a/b")

    def test_patterns(self):
        rules = ("--exclude", "[.]pdf$", "--include", "/keep/", "--exclude", "x=1")
        self.check("patterns", "pass", "no crawl.include and no crawl.exclude", "http://h/a.pdf")
        self.check("patterns", "refuse", "crawl.exclude = [.]pdf$", *rules, "http://h/a.pdf")
        self.check("patterns", "pass", "crawl.include = /keep/", *rules, "http://h/keep/a.pdf")
        self.check("patterns", "refuse", "crawl.exclude = x=1", *rules, "http://h/keep/?x=%31")
        self.check("patterns", "pass", "no pattern matches, and the first is an exclude", *rules, "http://h/")
        self.check("patterns", "refuse", "no pattern matches, and the first is an include", "--include", "a",
                   "http://h/")
        self.check("patterns", "pass", "a seed", *rules, "--seed", "http://h/a.pdf", "http://h/a.pdf")

    def test_parts_of_pages(self):
        """With --requisites a part is fetched at the depth of its page, from any host and without an include; the links
        file says which URL is a part."""
        self.write("links.jsonl", json.dumps({"from": "http://a.example/p", "to": "http://b.example/i.png",
                                              "tag": "img", "attr": "srcset", "depth": 0,
                                              "requisite": True, "verdict": "new"}) + "\n")
        seed = ("--seed", "http://a.example/p", "--depth", "0")
        known = (*seed, "--records", "links.jsonl")
        part, rule = "http://b.example/i.png", "crawl.requisites = true: a part of http://a.example/p, by img srcset"
        row = self.check("scope", "pass", rule, "--requisites", *known, "--include", "/p", part)
        self.assertIn({"name": "depth", "verdict": "pass", "rule": rule}, row["checks"])
        self.assertIn({"name": "patterns", "verdict": "pass",
                       "rule": "no pattern matches, and the first is an include; but a part of a page needs none"},
                      row["checks"])
        self.check("patterns", "refuse", "crawl.exclude = png", "--requisites", *known, "--exclude", "png", part)
        self.check("scope", "refuse", "crawl.scope = domain: no seed is in b.example", *known, part)
        but = "; but fetched if it is a part of a page (crawl.requisites; --records LINKS says that)"
        self.check("scope", "unknown", "crawl.scope = domain: no seed is in b.example" + but, "--requisites",
                   *seed, part)
        self.check("depth", "unknown", "crawl.depth = 0: only the seeds" + but, "--requisites", *seed, part)

    def test_robots(self):
        self.write("robots.txt", "User-agent: *\nDisallow: /no # here\nAllow: /no/but\n\nUser-agent: examplebot\n"
                                 "Disallow: /bot\n")
        robots = ("--robots", "robots.txt")
        self.check("robots", "unknown", "no robots.txt is named (--robots FILE)", "http://h/")
        self.check("robots", "refuse", "robots.txt:2: Disallow: /no", *robots, "http://h/no/x")
        self.check("robots", "pass", "robots.txt:3: Allow: /no/but", *robots, "http://h/no/but")
        self.check("robots", "pass", "robots.txt: no rule for crawl", "--robots=robots.txt", "http://h/")
        self.write("ai.txt", "User-agent: *\nContent-Usage: /a train-ai=n, search=y\n")
        self.check("robots", "pass", "ai.txt: no rule for crawl; of its use: train-ai=n (line 2), search=y (line 2)",
                   "--robots", "ai.txt", "http://h/a")
        self.check("robots", "pass", "ai.txt: no rule for crawl", "--robots", "ai.txt", "http://h/b")
        bot = ("--set", "politeness.robots_agent=ExampleBot")
        self.check("robots", "refuse", "robots.txt:6: Disallow: /bot", *robots, *bot, "http://h/bot")
        self.check("robots", "pass", "robots.txt: no rule for ExampleBot", *robots, *bot, "http://h/no")
        self.check("robots", "refuse", "robots.txt:6: Disallow: /bot", *robots, "--user-agent", "ExampleBot/1.0",
                   "http://h/bot")
        self.check("robots", "pass", "politeness.robots = false: not obeyed", *robots, "--no-robots", "http://h/no")
        self.check("robots", "refuse", "robots.txt:2: Disallow: /no", *robots, "--seed", "http://h/no", "http://h/no")

    def test_address(self):
        private = "fetch.allow_private = false: not a public address, and no seed names it"
        for url in ("http://127.0.0.1/", "http://0x7f.1:8080/", "http://[::1]/", "http://169.254.169.254/latest",
                    "http://localhost/", "http://a.localhost/"):
            self.check("address", "refuse", private, url)
        self.check("address", "pass", "fetch.allow_private = true", "--allow-private", "http://127.0.0.1/")
        seed = ("--seed", "http://127.0.0.1:81/")
        self.check("address", "pass", "a seed names the host", *seed, "http://127.0.0.1:81/a")
        self.check("address", "pass", "a seed names the host", *seed, "--private-ports", "80", "http://127.0.0.1/a")
        self.check("address", "refuse", "the host is at a private address, and no seed names this port of it; see "
                                        "politeness.private_ports", *seed, "http://127.0.0.1/a")
        self.check("address", "pass", "politeness.internal_hosts names the host", "--internal-hosts", "*.corp.example",
                   "http://a.corp.example/")
        blocked = "port 25: browsers block this port, and no seed names it for this host"
        for url in ("http://9.9.9.9:25/", "http://h:25/", "http://127.0.0.1:25/"):
            self.check("address", "refuse", blocked, "--allow-private", "--seed", "http://h/", "--seed",
                       "http://x:25/", url)
        self.check("address", "pass", "a name: its address is checked when connecting", "--seed", "http://h:25/",
                   "http://h:25/a")
        for url in ("http://9.9.9.9/", "http://[2620:fe::fe]/"):
            self.check("address", "pass", "a public address", url)
        for url in ("http://h.a1/", "http://notlocalhost/"):
            self.check("address", "pass", "a name: its address is checked when connecting", url)

    def test_verdicts_and_status(self):
        self.write("robots.txt", "")
        known = ("--seed", "http://h/", "--at-depth", "1", "--robots", "robots.txt")
        self.assertEqual(self.rows(*known, "http://h/a")[0]["verdict"], "pass")
        self.assertEqual(self.rows("http://h/a")[0]["verdict"], "unknown")
        self.assertEqual([row["verdict"] for row in self.rows(*known, "http://h/a", "http://x/", "http://h/b",
                                                              status=1)], ["pass", "refuse", "pass"])

    def test_what_is_no_url(self):
        rows = self.rows("h/a", "mailto:a@h", "http://h:99999/", status=1)
        self.assertEqual([(row["url"], row["verdict"], row["error"]) for row in rows], [
            ("h/a", "refuse", "not an absolute URL"), ("mailto:a@h", "refuse", "not an http or https URL"),
            ("http://h:99999/", "refuse", "not an absolute URL")])

    def test_from_standard_input(self):
        self.assertEqual([row["url"] for row in self.rows(stdin="http://h/1\nhttp://h/2\r\n")],
                         ["http://h/1", "http://h/2"])

    def test_for_people(self):
        self.write("robots.txt", "User-agent: *\nDisallow: /\x1b[2J\n")
        result = self.crawl("explain", "--seed", "http://h/", "--robots", "robots.txt", "http://H/?b&a",
                            "http://h/\x1b[2J", "x\x07y")
        self.assertEqual(result.status, 1)
        for words in ("    -> http://h/?a=&b=  (query sorted)\n", "  canonical   http://h/?a=&b=\n",
                      "\n  fetched, as far as is known: depth: crawl.depth = 3: ",
                      "\n  not fetched: robots: robots.txt:2: Disallow: /",
                      "x\\x07y\n  not fetched: not an absolute URL\n"):
            self.assertIn(words, result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        self.assertNotIn("\x07", result.stdout)

    def test_configuration(self):
        self.write("crawler.conf", "[crawl]\ndepth = 1\n")
        self.write("other.conf", "[crawl]\ndepth = 5\nexclude = secret\n")
        self.check("depth", "pass", "crawl.depth = 1, found at depth 1", "--at-depth", "1", "http://h/")
        self.check("depth", "pass", "crawl.depth = 5, found at depth 1", "--config", "other.conf", "--at-depth", "1",
                   "http://h/")
        self.check("depth", "pass", "crawl.depth = 7, found at depth 1", "--config", "other.conf", "--at-depth", "1",
                   "--depth", "7", "http://h/")
        self.check("patterns", "refuse", "crawl.exclude = secret", "--config", "other.conf", "--", "http://h/secret")

    def test_usage(self):
        for args, words in (
                (("--nonsense", "http://h/"), "unknown option"), (("--seed", "h.example/a", "http://h/"),
                                                                  "write https://h.example/a"),
                (("--seed",), "--seed: needs a value"), (("--jsonl=1", "http://h/"), "takes no value"),
                (("--at-depth", "-1", "http://h/"), "whole number"),
                (("--at-depth", "1x", "http://h/"), "whole number"), (("--seeds", "missing", "http://h/"),
                                                                      "missing: No such file"),
                (("--include", "(", "http://h/"), 'include "("'), (("--config", "missing.conf", "http://h/"),
                                                                   "missing.conf"),
                (("--seeds", "-", "--robots", "-", "http://h/"), "cannot all come from standard input"),
                (("--seeds", "-"), "cannot all come"),
                (("--seed", "http://h/", "--seed", "mailto:a", "http://h/"), "not http or https: mailto:a")):
            with self.subTest(args):
                result = self.crawl("explain", *args)
                self.assertEqual((result.status, result.stdout), (2, ""))
                self.assertIn(words, result.stderr)
        self.assertEqual(self.crawl("explain", "--robots", "missing", "http://h/").status, 4)
        for args in (("help", "explain"), ("explain", "--help"), ("explain", "--seed", "http://h/", "--help")):
            result = self.crawl(*args)
            self.assertEqual((result.status, result.stderr), (0, ""))
            self.assertIn("--at-depth N", result.stdout)
        self.assertIn("crawl explain", self.crawl("help").stdout)


class Agreement(harness.TestCase):
    """A crawl requests exactly the URLs that explain predicts."""

    def test_a_crawl_does_the_same(self):
        names = ["a.html", "b.pdf", "keep/c.pdf", "no/d.html", "no/but/e.html", "f.html?x=1"]
        files = {name.split("?")[0]: name for name in names}
        files["index.html"] = "".join(f"<a href='/{name}'>a</a>"
                                      for name in names) + "<a href=http://127.0.0.1:9/>p</a>"
        files["robots.txt"] = "User-agent: *\nDisallow: /no/\nAllow: /no/but/\n"
        self.nginx = self.start_nginx({"a.localhost": self.make_site(files)})
        self.addCleanup(self.nginx.stop)
        seed = self.nginx.url("a.localhost", "/")
        settings = ("--exclude", "[.]pdf$", "--include", "/keep/", "--exclude", "x=1")
        self.crawl("--delay", "0", *settings, seed)
        asked = {request.uri for request in self.nginx.requests("a.localhost")} - {"/", "/robots.txt"}
        urls = [self.nginx.url("a.localhost", "/" + name) for name in names]
        result = self.crawl("explain", "--jsonl", *settings, "--seed", seed, "--at-depth", "1", "--robots",
                            "site/robots.txt", *urls)
        self.assertEqual(result.status, 1)
        passed = {row["url"].split("/", 3)[3] for row in map(json.loads, result.stdout.splitlines())
                  if row["verdict"] == "pass"}
        self.assertEqual({"/" + path for path in passed}, asked)
        self.assertEqual(passed, {"a.html", "keep/c.pdf", "no/but/e.html"})


class State(harness.TestCase):
    """The directory of a crawl adds its options, scope, robots.txt, seen-set, queue and sites."""

    def rows(self, *urls):
        result = self.crawl("explain", "--jsonl", "--state", "st", *urls)
        self.assertLessEqual(result.status, 1, result.stderr)
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        return [(row, {check["name"]: (check["verdict"], check["rule"]) for check in row["checks"]}) for row in rows]

    def crawl_some(self, *options):
        names = ["a.html", "b.html", "c.html", "no/d.html", "x.pdf"]
        files = {"index.html": "".join(f"<a href='/{name}'>a</a>" for name in names),
                 "robots.txt": "User-agent: *\nDisallow: /no/\n"}
        files.update({name: "" for name in names})
        self.nginx = self.start_nginx({"a.localhost": self.make_site(files)},
                                      "location /later { add_header Retry-After 604800 always; return 429; }")
        self.addCleanup(self.nginx.stop)
        self.home = self.nginx.url("a.localhost", "/")
        self.crawl("--state", "st", "--delay", "0", "--workers", "1", "--exclude", "[.]pdf$", *options)
        return self.home

    def test_what_was_fetched_and_what_is_queued(self):
        home = self.crawl_some()
        self.crawl("--state", "st", "--delay", "0", "--exclude", "[.]pdf$", "--connections", "1", "--max-pages",
                   "2", home)
        fetched, queued, forbidden, new, pdf, elsewhere = self.rows(home,
                                                                    *(home + n
                                                                      for n in ("c.html", "no/d.html", "new.html",
                                                                                "x.pdf")), "http://h/")
        self.assertEqual(fetched[1]["seen"][0], "refuse")
        self.assertRegex(fetched[1]["seen"][1], r"^seen before, and done: fetched or refused; held by the filter, "
                                                r"chance of error [0-9.e-]+$")
        self.assertEqual(queued[1]["seen"], ("pass", f"queued, attempt 1, behind 1 of its host, found on {home}"))
        self.assertEqual(queued[1]["depth"], ("pass", "crawl.depth = 3, queued at depth 1"))
        self.assertEqual(queued[1]["host"], ("pass", "may be asked"))
        self.assertEqual(queued[0]["verdict"], "pass")
        self.assertEqual(forbidden[1]["robots"], ("refuse", "robots.txt:2: Disallow: /no/"))
        self.assertEqual(new[1]["seen"], ("pass", "not seen before"))
        self.assertEqual(new[1]["scope"], ("pass", f"crawl.scope = domain: a.localhost, of the seed {home}"))
        self.assertEqual(pdf[1]["patterns"], ("refuse", "crawl.exclude = [.]pdf$"))
        self.assertEqual(elsewhere[1]["scope"][0], "refuse")
        self.assertEqual(elsewhere[1]["host"], ("pass", "was never asked"))
        self.assertEqual(elsewhere[1]["robots"], ("unknown", "robots.txt was not fetched yet"))
        shape = self.rows(home + "x/" * 60)[0][1]["shape"]
        self.assertEqual(shape[0], "refuse")

    def test_which_filter_holds_a_url(self):
        nginx = self.start_nginx({"a.localhost": self.make_site({"robots.txt": "User-agent: *\nDisallow: /\n"})})
        urls = [nginx.url("a.localhost", f"/{n}") for n in range(3900)]
        self.write("seeds", "".join(url + "\n" for url in urls))
        for kind, name, count in (("scalable", "filter", 2), ("counting", "filter", 2), ("rotating", "generation", 4),
                                  ("table", "", 1), ("exact", "", 1)):
            size = "4k" if kind == "rotating" else "1k"
            self.crawl("--state", kind, "--seeds", "seeds", "--delay", "0", "--seen", kind, "--capacity", size,
                       "--workers", "1", "--quiet")
            rules = []
            for url in (urls[0], urls[-1]):
                result = self.crawl("explain", "--state", kind, "--jsonl", url)
                checks = {c["name"]: c for c in json.loads(result.stdout)["checks"]}
                self.assertEqual(checks["seen"]["verdict"], "refuse")
                rules.append(checks["seen"]["rule"])
            held = [re.search(r"; held by (?:(filter|generation) (\d+) of (\d+)|the filter), chance of error "
                              r"([0-9.e-]+)$", rule) for rule in rules]
            self.assertTrue(all(held), rules)
            self.assertTrue(all(0 < float(h[4]) < 1e-3 for h in held), rules)
            if name:
                self.assertEqual([(h[1], int(h[2])) for h in held], [(name, 1), (name, int(held[1][3]))], rules)
                self.assertGreaterEqual(int(held[1][3]), count)
            else:
                self.assertEqual(held[0][1], None)

    def test_a_host_that_asked_to_stay_away(self):
        home = self.crawl_some()
        self.crawl("--state", "st", "--delay", "0", home + "later")
        (_, checks), = self.rows(home + "a.html")
        self.assertEqual(checks["host"][0], "refuse")
        self.assertRegex(checks["host"][1], r"^asked us to stay away until 20\d\d-.*Z, longer than "
                                            r"politeness.max_retry_delay$")

    def test_what_a_crawl_recorded(self):
        """A host that was given up is forgotten, except in its records; invalid lines are ignored."""
        port = harness.free_port()
        urls = [f"http://down.localhost:{port}/{n}" for n in range(4)]
        self.crawl("--state", "st", "--output", "pages.jsonl", "--no-robots", "--per-host", "1", "--delay", "0",
                   "--retries", "0", "--seen", "exact",
                   "--set", "politeness.give_up=2", "--set", "politeness.backoff=1ms", *urls)
        self.write("good.jsonl", json.dumps({**self.records("pages.jsonl")[0], "status": 200, "error": None}) + "\n")
        with open(self.path("pages.jsonl"), "a", encoding="utf-8") as file:
            file.write('\n{"fingerprint":"00"}\nno JSON\n[1]\n{"verdict":"new","to":5}\n{"fingerprint":')
        lines = [self.crawl("explain", "--state", "st", "--records", "pages.jsonl", url).stdout.splitlines()[1]
                 for url in urls]
        self.assertRegex(lines[0], r"^  not fetched again: record: connect: .*, on 20\d\d-.*Z, depth 0, attempt 1$")
        self.assertRegex(lines[3], r"^  not fetched: record: given-up: .*, on 20\d\d-.*Z, depth 0, attempt 1$")
        alone = self.crawl("explain", "--records", "good.jsonl", "--seed", urls[0], urls[0]).stdout.splitlines()
        self.assertTrue(alone[1].startswith("  not fetched again: record: status 200"), alone[1])
        new, = self.rows(urls[0] + "x")
        self.assertEqual(new[1]["seen"], ("pass", "not seen before, or forgotten"))
        self.assertNotIn("record", new[1])
        (row, checks), = self.rows("--records=pages.jsonl", urls[0] + "x")
        self.assertEqual(checks["record"], ("pass", "no record, and no link to it"))
        self.assertEqual((row["verdict"], row["by"]), ("unknown", "depth"))
        missing = self.crawl("explain", "--records", "missing", "http://h/")
        self.assertEqual((missing.status, missing.stderr), (4, "crawl explain: missing: No such file or directory\n"))

    def test_no_directory(self):
        result = self.crawl("explain", "--state", "nothing", "http://h/")
        self.assertEqual((result.status, result.stderr), (4, "crawl explain: nothing: No such file or directory\n"))
        self.write("other/note.txt", "")
        result = self.crawl("explain", "--state", "other", "http://h/")
        self.assertEqual((result.status, result.stderr), (4, "crawl explain: other: holds no frontier\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
