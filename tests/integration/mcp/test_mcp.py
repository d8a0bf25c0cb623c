#!/usr/bin/env python3
"""Tests crawl mcp as a program with a model uses it: both revisions, every tool, limits, progress, and shutdown."""
import json
import os
import re
import signal
import subprocess
import time

from mcp_client import Client, harness

PAGE = "<html><head><title>Rye\u202e</title></head><body><h1>Rye</h1><p>{}</p><a href=next.html>next</a></body></html>"
ROBOTS = "User-agent: *\nDisallow: /shut\nContent-Signal: ai-input=no\n"
SENTENCE = "Rye is a grass grown as a grain, a cover crop and a forage crop. "
HIDDEN = "Bread\u200b\u202e of\U000e0041\U000e0042\x07 rye. "


class Site(harness.Handler):
    def do_GET(self):
        self.server.asked.append((time.monotonic(), self.path))
        if self.path == "/robots.txt":
            self.answer(500 if self.server.is_shut else 200, ROBOTS, "Content-Type: text/plain")
        elif self.path == "/slow.html":
            time.sleep(20)
        elif self.path.startswith("/busy"):
            self.answer(429, "later", f"Retry-After: {self.path[5:]}")
        elif self.path == "/circle":
            self.answer(302, "", "Location: /circle")
        elif self.path in ("/circle/a", "/circle/b"):
            self.answer(302, "", "Location: " + ("/circle/a", "/circle/b")[self.path == "/circle/a"])
        elif self.path == "/moved":
            self.answer(302, "", "Location: /#top")
        elif self.path == "/data.json":
            self.answer(200, '{"rye": 1}', "Content-Type: application/json")
        elif self.path == "/latin1.txt":
            self.answer(200, "caf\xe9 \u20ac".encode("cp1252"), "Content-Type: text/plain")
        elif self.path == "/greek.txt":
            self.answer(200, "\u03c3\u03af\u03ba\u03b1\u03bb\u03b7".encode("iso-8859-7"),
                        "Content-Type: text/plain; charset=iso-8859-7")
        elif self.path == "/utf8.txt":
            self.answer(200, "\u0436\u0438\u0442\u043e".encode(), "Content-Type: text/plain")
        elif self.path == "/wall.html":
            self.answer(403, "<title>Just a moment...</title>", "cf-mitigated: challenge", "Server: cloudflare")
        elif self.path in ("/", "/next.html") or self.path.startswith("/many"):
            number = int(self.path[5:] or 0) if self.path.startswith("/many") else None
            links = f"<a href=/many{number + 1}>more</a>" if number is not None else ""
            page = PAGE.format((SENTENCE + HIDDEN) * 20 + links)
            self.answer(200, page.encode("ascii", "xmlcharrefreplace").decode())
        else:
            self.answer(404, "gone")


class SiteServer(harness.OwnServer):
    def __init__(self):
        self.asked = []
        self.is_shut = False
        super().__init__(Site)

    def paths(self):
        return [path for _, path in self.asked if path != "/robots.txt"]


