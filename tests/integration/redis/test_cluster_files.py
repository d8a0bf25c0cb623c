#!/usr/bin/env python3
"""Tests the files of examples/cluster, which docs/cluster.md says to copy. Redis is started with its configuration and
its command, two processes with the command of the unit and one with that of the compose file, unchanged except for the
places: the folder /etc/crawl, the program, and the address of Redis. They crawl a site together."""
import json
import os
import re
import shutil
import subprocess

import harness
import redis_server

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "..", "..", "..", "examples", "cluster")
PAGES = 12


class ByItsFile(redis_server.Redis):
    def __init__(self, command):
        self.folder = harness.temporary_folder()
        self.port = harness.free_port()
        self.command = [*command, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder]
        with open(os.path.join(FILES, "redis-password"), encoding="utf-8") as file:
            self.password = file.readline().strip()
        self.begin()


class ClusterFiles(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.etc = self.path("etc")
        shutil.copytree(FILES, self.etc)

    def text(self, name):
        """Returns the text of a file, with this machine's places."""
        path = os.path.join(self.etc, name)
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("/etc/crawl", self.etc).replace("/usr/bin/crawl", harness.program())
        self.write(os.path.join("etc", name), text)
        return text

    def command_of(self, service):
        """Returns the command of a service in the compose file."""
        return json.loads(re.search(rf'^  {service}:\n.*?command: (\[.*?\])$', self.text("compose.yaml"), re.M
                                    | re.S)[1])

    def make_pages(self):
        pages = {f"{page}.html": "".join(f"<a href=/{link}.html>x</a>" for link in (2 * page + 1, 2 * page + 2)
                                         if link < PAGES) for page in range(PAGES)}
        return self.start_nginx({"a.localhost": self.make_site(pages)})

    def begin(self, name, command):
        """Starts a process in its own folder."""
        os.mkdir(self.path(name))
        return subprocess.Popen(command, cwd=self.path(name), env={**os.environ, **harness.SANITIZERS},
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def test_all_of_them_together(self):
        redis = self.serve(ByItsFile(self.command_of("redis")))
        for name, value in (("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction")):
            self.assertEqual(redis.ask("CONFIG", "GET", name), [name, value])
        site = self.make_pages()
        self.write("etc/seeds.txt", site.url("a.localhost", "/0.html") + "\n")
        settings = (self.text("shop.conf").replace("redis://redis/", f"redis://127.0.0.1:{redis.port}/")
                    .replace("delay = 1s", "delay = 20ms"))
        self.write("etc/shop.conf", settings)
        unit = re.search(r"^ExecStart=(.*)$", self.text("crawl-shop@.service"), re.M)[1].split()
        processes = [self.begin("shop-1", unit), self.begin("shop-2", unit),
                     self.begin("contained", [harness.program(), *self.command_of("crawl")])]
        for process in processes:
            _, said = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, said)
            self.assertNotIn(redis.password, said)
        records = [record for name in ("shop-1", "shop-2", "contained")
                   for record in self.records(os.path.join(name, "pages.jsonl"))]
        self.assertEqual(sorted(record["url"] for record in records), sorted(site.url("a.localhost", f"/{page}.html")
                                                                             for page in range(PAGES)))

    def test_the_unit_is_one(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd is not installed")
        self.text("crawl-shop@.service")
        said = subprocess.run(["systemd-analyze", "verify", os.path.join(self.etc, "crawl-shop@.service")],
                              capture_output=True, text=True, timeout=60, check=False)
        about_it = [line for line in said.stderr.splitlines() if "crawl-shop" in line]
        self.assertEqual((said.returncode, about_it), (0, []), said.stderr)


if __name__ == "__main__":
    harness.main()
