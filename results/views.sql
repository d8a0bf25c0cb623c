-- Common questions about a crawl, one view each, with URLs as text. The comment before a view is one line, which
-- `crawl query --tables` prints.

-- all columns of pages, with the URL, its host and its folder
CREATE VIEW page AS SELECT u.url,
  CASE WHEN instr(url, '://') THEN substr(url, instr(url, '://') + 3,
    instr(substr(url, instr(url, '://') + 3) || '/', '/') - 1) END AS host,
  rtrim(substr(url, 1, instr(url || '?', '?') - 1), replace(substr(url, 1, instr(url || '?', '?') - 1), '/', ''))
    AS folder, p.* FROM pages p JOIN urls u USING (id);

-- each link, with the page that a request for its target returns
CREATE VIEW link AS SELECT f.url AS source, t.url || CASE WHEN l.fragment <> '' THEN '#' || l.fragment ELSE '' END AS target,
  l.text, l.tag, l.attr, l.rel, l.nofollow, l.verdict, l.fragment, l.fragment_decoded, l.page AS source_id,
  coalesce(t.page, t.id) AS target_id
  FROM links l JOIN urls f ON f.id = l.page JOIN urls t ON t.id = l.target;

-- HTML pages of the crawl, fetched without an error
CREATE VIEW html_page AS SELECT * FROM page WHERE html AND status = 200 AND error IS NULL AND verdict IS NULL
  AND external IS NULL AND requisite IS NULL;

-- links whose target is missing or fails, or is not a URL
CREATE VIEW broken_links AS WITH RECURSIVE step(id, next) AS MATERIALIZED (
  SELECT p.id, coalesce(u.page, u.id) FROM pages p JOIN urls u ON u.id = p.redirect),
  way(id, ends) AS (SELECT id, id FROM pages WHERE broken -- or redirects to it
  UNION SELECT step.id, ends FROM way JOIN step ON step.next = way.id)
  SELECT DISTINCT p.url AS target, coalesce(p.error, p.status) AS cause, p.detail, l.source, l.text,
  coalesce(p.external, 0) AS external FROM page p LEFT JOIN (SELECT ends, source, text FROM way
  JOIN link ON link.target_id = way.id AND link.tag <> 'redirect') l ON l.ends = p.id WHERE p.broken
  UNION ALL SELECT DISTINCT target, 'no-url', NULL, source, text, 0 FROM link WHERE verdict = 'no-url';

-- links with a fragment that their target does not have; needs --check-fragments and --links
CREATE VIEW broken_fragments AS SELECT DISTINCT l.target, l.source, l.text FROM link l JOIN pages p ON p.id = l.target_id
  WHERE l.fragment <> '' AND lower(coalesce(l.fragment_decoded, l.fragment)) <> 'top' AND l.fragment NOT GLOB '[/!]*'
  AND p.html AND p.status = 200 AND p.ids_cut = 0 AND NOT EXISTS (SELECT 1 FROM ids WHERE page = p.id AND id IN (l.fragment, l.fragment_decoded));

-- redirects, with each page that links to them and the text of the link
CREATE VIEW redirects AS SELECT DISTINCT p.url, p.status, r.url AS target, l.source, l.text FROM page p
  JOIN urls r ON r.id = p.redirect LEFT JOIN link l ON l.target_id = p.id AND l.tag <> 'redirect';

-- chains of redirects: the first URL, the number of hops, and the end
CREATE VIEW redirect_chains AS WITH RECURSIVE step(id, next) AS NOT MATERIALIZED (
  SELECT p.id, coalesce(u.page, u.id) FROM pages p JOIN urls u ON u.id = p.redirect),
  hop(first, at, n, path) AS (
  SELECT id, next, 1, '/' || id || '/' FROM step WHERE id NOT IN (SELECT next FROM step)
  UNION ALL SELECT first, next, n + 1, path || at || '/' FROM hop JOIN step ON step.id = at
  WHERE n < 50 AND instr(path, '/' || at || '/') = 0)
  SELECT a.url, max(n) AS hops, z.url AS ends, p.status FROM hop JOIN urls a ON a.id = first JOIN urls z ON z.id = at
  LEFT JOIN pages p ON p.id = at GROUP BY first HAVING max(n) >= 2;

