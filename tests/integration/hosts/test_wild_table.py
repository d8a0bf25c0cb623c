#!/usr/bin/env python3
"""Tests every case of wild_server.py and wild_cases.py: its record, its requests, the links followed, and its cost in
time and memory. Each case has its own host and so its own connections. test_wild.py has the cases about politeness,
test_wild_tls.py TLS and HTTP/2."""
import os
import subprocess
import time
import unittest

import harness
from dns_server import DnsServer, Zone
from wild_cases import NAMES as NAME_CASES

ONCE, TWICE = 1, 2  # requests; a second attempt is a retry

# An accepted response: status, error class, requests, bytes of the body.
HELLO = (200, None, ONCE, 5)
PROTOCOL = (0, "protocol", ONCE, 0)
BROKEN = (200, "protocol", ONCE, 0)
MOVED = (302, None, ONCE, 0)
CODED = (200, None, ONCE, 108945)
BOMB = (200, "too-large", ONCE, 1 << 20)

RAW = {
    # status lines (RFC 9112, 4)
    "noreason": HELLO, "nospace": HELLO, "lowercase": PROTOCOL, "code99": PROTOCOL, "code1000": PROTOCOL,
    "codeless": PROTOCOL, "http12": PROTOCOL,
    "http99": PROTOCOL, "icy": PROTOCOL, "emptyfirst": PROTOCOL,
    # statuses that have no body, with one
    "100first": HELLO, "205": (205, None, ONCE, 5), "206": (206, "protocol", ONCE, 5),
    "300empty": (300, "protocol", ONCE, 0), "304": (304, "protocol", ONCE, 0),
    "206page": (206, "protocol", ONCE, 24), "416": (416, None, ONCE, 5),
    # lengths (RFC 9112, 6.2)
    "negative": BROKEN, "plus": BROKEN, "words": BROKEN, "lengthtwice": HELLO, "lengthstwo": BROKEN,
    "lengthlist": HELLO,
    "lengthmost": (200, "reset", TWICE, 5), "lengthmore": HELLO, "lengthempty": BROKEN,
    # chunks (RFC 9112, 7.1)
    "both": HELLO, "bytechunks": (200, None, ONCE, 5000), "chunkhuge": BROKEN, "chunkmost": (200, "reset", TWICE, 5),
    "chunknegative": BROKEN,
    "chunkempty": BROKEN, "chunklf": HELLO, "chunklong": (200, "protocol", ONCE, 5), "chunkext": HELLO,
    "chunktrailers": (200, "too-large", ONCE, 5), "tespace": HELLO, "teunknown": HELLO, "tegzip": BROKEN,
    "tespacecut": (200, "reset", TWICE, 5),
    # header lines (RFC 9112, 5)
    "headernul": BROKEN, "barecr": HELLO, "barelf": HELLO, "spacecolon": HELLO, "noname": HELLO, "foldedfirst": BROKEN,
    "latin": HELLO, "spacecoloncut": (200, "reset", TWICE, 5),
    "nobody": (200, "reset", TWICE, 0), "notype": (200, None, ONCE, 26), "typewild": HELLO,
    # redirects
    "toutf8": MOVED, "tolatin": MOVED, "tospaces": MOVED, "totwo": MOVED, "tonul": (302, "protocol", ONCE, 0),
    "tofragment": MOVED,
    "torelative": MOVED, "toquery": MOVED, "tolong": MOVED, "todata": (302, "redirects", ONCE, 0),
    "toport": (302, "redirects", ONCE, 0),
    "totraversal": MOVED,
    # content codings
    "codinglist": BROKEN, "codingidentity": HELLO, "codingempty": HELLO, "codingx": HELLO,
}

# Targets of the redirects above, which must receive a request there and nowhere else.
TARGETS = {
    "toutf8": "/page?caf%C3%A9", "tolatin": "/page?caf%E9", "tospaces": "/page?a%20b", "totwo": "/page?first",
    "tofragment": "/page?f",
    "torelative": "/page?up", "toquery": "/raw/toquery?query", "tolong": "/page?" + "x" * 60000,
    "totraversal": "/etc/passwd",
}

