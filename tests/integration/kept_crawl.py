"""A crawl of a tree-shaped site with --state, for the tests of crawls that outlive their process."""
import glob
import json
import os
import shutil
import signal
import time

import harness

COUNT = 60
DONE_RECORD = 40  # bytes of a record of done-N


def bytes_written(path):
    """Returns the size of a file without reserved bytes: done-N has zeros after its records."""
    if not os.path.basename(path).startswith("done-"):
        return os.path.getsize(path)
    with open(path, "rb") as file:
        records = len(file.read().rstrip(b"\0")) + DONE_RECORD - 1
    return records - records % DONE_RECORD


def tree(count):
    """Makes a page for each number, with links to two others."""
    def links(page):
        return "".join(f'<a href="/{child}.html">{child}</a>' for child in (2 * page + 1, 2 * page + 2)
                       if child < count)
    return {f"{page}.html": f"<title>{page}</title>{links(page)}" for page in range(count)}


class KeptCrawl(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.nginx = None

    def site(self, count=COUNT, extra=None, name="a.localhost"):
        self.nginx = self.start_nginx({name: self.make_site(
            {**tree(count), "robots.txt": "User-agent: *\nDisallow: /private\n", **(extra or {})})})
        return self.nginx.url(name, "/0.html")

    def begin(self, url, *options, delay="20ms"):
        """Starts a crawl and returns it, still running, once some pages are done."""
        process = self.start("--state", "st", "--depth", "50", "--delay", delay, "--output", "pages.jsonl",
                             *options, url)
        self.wait_for(lambda: len(self.nginx.requests()) > 10 or process.poll() is not None)
        return process

    def end(self, process, number):
        process.send_signal(number)
        _, stderr = process.communicate()
        for report in harness.REPORTS:
            self.assertNotIn(report, stderr)
        return process.returncode, stderr

    def newest(self, folder, kind):
        """Returns the newest file of this kind in the directory of a running crawl."""
        return max(glob.glob(os.path.join(self.path(folder), kind)), key=lambda path: (os.path.getmtime(path), path))

    def tells_a_cut(self, kind):
        """Returns True if the loss of the last written byte of the newest file of this kind is reported. Works on a
        copy."""
        shutil.copytree(self.path("st"), self.path("cut"))
        newest = self.newest("cut", kind)
        os.truncate(newest, max(bytes_written(newest) - 1, 0))
        status = self.crawl("inspect", "cut", "--check").status
        shutil.rmtree(self.path("cut"))
        return status != 0

    def kill_between_writes(self, process):
        """Sends SIGKILL when `written` names the last write to each log. A later write has not been acknowledged and
        may be lost."""
        for _ in range(100):
            self.assertTrue(harness.stop_process(process))
            if self.tells_a_cut("db/*.log") and self.tells_a_cut("done-*"):
                return self.end(process, signal.SIGKILL)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.005)
        raise AssertionError("at none of 100 moments does `written` name the last write")

    def inspect(self, *options, status=0):
        result = self.crawl("inspect", "st", *options)
        self.assertEqual(result.status, status, result.stdout + result.stderr)
        return result.stdout

    def figures(self):
        return json.loads(self.inspect("--jsonl"))

    def expect_records(self, count):
        urls = [r["url"].rsplit("/", 1)[1] for r in self.records("pages.jsonl") if r["status"] == 200]
        self.assertEqual(sorted(urls), sorted(tree(count)))

    def expect_all(self, count=COUNT, once=True):
        urls = [r["url"].rsplit("/", 1)[1] for r in self.records("pages.jsonl") if r["status"] == 200]
        self.assertEqual(set(urls), set(tree(count)))
        if once:
            self.assertEqual(len(urls), count)
            self.assertEqual(len([r for r in self.nginx.requests() if r.uri != "/robots.txt"]), count)
        self.assertIn(" 0 violations", self.inspect("--check"))
