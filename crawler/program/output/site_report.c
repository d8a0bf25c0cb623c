#include "crawler/program/output/site_report.h"

#include "base/error.h"
#include "config/config_values.h"
#include "crawler/program/executable.h"
#include "crawler/program/output/spool.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"
#include "tools/common/resume.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct cw_site_report {
    const crawl_config *config;
    cw_spool records, links; /* input of the report */
    ino_t first[2];          /* inodes of the crawl's own files among these as they were opened; 0: none */
    bool resumed;
};

static bool site_report_is_file(const char *path)
{
    struct stat found;
    return path && strcmp(path, "-") != 0 && !crawl_output_is_sink(path) && !crawl_output_is_csv(path) &&
           stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Returns true if this file has all lines of this crawl, and no others. */
static bool can_be_read(const crawl_config *config, const char *path)
{
    bool is_whole = path != config->output || (!config->keep.count && !config->keep_types.count);
    return is_whole && config->existing != CRAWL_EXISTING_APPEND && site_report_is_file(path);
}

/* Returns true if the crawl writes a database with the whole input of the report. */
static bool site_report_is_in_database(const crawl_config *config)
{
    return cw_tool_is_database(config->output) && cw_tool_is_database(config->links) &&
           (!config->requests || cw_tool_is_database(config->requests)) && !config->keep.count &&
           !config->keep_types.count && config->existing != CRAWL_EXISTING_APPEND;
}

/* Opens a spool, unless the crawl's own file can be used. own: that file. name: of the spool in the directory of
 * --state. */
static crawl_err open_source(cw_spool *s, const crawl_config *config, const char *own, const char *name, bool resumed,
                             crawl_error *error)
{
    if (can_be_read(config, own))
        return crawl_buf_append_text(&s->path, own) ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
    return cw_spool_open(s, config, name, config->program.report, resumed, error);
}

static ino_t site_report_inode(const cw_spool *s)
{
    struct stat found;
    return s->lines || !s->path.size || stat(s->path.data, &found) ? 0 : found.st_ino;
}

crawl_err cw_site_report_open(const crawl_config *config, bool resumed, cw_site_report **out, crawl_error *error)
{
    cw_site_report *report = calloc(1, sizeof *report);
    if (!report)
        return cw_error(error, CRAWL_ENOMEM);
    report->config = config;
    report->resumed = resumed;
    report->records.file = report->links.file = -1;
    bool is_in_database = site_report_is_in_database(config);
    crawl_err err = CRAWL_OK;
    if (is_in_database && crawl_buf_append_text(&report->records.path, config->output))
        err = cw_error(error, CRAWL_ENOMEM);
    if (!is_in_database)
        err = open_source(&report->records, config, config->output, CW_TOOL_KEPT_RECORDS, resumed, error);
    if (!is_in_database && !err)
        err = open_source(&report->links, config, config->links, CW_TOOL_KEPT_LINKS, resumed, error);
    report->first[0] = site_report_inode(&report->records);
    report->first[1] = site_report_inode(&report->links);
    if (err)
        cw_site_report_free(report);
    else
        *out = report;
    return err;
}

/* In a crawl with a directory, flushes the links of a page before its record, and both before its request is done. */
crawl_err cw_site_report_record(cw_site_report *report, const crawl_record *record)
{
    crawl_lines *records = report->records.lines;
    crawl_lines *links = report->links.lines;
    bool outlives = report->config->state != NULL;
    const char *headers = report->config->answer_headers;
    crawl_buf members = {0};
    crawl_err err = outlives && links ? crawl_lines_flush(links) : CRAWL_OK;
    if (err || !records)
        return err;
    err = headers ? crawl_record_headers(record, headers, &members) : CRAWL_OK;
    if (!err) {
        err = crawl_record_json(record, NULL, crawl_buf_slice(&members), crawl_lines_begin(records));
        err = crawl_lines_end(records, err);
    }
    crawl_buf_free(&members);
    return err || !outlives ? err : crawl_lines_flush(records);
}

crawl_err cw_site_report_edge(cw_site_report *report, const crawl_edge *edge)
{
    if (!report->links.lines)
        return CRAWL_OK;
    return crawl_lines_end(report->links.lines, crawl_edge_json(edge, crawl_lines_begin(report->links.lines)));
}

crawl_err cw_site_report_close(cw_site_report *report, crawl_error *error)
{
    crawl_err err = cw_spool_close(&report->records, error);
    crawl_err of_links = cw_spool_close(&report->links, err ? NULL : error);
    return err ? err : of_links;
}

/* Returns the configuration as an unnamed file for the report. -1: errno says why. */
static int open_config(const crawl_config *config)
{
    int file = memfd_create("crawler.conf", MFD_CLOEXEC);
    int copy = file < 0 ? -1 : dup(file);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    bool is_whole = out && crawl_config_print(config, out) == CRAWL_OK;
    if (out ? fclose(out) : copy >= 0 && close(copy))
        is_whole = false;
    if (is_whole || file < 0)
        return file;
    int why = errno;
    close(file);
    errno = why;
    return -1;
}

/* Runs `crawl report` on the files. printed: its line. */
static int run_report(const cw_site_report *report, const char *ended_by, int config, crawl_buf *printed)
{
    const crawl_config *own = report->config;
    char file[32];
    const int inherited[] = {config, report->records.file >= 0 ? report->records.file : config,
                             report->links.file >= 0 ? report->links.file : config, -1};
    const char *words[20] = {"crawl-report", "--brief", "--config", file, "--html", own->program.report};
    size_t count = 6;
    const struct {
        const char *option;
        const char *value;
    } options[] = {{"--links", report->links.path.data},
                   {"--requests", can_be_read(own, own->requests) ? own->requests : NULL},
                   {"--state", own->state},
                   {"--ended-by", ended_by}};
    snprintf(file, sizeof file, "/proc/self/fd/%d", config);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].value) {
            words[count++] = options[i].option;
            words[count++] = options[i].value;
        }
    words[count++] = "--";
    words[count] = report->records.path.data;
    return cw_program_executable_run("report", (char **)words, inherited, printed);
}