CODINGS = {"plain": CODED, "twice": CODED, "tail": CODED, "bomb": BOMB, "doublebomb": BOMB,
           "cut": (200, "protocol", ONCE, None)}

OTHERS = {
    "/oddheaders": (200, None, ONCE, 2), "/nocolon": BROKEN, "/rawdeflate": (200, None, ONCE, 61),
    "/twicegzip": (200, None, ONCE, 56),
    "/badgzip": (200, "protocol", ONCE, None), "/gzipcrc": (200, "protocol", ONCE, None),
    "/gziptail": (200, None, ONCE, 55),
    "/kept/spacecolon": HELLO, "/kept/tespace": HELLO,
    "/emptygzip": (200, None, ONCE, 0), "/chunkcut": (200, "reset", TWICE, 5), "/upgrade": PROTOCOL,
}

ENDLESS = {
    "/endlessheader": (200, "too-large", ONCE, 0), "/endlessline": (200, "too-large", ONCE, 0),
    "/endlesschunks": (200, "too-large", ONCE, 1 << 20), "/continues": (0, "too-large", ONCE, 0),
    "/huge": (200, "too-large", ONCE, 1 << 20),
}
# These last until the time limit.
WAITING = {
    "/dripheader?ms=300": (0, "timeout", TWICE, 0), "/drip?bytes=100&ms=500": (200, "timeout", TWICE, None),
    "/never": (0, "timeout", TWICE, 0),
}

# Names: status, error class, its message.
NAMES = {
    "good": (200, None, None), "nosuch": (0, "dns", "no such name"), "broken": (0, "dns", "the name servers failed"),
    "refused": (0, "dns", "the name servers failed"), "empty": (0, "dns", "the name has no address"),
    "silent": (0, "dns", "the name servers did not answer in time"), "slow": (200, None, None),
    "half": (200, None, None), "lame": (200, None, None),
    "chain": (200, None, None), "fleeting": (200, None, None), "forever": (200, None, None), "many": (200, None, None),
    "zero": (0, "private", "the name leads to a private address; see politeness.internal_hosts and --allow-private"),
    "inside": (0, "private", "the name leads to a private address; see politeness.internal_hosts and --allow-private"),
}

# Pages: links found, and the requests that must follow.
PAGES = {
    "deep": (1, ["/page?deep"]),
    "links": (100000, None),
    "attribute": (1, ["/page?after"]),
    "href": (1, ["/page?after"]),
    "open": (1, ["/page?before"]),
    "comment": (1, ["/page?before"]),
    "references": (1, ["/page?after"]),
    "bases": (2, []),
    "basedata": (1, ["/page?after"]),
    "svg": (1, ["/page?svg"]),
    "tags": (1, ["/page?after"]),
    "attributes": (1, ["/page?after"]),
}

RETRIED = {408, 429} | set(range(500, 600)) - {501, 505}

# host label: requests for its robots.txt, error of /private, error of /page
ROBOTS = {
    "robots-200": (1, None, None), "robots-204": (1, None, None), "robots-206": (1, "protocol", "protocol"),
    "robots-300": (1, None, None), "robots-304": (1, None, None),
    "robots-400": (1, None, None), "robots-401": (1, None, None), "robots-410": (1, None, None),
    "robots-429": (2, "robots", "robots"),
    "robots-451": (1, None, None), "robots-500": (2, "robots", "robots"), "robots-502": (2, "robots", "robots"),
    "robots-599": (2, "robots", "robots"),
    "robots-999": (1, "robots", "robots"), "robots-away": (1, "robots", None), "robots-10mb": (1, "robots", None),
    "robots-line": (1, "robots", None),
    "robots-stars": (1, "robots", None), "robots-binary": (1, "robots", None), "robots-bomb": (1, None, None),
    "robots-short": (2, "reset", "reset"),
    "robots-drip": (2, "timeout", "timeout"),
}

