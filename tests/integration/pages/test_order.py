#!/usr/bin/env python3
"""The order in which the links of a page are asked for."""

import harness


class Order(harness.TestCase):
    def asked(self, order):
        site = self.make_site({
            "index.html": "<a href=deep/er/still/page.html>1</a><a href='list.html?sort=price&page=2'>2</a><a "
                          "href=near.html>3</a>",
            "near.html": "<a href=next.html>4</a>", "next.html": "", "list.html": "", "deep/er/still/page.html": ""})
        nginx = self.start_nginx({f"{order}.localhost": site})
        result = self.crawl("--order", order, "--delay", "0", "--connections", "1", "--no-robots",
                            nginx.url(f"{order}.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        return [r.uri.split("?")[0].rsplit("/", 1)[-1] for r in nginx.requests()]

    def test_best_first(self):
        self.assertEqual(self.asked("best"), ["", "near.html", "page.html", "list.html", "next.html"])

    def test_breadth_first(self):
        self.assertEqual(self.asked("bfs"), ["", "page.html", "list.html", "near.html", "next.html"])

    def test_shares(self):
        """Two hosts with as much to fetch, one connection: three turns for one; and when the crawl goes on with another
        share, one for one."""
        pages = {f"{n}.html": "" for n in range(60)}
        site = self.make_site({"index.html": "".join(f"<a href={name}>a</a>" for name in pages), **pages})
        nginx = self.start_nginx({"often.localhost": site, "seldom.localhost": site})
        self.write("crawler.conf", "[host often.localhost]\nshare = 3\n")
        self.write("even.conf", "[host often.localhost]\nshare = 1\n")
        options = ("--state", "st", "--delay", "0", "--connections", "1", "--no-robots")
        self.crawl(*options, "--max-pages", "42", nginx.url("often.localhost"), nginx.url("seldom.localhost"))
        hosts = [r.host for r in nginx.requests() if r.uri != "/"]
        self.assertEqual(len(hosts), 40)
        self.assertIn(hosts.count("often.localhost"), (29, 30, 31), hosts)
        nginx.forget()
        self.crawl(*options, "--config", "even.conf", "--max-pages", "40")
        hosts = [r.host for r in nginx.requests()]
        self.assertIn(hosts.count("often.localhost"), (19, 20, 21, 22), hosts)


if __name__ == "__main__":
    harness.main()
