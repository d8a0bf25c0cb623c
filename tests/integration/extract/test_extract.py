"""Tests `crawl extract` on ten kinds of pages, value by value against parsel, Debian's library behind Scrapy's
selectors, and its messages about rules and pages. Without parsel the comparison is skipped."""
import csv
import json
import os
import re
import unittest
import urllib.parse

import harness

try:
    import parsel
except ImportError:
    parsel = None

RULES = r"""
[extract product]
pages = ^https://shop\.example/item/
field.title = h1
field.price = .price -> number required
field.image = img.main -> url
field.tags = .tags a -> all
field.sku = //td[. = 'SKU']/following-sibling::td[1] -> text regex ([A-Z]+-\d+)
field.offers = table.offers tr -> group
field.offers.seller = td:nth-child(1)
field.offers.price = td.price -> number
"""


# Returns parsel's values of a rule, in their order.


def text(css):
    return lambda page, base: [" ".join(node.xpath("string()").get().split()) for node in page.css(css)]


def attribute(css, name):
    return lambda page, base: page.css(css).xpath("@" + name).getall()


def url(css, name="href"):
    return lambda page, base: [urllib.parse.urljoin(base, found.strip())
                               for found in page.css(css).xpath("@" + name).getall()]


def markup(css):
    return lambda page, base: page.css(css).getall()


def matches(css, pattern):
    return lambda page, base: [found for words in text(css)(page, base) for found in re.findall(pattern, words)]


def numbers(css):
    return lambda page, base: [float(found) for found in matches(css, r"\d+\.\d+")(page, base)]


def xpath(expression):
    return lambda page, base: [" ".join(found.split()) for found in page.xpath(expression).getall()]


