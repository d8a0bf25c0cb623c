"""The program on a terminal: a pty, whose bytes are played on a small screen."""
import fcntl
import os
import pty
import re
import resource
import select
import struct
import subprocess
import termios
import time

import harness

ESCAPE = re.compile(r"\x1b\[(\?25[lh]|\d*A|2?K|[\d;]*m)|\x1b")


def play(text):
    """Returns the lines that a terminal shows after these bytes, and whether its cursor is visible."""
    lines, row, column, is_seen, at = [""], 0, 0, True, 0
    while at < len(text):
        mark = ESCAPE.match(text, at)
        if mark:
            code = mark[1]
            assert code is not None, text[at:at + 20]
            at = mark.end()
            if code.startswith("?"):
                is_seen = code.endswith("h")
            elif code.endswith("A"):
                row = max(0, row - int(code[:-1] or 1))
            elif code.endswith("K"):
                lines[row] = "" if code == "2K" else lines[row][:column]
            continue
        char = text[at]
        at += 1
        if char == "\r":
            column = 0
        elif char == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        else:
            lines[row] = lines[row][:column].ljust(column) + char + lines[row][column + 1:]
            column += 1
    return [line.rstrip() for line in lines if line.strip()], is_seen


class Terminal:
    """The program on its own terminal."""

    def __init__(self, command, folder, size=(24, 80), stdin=None, **environment):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.modes = termios.tcgetattr(self.slave)
        kept = {name: value for name, value in os.environ.items()
                if name not in ("NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "LC_ALL")}
        self.process = subprocess.Popen(
            command, cwd=folder, env={**kept, **harness.SANITIZERS, "TERM": "xterm", "LC_ALL": "C.UTF-8",
                                      **environment},
            stdin=self.slave if stdin is None else stdin, stdout=self.slave, stderr=self.slave, preexec_fn=self.begin)
        self.text = ""

    def begin(self):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def read(self, wait_s=0.05):
        if select.select([self.master], [], [], wait_s)[0]:
            self.text += os.read(self.master, 65536).decode(errors="replace")
            return True
        return False

    def wait_for(self, words):
        end = time.monotonic() + harness.LIMIT_S
        while not re.search(words, self.text):
            self.read()
            if time.monotonic() > end:
                raise TimeoutError(f"{words} in {self.text[-2000:]!r}")

    def press(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        """Returns the exit status, once all output was read."""
        while self.process.poll() is None:
            self.read()
        while self.read():
            pass
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)
