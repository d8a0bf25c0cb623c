#!/usr/bin/env python3
"""Tests crawls that outlive their process: --state, and crawl inspect. test_state_damage.py has damage, kill_resume.py
kills at random moments."""
import collections
import glob
import json
import os
import re
import shutil
import signal
import subprocess

import harness
import warc_reader
from kept_crawl import COUNT, KeptCrawl, tree


class State(KeptCrawl):
    def test_stopped_and_resumed_by_its_directory_alone(self):
        """The crawl resumes with its options, appends to the records, requests nothing twice, and ends."""
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                shutil.rmtree(self.path("st"), ignore_errors=True)
                url = self.site()
                status, stderr = self.end(self.begin(url), number)
                self.assertEqual(status, 3, stderr)
                self.assertIn("crawl: stopped; resume with: crawl --state st\n", stderr)
                before = self.records("pages.jsonl")
                self.assertTrue(0 < len(before) < COUNT)
                summary = self.inspect()
                self.assertIn("closed", summary)
                self.assertRegex(summary, r"\ndisk  +[1-9][0-9.]* KiB database, [1-9][0-9.]* (B|KiB) its write-ahead "
                                          r"log, ")
                result = self.crawl("--state", "st")
                self.assertEqual(result.status, 0, result.stderr)
                self.assertIn(f"going on with {self.queued(stderr)} requests on 1 host; {len(before)} finished",
                              result.stderr)
                self.assertEqual(self.records("pages.jsonl")[:len(before)], before)
                self.expect_all()
                self.assertEqual([r.uri for r in self.nginx.requests()].count("/robots.txt"), 1)
                result = self.crawl("--state", "st")
                self.assertEqual(result.status, 0, result.stderr)
                self.assertIn("nothing is left to fetch", result.stderr)
                self.expect_all()
                self.nginx.stop()

    @staticmethod
    def queued(stderr):
        return re.search(r"requests finished in all its runs, (\d+) left", stderr).group(1)

    def test_resumed_from_another_folder(self):
        url = self.site()
        self.assertEqual(self.end(self.begin(url), signal.SIGKILL)[0], -9)
        os.mkdir(self.path("other"))
        subprocess.run([harness.program(), "--state", "../st", "--quiet"], cwd=self.path("other"), check=True)
        self.assertEqual(os.listdir(self.path("other")), [])
        self.expect_all(once=False)

    def test_every_file_is_found_from_another_folder(self):
        """Output continues where it ended, whatever option names the file."""
        url = self.site()
        process = self.begin(url, "--links", "links.jsonl", "--bodies", "bodies", "--requests", "requests.jsonl",
                             "--warc", "out", "--cookies-save", "c.txt")
        self.assertEqual(self.end(process, signal.SIGINT)[0], 3)
        os.mkdir(self.path("other"))
        subprocess.run([harness.program(), "--state", "../st", "--quiet"], cwd=self.path("other"), check=True)
        self.assertEqual(os.listdir(self.path("other")), [])
        self.expect_all()
        self.assertEqual(len({edge["to"] for edge in self.records("links.jsonl")}), COUNT - 1)
        self.assertEqual(len(glob.glob(self.path("bodies/??/*"))), COUNT)
        self.assertEqual(len(glob.glob(self.path("out-*.cdxj"))), 2)
        # A request that a busy machine holds up for longer than a pause is reported, and sent later.
        self.assertEqual(len({line["url"] for line in self.exchanges()}), COUNT + 1)
        self.assertTrue(os.path.exists(self.path("c.txt")))

    def test_every_option_that_names_a_file_is_kept_from_the_root(self):
        url = self.site(3)
        self.write("crawler.conf", "[output]\noutput = o\nlinks = l\nrequests = r\nbodies = b\nwarc = w\n[fetch]\n"
                                   "cookies_save = cs\n"
                                   "[host x.localhost]\nuser = u\npassword_file = pf\n[host y.localhost]\nbearer_file "
                                   "= bf\n")
        for name in ("pf", "bf"):
            os.chmod(self.write(name, "secret\n"), 0o600)
        result = self.crawl("--state", "st", "--delay", "0", url)
        self.assertEqual(result.status, 0, result.stderr)
        with open(self.path("st/crawler.conf"), encoding="utf-8") as file:
            kept = file.read()
        for name, value in (("output", "o"), ("links", "l"), ("requests", "r"), ("bodies", "b"), ("warc", "w"),
                            ("cookies_save", "cs"),
                            ("password_file", "pf"), ("bearer_file", "bf")):
            self.assertIn(f"\n{name} = {os.path.join(os.path.realpath(self.folder), value)}\n", kept)

    def pages_asked(self):
        return [r.uri for r in self.nginx.requests() if r.uri != "/robots.txt"]

    def test_pages_of_a_host_are_those_of_all_runs(self):
        """The limit holds however each run ends. A page in flight at a kill is requested again, whatever was
        counted."""
        for number, limit in ((signal.SIGINT, "max_pages_per_host"), (signal.SIGKILL, "max_pages_per_host"),
                              (signal.SIGKILL, "max_pages_per_domain")):
            with self.subTest(number=number, limit=limit):
                shutil.rmtree(self.path("st"), ignore_errors=True)
                url = self.site()
                status, stderr = self.end(self.begin(url, "--set", f"crawl.{limit}=25", "--per-host", "1"), number)
                self.assertEqual(status, 3 if number == signal.SIGINT else -9, stderr)
                self.assertLess(len(self.pages_asked()), 25)
                result = self.crawl("--state", "st")
                self.assertEqual(result.status, 0, result.stderr)
                again = len(self.pages_asked()) - len(set(self.pages_asked()))
                self.assertLessEqual(again, 0 if number == signal.SIGINT else 1)
                self.assertIn(len(set(self.pages_asked())), (25,) if number == signal.SIGINT else (24, 25))
                self.assertEqual({r["error"] for r in self.records("pages.jsonl") if r["status"] != 200}, {"limit"})
                self.assertIn(" 0 violations", self.inspect("--check"))
                self.nginx.stop()
                os.unlink(self.path("pages.jsonl"))

    def test_what_is_known_of_bodies_and_queries_outlives_the_process(self):
        """However the process ends, the next one knows duplicates of pages of earlier runs, as revisit records too, and
        the queries met on a path."""
        pages = {f"{n}.html": f"<title>{n % 6}</title>" + "".join(f'<a href="/{m}.html">x</a>' for m in range(60))
                 for n in range(60)}
        queries = "".join(f'<a href="/q?{n}">q</a>' for n in range(5))
        more = "".join(f'<a href="/q?{n}">q</a>' for n in range(3, 20))
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                shutil.rmtree(self.path("st"), ignore_errors=True)
                self.nginx = self.start_nginx({"a.localhost": self.make_site({**pages, "0.html": pages["0.html"]
                                                                              + queries, "more.html": more, "q": "q"})})
                process = self.start("--state", "st", "--depth", "50", "--delay", "20ms", "--output", "pages.jsonl",
                                     "--warc", "out", "--dedupe", "exact",
                                     "--set", "crawl.max_queries=5", self.nginx.url("a.localhost", "/0.html"))
                self.wait_for(lambda: len(self.nginx.requests()) > 40 or process.poll() is not None)
                self.end(process, number)
                before = self.records("pages.jsonl")
                originals = {r["url"]: r["digest"] for r in before if r["status"] == 200 and "duplicate_of" not in r}
                self.assertGreater(len(originals), 2)
                written = warc_reader.read_all(self.path("out")) if number == signal.SIGINT else []
                result = self.crawl("--state", "st", self.nginx.url("a.localhost", "/more.html"))
                self.assertEqual(result.status, 0, result.stderr)
                records = {r["url"]: r for r in self.records("pages.jsonl")}
                later = [r for url, r in records.items() if r.get("duplicate_of") in originals
                         and url not in {b["url"] for b in before}]
                self.assertGreater(len(later), 5)
                for record in records.values():
                    if "duplicate_of" in record:
                        self.assertEqual(records[record["duplicate_of"]]["digest"], record["digest"])
                        self.assertNotIn("duplicate_of", records[record["duplicate_of"]])
                by_body = collections.Counter(r["digest"] for r in records.values() if r["status"] == 200
                                              and "duplicate_of" not in r)
                self.assertEqual(max(by_body.values()), 1, "each body has one original")
                self.assertEqual({r.uri for r in self.nginx.requests() if "?" in r.uri}, {f"/q?{n}" for n in range(5)})
                if written:
                    records = warc_reader.read_all(self.path("out"))[len(written):]
                    first = {r.headers["WARC-Record-ID"] for r in written}
                    self.assertGreater(len([r for r in records if r.headers.get("WARC-Refers-To") in first
                                            and r.headers["WARC-Type"] == "revisit"]), 5)
                self.nginx.stop()
                for name in glob.glob(self.path("out-*")) + [self.path("pages.jsonl")]:
                    os.remove(name)

    def test_limits_are_of_one_run(self):
        url = self.site()
        for _ in range(3):
            result = self.crawl("--state", "st", "--delay", "0", "--depth", "50", "--max-pages", "15", "--output",
                                "pages.jsonl", url)
            self.assertEqual(result.status, 0, result.stderr)
            self.assertIn("crawl.max_pages reached; resume with: crawl --state st", result.stderr)
        self.assertEqual(len(self.records("pages.jsonl")), 45)
        self.assertEqual(self.crawl("--state", "st").status, 0)
        self.expect_all()

    def test_what_is_decided_once_is_refused_with_the_reason(self):
        url = self.site(5)
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", "--depth", "0", "--drop-params", "x", url).status,
                         0)
        for option, words in ((("--order", "dfs"), "order: was bfs when the directory was made, and cannot become dfs"),
                              (("--seen", "exact"), "seen.kind: was scalable when the directory was made"),
                              (("--capacity", "5k"), "seen.capacity: was 1000000"),
                              (("--drop-params", "y"), "drop_params=x"),
                              (("--set", "seen.canonical=w3lib"), "canonical=default"),
                              (("--set", "seen.fingerprint=scrapy-2.7"), "fingerprint=default")):
            result = self.crawl("--state", "st", *option)
            self.assertEqual(result.status, 2, result.stderr)
            self.assertIn(words, result.stderr)
        # Nothing of it was kept.
        self.assertEqual(self.crawl("--state", "st").status, 0)

    def test_others_may_change_and_then_stay(self):
        url = self.site()
        options = ("--state", "st", "--delay", "0", "--output", "pages.jsonl", "--depth", "1", "--exclude", "/2\\.html")
        self.assertEqual(self.crawl(*options, url).status, 0)
        self.assertEqual(len(self.records("pages.jsonl")), 2)
        self.write("more.txt", url.replace("0.html", "1.html?again"))
        result = self.crawl("--state", "st", "--depth", "2", "--exclude", "/3\\.html", "--seeds", "more.txt")
        self.assertEqual(result.status, 0, result.stderr)
        found = [r["url"].rsplit("/", 1)[1] for r in self.records("pages.jsonl")[2:]]
        self.assertEqual(set(found), {"1.html?again", "4.html", "9.html", "10.html"})
        kept = self.crawl("--state", "st", "--print-config").stdout
        self.assertIn("depth = 2\n", kept)
        self.assertIn("exclude = /3\\.html\n", kept)
        self.assertNotIn("/2\\.html", kept)

    def test_seeds_again_and_new_ones(self):
        pages = self.make_site(tree(10))
        self.nginx = self.start_nginx({"a.localhost": pages, "b.localhost": pages})
        seeds = [self.nginx.url(name, "/0.html") for name in ("a.localhost", "b.localhost")]
        options = ("--state", "st", "--delay", "0", "--depth", "50", "--scope", "host", "--output", "pages.jsonl")
        self.assertEqual(self.crawl(*options, seeds[0]).status, 0)
        self.assertEqual(self.crawl(*options, *seeds).status, 0)
        self.assertEqual(len(self.records("pages.jsonl")), 20)
        self.assertEqual(self.figures()["scope"], {"places": 2, "seeds": 2})

    # Without xino, stat() names another device of a file than /proc/locks does. $1: the program, $2, $3: seeds
    OVERLAY = """set -e
mount -t tmpfs lower lower && mount -t tmpfs upper upper && mkdir upper/files upper/work
mount -t overlay overlay -o lowerdir=lower,upperdir=upper/files,workdir=upper/work,xino=off both
cd both
"$1" --quiet --state st --delay 1h --no-robots "$2" "$3" >/dev/null &
until "$1" inspect st 2>/dev/null | grep -q "^requests *2 found"; do sleep 0.1; done
"$1" inspect st
kill -9 $! && wait $! || "$1" inspect st
"""

    def test_a_crawl_in_an_overlay_is_in_use(self):
        for name in ("lower", "upper", "both"):
            os.mkdir(self.path(name))
        private = ("unshare", "--mount", "--map-root-user", "sh", "-c")
        mounts = "\n".join(self.OVERLAY.splitlines()[:3])
        if not harness.has_disk() or subprocess.run([*private, mounts], cwd=self.folder, check=False,
                                                    capture_output=True).returncode:
            self.skipTest("no disk store, or no overlays for everybody")
        nginx = self.start_nginx({"a.localhost": self.make_site(tree(1))})
        seeds = (nginx.url("a.localhost", path) for path in ("/0.html", "/missing"))
        done = subprocess.run([*private, self.OVERLAY, "sh", harness.program(), *seeds], cwd=self.folder, check=True,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(re.findall(r"^directory +st: (.*)$", done.stdout, re.M),
                         ["in use", "not closed: its last run was killed"], done.stdout + done.stderr)

    def cut_seeds(self, number):
        """Ends a crawl by a signal while it reads the first two of four seeds from its standard input. Returns all
        four."""
        pages = self.make_site(tree(1))
        self.nginx = self.start_nginx({f"{name}.localhost": pages for name in "abcd"})
        seeds = [self.nginx.url(f"{name}.localhost", "/0.html") for name in "abcd"]
        process = self.start("--state", "st", "--delay", "0", "--output", "pages.jsonl", "--seeds", "-", stdin="")
        for seed in seeds[:2] + seeds[:1] * 511:  # seeds are queued 512 at a time
            process.stdin.write(seed + "\n")
        process.stdin.flush()
        self.wait_for(lambda: json.loads(self.crawl("inspect", "st", "--jsonl").stdout
                                         or "{}").get("requests", {}).get("accepted") == 2)
        self.assertEqual(self.figures()["seeds_missing"], "standard input")
        process.send_signal(number)
        process.communicate()
        return seeds

    def test_ended_while_seeds_are_read(self):
        """Missing secrets are reported until they are named again, or given up by name."""
        for number in (signal.SIGKILL, signal.SIGINT):
            with self.subTest(number):
                seeds = self.cut_seeds(number)
                for _ in range(2):
                    result = self.crawl("--state", "st")
                    self.assertEqual(result.status, 2, result.stderr)
                    self.assertIn("st: seeds are missing: a run ended while it read standard input;", result.stderr)
                self.assertEqual(self.nginx.requests(), [])
                self.assertIn("missing since a run was ended while it read standard input", self.inspect())
                self.write("seeds.txt", "\n".join(seeds))
                result = self.crawl("--state", "st", "--seeds", "seeds.txt")
                self.assertEqual(result.status, 0, result.stderr)
                self.assertIn("st: a run ended while it read standard input; the seeds are now those of this run",
                              result.stderr)
                self.assertEqual(sorted(r["url"] for r in self.records("pages.jsonl")), sorted(seeds))
                self.assertIsNone(self.figures()["seeds_missing"])
                result = self.crawl("--state", "st")
                self.assertEqual((result.status, "missing" in result.stderr), (0, False), result.stderr)
                self.nginx.stop()
                shutil.rmtree(self.path("st"))
                os.remove(self.path("pages.jsonl"))

    def test_missing_seeds_can_be_given_up(self):
        seeds = self.cut_seeds(signal.SIGKILL)
        result = self.crawl("--state", "st", "--seeds", "/dev/null")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(sorted(r["url"] for r in self.records("pages.jsonl")), sorted(seeds[:2]))
        self.assertEqual(self.crawl("--state", "st").status, 0)

    def test_many_seeds_keep_their_order(self):
        """The seeds are queued by the hundred, except one with its own method."""
        self.nginx = self.start_nginx({"a.localhost": self.make_site(tree(1))})
        paths = [f"/{number // 7}/{number}" for number in range(1100)]
        lines = [self.nginx.url("a.localhost", path) for path in paths]
        lines[600] = json.dumps({"url": lines[600], "method": "HEAD"})
        self.write("seeds.txt", "\n".join(lines + lines[:3]))
        result = self.crawl("--state", "st", "--delay", "0", "--per-host", "1", "--no-robots", "--seeds", "seeds.txt")
        self.assertEqual(result.status, 1, "not one of them is there")
        self.assertEqual([request.uri for request in self.nginx.requests()], paths)
        self.assertEqual(self.figures()["scope"]["places"], 158)

    def test_a_file_of_seeds_that_is_not_there_harms_nothing(self):
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", "--depth", "50", self.site(5)).status, 0)
        self.assertEqual(self.crawl("--state", "st", "--seeds", "absent.txt").status, 2)
        self.assertEqual(self.crawl("--state", "st").status, 0)

    def test_where_a_seed_was_redirected_to_stays_in_scope(self):
        pages = self.make_site(tree(COUNT))
        self.nginx = self.start_nginx({"b.localhost": pages, "a.localhost": pages},
                                      'if ($host = a.localhost) { return 301 http://b.localhost:$server_port/0.html; }')
        process = self.begin(self.nginx.url("a.localhost", "/"), "--scope", "host", "--allow-private")
        self.end(process, signal.SIGKILL)
        self.assertEqual(self.crawl("--state", "st").status, 0)
        self.expect_all(once=False)
        self.assertEqual(self.figures()["scope"], {"places": 2, "seeds": 1})

    def test_without_seeds_there_is_nothing_to_make(self):
        result = self.crawl("--state", "st")
        self.assertEqual(result.status, 2)
        self.assertIn("crawl: st holds no crawl, and there are no seeds: name a URL", result.stderr)
        self.assertFalse(os.path.exists(self.path("st")))
        os.mkdir(self.path("empty"))
        self.assertIn("crawl: empty holds no crawl", self.crawl("--state", "empty").stderr)

    def test_a_second_process_is_refused(self):
        process = self.begin(self.site(600), delay="100ms")
        result = self.crawl("--state", "st")
        self.assertEqual(result.status, 6)
        self.assertIn(f"st: in use by process {process.pid}", result.stderr)
        figures = self.figures()
        self.assertTrue(figures["in_use"])
        self.assertGreater(figures["queue"]["ready"], 0)
        self.assertIn(" 0 violations", self.inspect("--check"))
        # as when another process has just begun: no owner, or the earlier one
        for text in ("", "0\n", "4194304\n"):
            self.write("st/lock", text)
            result = self.crawl("--state", "st")
            self.assertEqual(result.status, 6)
            self.assertIn("st: in use by another process\n", result.stderr)
        self.assertEqual(self.end(process, signal.SIGINT)[0], 3)

    def test_verdicts_and_blocks_outlive_the_process(self):
        """A rule and a Crawl-delay of robots.txt, which is requested once."""
        url = self.site(5, {"robots.txt": "User-agent: *\nCrawl-delay: 0.3\nDisallow: /2.html\n"})
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", "--max-pages", "1", "--output", "pages.jsonl",
                                    "--requests", "requests.jsonl", url).status, 0)
        host = json.loads(self.inspect("--hosts", "--jsonl"))
        self.assertEqual((host["pause_ms"], host["robots"]), (300, "rules"))
        self.assertEqual(self.crawl("--state", "st").status, 0)
        self.assertEqual([r.uri for r in self.nginx.requests()].count("/robots.txt"), 1)
        audit = self.crawl("audit", "requests.jsonl")
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)
        pages = [r for r in self.exchanges() if r["kind"] == "page"]
        self.assertEqual([(r["pause"], r["pause_by"]) for r in pages], [(300, "crawl-delay")] * 4)
        self.assertGreaterEqual(min(b["start"] - a["start"] for a, b in zip(pages, pages[1:])), 300)
        refused = [r for r in self.records("pages.jsonl") if r["error"]]
        self.assertEqual([(r["url"].rsplit("/", 1)[1], r["error"]) for r in refused], [("2.html", "robots")])
        self.assertEqual(len(self.records("pages.jsonl")), 5)

    def test_killed_while_robots_txt_is_asked_for(self):
        """robots.txt redirects to another host. The request for it is repeated, and nothing else is sent before its
        response."""
        wild = self.start_wild()
        name = "robots-elsewhere.localhost"
        seeds = [wild.url(name, path) for path in ("/page?n=1", "/private/x")]
        process = self.start("--state", "st", "--depth", "0", "--delay", "0", "--output", "pages.jsonl",
                             "--allow-private", *seeds)
        self.wait_for(lambda: wild.requests("robots-slow.localhost"))
        self.assertEqual(self.end(process, signal.SIGKILL)[0], -9)
        self.assertEqual(self.figures()["queue"]["urgent"], 1)
        self.assertIn("forever", self.inspect("--hosts"))
        self.assertEqual(self.crawl("--state", "st").status, 0)
        self.assertEqual([r["path"] for r in wild.requests(name)], ["/robots.txt", "/page?n=1"])
        self.assertEqual(len(wild.requests("robots-slow.localhost")), 2)
        self.assertEqual({(r["url"], r["error"]) for r in self.records("pages.jsonl")},
                         {(seeds[0], None), (seeds[1], "robots")})

    def test_a_host_that_answers_in_no_run(self):
        """The request is left in each run, which is no success. That for robots.txt is not counted."""
        url = f"http://127.0.0.1:{harness.free_port()}/"
        for options in (("--max-time", "500ms", url), ("--max-time", "500ms")):
            result = self.crawl("--state", "st", *options)
            self.assertEqual(result.status, 1, result.stderr)
            self.assertIn("; 1 not fetched\n", result.stderr)
            self.assertIn("0 requests finished in all its runs, 1 left", result.stderr)
        self.assertIn("going on with 1 request on 1 host; 0 finished", result.stderr)

    def test_retry_after_holds_across_runs(self):
        wild = self.start_wild()
        name = "later.localhost"
        seed = wild.url(name, "/retry/a?fail=1&status=503&retry_after=2")
        process = self.start("--state", "st", "--depth", "0", "--delay", "0", "--output", "pages.jsonl", seed)
        self.wait_for(lambda: len(wild.requests(name)) == 2)
        self.wait_for(lambda: json.loads(self.inspect("--hosts", "--jsonl"))["blocked_until"])
        self.assertEqual(self.end(process, signal.SIGKILL)[0], -9)
        self.assertEqual(self.crawl("--state", "st").status, 0)
        starts = [r["start"] for r in wild.requests(name) if r["path"] != "/robots.txt"]
        self.assertEqual(len(starts), 2)
        self.assertGreaterEqual(starts[1] - starts[0], 1.995)
        self.assertEqual([(r["status"], r["attempt"]) for r in self.records("pages.jsonl")], [(200, 2)])

    def test_stay_away_holds_across_runs(self):
        wild = self.start_wild()
        name = "away.localhost"
        options = ("--state", "st", "--depth", "0", "--delay", "0", "--output", "pages.jsonl")
        self.crawl(*options, wild.url(name, "/retry/a?fail=9&status=503&retry_after=3600"))
        asked = len(wild.requests(name))
        self.crawl(*options, wild.url(name, "/page?n=1"))
        self.assertEqual(len(wild.requests(name)), asked)
        self.assertEqual([r["error"] for r in self.records("pages.jsonl")], ["retry-after"] * 2)

    def test_manners_hold_from_run_to_run(self):
        """The requests of all runs are in one file, and prove that pauses, Crawl-delay and Retry-After were kept from
        one to the next."""
        url = self.site(20, {"robots.txt": "User-agent: *\nCrawl-delay: 0.4\n"})
        wild = self.start_wild()
        seeds = [url, wild.url("later.localhost", "/retry/a?fail=1&status=429&retry_after=3"),
                 wild.url("broken.localhost", "/status/500?n=1"), wild.url("broken.localhost", "/status/500?n=2")]
        options = ("--state", "st", "--depth", "50", "--delay", "50ms", "--output", "pages.jsonl", "--requests",
                   "requests.jsonl",
                   "--set", "politeness.backoff=20s", "--set", "politeness.give_up=2", *seeds)
        starts = []
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGKILL, None):
            process = self.start(*(options if not starts else ("--state", "st")))
            lines = len(starts)
            if number:
                self.wait_for(lambda: len(self.log_lines()) > lines + 3 and '"status":429' in "".join(self.log_lines())
                              or process.poll() is not None)
                self.end(process, number)
            else:
                process.communicate()
            starts = self.log_lines()
        self.assertEqual(process.returncode, 0)
        pages = {r["url"] for r in self.records("pages.jsonl") if r["status"] == 200}
        self.assertEqual(pages, {self.nginx.url("a.localhost", f"/{name}") for name in tree(20)} | {seeds[1]})
        audit = self.crawl("audit", "requests.jsonl")
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)
        requests = self.exchanges()
        self.assertGreater(len({r["start"] for r in requests if r["seq"] == 1 and "a.localhost" in r["host"]}), 1,
                           "several runs")
        later = [r for r in requests if r["kind"] == "page" and "later" in r["host"]]
        self.assertGreaterEqual(later[-1]["start"], later[0]["hold_until"] - 1)
        gaps = [b["start"] - a["start"] for a, b in zip(requests, requests[1:]) if a["host"] == b["host"]
                and b["kind"] == "page" and "a.loc" in a["host"]]
        self.assertGreaterEqual(min(gaps), 399)

    def log_lines(self):
        try:
            with open(self.path("requests.jsonl"), encoding="utf-8") as file:
                return [line for line in file if '"event":"end"' in line]
        except FileNotFoundError:
            return []

    def test_a_crawl_delay_that_goes_lifts_the_pause(self):
        url = self.site(4, {"robots.txt": "User-agent: *\nCrawl-delay: 20\n"})
        options = ("--state", "st", "--delay", "50ms", "--depth", "0", "--output", "pages.jsonl")
        self.assertEqual(self.crawl(*options, "--set", "politeness.max_crawl_delay=1s", "--max-pages", "1", url).status,
                         0)
        self.assertEqual([h["pause_ms"] for h in self.hosts()], [1000])
        self.crawl(*options, "--no-robots", *[self.nginx.url("a.localhost", f"/{n}.html") for n in (1, 2, 3)])
        self.assertEqual([h["pause_ms"] for h in self.hosts()], [None])
        starts = [r["fetched_at"] for r in self.records("pages.jsonl")]
        self.assertEqual(len(starts), 4)

    def hosts(self):
        return [json.loads(line) for line in self.inspect("--hosts", "--jsonl").splitlines()]

    def test_sitemaps_are_asked_for_in_one_run(self):
        names = "".join(f"/{page}.html\n" for page in range(10))
        url = self.site(10, {"sitemap.xml": "", "robots.txt": "Sitemap: /names.txt\n"})
        self.write("site/names.txt", "".join(self.nginx.url("a.localhost", line) + "\n" for line in names.split()))
        options = ("--state", "st", "--delay", "0", "--depth", "1", "--sitemaps", "--max-pages", "4", "--output",
                   "pages.jsonl")
        for _ in range(2):
            self.assertEqual(self.crawl(*options, url).status, 0)
        self.assertEqual(self.crawl("--state", "st").status, 0)
        self.expect_records(10)
        uris = [r.uri for r in self.nginx.requests()]
        self.assertEqual([uris.count(uri) for uri in ("/robots.txt", "/names.txt", "/sitemap.xml")], [1, 1, 1])

    def test_warc_files_of_all_runs(self):
        """Files of earlier runs are neither replaced nor in the way, and all files together contain all pages."""
        url = self.site()
        options = ("--warc", "out", "--max-pages", "20")
        for _ in range(3):
            result = self.crawl("--state", "st", "--delay", "0", "--depth", "50", "--output", "pages.jsonl",
                                *options, url)
            self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.crawl("--state", "st").status, 0)
        self.expect_all()
        responses = [r for r in warc_reader.read_all(self.path("out"))
                     if r.headers["WARC-Type"] in ("response", "revisit")]
        self.assertEqual(len({r.headers["WARC-Target-URI"] for r in responses}), COUNT + 1)
        self.assertGreaterEqual(len(glob.glob(self.path("out-*.warc.gz"))), 3)

    def test_inspect(self):
        url = self.site(7)
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", "--depth", "50", "--max-pages", "2", url).status,
                         0)
        figures = self.figures()
        self.assertEqual(figures["queue"], {"ready": 3, "delayed": 0, "urgent": 0, "revisits": 0,
                                            "depth": {"1": 1, "2": 2}})
        self.assertEqual((figures["requests"]["accepted"], figures["requests"]["finished"]), (5, 2))
        self.assertEqual(figures["robots"], {"rules": 1, "absent": 0, "refused": 0, "expired": 0})
        lines = [line.split("\t") for line in self.inspect("--queue").splitlines()]
        self.assertEqual([(line[0], line[1], line[3], line[5].rsplit("/", 1)[1]) for line in lines],
                         [("ready", "1", "1", "2.html"), ("ready", "2", "1", "3.html"), ("ready", "2", "1", "4.html")])
        origin = url.rsplit("/", 1)[0]
        rows = [json.loads(line) for line in self.inspect("--queue", origin, "--jsonl").splitlines()]
        self.assertEqual([(row["url"], row["visit"]) for row in rows], [(line[5], 1) for line in lines])
        self.assertEqual(self.inspect("--queue", "http://other"), "")
        self.assertEqual(json.loads(self.inspect("--filter", "--jsonl"))["count"], 5)
        self.assertIn("closed", self.inspect())
        self.assertIn(origin, self.inspect("--hosts"))
        for wrong in ((), ("st", "--hosts", "--filter"), ("st", "--nonsense"), ("st", "more"), ("st", "--hosts=1")):
            self.assertEqual(self.crawl("inspect", *wrong).status, 2, wrong)
        self.assertEqual(self.crawl("inspect", "nowhere").status, 4)


if __name__ == "__main__":
    harness.main()
