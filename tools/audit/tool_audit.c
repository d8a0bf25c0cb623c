/* `crawl audit` checks by logs whether a crawl was polite. This file has its options and messages; audit.c has the
 * checks, audit_read.c reads the logs, practices/ has the rows of --practices. */
#include "tools/audit/audit_demand.h"
#include "tools/audit/audit_log.h"
#include "tools/audit/audit_print.h"
#include "tools/audit/practices/practices.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <stdlib.h>
#include <unistd.h>

static const char tool[] = "audit";

typedef struct audit_job audit_job;

/* One of the logs. */
typedef struct audit_input {
    audit_job *job;
    const char *path;
    FILE *in;
    cw_tool_line_reader lines;
    bool is_over;
    uint32_t number;
    cw_audit *audit;
    cw_audit_log *log; /* NULL: a log of nginx */
} audit_input;

struct audit_job {
    cw_audit_demands demands;
    int64_t tolerance_us; /* negative: not given */
    bool nginx;
    bool per_ip;
    audit_input *inputs;
    size_t input_count;
    cw_audit *audit; /* of the single log, or for rules between several logs */
    cw_audit_printer printer;
    bool wants_practices;
    cw_practices_options practices_options;
    cw_practices *practices; /* NULL: not wanted */
};

/* Longer lines belong to no log: the longest that --requests writes has three URLs of CRAWL_URL_MAX_INPUT bytes and the
 * rules of a robots.txt, each up to six times as long in JSON. */
#define LINE_MAX_BYTES ((size_t)8 << 20)

/* ---- input ---- */

static bool has_several(const audit_job *r)
{
    return r->input_count > 1;
}

static int audit_refuse_line(const audit_input *input, unsigned long number, const char *why)
{
    if (has_several(input->job))
        cw_tool_say(tool, "%s: line %lu: %s", input->path, number, why);
    else
        cw_tool_say(tool, "line %lu: %s", number, why);
    return CW_EXIT_USAGE;
}

static void on_request(void *user, cw_audit_request *request)
{
    const audit_input *input = user;
    cw_audit_demands_apply(&input->job->demands, request);
}

static void on_foreign(void *user, const cw_audit_request *request, crawl_slice origin)
{
    const audit_input *input = user;
    cw_audit_request placed = *request;
    if (has_several(input->job))
        placed.line = cw_audit_log_place(input->number, request->line);
    if (input->job->practices)
        cw_practices_violation(input->job->practices,
                               &(cw_audit_violation){.kind = CW_AUDIT_FOREIGN, .line = request->line});
    cw_audit_print_foreign(&input->job->printer, &placed, origin);
}

static crawl_err on_row(void *user, cw_audit_event event, const json_t *row, uint64_t line)
{
    const audit_input *input = user;
    return cw_practices_row(input->job->practices, event, row, line);
}

static void on_violation(void *user, const cw_audit_violation *violation)
{
    audit_job *r = user;
    if (r->practices)
        cw_practices_violation(r->practices, violation);
    cw_audit_print_violation(&r->printer, violation);
}

/* Takes a violation within one of several logs. */
static void on_own_violation(void *user, const cw_audit_violation *violation)
{
    const audit_input *input = user;
    cw_audit_violation placed = *violation;
    placed.line = cw_audit_log_place(input->number, violation->line);
    placed.other_line = cw_audit_log_place(input->number, violation->other_line);
    cw_audit_violate(input->job->audit, &placed);
}

static crawl_err take_nginx(audit_input *input, crawl_slice line, unsigned long number, crawl_error *error)
{
    bool whole_seconds;
    cw_audit_request request;
    audit_job *r = input->job;
    crawl_err err = cw_audit_read_nginx(line, &request, &whole_seconds, error);
    if (!err && whole_seconds && r->tolerance_us < 1000000)
        err = crawl_error_set(error, CRAWL_EPARSE, "$time_local has only whole seconds: use --tolerance 1s or more");
    if (err)
        return err;
    request.line = number;
    cw_audit_demands_apply(&r->demands, &request);
    return cw_audit_add(input->audit, &request);
}

static int audit_take_line(audit_input *input, crawl_slice line, unsigned long number, bool is_whole)
{
    crawl_error error = {0};
    crawl_err err = input->log ? cw_audit_log_line(input->log, line, number, is_whole, &error)
                               : take_nginx(input, line, number, &error);
    switch (err) {
    case CRAWL_OK:
        return CW_EXIT_OK;
    case CRAWL_EPARSE:
        return audit_refuse_line(input, number, error.message);
    case CRAWL_ESTATE:
        return audit_refuse_line(input, number,
                                 "it starts before a line that is more than 1,048,576 lines above: sort the log by "
                                 "\"start\"");
    case CRAWL_FULL:
        return audit_refuse_line(input, number, "more than 8,192 requests to one host at once");
    case CRAWL_ABSENT:
        return audit_refuse_line(
            input, number,
            "the log does not have Redis's time: only logs of a crawl that is shared through Redis can be audited "
            "together");
    default:
        audit_refuse_line(input, number, crawl_strerror(err));
        return CW_EXIT_LOCAL;
    }
}

