#!/usr/bin/env python3
"""Tests a crawl on a terminal: the lines that it redraws in place, keys, and that nothing is left behind. The terminals
are a pty, whose bytes are played on a small screen here, and tmux if available."""
import os
import shutil
import signal
import subprocess
import termios
import time
import unittest

import harness
from played_terminal import Terminal, play


class Drawn(harness.TestCase):
    PAGES = 25

    def setUp(self):
        super().setUp()
        links = "".join(f'<a href="{n}.html">{n}</a>'
                        for n in range(self.PAGES)) + '<a href="/\x1b]0;title\x07.html">x</a>'
        self.nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": links,
                                                                      **{f"{n}.html": "page"
                                                                         for n in range(self.PAGES)}})})

    def open(self, *options, **keywords):
        terminal = Terminal([harness.program(), "--no-robots", *options, self.nginx.url("a.localhost")], self.folder,
                            **keywords)
        self.addCleanup(terminal.close)
        return terminal

    def expect_clean(self, terminal):
        lines, is_seen = play(terminal.text)
        self.assertTrue(is_seen, "the cursor")
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.modes)
        for line in lines:
            self.assertNotRegex(line, r"^(crawling|done|asking|bound|keys|error) ")
        return lines

    def test_nothing_is_left_behind(self):
        for columns in (40, 80, 200):
            # Its pauses alone, of half a second, take longer than the program waits before it draws.
            terminal = self.open("--delay", "20ms", "--no-adaptive", "--verbose", size=(24, columns))
            self.assertEqual(terminal.end(), 0, terminal.text)
            for word in ("crawling", "done", "asking", "bound", "keys"):
                self.assertIn(word, terminal.text)
            lines = self.expect_clean(terminal)
            self.assertEqual(sum(line.startswith("crawl: 200") for line in lines), self.PAGES + 1)
            self.assertNotIn("\x1b]", terminal.text)
            self.assertTrue(any(line.startswith("crawl: nothing left to fetch") for line in lines))
            self.assertLess(max(len(line) for line in lines if "http://" not in line), columns,
                            "a message breaks between words")

    def test_keys(self):
        terminal = self.open("--delay", "50ms", "--no-adaptive", "--connections", "4")
        terminal.wait_for("crawling")
        terminal.press("p")
        terminal.wait_for("crawl: paused, by key")
        asked = len(self.nginx.requests())
        terminal.wait_for("(?s)paused, by key.*paused .*bound.*paused .*bound")
        self.assertLessEqual(len(self.nginx.requests()), asked + 1, "one may have been on its way")
        terminal.press("p++-?")
        terminal.wait_for("goes on, by key")
        terminal.wait_for("5 connections at once, by key")
        terminal.wait_for("5 connections at once, by key(?s:.*)6 connections at once, by key(?s:.*)5 connections at "
                          "once")
        terminal.wait_for("p: pause, and go on")
        terminal.press("q")
        self.assertEqual(terminal.end(), 3)
        self.assertIn("crawl: ends, by key", self.expect_clean(terminal))

    def test_a_kill_leaves_the_terminal_as_it_was(self):
        for number, times, status in ((signal.SIGTERM, 1, 3), (signal.SIGQUIT, 1, -signal.SIGQUIT),
                                      (signal.SIGINT, 2, 130), (signal.SIGHUP, 1, 3)):
            terminal = self.open("--delay", "1h" if times == 1 else "10ms")
            terminal.wait_for("keys ")
            terminal.process.send_signal(number)
            if times == 2 and terminal.process.poll() is None:
                time.sleep(0.6)
                terminal.process.send_signal(number)
            self.assertIn(terminal.end(), (status, 3) if times == 2 else (status,))
            self.expect_clean(terminal)

    def test_one_line_and_without_keys(self):
        for options, keywords in ((["--progress", "line"], {}), ([], {"size": (6, 80)}), ([], {"size": (24, 30)})):
            terminal = self.open("--delay", "1ms", "--no-adaptive", *options, **keywords)
            self.assertEqual(terminal.end(), 0)
            self.assertRegex(terminal.text, r"\d+ pages")
            self.assertNotIn("asking", terminal.text)
            self.expect_clean(terminal)
        terminal = self.open("--delay", "1ms", "--no-adaptive", stdin=subprocess.DEVNULL)
        self.assertEqual(terminal.end(), 0)
        self.assertIn("asking", terminal.text)
        self.assertNotIn("keys ", terminal.text)

    def test_the_end_of_a_copy_is_one_line(self):
        for options, columns in (([], 80), (["--progress", "line"], 80), ([], 24)):
            terminal = self.open("--delay", "0", "--mirror", "copy", *options, size=(24, columns))
            self.assertEqual(terminal.end(), 0)
            self.assertIn("copy: 0 of 26 files finished" if columns > 30 else "copy: 0 of 26 f…", terminal.text)
            self.assertFalse([line for line in self.expect_clean(terminal) if line.startswith("copy: ")])
            shutil.rmtree(self.path("copy"))

    def test_where_nothing_moves(self):
        for options, environment in ((["--progress", "none"], {}), (["--quiet"], {}), ([], {"TERM": "dumb"}),
                                     (["--log-format", "json"], {}),
                                     (["--output", "-"], {})):
            terminal = self.open("--depth", "0", *options, **environment)
            self.assertEqual(terminal.end(), 0)
            self.assertNotIn("\x1b", terminal.text, options)
            self.expect_clean(terminal)
        result = self.crawl("--progress", "full", "--depth", "0", self.nginx.url("a.localhost"))
        self.assertNotIn("\x1b", result.stderr)

    def test_colours(self):
        missing = f"http://127.0.0.1:{harness.free_port()}/"
        terminal = self.open("--depth", "0", "--retries", "0", missing, NO_COLOR="1")
        self.assertEqual(terminal.end(), 0)
        self.assertNotRegex(terminal.text, r"\x1b\[[\d;]*m")
        terminal = self.open("--depth", "0", "--retries", "0", missing)
        self.assertEqual(terminal.end(), 0)
        self.assertIn(f"\x1b[33mcrawl: {missing}: connect", terminal.text)
        os.environ["CLICOLOR_FORCE"] = "1"
        self.addCleanup(os.environ.pop, "CLICOLOR_FORCE")
        said = self.crawl("--depth", "0", "--no-robots", "--retries", "0", missing).stderr
        self.assertTrue(said.startswith("\x1b[33mcrawl: "), said)
        self.assertNotRegex(said, r"\x1b\[[\d;]*[^m\d;]", "a pipe has colours, and nothing moves")

    @unittest.skipUnless(shutil.which("script"), "script is not installed")
    def test_under_script(self):
        command = f"{harness.program()} --no-robots --depth 0 {self.nginx.url('a.localhost')}"
        done = subprocess.run(["script", "-qec", command, "typescript"], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True,
                              env={**os.environ, **harness.SANITIZERS, "TERM": "xterm"}, timeout=harness.LIMIT_S,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        lines, is_seen = play(done.stdout.decode())
        self.assertTrue(is_seen)
        self.assertTrue(lines[0].startswith("crawl: nothing left"), lines)


@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed")
class Tmux(harness.TestCase):
    """The terminal is resized while the crawl runs, and the crawl is stopped by Ctrl-Z and continued."""

    def tmux(self, *args):
        return subprocess.run(["tmux", "-S", self.path("socket"), "-f", "/dev/null", *args], capture_output=True,
                              text=True, check=True,
                              env={**os.environ, **harness.SANITIZERS, "LC_ALL": "C.UTF-8"}).stdout

    def shown(self):
        return [line for line in self.tmux("capture-pane", "-p").splitlines() if line.strip()]

    def wait_for(self, *words):
        harness.wait_for(lambda: all(any(word in line for line in self.shown()) for word in words))

    def clock(self):
        """Returns the crawl's time, which is redrawn every second, and at once when the size has changed."""
        found = [line.split()[1] for line in self.shown() if line.startswith("crawling ")]
        return found[0] if len(found) == 1 else ""

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def tearDown(self):
        subprocess.run(["tmux", "-S", self.path("socket"), "kill-server"], capture_output=True, check=False)
        super().tearDown()

    def test_resized_stopped_and_brought_back(self):
        links = "".join(f'<a href="{n}.html">{n}</a>' for n in range(3000))
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": links})})
        self.tmux("new-session", "-d", "-x", "80", "-y", "24", "sh", "-i")
        self.type("PS1='$ '; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do echo said before $n; done")
        self.type(f"'{harness.program()}' --no-robots --delay 20ms --no-adaptive {nginx.url('a.localhost')}")
        self.wait_for("crawling", "keys ")
        for columns, last in ((40, "? help"), (200, "? help  + - connections 64")):
            self.tmux("resize-window", "-x", str(columns), "-y", "24")
            clock = self.clock()
            harness.wait_for(lambda: self.clock() not in ("", clock))
            shown = self.shown()
            self.assertEqual(sum(line.startswith("crawling") for line in shown), 1, shown)
            self.assertTrue(shown[-1].startswith("keys ") and shown[-1].endswith(last), shown)
            self.assertIn("said before 16", shown)
        self.tmux("send-keys", "C-z")
        self.wait_for("topped")
        self.assertFalse([line for line in self.shown() if line.startswith(("crawling", "keys "))])
        self.assertEqual(self.tmux("display", "-p", "#{cursor_flag}").strip(), "1")
        self.type("stty -a | grep -c ' echo .*' ; fg")
        self.wait_for("crawling", "keys ")
        self.tmux("send-keys", "q")
        self.wait_for("crawl: stopped after")
        self.type("echo status $?")
        self.wait_for("status 3")
        self.assertFalse([line for line in self.shown() if line.startswith(("crawling", "keys "))])
        self.assertEqual(self.tmux("display", "-p", "#{cursor_flag}").strip(), "1")


if __name__ == "__main__":
    harness.main()
