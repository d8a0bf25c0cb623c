"""Tests that need Debian's chromium-headless-shell, and a system that lets it have its sandbox."""
import os

import harness

PROGRAM = "/usr/lib/chromium/chromium-headless-shell"
asked = []


def refusal(case):
    """Why no page can be rendered here; "": one can. case: a harness.TestCase."""
    if not os.path.exists(PROGRAM):
        return "there is no chromium-headless-shell (apt-get install chromium-headless-shell)"
    if not asked:
        tried = case.crawl("render", case.write("tried.html", "<!doctype html><title>t</title><script>1</script>"))
        asked.append(tried.stderr if tried.status else "")
    known = "this system refuses" in asked[0] or "renders no pages" in asked[0]
    return asked[0] if known else ""


class TestCase(harness.TestCase):
    def setUp(self):
        super().setUp()
        why = refusal(self)
        if why:
            self.skipTest(why)
