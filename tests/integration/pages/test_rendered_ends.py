#!/usr/bin/env python3
"""Tests that a crawl with --render continues, and ends, if a request of a page or the browser fails."""
import os
import queue
import signal
import subprocess
import threading
import time
import unittest.mock

import harness
import rendering

PARTS_S = 20  # enough for a few pages, and far less than any of the waits below


class Handler(harness.Handler):
    """Each page requests /part of the server's other host, which answers as the server says."""

    def do_GET(self):
        of_part = self.headers["Host"].startswith("b.")
        self.server.asked.append("/robots.txt of /part" if of_part and self.path == "/robots.txt" else self.path)
        if self.path == "/robots.txt":
            self.answer(self.server.robots if of_part else 404, "")
        elif self.path == "/part":
            self.answer(self.server.status, "", *self.server.headers, "Access-Control-Allow-Origin: *")
        elif self.path == "/bad.xhtml":
            self.answer(200, "<html xmlns='http://www.w3.org/1999/xhtml'><title>t</title><p>before<br></html>",
                        "Content-Type: application/xhtml+xml")
        elif self.path == "/plain":
            self.answer(200, rendering.script("fetch('/done')"))
        else:
            self.answer(200, rendering.script(
                f"fetch('http://b.localhost:{self.server.elsewhere or self.server.port}/part')"
                ".finally(() => { document.title = 'made'; fetch('/done') })"))


class Server(harness.OwnServer):
    def __init__(self, *headers, status=429, robots=404):
        self.headers, self.status, self.robots = headers, status, robots
        self.asked, self.elsewhere = [], None
        super().__init__(Handler)


class FlakyHandler(harness.Handler):
    """Each page has a script, /app.js of another host, that fails at first."""

    def do_GET(self):
        server = self.server
        if self.path == "/robots.txt":
            self.answer(404, "")
        elif self.path != "/app.js":
            self.answer(200, rendering.HEAD + f"<script src=http://b.localhost:{server.port}/app.js></script>")
        else:
            server.asked += 1
            if server.asked > server.times:
                self.answer(200, "document.title = 'made'", "Content-Type: text/javascript")
            elif server.status:
                self.answer(server.status, "", *server.headers)
            else:
                self.close_connection = True


class Flaky(harness.OwnServer):
    def __init__(self, status, *headers, times=1):
        self.status, self.headers, self.times, self.asked = status, headers, times, 0
        super().__init__(FlakyHandler)


def kill_browser(process):
    subprocess.run(["pkill", "-KILL", "-P", str(process.pid)], check=False)


class DeadlyHandler(harness.Handler):
    """Each page requests /die/ with its own name, at which the browser ends as often as the server says."""

    def do_GET(self):
        name = self.path.rsplit("/", 1)[1]
        if self.path == "/robots.txt":
            self.answer(404, "")
        elif self.path.startswith("/die/"):
            if name == "always":  # or "once" would lose its first browser to it, and its second by itself
                self.server.once_died.wait(harness.LIMIT_S)
            if self.server.deaths.get(name):
                self.server.deaths[name] -= 1
                kill_browser(self.server.started.get(timeout=harness.LIMIT_S))
                self.server.once_died.set()
            self.answer(200, "")
        else:
            self.answer(200, rendering.script(f"fetch('/die/{name}').then(() => {{ document.title = 'made' }})"))


class DeadlyChainHandler(DeadlyHandler):
    """As above, but each page has a link to the next."""
    chain = {"k1": "k2", "k2": "k3", "k3": "after"}

    def do_GET(self):
        name = self.path.rsplit("/", 1)[1]
        if name not in self.chain or self.path.startswith("/die/"):
            super().do_GET()
        else:
            self.answer(200, f"<a href=/{self.chain[name]}>next</a>" + rendering.script(f"fetch('/die/{name}')"))


class DeadlyServer(harness.OwnServer):
    def __init__(self, handler=DeadlyHandler, **deaths):
        self.deaths, self.started, self.once_died = deaths, queue.Queue(), threading.Event()
        super().__init__(handler)


