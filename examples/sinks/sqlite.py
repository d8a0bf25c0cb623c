#!/usr/bin/env python3
"""Keeps the pages of a crawl in SQLite: crawl --state DIR --output exec:'sqlite.py pages.db' URL"""
import json
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("CREATE TABLE IF NOT EXISTS pages (id TEXT PRIMARY KEY, version INTEGER, url TEXT, record TEXT)")
UPSERT = """INSERT INTO pages VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
    SET version = excluded.version, record = excluded.record WHERE excluded.version > pages.version"""

for text in sys.stdin:
    line = json.loads(text)
    if line.get("op") in ("index", "delete"):  # a page that is gone stays as a row without a record
        record = json.dumps(line["record"]) if line["op"] == "index" else None
        database.execute(UPSERT, (line["id"], line["version"], line["record"]["url"], record))
    if "n" in line:
        print(json.dumps({"ack": line["n"]}), flush=True)