-- redirects that lead back to themselves
CREATE VIEW redirect_loops AS WITH RECURSIVE step(id, next) AS NOT MATERIALIZED (
  SELECT p.id, coalesce(u.page, u.id) FROM pages p JOIN urls u ON u.id = p.redirect),
  hop(first, at, n) AS (SELECT id, next, 1 FROM step
  UNION ALL SELECT first, next, n + 1 FROM hop JOIN step ON step.id = at WHERE at <> first AND n < 50)
  SELECT u.url, min(n) AS hops FROM hop JOIN urls u ON u.id = first WHERE first = at GROUP BY first;

-- pages that name another page as canonical; needs --data
CREATE VIEW canonical_elsewhere AS SELECT p.url, p.rel_canonical FROM html_page p LEFT JOIN urls c ON c.id = p.canonical
  LEFT JOIN urls r ON r.url = p.rel_canonical
  WHERE p.rel_canonical NOT IN (p.url, coalesce(c.url, p.url)) AND coalesce(r.page, r.id, 0) <> p.id;

-- canonicals that lead back to themselves through other pages; needs --data
CREATE VIEW canonical_loops AS WITH RECURSIVE hop(first, at, n) AS (
  SELECT url, rel_canonical, 1 FROM canonical_elsewhere
  UNION ALL SELECT first, c.rel_canonical, n + 1 FROM hop JOIN canonical_elsewhere c ON c.url = at
  WHERE at <> first AND n < 20)
  SELECT first AS url, min(n) AS hops FROM hop WHERE first = at GROUP BY first;

-- canonicals that are broken, that redirect, or that must not be indexed; needs --data
CREATE VIEW canonical_faults AS SELECT p.url, p.rel_canonical, coalesce(c.error, c.status) AS cause FROM html_page p
  JOIN page c ON c.url = p.rel_canonical
  WHERE c.broken OR c.redirect IS NOT NULL OR ' ' || coalesce(c.robots, '') || ' ' LIKE '% noindex %';

-- translations that do not name the page in return; needs --data
CREATE VIEW hreflang_without_return AS SELECT f.url, h.lang, t.url AS target FROM hreflang h
  JOIN urls f ON f.id = h.page JOIN urls t ON t.id = h.target JOIN pages p ON p.id = coalesce(t.page, t.id)
  WHERE p.html AND p.status = 200 AND p.external IS NULL -- of an external page only the status is known
  AND p.id <> h.page AND NOT EXISTS (SELECT 1 FROM hreflang b
  JOIN urls u ON u.id = b.target WHERE b.page = p.id AND coalesce(u.page, u.id) = h.page);

-- titles that several pages share
CREATE VIEW duplicate_titles AS SELECT p.title, n, p.url FROM html_page p JOIN (SELECT title, count(*) AS n
  FROM html_page WHERE title <> '' GROUP BY title HAVING count(*) > 1) USING (title) ORDER BY n DESC, title, url;

-- descriptions that several pages share; needs --data
CREATE VIEW duplicate_descriptions AS SELECT p.description, n, p.url FROM html_page p JOIN (SELECT description,
  count(*) AS n FROM html_page WHERE description <> '' GROUP BY description HAVING count(*) > 1) USING (description)
  ORDER BY n DESC, description, url;

-- pages with the same bytes
CREATE VIEW duplicates AS SELECT digest, n, url FROM html_page JOIN (SELECT digest, count(*) AS n FROM html_page
  WHERE digest IS NOT NULL AND bytes > 0 GROUP BY digest HAVING count(*) > 1) USING (digest)
  ORDER BY n DESC, digest, url;

-- pages with nearly the same text as another; needs --dedupe near
CREATE VIEW near_duplicates AS SELECT p.url, u.url AS near_duplicate_of, p.distance FROM page p
  JOIN urls u ON u.id = p.near_duplicate_of;

-- lengths of titles and descriptions in characters, the longest first
CREATE VIEW title_lengths AS SELECT url, length(title) AS title_length, length(description) AS description_length,
  title FROM html_page ORDER BY 2 DESC;

-- pages without a title
CREATE VIEW untitled AS SELECT url FROM html_page WHERE trim(coalesce(title, ''), ' ' || char(160)) = '';

-- pages without a description; needs --data
CREATE VIEW undescribed AS SELECT url FROM html_page WHERE coalesce(description, '') = '' AND withheld IS NULL
  AND EXISTS (SELECT 1 FROM pages WHERE data IS NOT NULL); -- a page that says nothing of itself has no data