class Deaths(rendering.TestCase):
    def test_a_page_whose_browser_ends_is_rendered_again(self):
        server = self.serve(DeadlyServer(once=1, always=9))
        names = ("a", "once", "b", "always", "c", "d", "e")
        process = self.start("--render", "always", "--allow-private", "--delay", "0", "--output", "pages.jsonl",
                             *(server.url("a.localhost", f"/{name}") for name in names))
        for _ in range(3):
            server.started.put(process)
        said = process.communicate(timeout=harness.LIMIT_S)[1]
        self.assertEqual(process.returncode, 0, said)
        pages = {record["url"].rsplit("/", 1)[1]: record for record in self.records("pages.jsonl")}
        self.assertEqual({name: page["title"] for name, page in pages.items()},
                         {name: "t" if name == "always" else "made" for name in names})
        always = pages["always"]
        self.assertEqual((always["rendered"], always["render"]["lack"][:11]), ("failed", "the browser"))
        self.assertRegex(said, "rendered  6 of 7 pages")
        self.assertIn(server.deaths["always"], (7, 8), "it may have lost its first browser to another page")


    def test_pages_that_end_their_browsers_one_after_another_end_no_rendering(self):
        server = self.serve(DeadlyServer(DeadlyChainHandler, k1=9, k2=9, k3=9))
        process = self.start("--render", "always", "--allow-private", "--delay", "0", "--output", "pages.jsonl",
                             server.url("a.localhost", "/k1"))
        for _ in range(6):
            server.started.put(process)
        said = process.communicate(timeout=harness.LIMIT_S)[1]
        pages = {record["url"].rsplit("/", 1)[1]: record["rendered"] for record in self.records("pages.jsonl")}
        self.assertEqual(pages, {"k1": "failed", "k2": "failed", "k3": "failed", "after": "whole"}, said)


class Ends(rendering.TestCase):
    def crawled(self, server, *paths, options=(), limit_s=harness.LIMIT_S):
        began = time.monotonic()
        result = self.crawl("--render", "always", "--allow-private", "--delay", "100ms", "--output", "pages.jsonl",
                            "--requests", "requests.jsonl", "--set", "render.open=1", *options,
                            *(server.url("a.localhost", path) for path in paths))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertLess(time.monotonic() - began, limit_s, result.stderr)
        self.assertEqual(self.crawl("audit", "requests.jsonl").status, 0)
        return {record["url"].rsplit("/", 1)[1]: record for record in self.records("pages.jsonl")}

    def test_a_part_of_a_host_that_walls(self):
        server = self.serve(Server("cf-mitigated: challenge"))
        pages = self.crawled(server, "/1", "/2", "/3", "/4", limit_s=PARTS_S * harness.slack())
        self.assertEqual([(page["rendered"], page["title"]) for page in pages.values()], [("whole", "made")] * 4)
        self.assertEqual(server.asked.count("/part"), 2)

    def test_a_part_of_a_host_that_fails(self):
        server = self.serve(Server(status=500))
        pages = self.crawled(server, "/1", "/2", "/3", "/4", limit_s=PARTS_S * harness.slack(),
                             options=("--set", "politeness.backoff=1m"))
        self.assertEqual([(page["rendered"], page["title"]) for page in pages.values()], [("whole", "made")] * 4)
        self.assertEqual(server.asked.count("/part"), 2)

    def test_a_part_that_fails_once(self):
        for status, headers in ((503, ["Retry-After: 1"]), (0, [])):
            server = self.serve(Flaky(status, *headers))
            pages = self.crawled(server, "/1")
            self.assertEqual((pages["1"]["title"], pages["1"]["rendered"], "lack" in pages["1"]["render"]),
                             ("made", "whole", False), pages)
            self.assertEqual(server.asked, 2)

    def test_a_part_that_fails_is_named(self):
        for status in 503, 0:
            server = self.serve(Flaky(status, times=9))
            pages = self.crawled(server, "/1", "/2")
            for page in pages.values():
                self.assertEqual((page["title"], page["rendered"]), ("t", "whole"))
                self.assertIn("/app.js", page["render"]["lack"])
            self.assertIn(server.asked, (2, 3))  # the third after the pause for two failures

    def test_a_part_of_a_host_that_cannot_be_reached(self):
        server = self.serve(Server())
        server.elsewhere = harness.free_port()
        process = self.start("--render", "always", "--allow-private", "--set", "politeness.retry_delay=100s",
                             "--output", "pages.jsonl", server.url("a.localhost", "/1"))
        self.wait_for(lambda: "/done" in server.asked)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=harness.LIMIT_S)

    def test_a_part_of_a_host_whose_robots_txt_fails(self):
        server = self.serve(Server(robots=500))
        pages = self.crawled(server, "/1")
        self.assertEqual((pages["1"]["rendered"], pages["1"]["title"]), ("whole", "made"))
        self.assertEqual(server.asked, ["/robots.txt", "/1"] + 2 * ["/robots.txt of /part"] + ["/done"] +
                         ["/robots.txt of /part"])

    def waiting(self):
        """Starts a crawl of two pages, the second of which waits for a part."""
        server = self.serve(Server("Retry-After: 100"))
        process = self.start("--render", "always", "--allow-private", "--delay", "100ms", "--output", "pages.jsonl",
                             "--set", "render.open=1", server.url("a.localhost", "/plain"),
                             server.url("a.localhost", "/2"))
        self.wait_for(lambda: "/part" in server.asked and os.path.getsize(self.path("pages.jsonl")))
        return process

    def test_a_part_that_waits_when_the_browser_ends(self):
        process = self.waiting()
        kill_browser(process)
        time.sleep(1)  # it is rendered again, and waits again
        kill_browser(process)
        process.communicate(timeout=PARTS_S * harness.slack())
        self.assertEqual(process.returncode, 0)
        self.assertEqual(sorted(page["rendered"] for page in self.records("pages.jsonl")), ["failed", "whole"])

    def test_what_a_killed_crawl_left_is_removed(self):
        place = harness.temporary_folder()
        with unittest.mock.patch.dict(os.environ, TMPDIR=place):
            process = self.waiting()
            process.kill()
            process.communicate()
            left = os.listdir(place)
            self.crawled(self.serve(Server()), "/1")
        self.assertEqual([name[:13] for name in left], ["crawl-render-"])
        self.assertEqual(os.listdir(place), [])

    def test_a_page_that_is_to_be_rendered_later_has_not_failed(self):
        process = self.waiting()
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=PARTS_S * harness.slack())[1]
        self.assertRegex(said, r"rendered  1 of 1 pages; 1 request")
        self.assertEqual(len(self.records("pages.jsonl")), 1)

    def test_xhtml_that_is_not_well_formed(self):
        pages = self.crawled(self.serve(Server()), "/bad.xhtml")
        self.assertEqual((pages["bad.xhtml"]["rendered"], pages["bad.xhtml"]["title"]), ("failed", "t"))
        self.assertIn("well formed", pages["bad.xhtml"]["render"]["lack"])