/* Reads the next line of a log. */
static int audit_read_line(audit_input *input)
{
    crawl_slice line = {0};
    cw_tool_line how = cw_tool_line_next(&input->lines, &line);
    if (how == CW_LINE_TOO_LONG)
        return audit_refuse_line(input, input->lines.number, "too long: more than 8388608 bytes");
    if (how == CW_LINE_READ)
        return line.size ? audit_take_line(input, line, input->lines.number, input->lines.ended) : CW_EXIT_OK;
    input->is_over = true;
    return cw_tool_end_of_lines(tool, "input", how);
}

/* Returns the log that is least advanced, so that requests come nearly in order. NULL: all are finished. */
static audit_input *next_input(const audit_job *r)
{
    audit_input *least = NULL;
    for (size_t i = 0; i < r->input_count; i++) {
        audit_input *one = &r->inputs[i];
        bool is_less = !least || (one->log && cw_audit_log_time(one->log) < cw_audit_log_time(least->log));
        if (!one->is_over && is_less)
            least = one;
    }
    return least;
}

static crawl_err end_logs(const audit_job *r)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < r->input_count && !err; i++) {
        const audit_input *one = &r->inputs[i];
        err = one->log ? cw_audit_log_end(one->log) : cw_audit_end(one->audit);
    }
    return err || !has_several(r) ? err : cw_audit_end(r->audit);
}

static cw_audit_runs runs_of(const audit_job *r)
{
    cw_audit_runs sum = {0};
    for (size_t i = 0; i < r->input_count; i++) {
        cw_audit_runs one = r->inputs[i].log ? cw_audit_log_runs(r->inputs[i].log) : (cw_audit_runs){0};
        sum.runs += one.runs;
        sum.killed += one.killed;
        sum.in_flight += one.in_flight;
        sum.torn = sum.torn || one.torn;
    }
    return sum;
}

static int audit(audit_job *r)
{
    int status = CW_EXIT_OK;
    for (audit_input *input; !status && (input = next_input(r));)
        status = audit_read_line(input);
    crawl_err err = end_logs(r);
    if (!status && err) {
        cw_tool_say(tool, "%s", crawl_strerror(err));
        status = err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    }
    if (!status && !cw_audit_requests(r->audit)) {
        cw_tool_say(tool, "an empty log proves nothing");
        status = CW_EXIT_USAGE;
    }
    const char *unmet = cw_audit_demands_unmet(&r->demands);
    if (!status && unmet) {
        cw_tool_say(tool, "--delay %s: the log has no request to this host", unmet);
        status = CW_EXIT_USAGE;
    }
    if (!status && r->practices)
        status = cw_practices_end(r->practices);
    if (status)
        return status;
    cw_audit_runs runs = runs_of(r);
    cw_audit_print_result(&r->printer, r->audit, &runs);
    if (r->practices)
        status = cw_practices_print(r->practices, r->printer.jsonl);
    bool is_proven = !cw_audit_violations(r->audit) && !r->printer.foreign;
    return status || is_proven ? status : CW_EXIT_NOTHING;
}

/* ---- options ---- */

static bool parse_rows(const char *text, unsigned long *rows)
{
    char *end;
    *rows = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end)
        return true;
    cw_tool_say(tool, "--hosts %s: expected a number", text);
    return false;
}

static bool audit_take_option(void *user, const char *name, const char *value)
{
    audit_job *r = user;
    if (strcmp(name, "delay") == 0)
        return cw_audit_demands_add(&r->demands, value);
    if (strcmp(name, "per-host") == 0)
        return cw_tool_option_number(tool, name, "politeness.per_host", value, &r->demands.per_host);
    if (strcmp(name, "tolerance") == 0)
        return cw_audit_parse_duration(name, value, &r->tolerance_us);
    return parse_rows(value, &r->printer.rows);
}

