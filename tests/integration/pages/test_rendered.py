#!/usr/bin/env python3
"""Tests --render with the real browser: pages made by scripts are crawled like others, and each of their requests is
one of the crawl: it obeys robots.txt and the pauses of its host, is in the log of requests, and is never lost, however
the crawl ends."""
import json
import os
import signal
import subprocess
import time

import harness
import rendering

SHELL = '<!doctype html><title>shop</title><div id=root></div><script src=/app.js></script>'
APP = """fetch('/list.json').then(r => r.json()).then(list => {
  document.title = 'shop of ' + list.length
  document.querySelector('#root').innerHTML = list.map(n => '<a href' + '=/item/' + n + '.html>item ' + n + '</a>').join('\\n')
    + '<p>A text about ' + location.pathname + ' that a script has made</p>'
})"""
ITEMS = 8


def shop(more=None):
    pages = {"index.html": SHELL, "app.js": APP, "list.json": json.dumps(list(range(1, ITEMS + 1)))}
    return {**pages, **{f"item/{n}.html": SHELL for n in range(1, ITEMS + 1)}, **(more or {})}


class Rendered(rendering.TestCase):
    def site(self, files, extra=""):
        nginx = self.start_nginx({"a.localhost": self.make_site(files)}, extra)
        return nginx, nginx.url("a.localhost", "/")

    def crawled(self, *options, status=0):
        result = self.crawl("--output", "pages.jsonl", "--requests", "requests.jsonl", *options)
        self.assertEqual(result.status, status, result.stderr)
        self.said = result.stderr
        return {record["url"].split("/", 3)[3]: record for record in self.records("pages.jsonl")}


