"""A certificate, its key and a token for tests of a server that requires them."""
import os
import subprocess

TOKEN = "0123456789abcdef+/="


def make_certificate(folder, name="server"):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", "/CN=frontier",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", name + ".key", "-out", name + ".crt"],
                   cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def write_secret(path, text):
    with open(path, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
    return path
