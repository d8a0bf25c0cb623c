-- All links except later hops of a link that leads out of the crawl, of which only the first URL counts.
CREATE TEMP VIEW edge AS SELECT * FROM main.links l WHERE tag <> 'redirect' OR
  NOT EXISTS (SELECT 1 FROM page WHERE id = l.page AND kind = 1);

-- Where links to a URL lead: to a page, or else to a checked URL out of the crawl, or to a URL without a request.
CREATE TEMP TABLE lead(target INTEGER PRIMARY KEY, n INTEGER NOT NULL, leads_out INTEGER, at INTEGER);
SELECT count(tally(target, 4 | (verdict IS 'scope'))) FROM edge WHERE verdict IS NOT 'no-url';
INSERT INTO lead(target, n, leads_out, at) SELECT u.id, tallied(u.id) >> 2, tallied(u.id) & 1, coalesce(
    (SELECT id FROM page WHERE id = u.id AND kind = 0), find(u.url), find_external(u.url), u.id)
  FROM main.urls u WHERE tallied(u.id);
INSERT INTO page(id, kind, state, rank, host) SELECT target, 2, 3, rank_of(''), host_at(u.url) FROM lead
  JOIN main.urls u ON u.id = target WHERE at = target AND lead.target NOT IN (SELECT id FROM page);
