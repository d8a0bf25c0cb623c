"""Tests --pdf and --preprocess: documents that other programs convert to pages."""
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import harness
from pdf_maker import lines, pdf, uri

HAS_PDF = (Path(harness.program()).parent / "../libexec/crawl/crawl-pdf").exists()
TYPES = "types { text/html html; application/pdf pdf; application/x-a a; application/x-b b; application/x-c c; } "
ANY = "location /any/ { types {} default_type application/octet-stream; } "


def document(text, link):
    return pdf([(lines((72, 700, text)), [uri((0, 0, 9, 9), link)])], info="/Title (A report)")


class Preprocess(harness.TestCase):
    def site(self, files):
        folder = self.path("site")
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.server = self.start_nginx({"h.localhost": folder}, TYPES + ANY)

    def url(self, path):
        return self.server.url("h.localhost", path)

    def pages(self, *args, **named):
        self.result = self.crawl("--delay", "0", "--output", self.path("r.jsonl"), *args, self.url("/"), **named)
        return {row["url"].removeprefix(self.url("/")): row for row in self.records("r.jsonl")}

    @harness.unittest.skipUnless(HAS_PDF, "built without crawl-pdf")
    def test_pdfs(self):
        self.site({"index.html": "<a href=d/one.pdf>1</a><a href=any/two>2</a><a href=bad.pdf>3</a>",
                   "d/one.pdf": document("One says so.", "../of-one.html"), "of-one.html": "of one",
                   "any/two": document("Two does.", "/of-two.html#part"), "of-two.html": "of two",
                   "any/three": "no %PDF- at all", "bad.pdf": "%PDF-1.4 and no more"})
        pages = self.pages("--pdf", "--text", "plain", "--links", self.path("l.jsonl"))
        self.assertEqual(set(pages), {"", "d/one.pdf", "any/two", "bad.pdf", "of-one.html", "of-two.html"})
        one = pages["d/one.pdf"]
        names = ("title", "text", "links", "new", "preprocessed", "content_type", "error")
        self.assertEqual([one[name] for name in names],
                         ["A report", "One says so.\n", 1, 1, "whole", "application/pdf", None])
        self.assertEqual(pages["any/two"]["text"], "Two does.\n")
        self.assertEqual(pages["of-two.html"]["parent"], self.url("/any/two"))
        self.assertEqual([pages["bad.pdf"][name] for name in ("status", "preprocessed", "detail", "links", "title")],
                         [200, "failed", "not a whole PDF", 0, None])
        self.assertNotIn("preprocessed", pages[""])
        self.assertIn("  documents 2 of 3 were read; detail says why others were not\n", self.result.stderr)
        edges = [(row["from"], row["to"], row["verdict"]) for row in self.records("l.jsonl")]
        self.assertIn((self.url("/d/one.pdf"), self.url("/of-one.html"), "new"), edges)
        os.remove(self.path("r.jsonl"))
        plain = self.pages()
        self.assertEqual((len(plain), plain["d/one.pdf"]["links"], "preprocessed" in plain["d/one.pdf"]), (4, 0, False))

    @harness.unittest.skipUnless(HAS_PDF, "built without crawl-pdf")
    def test_tools_read_pdfs(self):
        Path(self.path("a.pdf")).write_bytes(document("It says so.", "b.html"))
        Path(self.path("bad.pdf")).write_bytes(b"%PDF-1.4")
        run = lambda *args: subprocess.run([harness.program(), *args], capture_output=True, text=True, check=False)
        done = run("links", "--base", "http://a.example/d/a.pdf", self.path("a.pdf"))
        self.assertEqual(json.loads(done.stdout)["url"], "http://a.example/d/b.html")
        self.assertEqual(run("text", self.path("a.pdf")).stdout, "It says so.\n")
        for tool in ("links", "text"):
            done = run(tool, self.path("bad.pdf"))
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "bad.pdf: not a whole PDF")

    def test_commands(self):
        self.site({"index.html": "<a href=1.a>1</a><a href=2.b>2</a><a href=3.c>3</a>",
                   "1.a": "<title>T</title><a href=found.html>f</a>", "found.html": "", "2.b": "plain <text>",
                   "3.c": "x"})
        pages = self.pages("--preprocess", "application/x-a=sed s/T/Tee/", "--preprocess", "application/x-b=cat",
                           "--preprocess", "Application/X-C=sh -c 'echo it is broken >&2; exit 1'",
                           "--preprocess", "application/x-c=cat", "--text", "plain")
        self.assertEqual((pages["1.a"]["title"], pages["found.html"]["depth"]), ("Tee", 2))
        self.assertEqual((pages["2.b"]["text"], pages["2.b"]["preprocessed"]), ("plain <text>\n", "whole"))
        self.assertEqual((pages["3.c"]["preprocessed"], pages["3.c"]["detail"]), ("failed", "it is broken"))

    def test_many_documents_and_few_programs(self):
        """Each program leaves a mark while it runs. None of 60 documents is lost, with room for four."""
        names = [f"{i}.a" for i in range(60)]
        self.site({"index.html": "".join(f"<a href={name}>x</a>" for name in names), **{name: name for name in names}})
        marks = self.path("marks")
        os.mkdir(marks)
        script = self.write("convert", f"touch {marks}/$$; ls {marks} | wc -l >>{self.path('counts')}; cat; "
                                       f"rm {marks}/$$\n")
        pages = self.pages("--preprocess", f"application/x-a=sh {script}", "--workers", "1", "--text", "plain")
        self.assertEqual({page: row.get("text") for page, row in pages.items() if page},
                         {name: name + "\n" for name in names})
        most = max(map(int, Path(self.path("counts")).read_text().split()))
        self.assertLessEqual(most, len(os.sched_getaffinity(0)))

    def test_stopped_and_gone_on_with(self):
        self.site({"index.html": "<a href=1.a>1</a><a href=2.a>2</a>", "1.a": "one", "2.a": "two"})
        wait = self.write("wait", f"touch {self.path('began')}; test -e {self.path('go')} || sleep 1000; cat\n")
        options = ("--state", self.path("st"), "--preprocess", f"application/x-a=sh {wait}", "--delay", "0", "--output",
                   self.path("r.jsonl"))
        running = self.start(*options, self.url("/"))
        self.wait_for(lambda: os.path.exists(self.path("began")))
        start = time.monotonic()
        running.send_signal(signal.SIGINT)
        running.communicate()
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(len(self.records("r.jsonl")), 1)
        Path(self.path("go")).touch()
        self.crawl(*options)
        self.assertEqual(sorted((row["url"].removeprefix(self.url("/")), row.get("preprocessed"))
                                for row in self.records("r.jsonl")), [("", None), ("1.a", "whole"), ("2.a", "whole")])

    def test_refused_settings(self):
        for value, words in (("a/b", "a media type and a command"), ("a=cat", "a media type and a command"),
                             ("a/b=", "a media type and a command"), ("a/b='cat", "a media type and a command"),
                             ("a/b=/nowhere/cat x", "parse.preprocess: /nowhere/cat: No such file")):
            done = subprocess.run([harness.program(), "--preprocess", value, "http://a.example/"], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
        for section, line in (("render", "browser = ./chromium"), ("output", "output = exec:cat"),
                              ("parse", "preprocess = a/b=cat")):
            self.write("crawler.conf", f"[{section}]\n{line}\n")
            done = self.crawl("http://a.example/", "--print-config")
            self.assertEqual(done.status, 2)
            self.assertRegex(done.stderr, f"crawler.conf sets a command, {section}.*--config crawler.conf")
        named = self.crawl("--config", "crawler.conf", "--print-config")
        self.assertRegex(named.stdout, "(?m)^preprocess = a/b=cat$")
        done = subprocess.run([harness.program(), "--pdf", "--preprocess", "a/b=cat 'x  y' # z", "--print-config"],
                              capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"(?m)^pdf = true\n(.*\n)*preprocess = .*a/b=cat 'x  y' # z")


if __name__ == "__main__":
    harness.main()
