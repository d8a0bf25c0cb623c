/* `crawl report`: reads its options and its input, writes the report in the forms asked for, and prints messages about
 * it. */
#include "tools/report/files/report_files.h"
#include "tools/report/kept.h"
#include "tools/report/make.h"
#include "tools/report/page/html.h"
#include "tools/report/page/report_head.h"
#include "tools/report/page/report_page.h"
#include "tools/report/tables/needs.h"

#include "base/bytes.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <crawl/config.h>
#include <crawl/sys/redis.h>
#include <crawl/url.h>
#include <stdlib.h>
#include <unistd.h>

static const char tool[] = "report";

enum { CHOSEN_MAX = 32 };

typedef struct report_job {
    cw_survey_input input;
    const char *html, *csv, *junit;
    const char *config_file; /* NULL: not given */
    crawl_config *config;    /* from that file */
    bool is_brief;
    const cw_survey_table *printed;                /* by --print; NULL: none */
    const cw_survey_table *chosen[CHOSEN_MAX + 1]; /* by --fail-on */
    size_t chosen_count;
    cw_survey_kept kept; /* if --state is given without records */
    const char *kept_records;
    const char *map;          /* NULL: not given */
    crawl_buf host, old_host; /* of it */
    cw_survey_report report;
} report_job;

/* ---- options ---- */

static bool take_file(void *user, const char *name, const char *value)
{
    report_job *j = user;
    cw_survey_files *to = strcmp(name, "links") == 0      ? &j->input.links
                          : strcmp(name, "requests") == 0 ? &j->input.requests
                                                          : &j->input.sitemaps;
    if (to->count == CW_SURVEY_FILES_MAX) {
        cw_tool_say(tool, "--%s: more than %d files", name, CW_SURVEY_FILES_MAX);
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
    do {
        crawl_slice id = cw_trim(cw_cut(&list, ','));
        const cw_survey_table *table = cw_survey_table_of(id);
        if (!table || !table->is_fault) {
            cw_tool_say(tool, "--%s: \"%.*s\" is not a fault; `crawl help report` lists them", name, (int)id.size,
                        id.data);
            return false;
        }
        if (!is_chosen(j, table))
            j->chosen[j->chosen_count++] = table;
    } while (list.size);
    return true;
}

static bool take_table(void *user, const char *name, const char *value)
{
    report_job *j = user;
    if (j->printed) {
        cw_tool_say(tool, "--%s: one table at a time; --csv DIR writes all", name);
        return false;
    }
    j->printed = cw_survey_table_of(crawl_slice_from(value));
    if (!j->printed) {
        cw_tool_say(tool, "--%s %s: no such table; the tables are", name, value);
        for (const cw_survey_table *table = cw_survey_tables; table->id; table++)
            cw_tool_say(tool, "  %s", table->id);
    }
    return j->printed != NULL;
}

/* Durations, sizes and counts are written as in crawler.conf. */
static bool take_limit(void *user, const char *name, const char *value)
{
    static const struct {
        const char *option;
        const char *key;
    } keys[] = {{"slow", "politeness.delay"},
                {"large", "fetch.max_body"},
                {"heavy", "fetch.max_body"},
                {"deep", "crawl.depth"}};
    report_job *j = user;
    uint64_t *const limits[] = {&j->report.slow_ms, &j->report.large_bytes, &j->report.heavy_bytes, &j->report.deep};
    int64_t limit = 0;
    size_t i = 0;
    while (strcmp(keys[i].option, name) != 0)
        i++;
    bool is_good = cw_tool_option_number(tool, name, keys[i].key, value, &limit);
    *limits[i] = (uint64_t)limit;
    return is_good;
}

/* ---- writing ---- */

static crawl_err write_junit(const report_job *j, crawl_error *error)
{
    const cw_survey_table *const usual[] = {cw_survey_table_of(crawl_slice_from("broken")),
                                            cw_survey_table_of(crawl_slice_from("redirect-loops")), NULL};
    return cw_survey_write_junit(&j->report, j->chosen_count ? j->chosen : usual, j->junit, error);
}

static int report_write_all(const report_job *j)
{
    crawl_error error = {0};
    crawl_err err = j->csv ? cw_survey_write_csv(&j->report, j->csv, &error) : CRAWL_OK;
    if (!err && j->junit)
        err = write_junit(j, &error);
    if (!err && j->html)
        err = cw_survey_write_page(&j->report, j->html, &error);
    if (!err && j->printed)
        err = cw_survey_print(&j->report, j->printed, &error);
    if (!err)
        return CW_EXIT_OK;
    cw_tool_say(tool, "%s", *error.message ? error.message : crawl_strerror(err));
    return CW_EXIT_LOCAL;
}

static bool prints_elsewhere(const report_job *j)
{
    return j->printed || (j->html && strcmp(j->html, "-") == 0) || (j->junit && strcmp(j->junit, "-") == 0);
}

/* Returns what `put` writes. Free it. Its data may be NULL. */
static crawl_buf written(const report_job *j, void (*put)(cw_writer *, const cw_survey_report *))
{
    crawl_buf text = {0};
    cw_writer out = {.out = &text};
    put(&out, &j->report);
    return text;
}

static void say_coverage(const report_job *j)
{
    uint64_t missing = cw_survey_coverage_missing(&j->report.survey->coverage);
    crawl_buf causes = written(j, cw_survey_head_put_causes);
    printf("%10s  URLs checked\n", cw_survey_count_text(j->report.judged).text);
    if (missing)
        printf("%10s  URLs found and not checked: %s\n", cw_survey_count_text(missing).text,
               causes.data ? causes.data : "");
    if (!j->report.survey->has_links)
        printf("%10s  URLs found and not asked for: %s\n", "?", cw_survey_needs_links(&j->report));
    crawl_buf_free(&causes);
}

/* Returns true if an earlier table lacks the same input. */
static bool is_said(const report_job *j, const cw_survey_table *table, const char *unknown)
{
    for (const cw_survey_table *before = cw_survey_tables; before < table; before++) {
        const char *other = cw_survey_asks(before, &j->report) ? cw_survey_unknown(before, &j->report) : NULL;
        if (other && strcmp(other, unknown) == 0)
            return true;
    }
    return false;
}

/* Prints a line for each missing input, with the faults that are unknown without it. */
static void say_unknown(const report_job *j)
{
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++) {
        const char *unknown = cw_survey_asks(table, &j->report) ? cw_survey_unknown(table, &j->report) : NULL;
        if (!unknown || is_said(j, table, unknown))
            continue;
        printf("%10s  %s", "?", table->id);
        for (const cw_survey_table *next = table + 1; next->id; next++) {
            const char *other = cw_survey_asks(next, &j->report) ? cw_survey_unknown(next, &j->report) : NULL;
            printf("%s%s", other && strcmp(other, unknown) == 0 ? ", " : "",
                   other && strcmp(other, unknown) == 0 ? next->id : "");
        }
        printf(": %s\n", unknown);
    }
}

