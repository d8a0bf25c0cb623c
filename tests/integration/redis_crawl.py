"""A crawl that processes share through a Redis server of its test's class, and its site: pages of many hosts."""
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
        """Starts nginx for so many hosts, h0.localhost and so on. Their names go to `hosts`, the folder of each to
        `folders`, the one around them to `folder_of_all`."""
        cls.folder_of_all = harness.temporary_folder()
        cls.hosts = [f"h{number}.localhost" for number in range(count)]
        cls.folders = {host: os.path.join(cls.folder_of_all, host) for host in cls.hosts}
        for folder in cls.folders.values():
            os.mkdir(folder)
        cls.site = cls.start_nginx(cls.folders, *options)

    @classmethod
    def start_pages(cls, count, hosts, *options):
        """The same, and names so many pages of these hosts in turn, in `pages`."""
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
        """All end by themselves, with status 0 and without a sanitizer's word. What the last one said."""
        stderr = ""
        for process in workers:
            _, stderr = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, stderr)
            self.assertNotRegex(stderr, "Sanitizer|runtime error")
        if self.is_checked:
            self.expect_sound()
        return stderr
