#include "tools/report/page/report_head.h"

#include "base/text/escape.h"
#include "tools/report/page/html.h"
#include "tools/report/survey/survey_judge.h"
#include "tools/report/tables/needs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Writes the host of the first seed: the first page without a parent. */
static crawl_err put_seed_host(cw_writer *out, const cw_survey_report *report, bool *is_there)
{
    sqlite3_stmt *seed = NULL;
    crawl_err err = cw_survey_checked(
        report->survey, sqlite3_prepare_v2(report->survey->db,
                                           "SELECT host.name FROM p JOIN host ON host.id = "
                                           "p.host WHERE kind = 0 AND parent IS NULL ORDER BY p.id LIMIT 1",
                                           -1, &seed, NULL));
    *is_there = !err && cw_survey_has_row(report->survey, seed);
    if (*is_there)
        cw_escape_html(out, crawl_slice_of(sqlite3_column_text(seed, 0), (size_t)sqlite3_column_bytes(seed, 0)));
    sqlite3_finalize(seed);
    return err;
}

crawl_err cw_survey_head_name(cw_writer *out, const cw_survey_report *report)
{
    uint64_t hosts = report->hosts;
    bool has_host = report->origin.size > 0;
    crawl_err err = CRAWL_OK;
    if (has_host)
        cw_escape_html(out, cw_survey_host_of(report->origin));
    else
        err = put_seed_host(out, report, &has_host);
    if (has_host && hosts > 1)
        cw_put_format(out, " and %s other host%s", cw_survey_count_text(hosts - 1).text, cw_survey_plural(hosts - 1));
    else if (!has_host)
        cw_put_format(out, "%s host%s", cw_survey_count_text(hosts).text, cw_survey_plural(hosts));
    return err;
}

static void report_head_put_broken(cw_writer *out, uint64_t broken, uint64_t judged)
{
    if (!judged)
        cw_put_format(out, "<strong>Nothing is known of this site: no URL could be checked.</strong>");
    else if (judged == 1)
        cw_put_format(out, "<strong>The only URL that could be checked is %s.</strong>",
                      broken ? "broken" : "not broken");
    else if (broken)
        cw_put_format(out, "<strong>%s of the %s URLs that were checked %s broken.</strong>",
                      cw_survey_count_text(broken).text, cw_survey_count_text(judged).text, broken == 1 ? "is" : "are");
    else
        cw_put_format(out, "<strong>None of the %s URLs that were checked is broken.</strong>",
                      cw_survey_count_text(judged).text);
}

crawl_err cw_survey_head_sentence(cw_writer *out, const cw_survey_report *report)
{
    report_head_put_broken(out, report->states[CW_SURVEY_BROKEN], report->judged);
    if (report->judged)
        cw_put_format(out, " %s succeeded, %s redirect%s.", cw_survey_count_text(report->states[CW_SURVEY_FINE]).text,
                      cw_survey_count_text(report->states[CW_SURVEY_REDIRECTS]).text,
                      report->states[CW_SURVEY_REDIRECTS] == 1 ? "s" : "");
    if (report->invalid)
        cw_put_format(out, " %s link%s invalid.", cw_survey_count_text(report->invalid).text,
                      report->invalid == 1 ? " is" : "s are");
    if (report->survey->has_state && report->survey->queued)
        cw_put_format(out, " The crawl is not finished: %s request%s still queued.",
                      cw_survey_count_text(report->survey->queued).text, report->survey->queued == 1 ? " is" : "s are");
    return CRAWL_OK;
}

/* Returns true if the crawl may not have kept all records. */
static bool keeps_some(const crawl_config *config)
{
    crawl_buf rules = {0};
    bool has_rules = !config || crawl_config_get(config, "output.keep", &rules, NULL) ||
                     crawl_config_get(config, "output.keep_type", &rules, NULL) || rules.size;
    crawl_buf_free(&rules);
    return has_rules;
}

/* Adds to a cause why a queued link may have no record: the crawl ended before, or did not keep it. */
static void put_note(cw_writer *out, const cw_survey_report *report, cw_survey_cut cut)
{
    if (cut != CW_SURVEY_CUT_QUEUED)
        return;
    if (keeps_some(report->config))
        cw_put_format(out, ", or not kept by --keep");
    if (report->ended_by)
        cw_put_format(out, " (%s)", report->ended_by);
}

void cw_survey_head_put_causes(cw_writer *out, const cw_survey_report *report)
{
    const char *between = "";
    for (cw_survey_cut cut = CW_SURVEY_CUT_NONE; cut < CW_SURVEY_CUTS; cut++) {
        uint64_t count = report->survey->coverage.cut[cut];
        if (!cw_survey_cut_words[cut] || !count)
            continue;
        cw_put_format(out, "%s%s %s", between, cw_survey_count_text(count).text, cw_survey_cut_words[cut]);
        put_note(out, report, cut);
        between = "; ";
    }
}

