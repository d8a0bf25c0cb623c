#!/usr/bin/env python3
"""Kills (SIGKILL) a crawl of ten hosts at random moments, and resumes it until it is done.

nginx's log is then compared with the requirements.

    CRAWL_PROGRAM=build/crawler/crawl tests/integration/kill_resume.py --kills 200

Requirements for each kill and for the end:
  pages       every reachable page was fetched and has a record
  repeated    a page is requested again only if it was in flight at a kill, per kill at most as many as there are
              connections; or if its slow response made room for other hosts
  robots.txt  is not requested again once a page of its host was
  pause       requests to a host keep its pause and its limit of parallel requests, within a run and from one run to
              the next: to the microsecond by `crawl audit`, on the departures that the program itself logged before
              each request
  departures  the log is true: each request that nginx has seen is in it, seen after it left and before its end, and
              each logged one was seen once, except those whose run was killed before they had a response
  check       `crawl inspect --check` finds nothing, after every kill

The departures make the program's own times credible, and only these show pauses. nginx stamps a request when it gets to
read it, tens of milliseconds late on a busy machine and by varying amounts, so by its clock two requests may be closer
together than they left, or further apart. But it cannot see a request that has not left. (Its stamps are whole
milliseconds, rounded down.)

The moments come from a seed, which is printed. Exit status: 0, or 1 if a requirement is violated."""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import time

import harness

HOSTS = [f"kill{i}.localhost" for i in range(10)]
Run = collections.namedtuple("Run", "number begin end status")


def make_sites(folder, pages):
    """Makes a binary tree of pages on each host, with a link from each page to the same page of the next host."""
    for number, name in enumerate(HOSTS):
        os.makedirs(os.path.join(folder, name))
        for page in range(pages):
            links = [f"/{child}.html" for child in (2 * page + 1, 2 * page + 2) if child < pages]
            links.append(f"http://{HOSTS[(number + 1) % len(HOSTS)]}:PORT/{page}.html")
            text = "".join(f'<a href="{link}">{link}</a>' for link in links)
            with open(os.path.join(folder, name, f"{page}.html"), "w", encoding="utf-8") as file:
                file.write(f"<title>{page}</title>{text}")
        with open(os.path.join(folder, name, "robots.txt"), "w", encoding="utf-8") as file:
            file.write("User-agent: *\nDisallow: /private\n")
    return {name: os.path.join(folder, name) for name in HOSTS}


def match(departures, seen):
    """Pairs the requests of one page in order: each seen request is a departure's, each departure with a response was
    seen. None: no such pairs exist."""
    if not departures:
        return None if seen else []
    first, is_answered = departures[0], departures[0].get("status", 0) != 0
    if seen and first["start"] <= seen[0].start * 1000 + 1 and (not is_answered
                                                                or seen[0].start * 1000 <= first["end"]):
        rest = match(departures[1:], seen[1:])
        if rest is not None:
            return [(first, seen[0]), *rest]
    return None if is_answered else match(departures[1:], seen)


