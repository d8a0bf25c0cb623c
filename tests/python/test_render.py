"""Tests pages rendered by the real browser, Debian's chromium-headless-shell, from Python: results, requests and
failures. No server is needed, since the test answers all requests of a page."""
import support

support.need("cffi")

import asyncio  # noqa: E402
import concurrent.futures  # noqa: E402
import os  # noqa: E402
import socket  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402

import rendering  # noqa: E402

import crawlfrontier  # noqa: E402
from crawlfrontier import Renderer  # noqa: E402

HTML = [("Content-Type", "text/html; charset=utf-8")]
LIST = "<p id=p><script src=list.js></script>"
# The links are not in the source as they are.
FILES = {"/": LIST, "/old": (302, {"Location": "/"}, b""), "/round": (301, {"Location": "/round"}, b""),
         "/list.js": "fetch('teas.json').then(r=>r.json(),()=>['no'+'ne']).then(l=>{for(const x of l)"
                     "p.insertAdjacentHTML('beforeend','<a hr'+'ef=/tea/'+x+'>\u00e9</a>')})",
         "/teas.json": '["green","black"]'}


def answer(method, url, headers, body):
    """Answers for a site at http://a.example."""
    found = FILES.get(url.removeprefix("http://a.example"))
    if found is None:
        return 404, {}, b""
    return found if isinstance(found, tuple) else (200, HTML, found.encode())


def page(text):
    return 200, HTML, ("<!doctype html><title>t</title><body>" + text).encode()


class Render(support.TestCase):
    @classmethod
    def setUpClass(cls):
        rendering.need_browser()
        cls.renderer = Renderer()
        cls.addClassCleanup(cls.renderer.close)

    def render(self, fetch=answer, url="http://a.example/", **words):
        return self.renderer.render(url, fetch=fetch, **words)


class Pages(Render):
    def test_links_that_scripts_make(self):
        got = self.render()
        frame, = got.frames
        self.assertEqual((frame.url, frame.base), ("http://a.example/", "http://a.example/"))
        self.assertIn(">\u00e9</a>", got.html)
        links = crawlfrontier.extract_links(got.html, frame.base)
        self.assertEqual([link.url for link in links], ["http://a.example/tea/green", "http://a.example/tea/black"])
        self.assertEqual((got.lack, got.words, got.screenshot, got.links), ("", "", b"", []))
        self.assertEqual([tuple(part) for part in got.parts], [
            ("http://a.example/list.js", "GET", "Script", "200"), ("http://a.example/teas.json", "GET", "XHR", "200")])
        self.assertEqual(got.body_bytes, len(FILES["/list.js"].encode()) + len(FILES["/teas.json"]))

    def test_redirects_of_the_page(self):
        self.assertEqual(self.render(url="http://a.example/old").frames[0].url, "http://a.example/")
        with self.assertRaisesRegex(crawlfrontier.RenderError, "/round: more than 20 redirects"):
            self.render(url="http://a.example/round")

    def test_an_answer_that_is_there_already(self):
        got = self.render(self.no_fetch, response=page("<img src=i.png><iframe srcdoc='<b>in</b>'></iframe><script>"
                                                       "history.pushState(0,'','rou'+'te')</script>"))
        self.assertEqual([tuple(part) for part in got.parts], [("http://a.example/i.png", "GET", "Image", "one pixel")])
        self.assertIn("<b>in</b>", got.frames[1].html)
        self.assertEqual([tuple(link) for link in got.links], [("http://a.example/route", "route")])

    def no_fetch(self, *request):
        raise AssertionError(request)

    def test_a_picture(self):
        self.assertEqual(self.render(screenshot=True).screenshot[:8], b"\x89PNG\r\n\x1a\n")

    def test_what_a_request_carries(self):
        asked = []

        def fetch(method, url, headers, body):
            asked.append((method, url, dict(headers).get("X-Own"), body))
            return 200, {"Content-Type": "text/plain"}, b"x"
        with Renderer(post=True) as renderer:
            renderer.render("http://a.example/", fetch=fetch, response=page(
                "<script>fetch('/api',{method:'POST',body:'\u00e9',headers:{'X-Own':'1'}})</script>"))
        self.assertEqual(asked, [("POST", "http://a.example/api", "1", "\u00e9".encode())])

    def test_elements_that_are_clicked_and_own_frames(self):
        with Renderer(clicks=["//b", "//i[.='x']"]) as renderer:
            got = renderer.render("http://a.example/", fetch=self.no_fetch, response=page(
                "<b>a</b><i>x</i><iframe srcdoc=x></iframe><script>onclick=e=>{document.body.append(e.target.localName"
                "+' was cli'+'cked')}</script>"))
        for name in "bi":
            self.assertIn(f"{name} was clicked", got.html)
        self.assertEqual([frame.is_own for frame in got.frames], [True, True])

    def test_many_at_once_and_from_asyncio(self):
        futures = [self.renderer.submit("http://a.example/", fetch=answer) for _ in range(6)]
        self.assertEqual({len(future.result().parts) for future in futures}, {2})

        async def one():
            return await asyncio.wrap_future(self.renderer.submit("http://a.example/", fetch=answer))
        self.assertEqual(len(asyncio.run(one()).parts), 2)

    def test_an_answer_may_come_later(self):
        def fetch(*request):
            later = concurrent.futures.Future()
            threading.Timer(0.01, lambda: later.set_result(answer(*request))).start()
            return later
        self.assertEqual([part.fate for part in self.render(fetch).parts], ["200", "200"])


