#!/usr/bin/env python3
"""Tests `crawl render` with the real browser, Debian's chromium-headless-shell: pages made by scripts, hostile pages,
and that only crawl's own requests reach a server."""
import http.server
import json
import os
import signal
import subprocess
import threading
import time

import harness
from rendering import HEAD, Render, script

class Shapes(Render):
    """The links are not in the source as they are: scripts join them."""

    def check(self, page, links, texts, files=None):
        _, url = self.serve_files({"p.html": page, **(files or {})})
        self.assertEqual(self.links(url + "/p.html"), links)
        said = self.render("--text", url + "/p.html").stdout
        for text in texts:
            self.assertIn(text, said)

    def test_inline_script(self):
        self.check(HEAD + "<div id=o></div><script>o.innerHTML='<a hr'+'ef=a>x</a><a hr'+'ef=b>y</a><p>text '+'one'"
                   "</script>", ["/a", "/b"], ["text one"])

    def test_a_timer_after_load(self):
        self.check(script("addEventListener('load',()=>setTimeout(()=>{document.body.innerHTML="
                          "'<a hr'+'ef=a>x</a><p>text '+'three'},800))"), ["/a"], ["text three"])

    def test_a_list_from_a_fetch(self):
        page = script("fetch('list.json').then(r=>r.json()).then(l=>l.forEach(x=>{let a=document.createElement('a');"
                      "a.href='item/'+x;a.text='item '+x;document.body.append(a)}))")
        self.check(page, ["/item/1", "/item/2"], ["item 1", "item 2"], {"list.json": "[1,2]"})

    def test_modules(self):
        page = (HEAD + '<script type=importmap>{"imports":{"m":"./m1.js"}}</script><script type=module>'
                "import {a} from 'm';document.body.innerHTML='<a hr'+'ef='+a+'>x</a>'</script>")
        self.check(page, ["/qx"], [], {
            "m1.js": "import {b} from './m2.js';export const a=b+'x'",
            "m2.js": "export const b=await new Promise(r=>setTimeout(()=>r('q'),50))"})

    def test_a_splash_of_four_seconds(self):
        self.check(script("let n=0;setInterval(()=>n++,16);setTimeout(()=>{document.body.innerHTML="
                          "'<a hr'+'ef=a>x</a>text '+'nine'},4000)"), ["/a"], ["text nine"])

    def test_a_splash_of_a_hundred_frames(self):
        self.check(script("let n=0;(function f(){document.body.textContent=++n;if(n<100)requestAnimationFrame(f);"
                          "else document.body.innerHTML='<a hr'+'ef=a>x</a>text '+'ten'})()"), ["/a"], ["text ten"])

    def test_shadow_roots_open_and_closed(self):
        root = "class extends HTMLElement{{constructor(){{super();this.attachShadow({{mode:'{}'}}).innerHTML={}}}}}"
        inner = root.format("closed", "'<a hr'+'ef=c>c</a><p>inner '+'text'")
        outer = root.format("open", "'<a hr'+'ef=b>b</a><p>outer '+'text</p><x-i></x-i>'")
        self.check(HEAD + f"<x-o></x-o><script>customElements.define('x-i',{inner});"
                   f"customElements.define('x-o',{outer})</script>", ["/b", "/c"], ["outer text", "inner text"])

    def test_a_frame_of_srcdoc(self):
        self.check(HEAD + "<iframe id=f></iframe><script>f.srcdoc='<a hr'+'ef=in>x</a>text '+'framed'</script>",
                   ["/in"], ["text framed"])

    def test_a_list_that_grows_when_its_end_is_seen(self):
        page = (HEAD + "<div id=l></div><p id=end>.</p><script>let n=0;const add=()=>{for(let i=0;i<10&&n<40;i++)"
                "l.insertAdjacentHTML('beforeend','<p style=height:150px><a hr'+'ef=i'+(++n)+'>x</a>')};add();"
                "new IntersectionObserver(e=>{if(e[0].isIntersecting)fetch('more.txt').then(add)})"
                ".observe(end)</script>")
        _, url = self.serve_files({"p.html": page, "more.txt": "1"})
        self.assertGreaterEqual(len(self.links(url + "/p.html")), 20)

    def test_a_list_in_a_box_as_tall_as_the_window(self):
        box = "<style>html,body{height:100%;margin:0;overflow:hidden}#l{height:100%;overflow-y:auto}</style><div id=l>"
        more = "l.onscroll=()=>{if(l.scrollTop+l.clientHeight>l.scrollHeight-100)add()}"
        add = ("let n=0;const add=()=>{for(let i=0;i<10&&n<40;i++)l.insertAdjacentHTML('beforeend',"
               "'<p style=height:150px><a hr'+'ef=i'+(++n)+'>x</a>')};add();")
        _, url = self.serve_files({"p.html": f"{HEAD}{box}</div><script>{add}{more}</script>"})
        self.assertGreaterEqual(len(self.links(url + "/p.html")), 20)

    def test_a_list_that_grows_when_the_window_scrolls(self):
        page = (HEAD + "<div id=l></div><script>let n=0;const add=()=>{for(let i=0;i<10&&n<60;i++)"
                "l.insertAdjacentHTML('beforeend','<p style=height:150px><a hr'+'ef=i'+(++n)+'>x</a>')};add();"
                "onscroll=()=>{if(scrollY+innerHeight>document.documentElement.scrollHeight-100)"
                "fetch('more.txt').then(add)}</script>")
        _, url = self.serve_files({"p.html": page, "more.txt": "1"})
        self.assertGreaterEqual(len(self.links(url + "/p.html")), 40)

    def test_a_list_in_a_small_box(self):
        page = (HEAD + "<div style='height:200px;overflow-y:scroll' id=l></div><script>let n=0;const add=()=>{"
                "for(let i=0;i<8&&n<24;i++)l.insertAdjacentHTML('beforeend','<p style=height:40px><a hr'+'ef=i'+(++n)+"
                "'>x</a>')};add();l.onscroll=()=>{if(l.scrollTop+l.clientHeight>l.scrollHeight-60)fetch('more.txt')"
                ".then(add)}</script>")
        _, url = self.serve_files({"p.html": page, "more.txt": "1"})
        self.assertEqual(len(self.links(url + "/p.html")), 24)
        self.assertIn('style="height:200px;overflow-y:scroll"', self.render(url + "/p.html").stdout)

    def test_a_small_box_that_has_only_the_rows_that_are_seen(self):
        page = (HEAD + "<div style='height:200px;overflow:auto;position:relative' id=l><div style='height:1600px'>"
                "</div></div><script>const show=()=>{l.querySelectorAll('a').forEach(a=>a.remove());"
                "for(let i=Math.floor(l.scrollTop/40);i<40&&i*40<l.scrollTop+l.clientHeight;i++)l.insertAdjacentHTML("
                "'beforeend','<a style=position:absolute;top:'+i*40+'px hr'+'ef=i'+i+'>x</a>')};show();"
                "l.onscroll=show;new ResizeObserver(show).observe(l)</script>")
        _, url = self.serve_files({"p.html": page})
        self.assertEqual(len(self.links(url + "/p.html")), 40)

    def test_small_boxes_are_small_in_pictures(self):
        pictures = []
        for overflow in ("auto", "hidden"):
            box = f"<div style='height:200px;overflow:{overflow}'><p style='height:900px;background:red'></p></div>"
            _, url = self.serve_files({"p.html": HEAD + box + "after"})
            self.render("--screenshot", self.path("p.png"), url + "/p.html")
            pictures.append(self.bytes_of("p.png"))
        self.assertEqual(*pictures)

    def test_a_worker_that_takes_its_time(self):
        worker = "setTimeout(async()=>postMessage(await (await fetch('more.txt')).text()),500)"
        page = script("new Worker('w.js').onmessage=m=>{document.body.innerHTML='<a hr'+'ef='+m.data+'>x</a>'}")
        _, url = self.serve_files({"p.html": page, "w.js": worker, "more.txt": "/made"})
        self.assertIn("/made", self.links(url + "/p.html"))

    def test_routes_windows_and_moves_are_links(self):
        self.check(script("history.pushState(0,'','rou'+'te');window.open('win'+'dow');"
                          "setTimeout(()=>{location='mo'+'ve'},10);"
                          "setTimeout(()=>document.body.append('still '+'here'),900)"),
                   ["/route", "/window", "/move"], ["still here"])

    def test_a_form_that_a_script_sends_is_a_link_unless_it_posts(self):
        form = "<form method={} action=/sent target={}><input name=action value=1></form>"
        send = "<script>document.forms[0].submit();document.forms[0].remove()</script>"
        for method, links in (("get", ["/sent?action=1"]), ("post", [])):
            for target in "_self", "_blank":
                with self.subTest(method=method, target=target):
                    self.check(HEAD + form.format(method, target) + send, links, [])


