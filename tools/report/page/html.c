/* See html.h: the tables of the page with their cells, and notes about omitted rows. */
#include "tools/report/page/html.h"

#include "base/bytes.h"
#include "base/text/escape.h"
#include "base/text/percent.h"
#include "base/utf8.h"
#include "tools/common/io.h"

#include <inttypes.h>
#include <stdio.h>
#include <unictype.h>

/* ---- URLs for people to read: "/%C3%BCber" as "/über" ---- */

enum { CHARACTER_MAX = 4 };

/* Returns true for letters and digits that are visible. A mark counts only after a letter or digit, since it may hide
 * other characters. */
static bool html_is_readable(ucs4_t code, bool after_word)
{
    if (uc_is_property_default_ignorable_code_point(code))
        return false;
    return uc_is_general_category_withtable(code, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N) ||
           (after_word && uc_is_general_category_withtable(code, UC_CATEGORY_MASK_M));
}

/* Decodes the escapes of one character into text. Returns its size, or 0: it must not be shown. */
static size_t html_take_character(crawl_slice url, bool after_word, char text[CHARACTER_MAX])
{
    size_t bytes = 0;
    const char *end = url.data + url.size;
    for (const char *at = url.data; bytes < CHARACTER_MAX; at += 3) {
        int value = cw_percent_value(at, end);
        if (value < 0x80)
            break;
        text[bytes++] = (char)value;
    }
    cw_utf8 next = bytes ? cw_utf8_next(text, text + bytes) : (cw_utf8){.broken = true};
    return !next.broken && html_is_readable(next.code, after_word) ? next.size : 0;
}

/* Appends a URL with the escapes of letters, marks and digits beyond ASCII decoded. All others stay: an escaped ASCII
 * character may mean another URL, and other characters may be invisible. CRAWL_ENOMEM. */
static crawl_err html_append_readable(crawl_slice url, crawl_buf *out)
{
    char text[CHARACTER_MAX];
    bool after_word = false;
    crawl_err err = CRAWL_OK;
    while (url.size && !err) {
        size_t size = *url.data == '%' ? html_take_character(url, after_word, text) : 0;
        after_word = size || cw_is_alnum((unsigned char)*url.data);
        err = size ? crawl_buf_append(out, text, size) : crawl_buf_append_char(out, *url.data);
        url = cw_drop(url, size ? 3 * size : 1);
    }
    return err;
}

/* ---- tables ---- */

/* Maximum number of bytes shown of a text or URL, and of a URL that becomes a link. Nobody would follow a longer
 * one. */
enum { SHOWN_MAX = 200, HREF_MAX = 2000 };

typedef struct table_writer {
    cw_writer *out;
    const cw_survey_report *report;
    const cw_survey_table *table;
    size_t columns;
    size_t begin, most; /* bytes */
    uint64_t most_rows;
    uint64_t shown;
    crawl_buf group; /* title of the group that begins with the next row; empty: none */
    uint64_t group_rows;
    bool is_cut;
} table_writer;

/* ---- amounts ---- */

cw_survey_amount cw_survey_count_text(uint64_t count)
{
    cw_survey_amount made = {""};
    char digits[24];
    size_t size = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (size_t i = 0, at = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0)
            made.text[at++] = ',';
        made.text[at++] = digits[i];
    }
    return made;
}

cw_survey_amount cw_survey_bytes_text(uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    cw_survey_amount made;
    double amount = (double)bytes / 1024;
    size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        amount /= 1024;
    if (bytes < 1024)
        snprintf(made.text, sizeof made.text, "%" PRIu64 " B", bytes);
    else
        snprintf(made.text, sizeof made.text, "%.1f %s", amount, units[unit]);
    return made;
}

cw_survey_amount cw_survey_ms_text(uint64_t ms)
{
    cw_survey_amount made;
    if (ms < 1000)
        snprintf(made.text, sizeof made.text, "%" PRIu64 " ms", ms);
    else
        snprintf(made.text, sizeof made.text, "%.1f s", (double)ms / 1000);
    return made;
}

