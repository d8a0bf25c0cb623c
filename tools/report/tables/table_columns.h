/* Columns that many tables have, and long SQL. p is a page, l a link to it, g a group, c a chain. */
#pragma once

/* The pages with links to p, each once, with the words of its first link. Without links, the page on which p was first
 * found. */
#define CW_SURVEY_SQL_HELD                                                                                      \
    "CASE WHEN EXISTS (SELECT 1 FROM link WHERE target = p.id) THEN (SELECT json_insert(json_group_array("      \
    "json_array(source, coalesce(text, tag), text IS NOT NULL, n)), '$[#]', "                                   \
    "(SELECT count(*) FROM link WHERE target = p.id) - sum(n)) FROM (SELECT source, text, tag, count(*) AS n, " \
    "min(rowid) FROM link WHERE target = p.id GROUP BY source ORDER BY min(rowid) LIMIT 10)) "                  \
    "WHEN p.parent IS NOT NULL THEN json_array(json_array(p.parent)) ELSE '[]' END"
#define CW_SURVEY_SQL_HOPS                                                                                         \
    "(SELECT json_group_array(json_array(url, status)) FROM (SELECT hop.url, iif(page.status, page.status, NULL) " \
    "AS status FROM hop LEFT JOIN page USING(id) WHERE hop.begin = c.begin ORDER BY n))"
#define CW_SURVEY_SQL_END                                                                                          \
    "(SELECT CASE WHEN e.id IN (SELECT id FROM loop) THEN 'A loop' WHEN e.id IS NULL THEN 'Not asked for' "        \
    "WHEN page.redirects THEN 'Further redirects' ELSE answer(page.rank) END FROM hop e LEFT JOIN page USING(id) " \
    "WHERE e.begin = c.begin ORDER BY n DESC LIMIT 1)"
/* Why a named page does not count as a translation. An x-default page may redirect by the visitor's language. If
 * several languages name a page, as x-default may, the first one counts. */
#define CW_SURVEY_SQL_TRANSLATIONS                                                                                   \
    "(SELECT t.*, CASE WHEN q.redirects THEN iif(lower(t.language) = 'x-default', NULL, 'it redirects') "            \
    "WHEN q.html IS NULL THEN 'it is broken' "                                                                       \
    "WHEN NOT EXISTS (SELECT 1 FROM translation b WHERE b.page = q.id) THEN 'it names no translation' "              \
    "WHEN NOT EXISTS (SELECT 1 FROM translation b WHERE b.page = q.id AND b.named = t.page) THEN 'it names others' " \
    "END AS why FROM translation t JOIN page q ON q.id = t.named WHERE t.named <> t.page AND q.told "                \
    "AND NOT EXISTS (SELECT 1 FROM translation e WHERE e.page = t.page AND e.n < t.n AND e.url = t.url)) t "         \
    "JOIN p ON p.id = t.page WHERE p.html AND why IS NOT NULL"
/* The first URLs of the group that g stands for, in order. */
#define CW_SURVEY_SQL_MEMBERS                                                                                   \
    "(SELECT json_insert(json_group_array(json_array(url)), '$[#]', g.pages - count(*)) FROM (SELECT url FROM " \
    "grouped JOIN p USING(id) WHERE what = g.what AND hash = g.hash ORDER BY n LIMIT 10))"
/* The first pages that lack the header that g stands for. */
#define CW_SURVEY_SQL_UNGUARDED                                                                                 \
    "(SELECT json_insert(json_group_array(json_array(url)), '$[#]', g.pages - count(*)) FROM (SELECT url FROM " \
    "unguarded JOIN p USING(id) WHERE header = g.header ORDER BY url LIMIT 10))"

#define CW_SURVEY_COLUMN_HELD                                                                 \
    {                                                                                         \
        .name = "Held by", .kind = CW_CELL_LIST, .sql = CW_SURVEY_SQL_HELD, .things = "links" \
    }
#define CW_SURVEY_COLUMN_ERROR                                  \
    {                                                           \
        .name = "Error", .kind = CW_CELL_TEXT, .sql = "p.error" \
    }
