"""Tests crawls of real pages, and of hosts that behave as real servers do, against known facts, read in place.

CRAWL_REALWEB is their folder. Checks each fact of a crawl over all of them, and the tables of its report. The quality
of the main text is a matter of degree, and measured elsewhere: its kinds begin with "text".
"""
import glob
import json
import os
import shlex
import subprocess
import sys

import harness

REALWEB = os.environ.get("CRAWL_REALWEB", "")
FACTS = 266920


class RealWeb(harness.TestCase):
    def one_at_a_time(self):
        """Returns a program that requests one page at a time of each host, so that each page is first found at its
        least depth and is not requested again because of a shorter path."""
        path = self.write("crawl.sh", f'#!/bin/sh\nexec {shlex.quote(harness.program())} "$@" --per-host 1\n')
        os.chmod(path, 0o755)
        return path

    def run_check(self, script, program, *arguments):
        """Returns the faults that a script of the folder found, by kind."""
        found = self.path(script + ".json")
        command = [sys.executable, os.path.join(REALWEB, script), program, *arguments, "--json", found]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=800)
        self.assertTrue(os.path.exists(found), run.stdout.decode("utf-8", "replace")[-2000:])
        with open(found, encoding="utf-8") as file:
            return json.load(file)

    def join(self, kind):
        """Joins the lines of all crawls in one file."""
        whole = self.path(f"all.{kind}.jsonl")
        with open(whole, "wb") as out:
            for part in sorted(glob.glob(self.path(f"zoo/*.{kind}.jsonl"))):
                with open(part, "rb") as file:
                    out.write(file.read())
        return whole

    @staticmethod
    def is_other(kind, row):
        """Returns True for another fact, and False for a heading that differs only at a line break, where the truth
        joins words."""
        glued = [["".join(text.split()) for text in value] for value in row[1:3] if isinstance(value, list)]
        return kind != "h1" or len(glued) != 2 or glued[0] != glued[1]

    def test_every_fact(self):
        found = self.run_check("run.py", self.one_at_a_time(), "--out", self.path("zoo"))
        self.assertGreater(sum(found["done"].values()), FACTS // 2)
        wrong = {kind: [row for row in rows if self.is_other(kind, row)][:20]
                 for kind, rows in found["wrong"].items() if not kind.startswith("text")}
        wrong = {kind: rows for kind, rows in wrong.items() if rows}
        self.assertEqual(wrong, {}, json.dumps(wrong, indent=1)[:20000])

        with open(self.join("records"), encoding="utf-8") as file:
            judged = {(one["verdict"], one["status"]) for one in map(json.loads, file) if "verdict" in one}
        self.assertEqual(judged, {("rate-limited", 429)}, "what is called a wall, a login or the like is a page")

        tables = self.run_check("check_report.py", harness.program(), self.join("records"), self.join("links"),
                                "--requests", self.join("requests"))
        self.assertGreater(sum(table["rows"] for table in tables.values()), 0)
        wrong = {name: table for name, table in tables.items() if table["missed"] or table["extra"]}
        self.assertEqual(wrong, {}, json.dumps(wrong, indent=1)[:20000])


if __name__ == "__main__":
    if not os.path.exists(os.path.join(REALWEB, "run.py")):
        print(f"skipped: {FACTS} facts, whose folder is not there: {REALWEB!r}", file=sys.stderr)
        sys.exit(77)
    harness.main()
