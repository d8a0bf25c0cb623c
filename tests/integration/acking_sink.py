#!/usr/bin/env python3
"""A sink for tests of --output exec. It stores the newest version of each document in a database and acknowledges it.

usage: acking_sink.py DATABASE [--log FILE] [--die-after N] [--refuse TEXT] [--later TEXT] [--gather N]

The log has each line as received. --die-after: the sink is killed once it has stored N lines and not acknowledged the
last ones. --refuse: lines with this text are refused for good. --later: the same, but only once and for 50 ms.
--gather: acknowledges N lines at once, or all received ones when no more come.
"""
import argparse
import json
import os
import select
import signal
import sqlite3
import sys


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("--log")
    parser.add_argument("--die-after", type=int)
    parser.add_argument("--refuse")
    parser.add_argument("--later")
    parser.add_argument("--gather", type=int, default=1)
    return parser.parse_args()


def say(**answer):
    print(json.dumps(answer), flush=True)


def keep(database, line):
    record = line["record"]
    database.execute("""INSERT INTO pages VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET op = excluded.op,
                     version = excluded.version, title = excluded.title WHERE excluded.version > version""",
                     (line["id"], line["version"], line["op"], record["url"], record["title"]))


def main():
    options = parse()
    database = sqlite3.connect(options.database, isolation_level=None, timeout=30)
    database.execute("""CREATE TABLE IF NOT EXISTS pages (id TEXT PRIMARY KEY, version INT, op TEXT, url TEXT,
                     title TEXT)""")
    log = open(options.log, "a", encoding="utf-8") if options.log else None
    kept = owed = 0
    put_off = set()
    for text in iter(sys.stdin.readline, ""):
        if log:
            log.write(text)
            log.flush()
        line = json.loads(text)
        if "n" not in line:
            continue
        if options.refuse and options.refuse in text:
            say(nack=line["n"], retry=False, reason="not wanted")
            continue
        if options.later and options.later in text and line["id"] not in put_off:
            put_off.add(line["id"])
            say(nack=line["n"], retry=True, after_ms=50)
            continue
        if line["op"] != "keep":
            keep(database, line)
        kept += 1
        if kept == options.die_after:
            os.kill(os.getpid(), signal.SIGKILL)
        owed += 1
        if owed >= options.gather or not select.select([sys.stdin], [], [], 0.02)[0]:
            say(**({"ack_to": line["n"]} if options.gather > 1 else {"ack": line["n"]}))
            owed = 0


if __name__ == "__main__":
    main()
