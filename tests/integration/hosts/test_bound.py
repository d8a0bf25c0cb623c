#!/usr/bin/env python3
"""Tests the bound of a crawl as the program reports it: in the progress line of a terminal, and in the summary."""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import harness


class Terminal:
    """The program with its standard error on its own terminal."""

    def __init__(self, test, *args):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 250, 0, 0))
        self.process = subprocess.Popen([harness.program(), *args], cwd=test.folder,
                                        env={**os.environ, **harness.SANITIZERS},
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        self.master = master
        self.text = ""
        test.addCleanup(self.end)

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def read(self):
        """Reads more of the program's output. False: the program has ended."""
        try:
            more = os.read(self.master, 65536)
        except OSError:
            more = b""
        self.text += more.decode(errors="replace")
        return bool(more)

    def wait_for(self, pattern):
        while not re.search(pattern, self.text):
            if not self.read():
                raise AssertionError(f"{pattern!r} is not in:\n{self.text}")
        return re.search(pattern, self.text)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        while self.read():
            pass
        return self.process.wait()


class Bound(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages = "".join(f"<a href=/{i}>a</a>" for i in range(9))
        cls.root = harness.temporary_folder()
        for name in ("index.html", *(str(i) for i in range(9))):
            with open(os.path.join(cls.root, name), "w", encoding="utf-8") as file:
                file.write(cls.pages)
        names = {f"h{i}.localhost": cls.root for i in range(6)}
        cls.nginx = cls.start_nginx({"a.localhost": cls.root, **names},
                                    "location /later { add_header Retry-After 30 always; return 429; }")
        cls.wild = cls.start_wild()

    def bound(self, result):
        """Returns the bounds in the summary: share in percent by name."""
        line = re.search(r"^  bound by  (.*)$", result.stderr, re.M)
        self.assertTrue(line, result.stderr)
        return {name: int(share) for name, share in re.findall(r"([a-z][a-z ]*) (\d+)%", line[1])}, line[1]

    def test_one_host_with_a_delay(self):
        port = self.nginx.port
        result = self.crawl("--delay", "700ms", "--max-pages", "3", self.nginx.url("a.localhost"))
        shares, line = self.bound(result)
        self.assertGreaterEqual(shares["pauses of hosts"], 60, line)
        self.assertIn(f"(mostly a.localhost:{port})", line)
        self.assertRegex(result.stderr, r"\n  hint      .*--delay")

    def test_one_connection_and_many_slow_hosts(self):
        """While one host answers, the others could be asked."""
        urls = [self.wild.url(f"h{i}.localhost", "/slow?ms=400") for i in range(5)]
        result = self.crawl("--no-robots", "--delay", "0", "--connections", "1", "--depth", "0", *urls)
        shares, line = self.bound(result)
        self.assertGreaterEqual(shares.get("connections", 0), 50, line)
        self.assertRegex(result.stderr, r"\n  hint      .*--connections")

    def test_progress_names_the_hosts_that_are_waited_for(self):
        terminal = Terminal(self, "--delay", "2s", *(self.nginx.url(f"h{i}.localhost") for i in range(6)))
        found = terminal.wait_for(r"waiting for pauses of 6 hosts \(next in (\d\.\d) s; most queued: "
                                  r"(h\d)\.localhost:\d+ \((\d+)\), (h\d)\.localhost")
        self.assertLessEqual(float(found[1]), 2.0)
        self.assertNotEqual(found[2], found[4])
        self.assertEqual(terminal.stop(), 3)

    def test_progress_of_a_host_that_asked_to_wait(self):
        terminal = Terminal(self, "--no-robots", self.nginx.url("a.localhost", "/later"))
        found = terminal.wait_for(r"1 host to be asked again \(a\.localhost:\d+ blocked until "
                                  r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ, in (\d+\.\d) s; "
                                  r"most queued: a\.localhost:\d+ \(1\)\)")
        self.assertTrue(20 < float(found[1]) <= 30.5, found[0])
        self.assertEqual(terminal.stop(), 3)
        self.assertIn("hosts that asked to wait or failed", terminal.text)

    def test_pages_that_are_not_due(self):
        """Nothing wakes the crawl, but its time is counted."""
        terminal = Terminal(self, "--revisit", "--depth", "0", "--set", "revisit.interval=50s", "--set",
                            "revisit.min_interval=50s", "--state", "st", self.nginx.url("a.localhost"))
        first = float(terminal.wait_for(r"nothing due for (\d+\.\d) s")[1])
        later = rf"nothing due for (?!{first})(\d+\.\d) s"
        self.assertLess(float(terminal.wait_for(later)[1]), first)
        time.sleep(1)  # longer than it took to fetch the page
        self.assertEqual(terminal.stop(), 3)
        share = re.search(r"nothing being due yet (\d+)%", terminal.text)
        self.assertTrue(share and int(share[1]) >= 50, terminal.text[-2000:])


if __name__ == "__main__":
    harness.main()
