"""Tests that after a refused allocation at any place the output is complete, or the program ends with status 4 and a
message.

CRAWL_REFUSING_MALLOC is a library that refuses the Nth allocation since main(). Each run has one N. For tools with many
allocations, nearly all by libcrypto at its start, and for a crawl, only every so many are tried.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest.mock

import harness
import object_store

LIBRARY = os.environ.get("CRAWL_REFUSING_MALLOC", "")
RUNS = 120  # of one command, at most
KEY = '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'
PAGE = ('<html><head><title>One</title><base href="/b/"><script type="application/ld+json">{"@type": "Thing"}</script>'
        '</head><body><h1>One</h1><p>Some <b>words</b> and <a href="two?c=d">a link</a>, <a href=three>another</a></p>'
        '<ul><li>x<li>y</ul></body></html>')
RECORD = {"url": "http://a.localhost/", "status": 200, "content_type": "text/html", "bytes": 5, "title": "", "depth": 0,
          "fetched_at": "2020-01-01T00:00:00.000Z",
          "preferences": [{"source": "signal", "label": "ai-train", "value": "no", "refuses": ["train"]},
                          {"source": "rsl", "label": "license", "value": "http://a.localhost/l.xml"}]}
ROWS = '{"input": "http://a.localhost/b?x=y", "html": "<a href=x>y</a>", "url": "http://a.localhost/"}\n'
REQUEST = {"request": 1, "host": "http://a.localhost", "url": "http://a.localhost/robots.txt", "kind": "robots",
           "start": 1e12, "pause": 250.0, "pause_by": "delay", "limit": 2, "seq": 1, "attempt": 1, "sent": True}
END = {"end": 1e12 + 1, "status": 200, "rules": "1: Disallow: /b\n", "error": None}
LOG = [{"event": "run", "start": 1e12, "workers": 1, "user_agent": "a (+http://a/)", "robots_agent": "a", "depth": 3},
       {"event": "depart", **REQUEST}, {"event": "end", **REQUEST, **END},
       {"event": "run-end", "end": 1e12 + 2, "requests": 1}]
TOOLS = (
    ["links", "--base", "http://a.localhost/", "page.html"],
    ["links", "--jsonl", "rows.jsonl"],
    ["text", "page.html"],
    ["text", "--markdown", "--jsonl", "page.html"],
    ["extract", "--data", "page.html"],
    ["extract", "--rules", "rules.conf", "--jsonl", "page.html"],
    ["url", "urls.txt"],
    ["url", "--jsonl", "rows.jsonl"],
    ["robots", "--agent", "x", "--file", "robots.txt", "http://a.localhost/b"],
    ["sitemap", "--base", "http://a.localhost/", "sitemap.xml"],
    ["sitemap", "--llms", "llms.txt"],
    ["seen", "urls.txt"],
    ["query", "--where", "status = 200 AND url LIKE '%a%'", "--columns", "url,preferences", "records.jsonl"],
    ["report", "records.jsonl", "--print", "pages"],
    ["report", "records.jsonl", "--print", "uses"],
    ["query", "records.jsonl", "SELECT url, status FROM page"],
    ["audit", "--practices", "--jsonl", "--records", "records.jsonl", "--ranges", "ranges.json", "--address",
     "192.0.2.1", "log.jsonl"],
    ["explain", "http://a.localhost/b"],
    ["identity", "check", "keys.json"],
    ["identity", "thumbprint", "key.json"],
    ["--print-config"],
    ["help"],
    ["help", "politeness"],
)


def is_of_library(result):
    """Returns True if the library of C or C++, or OpenSSL, ended the process itself with a message. They offer no hook
    when a thread, its end or its data cannot be registered."""
    words = {-signal.SIGABRT: (b"Fatal glibc error: ",
                               b"terminate called after throwing an instance of 'std::system_error'"),
             127: (b"cannot allocate memory for thread-local data: ABORT",)}  # the loader's status
    is_openssl = result[0] == -signal.SIGABRT and b"OpenSSL internal error: assertion failed" in result[2]
    return is_openssl or result[2].startswith(words.get(result[0], ()))


class Memory(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.write("page.html", PAGE)
        self.write("rows.jsonl", ROWS)
        self.write("rules.conf", "[extract thing]\nfield.name = h1\nfield.links = a -> all\n")
        self.write("urls.txt", "http://a.localhost/x?b=1&a=2\nhttp://a.localhost/y\n")
        self.write("robots.txt", "License: /l\nUser-agent: *\nContent-Signal: ai-train=no, x=y\nDisallow: /private\n"
                                 "Sitemap: http://a.localhost/s.xml\n")
        self.write("llms.txt", "# T\n## D\n- [A](http://a.localhost/a)\n")
        self.write("sitemap.xml", '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>'
                                  '<loc>http://a.localhost/1</loc><xhtml:link rel="alternate" hreflang="de" href="/2"/>'
                                  "<image:image><image:loc>/3.png</image:loc></image:image>"
                                  "<news:news><news:title>t</news:title></news:news></url></urlset>")
        self.write("records.jsonl", json.dumps(RECORD) + "\n")
        self.write("keys.json", '{"keys":[' + KEY + "]}")
        self.write("key.json", KEY)
        self.write("log.jsonl", harness.chained(LOG))
        self.write("ranges.json", '{"creationTime":"x","prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}')

    def run_refused(self, command, at, text=b""):
        """Runs the program once. Returns its result and its number of allocations."""
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "REFUSE_AT": str(at), "REFUSE_COUNT": self.path("count"),
                       "TMPDIR": self.folder}
        try:
            done = subprocess.run([harness.program(), *command], cwd=self.path("."), env=environment, timeout=60,
                                  input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            return "hangs", b"", b""
        return done.returncode, done.stdout, done.stderr

    def refuse_each(self, command, is_whole, text=b""):
        """Refuses one allocation after another. is_whole(result): whether it is the result of a run without a
        refusal."""
        whole = self.run_refused(command, 0, text)
        self.assertTrue(is_whole(whole), whole)
        with open(self.path("count"), encoding="ascii") as file:
            count = int(file.read())
        self.assertGreater(count, 0)
        step = -(-count // RUNS)
        for at in range(1, count + 1, step):
            result = self.run_refused(command, at, text)
            if is_whole(result) or (result[0] == 4 and result[2]) or is_of_library(result):
                continue
            self.fail(f"crawl {' '.join(command)}: allocation {at} of {count} refused: {result}")

    def test_tools(self):
        for command in TOOLS:
            with self.subTest(command=" ".join(command)):
                whole = self.run_refused(command, 0)[:2]
                self.assertTrue(whole[1], whole)
                self.refuse_each(command, lambda result, whole=whole: result[:2] == whole)

    def test_upload(self):
        store = self.serve(object_store.Store())
        key, secret = object_store.KEYS
        variables = {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": ""}

        def is_whole(result):
            is_there = store.objects.pop("a/page.html", (b"",))[0] == PAGE.encode()
            return is_there and result[:2] == (0, b"sent\t%d\ts3://box/a/page.html\n" % len(PAGE))

        with unittest.mock.patch.dict(os.environ, variables):
            self.refuse_each(["upload", "--endpoint", store.url(), "s3://box/a", "page.html"], is_whole)

    def test_mcp(self):
        """Uses calls that need no child."""
        meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {}}}
        calls = [{"name": "list", "arguments": {}}, {"name": "list", "arguments": {"handle": "kept"}},
                 {"name": "fetch", "arguments": {"url": "http://a.localhost/", "handle": "kept"}},
                 {"name": "fetch", "arguments": {"url": "file:///x"}}]
        asked = [("server/discover", {}), ("tools/list", {}), *(("tools/call", call) for call in calls), ("x", {})]
        text = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": {**params, **meta}}) + "\n"
                       for i, (method, params) in enumerate(asked)).encode() + b"{\n"
        os.mkdir(self.path("root"))
        self.write("root/kept/pages.jsonl", json.dumps(RECORD) + "\n")
        command = ["mcp", "--root", "root"]

        def answers(result):
            """Returns everything that is the same in each run; the numbers of marks are not."""
            return result[0], re.sub(rb"(BEGIN|END) \w+", b"", result[1])

        whole = answers(self.run_refused(command, 0, text))
        self.assertEqual((whole[0], whole[1].count(b"\n")), (0, len(asked) + 1))
        self.refuse_each(command, lambda result: answers(result) == whole, text)

    def refuse_in_crawl(self, *options):
        site = self.make_site({f"{n}.html": f"<title>{n}</title><p>{n}</p>" + "".join(
            f"<a href={m}.html>{m}</a>" for m in (2 * n + 1, 2 * n + 2) if m < 50) for n in range(50)})
        nginx = self.start_nginx({"a.localhost": site})
        command = ["--depth", "9", "--delay", "0", "--quiet", "--overwrite", "--output", "pages.jsonl", *options,
                   nginx.url("a.localhost", "/0.html")]

        def is_whole(result):
            self.clear_state()
            if result[0] != 0:
                return False
            records = self.records("pages.jsonl")
            return len(records) == 50 and all(r["status"] == 200 and not r["error"] for r in records)

        self.refuse_each(command, is_whole)

    def clear_state(self):
        shutil.rmtree(self.path("state"), ignore_errors=True)

    def test_crawl(self):
        self.refuse_in_crawl("--data", "--text", "plain", "--links", "links.jsonl")

    def test_crawl_with_state(self):
        if not harness.has_disk():
            self.skipTest("this build has no disk store")
        self.refuse_in_crawl("--state", "state")


def is_sanitized():
    """Returns True if a sanitizer serves the allocations; nothing else can then."""
    with open(harness.program(), "rb") as file:
        code = file.read()
    return b"__asan_init" in code or b"__tsan_init" in code


if __name__ == "__main__":
    if not os.path.exists(LIBRARY) or is_sanitized():
        print("skipped: for glibc, and for a program without sanitizers", file=sys.stderr)
        sys.exit(77)
    harness.main()
