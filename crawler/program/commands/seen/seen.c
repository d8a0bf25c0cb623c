/* `crawl seen`: lines that were not seen before. The sieve has the lines, seen_options the options, seen_file the file.
 * This file has the signals, the order of steps at the end, and the messages.
 *
 * A line has left before the filter is saved with it, and a line that could not be printed is not in it (sieve.h has
 * the exception). So a killed run loses its own additions to the file, and those lines come again: nothing is lost. */
#include "base/clock.h"
#include "base/error.h"
#include "crawler/program/commands/commands.h"
#include "crawler/program/commands/seen/seen_file.h"
#include "crawler/program/commands/seen/seen_options.h"
#include "crawler/program/commands/seen/sieve.h"
#include "crawler/program/stop_file.h"
#include "crawler/program/summary/report.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/signals.h"
#include "tools/common/tool_output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static const char tool[] = "seen";

enum { A_LOOK = 65536 }; /* fingerprints between two checks whether to stop */

/* Fingerprints imported from Scrapy, so that a crawl can continue where Scrapy ended. */
typedef struct imported {
    uint64_t read;
    uint64_t fresh; /* not in the filter before */
} imported;

typedef struct run {
    cw_seen_options options;
    crawl_bloom *filter;
    cw_seen_file *file; /* NULL: the filter is not kept */
    bool file_is_new;
    imported imported;
    cw_seen_sieve *sieve;
    cw_tool_signals *signals;
    const char *input; /* name for messages */
    bool failed;       /* the output, the filter or memory failed */
    int status;
} run;

/* Takes the filter of the file, and compares it with the options. */
static crawl_err take_filter(run *r, crawl_error *error)
{
    crawl_err err = cw_seen_options_agree(&r->options, crawl_bloom_options_of(r->filter), error);
    if (err)
        return err;
    if (*crawl_bloom_label(r->filter))
        return cw_seen_options_take_key(&r->options, crawl_bloom_label(r->filter), error);
    cw_tool_say(tool,
                "%s was made by an earlier version, and does not say how its lines were compared: this run compares by "
                "\"%s\", and if it adds any, records that in the file",
                r->options.file, cw_seen_options_key(&r->options));
    return CRAWL_OK;
}

/* Opens the filter. Returns CW_EXIT_OK, or another status after a message. */
static int open_filter(run *r)
{
    crawl_error error = {0};
    crawl_err err = CRAWL_OK;
    if (r->options.file)
        err = cw_seen_file_open(r->options.file, &r->file, &r->filter, &error);
    if (!err && r->filter) {
        err = take_filter(r, &error);
    } else if (!err) {
        r->file_is_new = true;
        err = crawl_bloom_create(&r->options.filter, &r->filter, &error);
    }
    if (!err)
        err = crawl_bloom_set_label(r->filter, cw_seen_options_key(&r->options));
    if (err)
        cw_tool_say(tool, "%s", error.message);
    return cw_tool_status(err);
}

static crawl_err import_take(void *user, const crawl_fingerprint *fingerprint)
{
    run *r = user;
    if (r->imported.read % A_LOOK == 0 && cw_program_stop_told(cw_tool_signals_event()))
        return CRAWL_DRAINED;
    crawl_err err = crawl_bloom_add(r->filter, fingerprint->bytes, sizeof fingerprint->bytes, NULL);
    if (err && err != CRAWL_EXISTS)
        return err;
    r->imported.read++;
    r->imported.fresh += !err;
    return CRAWL_OK;
}

static crawl_err import_file(run *r, const char *path, crawl_error *error)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return cw_error_of_file(error, path);
    crawl_err err = crawl_fingerprint_import(file, path, import_take, r, NULL, error);
    if (err == CRAWL_DRAINED)
        crawl_error_set(error, err, "%s: stopped before its end", path);
    fclose(file);
    return err;
}

/* Imports fingerprints. Returns CW_EXIT_OK, or another status after a message. */
static int import_scrapy(run *r)
{
    crawl_error error = {0};
    if (!r->options.import_scrapy)
        return CW_EXIT_OK;
    crawl_bloom_advance(r->filter, (uint64_t)cw_wall_ms());
    crawl_err err = import_file(r, r->options.import_scrapy, &error);
    if (!err)
        return CW_EXIT_OK;
    cw_tool_say(tool, "%s; nothing is imported", error.message);
    return err == CRAWL_EPARSE ? CW_EXIT_USAGE : err == CRAWL_DRAINED ? CW_EXIT_STOPPED : CW_EXIT_LOCAL;
}

static void seen_refuse(void *user, uint64_t record, const char *why)
{
    run *r = user;
    cw_tool_say(tool, "%s: line %" PRIu64 ": %s", r->input, record, why);
    if (!r->status)
        r->status = CW_EXIT_NOTHING;
}

static void open_sieve(run *r)
{
    cw_seen_sieve_options options = {
        .filter = r->filter,
        .out = r->options.count ? -1 : STDOUT_FILENO,
        .stop = cw_tool_signals_event(),
        .end = r->options.zero ? '\0' : '\n',
        .invert = r->options.invert,
        .urls = r->options.urls,
        .fingerprints = r->options.fingerprints,
        .fingerprint = r->options.fingerprint,
        .semicolons = r->options.semicolons,
        .refuse = seen_refuse,
        .user = r,
    };
    r->sieve = cw_tool_memory_granted(cw_seen_sieve_create(&options));
}

static int seen_open_input(const char *path, bool is_standard)
{
    /* Without O_NONBLOCK, opening a FIFO would wait for a writer, and could not be stopped. */
    int fd = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        cw_tool_say(tool, "%s: %s", path, strerror(errno));
    return fd;
}