class Crawl:
    def __init__(self, options, folder, say):
        self.options, self.folder, self.say = options, folder, say
        self.state = os.path.join(folder, "state")
        self.output = os.path.join(folder, "pages.jsonl")
        self.departures = os.path.join(folder, "requests.jsonl")
        sites = make_sites(os.path.join(folder, "sites"), options.pages)
        self.nginx = harness.Nginx(sites, extra=f"sub_filter PORT $server_port; sub_filter_once off; limit_rate "
                                                f"{options.limit_rate};")
        self.seeds = [self.nginx.url(name, "/0.html") for name in HOSTS]
        self.runs, self.problems, self.left = [], [], []
        self.random = random.Random(options.seed)

    def command(self):
        """Returns a run's command. The first has all options; later ones have only the directory."""
        if self.runs:
            return [harness.program(), "--state", self.state]
        return [harness.program(), "--state", self.state, "--depth", "1000", "--delay", f"{self.options.delay}ms",
                "--per-host", str(self.options.per_host),
                "--connections", str(self.options.connections), "--scope", "host",
                *(["--no-adaptive"] if self.options.limit_rate else []), "--output", self.output, "--requests",
                self.departures,
                *self.seeds]

    def run(self, limit_s):
        begin = time.time()
        with open(os.path.join(self.folder, "stderr"), "w+", encoding="utf-8", errors="replace") as errors:
            process = subprocess.Popen(self.command(), cwd=self.folder, env={**os.environ, **harness.SANITIZERS},
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
            try:
                process.wait(limit_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            errors.seek(0)
            text = errors.read()
        run = Run(len(self.runs), begin, time.time(), process.returncode)
        # Before the directory was made there is nothing to resume.
        if os.path.exists(os.path.join(self.state, "crawler.conf")) and (self.runs or self.seeded()):
            self.runs.append(run)
        if process.returncode not in (0, -9) or any(report in text for report in harness.REPORTS):
            self.problems.append(f"run {run.number} ended with status {process.returncode}:\n{text}")
        return run

    def seeded(self):
        """Returns True if all seeds are in; after an earlier kill the rest must be given again."""
        result = self.inspect("--jsonl")
        return result.returncode == 0 and json.loads(result.stdout)["requests"]["accepted"] >= len(self.seeds)

    def inspect(self, *options):
        return subprocess.run([harness.program(), "inspect", self.state, *options],
                              env={**os.environ, **harness.SANITIZERS},
                              capture_output=True, text=True, check=False)

    def check(self):
        if not self.runs:
            return  # it was killed before there was anything to resume
        result = self.inspect("--check")
        if result.returncode != 0:
            self.problems.append(f"inspect --check after run {len(self.runs) - 1}: {result.stdout}{result.stderr}")

    def kill_until_done(self):
        kills = 0
        while kills < self.options.kills and not self.problems:
            run = self.run(self.random.uniform(0, self.options.longest / 1000))
            if run.status == 0:
                self.say(f"done after {kills} kills")
                return kills
            kills += 1
            self.check()
            if kills % 20 == 0:
                self.say(f"{kills} kills, {len(self.nginx.requests())} requests so far")
        while not self.problems and self.run(600).status != 0:
            self.problems.append("the last run, which was not killed, did not end in time")
        self.check()
        return kills

    def run_of(self, moment):
        return max((run.number for run in self.runs if run.begin <= moment), default=0)

    def judge_pages(self, requests, left, table):
        """Checks the requests of each page. left: the departure of each request, by the program. A busy nginx may begin
        with it later, when another run has begun."""
        wanted = {(name, f"/{page}.html") for name in HOSTS for page in range(self.options.pages)}
        asked = collections.defaultdict(list)
        for request in requests:
            if request.uri != "/robots.txt":
                asked[(request.host, request.uri)].append(request)
        with open(self.output, encoding="utf-8") as file:
            recorded = {(r["url"].split("/")[2].split(":")[0], "/" + r["url"].split("/", 3)[3])
                        for r in map(json.loads, file) if r["status"] == 200}
        table["pages reachable"] = len(wanted)
        table["pages fetched"] = len(wanted & {key for key, found in asked.items()
                                               if any(r.status == 200 for r in found)})
        table["pages with a record"] = len(wanted & recorded)
        for what in ("fetched", "with a record"):
            if table[f"pages {what}"] != len(wanted):
                self.problems.append(f"{len(wanted) - table[f'pages {what}']} pages were not {what}")
        again = collections.Counter()
        oldest = 0
        for found in asked.values():
            found.sort(key=lambda r: r.start)
            for request in found[:-1]:
                if left.get(request, {}).get("error") == "cancelled":
                    continue
                run = self.run_of(left[request]["start"] / 1000 if request in left else request.start)
                again[run] += 1
                oldest = max(oldest, self.runs[run].end - request.end)
                if self.runs[run].status != -9:
                    self.problems.append(f"{request.uri} of {request.host} was asked for again after run {run}, which "
                                         f"was not killed: {found} {[left.get(one) for one in found]}")
        table["pages asked for again"] = sum(again.values())
        table["  most after one kill"] = max(again.values(), default=0)
        table["  oldest answer, ms before its kill"] = round(oldest * 1000)
        if again and max(again.values()) > self.options.connections:
            self.problems.append("more pages were asked for again after a kill than there are connections")

    def judge_robots(self, requests, table):
        asked, late = 0, 0
        for name in HOSTS:
            own = [r for r in requests if r.host == name]
            first_page = min((i for i, r in enumerate(own) if r.uri != "/robots.txt"), default=len(own))
            asked += sum(r.uri == "/robots.txt" for r in own)
            late += sum(r.uri == "/robots.txt" for r in own[first_page:])
        table["robots.txt asked for"] = f"{asked}, on {len(HOSTS)} hosts"
        if late:
            self.problems.append(f"robots.txt was asked for {late} times after a page of its host")

    def departures_by_page(self):
        """Returns the program's log: the departures of each page in order, with "end" if there is one, and the number
        of their run."""
        found, away, run = collections.defaultdict(list), {}, 0
        with open(self.departures, encoding="utf-8") as file:
            for line in map(json.loads, file):
                if line["event"] == "run":
                    away, run = {}, run + 1
                elif line["event"] == "depart":
                    host, uri = line["url"].split("/", 3)[2:]
                    away[line["request"]] = {**line, "run": run}
                    found[host.split(":")[0], "/" + uri].append(away[line["request"]])
                elif line["event"] == "end" and line["sent"]:
                    away.pop(line["request"]).update(line)
        return found

    def judge_departures(self, requests, table):
        """Finds the departure of each request that nginx saw."""
        seen = collections.defaultdict(list)
        for request in requests:
            seen[request.host, request.uri].append(request)
        departures = self.departures_by_page()
        pairs = []
        for page in sorted(departures.keys() | seen.keys()):
            matched = match(departures[page], seen[page])
            if matched is None:
                self.problems.append(f"of {page[1]} of {page[0]} nginx saw other requests than are written down: "
                                     f"{seen[page]} {departures[page]}")
            pairs += matched or []
        late = sorted(round(request.start * 1000, 3) - departure["start"] for departure, request in pairs)
        table["departures"] = sum(map(len, departures.values()))
        table["  seen by nginx"] = len(pairs)
        table["  half, all of them within, ms"] = f"{late[len(late) // 2]:.1f}, {late[-1]:.1f}" if late else "-"
        return {request: departure for departure, request in pairs}

    def audit(self, table):
        result = subprocess.run([harness.program(), "audit", "--jsonl", "--delay", f"{self.options.delay}ms",
                                 "--per-host", str(self.options.per_host), self.departures],
                                env={**os.environ, **harness.SANITIZERS}, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            table["crawl audit"] = "VIOLATIONS"
            self.problems.append(f"crawl audit: {result.stdout}{result.stderr}")
            return
        *hosts, summary = map(json.loads, result.stdout.splitlines())
        nearest = min(hosts, key=lambda host: host["least_gap"] - host["pause"])
        table["crawl audit"] = f"clean, {summary['requests']} requests"
        table["  runs, of them killed"] = f"{summary['runs']}, {summary['killed']}"
        table["  in flight at kills"] = summary["in_flight"]
        table["  least distance, pause, ms"] = f"{nearest['least_gap']:.3f}, {nearest['pause']:.3f}"
        table["  at once to a host, allowed"] = f"{max(host['at_once'] for host in hosts)}, {self.options.per_host}"

    def judge(self, kills):
        table = {"kills": kills, "seed": self.options.seed, "connections": self.options.connections}
        requests = sorted(self.nginx.requests(), key=lambda r: r.start)
        table["requests"] = len(requests)
        if not self.problems:
            left = self.judge_departures(requests, table)
            self.judge_pages(requests, left, table)
            self.judge_robots(requests, table)
            self.audit(table)
        table["inspect --check"] = "clean" if not any("--check" in p for p in self.problems) else "VIOLATIONS"
        return table


def execute(options, say=print):
    """Returns the table and the list of problems."""
    folder = harness.temporary_folder()
    crawl = Crawl(options, folder, say)
    try:
        table = crawl.judge(crawl.kill_until_done())
    finally:
        crawl.nginx.stop()
    return table, crawl.problems


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kills", type=int, default=200, help="at most so many; fewer if the crawl is done before")
    parser.add_argument("--seed", type=int, default=None, help="of the moments; default: another each time")
    parser.add_argument("--pages", type=int, default=600, help="pages per host")
    parser.add_argument("--delay", type=int, default=100, help="pause per host, ms")
    parser.add_argument("--longest", type=int, default=600, help="a run is killed at a moment from 0 to this, ms")
    parser.add_argument("--per-host", type=int, default=2, help="requests at once to a host")
    parser.add_argument("--limit-rate", type=int, default=0,
                        help="bytes a second that nginx sends of an answer, of which 250 take it longer than a pause "
                             "of 100 ms: so requests are at once; 0: any")
    parser.add_argument("--connections", type=int, default=20)
    options = parser.parse_args(arguments)
    if options.seed is None:
        options.seed = random.randrange(1 << 32)
    return options


def main():
    options = parse()
    print(f"seed {options.seed}", flush=True)
    table, problems = execute(options, lambda text: print(text, flush=True))
    for name, value in table.items():
        print(f"{name:36} {value}")
    for problem in problems:
        print(f"PROBLEM: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