#define CW_SURVEY_COLUMN_DETAIL                                   \
    {                                                             \
        .name = "Detail", .kind = CW_CELL_TEXT, .sql = "p.detail" \
    }
/* Why nothing is known of p: a URL without a request has no detail. */
#define CW_SURVEY_COLUMN_REASON                                                                      \
    {                                                                                                \
        .name = "Detail", .kind = CW_CELL_TEXT, .sql = "iif(p.kind = 2, cut_words(p.cut), p.detail)" \
    }
#define CW_SURVEY_COLUMN_PAGE                                                      \
    {                                                                              \
        .name = "Page", .kind = CW_CELL_URL, .sql = "coalesce(l.source, p.parent)" \
    }
#define CW_SURVEY_COLUMN_TEXT                                 \
    {                                                         \
        .name = "Text", .kind = CW_CELL_TEXT, .sql = "l.text" \
    }
#define CW_SURVEY_COLUMN_ELEMENT                                \
    {                                                           \
        .name = "Element", .kind = CW_CELL_TEXT, .sql = "l.tag" \
    }
#define CW_SURVEY_COLUMN_URL                                                                     \
    {                                                                                            \
        .name = "URL", .kind = CW_CELL_URL, .sql = "iif(p.kind = 3, CAST(p.url AS BLOB), p.url)" \
    }
#define CW_SURVEY_COLUMN_STATUS                                                           \
    {                                                                                     \
        .name = "Status", .kind = CW_CELL_TEXT, .sql = "iif(p.status, p.status, p.error)" \
    }
#define CW_SURVEY_COLUMN_NUMBER                                   \
    {                                                             \
        .name = "Status", .kind = CW_CELL_TEXT, .sql = "p.status" \
    }
#define CW_SURVEY_COLUMN_TITLE                                  \
    {                                                           \
        .name = "Title", .kind = CW_CELL_TEXT, .sql = "p.title" \
    }
#define CW_SURVEY_COLUMN_TYPE                                 \
    {                                                         \
        .name = "Type", .kind = CW_CELL_TEXT, .sql = "p.type" \
    }
#define CW_SURVEY_COLUMN_SIZE                                                                   \
    {                                                                                           \
        .name = "Size", .kind = CW_CELL_BYTES, .sql = "iif(p.status OR p.bytes, p.bytes, NULL)" \
    }
#define CW_SURVEY_COLUMN_TIME                                                                          \
    {                                                                                                  \
        .name = "Time", .kind = CW_CELL_MS, .sql = "iif(p.status OR p.elapsed_ms, p.elapsed_ms, NULL)" \
    }
#define CW_SURVEY_COLUMN_LINKS                                                                 \
    {                                                                                          \
        .name = "Links to it", .kind = CW_CELL_COUNT, .sql = "iif(:has_links, p.linked, NULL)" \
    }
#define CW_SURVEY_COLUMN_FOUND                                     \
    {                                                              \
        .name = "Found on", .kind = CW_CELL_URL, .sql = "p.parent" \
    }
#define CW_SURVEY_COLUMN_DEPTH                                   \
    {                                                            \
        .name = "Depth", .kind = CW_CELL_COUNT, .sql = "p.depth" \
    }
#define CW_SURVEY_COLUMN_ANSWER                                        \
    {                                                                  \
        .name = "Cause", .kind = CW_CELL_TEXT, .sql = "answer(p.rank)" \
    }
#define CW_SURVEY_COLUMNS_OF_BROKEN                                                                 \
    CW_SURVEY_COLUMN_ANSWER, CW_SURVEY_COLUMN_URL, CW_SURVEY_COLUMN_NUMBER, CW_SURVEY_COLUMN_ERROR, \
        CW_SURVEY_COLUMN_DETAIL, CW_SURVEY_COLUMN_PAGE, CW_SURVEY_COLUMN_TEXT, CW_SURVEY_COLUMN_ELEMENT
#define CW_SURVEY_COLUMN_PAGES(counted)                        \
    {                                                          \
        .name = "Pages", .kind = CW_CELL_COUNT, .sql = counted \
    }
