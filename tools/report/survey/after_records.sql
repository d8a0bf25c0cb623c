-- Run when all records have been read, before sitemaps and links. A link that leads out of the crawl is broken if its
-- redirects end at something broken, or in a loop.
CREATE TEMP TABLE outward(id INTEGER PRIMARY KEY, target INTEGER);
INSERT INTO outward SELECT id, find_external(redirect) FROM p WHERE kind = 1 AND redirects;
CREATE TEMP TABLE outward_end AS
  WITH RECURSIVE walk(id, at, hops) AS (
    SELECT id, target, 1 FROM outward WHERE target IS NOT NULL
    UNION ALL SELECT walk.id, o.target, hops + 1 FROM walk JOIN outward o ON o.id = walk.at
      WHERE o.target IS NOT NULL AND hops <= 50)
  SELECT id, at, max(hops) AS hops FROM walk GROUP BY id;
INSERT INTO retold SELECT id, 'redirects', 'the redirects lead in a circle' FROM outward_end WHERE hops > 50;
UPDATE page SET state = 2, rank = rank_of('redirects'), status = 0
  WHERE id IN (SELECT id FROM outward_end WHERE hops > 50);
INSERT OR REPLACE INTO retold SELECT o.id, e.error, substr('redirects to ' || e.url, 1, 512)
  FROM outward_end o JOIN p e ON e.id = o.at WHERE o.hops <= 50 AND e.state = 2;
UPDATE page SET status = e.status, rank = e.rank, state = 2
  FROM outward_end o JOIN page e ON e.id = o.at WHERE page.id = o.id AND o.hops <= 50 AND e.state = 2;

-- A page that redirects to a checked URL out of the crawl no longer counts as unchecked.
CREATE TEMP TABLE led AS SELECT id FROM p WHERE kind = 0 AND state = 3 AND error = 'scope' AND status BETWEEN 300 AND 399
  AND redirects AND find_external(redirect) IS NOT NULL;
INSERT OR REPLACE INTO retold SELECT id, NULL, NULL FROM led;
UPDATE page SET state = 1, rank = status, cut = 0 WHERE id IN (SELECT id FROM led);

-- The requests to each host, and the last status of its robots.txt.
CREATE TEMP TABLE asked_host AS SELECT host_at(host) AS id, count(*) AS n, sum(attempt > 1) AS retries
  FROM main.requests WHERE "end" IS NOT NULL AND kind IS NOT 'sitemap' GROUP BY 1;
UPDATE host SET requests = a.n, retries = coalesce(a.retries, 0) FROM asked_host a WHERE a.id = host.id;
UPDATE host SET robots = r.status FROM (SELECT host_at(host) AS id, coalesce(status, 0) AS status, max("end")
  FROM main.requests WHERE kind = 'robots' GROUP BY 1) r WHERE r.id = host.id;

UPDATE host SET pages = counts.n
  FROM (SELECT host, count(*) AS n FROM page WHERE kind = 0 GROUP BY host) counts WHERE counts.host = host.id;

-- A page is in a sitemap if its parent is one: a URL requested as a sitemap, or one without a record that has the name of
-- a sitemap.
UPDATE page SET in_sitemap = 1 WHERE kind = 0 AND part IS NULL AND id IN (SELECT id FROM main.pages WHERE parent IN
  (SELECT url FROM main.requests WHERE kind = 'sitemap'
   UNION ALL SELECT id FROM main.urls WHERE names_sitemap(url) AND find(url) IS NULL));

-- A page is also in a sitemap if a given sitemap lists it. CROSS keeps SQLite from looking up every URL of the crawl.
INSERT INTO page(id, kind, state, rank, host) SELECT u.id, 2, 3, rank_of(''), host_at(u.url) FROM main.sitemap s
  CROSS JOIN main.urls u ON u.id = s.target WHERE find(u.url) IS NULL AND u.id NOT IN (SELECT id FROM page);
UPDATE page SET in_sitemap = 1 WHERE id IN
  (SELECT coalesce(find(u.url), u.id) FROM main.sitemap s CROSS JOIN main.urls u ON u.id = s.target);
UPDATE host SET listed = 1 WHERE EXISTS (SELECT 1 FROM main.sitemap) AND id IN
  (SELECT host FROM page WHERE kind = 0 AND in_sitemap);
