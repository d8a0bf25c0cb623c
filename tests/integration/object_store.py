"""An S3 server for tests of `crawl upload`: objects are in memory, and requests are refused unless Python's hmac makes
the same signature (AWS Signature Version 4)."""
import calendar
import hashlib
import hmac
import re
import threading
import time
import urllib.parse
import xml.sax.saxutils

import harness

KEYS = ("AKIDEXAMPLE", "a/secret+key")


def quote(text):
    return urllib.parse.quote(text, safe="-_.~")


def signature(secret, method, path, query, headers, names, payload, date, region):
    """Returns the signature of a request. path, query: as sent."""
    pairs = sorted(pair.partition("=")[::2] for pair in query.split("&") if pair)
    request = "\n".join([method, path, "&".join(f"{name}={value}" for name, value in pairs),
                         *(f"{name}:{' '.join(headers[name].split())}" for name in names), "", ";".join(names),
                         payload])
    scope = f"{date[:8]}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for step in scope.split("/") + [text]:
        key = hmac.new(key, step.encode(), "sha256").digest()
    return key.hex()


class Store(harness.OwnServer):
    """A bucket "box". faults: outcomes of the next requests, each None (success), a status with a code such as (503,
    "SlowDown"), "lost" (carried out, not answered) or "dead" (neither); a request that `counts` refuses uses none.
    may_list: without it, HEAD of a missing object gives 403."""

    def __init__(self, faults=(), clock=0, region="us-east-1", may_list=True, has_conditions=True, lists=True, page=2):
        self.faults, self.clock, self.region = list(faults), clock, region
        self.may_list, self.has_conditions, self.lists, self.page = may_list, has_conditions, lists, page
        self.counts = lambda request: True
        self.objects, self.uploads, self.requests = {}, {}, []  # key -> (bytes, etag, metadata); id -> (key, ...)
        self.begun = 0
        self.lock = threading.Lock()
        super().__init__(Requests)

    def url(self, host="127.0.0.1", path=""):
        return super().url(host, path)

    def handle_error(self, request, client_address):
        pass  # the client went away

    def names(self):
        with self.lock:
            return sorted(self.objects)

    def sent(self, method):
        """Returns the requests of a method, as "PATH?QUERY"."""
        with self.lock:
            return [target for one, target in self.requests if one == method]


