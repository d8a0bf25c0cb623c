#!/usr/bin/env python3
"""Tests the links that `crawl links` finds on real pages against those in the tree of an HTML5 parser (html5lib).

The test has 60 pages of the documentation on this machine, from as many packages as possible, and 400 small random
pages made of constructs that are hard for tokenizers. By hand: test_html5.py --pages 1000 [--soups N] prints each
difference and the sums.

Compares the sets of (element, URL) of a, area, link, frame and iframe, resolved by `crawl url`, for both extractors.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import html5lib
except ImportError:
    # html5lib is a package of Debian's own Python, which need not be the first in the path.
    if sys.executable != "/usr/bin/python3" and subprocess.run(["/usr/bin/python3", "-c", "import html5lib"],
                                                               check=False,
                                                               stderr=subprocess.DEVNULL).returncode == 0:
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: python3-html5lib is not installed")
    sys.exit(77)

PROGRAM = os.environ.get("CRAWL_PROGRAM", "crawl")
FOLDERS = ["/usr/share/doc", "/usr/share/gtk-doc", "/usr/share/javascript"]
LARGEST = 400_000
HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
SOURCES = {HTML + "a": "href", SVG + "a": "href", HTML + "area": "href", HTML + "link": "href", HTML + "frame": "src",
           HTML + "iframe": "src"}
NO_LINK_IF_EMPTY = {"link", "frame", "iframe"}


def documentation(wanted):
    """Returns pages of all packages in turn, evenly spaced in each."""
    packages = {}
    for folder in FOLDERS:
        for path in sorted(Path(folder).rglob("*.htm*")):
            if path.suffix in (".html", ".htm") and path.is_file() and 0 < path.stat().st_size <= LARGEST:
                packages.setdefault(path.relative_to(folder).parts[0], []).append(path)
    shares = dict.fromkeys(packages, 0)
    while wanted > sum(shares.values()) and any(shares[name] < len(packages[name]) for name in packages):
        for name in sorted(packages):
            if shares[name] < len(packages[name]) and sum(shares.values()) < wanted:
                shares[name] += 1
    for name, share in sorted(shares.items()):
        for i in range(share):
            yield packages[name][i * len(packages[name]) // share]


PIECES = [
    "<a href=1>", "<a href='2'>", '<a href="3">', "<a href = 4 >", "<a\nhref\n=\n'5'\n>", "<A HREF=6>", "<a href=7/>",
    "<a/href=8>",
    "<a href=9 href=no>", "<a title='>' href=10>", "<a title=\"<a href=no>\" href=11>", "<a =href=no>",
    "<a href='12'title=x>", "<a ' href=13>",
    "<a x=y' href=14>", "<a @click=\"go('a href=no')\" href=15>", "<a href=16<b>", "<a href==17>", "<a href=''>",
    "<a href>", "<a \"=\" href=18>",
    "<a href='?a&amp;b&lt;&copy=1&copy;&notit;&nosuch;&#65;&#x42&#128;&nges;&amp'>", "<a href='19&#0;&#xd800;'>",
    "<a href=&quot;20&quot>",
    "</a>", "</a title='<a href=no>'>", "</>", "</ x>", "<", "< a href=no>", "<>", "<?pi <a href=no>?>",
    "<!x <a href=no>>", "<!doctype html>",
    "<!-- <a href=no> -->", "<!-->", "<!--->", "<!--x--!>", "<!---->", "<!-- -- > <a href=no> -->",
    "<!--!> <a href=no> -->", "-->", "<![CDATA[<a href=c>]]>",
    "<script>'<a href=no>'</script>", "<script><!-- <script> <a href=no> </script> --></script>",
    "<script><!-- </script>", "<script></scripts></script x='>'>",
    "<style>a{}<a href=no></style>", "<textarea><a href=no></textarea>", "<title><a href=no></title>",
    "<xmp><a href=no></xmp>",
    "<iframe src=21><a href=no></iframe>", "<noembed><a href=no></noembed>", "<noscript><a href=22></noscript>",
    "<area href=23>",
    "<link rel=x href=24>", "<link href=''>", "<svg><a href=25 /></svg>", "<svg><style><a href=26></style></svg>",
    "<svg><![CDATA[<a href=no>]]></svg>",
    "<svg><foreignObject><p><a href=27></foreignObject></svg>", "<math><mi><a href=28></mi></math>",
    "<svg><title><a href=29></title></svg>",
    "<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "text", " ", "\n", "'", "\"", "&", "=", "/", "<br/>",
    "<img src=x>",
]


def soups(count):
    """Yields the same pages in each run."""
    dice = random.Random(5)
    for _ in range(count):
        yield "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 12))).encode()


def ask(word, rows, *options):
    """Returns the answers of a tool, a JSON object for each."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    result = subprocess.run([PROGRAM, word, "--jsonl", *options], input=lines, capture_output=True, text=True,
                            check=False)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) == len(rows), result.stderr
    return answers