class Clicks(Render):
    """--click: content behind a click is read, and the page stays, whatever a click does."""

    def check(self, page, selectors, files=None, text=(), links=(), never=(), extra=""):
        nginx, url = self.serve_files({"p.html": page, **(files or {})}, extra)
        options = [word for selector in selectors for word in ("--click", selector)]
        said = self.render("--text", *options, url + "/p.html").stdout
        for words in text:
            self.assertIn(words, said)
        rows = [json.loads(line) for line in self.render("--links", *options, url + "/p.html").stdout.splitlines()]
        found = {row["url"].removeprefix(url) for row in rows}
        self.assertLessEqual(set(links), found)
        for path in never:
            self.assertNotIn(path, self.asked(nginx))
        return said, found

    def test_more_of_a_list_until_there_is_none(self):
        page = (HEAD + "<ul id=l></ul><button class=more>Load more</button><script>let n=0,busy=false;"
                "document.querySelector('.more').onclick=()=>{if(busy)return;busy=true;fetch('m'+n+'.txt')"
                ".then(r=>r.text()).then(t=>{busy=false;for(const i of t.split(','))"
                "l.insertAdjacentHTML('beforeend','<li><a hr'+'ef='+i+'>x');if(++n==3)"
                "document.querySelector('.more').remove()})}</script>")
        files = {f"m{n}.txt": f"i{n}a,i{n}b" for n in range(3)}
        _, found = self.check(page, ["button.more"], files, links=["/i0a", "/i0b", "/i1a", "/i2b"])
        self.assertEqual(len(found), 6)
        _, url = self.serve_files({"p.html": page, **files})
        self.assertEqual(self.links(url + "/p.html"), [])

    def test_by_text_by_the_press_and_behind_a_question(self):
        page = (HEAD + "<div id=c><button>No</button><button>Accept all</button></div><b id=t role=tab>tab</b>"
                "<script>document.querySelectorAll('button')[1].addEventListener('click',()=>{c.remove();"
                "setTimeout(()=>document.body.append('behind the '+'question'),300)});"
                "t.onmousedown=()=>document.body.append('of the '+'panel')</script>")
        said, _ = self.check(page, ['button:contains("Accept")', "#t"], text=["behind the question", "of the panel"])
        self.assertEqual(said.count("of the panel"), 1)

    def test_what_a_second_click_would_close_stays_open(self):
        page = script("for(const n of [1,2,3]){const b=document.createElement('button'),p=document.createElement('p');"
                      "b.append('more');b.setAttribute('aria-expanded','false');document.body.append(b);b.onclick=()=>{"
                      "if(p.isConnected)p.remove();else{p.append('answer '+n);b.after(p)}}}")
        self.check(page, ["button"], text=["answer 1", "answer 2", "answer 3"])

    def test_a_click_that_leads_elsewhere_is_a_link(self):
        page = (HEAD + "<button id=a>x</button><button id=b>x</button><a id=c hr" "ef=/direct>x</a><script>"
                "a.onclick=()=>{location='/mo'+'ved'};b.onclick=()=>{window.open('/ope'+'ned')};"
                "onclick=()=>document.body.append('still ',new Date().constructor.name)</script>")
        self.check(page, ["#a", "#b", "#c"], {"moved": "x", "opened": "x", "direct": "x"}, text=["still Date"],
                   links=["/moved", "/opened", "/direct"], never=["/moved", "/opened", "/direct"])

    def test_no_form_is_sent_and_no_page_asked_again(self):
        page = (HEAD + "<form action=/sent><button id=a>x</button></form><form method=post action=/posted>"
                "<button id=b>x</button></form><form action=/framed target=f><input type=submit id=c></form>"
                "<iframe name=f></iframe><button id=d>x</button><script>d.onclick=()=>location.reload();"
                "a.onclick=()=>document.body.append('clicked '+'a')</script>")
        nginx, url = self.serve_files({"p.html": page, "sent": "x", "posted": "x", "framed": "x"})
        options = [word for name in "abcd" for word in ("--click", "#" + name)]
        self.assertIn("clicked a", self.render("--text", "--post", *options, url + "/p.html").stdout)
        self.assertEqual(self.asked(nginx), ["/p.html", "/robots.txt"])

    def test_pages_that_take_clicks_for_an_attack_have_an_end(self):
        attacks = ("onclick=()=>{n++;const b=document.createElement('button');b.append('b');document.body.append(b)}",
                   "onclick=()=>{n++;for(let i=0;i<50;i++)window.open('w'+i);alert(1);history.pushState(0,'','r'+n)}",
                   "onclick=()=>{n++;document.body.append('be-'+'fore');for(;;);}")
        for attack in attacks:
            page = HEAD + f"be-fore<button>a</button><p id=o></p><script>let n=0;{attack};" \
                "setInterval(()=>{o.textContent='clicks: '+n},10)</script>"
            nginx, url = self.serve_files({"p.html": page})
            said = self.render("--text", "--click", "button", url + "/p.html").stdout
            self.assertIn("be-fore", said, attack)
            clicks = [int(word) for word in said.split("clicks: ")[1:2] for word in word.split()[:1]]
            self.assertTrue(not clicks or clicks[0] <= 20, said)
            self.assertEqual(self.asked(nginx), ["/p.html", "/robots.txt"], attack)

    def test_names_that_hide_what_is_called_for(self):
        page = (HEAD + "<img name=evaluate><img name=getElementsByTagName><p id=clicked></p><button>x</button><script>"
                "onclick=()=>document.body.append('it '+'was')</script>")
        self.check(page, ["button"], text=["it was"])

    def test_a_selector_that_is_none(self):
        self.assertIn("--click", self.render("--click", "b[", "http://a.example/", status=2).stderr)


