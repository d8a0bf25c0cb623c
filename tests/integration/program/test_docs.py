#!/usr/bin/env python3
"""Tests that the documents are true: the tables of docs/records.md name the fields of each file with their types, and
the examples of docs/tools.md and docs/extract.md print the output shown there."""
import os
import pathlib
import re
import subprocess

import harness
import rendering

DOCS = os.path.join(os.path.dirname(os.path.dirname(harness.HERE)), "docs")
TYPES = {"string": str, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}


def document(name):
    with open(os.path.join(DOCS, name), encoding="utf-8") as file:
        return file.read()


def section(text, title):
    """Returns the text below a heading "## title...", up to the next of its kind."""
    return re.search(rf"^## {re.escape(title)}[^\n]*\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]


def rows(text, first):
    """Returns the tables whose first column has this head: each row as a dictionary by the words of the head."""
    found = []
    for table in re.findall(rf"^(\| {first} \|.*\n\|[-|]+\n(?:\|.*\n)+)", text, re.M):
        lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()]
        found += [dict(zip(lines[0], cells)) for cells in lines[2:]]
    return found


class Configurations(harness.TestCase):
    def test_they_are_read(self):
        """Files that a configuration names are not opened to print it."""
        block = re.compile(r"^```.*\n(\[[a-z][^\]\n]*\]\n.*?)^```$", re.M | re.S)
        count = 0
        for page in sorted(pathlib.Path(DOCS).glob("*.md")):
            for text in block.findall(page.read_text(encoding="utf-8")):
                self.write("page.conf", text)
                result = self.crawl("--config", "page.conf", "--print-config")
                self.assertEqual(result.status, 0, f"{page.name}: {result.stderr}")
                count += 1
        self.assertGreaterEqual(count, 6)


