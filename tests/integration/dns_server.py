#!/usr/bin/env python3
"""A name server for tests, on 127.0.0.1 over UDP with its own port. It answers from a table, and misbehaves as real
name servers do.

    with DnsServer({"a.test": Zone(a=["127.0.0.1"], ttl=300)}) as dns:
        crawl("--set", f"fetch.dns_servers=127.0.0.1:{dns.port}", ...)
        dns.asked["a.test"]  # Counter of the types asked for: {"A": 1, "AAAA": 1}

Types missing in a name's Zone are answered by "no such name". A name's value may also be a function of the name that
returns a Zone."""
import collections
import ipaddress
import socket
import struct
import threading
import time

TYPES = {1: "A", 28: "AAAA"}
NXDOMAIN, SERVFAIL, REFUSED = 3, 2, 5


class Zone:
    """a, aaaa: addresses; rcode; cname: the chain that leads to the addresses; delay: seconds before each answer;
    delays: the same by type; silent: types without any answer; cut: the answer has its TC bit; then: the next Zone,
    after this many questions of a type."""

    def __init__(self, a=(), aaaa=(), ttl=300, rcode=0, cname=(), delay=0, delays=None, silent=(), cut=False, then=None,
                 after=1, negative_ttl=300):
        self.a, self.aaaa, self.ttl, self.rcode, self.cname = list(a), list(aaaa), ttl, rcode, list(cname)
        self.delay, self.delays, self.silent, self.cut, self.then, self.after = (delay, delays or {}, silent, cut,
                                                                                 then, after)
        self.negative_ttl = negative_ttl


def encode_name(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.rstrip(".").split(".")) + b"\0"


def parse_name(packet, at):
    labels = []
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1"))
        at += packet[at] + 1
    return ".".join(labels), at + 1


def record(name, kind, ttl, data):
    return encode_name(name) + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


class DnsServer:
    def __init__(self, zones):
        self.zones = zones
        self.asked = collections.defaultdict(collections.Counter)
        self.names = []  # as spelt in the questions
        self.ids = []
        self.ports = []  # source ports of the questions
        self.lock = threading.Lock()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.socket.close()

    def option(self, internal="*.test"):
        """internal: names that may have private addresses, as servers on loopback do."""
        return ("--set", f"fetch.dns_servers=127.0.0.1:{self.port}", *(("--internal-hosts", internal) if internal
                                                                       else ()))

    def serve(self):
        while True:
            try:
                packet, sender = self.socket.recvfrom(4096)
            except OSError:
                return
            self.answer(packet, sender)

    def zone_of(self, name, kind):
        zone = self.zones.get(name) or self.zones.get("*")
        zone = zone(name) if callable(zone) else zone
        with self.lock:
            count = self.asked[name][kind]
        while zone and zone.then and count > zone.after:
            zone, count = zone.then, count - zone.after
        return zone or Zone(rcode=NXDOMAIN)

    def answer(self, packet, sender):
        name, end = parse_name(packet, 12)
        kind = TYPES.get(struct.unpack("!H", packet[end:end + 2])[0], "?")
        with self.lock:
            self.asked[name.lower()][kind] += 1
            self.names.append(name)
            self.ids.append(packet[:2])
            self.ports.append(sender[1])
        zone = self.zone_of(name.lower(), kind)
        if kind in zone.silent:
            return
        reply = self.reply(packet, end + 4, name, kind, zone)
        delay = zone.delays.get(kind, zone.delay)
        if delay:
            threading.Timer(delay, self.send, (reply, sender)).start()
        else:
            self.send(reply, sender)

    def send(self, reply, sender):
        try:
            self.socket.sendto(reply, sender)
        except OSError:
            pass  # stopped meanwhile

    @staticmethod
    def reply(packet, end, name, kind, zone):
        answers, owner = [], name
        for target in zone.cname:
            answers.append(record(owner, 5, zone.ttl, encode_name(target)))
            owner = target
        addresses = {"A": zone.a, "AAAA": zone.aaaa}.get(kind, [])
        number = {"A": 1, "AAAA": 28}.get(kind, 1)
        answers += [record(owner, number, zone.ttl, ipaddress.ip_address(address).packed) for address in addresses]
        soa = encode_name("ns.test") + encode_name("root.test") + struct.pack("!IIIII", 1, 3600, 600, 86400,
                                                                              zone.negative_ttl)
        authority = [] if addresses or zone.rcode not in (0, NXDOMAIN) else [record(name, 6, zone.negative_ttl, soa)]
        flags = 0x8180 | zone.rcode | (0x0200 if zone.cut else 0)
        answers = [] if zone.cut else answers
        return (packet[:2] + struct.pack("!HHHHH", flags, 1, len(answers), len(authority), 0) + packet[12:end]
                + b"".join(answers) + b"".join(authority))


def wait_until(condition, limit_s=30):
    end = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.01)