/* Enlarges a pipe, so that it wakes reader and writer less often. Failures do not matter: other files, and perhaps the
 * kernel, refuse. */
static void seen_widen(int pipe)
{
    (void)fcntl(pipe, F_SETPIPE_SZ, 1 << 20);
}

static void note_end(run *r, cw_seen_sieve_end how, const crawl_error *error)
{
    if (how == CW_SIEVE_INPUT_FAILED)
        cw_tool_say(tool, "%s: %s", r->input, error->message);
    if (how == CW_SIEVE_FAILED)
        cw_tool_say(tool, "%s", error->message);
    if (how == CW_SIEVE_INPUT_FAILED || how == CW_SIEVE_FAILED)
        r->status = CW_EXIT_LOCAL;
    else if (how == CW_SIEVE_STOPPED && r->status != CW_EXIT_LOCAL)
        r->status = CW_EXIT_STOPPED;
    r->failed = how == CW_SIEVE_FAILED;
}

/* Reads one input. Returns false if no further input should be read. */
static bool read_input(run *r, const char *path)
{
    bool is_standard = strcmp(path, "-") == 0;
    int fd = seen_open_input(path, is_standard);
    if (fd < 0) {
        r->status = CW_EXIT_LOCAL;
        return true;
    }
    crawl_error error = {0};
    r->input = is_standard ? "standard input" : path;
    seen_widen(fd);
    cw_seen_sieve_end how = cw_seen_sieve_run(r->sieve, fd, &error);
    if (!is_standard)
        close(fd);
    note_end(r, how, &error);
    return how == CW_SIEVE_DONE || how == CW_SIEVE_INPUT_FAILED;
}

static void read_inputs(run *r)
{
    char **paths = r->options.inputs;
    if (!r->options.input_count)
        read_input(r, "-");
    for (int i = 0; i < r->options.input_count && read_input(r, paths[i]); i++)
        continue;
}

/* Prints the count, the output of --count. Returns false if it could not be written. */
static bool print_count(run *r)
{
    const cw_seen_sieve_counts *counts = cw_seen_sieve_counted(r->sieve);
    if (!r->options.count)
        return true;
    printf("%" PRIu64 "\n", r->options.invert ? counts->seen : counts->fresh);
    fflush(stdout);
    return !cw_tool_output_failed();
}

/* Returns true if the filter is worth saving. It is not if it has nothing new, or if it holds lines that were not
 * printed and that its kind cannot forget. */
static bool is_worth_saving(const run *r)
{
    const cw_seen_sieve_counts *counts = cw_seen_sieve_counted(r->sieve);
    if (!r->file || (!r->file_is_new && counts->fresh == 0 && r->imported.fresh == 0))
        return false;
    if (!r->failed || !counts->stranded)
        return true;
    cw_tool_say(
        tool,
        "%s is left as it was: some of what this run recorded was not printed, and the kind cannot forget; all its "
        "lines will be printed again",
        r->options.file);
    return false;
}

static void seen_save(run *r)
{
    crawl_error error = {0};
    if (!is_worth_saving(r))
        return;
    if (cw_seen_file_save(r->file, r->filter, STDOUT_FILENO, &error)) {
        cw_tool_say(tool, "%s; the lines that this run recorded will be printed again", error.message);
        r->status = CW_EXIT_LOCAL;
    }
}

static void print_statistics(const run *r)
{
    const cw_seen_sieve_counts *counts = cw_seen_sieve_counted(r->sieve);
    crawl_bloom_stats stats;
    crawl_buf text = {0};
    if (counts->stranded && r->file && !r->failed)
        cw_tool_say(tool,
                    "%" PRIu64 " lines are recorded as seen but were not printed: the reader of the output went away",
                    counts->stranded);
    if (r->options.quiet)
        return;
    crawl_bloom_stats_get(r->filter, &stats);
    if (r->options.import_scrapy)
        cw_tool_say(tool, "%s: %" PRIu64 " fingerprints read, %" PRIu64 " of them new", r->options.import_scrapy,
                    r->imported.read, r->imported.fresh);
    cw_tool_say(tool, "%" PRIu64 " lines: %" PRIu64 " new, %" PRIu64 " seen before, %" PRIu64 " refused",
                counts->records, counts->fresh, counts->seen, counts->refused);
    cw_report_filter(&stats, crawl_bloom_kind_of(r->filter), "lines", &text);
    cw_message_lines(CW_MESSAGE_INFO, text.data);
    crawl_buf_free(&text);
}

static int seen_sift(run *r)
{
    crawl_error error = {0};
    if (cw_tool_signals_open(NULL, &r->signals, &error)) {
        cw_tool_say(tool, "%s", error.message);
        return CW_EXIT_LOCAL;
    }
    int status = open_filter(r);
    if (!status)
        status = import_scrapy(r);
    if (status)
        return status;
    open_sieve(r);
    seen_widen(STDOUT_FILENO);
    read_inputs(r);
    if (print_count(r))
        seen_save(r);
    print_statistics(r);
    return r->status;
}

int cw_command_seen(int argc, char **argv)
{
    run r = {0};
    crawl_error error = {0};
    crawl_err err = cw_seen_options_read(&r.options, argc, argv, &error);
    if (err) {
        cw_tool_say(tool, "%s", error.message);
        cw_message_lines(CW_MESSAGE_ERROR, "Try 'crawl help seen'.\n");
        return err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    }
    if (r.options.help)
        return cw_tool_output_text(cw_command_seen_help);
    int status = seen_sift(&r);
    cw_seen_sieve_free(r.sieve);
    crawl_bloom_free(r.filter);
    cw_seen_file_close(r.file);
    cw_tool_signals_close(r.signals);
    return status;
}