/* ---- cells ---- */

static void html_put_cut(cw_writer *out, crawl_slice text)
{
    crawl_slice shown = cw_utf8_cut(text, SHOWN_MAX);
    cw_escape_html(out, shown);
    if (shown.size < text.size)
        cw_put_format(out, "…");
}

/* Returns the part of a URL to show: the path, if the site is on one host. */
static crawl_slice shown_of(const cw_survey_report *report, crawl_slice url)
{
    crawl_slice origin = report->origin;
    bool is_own = origin.size && url.size > origin.size && url.data[origin.size] == '/' &&
                  memcmp(url.data, origin.data, origin.size) == 0;
    return is_own ? cw_drop(url, origin.size) : url;
}

static void put_readable(cw_writer *out, crawl_slice url)
{
    crawl_buf text = {0};
    crawl_err err = html_append_readable(url, &text);
    html_put_cut(out, crawl_buf_slice(&text));
    out->err = out->err ? out->err : err;
    crawl_buf_free(&text);
}

/* Writes a URL, as a link only if a browser would send it to a server. */
static void html_put_url(const table_writer *w, crawl_slice url)
{
    bool is_link = url.size <= HREF_MAX && cw_tool_is_url(url);
    if (is_link) {
        cw_put_format(w->out, "<a href=\"");
        cw_escape_html(w->out, url);
        cw_put_format(w->out, "\">");
    }
    put_readable(w->out, shown_of(w->report, url));
    cw_put_format(w->out, is_link ? "</a>" : "");
}

static void html_put_item(const table_writer *w, const cw_survey_cell *item)
{
    cw_put_format(w->out, "<li>");
    html_put_url(w, item->text);
    if (item->note.size) {
        cw_put_format(w->out, item->is_quote ? " <q>" : " <span>");
        html_put_cut(w->out, item->note);
        cw_put_format(w->out, item->is_quote ? "</q>" : "</span>");
    }
    if (item->number > 1)
        cw_put_format(w->out, " <span>and %s more</span>", cw_survey_count_text(item->number - 1).text);
    cw_put_format(w->out, "</li>");
}

static void html_put_list(const table_writer *w, const cw_survey_cell *cell)
{
    cw_put_format(w->out, "<ul>");
    for (size_t i = 0; i < cell->item_count; i++)
        html_put_item(w, &cell->items[i]);
    if (cell->number)
        cw_put_format(w->out, "<li><span>and %s more %s</span></li>", cw_survey_count_text(cell->number).text,
                      cell->what);
    cw_put_format(w->out, "</ul>");
}

static void put_number(cw_writer *out, const cw_survey_cell *cell)
{
    cw_survey_amount amount = cell->kind == CW_CELL_BYTES ? cw_survey_bytes_text(cell->number)
                              : cell->kind == CW_CELL_MS  ? cw_survey_ms_text(cell->number)
                                                          : cw_survey_count_text(cell->number);
    cw_put_format(out, "<td class=\"n%s\" data-v=\"%" PRIu64 "\">%s</td>", cell->number ? "" : " z", cell->number,
                  amount.text);
}

/* Writes a cell. The first one names its row. */
static void html_put_cell(const table_writer *w, const cw_survey_cell *cell, bool is_first)
{
    bool is_number = cell->kind == CW_CELL_COUNT || cell->kind == CW_CELL_BYTES || cell->kind == CW_CELL_MS;
    const char *tag = is_first ? "th" : "td";
    if (is_number && !cell->is_none) {
        put_number(w->out, cell);
        return;
    }
    cw_put_format(w->out, "<%s%s class=\"%s\">", tag, is_first ? " scope=\"row\"" : "",
                  cell->kind == CW_CELL_TEXT ? "t"
                  : is_number                ? "n"
                                             : "u");
    if (cell->is_none)
        cw_put_format(w->out, "–");
    else if (cell->kind == CW_CELL_URL)
        html_put_url(w, cell->text);
    else if (cell->kind == CW_CELL_LIST)
        html_put_list(w, cell);
    else
        html_put_cut(w->out, cell->text);
    cw_put_format(w->out, "</%s>", tag);
}

