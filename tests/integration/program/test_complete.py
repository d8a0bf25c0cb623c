#!/usr/bin/env python3
"""Tests the words that the program offers to shells for completion, and bash's completions."""
import os
import re
import shutil
import subprocess
import unittest

import harness

COMPLETIONS = os.path.join(harness.HERE, "..", "..", "packaging", "completions")


class Complete(harness.TestCase):
    def words(self, *typed):
        result = self.crawl("help", "--complete", *typed)
        self.assertEqual((result.status, result.stderr), (0, ""), typed)
        return [line.split("\t")[0] for line in result.stdout.splitlines()]

    def test_tools_come_first(self):
        tools = re.findall(r"^  crawl ([a-z]+) ", self.crawl("help").stdout, re.M)
        self.assertEqual(self.words(""), [*tools, "help"])
        self.assertEqual(self.words("insp"), ["inspect"])
        self.assertEqual(self.words("help", "insp"), ["inspect"])
        self.assertEqual(self.words("https://example.com/", ""), [])

    def test_every_option_of_the_help(self):
        options = re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", self.crawl("help", "all").stdout, re.M)
        self.assertGreater(len(options), 50)
        self.assertEqual(self.words("--"), options)
        self.assertEqual(self.words("seen", "--z"), ["--zero"])
        self.assertEqual(self.words("--quiet", "--max-t"), ["--max-time"])

    def test_values(self):
        scopes = ["host", "domain", "prefix", "any"]
        self.assertEqual(self.words("--scope", ""), scopes)
        self.assertEqual(self.words("--scope", "="), scopes)
        self.assertEqual(self.words("--scope", "=", "d"), ["domain"])
        self.assertEqual(self.words("--depth", ""), [])
        self.assertEqual(self.words("--quiet", "--scope", "p"), ["prefix"])
        for typed, offered in ((["--seeds"], ":files"), (["--state"], ":folders"), (["inspect"], ":folders"),
                               (["seen", "--file"], ":files"), (["audit"], ":files")):
            self.assertEqual(self.words(*typed, ""), [offered])

    def test_faults_of_a_report(self):
        faults = re.search(r"--fail-on LIST .*?: ([a-z, \n-]+?)\n  --", self.crawl("help", "report").stdout, re.S)[1]
        self.assertEqual(self.words("report", "--fail-on", ""), re.split(r",\s+", faults))
        self.assertEqual(self.words("report", "--fail-on", "redirect"), ["redirect-loops", "redirect-chains"])
        self.assertEqual(self.words("report", "--fail-on", "broken,slow,dup"), ["broken,slow,duplicates"])
        self.assertEqual(self.words("url", "--drop-params", ""), [])

    def test_nothing_typed(self):
        self.assertEqual(self.words(), [])

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash(self):
        self.write("seeds.txt", "")
        script = f"""cd {self.folder}; compopt() {{ :; }}; source {COMPLETIONS}/crawl.bash
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _crawl; printf '%s\\n' "${{COMPREPLY[@]}}" """
        for typed, offered in ((["--scop"], ["--scope"]), (["--scope", "=", "d"], ["domain"]),
                               (["--seeds", "see"], ["seeds.txt"])):
            done = subprocess.run(["bash", "-c", script, "bash", os.environ["CRAWL_PROGRAM"], *typed],
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.split(), offered, done.stderr)


if __name__ == "__main__":
    harness.main()
