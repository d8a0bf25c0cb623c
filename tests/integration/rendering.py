"""What tests of rendering share: the browser, Debian's chromium-headless-shell, and runs of `crawl render`."""
import json
import os

import harness

BROWSER = "/usr/lib/chromium/chromium-headless-shell"
HEAD = "<!doctype html><title>t</title><body>"


def script(text):
    return f"{HEAD}<script>{text}</script>"


class Render(harness.TestCase):
    refused = None

    def setUp(self):
        super().setUp()
        if not os.path.exists(BROWSER):
            self.skipTest("there is no chromium-headless-shell (apt-get install chromium-headless-shell)")
        if Render.refused is None:
            tried = self.crawl("render", self.write("tried.html", HEAD))
            Render.refused = tried.stderr if "this system refuses" in tried.stderr else ""
        if Render.refused:
            self.skipTest(Render.refused)

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

    def asked(self, nginx):
        return sorted(request.uri for request in nginx.requests())
