"""A client of `crawl mcp` that works on raw messages."""
import json
import subprocess
import threading

import harness

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Client:
    """The server as a child process, in the revision without a handshake; stop() ends its input."""

    def __init__(self, *options, folder=None, environment=None):
        self.process = subprocess.Popen([harness.program(), "mcp", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                                        env=environment or {**harness.os.environ, **harness.SANITIZERS})
        harness.atexit.register(self.process.kill)
        self.watch = threading.Timer(60, self.process.kill)
        self.watch.start()
        self.last = 0
        self.told = []  # notifications
        self.answers = {}  # by id

    def write(self, text):
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def send(self, method, params=None, token=None, meta=True):
        """Sends a request, and returns its id."""
        self.last += 1
        params = dict(params or {})
        if meta:
            params["_meta"] = {**META, **({"progressToken": token} if token else {})}
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}))
        return self.last

    def wait(self, wanted):
        """Returns the answer to a request."""
        while wanted not in self.answers:
            message = self.read()
            if message is None:
                raise EOFError(self.process.stderr.read().decode())
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.told.append(message)
        return self.answers.pop(wanted)

    def ask(self, method, params=None, **options):
        return self.wait(self.send(method, params, **options))

    def begin(self, tool, token=None, **arguments):
        return self.send("tools/call", {"name": tool, "arguments": arguments}, token)

    def call(self, tool, token=None, **arguments):
        """Calls a tool. Returns the facts of its answer, its text from web pages, and whether it is an error. The facts
        of a refusal are a text."""
        return self.result(self.wait(self.begin(tool, token, **arguments)))

    @staticmethod
    def result(answer):
        content = answer["result"]["content"]
        text = content[1]["text"] if len(content) > 1 else ""
        facts = content[0]["text"]
        return (json.loads(facts) if facts.startswith("{") else facts), text, answer["result"]["isError"]

    def stop(self):
        """Ends the input. Returns the exit status and standard error."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(30)
        self.watch.cancel()
        self.process.stdout.close()
        if not self.process.stderr.closed:
            self.errors = self.process.stderr.read().decode()
            self.process.stderr.close()
        return status, self.errors
