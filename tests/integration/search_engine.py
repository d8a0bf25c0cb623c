"""Search engines for tests of `crawl index`: its requests to Elasticsearch, Meilisearch and Typesense, on documents in
memory, with occasional failures."""
import json
import random
import socket
import threading
import time
import urllib.parse

import harness


class Engine(harness.OwnServer):
    """trouble: share of requests that fail in some way. most: documents per request. A document with the title "bad" is
    refused for good."""

    def __init__(self, trouble=0.0, most=500, seed=1):
        self.trouble, self.most = trouble, most
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.documents = {}  # id -> document
        self.versions = {}  # id -> (version, document or None): es keeps versions of deleted documents
        self.deleted = {}  # task -> documents
        self.shy = 0  # answers about tasks that are 503
        self.passing = []  # ends of the next tasks, or answers to the next imports, that are not the documents' fault
        self.tasks, self.requests, self.faults = [], [], []
        self.twice = 0  # items that were already there
        super().__init__(Requests)

    def url(self, host="127.0.0.1", path=""):
        return super().url(host, path)

    def draw(self, *faults):
        """Returns one of these faults, or None."""
        with self.lock:
            fault = self.random.choice(faults) if self.random.random() < self.trouble else None
        self.faults.append(fault)
        return fault

    def write(self, key, version, document):
        """Writes an item of es. Returns its status."""
        if document and document["title"] == "bad":
            return 400
        with self.lock:
            before = self.versions.get(key, (0, None))
            if version <= before[0]:
                self.twice += version == before[0]
                return 409
            self.versions[key] = (version, document)
            self.documents.pop(key, None)
            if document:
                self.documents[key] = document
            return 201 if document else 404 if before[1] is None else 200

    def titles(self):
        """Returns path -> title of the documents."""
        with self.lock:
            return {urllib.parse.urlsplit(document["url"]).path: document["title"]
                    for document in self.documents.values()}


class Requests(harness.Handler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urllib.parse.urlsplit(self.path).path
        self.server.requests.append((self.command, self.path, dict(self.headers), body))
        fault = self.server.draw("busy", "slow", "lost", "gone")
        if fault == "busy":
            self.say(503, "try again", "Retry-After: 0")
        elif fault == "gone":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        else:
            self.take(path, body, fault)

    def take(self, path, body, fault):
        lines = [json.loads(line) for line in body.splitlines()]
        if path == "/_bulk":
            answer = self.bulk(lines)
        elif path in ("/pages/_count", "/pages/_delete_by_query"):
            answer = self.by_query(path, lines[0]["query"]["range"]["crawl_version"]["lt"])
        elif path.startswith("/indexes/"):
            answer = self.tasks(path, lines)
        else:
            answer = self.imports(lines)
        if fault == "slow":
            time.sleep(1.5)
        if fault == "lost":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif answer is None:
            self.say(413, "too much")
        elif path.startswith("/collections/") and self.server.passing:
            self.say(422, json.dumps({"message": self.server.passing.pop(0)}))
        else:
            self.say(200, answer)

    def bulk(self, lines):
        items = []
        rest = iter(lines)
        for action in rest:
            (kind, about), = action.items()
            assert about["_index"] == "pages" and about["version_type"] == "external"
            document = next(rest) if kind == "index" else None
            items.append((kind, about, document))
        if len(items) > self.server.most:
            return None
        said = []
        for kind, about, document in items:
            status = 429 if self.server.draw("full") else self.server.write(about["_id"], about["version"], document)
            said.append({kind: {"status": status, **({"error": {"reason": "as it is"}} if status >= 400 else {})}})
        return json.dumps({"items": said})

    def older(self, version):
        with self.server.lock:
            return [key for key, document in self.server.documents.items() if document["crawl_version"] < version]

    def forget(self, keys):
        for key in keys:
            self.server.documents.pop(key)
        return len(keys)

    def by_query(self, path, version):
        """Deletes some at a time, as max_docs says."""
        keys = self.older(version)
        if path == "/pages/_count":
            return json.dumps({"count": len(keys)})
        assert "conflicts=proceed&refresh=true&max_docs=10000" in self.path
        return json.dumps({"deleted": self.forget(keys[:7])})

    def tasks(self, path, lines):
        server = self.server
        if server.passing:
            server.tasks.append(server.passing.pop(0))
            return json.dumps({"taskUid": len(server.tasks) - 1})
        older = self.older(int(lines[0]["filter"].removeprefix("crawl_version < "))) if "filter" in lines[0] else []
        if path == "/indexes/pages/documents/fetch":
            assert lines[0]["limit"] == 0
            return json.dumps({"results": [], "total": len(older)})
        if path == "/indexes/pages/documents/delete":
            bad = False
            server.deleted[len(server.tasks)] = self.forget(older)
        elif path == "/indexes/pages/documents":
            bad = any(line["title"] == "bad" for line in lines)
            with server.lock:
                server.documents.update({} if bad else {line["id"]: line for line in lines})
        else:
            bad = False
            assert path == "/indexes/pages/documents/delete-batch"
            with server.lock:
                deleted = sum(server.documents.pop(key, None) is not None for key in lines[0])
            server.deleted[len(server.tasks)] = deleted
        server.tasks.append("failed" if bad else "succeeded")
        return json.dumps({"taskUid": len(server.tasks) - 1})

    def do_GET(self):
        search = "/collections/pages/documents/search?filter_by=crawl_version:%3C"
        if self.path.startswith(search) and self.path.endswith("&q=*&per_page=0"):
            self.say(200, json.dumps({"found": len(self.older(int(self.path[len(search):].split("&")[0])))}))
            return
        if self.path == "/pages/_refresh":
            self.say(200, "{}")
            return
        counts = {"/pages/_count": "count", "/indexes/pages/stats": "numberOfDocuments",
                  "/collections/pages": "num_documents"}
        if self.path in counts:
            self.server.requests.append((self.command, self.path, dict(self.headers), b""))
            with self.server.lock:
                self.say(200, json.dumps({counts[self.path]: len(self.server.documents)}))
            return
        if self.server.shy:
            self.server.shy -= 1
            self.say(503, "try again")
            return
        number = int(self.path.rsplit("/", 1)[1])
        if self.server.tasks[number] == "unknown":
            self.say(404, "{}")
            return
        status = self.server.tasks[number] if self.server.random.random() < 0.5 else "processing"
        status, _, kind = status.partition(" ")
        self.say(200, json.dumps({"status": status, "details": {"deletedDocuments": self.server.deleted.get(number)},
                                  "error": {"message": "as it is", "code": "invalid",
                                            "type": kind or "invalid_request"}}))

    def imports(self, lines):
        assert self.path == "/collections/pages/documents/import?action=upsert"
        said = []
        for line in lines:
            if line["title"] == "bad":
                said.append({"success": False, "code": 400, "error": "as it is"})
            else:
                self.server.documents[line["id"]] = line
                said.append({"success": True})
        return "\n".join(map(json.dumps, said))

    def do_DELETE(self):
        self.server.requests.append((self.command, self.path, dict(self.headers), b""))
        by_query = "/collections/pages/documents?filter_by=crawl_version:%3C"
        if self.path.startswith(by_query):
            self.say(200, json.dumps({"num_deleted": self.forget(self.older(int(self.path[len(by_query):])))}))
            return
        was = self.server.documents.pop(self.path.rsplit("/", 1)[1], None)
        self.say(200 if was else 404, "{}")

    def say(self, status, text, *headers):
        try:
            self.answer(status, text, "Content-Type: application/json", *headers)
        except OSError:
            self.close_connection = True  # the client stopped waiting