SELECT count(tally(target, 2)) FROM lead WHERE at IN (SELECT id FROM page WHERE kind < 2 AND (state = 2 OR state = 1 AND redirects));
INSERT INTO counted SELECT at, sum(n) FROM lead GROUP BY at;
-- How often a page in a sitemap links to itself, as by its canonical or to a place within it.
CREATE TEMP TABLE own_links(id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
INSERT INTO own_links SELECT lead.at, count(*) FROM edge l CROSS JOIN lead ON lead.target = l.target
  WHERE EXISTS (SELECT 1 FROM page WHERE in_sitemap) AND lead.at = l.page
  AND lead.at IN (SELECT id FROM page WHERE in_sitemap) GROUP BY lead.at;
INSERT INTO link SELECT (SELECT at FROM lead WHERE lead.target = l.target), (SELECT url FROM main.urls u WHERE u.id = l.page),
  short(trimmed(text)), short(tag) FROM edge l WHERE tallied(target) & 2
  AND verdict IS NOT 'no-url' ORDER BY l.id;

-- The first cause that kept the crawl from a URL; a queued one, by a link or a sitemap, was kept from by no link. Out of
-- scope counts only on the hosts of the crawl: other hosts are not part of the site. A guess that failed has a record.
-- If nothing is known to be left in the queue, a seen URL without a record is another spelling of one with a record.
WITH uncrawled AS MATERIALIZED (SELECT l.id, l.target, l.verdict, cut_of_link(l.verdict, h.pages) AS cut
    FROM edge l CROSS JOIN page e ON e.id = l.target AND e.kind = 2 LEFT JOIN host h ON h.id = e.host
    WHERE cut_of_link(l.verdict, h.pages) AND l.target NOT IN (SELECT id FROM main.pages))
UPDATE page SET cut = first.cut FROM (SELECT target, min(iif(verdict IN ('new', 'seen'), 0, id)), cut FROM uncrawled
    WHERE verdict <> 'seen' OR NOT is_finished() OR EXISTS (SELECT 1 FROM uncrawled WHERE verdict = 'new')
    GROUP BY target) first
  WHERE page.id = first.target;

-- Links that are not URLs, and links with fragments that their pages do not have.
CREATE TEMP TABLE odd AS SELECT id, page, target, fragment, fragment_decoded, tag, text, verdict FROM edge
  WHERE verdict = 'no-url' OR fragment <> '' AND (SELECT EXISTS (SELECT 1 FROM page WHERE ids)) ORDER BY id;
INSERT OR IGNORE INTO page(id, kind, state, rank) SELECT DISTINCT target, 3, 2, rank_of('no-url') FROM odd
  WHERE verdict = 'no-url';
INSERT INTO other SELECT row_number() OVER () + (SELECT max((SELECT max(id) FROM page), (SELECT max(id) FROM main.urls))),
    u.url || '#' || f.fragment, f.target, f.fragment
  FROM (SELECT target, fragment, fragment_decoded, shown((SELECT at FROM lead WHERE lead.target = odd.target)) AS page
    FROM odd WHERE verdict IS NOT 'no-url' GROUP BY target, fragment) f
  JOIN page ON page.id = f.page AND page.ids JOIN main.urls u ON u.id = f.target
  WHERE lower(coalesce(f.fragment_decoded, f.fragment)) <> 'top' AND f.fragment NOT GLOB '[/!]*' AND NOT EXISTS
    (SELECT 1 FROM main.ids WHERE ids.page = f.page AND ids.id IN (f.fragment, coalesce(f.fragment_decoded, f.fragment)));
CREATE INDEX temp.other_target ON other(target, fragment);
INSERT INTO page(id, kind, state, rank) SELECT id, 4, 3, rank_of('') FROM other WHERE fragment IS NOT NULL;
CREATE TEMP VIEW oddity AS SELECT CASE WHEN odd.verdict = 'no-url' THEN odd.target ELSE other.id END AS at, odd.*
  FROM odd LEFT JOIN other ON odd.verdict IS NOT 'no-url' AND other.target = odd.target AND other.fragment = odd.fragment;
INSERT OR IGNORE INTO counted SELECT at, count(*) FROM oddity WHERE at IS NOT NULL GROUP BY at;
INSERT INTO link SELECT at, (SELECT url FROM main.urls u WHERE u.id = oddity.page), short(trimmed(text)), short(tag) FROM oddity
  WHERE at IS NOT NULL ORDER BY oddity.id;

-- Needed by several tables of the report.
CREATE INDEX temp.link_target ON link(target);
UPDATE host SET links = counts.n
  FROM (SELECT host, sum(n) AS n FROM page JOIN counted USING(id) WHERE kind < 3 GROUP BY host) counts
  WHERE counts.host = host.id;

-- Redirects: pages in loops, with the first page of each loop; then the hops of chains and loops. A chain begins with a
-- redirect to which no other redirect of the crawl leads, may pass through other sites, and ends when it reaches a loop.
-- A loop has a page of the crawl. Loops of more than 50 hops are chains.
UPDATE page SET target = (SELECT coalesce(find(u.url), find_external(u.url)) FROM main.pages r
  JOIN main.urls u ON u.id = r.redirect WHERE r.id = page.id) WHERE kind < 2 AND redirects;
CREATE INDEX temp.page_target ON page(target) WHERE target IS NOT NULL;
-- A link to a redirect that ends at a broken page, or at one redirect too many, is a link to that page. So is one to a
-- redirect to another site, where the first page stands for all that follow.
INSERT INTO link
  WITH RECURSIVE way(id, ends) AS (
    SELECT page.id, broken.id FROM page JOIN page broken ON broken.id = page.target
      WHERE broken.state = 2 AND (broken.kind = 0 OR (broken.kind = 1 AND page.kind = 0))
    UNION SELECT page.id, ends FROM way JOIN page ON page.target = way.id)
  SELECT ends, source, text, tag FROM way JOIN link ON link.target = way.id WHERE tag <> 'redirect' ORDER BY link.rowid;
CREATE TEMP TABLE loop(id INTEGER PRIMARY KEY, begin INTEGER);
INSERT INTO loop
  WITH RECURSIVE walk(id, at, hops) AS (
    SELECT id, target, 1 FROM page WHERE target IS NOT NULL AND id IN (SELECT target FROM page WHERE target IS NOT NULL)
    UNION ALL SELECT walk.id, page.target, hops + 1 FROM walk JOIN page ON page.id = walk.at
      WHERE walk.at <> walk.id AND page.target IS NOT NULL AND hops < 50)
  SELECT id, min(at) FROM walk GROUP BY id HAVING sum(at = id) > 0;
CREATE TEMP TABLE hop(begin INTEGER, n INTEGER, id INTEGER, url TEXT, PRIMARY KEY(begin, n)) WITHOUT ROWID;
INSERT INTO hop
  WITH RECURSIVE walk(begin, n, id, looped) AS (
    SELECT id, 0, id, 0 FROM page WHERE kind = 0 AND redirects AND id NOT IN (SELECT id FROM loop)
      AND NOT EXISTS (SELECT 1 FROM page other WHERE other.target = page.id AND other.id <> page.id AND other.kind = 0)
    UNION ALL SELECT begin, begin_n, begin, 1 FROM (SELECT DISTINCT begin, 0 AS begin_n FROM loop)
    UNION ALL SELECT walk.begin, n + 1, page.target, looped FROM walk JOIN page ON page.id = walk.id
      WHERE page.target IS NOT NULL AND n < 50
      AND CASE WHEN looped THEN n = 0 OR walk.id <> walk.begin ELSE walk.id NOT IN (SELECT id FROM loop) END)
  SELECT walk.begin, walk.n, walk.id, p.url FROM walk JOIN p ON p.id = walk.id;
INSERT INTO hop SELECT hop.begin, max(hop.n) + 1, NULL, p.redirect FROM hop JOIN p ON p.id = hop.id
  WHERE p.target IS NULL AND p.redirects AND hop.n < 50 GROUP BY hop.begin;
CREATE TEMP TABLE chain(begin INTEGER PRIMARY KEY, hops INTEGER, is_loop INTEGER, number INTEGER);
INSERT INTO chain SELECT begin, max(n), begin IN (SELECT id FROM loop), 0 FROM hop GROUP BY begin
  HAVING CASE WHEN begin IN (SELECT id FROM loop) THEN begin IN (SELECT begin FROM loop JOIN page USING(id) WHERE kind = 0)
    ELSE max(n) > 1 END;
UPDATE chain SET number = numbers.n
  FROM (SELECT begin, row_number() OVER (PARTITION BY is_loop ORDER BY p.url) AS n
        FROM chain JOIN p ON p.id = begin) numbers
  WHERE numbers.begin = chain.begin;

-- Groups of pages: first those with the same body, then, among the rest, those with the same title.
-- Pages that name another with the same body as canonical need no advice.
CREATE TEMP TABLE copy(id INTEGER PRIMARY KEY);
INSERT INTO copy SELECT p.id FROM p JOIN page named ON named.id = find(p.names)
  WHERE p.kind = 0 AND p.digest_hash <> 0 AND p.names IS NOT NULL AND named.id <> p.id
  AND named.digest_hash = p.digest_hash;
CREATE TEMP TABLE grouped(what TEXT, hash INTEGER, n INTEGER, id INTEGER, pages INTEGER, PRIMARY KEY(what, hash, n)) WITHOUT ROWID;
INSERT INTO grouped SELECT 'digest', digest_hash, row_number() OVER same, id, 0 FROM p WHERE kind = 0 AND digest_hash IN
  (SELECT digest_hash FROM page WHERE kind = 0 AND digest_hash <> 0 AND id NOT IN (SELECT id FROM copy)
   GROUP BY digest_hash HAVING count(*) > 1) AND id NOT IN (SELECT id FROM copy)
  WINDOW same AS (PARTITION BY digest_hash ORDER BY url);
INSERT INTO copy SELECT id FROM grouped WHERE n > 1;
INSERT INTO grouped SELECT 'title', title_hash, row_number() OVER same, id, 0 FROM p
  WHERE kind = 0 AND html AND title_hash IN
  (SELECT title_hash FROM page WHERE kind = 0 AND html AND title_hash <> 0 AND id NOT IN (SELECT id FROM copy)
   GROUP BY title_hash HAVING count(*) > 1) AND id NOT IN (SELECT id FROM copy)
  WINDOW same AS (PARTITION BY title_hash ORDER BY url);
UPDATE grouped SET pages = counts.pages
  FROM (SELECT what, hash, count(*) AS pages FROM grouped GROUP BY what, hash) counts
  WHERE counts.what = grouped.what AND counts.hash = grouped.hash;

UPDATE page SET elsewhere = 1 WHERE kind = 0 AND html AND id IN
  (SELECT id FROM p WHERE names IS NOT NULL AND coalesce(find(names), 0) <> id);

CREATE TEMP TABLE canonical_loop(id INTEGER PRIMARY KEY, pages INTEGER);
INSERT INTO canonical_loop WITH RECURSIVE
  named(id, at) AS MATERIALIZED (SELECT id, find(names) FROM p WHERE elsewhere),
  walk(id, at, n) AS (SELECT id, at, 1 FROM named
    UNION ALL SELECT walk.id, named.at, n + 1 FROM walk JOIN named ON named.id = walk.at
      WHERE walk.at <> walk.id AND n < 50)
  SELECT id, min(n) FROM walk WHERE at = id GROUP BY id;

CREATE TEMP TABLE thin(id INTEGER PRIMARY KEY, words INTEGER);
INSERT INTO thin SELECT page.id, words FROM main.thin_pages JOIN main.urls u USING(url) JOIN page ON page.id = u.id
  WHERE page.kind = 0 AND page.html;
CREATE TEMP TABLE mixed AS SELECT source, target, tag FROM main.mixed_content;

-- Headers that guard visitors: first the headers that pages are known to have or lack, then the pages that lack them.
CREATE TEMP TABLE guard(header TEXT PRIMARY KEY, known INTEGER, pages INTEGER);
INSERT INTO guard(header) VALUES ('strict-transport-security'), ('content-security-policy'), ('x-content-type-options'),
  ('x-frame-options'), ('referrer-policy');
CREATE TEMP TABLE guarded AS SELECT page.id, s.* FROM main.security_headers s JOIN main.urls u USING(url)
  JOIN page ON page.id = u.id WHERE page.kind = 0 AND page.html
  AND EXISTS (SELECT 1 FROM main.headers);
UPDATE guard SET known = 1 WHERE header IN (SELECT name FROM main.headers)
  OR header = 'strict-transport-security' AND NOT EXISTS (SELECT 1 FROM guarded WHERE url LIKE 'https:%');
CREATE TEMP TABLE unguarded(header TEXT, id INTEGER, PRIMARY KEY(header, id)) WITHOUT ROWID;
INSERT INTO unguarded SELECT header, id FROM guarded JOIN guard ON known AND CASE header
  WHEN 'strict-transport-security' THEN NOT strict_transport_security AND url LIKE 'https:%'
  WHEN 'content-security-policy' THEN NOT content_security_policy
  WHEN 'x-content-type-options' THEN NOT x_content_type_options
  WHEN 'x-frame-options' THEN NOT x_frame_options ELSE NOT referrer_policy END;
UPDATE guard SET pages = (SELECT count(*) FROM unguarded WHERE unguarded.header = guard.header);

-- The parts of a page, including those of its style sheets and frames and the targets of redirects.
CREATE TEMP TABLE needed(page INTEGER, at INTEGER, PRIMARY KEY(page, at)) WITHOUT ROWID;
INSERT OR IGNORE INTO needed SELECT l.page, lead.at FROM main.links l JOIN lead USING(target)
  -- of the candidates of srcset a browser loads one, about as large as src
  WHERE l.tag IN ('iframe', 'frame') OR l.requisite AND l.attr NOT LIKE '%srcset';
INSERT OR IGNORE INTO needed SELECT id, target FROM page WHERE redirects AND target IS NOT NULL;
CREATE TEMP TABLE weight(id INTEGER PRIMARY KEY, parts INTEGER, bytes INTEGER);
INSERT INTO weight WITH RECURSIVE whole(page, at) AS (
    SELECT page, at FROM needed WHERE page IN (SELECT id FROM page WHERE kind = 0 AND html AND part IS NULL)
    UNION SELECT whole.page, needed.at FROM whole JOIN needed ON needed.page = whole.at)
  SELECT w.page, count(*), sum(part.bytes) FROM whole w JOIN page part ON part.id = w.at AND part.id <> w.page
  GROUP BY w.page;

CREATE TEMP TABLE translation(page INTEGER, n INTEGER, language TEXT, url TEXT, named INTEGER, PRIMARY KEY(page, n)) WITHOUT ROWID;
-- A check of another site tells only whether a translation is broken.
INSERT INTO translation SELECT p.id, each.key, each.value ->> 'lang', each.value ->> 'url',
    coalesce(find(each.value ->> 'url'), (SELECT id FROM page WHERE id = find_external(each.value ->> 'url') AND state = 2))
  FROM p, json_each(p.translations) each WHERE json_type(p.translations) = 'array' AND kind = 0 AND each.type = 'object'
  AND coalesce(each.value ->> 'url', '') <> '';

-- The uses that statements refuse (1) and grant (2), and licences (3), which name no use.
CREATE TEMP TABLE use(id INTEGER, use INTEGER, stand INTEGER, source TEXT, statement TEXT);
INSERT INTO use
  WITH statement AS (SELECT p.id, each.value AS said, each.value ->> 'source' AS source,
      each.value ->> 'label' AS label, coalesce(each.value ->> 'value', '') AS value
    FROM p, json_each(p.preferences) each WHERE json_type(p.preferences) = 'array' AND kind = 0 AND each.type = 'object'
    AND coalesce(json_type(each.value, '$.ignored'), '') <> 'text'),
  worded AS (SELECT *, CASE WHEN label = 'license' THEN value WHEN value = '' THEN label ELSE label || '=' || value END
    AS words FROM statement)
  SELECT worded.id, use_number(u.value), 1, source, words FROM worded, json_each(said, '$.refuses') u
  UNION ALL SELECT worded.id, use_number(u.value), 2, source, words FROM worded, json_each(said, '$.grants') u
  UNION ALL SELECT id, NULL, 3, source, words FROM worded WHERE label = 'license';
INSERT INTO use SELECT id, use, CASE WHEN max(stand = 1) AND max(stand = 2) THEN 0 END, NULL, NULL
  FROM use WHERE use IS NOT NULL GROUP BY id, use HAVING max(stand = 1) AND max(stand = 2);
INSERT INTO use SELECT id, use, min(stand), NULL, NULL FROM use WHERE use IS NOT NULL AND stand > 0 GROUP BY id, use;

CREATE TEMP TABLE step(of TEXT, n INTEGER, name TEXT, low INTEGER, pages INTEGER DEFAULT 0, PRIMARY KEY(of, n)) WITHOUT ROWID;
INSERT INTO step(of, n, name, low) VALUES
  ('time', 0, 'under 10 ms', 0), ('time', 1, '10 to 30 ms', 10), ('time', 2, '30 to 100 ms', 30),
  ('time', 3, '100 to 300 ms', 100), ('time', 4, '300 ms to 1 s', 300), ('time', 5, '1 to 3 s', 1000),
  ('time', 6, '3 to 10 s', 3000), ('time', 7, '10 s and more', 10000),
  ('size', 0, 'under 1 KiB', 0), ('size', 1, '1 to 4 KiB', 1024), ('size', 2, '4 to 16 KiB', 4096),
  ('size', 3, '16 to 64 KiB', 16384), ('size', 4, '64 to 256 KiB', 65536), ('size', 5, '256 KiB to 1 MiB', 262144),
  ('size', 6, '1 to 4 MiB', 1048576), ('size', 7, '4 MiB and more', 4194304),
  ('depth', 0, '0', 0), ('depth', 1, '1', 1), ('depth', 2, '2', 2), ('depth', 3, '3', 3), ('depth', 4, '4', 4),
  ('depth', 5, '5', 5), ('depth', 6, '6', 6), ('depth', 7, '7', 7), ('depth', 8, '8', 8), ('depth', 9, '9', 9),
  ('depth', 10, '10 and more', 10);
UPDATE step SET pages = counts.pages FROM (
    SELECT of, (SELECT max(n) FROM step WHERE step.of = found.of AND low <= found.value) AS n,
      sum(pages) AS pages
    FROM (SELECT 'time' AS of, elapsed_ms AS value, count(*) AS pages FROM page WHERE kind = 0 AND status GROUP BY 2
      UNION ALL SELECT 'size', bytes, count(*) FROM page WHERE kind = 0 AND status BETWEEN 200 AND 299 GROUP BY 2
      UNION ALL SELECT 'depth', depth, count(*) FROM page WHERE kind = 0 GROUP BY 2) found
    GROUP BY 1, 2) counts
  WHERE counts.of = step.of AND counts.n = step.n;
DELETE FROM step WHERE n > (SELECT coalesce(max(n), 0) FROM step last WHERE last.of = step.of AND last.pages);
