#!/usr/bin/env python3
"""Tests that the program's manual pages have all options, and that groff reports nothing."""
import re
import shutil
import subprocess
import unittest

import harness

REQUESTS = {"TH", "SH", "PP", "TP", "RS", "RE", "nf", "fi", "br", "nh", "ad"}


class Manual(harness.TestCase):
    def words(self):
        return re.findall(r"^  crawl ([a-z]+) ", self.crawl("help").stdout, re.M)

    def page(self, name):
        result = self.crawl("help", "--man", name)
        self.assertEqual((result.status, result.stderr), (0, ""), name)
        return result.stdout

    def pages(self):
        return {name: self.page(name) for name in ["crawl", "crawler.conf",
                                                   *("crawl-" + word for word in self.words())]}

    def test_a_page_for_each(self):
        self.assertGreaterEqual(len(self.words()), 8)
        names = set(self.pages())
        for name, text in self.pages().items():
            with self.subTest(name):
                self.assertTrue(text.startswith(f'.TH "{name.upper()}" '))
                self.assertEqual(set(re.findall(r"^[.']([a-zA-Z]+)", text, re.M)) - REQUESTS, set())
                self.assertEqual(text.count("\n.nf\n"), text.count("\n.fi\n"))
                self.assertEqual(text.count("\n.RS"), text.count("\n.RE"))
                self.assertRegex(text, r"\n\.SH NAME\n\S+ \\- .+\n")
                others = set(re.findall(r"^(\S+)\([15]\),?$", text.split(".SH SEE ALSO\n")[1].replace("\\-", "-"),
                                        re.M))
                self.assertEqual(others, names - {name})

    def test_all_options_and_settings(self):
        options = set(re.findall(r"^  (--[a-z-]+)", self.crawl("help", "all").stdout, re.M))
        self.assertGreater(len(options), 30)
        named = set(re.findall(r"^\\fB(--[a-z-]+)", self.page("crawl").replace("\\-", "-"), re.M))
        self.assertEqual(options, named)
        settings = (set(re.findall(r"^([a-z_0-9]+) =", self.crawl("--print-config").stdout, re.M))
                    | {"include", "exclude"})
        named = set(re.findall(r"^\\fB([a-z_0-9]+)\\fR", self.page("crawler.conf"), re.M))
        self.assertEqual(settings - named, set())

    def groups(self):
        return re.findall(r"^  ([a-z]+) +[a-z]", self.crawl("help").stdout.split("(`crawl help GROUP`):")[1]
                          .split("\n\n")[0], re.M)[:-1]

    def test_groups_have_all_options_of_the_configuration(self):
        groups = self.groups()
        self.assertGreater(len(groups), 4)
        ours = [option for group in groups
                for option in re.findall(r"^  (?:-., )?(--[a-z-]+)", self.crawl("help", group).stdout, re.M)]
        self.assertEqual(len(ours), len(set(ours)), "an option is in one group")
        everything = self.crawl("help", "all").stdout.split("\nOthers:")[0]
        flags = {"--quiet", "--verbose", "--append", "--overwrite", "--set"}  # these are values of several
        self.assertEqual(set(re.findall(r"^  (?:-., )?(--[a-z-]+)", everything, re.M)) - flags, set(ours))
        used = re.findall(r"^  (?:-., )?(--[a-z-]+)", self.crawl("help").stdout, re.M)
        self.assertEqual(len(used), 10)
        self.assertEqual(self.crawl("--help", "politeness").stdout, self.crawl("help", "politeness").stdout)

    def test_examples_files_and_environment(self):
        page = self.page("crawl").replace("\\-", "-")
        for section, words in (("EXAMPLES", "crawl -o pages.jsonl"), ("FILES", "crawler.conf"),
                               ("ENVIRONMENT", "NO_COLOR")):
            self.assertEqual(page.count(f"\n.SH {section}\n"), 1)
            self.assertIn(words, page.split(f"\n.SH {section}\n")[1].split("\n.SH ")[0])
        examples = page.split("\n.SH EXAMPLES\n")[1].split("\n.SH ")[0]
        known = self.crawl("help", "all").stdout
        for option in re.findall(r" (--?[a-z-]+)", " ".join(re.findall(r"^\\fBcrawl (.*)\\fR$", examples, re.M))):
            self.assertRegex(known, rf"(^|[ ,]){option}\b")

    def test_no_line_of_help_is_longer_than_a_terminal(self):
        for word in "", "all", *self.groups(), *self.words():
            text = self.crawl("help", word).stdout if word else self.crawl("--help").stdout
            self.assertTrue(text, word)
            self.assertEqual([line for line in text.splitlines() if len(line) > 80], [], word)

    def test_unknown(self):
        result = self.crawl("help", "--man", "nonsense")
        self.assertEqual((result.status, result.stdout, result.stderr),
                         (2, "", 'crawl: help: there is no manual page "nonsense"\n'))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_nothing_to_say(self):
        for name, text in self.pages().items():
            with self.subTest(name):
                result = subprocess.run(["groff", "-z", "-ww", "-man"], input=text, capture_output=True, text=True,
                                        check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_no_line_of_a_page_is_longer_than_a_terminal(self):
        for name, text in self.pages().items():
            result = subprocess.run(["groff", "-Tascii", "-P-cbou", "-man", "-rLL=80n"], input=text,
                                    capture_output=True, text=True, check=True)
            self.assertEqual([line for line in result.stdout.splitlines() if len(line) > 80], [], name)


if __name__ == "__main__":
    harness.main()
