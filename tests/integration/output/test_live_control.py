#!/usr/bin/env python3
"""Tests hosts and URLs in a live view, the changes that it allows, and who may make them."""
import json
import os
import shutil
import unittest
import urllib.parse

import harness
import live_browser
import live_view


class Pages(harness.OwnServer):
    """Serves endless pages on several hosts, each of which links to all of them."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.asked, self.walls = [], {"walled"}
        super().__init__(PagesHandler)

    def origin(self, host):
        return self.url(f"{host}.localhost", "")

    def count(self, host=None):
        return sum(host in (None, asked) for asked in self.asked)

    def handle_error(self, request, client_address):
        """Ignores errors: a stopped program does not read its response."""


class PagesHandler(harness.Handler):
    def do_GET(self):
        host = self.headers["Host"].partition(".")[0]
        if self.path == "/robots.txt":
            self.answer(200, "User-agent: *\nDisallow: /private\n")
            return
        self.server.asked.append(host)
        if host in self.server.walls:
            self.answer(403, "", "cf-mitigated: challenge")
            return
        number = len(self.server.asked)
        self.answer(200, "".join(f"<a href={self.server.origin(to)}/{number}{host}>x</a>" for to in self.server.hosts)
                    + "<a href=/private>x</a>")


TOKEN = "sesame-sesame-sesame"
CONTROLS = "document.getElementById('controls')"
STATE = "document.querySelector('header p').innerText"


class Controls(harness.TestCase):
    def start_live(self, *args, hosts=("a", "b", "c")):
        pages = self.serve(Pages(hosts))
        os.environ["CRAWL_LIVE_TOKEN"] = TOKEN
        try:
            live = live_view.Live(self, "0", "--scope", "any", "--depth", "1000", "--allow-private", "--set",
                                  "politeness.adaptive=false", "--delay", "20ms", *args, pages.origin("a"))
        finally:
            del os.environ["CRAWL_LIVE_TOKEN"]
        harness.wait_for(lambda: pages.count() > 20, harness.LIMIT_S)
        return pages, live

    def order(self, live, action, **fields):
        return self.post(live, json.dumps({"action": action, **fields}))

    def post(self, live, body, token=TOKEN, **headers):
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}",
                   **{name.replace("_", "-"): value for name, value in headers.items()}}
        return live.ask("/control", "POST", headers={name: value for name, value in headers.items()
                                                     if value is not None}, body=body)

    def get(self, live, path):
        answers = []
        harness.wait_for(lambda: answers.append(live.ask(path)) or answers[-1][0] != 503, harness.LIMIT_S)
        self.assertEqual(answers[-1][0], 200, answers[-1])
        return json.loads(answers[-1][2])

    def host(self, live, origin):
        return self.get(live, "/host.json?host=" + urllib.parse.quote(origin, safe=""))

    def test_pause_and_resume(self):
        pages, live = self.start_live()
        self.assertEqual(self.order(live, "pause")[0], 200)
        stats = live.wait_for_stats(lambda stats: stats["connections"]["in_use"] == 0)
        self.assertTrue(stats["paused"])
        asked = pages.count()
        live.wait_for_stats(lambda now: now["elapsed_s"] > stats["elapsed_s"] + 0.5)
        self.assertEqual(pages.count(), asked)
        self.assertEqual(self.order(live, "resume")[0], 200)
        harness.wait_for(lambda: pages.count() > asked + 20, harness.LIMIT_S)
        self.assertEqual(self.order(live, "end")[0], 200)
        status, said = live.end()
        self.assertEqual(status, 3, said)
        for words in ("paused", "resumed", "ending"):
            self.assertIn(f"crawl: live: {words}, by 127.0.0.1\n", said)
        self.assertNotIn(TOKEN, said)

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_in_chromium(self):
        """A viewer without the token sees no form for it before the figures. The address with the token gives the
        controls, even to a page that is already open. No state has the time of the run as its own, and the title names
        the site."""
        pages, live = self.start_live()
        page = live_browser.LivePage()
        self.addCleanup(page.close)
        page.show(live.url, 1400, "light")
        site = urllib.parse.urlsplit(pages.origin("a")).netloc
        page.wait_for(f"document.title.startsWith('{site}: ') && document.title.endsWith(' pages')")
        self.assertTrue(page.run("document.querySelector('h1').textContent").startswith(site))
        page.wait_for("!document.getElementById('token-section').hidden")
        self.assertTrue(page.run(f"{CONTROLS}.hidden && !document.getElementById('token-section').open &&"
                                 " document.getElementById('figures').compareDocumentPosition("
                                 "document.getElementById('token-section')) === Node.DOCUMENT_POSITION_FOLLOWING"))
        page.run("location.hash = '#token=another-another-another'")
        page.wait_for(f"!{CONTROLS}.hidden")
        page.run("document.getElementById('pause').click()")
        page.wait_for(f"{CONTROLS}.hidden && "
                      "document.getElementById('token-words').innerText.includes('not the token')")
        page.run(f"location.hash = '#token={TOKEN}'")
        page.wait_for(f"!{CONTROLS}.hidden && document.getElementById('token-section').hidden")
        self.assertRegex(page.run(STATE), "^running for ")
        page.run("document.getElementById('pause').click()")
        page.wait_for(f"/^paused begun .* ago$/.test({STATE})")
        page.wait_for("document.querySelectorAll('#bound-legend i').length > 1")
        self.assertEqual(page.run("[...document.querySelectorAll('#bound-legend i')].filter((one) => "
                                  "getComputedStyle(one).backgroundColor === 'rgba(0, 0, 0, 0)').length"), 0)
        page.run("window.confirm = () => true; document.getElementById('end').click()")
        page.wait_for(f"/^ended after /.test({STATE})")
        self.assertTrue(page.run(f"{CONTROLS}.hidden"))
        self.assertEqual(page.run("document.title"), site + ": ended")
        self.assertEqual(live.end()[0], 3)

    def test_drained(self):
        pages, live = self.start_live("--output", "pages.jsonl")
        self.assertEqual(self.order(live, "drain")[0], 200)
        status, said = live.end()
        self.assertEqual(status, 3, said)
        self.assertEqual(len([record for record in self.records("pages.jsonl") if record["status"]]), pages.count(),
                         "what was under way was waited for")

    def test_hosts_are_listed_blocked_and_released(self):
        pages, live = self.start_live()
        a, b = pages.origin("a"), pages.origin("b")
        listed = self.get(live, "/hosts.json")
        self.assertEqual({host["host"] for host in listed["hosts"]}, {pages.origin(host) for host in pages.hosts})
        self.assertEqual((listed["known"], listed["matching"]), (3, 3))
        self.assertEqual([host["host"] for host in self.get(live, "/hosts.json?part=B.LOCAL")["hosts"]], [b])
        self.assertEqual(self.get(live, "/hosts.json?standing=idle")["hosts"], [])
        self.assertEqual(live.ask("/host.json?host=http://nowhere.localhost")[0], 404)
        host = self.host(live, a)
        self.assertEqual((host["robots"]["is"], host["robots"]["text"], host["pause_s"], host["blocked"]),
                         ("rules", "2: Disallow: /private\n", 0.02, False))
        status, _, words = self.order(live, "block", host=a)
        self.assertEqual((status, json.loads(words)), (200, {"done": True, "words": f"blocked {a}"}))
        harness.wait_for(lambda: self.host(live, a)["running"] == 0, harness.LIMIT_S)
        asked, others = pages.count("a"), pages.count("b")
        harness.wait_for(lambda: pages.count("b") > others + 20, harness.LIMIT_S)
        self.assertEqual(pages.count("a"), asked)
        host = self.host(live, a)
        self.assertEqual((host["blocked"], host["standing"]), (True, "blocked"))
        self.assertEqual(self.order(live, "release", host=a)[0], 200)
        harness.wait_for(lambda: pages.count("a") > asked + 10, harness.LIMIT_S)
        self.assertEqual(self.order(live, "delay", host=b, value=600)[0], 200)
        self.assertEqual(self.order(live, "delay", value=0.5)[0], 200)
        self.assertEqual((self.host(live, b)["pause_s"], self.host(live, a)["pause_s"]), (600, 0.5))
        self.assertEqual(self.order(live, "delay", host=b, value=None)[0], 200)
        self.assertEqual(self.host(live, b)["pause_s"], 0.5)
        self.assertEqual(self.order(live, "connections", value=3)[0], 200)
        self.assertEqual(live.stats()["connections"]["limit"], 3)
        for bad in ({"action": "delay", "value": -1}, {"action": "delay", "value": "1"},
                    {"action": "delay", "value": 1e9}, {"action": "block"},
                    {"action": "block", "host": "http://nowhere.localhost"}, {"action": "connections", "value": 0},
                    {"action": "fly"}, {"action": 3}, [], "x", None):
            status, _, words = self.post(live, json.dumps(bad))
            self.assertEqual((status, json.loads(words)["done"]), (400, False), bad)
        self.assertEqual(self.post(live, "{")[0], 400)
        self.assertEqual(self.order(live, "end")[0], 200)
        self.assertEqual(live.end()[0], 3)

    def test_a_block_outlives_the_process(self):
        pages, live = self.start_live("--state", "st")
        a = pages.origin("a")
        self.assertEqual(self.order(live, "block", host=a)[0], 200)
        self.assertEqual(self.order(live, "end")[0], 200)
        self.assertEqual(live.end()[0], 3)
        rule = "blocked by the operator of the crawl"
        explained = self.crawl("explain", "--state", "st", a + "/new").stdout
        self.assertIn(f"fetched, but not now: host: {rule}\n", explained)
        asked = pages.count("a"), pages.count("b")
        os.environ["CRAWL_LIVE_TOKEN"] = TOKEN
        self.addCleanup(os.environ.pop, "CRAWL_LIVE_TOKEN")
        live = live_view.Live(self, "0", "--state", "st")
        harness.wait_for(lambda: pages.count("b") > asked[1] + 10, harness.LIMIT_S)
        self.assertEqual((self.host(live, a)["blocked"], self.host(live, a)["standing"]), (True, "blocked"))
        checks = self.get(live, "/explain.json?url=" + urllib.parse.quote(a + "/new", safe=""))["checks"]
        self.assertIn({"name": "host", "verdict": "wait", "rule": rule}, checks)
        self.assertEqual(pages.count("a"), asked[0])
        self.assertEqual(self.order(live, "release", host=a)[0], 200)
        harness.wait_for(lambda: pages.count("a") > asked[0] + 10, harness.LIMIT_S)
        self.assertEqual(self.order(live, "end")[0], 200)
        self.assertEqual(live.end()[0], 3)
        explained = self.crawl("explain", "--state", "st", a + "/new").stdout
        self.assertNotIn(rule, explained)

    def test_a_block_outlives_that_of_walls(self):
        pages, live = self.start_live("--state", "st", "--set", "politeness.wall_backoff=1ms", hosts=("a", "walled"))
        walled = pages.origin("walled")
        self.wait_for(lambda: (self.host(live, walled)["held_s"] or 0) > 1)
        self.assertEqual(self.order(live, "block", host=walled)[0], 200)
        self.assertEqual(self.order(live, "end")[0], 200)
        self.assertEqual(live.end()[0], 3)
        live = live_view.Live(self, "0", "--state", "st")
        host = self.host(live, walled)
        self.assertEqual((host["blocked"], host["standing"]), (True, "blocked"))

    def test_a_url_is_explained(self):
        pages, live = self.start_live()
        a = pages.origin("a")

        def explain(url):
            return self.get(live, "/explain.json?url=" + urllib.parse.quote(url, safe=""))
        refused = explain(a + "/private/x")
        self.assertEqual((refused["verdict"], refused["by"]), ("refuse", "robots"))
        self.assertIn({"name": "robots", "verdict": "refuse", "rule": "robots.txt line 2: Disallow: /private"},
                      refused["checks"])
        rules = {check["name"]: check["rule"] for check in explain(a + "/")["checks"]}
        self.assertEqual((rules["robots"], rules["seen"]), ("robots.txt allows it", "found before: it is queued, "
                                                                                    "in flight, or done"))
        rules = {check["name"]: check["rule"] for check in explain("http://other.localhost/x")["checks"]}
        self.assertEqual((rules["seen"], rules["host"]),
                         ("not found so far", "unknown: none of its URLs was queued so far"))
        self.assertEqual(explain("nonsense")["error"], "not an absolute URL")
        self.assertEqual(live.ask("/explain.json")[0], 400)
        self.order(live, "end")
        self.assertEqual(live.end()[0], 3)

    def test_walls_are_told_and_counted(self):
        pages, live = self.start_live("--retries", "0")
        a, b = pages.origin("a"), pages.origin("b")
        self.assertNotIn("wall", self.host_rule(live, a + "/"))
        pages.walls.add("b")
        self.wait_for(lambda: self.get(live, "/stats.json")["walls"]["by_verdict"]["challenge"] > 1)
        figures = self.get(live, "/stats.json")["walls"]
        self.assertEqual((list(figures["by_verdict"]), figures["hosts"]),
                         (["challenge", "wall", "login", "consent", "parked", "soft-404", "rate-limited"], 1))
        self.assertIn('crawl_answers_in_place_total{verdict="challenge"} ', live.ask("/metrics")[2].decode())
        self.assertRegex(self.host_rule(live, b + "/other"),
                         f"wall; its last wall, on 20.* at {b}/.*: challenge of Cloudflare: header cf-mitigated")
        self.assertNotIn("wall", self.host_rule(live, a + "/"))
        self.order(live, "end")
        self.assertEqual(live.end()[0], 3)

    def host_rule(self, live, url):
        said = self.get(live, "/explain.json?url=" + urllib.parse.quote(url, safe=""))
        return {check["name"]: check["rule"] for check in said["checks"]}["host"]

    def test_whom_it_obeys(self):
        pages, live = self.start_live()
        pause = json.dumps({"action": "pause"})
        port = live.address.port
        refused = [
            self.post(live, pause, token=TOKEN[:-1]), self.post(live, pause, token=TOKEN + "x"),
            self.post(live, pause, Authorization=None),
            self.post(live, pause, Authorization=TOKEN), self.post(live, pause, Origin="http://evil.example"),
            self.post(live, pause, Origin="null"),
            self.post(live, pause, Origin=f"http://127.0.0.1:{port + 1}"),
            self.post(live, pause, Sec_Fetch_Site="cross-site"),
            self.post(live, pause, Sec_Fetch_Site="same-site"), self.post(live, pause, Host="evil.example"),
            self.post(live, pause, Content_Type="text/plain"),
            self.post(live, pause, Content_Type="application/jsonfoo"),
            self.post(live, pause, Content_Type=None),
        ]
        self.assertEqual({status for status, _, _ in refused}, {403})
        for method in ("GET", "HEAD", "PUT", "OPTIONS", "DELETE"):
            status, headers, _ = live.ask("/control", method, headers={"Authorization": f"Bearer {TOKEN}"})
            self.assertEqual((status, headers["Allow"], headers["Access-Control-Allow-Origin"]), (405, "POST", None))
        self.assertEqual(live.ask("/control?action=pause&token=" + TOKEN)[0], 405)
        self.assertFalse(live.stats()["paused"])
        self.assertEqual(self.post(live, pause, Origin=f"http://127.0.0.1:{port}", Sec_Fetch_Site="same-origin",
                                   Content_Type="Application/JSON; charset=utf-8")[0], 200)
        self.assertTrue(live.stats()["paused"])
        self.order(live, "end")
        status, said = live.end()
        self.assertEqual(status, 3)
        self.assertRegex(said, r"crawl: live: \d+ requests? to control the crawl refused, by 127\.0\.0\.1\n")

    def test_a_token_is_made_and_told_on_standard_error(self):
        site = self.serve(live_view.Site())
        live = live_view.Live(self, "0", "--log", "log.txt", site.url())
        token = live.wait_for_words(r"crawl: to control it: http://\S+/#token=(\S+)\n")
        self.assertEqual(self.post(live, json.dumps({"action": "end"}), token=token)[0], 200)
        site.release()
        self.assertEqual(live.end()[0], 3)
        self.assertNotIn(token, self.bytes_of("log.txt").decode())
        self.assertIn("live: ending", self.bytes_of("log.txt").decode())

    def test_a_token_that_is_none_ends_it(self):
        self.write("token", "short\n")
        result = self.crawl("--listen", "0", "--set", "live.token_file=token", "http://a.localhost/")
        self.assertEqual(result.status, 2)
        self.assertIn("its token has fewer than 16 characters", result.stderr)


if __name__ == "__main__":
    harness.main()
