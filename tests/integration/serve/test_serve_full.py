#!/usr/bin/env python3
"""Tests crawl serve on a disk that is full for a while."""
import os
import subprocess

from frontier_client import FAIL, OK, Server, found, harness

SERVING, NOT_SERVING = 1, 2


class Full(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.server.stop()
        self.state = os.path.join(self.server.case.folder, "state")
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", self.state], capture_output=True,
                          check=False).returncode:
            self.skipTest("no file system may be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.state], check=False, stderr=subprocess.DEVNULL)
        self.server.begin()
        room = os.statvfs(self.state)
        with open(os.path.join(self.state, "filler"), "wb") as file:  # so that space freed by the server makes no room
            file.write(bytes(room.f_bavail * room.f_bsize - (5 << 20)))

    def put(self, first, count):
        """Puts `count` URLs. Returns their statuses."""
        items = [found(f"http://h{n % 7}.com/{n}/{'x' * 500}") for n in range(first, first + count)]
        return [ack.status for ack in self.server.client.PutURLs(items)]

    def test_with_room_again_it_goes_on(self):
        health = self.server.connect("grpc.health.v1.Health")
        call, request, _ = health.stub("Watch")
        watch = call(request(), timeout=60)
        self.assertEqual(next(watch).status, SERVING)
        statuses = []
        while FAIL not in statuses[-1:]:
            statuses += self.put(len(statuses), 1000)
        self.assertEqual(set(statuses), {OK, FAIL})
        self.assertEqual((next(watch).status, health.Check().status), (NOT_SERVING, NOT_SERVING))
        self.assertEqual(set(self.put(100000, 10)), {FAIL})
        subprocess.run(["mount", "-o", "remount,size=400m", self.state], check=True)
        self.assertEqual((next(watch).status, health.Check().status), (SERVING, SERVING))
        self.assertEqual(set(self.put(200000, 1000)), {OK})
        watch.cancel()
        kept = {item.url for item in self.server.client.GetURLs()}
        for number, status in enumerate(statuses):
            if status == OK:
                self.assertIn(f"http://h{number % 7}.com/{number}/{'x' * 500}", kept)
        self.assertEqual(len([url for url in kept if 200000 <= int(url.split("/")[3]) < 201000]), 1000)
        process, self.server.process = self.server.process, None
        process.terminate()
        said = process.communicate(timeout=60)[1].splitlines()
        self.assertEqual([line.split("state", 1)[1] for line in said],
                         ["/crawl-DEFAULT: No space left on device; puts to it fail until it is repaired",
                          ": it is written again"])


if __name__ == "__main__":
    harness.main()
