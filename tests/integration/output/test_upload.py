#!/usr/bin/env python3
"""Tests crawl upload with a server that checks signatures, fails, loses responses and is away for a while."""
import os
import signal
import unittest.mock

import harness
import object_store

PART = 16 << 20
LARGE = 100 << 20  # larger files are sent in parts


class Upload(harness.TestCase):
    def store(self, **how):
        return self.serve(object_store.Store(**how))

    def keys(self, key=object_store.KEYS[0], secret=object_store.KEYS[1], token=""):
        return {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token,
                "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": ""}

    def upload(self, store, *words, target="s3://box/a", env=None):
        return self.run_tool(env or self.keys(), "--endpoint", store.url(), "--tries", "3", target, *words)

    def run_tool(self, env, *words):
        with unittest.mock.patch.dict(os.environ, env):
            return self.crawl("upload", *words)

    def large(self, parts, tail=1000):
        """Makes a file of `parts` parts of 16 MiB, each with its number, and some bytes more."""
        with open(self.path("large"), "wb") as file:
            for part in range(parts + 1):
                file.seek(part * PART)
                file.write(b"part %d" % part)
            file.truncate(parts * PART + tail)
        return "large"

    def expect_object(self, store, key, name):
        with open(self.path(name), "rb") as file:
            self.assertEqual(store.objects[key][0], file.read())

    def test_a_file_is_there_and_stays(self):
        store = self.store()
        self.write("one.txt", "one\n")
        result = self.upload(store, "one.txt")
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "sent\t4\ts3://box/a/one.txt\n", ""))
        self.expect_object(store, "a/one.txt", "one.txt")
        self.assertEqual(len(store.sent("HEAD")), 2)  # before and after
        self.assertEqual(self.upload(store, "one.txt").stdout, "known\t4\ts3://box/a/one.txt\n")
        self.assertEqual(len(store.sent("PUT")), 1)
        self.write("one.txt", "two\n")
        self.write("two.txt", "2")
        result = self.upload(store, "one.txt", "two.txt", "--delete")
        self.assertEqual((result.status, result.stdout), (1, "sent\t1\ts3://box/a/two.txt\n"))
        self.assertIn("one.txt: another object of this name exists, and is not replaced", result.stderr)
        self.assertEqual(store.objects["a/one.txt"][0], b"one\n")
        self.assertEqual([os.path.exists(self.path(name)) for name in ("one.txt", "two.txt")], [True, False])

    def test_names_are_signed_as_they_are_sent(self):
        store = self.store(region="eu-west-1")
        names = ["a b+c.txt", "ü&=?#%41.txt", "~-_.", "[*'()]"]
        for name in names:
            self.write(name, name)
        env = self.keys(token="a/+ token")
        for target, before in (("s3://box", ""), ("s3://box/", ""), ("s3://box/ä //..", "ä //../"),
                               ("s3://box/p/", "p/")):
            result = self.upload(store, "--region", "eu-west-1", *names, target=target, env=env)
            self.assertEqual(result.status, 0, result.stderr)
            for name in names:
                self.expect_object(store, before + name, name)
        self.assertEqual(len(store.objects), 3 * len(names))

    def test_the_time_in_a_name(self):
        store = self.store()
        self.write("pages.jsonl.gz", "x")
        os.utime(self.path("pages.jsonl.gz"), (0, 951782400))
        self.assertEqual(self.upload(store, "--stamp", "pages.jsonl.gz").status, 0)
        self.assertEqual(store.names(), ["a/pages-20000229000000.jsonl.gz"])

    def test_what_passes_is_tried_again(self):
        self.write("x", "x")
        for faults in ([(503, "SlowDown")], [None, (500, "InternalError")], [None, (400, "RequestTimeout"), (502, "")],
                       [None, "dead", "dead"], [None, "lost"], [None, None, "dead"], [None, (409, "OperationAborted")]):
            store = self.store(faults=faults)
            result = self.upload(store, "x")
            self.assertEqual((result.status, result.stdout), (0, "sent\t1\ts3://box/a/x\n"), (faults, result.stderr))
            self.assertEqual(store.faults, [])
            self.assertEqual(store.objects["a/x"][0], b"x")
            if isinstance(faults[-1], tuple):  # libcurl itself asks again on a new connection
                self.assertIn("retrying", result.stderr)
        store = self.store(faults=[None] + [(503, "SlowDown")] * 3)
        result = self.upload(store, "x", "x")
        self.assertEqual((result.status, result.stdout, store.objects), (1, "", {}))
        self.assertIn("x: SlowDown: of the test", result.stderr)
        self.assertIn("1 more file was not tried", result.stderr)

    def test_servers_differ(self):
        self.write("x", "x")
        for how in ({"clock": 4000}, {"clock": -86400}, {"may_list": False}, {"has_conditions": False},
                    {"lists": False}):
            store = self.store(**how)
            result = self.upload(store, "x")
            self.assertEqual((result.status, result.stderr), (0, ""), how)
            self.assertEqual(self.upload(store).status, 0, how)
            self.assertEqual(self.upload(store, "x").stdout, "known\t1\ts3://box/a/x\n")
        store = self.store(may_list=False, has_conditions=False)  # it may exist, and would be replaced
        self.assertEqual(self.upload(store, "x").status, 1)
        self.assertEqual(store.objects, {})

    def test_parts(self):
        store = self.store(page=2)
        name = self.large(7)
        store.faults = [None, None, None, None, (503, "SlowDown"), None, "lost"]
        result = self.upload(store, name)
        self.assertEqual(result.status, 0, result.stderr)
        self.expect_object(store, "a/large", name)
        self.assertEqual(store.uploads, {})
        self.assertRegex(store.objects["a/large"][1], "-8$")
        self.assertEqual(self.upload(store, name).stdout, f"known\t{7 * PART + 1000}\ts3://box/a/large\n")

    def test_an_upload_that_was_broken_off_goes_on(self):
        store = self.store(page=2)
        name = self.large(7)
        is_part = lambda request: "partNumber" in request.arguments
        store.counts = is_part
        store.faults = [None] * 5 + ["dead"] * 100  # the server is killed
        result = self.upload(store, name)
        self.assertEqual((result.status, result.stdout), (1, ""))
        store.faults = []
        upload, = store.uploads.values()
        self.assertEqual(len(upload["parts"]), 5)
        upload["parts"][2] = (b"of another file", "0" * 32)
        had = len(store.sent("PUT"))
        result = self.upload(store, name, "--delete")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([target[target.index("=") + 1] for target in store.sent("PUT")[had:]], ["2", "6", "7", "8"])
        self.assertEqual((len(store.sent("POST")), store.uploads), (2, {}))
        self.assertFalse(os.path.exists(self.path(name)))
        name = self.large(7)
        self.expect_object(store, "a/large", name)

    def test_an_upload_begun_by_an_older_version_of_the_file_is_told(self):
        store = self.store(page=1000)
        name = self.large(7)
        store.counts = lambda request: "partNumber" in request.arguments
        store.faults = [None] * 5 + ["dead"] * 100
        self.assertEqual(self.upload(store, name).status, 1)
        store.faults = []
        with open(self.path(name), "r+b") as file:
            file.seek(6 * PART)
            file.write(b"newer")
        result = self.upload(store, name, "--delete")
        self.assertEqual((result.status, result.stdout), (1, ""))
        self.assertIn("large: the object has the SHA-256 of an older version of the file", result.stderr)
        self.assertTrue(os.path.exists(self.path(name)))

    def test_the_tool_is_killed_between_parts(self):
        store = self.store(lists=True, page=1000)
        name = self.large(7)
        with unittest.mock.patch.dict(os.environ, self.keys()):
            process = self.start("upload", "--endpoint", store.url(), "s3://box/a", name)
        self.wait_for(lambda: any(len(upload["parts"]) >= 2 for upload in list(store.uploads.values())))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        result = self.upload(store, name)
        self.assertEqual(result.status, 0, result.stderr)
        self.expect_object(store, "a/large", name)
        self.assertLess(len(store.sent("PUT")), 8 + 3)
        self.assertEqual(store.uploads, {})

    def test_parts_are_put_together_once(self):
        """One server answers 200 and reports an error in the body, another loses the response, and a third has received
        another object meanwhile."""
        name = self.large(6, LARGE - 6 * PART + 1)
        is_end = lambda request: request.command == "POST" and "uploadId" in request.arguments
        for fault in ((200, "InternalError"), "lost"):
            store = self.store()
            store.counts, store.faults = is_end, [fault]
            result = self.upload(store, name)
            self.assertEqual((result.status, store.faults), (0, []), (fault, result.stderr))
            self.expect_object(store, "a/large", name)
        store = self.store()
        def put_other(request):
            if is_end(request):
                store.objects["a/large"] = (b"other", "x", {})
            return False
        store.counts, store.faults = put_other, [None]
        result = self.upload(store, name, "--delete")
        self.assertEqual((result.status, result.stdout), (1, ""))
        self.assertIn("another object of this name exists", result.stderr)
        self.assertEqual((store.objects["a/large"][0], store.uploads), (b"other", {}))
        self.assertTrue(os.path.exists(self.path(name)))

    def test_what_must_be_mended_is_said(self):
        store = self.store(region="eu-west-1")
        self.write("x", "x")
        dead = f"http://127.0.0.1:{harness.free_port()}"
        good = ("--region", "eu-west-1")
        for words, env, status, said in (
                (["s3://box", "x"], self.keys(), 1, "the bucket is in the region eu-west-1, not us-east-1: --re"),
                ([*good, "s3://other", "x"], self.keys(), 1, "x: there is no bucket other"),
                ([*good, "s3://other"], self.keys(), 1, "other: there is no bucket other"),
                ([*good, "s3://box", "x"], self.keys(secret="no"), 1, "x: SignatureDoesNotMatch: of the test"),
                ([*good, "s3://box"], self.keys(key="no"), 1, "box: InvalidAccessKeyId"),
                ([*good, "s3://box", "x"], self.keys(key=""), 2, "no keys: set AWS_ACCESS_KEY_ID and"),
                (["--endpoint", dead, "--tries", "1", "s3://box", "x"], self.keys(), 1, "x: Failed to connect to 127."),
                ([*good, "s3://box", "missing"], self.keys(), 4, "missing: No such file or directory"),
                ([*good, "s3://box", "."], self.keys(), 4, ".: not a regular file"),
                ([], self.keys(), 2, "expected s3://BUCKET/PREFIX"),
                (["x", "s3://box"], self.keys(), 2, "the first argument must be s3://"),
                (["s3://a/b", "x"], self.keys(), 2, "a bucket name has 3 to 63"),
                (["--endpoint", "http://a/b", "s3://box"], self.keys(), 2, "--endpoint must be http://HOST"),
                (["--tries", "0", "s3://box"], self.keys(), 2, "--tries must be 1 to 99")):
            result = self.run_tool(env, "--endpoint", store.url(), *words)
            self.assertEqual((result.status, result.stdout), (status, ""), (words, result.stderr))
            self.assertIn(said, result.stderr)
        self.assertEqual(store.objects, {})

    def test_keys_of_a_file(self):
        store = self.store()
        self.write("x", "x")
        key, secret = object_store.KEYS
        self.write("keys", f"[other]\naws_access_key_id = {key}\naws_secret_access_key={secret}\n"
                           "[default]\nregion = x\n")
        os.chmod(self.path("keys"), 0o600)
        result = self.upload(store, "--credentials-file", "keys", "x", env=self.keys() | {"AWS_PROFILE": ""})
        self.assertEqual(result.status, 2)
        self.assertIn("keys: [default] has no aws_access_key_id", result.stderr)
        env = self.keys(key="no") | {"AWS_PROFILE": "other"}
        result = self.upload(store, "--credentials-file", "keys", "x", env=env)
        self.assertEqual((result.status, result.stderr), (0, ""))
        os.chmod(self.path("keys"), 0o644)
        self.assertIn("keys", self.upload(store, "--credentials-file", "keys", "x", env=env).stderr)


if __name__ == "__main__":
    harness.main()
