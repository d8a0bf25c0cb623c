"""Shared by the integration tests: the real program, real servers on loopback, and temporary folders.

A test file is a program in the folder of its subject: it imports this, derives TestCases from harness.TestCase, and
ends in harness.main(). CRAWL_PROGRAM names the program under test, CRAWL_WORKERS its number of workers. The program may
be built with sanitizers, whose reports fail the test. Only 127.0.0.0/8, ::1 and NAME.localhost are used. By hand:

    export PYTHONPATH=tests/integration CRAWL_PROGRAM=$PWD/build/program/crawler/crawl
    python3 tests/integration/program/test_seen.py Seen

    class Example(harness.TestCase):
        def test_one_page(self):
            site = self.make_site({"index.html": "<a href=x>x</a>"})
            nginx = self.start_nginx({"a.localhost": site})
            result = self.crawl("--delay", "0", "--output", "pages.jsonl", nginx.url("a.localhost", "/"))
            self.assertEqual(result.status, 0, result.stderr)
            self.assertEqual(len(self.records("pages.jsonl")), 2)
            self.assertEqual(len(nginx.requests("a.localhost")), 3)

Servers may be started for one test (self.start_nginx), or in setUpClass for all tests of a class (cls.start_nginx).
"""
import atexit
import base64
import collections
import contextlib
import functools
import glob
import hashlib
import html.parser
import http.server
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

# SIGINT is ignored if these tests run in the background of a script. The programs under test would then inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT_S = 180  # for any one run of the program

SANITIZERS = {
    "ASAN_OPTIONS": "exitcode=99:detect_leaks=1:halt_on_error=1:malloc_context_size=8",
    "UBSAN_OPTIONS": "exitcode=99:halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "exitcode=99:halt_on_error=1:second_deadlock_stack=1:suppressions="
    + os.path.join(os.path.dirname(os.path.abspath(__file__)), "tsan.supp"),
}
REPORTS = ("AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "runtime error:")

Result = collections.namedtuple("Result", "status stdout stderr")
Request = collections.namedtuple("Request", "start end host method uri status connection")


def program():
    path = os.environ.get("CRAWL_PROGRAM")
    if not path:
        sys.exit("harness: CRAWL_PROGRAM is not set")
    return path


@functools.lru_cache
def has_disk():
    """Returns True if the program was built with the disk store."""
    done = subprocess.run([program(), "--version"], capture_output=True, text=True, check=False,
                          env={**os.environ, **SANITIZERS})
    return "\nRocksDB none" not in done.stdout


def slack():
    """Returns the seconds that a crawl may lose to its start, to a loaded machine, and to sanitizers."""
    return float(os.environ.get("CRAWL_SLACK", "1.0"))


def python_docs():
    """Returns the folder of python3-doc's pages. None: not installed."""
    found = sorted(glob.glob("/usr/share/doc/python3.*/html/index.html"))
    return os.path.dirname(found[-1]) if found else None


def pages_of(folder, count):
    """Returns paths of `count` HTML pages of a folder, the smallest first, so that reading them does not dominate a
    measurement."""
    found = glob.glob(folder + "/**/*.html", recursive=True)
    found.sort(key=lambda path: (os.path.getsize(path), path))
    return ["/" + os.path.relpath(path, folder) for path in found[:count]]


def digest(body):
    return "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


class LinkParser(html.parser.HTMLParser):
    """Collects the links that a crawl follows by default, with Python's parser instead of ours."""

    RESOURCES = {"stylesheet", "icon", "shortcut", "preload", "manifest"}

    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(reversed(attrs))
        if tag in ("a", "area"):
            self.links.append(attributes.get("href"))
        elif tag in ("frame", "iframe"):
            self.links.append(attributes.get("src"))
        elif tag == "link" and not self.RESOURCES & set((attributes.get("rel") or "stylesheet").lower().split()):
            self.links.append(attributes.get("href"))


def links_of(path, url):
    parser = LinkParser()
    with open(path, encoding="utf-8", errors="replace") as file:
        parser.feed(file.read())
    links = (urllib.parse.urljoin(url, link.strip()) for link in parser.links if link is not None)
    return {urllib.parse.urldefrag(link)[0] for link in links}


def reachable(folder, start):
    """Returns the URLs of HTML pages reachable from start in a folder served at start's origin."""
    origin = "/".join(start.split("/")[:3]) + "/"
    pages, seen, todo = set(), {start}, [start]
    while todo:
        url = todo.pop()
        path = os.path.join(folder, urllib.parse.unquote(urllib.parse.urlsplit(url).path).lstrip("/"))
        path = os.path.join(path, "index.html") if path.endswith("/") else path
        if not path.endswith(".html") or not os.path.isfile(path):
            continue
        pages.add(url)
        new = {link for link in links_of(path, url) if link.startswith(origin)} - seen
        seen |= new
        todo.extend(new)
    return pages


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, limit_s=30):
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.01)


