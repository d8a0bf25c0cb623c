#!/usr/bin/env python3
"""Tests crawl upload with s3rver, a server by others, which ignores signatures. Finds s3rver in the folder node_modules
that CRAWL_S3RVER names, or in one that npm fills; otherwise skipped."""
import os
import subprocess
import unittest.mock

import harness
import node_packages

MODULES = node_packages.find("CRAWL_S3RVER", ["s3rver@3.7.1"])
KEYS = {"AWS_ACCESS_KEY_ID": "S3RVER", "AWS_SECRET_ACCESS_KEY": "S3RVER", "AWS_SESSION_TOKEN": "", "AWS_REGION": ""}


class S3rver(harness.Server):
    def __init__(self, folder):
        self.port = harness.free_port()
        super().__init__(["node", MODULES + "/s3rver/bin/s3rver.js", "--silent", "--directory", folder, "--port",
                          str(self.port), "--address", "127.0.0.1", "--configure-bucket", "box"])
        harness.wait_for(self.answers)


class Upload(harness.TestCase):
    def upload(self, server, *words, **env):
        with unittest.mock.patch.dict(os.environ, KEYS | env):
            return self.crawl("upload", "--endpoint", server.url("127.0.0.1", ""), "--tries", "2", *words)

    def test_files_large_and_small(self):
        os.mkdir(self.path("store"))
        server = self.serve(S3rver(self.path("store")))
        small = "a b+ü.txt"
        self.write(small, "small")
        with open(self.path("large"), "wb") as file:
            for part in range(7):
                file.seek(part << 24)
                file.write(b"part %d" % part)
        result = self.upload(server, "s3://box/p", small, "large")
        self.assertEqual((result.status, result.stderr), (0, ""))
        for name in (small, "large"):
            same = subprocess.run(["cmp", name, f"store/box/p/{name}._S3rver_object"], cwd=self.folder, check=False)
            self.assertEqual(same.returncode, 0)
        again = self.upload(server, "s3://box/p", small, "large", "--delete")
        self.assertEqual((again.status, again.stdout), (0, result.stdout.replace("sent", "known")))
        self.assertFalse(os.path.exists(self.path(small)))

    def test_what_it_refuses(self):
        os.mkdir(self.path("store"))
        server = self.serve(S3rver(self.path("store")))
        self.write("x", "x")
        for words, env, said in ((["s3://none"], {}, "there is no bucket none"),
                                 (["s3://box"], {"AWS_ACCESS_KEY_ID": "x"}, "InvalidAccessKeyId")):
            result = self.upload(server, *words, "x", **env)
            self.assertEqual((result.status, result.stdout), (1, ""))
            self.assertIn(said, result.stderr)


if __name__ == "__main__":
    harness.main()
