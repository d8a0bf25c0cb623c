"""A real redis-server on a free port of loopback, and a few lines of RESP to query it."""
import os
import signal
import socket
import subprocess

import harness


class RedisError(Exception):
    """An error reply of the server."""


class Redis(harness.Server):
    """Uses an append-only file, written before each answer, so that a kill loses nothing that was acknowledged."""
    program = "redis-server"

    def __init__(self, *options):
        self.folder = harness.temporary_folder()
        self.port = harness.free_port()
        self.command = [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--save",
                        "", "--appendonly", "yes",
                        "--appendfsync", "always", "--unixsocket", os.path.join(self.folder, "socket"), *options]
        self.password = None
        self.begin()

    def begin(self):
        self.begin_without_waiting()
        harness.wait_for(self.is_ready)

    def begin_without_waiting(self):
        super().__init__(self.command)

    def is_ready(self):
        """Returns True if it answers and has loaded its data."""
        if not self.answers():
            return False
        try:
            self.ask("PING")
        except RedisError as error:
            return "LOADING" not in str(error)
        except OSError:
            return False  # it was shutting down, or starting
        return True

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.errors.close()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process.poll() is None:
            self.resume()  # a stopped process would not notice the signal to end
        super().stop()

    def url(self, query, user=""):
        return f"redis://{user}127.0.0.1:{self.port}/0?{query}"

    def ask(self, *words, text=bytes.decode):
        """Returns the reply as a Python value; text() converts its texts. RedisError."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            file = connection.makefile("rwb")
            for command in ([("AUTH", self.password)] if self.password else []) + [words]:
                encoded = [word if isinstance(word, bytes) else str(word).encode() for word in command]
                file.write(b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word)
                                                                for word in encoded))
                file.flush()
                answer = self.read(file, text)
            return answer

    def ask_bytes(self, *words):
        return self.ask(*words, text=bytes)

    def read(self, file, text):
        line = file.readline()[:-2]
        kind, rest = line[:1], line[1:].decode(errors="replace")
        if kind == b"-":
            raise RedisError(rest)
        if kind in (b"+", b":"):
            return rest if kind == b"+" else int(rest)
        if rest == "-1":
            return None
        if kind == b"$":
            return text(file.read(int(rest) + 2)[:-2])
        return [self.read(file, text) for _ in range(int(rest))]


def cli(redis, *words):
    """Runs Redis's own client, as a user would."""
    return subprocess.run(["redis-cli", "-p", str(redis.port), *words], capture_output=True, text=True, check=True,
                          timeout=60).stdout
