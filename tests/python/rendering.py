"""For tests that render pages by the real browser."""
import os
import unittest

import crawlfrontier

BROWSER = "/usr/lib/chromium/chromium-headless-shell"


def need_browser():
    """Skips where it is not installed, where the system refuses its fences, or where the library has no rendering."""
    if not os.path.exists(BROWSER):
        raise unittest.SkipTest("there is no chromium-headless-shell (apt-get install chromium-headless-shell)")
    try:
        crawlfrontier.Renderer().close()
    except (crawlfrontier.RefusedError, crawlfrontier.InvalidError) as reason:
        raise unittest.SkipTest(str(reason)) from None
