/* See report_page.h. The function of the same name fills a placeholder {{name}} of report.html. */
#include "tools/report/page/report_page.h"

#include "base/bytes.h"
#include "base/text/escape.h"
#include "tools/report/files/report_files.h"
#include "tools/report/page/html.h"
#include "tools/report/page/report_head.h"
#include "tools/report/tables/needs.h"

#include <inttypes.h>
#include <stdlib.h>

typedef crawl_err fill(cw_writer *out, const cw_survey_report *report);

/* ---- style and script ---- */

static crawl_err put_hash(cw_writer *out, const char *sha256)
{
    crawl_buf digest = {0};
    crawl_err err = cw_hex_decode(crawl_slice_from(sha256), &digest);
    if (!err)
        err = cw_base64_append(crawl_buf_slice(&digest), out->out);
    crawl_buf_free(&digest);
    return err;
}

static crawl_err fill_css_hash(cw_writer *out, const cw_survey_report *)
{
    return put_hash(out, cw_survey_css_sha256);
}

static crawl_err fill_js_hash(cw_writer *out, const cw_survey_report *)
{
    return put_hash(out, cw_survey_js_sha256);
}

static crawl_err fill_css(cw_writer *out, const cw_survey_report *)
{
    cw_put(out, crawl_slice_from(cw_survey_css));
    return CRAWL_OK;
}

static crawl_err fill_js(cw_writer *out, const cw_survey_report *)
{
    cw_put(out, crawl_slice_from(cw_survey_js));
    return CRAWL_OK;
}

/* ---- faults to mend ---- */

/* Returns the number of faults that are known. */
static size_t put_checks(cw_writer *out, const cw_survey_report *report)
{
    uint64_t count, all = 0;
    size_t known = 0;
    cw_put_format(out, "<ul class=\"checks\">\n");
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++) {
        count = table->is_fault ? cw_survey_count_of(table, report) : 0;
        all += count;
        known += table->is_fault && !cw_survey_unknown(table, report);
        if (count)
            cw_put_format(out, "<li%s><b>%s</b><div><a href=\"#%s\">%s</a><span>%s</span></div></li>\n",
                          table->is_serious ? " class=\"bad\"" : "", cw_survey_count_text(count).text, table->id,
                          table->title, table->about);
    }
    cw_put_format(out, "</ul>\n%s",
                  !known ? "<p>Nothing could be checked.</p>\n"
                  : !all ? "<p>Nothing was found.</p>\n"
                         : "");
    return known;
}

static crawl_err fill_checks(cw_writer *out, const cw_survey_report *report)
{
    const cw_survey *survey = report->survey;
    bool is_whole = survey->has_links && !cw_survey_coverage_missing(&survey->coverage);
    const char *before = is_whole ? "<p class=\"quiet\">Looked for, and not found: "
                                  : "<p class=\"quiet\">Looked for in what was read, and not found: ";
    size_t known = put_checks(out, report);
    for (const cw_survey_table *table = cw_survey_tables; table->id && known; table++) {
        if (!table->is_fault || cw_survey_unknown(table, report) || cw_survey_count_of(table, report))
            continue;
        cw_put_format(out, "%s%s", before, table->title);
        before = "; ";
    }
    cw_put_format(out, *before == ';' ? ".</p>\n" : "");
    return CRAWL_OK;
}

/* ---- the tables ---- */

static void put_limit(cw_writer *out, const cw_survey_report *report, const cw_survey_limit *limit)
{
    if (!limit->option)
        return;
    uint64_t value = *(const uint64_t *)(const void *)((const char *)report + limit->offset);
    cw_survey_amount amount = limit->kind == CW_CELL_MS      ? cw_survey_ms_text(value)
                              : limit->kind == CW_CELL_BYTES ? cw_survey_bytes_text(value)
                                                             : cw_survey_count_text(value);
    cw_put_format(out, " Here: %s or more (<code>--%s</code>).", amount.text, limit->option);
}

static void report_page_put_head(cw_writer *out, const cw_survey_report *report, const cw_survey_table *table,
                                 uint64_t count)
{
    cw_put_format(out,
                  "<article id=\"%s\" aria-labelledby=\"%s-title\">\n<h3 id=\"%s-title\">%s <small>%s</small></h3>\n"
                  "<p class=\"about\">%s",
                  table->id, table->id, table->id, table->title, cw_survey_count_text(count).text, table->about);
    put_limit(out, report, &table->limit);
    cw_put_format(out, "</p>\n");
}