class Fields(harness.TestCase):
    """The fields of docs/records.md are those that the program writes, with the types given there."""

    TEXT = " ".join(f"word{n} that{n * 7 % 31} reads{n * 11 % 17}" for n in range(60))
    FILES = {
        "index.html": f"<title>Home</title><h1>Home</h1><p>{TEXT}</p><script>['/guessed']</script>"
        + "".join(f'<a href="{n}.html">{n}</a>' for n in ("a", "b", "c", "many"))
        + "<a href=/moved>m</a><a href=http://out.localhost:9999/>o</a>",
        "a.html": "<p>short</p><img src=c.html?part>",
        "b.html": "<p>short</p>",
        "c.html": f"<p>{TEXT}</p> once more",
        "shell.html": "<div id=root></div><script src=/made.js></script>",
        "made.js": "",
        "plain.txt": "It is text.",
        "many.html": "<a href=/a.html>x</a>" * 100_001 + "".join(f"<p id={n}{'x' * 100}>" for n in range(3000)),
        "robots.txt": "User-agent: *\nDisallow: /private/\n#" + "#" * 512_000,
    }
    # Events of shared crawls, which redis/test_cluster.py makes.
    SHARED_EVENTS = {"clock"}
    # Fields that no run of this test has: of a clock that is set back, of a shared crawl, of revisits, ...
    NOT_MADE = {("run", name) for name in ("set_back", "shared", "resumed", "robots", "other_agents")} | {
        (event, name) for event in ("depart", "end") for name in ("site", "method", "conditional")}
    # Fields of rendered pages, which not every machine can make.
    RENDERED = {"rendered", "render", "for"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.text = document("records.md")

    def crawl_all(self):
        """Runs crawls that write every field."""
        self.assertEqual(self.crawl("identity", "new", "--url", "https://bot.example/", "bot").status, 0)
        self.write("crawler.conf", "[extract page]\nfield.title = title\nfield.head = h1 -> required\n"
                   "[group few]\nhosts = *.few.localhost\n"
                   "[identity]\nkey_file = bot/key.pem\nagent = https://bot.example\nsign = always\nhttp = true\n")
        site = self.make_site(self.FILES)
        nginx = self.start_nginx({"a.localhost": site, "one.few.localhost": site},
                                 "location = /moved { return 302 /private/x.html; }"
                                 "location = /b.html { add_header Content-Usage train-ai=n; }"
                                 "location = /walled { add_header cf-mitigated challenge always; return 403; }")
        self.renders = not rendering.refusal(self)
        options = ("--render", "always", "--render-pages", "shell", "--screenshots", "pictures")
        result = self.crawl(*(options if self.renders else ()), "--delay", "0", "--retries", "0",
                            "--output", "pages.jsonl", "--links", "links.jsonl", "--requests", "requests.jsonl",
                            "--requisites", "--check-external", "--check-fragments", "--text", "plain", "--data",
                            "--answer-headers", "server", "--preprocess", "text/plain=cat", "--respect", "train",
                            "--bodies", "bodies", "--links-from", "elements,script-text", "--dedupe", "near", "--set",
                            "politeness.per_address_private=true", nginx.url("a.localhost", "/"),
                            nginx.url("one.few.localhost", "/b.html"),
                            nginx.url("a.localhost", "/walled"), nginx.url("a.localhost", "/plain.txt"),
                            nginx.url("a.localhost", "/shell.html"))
        self.assertEqual(result.status, 0, result.stderr)

    def check(self, lines, fields):
        """Checks the lines of one kind against their rows of the table, fields."""
        fields = [row for row in fields if self.renders or row["field"].strip("`") not in self.RENDERED]
        names = [row["field"].strip("`") for row in fields]
        self.assertEqual(len(names), len(set(names)), names)
        self.assertEqual({name for line in lines for name in line}, set(names))
        for name, row in zip(names, fields):
            types = tuple(TYPES[word] for word in row["type"].removesuffix("?").split(" or "))
            may_be_absent = row["type"].endswith("?")
            for line in lines:
                if name not in line:
                    self.assertTrue(may_be_absent, (name, line))
                    continue
                is_number_for_boolean = isinstance(line[name], bool) and "boolean" not in row["type"]
                self.assertTrue(isinstance(line[name], types) and not is_number_for_boolean,
                                (name, row["type"], line[name]))
            if may_be_absent:
                self.assertFalse(all(name in line for line in lines) and len(lines) > 20, name)

    def test_records_and_links(self):
        self.crawl_all()
        self.check(self.records("pages.jsonl"), rows(section(self.text, "Records"), "field"))
        self.check(self.records("links.jsonl"), rows(section(self.text, "Links"), "field"))

    def test_requests(self):
        self.crawl_all()
        text = section(self.text, "Requests")
        tables = re.findall(r"^### ([^\n]*)\n(.*?)(?=^### |\Z)", text, re.M | re.S)
        events = {event for heading, _ in tables for event in re.findall("`([^`]*)`", heading)}
        self.assertLessEqual(self.SHARED_EVENTS, events)
        events -= self.SHARED_EVENTS
        lines = self.records("requests.jsonl")
        self.assertEqual({line["event"] for line in lines}, events)
        for event in events:
            fields = [row for heading, table in tables if heading == "All lines" or f"`{event}`" in heading
                      for row in rows(table, "field")]
            fields = [row for row in fields if (event, row["field"].strip("`")) not in self.NOT_MADE]
            self.check([line for line in lines if line["event"] == event], fields)

    def test_verdicts_and_classes(self):
        verdicts = {word for row in rows(section(self.text, "Links"), "`verdict`")
                    for word in re.findall("`([^`]*)`", row["`verdict`"])}
        classes = {word for row in rows(section(self.text, "Records"), "`error`")
                   for word in re.findall("`([^`]*)`", row["`error`"])}
        engine = "".join(path.read_text() for path in pathlib.Path(DOCS).parent.glob("crawler/engine/**/*.c"))
        self.assertEqual(verdicts, set(re.findall(r'\[CRAWL_EDGE_\w+\] = \{?"([^"]+)"', engine)))
        self.assertEqual(classes, set(re.findall(r'\[CRAWL_CLASS_\w+\] = \{?"([^"]+)"', engine)))


class Tools(harness.TestCase):
    """Each command in a block "console" of docs/tools.md, docs/extract.md and docs/data.md prints the output shown
    below it."""

    BLOCK = re.compile(r"^```(console|file (\S+))\n(.*?)^```$", re.M | re.S)

    def expect_examples(self, text):
        """Runs files and commands in one folder, in the order of the page. Returns the number of commands."""
        self.write("bin/crawl", f'#!/bin/sh\nexec "{harness.program()}" "$@"\n')
        os.chmod(self.path("bin/crawl"), 0o755)
        environment = {**os.environ, **harness.SANITIZERS, "PATH": self.path("bin") + ":" + os.environ["PATH"],
                       "LC_ALL": "C.UTF-8"}
        commands = 0
        for kind, name, content in self.BLOCK.findall(text):
            if name:
                self.write(name, content)
                continue
            for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", content, re.M):
                commands += 1
                done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment,
                                      stdin=subprocess.DEVNULL, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=harness.LIMIT_S,
                                      check=False)
                with self.subTest(command):
                    self.assertEqual(done.stdout, expected)
        return commands

    def test_examples_of_fields(self):
        self.assertGreater(self.expect_examples(document("extract.md")), 1)
        self.assertGreater(self.expect_examples(document("data.md")), 0)

    def test_examples_of_tools(self):
        commands = self.expect_examples(document("tools.md")) + self.expect_examples(document("results.md"))
        tools = set(re.findall(r"^  crawl ([a-z]+) ", self.crawl("help").stdout, re.M))
        self.assertGreater(commands, len(tools))
        self.assertEqual(tools, set(re.findall(r"^## crawl ([a-z]+)", document("tools.md"), re.M)))


if __name__ == "__main__":
    harness.main()