class Output(Render):
    def test_html_picture_and_parts(self):
        page = HEAD + "<img src=i.png><p id=o></p><script src=s.js></script>"
        nginx, url = self.serve_files({"p.html": page, "s.js": "o.textContent='ma'+'de'"})
        result = self.render("--verbose", url + "/p.html")
        self.assertIn('<p id="o">made</p>', result.stdout)
        self.assertRegex(result.stderr, r"one pixel +Image GET \S+/i.png")
        self.assertRegex(result.stderr, r"200 +Script GET \S+/s.js")
        self.assertEqual(self.asked(nginx), ["/p.html", "/robots.txt", "/s.js"])
        self.render("--screenshot", self.path("p.png"), url + "/p.html")
        self.assertEqual(self.bytes_of("p.png")[:8], b"\x89PNG\r\n\x1a\n")
        self.assertIn("/i.png", self.asked(nginx))

    def test_what_is_neither_a_file_nor_a_url(self):
        for url in "ftp://a.example/x", "a.example/x":
            said = self.render(url, status=2).stderr
            self.assertIn(f"neither a file nor an http or https URL: {url}", said)

    def test_a_file_and_its_url(self):
        nginx, url = self.serve_files({"s.js": "document.body.innerHTML='<b>ma'+'de</b>'"})
        self.write("p.html", HEAD + "<script src=s.js></script>")
        self.assertIn("<b>made</b>", self.render("--url", url + "/dir/../p", self.path("p.html")).stdout)
        self.assertEqual(self.asked(nginx), ["/robots.txt", "/s.js"])

    def test_a_fragment_is_the_page_s(self):
        extra = "absolute_redirect off; location = /moved { return 302 /p.html; }"
        page = script("document.body.append('at ' + location.hash);document.cookie||(document.cookie='a=b',"
                      "location.reload())")
        _, url = self.serve_files({"p.html": page}, extra)
        for path in "/p.html", "/moved":
            self.assertIn("at #/route?x=1", self.render("--text", url + path + "#/route?x=1").stdout, path)
        self.assertIn("at #f", self.render("--text", "--url", url + "/p#f", self.write("p.html", page)).stdout)

    def test_requests_carry_cookies_and_the_agent_of_the_crawl(self):
        extra = ('add_header Set-Cookie "k=v; HttpOnly"; location = /echo { default_type text/plain; '
                 'return 200 "$http_cookie|$http_user_agent|$http_sec_fetch_mode|$http_x_own"; }')
        page = script("fetch('echo',{headers:{'X-Own':'1'}}).then(r=>r.text()).then(t=>document.body.append(t))")
        _, url = self.serve_files({"p.html": page}, extra)
        said = self.render("--text", url + "/p.html").stdout
        self.assertRegex(said, r"k=v\|crawl[^|]*\|\|1")

    def test_the_time_of_a_page_is_that_of_the_last_ten_minutes(self):
        _, url = self.serve_files({"p.html": script("document.body.append(Date.now())")})
        shown = int(self.render("--text", url + "/p.html").stdout)
        self.assertLess(shown % 600_000, 6000)
        self.assertLess(abs(time.time() * 1000 - shown), 610_000)

    def test_two_runs_are_alike(self):
        page = script("document.body.append(Math.random());for(const n of [1,2,3])"
                      "fetch(n+'.txt').then(r=>r.text()).then(t=>document.body.append(t))")
        _, url = self.serve_files({"p.html": page, "1.txt": "one", "2.txt": "two", "3.txt": "three"})
        first, *others = (self.render(url + "/p.html").stdout for _ in range(3))
        self.assertEqual(others, [first] * 2)

    def test_a_page_that_reloads_itself_while_its_requests_wait(self):
        for first in "fetch('1.txt').then(()=>location.reload());fetch('2.txt')", \
                     "fetch('1.txt');fetch('2.txt');fetch('3.txt');location.reload()":
            page = script("if(document.cookie)document.body.append('con'+'tent');"
                          "else{document.cookie='a=b';" + first + "}")
            _, url = self.serve_files({"p.html": page, "1.txt": "one", "2.txt": "two", "3.txt": "three"})
            result = self.render("--text", url + "/p.html")
            self.assertEqual(result.stdout.strip(), "content", result.stderr)

    def test_a_content_security_policy_rules_nothing_of_ours(self):
        page = script("addEventListener('securitypolicyviolation',()=>document.body.append('violated'));"
                      "for(const n of [1,2,3])fetch(n+'.txt').then(r=>r.text()).then(t=>document.body.append(t))")
        _, url = self.serve_files({"p.html": page, "1.txt": "one", "2.txt": "two", "3.txt": "three"},
                                  "add_header Content-Security-Policy \"connect-src 'self'; report-uri /told\";")
        result = self.render("--verbose", "--text", url + "/p.html")
        self.assertEqual(result.stdout.strip(), "onetwothree")
        self.assertNotIn("/told", result.stderr)

    def test_a_synchronous_request_is_answered_first(self):
        page = script("const put=t=>document.body.append(t),ask=(n,now)=>{const x=new XMLHttpRequest();"
                      "x.onload=()=>put(x.responseText);x.open('GET',n+'.txt',!now);x.send()};"
                      "fetch('1.txt').then(r=>r.text()).then(put);ask(2);ask(3,'n'+'ow')")
        _, url = self.serve_files({"p.html": page, "1.txt": "one", "2.txt": "two", "3.txt": "three"})
        said = [self.render("--text", url + "/p.html").stdout.strip() for _ in range(3)]
        self.assertEqual([text[:5] for text in said], ["three"] * 3, said)