def judge(page, charset):
    """Returns the values in the tree: of <base>, and of each link with its element."""
    tree = html5lib.parse(page, override_encoding=charset)
    base = [e.get("href") for e in tree.iter(HTML + "base") if e.get("href") is not None]
    found = [(e.tag.split("}")[1], e.get(SOURCES[e.tag])) for e in tree.iter() if e.tag in SOURCES
             and e.get(SOURCES[e.tag]) is not None]
    return base[:1], [(tag, value) for tag, value in found if value or tag not in NO_LINK_IF_EMPTY]


def resolve(rows):
    """Returns the URL of each {"input", "base", "charset"}; None: not a URL."""
    return [answer["href"] for answer in ask("url", rows)] if rows else []


def reported(answer):
    return {(link["tag"], link["url"]) for link in answer["links"]
            if link["tag"] in ("a", "area", "link", "frame", "iframe")}


class Tally:
    """Counts the links compared, and collects the differences."""

    def __init__(self):
        self.pages = self.links = 0
        self.differences = []

    def wanted(self, urls, pages, charsets):
        """Returns the set of (element, URL) in the tree of each page."""
        judged = [judge(page, charset) for page, charset in zip(pages, charsets)]
        based = [i for i, (base, _) in enumerate(judged) if base]
        bases = list(urls)
        for i, url in zip(based, resolve([{"input": judged[i][0][0], "base": urls[i]} for i in based])):
            bases[i] = url or urls[i]
        rows = [(i, tag, value) for i, (_, links) in enumerate(judged) for tag, value in links]
        found = [set() for _ in pages]
        resolved = resolve([{"input": value, "base": bases[i], "charset": charsets[i]} for i, _, value in rows])
        for (i, tag, _), url in zip(rows, resolved):
            if url:
                found[i].add((tag, url))
        return found

    def compare(self, names, pages):
        urls = [f"http://h.example/{name}" for name in names]
        rows = [{"html_hex": page.hex(), "url": url} for page, url in zip(pages, urls)]
        answers = {extractor: ask("links", rows, "--html", extractor) for extractor in ("scan", "libxml2")}
        wanted = self.wanted(urls, pages, [answer["charset"] for answer in answers["scan"]])
        self.pages += len(pages)
        self.links += sum(map(len, wanted))
        for extractor, all_answers in answers.items():
            for name, links, answer in zip(names, wanted, all_answers):
                got = reported(answer)
                if got != links:
                    self.differences.append((extractor, name, sorted(links - got), sorted(got - links)))

    def __str__(self):
        lines = [f"{extractor}: {name}: missed {missed}, invented {invented}" for extractor, name, missed,
                 invented in self.differences]
        return "\n".join(lines + [f"{self.pages} pages, {self.links} links, {len(self.differences)} differences"])


def compare_documentation(count):
    tally = Tally()
    paths = list(documentation(count))
    for start in range(0, len(paths), 50):
        some = paths[start:start + 50]
        tally.compare([str(path).strip("/") for path in some], [path.read_bytes() for path in some])
    return tally


def compare_soups(count):
    tally = Tally()
    pages = list(soups(count))
    tally.compare([page.hex() for page in pages], pages)
    return tally


class Html5(unittest.TestCase):
    def test_documentation(self):
        tally = compare_documentation(60)
        self.assertGreaterEqual(tally.pages, 60, "too little documentation is installed")
        self.assertFalse(tally.differences, tally)

    def test_soups(self):
        tally = compare_soups(400)
        self.assertGreater(tally.links, 400)
        self.assertFalse(tally.differences, tally)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int)
    parser.add_argument("--soups", type=int)
    options, rest = parser.parse_known_args()
    if options.pages is None and options.soups is None:
        unittest.main(argv=[sys.argv[0], *rest])
    if options.pages:
        print(compare_documentation(options.pages))
    if options.soups:
        print(compare_soups(options.soups))
