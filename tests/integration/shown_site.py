"""A test site with every form in which a page names something it needs to be shown: elements and attributes of HTML,
SVG and XHTML, style sheets in all their forms, encodings, bases, frames, redirects, a second host. Every image has its
own colour, so that a missing one is visible."""
import hashlib
import html
import os
import re
import struct
import zlib


def png(name, side=24):
    """Makes a square in the colour that its name gives."""
    colour = hashlib.md5(name.encode()).digest()[:3]

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + colour * side) * side
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR",
                                        struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0,
                                                    0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def svg(inside, name="x"):
    colour = "#" + hashlib.md5(name.encode()).hexdigest()[:6]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="24" '
            f'height="24" viewBox="0 0 24 24">'
            f'<rect id="part" width="20" height="20" fill="{colour}"/>{inside}</svg>')


# {b}: the address of the other host.
HTML = """<!doctype html><html lang=en><title>All forms</title>
<link rel=stylesheet href=css/sheet.css><link rel="shortcut icon" href=icon.png><link rel=manifest href=app.webmanifest>
<link rel="alternate stylesheet" title=other href=css/alternate.css><link rel=stylesheet media=print href=css/print.css>
<link rel=stylesheet media="(min-width: 1px)" href="css/query.css?v=1&amp;w=a+b%20c"><LINK REL=StyleSheet HREF="&#32; css/upper.css
"><link rel=preload as=image href=img/pre.png imagesrcset="img/pre1.png 1x, img/pre2.png 2x"><link rel=preload as=font crossorigin href=css/font.woff2>
<link rel=modulepreload href=js/module.js><link rel=preload as=style href="{b}far-pre.css"><link rel=stylesheet href="{b}far.css">
<style>@charset "x"; @layer base; @import "css/inner.css"; @import url(css/inner-url.css) layer(base); @import url( "css/inner-cond.css" ) supports(display: grid) screen and (min-width: 1px);
p.a { background: url(img/p-a.png) } p.b { background: url( 'img/p-b.png' ) no-repeat } p.c { background: URL("img/p\\2d c.png") }
p.d { background-image: image-set("img/set1.png" 1x, url(img/set2.png) 2x) } p.e { background-image: -webkit-image-set(url(img/wset1.png) 1x, url(img/wset2.png) 2x) }
p.f { background: u\\72l(img/p-f.png) } p.g { --shown: url(img/p-g.png); background: var(--shown) } p.h::before { content: url(img/content.png) }
p.i { list-style: square url(img/list.png); display: list-item; margin-left: 3em } p.j { border: 8px solid; border-image: url(img/border.png) 8 }
p.k { -webkit-mask: url(img/mask.svg); mask: url(img/mask.svg); background: teal } p.l { cursor: url(img/cursor.png) 2 2, auto }
p.m { background: linear-gradient(red, blue), url(img/m1.png), url(img/m2.png) } @media screen { @supports (display: grid) { p.n { background: url(img/nested.png) } } }
p.o { & span { background: url(img/nesting.png) } } @font-face { font-family: F; src: local("no such font"), url(css/font.woff2) format("woff2"), url(css/font.ttf) }
p.q { font-family: F } p.r { background: -webkit-cross-fade(url(img/fade1.png), url(img/fade2.png), 50%) } p.s { shape-outside: url(img/shape.png); float: left }
p.t { filter: url(img/filter.svg#f) } p.u { clip-path: url(img/clip.svg#c); background: olive } @container (min-width: 1px) { p.v { background: url(img/container.png) } }
p.w{background:url(img/p-w.png);/* url(img/no-comment.png) */} p.x { background: url(img/paren\\).png) } p.y { background: url(//{far}/far-style.png) } p { min-height: 26px; margin: 1px }
</style><style media=print>p { background: url(img/print2.png) }</style>
<script src=js/plain.js></script><script src=js/defer.js defer></script><script src=js/async.js async></script><script type=module src=js/module2.js></script><script src="{b}far.js"></script>
<body background=img/body.png style="border: 4px solid; border-image: url(img/style-border.png) 4">
""" + "".join(f"<p class={c}>{c} <span>text</span></p>" for c in "abcdefghijklmnoqrstuvwxy") + """
<p style='background:url(&quot;img/attr.png&quot;)'>style</p><p style="background-image:image-set('img/attr1.png' 1x, url(&quot;img/attr2.png&quot;) 2x)">set</p>
<img src=img/plain.png><img src=" img/spaces.png
"><img src=img/moved.png><img src=img/x1.png srcset="img/x1.png 1x, img/x2.png 2x"><img src=img/w0.png srcset="img/w1.png 100w,img/w2.png 2000w" sizes="(max-width: 10px) 10px, 24px">
<img srcset="img/only-set.png"><img srcset="img/comma,in,it.png 1x"><img src="img/a%20b.png?q=1&amp;r=2#frag"><img src="img/&uuml;.png"><img src="{b}far.png"><img src=/img/../img/dots.png>
<img loading=lazy src=img/lazy.png><img decoding=async src=img/mask.svg#part><image src=img/image.png><img src=img/missing.png alt=missing>
<picture><source type=image/webp media="(max-width: 1px)" srcset=img/pic-small.webp><source srcset="img/pic.png 1x, img/pic2.png 2x"><img src=img/pic-img.png></picture>
<video src=media/v.webm poster=img/poster.png width=40 height=30></video><video controls width=40 height=30><source src=media/v1.webm type=video/webm><source src=media/v2.mp4><track default src=media/v.vtt></video>
<audio src=media/a.ogg controls></audio><audio preload=auto><source src=media/a2.ogg></audio>
<object data=img/object.svg type=image/svg+xml width=30 height=30><img src=img/object-fallback.png></object><object data=object.html width=100 height=30></object>
<object data=img/object.png></object><embed src=img/embed.svg width=30 height=30><input type=image src=img/input.png>
<table background=img/table.png><thead background=img/thead.png><tr background=img/tr.png><th background=img/th.png>h<tbody background=img/tbody.png><tr><td background=img/td.png>d<tfoot background=img/tfoot.png><tr><td>f</table>
<svg width=200 height=30 xmlns:xlink="http://www.w3.org/1999/xlink"><style>@import "css/in-svg.css"; circle { fill: url(#g) } .s { mask: url(img/svg-mask.svg#m) }</style><image href=img/svg-image.png width=20 height=20 />
<image xlink:href="img/svg-xlink.png" x=22 width=20 height=20 /><use href="img/use.svg#part" x=44 /><use xlink:href="img/use2.svg#part" x=66 /><use href="#part"/>
<filter id=i><feImage href=img/feimage.png /></filter><rect x=88 width=20 height=20 filter="url(#i)"/><rect x=110 width=20 height=20 filter="url(img/filter2.svg#f)"/>
<rect x=132 width=20 height=20 mask="url(img/mask2.svg#m)" fill=green /><rect x=154 width=20 height=20 clip-path="url('img/clip2.svg#c')" fill=navy /><script href=js/svg.js></script>
<rect x=176 width=20 height=20 style="filter:url(img/filter3.svg#f)" cursor="url(img/svg-cursor.png), auto"/><path d="M0 25h20" marker-end="url(img/marker.svg#m)"/>
<rect x=98 width=9 height=20 fill="url(img/paint.svg#g) red"/><foreignObject width=10 height=10><img src=img/foreign.png></foreignObject></svg>
<iframe src=frame.html width=120 height=40></iframe><iframe src="{b}frame.html" width=120 height=40></iframe><iframe width=60 height=40 srcdoc="&lt;link rel=stylesheet href=css/srcdoc.css&gt;&lt;img src=img/srcdoc.png&gt;&lt;iframe srcdoc=&quot;&amp;lt;img src=img/srcdoc2.png&amp;gt;&quot;&gt;"></iframe>
<div><template shadowrootmode=open><style>p { background: url(img/shadow.png) }</style><p>shadow</p></template></div><noscript><img src=img/noscript.png></noscript>
<p hidden><img src=img/hidden.png></p><div style="display:none"><img src=img/none.png></div><link rel=stylesheet href=css/body.css>
<svg width=24 height=24><a><title>x</title><img src=img/broken-out.png></a></svg><math><mtext><img src=img/math.png></mtext></math>
<select><option>a</select><button><img src=img/button.png></button><a href=frames.html>frames</a> <a href=page.xhtml>xhtml</a> <a href=old.html>old</a> <a href=base.html>base</a> <a href=picture.svg>svg</a> <a href=feed.xml>feed</a>
<img src=unquoted/slash.png/><img alt="a > b" src='img/quote.png'><img src=img/last.png"""

