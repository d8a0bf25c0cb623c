"""Helpers for tests that render pages in the real browser."""
import os
import unittest

import crawlfrontier

BROWSER = "/usr/lib/chromium/chromium-headless-shell"


def need_browser():
    """Skips the test if the browser is missing, if the system refuses its isolation, or if the library cannot
    render."""
    if not os.path.exists(BROWSER):
        raise unittest.SkipTest("there is no chromium-headless-shell (apt-get install chromium-headless-shell)")
    try:
        crawlfrontier.Renderer().close()
    except (crawlfrontier.RefusedError, crawlfrontier.InvalidError) as reason:
        raise unittest.SkipTest(str(reason)) from None
