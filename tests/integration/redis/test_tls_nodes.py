#!/usr/bin/env python3
"""Tests a crawl shared through a Redis Cluster over TLS: one node is named, and the others, which it reports, are
verified in the same way."""
import harness
import redis_cluster
import test_cluster


class TlsNodes(test_cluster.Shared):
    @classmethod
    def start_redis(cls):
        return redis_cluster.TlsCluster()

    def setUp(self):
        super().setUp()
        self.state = self.redis.tls_url("name=test")

    def tls_clients(self, node):
        """Returns the connections to the server's TLS port, open or not."""
        return [line for line in node.ask("CLIENT", "LIST").splitlines() if " name=crawl " in line
                and f":{node.tls_port} " in line]

    def test_all_nodes_over_tls(self):
        trusting = ("--set", f"redis.ca_file={self.redis.certificate}")
        workers = [self.worker(number, "--delay", "200ms", *trusting) for number in range(2)]
        self.wait_for(lambda: all(self.tls_clients(node) for node in self.redis.masters))
        self.finish(workers)
        self.expect_complete(2)
        self.assertEqual(len(self.asked()), test_cluster.HOSTS + len(self.pages), "something was asked twice")
        self.expect_pauses(2, 200)

    def test_a_node_that_nobody_vouches_for(self):
        process = self.worker(0)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4, said)
        self.assertIn("certificate verify failed", said)
        self.assertEqual(self.asked(), [])


# Other tests check the messages inside.
for name in vars(test_cluster.Shared):
    if name.startswith("test_"):
        setattr(TlsNodes, name, None)


if __name__ == "__main__":
    harness.main()
