"""Addresses that are not the internet's: asked where a seed names the host, or with --allow-private; otherwise not, whoever leads there."""
import harness

PAGES = {"index.html": "<a href=page.html>p</a>", "page.html": "page", "robots.txt": "User-agent: *\nDisallow: /no\n"}


class Guard(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.inside = self.start_nginx({"inside.localhost": self.make_site(PAGES)})
        port = self.inside.port
        links = ["<a href=http://inside.localhost:%d/>" % port, "<a href=http://127.0.0.1:%d/>" % port, "<a href=http://[::1]:%d/>" % port,
                 "<a href=/go>", "<a href=http://0.0.0.0:%d/>" % port, "<a href=http://2130706433:%d/>" % port]
        outside = self.path("outside")
        self.write("outside/index.html", "".join(links))
        self.outside = self.start_nginx({"outside.localhost": outside},
                                        "location = /go { return 302 http://inside.localhost:%d/page.html; }" % port)

    def by_url(self):
        return {record["url"]: record for record in self.records("pages.jsonl")}

    def test_links_and_redirects_do_not_lead_inside(self):
        result = self.crawl("--delay", "0", "--scope", "any", "--output", "pages.jsonl", self.outside.url("outside.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.inside.requests(), [])
        records = self.by_url()
        refused = [record for record in records.values() if record["error"] == "private"]
        self.assertEqual(len(refused), 5, records)  # two spellings are one URL
        for record in refused:
            self.assertEqual(record["status"], 0)
            self.assertEqual(record["attempt"], 1)

    def test_a_seed_names_its_host(self):
        result = self.crawl("--delay", "0", "--scope", "any", "--output", "pages.jsonl", self.inside.url("inside.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(sorted(record["status"] for record in self.by_url().values()), [200, 200])

    def test_all_are_asked_when_allowed(self):
        result = self.crawl("--delay", "0", "--scope", "any", "--allow-private", "--output", "pages.jsonl", self.outside.url("outside.localhost", "/"))
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual([record for record in self.by_url().values() if record["error"] == "private"], [])
        self.assertTrue(self.inside.requests("inside.localhost"))

    def test_the_summary_counts_them(self):
        result = self.crawl("--delay", "0", "--scope", "any", self.outside.url("outside.localhost", "/"))
        self.assertRegex(result.stderr, r"private 5")


if __name__ == "__main__":
    harness.main()
