"""A real Redis Cluster on free ports of loopback: three masters, each with a third of the slots, and a replica of the
first."""
import os
import re
import subprocess

import harness
from redis_server import Redis, RedisError

SLOTS = 16384


class Node(Redis):
    def __init__(self, timeout_ms, *options):
        self.bus = harness.free_port()
        super().__init__("--cluster-enabled", "yes", "--cluster-port", str(self.bus), "--cluster-node-timeout",
                         str(timeout_ms), "--cluster-replica-validity-factor", "0",
                         "--repl-diskless-sync-delay", "0", *options)

    @property
    def known_port(self):
        """The port by which the other nodes know it."""
        return self.port

    def name(self):
        return self.ask("CLUSTER", "MYID")

    def count_of_error(self, word):
        """Returns how often it has answered an error that begins so."""
        found = re.search(rf"errorstat_{word}:count=([0-9]+)", self.ask("INFO", "errorstats"))
        return int(found[1]) if found else 0


class RedisCluster:
    """Looks like one server to code that asks for its URL and stops it."""

    def __init__(self, timeout_ms=1000, *options):
        self.nodes = [self.start_node(timeout_ms, *options) for _ in range(4)]
        self.masters = self.nodes[:3]
        self.replica = self.nodes[3]
        for number, node in enumerate(self.masters):
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            node.ask("CLUSTER", "ADDSLOTSRANGE", SLOTS * number // 3, SLOTS * (number + 1) // 3 - 1)
        for node in self.nodes[1:]:
            self.nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.known_port, node.bus)
        harness.wait_for(lambda: all(len(self.rows(node)) == 4 for node in self.nodes))
        self.replica.ask("CLUSTER", "REPLICATE", self.masters[0].name())
        harness.wait_for(self.is_whole)

    @staticmethod
    def rows(node):
        return node.ask("CLUSTER", "NODES").splitlines()

    @staticmethod
    def start_node(timeout_ms, *options):
        return Node(timeout_ms, *options)

    def is_whole(self):
        """Returns True if every running node finds the cluster in order and the replica follows."""
        running = [node for node in self.nodes if node.process.poll() is None]
        return all("cluster_state:ok" in node.ask("CLUSTER", "INFO")
                   for node in running) and "master_link_status:down" not in self.replica.ask("INFO", "replication")

    def url(self, query):
        return self.masters[1].url(query)

    def ask(self, *words):
        """Sends a command to each master."""
        for node in self.masters:
            node.ask(*words)

    def node_of(self, key):
        """Returns the master that has the key's slot."""
        slot = self.nodes[1].ask("CLUSTER", "KEYSLOT", key)
        return next(node for node in self.masters
                    if any(first <= slot <= last for first, last in self.ranges_of(node)))

    def ask_for(self, key, *words):
        return self.node_of(key).ask(*words)

    @staticmethod
    def ranges_of(node):
        """Returns the slots of a node, according to itself."""
        return [(first, last) for first, last, master, *_ in node.ask("CLUSTER", "SLOTS")
                if master[1] == node.known_port]

    def slots_with_keys(self, node, least=1):
        """Returns the slots of a node that have at least this many keys."""
        ranges = self.ranges_of(node)
        return [slot for first, last in ranges for slot in range(first, last + 1)
                if node.ask("CLUSTER", "COUNTKEYSINSLOT", slot) >= least]

    def move(self, slot, source, target, between=lambda: None):
        """Moves a slot as redis-cli --cluster reshard does; calls between while some of the keys have been moved and
        others have not."""
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.name())
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.name())
        keys = source.ask("CLUSTER", "GETKEYSINSLOT", slot, 100000)
        for number, key in enumerate(keys):
            if number == len(keys) // 2:
                between()
            source.ask("MIGRATE", "127.0.0.1", target.port, key, 0, 5000)
        left = source.ask("CLUSTER", "COUNTKEYSINSLOT", slot)
        if left:
            raise RedisError(f"{left} keys of slot {slot} came while it was being moved")
        for node in (target, source, *self.masters):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.name())

    def kill_master(self):
        """Kills the first one. Returns when its replica has its slots."""
        self.masters[0].kill()
        self.masters = [self.replica, *self.masters[1:]]
        harness.wait_for(lambda: "role:master" in self.replica.ask("INFO", "replication") and self.is_whole())

    def bring_back(self):
        """Brings back the killed node as the replica of the one that took over."""
        dead = next(node for node in self.nodes if node not in self.masters)
        dead.begin()
        self.replica = dead
        harness.wait_for(self.is_whole)

    def stop(self):
        for node in self.nodes:
            if node.process.poll() is None:
                node.stop()


class TlsNode(Node):
    """Uses TLS between nodes and to clients that want it; tests use its plain port."""

    def __init__(self, timeout_ms, certificate, key):
        self.tls_port = harness.free_port()
        super().__init__(timeout_ms, "--tls-port", str(self.tls_port), "--tls-cluster", "yes", "--tls-replication",
                         "yes", "--tls-auth-clients", "no",
                         "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate)

    @property
    def known_port(self):
        return self.tls_port


class TlsCluster(RedisCluster):
    """All nodes have one certificate, for 127.0.0.1."""

    def __init__(self):
        folder = harness.temporary_folder()
        self.certificate, self.key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", "/CN=nodes",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.key, "-out", self.certificate],
                       check=True, capture_output=True)
        super().__init__()

    def start_node(self, timeout_ms, *options):
        return TlsNode(timeout_ms, self.certificate, self.key)

    def tls_url(self, query):
        return f"rediss://127.0.0.1:{self.masters[1].tls_port}/0?{query}"