class Failures(Render):
    def test_parts_that_are_not_to_be_had(self):
        reasons = {"refused": crawlfrontier.RefusedError("robots.txt"), "none": None, "name": socket.gaierror("nx"),
                   "time": TimeoutError(), "reset": ConnectionResetError("gone"), "other": OSError("away")}
        words = {"refused": "refused: robots.txt", "none": "refused", "name": "no such name: nx",
                 "time": "no answer in time", "reset": "connection closed: gone", "other": "no connection: away",
                 "odd": "999"}

        def fetch(method, url, headers, body):
            reason = reasons.get(url.removeprefix("http://a.example/"), (999, {}, b""))
            if isinstance(reason, Exception):
                raise reason
            return reason
        got = self.render(fetch, response=page(
            f"<script>Promise.allSettled({list(words)}.map(n=>fetch(n))).then(l=>"
            "document.body.append(l.map(r=>r.status).join()))</script>"))
        self.assertEqual({part.url.removeprefix("http://a.example/"): part.fate for part in got.parts}, words)
        self.assertIn(",".join(["rejected"] * len(words)), got.html)

    def test_mistakes_of_fetch_are_raised(self):
        for fetch, kind in ((lambda *request: {}["no"], KeyError), (lambda *request: 200, TypeError)):
            with self.assertRaises(kind):
                self.render(fetch, response=page(LIST))
            with self.assertRaises(kind):
                self.render(fetch)
        with self.assertRaises(crawlfrontier.RefusedError):
            self.render(lambda *request: None)
        with self.assertRaises(crawlfrontier.InvalidError):
            self.render(url="ftp://a.example/", response=page(""))
        self.assertEqual(len(self.render().parts), 2)

    def test_an_answer_that_is_no_page(self):
        with self.assertRaisesRegex(crawlfrontier.RenderError, "http://a.example/") as raised:
            self.render(response=(204, {}, b""))
        self.assertEqual(raised.exception.lack, "document")

    def test_a_page_that_is_cut(self):
        got = self.render(response=page("be-fore<script>for(;;);</script>"))
        self.assertEqual(got.lack, "busy")
        self.assertIn("an endless script", got.words)
        self.assertIn("be-fore", got.html)

    def test_options(self):
        with self.assertRaisesRegex(crawlfrontier.FileError, "/no/such"):
            Renderer(program="/no/such")
        for words in {"clock": 61}, {"open": 0}, {"max_parts": -1}:
            with self.assertRaises(crawlfrontier.InvalidError):
                Renderer(**words)
        with Renderer(max_parts=1, user_agent="eyes/1", clock=0.5) as renderer:
            got = renderer.render("http://a.example/", fetch=answer)
            self.assertEqual(got.lack, "parts")
            got = renderer.render("http://a.example/", fetch=answer, response=page(
                "<script>document.write(navigator.userAgent)</script>"))
            self.assertIn("eyes/1", got.html)


class Ends(Render):
    def test_closed(self):
        waiting = concurrent.futures.Future()
        renderer = Renderer()
        under_way = [renderer.submit("http://a.example/", fetch=lambda *request: waiting, response=page(LIST))
                     for _ in range(3)]
        renderer.close()
        renderer.close()
        for future in under_way:
            with self.assertRaises(crawlfrontier.StateError):
                future.result(timeout=60)
        with self.assertRaises(crawlfrontier.StateError):
            renderer.submit("http://a.example/", fetch=answer)

    def test_the_browser_ends_with_the_program(self):
        program = ("import crawlfrontier, os, threading\n"
                   "r = crawlfrontier.Renderer()\n"
                   "r.render('http://a.example/', fetch=None, response=(200, {'Content-Type': 'text/html'}, b'x'))\n"
                   "for task in os.listdir('/proc/self/task'):\n"
                   "    print(open(f'/proc/self/task/{task}/children').read())\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        browsers = done.stdout.split()
        self.assertTrue(browsers)
        for pid in browsers:
            self.assertFalse(os.path.exists(f"/proc/{pid}/exe") and os.path.realpath(f"/proc/{pid}/exe") ==
                             rendering.BROWSER)

    def test_a_child_leaves_it_to_its_parent(self):
        pid = os.fork()
        if not pid:
            try:
                self.render()
            except crawlfrontier.StateError:
                self.renderer.close()
                os._exit(7)
            os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 7)
        self.assertEqual(len(self.render().parts), 2)


if __name__ == "__main__":
    support.main()
