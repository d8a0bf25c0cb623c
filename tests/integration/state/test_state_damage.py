#!/usr/bin/env python3
"""Tests a crawl's directory that is damaged, misused or on a full disk: each fault is reported, and nothing stored is
lost."""
import glob
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest

import harness
from kept_crawl import KeptCrawl, bytes_written


def small_files():
    """Limits files to 128 KiB, as a process limit may; larger ones fail as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, 1 << 17))


class StateDamage(KeptCrawl):
    def test_torn_record(self):
        """A record cut off by a kill is removed, and the next one is complete."""
        url = self.site()
        self.end(self.begin(url), signal.SIGKILL)
        with open(self.path("pages.jsonl"), "a", encoding="utf-8") as file:
            file.write('{"url":"http://a.local')
        self.assertEqual(self.crawl("--state", "st").status, 0)
        self.expect_all(once=False)

    def test_all_is_lost_but_the_records(self):
        """A power failure in its first second may leave only the options of a crawl: the same command resumes it."""
        url = self.site()
        self.end(self.begin(url), signal.SIGKILL)
        shutil.rmtree(self.path("st/db"))
        for name in glob.glob(self.path("st/done-*")) + glob.glob(self.path("st/seen-*")) + [self.path("st/written")]:
            os.remove(name)
        result = self.crawl("--state", "st", url)
        self.assertEqual(result.status, 0, result.stderr)
        self.expect_all(once=False)

    def test_torn_log(self):
        """The newest file of the write-ahead log has lost its end, and the machine was not restarted since: this is
        reported. If nothing says how much there was, as after a power failure, its contents are fetched again, and
        everything is consistent."""
        for share in (0, 0.01, 0.2, 0.7):
            with self.subTest(share):
                shutil.rmtree(self.path("st"), ignore_errors=True)
                url = self.site()
                self.kill_between_writes(self.begin(url))
                log = self.newest("st", "db/*.log")
                os.truncate(log, int(os.path.getsize(log) * (1 - share)) - 1)
                self.assertIn("writes are gone", self.inspect("--check", status=1))
                result = self.crawl("--state", "st", url)
                self.assertEqual(result.status, 4, result.stderr)
                self.assertIn("st: damaged: the last", result.stderr)
                os.remove(self.path("st/written"))
                self.assertRegex(self.inspect("--check", status=1), r"written: is missing[^\n]*\nst: 1 violation\n")
                result = self.crawl("--state", "st", url)
                self.assertEqual(result.status, 0, result.stderr)
                self.expect_all(once=False)
                self.nginx.stop()

    def damage(self, path, how):
        size = bytes_written(path)
        if how == "gone":
            os.remove(path)
        elif how in ("cut", "half"):
            os.truncate(path, size - 1 if how == "cut" else size // 2)
        else:
            with open(path, "r+b") as file:
                at = size // 2 if how == "changed" else size - 3
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes([byte ^ 16]))

    def test_every_damage_is_told(self):
        """Each kind of file of a directory, after a clean shutdown and after a kill: if it is truncated, changed or
        removed, --check or opening names it, and the directory never passes for a smaller one. (Files that RocksDB does
        not read are left out: its OPTIONS, IDENTITY, LOCK and LOG; and `lock`, whose content is for people.)"""
        kinds = ("db/CURRENT", "db/MANIFEST-*", "db/*.sst", "db/*.log", "done-*", "seen-*", "written")
        url = self.site(400)
        for number in (signal.SIGINT, signal.SIGKILL):
            shutil.rmtree(self.path("st"), ignore_errors=True)
            for last in (False, True):
                self.nginx.forget()
                process = self.begin(url, delay="5ms")
                if last and number == signal.SIGKILL:
                    self.kill_between_writes(process)
                else:
                    self.end(process, signal.SIGINT)
            shutil.copytree(self.path("st"), self.path(f"st-{number}"))
            for kind in kinds:
                if kind == "done-*" and number == signal.SIGINT:
                    continue  # it is empty
                names = glob.glob(kind, root_dir=self.path(f"st-{number}"))
                name = max(names, key=lambda name: int(re.sub(r"\D", "", name) or 0))
                for how in ("cut", "half", "changed", "changed at its end", "gone"):
                    with self.subTest(number=number, name=name, how=how):
                        shutil.rmtree(self.path("st"))
                        shutil.copytree(self.path(f"st-{number}"), self.path("st"))
                        self.damage(self.path("st/" + name), how)
                        check = self.crawl("inspect", "st", "--check")
                        self.assertIn(check.status, (1, 4), check.stdout)
                        self.assertRegex(check.stdout + check.stderr,
                                         "damage|Corruption|missing|cut|truncated|No such file")
                        result = self.crawl("--state", "st", "--max-pages", "1")
                        # its blocks are checked on demand
                        if (name, how) != ("written", "gone") and not name.endswith(".sst"):
                            self.assertEqual(result.status, 4, result.stderr)
                            self.assertRegex(result.stderr, "crawl: st.*(damage|Corruption|cut|truncated|No such file)")

    def test_what_is_missing_is_not_made_anew(self):
        """A directory with a truncated list of files does not pass for one with an empty queue."""
        self.end(self.begin(self.site()), signal.SIGINT)
        for number in range(2):
            manifest = glob.glob(self.path("st/db/MANIFEST-*"))[0]
            if number == 0:
                os.truncate(manifest, 100)
            else:
                shutil.rmtree(self.path("st/db"))
            for _ in range(2):
                result = self.crawl("--state", "st")
                self.assertEqual(result.status, 4, result.stderr)
                self.assertRegex(result.stderr, "st: damaged: db/MANIFEST-.* bytes")

    def test_options_that_are_gone_are_told(self):
        """A crawl is not resumed as another one, without its records."""
        url = self.site(5)
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", "--depth", "9", "--output", "pages.jsonl",
                                    "--max-pages", "2", url).status, 0)
        options = self.path("st/crawler.conf")
        shutil.copy(options, self.path("kept"))
        os.remove(options)
        for _ in range(2):
            result = self.crawl("--state", "st")
            self.assertEqual(result.status, 4, result.stderr)
            self.assertIn("st: damaged: its crawler.conf, the options of the crawl, is missing", result.stderr)
        for how in ("cut", "half", "changed", "changed at its end"):
            shutil.copy(self.path("kept"), options)
            self.assertIn(" 0 violations", self.inspect("--check"))
            self.damage(options, how)
            self.assertIn("st/crawler.conf: was cut or changed since it was written", self.inspect("--check", status=1))
            result = self.crawl("--state", "st")
            self.assertEqual(result.status, 4, result.stderr)
            self.assertIn("st/crawler.conf: was cut or changed since it was written", result.stderr)
        os.remove(options)
        os.mkdir(options)
        result = self.crawl("--state", "st")
        self.assertEqual((result.status, result.stderr), (4, "crawl: st/crawler.conf: not a regular file\n"))
        os.rmdir(options)
        self.write("st/crawler.conf", "")
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", "--depth", "9", "--output", "pages.jsonl",
                                    "--append").status, 0)
        self.expect_all(5)

    def test_options_of_an_older_version_go_on(self):
        """Version 0.1.0 did not quote a value with " # "."""
        args = ("--delay", "0", "--exclude", "a # b", "--output", "pages.jsonl")
        self.assertEqual(self.crawl("--state", "st", *args, "--max-pages", "2", self.site(5)).status, 0)
        with open(self.path("st/crawler.conf"), encoding="utf-8") as file:
            head, line, rest = re.split("(# SHA-1 of what follows: ).{40}\n", file.read())
        self.assertIn('= "a # b"\n', rest)
        rest = rest.replace('"a # b"', "a # b")
        self.write("st/crawler.conf", f"{head}{line}{hashlib.sha1(rest.encode()).hexdigest()}\n{rest}")
        result = self.crawl("--state", "st", "--append")
        self.assertEqual(result.status, 0, result.stderr)
        self.expect_all(5)

    def test_only_its_owner_reads_it(self):
        """Checks the directory, and our files in it."""
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", "--max-pages", "2", self.site(5)).status, 0)
        self.assertEqual(os.stat(self.path("st")).st_mode & 0o777, 0o700)
        for name in ("lock", "written", "crawler.conf", os.path.basename(glob.glob(self.path("st/done-*"))[0])):
            self.assertEqual(os.stat(self.path("st/" + name)).st_mode & 0o777, 0o600, name)

    def test_symbolic_links_are_not_followed(self):
        """A file of the directory is a regular file: no file elsewhere is read, emptied or written for it."""
        url = self.site(5)
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", "--max-pages", "2", url).status, 0)
        shutil.move(self.path("st"), self.path("whole"))
        last = max(int(name.split("-")[1]) for name in os.listdir(self.path("whole")) if name.startswith("done-"))
        # The last two logs are read, and the run begins its own after any that a settling of theirs may have begun.
        names = ("lock", "written", "crawler.conf", f"done-{last}", f"done-{last + 2}",
                 os.path.basename(glob.glob(self.path("whole/seen-*"))[0]))
        for name in names:
            with self.subTest(name):
                shutil.rmtree(self.path("st"), ignore_errors=True)
                shutil.copytree(self.path("whole"), self.path("st"))
                if os.path.exists(self.path("st/" + name)):
                    shutil.move(self.path("st/" + name), self.path("elsewhere"))
                else:
                    self.write("elsewhere", "mine")
                with open(self.path("elsewhere"), "rb") as file:
                    before = file.read()
                os.symlink("../elsewhere", self.path("st/" + name))
                result = self.crawl("--state", "st")
                self.assertEqual(result.status, 4, result.stderr)
                self.assertRegex(result.stderr, f"st/{name}: .*(symbolic link|not a regular file)")
                with open(self.path("elsewhere"), "rb") as file:
                    self.assertEqual(file.read(), before)

    def test_damage_is_told(self):
        url = self.site(5)
        self.assertEqual(self.crawl("--state", "st", "--delay", "0", url).status, 0)
        snapshot = glob.glob(self.path("st/seen-*"))[0]
        with open(snapshot, "r+b") as file:
            file.seek(os.path.getsize(snapshot) // 2)
            file.write(b"damage")
        result = self.crawl("--state", "st")
        self.assertEqual(result.status, 4)
        self.assertIn("seen-", result.stderr)
        self.assertIn("log: ", self.inspect("--check", status=1))
        os.remove(self.path("st/db/CURRENT"))
        result = self.crawl("inspect", "st")
        self.assertEqual(result.status, 4)
        self.assertIn("db/CURRENT", result.stderr)
        self.assertEqual(self.crawl("inspect", self.folder).status, 4)

    def expect_resumed_after(self, stderr):
        """Checks that the failure was reported and nothing is lost."""
        self.assertIn("crawl: st: ", stderr)
        self.records("pages.jsonl")
        self.assertIn(" 0 violations", self.inspect("--check"))

    def test_files_that_can_grow_no_more(self):
        url = self.site(1500)
        options = [harness.program(), "--state", "st", "--delay", "0", "--depth", "50", "--set", "seen.capacity=1k",
                   "--fpr", "1e-9", "--output", "pages.jsonl", url]
        process = subprocess.run(options, cwd=self.folder, env={**os.environ, **harness.SANITIZERS},
                                 preexec_fn=small_files,
                                 capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, 4, process.stderr)
        if "crawl: output:" not in process.stderr:
            self.expect_resumed_after(process.stderr)
        result = self.crawl("--state", "st", url)
        self.assertEqual(result.status, 0, result.stderr)
        self.expect_all(1500, once=False)

    def test_records_that_cannot_be_written(self):
        """The requests of these records come again, in a run that can write."""
        url = self.site()
        result = self.crawl("--state", "st", "--delay", "0", "--depth", "50", "--output", "/dev/full", url)
        self.assertEqual(result.status, 4, result.stderr)
        self.assertIn("crawl: output: /dev/full: No space left on device", result.stderr)
        self.assertEqual(self.crawl("--state", "st", "--output", "pages.jsonl").status, 0)
        self.expect_all(once=False)

    def test_syncs(self):
        for sync in ("always", "never"):
            with self.subTest(sync):
                shutil.rmtree(self.path("st"), ignore_errors=True)
                url = self.site()
                self.end(self.begin(url, "--set", f"state.sync={sync}"), signal.SIGKILL)
                self.assertEqual(self.crawl("--state", "st").status, 0)
                self.expect_all(once=False)
                self.nginx.stop()

    def mount(self, options):
        os.makedirs(self.path("st"), exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.path("st")], capture_output=True,
                          check=False).returncode:
            self.skipTest("no file system may be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.path("st")], check=False, stderr=subprocess.DEVNULL)

    def test_full_disk(self):
        """The disk is full almost from the beginning, or in the middle; then still full; then there is room."""
        url = self.site(3000)
        options = ("--state", "st", "--delay", "0", "--depth", "50", "--set", "seen.capacity=1k", "--fpr", "1e-9",
                   "--output", "pages.jsonl")
        for size in ("100k", "300k", "500k"):
            with self.subTest(size):
                self.mount(f"size={size}")
                result = self.crawl(*options, "--overwrite", url)
                self.assertEqual(result.status, 4, result.stderr)
                self.assertIn("No space left on device", result.stderr)
                self.expect_resumed_after(result.stderr)
                self.assertTrue(0 < len(self.records("pages.jsonl")) < 3000)
                result = self.crawl("--state", "st")
                self.assertEqual(result.status, 4, result.stderr)
                self.assertIn("No space left on device", result.stderr)
                subprocess.run(["mount", "-o", "remount,size=64m", self.path("st")], check=True)
                result = self.crawl("--state", "st", url)
                self.assertEqual(result.status, 0, result.stderr)
                self.expect_all(3000, once=False)
                subprocess.run(["umount", "-l", self.path("st")], check=True)

    def test_directory_that_cannot_be_written(self):
        self.mount("size=64m")
        url = self.site()
        self.end(self.begin(url), signal.SIGINT)
        subprocess.run(["mount", "-o", "remount,ro", self.path("st")], check=True)
        result = self.crawl("--state", "st")
        self.assertEqual(result.status, 4)
        self.assertRegex(result.stderr, "st.*Read-only file system")
        subprocess.run(["mount", "-o", "remount,rw", self.path("st")], check=True)
        self.assertEqual(self.crawl("--state", "st").status, 0)
        self.expect_all()

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_directory_without_permission(self):
        os.mkdir(self.path("st"), 0o500)
        result = self.crawl("--state", "st", "http://a.localhost/")
        self.assertEqual(result.status, 4)
        self.assertIn("Permission denied", result.stderr)

    def test_directory_that_is_a_file(self):
        self.write("st", "x")
        result = self.crawl("--state", "st", "http://a.localhost/")
        self.assertEqual(result.status, 4)
        self.assertIn("st", result.stderr)


if __name__ == "__main__":
    harness.main()
