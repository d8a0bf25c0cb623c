/* `crawl report`: reads its options and its input in the right order, writes the report in the forms asked for, and
 * writes the messages about it. */
#include "crawler/program/tools/report/csv.h"
#include "crawler/program/tools/report/html.h"
#include "crawler/program/tools/report/junit.h"
#include "crawler/program/tools/report/page.h"
#include "crawler/program/tools/report/read.h"
#include "crawler/program/tools/report/redirects.h"

#include "base/bytes.h"
#include "crawler/program/tools/options.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <crawl/config.h>
#include <stdlib.h>
#include <unistd.h>

const char cw_tool_report_help[] =
    "usage: crawl report RECORDS... [options]\n"
    "\n"
    "Tells the owner of a site what a crawl has found: broken links with the pages that hold them, redirect chains and loops,\n"
    "slow and large pages, duplicates, missing titles, pages kept out of search, deep pages, orphans, and the site by folders,\n"
    "statuses, types and hosts. RECORDS are files that `crawl --output` wrote, or - for standard input; of several records of\n"
    "a page the latest counts. Standard output has a line for each kind of fault that was found.\n"
    "\n"
    "  --html FILE      write the report as one page that needs nothing else; - is standard output\n"
    "  --csv DIR        write all tables, whole, as DIR/broken.csv and so on\n"
    "  --junit FILE     write faults as JUnit's XML: those of --fail-on; without it broken and redirect-loops\n"
    "  --links FILE     the links of the crawl (`crawl --links`): who links to what is broken; orphans; hosts linked to\n"
    "  --requests FILE  the requests of the crawl (`crawl --requests`): robots.txt, retries, sitemaps\n"
    "  --sitemap FILE   a sitemap, also compressed: orphans, and what is linked and not in it\n"
    "  --state DIR      the directory of the crawl: whether it has come to its end\n"
    "  --compare FILE   the records of an earlier crawl: what is new, gone, newly broken, mended\n"
    "  --fail-on LIST   exit with status 5 where one of these was found, between commas: broken, redirect-loops,\n"
    "                   redirect-chains, slow, large, duplicates, near-duplicates, untitled, same-titles, noindex, nofollow,\n"
    "                   deep, orphans, unlisted, newly-broken\n"
    "  --slow D         answers that took so long are slow; default 1s\n"
    "  --large B        answers of such a size are large; default 1MiB\n"
    "  --deep N         pages so many clicks away from the start are deep; default 6\n"
    "  --help           this text\n"
    "\n"
    "--links, --requests and --sitemap may be given several times. Text that begins with =, +, - or @ has an apostrophe before\n"
    "it in CSV files, so that no spreadsheet takes it for a formula. Up to 2,000,000 pages are told apart, in about 1.2 KB\n"
    "each, and 1,000,000 links to broken pages are kept, in about 64.\n"
    "Exit status: 0; 1 there was no record, or lines could not be read (the rest was reported); 2 usage; 4 a file or memory;\n"
    "5 --fail-on found something.\n";

static const char tool[] = "report";

enum { FILES_MAX = 64, CHOSEN_MAX = 32 };

typedef struct files {
    const char *paths[FILES_MAX];
    size_t count;
} files;

typedef struct report_job {
    files links, requests, sitemaps;
    const char *html, *csv, *junit, *state, *compare;
    const cw_survey_table *chosen[CHOSEN_MAX + 1]; /* by --fail-on */
    size_t chosen_count;
    crawl_config limits; /* in the keys that limit_of names */
    cw_survey_report report;
} report_job;

/* ---- options ---- */

static bool take_file(void *user, const char *name, const char *value)
{
    report_job *j = user;
    files *to = strcmp(name, "links") == 0 ? &j->links : strcmp(name, "requests") == 0 ? &j->requests : &j->sitemaps;
    if (to->count == FILES_MAX) {
        cw_tool_say(tool, "--%s: more than %d files", name, FILES_MAX);
        return false;
    }
    to->paths[to->count++] = value;
    return true;
}

static bool is_chosen(const report_job *j, const cw_survey_table *table)
{
    for (size_t i = 0; i < j->chosen_count; i++)
        if (j->chosen[i] == table)
            return true;
    return false;
}

