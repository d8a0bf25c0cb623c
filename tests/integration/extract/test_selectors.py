"""Tests that crawl's translation of CSS selectors to XPath and that of Debian's python3-cssselect match the same
elements when libxml2 runs both on the same pages. Nodes are compared, never the text of the expressions."""
import sys
from pathlib import Path

import harness

try:
    from cssselect import HTMLTranslator
    from lxml import html
except ImportError:
    print("skipped: python3-cssselect and python3-lxml are not installed", file=sys.stderr)
    sys.exit(77)

NAMES = ["div", "p", "a", "li", "td", "section", "h2", "DIV", "no-such", "*"]
CLASSES = [".section", ".x", ".reference.internal", "div.body", "a.x.y", ".é", r".a\:b", r".\31 st", "*.x"]
IDS = ["#one", "div#one", "#no-such", "p#two.x", r"#a\.b", "#one #two"]
ATTRIBUTES = [f"{tag}[{test}]" for tag in ("", "a", "div", "input") for test in (
    "href", "HREF", "class", "title", "class=x", "class='x y'", 'class="x"', "class~=x", "class~='x y'", "class~=''",
    "lang|=en", "lang|='en-US'", "href^=http", "href^='#'", "href^=''", "href$='.html'", "href$=''", "title$='é'",
    "href*=index", "href*=''", "title=''", "data-n='it\\'s'", "data-n='say \"it\\'s\"'", "data-é='1'", "href][class",
    " href = 'a' ", "type=checkbox")]
COMBINATORS = [f"{left}{sign}{right}" for sign in (" ", " > ", ">", "+", " ~ ") for left, right in (
    ("div", "p"), ("ul", "li"), ("div.x", "*"), ("*", "a"), ("h2", "p"), ("p", "p"), ("li", "li"), ("tr", "td"))] + [
    "div div", "div div div", "div > div p", "body > div ~ p a", "ul li + li a", "html > body", "body *",
    "td + td + td",
    "div p, ul > li", "p,a,li", "h2 ~ p ~ p", "div /* here */ p", "\tdiv\n>\np\n"]
STEPS = ["1", "2", "3", "odd", "even", "n", "2n", "2n+1", "2n + 1", "3n-1", "3n - 2", "-n+3", "-n + 2", "+n", "+3n+2",
         "0n+2", "n+2", "-2n+5", "0", "-1", "5n", "100", "-n"]
PLACES = [f"{tag}:nth-{what}({step})" for tag, what in (
    ("li", "child"), ("td", "last-child"), ("p", "of-type"), ("p", "last-of-type")) for step in STEPS]
PSEUDO = [tag + ":" + name for tag in ("*", "p", "li", "div") for name in (
    "first-child", "last-child", "empty", "root", "hover", "visited", "not(.x)", "not(a)", "not([class])",
    "not(:first-child)", "lang(en)", "contains('one')", "checked")] + [
    f"p:{name}" for name in ("first-of-type", "last-of-type", "only-of-type")] + [
    "a:link", "li:only-child", "p:only-child", "b:only-child", "input:checked", "option:checked", "div:lang(en-US)",
    ":lang(de)",
    ":not(div):not(p)", "a:not(.x):not([href^='#'])", "li:not(:nth-child(2n))", "p:contains(two)",
    'p:contains("it\'s")',
    "ul:focus li", "a:active", "a:target", "*:not(*)", "option:disabled", "select:enabled"]
LISTS = [
    ":is(p, li)", "div :is(p, a)", ":where(h1, h2)", ":is(.x, .y) a", "a:is([href], [title])", "li:is(:first-child)",
    "div:has(p)", "div:has(> p)", "p:has(a)", "ul:has(> li)", "h2:has(+ p)"]
TEXTS = NAMES + CLASSES + IDS + ATTRIBUTES + COMBINATORS + PLACES + PSEUDO + LISTS

