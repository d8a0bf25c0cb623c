#include "tools/query/query_datasette.h"

#include "base/bytes.h"
#include "base/json/json_write.h"
#include "results/results.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/query/query_rows.h"

#include <stdio.h>

/* Facts about a table beyond its schema and the documents. */
typedef struct datasette_table {
    const char *name;
    const char *headings[2]; /* above its fields in docs/records.md; NULL: none */
    const char *more;        /* members of its object, each after a comma */
} datasette_table;

static const datasette_table datasette_tables[] = {
    {"urls", {NULL}, ",\"label_column\":\"url\""},
    {"pages", {"Records"}, ",\"label_column\":\"title\",\"facets\":[\"status\",\"content_type\"]"},
    {"visits", {"Records"}, ""},
    {"links", {"Links"}, ",\"facets\":[\"verdict\",\"tag\"]"},
    {"requests", {"`depart`", "`end` alone"}, ",\"facets\":[\"host\",\"status\",\"kind\"],\"sort\":\"start\""},
    {"ids", {NULL}, ""},
    {"headers", {NULL}, ",\"facets\":[\"name\"]"},
    {"hreflang", {NULL}, ",\"facets\":[\"lang\"]"},
    {"sitemap", {NULL}, ""},
};

/* Columns named differently from their fields. */
static const struct {
    const char *column, *field;
} datasette_renamed[] = {{"id", "url"}, {"page", "from"}, {"target", "to"}};

/* Questions with parameters; the views answer the others. */
static const struct {
    const char *name, *title, *sql;
} datasette_queries[] = {
    {"full_text", "Pages with these words",
     "SELECT u.url, p.title, snippet(search, -1, '[', ']', '...', 12) AS found FROM search JOIN pages p ON p.id = "
     "search.rowid JOIN urls u USING (id) WHERE search MATCH :words ORDER BY rank LIMIT 100"},
    {"links_to", "Pages that link to this URL",
     "SELECT source, text, verdict FROM link WHERE target_id = (SELECT coalesce(page, id) FROM urls WHERE url = :url)"},
    {"links_of", "Links of this URL",
     "SELECT target, text, tag, attr, rel, verdict FROM link WHERE source_id = (SELECT id FROM urls WHERE url = :url)"},
    {"requests_of_host", "Requests to this host, as https://example.com",
     "SELECT sent_at, url, kind, status, error, elapsed_ms FROM request WHERE host = :host"},
};

bool cw_query_next_made(crawl_slice *sql, crawl_slice *name, crawl_slice *comment)
{
    *comment = (crawl_slice){0};
    while (sql->size) {
        crawl_slice line = cw_cut(sql, '\n');
        if (cw_take_text(&line, "-- ")) {
            const char *begin = comment->size ? comment->data : line.data;
            *comment = crawl_slice_of(begin, (size_t)(line.data + line.size - begin));
        } else if (cw_take_text(&line, "CREATE TABLE ") || cw_take_text(&line, "CREATE VIEW ")) {
            *name = cw_take(&line, cw_find_char(line, ' '));
            return true;
        } else {
            *comment = (crawl_slice){0};
        }
    }
    return false;
}

/* ---- descriptions ---- */

/* Appends the words of a comment, without line ends and comment marks. */
static void datasette_put_comment(cw_writer *out, crawl_slice comment)
{
    for (bool is_first = true; comment.size; is_first = false) {
        crawl_slice line = cw_cut(&comment, '\n');
        (void)cw_take_text(&line, "-- ");
        cw_put_text(out, is_first ? "" : " ");
        cw_put(out, line);
    }
}

/* Takes a mark of Markdown: of code, an escape, or the bracket before the words of a link. */
static bool datasette_take_mark(crawl_slice *text)
{
    size_t end = cw_find_char(*text, ']');
    bool is_link = cw_starts_with(*text, "[") && cw_starts_with(cw_drop(*text, end), "](");
    bool is_mark = is_link || cw_starts_with(*text, "`") || cw_starts_with(*text, "\\");
    *text = cw_drop(*text, is_mark);
    return is_mark;
}

/* Appends text of a document without its marks; of a link, only the words. */
static void datasette_put_plain(cw_writer *out, crawl_slice text)
{
    while (text.size) {
        cw_put(out, cw_take(&text, cw_find_any(text, "`[]\\")));
        bool is_link = cw_take_text(&text, "](");
        if (is_link)
            (void)cw_cut(&text, ')');
        else if (text.size && !datasette_take_mark(&text))
            cw_put(out, cw_take(&text, 1));
    }
}

/* Returns the meaning of a field, from its first row below the headings of docs/records.md; empty: none. */
static crawl_slice datasette_meaning(const datasette_table *table, const char *field)
{
    crawl_slice rest = crawl_slice_from(cw_query_records);
    bool is_inside = false;
    while (rest.size) {
        crawl_slice line = cw_cut(&rest, '\n');
        if (cw_take_text(&line, "## ") || cw_take_text(&line, "### "))
            is_inside = cw_starts_with(line, table->headings[0]) ||
                        (table->headings[1] && cw_starts_with(line, table->headings[1]));
        else if (is_inside && cw_take_text(&line, "| `") && cw_take_text(&line, field) && cw_take_text(&line, "` | ")) {
            (void)cw_cut(&line, '|'); /* type */
            return cw_trim(cw_take(&line, cw_find_last(line, '|')));
        }
    }
    return (crawl_slice){0};
}