-- pages without an h1; needs --data
CREATE VIEW no_heading AS SELECT url FROM html_page WHERE h1 IS NULL AND withheld IS NULL
  AND EXISTS (SELECT 1 FROM pages WHERE data IS NOT NULL);

-- pages with images without alt; needs --data
CREATE VIEW no_alt_images AS SELECT url, no_alt, data ->> '$.no_alt[0]' AS first FROM html_page WHERE no_alt > 0
  ORDER BY 2 DESC;

-- pages of fewer than 200 words; needs --text; without spaces between words, two characters count as one
CREATE VIEW thin_pages AS SELECT url, CASE WHEN length(text) > 20 * n THEN length(text) / 2 ELSE n END AS words
  FROM (SELECT *, length(text) - length(replace(text, ' ', '')) + (text <> '') AS n FROM (
  SELECT url, trim(replace(replace(coalesce(text, ''), char(10), ' '), '  ', ' ')) AS text FROM html_page
  WHERE withheld IS NULL AND text_cut IS NULL AND coalesce(length(text), 0) < 4000 -- more is 200 words by either measure
  AND EXISTS (SELECT 1 FROM pages WHERE text IS NOT NULL)))
  WHERE CASE WHEN length(text) > 20 * n THEN length(text) / 2 ELSE n END < 200 ORDER BY words;

-- parts and forms of https pages that use http; needs --requisites and --links
CREATE VIEW mixed_content AS SELECT DISTINCT f.url AS source, t.url AS target, l.tag, l.attr FROM links l
  CROSS JOIN urls f ON f.id = l.page CROSS JOIN urls t ON t.id = l.target
  WHERE l.tag <> 'a' AND (l.requisite OR l.tag IN ('img', 'script', 'frame', 'iframe', 'audio', 'video', 'source',
  'track', 'embed', 'object', 'form') OR l.tag = 'link' AND ' ' || l.rel || ' ' LIKE '% stylesheet %')
  AND f.url LIKE 'https:%' AND t.url LIKE 'http:%';

-- the security headers that each page has; needs --answer-headers with their names
CREATE VIEW security_headers AS WITH sent AS NOT MATERIALIZED (SELECT * FROM headers WHERE value IS NOT NULL)
  SELECT p.url,
  EXISTS (SELECT 1 FROM sent WHERE page = p.id AND name = 'strict-transport-security') AS strict_transport_security,
  EXISTS (SELECT 1 FROM sent WHERE page = p.id AND name = 'content-security-policy') AS content_security_policy,
  EXISTS (SELECT 1 FROM sent WHERE page = p.id AND name = 'x-content-type-options') AS x_content_type_options,
  EXISTS (SELECT 1 FROM sent WHERE page = p.id AND (name = 'x-frame-options' OR name = 'content-security-policy'
    AND value LIKE '%frame-ancestors%')) AS x_frame_options, -- the directive that replaces it
  EXISTS (SELECT 1 FROM sent WHERE page = p.id AND name = 'referrer-policy') AS referrer_policy FROM html_page p;

-- bytes of each page and of its parts, including their own parts; needs --requisites and --links
CREATE VIEW page_weight AS WITH RECURSIVE need(page, part) AS MATERIALIZED (
  SELECT DISTINCT l.page, coalesce(t.page, t.id) FROM links l JOIN urls t ON t.id = l.target
  -- of the candidates of srcset a browser loads one, about as large as src
  WHERE l.tag IN ('iframe', 'frame') OR l.requisite AND l.attr NOT LIKE '%srcset'
  UNION SELECT p.id, coalesce(t.page, t.id) FROM pages p JOIN urls t ON t.id = p.redirect),
  whole(page, part) AS (SELECT page, part FROM need
  UNION SELECT w.page, n.part FROM whole w JOIN need n ON n.page = w.part)
  SELECT p.url, p.bytes, count(r.id) AS parts, coalesce(sum(r.bytes), 0) AS part_bytes,
  p.bytes + coalesce(sum(r.bytes), 0) AS all_bytes FROM html_page p LEFT JOIN whole w ON w.page = p.id
  LEFT JOIN pages r ON r.id = w.part AND r.id <> p.id GROUP BY p.id ORDER BY all_bytes DESC;

