#!/usr/bin/python3
"""Compares the link extractor with Scrapy's own, argument by argument, on the HTML documentation of Debian packages.

    tests/python/compare_links.py [--pages 300] [--most 20000] [FOLDER...]

Takes up to --pages HTML files of at most --most bytes below the folders (by default /usr/share/doc), spread evenly over
all packages, and compares URL, fragment, nofollow and text of each link, for each of the arguments of test_scrapy.py.
URLs of both sides are compared in the form of the URL standard, texts without white space. If Scrapy's text is empty,
ours may be the alt of an image. Prints a line for each argument, and the pages whose links differ, with the first
difference. The library is the one that CRAWLFRONTIER_LIBRARY names.
"""
import argparse
import collections
import hashlib
import itertools
import os
import sys

import test_scrapy
from crawlfrontier import ParseError, resolve
from crawlfrontier.scrapy import LinkExtractor
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor as ScrapysExtractor


def pages_of(folder, most):
    """Returns the pages below a folder, in a fixed order that puts neighbours far apart."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    fitting = [path for path in paths if path.endswith((".html", ".htm")) and 0 < os.path.getsize(path) <= most]
    return sorted(fitting, key=lambda path: hashlib.sha1(path.encode()).digest())


def pages_below(folders, count, most):
    """Takes pages from each package in turn."""
    packages = [os.path.join(folder, name) for folder in folders for name in sorted(os.listdir(folder))]
    turns = itertools.zip_longest(*(pages_of(package, most) for package in packages))
    return sorted(itertools.islice((path for turn in turns for path in turn if path), count))


def standard(url):
    try:
        return resolve(url)
    except ParseError:
        return url


def text_of(link):
    return " ".join(link.text.split()).encode()[:256].decode(errors="ignore").rstrip()


def links_of(extractor, response):
    return [(standard(link.url), link.fragment, link.nofollow, text_of(link))
            for link in extractor.extract_links(response)]


def without_alts(ours, scrapys):
    """Returns our links, without a text where Scrapy's has none."""
    if len(ours) != len(scrapys):
        return ours
    return [own if other[-1] else (*own[:-1], "") for own, other in zip(ours, scrapys)]


def first_difference(ours, scrapys):
    for own, other in zip(ours, scrapys):
        if own != other:
            return f"{own} / {other}"
    longer = ours if len(ours) > len(scrapys) else scrapys
    return f"{'only here' if longer is ours else 'only there'}: {longer[min(len(ours), len(scrapys))]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--most", type=int, default=20_000)
    parser.add_argument("folders", nargs="*", default=["/usr/share/doc"])
    options = parser.parse_args()
    paths = pages_below(options.folders, options.pages, options.most)
    responses = []
    for path in paths:
        with open(path, "rb") as file:
            responses.append((path, HtmlResponse(f"http://a.example{path}", body=file.read(), encoding="utf-8")))
    said = collections.defaultdict(list)
    print(f"{len(paths)} pages")
    print(f"{'arguments':28}{'links':>10}{'only here':>11}{'only there':>11}{'pages that differ':>19}")
    for words, arguments in test_scrapy.ARGUMENTS.items():
        ours, scrapys = LinkExtractor(**arguments), ScrapysExtractor(**arguments)
        links = here = there = differing = 0
        for path, response in responses:
            other = links_of(scrapys, response)
            own = without_alts(links_of(ours, response), other)
            links += len(other)
            if own != other:
                differing += 1
                counts = collections.Counter(own), collections.Counter(other)
                here, there = here + (counts[0] - counts[1]).total(), there + (counts[1] - counts[0]).total()
                said[path].append((words, first_difference(own, other)))
        print(f"{words:28}{links:10}{here:11}{there:11}{differing:19}", flush=True)
    for path, differences in said.items():
        print(f"{path}: {len(differences)} arguments; {differences[0][0]}: {differences[0][1]}")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
