#!/usr/bin/env python3
"""Tests the order in which the links of a page are fetched."""

import collections
import random
import threading

import harness
import recording


def graph(seed, count=40):
    """Returns, for each page, the pages that it links to."""
    chance = random.Random(seed)
    return [[chance.randrange(count) for _ in range(chance.choice((1, 2, 3)))] for _ in range(count)]


def depths(links, most):
    """Returns the number of links from page 0 to each page within the depth."""
    found, queue = {0: 0}, collections.deque([0])
    while queue:
        page = queue.popleft()
        for to in links[page] if found[page] < most else ():
            if to not in found:
                found[to] = found[page] + 1
                queue.append(to)
    return found


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

    def test_all_pages_within_the_depth(self):
        """Depth first reaches a page by a long way first, cuts its links there, and still follows them once a shorter
        way is found, even if the crawl was interrupted meanwhile. Breadth first requests nothing twice there."""
        for order in "dfs", "best", "bfs":
            for seed in range(6):
                with self.subTest(order=order, seed=seed):
                    self.check_graph(order, graph(seed), f"state-{order}-{seed}" if seed % 2 else None)

    def check_graph(self, order, links, state):
        site = self.serve(recording.Site({f"/{page}": "".join(f"<a href=/{to}>a</a>" for to in tos)
                                          for page, tos in enumerate(links)}))
        options = ["--order", order, "--delay", "0", "--per-host", "1", "--no-robots", "--depth", "4"]
        runs = [[site.url("127.0.0.1", "/0")]]
        if state and harness.has_disk():
            options += ["--state", state]
            runs = [["--max-pages", "5", *runs[0]], []]
        for more in runs:
            result = self.crawl(*options, *more)
            self.assertEqual(result.status, 0, result.stderr)
        asked = collections.Counter(int(request.path[1:]) for request in site.requests)
        nearest = depths(links, 4)
        self.assertEqual(set(asked), set(nearest))
        for page, times in asked.items() if order != "bfs" else ():
            self.assertLessEqual(times, 5 - nearest[page], "a page is asked for again where it is nearer alone")
        if order == "bfs":
            self.assertEqual(set(asked.values()), {1})

    def test_a_slow_host_has_the_shorter_way(self):
        """Breadth first over two hosts reaches page x by a long way while the host with the shorter way has not
        answered. The links of x are still followed."""
        answers = threading.Event()

        def be_slow(request):
            answers.wait(20)
            return f"<a href={fast}/x>x</a>"

        def come_first(request):
            answers.set()
            return "<a href=/y>y</a>"

        site = self.serve(recording.Site({}))
        fast, slow = site.url("fast.localhost", ""), site.url("slow.localhost", "")
        site.pages.update({
            "/0": f"<a href={slow}/s>s</a><a href=/1>1</a>", "/s": be_slow, "/1": "<a href=/2>2</a>",
            "/2": f"<a href={fast}/x>x</a>", "/x": come_first, "/y": ""})
        result = self.crawl("--delay", "0", "--no-robots", "--scope", "any", "--allow-private", "--depth", "3",
                            f"{fast}/0")
        self.assertEqual(result.status, 0, result.stderr)
        asked = collections.Counter(request.path for request in site.requests)
        self.assertEqual(asked, {"/0": 1, "/s": 1, "/1": 1, "/2": 1, "/x": 2, "/y": 1})

    def test_shares(self):
        """With equally many pages on two hosts and one connection, one host gets three turns for each of the other, and
        after a resume with another share one for one."""
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
