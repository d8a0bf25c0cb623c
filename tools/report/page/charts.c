/* See html.h: bars and the treemap, as SVG. Lengths are in percent, so that they follow the width of the screen while
 * letters keep their size. */
#include "base/bytes.h"
#include "base/text/escape.h"
#include "base/utf8.h"
#include "tools/report/page/html.h"
#include "tools/report/page/treemap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- bars ---- */

enum { BARS_MAX = 24, BAR_HEIGHT = 34, LABEL_MAX = 42 /* bytes: a phone has no room for more */ };

typedef struct bars {
    cw_writer *out;
    uint64_t most;
    size_t count;
} bars;

static void find_most(void *user, const cw_survey_cell *cells)
{
    bars *b = user;
    b->most = cells[1].number > b->most ? cells[1].number : b->most;
    b->count += b->count < BARS_MAX;
}

static void put_bar(void *user, const cw_survey_cell *cells)
{
    bars *b = user;
    if (b->count == BARS_MAX)
        return;
    size_t y = b->count++ * BAR_HEIGHT;
    crawl_slice label = cw_utf8_cut(cells[0].text, LABEL_MAX);
    double width = b->most ? 100.0 * (double)cells[1].number / (double)b->most : 0;
    cw_put_format(b->out, "<text x=\"0\" y=\"%zu\">", y + 13);
    cw_escape_html(b->out, label);
    cw_put_text(b->out, label.size < cells[0].text.size ? "\u2026" : "");
    cw_put_format(b->out, "</text><rect x=\"0\" y=\"%zu\" width=\"%.2f%%\" height=\"8\" rx=\"2\"/>", y + 19,
                  cells[1].number ? fmax(width, 0.4) : 0);
    cw_put_format(b->out, "<text class=\"n\" x=\"100%%\" y=\"%zu\">%s</text>\n", y + 13,
                  cw_survey_count_text(cells[1].number).text);
}

crawl_err cw_survey_html_bars(cw_writer *out, const cw_survey_report *report, const cw_survey_table *table)
{
    bars b = {.out = out};
    crawl_err err = cw_survey_rows(table, report, &(cw_survey_out){.row = find_most, .user = &b});
    cw_put_format(out, "<svg class=\"bars\" height=\"%zu\" aria-hidden=\"true\">\n", b.count * BAR_HEIGHT);
    b.count = 0;
    if (!err)
        err = cw_survey_rows(table, report, &(cw_survey_out){.row = put_bar, .user = &b});
    cw_put_format(out, "</svg>\n");
    return err ? err : out->err;
}

/* ---- the treemap ---- */

/* Maximum number of folders drawn, and of folders within each. The rest is one box. Smaller boxes would be
 * invisible. */
enum { OUTER_MAX = 24, INNER_MAX = 12, BOXES_MAX = OUTER_MAX + 2 };

/* The folder, or the rest, that a box stands for. */
typedef struct part {
    crawl_buf path; /* of its folder; empty: pages in no folder drawn here */
    size_t above;   /* bytes of path that name the parent folder */
    uint64_t pages, checked, broken;
} part;

typedef struct drawing {
    cw_writer *out;
    cw_survey *survey;
    sqlite3_stmt *folders; /* the folders below one */
    double width, height;  /* of the whole, in the units of boxes */
} drawing;

static int by_pages(const void *a, const void *b)
{
    const part *one = a, *other = b;
    return (one->pages < other->pages) - (one->pages > other->pages);
}

/* Sets a part from a row, whose first column is its path. */
static void charts_set_part(part *to, sqlite3_stmt *row, size_t above)
{
    crawl_err err = crawl_buf_append(&to->path, sqlite3_column_text(row, 0), (size_t)sqlite3_column_bytes(row, 0));
    to->above = err ? 0 : above;
    to->pages = (uint64_t)sqlite3_column_int64(row, 1);
    to->checked = (uint64_t)sqlite3_column_int64(row, 2);
    to->broken = (uint64_t)sqlite3_column_int64(row, 3);
}