-- pages by the time of their answer, the slowest first
CREATE VIEW slow_pages AS SELECT url, elapsed_ms FROM page WHERE elapsed_ms IS NOT NULL ORDER BY elapsed_ms DESC;

-- pages that sitemaps name and no other page links to, but for seeds; needs --sitemap FILE of crawl query, and --links
CREATE VIEW orphans AS SELECT u.url FROM sitemap s JOIN urls u ON u.id = s.target
  LEFT JOIN pages p ON p.id = coalesce(u.page, u.id) WHERE (p.parent IS NOT NULL OR NOT coalesce(p.status, 0))
  AND NOT EXISTS (SELECT 1 FROM links l JOIN urls t ON t.id = l.target
  WHERE coalesce(t.page, t.id) = coalesce(u.page, u.id) AND l.page <> coalesce(u.page, u.id));

-- URLs in sitemaps that fail, redirect, must not be indexed, or name another canonical; needs --sitemap FILE of crawl query
CREATE VIEW sitemap_faults AS SELECT u.url, s.sitemap, CASE WHEN p.broken THEN coalesce(p.error, p.status)
  WHEN p.redirect IS NOT NULL THEN 'redirect' WHEN p.error = 'robots' THEN 'robots'
  WHEN ' ' || p.robots || ' ' LIKE '% noindex %' THEN 'noindex' ELSE 'canonical' END AS cause FROM sitemap s
  JOIN urls u ON u.id = s.target JOIN page p ON p.id = coalesce(u.page, u.id) LEFT JOIN urls c ON c.id = p.canonical
  LEFT JOIN urls r ON r.url = p.rel_canonical
  WHERE p.broken OR p.redirect IS NOT NULL OR p.error = 'robots' OR ' ' || p.robots || ' ' LIKE '% noindex %'
  OR (p.rel_canonical NOT IN (p.url, coalesce(c.url, p.url)) AND coalesce(r.page, r.id, 0) <> p.id);

-- pages that ask not to be indexed
CREATE VIEW noindex AS SELECT url, robots FROM page WHERE ' ' || robots || ' ' LIKE '% noindex %';

-- URLs that robots.txt forbids, with the rule and each page that links to them
CREATE VIEW blocked_by_robots AS SELECT DISTINCT p.url, p.detail, coalesce(p.requisite, 0) AS requisite, l.source, l.text
  FROM page p LEFT JOIN link l ON l.target_id = p.id WHERE p.error = 'robots';

-- pages behind walls, logins and challenges
CREATE VIEW walls AS SELECT url, status, verdict, wall, error FROM page WHERE verdict IS NOT NULL OR error = 'wall';

-- links that the crawl did not follow, by reason; needs --links
CREATE VIEW not_followed AS SELECT verdict, count(*) AS links FROM links
  WHERE verdict NOT IN ('new', 'seen', 'repeated') GROUP BY verdict ORDER BY 2 DESC;

-- each request with its URL, when it left and how long it took; needs --requests
CREATE VIEW request AS SELECT u.url, strftime('%Y-%m-%dT%H:%M:%fZ', r.start / 1000, 'unixepoch') AS sent_at,
  round("end" - start, 3) AS elapsed_ms, host, ip, kind, coalesce(method, 'GET') AS method, seq, attempt, status, error,
  pause, pause_by, hold_by FROM requests r JOIN urls u ON u.id = r.url ORDER BY r.start, r.request;

-- requests to each host: how many, when, and how they ended; needs --requests
CREATE VIEW host_requests AS SELECT host, count(*) AS requests, sum(kind = 'robots') AS robots,
  sum(attempt > 1) AS retries, sum(status / 100 = 2) AS s2xx, sum(status / 100 = 3) AS s3xx,
  sum(status / 100 = 4) AS s4xx, sum(status / 100 = 5) AS s5xx, sum(error IS NOT NULL) AS errors,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(start) / 1000, 'unixepoch') AS first,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(start) / 1000, 'unixepoch') AS last FROM requests WHERE sent
  GROUP BY host ORDER BY 2 DESC;

-- number of pages by status or error
CREATE VIEW statuses AS SELECT coalesce(error, status) AS status, count(*) AS pages FROM pages GROUP BY 1 ORDER BY 2 DESC;

-- pages and bytes of each host
CREATE VIEW hosts AS SELECT host, count(*) AS pages, sum(bytes) AS bytes, sum(broken) AS broken FROM page
  GROUP BY host ORDER BY 2 DESC;
