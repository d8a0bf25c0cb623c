#!/usr/bin/env python3
"""Tests that only crawl's own requests leave the browser of `crawl render`: pages make requests in every possible way
to servers, forbidden addresses and names, and listeners count arrivals."""
import collections
import http.server
import json
import re
import select
import socket
import threading
import unittest
import urllib.parse

import harness
from dns_server import DnsServer, Zone
from rendering import HEAD, Render

# Ways to make a request in HTML; U is a URL.
ELEMENTS = {
    "script": "<script src=U></script>",
    "async": "<script async src=U></script>",
    "module": "<script type=module crossorigin src=U></script>",
    "stylesheet": "<link rel=stylesheet href=U>",
    "import": "<style>@import 'U';</style>",
    "css-url": "<p style=\"background:url('U')\">x</p>",
    "cursor": "<style>body{cursor:url('U'),auto}</style>",
    "font-face": "<style>@font-face{font-family:f;src:url('U')}</style><p style=font-family:f>font</p>",
    "img": "<img src=U>",
    "lazy": "<img loading=lazy src=U>",
    "srcset": "<img srcset='U 1x'>",
    "picture": "<picture><source srcset=U><img></picture>",
    "input": "<input type=image src=U>",
    "svg-image": "<svg><image href=U /></svg>",
    "svg-use": "<svg><use href='U#x'/></svg>",
    "poster": "<video poster=U></video>",
    "video": "<video preload=auto src=U></video>",
    "audio": "<audio preload=auto src=U></audio>",
    "track": "<video src=data:video/mp4,x><track default src=U></video>",
    "embed": "<embed src=U>",
    "object": "<object data=U></object>",
    "iframe": "<iframe src=U></iframe>",
    "srcdoc": "<iframe srcdoc=\"<img src='U'>\"></iframe>",
    "data-frame": "<iframe src=\"data:text/html,<img src='U'>\"></iframe>",
    "body": "<table background=U><tr><td>x</table>",
    "icon": "<link rel=icon href=U>",
    "touch-icon": "<link rel=apple-touch-icon href=U>",
    "manifest": "<link rel=manifest href=U>",
    "preload": "<link rel=preload as=script href=U>",
    "preload-font": "<link rel=preload as=font crossorigin href=U>",
    "preload-fetch": "<link rel=preload as=fetch crossorigin href=U>",
    "modulepreload": "<link rel=modulepreload href=U>",
    "prefetch": "<link rel=prefetch href=U>",
    "prerender": "<link rel=prerender href=U>",
    "dns-prefetch": "<link rel=dns-prefetch href=U>",
    "preconnect": "<link rel=preconnect href=U>",
    "speculation": "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"U\"],\"eagerness\":\"immediate\"}],"
                   "\"prerender\":[{\"urls\":[\"U\"],\"eagerness\":\"immediate\"}]}</script>",
    "refresh": "<meta http-equiv=refresh content='1;url=U'>",
    "form": "<form id=fo action=U><input name=q></form><script>fo.submit()</script>",
    "post": "<form id=fp method=post action=U target=n><input name=q></form><iframe name=n></iframe>"
            "<script>fp.submit()</script>",
    "ping": "<a id=pi href=#x ping=U>x</a><script>pi.click()</script>",
    "download": "<a id=dl download href=U>x</a><script>dl.click()</script>",
}

