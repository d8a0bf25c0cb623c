"""A crawl shared through a Redis server of its test's class, and its site: pages of many hosts."""
import os

import harness
import redis_server


class RedisCrawl(harness.TestCase):
    """Each test begins with an empty server, and with the crawl `crawl_name` in `state`. A subclass makes the site."""
    crawl_name = "test"
    is_checked = True  # at its end, by finish

    @classmethod
    def start_redis(cls):
        return redis_server.Redis()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.redis = cls.keep(cls.start_redis())

    @classmethod
    def start_site(cls, count, *options):
        """Starts nginx for `count` hosts, h0.localhost and so on. Sets `hosts` to their names, `folders` to their
        folders, and `folder_of_all` to the folder that contains those."""
        cls.folder_of_all = harness.temporary_folder()
        cls.hosts = [f"h{number}.localhost" for number in range(count)]
        cls.folders = {host: os.path.join(cls.folder_of_all, host) for host in cls.hosts}
        for folder in cls.folders.values():
            os.mkdir(folder)
        cls.site = cls.start_nginx(cls.folders, *options)

    @classmethod
    def start_pages(cls, count, hosts, *options):
        """Does the same, and sets `pages` to URLs of `count` pages of these hosts in turn."""
        cls.start_site(hosts, *options)
        cls.pages = [cls.site.url(cls.hosts[page % hosts], f"/{page}.html") for page in range(count)]

    def setUp(self):
        super().setUp()
        self.redis.ask("FLUSHALL")
        self.state = self.redis.url(f"name={self.crawl_name}")

    def expect_sound(self):
        look = self.crawl("inspect", self.state, "--check")
        self.assertEqual(look.status, 0, look.stdout + look.stderr)

    def finish(self, workers):
        """Checks that all end by themselves, with status 0 and without a sanitizer's report. Returns the output of the
        last one."""
        stderr = ""
        for process in workers:
            _, stderr = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, stderr)
            self.assertNotRegex(stderr, "Sanitizer|runtime error")
        if self.is_checked:
            self.expect_sound()
        return stderr
