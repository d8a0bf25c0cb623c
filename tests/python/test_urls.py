"""Tests URLs, canonical forms and fingerprints from Python, the doctests of the package, and the search for its
library."""
import subprocess
import support

support.need("cffi")

import doctest  # noqa: E402
import hashlib  # noqa: E402
import importlib  # noqa: E402
import os  # noqa: E402
import pkgutil  # noqa: E402
import sys  # noqa: E402
import typing  # noqa: E402

import crawlfrontier  # noqa: E402
from crawlfrontier import canonicalize, fingerprint, fingerprint_many, resolve  # noqa: E402


class Urls(support.TestCase):
    def test_resolve(self):
        self.assertEqual(resolve("http://EXAMPLE.com"), "http://example.com/")
        self.assertEqual(resolve("?q", "http://a.example/b"), "http://a.example/b?q")
        self.assertEqual(resolve(b"/\xff", "http://a.example/"), "http://a.example/%FF")
        self.assertEqual(resolve("?é", "http://a.example/", charset="iso-8859-1"), "http://a.example/?%E9")
        for text, base in (("", None), ("relative", None), ("http://", None), ("x", "no base")):
            with self.assertRaisesRegex(crawlfrontier.ParseError, "no URL: '"):
                resolve(text, base)

    def test_canonicalize(self):
        self.assertEqual(canonicalize("http://a.example/?b&a=%7e#x"), "http://a.example/?a=~&b=")
        self.assertEqual(canonicalize("../x", "http://a.example/b/c"), "http://a.example/x")
        self.assertEqual(canonicalize("http://www.a.example:80/P/", profile="surt"), "example,a)/p")
        self.assertEqual(canonicalize("/a?c&b#f", profile="w3lib", keep_fragment=True, drop_blank=True), "/a#f")
        self.assertEqual(canonicalize("http://a.example/?b=1&sort=x", drop="sort, x*"), "http://a.example/?b=1")
        with self.assertRaises(crawlfrontier.InvalidError):
            canonicalize("mailto:a@a.example")
        with self.assertRaises(crawlfrontier.ParseError):
            canonicalize("no url")
        with self.assertRaisesRegex(crawlfrontier.ParseError, "@magic"):
            canonicalize("http://a.example/", drop="@magic")
        with self.assertRaisesRegex(crawlfrontier.InvalidError, "default, w3lib, surt"):
            canonicalize("http://a.example/", profile="magic")

    def test_fingerprint_is_sha_1_of_the_canonical_form(self):
        expected = hashlib.sha1(b"GEThttp://a.example/?a=&b=").digest()
        self.assertEqual(fingerprint("GET", "http://a.example/?b&a"), expected)
        self.assertEqual(fingerprint("POST", "http://a.example/", b"x=1"),
                         hashlib.sha1(b"POSThttp://a.example/\nx=1").digest())

    def test_headers_are_pairs_or_a_dict(self):
        words = {"kind": "scrapy-2.7", "include_headers": ["Accept"]}
        made = [fingerprint("GET", "http://a.example/", headers=headers, **words)
                for headers in ((), [("Accept", "x")], {"Accept": "x"})]
        self.assertEqual((len(set(made)), made[1]), (2, made[2]))

    def test_many_are_as_one_at_a_time(self):
        urls = [f"http://a.example/{i}?b={i}&a=é" for i in range(1000)]
        for kind in ("default", "scrapy-2.6", "scrapy-2.7"):
            one_by_one = b"".join(fingerprint("GET", url, kind=kind) for url in urls)
            self.assertEqual(fingerprint_many(urls, kind=kind), one_by_one)
            self.assertEqual(fingerprint_many((url.encode() for url in urls), kind=kind), one_by_one)
        self.assertEqual(fingerprint_many([]), b"")
        with self.assertRaisesRegex(crawlfrontier.ParseError, "'no url'"):
            fingerprint_many(["http://a.example/", "no url"])


class Package(support.TestCase):
    def test_doctests(self):
        tried = 0
        for module in pkgutil.walk_packages(crawlfrontier.__path__, "crawlfrontier."):
            if module.name == "crawlfrontier._native" or module.name.startswith("crawlfrontier.scrapy"):
                continue
            result = doctest.testmod(importlib.import_module(module.name))
            self.assertEqual(result.failed, 0, module.name)
            tried += result.attempted
        self.assertEqual(doctest.testmod(crawlfrontier).failed, 0)
        self.assertGreater(tried, 15)

    def test_every_name_has_words(self):
        for name in crawlfrontier.__all__:
            value = getattr(crawlfrontier, name)
            if callable(value) and not typing.get_origin(value):  # a name for a type, with words after it
                self.assertTrue((value.__doc__ or "").strip(), name)

    def run_python(self, code, **environment):
        return subprocess.run([sys.executable, "-c", code], env=dict(os.environ, **environment), capture_output=True,
                              text=True, check=False)

    def test_the_library_that_is_named_is_loaded(self):
        self.assertEqual(crawlfrontier.library_name, os.environ["CRAWLFRONTIER_LIBRARY"])
        done = self.run_python("import crawlfrontier", CRAWLFRONTIER_LIBRARY="/nowhere/libcrawl.so")
        self.assertRegex(done.stderr, "ImportError: libcrawl is not to be loaded: .*CRAWLFRONTIER_LIBRARY")

    def test_a_library_of_another_version_is_refused(self):
        words = r"x.so is of version 0\.2\.0, and this package reads libcrawl\.so\.0\.1"
        with self.assertRaisesRegex(ImportError, words):
            crawlfrontier._library.fitting_version("0.2.0", "x.so")
        self.assertEqual(crawlfrontier._library.fitting_version("0.1.7", "x.so"), "0.1.7")


if __name__ == "__main__":
    support.main()