# kind of page -> its HTML, and fields: name -> (rule, its equivalent for parsel)
KINDS = {
    "product": ("<html><body><h1>Blue\n <b>kettle</b></h1><p class='price sale'>EUR 12.50</p><img class=main "
                "src='/k.png'>"
                "<div class=tags><a href=red>red</a> <a href=hot>hot</a></div></body></html>", {
        "title": ("h1", text("h1")), "price": (".price -> number", numbers(".price")),
        "image": ("img.main -> url", url("img.main", "src")),
        "tags": (".tags > a -> all", text(".tags > a")), "links": (".tags a -> url all", url(".tags a")),
        "class": ("p -> @class", attribute("p", "class"))}),
    "article": ("<article><header><h1>News &amp; more</h1><time datetime='2024-05-06'>May</time></header><p>First "
                "<i>one</i>.</p>"
                "<p>Second &lt;two&gt;.<br>Line</p><footer>by <a rel=author "
                "href='../x?a=1&amp;b=2'>\u00c9ve</a></footer></article>", {
        "head": ("article h1", text("article h1")), "date": ("time -> @datetime", attribute("time", "datetime")),
        "body": ("article > p -> all", text("article > p")), "html": ("article > p -> html all", markup("article > p")),
        "author": ("a[rel=author]", text("a[rel=author]")), "about": ("a[rel~=author] -> url", url("a[rel~=author]"))}),
    "table": ("<table><thead><tr><th>Name<th>N</tr></thead><tbody><tr><td>a</td><td>1.5</td></tr><tr "
              "class=odd><td>b</td><td>2.5</td></tr>"
              "<tr><td>c</td><td>3.5</td></tr></table>", {
        "names": ("tr > td:first-child -> all", text("tr > td:first-child")),
        "values": ("td + td -> number all", numbers("td + td")),
        "odd": ("tr.odd ~ tr td -> all", text("tr.odd ~ tr td")), "second": ("tr:nth-child(2) td -> all",
                                                                             text("tr:nth-child(2) td")),
        "last": ("tr:last-child td:last-child", text("tr:last-child td:last-child")),
        "heads": ("th -> all", text("th"))}),
    "list": ("<ul id=a><li>one<li class=x>two<ul><li>in</ul><li>three</ul><ol><li value=4>four</ol>", {
        "top": ("#a > li -> all", text("#a > li")), "nested": ("li li -> all", text("li li")),
        "even": ("li:nth-child(2n) -> all", text("li:nth-child(2n)")),
        "not": ("li:not(.x) -> all", text("li:not(.x)")), "value": ("ol li -> @value number", lambda page, base: [4]),
        "has": ("li:has(ul) -> html", markup("li:has(ul)"))}),
    "forum": ("<div class=post id=p1><b class=who>ann</b><div class=msg>Hi <a href='#p2'>2</a></div></div><div "
              "class='post new' id=p2>"
              "<b class=who>bob</b><div class=msg>Re: <q>Hi</q> it's \"ok\"</div></div>", {
        "who": (".post .who -> all", text(".post .who")), "ids": (".post -> @id all", attribute(".post", "id")),
        "new": (".post.new > .msg", text(".post.new > .msg")), "quoted": (".msg:contains('\"ok\"')",
                                                                          text(".msg:contains('\"ok\"')")),
        "refs": (".msg a -> url all", url(".msg a")),
        "texts": (".msg::text -> all", lambda page,
                  base: [found.strip() for found in page.css(".msg::text").getall()])}),
    "head": ("<html lang=de><head><title> A  page </title><meta name=description content='What it is'><meta "
             "property='og:title' content='T'>"
             "<link rel=canonical href='/c'><link rel=alternate hreflang=en href='/en'></head><body></body></html>", {
        "title": ("title", text("title")), "about": ("meta[name=description] -> @content",
                                                     attribute("meta[name=description]", "content")),
        "og": ("meta[property='og:title'] -> @content", attribute("meta[property='og:title']", "content")),
        "lang": ("html -> @lang", attribute("html", "lang")),
        "canonical": ("link[rel=canonical] -> url", url("link[rel=canonical]")),
        "langs": ("[hreflang|=en] -> @hreflang all", attribute("[hreflang|=en]", "hreflang"))}),
    "form": ("<form action='/s?x'><input name=q value='a b'><input type=hidden name=t value='\u20ac'><select><option "
             "value=1>one"
             "<option value=2 selected>two</select><textarea>\n x\n</textarea></form>", {
        "names": ("input -> @name all", attribute("input", "name")),
        "hidden": ("input[type=hidden] -> @value", attribute("input[type=hidden]", "value")),
        "chosen": ("option:checked", text("option:checked")), "options": ("option -> @value all",
                                                                          attribute("option", "value")),
        "action": ("form -> url", url("form", "action")), "area": ("textarea", text("textarea"))}),
    "broken": ("<div><p>un<b>closed<p>next</i></div><td>loose<a href=x>y<a href=z>w", {
        "ps": ("p -> all", text("p")), "html": ("p -> html all", markup("p")), "as": ("a -> all", text("a")),
        "b": ("b -> all", text("b")),
        "hrefs": ("a -> url all", url("a")), "td": ("td", text("td"))}),
    "japanese": ("<meta charset=shift_jis><h1>\u65e5\u672c\u8a9e</h1><p title='\u6771\u4eac'>\u5024\u6bb5: 1500.5 "
                 "\u5186</p>", {
        "h1": ("h1", text("h1")), "price": ("p -> number", numbers("p")),
        "title": ("p -> @title", attribute("p", "title")),
        "starts": ("[title^='\u6771'] -> @title", attribute("[title^='\u6771']", "title")),
        "ends": ("[title$='\u4eac'] -> @title", attribute("[title$='\u4eac']", "title")),
        "html": ("h1 -> html", markup("h1"))}),
    "xpath": ("<dl><dt>Size</dt><dd>10 cm</dd><dt>Mass</dt><dd>2 kg</dd></dl><p>x</p><!-- c --><p>y</p>", {
        "mass": ("//dt[. = 'Mass']/following-sibling::dd[1]",
                 xpath("//dt[. = 'Mass']/following-sibling::dd[1]/text()")),
        "count": ("xpath: count(//dt) -> number", lambda page, base: [2]),
        "units": ("dd -> all regex [a-z]+", matches("dd", "[a-z]+")),
        "first": ("dd -> regex \\d+ (\\w+)", matches("dd", r"\d+ (\w+)")),
        "comment": ("//comment()", lambda page, base: ["c"]),
        "union": ("//dt | //p -> all", lambda page, base: [found.xpath("string()").get()
                                                           for found in page.xpath("//dt | //p")])}),
}


def glue(values):
    """Removes white space: parsel joins the texts of blocks, between which our value has a space."""
    return ["".join(value.split()) if isinstance(value, str) and "<" not in value[:1] else value for value in values]


