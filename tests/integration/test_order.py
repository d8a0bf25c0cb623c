#!/usr/bin/env python3
"""The order in which the links of a page are asked for."""
import unittest

import harness


class Order(harness.TestCase):
    def asked(self, order):
        site = self.make_site({
            "index.html": "<a href=deep/er/still/page.html>1</a><a href='list.html?sort=price&page=2'>2</a><a href=near.html>3</a>",
            "near.html": "<a href=next.html>4</a>", "next.html": "", "list.html": "", "deep/er/still/page.html": ""})
        nginx = self.start_nginx({f"{order}.localhost": site})
        result = self.crawl("--order", order, "--delay", "0", "--connections", "1", "--no-robots", nginx.url(f"{order}.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        return [r.uri.split("?")[0].rsplit("/", 1)[-1] for r in nginx.requests()]

    def test_best_first(self):
        self.assertEqual(self.asked("best"), ["", "near.html", "page.html", "list.html", "next.html"])

    def test_breadth_first(self):
        self.assertEqual(self.asked("bfs"), ["", "page.html", "list.html", "near.html", "next.html"])


if __name__ == "__main__":
    harness.main()
