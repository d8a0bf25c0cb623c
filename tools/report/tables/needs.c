#include "tools/report/tables/needs.h"

const char *cw_survey_needs_links(const cw_survey_report *report)
{
    return report->survey->has_links ? NULL : "No links were given: crawl with --links FILE, and give it with --links.";
}

const char *cw_survey_needs_judged(const cw_survey_report *report)
{
    return report->judged ? NULL : "No URL could be checked.";
}

const char *cw_survey_needs_responses(const cw_survey_report *report)
{
    return report->responses ? NULL : "No server answered.";
}

const char *cw_survey_needs_answers(const cw_survey_report *report)
{
    return report->answers ? NULL : "No answer succeeded.";
}

const char *cw_survey_needs_html(const cw_survey_report *report)
{
    return report->html_pages ? NULL : "No HTML page was read.";
}

const char *cw_survey_needs_depth(const cw_survey_report *report)
{
    const cw_survey *survey = report->survey;
    if (report->deepest >= report->deep)
        return NULL;
    if (!report->answers)
        return cw_survey_needs_answers(report);
    if (!survey->has_links)
        return "No page was found so deep, and without links it is not known whether some were left out: crawl with "
               "--links FILE, and give it with --links.";
    return cw_survey_coverage_missing(&survey->coverage)
               ? "The crawl did not go so deep, and left out URLs that may lie there."
               : NULL;
}

/* A site whose links all stay within the crawl has no external links to check. */
const char *cw_survey_needs_external(const cw_survey_report *report)
{
    const cw_survey *survey = report->survey;
    if (report->externals)
        return report->judged_externals ? NULL : "No link to another site could be checked.";
    if (!report->html_pages)
        return cw_survey_needs_html(report);
    if (survey->has_links && !survey->leads_out)
        return NULL;
    return "There is no record of a link to another site: crawl with --check-external.";
}

static bool is_set(const cw_survey_report *report, const char *key)
{
    return report->config && crawl_config_number(report->config, key) > 0;
}

const char *cw_survey_needs_ids(const cw_survey_report *report)
{
    if (!report->html_pages)
        return cw_survey_needs_html(report);
    bool is_known = report->survey->has_ids || is_set(report, "crawl.check_fragments");
    return is_known ? cw_survey_needs_links(report)
                    : "No record has the ids of its page: crawl with --check-fragments.";
}

const char *cw_survey_needs_sitemap(const cw_survey_report *report)
{
    if (!report->survey->has_sitemap)
        return "There is no record of a URL that a sitemap named first: crawl with --sitemaps, or give the sitemap "
               "with --sitemap FILE.";
    return cw_survey_needs_links(report);
}

const char *cw_survey_needs_sitemap_file(const cw_survey_report *report)
{
    return report->survey->has_sitemap_file ? cw_survey_needs_links(report)
                                            : "No whole sitemap was given: give it with --sitemap FILE.";
}

const char *cw_survey_needs_near(const cw_survey_report *report)
{
    if (report->survey->has_near)
        return NULL;
    if (!report->html_pages)
        return cw_survey_needs_html(report);
    bool is_known = report->config && strcmp(crawl_config_text(report->config, "dedupe.kind"), "near") == 0;
    return is_known ? NULL : "No record has a hash of its text: crawl with --dedupe near.";
}

/* A page without metadata has no data in its record. */
const char *cw_survey_needs_data(const cw_survey_report *report)
{
    if (!report->html_pages)
        return cw_survey_needs_html(report);
    bool is_known = report->survey->has_data || is_set(report, "output.data");
    return is_known ? NULL : "No record has data: crawl with --data; if it had that option, no page has data.";
}

const char *cw_survey_needs_translations(const cw_survey_report *report)
{
    const char *missing = cw_survey_needs_data(report);
    if (missing || report->tells_translations)
        return missing;
    return "Pages name translations, but there is no record of one: crawl these too.";
}

const char *cw_survey_needs_text(const cw_survey_report *report)
{
    if (!report->html_pages)
        return cw_survey_needs_html(report);
    bool is_known =
        report->has_texts || (report->config && strcmp(crawl_config_text(report->config, "output.text"), "none") != 0);
    return is_known ? NULL : "No record has the text of its page: crawl with --text plain.";
}

const char *cw_survey_needs_parts(const cw_survey_report *report)
{
    if (!report->html_pages)
        return cw_survey_needs_html(report);
    bool is_known = report->parts || is_set(report, "crawl.requisites");
    return is_known ? cw_survey_needs_links(report)
                    : "There is no record of a part of a page: crawl with "
                      "--requisites.";
}

const char *cw_survey_needs_mixed(const cw_survey_report *report)
{
    return report->html_pages && !report->is_encrypted ? NULL : cw_survey_needs_parts(report);
}

const char *cw_survey_needs_guards(const cw_survey_report *report)
{
    enum { GUARDS = 5 }; /* rows of the table guard */
    if (!report->html_pages)
        return cw_survey_needs_html(report);
    return report->unguarded || report->guards == GUARDS
               ? NULL
               : "The crawl did not look for all security headers: crawl with --audit.";
}

const char *cw_survey_needs_old(const cw_survey_report *report)
{
    return report->old ? NULL : "Give the records of an earlier crawl with --compare OLD.";
}

const char *cw_survey_needs_old_and_judged(const cw_survey_report *report)
{
    return report->old ? cw_survey_needs_judged(report) : cw_survey_needs_old(report);
}
