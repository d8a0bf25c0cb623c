"""Tests that the package builds as a wheel with Debian's packages and no compiler, and that its declarations are those
of the public headers. Unpacks the wheel for the other tests."""
import subprocess
import support

support.need("cffi", "setuptools", "wheel")

import os  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import sys  # noqa: E402
import zipfile  # noqa: E402

SOURCE = os.path.join(support.ROOT, "python")


class Wheel(support.TestCase):
    def test_is_built_without_a_compiler(self):
        copy = self.path("source")
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", "dist", "__pycache__", "*.egg-info"))
        environment = dict(os.environ, CC="/bin/false", PYTHONPATH="")
        done = subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel"], cwd=copy, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        wheels = os.listdir(os.path.join(copy, "dist"))
        self.assertEqual(wheels, ["crawlfrontier-0.1.0-py3-none-any.whl"])
        self.unpack(os.path.join(copy, "dist", wheels[0]))

    def unpack(self, wheel):
        target = os.environ.get("CRAWL_UNPACKED") or self.path("unpacked")
        shutil.rmtree(target, ignore_errors=True)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)
        package = os.path.join(target, "crawlfrontier")
        self.assertLessEqual({"__init__.py", "_native.py", "_cdef.txt", "py.typed"}, set(os.listdir(package)))

    def test_declarations_are_those_of_the_headers(self):
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "make-cdef"), "--check"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_changed_header_is_noticed(self):
        headers = self.path("headers")
        shutil.copytree(os.path.join(support.ROOT, "include", "crawl"), headers)
        with open(os.path.join(headers, "bloom.h"), "r+", encoding="utf-8") as header:
            text = header.read().replace("uint64_t capacity;", "uint32_t capacity;")
            header.seek(0)
            header.write(text)
            header.truncate()
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "make-cdef"), "--check", headers],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)

    def test_versions_agree(self):
        def found(name, pattern):
            with open(os.path.join(support.ROOT, name), encoding="utf-8") as file:
                return ".".join(re.findall(pattern, file.read()))
        version = found("CMakeLists.txt", r"project\(crawl VERSION ([0-9.]+)")
        self.assertEqual(found("include/crawl/base.h", r"#define CRAWL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)"), version)
        self.assertEqual(found("python/pyproject.toml", r'(?m)^version = "([0-9.]+)"'), version)
        soname = found("python/crawlfrontier/_library.py", r'SONAME = "libcrawl\.so\.([0-9.]+)"')
        self.assertEqual(soname, version.rpartition(".")[0])


if __name__ == "__main__":
    support.main()
