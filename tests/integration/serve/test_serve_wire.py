#!/usr/bin/env python3
"""Tests crawl serve at the level of bytes: health checks, reflection, many streams at once, deadlines, clients that go
away, and invalid bytes."""
import signal
import socket
import struct
import subprocess
import threading

from frontier_client import (OK, POOL, SKIPPED, TestCase, descriptor_pb2, descriptor_pool, found, grpc, harness, info,
                             json_format, known, message, types)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PUT = "/urlfrontier.URLFrontier/PutURLs"
LIST = "/urlfrontier.URLFrontier/ListCrawls"


def framed(payload, flag=0):
    return struct.pack(">BI", flag, len(payload)) + payload


class Wire(TestCase):
    def post(self, path, body=b"", *headers, kind="application/grpc"):
        """Returns the fields of the response to a request by curl, including trailers. None: it was reset."""
        lines = [f"content-type: {kind}", "te: trailers", *headers]
        done = subprocess.run(["curl", "-s", "-m", "60", "--http2-prior-knowledge", "-D", "-", "-o", self.path("body"),
                               "--data-binary", "@-",
                               *[word for line in lines for word in ("-H", line)],
                               f"http://{self.server.address}{path}"],
                              input=body, capture_output=True, check=False)
        fields = [line.split(": ", 1) for line in done.stdout.decode().split("\r\n") if ": " in line]
        return {"status": done.stdout.split()[1].decode(), **dict(fields)} if done.stdout else None

    def ends(self, status, *args, **more):
        """Returns the message of a request that ends with this gRPC status."""
        answer = self.post(*args, **more)
        self.assertEqual((answer["status"], answer["grpc-status"]), ("200", str(status)), answer)
        return answer.get("grpc-message")

    def test_health(self):
        health = self.server.connect("grpc.health.v1.Health")
        self.assertEqual([health.Check().status, health.Check(service="urlfrontier.URLFrontier").status], [1, 1])
        self.fails(grpc.StatusCode.NOT_FOUND, health.Check, service="x")
        call, request, _ = health.stub("Watch")
        watch = call(request(service="x"))
        self.assertEqual(next(watch).status, 3)
        watch.cancel()

    def reflect(self, version, **asked):
        """Returns the answer to a question about the services."""
        call, request, _ = self.server.connect("grpc.reflection.v1.ServerReflection").stub(
            "ServerReflectionInfo", f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
        answer, = call(iter([request(host="h", **asked)]))
        self.assertEqual((answer.valid_host, answer.original_request), ("h", request(host="h", **asked)))
        return answer

    def test_reflection(self):
        names = ["urlfrontier.URLFrontier", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
                 "grpc.reflection.v1alpha.ServerReflection"]
        pool = descriptor_pool.DescriptorPool()
        for version in ("v1", "v1alpha"):
            self.assertEqual([service.name
                              for service in self.reflect(version, list_services="*").list_services_response.service],
                             names)
        for name in names:
            file, = self.reflect("v1alpha", file_containing_symbol=name).file_descriptor_response.file_descriptor_proto
            description = descriptor_pb2.FileDescriptorProto.FromString(file)
            pool.Add(description)
            again, = self.reflect("v1",
                                  file_by_filename=description.name).file_descriptor_response.file_descriptor_proto
            self.assertEqual((again, list(description.dependency)), (file, []))
        described, ours = descriptor_pb2.FileDescriptorProto(), descriptor_pb2.FileDescriptorProto()
        pool.FindServiceByName(names[0]).file.CopyToProto(described)
        POOL.FindServiceByName(names[0]).file.CopyToProto(ours)
        ours.name = "urlfrontier.proto"
        self.assertEqual(described, ours)

    def test_calls_by_what_reflection_tells_alone(self):
        """grpcurl calls like this: list, describe, and JSON for a message, without a description of the protocol."""
        listed = [service.name for service in self.reflect("v1", list_services="").list_services_response.service]
        service, = [name for name in listed if name.startswith("urlfrontier.")]
        file, = self.reflect("v1", file_containing_symbol=service
                             + ".PutURLs").file_descriptor_response.file_descriptor_proto
        pool = descriptor_pool.DescriptorPool()
        pool.AddSerializedFile(file)
        told = pool.FindServiceByName(service).methods_by_name
        client = self.server.connect(service, pool=pool)

        def call(name, **fields):
            asked = json_format.ParseDict(fields, message(told[name].input_type.full_name, pool)())
            answers = client.stub(name)[0](iter([asked]) if name == "PutURLs" else asked, timeout=60)
            return [json_format.MessageToDict(answer) for answer in (answers if name in ("PutURLs", "GetURLs")
                                                                     else [answers])]
        put = {"url": "http://a.com/1", "metadata": {"depth": {"values": ["3", "4"]}}}
        self.assertEqual(call("PutURLs", discovered={"info": put}, ID="mine"), [{"ID": "mine"}])
        self.assertEqual(call("PutURLs", discovered={"info": put}), [{"ID": "http://a.com/1", "status": "SKIPPED"}])
        self.assertEqual(call("GetURLs", crawlID="DEFAULT", maxUrlsPerQueue=1),
                         [{**put, "key": "a.com", "crawlID": "DEFAULT"}])
        self.assertEqual(call("PutURLs", known={"info": put}), [{"ID": "http://a.com/1"}])
        self.assertEqual(call("GetURLs"), [])
        self.assertEqual(call("GetStats")[0]["counts"]["completed"], "1")

    def test_reflection_finds_symbols(self):
        health = "grpc.health.v1.HealthCheckResponse"
        for symbol in (health, health + ".ServingStatus", health + ".status", "grpc.health.v1.Health.Check",
                       "urlfrontier.URLInfo.MetadataEntry.key"):
            self.assertTrue(self.reflect("v1", file_containing_symbol=symbol).HasField("file_descriptor_response"),
                            symbol)
        for symbol in ("", "grpc", "grpc.health.v1", "grpc.health.v1.Healt", "grpc.health.v1.Health.Chec", health
                       + ".x", health + ".status.x", "Health", "x" * 100_000):
            self.assertEqual(self.reflect("v1", file_containing_symbol=symbol).error_response.error_code, 5, symbol)
        numbers = self.reflect("v1", all_extension_numbers_of_type=health).all_extension_numbers_response
        self.assertEqual((numbers.base_type_name, list(numbers.extension_number)), (health, []))
        self.assertEqual(self.reflect("v1", all_extension_numbers_of_type="x").error_response.error_code, 5)
        self.assertEqual(self.reflect("v1", file_by_filename="x").error_response.error_code, 5)
        self.assertEqual(self.reflect("v1",
                                      file_containing_extension={"containing_type": health,
                                                                 "extension_number": 1}).error_response.error_code, 5)
        self.assertEqual(self.reflect("v1").error_response.error_code, 3)

    def test_what_is_no_call(self):
        self.assertEqual(self.ends(12, "/urlfrontier.URLFrontier/Nonsense"), "no such call")
        self.assertEqual(self.post(LIST, framed(b""), kind="text/plain")["status"], "415")
        self.assertEqual(self.post(LIST, framed(b""), kind="application/grpc-web")["status"], "415")
        done = subprocess.run(["curl", "-s", "--http2-prior-knowledge", "-o", "/dev/null", "-w", "%{http_code}",
                               f"http://{self.server.address}{LIST}"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "405")
        self.assertIsNone(self.ends(0, LIST, framed(b""), kind="application/grpc+proto"))

    def test_messages_that_are_none(self):
        self.assertIn("neither 0 nor 1", self.ends(13, LIST, framed(b"", 2)))
        self.assertIn("compressed", self.ends(12, PUT, framed(b"x", 1)))
        self.assertIn("one message", self.ends(3, LIST))
        self.assertIn("one message", self.ends(3, LIST, framed(b"") * 2))
        self.assertIn("within a message", self.ends(13, PUT, framed(b"0123456789")[:9]))
        self.assertIn("not of the call's type", self.ends(3, PUT, framed(b"\xff\xff\xff")))
        self.assertIn("larger than 4 MiB", self.ends(8, PUT, struct.pack(">BI", 0, (4 << 20) + 1)))
        self.assertIsNone(self.ends(0, PUT, framed(b"") * 3))
        self.assertEqual(self.put(found("http://a.com/1")), [OK])

    def test_large_messages(self):
        most = 4 << 20
        item = found("http://a.com/1", x=["v" * (most - 200)])
        statuses = [ack.status
                    for ack in self.server.connect(options=[("grpc.max_send_message_length", -1)]).PutURLs([item])]
        self.assertEqual(statuses, [SKIPPED])  # a record has at most a megabyte
        self.assertEqual(self.put(found("http://a.com/2", x=["v" * 1_000_000])), [OK])
        self.assertEqual([len(got.metadata["x"].values[0]) for got in self.client.GetURLs()], [1_000_000])
        large = types.DiscoveredBatch(items=[info(f"http://b.com/{n}" + "x" * 70_000 * (n % 2)) for n in range(50)])
        ack, = self.client.PutDiscovered([large])
        self.assertEqual(list(ack.statuses), [OK, SKIPPED] * 25)

    def put_at_once(self, *items):
        """Returns the statuses of items that arrive in one piece, and so are written together."""
        self.assertIsNone(self.ends(0, PUT, b"".join(framed(item.SerializeToString()) for item in items)))
        with open(self.path("body"), "rb") as file:
            answer, statuses = file.read(), []
        while answer:
            size, = struct.unpack_from(">I", answer, 1)
            statuses.append(types.AckMessage.FromString(answer[5:5 + size]).status)
            answer = answer[5 + size:]
        return statuses

    def test_one_url_many_times_at_once(self):
        self.assertEqual(self.put_at_once(found("http://a.com/1"), found("http://a.com/1"), known("http://a.com/2"),
                                          found("http://a.com/2"),
                                          found("http://a.com/3"), known("http://a.com/3", 4_000_000_000)),
                         [OK, SKIPPED, OK, SKIPPED, OK, OK])
        self.assertEqual(self.get(), ["http://a.com/1"])
        self.assertEqual(self.put_at_once(known("http://a.com/1"), known("http://a.com/4"), known("http://a.com/1", 1)),
                         [OK] * 3)
        got = []
        harness.wait_for(lambda: got.extend(self.get()) or got)
        self.assertEqual(got, ["http://a.com/1"])  # the last item counts
        self.assertEqual(self.put_at_once(known("http://a.com/1", 1), known("http://a.com/1")), [OK] * 2)
        self.assertEqual(self.stats(), {"size": 1, "in": 0, "queues": 1, "completed": 3, "active_queues": 1})

    def test_a_call_ends_behind_a_large_answer(self):
        answered = types.URLItem(ID="i" * 200_000).SerializeToString()
        self.assertIsNone(self.ends(0, PUT, framed(answered)))
        self.assertIsNone(self.ends(0, PUT, framed(answered) * 3))
        with open(self.path("body"), "rb") as file:
            self.assertEqual(len(file.read()),
                             3 * len(framed(types.AckMessage(ID="i" * 200_000, status=SKIPPED).SerializeToString())))

    def test_bytes_that_are_no_http2(self):
        for garbage in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 5000, PREFACE + b"\xff" * 5000, PREFACE
                        + struct.pack(">I", 0x7FFFFF00) + b"\1" * 100,
                        PREFACE + b"\0\0\0\4\0\0\0\0\0" + b"\0\0\4\1\4\0\0\0\1\xff\xff\xff\xff"):
            with socket.create_connection(self.server.address.split(":"), 10) as peer:
                peer.sendall(garbage)
                peer.settimeout(30)
                try:
                    while peer.recv(65536):
                        pass
                except ConnectionResetError:
                    pass
        self.assertEqual(self.put(found("http://a.com/1")), [OK])

    def test_a_deadline(self):
        call, _, _ = self.client.stub("PutURLs")
        hold = threading.Event()

        def items():
            yield found("http://a.com/1")
            hold.wait(30)
        stream = call(items(), timeout=0.3)
        self.assertEqual(next(stream).status, OK)
        with self.assertRaises(grpc.RpcError) as caught:
            next(stream)
        hold.set()
        self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
        self.assertIn("deadline", self.ends(4, "/grpc.health.v1.Health/Watch", framed(b""), "grpc-timeout: 50m"))

    def test_fifty_streams_at_once(self):
        clients = [self.server.connect() for _ in range(5)]
        failed = []

        def run(number):
            client = clients[number % 5]
            acks = client.PutURLs([found(f"http://h{number}.com/{n}") for n in range(40)])
            if [ack.status for ack in acks] != [OK] * 40:
                failed.append(number)
        threads = [threading.Thread(target=run, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((failed, self.stats()["size"]), ([], 2000))
        got = self.get(max_urls_per_queue=7)
        self.assertEqual((len(got), len(set(got))), (350, 350))

    def test_a_client_that_goes_away(self):
        self.put(*[found(f"http://a.com/{n}", x=["v" * 1000]) for n in range(1000)])
        # its window stays smaller than the data, however late it goes away
        narrow = self.server.connect(options=[("grpc.http2.bdp_probe", 0)])
        call, request, _ = narrow.stub("GetURLs")
        stream = call(request(delay_requestable=1000))
        next(stream)
        stream.cancel()
        # its hand-out is over, and others continue
        harness.wait_for(lambda: self.client.GetURLs(delay_requestable=1000, max_urls_per_queue=1000))
        with socket.create_connection(self.server.address.split(":"), 10) as peer:
            peer.sendall(PREFACE + b"\0\0\0\4\0\0\0\0\0")
        call, _, _ = self.client.stub("PutURLs")
        stream = call(found(f"http://b.com/{n}") for n in range(3000))
        next(stream)
        stream.cancel()
        self.assertEqual(self.put(found("http://c.com/1")), [OK])

    def test_a_kill_loses_nothing_that_was_acknowledged(self):
        call, _, _ = self.client.stub("PutURLs")
        acknowledged = []

        def many():
            for n in range(1_000_000):
                yield found(f"http://k{n % 7}.com/{n}")
        try:
            for ack in call(many()):
                acknowledged.append(ack.ID)
                if len(acknowledged) == 700:
                    self.server.process.send_signal(signal.SIGKILL)
        except grpc.RpcError:
            pass
        self.server.restart(signal.SIGKILL)
        there = {item.known.info.url for item in self.client.ListURLs(size=1_000_000)}
        self.assertEqual(set(acknowledged) - there, set())
        self.client.SetDelay(delay_requestable=0)
        self.assertEqual(set(acknowledged) - set(self.get()), set())


if __name__ == "__main__":
    harness.main()
