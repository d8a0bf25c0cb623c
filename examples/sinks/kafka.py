#!/usr/bin/env python3
"""Sends the lines of a crawl to Kafka, by kcat: crawl --state DIR --output exec:'kafka.py BROKER TOPIC' URL

The key is the id, so that a compacted topic keeps the last line of each page. A null value deletes the page."""
import json
import subprocess
import sys

broker, topic = sys.argv[1:]
COMMAND = ["kcat", "-P", "-Z", "-b", broker, "-t", topic, "-K", "\t", "-X", "acks=all"]


def send(lines):
    texts = (f"{line['id']}\t{json.dumps(line) if line['op'] == 'index' else ''}\n" for line in lines)
    subprocess.run(COMMAND, input="".join(texts), text=True, check=True)  # kcat ends when the brokers have all lines


while texts := sys.stdin.buffer.read1(1 << 20).splitlines(keepends=True):
    if not texts[-1].endswith(b"\n"):
        texts[-1] += sys.stdin.buffer.readline()
    lines = [line for line in map(json.loads, texts) if "n" in line]
    if lines:
        send([line for line in lines if line["op"] != "keep"])
        print(json.dumps({"ack_to": lines[-1]["n"]}), flush=True)