/* Prints a line for each fault found, and for each missing input. */
static void say_faults(const report_job *j)
{
    say_coverage(j);
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++)
        if (table->is_fault && cw_survey_count_of(table, &j->report))
            printf("%10s  %s (%s)\n", cw_survey_count_text(cw_survey_count_of(table, &j->report)).text, table->title,
                   table->id);
    say_unknown(j);
}

/* Prints the number of faults of each kind, and the share of the site that was checked if not all was. */
static void say_in_brief(const report_job *j)
{
    const char *between = ": ";
    crawl_buf share = written(j, cw_survey_head_put_share);
    printf("%s", j->html ? j->html : "faults");
    if (cw_survey_coverage_missing(&j->report.survey->coverage))
        printf(", about %s", share.data ? share.data : "");
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++) {
        uint64_t count = table->is_fault ? cw_survey_count_of(table, &j->report) : 0;
        if (count)
            printf("%s%llu %s", between, (unsigned long long)count, table->id);
        between = count ? ", " : between;
    }
    putchar('\n');
    crawl_buf_free(&share);
}

/* With --fail-on, tells which share of the site was checked. */
static void say_part(const report_job *j)
{
    crawl_buf share = written(j, cw_survey_head_put_share);
    if (j->chosen_count && cw_survey_coverage_missing(&j->report.survey->coverage))
        cw_tool_say(tool, "--fail-on is about a part of the site: %s", share.data ? share.data : "");
    crawl_buf_free(&share);
}