# Ways to make a request in a script; u is a URL.
SCRIPTS = {
    "fetch": "fetch(u,{mode:'no-cors'}).catch(()=>0)",
    "keepalive": "fetch(u,{method:'POST',mode:'no-cors',keepalive:true,body:'x'}).catch(()=>0)",
    "fetch-later": "self.fetchLater&&fetchLater(u,{activateAfter:0})",
    "xhr": "{const x=new XMLHttpRequest;x.open('GET',u);x.send()}",
    "preflight": "fetch(u,{headers:{'X-A':'1'}}).catch(()=>0)",
    "beacon": "navigator.sendBeacon(u,'x')",
    "event-source": "new EventSource(u)",
    "web-socket": "new WebSocket(u.replace('http','ws'))",
    "web-transport": "new WebTransport(u.replace('http:','https:')).ready.catch(()=>0)",
    "stun": "{const p=new RTCPeerConnection({iceServers:[{urls:'stun:'+new URL(u).host}]});p.createDataChannel('x');"
            "p.createOffer().then(o=>p.setLocalDescription(o))}",
    "turn": "{const p=new RTCPeerConnection({iceServers:[{urls:'turn:'+new URL(u).host+'?transport=tcp',username:'a',"
            "credential:'b'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))}",
    "worker": "new Worker(URL.createObjectURL(new Blob(['fetch(\"'+u+'\",{mode:\"no-cors\"})'])))",
    "import-scripts": "new Worker(URL.createObjectURL(new Blob(['importScripts(\"'+u+'\")'])))",
    "worker-socket": "new Worker(URL.createObjectURL(new Blob(['new WebSocket(\"'+u.replace('http','ws')+'\")'])))",
    "shared-worker": "new SharedWorker(URL.createObjectURL(new Blob(['fetch(\"'+u+'\",{mode:\"no-cors\"})'])))",
    "service-worker": "navigator.serviceWorker&&navigator.serviceWorker.register(u).catch(()=>0)",
    "dynamic-import": "import(u).catch(()=>0)",
    "image": "new Image().src=u",
    "font": "new FontFace('g','url('+u+')').load().catch(()=>0)",
    "paint-worklet": "CSS.paintWorklet&&CSS.paintWorklet.addModule(u).catch(()=>0)",
    "audio-worklet": "new OfflineAudioContext(1,1,8000).audioWorklet.addModule(u).catch(()=>0)",
    "cache": "caches.open('c').then(c=>c.add(u)).catch(()=>0)",
    "open": "open(u)",
    "location": "setTimeout(()=>{location=u},20)",
    "write": "{const f=document.createElement('iframe');document.body.append(f);"
             "f.contentDocument.write('<script src='+u+'></scr'+'ipt>')}",
    "javascript-frame": "{const f=document.createElement('iframe');f.src='javascript:\"<img src='+u+'>\"';"
                        "document.body.append(f)}",
}

# Ways that need a server's headers.
HEADERS = {
    "csp-report": "Content-Security-Policy-Report-Only: img-src 'none'; report-uri U",
    "reporting": "Reporting-Endpoints: default=\"U\"",
    "network-errors": "NEL: {\"report_to\":\"d\",\"max_age\":99,\"success_fraction\":1}",
    "link-preload": "Link: <U>; rel=preload; as=script",
    "link-preconnect": "Link: <U>; rel=preconnect",
    "link-prefetch": "Link: <U>; rel=prefetch",
    "refresh-header": "Refresh: 3;url=U",
}


class Site(harness.Handler):
    """a.localhost: its pages; every other path is a text; /go?URL redirects there."""
    pages, extra, asked = {}, [], []

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path, _, query = self.path.partition("?")
        self.asked.append((self.command, path, self.headers.get("Upgrade"), self.headers.get("User-Agent", "")))
        if path == "/go":
            self.answer(302, "", "Location: " + urllib.parse.unquote(query), "Access-Control-Allow-Origin: *")
        elif path in self.pages:
            self.answer(200, self.pages[path], "Content-Type: text/html", *self.extra)
        else:
            self.answer(404 if path == "/robots.txt" else 200, "", "Content-Type: text/javascript",
                        "Access-Control-Allow-Origin: *")

    do_POST = do_HEAD = do_OPTIONS = do_GET


class Elsewhere:
    """Counts arrivals at one port of all addresses of this machine, by TCP and by UDP."""

    def __init__(self):
        self.arrived = []
        self.tcp = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self.udp.bind(("", self.port))
        self.is_over = False
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        while not self.is_over:
            for ready in select.select([self.tcp, self.udp], [], [], 0.1)[0]:
                if ready is self.tcp:
                    connection, peer = self.tcp.accept()
                    connection.close()
                else:
                    peer = self.udp.recvfrom(2048)[1]
                self.arrived.append(peer)

    def stop(self):
        self.is_over = True
        self.thread.join()
        self.tcp.close()
        self.udp.close()