static bool take_faults(void *user, const char *name, const char *value)
{
    report_job *j = user;
    crawl_slice list = crawl_slice_from(value);
    while (list.size) {
        crawl_slice id = cw_trim(cw_cut(&list, ','));
        const cw_survey_table *table = cw_survey_table_of(id);
        if (!table || !table->is_fault) {
            cw_tool_say(tool, "--%s: \"%.*s\" is no fault; `crawl help report` names them", name, (int)id.size,
                        id.data);
            return false;
        }
        if (!is_chosen(j, table))
            j->chosen[j->chosen_count++] = table;
    }
    return true;
}

/* Durations, sizes and counts are written as in crawler.conf. */
static bool take_limit(void *user, const char *name, const char *value)
{
    static const struct {
        const char *option;
        const char *key;
    } keys[] = {{"slow", "politeness.delay"}, {"large", "fetch.max_body"}, {"deep", "crawl.depth"}};
    report_job *j = user;
    crawl_error error = {0};
    size_t i = 0;
    while (strcmp(keys[i].option, name) != 0)
        i++;
    if (crawl_config_set(&j->limits, keys[i].key, value, &error) == CRAWL_OK)
        return true;
    const char *expected = strstr(error.message, "expected ");
    cw_tool_say(tool, "--%s %s: %s", name, value, expected ? expected : error.message);
    return false;
}

static crawl_err set_default_limits(crawl_config *limits)
{
    crawl_err err = crawl_config_init(limits);
    if (!err)
        err = crawl_config_set(limits, "politeness.delay", "1s", NULL);
    if (!err)
        err = crawl_config_set(limits, "fetch.max_body", "1MiB", NULL);
    return err ? err : crawl_config_set(limits, "crawl.depth", "6", NULL);
}

/* ---- reading ---- */

static int read_all(cw_survey *survey, const char *const *paths, size_t count, cw_survey_take *take)
{
    int status = CW_EXIT_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = cw_survey_read(survey, paths[i], take);
    return status;
}

static int no_memory(void)
{
    cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
    return CW_EXIT_LOCAL;
}

/* Reads the input. Links come last, since they are kept only if they lead to a broken page, or to one of the
 * sitemap. */
static int read_current(report_job *j, char **paths, size_t count)
{
    cw_survey *survey = j->report.survey;
    int status = read_all(survey, (const char *const *)paths, count, cw_survey_take_record);
    survey->has_requests = j->requests.count > 0;
    survey->has_links = j->links.count > 0;
    if (!status)
        status = read_all(survey, j->requests.paths, j->requests.count, cw_survey_take_request);
    if (!status)
        cw_survey_find_sitemap_pages(survey);
    for (size_t i = 0; i < j->sitemaps.count && !status; i++)
        status = cw_survey_read_sitemap(survey, j->sitemaps.paths[i]);
    if (!status)
        status = read_all(survey, j->links.paths, j->links.count, cw_survey_take_link);
    return !status && j->state ? cw_survey_read_state(survey, j->state) : status;
}

static int read_old(report_job *j)
{
    if (!j->compare)
        return CW_EXIT_OK;
    j->report.old = cw_survey_create();
    return j->report.old ? cw_survey_read(j->report.old, j->compare, cw_survey_take_record) : no_memory();
}

static crawl_slice origin_of(crawl_slice url)
{
    crawl_slice host = cw_survey_host_of(url);
    return host.size ? crawl_slice_of(url.data, (size_t)(host.data + host.size - url.data)) : host;
}

/* The origin that all pages have; empty: they have several. */
static crawl_slice common_origin(const cw_survey_list *pages)
{
    crawl_slice origin = pages->count ? origin_of(pages->items[0]->says.url) : (crawl_slice){0};
    for (size_t i = 1; i < pages->count; i++)
        if (!crawl_slice_equal(origin, origin_of(pages->items[i]->says.url)))
            return (crawl_slice){0};
    return origin;
}

static crawl_err prepare(cw_survey_report *report)
{
    report->origin = common_origin(&report->survey->pages);
    cw_survey_follow_redirects(report->survey);
    crawl_err err = cw_survey_mark_copies(report);
    if (!err)
        err = cw_survey_folders_build(&report->folders, report->survey);
    return err ? err : cw_survey_count(report);
}

/* ---- writing ---- */

static crawl_err write_junit(const report_job *j, crawl_error *error)
{
    const cw_survey_table *const usual[] = {cw_survey_table_of(crawl_slice_from("broken")),
                                            cw_survey_table_of(crawl_slice_from("redirect-loops")), NULL};
    return cw_survey_write_junit(&j->report, j->chosen_count ? j->chosen : usual, j->junit, error);
}

