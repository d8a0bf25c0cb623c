/* `crawl audit`: the options, and what is said of the result. The checks are audit.c's, the logs audit_read.c's. */
#include "crawler/audit_read.h"
#include "crawler/tool_io.h"
#include "crawler/tool_output.h"
#include "crawler/tools.h"

#include <crawl/config.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

const char cw_tool_audit_help[] =
    "usage: crawl audit [options] [FILE]\n"
    "\n"
    "Proves from the log of a crawl, FILE or standard input, that no host was asked sooner or more at once than allowed,\n"
    "or names each line that disproves it. The log is what `crawl --requests FILE` writes, or nginx's.\n"
    "\n"
    "Of each host: from the start of one request to the start of the next at least the pause in force passes (\"pause\";\n"
    "\"pause_by\" is delay, crawl-delay or adaptive); never are more than \"limit\" on their way; none starts before the\n"
    "end of a hold (\"hold_until\"; \"retry_after\" of the host's own answer); none is missing (\"seq\"), and none is of\n"
    "another host. Where \"per_ip\" is true, pause and limit are checked for the address too.\n"
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
    "Lines are sorted by their start within a window of 1,048,576 lines. Exit status: 0 proven; 1 a violation; 2 usage, an\n"
    "unreadable or misplaced line, or no line at all: nothing is proven; 4 a file or memory.\n";

static const char tool[] = "audit";

enum { SHOWN_VIOLATIONS = 100 }; /* as text */

typedef struct demand {
    const char *host; /* "": all */
    size_t host_size;
    int64_t pause_us;
} demand;

typedef struct run {
    demand *demands;
    size_t demand_count;
    uint32_t per_host;    /* 0: as the log says */
    int64_t tolerance_us; /* negative: not given */
    bool nginx;
    bool jsonl;
    bool help;
    unsigned long rows;
    cw_audit *audit;
    cw_audit_reader reader;
    uint64_t foreign; /* lines whose URL is of another host */
    uint64_t shown;
    int status;
} run;

/* ---- output ---- */

static double ms_of(int64_t us)
{
    return (double)us / 1000;
}

static int set(json_t *object, const char *field, json_t *value)
{
    return json_object_set_new(object, field, value);
}

static void print_object(run *r, json_t *object, int failed)
{
    if (failed || !object)
        r->status = CW_EXIT_LOCAL;
    else
        cw_json_write(object, stdout);
    json_decref(object);
}

static void print_violation_object(run *r, const cw_audit_violation *v)
{
    json_t *object = json_object();
    int failed = set(object, "violation", json_string(cw_audit_kind_name(v->kind)));
    failed |= set(object, "line", json_integer((json_int_t)v->line));
    failed |= set(object, "host", cw_json_text(v->host));
    if (v->other_line)
        failed |= set(object, "after_line", json_integer((json_int_t)v->other_line));
    if (v->by_us)
        failed |= set(object, "early_ms", json_real(ms_of(v->by_us)));
    if (v->reason)
        failed |= set(object, "by", json_string(v->reason));
    bool is_time = v->kind == CW_AUDIT_TOO_SOON;
    if (v->kind != CW_AUDIT_HELD) {
        failed |= set(object, "allowed", is_time ? json_real(ms_of(v->allowed)) : json_integer(v->allowed));
        failed |= set(object, "got", is_time ? json_real(ms_of(v->got)) : json_integer(v->got));
    }
    print_object(r, object, failed);
}

static void print_violation_text(const cw_audit_violation *v)
{
    printf("line %" PRIu64 ": %.*s: ", v->line, (int)v->host.size, v->host.data);
    switch (v->kind) {
    case CW_AUDIT_TOO_SOON:
        printf("%.3f ms too soon: %.3f ms after line %" PRIu64 ", with a pause of %.3f ms (%s)\n", ms_of(v->by_us), ms_of(v->got),
               v->other_line, ms_of(v->allowed), v->reason);
        break;
    case CW_AUDIT_HELD:
        printf("%.3f ms too soon: the answer of line %" PRIu64 " had brought a hold (%s)\n", ms_of(v->by_us), v->other_line,
               v->reason);
        break;
    case CW_AUDIT_AT_ONCE:
        printf("%" PRId64 " requests at once, %" PRId64 " allowed\n", v->got, v->allowed);
        break;
    case CW_AUDIT_MISSING:
        printf("request %" PRId64 " of the host, where its request %" PRId64 " was due: %" PRId64 " missing before it\n", v->got,
               v->allowed, v->got - v->allowed);
        break;
    default:
        printf("request %" PRId64 " of the host, where its request %" PRId64 " was due: it or line %" PRIu64
               " is of another host\n",
               v->got, v->allowed, v->other_line);
    }
}