/* Tells the user what to do if there was no record. A new crawl has already said that it got nothing. Returns the exit
 * status. */
static int site_report_say_nothing(const cw_site_report *report)
{
    const crawl_config *own = report->config;
    if (!report->resumed)
        return CW_EXIT_OK;
    if (site_report_is_file(own->output))
        cw_tool_say("report", "%s was not made; to make it from the records in %s: crawl report %s --html %s",
                    own->program.report, own->output, own->output, own->program.report);
    else
        cw_tool_say("report",
                    "%s was not made: the earlier runs of this crawl kept no records; start a new crawl with "
                    "--report",
                    own->program.report);
    return CW_EXIT_NOTHING;
}

/* Tells the user of a file that was moved away, as logrotate does. */
static void site_report_say_moved(const cw_site_report *report)
{
    const cw_spool *const sources[] = {&report->records, &report->links};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (report->first[i] && site_report_inode(sources[i]) != report->first[i])
            cw_message_say(CW_MESSAGE_WARNING,
                           "report: %s was moved away during the crawl: the report lacks what was moved; `crawl "
                           "report` makes it from all files",
                           sources[i]->path.data);
}

int cw_site_report_make(const cw_site_report *report, const char *ended_by, crawl_buf *said)
{
    crawl_buf line = {0};
    int config = open_config(report->config);
    if (config < 0) {
        cw_tool_say(NULL, "report: %s", strerror(errno));
        return CW_EXIT_LOCAL;
    }
    site_report_say_moved(report);
    int status = run_report(report, ended_by, config, &line);
    if (!status && crawl_buf_printf(said, "  report    %s", line.data ? line.data : "\n"))
        status = CW_EXIT_LOCAL;
    close(config);
    crawl_buf_free(&line);
    return status == CW_EXIT_NOTHING ? site_report_say_nothing(report) : status;
}

void cw_site_report_free(cw_site_report *report)
{
    if (!report)
        return;
    cw_spool_free(&report->records);
    cw_spool_free(&report->links);
    free(report);
}

#define DIGITS "[0-9][0-9][0-9][0-9][0-9]"

crawl_err cw_site_warc_find(const char *prefix, const char *end, glob_t *found)
{
    crawl_buf pattern = {0};
    crawl_err err = CRAWL_OK;
    for (; *prefix && !err; prefix++) {
        if (strchr("*?[{\\", *prefix))
            err = crawl_buf_append_char(&pattern, '\\');
        if (!err)
            err = crawl_buf_append_char(&pattern, *prefix);
    }
    if (!err)
        err = crawl_buf_append_text(&pattern, "-" DIGITS DIGITS "[0-9][0-9][0-9][0-9]-" DIGITS "*");
    if (!err)
        err = crawl_buf_append_text(&pattern, end);
    *found = (glob_t){0};
    if (!err && glob(pattern.data, GLOB_BRACE, NULL, found) == GLOB_NOSPACE)
        err = CRAWL_ENOMEM;
    crawl_buf_free(&pattern);
    return err;
}

/* Runs `crawl warc`. Returns its exit status. *out: its output. */
static int site_wacz_run(const char *path, const glob_t *files, crawl_buf *out)
{
    const char *const words[] = {"crawl-warc", "--wacz", path, "--"};
    enum { WORDS = sizeof words / sizeof *words };
    char **argv = cw_tool_memory_granted(calloc(WORDS + files->gl_pathc + 1, sizeof *argv));
    memcpy(argv, words, sizeof words);
    for (size_t i = 0; i < files->gl_pathc; i++)
        argv[WORDS + i] = files->gl_pathv[i];
    int status = cw_program_executable_run("warc", argv, NULL, out);
    free(argv);
    return status;
}

int cw_site_wacz_make(const crawl_config *config, crawl_buf *said)
{
    glob_t files;
    crawl_buf line = {0};
    crawl_err err = cw_site_warc_find(config->warc, ".warc.gz{,.open}", &files);
    if (err)
        cw_tool_say(NULL, "wacz: %s", crawl_strerror(err));
    int status = err ? CW_EXIT_LOCAL : site_wacz_run(config->program.wacz, &files, &line);
    if (!status && crawl_buf_printf(said, "  wacz      %s", line.data ? line.data : "\n"))
        status = CW_EXIT_LOCAL;
    crawl_buf_free(&line);
    globfree(&files);
    return status;
}