/* Takes the largest subfolders, and all other pages as one part. Returns the number of parts. */
static size_t charts_take_parts(const drawing *d, const part *folder, size_t most, part *parts)
{
    size_t count = 0;
    part rest = {.pages = folder->pages, .checked = folder->checked, .broken = folder->broken};
    sqlite3_bind_text(d->folders, 1, folder->path.data ? folder->path.data : "", (int)folder->path.size, SQLITE_STATIC);
    for (; count < most && cw_survey_has_row(d->survey, d->folders); count++) {
        parts[count] = (part){0};
        charts_set_part(&parts[count], d->folders, folder->path.size);
        rest.pages -= parts[count].pages;
        rest.checked -= parts[count].checked;
        rest.broken -= parts[count].broken;
    }
    sqlite3_reset(d->folders);
    if (rest.pages)
        parts[count++] = rest;
    qsort(parts, count, sizeof *parts, by_pages);
    return count;
}

static void charts_free_parts(part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        crawl_buf_free(&parts[i].path);
}

static void charts_lay_out(const part *parts, size_t count, cw_survey_box into, cw_survey_box *boxes)
{
    double weights[BOXES_MAX];
    for (size_t i = 0; i < count; i++)
        weights[i] = (double)parts[i].pages;
    cw_survey_squarify(weights, count, into, boxes);
}

/* Returns the shade of a box. 0: nothing is broken; 3: a tenth or more; 4: nothing was checked. */
static int shade_of(const part *p)
{
    if (!p->checked)
        return 4;
    double share = (double)p->broken / (double)p->checked;
    return !p->broken ? 0 : share < 0.01 ? 1 : share < 0.1 ? 2 : 3;
}

/* An inner svg clips text that does not fit because its letters are wider than most. */
static void begin_box(const drawing *d, const part *p, cw_survey_box box, const char *class)
{
    cw_put_format(d->out, "<svg x=\"%.2f%%\" y=\"%.2f%%\" width=\"%.2f%%\" height=\"%.2f%%\">", 100 * box.x / d->width,
                  100 * box.y / d->height, 100 * box.width / d->width, 100 * box.height / d->height);
    cw_put_format(d->out, "<rect class=\"%s s%d\" width=\"100%%\" height=\"100%%\"/>", class, shade_of(p));
}

static crawl_slice charts_name_of(const part *p)
{
    enum { NAME_MAX_SIZE = 60 };
    crawl_slice path = crawl_buf_slice(&p->path);
    return path.size ? cw_utf8_cut(cw_drop(path, p->above), NAME_MAX_SIZE) : crawl_slice_from("other pages");
}

/* Writes as many letters of a name as there is room for. */
static void put_short_name(const drawing *d, crawl_slice name, size_t room)
{
    bool is_cut = name.size > room;
    cw_escape_html(d->out, is_cut ? cw_utf8_cut(name, room - 1) : name);
    cw_put_text(d->out, is_cut ? "\u2026" : "");
}

static void put_title(const drawing *d, const part *p)
{
    cw_put_format(d->out, "<title>");
    cw_escape_html(d->out, charts_name_of(p));
    cw_put_format(d->out, ": %s pages, %s checked, %s broken</title>", cw_survey_count_text(p->pages).text,
                  cw_survey_count_text(p->checked).text, cw_survey_count_text(p->broken).text);
}

static bool charts_has_room(cw_survey_box box, double width, double height)
{
    return box.width >= width && box.height >= height;
}

/* The width of a letter and the margin of a text, in the units of boxes. */
enum { INNER_LETTER = 7, OUTER_LETTER = 8, BESIDE = 10 };

static size_t letters_in(cw_survey_box box, int letter)
{
    return (size_t)fmax((box.width - BESIDE) / letter, 2);
}