# Selectors that cssselect does not support, or translates differently from the standard: ids of the elements on the
# test page.
OWN = {
    "body > div:not(.x p, #one)": ["d2", "d3"],
    "p:not(#one > p)": ["a.b", "p4", "p5", "p6"],
    "li:has(a, p)": ["l1"],
    "li:nth-child(ODD)": ["l1", "l3"],
    "html:only-child > body > p": ["p4", "p5"],
    "#one :is(ul > li, p + p)": ["two", "p3", "l1", "l2", "l3", "l4"],
    "div:has(ul a)": ["one"],
    "ul:has(li:nth-child(4))": ["u"],
    "li:nth-child(2 of .x)": ["l3"],
    "li:nth-last-child(1 of .x)": ["l4"],
    "li:nth-child(even of .x, .y)": ["l2", "l4"],
    "[title='FIRST' i]": ["a1"],
    "[title='FIRST' s]": [],
    "[title^='fi' i]": ["a1"],
    ":scope > body > div": ["one", "d2", "d3"],
    "> body > p": ["p4", "p5"],
    ":any-link": ["a1", "a2", "a3"],
    "input:disabled": ["i3", "i4"],
    "input:enabled": ["i1", "i2", "i5"],
    "p:lang(de, fr), div:lang(de, fr)": ["d3", "p6"],
    "body > :is(div, p):not(:has(*))": ["p4", "p5"],
}
REFUSED = {
    "": "column 1: the selector ends",
    "a >": "column 4: the selector ends",
    "a[href": "column 7: expected the \"]\" of the \"[\" in column 2",
    "a[href='x": "column 8: the string that begins here",
    "svg|a": "column 4: namespaces",
    "[x|y]": "column 3: namespaces",
    "a:frob": "column 2: unknown pseudo-class \":frob\"",
    "a:frob(1)": "column 2: unknown pseudo-class \":frob()\"",
    "a::before": "column 2: unknown pseudo-element",
    "a,, b": "column 3: expected a selector",
    "a:nth-child(x)": "column 13: expected even, odd",
    "a:nth-child(2n+)": "column 16: expected a number",
    ".x:first-of-type": "column 17: a pseudo-class \"of type\" needs",
    "a!b": "column 2: expected a combinator",
    ".": "column 2: expected the name of a class",
    "a:not(b": "column 8: expected \")\"",
    "a::text b": "column 9: nothing may follow ::text",
    "p:is(a::text)": "column 6: ::text and ::attr() have no place",
    "a :scope": "column 3: :scope may only begin",
    "[a!=b]": "column 3: [a!=b] is not CSS",
    ":not(" * 17 + "a" + ")" * 17: "more than 16 nested selectors",
    "x" * 5000: "column 4097: the selector is longer",
}

PAGE = """<html lang="en-US"><head><title>Made</title></head><body>
<div id="one" class="x section"><h2>Head</h2><p class="y">one</p><p id="two" class="x">two it's</p><p id="p3">three
<a id="a1" href="http://a.example/index.html" class="x y" title="First">é</a></p>
<ul id="u"><li id="l1" class="x"><a id="a2" href="#top">in</a></li><li id="l2" class="y">b</li><li id="l3" class="x">c</li>
<li id="l4" class="x y z"></li></ul></div>
<div id="d2" class="body" data-n="it's"><table><tr><td>1</td><td>2</td><td title="">3</td></tr></table><div>
<div><p id="a.b" class="a:b 1st é">deep<b title="caf\u00e9">one</b></p></div></div></div>
<p id="p4" lang="en">loose</p><p id="p5"></p>
<div id="d3" lang="de"><a id="a3" href="a" data-n='say "it&#39;s"' class="reference internal">x</a><p id="p6" lang="fr-CA">f</p>
<form><input id="i1" type="checkbox" checked><input id="i2"><input id="i3" disabled>
<fieldset disabled><legend><input id="i5"></legend><input id="i4" type="radio"></fieldset>
<select><option selected>a</option><option disabled>b</option></select></form></div></body></html>"""


def pages():
    made = [html.document_fromstring(PAGE)]
    real = sorted(Path("/usr/share/doc").glob("python3.*/html/tutorial/classes.html"))[-1:]
    return made + [html.document_fromstring(path.read_bytes()) for path in real]


class Selectors(harness.TestCase):
    def translate(self, selectors, status=0):
        """Returns each selector's XPath, and the tool's messages."""
        rows = "".join(selector.replace("\n", " ") + "\n" for selector in selectors)
        result = self.crawl("extract", "--xpath", stdin=rows)
        self.assertEqual(result.status, status, result.stderr)
        return result.stdout.splitlines(), result.stderr.splitlines()

    def test_same_nodes_as_cssselect(self):
        translator = HTMLTranslator()
        trees = pages()
        ours, _ = self.translate(TEXTS)
        self.assertEqual(len(ours), len(TEXTS))
        self.assertGreaterEqual(len(set(TEXTS)), 300)
        wrong, matched = [], 0
        for selector, xpath in zip(TEXTS, ours):
            theirs = translator.css_to_xpath(selector)
            for tree in trees:
                found, expected = tree.xpath(xpath), tree.xpath(theirs)
                matched += bool(found)
                if found != expected:
                    wrong.append(f"{selector!r}: {len(found)} of {xpath}, {len(expected)} of {theirs}")
        self.assertEqual(wrong, [])
        self.assertGreater(matched, 250)

    def test_what_cssselect_lacks(self):
        tree = html.document_fromstring(PAGE)
        ours, _ = self.translate(OWN)
        found = {selector: [node.get("id") for node in tree.xpath(xpath)] for selector, xpath in zip(OWN, ours)}
        self.assertEqual(found, OWN)

    def test_faults_name_their_place(self):
        lines, faults = self.translate(REFUSED, status=1)
        self.assertEqual(lines, [""] * len(REFUSED))
        self.assertEqual(len(faults), len(REFUSED))
        for (selector, words), fault in zip(REFUSED.items(), faults):
            self.assertIn(words, fault, selector)


if __name__ == "__main__":
    harness.main()
