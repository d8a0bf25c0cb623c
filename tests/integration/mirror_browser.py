#!/usr/bin/env python3
"""Opens pages of an offline copy in headless Chromium with the network off, and names every failed request.

    python3 tests/integration/mirror_browser.py COPY [PAGES]

Opens PAGES (200) random pages of the copy. Chromium's network log has the requests: those for files must all succeed;
those for the web, which a copy makes for anything that was not crawled, are counted separately. Then as many random
links of the pages are checked, and each must lead to a file. Too slow for the tests: they follow every link of a small
copy without a browser (output/test_mirror.py).
"""
import html.parser
import os
import random
import sys
import urllib.parse

import browser


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.hrefs = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.hrefs += [value for name, value in attrs if name in ("href", "src") and value]


def pages_of(copy):
    found = []
    for folder, folders, names in os.walk(copy):
        folders[:] = [name for name in folders if name != ".crawl-mirror"]
        found += [os.path.join(folder, name) for name in names if name.endswith(".html")]
    return sorted(found)


def open_in_browser(pages):
    """Returns the requests, URL -> reason of the failure, and the number of opened pages."""
    asked, opened = {}, 0
    without_network = browser.Browser(before=("unshare", "--net", "--map-root-user"))
    for page in pages:
        of_page = without_network.open("file://" + urllib.parse.quote(page))
        opened += of_page is not False
        asked.update(of_page or {})
    without_network.close()
    return asked, opened


def check_links(copy, pages, count):
    """Returns how many of the random links lead to a file of the copy, and the list of the others."""
    drawn = []
    for page in random.sample(pages, len(pages)):
        with open(page, encoding="utf-8", errors="replace") as file:
            hrefs = [href for href in Links(file.read()).hrefs if not urllib.parse.urlsplit(href).scheme
                     and not href.startswith("#")]
        drawn += [(page, href) for href in random.sample(hrefs, min(2, len(hrefs)))]
        if len(drawn) >= count:
            break
    lost = []
    for page, href in drawn[:count]:
        target = os.path.normpath(os.path.join(os.path.dirname(page),
                                               urllib.parse.unquote(urllib.parse.urlsplit(href).path)))
        if not os.path.isfile(target) or not target.startswith(os.path.join(copy, "")):
            lost.append((page, href))
    return len(drawn[:count]), lost


def main():
    copy, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    pages = pages_of(copy)
    some = random.sample(pages, min(count, len(pages)))
    asked, opened = open_in_browser(some)
    drawn, lost = check_links(copy, pages, count)
    files = {url: error for url, error in asked.items() if url.startswith("file:")}
    failed = {url: error for url, error in files.items() if error}
    web = {url for url in asked if url.startswith("http")}
    print(f"{opened} of {len(some)} pages opened; {len(files)} files asked for, {len(failed)} failed; {len(web)} URLs "
          f"of the web asked for")
    print(f"{drawn} links drawn, {len(lost)} lead to no file")
    for what in [*failed.items(), *lost, *sorted(web)[:20]]:
        print("  ", what)
    sys.exit(1 if failed or lost or opened < len(some) else 0)


if __name__ == "__main__":
    main()