QUICK = ("--delay", "0", "--retries", "1", "--set", "politeness.retry_delay=10ms", "--set", "fetch.max_body=1MiB",
         "--output", "pages.jsonl")


def sanitized():
    """Returns True for a program with sanitizers, which keep freed memory; limits of memory are for the released
    program."""
    return b"__asan_init" in open(harness.program(), "rb").read()


class Table(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wild = cls.start_wild()
        cls.hosts = 0

    def host(self):
        """Returns a host without any request so far."""
        type(self).hosts += 1
        return f"table{self.hosts}.localhost"

    def crawl_urls(self, urls, *options, limit_s=60, status=0):
        self.write("seeds.txt", "".join(url + "\n" for url in urls))
        start = time.monotonic()
        result = self.crawl("--seeds", "seeds.txt", *QUICK, *options)
        self.assertEqual(result.status, status, result.stderr)
        self.assertLess(time.monotonic() - start, limit_s)
        return {r["url"]: r for r in self.records("pages.jsonl")}

    def asked(self, host):
        return [r["path"] for r in self.wild.requests(host) if r["path"] != "/robots.txt"]

    def check(self, cases, *options, **more):
        """Checks cases: path -> (status, error class, requests, bytes or None: any). Returns the host of each."""
        hosts = {path: self.host() for path in cases}
        records = self.crawl_urls([self.wild.url(host, path) for path, host in hosts.items()], "--depth", "0",
                                  *options, **more)
        wrong = []
        for path, host in hosts.items():
            record = records[self.wild.url(host, path)]
            status, error, times, size = cases[path]
            got = (record["status"], record["error"], self.asked(host).count(path), record["bytes"])
            if got != (status, error, times, got[3] if size is None else size):
                wrong.append((path, "got", got, "expected", cases[path], record["detail"]))
            if bool(record["error"]) != bool(record["detail"]):
                wrong.append((path, "an error without words, or words without an error"))
        self.assertEqual(wrong, [])
        return hosts

    def test_statuses(self):
        codes = [*range(200, 300, 7), *range(303, 309), 300, *range(400, 452), *range(499, 532), 599, 600, 700, 999]
        body = len("<!doctype html>\n<title>status 200</title>\n<p></p>\n<ul>\n</ul>\n")
        lost = range(301, 309)  # redirects without Location, and a 304 that was not asked for
        cases = {f"/status/{n}": (n, "protocol" if n in lost else None, TWICE if n in RETRIED else ONCE,
                                  0 if n in (204, 304) else body) for n in codes}
        cases.update({f"/status/{n}": PROTOCOL for n in (100, 101, 102, 150, 199)})
        self.check(cases)

    def test_faults_are_told_apart(self):
        words = {"todata": "neither http nor https", "toport": "an invalid URL", "lengthstwo": "not one number",
                 "nolocation": "without Location"}
        urls = {name: self.wild.url(self.host(), f"/raw/{name}") for name in words}
        urls["nolocation"] = self.wild.url(self.host(), "/nolocation")
        records = self.crawl_urls(urls.values(), "--depth", "0", status=1)
        for name, part in words.items():
            self.assertIn(part, records[urls[name]]["detail"])

    def test_a_304_to_a_condition_of_the_user(self):
        self.check({"/raw/304": (304, None, ONCE, 0)}, "--header", "If-None-Match: \"a\"", status=1)

    def test_answers_byte_for_byte(self):
        hosts = self.check({f"/raw/{name}": row for name, row in RAW.items()}, "--set", "crawl.max_url=0")
        for name in RAW:
            led = [path for path in self.asked(hosts[f"/raw/{name}"]) if path != f"/raw/{name}"]
            self.assertEqual(led, [TARGETS[name]] if name in TARGETS else [], name)

    def test_a_redirect_to_a_long_url_is_no_trap_to_fall_into(self):
        hosts = self.check({"/raw/tolong": (302, "limit", ONCE, 0)}, status=1)
        self.assertEqual(self.asked(hosts["/raw/tolong"]), ["/raw/tolong"])

    def test_redirects_keep_their_codes(self):
        hosts = {code: self.host() for code in (300, 301, 302, 303, 305, 307, 308)}
        urls = {code: self.wild.url(host, f"/redirect/{code}?to=//{host}:{self.wild.port}/page") for code,
                host in hosts.items()}
        records = self.crawl_urls(urls.values(), "--depth", "0")
        for code, host in hosts.items():
            follows = code != 300
            self.assertEqual(records[urls[code]]["redirect"], self.wild.url(host, "/page") if follows else None, code)
            self.assertEqual(self.asked(host).count("/page"), int(follows), code)

    def test_content_codings(self):
        cases = {f"/coded/{coding}?as={how}": row for coding in ("gzip", "deflate", "br", "zstd") for how,
                 row in CODINGS.items()}
        self.check({**cases, **OTHERS}, "--connections", "2", "--timeout", "20s")

    def test_what_never_ends(self):
        self.check(ENDLESS, "--timeout", "30s", limit_s=25)
        self.check(WAITING, "--timeout", "3s", limit_s=25, status=1)

    def test_a_folded_first_line_after_another_answer(self):
        """Reuses the handle and the connection of a response with headers."""
        host = self.host()
        urls = [self.wild.url(host, "/page"), self.wild.url(host, "/raw/foldedfirst"),
                self.wild.url(host, "/page?after")]
        for _ in range(3):
            records = self.crawl_urls(urls, "--depth", "0", "--connections", "1", "--per-host", "1")
            self.assertEqual([records[url]["error"] for url in urls], [None, "protocol", None])

    def test_head_with_a_length(self):
        host = self.host()
        self.write("seeds.txt", '{"url": "%s", "method": "HEAD"}\n' % self.wild.url(host, "/fill?bytes=1000"))
        result = self.crawl("--seeds", "seeds.txt", *QUICK)
        self.assertEqual(result.status, 0, result.stderr)
        record = self.records("pages.jsonl")[0]
        self.assertEqual((record["method"], record["status"], record["bytes"], record["error"]), ("HEAD", 200, 0, None))

    def test_connections_that_end_after_so_many_answers(self):
        for each in (1, 3, 100):
            host = self.host()
            urls = [self.wild.url(host, f"/lastof/{each}?n={n}") for n in range(120)]
            records = self.crawl_urls(urls, "--depth", "0")
            self.assertEqual({r["status"] for r in records.values()}, {200})
            self.assertEqual(len(records), 120)

    def test_a_wall_of_cookies(self):
        start = self.wild.url(self.host(), "/wall?name=with")
        records = self.crawl_urls([start], "--cookies", "--workers", "1")
        self.assertEqual([path.split("?")[0] for path in self.asked(start.split("/")[2].split(":")[0])],
                         ["/wall", "/gate", "/wall", "/page"])
        itself = self.wild.url(self.host(), "/cookie")
        self.assertEqual(self.crawl_urls([itself], "--cookies", "--workers", "1")[itself]["status"], 200)
        self.assertEqual(sorted(r["status"] for r in records.values() if "found" in r["url"]), [200])
        without = self.wild.url(self.host(), "/wall?name=without")
        records = self.crawl_urls([without], status=1)
        self.assertEqual({r["status"] for r in records.values()}, {302})
        self.assertLessEqual(len(self.asked(without.split("/")[2].split(":")[0])), 3)

    def test_robots(self):
        urls = [self.wild.url(f"{label}.localhost", path) for label in ROBOTS for path in ("/private", "/page")]
        records = self.crawl_urls(urls, "--depth", "0", "--timeout", "2s", "--allow-private", limit_s=30)
        wrong = []
        for label, expected in ROBOTS.items():
            host = f"{label}.localhost"
            paths = [r["path"] for r in self.wild.requests(host)]
            got = (paths.count("/robots.txt"), *(records[self.wild.url(host, path)]["error"]
                                                 for path in ("/private", "/page")))
            if got != expected or (expected[1] and "/private" in paths):
                wrong.append((label, "got", got, "expected", expected))
        self.assertEqual(wrong, [], "\n".join(map(str, wrong)))
        self.assertEqual(records[self.wild.url("robots-429.localhost", "/page")]["detail"],
                         "robots.txt was answered with status 429: everything counts as forbidden")

    def test_names(self):
        zones = {f"{name}.names.test": Zone(**zone) for name, zone in NAME_CASES.items()}
        links = "".join(f"<a href=http://{name}:{self.wild.port}/page>x</a>" for name in zones
                        if NAMES[name.split(".")[0]][1] == "private")
        nginx = self.start_nginx({"hub.localhost": self.make_site({"index.html": links})})
        urls = [self.wild.url(name, "/page") for name in zones if NAMES[name.split(".")[0]][1] != "private"]
        with DnsServer(zones) as dns:
            records = self.crawl_urls([*urls, nginx.url("hub.localhost")], "--depth", "1", "--scope", "any",
                                      "--no-robots", "--retries", "0",
                                      "--set", "fetch.dns_timeout=3s",
                                      *dns.option(" ".join(url.split("/")[2].split(":")[0] for url in urls)))
        got = {r["url"].split("/")[2].split(".")[0]: (r["status"], r["error"], r["detail"]) for r in records.values()
               if "names.test" in r["url"]}
        self.assertEqual(got, NAMES)

    def test_pages(self):
        for name, (links, leads_to) in PAGES.items():
            host = self.host()
            url = self.wild.url(host, f"/big/{name}")
            depth = "1" if leads_to is not None else "0"
            for extractor in ("scan", "libxml2"):
                before = len(self.asked(host))
                records = self.crawl_urls([url], "--depth", depth, "--set", "fetch.max_body=64MiB", "--set",
                                          f"parse.html={extractor}")
                self.assertEqual((records[url]["status"], records[url]["error"], records[url]["links"]),
                                 (200, None, links), name)
                self.assertEqual(self.asked(host)[before + 1:], leads_to or [], name)

    def test_traps_end_at_their_limits(self):
        """path: the limit, and the most pages it may have."""
        table = {
            "/trap/calendar/0": (("--depth", "5"), 11),
            "/trap/path/": (("--depth", "3"), 15),
            "/trap/session": (("--depth", "2"), 13),
            "/trap/query?x=1": (("--depth", "2"), 211),
            "/trap/calendar/7": (("--max-pages", "50", "--depth", "1000"), 50),
        }
        for path, (options, pages) in table.items():
            host = self.host()
            self.crawl_urls([self.wild.url(host, path)], *options)
            self.assertEqual(len(self.asked(host)), pages, path)
        host = self.host()
        self.crawl_urls([self.wild.url(host, "/trap/hosts")], "--scope", "domain", "--allow-private", "--depth", "20",
                        "--set", "crawl.max_hosts=10")
        self.assertEqual(sum(bool(self.asked(h)) for h in {r["host"] for r in self.wild.requests()
                                                           if r["host"].endswith(host)}), 10)

    @unittest.skipIf(sanitized(), "built with a sanitizer")
    def test_memory_with_every_connection_fed_bombs(self):
        """Allows the memory of 64 transfers of at most max_body bytes at once: their bodies, the same again for buffers
        that double, and 64 MiB for the rest."""
        ways = [f"/coded/{coding}?as=bomb" for coding in ("gzip", "deflate", "br",
                                                          "zstd")] + ["/huge", "/endlessheader", "/endlesschunks",
                                                                      "/endlessline"]
        urls = [self.wild.url(self.host(), way) for way in ways * 32]
        self.write("seeds.txt", "".join(url + "\n" for url in urls))
        process = subprocess.Popen([harness.program(), "--seeds", "seeds.txt", *QUICK, "--connections", "64", "--depth",
                                    "0"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        self.assertEqual(process.returncode, 0)
        self.assertEqual({r["error"] for r in self.records("pages.jsonl")}, {"too-large"})
        self.assertLess(usage.ru_maxrss * 1024, 64 * 2 * (1 << 20) + (64 << 20))


if __name__ == "__main__":
    harness.main()