class Extract(harness.TestCase):
    def extract(self, rules, html, *args, status=0):
        self.write("rules.conf", rules)
        with open(self.path("page.html"), "wb") as file:
            file.write(html if isinstance(html, bytes) else html.encode())
        result = self.crawl("extract", "--rules", "rules.conf", *args, "page.html")
        self.assertEqual(result.status, status, result.stderr)
        return result

    @unittest.skipUnless(parsel, "python3-parsel is not installed")
    def test_ten_kinds_beside_parsel(self):
        base = "https://shop.example/item/7"
        compared = 0
        for kind, (html, fields) in KINDS.items():
            charset = "shift_jis" if kind == "japanese" else "utf-8"
            rules = f"[extract {kind}]\n" + "".join(f"field.{name} = {rule}\n" for name, (rule, _) in fields.items())
            result = self.extract(rules, html.encode(charset), "--url", base, "--jsonl", "--charset", charset)
            ours = json.loads(result.stdout)["fields"][kind]
            page = parsel.Selector(html)
            for name, (rule, theirs) in fields.items():
                expected = theirs(page, base)
                found = ours[name] if isinstance(ours[name], list) else [ours[name]]
                self.assertTrue(expected, (kind, name))
                wanted = expected if " all" in rule else expected[:1]
                self.assertEqual(glue(found), glue(wanted), (kind, name))
                compared += len(expected)
        self.assertEqual(len(KINDS), 10)
        self.assertGreater(compared, 90)

    def test_the_query_of_a_url_is_in_the_encoding_of_the_page(self):
        """As browsers and the links of the page have it, however the encoding is known."""
        html = "<meta charset={}><a href='/\u0439?q=\u0439'>x</a>"
        for declared, args in (("windows-1251", ()), ("x", ("--charset", "cp1251"))):
            result = self.extract("[extract a]\nfield.to = a -> url\n", html.format(declared).encode("cp1251"), "--url",
                                  "http://h.example/", "--jsonl", *args)
            self.assertEqual(json.loads(result.stdout)["fields"], {"a": {"to": "http://h.example/%D0%B9?q=%E9"}})

    def test_shows_what_each_selector_matched(self):
        html = ("<h1>Kettle</h1><p class=price>1.299,50</p><table class=offers><tr><th>Who<tr><td>A<td "
                "class=price>12,5</table>")
        result = self.extract(RULES, html, "--url", "https://shop.example/item/7")
        self.assertEqual([line.split(None, 3) for line in result.stdout.splitlines()[1:]], [
            ["product.title", "1", "match", '"Kettle"'], ["product.price", "2", "matches", "1299.50"],
            ["product.image", "no", "match"],
            ["product.tags", "no", "match"], ["product.sku", "no", "match"],
            ["product.offers", "2", "matches", '[{"seller":"A","price":12.5}]'],
            ["product.offers.seller", "1", "match"],
            ["product.offers.price", "1", "match"]])

    def test_what_matches_and_is_no_value_is_said(self):
        rules = "[extract x]\nfield.next = a -> url\nfield.count = a -> number\nfield.none = b\n"
        html = "<a href=x>more</a>"
        result = self.extract(rules, html)
        self.assertEqual(result.stdout.splitlines()[1:], ["  x.next   1 match      no value",
                                                          "  x.count  1 match      no value", "  x.none   no match"])
        result = self.extract(rules, html, "--url", "https://shop.example/")
        self.assertIn('  x.next   1 match      "https://shop.example/x"\n', result.stdout)

    def test_a_missing_field_is_said(self):
        result = self.extract(RULES, "<h1>x</h1>", "--url", "https://shop.example/item/7", "--jsonl", status=1)
        row = json.loads(result.stdout)
        self.assertEqual(row["missing"], ["product.price"])
        self.assertEqual(row["fields"]["product"]["title"], "x")
        other = json.loads(self.extract(RULES, "<h1>x</h1>", "--url", "https://shop.example/", "--jsonl").stdout)
        self.assertEqual((other["fields"], other["missing"]), ({}, []))

    def test_faults_in_rules_name_their_line(self):
        for rules, words in (
                ("[extract a]\nfield.x = h1 >", "rules.conf:2:11: field.x: column 5: the selector ends"),
                ("[extract a]\nfield.x = h1 -> txt", 'rules.conf:2:11: field.x: unknown word "txt"'),
                ("[extract a]\nfoo = 1", 'rules.conf:2:7: foo: unknown key "foo"'),
                ("[extract a]\nfield.x = a\nfield.x = b", "rules.conf:3:11: field.x: duplicate field \"x\""),
                ("[extract]\n", "rules.conf:1:1: an extract section needs a name"),
                ("[extract a]\nfield.x = a\n[extract a]\n", "rules.conf:3:1: duplicate section [extract a]"),
                ("[crawl]\n", "there is no section [extract NAME]")):
            result = self.extract(rules, "", status=2)
            self.assertIn(words, result.stderr)

    def test_a_url_is_asked_for_as_a_crawl_would(self):
        """robots.txt and [host NAME] apply, redirects are followed, the server's declaration decides the encoding, and
        none of a crawl's files is written."""
        site = self.make_site({"robots.txt": "User-agent: *\nDisallow: /no\n",
                               "item/1.html": "<h1>A\u00e4</h1><a href=x>x</a>", "no.html": "x", "item/2.html": ""})
        extra = ("charset ISO-8859-1; location = /old { return 301 /item/1.html; } "
                 "location /item/ { if ($http_x_key != k) { return 403; } }")
        nginx = self.start_nginx({"a.localhost": site}, extra)
        url = lambda path: nginx.url("a.localhost", path)
        self.write("rules.conf", "[politeness]\ndelay = 0\n[crawl]\nmax_pages = 1\ninclude = nothing\n[output]\n"
                                 "output = x.jsonl\nmirror = copy\nscreenshots = shots\n[state]\ndirectory = kept\n"
                                 "[host a.localhost]\nheader = X-Key: k\n[extract p]\npages = /item/\nfield.title = "
                                 "h1 -> required\nfield.link = a -> url\n")
        result = self.crawl("extract", "--rules", "rules.conf", "--jsonl", url("/old"), url("/item/1.html"))
        self.assertEqual(result.status, 0, result.stderr)
        for file, row in zip((url("/old"), url("/item/1.html")), map(json.loads, result.stdout.splitlines()),
                             strict=True):
            self.assertEqual((row["file"], row["url"]), (file, url("/item/1.html")))
            self.assertEqual(row["fields"], {"p": {"title": "A\u00c3\u00a4", "link": url("/item/x")}})
        self.assertEqual([name for name in ("x.jsonl", "copy", "shots", "kept") if os.path.exists(self.path(name))], [])
        self.write("other.conf", "[politeness]\ndelay = 0\n[extract p]\nfield.title = h1\n")
        result = self.crawl("extract", "--rules", "other.conf", url("/item/1.html"), url("/no.html"), url("/gone.html"),
                            "http://none.invalid/", url("/item/1.html"))
        self.assertEqual((result.status, result.stdout), (1, ""))
        for line, words in zip(result.stderr.splitlines(), ("status 403", "robots.txt", "status 404", "no such name",
                                                            "status 403"), strict=True):
            self.assertIn(words, line)
        self.assertEqual(self.crawl("extract", "--rules", "rules.conf", url("/item/2.html")).status, 1)
        self.assertEqual(self.crawl("extract", "--data", "http://[").status, 2)

    def test_rules_are_printed_as_they_can_be_read(self):
        self.write("crawler.conf", RULES + "[extract b]\nfield.x = \"[a=' \\x3b '] -> html\"\n")
        printed = self.crawl("--print-config").stdout
        self.assertTrue(printed)
        self.write("again.conf", printed)
        self.assertEqual(self.crawl("--config", "again.conf", "--print-config").stdout, printed)
        self.assertIn("field.offers.price = td.price -> number\n", printed)
        self.assertIn("field.x = \"[a=' ; '] -> html\"\n", printed)

    def test_a_crawl_has_fields_in_its_records(self):
        """A record has the fields of the sections that match its URL. Links in fields are resolved against <base>, and
        a resumed crawl keeps its rules."""
        pages = {"index.html": "<a href=item/1.html>1</a><a href=item/2.html>2</a>",
                 "item/1.html": "<base href=/b/><h1>One</h1><i class=price>EUR 1.299,50</i><a rel=author href=x>x</a>",
                 "item/2.html": "<h1>Two</h1>"}
        self.write("crawler.conf", "[extract product]\npages = /item/\nfield.title = h1\nfield.price = .price -> "
                                   "number required\n"
                                   "field.author = [rel=author] -> url\n")
        nginx = self.start_nginx({"a.localhost": self.make_site(pages)})
        state = ["--state", "kept", "--max-pages", "2"] if harness.has_disk() else []
        for arguments in ([nginx.url("a.localhost", "/")], state[:2]) if state else ([nginx.url("a.localhost", "/")],):
            result = self.crawl("--delay", "0", "--workers", "1", "--output", "pages.jsonl", "--no-robots",
                                *(state if len(arguments) == 1 else []), *arguments)
            self.assertEqual(result.status, 0, result.stderr)
            if state and len(arguments) == 1:
                os.remove(self.path("crawler.conf"))
        records = {row["url"].rpartition("/")[2]: row for row in self.records("pages.jsonl")}
        self.assertNotIn("fields", records[""])
        self.assertEqual(records["1.html"]["fields"], {"product": {
            "title": "One", "price": 1299.5, "author": nginx.url("a.localhost", "/b/x")}})
        self.assertNotIn("missing", records["1.html"])
        self.assertEqual(records["2.html"]["fields"], {"product": {"title": "Two", "price": None, "author": None}})
        self.assertEqual(records["2.html"]["missing"], ["product.price"])

    def test_a_crawl_makes_tables(self):
        """Each object of a group is a row. The summary counts and names the pages without a required field."""
        rows = "<table><tr><th>Who<tr><td>A, \"B\"<td class=p>1<tr><td>=C<td class=p>2.5</table>"
        pages = {"index.html": "<a href=item/1.html>1</a><a href=item/2.html>2</a>",
                 "item/1.html": "<h1>One\tor&#13;\ntwo</h1><b>x</b><b>y</b>" + rows,
                 "item/2.html": "<b>12345678901234567890</b>"}
        self.write("crawler.conf", "[extract product]\npages = /item/\nfield.title = h1 -> string required\n"
                                   "field.tags = b -> all\nfield.big = b -> number\n"
                                   "field.offers = tr -> group\nfield.offers.who = td:first-child\nfield.offers.price "
                                   "= .p -> number\n")
        nginx = self.start_nginx({"a.localhost": self.make_site(pages)})
        for name in ("t.csv", "t.jsonl"):
            result = self.crawl("--delay", "0", "--no-robots", "--fields", name, nginx.url("a.localhost", "/"))
            self.assertEqual(result.status, 0, result.stderr)
        first, second = nginx.url("a.localhost", "/item/1.html"), nginx.url("a.localhost", "/item/2.html")
        self.assertIn(f'\n  fields    2 pages with values, 1 without a required one:\n            "product.title"  '
                      f'{second}\n', result.stderr)
        with open(self.path("t.csv"), encoding="utf-8", newline="") as file:
            head, *table = list(csv.reader(file))
        self.assertEqual(head, ["url", "section", "product.title", "product.tags", "product.big", "product.offers.who",
                                "product.offers.price"])
        self.assertEqual(sorted(table), [
            [first, "product", "One or  two", '["x","y"]', "", "'=C", "2.5"], [first, "product", "One or  two",
                                                                               '["x","y"]', "", 'A, "B"', "1"],
            [second, "product", "", '["12345678901234567890"]', "1.23456789012346e19", "", ""]])
        self.assertEqual({row["url"]: row["fields"]["product"]["title"] for row in self.records("t.jsonl")},
                         {first: "One\tor\r\ntwo", second: None})
        pages = self.crawl("--delay", "0", "--no-robots", "--output", "pages.csv", nginx.url("a.localhost", "/"))
        self.assertEqual((pages.status, pages.stderr.count("no memory")), (0, 0),
                         "a number beyond 64 bits is no matter of a row of CSV")
        with open(self.path("pages.csv"), encoding="utf-8", newline="") as file:
            self.assertEqual(len(list(csv.reader(file))), 4)
        self.assertEqual(self.crawl("--config", os.devnull, "--fields", "x.csv", nginx.url("a.localhost", "/")).status,
                         2)


if __name__ == "__main__":
    harness.main()
