#!/usr/bin/env python3
"""Tests whether spellings of URLs are one page or two, from the page to the server's log."""
import json
import os
import unittest
from pathlib import Path

import harness

PAIRS = Path(os.environ.get("CRAWL_CONFORMANCE", "")) / "canon" / "pairs.jsonl"

# One page in 40 spellings, as links of a page on http://HOST/.
SPELLINGS = """
http://HOST/~a/b?x=1&y=2
HTTP://HOST/~a/b?x=1&y=2
http://UPPER/~a/b?x=1&y=2
hTTp://UPPER/~a/b?x=1&y=2
//HOST/~a/b?x=1&y=2
/~a/b?x=1&y=2
~a/b?x=1&y=2
./~a/b?x=1&y=2
../~a/b?x=1&y=2
../../~a/b?x=1&y=2
/./~a/b?x=1&y=2
/~a/./b?x=1&y=2
/~a/c/../b?x=1&y=2
/q/../~a/b?x=1&y=2
/%7Ea/b?x=1&y=2
/%7ea/b?x=1&y=2
/~%61/b?x=1&y=2
/~a/%62?x=1&y=2
/%7E%61/%62?x=1&y=2
/~a/%2e/b?x=1&y=2
/~a/c/%2E%2e/b?x=1&y=2
/~a/b?y=2&x=1
/~a/b?x=1&y=2&
/~a/b?&x=1&y=2
/~a/b?x=1&&y=2
/~a/b?%78=1&y=2
/~a/b?x=%31&y=%32
/~a/b?y=%32&%78=1
/~a/b?x=1&y=2#
/~a/b?x=1&y=2#top
/~a/b?x=1&y=2#a?b
 /~a/b?x=1&y=2
/~a/b?x=1&y=2 
&#9;/~a/b?x=1&y=2
/~a/&#10;b?x=1&y=2
/~a/b?x=&#13;1&y=2
\\~a\\b?x=1&y=2
/~a\\b?x=1&y=2
http:\\\\HOST\\~a\\b?x=1&y=2
http:/~a/b?x=1&y=2
""".strip("\n").split("\n")


def end_to_end(pair):
    """Returns True for pairs that differ only in path or query, which can be requested from our server: under a host
    name for each."""
    return all(url.startswith("http://example.com") and not url.startswith("http://example.com:")
               for url in (pair["a"], pair["b"])) \
        and not any(c in pair["a"][18:19] + pair["b"][18:19] for c in ".")


class Urls(harness.TestCase):
    def test_forty_spellings_are_fetched_once(self):
        self.assertEqual(len(SPELLINGS), 40)
        host = "spelled.localhost"
        site = self.make_site({"index.html": "", "~a/b": "target"})
        nginx = self.start_nginx({host: site})
        authority = f"{host}:{nginx.port}"
        links = "".join('<a href="{}">x</a>\n'.format(s.replace("HOST", authority).replace("UPPER", authority.upper()))
                        for s in SPELLINGS)
        self.write(os.path.join(site, "index.html"), "<!doctype html>\n" + links)
        result = self.crawl("--delay", "0", "--output", "pages.jsonl", nginx.url(host, "/"))
        self.assertEqual(result.status, 0, result.stderr)
        asked = [r.uri for r in nginx.requests(host) if r.uri != "/robots.txt"]
        self.assertEqual(len(asked), 2, asked)
        first = next(r for r in self.records("pages.jsonl") if r["depth"] == 0)
        self.assertEqual((first["links"], first["new"]), (40, 1))

    def test_which_links_are_followed(self):
        site = self.make_site({
            "index.html": """<!doctype html><title>t</title><base href=/in/><meta http-equiv=refresh content="9;url=refresh">
                <a href=a>a</a><area href=area><iframe src=iframe></iframe><link rel=next href=next><link rel="alternate stylesheet" href=css>
                <link rel=icon href=icon><link href=norel><a rel="nofollow x" href=nofollow>n</a><img src=img><script src=script></script>
                <a href="mailto:a@example.com">m</a><a href="javascript:x">j</a><!-- <a href=comment> --><a href=closed.html>c</a>
                <noscript><a href=noscript>n</a></noscript><a href="http://elsewhere.localhost/">e</a>""",
            "in/closed.html": "<meta name=robots content=nofollow><a href=behind>b</a>",
        })
        nginx = self.start_nginx({"follow.localhost": site})
        table = {
            (): {"refresh", "a", "area", "iframe", "next", "closed.html", "noscript"},
            ("--no-obey-nofollow",): {"refresh", "a", "area", "iframe", "next", "closed.html", "noscript", "nofollow",
                                      "behind"},
            ("--set", "parse.follow=area"): {"area"},
            ("--set", "parse.html=libxml2"): {"refresh", "a", "area", "iframe", "next", "closed.html", "noscript"},
            ("--set", "parse.follow=area img script"): {"area", "img", "script"},
            ("--set", "parse.follow=img", "--set", "parse.html=libxml2"): {"img"},
        }
        for options, expected in table.items():
            nginx.forget()
            self.crawl("--delay", "0", "--scope", "host", *options, nginx.url("follow.localhost", "/"))
            asked = {r.uri.rsplit("/", 1)[1] for r in nginx.requests("follow.localhost")}
            self.assertEqual(asked - {"", "robots.txt"}, expected, options)

    @unittest.skipUnless(PAIRS.exists(), "no conformance data")
    def test_pairs_from_the_page_to_the_log(self):
        pairs = [p for p in map(json.loads, PAIRS.read_text().splitlines()) if end_to_end(p)]
        self.assertGreater(len(pairs), 20)
        hosts = {p["id"]: p["id"] + ".localhost" for p in pairs}
        site = self.make_site({"x": ""})
        nginx = self.start_nginx({name: site for name in hosts.values()})
        lines = []
        for pair in pairs:
            for url in (pair["a"], pair["b"]):
                lines.append(json.dumps({"url": url.replace("http://example.com",
                                                            f"http://{hosts[pair['id']]}:{nginx.port}", 1)}))
        self.write("seeds.txt", "\n".join(lines) + "\n")
        self.crawl("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--output", "pages.jsonl")
        for pair in pairs:
            asked = [r.uri for r in nginx.requests(hosts[pair["id"]]) if r.uri != "/robots.txt"]
            self.assertEqual(len(asked), 1 if pair["same"] else 2, (pair, asked))


if __name__ == "__main__":
    harness.main()