class Manners(Render):
    def test_robots_holds_for_the_page_and_its_parts(self):
        page = script("fetch('no/x.json').then(()=>0,()=>document.body.append('re'+'fused'))")
        nginx, url = self.serve_files({"robots.txt": "User-agent: *\nDisallow: /no/\n", "p.html": page,
                                       "no/x.json": "1", "no/p.html": page})
        self.assertIn("refused", self.render("--text", url + "/p.html").stdout)
        self.assertIn("robots.txt", self.render(url + "/no/p.html", status=1).stderr)
        self.assertNotIn("/no/", "".join(self.asked(nginx)))

    def test_each_redirect_of_robots_txt_is_relative_to_the_one_before(self):
        site = self.make_site({"p.html": "x"})
        extra = ("absolute_redirect off; location = /robots.txt { if ($host = b.localhost) { return 302 /rules.txt; } "
                 "return 302 //b.localhost:$server_port/robots.txt; } "
                 "location = /rules.txt { if ($host = b.localhost) { return 200 'User-agent: *\nDisallow: /'; } }")
        url = self.start_nginx({"a.localhost": site, "b.localhost": site}, extra).url("a.localhost", "/p.html")
        config = self.write("private.conf", "[fetch]\nallow_private = true\n")
        self.assertIn("not fetched: robots.txt\n", self.render("--config", config, url, status=1).stderr)

    def test_a_site_is_asked_with_pauses_that_the_page_does_not_notice(self):
        page = script("const t=Date.now();fetch('1.txt').then(()=>fetch('2.txt')).then(()=>"
                      "document.body.append(Date.now()-t<500?'at '+'once':'late'))")
        nginx, url = self.serve_files({"p.html": page, "1.txt": "1", "2.txt": "2"})
        said = self.crawl("render", "--text", "--delay", "700ms", url + "/p.html").stdout
        self.assertIn("at once", said)
        starts = sorted(request.start for request in nginx.requests())
        self.assertGreater(min(b - a for a, b in zip(starts, starts[1:])), 0.6)

    def test_addresses_that_nobody_named_are_not_asked(self):
        other = self.start_nginx({"b.localhost": self.make_site({"x.json": "1"})})
        port = other.port
        urls = [f"http://127.0.0.1:{port}/x", f"http://[::1]:{port}/x", f"http://b.localhost:{port}/x",
                "http://169.254.169.254/latest", "http://93.184.215.14:25/", "file:///etc/passwd"]
        page = script(f"Promise.allSettled({json.dumps(urls)}.map(u=>fetch(u,{{mode:'no-cors'}}))).then(l=>"
                      "document.body.append(l.map(r=>r.status).join()))")
        _, url = self.serve_files({"p.html": page})
        result = self.render("--text", "--verbose", url + "/p.html")
        self.assertIn(",".join(["rejected"] * len(urls)), result.stdout)
        self.assertRegex(result.stderr, f"private +XHR GET http://127.0.0.1:{port}/x\n")
        self.assertRegex(result.stderr, "port +XHR GET http://93.184.215.14:25/\n")
        self.assertEqual(other.requests(), [])

    def test_a_post_is_sent_where_it_is_allowed(self):
        page = script("fetch('api',{method:'POST',body:'b'}).then(()=>document.body.append('se'+'nt'),"
                      "()=>document.body.append('ke'+'pt'))")
        nginx, url = self.serve_files({"p.html": page}, "location = /api { return 204; }")
        self.assertIn("kept", self.render("--text", url + "/p.html").stdout)
        self.assertNotIn("/api", self.asked(nginx))
        self.assertIn("sent", self.render("--text", "--post", url + "/p.html").stdout)
        self.assertIn("POST", [request.method for request in nginx.requests()])


