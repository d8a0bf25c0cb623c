#!/usr/bin/env python3
"""kill_resume.py, short."""
import unittest

import harness
import kill_resume


class Resume(unittest.TestCase):
    def test_killed_and_resumed(self):
        options = kill_resume.parse(["--kills", "8", "--pages", "30", "--jitter", "80", "--longest", str(int(700 * max(harness.slack(), 1)))])
        table, problems = kill_resume.execute(options, lambda text: None)
        self.assertEqual(problems, [], table)
        self.assertGreaterEqual(table["kills"], 2, table)


if __name__ == "__main__":
    harness.main()