static int write_all(const report_job *j)
{
    crawl_error error = {0};
    crawl_err err = j->csv ? cw_survey_write_csv(&j->report, j->csv, &error) : CRAWL_OK;
    if (!err && j->junit)
        err = write_junit(j, &error);
    if (!err && j->html)
        err = cw_survey_write_page(&j->report, j->html, &error);
    if (!err)
        return CW_EXIT_OK;
    cw_tool_say(tool, "%s", *error.message ? error.message : crawl_strerror(err));
    return CW_EXIT_LOCAL;
}

static bool prints_elsewhere(const report_job *j)
{
    return (j->html && strcmp(j->html, "-") == 0) || (j->junit && strcmp(j->junit, "-") == 0);
}

/* Writes a message for each fault that was found. */
static void say_faults(const report_job *j)
{
    printf("%10s  URLs asked for\n", cw_survey_count_text(j->report.survey->pages.count).text);
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++)
        if (table->is_fault && cw_survey_count_of(table, &j->report))
            printf("%10s  %s (%s)\n", cw_survey_count_text(cw_survey_count_of(table, &j->report)).text, table->title,
                   table->id);
}

static int finish(const report_job *j)
{
    if (!prints_elsewhere(j))
        say_faults(j);
    for (size_t i = 0; i < j->chosen_count; i++)
        if (cw_survey_count_of(j->chosen[i], &j->report))
            return CW_EXIT_FOUND;
    return j->report.survey->bad_lines || (j->report.old && j->report.old->bad_lines) ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

/* Is each fault of --fail-on known? A fault that cannot be known must not pass for one that is not there. */
static bool can_tell(const report_job *j)
{
    for (size_t i = 0; i < j->chosen_count; i++) {
        const char *unknown = cw_survey_unknown(j->chosen[i], &j->report);
        if (!unknown)
            continue;
        cw_tool_say(tool, "--fail-on %s: not known. %s", j->chosen[i]->id, unknown);
        return false;
    }
    return true;
}

static int report(report_job *j, char **paths, size_t count)
{
    j->report.slow_ms = (uint64_t)j->limits.delay_ms;
    j->report.large_bytes = j->limits.max_body_bytes;
    j->report.deep = j->limits.depth;
    j->report.survey = cw_survey_create();
    int status = j->report.survey ? read_current(j, paths, count) : no_memory();
    if (!status)
        status = read_old(j);
    if (status)
        return status;
    if (!j->report.survey->pages.count) {
        cw_tool_say(tool, "there was no record");
        return CW_EXIT_NOTHING;
    }
    if (!can_tell(j))
        return CW_EXIT_USAGE;
    status = prepare(&j->report) ? no_memory() : write_all(j);
    return status ? status : finish(j);
}

static int run(report_job *j, const cw_tool_syntax *syntax, int argc, char **argv)
{
    int status;
    if (set_default_limits(&j->limits))
        return no_memory();
    if (!cw_tool_options(syntax, argc, argv, &status))
        return status;
    if (optind == argc)
        return cw_tool_refuse(syntax, "name a file of records, or - for standard input");
    return report(j, argv + optind, (size_t)(argc - optind));
}

int cw_tool_report(int argc, char **argv)
{
    report_job j = {0};
    const cw_tool_option known[] = {
        {"html", .text = &j.html},
        {"csv", .text = &j.csv},
        {"junit", .text = &j.junit},
        {"state", .text = &j.state},
        {"compare", .text = &j.compare},
        {"links", .takes_value = true, .take = take_file},
        {"requests", .takes_value = true, .take = take_file},
        {"sitemap", .takes_value = true, .take = take_file},
        {"fail-on", .takes_value = true, .take = take_faults},
        {"slow", .takes_value = true, .take = take_limit},
        {"large", .takes_value = true, .take = take_limit},
        {"deep", .takes_value = true, .take = take_limit},
        {0},
    };
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .user = &j,
        .help = cw_tool_report_help,
        .usage = "Try 'crawl help report'.\n",
        .unknown = "unknown option, or one without its value",
    };
    int status = run(&j, &syntax, argc, argv);
    cw_survey_folders_free(&j.report.folders);
    cw_survey_free(j.report.survey);
    cw_survey_free(j.report.old);
    crawl_config_free(&j.limits);
    return status;
}