static bool is_distribution(const cw_survey_table *table)
{
    return table->chapter == CW_CHAPTER_SITE && table->columns[1].kind == CW_CELL_COUNT && !table->columns[2].name;
}

/* Longer tables are folded. */
enum { OPEN_ROWS = 10 };

static crawl_err report_page_put_table(cw_writer *out, const cw_survey_report *report, const cw_survey_table *table)
{
    uint64_t count = cw_survey_count_of(table, report);
    if (!count || is_distribution(table))
        return CRAWL_OK;
    report_page_put_head(out, report, table, count);
    bool is_long = count > OPEN_ROWS;
    if (is_long)
        cw_put_format(out, "<details class=\"rows\"><summary>Show %s</summary>\n", cw_survey_count_text(count).text);
    crawl_err err = cw_survey_html_table(out, report, table);
    cw_put_format(out, is_long ? "</details>\n</article>\n" : "</article>\n");
    return err;
}

static crawl_err put_chapter(cw_writer *out, const cw_survey_report *report, cw_survey_chapter chapter)
{
    crawl_err err = CRAWL_OK;
    for (const cw_survey_table *table = cw_survey_tables; table->id && !err; table++)
        if (table->chapter == chapter)
            err = report_page_put_table(out, report, table);
    return err;
}

static crawl_err fill_faults(cw_writer *out, const cw_survey_report *report)
{
    size_t before = cw_writer_size(out);
    cw_put_format(
        out, "<section id=\"faults\" aria-labelledby=\"faults-title\">\n<h2 id=\"faults-title\">What was found</h2>\n");
    size_t begin = cw_writer_size(out);
    crawl_err err = put_chapter(out, report, CW_CHAPTER_FAULTS);
    if (!err && !out->err && cw_writer_size(out) == begin)
        cw_writer_cut(out, before);
    else
        cw_put_format(out, "</section>\n");
    return err;
}

static crawl_err fill_changes(cw_writer *out, const cw_survey_report *report)
{
    if (!report->old)
        return CRAWL_OK;
    cw_put_format(out,
                  "<section id=\"changes\" aria-labelledby=\"changes-title\">\n"
                  "<h2 id=\"changes-title\">What has changed</h2>\n<p>Compared with an earlier crawl of %s URLs",
                  cw_survey_count_text(report->old_pages).text);
    if (report->old->first) {
        cw_put_format(out, ", fetched from ");
        cw_survey_head_put_dates(out, report->old);
    }
    cw_put_format(out, ".</p>\n");
    size_t begin = cw_writer_size(out);
    crawl_err err = put_chapter(out, report, CW_CHAPTER_CHANGES);
    if (!out->err && cw_writer_size(out) == begin)
        cw_put_format(out, "<p>Nothing new, nothing gone, nothing newly broken, and nothing mended.</p>\n");
    cw_put_format(out, "</section>\n");
    return err;
}

static crawl_err put_distribution(cw_writer *out, const cw_survey_report *report, const cw_survey_table *table)
{
    cw_put_format(out,
                  "<article id=\"%s\" aria-labelledby=\"%s-title\">\n<h3 id=\"%s-title\">%s</h3>\n"
                  "<p class=\"about\">%s</p>\n",
                  table->id, table->id, table->id, table->title, table->about);
    const char *unknown = cw_survey_unknown(table, report);
    if (unknown) {
        cw_put_format(out, "<p>Not known. %s</p>\n</article>\n", unknown);
        return CRAWL_OK;
    }
    crawl_err err = cw_survey_html_bars(out, report, table);
    cw_put_format(out, "<details><summary>As a table</summary>\n");
    if (!err)
        err = cw_survey_html_table(out, report, table);
    cw_put_format(out, "</details>\n</article>\n");
    return err;
}

static crawl_err fill_site(cw_writer *out, const cw_survey_report *report)
{
    crawl_err err = report_page_put_table(out, report, cw_survey_table_of(crawl_slice_from("folders")));
    cw_put_format(out, "<div class=\"charts\">\n");
    for (const cw_survey_table *table = cw_survey_tables; table->id && !err; table++)
        if (is_distribution(table))
            err = put_distribution(out, report, table);
    cw_put_format(out, "</div>\n");
    for (const cw_survey_table *table = cw_survey_tables; table->id && !err; table++)
        if (table->chapter == CW_CHAPTER_SITE && strcmp(table->id, "folders") != 0)
            err = report_page_put_table(out, report, table);
    return err;
}