static crawl_slice datasette_meaning_of_column(const datasette_table *table, const char *column)
{
    crawl_slice meaning = datasette_meaning(table, column);
    for (size_t i = 0; !meaning.size && i < sizeof datasette_renamed / sizeof *datasette_renamed; i++)
        if (strcmp(column, datasette_renamed[i].column) == 0)
            meaning = datasette_meaning(table, datasette_renamed[i].field);
    return meaning;
}

/* Appends text as a JSON value, after `put` has made it plain. */
static void datasette_put_words(cw_writer *out, const char *before, crawl_slice text,
                                void (*put)(cw_writer *out, crawl_slice text))
{
    crawl_buf words = {0};
    cw_writer plain = {.out = &words};
    put(&plain, text);
    cw_json_text(out, before, crawl_buf_slice(&words));
    out->err = out->err ? out->err : plain.err;
    crawl_buf_free(&words);
}

/* Appends the descriptions of a table's columns. */
static void datasette_put_columns(cw_writer *out, sqlite3 *db, const datasette_table *table)
{
    sqlite3_stmt *columns = NULL;
    const char *between = "";
    cw_put_text(out, ",\"columns\":{");
    (void)sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_xinfo(?)", -1, &columns, NULL);
    sqlite3_bind_text(columns, 1, table->name, -1, SQLITE_STATIC);
    while (sqlite3_step(columns) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(columns, 0);
        crawl_slice meaning = name ? datasette_meaning_of_column(table, name) : (crawl_slice){0};
        if (!meaning.size)
            continue;
        cw_put_text(out, between);
        cw_json_put_text(out, crawl_slice_from(name));
        datasette_put_words(out, ":", meaning, datasette_put_plain);
        between = ",";
    }
    sqlite3_finalize(columns);
    cw_put_text(out, "}");
}

static void datasette_put_tables(cw_writer *out, sqlite3 *db)
{
    crawl_slice sql = crawl_slice_from(cw_results_schema), name, comment;
    while (cw_query_next_made(&sql, &name, &comment))
        for (size_t i = 0; i < sizeof datasette_tables / sizeof *datasette_tables; i++) {
            const datasette_table *table = &datasette_tables[i];
            if (!cw_is(name, table->name))
                continue;
            cw_put_format(out, "%s\n  \"%s\":{", i ? "," : "", table->name);
            datasette_put_words(out, "\"description\":", comment, datasette_put_comment);
            if (table->headings[0])
                datasette_put_columns(out, db, table);
            cw_put_text(out, table->more);
            cw_put_text(out, "}");
        }
}

/* Puts the views. A view without its data says what is missing, and is hidden. */
static void datasette_put_views(cw_writer *out, sqlite3 *db)
{
    crawl_slice sql = crawl_slice_from(cw_results_views), name, comment;
    while (cw_query_next_made(&sql, &name, &comment)) {
        char view[64];
        snprintf(view, sizeof view, "%.*s", (int)name.size, name.data);
        const char *lack = cw_query_lacks(db, view);
        cw_put_format(out, ",\n  \"%s\":{", view);
        datasette_put_words(out, "\"description\":", lack ? crawl_slice_from(lack) : comment, datasette_put_comment);
        cw_put_text(out, lack ? ",\"hidden\":true}" : "}");
    }
}

static void datasette_put_queries(cw_writer *out)
{
    for (size_t i = 0; i < sizeof datasette_queries / sizeof *datasette_queries; i++) {
        cw_put_format(out, "%s\n  \"%s\":{\"title\":\"%s\"", i ? "," : "", datasette_queries[i].name,
                      datasette_queries[i].title);
        cw_json_words(out, ",\"sql\":", datasette_queries[i].sql);
        cw_put_text(out, "}");
    }
}

/* Returns Datasette's name of a database: its file without the extension. */
static crawl_slice datasette_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    crawl_slice name = crawl_slice_from(slash ? slash + 1 : path);
    size_t dot = cw_find_last(name, '.');
    return dot && dot < name.size ? cw_take(&name, dot) : name;
}

int cw_query_datasette(const char *path)
{
    sqlite3 *db = NULL;
    crawl_error error = {0};
    crawl_buf text = {0};
    cw_writer out = {.out = &text};
    crawl_err err = cw_results_read(path, &db, &error);
    if (err) {
        cw_tool_say("query", "%s", error.message);
        return err == CRAWL_EINVAL ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
    }
    cw_json_text(&out, "{\"title\":\"What a crawl found\",\"databases\":{", datasette_name(path));
    cw_put_text(&out, ":{\"tables\":{");
    datasette_put_tables(&out, db);
    datasette_put_views(&out, db);
    cw_put_text(&out, "},\n\"queries\":{");
    datasette_put_queries(&out);
    cw_put_text(&out, "}}}}\n");
    if (out.err)
        cw_tool_say("query", "%s", crawl_strerror(out.err));
    else
        fputs(text.data, stdout);
    sqlite3_close(db);
    crawl_buf_free(&text);
    return out.err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}