static void on_violation(void *user, const cw_audit_violation *violation)
{
    run *r = user;
    if (r->jsonl)
        print_violation_object(r, violation);
    else if (r->shown++ < SHOWN_VIOLATIONS)
        print_violation_text(violation);
}

static void say_foreign(run *r, const cw_audit_request *request, crawl_slice origin)
{
    r->foreign++;
    if (!r->jsonl) {
        if (r->shown++ < SHOWN_VIOLATIONS)
            printf("line %" PRIu64 ": %.*s: the URL is of %.*s\n", request->line, (int)request->host.size, request->host.data,
                   (int)origin.size, origin.data);
        return;
    }
    json_t *object = json_object();
    int failed = set(object, "violation", json_string(cw_audit_kind_name(CW_AUDIT_FOREIGN)));
    failed |= set(object, "line", json_integer((json_int_t)request->line));
    failed |= set(object, "host", cw_json_text(request->host));
    failed |= set(object, "url_host", cw_json_text(origin));
    print_object(r, object, failed);
}

static void print_host_object(run *r, const cw_audit_host *host)
{
    bool two = host->gap_us != INT64_MAX;
    json_t *object = json_object();
    int failed = set(object, host->is_address ? "address" : "host", cw_json_text(host->name));
    failed |= set(object, "requests", json_integer((json_int_t)host->requests));
    failed |= set(object, "least_gap", two ? json_real(ms_of(host->gap_us)) : json_null());
    failed |= set(object, "pause", two ? json_real(ms_of(host->pause_us)) : json_null());
    failed |= set(object, "at_once", json_integer(host->at_once));
    failed |= set(object, "limit", host->limit ? json_integer(host->limit) : json_null());
    failed |= set(object, "violations", json_integer((json_int_t)host->violations));
    print_object(r, object, failed);
}

static void print_host_text(const cw_audit_host *host)
{
    char gap[32] = "-";
    char pause[32] = "-";
    char limit[16] = "any";
    if (host->gap_us != INT64_MAX) {
        snprintf(gap, sizeof gap, "%.3f ms", ms_of(host->gap_us));
        snprintf(pause, sizeof pause, "%.3f ms", ms_of(host->pause_us));
    }
    if (host->limit)
        snprintf(limit, sizeof limit, "%" PRIu32, host->limit);
    printf("%-40.*s %9" PRIu64 " %15s %15s %8" PRIu32 " %8s%s\n", (int)host->name.size, host->name.data, host->requests, gap,
           pause, host->at_once, limit, host->violations ? "  VIOLATED" : "");
}

static void print_hosts(run *r)
{
    size_t count;
    const cw_audit_host *hosts = cw_audit_hosts(r->audit, &count);
    if (!r->jsonl)
        printf("\n%-40s %9s %15s %15s %8s %8s\n", "host", "requests", "least gap", "pause", "at once", "allowed");
    for (size_t i = 0; i < count && (r->jsonl || i < r->rows); i++)
        r->jsonl ? print_host_object(r, &hosts[i]) : print_host_text(&hosts[i]);
    if (!r->jsonl && count > r->rows)
        printf("and %zu more, farther from their pause\n", count - r->rows);
}

