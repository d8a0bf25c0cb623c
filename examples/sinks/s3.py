#!/usr/bin/env python3
"""Puts the records of a crawl into a bucket, by the AWS client:

    crawl --state DIR --output exec:'s3.py s3://BUCKET/PREFIX' URL

Each page is an object, named by its id. A crawl sends one line of a page at a time, so the last one stays."""
import json
import subprocess
import sys

COMMAND = ["aws", "s3"]
for text in sys.stdin:
    line = json.loads(text)
    place = f"{sys.argv[1]}/{line.get('id')}.json"
    if line.get("op") == "index":
        subprocess.run([*COMMAND, "cp", "--quiet", "-", place], input=json.dumps(line), text=True, check=True)
    elif line.get("op") == "delete":
        subprocess.run([*COMMAND, "rm", "--quiet", place], check=True)
    if "n" in line:
        print(json.dumps({"ack": line["n"]}), flush=True)
