#!/usr/bin/env python3
"""Tests standard output that is full, closed, or no longer read, closed descriptors, and quoting in messages."""
import fcntl
import json
import os
import subprocess
import sys
import termios

import harness

# Every command that prints, and its output.
PRINTS = (("--help",), ("--version",), ("--print-config",), ("help",), ("help", "url"), ("help", "--man", "crawl"),
          ("help", "--man", "crawler.conf"),
          ("url", "urls"), ("url", "--jsonl", "rows"), ("links", "page"), ("links", "--jsonl", "pages"),
          ("robots", "--agent", "a", "--file", "robots", "http://h/"), ("robots", "--jsonl", "verdicts"),
          ("sitemap", "sitemap"),
          ("report", "records"), ("report", "records", "--html", "-"), ("audit", "--jsonl", "log"), ("audit", "log"),
          ("seen", "urls"), ("seen", "--count", "urls"), ("explain", "--seed", "http://h/", "http://h/a"),
          ("inspect", "state"), ("inspect", "--hosts", "state"), ("inspect", "--queue", "state"),
          ("inspect", "--filter", "state"),
          ("inspect", "--check", "state"),
          *((word, "--help") for word in ("url", "links", "robots", "sitemap", "report", "audit", "seen", "explain",
                                          "inspect")),
          ("url", "--profile", "surt", "--help"))
ANY = {"audit": {0, 1, 2}}  # its status depends on the log


def has_bytes(pipe, least):
    """Returns True if at least so many bytes can be read."""
    count = fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4)
    return int.from_bytes(count, sys.byteorder) >= least