static void print_summary(run *r)
{
    uint64_t violations = cw_audit_violations(r->audit) + r->foreign;
    uint64_t requests = cw_audit_requests(r->audit);
    if (r->jsonl) {
        json_t *object = json_object();
        int failed = set(object, "proven", json_boolean(!violations));
        failed |= set(object, "requests", json_integer((json_int_t)requests));
        failed |= set(object, "violations", json_integer((json_int_t)violations));
        print_object(r, object, failed);
        return;
    }
    if (r->shown > SHOWN_VIOLATIONS)
        printf("and %" PRIu64 " more\n", r->shown - SHOWN_VIOLATIONS);
    print_hosts(r);
    if (violations)
        printf("\nnot proven: %" PRIu64 " violations in %" PRIu64 " requests\n", violations, requests);
    else
        printf("\nproven: of %" PRIu64 " requests none came too soon, and never were there too many at once\n", requests);
}

/* ---- input ---- */

/* "http://a.localhost:80" is named by itself and by "a.localhost". */
static bool names(const demand *d, crawl_slice host)
{
    if (!d->host_size)
        return true;
    const char *scheme = memmem(host.data, host.size, "://", 3);
    size_t skip = scheme ? (size_t)(scheme + 3 - host.data) : 0;
    crawl_slice name = crawl_slice_of(host.data + skip, host.size - skip);
    crawl_slice wanted = crawl_slice_of(d->host, d->host_size);
    if (crawl_slice_equal(host, wanted) || crawl_slice_equal(name, wanted))
        return true;
    const char *port = memrchr(name.data, ':', name.size);
    return port && crawl_slice_equal(crawl_slice_of(name.data, (size_t)(port - name.data)), wanted);
}

/* What the command line demands; of demands that name the host the last, and otherwise the last of those for all. */
static void apply_demands(const run *r, cw_audit_request *request)
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
    fprintf(stderr, "crawl %s: line %lu: %s\n", tool, number, why);
    return CW_EXIT_USAGE;
}

static crawl_err read_line(run *r, crawl_slice line, cw_audit_request *request, bool *foreign, crawl_error *error)
{
    bool whole_seconds;
    if (!r->nginx)
        return cw_audit_read_record(&r->reader, line, request, foreign, error);
    crawl_err err = cw_audit_read_nginx(&r->reader, line, request, &whole_seconds, error);
    if (!err && whole_seconds && r->tolerance_us < 1000000)
        return crawl_error_set(error, CRAWL_EPARSE, "$time_local knows whole seconds alone: give --tolerance 1s or more");
    return err;
}

static int take_line(run *r, crawl_slice line, unsigned long number)
{
    crawl_error error = {0};
    cw_audit_request request;
    bool foreign = false;
    crawl_err err = read_line(r, line, &request, &foreign, &error);
    if (err)
        return err == CRAWL_EPARSE ? refuse_line(number, error.message)
                                   : (refuse_line(number, crawl_strerror(err)), CW_EXIT_LOCAL);
    request.line = number;
    if (foreign)
        say_foreign(r, &request, crawl_buf_slice(&r->reader.text));
    apply_demands(r, &request);
    err = cw_audit_add(r->audit, &request);
    if (err == CRAWL_ESTATE)
        return refuse_line(number, "it starts before a line that is more than 1,048,576 lines above: sort the log by \"start\"");
    if (err == CRAWL_FULL)
        return refuse_line(number, "more than 8,192 requests to one host at once");
    return err ? (refuse_line(number, crawl_strerror(err)), CW_EXIT_LOCAL) : CW_EXIT_OK;
}

static int read_log(run *r, FILE *in)
{
    char *text = NULL;
    size_t capacity = 0;
    unsigned long number = 0;
    int status = CW_EXIT_OK;
    for (ssize_t size; !status && (size = getline(&text, &capacity, in)) >= 0;) {
        while (size && (text[size - 1] == '\n' || text[size - 1] == '\r'))
            size--;
        number++;
        if (size)
            status = take_line(r, crawl_slice_of(text, (size_t)size), number);
    }
    if (!status && ferror(in)) {
        fprintf(stderr, "crawl %s: input: %s\n", tool, strerror(errno));
        status = CW_EXIT_LOCAL;
    }
    free(text);
    return status;
}