class Starts(rendering.TestCase):
    def test_a_browser_that_does_not_start_is_reported_once(self):
        server = self.serve(Server())
        self.write("browser", "#!/bin/sh\necho no such library >&2; exit 127\n")
        os.chmod(self.path("browser"), 0o755)
        result = self.crawl("--render", "always", "--allow-private", "--delay", "0", "--set",
                            f"render.browser={self.path('browser')}",
                            *(server.url("a.localhost", f"/{n}") for n in range(3)))
        self.assertEqual(result.status, 0, result.stderr)
        said = [line for line in result.stderr.splitlines() if "did not start" in line]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertRegex(said[0], "it ended: no such library")


class Again(rendering.TestCase):
    def visited(self, server):
        """Returns the record of the next visit. A run may find its page due twice."""
        before = len(self.records("pages.jsonl")) if os.path.exists(self.path("pages.jsonl")) else 0
        result = self.crawl("--render", "auto", "--revisit=due", "--set", "revisit.interval=1ms", "--set",
                            "revisit.min_interval=1ms", "--set", "revisit.max_interval=1ms", "--delay", "0",
                            "--allow-private", "--text", "plain", "--state", "state", "--output", "pages.jsonl",
                            server.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        return self.records("pages.jsonl")[before]

    def test_new_data_in_an_old_shell_is_a_change(self):
        data = {"b": "one"}
        shell = rendering.script("fetch('/data').then(r => r.text()).then(text => document.body.append(text))")

        class Shell(harness.Handler):
            def do_GET(self):
                if self.path == "/":
                    old = self.headers.get("If-None-Match") == '"1"'
                    self.answer(304 if old else 200, "" if old else shell, 'ETag: "1"')
                else:
                    self.answer(200 if self.path == "/data" else 404, data["b"])

        server = self.serve(harness.OwnServer(Shell))
        changed = []
        for data["b"] in ("one", "one", "two"):
            record = self.visited(server)
            changed.append((record["changed"], record.get("text", "").strip()))
        self.assertEqual(changed, [(None, "one"), (False, ""), (True, "two")])

    def test_a_page_that_could_not_be_rendered_has_not_changed(self):
        class Page(harness.Handler):
            answers = [rendering.script("document.body.append('made')"), "text/html"]

            def do_GET(self):
                body, media_type = self.answers
                self.answer(200 if self.path == "/" else 404, body, f"Content-Type: {media_type}")

        whole, broken = Page.answers, ["<html xmlns='http://www.w3.org/1999/xhtml'><script>1</script><br></html>",
                                       "application/xhtml+xml"]
        server = self.serve(harness.OwnServer(Page))
        seen = []
        for Page.answers in (whole, broken, whole):
            record = self.visited(server)
            seen.append((record["rendered"], record["changed"]))
        self.assertEqual(seen, [("whole", None), ("failed", None), ("whole", False)])


if __name__ == "__main__":
    harness.main()