class Requests(harness.Handler):
    def parse(self):
        self.path_only, _, self.query = self.path.partition("?")
        self.arguments = dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))
        parts = urllib.parse.unquote(self.path_only).split("/", 2)
        self.bucket, self.key = parts[1], parts[2] if len(parts) > 2 else None
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def refusal(self):
        """Returns (status, code) for a request with a wrong signature. None: it is correct."""
        given = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/aws4_request,SignedHeaders=([^,]+),"
                             r"Signature=([0-9a-f]{64})", self.headers.get("Authorization", ""))
        headers = {name.lower(): value for name, value in self.headers.items()}
        date, payload = headers.get("x-amz-date", ""), headers.get("x-amz-content-sha256", "")
        if not given or not re.fullmatch(r"\d{8}T\d{6}Z", date) or given[2] != date[:8]:
            return 403, "AccessDenied"
        if given[3] != self.server.region:
            return 400, "AuthorizationHeaderMalformed"
        names = given[4].split(";")
        must = {"host"} | {name for name in headers if name.startswith("x-amz-")}
        if names != sorted(names) or not must <= set(names):
            return 403, "AccessDenied"
        if given[1] != KEYS[0]:
            return 403, "InvalidAccessKeyId"
        if given[5] != signature(KEYS[1], self.command, self.path_only, self.query, headers, names, payload, date,
                                 given[3]):
            return 403, "SignatureDoesNotMatch"
        if abs(calendar.timegm(time.strptime(date, "%Y%m%dT%H%M%SZ")) - time.time() - self.server.clock) > 900:
            return 403, "RequestTimeTooSkewed"
        if hashlib.sha256(self.body).hexdigest() != payload:
            return 400, "XAmzContentSHA256Mismatch"
        return None

    def date_time_string(self, timestamp=None):
        return super().date_time_string((time.time() if timestamp is None else timestamp) + self.server.clock)

    def say(self, status, text="", *headers):
        if not self.is_lost:
            self.answer(status, "" if self.command == "HEAD" else text, "Content-Type: application/xml", *headers)

    def fail(self, status, code):
        region = f"<Region>{self.server.region}</Region>" if code == "AuthorizationHeaderMalformed" else ""
        self.say(status, f"<?xml version='1.0'?>\n<Error><Code>{code}</Code><Message>of the test</Message>{region}"
                         "</Error>")

    def run(self):
        self.parse()
        self.is_lost = False
        server = self.server
        with server.lock:
            server.requests.append((self.command, self.path))
            fault = server.faults.pop(0) if server.faults and server.counts(self) else None
            if fault == "dead":
                self.close_connection = True
                return
            self.is_lost = fault == "lost"
            self.close_connection = self.close_connection or self.is_lost
            refused = self.refusal() or (fault if isinstance(fault, tuple) else None)
            if refused:
                self.fail(*refused)
            elif self.bucket != "box":
                self.fail(404, "NoSuchBucket")
            else:
                getattr(self, "run_" + self.command)()

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = run

    def run_HEAD(self):
        found = self.server.objects.get(self.key)
        if not found:
            self.say(404 if self.server.may_list else 403)
            return
        data, etag, kept = found
        self.send_response(200)
        for name, value in [("Content-Length", len(data)), ("ETag", f'"{etag}"'), *kept.items()]:
            self.send_header(name, str(value))
        self.end_headers()

    def kept(self):
        return {name.lower(): value for name, value in self.headers.items() if name.lower().startswith("x-amz-meta-")}

    def is_in_the_way(self):
        condition = self.headers.get("If-None-Match")
        if condition and not self.server.has_conditions:
            self.fail(501, "NotImplemented")
        elif condition and self.key in self.server.objects:
            self.fail(412, "PreconditionFailed")
        else:
            return False
        return True

    def run_PUT(self):
        etag = hashlib.md5(self.body).hexdigest()
        if "uploadId" in self.arguments:
            upload = self.server.uploads.get(self.arguments["uploadId"])
            if not upload:
                self.fail(404, "NoSuchUpload")
                return
            upload["parts"][int(self.arguments["partNumber"])] = (self.body, etag)
        elif self.is_in_the_way():
            return
        else:
            self.server.objects[self.key] = (self.body, etag, self.kept())
        self.say(200, "", f'ETag: "{etag}"')

    def run_POST(self):
        server = self.server
        if "uploads" in self.arguments:
            server.begun += 1
            name = f"id {server.begun}+/="
            server.uploads[name] = {"key": self.key, "parts": {}, "kept": self.kept()}
            self.say(200, f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId></InitiateMultipartUploadResult>")
            return
        upload = server.uploads.get(self.arguments["uploadId"])
        if not upload or upload["key"] != self.key:
            self.fail(404, "NoSuchUpload")
            return
        if self.is_in_the_way():
            return
        named = re.findall(r"<Part><PartNumber>(\d+)</PartNumber><ETag>&quot;(\w+)&quot;</ETag></Part>",
                           self.body.decode())
        parts = upload["parts"]
        sizes = {len(parts[number][0]) for number in sorted(parts)[:-1]}
        if [(int(number), etag) for number, etag in named] != [(n, parts[n][1]) for n in sorted(parts)] or (
                len(sizes) > 1):  # as in R2
            self.fail(400, "InvalidPart")
            return
        etag = hashlib.md5(b"".join(bytes.fromhex(etag) for _, etag in named)).hexdigest() + f"-{len(named)}"
        server.objects[self.key] = (b"".join(parts[n][0] for n in sorted(parts)), etag, upload["kept"])
        del server.uploads[self.arguments["uploadId"]]
        self.say(200, " \n <CompleteMultipartUploadResult/>")

    def run_DELETE(self):
        self.server.uploads.pop(self.arguments["uploadId"], None)
        self.say(204)

    def run_GET(self):
        server = self.server
        if not server.lists:
            self.fail(501, "NotImplemented")
        elif "uploads" in self.arguments:
            self.say(200, "<ListMultipartUploadsResult>" + "".join(
                f"<Upload><Key>{xml.sax.saxutils.escape(upload['key'])}</Key><UploadId>{name}</UploadId></Upload>"
                for name, upload in server.uploads.items()
                if upload["key"].startswith(self.arguments.get("prefix", ""))) + "</ListMultipartUploadsResult>")
        elif self.arguments["uploadId"] not in server.uploads:
            self.fail(404, "NoSuchUpload")
        else:
            parts = server.uploads[self.arguments["uploadId"]]["parts"]
            after = [n for n in sorted(parts) if n > int(self.arguments.get("part-number-marker", "0"))]
            shown = after[:server.page]
            is_cut = len(after) > len(shown)
            self.say(200, "<ListPartsResult>" + "".join(
                f'<Part><PartNumber>{n}</PartNumber><ETag>"{parts[n][1]}"</ETag><Size>{len(parts[n][0])}</Size></Part>'
                for n in shown) + f"<IsTruncated>{str(is_cut).lower()}</IsTruncated>" +
                (f"<NextPartNumberMarker>{shown[-1]}</NextPartNumberMarker>" if is_cut else "") + "</ListPartsResult>")