static int audit(run *r, FILE *in)
{
    int status = read_log(r, in);
    crawl_err err = cw_audit_end(r->audit);
    if (!status && err) {
        fprintf(stderr, "crawl %s: %s\n", tool, crawl_strerror(err));
        status = err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    }
    if (!status && !cw_audit_requests(r->audit)) {
        fprintf(stderr, "crawl %s: an empty log proves nothing\n", tool);
        status = CW_EXIT_USAGE;
    }
    if (status)
        return status;
    if (r->jsonl)
        print_hosts(r);
    print_summary(r);
    if (r->status)
        return r->status;
    return cw_audit_violations(r->audit) + r->foreign ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

/* ---- options ---- */

/* Durations and counts are written as in crawler.conf. */
static bool parse(const char *key, const char *text, crawl_config *config)
{
    crawl_error error = {0};
    if (crawl_config_set(config, key, text, &error) == CRAWL_OK)
        return true;
    const char *what = strstr(error.message, "expected ");
    fprintf(stderr, "crawl %s: %s: %s\n", tool, text, what ? what : error.message);
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

static bool add_demand(run *r, const char *text)
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
    fprintf(stderr, "crawl %s: --hosts %s: expected a number\n", tool, text);
    return false;
}

static bool take_option(run *r, int c)
{
    switch (c) {
    case 'd':
        return add_demand(r, optarg);
    case 'p':
        return parse_per_host(optarg, &r->per_host);
    case 't':
        return parse_duration(optarg, &r->tolerance_us);
    case 'r':
        return parse_rows(optarg, &r->rows);
    case 'i':
        return r->reader.per_ip = true;
    case 'n':
        return r->nginx = true;
    case 'j':
        return r->jsonl = true;
    case 'h':
        return r->help = true;
    default:
        fprintf(stderr, "crawl %s: %s: unknown option, or one without its value\n", tool, optarg ? optarg : "");
        return false;
    }
}

static bool read_options(int argc, char **argv, run *r)
{
    static const struct option known[] = {
        {"delay", required_argument, NULL, 'd'},
        {"per-host", required_argument, NULL, 'p'},
        {"tolerance", required_argument, NULL, 't'},
        {"hosts", required_argument, NULL, 'r'},
        {"per-ip", no_argument, NULL, 'i'},
        {"nginx", no_argument, NULL, 'n'},
        {"jsonl", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    optind = 0;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == '?')
            optarg = argv[optind - 1];
        if (!take_option(r, c))
            return false;
    }
    if (argc - optind > 1) {
        fprintf(stderr, "crawl %s: one FILE at most\n", tool);
        return false;
    }
    if (r->nginx && !r->help && !r->demand_count) {
        fprintf(stderr, "crawl %s: nginx's log does not know the pause: give --delay\n", tool);
        return false;
    }
    return true;
}

static int run_audit(run *r, const char *path)
{
    enum { NGINX_TOLERANCE_US = 5000 }; /* it reads the clock once per turn of its loop, and writes milliseconds */
    if (r->tolerance_us < 0)
        r->tolerance_us = r->nginx ? NGINX_TOLERANCE_US : 0;
    cw_audit_options options = {.tolerance_us = r->tolerance_us, .on_violation = on_violation, .user = r};
    r->audit = cw_audit_create(&options);
    if (!r->audit) {
        fprintf(stderr, "crawl %s: %s\n", tool, crawl_strerror(CRAWL_ENOMEM));
        return CW_EXIT_LOCAL;
    }
    FILE *in = cw_tool_open(tool, path);
    int status = in ? audit(r, in) : CW_EXIT_LOCAL;
    if (in && in != stdin)
        fclose(in);
    cw_audit_free(r->audit);
    return status;
}

int cw_tool_audit(int argc, char **argv)
{
    run r = {.tolerance_us = -1, .rows = 40};
    int status = CW_EXIT_USAGE;
    if (!read_options(argc, argv, &r))
        fputs("Try 'crawl help audit'.\n", stderr);
    else if (r.help)
        status = cw_output_text(cw_tool_audit_help);
    else
        status = run_audit(&r, argv[optind]);
    cw_audit_reader_free(&r.reader);
    free(r.demands);
    return status;
}