class Mcp(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.site = self.serve(SiteServer())
        self.root = self.path("root")
        with open(self.path("quick.conf"), "w", encoding="utf-8") as file:
            file.write("[politeness]\ndelay = 20ms\n")

    def open(self, *options):
        client = Client("--allow-private", "--root", self.root, "--config", self.path("quick.conf"), *options)
        self.addCleanup(client.stop)
        return client

    def url(self, path="/"):
        return self.site.url("127.0.0.1", path)


class Protocol(Mcp):
    def test_without_a_handshake(self):
        client = self.open()
        told = client.ask("server/discover")["result"]
        self.assertEqual(told["supportedVersions"][:2], ["2026-07-28", "2025-11-25"])
        self.assertEqual(told["resultType"], "complete")
        self.assertEqual(told["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "crawl")
        listed = client.ask("tools/list")["result"]
        self.assertEqual((listed["cacheScope"], listed["resultType"]), ("public", "complete"))
        self.assertEqual([tool["name"] for tool in listed["tools"]][:2], ["fetch", "crawl"])
        usage = subprocess.run([harness.program(), "mcp", "--help"], capture_output=True, text=True, check=True).stdout
        words = set(re.findall("[a-z]+", usage.split("Tools: ")[1].split(". ")[0]))
        self.assertLessEqual({tool["name"] for tool in listed["tools"]}, words)
        for tool in listed["tools"]:
            self.assertRegex(tool["name"], r"^[A-Za-z0-9_.-]{1,128}$")
            self.assertFalse(tool["inputSchema"]["additionalProperties"])
        self.assertEqual(client.ask("ping")["error"]["code"], -32601)
        self.assertEqual(client.stop(), (0, ""))

    def test_by_a_handshake(self):
        client = self.open()
        for asked, given in (("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")):
            result = client.ask("initialize", {"protocolVersion": asked, "capabilities": {},
                                               "clientInfo": {"name": "t", "version": "1"}}, meta=False)["result"]
            self.assertEqual(result["protocolVersion"], given)
            self.assertNotIn("resultType", result)
        client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        self.assertEqual(client.ask("ping", meta=False)["result"], {})
        self.assertNotIn("ttlMs", client.ask("tools/list", meta=False)["result"])
        answer = client.ask("tools/call", {"name": "fetch", "arguments": {"url": self.url()}}, meta=False)
        self.assertEqual(client.result(answer)[0]["status"], 200)

    def test_a_version_that_is_not_spoken(self):
        client = self.open()
        client.write(json.dumps({"jsonrpc": "2.0", "id": "v", "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2031-01-01",
            "io.modelcontextprotocol/clientCapabilities": {}}}}))
        error = client.read()["error"]
        self.assertEqual((error["code"], error["data"]["requested"]), (-32022, "2031-01-01"))
        self.assertIn("2026-07-28", error["data"]["supported"])

    def test_messages_that_are_none(self):
        call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s}}'
        meta = ('"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
                '"io.modelcontextprotocol/clientCapabilities":{}}')
        wrong = [
            ("{", -32700), ("nonsense", -32700), (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', -32700),
            ('{"jsonrpc":"2.0","id":1,"method":"a"} x', -32700), ('{"a":"\\u0000"}', -32600), ("[" * 5000, -32700),
            ("[]", -32600), ("7", -32600), ("null", -32600), ('"x"', -32600), ("{}", -32600),
            ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600), ('{"id":1,"method":"ping"}', -32600),
            ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":1}', -32600),
            ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
            ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
            ('{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":1,"method":7}', -32600),
            ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
            ('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', -32602),
            ('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', -32602),
            (call % '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}', -32602),
            (call % meta, -32602), (call % (meta + ',"name":7'), -32602), (call % (meta + ',"name":"shell"'), -32602),
            (call % (meta + ',"name":"fetch","arguments":[]'), -32602),
            ('{"jsonrpc":"2.0","id":1,"method":"no/such","params":{' + meta + '}}', -32601),
            ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x",' + meta + '}}', -32602),
            (" " * (1 << 21), -32600),
        ]
        client = self.open()
        for text, code in wrong:
            client.write(text)
            answer = client.read()
            self.assertEqual(answer.get("error", {}).get("code"), code, (text[:100], answer))
        for silent in ("", "   ", '{"jsonrpc":"2.0","method":"notifications/x"}',
                       '{"jsonrpc":"2.0","id":1,"result":{}}',
                       '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
                       '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}'):
            client.write(silent)
        self.assertIn("result", client.ask("server/discover"))
        self.assertEqual(client.stop(), (0, ""))

    def test_arguments_that_are_not_as_the_schema_has_them(self):
        client = self.open()
        for tool, arguments, words in (
                ("fetch", {}, "url: expected a value"), ("fetch", {"url": 7}, "url: expected string"),
                ("fetch", {"url": "http://a/", "robots": False}, "robots: no such argument"),
                ("fetch", {"url": "http://a/", "start": -1}, "start: expected a number from 0 on"),
                ("fetch", {"url": "http://a/", "length": 1}, "length: expected a number from 100 to 100000"),
                ("fetch", {"url": "http://a/", "length": 1.5}, "length: expected integer"),
                ("fetch", {"url": "x" * 9000}, "shorter"), ("fetch", {"url": "http://a/\0"}, "without NUL"),
                ("fetch", {"url": "nothing"}, "not an absolute URL"), ("fetch", {"url": "http://u:p@a/"}, "user"),
                ("crawl", {}, "either urls"), ("crawl", {"urls": []}, "1 to 20"), ("crawl", {"urls": [7]}, "strings"),
                ("crawl", {"urls": ["http://a/"], "scope": "web"}, "host domain prefix any"),
                ("crawl", {"urls": [self.url()], "include": ["("]}, "parenthesis"),
                ("crawl", {"urls": [self.url()], "seconds": 2 ** 62}, "seconds: expected a number from 1 to 86400"),
                ("crawl", {"handle": "x", "urls": ["http://a/"]}, "either urls"),
                ("report", {"handle": "x"}, "no crawl x"),
                ("explain", {"handle": "x", "url": "http://a/"}, "no crawl x")):
            facts, _, is_error = client.call(tool, **arguments)
            self.assertTrue(is_error, (tool, arguments))
            self.assertIn(words, facts)
        self.assertEqual(os.listdir(self.root), [])


    def test_a_last_line_without_an_end(self):
        client = self.open()
        client.write(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
        client.process.stdin.close()
        self.assertEqual(client.wait("last")["result"], {})

    def test_arguments_that_json_may_write_so(self):
        client = self.open()
        facts, text, is_error = client.call("fetch", url=self.url(), length=700.0, start=0.0, links=None)
        self.assertFalse(is_error, facts)
        self.assertEqual(facts["next"], 700)
        self.assertIn("url: expected a value", client.call("fetch", url=None)[0])
        self.assertIn("length: expected integer", client.call("fetch", url=self.url(), length=1e300)[0])
        self.assertIn("result", client.ask("tools/call", {"name": "list", "arguments": None}))
        self.assertIn("result", client.ask("tools/list", {"cursor": None}))
        client.ask("initialize", {"protocolVersion": "2025-11-25"}, meta=False)
        client.write('{"jsonrpc":"2.0","id":"n","method":"ping","params":null}')
        self.assertEqual(client.wait("n")["result"], {})


class Tools(Mcp):
    def test_a_page_in_parts(self):
        client = self.open()
        start, read, asked = 0, "", None
        while start is not None:
            facts, text, is_error = client.call("fetch", url=self.url(), start=start, length=700)
            self.assertFalse(is_error)
            begin, end = re.match(r"--- BEGIN (\w+): .*\n", text), re.search(r"\n--- END (\w+) ---$", text)
            self.assertEqual(begin[1], end[1])
            self.assertNotEqual(begin[1], asked)
            asked = begin[1]
            read += text[begin.end():end.start()]
            start = facts.get("next")
        self.assertEqual(self.site.paths(), ["/"])
        self.assertEqual(len(read.encode()), facts["size"])
        self.assertTrue(read.startswith("Title: Rye\n"))
        self.assertEqual(read.count("Bread of rye."), 20)
        self.assertEqual(facts["may"], {"train": None, "input": "n", "search": None})
        self.assertFalse(set(HIDDEN) & set(read) - set("Bread of rye."))

    def test_pages_that_are_none(self):
        client = self.open()
        facts, text, is_error = client.call("fetch", url=self.url("/shut/x"))
        self.assertEqual((facts["error"], facts["detail"], text, is_error),
                         ("robots", "robots.txt line 2: Disallow: /shut", "", True))
        facts, _, is_error = client.call("fetch", url=self.url("/gone"))
        self.assertEqual((facts["status"], is_error), (404, True))
        facts, _, is_error = client.call("fetch", url=self.url("/wall.html"))
        self.assertEqual((facts["verdict"], facts["wall"], is_error), ("challenge", "Cloudflare", True))
        facts, text, is_error = client.call("fetch", url=self.url("/moved"), links=True)
        self.assertEqual((facts["url"], is_error), (self.url(), False))
        self.assertIn(f"- next <{self.url('/next.html')}>", text)
        for path, detail in (("/circle", "it redirects to itself"), ("/circle/a", "too many redirects in a row")):
            facts, _, is_error = client.call("fetch", url=self.url(path))
            self.assertEqual((facts["detail"], is_error), (detail, True))
        self.assertIn('{"rye": 1}', client.call("fetch", url=self.url("/data.json"))[1])
        self.assertNotIn("/shut/x", self.site.paths())

    def test_texts_in_other_encodings(self):
        client = self.open()
        for path, text in (("/latin1.txt", "caf\xe9 \u20ac"), ("/greek.txt", "\u03c3\u03af\u03ba\u03b1\u03bb\u03b7"),
                           ("/utf8.txt", "\u0436\u0438\u0442\u043e")):
            self.assertEqual(client.call("fetch", url=self.url(path))[1].split("\n")[1], text)

    def test_robots(self):
        client = self.open()
        facts, text, _ = client.call("robots", url=self.url("/shut/x"))
        self.assertFalse(facts["allowed"])
        self.assertIn("robots.txt:2: Disallow: /shut", text)
        self.assertTrue(client.call("robots", url=self.url("/open"))[0]["allowed"])
        self.assertFalse(set(self.site.paths()) - {"/robots.txt"})

    def test_a_robots_txt_is_kept(self):
        client = self.open("--max-time", "3s")
        for path in ("/", "/moved", "/gone", "/", "/slow.html", "/"):
            client.call("fetch", url=self.url(path))
        self.assertEqual(self.site.paths(), ["/", "/moved", "/", "/gone", "/", "/slow.html", "/"])
        asked = [path for _, path in self.site.asked]
        self.assertEqual(asked.count("/robots.txt"), 2)  # a fetch that was cut takes all with it
        for path, is_allowed in (("/shut/x", False), ("/open", True)):
            self.assertEqual(client.call("robots", url=self.url(path))[0]["allowed"], is_allowed)
        facts, _, _ = client.call("fetch", url=self.url("/shut/x"))
        self.assertEqual(facts["detail"], "robots.txt line 2: Disallow: /shut")
        self.assertEqual(len(self.site.asked), len(asked))

    def test_a_robots_txt_out_of_reach_is_not_kept(self):
        client = self.open()
        self.site.is_shut = True
        facts, _, is_error = client.call("fetch", url=self.url())
        self.assertEqual((facts["error"], is_error), ("robots", True))
        facts, text, _ = client.call("robots", url=self.url())
        self.assertFalse(facts["allowed"])
        self.assertIn("status 500", text)
        self.site.is_shut = False
        self.assertFalse(client.call("fetch", url=self.url())[2])

    def test_a_crawl_and_what_is_asked_of_it(self):
        client = self.open()
        facts, text, _ = client.call("crawl", urls=[self.url()], depth=3)
        handle = facts["handle"]
        self.assertEqual((facts["pages"], facts["failed"]), (2, 0))
        self.assertIn("nothing left to fetch", facts["ended"])
        self.assertIn(self.url("/next.html"), text)
        self.assertEqual(client.call("list")[0]["handles"], [handle])
        facts, text, _ = client.call("list", handle=handle, count=1)
        self.assertEqual(facts["next"], 1)
        self.assertNotIn("/next.html", text)
        self.assertIn("/next.html", client.call("list", handle=handle, start=1)[1])
        asked = self.site.paths()
        self.assertIn("Rye is a grass", client.call("fetch", url=self.url("/next.html"), handle=handle)[1])
        self.assertIn("no page", client.call("fetch", url=self.url("/other"), handle=handle)[0])
        facts, text, _ = client.call("explain", handle=handle, url=self.url("/shut/x"))
        self.assertEqual((facts["verdict"], facts["by"]), ("refuse", "robots"))
        self.assertIn("URLs checked", client.call("report", handle=handle)[1])
        self.assertIn("size_bytes", client.call("report", handle=handle, table="pages")[1])
        self.assertTrue(client.call("report", handle=handle, table="--html=x")[2])
        self.assertEqual(self.site.paths(), asked)

    def test_a_file_of_records_is_explained_by_the_settings_of_the_server(self):
        client = self.open()
        client.call("list")
        with open(os.path.join(self.root, "own.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps({"url": self.url(), "status": 200, "bytes": 1}) + "\n")
        facts, text, _ = client.call("explain", handle="own.jsonl", url=self.url())
        self.assertNotEqual(facts["by"], "address", text)
        self.assertIn("fetch.allow_private = true", text)

    def test_questions_to_a_crawl(self):
        client = self.open()
        handle = client.call("crawl", urls=[self.url()], depth=3)[0]["handle"]

        def rows(sql, **arguments):
            facts, text, is_error = client.call("query", handle=handle, sql=sql, **arguments)
            self.assertFalse(is_error, facts)
            return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

        self.assertEqual(rows("SELECT url, status FROM page ORDER BY url"),
                         [{"url": self.url(), "status": 200}, {"url": self.url("/next.html"), "status": 200}])
        self.assertEqual(rows("-- how many\nSELECT count(*) AS n FROM link WHERE text = 'next'"), [{"n": 2}])
        self.assertEqual(rows("statuses"), [{"status": 200, "pages": 2}])
        self.assertEqual(rows("SELECT url FROM page JOIN search ON search.rowid = page.id WHERE search MATCH 'forage' "
                              "ORDER BY url LIMIT 1"), [{"url": self.url()}])
        self.assertEqual(rows("SELECT 1 WHERE 0"), [])
        many = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n"
        facts, text, _ = client.call("query", handle=handle, sql=many, length=100)
        self.assertEqual(json.loads(text.splitlines()[1]), {"i": 1})
        self.assertIn('{"i":21}', client.call("query", handle=handle, sql=many, start=facts["next"])[1])

    def test_a_question_that_fails_midway(self):
        client = self.open()
        handle = client.call("crawl", urls=[self.url()], depth=0)[0]["handle"]
        sql = ("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) "
               "SELECT i, CASE i WHEN 3 THEN abs(-9223372036854775807 - 1) END AS x FROM n")
        facts, text, is_error = client.call("query", handle=handle, sql=sql)
        self.assertEqual([json.loads(line)["i"] for line in text.splitlines() if line.startswith("{")], [1, 2])
        self.assertIn("integer overflow", facts["warning"])
        self.assertFalse(is_error)

    def test_questions_that_are_none(self):
        client = self.open("--max-time", "2s")
        handle = client.call("crawl", urls=[self.url()], depth=0)[0]["handle"]
        endless = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
        for sql, words in (("SELECT nope FROM page", "no such column"), ("--save", "SQL"), ("", "SQL"),
                           ("DELETE FROM pages", "not authorized"), ("ATTACH '/etc/passwd' AS x", "not authorized"),
                           ("SELECT load_extension('x')", "not authorized"), ("page; SELECT 1", "syntax error"),
                           ("SELECT hex(zeroblob(9000000))", "more than 16 MiB"),
                           (endless + "printf('%9999d', i) FROM n", "ask for less"),
                           (endless + "max(i) FROM n", "ask for less")):
            facts, text, is_error = client.call("query", handle=handle, sql=sql)
            self.assertTrue(is_error, sql)
            self.assertIn(words, facts, sql)
            self.assertEqual(text, "", sql)

    def test_a_crawl_goes_on(self):
        client = self.open("--max-pages", "3")
        facts, _, _ = client.call("crawl", urls=[self.url("/many0")], depth=9, pages=99)
        self.assertEqual(facts["pages"], 3)
        self.assertIn("max_pages", facts["ended"])
        client.stop()
        client = self.open("--max-pages", "2")
        facts, text, _ = client.call("crawl", handle=facts["handle"])
        self.assertEqual((facts["pages"], facts["new"]), (5, 2))
        self.assertIn("/many3", text)
        self.assertNotIn("/many1", text)

    def test_counts_of_a_crawl_that_goes_on(self):
        client = self.open("--max-pages", "4", "--total-pages", "12")
        handle = client.call("crawl", urls=[self.url("/many0")], depth=99)[0]["handle"]
        with open(self.path("quick.conf"), "w", encoding="utf-8") as file:
            file.write("[politeness]\ndelay = 500ms\nadaptive = false\n")
        first = client.begin("crawl", token="p", handle=handle)
        second = client.begin("crawl", handle=handle, pages=2)
        facts = client.result(client.wait(first))[0]
        self.assertEqual((facts["pages"], facts["new"]), (8, 4))
        told = [message["params"] for message in client.told]
        self.assertTrue(told)
        self.assertLessEqual(max(params["progress"] for params in told), 4, told)
        facts, text, _ = client.result(client.wait(second))
        self.assertEqual((facts["pages"], facts["new"]), (10, 2))
        self.assertEqual(text.count('"url"'), 2)
        self.assertNotIn("/many6", text)
        self.assertEqual(client.call("crawl", handle=handle)[0]["new"], 2)

    def test_limits_of_the_process(self):
        client = self.open("--total-pages", "4")
        self.assertEqual(client.call("crawl", urls=[self.url("/many0")], depth=9, pages=3)[0]["pages"], 3)
        self.assertEqual(client.call("crawl", urls=[self.url("/many0")], depth=9)[0]["pages"], 1)
        facts, _, is_error = client.call("fetch", url=self.url())
        self.assertTrue(is_error)
        self.assertIn("--total-pages", facts)
        self.assertNotIn("/", self.site.paths())
        before = os.listdir(self.root)
        self.assertTrue(client.call("crawl", urls=[self.url()])[2])
        self.wait_for(lambda: os.listdir(self.root) == before)
        client = self.open("--max-bytes", "10k")
        self.assertIn("max_bytes", client.call("crawl", urls=[self.url("/many0")], depth=99)[0]["ended"])
        client = self.open("--max-time", "500ms")
        self.assertIn("max_time", client.call("crawl", urls=[self.url("/many0")], depth=99)[0]["ended"])

    def test_calls_that_wait_hold_no_part_of_the_limits(self):
        client = self.open("--total-bytes", "100k", "--max-bytes", "50k")
        for wanted in [client.begin("fetch", url=self.url()) for _ in range(6)]:
            facts, _, is_error = client.result(client.wait(wanted))
            self.assertFalse(is_error, facts)

    def test_a_host_that_asks_to_wait(self):
        client = self.open("--max-time", "10s")
        facts, _, is_error = client.call("fetch", url=self.url("/busy2"))
        answered = time.monotonic()
        self.assertEqual((facts["status"], is_error), (429, True))
        self.assertRegex(facts["held"], r"^http://127\.0\.0\.1:\d+ asked to wait [12] s$")
        facts, _, is_error = client.call("fetch", url=self.url())
        self.assertFalse(is_error, facts)
        self.assertNotIn("held", facts)
        self.assertGreaterEqual(self.site.asked[-1][0] - answered, 1.5)
        facts, _, _ = client.call("crawl", urls=[self.url("/busy60")])
        self.assertIn("asked to wait", facts["held"])
        asked, begun = len(self.site.asked), time.monotonic()
        for tool, arguments in (("fetch", {"url": self.url()}), ("crawl", {"urls": [self.url()]}),
                                ("crawl", {"handle": facts["handle"]})):
            refusal, _, is_error = client.call(tool, **arguments)
            self.assertTrue(is_error, refusal)
            self.assertRegex(refusal, r"asked to wait \d\d s: it is not asked before")
        self.assertLess(time.monotonic() - begun, 5)
        self.assertEqual(len(self.site.asked), asked)

    def test_calls_share_the_pause_of_a_host(self):
        with open(self.path("quick.conf"), "w", encoding="utf-8") as file:
            file.write("[politeness]\ndelay = 200ms\nadaptive = false\n")
        client = self.open()
        begun = time.monotonic()
        for wanted in [client.begin("fetch", url=self.url(path)) for path in ("/", "/next.html", "/moved")]:
            client.wait(wanted)
        self.assertEqual([path for _, path in self.site.asked], ["/robots.txt", "/", "/next.html", "/moved", "/"])
        for number, (when, path) in enumerate(self.site.asked):  # a server may log late, never early
            self.assertGreaterEqual(when - begun, 0.2 * number, path)


class Ways(Mcp):
    def test_progress_and_cancel(self):
        client = self.open()
        with open(self.path("quick.conf"), "w", encoding="utf-8") as file:
            file.write("[politeness]\ndelay = 200ms\n")
        wanted = client.begin("crawl", token="p", urls=[self.url("/many0")], depth=99)
        message = client.read()
        self.assertEqual(message["method"], "notifications/progress")
        self.assertEqual((message["params"]["progressToken"], message["params"]["total"]), ("p", 200))
        client.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                 "params": {"requestId": wanted}}))
        client.told.clear()
        self.assertIn("result", client.ask("server/discover"))
        harness.wait_for(lambda: not self.children(client), 4)
        client.ask("server/discover")
        self.assertEqual(client.answers, {})
        self.assertLess(len(self.site.asked), 20)

    def test_a_second_request_of_the_same_id(self):
        client = self.open()
        wanted = client.begin("fetch", url=self.url("/slow.html"))
        client.last -= 1
        self.assertEqual(client.wait(client.begin("fetch", url=self.url()))["error"]["code"], -32600)
        self.assertEqual(client.last, wanted)

    def children(self, client):
        with open(f"/proc/{client.process.pid}/task/{client.process.pid}/children", encoding="utf-8") as file:
            return file.read().split()

    def test_the_end_of_input_ends_all(self):
        folder = self.path("tmp")
        os.mkdir(folder)
        for how in (lambda client: client.process.stdin.close(),
                    lambda client: client.process.send_signal(signal.SIGTERM)):
            client = Client("--allow-private", environment={**os.environ, **harness.SANITIZERS, "TMPDIR": folder})
            client.begin("fetch", url=self.url("/slow.html"))
            harness.wait_for(lambda: "/slow.html" in self.site.paths())
            children = self.children(client)
            how(client)
            status, errors = client.process.wait(30), client.stop()[1]
            self.assertIn(status, (0, 3))
            self.assertEqual(errors, "")
            self.assertFalse([child for child in children if os.path.exists(f"/proc/{child}")])
            self.assertEqual(os.listdir(folder), [])
            self.site.asked.clear()

    def test_command_lines_that_are_wrong(self):
        with open(self.path("bad.conf"), "w", encoding="utf-8") as file:
            file.write("[output]\nbodies = /tmp/x\n")
        for options, words in ((["--max-pages", "x"], "--max-pages x"), (["--max-pages", "0"], "more than 0"),
                               (["word"], "only options"), (["--config", self.path("bad.conf")], "output.bodies"),
                               (["--config", self.path("none.conf")], "none.conf"), (["--nope"], "--nope")):
            status, errors = Client(*options).stop()
            self.assertEqual(status, 2, errors)
            self.assertIn(words, errors)
        status, errors = Client("--root", "/proc/none").stop()
        self.assertEqual(status, 4)
        self.assertIn("/proc/none", errors)


if __name__ == "__main__":
    harness.main()
