#!/usr/bin/env python3
"""The data of `crawl extract --data`, made from the tokens of a page, compared with the tree of an HTML5 parser
(html5lib).

As a test: 600 small random pages, with elements that end each other. By hand: test_data_html5.py --soups N [--seed S]
prints each difference and the sum.

Compares all parts except items: lang, description, canonical, hreflang, h1, opengraph, json_ld, no_alt. No piece has
the end tag of a block that never began, or leaves a formatting element open, since the surroundings of a heading are
not known here (docs/data.md). No piece has a <template>, which html5lib 1.1 does not support.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urljoin

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
HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
URL = "http://h.example/d/p"
SILENT = {HTML + "script", HTML + "style", HTML + "template", HTML + "textarea", SVG + "style", SVG + "script"}

PIECES = [
    "<h1>", "<h1>", "<h1 class=x>", "<h1/>", "</h1>", "</h1>", "</h1>", "<h2>", "</h2>", "</h3>", "<p>", "</p>",
    "<b>x</b>", "<b>x<div>y</b>z</div>",
    "<a href=x>x<p>y</a>z</p>", "<span>", "</span>", "</b>", "</a>", "<dfn>", "</dfn>", "<code>x</code>", "<abbr>",
    "</abbr>", "text", "more", " ", "\n", "&amp;", "&copy=", "x&#65;", "<br>", "<br/>", "<img src=x alt=y>",
    "<!-- c -->", "<div><h1>in</div>", "<section><h1><dfn>in</section>", "<div>x</div>", "<h1>a<div>b</h1>c",
    "<ul><li>i<li>j</ul>",
    "<dl><dt>i<dd>j</dl>", "<table><tr><td>c<td><h1>d</h1></table>", "<table><tr><td><h1>c<td>d</table>",
    "<table><tr><td></div>x</table>",
    "<button>b</button>", "<form>f</form>", "<blockquote>q</blockquote>", "<object>o</object>",
    "<noscript>n</noscript>", "<pre>x\ny</pre>",
    "<svg><path d=x /><title>t</title></svg>", "<svg/>", "<math><mi>x</mi></math>", "<svg><style>s</style></svg>",
    "<svg><h1>", "<script>s</script>",
    "<style>s</style>", "<textarea><h1>no</h1></textarea>", "<body>", "<head>", "<html lang=de>",
    "<html lang=fr xml:lang=it>", "<html xml:lang=nl>", "</body>",
    "</html>", "<meta name=description content='d 1'>", "<meta name=' Description ' content='d&amp;2 \n x'>",
    "<meta property=og:title content=T>",
    "<meta name=og:image content=i>", "<meta property='OG:x' name=description content=z>", "<meta name=description>",
    "<math><meta name=description content=m>",
    "<link rel=canonical href=c1>", "<link rel='a CANONICAL b' href=c2>", "<link rel=alternate hreflang=de href=de>",
    "<link hreflang=nl href=no>",
    "<svg><link rel=canonical href=no /></svg>", "<img src=i1>", "<image src='i&amp;2'>", "<svg><image src=no /></svg>",
    "<svg><img src=i3>",
    "<input type=Image src=i4>", "<input src=no>", "<img>", '<script type=application/ld+json>{"a": 1}</script>',
    "<script type=' application/ld+json;x'>[1,]</script>",
]


def soups(count, seed):
    """Yields the same pages in each run of the test."""
    dice = random.Random(seed)
    for i in range(count):
        yield "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 6 + i % 20)))


def collapse(text):
    """Collapses the white space of HTML, which does not include U+00A0."""
    return re.sub("[ \\t\\n\\f\\r]+", " ", text).strip(" ")


def pieces_of(element):
    if element.tag in SILENT or not isinstance(element.tag, str):
        return
    yield element.text or ""
    for child in element:
        yield from pieces_of(child)
        yield child.tail or ""


def words(element, name):
    return (element.get(name) or "").lower().split()


def first(values):
    return next(iter(values), None)


def is_script(element):
    return element.tag == HTML + "script" and (element.get("type")
                                               or "").split(";")[0].strip().lower() == "application/ld+json"


def is_image(element):
    return element.tag == HTML + "img" or (element.tag == HTML + "input" and words(element, "type") == ["image"])


def judge(page):
    """Returns the data of the tree, in the form of docs/data.md."""
    tree = html5lib.parse(page)
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    metas = [element for element in elements if element.tag == HTML + "meta"]
    links = [element for element in elements if element.tag == HTML + "link"]
    found = {
        "lang": next((tree.get(name) for name in ("lang", XML_LANG, "xml:lang") if tree.get(name) is not None), None),
        "description": first(collapse(meta.get("content") or "") for meta in metas
                             if words(meta, "name") == ["description"]),
        "canonical": first(urljoin(URL, link.get("href")) for link in links if "canonical" in words(link, "rel")),
        "hreflang": [{"lang": link.get("hreflang"), "url": urljoin(URL, link.get("href"))} for link in links
                     if link.get("hreflang") and "alternate" in words(link, "rel")],
        "h1": [text for text in (collapse("".join(pieces_of(element))) for element in elements if element.tag == HTML
                                 + "h1") if text],
        "no_alt": [urljoin(URL, element.get("src")) if element.get("src") else "" for element in elements
                   if is_image(element) and element.get("alt") is None],
        "opengraph": {}, "json_ld": [], "json_ld_broken": 0,
    }
    for meta in metas:
        name = meta.get("property", meta.get("name")) or ""
        if name.strip().lower().startswith("og:") and meta.get("content") is not None:
            found["opengraph"].setdefault(name.strip(), []).append(meta.get("content"))
    for script in filter(is_script, elements):
        try:
            found["json_ld"].append(json.loads(script.text or ""))
        except ValueError:
            found["json_ld_broken"] += 1
    return {name: value for name, value in found.items() if value}


def glued(found):
    """Removes white space from headings: the tree has none between the blocks in them, where ours have a space."""
    return {**found, "h1": ["".join(text.split()) for text in found.get("h1", [])]}


def compare(count, seed):
    """Returns the number of values compared, and a line for each page with a difference."""
    pages = list(soups(count, seed))
    values, differences = 0, []
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{i}.html") for i in range(count)]
        for path, page in zip(paths, pages):
            path.write_text(page, encoding="utf-8")
        result = subprocess.run([PROGRAM, "extract", "--data", "--jsonl", "--url", URL, *map(str, paths)],
                                capture_output=True, text=True, check=True)
    for page, line in zip(pages, result.stdout.splitlines(), strict=True):
        ours, theirs = json.loads(line).get("data") or {}, judge(page)
        values += len(theirs)
        if glued(ours) != glued(theirs):
            differences.append(f"{page!r}\n  crawl    {ours}\n  html5lib {theirs}")
    return values, differences


class DataHtml5(unittest.TestCase):
    def test_soups(self):
        values, differences = compare(600, 7)
        self.assertGreater(values, 900)
        self.assertFalse(differences, "\n".join(differences))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--soups", type=int)
    parser.add_argument("--seed", type=int, default=7)
    options, rest = parser.parse_known_args()
    if options.soups is None:
        unittest.main(argv=[sys.argv[0], *rest])
    compared, differing = compare(options.soups, options.seed)
    print("\n".join([*differing, f"{options.soups} pages, {compared} values, {len(differing)} pages differ"]))
