-- The pages of the results. LIMIT keeps SQLite from judging a page again for each column.
INSERT INTO OF_page(id, kind, state, rank, status, html, redirects, told, part, ids, noindex, nofollow, titled,
  described, headed, no_alt, bytes, elapsed_ms, depth, cut, host, type, digest_hash, title_hash, text_hash,
  description_hash)
SELECT id, kind, judged & 3, judged >> 2, status, nullif(html, 0), nullif(redirects, 0),
  nullif(html AND withheld IS NULL AND coalesce(data ->> '$.cut', 0) <> 1 OR redirects OR judged & 3 = 2, 0),
  nullif(requisite, 0), iif(ids_cut = 0, 1, NULL), nullif(instr(robots, ' noindex ') > 0, 0),
  nullif(instr(robots, ' nofollow ') > 0, 0), iif(title IS NOT NULL, 1, NULL),
  iif(description <> '', 1, NULL), iif(h1 IS NOT NULL, 1, NULL), coalesce(no_alt, 0), bytes,
  CAST(max(coalesce(elapsed_ms, 0), 0) AS INTEGER), max(coalesce(depth, 0), 0),
  iif(judged & 3 = 3 AND kind = 0, cut_of_answer(status, error), 0), OF_host_at(url), media_type(content_type),
  iif(status BETWEEN 200 AND 299 AND bytes > 0, hash(digest), 0), hash(title), hash(simhash), hash(description)
FROM (SELECT r.*, u.url, coalesce(r.external, 0) AS kind, r.redirect IS NOT NULL AS redirects,
  is_html(r.status, r.error, r.charset, r.verdict, r.content_type) AS html,
  judged(r.status, r.error, r.redirect IS NOT NULL, r.verdict, r.preferences) AS judged
  FROM (SELECT id, external, redirect, charset, verdict, content_type, preferences, withheld, data, requisite, ids_cut,
    ' ' || robots || ' ' AS robots, trimmed(title) AS title, description, h1, no_alt,
    max(coalesce(bytes, 0), 0) AS bytes, elapsed_ms, depth, digest, simhash, guessed,
    min(max(status, 0), 999) AS status, nullif(error, '') AS error FROM DB.pages LIMIT -1) r
  JOIN DB.urls u USING(id)
  WHERE coalesce(r.guessed, 0) = 0 OR r.status < 400 AND r.error IS NULL LIMIT -1);
INSERT OR IGNORE INTO OF_canonical SELECT r.canonical, page.kind, page.id FROM DB.pages r JOIN OF_page AS page USING(id)
  WHERE r.canonical <> r.id ORDER BY page.id;