static int report_finish(const report_job *j)
{
    if (!prints_elsewhere(j))
        (j->is_brief ? say_in_brief : say_faults)(j);
    say_part(j);
    for (size_t i = 0; i < j->chosen_count; i++)
        if (cw_survey_count_of(j->chosen[i], &j->report))
            return CW_EXIT_FOUND;
    return j->report.survey->bad_lines || (j->report.old && j->report.old->bad_lines) ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

static bool report_is_known(const report_job *j, const char *option, const cw_survey_table *table)
{
    const char *unknown = cw_survey_unknown(table, &j->report);
    if (unknown)
        cw_tool_say(tool, "%s %s: not known. %s", option, table->id, unknown);
    return !unknown;
}

/* Returns true if each fault of --fail-on and the table of --print are known. An unknown fault must not pass for an
 * absent one. */
static bool can_tell(const report_job *j)
{
    bool can = !j->printed || report_is_known(j, "--print", j->printed);
    for (size_t i = 0; i < j->chosen_count && can; i++)
        can = report_is_known(j, "--fail-on", j->chosen[i]);
    return can;
}

/* Returns the exit status. A query for a single number stores its failure in the survey, and the number has been
 * written. */
static int report_told(const report_job *j, int status)
{
    crawl_err failure = j->report.survey ? j->report.survey->failure : CRAWL_OK;
    if (!failure || status == CW_EXIT_LOCAL)
        return status;
    cw_tool_say(tool, "%s", crawl_strerror(failure));
    return CW_EXIT_LOCAL;
}

static void report_say_lack(const report_job *j, bool has_them, const char *what, const crawl_buf *path)
{
    if (!has_them && path->size)
        cw_tool_say(tool, "the database lacks the %s: crawl query --save %s %s", what, j->kept_records, path->data);
}

static int report_make(report_job *j)
{
    int status = cw_survey_make(&j->input, &j->report);
    if (!status && j->kept.is_database) {
        report_say_lack(j, j->report.survey->has_links, "links", &j->kept.links);
        report_say_lack(j, j->report.survey->has_requests, "requests", &j->kept.requests);
    }
    if (!status && !can_tell(j))
        status = CW_EXIT_USAGE;
    if (!status)
        status = report_write_all(j);
    return report_told(j, status ? status : report_finish(j));
}

static void take_kept_file(cw_survey_files *to, const crawl_buf *path)
{
    if (!to->count && path->size)
        to->paths[to->count++] = path->data;
}

/* Reads the files that the directory of --state leads to. Files that an option names come first. */
static int report_take_kept(report_job *j)
{
    int status = cw_survey_find_kept(j->input.state, &j->kept);
    if (!j->kept.is_database) {
        take_kept_file(&j->input.links, &j->kept.links);
        take_kept_file(&j->input.requests, &j->kept.requests);
    }
    j->kept_records = j->kept.records.data;
    j->input.records = &j->kept_records;
    j->input.record_count = 1;
    j->input.config = j->kept.config;
    return status;
}

static int report_take_config(report_job *j)
{
    crawl_error error = {0};
    if (!j->config_file)
        return CW_EXIT_OK;
    crawl_err err = crawl_config_create(&j->config);
    if (!err)
        err = crawl_config_load(j->config, j->config_file, &error);
    j->input.config = j->config;
    if (err)
        cw_tool_say(tool, "%s", *error.message ? error.message : crawl_strerror(err));
    return err == CRAWL_EPARSE ? CW_EXIT_USAGE : cw_tool_status(err);
}

/* Appends a host as URLs have it, "www.example:81", or the origin of a URL without a path. CRAWL_EPARSE: neither. */
static crawl_err report_put_host(crawl_slice text, crawl_buf *out)
{
    bool has_scheme = cw_find_text(text, "://") < text.size;
    crawl_buf whole = {0};
    crawl_url *url = crawl_url_create();
    crawl_err err = url ? crawl_buf_printf(&whole, "%s%.*s", has_scheme ? "" : "https://", (int)text.size, text.data)
                        : CRAWL_ENOMEM;
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&whole), NULL, NULL);
    crawl_slice path = err ? (crawl_slice){0} : crawl_url_path(url);
    if (!err && (!crawl_url_is_http(url) || !cw_is(path, "/") || crawl_url_has_query(url)))
        err = CRAWL_EPARSE;
    crawl_buf_clear(&whole);
    if (!err)
        err = crawl_url_origin(url, &whole);
    if (!err)
        err = crawl_buf_append_text(out, whole.data + (has_scheme ? 0 : strlen("https://")));
    crawl_buf_free(&whole);
    crawl_url_free(url);
    return err;
}

