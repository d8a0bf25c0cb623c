#!/usr/bin/env python3
"""Tests crawl serve with the client of Node.js, @grpc/grpc-js: every call, in plain text, with TLS and a token, and by
reflection alone. Needs node, and @grpc/grpc-js and @grpc/proto-loader in its path (such as NODE_PATH); nothing is
downloaded."""
import os
import shutil
import subprocess
import sys
import unittest

from frontier_client import POOL, ROOT, SERVE, Server, harness
from guard_files import TOKEN, make_certificate, write_secret

HERE = os.path.dirname(os.path.abspath(__file__))
NODE = shutil.which("node")



def has(*modules):
    code = "".join(f"require('{module}');" for module in modules)
    return subprocess.run([NODE, "-e", code], cwd=HERE, capture_output=True, check=False).returncode == 0


if not NODE or not has("@grpc/grpc-js", "@grpc/proto-loader"):
    print("skipped: there is no node with @grpc/grpc-js and @grpc/proto-loader (NODE_PATH)")
    sys.exit(77)


class Node(harness.TestCase):
    def run_client(self, server, *args):
        done = subprocess.run([NODE, "--no-deprecation", HERE + "/frontier_client.cjs", server.address,
                               f"{ROOT}/{SERVE}/urlfrontier/urlfrontier.proto", *args],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        calls = {method.name for method in POOL.FindServiceByName("urlfrontier.URLFrontier").methods}
        self.assertEqual(set(done.stdout.split()), calls)

    def test_every_call(self):
        self.run_client(self.keep(Server()))

    def test_every_call_with_tls_and_a_token(self):
        make_certificate(self.folder)
        token = write_secret(self.path("token"), TOKEN)
        server = self.keep(Server("--tls-cert", self.path("server.crt"), "--tls-key", self.path("server.key"),
                                  "--token-file", token))
        self.run_client(server, self.path("server.crt"), token)

    @unittest.skipUnless(has("grpc-js-reflection-client"), "there is no grpc-js-reflection-client (NODE_PATH)")
    def test_by_reflection_alone(self):
        server = self.keep(Server())
        done = subprocess.run([NODE, "--no-deprecation", HERE + "/reflection_client.cjs", server.address],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = {service: calls for service, *calls in map(str.split, done.stdout.splitlines())}
        services = ["grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                    "grpc.reflection.v1alpha.ServerReflection", "urlfrontier.URLFrontier"]
        self.assertEqual(sorted(told), services)
        self.assertEqual(told[services[-1]],
                         sorted(method.name for method in POOL.FindServiceByName(services[-1]).methods))


if __name__ == "__main__":
    harness.main()
