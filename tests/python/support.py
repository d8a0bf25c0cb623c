"""Shared by the tests of the Python package. A test file is a program: it imports this first, and ends in
support.main(). It is skipped with a message if the library or a Debian package is missing."""
import importlib.util
import os
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77


def need(*modules):
    """Skips the whole file if a module of Debian's, or the library, is missing."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    library = os.environ.get("CRAWLFRONTIER_LIBRARY", "")
    reason = None
    if missing:
        reason = f"{sys.executable} has no {', '.join(missing)}"
    elif not os.path.exists(library):
        reason = f"no library built without sanitizers: {library or 'CRAWLFRONTIER_LIBRARY is empty'}"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)


class TestCase(unittest.TestCase):
    """A test with its own folder."""
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="crawl-python-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)


def resident():
    """Returns the memory of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    unittest.main(verbosity=2)
