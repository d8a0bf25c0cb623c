#!/usr/bin/env python3
"""Tests shutdown by a signal: clean for each signal at any time, and immediate after a second, separate one."""
import glob
import json
import os
import resource
import signal
import subprocess
import time

import harness

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def small_files():
    """Limits files to 8 KiB; a larger write raises SIGXFSZ, which ends a program that does not handle it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))


class Signals(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wild = cls.start_wild()

    def page(self, path):
        return self.wild.url("signals.localhost", path)

    def seeds(self, count):
        return self.write("seeds.txt", "".join(self.page(f"/page?n={n}") + "\n" for n in range(count)))

    def spawn(self, *args, **others):
        return subprocess.Popen([harness.program(), *args], cwd=self.folder, env={**os.environ, **harness.SANITIZERS},
                                text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
                                **others)

    def end(self, process, status):
        _, stderr = process.communicate(timeout=harness.LIMIT_S)
        self.assertEqual(process.returncode, status, stderr)
        for report in harness.REPORTS:
            self.assertNotIn(report, stderr)
        return stderr

    def asked(self, path):
        return any(r["path"] == path for r in self.wild.requests("signals.localhost"))

    def wait_for_records(self, process, name="pages.jsonl"):
        self.wait_for(lambda: process.poll() is not None or (os.path.exists(self.path(name))
                                                             and os.path.getsize(self.path(name)) > 0))

    def test_each_ends_a_crawl_cleanly(self):
        self.seeds(600)
        for number in SIGNALS:
            with self.subTest(number):
                process = self.spawn("--seeds", "seeds.txt", "--depth", "0", "--delay", "50ms", "--output",
                                     f"{number}.jsonl", "--warc", f"out{number:d}")
                self.wait_for_records(process, f"{number}.jsonl")
                process.send_signal(number)
                stderr = self.end(process, 3)
                self.assertIn("stopped after", stderr)
                self.assertGreater(len(self.records(f"{number}.jsonl")), 0)
                self.assertEqual(len(glob.glob(self.path(f"out{number:d}-*.warc.gz"))), 1)
                self.assertEqual(len(glob.glob(self.path(f"out{number:d}-*.cdxj"))), 1)
                self.assertEqual(glob.glob(self.path(f"out{number:d}-*.open")), [])

    def test_one_that_was_ignored_stays_ignored(self):
        self.seeds(20)
        process = self.spawn("--seeds", "seeds.txt", "--depth", "0", "--delay", "50ms", "--output", "pages.jsonl",
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_records(process)
        process.send_signal(signal.SIGHUP)
        self.end(process, 0)
        self.assertEqual(len(self.records("pages.jsonl")), 20)

    def test_two_at_the_same_moment_are_one(self):
        """`timeout` sends one signal to the program and one to its group. Requests in flight still get their
        responses."""
        path = f"/slow?ms=700&n={os.getpid()}"
        process = self.spawn("--no-robots", "--depth", "0", "--output", "pages.jsonl", self.page(path))
        self.wait_for(lambda: self.asked(path))
        for number in SIGNALS:
            process.send_signal(number)
        self.assertIn("stopped after", self.end(process, 3))
        self.assertEqual([r["status"] for r in self.records("pages.jsonl")], [200])

    def test_seen_takes_two_for_one_too(self):
        process = self.spawn("seen", "--file", "f")
        process.stdin.write("a\nb\n")
        process.stdin.flush()
        self.assertEqual([process.stdout.readline() for _ in range(2)], ["a\n", "b\n"])
        first = time.monotonic()
        while process.poll() is None and time.monotonic() < first + 0.2:
            process.send_signal(signal.SIGTERM)
        self.end(process, 3)
        self.assertEqual(self.crawl("seen", "--file", "f", stdin="b\nc\na\n").stdout, "c\n")

    def test_a_second_ends_at_once(self):
        process = self.spawn("--timeout", "50s", "--no-robots", self.page("/never"))
        self.wait_for(lambda: self.asked("/never"))
        first = time.monotonic()
        while process.poll() is None and time.monotonic() < first + 3:
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        took = time.monotonic() - first
        self.end(process, 130)
        self.assertGreater(took, 0.45)
        self.assertLess(took, 3)

    def test_sigusr1_prints_the_summary_so_far(self):
        process = self.spawn("--seeds", self.seeds(2), "--delay", "1h", "--depth", "0", "--no-robots", "--quiet",
                             "--output", "pages.jsonl")
        self.wait_for_records(process)
        process.send_signal(signal.SIGUSR1)
        said = process.stderr.readline() + process.stderr.readline()
        self.assertRegex(said, "^crawl: running after [0-9.]+ s\n  pages     ")
        process.send_signal(signal.SIGTERM)
        self.assertNotIn("  pages     ", self.end(process, 3))

    def test_sigusr1_wakes_a_crawl_that_waits_for_a_date(self):
        process = self.spawn("--revisit", "--depth", "0", "--no-robots", "--quiet", "--output", "pages.jsonl",
                             self.page("/page?dated"))
        self.wait_for_records(process)
        began = time.monotonic()
        for _ in range(4):
            process.send_signal(signal.SIGUSR1)
            while "running after" not in process.stderr.readline():
                pass
        self.assertLess(time.monotonic() - began, 30)
        process.send_signal(signal.SIGTERM)
        self.end(process, 3)

    def test_while_seeds_are_read(self):
        """The writer of the seeds has paused. Complete seeds are kept, and nothing is fetched or overwritten."""
        for number in SIGNALS:
            with self.subTest(number):
                state = f"state{number:d}"
                self.write("pages.jsonl", "of a run before\n")
                process = self.spawn("--state", state, "--seeds", "-", "--depth", "0", "--output", "pages.jsonl",
                                     "--overwrite")
                process.stdin.write((self.page("/page?a=1") + "\n") * 512 + self.page("/page?a=2") + "\n"
                                    + self.page("/page?a"))
                process.stdin.flush()
                self.wait_for(lambda: self.queued(state) == 1)  # seeds are queued 512 at a time
                process.send_signal(number)
                process.wait(harness.LIMIT_S)  # its input stays open
                stderr = self.end(process, 3)
                self.assertIn("standard input: stopped before its end", stderr)
                self.assertIn("give its seeds again", stderr)
                self.assertIn("seeds are missing", self.crawl("--state", state).stderr)
                self.assertEqual(self.queued(state), 2)
                with open(self.path("pages.jsonl"), encoding="utf-8") as file:
                    self.assertEqual(file.read(), "of a run before\n")
        self.assertFalse(self.asked("/page?a=1"))

    def queued(self, state):
        result = self.crawl("inspect", state, "--jsonl")
        return json.loads(result.stdout)["requests"]["accepted"] if result.status == 0 else None

    def test_seeds_of_a_fifo_that_nobody_writes(self):
        os.mkfifo(self.path("fifo"))
        for command in (("--seeds", "fifo"), ("seen", "fifo")):
            process = self.spawn(*command)
            self.wait_for(lambda: self.catches(process.pid, signal.SIGTERM))
            process.send_signal(signal.SIGTERM)
            self.end(process, 3)

    @staticmethod
    def catches(pid, number):
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
        return int(caught.split()[1], 16) >> (number - 1) & 1

    def test_a_file_that_may_grow_no_further_is_a_failed_write(self):
        self.seeds(100)
        process = self.spawn("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--output", "pages.jsonl",
                             preexec_fn=small_files)
        self.assertIn("pages.jsonl: File too large", self.end(process, 4))
        process = self.spawn("--seeds", "seeds.txt", "--depth", "0", "--delay", "0", "--report", "report.html",
                             preexec_fn=small_files)
        self.assertIn("report: lines kept beside it: File too large", self.end(process, 4))
        with open(self.path("urls"), "w", encoding="utf-8") as out:
            done = subprocess.run([harness.program(), "url"], input="http://a/\n" * 2000, stdout=out,
                                  stderr=subprocess.PIPE, text=True,
                                  cwd=self.folder, preexec_fn=small_files, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)


if __name__ == "__main__":
    harness.main()