/* Reads --map. Returns an exit status. */
static int report_take_map(report_job *j)
{
    crawl_slice old = crawl_slice_from(j->map ? j->map : ""), host = cw_cut(&old, '=');
    if (!j->map)
        return CW_EXIT_OK;
    crawl_err err = host.size && old.size ? report_put_host(host, &j->host) : CRAWL_EPARSE;
    if (!err)
        err = report_put_host(old, &j->old_host);
    j->input.host = crawl_buf_slice(&j->host);
    j->input.old_host = crawl_buf_slice(&j->old_host);
    if (err)
        cw_tool_say(tool, "--map %s: %s", j->map,
                    err == CRAWL_EPARSE ? "expected HOST=HOST, with ports, or ORIGIN=ORIGIN" : crawl_strerror(err));
    return err == CRAWL_EPARSE ? CW_EXIT_USAGE : cw_tool_status(err);
}

static int report_run(report_job *j, const cw_tool_syntax *syntax, int argc, char **argv)
{
    int status;
    if (!cw_tool_options(syntax, argc, argv, &status))
        return status;
    if (j->input.state && crawl_redis_is_url(j->input.state))
        return cw_tool_refuse(syntax, "--state: a shared crawl has no directory: name the files of all its processes");
    if (optind == argc && !j->input.state)
        return cw_tool_refuse(syntax, "name a file of records, - for standard input, or a crawl's --state DIR");
    if ((j->html && cw_tool_is_other_file(tool, "html", j->html, "<")) ||
        (j->junit && cw_tool_is_other_file(tool, "junit", j->junit, "<")))
        return CW_EXIT_USAGE;
    j->input.records = (const char *const *)argv + optind;
    j->input.record_count = (size_t)(argc - optind);
    status = optind == argc ? report_take_kept(j) : CW_EXIT_OK;
    if (!status)
        status = report_take_map(j);
    if (!status)
        status = report_take_config(j);
    return status ? status : report_make(j);
}

static int report_main(int argc, char **argv)
{
    report_job j = {.report = {.slow_ms = CW_SURVEY_SLOW_MS,
                               .large_bytes = CW_SURVEY_LARGE_BYTES,
                               .heavy_bytes = CW_SURVEY_HEAVY_BYTES,
                               .deep = CW_SURVEY_DEEP}};
    const cw_tool_option known[] = {
        {"html", .text = &j.html},
        {"csv", .text = &j.csv},
        {"junit", .text = &j.junit},
        {"print", .takes_value = true, .take = take_table},
        {"state", .text = &j.input.state},
        {"config", .text = &j.config_file},
        {"ended-by", .text = &j.input.ended_by},
        {"brief", .flag = &j.is_brief},
        {"compare", .text = &j.input.compare},
        {"map", .text = &j.map},
        {"links", .takes_value = true, .take = take_file},
        {"requests", .takes_value = true, .take = take_file},
        {"sitemap", .takes_value = true, .take = take_file},
        {"fail-on", .takes_value = true, .take = take_faults},
        {"slow", .takes_value = true, .take = take_limit},
        {"large", .takes_value = true, .take = take_limit},
        {"heavy", .takes_value = true, .take = take_limit},
        {"deep", .takes_value = true, .take = take_limit},
        {0},
    };
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .user = &j,
        .help = cw_tool_help,
    };
    int status = report_run(&j, &syntax, argc, argv);
    cw_survey_unmake(&j.report);
    cw_survey_kept_free(&j.kept);
    crawl_config_free(j.config);
    crawl_buf_free(&j.host);
    crawl_buf_free(&j.old_host);
    return status;
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, report_main);
}