/* ---- unknown faults ---- */

static void put_question(cw_writer *out, const char *question, const char *answer)
{
    cw_put_format(out, "<li>%s <span>%s</span></li>\n", question, answer);
}

static crawl_err fill_unanswered(cw_writer *out, const cw_survey_report *report)
{
    const cw_survey *survey = report->survey;
    cw_put_format(out, "<ul class=\"open\">\n");
    size_t begin = cw_writer_size(out);
    if (!survey->has_links)
        put_question(out, "How much of the site was left out, by --depth or another limit?",
                     cw_survey_needs_links(report));
    if (!survey->has_links)
        put_question(out, "Which pages hold each broken link, with which words, and how many links lead to a page?",
                     cw_survey_needs_links(report));
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++)
        if (cw_survey_unknown(table, report) && cw_survey_asks(table, report))
            cw_put_format(out, "<li>%s? <span>%s</span></li>\n", table->title, cw_survey_unknown(table, report));
    if (!report->old)
        put_question(out, "What is new, gone, newly broken, or mended?",
                     "Give the records of an earlier crawl with --compare OLD.");
    if (!survey->has_requests)
        put_question(out, "How often was each host asked, and what came of its robots.txt?",
                     "Crawl with --requests FILE, and give that file with --requests.");
    if (!survey->has_state && !survey->has_links)
        put_question(out, "Did the crawl come to its end?",
                     "Crawl with --state DIR, and give that folder with --state.");
    if (!out->err && cw_writer_size(out) == begin)
        cw_put_format(out, "<li>Nothing: everything could be checked.</li>\n");
    cw_put_format(out, "</ul>\n");
    return CRAWL_OK;
}

static crawl_err fill_source(cw_writer *out, const cw_survey_report *report)
{
    const cw_survey *survey = report->survey;
    cw_put_format(out, "Made by crawl report %s from %s record%s", crawl_version(),
                  cw_survey_count_text(survey->records).text, cw_survey_plural(survey->records));
    if (survey->has_links)
        cw_put_format(out, " and %s link%s", cw_survey_count_text(survey->links).text, cw_survey_plural(survey->links));
    cw_put_format(out, ".");
    if (survey->bad_lines)
        cw_put_format(out, " %s line%s could not be read.", cw_survey_count_text(survey->bad_lines).text,
                      cw_survey_plural(survey->bad_lines));
    return CRAWL_OK;
}

/* ---- the whole ---- */

static const struct {
    const char *name;
    fill *fill;
} holes[] = {
    {"css-hash", fill_css_hash},
    {"js-hash", fill_js_hash},
    {"css", fill_css},
    {"js", fill_js},
    {"name", cw_survey_head_name},
    {"sentence", cw_survey_head_sentence},
    {"coverage", cw_survey_head_coverage},
    {"dates", cw_survey_head_dates},
    {"numbers", cw_survey_head_numbers},
    {"checks", fill_checks},
    {"faults", fill_faults},
    {"changes", fill_changes},
    {"treemap", cw_survey_html_treemap},
    {"site", fill_site},
    {"source", fill_source},
    {"unanswered", fill_unanswered},
};

static crawl_err fill_hole(cw_writer *out, const cw_survey_report *report, crawl_slice name)
{
    for (size_t i = 0; i < sizeof holes / sizeof *holes; i++)
        if (cw_is(name, holes[i].name))
            return holes[i].fill(out, report);
    return CRAWL_EINVAL;
}

static crawl_err report_put_page(cw_writer *out, const cw_survey_report *report)
{
    crawl_err err = CRAWL_OK;
    for (const char *at = cw_survey_html; !err && *at;) {
        const char *hole = strstr(at, "{{");
        const char *end = hole ? strstr(hole, "}}") : NULL;
        if (!end) {
            cw_put(out, crawl_slice_from(at));
            break;
        }
        cw_put(out, crawl_slice_of(at, (size_t)(hole - at)));
        err = fill_hole(out, report, crawl_slice_of(hole + 2, (size_t)(end - hole) - 2));
        at = end + 2;
    }
    return err ? err : out->err;
}

crawl_err cw_survey_write_page(const cw_survey_report *report, const char *path, crawl_error *error)
{
    cw_survey_file file;
    crawl_err err = cw_survey_file_begin(&file, path, error);
    return err ? err : cw_survey_file_end(&file, report_put_page(&file.to, report));
}
