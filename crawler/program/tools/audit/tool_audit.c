/* `crawl audit` checks from logs whether a crawl was polite. This file has its options and its messages; audit.c has
 * the checks, audit_read.c reads the logs. */
#include "base/bytes.h"
#include "crawler/program/tools/audit/audit_log.h"
#include "crawler/program/tools/audit/audit_print.h"
#include "crawler/program/tools/io.h"
#include "crawler/program/tools/options.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <crawl/config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

const char cw_tool_audit_help[] =
    "usage: crawl audit [options] [FILE]\n"
    "\n"
    "Proves from the log of a crawl, FILE or standard input, that no host was asked sooner or more at once than allowed,\n"
    "or names each line that disproves it. The log is what `crawl --requests FILE` writes, or nginx's.\n"
    "\n"
    "Of each host: from the start of one request to the start of the next at least the pause in force passes (\"pause\";\n"
    "\"pause_by\" is delay, crawl-delay or adaptive); never are more than \"limit\" on their way; none starts before the\n"
    "end of a hold (\"hold_until\"; \"retry_after\" of the host's own answer); none is missing (\"seq\"), and none is of\n"
    "another host. Where \"per_ip\" is true, pause and limit are checked for the address too, and where they stand\n"
    "\"address_pause\" and \"address_limit\". Of the log: each line follows the one before (\"chain\"), each departure has its\n"
    "end and each end its departure, and no \"request\" of a run is missing. A run without \"run-end\" was killed (or is still "
    "going, or the log was cut off there): what had left and has\n"
    "no end was in flight. Logs of all runs of a crawl with --state are one log, in the order it was written.\n"
    "\n"
    "  --delay D        a pause of at least D is demanded, whatever the log says; --delay HOST=D: of this host; repeatable\n"
    "  --per-host N     no more than N at once, whatever the log says\n"
    "  --per-ip         check addresses too\n"
    "  --tolerance D    a distance may be shorter by so much: the network's jitter, or a loaded server's; default 0ms, of\n"
    "                   nginx's log 5ms; with $time_local 1s or more is needed\n"
    "  --nginx          the log is nginx's, and needs --delay; its fields, between tabs or blanks, begin with\n"
    "                     log_format crawl '$msec $request_time $host $request_method $request_uri $status';\n"
    "                   or with [$time_local] in place of $msec. It knows nothing of holds.\n"
    "  --hosts N        rows of the table at most, the nearest to their pause first; default 40\n"
    "  --jsonl          violations, hosts and the summary as JSON Lines\n"
    "  --help           this text\n"
    "\n"
    "Requests are sorted by their start within a window of 1,048,576. Exit status: 0 proven; 1 a violation; 2 usage, an\n"
    "unreadable or misplaced line, or no line at all: nothing is proven; 4 a file or memory.\n";

static const char tool[] = "audit";

typedef struct demand {
    const char *host; /* "": all */
    size_t host_size;
    int64_t pause_us;
} demand;

typedef struct audit_job {
    demand *demands;
    size_t demand_count;
    uint32_t per_host;    /* 0: as the log says */
    int64_t tolerance_us; /* negative: not given */
    bool nginx;
    bool per_ip;
    cw_audit *audit;
    cw_audit_log *log; /* NULL: nginx's */
    cw_audit_printer printer;
} audit_job;

/* A longer line belongs to no log: the longest that --requests writes has three URLs of CRAWL_URL_MAX_INPUT bytes, each
 * up to six times as long in JSON. */
#define LINE_MAX_BYTES ((size_t)4 << 20)

/* ---- input ---- */

/* Does a demand name this host? "http://a.localhost:80" is named by itself and by "a.localhost". */
static bool names(const demand *d, crawl_slice host)
{
    if (!d->host_size)
        return true;
    size_t scheme = cw_find_text(host, "://");
    crawl_slice name = scheme < host.size ? cw_drop(host, scheme + 3) : host;
    crawl_slice without_port = crawl_slice_of(name.data, cw_find_last(name, ':'));
    crawl_slice wanted = crawl_slice_of(d->host, d->host_size);
    return crawl_slice_equal(host, wanted) || crawl_slice_equal(name, wanted) ||
           crawl_slice_equal(without_port, wanted);
}

