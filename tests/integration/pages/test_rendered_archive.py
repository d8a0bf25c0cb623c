#!/usr/bin/env python3
"""Tests that archives of rendered pages are complete: shown from the archive alone, the pages look the same."""
import json

import harness
import rendering
import warc_reader

PAGE = """<!doctype html><title>a tea</title><link rel=stylesheet href=/tea.css><div id=app></div>
<script type=module>import {name} from '/tea.js'
const tea = await (await fetch('/teas/' + name + '.json')).json()
app.innerHTML = `<h1>${tea.name}</h1><p class=text>${tea.text}</p><img src=/${name}.svg><iframe src=/frame.html></iframe>`
</script>"""
FILES = {
    "index.html": PAGE,
    "tea.css": "@import '/more.css'; h1 { color: green }",
    "more.css": ".text { border: 9px solid red; padding: 1em }",
    "tea.js": "export {name} from './names/name.js'",
    "names/name.js": "export const name = 'sencha'",
    "teas/sencha.json": json.dumps({"name": "Sencha", "text": "It is steamed."}),
    "sencha.svg": "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='90'><circle r='40'/></svg>",
    "frame.html": "<!doctype html><p style='color: red'>a frame</p><script>document.body.append('made')</script>",
}


class ReplayHandler(harness.Handler):
    """A proxy that has only the archive."""

    def do_GET(self):
        status, fields, body = self.server.answers.get(self.path, (404, [], b""))
        if self.path not in self.server.answers:
            self.server.missing.append(self.path)
        self.send_response(status)
        for name, value in fields:
            if name.lower() not in (b"content-length", b"transfer-encoding", b"connection", b"date", b"server"):
                self.send_header(name.decode(), value.strip().decode())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Replay(harness.OwnServer):
    def __init__(self, records):
        self.answers, self.missing = {}, []
        for record in records:
            if record.headers["WARC-Type"] == "response":
                line, fields, _ = warc_reader.split_message(record.block)
                self.answers[record.headers["WARC-Target-URI"]] = (int(line.split()[1]), fields,
                                                                   warc_reader.payload_of(record.block))
        super().__init__(ReplayHandler)


class Archive(rendering.TestCase):
    def test_a_page_from_its_archive_looks_the_same(self):
        nginx = self.start_nginx({"a.localhost": self.make_site(FILES)})
        seed = nginx.url("a.localhost", "/")
        options = ("--render", "always", "--depth", "0", "--delay", "0")
        result = self.crawl(*options, "--screenshots", "first", "--warc", "w", "--output", "first.jsonl", seed)
        self.assertEqual(result.status, 0, result.stderr)
        replay = self.serve(Replay(warc_reader.read_all(self.path("w"))))
        result = self.crawl(*options, "--screenshots", "again", "--output", "again.jsonl", "--proxy",
                            replay.url("127.0.0.1", ""), seed)
        self.assertEqual(result.status, 0, result.stderr)
        first, again = self.records("first.jsonl")[0], self.records("again.jsonl")[0]
        self.assertEqual(first["title"], "a tea")
        self.assertEqual(first["render"]["screenshot"], again["render"]["screenshot"])
        self.assertEqual(first["render"]["digest"], again["render"]["digest"])
        self.assertEqual(replay.missing, [])
        self.assertEqual(first["render"]["parts"], len(FILES) - 1)


if __name__ == "__main__":
    harness.main()
