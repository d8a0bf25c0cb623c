"""Servers that record requests: HTTP and HTTPS, a proxy for HTTP with CONNECT, and one for SOCKS5. They run in threads
of the test.

    site = Site({"/": "<a href=x>", "/go": Redirect("http://b.localhost:1/")})
    site.port, site.requests   # each with host, method, path, headers (names in lower case), body, peer, cert
"""
import collections
import base64
import http.server
import select
import socket
import socketserver
import ssl
import threading

Request = collections.namedtuple("Request", "host method path headers body peer cert")
Redirect = collections.namedtuple("Redirect", "to status headers", defaults=(302, ()))
Answer = collections.namedtuple("Answer", "body status headers", defaults=(200, ()))


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler, address="127.0.0.1", context=None):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, 0), handler)
        self.context = context
        self.port = self.server_address[1]
        self.requests = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)  # HTTPServer's looks up its own name

    def finish_request(self, request, client_address):
        if self.context:
            with self.context.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        else:
            super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        pass  # a client that goes away, or fails the handshake

    def stop(self):
        self.shutdown()
        self.server_close()

    def url(self, host, path="/"):
        return f"{'https' if self.context else 'http'}://{host}:{self.port}{path}"

    def asked(self, path):
        return [request for request in self.requests if request.path == path]


class SiteHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def handle_any(self):
        size = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(size)
        cert = self.connection.getpeercert() if isinstance(self.connection, ssl.SSLSocket) else None
        headers = collections.defaultdict(list)
        for name, value in self.headers.items():
            headers[name.lower()].append(value)
        request = Request(self.headers.get("Host", ""), self.command, self.path, headers, body,
                          self.client_address[0], cert)
        self.server.requests.append(request)
        answer = self.server.answer(request)
        if isinstance(answer, Redirect):
            answer = Answer("", answer.status, (("Location", answer.to), *answer.headers))
        elif isinstance(answer, str):
            answer = Answer(answer)
        data = answer.body.encode()
        self.send_response(answer.status)
        fields = dict(answer.headers)
        fields.setdefault("Content-Type", "text/plain" if self.path.endswith(".txt") else "text/html")
        for name, value in [*answer.headers, *(item for item in fields.items() if item not in answer.headers)]:
            self.send_header(name, value)
        if "Content-Length" not in fields:  # a longer one leaves the client waiting
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_HEAD = handle_any


class Site(Server):
    """pages: path -> text, Redirect, Answer, or a function of the request; other paths give 404."""

    def __init__(self, pages, address="127.0.0.1", context=None):
        self.pages = pages
        super().__init__(SiteHandler, address, context)

    def answer(self, request):
        answer = self.pages.get(request.path, Answer("no", 404))
        return answer(request) if callable(answer) else answer


def relay(one, other):
    """Copies bytes both ways until one side ends."""
    while True:
        for ready in select.select([one, other], [], [], 30)[0]:
            data = ready.recv(65536)
            if not data:
                return
            (other if ready is one else one).sendall(data)


class ProxyHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *args):
        pass

    def refused(self):
        wanted = self.server.user and "Basic " + base64.b64encode(self.server.user.encode()).decode()
        if not wanted or self.headers.get("Proxy-Authorization") == wanted:
            return False
        self.send_response(407)
        self.send_header("Content-Length", "0")
        self.end_headers()
        return True

    def note(self):
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.headers.get("Host", ""), self.command, self.path, headers, b"",
                                            self.client_address[0], None))

    def do_CONNECT(self):
        self.note()
        if self.refused():
            return
        host, port = self.path.rsplit(":", 1)
        try:
            with socket.create_connection((self.server.place(host), int(port)), 10) as upstream:
                self.send_response(200, "yes")
                self.send_header("X-Proxy", "connect")
                self.end_headers()
                relay(self.connection, upstream)
        except OSError:
            self.send_error(502)

    def do_GET(self):
        self.note()
        if self.refused():
            return
        rest = self.path.split("://", 1)[1]
        authority, path = rest.split("/", 1)
        host, port = authority.rsplit(":", 1)
        lines = [f"{self.command} /{path} HTTP/1.0"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()
                  if not name.lower().startswith(("proxy-", "connection"))]
        with socket.create_connection((self.server.place(host), int(port)), 10) as upstream:
            upstream.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            while data := upstream.recv(65536):
                self.wfile.write(data)
        self.close_connection = True


class Proxy(Server):
    """user: the "name:password" that it requires. It resolves every name to 127.0.0.1."""

    def __init__(self, user=None, context=None):
        self.user = user
        super().__init__(ProxyHandler, context=context)

    @staticmethod
    def place(_):
        return "127.0.0.1"


class SocksHandler(socketserver.StreamRequestHandler):
    """RFC 1928, and RFC 1929 for the user."""

    def exactly(self, size):
        data = self.rfile.read(size)
        if len(data) < size:
            raise ConnectionError
        return data

    def address(self):
        kind = self.exactly(4)[3]
        if kind == 1:
            name = socket.inet_ntoa(self.exactly(4))
        elif kind == 3:
            name = self.exactly(self.exactly(1)[0]).decode()
        else:
            name = socket.inet_ntop(socket.AF_INET6, self.exactly(16))
        return kind, name, int.from_bytes(self.exactly(2), "big")

    def handle(self):
        methods = self.exactly(self.exactly(2)[1])
        wanted = 2 if self.server.user else 0
        if wanted not in methods:
            self.wfile.write(b"\x05\xff")
            return
        self.wfile.write(bytes([5, wanted]))
        if wanted:
            self.exactly(1)
            user = b":".join(self.exactly(self.exactly(1)[0]) for _ in range(2)).decode()
            self.wfile.write(b"\x01" + (b"\x00" if user == self.server.user else b"\x01"))
            if user != self.server.user:
                return
        kind, name, port = self.address()
        self.server.requests.append((kind, name, port))
        self.server.connects()
        with socket.create_connection(("127.0.0.1", port), 10) as upstream:
            self.wfile.write(b"\x05\x00\x00\x01" + bytes(6))
            relay(self.connection, upstream)


class Socks(Server):
    def __init__(self, user=None):
        self.user = user
        super().__init__(SocksHandler)

    def connects(self):
        """Called before a connection is made."""
