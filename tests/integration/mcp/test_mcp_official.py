#!/usr/bin/env python3
"""Tests crawl mcp with the official clients of the protocol, in both revisions. Needs node, and
@modelcontextprotocol/sdk and @modelcontextprotocol/client in the folder node_modules that CRAWL_MCP_CLIENTS names, or
in one that npm fills; otherwise skipped."""
import json
import os
import shutil
import subprocess

import node_packages
from mcp_client import harness

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = {"2025-11-25": "@modelcontextprotocol/sdk@1.32.2", "2026-07-28": "@modelcontextprotocol/client@2.4.0"}
PAGE = "<title>Rye</title><h1>Rye</h1><p>" + "Rye is a grass. " * 20 + "<a href={}.html>next</a>"


CLIENTS = node_packages.find("CRAWL_MCP_CLIENTS", PACKAGES.values())


class Official(harness.TestCase):
    def test_both_revisions(self):
        self.write("site/index.html", PAGE.format(0))
        for number in range(8):
            self.write(f"site/{number}.html", PAGE.format(number + 1))
        nginx = self.start_nginx({"127.0.0.1": self.path("site")})
        shutil.copy(HERE + "/mcp_official.mjs", self.path("client.mjs"))  # node looks for modules beside the file
        os.symlink(CLIENTS, self.path("node_modules"))
        for revision in PACKAGES:
            done = subprocess.run(["node", self.path("client.mjs"), revision, harness.program(),
                                   nginx.url("127.0.0.1", "/"), "--allow-private"], capture_output=True, text=True,
                                  timeout=100, check=False, env={**os.environ, **harness.SANITIZERS})
            self.assertEqual((done.returncode, done.stderr), (0, ""), revision)
            told = json.loads(done.stdout)
            self.assertEqual(told["tools"], ["fetch", "crawl", "list", "report", "query", "robots", "explain"])
            self.assertIn("Rye is a grass.", told["fetch"]["text"])
            self.assertIn("not http or https", told["refused"]["facts"])
            self.assertGreater(told["crawl"]["facts"]["pages"], 2)
            self.assertGreater(told["progress"], 0)
            self.assertIn("/1.html", told["list"]["text"])
            self.assertTrue(told["robots"]["facts"]["allowed"])
            self.assertIn("URLs checked", told["report"]["text"])
            self.assertEqual(told["explain"]["facts"]["url"], nginx.url("127.0.0.1", "/"))
            self.assertEqual((told["cancelled"], told["unknown"]), ("cancelled", -32602))
            self.assertTrue(told["after"]["facts"]["handles"])


if __name__ == "__main__":
    harness.main()
