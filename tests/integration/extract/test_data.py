#!/usr/bin/env python3
"""Tests the structured data of pages (--data): in the records of a crawl, and compared with extruct if it is
installed."""
import json
import unittest

import harness

try:
    import extruct
except ImportError:
    extruct = None

BASE = "https://shop.example/dir/p"

PRODUCT = ("<div itemscope itemtype='https://schema.org/Product' itemid='urn:i:7' itemref='more'><h2 itemprop='name "
           "title'>Blue kettle</h2>"
           "<meta itemprop=sku content=K-1><link itemprop=availability href='https://schema.org/InStock'><img "
           "itemprop=image src=k.png>"
           "<div itemprop=offers itemscope itemtype='https://schema.org/Offer'><data itemprop=price "
           "value='12.5'>12,50</data>"
           "<time itemprop=until datetime='2024-01-02'>Jan</time><a itemprop=seller href='/ann'>Ann</a></div>"
           "<div itemprop=offers itemscope itemtype='https://schema.org/Offer'><span "
           "itemprop=price>13</span></div></div>"
           "<p id=more><span itemprop=color>blue</span></p><div itemscope><b itemprop=x>1</b></div>")
PERSON = ("<div vocab='https://schema.org/' typeof='Person foaf:Agent' resource='#me'><span "
          "property=name>Ann</span><a property='url sameAs' href='/ann'>x</a>"
          "<div property=address typeof=PostalAddress><span property=streetAddress>1 Road</span></div><meta "
          "property='foaf:nick' content=annie>"
          "<img property=image src='a.png'><span property='http://d.example/e'>f</span></div>"
          "<div prefix='x: http://x.example/' typeof='x:Y'><i property='x:z'>1</i><i property='x:z'>2</i></div>")


def flat(item):
    """Returns our item in the form of extruct's microdata: only types and values, if the item has types."""
    if not isinstance(item, dict):
        return item
    properties = {name: [flat(value) for value in values] for name, values in item["properties"].items()}
    return (sorted(item.get("type", [])), item.get("id"), properties)


def flat_theirs(item):
    if not isinstance(item, dict):
        return item
    many = lambda found: found if isinstance(found, list) else [found]
    return (sorted(many(item.get("type", []))), item.get("id"), {name: [flat_theirs(value) for value in many(values)]
                                                                  for name, values in item["properties"].items()})


def triples(items):
    """Returns the properties of our items that have types."""
    said = set()
    for item in items:
        for name, values in item["properties"].items():
            for value in values:
                said.add((tuple(sorted(item["type"])), name, tuple(sorted(value["type"])) if isinstance(value, dict)
                          else value))
                said |= triples([value]) if isinstance(value, dict) else set()
    return said


def triples_of_graph(nodes):
    """Returns the same for the expanded JSON-LD that extruct makes of RDFa."""
    types = {node["@id"]: tuple(sorted(node["@type"])) for node in nodes if "@type" in node}
    return {(types[node["@id"]], name, types.get(value.get("@id"), value.get("@value", value.get("@id"))))
            for node in nodes if "@type" in node for name, values in node.items() if not name.startswith("@")
            for value in values}


class Data(harness.TestCase):
    def data(self, html):
        self.write("page.html", html)
        return json.loads(self.crawl("extract", "--data", "--jsonl", "--url", BASE, "page.html").stdout)["data"]

    @unittest.skipUnless(extruct, "python3-extruct is not installed")
    def test_beside_extruct(self):
        theirs = extruct.extract(PRODUCT, base_url=BASE, syntaxes=["microdata"])["microdata"]
        self.assertEqual([flat(item) for item in self.data(PRODUCT)["microdata"]],
                         [flat_theirs(item) for item in theirs])
        theirs = triples_of_graph(extruct.extract(PERSON, base_url=BASE, syntaxes=["rdfa"])["rdfa"])
        self.assertEqual(triples(self.data(PERSON)["rdfa"]), theirs)
        self.assertEqual(len(theirs), 10)
        both = ('<script type="application/ld+json">{"@type": "A", "b": [1, "\\u00e9"]}</script><meta '
                'property="og:title" content="T">')
        theirs = extruct.extract(both, syntaxes=["json-ld", "opengraph"])
        ours = self.data(both)
        self.assertEqual(ours["json_ld"], theirs["json-ld"])
        self.assertEqual([[name, value] for name, values in ours["opengraph"].items() for value in values],
                         [list(pair) for pair in theirs["opengraph"][0]["properties"]])

    def test_translations_of_a_header(self):
        """The URL of the answer is their base, not <base>. A link of another document is none of the page."""
        header = ('</en>; rel="alternate"; hreflang="en", <fr>; rel=alternate; hreflang=fr, </print>; rel=alternate, '
                  '</it>; rel=alternate; hreflang=it; anchor="/elsewhere", </no>; rel=next; hreflang=no')
        nginx = self.start_nginx({"a.localhost": self.make_site({"d/index.html": "<base href=/b/><p>text"})},
                                 f"add_header Link '{header}';")
        url = nginx.url("a.localhost", "/d/")
        result = self.crawl("--delay", "0", "--no-robots", "--data", "--depth", "0", "--output", "pages.jsonl", url)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.records("pages.jsonl")[0]["data"], {"hreflang": [
            {"lang": "en", "url": nginx.url("a.localhost", "/en")}, {"lang": "fr", "url": url + "fr"}]})

    def test_in_a_crawl_with_rules_and_texts(self):
        """One record has everything. A page without statements, and a document that is not a page, have no data. A link
        is resolved against <base>."""
        pages = {"index.html": "<base href=/b/><title>T</title><h1>Top</h1><link rel=canonical href=c><p itemscope><i "
                               "itemprop=n>1</i></p>"
                               '<script type="application/ld+json">{oops}</script><a href=/plain.html>a</a><a '
                               'href=/x.css>c</a>',
                 "plain.html": "<p>plain", "x.css": "h1 {}"}
        self.write("crawler.conf", "[extract page]\nfield.head = h1\n")
        nginx = self.start_nginx({"a.localhost": self.make_site(pages)})
        url = nginx.url("a.localhost", "/")
        result = self.crawl("--delay", "0", "--no-robots", "--data", "--text", "plain", "--requisites", "--output",
                            "pages.jsonl", url)
        self.assertEqual(result.status, 0, result.stderr)
        records = {row["url"]: row for row in self.records("pages.jsonl")}
        self.assertEqual(records[url]["data"], {"canonical": url + "b/c", "h1": ["Top"], "json_ld_broken": 1,
                                                "microdata": [{"properties": {"n": ["1"]}}]})
        self.assertEqual(records[url]["fields"], {"page": {"head": "Top"}})
        self.assertIn("Top\n", records[url]["text"])
        self.assertEqual(records[url + "plain.html"]["text"], "plain\n")
        for path in ("plain.html", "x.css"):
            self.assertNotIn("data", records[url + path])
        refused = self.crawl("--data", "--output", "x.csv", url)
        self.assertEqual(refused.status, 2, refused.stderr)
        self.assertIn("crawl: data: nothing receives the data", refused.stderr)


if __name__ == "__main__":
    harness.main()
