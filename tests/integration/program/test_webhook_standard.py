#!/usr/bin/env python3
"""Tests webhooks with standardwebhooks, the verifier of the standard's authors. Finds the package in the folder
node_modules that CRAWL_STANDARDWEBHOOKS names, or in one that npm fills; otherwise skipped."""
import json
import os
import subprocess
import unittest.mock

import harness
import hook_target
import node_packages

MODULES = node_packages.find("CRAWL_STANDARDWEBHOOKS", ["standardwebhooks@1.1.1"])
VERIFY = """
const { Webhook } = require("standardwebhooks");
const { secret, messages } = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(messages.map(([headers, body]) => {
    try {
        return new Webhook(secret).verify(body, headers).type;
    } catch (error) {
        return String(error.message);
    }
})));
"""


class Standard(harness.TestCase):
    def verify(self, secret, messages):
        done = subprocess.run(["node", "-e", VERIFY], input=json.dumps({"secret": secret, "messages": messages}),
                              env={**os.environ, "NODE_PATH": MODULES}, capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_message_is_what_it_takes(self):
        target = self.serve(hook_target.Target())
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": "x"})})
        old = "whsec_" + "QUFB" * 8
        with unittest.mock.patch.dict(os.environ, CRAWL_WEBHOOK_SECRET=f"{hook_target.SECRET} {old}"):
            result = self.crawl("--delay", "0", "--allow-private", "--webhook", target.url(),
                                nginx.url("a.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        (headers, body), = target.raw
        message = [headers, body.decode()]
        for secret in (hook_target.SECRET, old):
            self.assertEqual(self.verify(secret, [message]), ["crawl.finished"])
        wrong = self.verify("whsec_" + "QkJC" * 8, [message]) + self.verify(old, [[headers, message[1] + " "]])
        self.assertEqual(wrong, ["No matching signature found"] * 2)


if __name__ == "__main__":
    harness.main()
