#!/usr/bin/env python3
"""Tests crawl index with search engines that refuse, time out and lose responses, and with kills. CRAWL_INDEX_KILLS=100
kills that often."""
import json
import os
import random
import shlex
import signal
import time
import unittest.mock

import harness
import search_engine

KILLS = int(os.environ.get("CRAWL_INDEX_KILLS", "3"))
AGAIN = ("--revisit", "--set", "revisit.interval=100ms", "--set", "revisit.min_interval=100ms", "--set",
       "revisit.max_interval=400ms", "--set", "revisit.gone=0", "--delay", "2ms", "--no-adaptive", "--per-host", "8",
       "--retries", "0", "--set", "politeness.give_up=0", "--set", "politeness.backoff=0ms", "--depth", "9")


class Site(harness.OwnServer):
    """Serves pages that change, vanish and come back. pages: number -> version; negative: the page is gone."""

    def __init__(self, count, seed=1):
        self.random = random.Random(seed)
        self.pages = {number: 1 for number in range(count)}
        super().__init__(Pages)

    def change(self):
        for number in self.random.sample(range(1, len(self.pages)), len(self.pages) // 4):
            self.pages[number] = self.random.choice((-1, 1)) * (abs(self.pages[number]) + 1)
        self.pages[len(self.pages)] = 1

    def titles(self):
        return {f"/{number}": f"{number} as of {version}" for number, version in self.pages.items() if version > 0}


class Pages(harness.Handler):
    def do_GET(self):
        name = self.path[1:]
        pages = self.server.pages
        if name == "list":
            self.answer(200, "<title>list</title><meta name=robots content=noindex>" +
                        "".join(f"<a href={number}>x</a>" for number in list(pages)))
        elif name.isdigit() and pages[int(name)] > 0:
            tag = f'"{pages[int(name)]}"'
            is_same = self.headers["If-None-Match"] == tag
            self.answer(304 if is_same else 200, "" if is_same else f"<title>{name} as of {tag[1:-1]}</title>",
                        f"ETag: {tag}")
        else:
            self.answer(404, "")


class Index(harness.TestCase):
    def setUp(self):
        super().setUp()
        folder = os.path.dirname(harness.program())
        patch = unittest.mock.patch.dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"])
        patch.start()
        self.addCleanup(patch.stop)

    def engine(self, **how):
        return self.serve(search_engine.Engine(**how))

    def output(self, engine, kind="es", *options):
        words = ["crawl", "index", kind, engine.url(), "--index", "pages", "--timeout", "1", *options]
        return ("--output", "exec:" + shlex.join(words))

    def answers(self, engine, kind, line):
        """Writes a line as a crawl does, which waits for its answer. Returns the exit status, and all but signs of
        life."""
        process = self.start("index", kind, engine.url(), "--index", "pages", stdin="")
        process.stdin.write(line + "\n")
        process.stdin.flush()
        said = next(answer for answer in process.stdout if answer != "{}\n")
        rest, _ = process.communicate(timeout=60)
        return process.returncode, [answer for answer in (said + rest).splitlines() if answer != "{}"]

    def test_each_engine_has_what_the_site_has(self):
        site = self.serve(Site(24))
        kinds = ("es", "meilisearch", "typesense")
        engines = {kind: self.engine(most=7) for kind in kinds}
        runs = [self.start("--quiet", "--state", kind, *AGAIN, *self.output(engines[kind], kind),
                           site.url("a.localhost", "/list")) for kind in kinds]
        for run in runs:
            self.addCleanup(run.communicate)
            self.addCleanup(run.kill)
        for changes in range(3):
            self.wait_for(lambda: all(engine.titles() == site.titles() for engine in engines.values()))
            if changes < 2:
                site.change()
        for run in runs:
            run.send_signal(signal.SIGINT)
            _, stderr = run.communicate()
            self.assertEqual((run.returncode, stderr), (3, ""))

    def test_documents_that_are_refused_stand_in_a_file(self):
        self.write("site/index.html", "<title>good</title><a href=bad.html>x</a>")
        self.write("site/bad.html", "<title>bad</title>")
        nginx = self.start_nginx({"a.localhost": self.path("site")})
        for kind in ("opensearch", "meilisearch", "typesense"):
            engine = self.engine()
            self.write("key", "secret\n")
            result = self.crawl("--delay", "0", *self.output(engine, kind, "--key-file", "key", "--refused", kind),
                                nginx.url("a.localhost", "/"))
            self.assertEqual(result.status, 4)
            self.assertIn("crawl has refused 1 record for good; the first: as it is", result.stderr)
            self.assertEqual(engine.titles(), {"/": "good"})
            refused, = self.records(kind)
            self.assertEqual((refused["record"]["title"], refused["reason"]), ("bad", "as it is"))
            shown = engine.requests[0][2].get("Authorization") or engine.requests[0][2]["X-TYPESENSE-API-KEY"]
            self.assertEqual(shown.split()[-1], "secret")

    def test_a_site_that_is_down_does_not_empty_the_index(self):
        """A run may delete half of an index, and 20 documents in any case; --max-deletes allows more. Missing documents
        are not counted."""
        def lines(operation, version, keys):
            return "".join(json.dumps({"n": n + 1, "op": operation, "id": key, "version": version, "record": {
                "url": f"http://a/{key}", "title": key}}) + "\n" for n, key in enumerate(keys))
        keys = [f"k{number}" for number in range(60)]
        gone = [f"gone{number}" for number in range(25)]
        for kind in ("es", "meilisearch", "typesense"):
            engine = self.engine()
            command = ["index", kind, engine.url(), "--index", "pages", "--refused", kind + ".jsonl"]
            self.assertEqual(self.crawl(*command, stdin=lines("index", 1, keys)).status, 0)
            result = self.crawl(*command, stdin=lines("delete", 2, gone + keys))
            self.assertEqual((result.status, result.stdout.count('"ack"')), (0, 25 + 30))
            self.assertEqual(result.stdout.count('"retry":false,"reason":"too much of the index'), 30)
            self.assertEqual(sorted(engine.titles().values()), sorted(keys[30:]))
            self.assertEqual({line["op"] for line in self.records(kind + ".jsonl")}, {"delete"})
            result = self.crawl(*command, "--max-deletes", "10", stdin=lines("delete", 3, keys[30:]))
            self.assertEqual((result.stdout.count('"ack"'), len(engine.documents)), (20, 10))
            result = self.crawl(*command, "--max-deletes", "100", stdin=lines("delete", 4, keys))
            self.assertEqual((result.stdout.count('"ack"'), engine.documents), (60, {}))
        self.assertIn("0 to 100 percent", self.crawl(*command, "--max-deletes", "101").stderr)

    def test_the_last_line_of_a_document_stands(self):
        """A page that goes and comes back within a batch is there, and one that comes and goes is not."""
        record = {"url": "http://a/x", "title": "x"}
        lines = "".join(json.dumps({"n": n + 1, "op": operation, "id": key, "version": 100 * (n + 1), "record": record})
                        + "\n" for n, (operation, key) in enumerate((("delete", "back"), ("index", "gone"),
                                                                     ("index", "back"), ("delete", "gone"))))
        for kind in ("es", "meilisearch", "typesense"):
            engine = self.engine()
            result = self.crawl("index", kind, engine.url(), "--index", "pages", stdin=lines)
            self.assertEqual((result.status, result.stdout.count('"ack"')), (0, 4), result.stderr)
            self.assertEqual(list(engine.documents), ["back"], kind)

    def test_troubles_that_pass_refuse_no_document(self):
        line = '{"n":1,"op":"index","id":"a","version":1,"record":{"url":"http://a/","title":"x"}}'
        for kind, passing in (("meilisearch", ["failed system", "failed internal", "canceled"]),
                              ("typesense", ["Rejecting write: running out of resource type: OUT_OF_DISK"])):
            engine = self.engine()
            engine.passing = list(passing)
            self.assertEqual(self.answers(engine, kind, line), (0, ['{"ack":1}']))
            posts = [path for method, path, *_ in engine.requests if method == "POST"]
            self.assertEqual((len(posts), engine.passing), (len(passing) + 1, []))

    def test_a_task_is_waited_for_and_not_sent_again(self):
        """Unless the engine does not know it."""
        line = '{"n":1,"op":"index","id":"a","version":1,"record":{"url":"http://a/","title":"x"}}'
        for passing, posts in ([], 1), (["unknown"], 2):
            engine = self.engine()
            engine.shy = 3
            engine.passing = passing
            self.assertEqual(self.answers(engine, "meilisearch", line), (0, ['{"ack":1}']))
            self.assertEqual(sum(method == "POST" for method, *_ in engine.requests), posts)

    def test_the_crawl_sees_signs_of_life(self):
        """The engines are slow: each request is announced, and deletes of Typesense are acknowledged by the 50."""
        lines = "".join(json.dumps({"n": n + 1, "op": "delete", "id": f"k{n}", "version": 1, "record": {"url": "x"}})
                        + "\n" for n in range(120))
        for kind, first in ("es", 1), ("meilisearch", 1), ("typesense", 50):
            engine = self.engine()
            command = ["index", kind, engine.url(), "--index", "pages", "--max-deletes", "100"]
            said = self.crawl(*command, stdin=lines).stdout.splitlines()
            self.assertGreaterEqual(said.count("{}"), len(engine.requests))
            self.assertGreaterEqual(said.index('{"ack":1}'), first)
            self.assertLessEqual(said.index('{"ack":1}'), 50)
            self.assertIn("1 to 50 seconds", self.crawl(*command, "--timeout", "51").stderr)

    def test_what_a_lost_state_left_is_purged(self):
        """The purge goes by versions, unless --max-deletes forbids it."""
        def lines(version, keys):
            return "".join(json.dumps({"n": n + 1, "op": "index", "id": key, "version": version, "record": {
                "url": f"http://a/{key}", "title": key}}) + "\n" for n, key in enumerate(keys))
        keys = [f"k{number}" for number in range(60)]
        for kind in ("es", "opensearch", "meilisearch", "typesense"):
            engine = self.engine()
            command = ["index", kind, engine.url(), "--index", "pages"]
            self.assertEqual(self.crawl(*command, stdin=lines(1, keys)).status, 0)
            self.assertEqual(self.crawl(*command, stdin=lines(3, keys[35:])).status, 0)
            result = self.crawl(*command, "--purge-before", "3")
            self.assertEqual((result.status, result.stdout, len(engine.documents)), (1, "", 60))
            self.assertIn("35 of 60 documents are older, and none was deleted", result.stderr)
            result = self.crawl(*command, "--purge-before", "3", "--max-deletes", "60")
            self.assertEqual((result.status, result.stdout), (0, "35 of 60 documents were deleted\n"), result.stderr)
            self.assertEqual(sorted(engine.titles().values()), sorted(keys[35:]))
            result = self.crawl(*command, "--purge-before", "3")
            self.assertEqual((result.status, result.stdout), (0, "0 of 25 documents were deleted\n"))
        self.assertIn("milliseconds since 1970", self.crawl(*command, "--purge-before", "x").stderr)
        engine = self.engine(trouble=1)
        result = self.crawl("index", "es", engine.url(), "--index", "pages", "--purge-before", "3", "--timeout", "1")
        self.assertEqual((result.status, result.stdout), (4, ""))

    def test_what_must_be_mended_ends_the_crawl(self):
        for words, said in ((["solr", "http://a", "--index", "x"], "ENGINE must be es,"),
                            (["es", "a", "--index", "x"], "URL"), (["es", "http://a"], "--index NAME"),
                            (["es", "http://a", "--index", "a/b"], "--index NAME")):
            result = self.crawl("index", *words)
            self.assertEqual(result.status, 2)
            self.assertIn(said, result.stderr)
        for line in ("x", "[]", '{"url":"http://a/","status":200,"title":"a record, which a file has"}',
                     '{"n":1,"op":"index","id":"a/b","version":1,"record":{"a":1}}', '{"n":"1"}'):
            result = self.crawl("index", "es", "http://127.0.0.1:1", "--index", "x", stdin=line + "\n")
            self.assertEqual((result.status, result.stdout), (4, ""), line)
        engine = self.engine()
        engine.write = lambda *item: 404  # there is no such index
        line = '{"n":1,"op":"index","id":"a","version":1,"record":{"title":"x","url":"y"}}\n'
        result = self.crawl("index", "es", engine.url(), "--index", "pages", stdin=line)
        self.assertEqual((result.status, result.stdout), (4, "{}\n"))
        self.assertIn("es: there is no index pages", result.stderr)

    def test_nothing_is_stale_or_missing_through_kills(self):
        site = self.serve(Site(60))
        engine = self.engine(trouble=0.1)
        command = ("--state", "st", *AGAIN, *self.output(engine), site.url("a.localhost", "/list"))
        chance = random.Random(2)
        for _ in range(KILLS):
            process = self.start(*command)
            had = len(engine.requests)
            self.wait_for(lambda: process.poll() is not None or len(engine.requests) > had + 2)
            site.change()
            time.sleep(chance.uniform(0, 0.3))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        result = self.crawl("--max-time", "3s", *command)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(engine.titles(), site.titles())
        self.assertEqual(len(engine.documents), len(site.titles()))
        self.assertGreater(len([fault for fault in engine.faults if fault]), KILLS)
        if KILLS > 20:
            print(json.dumps({"requests": len(engine.requests), "sent twice": engine.twice}))


if __name__ == "__main__":
    harness.main()
