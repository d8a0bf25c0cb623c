"""Shared by tests of rendering: the browser, Debian's chromium-headless-shell, and runs of `crawl render`."""
import json
import os

import harness

BROWSER = "/usr/lib/chromium/chromium-headless-shell"
HEAD = "<!doctype html><title>t</title><body>"
asked = []


def script(text):
    return f"{HEAD}<script>{text}</script>"


def refusal(case):
    """Returns why no page can be rendered here; "": one can. case: a harness.TestCase."""
    if not os.path.exists(BROWSER):
        return "there is no chromium-headless-shell (apt-get install chromium-headless-shell)"
    if not asked:
        tried = case.crawl("render", "--url", "http://a.example/", case.write("tried.html", HEAD))
        asked.append(tried.stderr if tried.status else "")
    known = "this system refuses" in asked[0] or "cannot render pages" in asked[0]
    return asked[0] if known else ""


class TestCase(harness.TestCase):
    def setUp(self):
        super().setUp()
        why = refusal(self)
        if why:
            self.skipTest(why)

    def asked(self, nginx):
        return sorted(request.uri for request in nginx.requests())


class Render(TestCase):
    def serve_files(self, files, extra=""):
        nginx = self.start_nginx({"a.localhost": self.make_site(files)}, extra)
        return nginx, nginx.url("a.localhost", "")

    def render(self, *args, status=0):
        result = self.crawl("render", "--delay", "0", *args)
        self.assertEqual(result.status, status, result.stderr)
        return result

    def links(self, url):
        rows = [json.loads(line) for line in self.render("--links", url).stdout.splitlines()]
        return [row["url"].removeprefix(url.rsplit("/", 1)[0]) for row in rows]
