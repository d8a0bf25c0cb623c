-- When everything is read: what several tables of the report need.
CREATE INDEX link_target ON link(target);
UPDATE host SET links = counts.n
  FROM (SELECT host, sum(n) AS n FROM page JOIN counted USING(id) WHERE kind < 3 GROUP BY host) counts
  WHERE counts.host = host.id;

-- Redirects: pages in loops, with the first page of theirs; then the hops of chains and loops. A chain begins with a
-- redirect that no other redirect leads to, and ends where one comes to a loop; loops of more than 50 are chains.
UPDATE page SET target = find((SELECT redirect FROM words WHERE words.id = page.id)) WHERE kind = 0 AND redirects;
CREATE INDEX page_target ON page(target) WHERE target IS NOT NULL;
CREATE TABLE loop(id INTEGER PRIMARY KEY, begin INTEGER);
INSERT INTO loop
  WITH RECURSIVE walk(id, at, hops) AS (
    SELECT id, target, 1 FROM page WHERE target IS NOT NULL AND id IN (SELECT target FROM page WHERE target IS NOT NULL)
    UNION ALL SELECT walk.id, page.target, hops + 1 FROM walk JOIN page ON page.id = walk.at
      WHERE walk.at <> walk.id AND page.target IS NOT NULL AND hops < 50)
  SELECT id, min(at) FROM walk GROUP BY id HAVING sum(at = id) > 0;
CREATE TABLE hop(begin INTEGER, n INTEGER, id INTEGER, url TEXT, PRIMARY KEY(begin, n)) WITHOUT ROWID;
INSERT INTO hop
  WITH RECURSIVE walk(begin, n, id, looped) AS (
    SELECT id, 0, id, 0 FROM page WHERE kind = 0 AND redirects AND id NOT IN (SELECT id FROM loop)
      AND NOT EXISTS (SELECT 1 FROM page other WHERE other.target = page.id AND other.id <> page.id)
    UNION ALL SELECT begin, begin_n, begin, 1 FROM (SELECT DISTINCT begin, 0 AS begin_n FROM loop)
    UNION ALL SELECT walk.begin, n + 1, page.target, looped FROM walk JOIN page ON page.id = walk.id
      WHERE page.target IS NOT NULL AND n < 50
      AND CASE WHEN looped THEN n = 0 OR walk.id <> walk.begin ELSE walk.id NOT IN (SELECT id FROM loop) END)
  SELECT walk.begin, walk.n, walk.id, words.url FROM walk JOIN words ON words.id = walk.id;
INSERT INTO hop SELECT hop.begin, max(hop.n) + 1, NULL, p.redirect FROM hop JOIN p ON p.id = hop.id
  WHERE p.target IS NULL AND p.redirects AND hop.n < 50 GROUP BY hop.begin;
CREATE TABLE chain(begin INTEGER PRIMARY KEY, hops INTEGER, is_loop INTEGER, number INTEGER);
INSERT INTO chain SELECT begin, max(n), begin IN (SELECT id FROM loop), 0 FROM hop GROUP BY begin
  HAVING max(n) > 1 OR begin IN (SELECT id FROM loop);
UPDATE chain SET number = numbers.n
  FROM (SELECT begin, row_number() OVER (PARTITION BY is_loop ORDER BY words.url) AS n
        FROM chain JOIN words ON words.id = begin) numbers
  WHERE numbers.begin = chain.begin;

-- Pages that have something in common, of which no other group has any: same bodies, and then same titles of the others.
CREATE TABLE grouped(what TEXT, hash INTEGER, n INTEGER, id INTEGER, pages INTEGER, PRIMARY KEY(what, hash, n)) WITHOUT ROWID;
INSERT INTO grouped SELECT 'digest', digest_hash, row_number() OVER same, id, 0 FROM p WHERE kind = 0 AND digest_hash IN
  (SELECT digest_hash FROM page WHERE kind = 0 AND digest_hash <> 0 GROUP BY digest_hash HAVING count(*) > 1)
  WINDOW same AS (PARTITION BY digest_hash ORDER BY url);
CREATE TABLE copy(id INTEGER PRIMARY KEY);
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
  (SELECT id FROM words WHERE names IS NOT NULL AND coalesce(find(names), 0) <> id);

CREATE TABLE translation(page INTEGER, n INTEGER, language TEXT, url TEXT, named INTEGER, PRIMARY KEY(page, n)) WITHOUT ROWID;
INSERT INTO translation SELECT words.id, each.key, each.value ->> 'lang', each.value ->> 'url', find(each.value ->> 'url')
  FROM words JOIN page USING(id), json_each(words.translations) each
  WHERE words.translations IS NOT NULL AND json_valid(words.translations) AND kind = 0 AND each.type = 'object'
  AND coalesce(each.value ->> 'url', '') <> '';

-- The uses that statements refuse (1) and grant (2), and licences (3), which are of no use.
CREATE TABLE use(id INTEGER, use INTEGER, stand INTEGER, source TEXT, statement TEXT);
INSERT INTO use
  WITH statement AS (SELECT words.id, each.value AS said, each.value ->> 'source' AS source,
      each.value ->> 'label' AS label, coalesce(each.value ->> 'value', '') AS value
    FROM words JOIN page USING(id), json_each(words.preferences) each
    WHERE words.preferences IS NOT NULL AND json_valid(words.preferences) AND kind = 0 AND each.type = 'object'
    AND coalesce(json_type(each.value, '$.ignored'), '') <> 'text'),
  worded AS (SELECT *, CASE WHEN label = 'license' THEN value WHEN value = '' THEN label ELSE label || '=' || value END
    AS words FROM statement)
  SELECT worded.id, use_number(u.value), 1, source, words FROM worded, json_each(said, '$.refuses') u
  UNION ALL SELECT worded.id, use_number(u.value), 2, source, words FROM worded, json_each(said, '$.grants') u
  UNION ALL SELECT id, NULL, 3, source, words FROM worded WHERE label = 'license';
INSERT INTO use SELECT id, use, CASE WHEN max(stand = 1) AND max(stand = 2) THEN 0 END, NULL, NULL
  FROM use WHERE use IS NOT NULL GROUP BY id, use HAVING max(stand = 1) AND max(stand = 2);
INSERT INTO use SELECT id, use, min(stand), NULL, NULL FROM use WHERE use IS NOT NULL AND stand > 0 GROUP BY id, use;

CREATE TABLE step(of TEXT, n INTEGER, name TEXT, low INTEGER, pages INTEGER DEFAULT 0, PRIMARY KEY(of, n)) WITHOUT ROWID;
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
    SELECT 'time' AS of, (SELECT max(n) FROM step WHERE of = 'time' AND low <= elapsed_ms) AS n, count(*) AS pages
      FROM page WHERE kind = 0 AND status GROUP BY 2
    UNION ALL SELECT 'size', (SELECT max(n) FROM step WHERE of = 'size' AND low <= bytes), count(*)
      FROM page WHERE kind = 0 AND status BETWEEN 200 AND 299 GROUP BY 2
    UNION ALL SELECT 'depth', min(depth, 10), count(*) FROM page WHERE kind = 0 GROUP BY 2) counts
  WHERE counts.of = step.of AND counts.n = step.n;
DELETE FROM step WHERE n > (SELECT coalesce(max(n), 0) FROM step last WHERE last.of = step.of AND last.pages);
