-- The report's own tables. The results (results/schema.sql) are in the schema DB; names begin with OF_, which is old_
-- for the earlier crawl. Numbers that queries compare are stored in page. Texts are looked up by the view p, so that a
-- query reads few bytes of each page.
CREATE TEMP TABLE OF_page(
  id INTEGER PRIMARY KEY, -- of its URL in urls, or greater than all of those
  kind INTEGER NOT NULL, -- 0 requested; 1 a link out of the crawl, checked; 2 found, not requested; 3 a link that is not
                         -- a URL; 4 a URL with a fragment that its page does not have
  state INTEGER NOT NULL, -- cw_survey_state
  rank INTEGER NOT NULL, -- cw_survey_rank
  status INTEGER NOT NULL DEFAULT 0,
  html INTEGER, redirects INTEGER, told INTEGER, part INTEGER, ids INTEGER, -- 1 or NULL, as on the next two lines
  noindex INTEGER, nofollow INTEGER, titled INTEGER, described INTEGER, headed INTEGER,
  elsewhere INTEGER, in_sitemap INTEGER,
  no_alt INTEGER, bytes INTEGER, elapsed_ms INTEGER, depth INTEGER,
  cut INTEGER NOT NULL DEFAULT 0, -- cw_survey_cut
  host INTEGER, type TEXT,
  digest_hash INTEGER, title_hash INTEGER, text_hash INTEGER, description_hash INTEGER,
  target INTEGER, -- of its redirect
  was INTEGER); -- the page of the earlier crawl
-- Texts of rows whose URLs are not in urls: URLs with a fragment that their page does not have.
CREATE TEMP TABLE OF_other(id INTEGER PRIMARY KEY, url TEXT NOT NULL, target INTEGER, fragment TEXT);
-- Results of links that lead out of the crawl, which replace those of their records.
CREATE TEMP TABLE OF_retold(id INTEGER PRIMARY KEY, error TEXT, detail TEXT);
-- The number of links to a page, and each link to a page that is broken or redirects.
CREATE TEMP TABLE OF_counted(id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
CREATE TEMP TABLE OF_link(target INTEGER NOT NULL, source TEXT NOT NULL, text TEXT, tag TEXT);
CREATE TEMP TABLE OF_canonical(url INTEGER, kind INTEGER, id INTEGER, PRIMARY KEY(url, kind)) WITHOUT ROWID;
CREATE TEMP TABLE OF_host(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, pages INTEGER DEFAULT 0,
  links INTEGER DEFAULT 0, requests INTEGER DEFAULT 0, retries INTEGER DEFAULT 0, robots INTEGER, listed INTEGER);

CREATE TEMP VIEW OF_p AS SELECT page.*,
  CASE WHEN other.id IS NOT NULL THEN other.url WHEN page.kind = 3 THEN short(u.url)
    WHEN coalesce(r.method, 'GET') = 'GET' OR page.kind = 1 THEN u.url
    ELSE substr(u.url, length(r.method) + 2) END AS url,
  short(trimmed(r.title)) AS title, length(trimmed(r.title)) AS title_length,
  CASE WHEN retold.id IS NOT NULL THEN retold.error WHEN page.kind = 3 THEN 'no-url' ELSE nullif(r.error, '') END AS error,
  CASE WHEN retold.id IS NOT NULL THEN retold.detail ELSE short(r.detail) END AS detail,
  (SELECT url FROM DB.urls WHERE id = r.redirect) AS redirect, (SELECT url FROM DB.urls WHERE id = r.parent) AS parent,
  r.digest, (SELECT url FROM DB.urls WHERE id = r.near_duplicate_of) AS near, r.wall,
  nullif(nullif(r.rel_canonical, ''), u.url) AS names, r.data ->> '$.no_alt[0]' AS image,
  short(r.description) AS description, length(r.description) AS description_length,
  r.data -> '$.hreflang' AS translations, r.preferences, r.text AS page_text, r.simhash,
  coalesce(counted.n, 0) AS linked
  FROM OF_page AS page LEFT JOIN DB.urls u ON u.id = page.id
  LEFT JOIN DB.pages r ON r.id = page.id AND page.kind < 2
  LEFT JOIN OF_other AS other ON other.id = page.id LEFT JOIN OF_retold AS retold ON retold.id = page.id
  LEFT JOIN OF_counted AS counted ON counted.id = page.id;