/* Makes the checks of one log: of the log itself and, if there are several, together with the others. */
static void create_checks(audit_input *input)
{
    audit_job *r = input->job;
    const cw_audit_options options = {.tolerance_us = r->tolerance_us, .on_violation = on_own_violation, .user = input};
    input->audit = has_several(r) ? cw_tool_memory_granted(cw_audit_create(&options)) : r->audit;
    if (r->nginx)
        return;
    const cw_audit_log_options of_log = {.audit = input->audit,
                                         .between = has_several(r) ? r->audit : NULL,
                                         .number = input->number,
                                         .per_ip = r->per_ip,
                                         .on_request = on_request,
                                         .on_foreign = on_foreign,
                                         .on_row = r->practices ? on_row : NULL,
                                         .user = input};
    input->log = cw_tool_memory_granted(cw_audit_log_create(&of_log));
}

static int audit_open_input(audit_input *input)
{
    create_checks(input);
    input->in = cw_tool_open_text(tool, input->path);
    input->lines = (cw_tool_line_reader){.in = input->in, .longest = LINE_MAX_BYTES};
    return input->in ? CW_EXIT_OK : CW_EXIT_LOCAL;
}

/* paths end with NULL; none: standard input. */
static int run_audit(audit_job *r, int count, char **paths)
{
    enum { NGINX_TOLERANCE_US = 5000 }; /* nginx reads the clock once per turn of its loop, and writes milliseconds */
    if (r->tolerance_us < 0)
        r->tolerance_us = r->nginx ? NGINX_TOLERANCE_US : 0;
    r->input_count = count > 1 ? (size_t)count : 1;
    r->inputs = cw_tool_memory_granted(calloc(r->input_count, sizeof *r->inputs));
    const cw_audit_options options = {
        .tolerance_us = r->tolerance_us, .between_logs = has_several(r), .on_violation = on_violation, .user = r};
    r->audit = cw_tool_memory_granted(cw_audit_create(&options));
    r->printer.paths = has_several(r) ? (const char *const *)paths : NULL;
    int status = CW_EXIT_OK;
    if (r->wants_practices)
        status = cw_practices_create(&r->practices_options, &r->practices);
    for (size_t i = 0; i < r->input_count && !status; i++) {
        r->inputs[i] = (audit_input){.job = r, .path = paths[i], .number = (uint32_t)i};
        status = audit_open_input(&r->inputs[i]);
    }
    return status ? status : audit(r);
}

/* Returns what is wrong with the options. NULL: nothing. */
static const char *audit_wrong_options(const audit_job *r, int files)
{
    const cw_practices_options *practices = &r->practices_options;
    if (r->nginx && !r->demands.count)
        return "nginx's log does not have the pause: use --delay";
    if (r->nginx && r->per_ip)
        return "--per-ip: nginx's log has no addresses";
    if (r->nginx && files > 1)
        return "--nginx: one FILE at most";
    if (r->wants_practices && (r->nginx || files > 1))
        return "--practices: one FILE at most, of --requests";
    if (!r->wants_practices && (practices->records || practices->ranges || practices->address))
        return "--records, --ranges and --address are for --practices";
    return practices->address && !practices->ranges ? "--address needs --ranges" : NULL;
}

static void free_job(audit_job *r)
{
    for (size_t i = 0; i < r->input_count; i++) {
        audit_input *one = &r->inputs[i];
        cw_tool_close(one->in);
        cw_tool_line_free(&one->lines);
        cw_audit_log_free(one->log);
        if (one->audit != r->audit)
            cw_audit_free(one->audit);
    }
    cw_audit_free(r->audit);
    cw_practices_free(r->practices);
    free(r->inputs);
    cw_audit_demands_free(&r->demands);
}

static int audit_main(int argc, char **argv)
{
    audit_job r = {.tolerance_us = -1, .printer = {.rows = 40}};
    const cw_tool_option known[] = {
        {"delay", .takes_value = true, .take = audit_take_option},
        {"per-host", .takes_value = true, .take = audit_take_option},
        {"tolerance", .takes_value = true, .take = audit_take_option},
        {"hosts", .takes_value = true, .take = audit_take_option},
        {"per-ip", .flag = &r.per_ip},
        {"nginx", .flag = &r.nginx},
        {"jsonl", .flag = &r.printer.jsonl},
        {"practices", .flag = &r.wants_practices},
        {"records", .text = &r.practices_options.records},
        {"ranges", .text = &r.practices_options.ranges},
        {"address", .text = &r.practices_options.address},
        {0},
    };
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .user = &r,
        .help = cw_tool_help,
    };
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status)) {
        free_job(&r);
        return status;
    }
    const char *wrong = audit_wrong_options(&r, argc - optind);
    status = wrong ? cw_tool_refuse(&syntax, wrong) : run_audit(&r, argc - optind, argv + optind);
    free_job(&r);
    return status;
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, audit_main);
}
