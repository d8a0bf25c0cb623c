-- The schema of results: a crawl's records and links in tables. Columns have the names of the fields in
-- docs/records.md; where a line has a URL, the column has its number in urls. true is 1. An array of words is one text
-- with spaces between them; other arrays and objects are JSON. STRICT: each column holds its type or NULL.

-- The URLs of all other tables.
CREATE TABLE urls (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE, -- without its fragment; as written if it is not a URL; "POST https://..." for other methods
  canonical INTEGER REFERENCES urls(id), -- of a link's target; NULL: the URL itself
  page INTEGER -- the page that a request for it returns, under another URL; NULL: its own, or never requested
) STRICT;

-- The latest record of each URL and method.
CREATE TABLE pages (
  id INTEGER PRIMARY KEY REFERENCES urls(id),
  canonical INTEGER REFERENCES urls(id), fingerprint TEXT, method TEXT, status INTEGER NOT NULL, depth INTEGER,
  external INTEGER, requisite INTEGER, parent INTEGER REFERENCES urls(id), fetched_at TEXT, elapsed_ms REAL, ip TEXT,
  content_type TEXT, content_type_header TEXT, charset TEXT, bytes INTEGER, digest TEXT, title TEXT, links INTEGER,
  links_cut INTEGER, signed INTEGER, signed_by TEXT, new INTEGER, redirect INTEGER REFERENCES urls(id), error TEXT,
  detail TEXT, attempt INTEGER, robots TEXT, visit INTEGER NOT NULL, verdict TEXT, wall TEXT, changed INTEGER,
  ids_cut INTEGER, -- 0: ids has all; 1: only some; NULL: not collected
  body TEXT, duplicate_of INTEGER REFERENCES urls(id), near_duplicate_of INTEGER REFERENCES urls(id),
  distance INTEGER, simhash TEXT, missing TEXT, text_cut INTEGER, preferences TEXT, may TEXT, withheld TEXT,
  withheld_by TEXT, guessed INTEGER, rendered TEXT, render TEXT, preprocessed TEXT, fields TEXT, data TEXT,
  lang TEXT GENERATED ALWAYS AS (data ->> '$.lang') STORED,
  description TEXT GENERATED ALWAYS AS (data ->> '$.description') STORED,
  rel_canonical TEXT GENERATED ALWAYS AS (substr(data ->> '$.canonical', 1, instr((data ->> '$.canonical') || '#', '#')
    - 1)) STORED, -- without its fragment, as url
  h1 TEXT GENERATED ALWAYS AS (data ->> '$.h1[0]') STORED,
  no_alt INTEGER GENERATED ALWAYS AS (CASE WHEN data IS NOT NULL THEN coalesce(json_array_length(data, '$.no_alt'), 0)
    END) STORED,
  html INTEGER GENERATED ALWAYS AS (coalesce(content_type IN ('text/html', 'application/xhtml+xml'), 0)) VIRTUAL,
  broken INTEGER GENERATED ALWAYS AS (coalesce(guessed, 0) = 0 AND (status >= 400 AND status <> 429 AND
    coalesce(error, '') NOT IN ('wall', 'robots') AND verdict IS NULL OR coalesce(error, '') IN
    ('dns', 'connect', 'tls', 'timeout', 'reset', 'protocol', 'redirects', 'soft-404'))) VIRTUAL,
  text TEXT -- last, so that reads of other columns do not pass over it
) STRICT;

-- All records, including those in pages.
CREATE TABLE visits (
  page INTEGER NOT NULL REFERENCES urls(id), visit INTEGER NOT NULL, fetched_at TEXT NOT NULL, -- '': unknown
  status INTEGER NOT NULL, error TEXT, digest TEXT, changed INTEGER, PRIMARY KEY (page, visit, fetched_at)
) STRICT, WITHOUT ROWID;

-- Links of pages and headers, and redirects, in the order in which they were read.
CREATE TABLE links (
  id INTEGER PRIMARY KEY, page INTEGER NOT NULL REFERENCES urls(id), target INTEGER NOT NULL REFERENCES urls(id),
  fragment TEXT NOT NULL, -- of the target, without a fragment directive
  fragment_decoded TEXT, -- if it has escapes
  tag TEXT NOT NULL, attr TEXT NOT NULL, text TEXT NOT NULL, rel TEXT, nofollow INTEGER, depth INTEGER,
  requisite INTEGER, verdict TEXT, import INTEGER NOT NULL -- number of the file that has it
) STRICT;

-- Requests that left, including retries and those for robots.txt, from the lines of --requests. Times are milliseconds
-- since 1970. After a kill "end" and the columns after it may be NULL.
CREATE TABLE requests (
  start REAL NOT NULL, request INTEGER NOT NULL, url INTEGER NOT NULL REFERENCES urls(id), host TEXT, ip TEXT, kind TEXT,
  method TEXT, depth INTEGER, seq INTEGER, attempt INTEGER, conditional INTEGER, sent INTEGER, pause REAL, pause_by TEXT,
  "end" REAL, status INTEGER, error TEXT, retry_after REAL, hold_until REAL, hold_by TEXT, signed INTEGER,
  PRIMARY KEY (start, request, url)
) STRICT, WITHOUT ROWID;

-- The ids of elements and the names of <a>, which are the targets of fragments.
CREATE TABLE ids (
  page INTEGER NOT NULL REFERENCES urls(id), id TEXT NOT NULL, PRIMARY KEY (page, id)
) STRICT, WITHOUT ROWID;

-- Header fields of answers, as named by --answer-headers.
CREATE TABLE headers (
  page INTEGER NOT NULL REFERENCES urls(id), name TEXT NOT NULL, n INTEGER NOT NULL,
  value TEXT, -- NULL: the answer lacks the header
  PRIMARY KEY (page, name, n)
) STRICT, WITHOUT ROWID;

-- Translations that pages name.
CREATE TABLE hreflang (
  page INTEGER NOT NULL REFERENCES urls(id), lang TEXT NOT NULL, target INTEGER NOT NULL REFERENCES urls(id),
  PRIMARY KEY (page, lang, target)
) STRICT, WITHOUT ROWID;

-- URLs that sitemaps name, if any were read.
CREATE TABLE sitemap (
  target INTEGER PRIMARY KEY REFERENCES urls(id), sitemap TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE search USING fts5(title, description, text, content = 'pages', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2');