class Output(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.write("urls", "http://h/a\nhttp://h/b\n")
        self.write("records", json.dumps({"url": "http://h/", "status": 404}) + "\n")
        self.write("rows", json.dumps({"input": "http://h/"}) + "\n")
        self.write("page", "<a href=http://h/>h</a>")
        self.write("pages", json.dumps({"html": "<a href=http://h/>h</a>"}) + "\n")
        self.write("robots", "User-agent: *\nDisallow: /x\n")
        self.write("verdicts", json.dumps({"robots": "", "agent": "a", "url": "http://h/"}) + "\n")
        self.write("sitemap", "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://h/</loc></"
                              "url></urlset>")

    def into(self, out, *args):
        process = subprocess.run([harness.program(), *args], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.PIPE,
                                 env={**os.environ, **harness.SANITIZERS}, timeout=harness.LIMIT_S, check=False)
        return process.returncode, process.stderr.decode(errors="replace")

    def shell(self, command, *args):
        process = subprocess.run(["bash", "-c", command, harness.program(), *args], cwd=self.folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env={**os.environ, **harness.SANITIZERS},
                                 timeout=harness.LIMIT_S, check=False)
        return process.returncode, process.stderr.decode(errors="replace")

    def make_state_and_log(self):
        site = self.start_nginx({"a.localhost": self.make_site({"index.html": "<a href=x>x</a>"})})
        result = self.crawl("--state", "state", "--requests", "log", "--delay", "0", "--max-pages", "1",
                            site.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        return site

    def test_a_full_or_closed_output_is_told_once(self):
        self.make_state_and_log()
        for args in PRINTS:
            with self.subTest(args), open("/dev/full", "wb") as full:
                status, said = self.into(full, *args)
                self.assertEqual(status, 4, said)
                self.assertEqual(said.count("standard output: No space left on device"), 1, said)
                self.assertEqual(said.count("rror"), 0, said)
                status, said = self.shell('"$0" "$@" >&-', *args)
                self.assertEqual(status, 4, said)
                self.assertEqual(said.count("standard output: Bad file descriptor"), 1, said)

    def test_a_reader_that_has_gone_is_no_failure(self):
        site = self.make_state_and_log()
        self.write("many", "".join(f"http://h/{n}\n" for n in range(20000)))
        crawls = [(option, "-", "--quiet", "--depth", "0", site.url("a.localhost", "/"))
                  for option in ("--output", "--links", "--requests")]
        for args in (*PRINTS, ("url", "many"), *crawls):
            with self.subTest(args):
                reader, writer = os.pipe()
                os.close(reader)
                status, said = self.into(writer, *args)
                os.close(writer)
                self.assertIn(status, ANY.get(args[0], {0}), said)
                self.assertNotIn("roken pipe", said)
                if args[0] not in ("audit", "seen"):
                    self.assertEqual(said, "")

    def test_a_pipe_that_does_not_block_gets_everything(self):
        """Programs such as Node leave their pipes so."""
        names = [f"{n}.html" for n in range(30)]
        site = self.start_nginx({"a.localhost": self.make_site(
            {"index.html": "".join(f"<a href={name}>x</a>" for name in names), **{name: "x" for name in names}})})
        self.write("many", "".join(f"http://h/{n}\n" for n in range(20000)))
        for args, count in ((("url", "many"), 20000),
                            (("--quiet", "--delay", "0", "--output", "-", site.url("a.localhost", "/")), 31)):
            reader, writer = os.pipe()
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
            os.set_blocking(writer, False)
            process = subprocess.Popen([harness.program(), *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                                       stdout=writer, stderr=subprocess.PIPE, env={**os.environ, **harness.SANITIZERS})
            os.close(writer)
            harness.wait_for(lambda: process.poll() is not None or has_bytes(reader, 3000))
            with open(reader, "rb") as out:
                lines = out.read()
            self.assertEqual((process.communicate()[1], process.returncode), (b"", 0))
            self.assertEqual(lines.count(b"\n"), count)

    def test_pages_whose_reader_has_gone_are_fetched_again_by_the_next_run(self):
        names = [f"{n}.html" for n in range(12)]
        site = self.start_nginx({"a.localhost": self.make_site(
            {"index.html": "".join(f"<a href={name}>x</a>" for name in names), **{name: "x" for name in names}})})
        reader, writer = os.pipe()
        os.close(reader)
        status, said = self.into(writer, "--state", "s", "--output", "-", "--quiet", site.url("a.localhost", "/"))
        os.close(writer)
        self.assertEqual(status, 0, said)
        self.assertEqual(self.crawl("--state", "s", "--output", "rest.jsonl").status, 0)
        rest = {record["url"].rsplit("/", 1)[1] for record in self.records("rest.jsonl")}
        self.assertEqual(rest, {"", *names})

    def test_records_on_a_full_output(self):
        site = self.make_state_and_log()
        for option in ("--output", "--requests"):
            with open("/dev/full", "wb") as full:
                status, said = self.into(full, option, "-", "--quiet", "--depth", "0", site.url("a.localhost", "/"))
            self.assertEqual(status, 4, said)
            self.assertEqual(said, "crawl: standard output: No space left on device\n")

    def test_no_file_takes_the_place_of_a_closed_descriptor(self):
        site = self.start_nginx({"a.localhost": self.make_site({"index.html": "<a href=x>x</a>"})})
        url = site.url("a.localhost", "/")
        for number, redirection in enumerate(("2>&-", "0<&- 1>&- 2>&-", "1>&-")):
            state = f"s{number}"
            output = "-" if "1>" in redirection else f"pages{number}"
            status, said = self.shell(f'"$0" "$@" {redirection}', "--verbose", "--state", state, "--output", output,
                                      "--delay", "0", url)
            self.assertEqual(status, 4 if output == "-" else 0, said)
            for folder, _, names in os.walk(self.path(state)):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        content = file.read()
                    self.assertNotIn(b'{"url":', content, name)
                    self.assertNotIn(b"crawl: ", content, name)
        self.assertEqual(len(self.records("pages0")), 2)

    def test_directories_are_named(self):
        os.mkdir(self.path("folder"))
        for args in (("url",), ("url", "--jsonl"), ("links",), ("links", "--jsonl"), ("sitemap",), ("audit",),
                     ("seen",), ("robots", "--jsonl"),
                     ("robots", "--agent", "a", "--file"), ("explain", "--seed", "http://h/", "--robots")):
            with self.subTest(args):
                result = self.crawl(*args, "folder", *(("http://h/",) if args[-1].startswith("--")
                                                       and args[-1] != "--jsonl" else ()))
                self.assertEqual(result.status, 4, result.stderr)
                self.assertIn(f"crawl {args[0]}: folder: Is a directory\n", result.stderr)

    def test_messages_quote_no_control_bytes(self):
        bad = b"http://\x1b[31m\xc2\x9b2J\xff\n"
        bad += json.dumps({"url": "http://h/", "headers": {"X\u001b]0;title\u0007": "a\r\nb"}}).encode() + b"\n"
        bad += json.dumps({"url": "http://h/", "\u001b[2J\u009b": 1}).encode() + b"\n"
        with open(self.path("seeds"), "wb") as file:
            file.write(bad)
        with open(self.path("bad.conf"), "wb") as file:
            file.write(b"[crawl]\ndepth = \x1b[2J\n")
        escaping = (("--seeds", "seeds"), ("explain", "--seeds", "seeds", "http://h/"), ("http://\x1b[2J/",),
                    ("url", "\x1b[2J"), ("help", "\x1b[2J"),
                    ("robots", "--agent", "a", "--file", "robots", "\x1b[2J", "http://h/\x1b[2J"),
                    ("links", "--base", "\x1b[2J"), ("seen", "\x1b[2J"),
                    ("explain", "--seed", "\x1b[2J", "http://h/"), ("--output", "\x1b[2J/x", "http://h.invalid/"),
                    ("--depth", "\x1b[2J", "http://h/"), ("seen", "--kind", "\x1b[2J"))
        # These two leave the value out.
        without = (("--config", "bad.conf", "http://h/"), ("--header", "X\x1b: \x07", "http://h/"))
        for args in (*escaping, *without):
            with self.subTest(args):
                process = subprocess.run([harness.program(), *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, env={**os.environ, **harness.SANITIZERS},
                                         timeout=harness.LIMIT_S, check=False)
                said = process.stdout + process.stderr
                for byte in (b"\x1b", b"\x07", b"\xc2\x9b", b"\xff", b"\r"):
                    self.assertNotIn(byte, said)
                self.assertEqual(b"\\x1b" in said, args in escaping, said)


if __name__ == "__main__":
    harness.main()
