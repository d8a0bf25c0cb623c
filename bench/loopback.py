"""Runs nginx on loopback, which serves a folder to the measured programs."""
import os
import socket
import subprocess
import sys
import time

NGINX = """
worker_processes 1; daemon off; pid {dir}/pid; error_log {dir}/error.log; events {{ worker_connections 1024; }}
http {{ types {{ text/html html; text/plain txt; }} access_log off; client_body_temp_path {dir}/b; proxy_temp_path {dir}/p;
  fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s; keepalive_requests 100000;
  server {{ listen 127.0.0.1:{port}; root {site}; }} }}
"""


def serve(folder, site):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with open(os.path.join(folder, "nginx.conf"), "w", encoding="utf-8") as file:
        file.write(NGINX.format(dir=folder, port=port, site=site))
    server = subprocess.Popen(["nginx", "-p", folder, "-c", file.name, "-e", os.path.join(folder, "error.log")],
                              env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"})
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return server, f"http://127.0.0.1:{port}/index.html"
        time.sleep(0.01)
    sys.exit("nginx did not start")
