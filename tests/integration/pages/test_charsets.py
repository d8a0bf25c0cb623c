"""Tests pages in every family of encodings, declared in every way: the record's charset and title, and the query of a
link."""
import urllib.parse

import harness
import test_pages

# The name in the Encoding Standard (in records in lower case), Python's codec, a text that it can encode
ENCODINGS = [
    ("UTF-8", "utf-8", "héllo wörld ☃ 漢字"),
    ("windows-1252", "cp1252", "déjà vu “x” €"),
    ("ISO-8859-2", "iso8859-2", "příliš žluťoučký"),
    ("ISO-8859-7", "iso8859-7", "Καλημέρα"),
    ("ISO-8859-15", "iso8859-15", "cœur €"),
    ("windows-1251", "cp1251", "Привет, мир"),
    ("windows-1255", "cp1255", "שלום"),
    ("windows-1256", "cp1256", "مرحبا"),
    ("windows-874", "cp874", "สวัสดี"),
    ("KOI8-R", "koi8-r", "Привет"),
    ("KOI8-U", "koi8-u", "Їжак"),
    ("IBM866", "cp866", "Привет"),
    ("macintosh", "mac-roman", "café"),
    ("Shift_JIS", "shift_jis", "日本語テスト"),
    ("EUC-JP", "euc_jp", "日本語テスト"),
    ("ISO-2022-JP", "iso2022_jp", "日本語"),
    ("EUC-KR", "euc_kr", "한국어"),
    ("GBK", "gbk", "中文测试"),
    ("gb18030", "gb18030", "中文测试"),
    ("Big5", "big5", "中文測試"),
]


def page(title, head=""):
    return f"<html><head>{head}<title>{title}</title></head><body><a href='/q?t={title.split()[0]}'>x</a></body></html>"


class Charsets(test_pages.Pages):
    def check(self, content_type, body, name, title, query_codec):
        """Checks one page: its record's charset and title, and the page that it links to."""
        query = urllib.parse.quote(title.split()[0].encode(query_codec),
                                   safe="!'()*-._~&#;,/:@$?+=") if query_codec else None
        asked = self.one({"Content-Type": content_type}, body)
        record = self.by_path["/"]
        self.assertEqual((record["charset"], record["title"]), (name.lower(), title))
        self.assertEqual([urllib.parse.unquote_to_bytes(path) for path in asked],
                         [urllib.parse.unquote_to_bytes("/q?t=" + query)])

    def test_by_the_header(self):
        for name, codec, title in ENCODINGS:
            with self.subTest(name):
                self.check(f"text/html; charset={name.lower()}", page(title).encode(codec), name, title, codec)

    def test_by_meta(self):
        for name, codec, title in ENCODINGS:
            for head in (f"<meta charset={name}>", f'<meta http-equiv="content-type" content="text/html; '
                                                   f'charset={name}">'):
                with self.subTest(name, head=head):
                    self.check("text/html", page(title, head).encode(codec), name, title, codec)

    def test_the_header_wins_over_meta_and_a_mark_over_both(self):
        title = "Привет"
        self.check("text/html; charset=windows-1251", page(title, "<meta charset=koi8-r>").encode("cp1251"),
                   "windows-1251", title, "cp1251")
        self.check("text/html; charset=windows-1251", b"\xef\xbb\xbf" + page(title, "<meta charset=koi8-r>").encode(),
                   "UTF-8", title, "utf-8")

    def test_utf16(self):
        title = "Привет ☃"
        for name, codec, mark in (("UTF-16LE", "utf-16-le", b"\xff\xfe"), ("UTF-16BE", "utf-16-be", b"\xfe\xff")):
            with self.subTest(name):
                self.check("text/html", mark + page(title).encode(codec), name, title, "utf-8")
                self.check(f"text/html; charset={name}", page(title).encode(codec), name, title, "utf-8")

    def test_what_is_no_declaration(self):
        latin = page("caf\xe9")
        for content_type, head in (("text/html", ""), ("text/html; charset=none-such", ""),
                                   ("text/html", "<meta charset=none-such>")):
            with self.subTest(content_type, head=head):
                self.check(content_type, latin.replace("<title>", head + "<title>").encode("latin-1"), "windows-1252",
                           "café", "cp1252")

    def test_utf16_by_meta_is_utf8(self):
        self.check("text/html", page("héllo", "<meta charset=utf-16le>").encode(), "UTF-8", "héllo", "utf-8")

    def test_characters_that_the_encoding_lacks(self):
        asked = self.one({"Content-Type": "text/html; charset=windows-1251"}, "<a href='/q?t=&#x65e5;'>x</a>")
        self.assertEqual(asked, ["/q?t=%26%2326085%3B"])

    def test_broken_bytes(self):
        body = b"<title>a\xff\xfeb\xc3(</title><a href='/q?t=\xff'>x</a>"
        asked = self.one({"Content-Type": "text/html; charset=utf-8"}, body)
        self.assertEqual(asked, ["/q?t=%EF%BF%BD"])
        self.assertEqual(self.by_path["/"]["title"], "a\ufffd\ufffdb\ufffd(")


if __name__ == "__main__":
    harness.main()