FILES = {
    "index.html": HTML,
    "css/sheet.css": '@import "deep.css"; @import url(deep-url.css) print; @import url("../css/query.css?deep"); body '
                     '{ color: #222; background-color: #fff } '
                     "h1 { background: url(../img/from-sheet.png) } td { background-image: "
                     "url('../img/td-sheet.png'); } @font-face { font-family: G; src: url(font2.woff2) } button { "
                     "font-family: G } "
                     "tfoot td { background: url(data:image/png;base64,no) } select { background: "
                     "url('../img/unclosed.png",
    "css/deep.css": "@import 'sheet.css'; a { background: url(../img/deep.png); padding-left: 26px }",
    "css/deep-url.css": "a { background: url(../img/deep-print.png) }",
    "css/alternate.css": "a { color: red }", "css/print.css": "body { background: url(../img/print.png) }",
    "css/query.css": "i { background: url(../img/query.png) }",
    "css/upper.css": "input { border: 2px solid; background: url(../img/upper.png) }",
    "css/inner.css": "audio { background: url(../img/inner.png) }",
    "css/inner-url.css": "video { background: url(../img/inner-url.png) }",
    "css/inner-cond.css": "embed { background: url(../img/inner-cond.png) }",
    "css/in-svg.css": "svg { background: url(../img/in-svg.png) }",
    "css/srcdoc.css": "body { background: url(../img/srcdoc-css.png) }",
    "css/body.css": "img { border: 1px solid url(no) }",
    "css/sjis.css": '@charset "shift_jis"; a { background: url(../img/\u65e5.png); padding: 13px }',
    "css/old.css": "b { background: url(../img/old.png); padding: 13px }",
    "css/frame.css": "body { background: url(../img/frame-css.png) }",
    "css/feed.css": "title { background: url(../img/feed-css.png); padding: 13px; display: block } @import 'no.css';",
    "css/xhtml.css": "p { background: url(../img/xhtml-css.png) }",
    "css/svg.css": "circle { stroke: red } @font-face { font-family: S; src: url(font3.woff2) } "
                   "text { font-family: S }",
    "js/plain.js": "", "js/defer.js": "", "js/async.js": "", "js/module.js": "", "js/module2.js": "", "js/svg.js": "",
    "app.webmanifest": '{"icons": [{"src": "img/no-manifest.png", "sizes": "24x24"}]}',
    "img/mask.svg": svg("", "mask"), "img/filter.svg": svg('<filter id="f"><feFlood flood-color="lime"/></filter>'),
    "img/filter2.svg": svg('<filter id="f"><feFlood flood-color="red"/></filter>'),
    "img/filter3.svg": svg('<filter id="f"><feFlood flood-color="blue"/></filter>'),
    "img/clip.svg": svg('<clipPath id="c"><circle cx="9" cy="9" r="9"/></clipPath>'),
    "img/clip2.svg": svg('<clipPath id="c"><circle cx="164" cy="9" r="6"/></clipPath>'),
    "img/mask2.svg": svg('<mask id="m"><circle cx="142" cy="9" r="6" fill="white"/></mask>'),
    "img/svg-mask.svg": svg('<mask id="m"><circle r="9" fill="white"/></mask>'),
    "img/marker.svg": svg('<marker id="m"><circle r="4"/></marker>'),
    "img/object.svg": svg('<style>@import "../css/svg.css"; circle { fill: url(#g) }</style><image '
                          'href="in-object.png" width="9" height="9"/><text y="20">S</text>', "object"),
    "img/embed.svg": '<?xml-stylesheet href="../css/svg.css"?>'
    + svg('<image xlink:href="in-embed.png" width="9" height="9"/>', "embed"),
    "img/paint.svg": svg('<linearGradient id="g"><stop stop-color="lime"/></linearGradient>'),
    "img/use.svg": svg("", "use"), "img/use2.svg": svg("", "use2"),
    "object.html": "<!doctype html><title>o</title><link rel=stylesheet href=css/frame.css><img "
                   "src=img/object-html.png>", "frame.html": "<!doctype html><title>f</title><link rel=stylesheet "
                                                             "href=css/frame.css><img src=img/frame.png>",
    "frames.html": "<!doctype html><title>Frames</title><frameset cols='50%,50%'><frame src=frame.html><frame "
                   "src='{b}frame.html'></frameset>",
    "page.xhtml": '<?xml version="1.0"?>\n<?xml-stylesheet type="text/css" href="css/xhtml-pi.css?a=1&amp;b=2"?>\n'
                  '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title><link rel="stylesheet" '
                  'href="css/xhtml.css"/>'
                  '<style><![CDATA[ @import "css/body.css"; b > i { background: url(img/cdata.png) } '
                  ']]></style></head><body><p><b><i>x</i></b><img src="img/xhtml.png" alt=""/>'
                  '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="60" '
                  'height="24"><image xlink:href="img/xhtml-svg.png" width="20" height="20"/></svg></p></body></html>',
    "css/xhtml-pi.css": "b { background: url(../img/xhtml-pi.png); padding: 13px }",
    "feed.xml": '<?xml version="1.0"?><?xml-stylesheet href="css/feed.css" type="text/css"?><rss '
                'version="2.0"><channel><title>words</title></channel></rss>',
    "base.html": "<!doctype html><title>Base</title><base href=img/><link rel=stylesheet href=../css/frame.css><img "
                 "src=based.png><p style='background:url(based-style.png)'>x</p><style>"
                 "a{background:url(based-css.png);padding:13px}</style><a>x</a>",
    "old.html": "<title>Old</title><link rel=stylesheet href=css/old.css><link rel=stylesheet href=css/sjis.css><img "
                "src='img/old.png?\u00fc'><img src='img/\u00fc.png'><a>\u00e9</a><b>x</b>",
    "picture.svg": '<?xml version="1.0"?><?xml-stylesheet href="css/svg.css" type="text/css"?>'
    + svg('<image href="img/in-picture.png" width="20" height="20"/><use href="img/use.svg#part"/><circle r="9" '
          'mask="url(img/svg-mask.svg#m)"/>', "picture"),
}
OTHER = {
    "far.css": "@import 'far-import.css'; b { background: url(far-css.png); padding: 13px } i { background: "
               "url({b}far-back.png) }", "far-import.css": "u { background: url(far-import.png) }", "far-pre.css": "",
               "far.js": "",
    "frame.html": "<!doctype html><title>g</title><link rel=stylesheet href=frame.css><img src=frame.png><iframe "
                  "src=frame2.html width=50 height=20></iframe>",
                  "frame.css": "body { background: url(frame-css.png) }",
    "frame2.html": "<!doctype html><title>h</title><img src=frame2.png>",
}
# Requested, and no more than that.
BYTES = ["css/font.woff2", "css/font.ttf", "css/font2.woff2", "css/font3.woff2", "media/v.webm", "media/v1.webm",
         "media/v2.mp4", "media/v.vtt", "media/a.ogg", "media/a2.ogg"]