/* ---- rows ---- */

static void html_start_group(void *user, crawl_slice title, uint64_t rows)
{
    table_writer *w = user;
    crawl_buf_clear(&w->group);
    crawl_err err = crawl_buf_append(&w->group, title.data, title.size);
    w->group_rows = rows;
    w->out->err = w->out->err ? w->out->err : err;
}

static void html_put_group(table_writer *w)
{
    cw_put_format(w->out, "</tbody><tbody><tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%zu\">", w->columns);
    cw_escape_html(w->out, crawl_buf_slice(&w->group));
    cw_put_format(w->out, " <span>%s</span></th></tr>\n", cw_survey_count_text(w->group_rows).text);
}

/* Removes all text after `to`, because it does not fit. */
static void html_cut(table_writer *w, size_t to)
{
    w->is_cut = true;
    w->shown--;
    cw_writer_cut(w->out, to);
}

static void html_put_row(void *user, const cw_survey_cell *cells)
{
    table_writer *w = user;
    size_t before = cw_writer_size(w->out);
    if (w->is_cut || w->out->err)
        return;
    if (w->group.size)
        html_put_group(w);
    cw_put_format(w->out, "<tr>");
    for (size_t i = 0; i < w->columns; i++)
        html_put_cell(w, &cells[i], i == 0);
    cw_put_format(w->out, "</tr>\n");
    w->shown++;
    if (!w->out->err && (w->shown > w->most_rows || cw_writer_size(w->out) - w->begin > w->most))
        html_cut(w, before);
    crawl_buf_clear(&w->group);
}

static void html_put_head(table_writer *w)
{
    cw_put_format(w->out,
                  "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n<table id=\"table-%s\">"
                  "<caption>%s</caption>\n<thead><tr>",
                  w->table->title, w->table->id, w->table->title);
    for (w->columns = 0; w->table->columns[w->columns].name; w->columns++) {
        cw_survey_kind kind = w->table->columns[w->columns].kind;
        bool is_number = kind == CW_CELL_COUNT || kind == CW_CELL_BYTES || kind == CW_CELL_MS;
        cw_put_format(w->out, "<th scope=\"col\"%s>%s</th>", is_number ? " class=\"n\"" : "",
                      w->table->columns[w->columns].name);
    }
    cw_put_format(w->out, "</tr></thead>\n<tbody>\n");
}

static void html_put_end(const table_writer *w)
{
    cw_put_format(w->out, "</tbody></table>\n</div>\n");
    if (w->is_cut)
        cw_put_format(w->out,
                      "<p class=\"cut\">The first %s of %s rows. <code>--csv DIR</code> writes all of them to "
                      "<code>%s.csv</code>.</p>\n",
                      cw_survey_count_text(w->shown).text,
                      cw_survey_count_text(cw_survey_count_of(w->table, w->report)).text, w->table->id);
}

crawl_err cw_survey_html_table(cw_writer *out, const cw_survey_report *report, const cw_survey_table *table)
{
    bool is_large = cw_starts_with(crawl_slice_from(table->id), "broken") || table->id == cw_survey_pages_id;
    table_writer w = {.out = out,
                      .report = report,
                      .table = table,
                      .begin = cw_writer_size(out),
                      .most = is_large ? CW_SURVEY_HTML_BYTES_LARGE : CW_SURVEY_HTML_BYTES,
                      .most_rows = is_large ? CW_SURVEY_HTML_ROWS_LARGE : CW_SURVEY_HTML_ROWS};
    const cw_survey_out rows = {.most = w.most_rows + 1, .group = html_start_group, .row = html_put_row, .user = &w};
    html_put_head(&w);
    crawl_err err = cw_survey_rows(table, report, &rows);
    html_put_end(&w);
    crawl_buf_free(&w.group);
    return err ? err : out->err;
}
