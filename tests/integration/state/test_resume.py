#!/usr/bin/env python3
"""Tests kill_resume.py by a short run."""
import unittest

import harness
import kill_resume


class Resume(unittest.TestCase):
    def test_killed_and_resumed(self):
        options = kill_resume.parse(["--kills", "8", "--pages", "30", "--per-host", "3", "--limit-rate", "250",
                                     "--longest", str(int(700 * max(harness.slack(), 1)))])
        table, problems = kill_resume.execute(options, lambda text: None)
        self.assertEqual(problems, [], table)
        self.assertGreaterEqual(table["kills"], 2, table)

    def test_what_cannot_be_is_found(self):
        """The page has a departure at 100 ms and, after a kill, at 300; its last response came at 350."""
        departures = [{"start": 100.2}, {"start": 300.5, "end": 350.1, "status": 200}]
        for seen, is_true in (((0.1, 0.3), True), ((0.3,), True), ((0.29, 0.3), True), ((0.1,), False), ((), False),
                              ((0.099, 0.3), False),
                              ((0.1, 0.299), False), ((0.1, 0.351), False), ((0.1, 0.2, 0.3), False)):
            requests = [harness.Request(start, start, "a", "GET", "/", 200, 1) for start in seen]
            self.assertEqual(kill_resume.match(departures, requests) is not None, is_true, seen)


if __name__ == "__main__":
    harness.main()
