#!/usr/bin/env python3
"""Tests that TLS sessions are resumed: each of many hosts has one full handshake. nginx's pages tell which kind it
was."""
import subprocess

import harness

HOSTS = 40  # several times the number that one curl share remembers
SERVER = """listen 127.0.0.1:{port} ssl; ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
  ssl_session_cache shared:all:2m; keepalive_timeout 0;
  location / {{ default_type text/html; return 200 "<title>$ssl_session_reused</title><a href=a>a</a><a href=b>b</a>"; }}"""


class TlsSessions(harness.TestCase):
    def test_a_second_connection_to_a_host_costs_no_full_handshake(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", "key.pem",
                        "-out", "cert.pem", "-subj", "/CN=localhost"], cwd=self.folder, check=True, capture_output=True)
        port = harness.free_port()
        self.start_nginx({"*.localhost": self.make_site({})}, SERVER.format(port=port, folder=self.folder))
        seeds = [f"https://h{number}.localhost:{port}/" for number in range(HOSTS)]
        result = self.crawl("--no-robots", "--insecure", "--delay", "0", "--connections", "1", "--output",
                            "pages.jsonl", *seeds)
        self.assertEqual(result.status, 0, result.stderr)
        titles = [record["title"] for record in self.records("pages.jsonl")]
        self.assertEqual((titles.count("."), titles.count("r"), len(titles)), (HOSTS, 2 * HOSTS, 3 * HOSTS))


if __name__ == "__main__":
    harness.main()