def stop_process(process):
    """Sends SIGSTOP and waits until it takes effect. Returns False if the process had ended."""
    process.send_signal(signal.SIGSTOP)  # does nothing to a process that is known to have ended
    if process.returncode is not None:
        return False
    return os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT).si_code == os.CLD_STOPPED


def temporary_folder():
    folder = tempfile.mkdtemp(prefix="crawl-test-")
    os.chmod(folder, 0o755)  # nginx's workers read below it
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Server:
    """A process that listens on self.port until stop()."""

    def __init__(self, command):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.errors)
        atexit.register(self.stop)

    def url(self, host, path="/"):
        return f"http://{host}:{self.port}{path}"

    def answers(self):
        if self.process.poll() is not None:
            self.errors.seek(0)
            raise RuntimeError(self.errors.read().decode(errors="replace"))
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.errors.close()


class Nginx(Server):
    CONFIG = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  include /etc/nginx/mime.types; default_type application/octet-stream; charset_types text/plain; sendfile on; server_names_hash_bucket_size 128;
  keepalive_requests 1000000; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; log_not_found off;
  log_format plain '$msec\\t$request_time\\t$host\\t$request_method\\t$request_uri\\t$status\\t$connection';
  access_log {folder}/access.log plain;
  {servers}
  server {{ listen unix:{folder}/idle; access_log off; return 204; }}
}}
"""
    SERVER = "server {{ listen 127.0.0.1:{port}; listen [::1]:{port}; server_name {name}; root {root}; {extra} }}"

    def __init__(self, sites, extra=""):
        self.folder = temporary_folder()
        self.port = free_port()
        servers = "\n  ".join(self.SERVER.format(port=self.port, name=name, root=root, extra=extra) for name,
                              root in sites.items())
        if not os.path.exists("/proc/net/if_inet6"):
            servers = servers.replace(f"listen [::1]:{self.port}; ", "")
        config = os.path.join(self.folder, "nginx.conf")
        with open(config, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(self.CONFIG.format(folder=self.folder, servers=servers))
        super().__init__(["nginx", "-c", config, "-p", self.folder])
        wait_for(self.answers)

    def answers(self):
        """Returns True once nginx answers on all its sockets, which it opens one after another."""
        try:
            return super().answers() and self.settle()
        except OSError:
            return False

    def settle(self):
        """Waits until the log has everything that was answered: the single worker writes its log before it answers
        anything else. Returns whether nginx runs."""
        if self.process.poll() is not None:
            return False
        with socket.socket(socket.AF_UNIX) as idle:
            idle.connect(os.path.join(self.folder, "idle"))
            idle.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return bool(idle.recv(1))

    def requests(self, host=None):
        """Returns the requests, in the order of their responses; times are seconds."""
        self.settle()
        found = []
        with open(os.path.join(self.folder, "access.log"), encoding="utf-8", errors="replace") as file:
            for line in file:
                if not line.endswith("\n"):
                    break  # still being written
                end, took, name, method, uri, status, connection = line.rstrip("\n").split("\t")
                if host is None or name == host:
                    found.append(Request(float(end) - float(took), float(end), name, method, uri, int(status),
                                         int(connection)))
        return found

    def forget(self):
        """Empties the log."""
        os.truncate(os.path.join(self.folder, "access.log"), 0)


class Wild(Server):
    """Runs tests/integration/wild_server.py, the server that misbehaves."""

    def __init__(self):
        self.folder = temporary_folder()
        port_file = os.path.join(self.folder, "port")
        self.log = os.path.join(self.folder, "log")
        super().__init__([sys.executable, os.path.join(HERE, "wild_server.py"), port_file, "--log", self.log])
        wait_for(lambda: self.process.poll() is not None or (os.path.exists(port_file)
                                                             and os.path.getsize(port_file) > 0))
        with open(port_file, encoding="utf-8") as file:
            self.port = int(file.read())
        wait_for(self.answers)

    def requests(self, host=None):
        """Returns the requests, each with "start" in seconds, "host" without its port, "method", "path" and
        "headers"."""
        found = []
        with open(self.log, encoding="utf-8") as file:
            for line in file:
                request = json.loads(line)
                request["host"] = request["host"].rsplit(":", 1)[0]
                request["start"] = request["t"] / 1000
                if host is None or request["host"] == host:
                    found.append(request)
        return found


class OwnServer(http.server.ThreadingHTTPServer):
    """A server of a test, in threads, until stop(). A subclass sets everything that its handler reads before it calls
    this __init__."""
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, handler, address="127.0.0.1"):
        super().__init__((address, 0), handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, host, path="/"):
        return f"http://{host}:{self.port}{path}"

    def stop(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    """A handler for servers of tests: do_GET answers, and nothing is printed."""
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, *headers):
        """body: bytes or ASCII. headers: "Name: value"; Content-Type is HTML unless one sets it."""
        self.send_response(status)
        for header in headers:
            self.send_header(*header.split(": ", 1))
        if not any(header.startswith("Content-Type") for header in headers):
            self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else body.encode())

    def log_message(self, *args):
        pass


def chained(lines):
    """Returns the text of a log of requests with these lines, with a recomputed chain."""
    text, before = [], ""
    for line in lines:
        fields = {name: value for name, value in line.items() if name != "chain"}
        body = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)[:-1]
        before = hashlib.sha1((before + body).encode()).hexdigest()
        text.append(f'{body},"chain":"{before}"}}\n')
    return "".join(text)


def option(args, name):
    """Returns the value of the last option with this name. None: absent."""
    values = [after for word, after in zip(args, args[1:]) if word == name]
    return values[-1] if values else None


def verdicts_of(lines):
    """Returns how many lines of --links have each verdict."""
    return collections.Counter(json.loads(line)["verdict"] for line in lines)


class Summary:
    """The links of a crawl by its summary: found, and by verdict; the same for URLs in sitemaps. None: no summary."""

    LINKS = re.compile(r"^  links     (\d+) found(?:: (.*))?$", re.M)
    SITEMAPS = re.compile(r"^  sitemaps  \d+ asked, (\d+) URLs in them(?:: (.*))?$", re.M)

    def __init__(self, said):
        self.links, self.by_verdict = self.read(self.LINKS, said)
        self.urls, self.urls_by_verdict = self.read(self.SITEMAPS, said)

    @staticmethod
    def read(pattern, said):
        found = pattern.search(said)
        if not found:
            return None, {}
        parts = (part.split(" ") for part in (found[2] or "").split(", ") if part)
        return int(found[1]), {verdict: int(count) for count, verdict in parts}


class TestCase(unittest.TestCase):
    """Runs the program in a new folder for each test."""

    overwrites = True  # a crawl may overwrite the file of an earlier one, unless --state keeps it

    @classmethod
    def setUpClass(cls):
        cls.class_servers = []

    @classmethod
    def tearDownClass(cls):
        for server in cls.class_servers:
            server.stop()

    def setUp(self):
        self.folder = temporary_folder()
        for server in self.class_servers:
            if isinstance(server, Nginx):
                server.forget()

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    @classmethod
    def keep(cls, server):
        cls.class_servers.append(server)
        return server

    def serve(self, server):
        """Starts a server for this test alone."""
        self.addCleanup(server.stop)
        return server

    @classmethod
    def start_nginx(cls, sites, extra=""):
        """sites: host name -> folder; extra: more lines for each server block."""
        return cls.keep(Nginx(sites, extra))

    @classmethod
    def start_wild(cls):
        return cls.keep(Wild())

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def feed(self, name, text):
        """Makes a pipe with a name, which gives the text to its first reader."""
        path = self.path(name)
        os.mkfifo(path)

        def write():
            with contextlib.suppress(BrokenPipeError), open(path, "w", encoding="utf-8") as file:
                file.write(text)

        threading.Thread(target=write, daemon=True).start()
        return path

    def make_site(self, files):
        for name, text in files.items():
            self.write(os.path.join("site", name), text)
        return self.path("site")

    def start(self, *args, stdin=None, files=None):
        """Starts the program. files: its limit of open files, soft and hard."""
        if "--state" in args and not option(args, "--state").startswith(("redis:", "rediss:")) and not has_disk():
            self.skipTest("this build has no disk store")
        is_tool = args and args[0].isalpha()
        workers = None if is_tool else os.environ.get("CRAWL_WORKERS")
        goes_on = "--state" in args and os.path.exists(self.path(option(args, "--state")))
        writes = not is_tool and not goes_on and {"--output", "--links", "--requests"} & set(args)
        first = (["--workers", workers] if workers else []) + (["--overwrite"] if writes and self.overwrites else [])
        return subprocess.Popen([program(), *first, *args], cwd=self.folder, env={**os.environ, **SANITIZERS},
                                text=True,
                                stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, errors="replace",
                                preexec_fn=files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files)))

    def crawl(self, *args, stdin=None, limit_s=LIMIT_S, files=None):
        """Runs the program to its end. A sanitizer's report or a crash fails the test, and so does a summary whose
        links do not add up."""
        links = option(args, "--links")
        before = self.bytes_of(links) if "--state" in args or "--append" in args else b""  # these append to the file
        process = self.start(*args, stdin=stdin, files=files)
        try:
            stdout, stderr = process.communicate(stdin, timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            self.fail(f"still running after {limit_s} s: {args}\n{stderr}")
        if any(report in stderr for report in REPORTS) or process.returncode < 0 or process.returncode == 99:
            self.fail(f"status {process.returncode}: {args}\n{stderr}")
        if "\n  pages     " in stderr:
            summary = self.expect_sums(stderr, args)
            if links and not links.endswith(".csv") and process.returncode == 0:
                after = stdout.encode() if links == "-" else self.bytes_of(links)
                self.assertEqual(verdicts_of(after.removeprefix(before).splitlines()), summary.by_verdict, args)
        return Result(process.returncode, stdout, stderr)

    def bytes_of(self, name):
        """Returns the bytes of a file, which need not exist."""
        if not name or name == "-" or not os.path.isfile(self.path(name)):
            return b""
        with open(self.path(name), "rb") as file:
            return file.read()

    def expect_sums(self, said, args):
        """Checks that each link found, and each URL of a sitemap, has a verdict. Returns the summary's figures of
        them."""
        summary = Summary(said)
        self.assertIsNotNone(summary.links, said)
        self.assertEqual(summary.links, sum(summary.by_verdict.values()), args)
        self.assertEqual(summary.urls or 0, sum(summary.urls_by_verdict.values()), args)
        return summary

    def expect_pauses(self, pause_s, starts, requests="requests.jsonl"):
        """Checks that requests to a host kept this pause: to the microsecond by the program's --requests. starts:
        seconds, by the host's server. A busy server may log two requests at the same time, so only the time from the
        first to the last shows whether there were pauses."""
        audit = self.crawl("audit", "--delay", f"{round(pause_s * 1000)}ms", requests)
        self.assertEqual(audit.status, 0, audit.stdout + audit.stderr)
        starts = sorted(starts)
        self.assertGreater(starts[-1] - starts[0], 0.7 * pause_s * (len(starts) - 1))

    def records(self, name):
        """Returns the records in a file. Each line must be complete."""
        with open(self.path(name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def exchanges(self, name="requests.jsonl"):
        """Returns the lines of a log of requests that say how one ended."""
        return [line for line in self.records(name) if line["event"] == "end"]

    @staticmethod
    def wait_for(condition, limit_s=30):
        wait_for(condition, limit_s)


def main():
    if not shutil.which("nginx"):
        print("skipped: nginx is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