ENCODINGS = {"css/sjis.css": "shift_jis", "old.html": "cp1252"}
REDIRECTED = ("location = /img/moved.png { return 302 /img/moved-to.png; } location = /unquoted/slash.png/ { return "
              "200 x; }")
TYPES = ("types { text/html html; text/css css; image/png png; image/svg+xml svg; text/javascript js; "
         "application/xhtml+xml xhtml; text/xml xml; font/woff2 woff2; video/webm webm; audio/ogg ogg; text/vtt vtt; "
         "application/manifest+json webmanifest; }")

NAMED = re.compile(r"[\w./,%-]+\.(?:png|webp)")
NAMED_BY_HAND = re.compile(r"\{b\}[\w./-]*|//\{far\}[\w./-]*|p\\+2d c\.png|paren\\\)\.png|a%20b\.png|\d+w,|unquoted/"
                           r"slash\.png/|img/last\.png|img/missing\.png")


def write(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def write_images(folder, text, of):
    """Writes a square for each image that the text of a file names."""
    for found in NAMED.findall(NAMED_BY_HAND.sub(" ", html.unescape(text))):
        path = os.path.normpath(os.path.join(os.path.dirname(of), found.lstrip("/"))).removeprefix("../")
        write(folder, path, png(path))


def make(folder, other_folder, other):
    """Writes both hosts of the site; other: the address of the second, with a slash."""
    for where, files in ((folder, FILES), (other_folder, OTHER)):
        for name, text in files.items():
            write_images(where, text, name if not name.startswith("base.") else "img/x")
            text = text.replace("{b}", other).replace("{far}", other.split("/")[2])
            write(where, name, text.encode(ENCODINGS.get(name, "utf-8")))
    for name in BYTES:
        write(folder, name, b"x")
    for name in ("moved-to.png", "paren).png", "p-c.png", "a b.png", "\u00fc.png", "\u65e5.png", "old.png"):
        write(folder, "img/" + name, png(name))
    for name in ("far.png", "far-back.png", "far-style.png", "far-css.png", "far-import.png", "frame-css.png",
                 "frame.png", "frame2.png"):
        write(other_folder, name, png(name))