class Hostile(Render):
    """Hostile pages. The text before the attack is read, in bounded time, and only crawl sends requests to the
    server."""

    def check(self, attack, asked=(), said="", text="be-fore"):
        page = HEAD + f"be-fore<script>{attack}</script>"
        nginx, url = self.serve_files({"p.html": page})
        result = self.render("--text", url + "/p.html")
        self.assertIn(text, result.stdout)
        self.assertIn(said, result.stderr)
        self.assertEqual(self.asked(nginx), sorted(["/p.html", "/robots.txt", *asked]))

    def test_a_loop(self):
        self.check("setTimeout(()=>{for(;;);},10)", said="an endless script")

    def test_a_loop_while_the_page_is_parsed(self):
        self.check("for(;;);", said="an endless script")

    def test_messages_without_end(self):
        self.check("onmessage=()=>postMessage(0);postMessage(0)")

    def test_dialogs(self):
        self.check("setTimeout(()=>{for(;;)alert(confirm(prompt()))},10)", said="never stops opening dialogs")

    def test_popups(self):
        self.check("for(let i=0;i<50;i++)window.open('pop'+i)")

    def test_reloads(self):
        self.check("setTimeout(()=>location.reload(),10)", asked=["/p.html", "/p.html"])

    def test_moves(self):
        self.check("setInterval(()=>{location='m'+Math.random()},10)")

    def test_a_form_that_is_sent_with_post(self):
        self.check("document.body.insertAdjacentHTML('beforeend','<form method=post action=x id=f></form>');f.submit()",
                   text="be-fore")

    def test_a_move_to_what_is_not_http(self):
        self.check("setTimeout(()=>{location='wss://a.localhost/x'},10)")

    def test_what_is_no_request_of_http(self):
        self.check("try{new WebSocket('ws://'+location.host+'/ws')}catch(e){}"
                   "try{new RTCPeerConnection({iceServers:[{urls:'stun:'+location.host}]}).createDataChannel('x')}"
                   "catch(e){};document.head.innerHTML='<link rel=dns-prefetch href=//x.localhost><link rel=preconnect "
                   "href=/><link rel=prefetch href=pre><link rel=icon href=icon>';navigator.sendBeacon('beacon','x');"
                   "navigator.serviceWorker&&navigator.serviceWorker.register('sw.js').catch(()=>0)")

    def test_workers_ask_by_us(self):
        self.check("new Worker(URL.createObjectURL(new Blob([\"fetch('\"+location.origin+\"/from-worker')\"])))",
                   asked=["/from-worker"])

    def test_a_fetch_without_end(self):
        nginx, url = self.serve_files({"p.html": HEAD + "be-fore<script>(async()=>{for(let i=0;;i++)await "
                                       "fetch('x'+i).catch(()=>0)})()</script>"})
        result = self.render("--text", url + "/p.html")
        self.assertIn("too many requests", result.stderr)
        self.assertIn("be-fore", result.stdout)
        self.assertEqual(len(self.asked(nginx)), 202)

    def test_downloads_without_end(self):
        self.check("let n=0;setInterval(()=>{const a=document.createElement('a');a.href='data:text/plain,'+n++;"
                   "a.download='f';a.click()},1)")
        self.assertLessEqual(set(os.listdir(self.folder)), {"site", "tried.html"})

    def test_windows_without_end(self):
        self.check("let n=0;setInterval(()=>window.open('pop'+n++),1)")

    def test_a_million_nodes(self):
        page = script("let t=document.createElement('p');t.hidden=true;t.textContent='sixteen letters.';const f="
                      "document.createDocumentFragment();for(let i=0;i<1000;i++)f.append(t.cloneNode(true));"
                      "for(let i=0;i<1000;i++)document.body.append(f.cloneNode(true))")
        _, url = self.serve_files({"p.html": page})
        result = self.render(url + "/p.html")
        self.assertRegex(result.stderr, "its HTML is too long|too many elements")
        self.assertGreater(len(result.stdout), 15 << 20)
        self.assertLessEqual(len(result.stdout), (16 << 20) + 1)

    def test_memory_that_is_no_heap(self):
        """The memory of canvases is not part of the heap, whose limit does not count it."""
        page = script("let a=[];setInterval(()=>{const c=document.createElement('canvas');c.width=c.height=4000;"
                      "c.getContext('2d').fillRect(0,0,4000,4000);document.body.append(c);a.push(c)},1)")
        _, url = self.serve_files({"p.html": page})
        result = self.crawl("render", "--delay", "0", url + "/p.html")
        self.assertTrue(result.status == 0 or "the page's process ended" in result.stderr or "its memory limit" in
                        result.stderr, result.stderr)

    def test_a_heap_without_end(self):
        page = script("let a=[];setInterval(()=>{for(let i=0;i<5;i++)a.push(new Array(3e6).fill(1.5))},1)")
        _, url = self.serve_files({"p.html": page})
        self.assertRegex(self.render(url + "/p.html", status=1).stderr, "not rendered: the page's process ended")


