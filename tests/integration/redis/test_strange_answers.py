#!/usr/bin/env python3
"""Tests servers that send RESP which Redis never sends in reply, or that refuse every client: the message is clear, and
nothing crashes."""
import socket
import threading
import time

import harness

DENIED = b"-DENIED Redis is running in protected mode because no password is set\r\n"


class Listener:
    """Serves each connection to a port of loopback in its own thread."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def url(self, query):
        return f"redis://127.0.0.1:{self.port}/0?{query}"

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        raise NotImplementedError


class Odd(Listener):
    """Answers by the name of the command, like a healthy server unless instructed otherwise."""

    def __init__(self, **answers):
        now = str(int(time.time())).encode()
        self.answers = {"TIME": b"*2\r\n$%d\r\n%s\r\n$1\r\n0\r\n" % (len(now), now), "CLIENT": b"+OK\r\n",
                        "INFO": b"$0\r\n\r\n", "TYPE": b"+none\r\n", **answers}
        super().__init__()

    def serve(self, client):
        with client, client.makefile("rb") as asked:
            while head := asked.readline():
                words = []
                for _ in range(int(head[1:])):
                    size = int(asked.readline()[1:])
                    words.append(asked.read(size + 2)[:-2])
                try:
                    client.sendall(self.answers.get(words[0].decode().upper(), b"-ERR unknown command\r\n"))
                except OSError:
                    return


class Closed(Listener):
    """Sends an error and closes without reading, so that its system resets the connection."""

    def serve(self, client):
        client.sendall(DENIED)
        client.close()


class StrangeAnswers(harness.TestCase):
    def expect(self, words, *options, status=4):
        result = self.crawl(*options, limit_s=60)
        self.assertEqual(result.status, status, result.stderr)
        self.assertIn(words, result.stderr)

    def test_of_what_a_server_says_of_itself(self):
        for answer in (b":1\r\n", b"$-1\r\n", b"*1\r\n:1\r\n"):
            odd = self.serve(Odd(INFO=answer))
            self.expect("the answer to INFO is not text", "--state", odd.url("name=test"), "http://127.0.0.1:1/")

    def test_of_a_list_of_seeds(self):
        for answer in (b":7\r\n", b"$-1\r\n", b"+text\r\n", b"*2\r\n$1\r\na\r\n:3\r\n", b"*1\r\n*0\r\n",
                       b"*101\r\n" + 101 * b"$1\r\na\r\n"):
            odd = self.serve(Odd(EVALSHA=answer))
            self.expect("its answer is not a list of seeds", "--seeds", odd.url("list=urls"))

    def test_of_the_kind_of_a_key(self):
        for answer in (b":7\r\n", b"$-1\r\n", b"*0\r\n"):
            odd = self.serve(Odd(TYPE=answer))
            self.expect("its answer is not text", "--seeds", odd.url("list=urls"))

    def test_the_words_of_a_server_that_will_not_have_us(self):
        closed = self.serve(Closed())
        self.expect("protected mode", "--state", closed.url("name=test"), "http://127.0.0.1:1/")
        self.expect("protected mode", "--seeds", closed.url("list=urls"))


if __name__ == "__main__":
    harness.main()
