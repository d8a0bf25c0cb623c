"""Tests the package as its users see it: installed into an empty folder, found by CMake and by pkg-config, and used for
a spider.

CRAWL_INSTALL_BUILD names a build folder to install; CRAWL_EXAMPLES one with the examples."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "integration"))
import harness  # noqa: E402
import redis_server  # noqa: E402
import warc_reader  # noqa: E402

SITE = {
    "index.html": "<title>Home</title><a href=/a.html>a</a><a href=/private/x.html>x</a><a href=/b.html>b</a><a "
                  "href=/news/1.html>1</a>",
    "a.html": "<title>A</title><a href=/news/2.html>2</a>",
    "b.html": "<title>B</title>",
    "news/1.html": "<title>One</title>",
    "news/2.html": "<title>Two</title>",
    "private/x.html": "<title>X</title>",
}


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900,
                          check=False, **options)
    if done.returncode:
        raise AssertionError("%s: exit %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


class Spider(harness.TestCase):
    """Checks the work of a spider, whoever built it."""

    def check_spider(self, *command):
        nginx = self.start_nginx({"a.localhost": self.make_site(SITE)})
        out = run(*command, nginx.url("a.localhost", "/"))
        titles = [line.split(" ", 2)[2] for line in out.splitlines() if line.startswith("200 ")]
        self.assertEqual(titles, ["Home", "One", "A", "Two", "B"], out)
        asked = {request.uri for request in nginx.requests("a.localhost")}
        self.assertNotIn("/private/x.html", asked)


class Examples(Spider):
    def example(self, name):
        return os.path.join(os.environ["CRAWL_EXAMPLES"], name)

    def test_seen(self):
        out = subprocess.run([self.example("seen")], input="a\nb\na\nb\nc\n", capture_output=True, text=True,
                             check=True)
        self.assertEqual(out.stdout, "a\nb\nc\n")
        self.assertRegex(out.stderr, r"^3 lines in \d+ bytes$")

    def test_frontier(self):
        lines = run(self.example("frontier")).splitlines()
        self.assertEqual(len(lines), 14)
        starts = {}
        for line in lines:
            at, _, _, depth, url = line.split()
            host = url.split("/")[2]
            self.assertGreaterEqual(int(at), starts.get(host, -1000) + 1000)
            starts[host] = int(at)
        self.assertEqual(max(starts.values()), 6000)

    def test_threads(self):
        self.assertEqual(run(self.example("threads")), "10000 pages\n")

    def test_links(self):
        page = self.write("page.html", "<title>T</title><base href=/d/><a href=x>x</a><iframe "
                                       "src=//y.example/></iframe>")
        self.assertEqual(run(self.example("links"), page, "http://a.example/"),
                         "# T\na\thttp://a.example/d/x\niframe\thttp://y.example/\n")

    def test_fetch(self):
        nginx = self.start_nginx({"a.localhost": self.make_site(SITE)})
        out = subprocess.run([self.example("fetch"), nginx.url("a.localhost", "/b.html")], capture_output=True,
                             text=True, check=True)
        self.assertEqual(out.stdout, SITE["b.html"])
        self.assertRegex(out.stderr, r"^200, \d+ bytes from (127\.0\.0\.1|::1) in ")

    def test_spider(self):
        self.check_spider(self.example("spider"))

    def test_titles(self):
        nginx = self.start_nginx({"a.localhost": self.make_site(SITE)})
        out = run(self.example("titles"), nginx.url("a.localhost", "/"))
        self.assertEqual(sorted(out.splitlines()),
                         sorted(f"200 {title}" for title in ("Home", "A", "B", "One", "Two", "X")))
        wrong = subprocess.run([self.example("titles"), "nothing"], capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (1, ""))
        self.assertRegex(wrong.stderr, "^titles: .+\n$")

    def test_shared(self):
        nginx = self.start_nginx({"a.localhost": self.make_site(SITE)})
        redis = self.serve(redis_server.Redis())
        side_by_side = [subprocess.Popen([self.example("shared"), redis.url("name=x"), nginx.url("a.localhost", "/")],
                                         stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True) for _ in range(3)]
        told = [process.communicate(timeout=100) for process in side_by_side]
        self.assertEqual([process.returncode for process in side_by_side], [0] * 3, told)
        titles = [line.split(" ", 2)[2] for out, _ in told for line in out.splitlines() if line.startswith("200 ")]
        self.assertEqual(sorted(titles), ["A", "B", "Home", "One", "Two", "X"], told)
        self.assertEqual(len(nginx.requests("a.localhost")), 7)
        self.assertIn("6 requests by all", "".join(said for _, said in told))

    def test_output(self):
        nginx = self.start_nginx({"a.localhost": self.make_site(dict(SITE, **{"last.html": "last"}))})
        lines = run(self.example("output"), nginx.url("a.localhost", "/a.html"),
                    nginx.url("a.localhost", "/last.html")).splitlines()
        self.assertEqual([line.split("\t")[0] for line in lines], ["200"] * 3)
        self.assertTrue(lines[-1].split("\t")[2].endswith("/last.html"), lines)

    def test_archive(self):
        nginx = self.start_nginx({"a.localhost": self.make_site(dict(SITE,
                                                                     **{"b.html": "<title>B and  more</title>"}))})
        folder = harness.temporary_folder()
        self.addCleanup(shutil.rmtree, folder)
        command = [self.example("archive"), nginx.url("a.localhost", "/"), folder]
        lines = run(*command).splitlines()
        with open(os.path.join(folder, "pages.jsonl"), encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        self.assertEqual(sorted(lines), sorted(f"{record['status']} {record['url']}" for record in records))
        self.assertEqual({record["title"]: record["title_words"] for record in records},
                         {"Home": 1, "A": 1, "B and more": 3, "One": 1, "Two": 1, "X": 1})
        responses = [record.headers["WARC-Target-URI"] for record in warc_reader.read_all(os.path.join(folder, "site"))
                     if record.headers["WARC-Type"] == "response"]
        self.assertLessEqual({record["url"] for record in records}, set(responses))
        again = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((again.returncode, again.stdout), (1, ""))
        self.assertRegex(again.stderr, "^archive: output: .*pages.jsonl already exists")


class Installed(Spider):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = harness.temporary_folder()
        cls.prefix = os.path.join(cls.home, "prefix")
        run("cmake", "--install", os.environ["CRAWL_INSTALL_BUILD"], "--prefix", cls.prefix)
        cls.lib = os.path.dirname(next(os.path.join(at, name) for at, _, names in os.walk(cls.prefix)
                                       for name in names if name == "libcrawl.a"))
        cls.source = os.path.join(cls.home, "source")
        os.mkdir(cls.source)
        shutil.copy(os.path.join(ROOT, "examples", "spider.c"), cls.source)
        shutil.copy(os.path.join(HERE, "outside", "CMakeLists.txt"), cls.source)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.home, ignore_errors=True)

    def test_cmake(self):
        build = os.path.join(self.folder, "build")
        run("cmake", "-S", self.source, "-B", build, "-G", "Ninja", "-DCMAKE_PREFIX_PATH=" + self.prefix)
        run("cmake", "--build", build)
        self.check_spider(os.path.join(build, "spider"))
        self.check_spider(os.path.join(build, "spider_static"))

    def test_pkg_config(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(self.lib, "pkgconfig"))
        spider = os.path.join(self.folder, "spider")
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "crawl", env=environment))
        run("cc", "-o", spider, os.path.join(self.source, "spider.c"), *flags, "-Wl,-rpath," + self.lib)
        self.check_spider(spider)
        self.check_spider("valgrind", "-q", "--error-exitcode=9", "--leak-check=full",
                          "--errors-for-leak-kinds=definite", spider)

    def test_a_manual_page_for_each_word(self):
        words = re.findall(r"^  crawl ([a-z]+) ", run(os.path.join(self.prefix, "bin", "crawl"), "help"), re.M)
        self.assertGreater(len(words), 7)
        pages = {name for _, _, names in os.walk(os.path.join(self.prefix, "share", "man")) for name in names}
        self.assertEqual(pages, {"crawl.1", "crawler.conf.5", *(f"crawl-{word}.1" for word in words)})

    def test_each_link_of_the_installed_documents_leads_to_a_file(self):
        documents = os.path.join(self.prefix, "share", "doc", "crawl")
        pages = [os.path.join(at, name) for at, _, names in os.walk(documents) for name in names
                 if name.endswith(".md")]
        self.assertIn(os.path.join(documents, "README.md"), pages)
        self.assertGreater(len(pages), 20)
        links = []
        for page in pages:
            with open(page, encoding="utf-8") as file:
                text = re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S)
            links += [(page, link) for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)|src=\"([^\"]+)\"", text)]
        targets = [(page, link or source) for page, (link, source) in links if not re.match("[a-z]+:", link or source)]
        self.assertGreaterEqual({os.path.splitext(target)[1] for _, target in targets}, {".md", ".png", ".svg", ".c"})
        gone = [(page, target) for page, target in targets
                if not os.path.exists(os.path.join(os.path.dirname(page), target))]
        self.assertEqual(gone, [])

    def test_only_public_names_are_seen(self):
        out = run("nm", "-D", "--defined-only", os.path.join(self.lib, "libcrawl.so"))
        names = [line.split()[-1] for line in out.splitlines()]
        self.assertGreater(len(names), 100)
        self.assertEqual([name for name in names if not name.startswith("crawl_")], [])

    def test_every_declared_function_is_there(self):
        out = run("nm", "-D", "--defined-only", os.path.join(self.lib, "libcrawl.so"))
        names = {line.split()[-1] for line in out.splitlines()}
        folder = os.path.join(self.prefix, "include", "crawl")
        headers = sorted(Path(folder).rglob("*.h"))
        calls = "".join("#include <crawl/%s>\n" % path.relative_to(folder) for path in headers)
        expanded = run("cc", "-E", "-DCRAWL_TEST", "-I", os.path.join(self.prefix, "include"), "-x", "c",
                       self.write("all.c", calls))
        declared = set(re.findall(r"visibility\(\"default\"\)\)\)[^;{]*?\b(crawl_\w+)\(", expanded))
        self.assertGreater(len(declared), 100)
        self.assertEqual(declared - names, set())


@unittest.skipUnless(shutil.which("dpkg-shlibdeps") and shutil.which("cpack"), "dpkg-dev is not installed")
class Packages(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = harness.temporary_folder()
        cls.first, cls.second = (cls.make(os.path.join(cls.home, name)) for name in ("first", "second"))

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.home, ignore_errors=True)

    @classmethod
    def make(cls, folder):
        """Makes the packages. Returns their files by name."""
        run("cpack", "-G", "DEB", "--config", os.path.join(os.environ["CRAWL_INSTALL_BUILD"], "CPackConfig.cmake"),
            "-D", "CPACK_OUTPUT_FILE_PREFIX=" + folder, "-D", "CPACK_PACKAGE_DIRECTORY=" + folder + "-work",
            "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip",  # in a tenth of the time
            env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
        return {name.split("_")[0]: os.path.join(folder, name) for name in os.listdir(folder)}

    def files(self, package):
        listed = run("dpkg-deb", "--contents", self.first[package]).splitlines()
        return {line.split()[5] for line in listed if not line.endswith("/")}

    def test_what_is_in_which(self):
        library = next(name for name in self.first if re.fullmatch(r"libcrawl[0-9.]+", name))
        self.assertEqual(set(self.first), {"crawl", "crawl-pdf", library, "libcrawl-dev", "python3-crawlfrontier"})
        program = self.files("crawl")
        for name in ("bin/crawl", "share/man/man1/crawl.1.gz", "share/man/man5/crawler.conf.5.gz",
                     "lib/systemd/system/crawl@.service", "lib/sysusers.d/crawl.conf", "share/doc/crawl/copyright",
                     "share/bash-completion/completions/crawl", "share/zsh/vendor-completions/_crawl",
                     "share/fish/vendor_completions.d/crawl.fish"):
            self.assertIn("./usr/" + name, program)
        self.assertIn("./etc/logrotate.d/crawl", program)
        self.assertEqual(run("dpkg-deb", "--info", self.first["crawl"], "conffiles").split(),
                         ["/etc/logrotate.d/crawl"], "what an owner changes stays")
        self.assertTrue(any(re.search(r"/libcrawl\.so\.[0-9.]+$", name) for name in self.files(library)))
        development = self.files("libcrawl-dev")
        for end in ("/include/crawl/engine.h", "/libcrawl.a", "/libcrawl.so", "/pkgconfig/crawl.pc",
                    "/crawlConfig.cmake"):
            self.assertTrue(any(name.endswith(end) for name in development), end)
        self.assertIn("./usr/libexec/crawl/crawl-pdf", self.files("crawl-pdf") - program)
        python = self.files("python3-crawlfrontier")
        source = os.path.join(ROOT, "python", "crawlfrontier")
        modules = {os.path.relpath(os.path.join(at, name), source) for at, _, names in os.walk(source) for name in names
                   if name.endswith((".py", ".txt", ".typed")) and name != "_native.py"}
        self.assertEqual({name.split("/crawlfrontier/")[1] for name in python if "/crawlfrontier/" in name}, modules)

    def test_what_they_need(self):
        needs = {name: run("dpkg-deb", "--field", file, "Depends") for name, file in self.first.items()}
        self.assertRegex(needs["crawl"], r"libcurl4.*libevent-2")
        self.assertIn("libpoppler-glib", needs["crawl-pdf"])
        self.assertNotIn("poppler", needs["crawl"])
        for name in needs:  # loaded on demand, not linked
            if re.fullmatch(r"crawl|libcrawl[0-9.]+", name):
                self.assertRegex(needs[name], r"\blibrocksdb[0-9.]+")
        self.assertRegex(needs["python3-crawlfrontier"], r"python3-cffi, libcrawl[0-9.]+ \(>= [0-9.]+\)")
        # Users must have everything that crawl.pc names.
        with open(os.path.join(os.environ["CRAWL_INSTALL_BUILD"], "crawl.pc"), encoding="utf-8") as file:
            text = file.read()
        packages = {"libcurl": "libcurl4-openssl-dev", "libxml-2.0": "libxml2-dev", "libxxhash": "libxxhash-dev",
                    "libevent": "libevent-dev", "libevent_pthreads": "libevent-dev", "libevent_openssl": "libevent-dev",
                    "hiredis": "libhiredis-dev", "libssl": "libssl-dev", "libcrypto": "libssl-dev",
                    "zlib": "zlib1g-dev", "libbrotlidec": "libbrotli-dev", "libzstd": "libzstd-dev",
                    "inih": "libinih-dev",
                    "jansson": "libjansson-dev",
                    "libpcre2-8": "libpcre2-dev", "libpsl": "libpsl-dev"}
        for name in re.search(r"^Requires.private: (.*)$", text, re.M)[1].split(", "):
            self.assertIn(packages[name], needs["libcrawl-dev"])

    def test_made_twice_they_are_the_same(self):
        for name in self.first:
            with open(self.first[name], "rb") as one, open(self.second[name], "rb") as other:
                self.assertTrue(one.read() == other.read(), name)

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_names_no_error(self):
        done = subprocess.run(["lintian", "--fail-on", "none", *self.first.values()], capture_output=True, text=True,
                              check=False)
        # The tested build tree has no maintainer.
        about_this_tree = ("bogus-mail-host",)
        errors = [line for line in done.stdout.splitlines() if line.startswith("E: ")]
        self.assertEqual([line for line in errors if not line.split(": ")[2].startswith(about_this_tree)], [])


class WithoutParts(harness.TestCase):
    """All optional parts off, on a machine where pkg-config finds no RocksDB."""

    def test_builds_and_passes_the_tests_of_the_frontier_in_memory(self):
        files = self.path("pkgconfig")
        os.mkdir(files)
        for folder in run("pkg-config", "--variable=pc_path", "pkg-config").strip().split(":"):
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                if name != "rocksdb.pc" and not os.path.lexists(os.path.join(files, name)):
                    os.symlink(os.path.join(folder, name), os.path.join(files, name))
        environment = {name: value for name, value in os.environ.items() if name != "PKG_CONFIG_PATH"}
        environment["PKG_CONFIG_LIBDIR"] = files
        build = self.path("build")
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *[f"-DCRAWL_{part}=OFF" for part in
                                                                   ("DISK", "SHARED", "RENDER", "PDF", "BENCH")],
            "-DCMAKE_BUILD_TYPE=None", env=environment)
        tests = ["unit_frontier_" + name for name in ("model", "no_disk", "notes", "push")]
        run("cmake", "--build", build, "-j2", "--target", *tests)
        run("ctest", "--test-dir", build, "-R", "^(%s)$" % "|".join(name.replace("_", "/", 1) for name in tests),
            "--output-on-failure")
        run("cmake", "--build", build, "-j2", "--target", "crawl")
        half = subprocess.run(["cmake", "--install", build, "--prefix", self.path("prefix")], capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(half.returncode, 0)
        self.assertIn("First: cmake --build " + build, " ".join(half.stderr.split()))
        self.assertFalse(os.path.exists(self.path("prefix")))
        seed = "http://127.0.0.1:1/"
        for reason, command in (("this build has no disk store", ["inspect", "."]),
                                ("this build has no disk store", ["--state", ".", seed]),
                                ("this build has no disk store", ["explain", "--state", ".", seed]),
                                ("this build has no shared crawls", ["--state", "redis://127.0.0.1:1/0?name=x", seed]),
                                ("this build cannot render pages", ["--render", "auto", seed]),
                                ("this build cannot render pages", ["render", seed]),
                                ("crawl-pdf", ["--pdf", seed])):
            done = subprocess.run([os.path.join(build, "crawler", "crawl"), *command], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)
        for name in ("crawl.pc", "crawlConfig.cmake"):
            with open(os.path.join(build, name), encoding="utf-8") as file:
                self.assertNotIn("rocksdb", file.read())


if __name__ == "__main__":
    harness.main()