/* Applies the demands of the command line: the last one that names the host, otherwise the last one for all hosts. */
static void apply_demands(const audit_job *r, cw_audit_request *request)
{
    const demand *found = NULL;
    for (size_t i = 0; i < r->demand_count; i++)
        if (names(&r->demands[i], request->host) && (!found || r->demands[i].host_size || !found->host_size))
            found = &r->demands[i];
    if (found && found->pause_us > request->pause_us) {
        request->pause_us = found->pause_us;
        request->pause_by = "--delay";
    }
    if (r->per_host && (!request->limit || r->per_host < request->limit))
        request->limit = r->per_host;
}

static int refuse_line(unsigned long number, const char *why)
{
    cw_tool_say(tool, "line %lu: %s", number, why);
    return CW_EXIT_USAGE;
}

static void on_request(void *user, cw_audit_request *request)
{
    apply_demands(user, request);
}

static void on_foreign(void *user, const cw_audit_request *request, crawl_slice origin)
{
    audit_job *r = user;
    cw_audit_print_foreign(&r->printer, request, origin);
}

static void on_violation(void *user, const cw_audit_violation *violation)
{
    audit_job *r = user;
    cw_audit_print_violation(&r->printer, violation);
}

static crawl_err take_nginx(audit_job *r, crawl_slice line, unsigned long number, crawl_error *error)
{
    bool whole_seconds;
    cw_audit_request request;
    crawl_err err = cw_audit_read_nginx(line, &request, &whole_seconds, error);
    if (!err && whole_seconds && r->tolerance_us < 1000000)
        err =
            crawl_error_set(error, CRAWL_EPARSE, "$time_local knows whole seconds alone: give --tolerance 1s or more");
    if (err)
        return err;
    request.line = number;
    apply_demands(r, &request);
    return cw_audit_add(r->audit, &request);
}

static int take_line(audit_job *r, crawl_slice line, unsigned long number, bool is_whole)
{
    crawl_error error = {0};
    crawl_err err =
        r->log ? cw_audit_log_line(r->log, line, number, is_whole, &error) : take_nginx(r, line, number, &error);
    switch (err) {
    case CRAWL_OK:
        return CW_EXIT_OK;
    case CRAWL_EPARSE:
        return refuse_line(number, error.message);
    case CRAWL_ESTATE:
        return refuse_line(
            number, "it starts before a line that is more than 1,048,576 lines above: sort the log by \"start\"");
    case CRAWL_FULL:
        return refuse_line(number, "more than 8,192 requests to one host at once");
    default:
        refuse_line(number, crawl_strerror(err));
        return CW_EXIT_LOCAL;
    }
}

static int read_log(audit_job *r, FILE *in)
{
    crawl_slice line = {0};
    cw_tool_line_reader lines = {.in = in, .longest = LINE_MAX_BYTES};
    int status = CW_EXIT_OK;
    cw_tool_line how = CW_LINE_READ;
    while (!status && how == CW_LINE_READ) {
        how = cw_tool_line_next(&lines, &line);
        if (how == CW_LINE_TOO_LONG)
            status = refuse_line(lines.number, "too long: more than 4194304 bytes");
        else if (how == CW_LINE_READ && line.size)
            status = take_line(r, line, lines.number, lines.ended);
    }
    if (!status)
        status = cw_tool_end_of_lines(tool, "input", how);
    cw_tool_line_free(&lines);
    return status;
}

static int audit(audit_job *r, FILE *in)
{
    int status = read_log(r, in);
    crawl_err err = r->log ? cw_audit_log_end(r->log) : cw_audit_end(r->audit);
    if (!status && err) {
        cw_tool_say(tool, "%s", crawl_strerror(err));
        status = err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    }
    if (!status && !cw_audit_requests(r->audit)) {
        cw_tool_say(tool, "an empty log proves nothing");
        status = CW_EXIT_USAGE;
    }
    if (status)
        return status;
    cw_audit_runs runs = r->log ? cw_audit_log_runs(r->log) : (cw_audit_runs){0};
    cw_audit_print_result(&r->printer, r->audit, &runs);
    return r->printer.failed                                    ? CW_EXIT_LOCAL
           : cw_audit_violations(r->audit) + r->printer.foreign ? CW_EXIT_NOTHING
                                                                : CW_EXIT_OK;
}

/* ---- options ---- */

