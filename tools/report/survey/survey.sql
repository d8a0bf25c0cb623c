-- A page is a method and a URL; of several records the latest counts. Numbers that questions are asked about stand in
-- page, texts that answers show in words, so that a question reads few bytes of each page.
CREATE TABLE SCHEMA.page(
  id INTEGER PRIMARY KEY, -- in the order in which they came
  kind INTEGER NOT NULL, -- 0 asked for; 1 a link out of the crawl, checked; 2 found and not asked for; 3 a link that is
                         -- no URL; 4 a URL with the name of a place that its page does not have
  hash INTEGER NOT NULL, hash2 INTEGER NOT NULL, -- of its URL, or of method and URL
  state INTEGER NOT NULL DEFAULT 3, -- cw_survey_state
  rank INTEGER NOT NULL DEFAULT 0, -- cw_survey_rank
  status INTEGER NOT NULL DEFAULT 0,
  html INTEGER, redirects INTEGER, told INTEGER, part INTEGER, ids INTEGER, -- booleans
  noindex INTEGER, nofollow INTEGER, titled INTEGER, described INTEGER, headed INTEGER,
  elsewhere INTEGER, in_sitemap INTEGER,
  no_alt INTEGER, bytes INTEGER, elapsed_ms INTEGER, depth INTEGER,
  fetched INTEGER, -- 20261122192410123
  cut INTEGER NOT NULL DEFAULT 0, -- cw_survey_cut
  host INTEGER, type TEXT,
  digest_hash INTEGER, title_hash INTEGER, text_hash INTEGER, description_hash INTEGER,
  target INTEGER, -- of its redirect
  was INTEGER); -- the page of the earlier crawl
CREATE TABLE SCHEMA.words(id INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT, error TEXT, detail TEXT, redirect TEXT,
  parent TEXT, digest TEXT, near TEXT, wall TEXT, names TEXT, image TEXT, description TEXT,
  translations TEXT, preferences TEXT); -- arrays of JSON
CREATE TABLE SCHEMA.canonical(hash INTEGER, hash2 INTEGER, kind INTEGER, id INTEGER,
  PRIMARY KEY(hash, hash2, kind)) WITHOUT ROWID;
CREATE TABLE SCHEMA.ids(page INTEGER, hash INTEGER, PRIMARY KEY(page, hash)) WITHOUT ROWID;
CREATE TABLE SCHEMA.host(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, pages INTEGER DEFAULT 0,
  links INTEGER DEFAULT 0, requests INTEGER DEFAULT 0, retries INTEGER DEFAULT 0, robots INTEGER, listed INTEGER);
CREATE TABLE SCHEMA.sitemap(url TEXT PRIMARY KEY) WITHOUT ROWID;
-- How many links lead to a page, and each of them where it is broken or redirects.
CREATE TABLE SCHEMA.counted(id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
CREATE TABLE SCHEMA.link(target INTEGER NOT NULL, source TEXT NOT NULL, text TEXT, tag TEXT);
CREATE INDEX SCHEMA.page_key ON page(hash, hash2, kind);
CREATE VIEW SCHEMA.p AS SELECT page.*, words.url, words.title, words.error, words.detail, words.redirect, words.parent,
  words.digest, words.near, words.wall, words.names, words.image, words.description, coalesce(counted.n, 0) AS linked
  FROM page LEFT JOIN words ON words.id = page.id LEFT JOIN counted ON counted.id = page.id;