class Browser(Render):
    def test_no_browser(self):
        said = self.render("--browser", self.path("none"), "http://a.localhost/", status=2).stderr
        self.assertIn("is not an executable program", said)

    def test_debians_script_of_the_whole_chromium(self):
        if not os.path.exists("/usr/bin/chromium"):
            self.skipTest("there is no chromium")
        _, url = self.serve_files({"p.html": script("document.body.append('ma'+'de')")})
        self.assertIn("made", self.render("--browser", "/usr/bin/chromium", url + "/p.html").stdout)

    def test_no_user_namespaces(self):
        """The program runs in a user namespace in which no other can be made, as in a container."""
        _, url = self.serve_files({"p.html": HEAD})
        line = f"echo 0 > /proc/sys/user/max_user_namespaces && exec {harness.program()} render {url}/p.html"
        done = subprocess.run(["unshare", "-U", "--map-root-user", "sh", "-c", line], capture_output=True, text=True,
                              check=False, timeout=60)
        if "unshare" in done.stderr:
            self.skipTest("this system has no user namespaces to make one in")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("refuses user namespaces", done.stderr)

    def folders(self):
        """Returns the folders of browsers, in the folder that the program is told to use."""
        return os.listdir(self.path("tmp"))

    def below(self):
        for folder in (self.path("."), self.path("tmp")):
            os.makedirs(folder, exist_ok=True)
            os.chmod(folder, 0o755)
        before = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = self.path("tmp")
        self.addCleanup(lambda: os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before))

    def processes(self):
        """Returns the processes that were started with a folder of this test."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                    if f"--user-data-dir={self.path('tmp')}" in file.read():
                        found.append(pid)
            except OSError:
                pass
        return found

    def test_a_browser_that_does_not_start(self):
        self.below()
        _, url = self.serve_files({"p.html": HEAD})
        for does, said in (("echo one >&2; echo two words >&2; exit 1", "did not start: it ended: two words"),
                           ("echo 'No usable sandbox! x' >&2; echo '#0 trace' >&2; exit 1", "it has no sandbox; see")):
            self.write("browser", f"#!/bin/sh\n{does}\n")
            os.chmod(self.path("browser"), 0o755)
            self.assertIn(said, self.render("--browser", self.path("browser"), url + "/p.html", status=1).stderr)
        self.assertEqual((self.folders(), self.processes()), ([], []))

    def test_nothing_stays_behind(self):
        self.below()
        _, url = self.serve_files({"p.html": HEAD})
        self.render(url + "/p.html")
        self.assertEqual((self.folders(), self.processes()), ([], []))

    def test_a_browser_that_is_killed(self):
        self.below()
        is_asked, is_over = threading.Event(), threading.Event()

        class Slow(harness.Handler):
            def do_GET(self):
                if self.path == "/x":
                    is_asked.set()
                    is_over.wait()
                    self.close_connection = True
                    return
                self.answer(200, script("fetch('x')"))

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        crawl = self.start("render", "--delay", "0", f"http://localhost:{server.server_port}/p.html")
        self.assertTrue(is_asked.wait(30))
        os.kill(int(min(self.processes(), key=int)), signal.SIGKILL)
        said = crawl.communicate()[1]
        is_over.set()
        server.shutdown()
        server.server_close()
        self.assertEqual(crawl.returncode, 1, said)
        self.assertIn("not rendered: the browser ended", said)
        self.assertEqual((self.folders(), self.processes()), ([], []))

    def test_a_signal_ends_the_browser_too(self):
        self.below()
        for sent, left in ((signal.SIGTERM, 0), (signal.SIGKILL, 1)):
            nginx, url = self.serve_files({"p.html": script("fetch('x')")})
            crawl = self.start("render", "--delay", "60s", url + "/p.html")
            self.wait_for(lambda server=nginx: server.requests())
            self.assertTrue(self.processes())
            crawl.send_signal(sent)
            crawl.communicate()
            self.wait_for(lambda: not self.processes())
            self.assertEqual(len(self.folders()), left)


if __name__ == "__main__":
    harness.main()
