#!/usr/bin/env python3
"""Tests crawl serve with the section [serve] of crawler.conf, and command-line options that override it."""
import os
import signal

from frontier_client import OK, Client, found, harness
from guard_files import TOKEN, make_certificate, write_secret

ADDRESS = ("expected an address and a port, or a port of 127.0.0.1, as 127.0.0.1:8080, [::1]:8080, localhost:8080 or "
           "8080")


class Config(harness.TestCase):
    def put_one(self, *args, at, **connect):
        """Puts a URL to a server with these options."""
        process = self.start("serve", *args)
        try:
            line = process.stderr.readline()
            self.assertIn(f"URLFrontier at {at}:", line)
            client = Client("127.0.0.1:" + line.strip().rsplit(":", 1)[1], **connect)
            self.assertEqual([ack.status for ack in client.PutURLs([found("http://a.com/1")])], [OK])
            client.close()
        finally:
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=60)[1]
        self.assertEqual((process.returncode, said), (0, ""))

    def refused(self, *args, status=2):
        result = self.crawl("serve", *args)
        self.assertEqual((result.status, result.stdout), (status, ""), result.stderr)
        return result.stderr

    def test_all_of_it_from_the_file(self):
        make_certificate(self.folder)
        write_secret(self.path("token"), TOKEN)
        self.write("crawler.conf", "[crawl]\ndepth = 7\n[serve]\nurlfrontier = 0.0.0.0:0\nstate = of the file\nsync = "
                                   "always\n"
                                   "tls_cert = server.crt\ntls_key = server.key\ntoken_file = token\n")
        with open(self.path("server.crt"), "rb") as file:
            self.put_one(at="0.0.0.0", root=file.read(), shows="Bearer " + TOKEN)
        self.assertTrue(os.path.isdir(self.path("of the file/crawl-DEFAULT")))

    def test_the_command_line_wins(self):
        self.write("other.conf", "[serve]\nurlfrontier = 0.0.0.0:0\nstate = of the file\nsync = always\ntls_cert = "
                                 "none\ntls_key = none\ntoken_file = none\n")
        self.put_one("--config", "other.conf", "--urlfrontier", "127.0.0.1:0", "--state", "of the line", "--sync",
                     "interval",
                     "--tls-cert", "", "--tls-key", "", "--token-file", "", at="127.0.0.1")
        self.assertEqual((os.path.isdir(self.path("of the line/crawl-DEFAULT")),
                          os.path.exists(self.path("of the file"))), (True, False))

    def test_the_same_words_for_what_is_wrong(self):
        self.write("crawler.conf", "")
        for name, value, words in (("urlfrontier", "nowhere", ADDRESS), ("sync", "never", "interval, always")):
            self.write("bad.conf", f"[serve]\n{name} = {value}\n")
            file, line = self.refused("--config", "bad.conf"), self.refused(f"--{name}", value)
            self.assertIn("crawl serve: bad.conf:2:", file)
            self.assertIn(f"crawl serve: --{name}: serve.{name} = {value}: expected ", line)
            for said in (file, line):
                self.assertIn(words + "\n", said)
        self.assertIn("--urlfrontier is missing, and so is urlfrontier in [serve] of crawler.conf",
                      self.refused("--state", "s"))
        self.write("crawler.conf", "[serve]\nurlfrontier = 127.0.0.1:0\n")
        self.assertIn("--state is missing, and so is state in [serve] of crawler.conf", self.refused())
        self.write("crawler.conf", "[serve]\nurlfrontier = 127.0.0.1:0\nstate = s\ntls_cert = x\n")
        self.assertIn("--tls-cert and --tls-key must be given together", self.refused())
        self.write("crawler.conf", "[serve]\nurlfrontierr = 127.0.0.1:0\n")
        self.assertIn("urlfrontier", self.refused().split("did you mean")[1])
        self.assertIn("none.conf", self.refused("--config", "none.conf", status=4))
        self.assertFalse(os.path.exists(self.path("s")))

    def test_other_commands_leave_it_alone(self):
        self.write("crawler.conf", "[serve]\nurlfrontier = 0.0.0.0:7071\nstate = s\nsync = always\ntoken_file = t\n")
        printed = self.crawl("--print-config")
        for line in ("[serve]", "urlfrontier = 0.0.0.0:7071", "state = s", "sync = always", "tls_key =",
                     "token_file = t"):
            self.assertIn(line, printed.stdout.splitlines())
        self.assertEqual(self.crawl("--state", "kept", "--retries", "0", "http://127.0.0.1:1/").status, 1)
        with open(self.path("kept/crawler.conf"), encoding="utf-8") as file:
            kept = file.read().split("[serve]\n")[1]
        self.assertEqual([line for line in kept.splitlines() if " = " in line and not line.startswith("#")],
                         ["sync = interval"])
        self.assertEqual(self.refused("--urlfrontier", "127.0.0.1:0", "--state", "kept", "--config", "/dev/null"),
                         "crawl serve: kept: a crawl of --state, not of a service\n")


if __name__ == "__main__":
    harness.main()
