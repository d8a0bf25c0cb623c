#!/usr/bin/env python3
"""Tests the end of an offline copy, when the links of many pages are rewritten: its progress, and the state after a
signal or a kill in the middle of it. The pages have so many links each that this takes more than a second, and all
pages are seeds."""
import glob
import json
import os
import re
import signal
import time

import harness
from played_terminal import Terminal, play

PAGES, LINKS, HREFS = 400, 4000, 40


def page(number):
    """Makes a page whose links lead to few URLs: they take no time before the end, when each is looked up."""
    links = "".join(f"<a href='/{(number + n % HREFS) % PAGES}.html'>{n}</a>" for n in range(LINKS))
    return f"<!DOCTYPE html><title>{number}</title>{links}\n"


class Lazy(harness.TestCase):
    def test_images_that_scripts_load_lead_into_the_copy(self):
        """Each attribute of [parse] lazy, whose URL is fetched, is rewritten too."""
        site = self.make_site({"index.html": "<title>t</title><div data-bg-src=/a.png></div><i data-mine=/b.png></i>"
                                             "<div data-image=/gone.png></div>", "a.png": "a", "b.png": "b"})
        nginx = self.start_nginx({"lazy.localhost": site})
        result = self.crawl("--mirror", "copy", "--delay", "0", "--no-robots", "--retries", "0", "--set",
                            "parse.lazy=data-bg-src data-mine data-image", nginx.url("lazy.localhost"))
        self.assertEqual(result.status, 0, result.stderr)
        folder, = glob.glob(self.path("copy/lazy.localhost*"))
        with open(os.path.join(folder, "index.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn('<div data-bg-src="a.png"></div><i data-mine="b.png"></i><div data-image=/gone.png></div>', page)
        self.assertTrue(os.path.isfile(os.path.join(folder, "a.png")))


class Finish(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.site = os.path.join(harness.temporary_folder(), "site")
        os.mkdir(cls.site)
        for number in range(PAGES):
            with open(os.path.join(cls.site, f"{number}.html"), "w", encoding="utf-8") as file:
                file.write(page(number))
        cls.nginx = cls.start_nginx({"a.localhost": cls.site})

    def options(self, *more):
        seeds = self.write("seeds.txt", "".join(self.nginx.url("a.localhost", f"/{n}.html\n") for n in range(PAGES)))
        return ("--seeds", seeds, "--depth", "0", "--no-robots", "--delay", "0", "--no-adaptive", "--per-host", "8",
                "--mirror", "copy", "--set", "output.progress_interval=250ms", *more)

    def copy(self):
        """Returns the files of the copy by their paths, except the program's own."""
        found = {}
        for folder, folders, names in os.walk(self.path("copy")):
            folders[:] = [name for name in folders if name != ".crawl-mirror"]
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(file.name, self.path("copy"))] = file.read()
        return found

    def expect_whole(self, copy):
        """Checks that every page is as received, or has all its links to files."""
        self.assertEqual(len(copy), PAGES)
        states = set()
        for path, text in copy.items():
            came = page(int(re.search(r"(\d+)\.html$", path)[1])).encode()
            states.add(text == came)
            self.assertIn(text, (came, came.replace(b"href='/", b"href='")))
        return states

    def expect_finished(self):
        self.assertEqual(self.expect_whole(self.copy()), {False})

    def begin_finishing(self, *more):
        """Starts a run. Returns it, with its output so far, once it says that it is finishing the copy."""
        process = self.start(*self.options(*more))
        said = ""
        for line in process.stderr:
            said += line
            if " crawl: copy: " in line:
                return process, said
        self.fail(said)

    def test_lines(self):
        result = self.crawl(*self.options("--log", "log"))
        self.assertEqual(result.status, 0, result.stderr)
        lines = re.findall(r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ crawl: (copy: .*)$", result.stderr, re.M)
        self.assertTrue(lines, result.stderr)
        counts = []
        for line in lines:
            found = re.fullmatch(rf"copy: (\d+) of {PAGES} files finished, about (\d+ min )?[\d.]+ s left", line)
            self.assertTrue(found, line)
            counts.append(int(found[1]))
        self.assertEqual(counts, sorted(set(counts)))
        self.assertIn(f"links of {PAGES} rewritten", result.stderr)
        self.assertEqual(re.findall(r"info +(copy: .*)", self.bytes_of("log").decode()), lines)
        self.expect_finished()

    def test_json(self):
        result = self.crawl(*self.options("--progress", "json"))
        told = [json.loads(line) for line in result.stderr.splitlines() if "copy_files" in line]
        self.assertTrue(told, result.stderr)
        for line in told:
            self.assertEqual(set(line), {"time", "elapsed_ms", "copy_finished", "copy_files"})
            self.assertEqual(line["copy_files"], PAGES)
            self.assertGreaterEqual(line["elapsed_ms"], 250)

    def test_nothing(self):
        for options in (("--progress", "none"), ("--quiet",)):
            self.assertNotIn("copy: ", self.crawl(*self.options(*options)).stderr)
        result = self.crawl(*self.options("--set", "output.progress_interval=1h"))
        self.assertEqual(result.status, 0)
        self.expect_finished()

    def test_a_signal_ends_it_between_two_files_and_the_next_run_goes_on(self):
        process, said = self.begin_finishing("--state", "kept")
        process.send_signal(signal.SIGINT)
        stderr = said + process.communicate(timeout=harness.LIMIT_S)[1]
        self.assertEqual(process.returncode, 3, stderr)
        found = re.search(r"crawl: mirror: stopped: \d+ files new or changed, links of (\d+) rewritten; (\d+) pages "
                          r"and style sheets are left to the next crawl into copy\n", stderr)
        self.assertTrue(found, stderr)
        self.assertEqual(int(found[1]) + int(found[2]), PAGES)
        self.assertEqual(self.expect_whole(self.copy()), {False, True})
        result = self.crawl("--state", "kept")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn(f"links of {found[2]} rewritten", result.stderr)
        self.expect_finished()

    def test_the_second_signal_ends_it_at_once_and_leaves_no_line(self):
        terminal = Terminal([harness.program(), *self.options("--delay", "10ms", "--per-host", "1")], self.folder)
        self.addCleanup(terminal.close)
        harness.wait_for(lambda: terminal.read(0) and False or len(self.nginx.requests()) > PAGES // 2)
        terminal.process.send_signal(signal.SIGINT)
        terminal.wait_for(r"copy: \d+ of")
        time.sleep(0.6)  # a signal counts as the second one half a second after the first
        terminal.process.send_signal(signal.SIGINT)
        self.assertIn(terminal.end(), (130, 3))
        lines, is_seen = play(terminal.text)
        self.assertTrue(is_seen)
        self.assertFalse([line for line in lines if "copy: " in line], lines)

    def test_a_crawl_that_a_signal_ended_has_its_copy_finished(self):
        process = self.start(*self.options("--state", "kept", "--delay", "10ms", "--per-host", "1"))
        harness.wait_for(lambda: len(self.nginx.requests()) > PAGES // 10)
        process.send_signal(signal.SIGINT)
        stderr = process.communicate(timeout=harness.LIMIT_S)[1]
        self.assertEqual(process.returncode, 3, stderr)
        self.assertNotIn("mirror: stopped", stderr)
        self.assertEqual(self.crawl("--state", "kept", "--delay", "0").status, 0)
        self.expect_finished()

    def test_after_a_kill_the_next_run_finishes_it(self):
        process, _ = self.begin_finishing()
        process.kill()
        process.communicate()
        self.write("copy/.crawl-mirror/new-0-0", "a page that was on its way")
        self.assertEqual(self.expect_whole(self.copy()), {False, True})
        self.assertEqual(self.crawl(*self.options()).status, 0)
        self.expect_finished()
        self.assertEqual(set(os.listdir(self.path("copy/.crawl-mirror"))), {"finished", "mark", "originals", "table"})


if __name__ == "__main__":
    harness.main()
