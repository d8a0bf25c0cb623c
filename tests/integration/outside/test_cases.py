"""Small inputs with the right value, kept outside of this tree and read in place: CRAWL_CASES is their folder."""
import os
import re
import subprocess
import sys

import harness

CASES = os.environ.get("CRAWL_CASES", "")
ROWS = 103


class Cases(harness.TestCase):
    def test_every_row(self):
        run = subprocess.run([sys.executable, os.path.join(CASES, "check.py"), "--crawl", harness.program()],
                             stdout=subprocess.PIPE, timeout=800)
        out = run.stdout.decode("utf-8", "replace")
        failed = [line for line in out.splitlines() if line.startswith("FAIL")]
        self.assertEqual(failed, [], "\n".join(failed))
        self.assertTrue(re.search(r"^0 of [1-9]\d* fail$", out, re.MULTILINE), out[-400:])


if __name__ == "__main__":
    if not os.path.exists(os.path.join(CASES, "check.py")):
        print(f"skipped: {ROWS} rows, whose folder is not there: {CASES!r}", file=sys.stderr)
        sys.exit(77)
    harness.main()
