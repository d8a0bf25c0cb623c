"""Tests that a type checker accepts correct programs that use the package, and finds the error of wrong ones."""
import support

support.need("cffi", "mypy")

import os  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402

import crawlfrontier  # noqa: E402

RIGHT = """
import asyncio
from array import array
import crawlfrontier
from crawlfrontier import Filter, Frontier

with Filter("counting", capacity=1_000_000, fpr=1e-6) as seen:
    new: bool = seen.add("http://a.example/")
    inside: bool = b"x" in seen
    count: int = seen.update(["a", b"b"])
    marks: bytearray = seen.add_many(b"aabb", key_size=2, where=array("I"))
    kept: list[str | bytes] = list(seen.fresh(["a"]))
    rate: float = seen.stats().expected_false
    seen.save("x")
again: Filter = Filter.load("x", map=True)
key: str = crawlfrontier.canonicalize("http://a.example/", profile="surt")
stands: bytes = crawlfrontier.fingerprint("GET", "http://a.example/")
for link in crawlfrontier.extract_links(b"", "http://a.example/", tags=["a"], text=True):
    words: str = link.tag + link.url + link.text
    follow: bool = not link.nofollow
allowed: bool = crawlfrontier.parse_robots(b"", "bot").allowed("http://a.example/")
for entry in crawlfrontier.sitemap(b"", "http://a.example/").entries:
    when: float | None = entry.lastmod


async def work(frontier: Frontier) -> None:
    async for lease in frontier:
        frontier.push_many([lease.url], parent=lease.url, depth=lease.depth + 1)
    last = await frontier.pop_async(1)
    if last is not None:
        last.retry_at(1.5)


with Frontier("state", pause=1.0, seen={"kind": "exact"}) as queue:
    asyncio.run(work(queue))
    hosts: int = queue.stats().hosts
    for one in queue:
        one.done()


def fetch(method: str, url: str, headers: crawlfrontier.Headers, body: bytes) -> crawlfrontier.Answer | None:
    return (200, {"Content-Type": "text/html"}, b"") if method == "GET" else None


with crawlfrontier.Renderer(clock=2.5, open=1) as renderer:
    page = renderer.render("http://a.example/", fetch=fetch, screenshot=True)
    size: int = len(page.screenshot) + page.body_bytes
    html: str = page.html + page.frames[0].base + page.links[0].how + page.parts[0].fate
    html = renderer.submit("http://a.example/", fetch=fetch, response=(200, [("a", b"b")], b"")).result().lack
"""

WRONG = {
    "Filter().add(3)": "arg-type",
    "Filter(rate=1e-6)": "call-arg",
    "Frontier().pop().done()": "union-attr",
    "Frontier().push_many(7)": "arg-type",
    "crawlfrontier.Renderer().render('http://a.example/')": "call-arg",
    "size: int = crawlfrontier.canonicalize('http://a.example/')": "assignment",
}


class Types(support.TestCase):
    def said_of(self, code):
        with open(self.path("user.py"), "w", encoding="utf-8") as file:
            file.write(code)
        package = os.path.dirname(os.path.dirname(os.path.abspath(crawlfrontier.__file__)))
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-color-output",
                               "user.py"], cwd=self.folder, env={**os.environ, "MYPYPATH": package},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout

    def test_right_programs(self):
        with open(os.path.join(support.ROOT, "docs", "python.md"), encoding="utf-8") as file:
            first = re.search(r"^```python\n(.*?)^```", file.read(), re.M | re.S).group(1)
        for code in (RIGHT, first):
            self.assertRegex(self.said_of(code), "^Success: no issues found")

    def test_wrong_programs(self):
        lines = "import crawlfrontier\nfrom crawlfrontier import Filter, Frontier\n" + "\n".join(WRONG)
        found = re.findall(r"^user.py:(\d+): error: .*\[([a-z-]+)\]$", self.said_of(lines), re.M)
        self.assertEqual(found, [(str(3 + at), kind) for at, kind in enumerate(WRONG.values())])

    def test_the_package_is_typed(self):
        folder = os.path.dirname(os.path.abspath(crawlfrontier.__file__))
        self.assertTrue(os.path.exists(os.path.join(folder, "py.typed")))


if __name__ == "__main__":
    support.main()