class Fence(Render):
    def setUp(self):
        super().setUp()
        Site.pages, Site.extra, Site.asked = {}, [], []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.elsewhere = Elsewhere()
        self.addCleanup(self.elsewhere.stop)
        socket.create_connection(("127.0.0.1", self.elsewhere.port)).close()  # it counts
        harness.wait_for(lambda: self.elsewhere.arrived)
        self.elsewhere.arrived.clear()

    def run_page(self, page, zones):
        """Returns the lines of --verbose, [fate, kind, method, URL], and the questions to the name server."""
        Site.pages["/p.html"] = HEAD + "be-fore" + page
        with DnsServer(zones) as dns:
            self.write("crawl.conf", f"[fetch]\ndns_servers = 127.0.0.1:{dns.port}\n")
            result = self.render("--text", "--verbose", "--images", "--post", "--config", self.path("crawl.conf"),
                                 f"http://a.localhost:{self.server.server_port}/p.html")
            asked = set(dns.asked)
        self.assertIn("be-fore", result.stdout, result.stderr)
        told = [match.groups() for match in re.finditer(r"^crawl render: (\S.*?) +(\w+) ([A-Z]+) (\S+)$",
                                                        result.stderr, re.M)]
        return told, asked


class Kinds(Fence):
    """Tries each kind of request: to the page's own server, and to names that are elsewhere."""

    def page_of(self, url_of):
        """Returns a page with all ways to make a request, each for the URL of its name."""
        scripts = "".join(f"try{{const u={json.dumps(url_of(name))};{text}}}catch(e){{}}"
                          for name, text in SCRIPTS.items())
        Site.extra = [text.replace("U", url_of(name)) for name, text in HEADERS.items() if name != "network-errors"]
        Site.extra += [HEADERS["network-errors"],
                         json.dumps({"group": "d", "max_age": 99, "endpoints": [{"url": url_of("network-errors")}]})
                         .join(("Report-To: ", ""))]
        elements = {name: re.sub(r"\bU\b", url_of(name), text) for name, text in ELEMENTS.items()}
        last = elements.pop("form")  # a page is not read further after it
        return "".join(elements.values()) + f"<script>{scripts}</script>{last}"

    def test_all_that_arrives_is_crawls_own(self):
        own = f"http://a.localhost:{self.server.server_port}"
        told, _ = self.run_page(self.page_of(lambda name: f"{own}/{name}"), {})
        fetched = collections.Counter((method, urllib.parse.urlsplit(url).path) for fate, _, method, url in told
                                      if fate.isdigit())
        fetched.update([("GET", "/robots.txt"), ("GET", "/p.html")])
        arrived = collections.Counter((method, path) for method, path, _, _ in Site.asked)
        self.assertEqual((arrived - fetched, fetched - arrived), ({}, {}))
        self.assertEqual({upgrade for _, _, upgrade, _ in Site.asked}, {None})
        self.assertTrue(all(agent.startswith("crawl") for _, _, _, agent in Site.asked), Site.asked)
        ways = {urllib.parse.urlsplit(url).path[1:] for _, _, _, url in told}
        self.assertGreaterEqual(len(ways & {*ELEMENTS, *SCRIPTS, *HEADERS}), 44, sorted(ways))
        for never in ("prefetch", "beacon", "ping", "service-worker"):
            self.assertNotIn("/" + never, {path for _, path, _, _ in Site.asked})
        self.assertEqual(self.elsewhere.arrived, [])

    def test_nothing_arrives_elsewhere(self):
        port = self.elsewhere.port
        zones = {f"{name}.test": Zone(a=["127.0.0.1"]) for name in (*ELEMENTS, *SCRIPTS, *HEADERS)}
        told, names = self.run_page(self.page_of(lambda name: f"http://{name}.test:{port}/x"), zones)
        self.assertGreaterEqual(len(told), 44)
        self.assertEqual([row for row in told if row[0].isdigit()], [])
        self.assertEqual(self.elsewhere.arrived, [])
        self.assertLessEqual(names, {urllib.parse.urlsplit(url).hostname for _, _, _, url in told})
        for way in ("dns-prefetch", "preconnect", "web-socket", "stun", "turn", "link-preconnect"):
            self.assertNotIn(f"{way}.test", names)


