"""The network between a process and its Redis server: a port of loopback that relays everything to the server and back,
until it is cut. Then nothing comes through, on open connections and on new ones, and no end is told, as if a cable had
been pulled. After the repair, data in flight arrives late. It can corrupt answers as well."""
import selectors
import socket
import threading

NO_RESP = b"HTTP/1.1 400 Bad Request\r\n\r\n"


class Proxy:
    def __init__(self, port):
        """port: the server's."""
        self.to = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.passes = threading.Event()
        self.passes.set()
        self.spoils = False
        self.lost = 0  # connections that ended after a corrupted answer
        self.ways = {}  # from each socket to its other end
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.is_over = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def url(self, query):
        return f"redis://127.0.0.1:{self.port}/0?{query}"

    def cut(self):
        self.passes.clear()

    def mend(self):
        self.passes.set()

    def stop(self):
        self.is_over = True
        self.mend()
        self.thread.join()
        for end in [self.listener, *self.ways]:
            end.close()

    def run(self):
        while not self.is_over:
            for key, _ in self.selector.select(0.05):
                self.passes.wait()
                if key.fileobj is self.listener:
                    self.accept()
                elif key.fileobj in self.ways:
                    self.carry(key.fileobj)

    def accept(self):
        client, _ = self.listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", self.to), 5)
        except OSError:
            client.close()
            return
        for end, other in ((client, server), (server, client)):
            self.ways[end] = other
            self.selector.register(end, selectors.EVENT_READ)

    def passed_on(self, data, is_answer):
        return NO_RESP if self.spoils and is_answer else data

    def carry(self, end):
        try:
            data = end.recv(1 << 16)
            is_answer = end.getpeername()[1] == self.to
            if data:
                self.ways[end].sendall(self.passed_on(data, is_answer))
                return
        except OSError:
            pass
        self.lost += self.spoils
        for one in (end, self.ways.pop(end)):
            self.ways.pop(one, None)
            self.selector.unregister(one)
            one.close()
