"""A client of the URLFrontier protocol, made from its description with protobuf and Debian's python3-grpcio, and the
server that it talks to. A test that imports this continues under /usr/bin/python3 if the present interpreter has no
grpc, and is skipped if neither has it."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

try:
    import grpc
    from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory  # for others: json_format
except ImportError:
    if sys.executable == "/usr/bin/python3" or not os.path.exists(
        "/usr/bin/python3") or os.environ.get("CRAWL_NO_GRPC"):
        print("skipped: python3-grpcio and python3-protobuf are not installed")
        sys.exit(77)
    os.environ["CRAWL_NO_GRPC"] = "1"
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

import harness

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SERVE = "tools/serve"
FILES = [f"{SERVE}/urlfrontier/urlfrontier.proto", f"{SERVE}/health.proto", f"{SERVE}/reflection.proto"]

PROTOC = shutil.which("protoc-c") or shutil.which("protoc")

if not PROTOC or not harness.has_disk():
    print("skipped: there is no protoc-c, or this build has no disk store")
    sys.exit(77)


def describe():
    """Returns the descriptions of the protocol, as protobuf reads them."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "set")
        subprocess.run([PROTOC, f"--proto_path={ROOT}", f"--descriptor_set_out={out}", *FILES], check=True)
        with open(out, "rb") as file:
            return descriptor_pb2.FileDescriptorSet.FromString(file.read())


POOL = descriptor_pool.DescriptorPool()
for _file in describe().file:
    POOL.Add(_file)


def message(name, pool=POOL):
    """Returns the class of a message."""
    descriptor = pool.FindMessageTypeByName(name)
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return make(descriptor)


class Types:
    """Messages of the protocol by their names: Types.URLItem."""

    def __getattr__(self, name):
        return message("urlfrontier." + name)


types = Types()
OK, SKIPPED, FAIL = 0, 1, 2


class Client:
    """The calls as methods: client.GetURLs(max_queues=1). A streaming call returns a list; one that takes a stream
    takes a list. root: the certificate that verifies the server's, in PEM; without it there is no TLS. shows: the value
    of `authorization` in calls. pool: the descriptions of its messages."""

    def __init__(self, address, service="urlfrontier.URLFrontier", options=(), root=None, shows=None, pool=POOL):
        options = [("grpc.use_local_subchannel_pool", 1), *options]
        secure = root and grpc.ssl_channel_credentials(root)
        self.channel = (grpc.secure_channel(address, secure, options) if root
                        else grpc.insecure_channel(address, options))
        self.service, self.pool = service, pool
        self.metadata = [("authorization", shows)] if shows else []

    def stub(self, name, path=None):
        """Returns grpc's form of the call, with another path if given, and the class of its request."""
        method = self.pool.FindServiceByName(self.service).FindMethodByName(name)
        proto = descriptor_pb2.MethodDescriptorProto()
        method.CopyToProto(proto)
        kind = f"{'stream' if proto.client_streaming else 'unary'}_{'stream' if proto.server_streaming else 'unary'}"
        make = getattr(self.channel, kind)
        call = make(path or f"/{self.service}/{name}", request_serializer=lambda item: item.SerializeToString(),
                    response_deserializer=message(method.output_type.full_name, self.pool).FromString)
        return call, message(method.input_type.full_name, self.pool), proto

    def __getattr__(self, name):
        call, request, proto = self.stub(name)

        def run(items=None, timeout=60, **fields):
            answer = call(iter(items) if proto.client_streaming else request(**fields), timeout=timeout,
                          metadata=self.metadata)
            return list(answer) if proto.server_streaming else answer
        return run

    def close(self):
        self.channel.close()


def info(url, key="", crawl="", **metadata):
    made = types.URLInfo(url=url, key=key, crawlID=crawl)
    for name, values in metadata.items():
        made.metadata[name].values.extend(values)
    return made


def found(url, key="", crawl="", item_id="", **metadata):
    return types.URLItem(discovered=types.DiscoveredURLItem(info=info(url, key, crawl, **metadata)), ID=item_id)


def known(url, date=0, key="", crawl="", **metadata):
    return types.URLItem(known=types.KnownURLItem(info=info(url, key, crawl, **metadata), refetchable_from_date=date))


class Server:
    """Runs crawl serve on its own directory, which survives a restart; args: more options, connect: options of its
    client."""

    def __init__(self, *args, at="127.0.0.1", **connect):
        self.at, self.args, self.connects = at, args, connect
        self.case = harness.TestCase()  # it knows how to start the program
        self.case.folder = harness.temporary_folder()
        self.clients = []
        self.process = None
        self.begin()

    def begin(self, *args):
        self.process = self.case.start("serve", "--urlfrontier", self.at + ":0", "--state", "state", *self.args, *args)
        line = self.process.stderr.readline()
        said = re.fullmatch(rf"crawl serve: URLFrontier at {re.escape(self.at)}(:\d+)\n", line)
        if not said:
            raise RuntimeError(line + self.process.stderr.read())
        self.address = "127.0.0.1" + said[1]
        self.client = self.connect()

    def connect(self, *args, **more):
        client = Client(self.address, *args, **{**self.connects, **more})
        self.clients.append(client)
        return client

    def stop(self, number=signal.SIGTERM):
        """Ends the server, which must print nothing."""
        for client in self.clients:
            client.close()
        self.clients = []
        process, self.process = self.process, None
        if process:
            process.send_signal(number)
            said = process.communicate(timeout=60)[1]
            self.case.assertEqual((process.returncode, said), (-9 if number == signal.SIGKILL else 0, ""))

    def restart(self, number=signal.SIGTERM, *args):
        self.stop(number)
        self.begin(*args)


class TestCase(harness.TestCase):
    """A server for the tests of a class, without queues and pauses at the start of each test. The crawl of that name
    stays, since making one takes longer than most tests."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.keep(Server())

    def setUp(self):
        super().setUp()
        for crawl in self.client.ListCrawls().values:
            if crawl != "DEFAULT":
                self.client.DeleteCrawl(value=crawl)
        for key in self.client.ListQueues(size=1000, include_inactive=True).values:
            self.client.DeleteQueue(key=key)
        self.client.SetActive(state=True)
        self.client.SetDelay(delay_requestable=0)

    @property
    def client(self):
        return self.server.client

    def put(self, *items):
        """Puts URLs. Returns the statuses."""
        return [ack.status for ack in self.client.PutURLs(items)]

    def get(self, **fields):
        """Returns the URLs that are handed out."""
        return [item.url for item in self.client.GetURLs(**fields)]

    def stats(self, **fields):
        answer = self.client.GetStats(**fields)
        return {"size": answer.size, "in": answer.inProcess, "queues": answer.numberOfQueues, **answer.counts}

    def fails(self, code, call, *args, **fields):
        """Returns the message of a call that ends with this status."""
        with self.assertRaises(grpc.RpcError) as caught:
            call(*args, **fields)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception.details()
