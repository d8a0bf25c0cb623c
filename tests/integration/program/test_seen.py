#!/usr/bin/env python3
"""Tests the output of crawl seen against Python's set, and that a filter kept in a file always matches the printed
lines."""
import os
import random
import re
import shutil
import signal
import subprocess
import unittest

import harness

KINDS = ("scalable", "counting", "exact", "bloom", "table", "rotating", "digest")
EXACT = ("exact", "digest")
PIPE = 1 << 20  # the capacity of a pipe


def lines(count, distinct, seed=7):
    """Makes lines with repetitions, without newlines inside, one of them empty and some of any bytes."""
    dice = random.Random(seed)
    words = [b"http://host%d.example/page?id=%d" % (i % 97, i) for i in range(distinct - 3)] + [b"", b"\0\xff\r", b" "]
    return [words[int(distinct * dice.random() ** 1.5)] for _ in range(count)]


def once(items):
    """Returns the first of each, in order."""
    return list(dict.fromkeys(items))


def repeated(items):
    found, seen = [], set()
    for item in items:
        if item in seen:
            found.append(item)
        seen.add(item)
    return found


class Seen(harness.TestCase):
    def open(self, *args, **others):
        return subprocess.Popen([harness.program(), "seen", *args], cwd=self.folder,
                                env={**os.environ, **harness.SANITIZERS},
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **others)

    def judge(self, process, status, said):
        self.assertEqual(process.returncode, status, said)
        for report in harness.REPORTS:
            self.assertNotIn(report, said)

    def seen(self, *args, data=b"", status=0):
        process = self.open(*args)
        out, said = process.communicate(data, timeout=harness.LIMIT_S)
        said = said.decode(errors="replace")
        self.judge(process, status, said)
        return out, said

    def sift(self, *args, items, end=b"\n", status=0):
        """Returns the output lines."""
        out, said = self.seen(*args, data=end.join(items) + end, status=status)
        self.assertTrue(out == b"" or out.endswith(end))
        return out.split(end)[:-1], said

    def figures(self, said):
        match = re.search(r"(\d+) lines: (\d+) new, (\d+) seen before, (\d+) refused", said)
        return [int(number) for number in match.groups()]

    def test_each_kind_prints_what_a_set_would(self):
        items = lines(100_000, 40_000)
        expected = once(items)
        for kind in KINDS:
            with self.subTest(kind=kind):
                got, said = self.sift("--kind", kind, "--capacity", "60k", items=items)
                if kind in EXACT:
                    self.assertEqual(got, expected)
                lost = len(expected) - len(got)
                self.assertLess(lost, 4 + 4e-4 * len(expected))
                kept = set(got)
                self.assertEqual(got, [line for line in expected if line in kept])
                total, new, before, refused = self.figures(said)
                self.assertEqual((total, new, before, refused), (len(items), len(got), len(items) - len(got), 0))
                self.assertIn(f"filter    {kind},", said)

    def test_invert_prints_the_repetitions(self):
        items = lines(30_000, 9000)
        got, _ = self.sift("--invert", "--kind", "exact", items=items)
        self.assertEqual(got, repeated(items))

    def test_count(self):
        items = lines(30_000, 9000)
        new = len(once(items))
        self.assertEqual(self.seen("--count", "--kind", "exact", data=b"\n".join(items) + b"\n")[0], b"%d\n" % new)
        self.assertEqual(self.seen("--count", "--invert", "--kind", "exact", data=b"\n".join(items) + b"\n")[0],
                         b"%d\n" % (30_000 - new))

    def test_lines_are_bytes_and_the_last_needs_no_end(self):
        self.assertEqual(self.seen("--quiet", data=b"a\nb\na\r\n\0a\n\n\na\nlast"), (b"a\nb\na\r\n\0a\n\nlast\n", ""))
        self.assertEqual(self.seen("--quiet", data=b""), (b"", ""))
        long = b"x" * 5_000_000
        self.assertEqual(self.seen("--quiet", data=long + b"\ny\n" + long)[0], long + b"\ny\n")

    def test_a_line_too_long_is_refused_and_the_next_read(self):
        with open(self.path("long"), "wb") as file:
            file.write(b"a\n")
            file.truncate(200 << 20)
            file.seek(0, os.SEEK_END)
            file.write(b"\nb\n")
        out, said = self.seen("long", status=1)
        self.assertEqual(out, b"a\nb\n")
        self.assertIn("crawl seen: long: line 2: too long: more than 64 MiB\n", said)
        self.assertEqual(self.figures(said), [3, 2, 0, 1])

    def test_nul_ends_lines_with_zero(self):
        items = [line.replace(b"\0", b"\n") for line in lines(5000, 1000)]
        for option in ("-z", "--zero"):
            got, _ = self.sift(option, "--kind", "exact", items=items, end=b"\0")
            self.assertEqual(got, once(items))

    def test_urls_are_compared_as_pages(self):
        data = b"http://H/?b=1&a=2#x\nHTTP://h:80/?a=2&b=1\nnonsense\nhttp://h/x\n"
        out, said = self.seen("--urls", data=data, status=1)
        self.assertEqual(out, b"http://H/?b=1&a=2#x\nhttp://h/x\n")
        self.assertIn("standard input: line 3: not an http or https URL", said)
        self.assertEqual(self.figures(said), [4, 2, 1, 1])

    def test_files_are_read_one_after_the_other(self):
        self.write("one", "a\nb")
        self.write("two", "b\nc\n")
        out, said = self.seen("one", "missing", "-", "two", data=b"d\na\n", status=4)
        self.assertEqual(out, b"a\nb\nd\nc\n")
        self.assertIn("missing: No such file or directory", said)
        out, said = self.seen(".", "one", status=4)
        self.assertEqual(out, b"a\nb\n")
        self.assertIn(".: Is a directory", said)

    def test_a_file_keeps_the_filter(self):
        first, second = lines(20_000, 8000, 1), lines(20_000, 12_000, 2)
        for kind in KINDS:
            with self.subTest(kind=kind):
                got, _ = self.sift("--file", kind, "--kind", kind, "--capacity", "30k", items=first)
                more, _ = self.sift("--file", kind, items=second)
                rest, _ = self.sift("--file", kind, items=first + second)
                self.assertEqual(rest, [])
                self.assertFalse(set(got) & set(more))
                expected = once(first + second)
                self.assertLess(len(expected) - len(got) - len(more),
                                4 + (0 if kind in EXACT else 4e-4 * len(expected)))
                self.assertEqual(os.listdir(self.folder), [kind], "nothing is left beside it")
                os.remove(self.path(kind))

    def test_options_that_contradict_the_file(self):
        self.seen("--file", "f", "--kind", "bloom", "--capacity", "2k", "--fpr", "0.001", data=b"a\n")
        before = self.content("f")
        table = {
            ("--kind", "exact"): "--kind exact: f was made with bloom",
            ("--fpr", "0.01"): "--fpr 0.01: f was made with 0.001",
            ("--capacity", "3k"): "--capacity 3000: f was made with 2000",
        }
        for options, words in table.items():
            out, said = self.seen("--file", "f", *options, data=b"b\n", status=2)
            self.assertEqual(out, b"")
            self.assertIn(words, said)
        self.assertEqual(self.content("f"), before)
        self.assertEqual(self.seen("--file", "f", "--kind", "bloom", "--fpr", "1e-3", data=b"a\nb\n")[0], b"b\n")

    def test_a_file_keeps_what_lines_are_compared_by(self):
        kinds = {"lines": (), "--urls": ("--urls",)}
        kinds |= {f"--fingerprint {k}": ("--fingerprint", k) for k in ("default", "scrapy-2.6", "scrapy-2.7")}
        urls = b"".join(b"http://h/?b=%d&a=1\n" % n for n in range(123))
        for name, options in kinds.items():
            self.seen("--file", "f", "--quiet", *options, data=urls)
            before = self.content("f")
            self.assertEqual(self.seen("--file", "f", "--quiet", data=urls), (b"", ""),
                             "without an option, the file decides")
            for other, others in kinds.items():
                if others and other != name:
                    out, said = self.seen("--file", "f", *others, data=urls, status=2)
                    self.assertEqual(out, b"")
                    self.assertIn(f"{other}: f was made with {name.replace('lines', 'whole lines')}", said)
            self.assertEqual(self.content("f"), before)
            os.remove(self.path("f"))

    def test_a_file_of_an_earlier_version(self):
        data = os.path.join(harness.HERE, "..", "data", "filters", "digest-v1.cbf")
        shutil.copy(data, self.path("f"))
        before = self.content("f")
        _, said = self.seen("--file", "f", "--quiet", "--urls", status=0)
        self.assertIn('does not say how its lines were compared', said)
        self.assertIn('compares by "urls"', said)
        self.assertEqual(self.content("f"), before, "nothing was added")
        self.assertEqual(self.seen("--file", "f", "--quiet", "--urls", data=b"http://h/\n")[0], b"http://h/\n")
        self.assertEqual(self.seen("--file", "f", "--quiet", data=b"HTTP://h\n"), (b"", ""))
        self.assertIn("f was made with --urls", self.seen("--file", "f", "--fingerprint", "default", status=2)[1])

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_a_damaged_file_is_refused_and_left_alone(self):
        self.seen("--file", "f", data=b"a\nb\n")
        good = self.content("f")
        middle = len(good) // 2
        for bad in (good[:-1], good[:100], good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:],
                    b"http://a/\n"):
            with open(self.path("f"), "wb") as file:
                file.write(bad)
            out, said = self.seen("--file", "f", data=b"a\nc\n", status=4)
            self.assertEqual(out, b"")
            self.assertRegex(said, r"f: .+")
            self.assertEqual(self.content("f"), bad)

    def test_one_run_at_a_time(self):
        first = self.open("--file", "f", "--kind", "exact")
        first.stdin.write(b"a\n")
        first.stdin.flush()
        self.assertEqual(first.stdout.readline(), b"a\n")
        self.assertIn("another run has it open", self.seen("--file", "f", data=b"b\n", status=4)[1])
        first.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(self.seen("--file", "f", data=b"a\nb\n")[0], b"b\n")

    def test_what_is_printed_does_not_wait_for_more_input(self):
        process = self.open("--quiet")
        for line in (b"one\n", b"two\n"):
            process.stdin.write(line)
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), line)
        self.assertEqual(process.communicate(timeout=harness.LIMIT_S), (b"", b""))

    def test_a_signal_saves_what_was_printed(self):
        items = once(lines(60_000, 30_000))
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for kind in KINDS:
                with self.subTest(kind=kind, signal=number):
                    half = len(items) // 2
                    name = f"{kind}.{number.name}"
                    process = self.open("--file", name, "--kind", kind, "--capacity", "60k")
                    got = self.feed(process, items[:half])
                    process.send_signal(number)
                    process.wait(harness.LIMIT_S)
                    rest, said = process.communicate()
                    self.judge(process, 3, said.decode())
                    got += rest.split(b"\n")[:-1]
                    self.assertEqual(self.figures(said.decode())[1], len(got))
                    more, _ = self.sift("--file", name, items=items)
                    self.assertFalse(set(got) & set(more), "what was printed is recorded")
                    self.assertLess(len(set(items) - set(got) - set(more)),
                                    4 + (0 if kind in EXACT else 4e-4 * len(items)))

    def feed(self, process, items):
        """Writes lines, some in two parts, and the first part of one more, without closing. Returns the output so
        far."""
        for start in range(0, len(items), 500):
            process.stdin.write(b"\n".join(items[start:start + 500]) + b"\nunfin")
            process.stdin.flush()
            process.stdin.write(b"ished %d\n" % start)
        process.stdin.write(b"the last\nhttp://ha")
        process.stdin.flush()
        got = []
        while not got or got[-1] != b"the last\n":
            got.append(process.stdout.readline())
            self.assertTrue(got[-1], "it ended early")
        return [line[:-1] for line in got]

    def test_a_reader_that_leaves_loses_no_more_than_its_pipe_held(self):
        items = [b"http://host.example/%070d" % i for i in range(60_000)]
        for kind in ("exact", "scalable"):
            with self.subTest(kind=kind):
                self.write("in", "".join(line.decode() + "\n" for line in items))
                process = self.open("--file", "f", "--kind", kind, "--capacity", "100k", "in")
                self.assertEqual(process.stdout.read(91), items[0] + b"\n")
                process.stdout.close()
                said = process.stderr.read().decode()
                process.stdin.close()
                process.stderr.close()
                process.wait(harness.LIMIT_S)
                self.judge(process, 0, said)
                recorded = self.figures(said)[1]
                more, _ = self.sift("--file", "f", items=items)
                self.assertLessEqual(abs(len(items) - recorded - len(more)), 0 if kind == "exact" else 20)
                stranded = re.search(r"(\d+) lines are recorded as seen but were not printed", said)
                self.assertLess((recorded - (int(stranded[1]) if stranded else 0)) * 91, PIPE + (256 << 10))
                os.remove(self.path("f"))

    def test_a_full_disk_is_noticed(self):
        items = lines(20_000, 15_000)
        for kind in ("exact", "table"):
            with open("/dev/full", "wb") as full:
                process = subprocess.run([harness.program(), "seen", "--file", "f", "--kind", kind], cwd=self.folder,
                                         stdout=full,
                                         stderr=subprocess.PIPE, input=b"\n".join(items), check=False)
            said = process.stderr.decode()
            self.judge(process, 4, said)
            self.assertIn("output: No space left on device", said)
            self.assertEqual(self.figures(said)[1], 0, "nothing is recorded")
            got, _ = self.sift("--file", "f", "--kind", kind, items=items)
            self.assertLess(len(once(items)) - len(got), 1 if kind in EXACT else 4)
            os.remove(self.path("f"))

    def test_a_closed_output_does_not_reach_the_file(self):
        self.seen("--file", "f", "--kind", "exact", data=b"a\n")
        self.write("in", "b\nc\n")
        for redirection in ("<&- >&-", ">&-", ">&- 2>&-"):
            process = subprocess.run(["bash", "-c", f'"$0" seen --file f in {redirection}', harness.program()],
                                     cwd=self.folder,
                                     stderr=subprocess.PIPE, env={**os.environ, **harness.SANITIZERS}, check=False)
            self.assertEqual(process.returncode, 4, process.stderr)
        self.assertEqual(self.seen("--file", "f", data=b"a\nb\nc\n")[0], b"b\nc\n")

    def test_a_failed_output_that_cannot_be_forgotten_leaves_the_file_alone(self):
        self.seen("--file", "f", data=b"a\n")
        before = self.content("f")
        with open("/dev/full", "wb") as full:
            process = subprocess.run([harness.program(), "seen", "--file", "f"], cwd=self.folder, stdout=full,
                                     stderr=subprocess.PIPE,
                                     input=b"a\nb\nc\n", check=False)
        said = process.stderr.decode()
        self.judge(process, 4, said)
        self.assertIn("f is left as it was", said)
        self.assertEqual(self.content("f"), before)
        self.assertEqual(self.seen("--file", "f", data=b"a\nb\nc\n")[0], b"b\nc\n")

    def test_a_limit_of_memory(self):
        items = [b"line %d" % i for i in range(300_000)]
        got, said = self.sift("--kind", "exact", "--capacity", "1k", "--max-memory", "1MiB", items=items, status=4)
        self.assertIn("the filter is full", said)
        self.assertEqual(got, items[:len(got)])
        self.assertGreater(len(got), 10_000)
        got, said = self.sift("--kind", "bloom", "--capacity", "10k", items=items)
        self.assertIn("warning   the filter is beyond its capacity of 10000", said)

    def test_help_and_usage(self):
        for args in (["seen", "--help"], ["help", "seen"]):
            result = self.crawl(*args)
            self.assertEqual((result.status, result.stderr), (0, ""))
            for word in ("--file F", "--max-memory", "SIGKILL", "Exit status"):
                self.assertIn(word, result.stdout)
        for args, words in ((("--kind", "blom"), "scalable, counting"), (("--capacity", "5"), "1k"),
                            (("--nonsense",), "unknown option"),
                            (("--file",), "needs a value")):
            self.assertIn(words, self.seen(*args, status=2)[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