static void draw_inner(const drawing *d, const part *outer, cw_survey_box box)
{
    enum { HEAD = 22, EDGE = 3 };
    part parts[BOXES_MAX];
    cw_survey_box boxes[BOXES_MAX];
    cw_survey_box into = {box.x + EDGE, box.y + HEAD, box.width - 2 * EDGE, box.height - HEAD - EDGE};
    if (!outer->path.size || !charts_has_room(into, 60, 24))
        return;
    size_t count = charts_take_parts(d, outer, INNER_MAX, parts);
    count = count > 1 || (count && parts[0].path.size) ? count : 0;
    charts_lay_out(parts, count, into, boxes);
    for (size_t i = 0; i < count; i++) {
        begin_box(d, &parts[i], boxes[i], "in");
        put_title(d, &parts[i]);
        if (charts_has_room(boxes[i], 48, 18) && parts[i].path.size) {
            cw_put_format(d->out, "<text x=\"5\" y=\"14\">");
            put_short_name(d, charts_name_of(&parts[i]), letters_in(boxes[i], INNER_LETTER));
            cw_put_format(d->out, "</text>");
        }
        cw_put_format(d->out, "</svg>\n");
    }
    charts_free_parts(parts, count);
}

static void draw_outer(const drawing *d, const part *p, cw_survey_box box)
{
    begin_box(d, p, box, "out");
    put_title(d, p);
    if (charts_has_room(box, 40, 18)) {
        crawl_slice name = charts_name_of(p);
        size_t room = letters_in(box, OUTER_LETTER);
        cw_survey_amount count = cw_survey_count_text(p->pages);
        cw_put_format(d->out, "<text class=\"name\" x=\"6\" y=\"16\">");
        put_short_name(d, name, room);
        if (name.size + 1 + strlen(count.text) <= room)
            cw_put_format(d->out, " <tspan>%s</tspan>", count.text);
        cw_put_text(d->out, "</text>");
    }
    cw_put_format(d->out, "</svg>\n");
}

/* Finds the folder at the top of the drawing: the host, for a site of one host. */
static crawl_err charts_start(cw_survey *survey, part *start)
{
    sqlite3_stmt *folder = NULL;
    crawl_err err = cw_survey_checked(
        survey, sqlite3_prepare_v2(survey->db,
                                   "WITH RECURSIVE start(path) AS (VALUES('') UNION ALL SELECT below.path FROM start "
                                   "JOIN folder f ON f.path = start.path JOIN folder below ON below.parent = "
                                   "f.path AND below.path <> '' WHERE f.own = 0 AND below.pages = f.pages) "
                                   "SELECT path, pages, checked, broken FROM start JOIN folder USING(path) "
                                   "ORDER BY level DESC LIMIT 1",
                                   -1, &folder, NULL));
    if (!err && cw_survey_has_row(survey, folder))
        charts_set_part(start, folder, 0);
    sqlite3_finalize(folder);
    return err;
}

static void charts_draw(drawing *d, const part *start, const char *class, double width, double height)
{
    part parts[BOXES_MAX];
    cw_survey_box boxes[BOXES_MAX];
    d->width = width;
    d->height = height;
    size_t count = charts_take_parts(d, start, OUTER_MAX, parts);
    charts_lay_out(parts, count, (cw_survey_box){0, 0, width, height}, boxes);
    cw_put_format(d->out,
                  "<svg class=\"treemap %s\" height=\"%.0f\" role=\"img\" aria-label=\"Folders by the number of their "
                  "pages; the table beneath has the same figures\">\n",
                  class, height);
    for (size_t i = 0; i < count; i++) {
        draw_outer(d, &parts[i], boxes[i]);
        draw_inner(d, &parts[i], boxes[i]);
    }
    cw_put_format(d->out, "</svg>\n");
    charts_free_parts(parts, count);
}

crawl_err cw_survey_html_treemap(cw_writer *out, const cw_survey_report *report)
{
    part start = {0};
    drawing d = {.out = out, .survey = report->survey};
    crawl_err err = charts_start(report->survey, &start);
    if (!err)
        err = cw_survey_checked(report->survey,
                                sqlite3_prepare_v2(report->survey->db,
                                                   "SELECT path, pages, checked, broken FROM folder WHERE parent "
                                                   "= ? AND level > 0 ORDER BY pages DESC, path",
                                                   -1, &d.folders, NULL));
    if (!err) {
        charts_draw(&d, &start, "wide", 1080, 420);
        charts_draw(&d, &start, "narrow", 350, 480);
    }
    sqlite3_finalize(d.folders);
    crawl_buf_free(&start.path);
    return err ? err : out->err;
}
