#!/usr/bin/env python3
"""Tests that a live view streams the requests and the end of the crawl, and says which crawl it is."""
import http.client
import json
import signal
import socket

import harness
import live_view


class Stream:
    """Reads /events of a live view."""

    def __init__(self, live, **headers):
        self.connection = http.client.HTTPConnection(live.address.hostname, live.address.port, timeout=harness.LIMIT_S)
        self.connection.request("GET", "/events", headers=headers)
        self.answer = self.connection.getresponse()

    def next(self):
        """Returns the name and data of the next event. None: the end."""
        name = data = None
        while line := self.answer.readline():
            key, _, value = line.decode().rstrip("\n").partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                data = json.loads(value)
            elif name:
                return name, data
        return None

    def close(self):
        self.answer.close()
        self.connection.close()


class Events(harness.TestCase):
    def start_live(self, *args):
        site = self.serve(live_view.Site())
        return site, live_view.Live(self, "127.0.0.1:0", "--output", "pages.jsonl", *args, site.url())

    def stream(self, live, **headers):
        stream = Stream(live, **headers)
        self.addCleanup(stream.close)
        return stream

    def test_requests_come_as_they_are_finished_and_then_the_last_word(self):
        site, live = self.start_live("--allow-private")
        streams = [self.stream(live) for _ in range(3)]
        self.assertEqual({stream.answer.headers["Content-Type"] for stream in streams}, {"text/event-stream"})
        seen = [{} for _ in streams]
        for stream, requests in zip(streams, seen):
            while len(requests) < 5:
                name, data = stream.next()
                self.assertEqual(name, "requests")
                requests.update((request["number"], request) for request in data)
        site.release()
        for stream, requests in zip(streams, seen):
            while (event := stream.next())[0] == "requests":
                requests.update((request["number"], request) for request in event[1])
            self.assertEqual((event[0], event[1]["state"], event[1]["pages"]), ("end", "nothing left to fetch", 6))
            self.assertIsNone(stream.next())
        self.assertEqual(live.end()[0], 0)
        records = {record["url"]: record for record in self.records("pages.jsonl")}
        for requests in seen:
            self.assertEqual(sorted(requests), list(range(1, 7)))
            self.assertEqual({request["url"]: (request["status"], request["bytes"], request["depth"], request["error"])
                              for request in requests.values()},
                             {url: (record["status"], record["bytes"], record["depth"], record["error"]) for url,
                              record in records.items()})

    def test_a_crawl_that_is_stopped_says_so(self):
        site, live = self.start_live()
        stream = self.stream(live)
        harness.wait_for(lambda: "/held" in site.asked, harness.LIMIT_S)
        live.process.send_signal(signal.SIGINT)
        live.wait_for_stats(lambda stats: stats["state"] == "stopped")
        site.release()
        while (event := stream.next())[0] == "requests":
            pass
        self.assertEqual((event[0], event[1]["state"]), ("end", "stopped"))
        self.assertEqual(live.end()[0], 3)

    def test_viewers_are_bounded_and_others_sites_are_none(self):
        site, live = self.start_live()
        port = live.address.port
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
                        {"Origin": f"http://127.0.0.1:{port + 1}"}):
            self.assertEqual(live.ask("/events", headers=headers)[0], 403, headers)
        streams = [self.stream(live, **{"Sec-Fetch-Site": "same-origin", "Origin": f"http://{live.address.netloc}"})
                   for _ in range(8)]
        self.assertEqual([stream.answer.status for stream in streams], [200] * 8)
        self.assertEqual(live.ask("/events")[0], 503)
        self.assertEqual(live.ask("/events", "HEAD")[0], 200)
        # a viewer that leaves makes room; the others stay
        streams.pop().close()
        harness.wait_for(lambda: self.stream(live).answer.status == 200, harness.LIMIT_S)
        # idle connections take nothing from viewers
        idle = []
        for _ in range(100):
            idle.append(socket.create_connection((live.address.hostname, port)))
            self.addCleanup(idle[-1].close)
        self.assertEqual(live.ask("/stats.json")[0], 200)
        site.release()
        for stream in streams:
            while (event := stream.next())[0] == "requests":
                pass
            self.assertEqual(event[0], "end")
        self.assertEqual(live.end()[0], 0)

    def test_which_crawl_it_is(self):
        site, live = self.start_live("--depth", "5", "--state", "state", "--header", "X-Key: sesame", "--set",
                                     "host a.localhost.password=sesame",
                                     "--set", "host a.localhost.user=me")
        text = live.ask("/crawl.json")[2].decode()
        self.assertNotIn("sesame", text)
        crawl = json.loads(text)
        self.assertEqual((crawl["seeds"], crawl["state"], crawl["resumed"], crawl["process"]),
                         ([site.url()], "state", False, live.process.pid))
        self.assertEqual(crawl["started"], live.stats()["started"])
        settings = {setting["key"]: setting["value"] for setting in crawl["settings"]}
        self.assertEqual((settings["crawl.depth"], settings["fetch.header"], settings["host a.localhost.password"]),
                         ("5", "(not shown)", "(not shown)"))
        self.assertNotIn("crawl.max_pages", settings)
        site.release()
        self.assertEqual(live.end()[0], 0)


if __name__ == "__main__":
    harness.main()
