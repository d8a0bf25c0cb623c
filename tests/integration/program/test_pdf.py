"""Tests crawl-pdf: the text and links of PDFs, and the effects of damaged ones. CRAWL_PDFS names a folder of real PDFs,
which are read too: their links are compared with those of pdfinfo, and 1,000 damaged copies of them are read."""
import html
import os
import random
import re
import resource
import subprocess
import time
from pathlib import Path

import harness
import pdf_maker
from pdf_maker import lines, pdf, uri

TOOL = Path(harness.program()).parent / "../libexec/crawl/crawl-pdf"
OTHERS = os.environ.get("CRAWL_PDFS")
PAGE = lines((72, 700, "It says so."))
# With this ToUnicode, A to Z are Hebrew letters. Poppler puts marks of direction around these.
HEBREW = pdf_maker.stream("begincmap 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfrange <20> <40> <0020> "
                          "<41> <5a> <05d0> endbfrange 1 beginbfrange <61> <7a> <0061> endbfrange endcmap")


def convert(document):
    return subprocess.run([TOOL], input=document, capture_output=True, timeout=100)


def links(page):
    return [html.unescape(url) for url in re.findall('<a href="([^"]*)"', page)]


class Pdf(harness.TestCase):
    def page(self, *args, words="", **named):
        done = convert(pdf(*args, **named))
        self.assertEqual((done.returncode, done.stderr.decode().strip()), (0, words))
        return done.stdout.decode()

    def text(self, page):
        return [html.unescape(re.sub("<[^>]*>", "", line)) for line in page.split("<main>\n")[1].splitlines()[:-1]]

    def title(self, **named):
        return re.search("<title>(.*)</title>", self.page(**named))[1]

    def test_paragraphs(self):
        page = self.page([(lines((72, 760, "The great history", 24), (72, 700, "The first para-"),
                                 (72, 686, "graph is of two lines, <b>& more."), (72, 640, "Another one, well-"),
                                 (72, 626, "Known to few, e\xdecient.")), [])],
                         font="/Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding "
                              "/Differences [222 /ffi] >>")
        self.assertEqual(self.text(page), ["The great history", "The first paragraph is of two lines, <b>& more.",
                                           "Another one, well- Known to few, efficient."])

    def test_links(self):
        page = self.page([(lines((72, 700, "Read the manual and (see http://text.example/a_(b)) or www.text.example."),
                                 (72, 686, "Go to http://text.example/long/"), (72, 672, "path?q=1, please.")),
                           [uri((96, 698, 140, 712), "http://a.example/x?y=1&z"), uri((400, 10, 420, 20), "page.html"),
                            "<< /Subtype /Link /Rect [0 0 9 9] /A << /S /GoTo /D [0 /Fit] >> >>"])])
        self.assertEqual(set(links(page)), {"http://a.example/x?y=1&z", "page.html", "http://text.example/a_(b)",
                                            "http://www.text.example", "http://text.example/long/path?q=1"})
        self.assertRegex(page, '<a href="http://a.example/x[?]y=1&amp;z">[^<]*the')
        based = self.page([(PAGE, [uri((0, 0, 9, 9), "page.html")])], catalog="/URI << /Base (http://b.example/d/) >>")
        self.assertEqual(links(based), ["http://b.example/d/page.html"])

    def test_right_to_left(self):
        words = ["one", "two", "ten", "six"]
        rows = [(72, 760 - 40 * i, f"the {word} DCBA FE come") for i, word in enumerate(words)]
        page = self.page([(lines(*rows, (72, 560, "BA the link of a page")), [uri((112, 558, 129, 572), "a.html")])],
                         font="/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R", extra=[HEBREW])
        self.assertEqual(self.text(page), [*(f"the {word} אבגד הו come" for word in words), "אב the link of a page"])
        self.assertIn('<a href="a.html">link</a>', page)

    def test_a_page_from_right_to_left(self):
        # The last line has words side by side, in two sizes.
        rows = [(72, 760, "GF EDC BA"), (72, 746, "N MLK JIH"), (72, 732, "RQ P"), (101.5, 732, "O", 11)]
        page = self.page([(lines(*rows), [])],
                         font="/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R", extra=[HEBREW])
        self.assertEqual(self.text(page), ["אב גדה וז חטי ךכל ם מן נס"])

    def test_headers_and_footers(self):
        pages = [(lines((72, 800, "The journal"), (72, 700, f"Text {word}."), (300, 20, f"- {number} -")),
                  [uri((60, 790, 200, 815), "http://j.example/")])
                 for number, word in enumerate(("one", "two", "three"))]
        page = self.page(pages)
        self.assertEqual([line for line in self.text(page) if line], ["Text one.", "Text two.", "Text three."])
        self.assertEqual(links(page), ["http://j.example/"] * 3)
        self.assertIn("The journal", "".join(self.text(self.page(pages[:2]))))

    def test_lines_of_one_page_that_differ_in_numbers(self):
        rows = [f"Room {number}" for number in range(4)]
        page = self.page([(lines(*((72, 700 - 40 * i, row) for i, row in enumerate(rows))), [])])
        self.assertEqual(self.text(page), rows)

    def test_titles(self):
        large = [(lines((72, 780, "Annual report", 30), (72, 745, "of the year", 30), (72, 700, "We begin.")), [])]
        xmp = ("<x:xmpmeta><rdf:RDF><dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Of &amp; XMP</rdf:li></rdf:Alt>"
               "</dc:title></rdf:RDF></x:xmpmeta>")
        self.assertEqual(self.title(pages=large, info="/Title (Of Info)", xmp=xmp), "Of &amp; XMP")
        author = "<dc:creator><rdf:Seq><rdf:li>An Author</rdf:li></rdf:Seq></dc:creator>"
        for empty in ("<dc:title><rdf:Alt/></dc:title>", "<dc:title></dc:title>"):
            self.assertEqual(self.title(pages=large, info="/Title (Of Info)", xmp=empty + author), "Of Info")
        self.assertEqual(self.title(pages=large, info="/Title (Of <Info>)"), "Of &lt;Info&gt;")
        self.assertEqual(self.title(pages=large, info="/Title <FEFF00DC0062006500720020201C20AC201D>"), "Über “€”")
        for bad in ("Microsoft Word - a.doc", "report_2.docx", "untitled", " "):
            self.assertEqual(self.title(pages=large, info=f"/Title ({bad})"), "Annual report of the year")

    def test_no_text(self):
        link = [uri((0, 0, 9, 9), "http://a.example/")]
        page = self.page([("0 0 9 9 re f", link)], words="no text: pictures of pages")
        self.assertEqual(links(page), ["http://a.example/"])
        to_private = pdf_maker.stream("1 begincodespacerange <00> <ff> endcodespacerange\n"
                                      "1 beginbfrange <20> <7e> <e020> endbfrange")
        page = self.page([(PAGE, link)], words="no text: its fonts do not map to letters",
                         font="/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R", extra=[to_private])
        self.assertEqual((links(page), "".join(self.text(page))), (["http://a.example/"], ""))

    def test_refused(self):
        for document in (b"", b"<html>", pdf([(PAGE, [])])[:200]):
            done = convert(document)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, b"", b"not a whole PDF\n"))

    def test_damaged(self):
        chance = random.Random(7)
        whole = pdf([(PAGE, [uri((0, 0, 9, 9), "http://a.example/")])] * 3, info="/Title (T)")
        for _ in range(60):
            done = convert(damage(whole, chance))
            self.assertIn(done.returncode, (0, 1), done)

    def test_a_fence_stands(self):
        """The program can run no other program and open nothing for writing. The system shows this while it waits for
        input."""
        with subprocess.Popen([TOOL], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as waiting:
            status = Path(f"/proc/{waiting.pid}/status")
            self.wait_for(lambda: "Seccomp:\t2" in status.read_text())
            self.assertIn("NoNewPrivs:\t1", status.read_text())
            limits = resource.prlimit(waiting.pid, resource.RLIMIT_CPU)
            self.assertEqual(limits, (20, 21))
            waiting.stdin.close()
            waiting.wait()


def damage(whole, chance):
    """Returns a copy with flipped bits, with a part cut off, or with a part in another's place."""
    copy, kind = bytearray(whole), chance.randrange(3)
    if kind == 0:
        for _ in range(chance.randrange(1, max(2, len(copy) // 500 + 20))):
            copy[chance.randrange(len(copy))] ^= 1 << chance.randrange(8)
    elif kind == 1:
        del copy[chance.randrange(len(copy)):]
    else:
        start, size, source = chance.randrange(len(copy)), chance.randrange(4096), chance.randrange(len(copy))
        copy[start:start + size] = copy[source:source + size]
    return bytes(copy)


@harness.unittest.skipUnless(OTHERS, "CRAWL_PDFS names no folder")
class OtherPdfs(harness.TestCase):
    def test_links_are_those_of_pdfinfo(self):
        wanted = found = 0
        for path in sorted(Path(OTHERS).glob("*.pdf")):
            done = convert(path.read_bytes())
            self.assertEqual(done.returncode, 0, path)
            listed = subprocess.run(["pdfinfo", "-url", path], capture_output=True, check=True).stdout.decode()
            own = links(done.stdout.decode())
            for row in listed.splitlines()[1:]:
                wanted += 1
                found += row.split(None, 2)[2] in own
        self.assertGreaterEqual(found, 0.995 * wanted)
        print(f"{found} of {wanted} links", end=" ")

    def test_a_thousand_damaged(self):
        chance = random.Random(7)
        paths = [path for path in sorted(Path(OTHERS).glob("*.pdf")) if path.stat().st_size < 4 << 20]
        for _ in range(1000):
            path = chance.choice(paths)
            start = time.monotonic()
            self.assertIn(convert(damage(path.read_bytes(), chance)).returncode, (0, 1), path)
            self.assertLess(time.monotonic() - start, 30, path)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 512 << 10)


if __name__ == "__main__":
    harness.main()