/* Durations and counts are written as in crawler.conf. */
static bool parse(const char *key, const char *text, crawl_config *config)
{
    crawl_error error = {0};
    if (crawl_config_set(config, key, text, &error) == CRAWL_OK)
        return true;
    const char *what = strstr(error.message, "expected ");
    cw_tool_say(tool, "%s: %s", text, what ? what : error.message);
    return false;
}

static bool parse_duration(const char *text, int64_t *us)
{
    crawl_config config;
    if (crawl_config_init(&config))
        return false;
    bool good = parse("politeness.delay", text, &config);
    *us = config.delay_ms * 1000;
    crawl_config_free(&config);
    return good;
}

static bool parse_per_host(const char *text, uint32_t *count)
{
    crawl_config config;
    if (crawl_config_init(&config))
        return false;
    bool good = parse("politeness.per_host", text, &config);
    *count = config.per_host;
    crawl_config_free(&config);
    return good;
}

static bool add_demand(audit_job *r, const char *text)
{
    const char *equals = strrchr(text, '=');
    demand *demands = realloc(r->demands, (r->demand_count + 1) * sizeof *demands);
    if (!demands)
        return false;
    r->demands = demands;
    demand *one = &demands[r->demand_count];
    *one = (demand){.host = text, .host_size = equals ? (size_t)(equals - text) : 0};
    if (!parse_duration(equals ? equals + 1 : text, &one->pause_us))
        return false;
    r->demand_count++;
    return true;
}

static bool parse_rows(const char *text, unsigned long *rows)
{
    char *end;
    *rows = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end)
        return true;
    cw_tool_say(tool, "--hosts %s: expected a number", text);
    return false;
}

static bool take_option(void *user, const char *name, const char *value)
{
    audit_job *r = user;
    if (strcmp(name, "delay") == 0)
        return add_demand(r, value);
    if (strcmp(name, "per-host") == 0)
        return parse_per_host(value, &r->per_host);
    if (strcmp(name, "tolerance") == 0)
        return parse_duration(value, &r->tolerance_us);
    return parse_rows(value, &r->printer.rows);
}

static bool create(audit_job *r)
{
    cw_audit_options options = {.tolerance_us = r->tolerance_us, .on_violation = on_violation, .user = r};
    r->audit = cw_audit_create(&options);
    if (!r->audit || r->nginx)
        return r->audit != NULL;
    cw_audit_log_options of_log = {
        .audit = r->audit, .per_ip = r->per_ip, .on_request = on_request, .on_foreign = on_foreign, .user = r};
    r->log = cw_audit_log_create(&of_log);
    return r->log != NULL;
}

static int run_audit(audit_job *r, const char *path)
{
    enum { NGINX_TOLERANCE_US = 5000 }; /* it reads the clock once per turn of its loop, and writes milliseconds */
    if (r->tolerance_us < 0)
        r->tolerance_us = r->nginx ? NGINX_TOLERANCE_US : 0;
    if (!create(r)) {
        cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
        return CW_EXIT_LOCAL;
    }
    FILE *in = cw_tool_open(tool, path);
    int status = in ? audit(r, in) : CW_EXIT_LOCAL;
    cw_tool_close(in);
    return status;
}

int cw_tool_audit(int argc, char **argv)
{
    audit_job r = {.tolerance_us = -1, .printer = {.rows = 40}};
    const cw_tool_option known[] = {
        {"delay", .takes_value = true, .take = take_option},
        {"per-host", .takes_value = true, .take = take_option},
        {"tolerance", .takes_value = true, .take = take_option},
        {"hosts", .takes_value = true, .take = take_option},
        {"per-ip", .flag = &r.per_ip},
        {"nginx", .flag = &r.nginx},
        {"jsonl", .flag = &r.printer.jsonl},
        {0},
    };
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .user = &r,
        .help = cw_tool_audit_help,
        .usage = "Try 'crawl help audit'.\n",
        .unknown = "unknown option, or one without its value",
        .one_file = true,
    };
    int status;
    if (cw_tool_options(&syntax, argc, argv, &status))
        status = r.nginx && !r.demand_count
                     ? cw_tool_refuse(&syntax, "nginx's log does not know the pause: give --delay")
                     : run_audit(&r, argv[optind]);
    cw_audit_log_free(r.log);
    cw_audit_free(r.audit);
    free(r.demands);
    return status;
}