PLACES = """http://127.0.0.1:P/ http://127.0.0.5:P/ http://127.1:P/ http://2130706433:P/ http://0x7f000001:P/
http://0177.0.0.1:P/ http://0:P/ http://0.0.0.0:P/ http://[::1]:P/ http://[::]:P/ http://[::ffff:127.0.0.1]:P/
http://[::ffff:7f00:1]:P/ http://[::127.0.0.1]:P/ http://[64:ff9b::7f00:1]:P/ http://[2002:7f00:1::]:P/
http://localhost:P/ http://localhost.:P/ http://LOCALHOST:P/ http://b.localhost:P/ http://a.localhost:P/
http://user@127.0.0.1:P/ http://a.localhost@127.0.0.1:P/ https://127.0.0.1:P/ https://localhost:P/
http://four.test:P/ http://five.test:P/ http://six.test:P/ http://zero.test:P/ http://ten.test:P/ http://both.test:P/
http://mapped.test:P/ http://10.0.0.1:P/ http://172.16.0.1:P/ http://192.168.0.1:P/ http://100.64.0.1:P/
http://169.254.169.254/latest/meta-data/ http://198.18.0.1:P/ http://224.0.0.1:P/ http://255.255.255.255:P/
http://[fe80::1]:P/ http://[fc00::1]:P/ http://[ff02::1]:P/ http://93.184.215.14:22/ http://93.184.215.14:25/
http://93.184.215.14:6667/ http://93.184.215.14:10080/ ftp://127.0.0.1:P/x file:///etc/passwd file://127.0.0.1/x
chrome://version/ view-source:http://127.0.0.1:P/ filesystem:http://127.0.0.1:P/temporary/x ws://127.0.0.1:P/
wss://localhost:P/""".split()

ZONES = {"four.test": Zone(a=["127.0.0.1"]), "five.test": Zone(a=["127.0.0.9"]), "six.test": Zone(aaaa=["::1"]),
         "zero.test": Zone(a=["0.0.0.0"]), "ten.test": Zone(a=["10.0.0.1"]),
         "both.test": Zone(a=["127.0.0.1"], aaaa=["::1"]), "mapped.test": Zone(aaaa=["::ffff:127.0.0.1"])}

WAYS = ("img", "script", "stylesheet", "iframe", "object", "preload", "dns-prefetch", "preconnect", "prefetch", "fetch",
        "xhr", "event-source", "beacon", "web-socket", "worker", "import-scripts", "shared-worker", "stun", "open",
        "location")


class Places(Fence):
    """Tries each forbidden address, in each way, and by a redirect of the page's own server."""

    def page_to(self, way, places):
        if way in ELEMENTS:
            return "".join(re.sub(r"\bU\b", place, ELEMENTS[way]) for place in places)
        return f"<script>for(const u of {json.dumps(places)})try{{{SCRIPTS[way]}}}catch(e){{}}</script>"

    def check(self, way, places):
        told, _ = self.run_page(self.page_to(way, places), ZONES)
        touched = [row for row in told if row[0].isdigit() and "/go?" not in row[3]]
        self.assertEqual(touched, [], way)
        self.assertEqual(self.elsewhere.arrived, [], way)
        self.assertLessEqual({path for _, path, _, _ in Site.asked}, {"/p.html", "/robots.txt", "/go"}, way)
        return told

    def places(self):
        return [place.replace(":P", f":{self.elsewhere.port}") for place in PLACES]

    def test_in_every_way(self):
        places = self.places()
        self.assertGreaterEqual(len(places), 52)
        told = {way: self.check(way, places) for way in WAYS}
        for way in ("img", "iframe", "fetch", "worker"):
            self.assertGreaterEqual(len({url for _, _, _, url in told[way]}), 35, way)

    def test_by_a_redirect(self):
        own = f"http://a.localhost:{self.server.server_port}/go?"
        places = [own + urllib.parse.quote(place, safe="") for place in self.places()]
        for way in ("img", "iframe", "fetch", "worker"):
            told = self.check(way, places)
            self.assertGreaterEqual(len({url for fate, _, _, url in told if not fate.isdigit()}), 30, way)


if __name__ == "__main__":
    unittest.main()