class Site(Rendered):
    def test_a_site_made_by_scripts(self):
        nginx, seed = self.site(shop())
        pages = self.crawled("--render", "auto", "--delay", "0", "--text", "plain", "--links", "links.jsonl", seed)
        self.assertEqual(set(pages), {""} | {f"item/{n}.html" for n in range(1, ITEMS + 1)})
        for path, record in pages.items():
            self.assertEqual((record["rendered"], record["title"]), ("whole", f"shop of {ITEMS}"), record)
            self.assertEqual(record["render"]["why"], "an empty root")
            self.assertIn(f"A text about /{path} that a script has made", record["text"])
            self.assertEqual(record["links"], ITEMS)
        self.assertEqual(len({record["digest"] for record in pages.values()}), 1)
        self.assertEqual(len({record["render"]["digest"] for record in pages.values()}), ITEMS + 1)
        parts = [line for line in self.exchanges() if line["kind"] == "part"]
        self.assertEqual([line["for"] for line in parts if line["url"].endswith(".js")], [seed])
        self.assertEqual(self.asked(nginx).count("/app.js"), 1)
        self.assertRegex(self.said, rf"rendered  {ITEMS + 1} of {ITEMS + 1} pages")
        self.assertEqual(self.crawl("audit", "requests.jsonl").status, 0)

    def test_auto_leaves_alone_what_needs_no_browser(self):
        text = "Enough is said on this page, and no script is needed to say any of it. " * 20
        plain = f"<title>x</title><p>{text}</p><a href=/shop.html>x</a><a href=/b>y</a><script src=/app.js></script>"
        nginx, seed = self.site(shop({"index.html": plain, "shop.html": SHELL}))
        pages = self.crawled("--render", "auto", "--delay", "0", "--depth", "1", seed)
        self.assertNotIn("rendered", pages[""])
        self.assertEqual(pages["shop.html"]["rendered"], "whole")
        for refresh, rendered in (("300", "whole"), ("300;url=reload.html", "whole"), ("1;url=/item/1.html", None)):
            self.write("site/reload.html", f"<meta http-equiv=refresh content='{refresh}'>{SHELL}")
            pages = self.crawled("--render", "auto", "--delay", "0", "--depth", "0", seed + "reload.html")
            self.assertEqual(pages["reload.html"].get("rendered"), rendered, refresh)
            said = self.crawl("render", "--verbose", "--delay", "0", seed + "reload.html").stderr
            self.assertIn("it needs a browser" if rendered else "it needs no browser", said)
        pages = self.crawled("--render", "always", "--render-pages", "/item/", "--delay", "0", "--depth", "0",
                             seed, seed + "item/1.html")
        self.assertNotIn("rendered", pages[""])
        self.assertEqual(pages["item/1.html"]["render"]["why"], "always")

    def test_robots_txt_and_pauses_hold_for_parts(self):
        app = APP.replace("'/list.json'", "'http://b.localhost:PORT/open/list.json'") + \
            ";fetch('/private/x.json').catch(() => 0);new Image().src='/private/y.png';import('/private/z.js')"
        one = self.make_site(shop({"robots.txt": "User-agent: *\nDisallow: /private/\n", "private/x.json": "[]"}))
        two = self.path("other")
        self.write("other/open/list.json", "[1,2,3]")
        self.write("other/robots.txt", "User-agent: *\nDisallow: /closed/\n")
        nginx = self.start_nginx({"a.localhost": one, "b.localhost": two}, "add_header Access-Control-Allow-Origin *;")
        port = nginx.url("a.localhost", "").rsplit(":", 1)[1]
        self.write("site/app.js", app.replace("PORT", port))
        pages = self.crawled("--render", "always", "--delay", "150ms", "--depth", "0", "--allow-private",
                             nginx.url("a.localhost", "/"))
        self.assertEqual(pages[""]["title"], "shop of 3")
        requests = nginx.requests()
        self.assertFalse([r.uri for r in requests if r.uri.startswith("/private")])
        of_b = [r.uri for r in requests if r.host.startswith("b.")]
        self.assertEqual(of_b, ["/robots.txt", "/open/list.json"])
        self.expect_pauses(0.15, [r.start for r in requests if r.host.startswith("a.")])

    def test_frames_routes_and_windows_are_links(self):
        page = ("<!doctype html><title>t</title><iframe src=/frame.html></iframe><script>"
                "history.pushState({}, '', '/route');setTimeout(() => open('/window'), 100)</script>")
        nginx, seed = self.site({"index.html": page, "frame.html": "<script>document.write('<a hr'+'ef=in/frame>f</a>')"
                                 "</script>", "route": "", "window": "", "in/frame": ""})
        self.crawled("--render", "always", "--delay", "0", "--links", "links.jsonl", "--depth", "1", seed)
        links = {(link["to"].removeprefix(seed), link["tag"], link["attr"]) for link in self.records("links.jsonl")
                 if link["from"] == seed}
        self.assertLessEqual({("route", "script", "route"), ("window", "script", "open"), ("in/frame", "a", "href"),
                              ("frame.html", "iframe", "src")}, links)

    def test_links_of_frames_keep_what_is_said_about_them(self):
        page = ("<!doctype html><title>t</title><iframe src=/a.html></iframe><iframe src=/b.html></iframe>"
                "<iframe src=/c.html#f></iframe>")
        _, seed = self.site({"index.html": page, "1": "", "2": "", "3": "", "4": "", "5": "", "6": "",
                             "c.html": "<a href=6>6</a>",
                             "a.html": "<a href=1>1</a><a href=2 rel='nofollow ugc'>2</a>"
                                       "<link rel=next type=text/html href=3><link rel=next type=text/css href=4>",
                             "b.html": "<meta name=robots content=nofollow><a href=5>5</a>"},
                            "location = /c.html { add_header X-Robots-Tag nofollow; }")
        self.crawled("--render", "always", "--delay", "0", "--links", "links.jsonl", "--depth", "1", seed)
        links = {link["to"].removeprefix(seed): (link["rel"], link["verdict"]) for link in self.records("links.jsonl")
                 if link["from"] == seed}
        self.assertEqual({to: link for to, link in links.items() if len(to) == 1},
                         {"1": ("", "new"), "2": ("nofollow ugc", "nofollow"), "3": ("next", "new"),
                          "4": ("next", "element"), "5": ("", "nofollow"), "6": ("", "nofollow")})

    def test_links_are_relative_to_the_url_that_scripts_gave_the_page(self):
        page = ("<!doctype html><title>t</title><p>the page</p><script>history.replaceState(null, '', '/app/home/');"
                "document.body.insertAdjacentHTML('beforeend', '<p>a text with <a hr'+'ef=detail>x</a>')"
                "</script>")
        based = page.replace("</title>", "</title><base href=sub/>")
        _, seed = self.site({"index.html": page, "based.html": based})
        for options in ((), ("--text", "markdown")):
            pages = self.crawled("--render", "always", "--delay", "0", "--depth", "0", "--links", "links.jsonl",
                                 *options, seed, seed + "based.html")
            links = {(link["from"].removeprefix(seed), link["to"].removeprefix(seed)) for link
                     in self.records("links.jsonl") if link["tag"] == "a"}
            self.assertEqual(links, {("", "app/home/detail"), ("based.html", "app/home/sub/detail")}, options)
        self.assertIn(f"[x]({seed}app/home/detail)", pages[""]["text"])
        self.assertIn(f"[x]({seed}app/home/sub/detail)", pages["based.html"]["text"])

    def test_the_base_of_a_frame_counts_once(self):
        frame = "<base href=sub/><script>document.write('<p>framed by a <a hr'+'ef=in>link</a>')</script>"
        page = "<!doctype html><title>t</title><p>the page</p><iframe src=/frame.html></iframe>"
        _, seed = self.site({"index.html": page, "frame.html": frame})
        pages = self.crawled("--render", "always", "--delay", "0", "--depth", "0", "--links", "links.jsonl", "--text",
                             "markdown", seed)
        self.assertEqual({link["to"] for link in self.records("links.jsonl") if link["tag"] == "a"}, {seed + "sub/in"})
        self.assertIn(f"[link]({seed}sub/in)", pages[""]["text"])

    def test_the_text_of_its_own_frames_is_the_page_s(self):
        frame = "<script>document.write('<p>fra'+'med by {} <a hr'+'ef=in>link</a>')</script>"
        page = ("<!doctype html><title>t</title><p>the page</p><iframe src=/frame.html></iframe><iframe id=s></iframe>"
                "<iframe id=b sandbox></iframe><iframe src=http://b.localhost:PORT/frame.html></iframe>"
                "<script>s.srcdoc='<p>of sr'+'cdoc';b.srcdoc='<p>in a sand'+'box'</script>")
        nginx = self.start_nginx({"a.localhost": self.make_site({"index.html": page, "frame.html": frame.format("a")}),
                                  "b.localhost": self.path("other")})
        self.write("other/frame.html", frame.format("another"))
        seed = nginx.url("a.localhost", "/")
        self.write("site/index.html", page.replace("PORT", seed.rsplit(":", 1)[1].strip("/")))
        options = ("--render", "always", "--delay", "0", "--depth", "0", "--allow-private")
        pages = self.crawled(*options, "--text", "plain", seed)
        self.assertEqual(pages[""]["text"].split("\n\n"),
                         ["the page", "framed by a link", "of srcdoc", "in a sandbox\n"])
        pages = self.crawled(*options, "--text", "markdown", seed)
        self.assertIn(f"framed by a [link]({seed}in)", pages[""]["text"])

    def test_elements_in_shadow_roots_and_frames_are_clicked(self):
        button = "<p><button class=more>more</button>"
        page = ("<!doctype html><title>t</title><form id=f><input name=shadowRoot><input name=contentDocument></form>"
                "<x-a></x-a><iframe src=/frame.html></iframe><iframe id=s></iframe><script>"
                f"const b='{button}',add=(r,n)=>{{r.querySelector('button').onclick=e=>{{"
                "e.target.outerHTML='<a hr'+'ef=/'+n+'.html>x</a>'}};"
                "const h=document.querySelector('x-a').attachShadow({mode:'open'});h.innerHTML=b+'<x-b></x-b>';"
                "add(h,'open');"
                "const n=h.querySelector('x-b').attachShadow({mode:'open'});n.innerHTML=b;add(n,'nested');"
                "s.onload=()=>{s.contentDocument.body.innerHTML='<form action=/sent.html>'+b+'</form>';"
                "const f=s.contentDocument;f.querySelector('button').addEventListener('click',"
                "()=>f.body.insertAdjacentHTML('beforeend','<a hr'+'ef=/form.html>x</a>'))};s.srcdoc='<p>x'</script>")
        frame = (f"{button}<script>document.querySelector('button').onclick=()=>"
                 "document.write('<a hr'+'ef=/framed.html>')</script>")
        nginx, seed = self.site({"index.html": page, "frame.html": frame, "sent.html": ""})
        self.crawled("--render", "always", "--render-click", "p > .more", "--delay", "0", "--links", "links.jsonl",
                     "--depth", "0", seed)
        links = {link["to"].removeprefix(seed) for link in self.records("links.jsonl")}
        self.assertLessEqual({"open.html", "nested.html", "form.html", "framed.html"}, links)
        self.assertNotIn("/sent.html", self.asked(nginx))

    def test_the_language_that_a_script_asks_for(self):
        page = rendering.script("fetch('/told',{headers:{'Accept-Language':'de'}}).then(r=>r.text())"
                                ".then(t=>{document.title=t})")
        _, seed = self.site({"index.html": page}, "location = /told { return 200 $http_accept_language; }")
        options = ("--render", "always", "--delay", "0", "--depth", "0")
        self.assertEqual(self.crawled(*options, seed)[""]["title"], "de")
        self.assertEqual(self.crawled(*options, "--header", "Accept-Language: fr", seed)[""]["title"], "fr")

    def test_elements_that_are_clicked(self):
        page = ("<!doctype html><title>t</title><button id=m>more</button><script>m.onclick=()=>fetch('/more.txt')"
                ".then(r=>r.text()).then(t=>{m.outerHTML='<a hr'+'ef='+t+'>x</a>'})</script>")
        nginx, seed = self.site({"index.html": page, "more.txt": "/there.html", "there.html": "x"})
        options = ("--render", "always", "--delay", "0")
        self.assertNotIn("there.html", self.crawled(*options, seed))
        self.assertIn("there.html", self.crawled(*options, "--render-click", "#m", seed))
        self.assertEqual(len([line for line in self.exchanges() if line["url"].endswith("/more.txt")]), 1)

    def test_pages_of_one_body_are_told_apart(self):
        _, seed = self.site(shop())
        pages = self.crawled("--render", "auto", "--delay", "0", "--dedupe", "exact", "--no-follow-duplicates", seed)
        self.assertEqual(len(pages), ITEMS + 1)
        self.assertFalse([record for record in pages.values() if "duplicate_of" in record])

    def test_cookies_of_answers_and_of_scripts_go_with_parts(self):
        app = "document.cookie='made=2';" + APP
        _, seed = self.site(shop({"app.js": app}),
                            "location = /index.html { add_header Set-Cookie 'served=1; path=/'; }"
                            "location = /list.json { if ($http_cookie !~ 'served=1') { return 403; } "
                            "if ($http_cookie !~ 'made=2') { return 403; } }")
        for options in ((), ("--cookies",)):
            pages = self.crawled("--render", "auto", "--delay", "0", "--depth", "0", *options, seed)
            self.assertEqual(pages[""]["title"], f"shop of {ITEMS}", options)

    def test_pictures_and_archives(self):
        _, seed = self.site(shop())
        pages = self.crawled("--render", "auto", "--delay", "0", "--depth", "0", "--screenshots", "pictures",
                             "--warc", "w", seed)
        name = pages[""]["render"]["screenshot"]
        with open(self.path(os.path.join("pictures", name)), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        warc = [file for file in os.listdir(self.folder) if file.endswith(".warc.gz")]
        text = subprocess.run(["zcat", *map(self.path, warc)], capture_output=True, check=True).stdout
        self.assertIn(b"WARC-Type: conversion", text)
        self.assertIn(b"that a script has made</p></div>", text)
        self.assertIn(b"WARC-Target-URI: " + seed.encode() + b"app.js", text)


# Ways of applications to make links: NAME: the page, its files, the links that a reader gets there.
WAYS = {
    "island": ("<div style=height:2500px></div><x-island src=/island.js></x-island><script type=module>customElements."
               "define('x-island',class extends HTMLElement{connectedCallback(){new IntersectionObserver(async(e,o)=>{"
               "if(!e[0].isIntersecting)return;o.disconnect();(await import(this.getAttribute('src'))).default(this)})"
               ".observe(this)}})</script>",
               {"island.js": "export default e=>{e.innerHTML='<a hr'+'ef=/island/a>a</a>'}"}, ["/island/a"]),
    "federation": ("<script src=/remote.js></script><script>shop.get('./List').then(f=>f().default(document.body))"
                   "</script>",
                   {"remote.js": "var shop={get:()=>new Promise(r=>{const s=document.createElement('script');s.src="
                    "'/chunk.js';s.onload=()=>r(()=>chunk);document.head.append(s)})}",
                    "chunk.js": "var chunk={default:e=>{e.innerHTML='<a hr'+'ef=/federation/a>a</a>'}}"},
                   ["/federation/a"]),
    "worker": ("<script>navigator.serviceWorker.register('/sw.js').then(()=>0,()=>{document.body.innerHTML="
               "'<a hr'+'ef=/worker/none>a</a>'})</script>", {"sw.js": "onfetch=()=>0"}, ["/worker/none"]),
    "transition": ("<main id=m></main><script>setTimeout(()=>document.startViewTransition(()=>{m.innerHTML='<a hr'+"
                   "'ef=/transition/a>a</a>'}).finished.then(()=>m.insertAdjacentHTML('beforeend','<a hr'+"
                   "'ef=/transition/b>b</a>')),50)</script>", {}, ["/transition/a", "/transition/b"]),
    "channel": ("<script>new BroadcastChannel('x').onmessage=e=>{document.body.innerHTML='<a hr'+'ef='+e.data+'>x</a>'"
                "};scheduler.postTask(()=>new BroadcastChannel('x').postMessage('/channel/'+'a'),{priority:"
                "'background',delay:300})</script>", {}, ["/channel/a"]),
    "pictures": ("<script>for(let i=0;i<20;i++){const a=document.createElement('a');a.style='display:block;height:"
                 "200px';a.innerHTML='<img loading=lazy src=/'+i+'.png>';a.firstChild.onload=()=>{a.href='/pictures/'"
                 "+i};document.body.append(a)}</script>", {}, ["/pictures/0", "/pictures/19"]),
    "resumed": ("<button on:click=/lazy.js#go>more</button><script>addEventListener('click',async e=>{const [u,f]="
                "e.target.getAttribute('on:click').split('#');(await import(u))[f]()})</script>",
                {"lazy.js": "export const go=()=>document.body.insertAdjacentHTML('beforeend','<a hr'+"
                 "'ef=/resumed/a>a</a>')"}, ["/resumed/a"]),
    "tabs": ("<b role=tab>0</b><b role=tab>1</b><b role=tab>2</b><p id=o></p><script>document.querySelectorAll('b')."
             "forEach(b=>b.onclick=()=>fetch('/tab'+b.textContent+'.txt').then(r=>r.text()).then(t=>"
             "o.insertAdjacentHTML('beforeend','<a hr'+'ef='+t+'>x</a>')))</script>",
             {f"tab{n}.txt": f"/tabs/{n}" for n in range(3)}, ["/tabs/0", "/tabs/1", "/tabs/2"]),
    "drawn": ("<canvas id=c width=300 height=100 role=tab></canvas><script>c.onclick=()=>{location='/dra'+'wn/a'}"
              "</script>", {}, ["/drawn/a"]),
    "rows": ("<ul id=l></ul><script>for(const n of 'ab'){const i=document.createElement('li');i.role='tab';"
             "i.dataset.to='/rows/'+n;i.append('row');l.append(i)}l.onclick=e=>location.assign(e.target.dataset.to)"
             "</script>", {}, ["/rows/a", "/rows/b"]),
    "replaced": ("<script>location.replace('/repla'+'ced/a')</script>", {}, ["/replaced/a"]),
    "refreshed": ("<script>document.head.insertAdjacentHTML('beforeend','<meta http-equiv=refresh content=\"0;url="
                  "/refr'+'eshed/a\">')</script>", {}, ["/refreshed/a"]),
}


class Ways(Rendered):
    def test_links_of_each_way(self):
        files = {f"{name}.html": f"<!doctype html><title>t</title><body>{page}" for name, (page, _, _) in WAYS.items()}
        files.update({name: text for _, more, _ in WAYS.values() for name, text in more.items()})
        _, seed = self.site({**files, "robots.txt": ""})
        self.crawled("--render", "always", "--render-click", "button, [role=tab]", "--delay", "0", "--depth", "0",
                     "--links", "links.jsonl", *(f"{seed}{name}.html" for name in WAYS))
        found = {link["to"].removeprefix(seed[:-1]) for link in self.records("links.jsonl")}
        self.assertEqual({link for _, _, links in WAYS.values() for link in links} - found, set())


class Bounds(Rendered):
    def test_limits_of_pages_hold_with_parts(self):
        _, seed = self.site(shop())
        pages = self.crawled("--render", "auto", "--delay", "10ms", "--max-pages", "3", "--connections", "1", seed)
        self.assertEqual([record["rendered"] for record in pages.values()], ["whole"] * 3)

    def test_a_page_without_end(self):
        page = "<!doctype html><title>t</title><p>before</p><script>for(;;);</script>"
        _, seed = self.site({"index.html": page})
        pages = self.crawled("--render", "always", "--delay", "0", "--text", "plain", seed)
        self.assertEqual((pages[""]["rendered"], pages[""]["render"]["lack"] != ""), ("cut", True), pages)
        self.assertEqual(pages[""]["text"].strip(), "before")

    def test_a_page_that_leaves_its_document_goes_on_as_fetched(self):
        page = "<!doctype html><title>t</title><p>before</p><script>setTimeout(() => {%s}, 10)</script>"
        _, seed = self.site({"back.html": page % "history.back()", "blank.html": page % "location='about:blank'"})
        pages = self.crawled("--render", "always", "--delay", "0", "--text", "plain", seed + "back.html",
                             seed + "blank.html")
        for record in pages.values():
            self.assertEqual((record["rendered"], record["render"]["lack"], record["text"]),
                             ("failed", "the page left its document", "before\n"), record)

    def test_an_end_in_between_loses_nothing(self):
        _, seed = self.site(shop())
        options = ("--render", "auto", "--delay", "30ms", "--state", "state", "--output", "pages.jsonl", seed)
        for number in range(6):
            process = self.start(*options)
            time.sleep(0.3 + 0.15 * number)
            process.send_signal(signal.SIGKILL if number % 2 else signal.SIGINT)
            process.communicate(timeout=60)
        self.assertEqual(self.crawl(*options).status, 0)
        pages = {record["url"].removeprefix(seed): record for record in self.records("pages.jsonl")}
        self.assertEqual(set(pages), {""} | {f"item/{n}.html" for n in range(1, ITEMS + 1)})
        self.assertEqual({record["rendered"] for record in pages.values()}, {"whole"})

    def test_a_resumed_crawl_may_go_on_without_the_browser(self):
        _, url = self.site({"index.html": "<title>t</title>" + "text " * 400})
        options = ("--render", "auto", "--render-pages", "nothing", "--render-click", "b", "--max-pages", "1")
        self.assertEqual(self.crawl("--state", "never", *options, url).status, 0)
        result = self.crawl("--state", "never", "--render", "never", "--max-pages", "2")
        self.assertEqual(result.status, 0, result.stderr)

    def test_what_is_refused(self):
        for options, words in (
            (("--screenshots", "pictures"), "no page is rendered"),
            (("--render", "auto", "--set", "render.browser=/bin/nope"), "/bin/nope"),
            (("--render", "auto", "--render-pages", "("), "render.pages"),
            (("--render", "auto", "--render-click", "b["), "render-click"),
        ):
            result = self.crawl(*options, "http://a.localhost/")
            self.assertNotEqual(result.status, 0, options)
            self.assertIn(words, result.stderr, options)


if __name__ == "__main__":
    harness.main()