void cw_survey_head_put_share(cw_writer *out, const cw_survey_report *report)
{
    const cw_survey_coverage *coverage = &report->survey->coverage;
    uint64_t all = report->judged + cw_survey_coverage_missing(coverage);
    cw_put_format(out, "%s of %s URL%s that %s found", cw_survey_count_text(report->judged).text,
                  cw_survey_count_text(all).text, cw_survey_plural(all), all == 1 ? "was" : "were");
}

static void report_head_escape_causes(cw_writer *out, const cw_survey_report *report)
{
    crawl_buf text = {0};
    cw_writer causes = {.out = &text};
    cw_survey_head_put_causes(&causes, report);
    out->err = out->err ? out->err : causes.err;
    cw_escape_html(out, crawl_buf_slice(&text));
    crawl_buf_free(&text);
}

crawl_err cw_survey_head_coverage(cw_writer *out, const cw_survey_report *report)
{
    bool is_part = cw_survey_coverage_missing(&report->survey->coverage) > 0;
    if (!is_part && report->survey->has_links)
        return CRAWL_OK;
    cw_put_format(out, "<p class=\"part\">");
    if (is_part) {
        cw_put_format(out, "<strong>This is a part of the site: ");
        cw_survey_head_put_share(out, report);
        cw_put_format(out, ".</strong> Nothing is known of the others: ");
        report_head_escape_causes(out, report);
        cw_put_format(out, ".");
    }
    if (!report->survey->has_links)
        cw_put_format(out, "%sHow much of the site was left out by --depth or another limit is not known. %s",
                      is_part ? " " : "", cw_survey_needs_links(report));
    cw_put_format(out, "</p>\n");
    return CRAWL_OK;
}

/* Writes 20261122192410123 as "2026-11-22"; put_minute() writes it as "19:24". */
static void put_day(cw_writer *out, uint64_t when)
{
    unsigned day = (unsigned)(when / 1000000000);
    cw_put_format(out, "%04u-%02u-%02u", day / 10000, day / 100 % 100, day % 100);
}

static void put_minute(cw_writer *out, uint64_t when)
{
    unsigned minute = (unsigned)(when / 100000 % 10000);
    cw_put_format(out, " %02u:%02u", minute / 100, minute % 100);
}

/* Writes the dates of the crawl. The day of its end is omitted if it is the same. */
void cw_survey_head_put_dates(cw_writer *out, const cw_survey *survey)
{
    put_day(out, survey->first);
    put_minute(out, survey->first);
    cw_put_format(out, " to ");
    if (survey->first / 1000000000 != survey->last / 1000000000)
        put_day(out, survey->last);
    put_minute(out, survey->last);
    cw_put_format(out, " (UTC)");
}

crawl_err cw_survey_head_dates(cw_writer *out, const cw_survey_report *report)
{
    if (!report->survey->first)
        return CRAWL_OK;
    cw_put_format(out, "Crawled from ");
    cw_survey_head_put_dates(out, report->survey);
    cw_put_format(out, ".");
    return CRAWL_OK;
}

static void put_figure(cw_writer *out, const char *name, const char *value, bool is_bad)
{
    cw_put_format(out, "<div><dt>%s</dt><dd%s>%s</dd></div>\n", name, is_bad ? " class=\"bad\"" : "", value);
}

/* Without links the number of URLs found is unknown. */
static void put_missing(cw_writer *out, const cw_survey_report *report)
{
    char text[64];
    uint64_t missing = cw_survey_coverage_missing(&report->survey->coverage);
    snprintf(text, sizeof text, "%s%s", cw_survey_count_text(missing).text,
             report->survey->has_links ? "" : " or more");
    if (!missing && !report->survey->has_links)
        snprintf(text, sizeof text, "?");
    put_figure(out, "not checked", text, false);
}

crawl_err cw_survey_head_numbers(cw_writer *out, const cw_survey_report *report)
{
    put_figure(out, "URLs checked", cw_survey_count_text(report->judged).text, false);
    put_figure(out, "succeeded", cw_survey_count_text(report->states[CW_SURVEY_FINE]).text, false);
    put_figure(out, "redirect", cw_survey_count_text(report->states[CW_SURVEY_REDIRECTS]).text, false);
    put_figure(out, "broken", cw_survey_count_text(report->states[CW_SURVEY_BROKEN]).text,
               report->states[CW_SURVEY_BROKEN]);
    put_missing(out, report);
    put_figure(out, "of content", cw_survey_bytes_text(report->bytes).text, false);
    put_figure(out, "median time", report->responses ? cw_survey_ms_text(report->median_ms).text : "–", false);
    return CRAWL_OK;
}
