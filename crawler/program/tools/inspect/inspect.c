/* `crawl inspect`: what stands in the directory of a crawl, and whether it is as it must be. */
#include "crawler/program/tools/inspect/inspect.h"

#include "base/clock.h"
#include "crawler/program/resume.h"
#include "crawler/program/tools/output.h"
#include "crawler/program/tools/tools.h"

#include <getopt.h>
#include <inttypes.h>

const char cw_tool_inspect_help[] =
    "usage: crawl inspect DIR [--jsonl]\n"
    "       crawl inspect DIR --hosts | --queue [ORIGIN] | --filter | --check [--jsonl]\n"
    "\n"
    "Shows what stands in DIR, where a crawl is kept by --state. It changes nothing there, and may look while a crawl works in\n"
    "it: at what it finds when it begins. Without an option: options that were decided once, figures, the queue by state and\n"
    "depth, hosts, robots.txt verdicts, and sizes on disk.\n"
    "\n"
    "  --hosts            a line per host: requests ready, delayed and urgent (of both), its own pause, until when it is\n"
    "                     blocked, what its robots.txt said, and its origin. Requests in flight count as ready\n"
    "  --queue [ORIGIN]   a line per request, of one host or of all: ready, urgent or the date to which it is delayed; its\n"
    "                     depth, attempt, visit and priority; and its URL\n"
    "  --filter           figures of the set of URLs seen\n"
    "  --check            verify all that must hold, and name what does not\n"
    "  --jsonl            print JSON, an object a line\n"
    "  --help             this text\n"
    "\n"
    "Exit status: 0; 1 --check found violations; 2 usage; 4 DIR cannot be read, or memory.\n";

static const char tool[] = "inspect";

typedef crawl_err part(cw_inspect *inspect, crawl_error *error);

typedef struct options {
    part *what;
    const char *word; /* of what; NULL: none was named */
    bool check;
    bool help;
} options;

static bool take(int letter, options *o, cw_inspect *inspect)
{
    static const struct {
        int letter;
        const char *word;
        part *what;
    } parts[] = {
        {'h', "--hosts", cw_inspect_hosts},
        {'q', "--queue", cw_inspect_queue},
        {'f', "--filter", cw_inspect_filter},
        {'c', "--check", NULL},
    };
    inspect->jsonl |= letter == 'j';
    o->help |= letter == '?';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].letter != letter)
            continue;
        if (o->word && o->word != parts[i].word) {
            fprintf(stderr, "crawl %s: %s and %s: one at a time\n", tool, o->word, parts[i].word);
            return false;
        }
        o->word = parts[i].word;
        o->what = parts[i].what;
        o->check = letter == 'c';
    }
    return true;
}

static bool read_options(int argc, char **argv, options *o, cw_inspect *inspect)
{
    static const struct option known[] = {
        {"hosts", no_argument, NULL, 'h'},
        {"queue", no_argument, NULL, 'q'},
        {"filter", no_argument, NULL, 'f'},
        {"check", no_argument, NULL, 'c'},
        {"jsonl", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'H'},
        {0},
    };
    optind = 0;
    opterr = 0;
    for (int found; (found = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
        if (found == '?' || found == ':') {
            fprintf(stderr, "crawl %s: %s: unknown option, or one that takes no value\n", tool, argv[optind - 1]);
            return false;
        }
        if (!take(found == 'H' ? '?' : found, o, inspect))
            return false;
    }
    return true;
}

/* What is wrong with the words; NULL: nothing. */
static const char *refusal(const options *o, int count)
{
    bool queue = o->what == cw_inspect_queue;
    if (count == 0)
        return "name the directory of a crawl";
    return count > (queue ? 2 : 1) ? "too many words" : NULL;
}

static void print_violation(const char *violation, void *user)
{
    const cw_inspect *inspect = user;
    if (inspect->jsonl)
        cw_inspect_print(json_pack("{s:o}", "violation", cw_json_text(crawl_slice_from(violation))));
    else
        puts(violation);
}

static crawl_err check(cw_inspect *inspect, int *status, crawl_error *error)
{
    uint64_t violations = 0;
    crawl_error why = {0};
    crawl_err err = crawl_frontier_view_check(inspect->view, print_violation, inspect, &violations, error);
    if (err)
        return err;
    if (!cw_resume_check(inspect->directory, &why)) {
        print_violation(why.message, inspect);
        violations++;
    }
    *status = violations ? CW_EXIT_NOTHING : CW_EXIT_OK;
    if (inspect->jsonl)
        return cw_inspect_print(json_pack("{s:I}", "violations", (json_int_t)violations));
    return printf("%s: %" PRIu64 " violation%s\n", inspect->directory, violations, violations == 1 ? "" : "s") < 0
               ? CRAWL_EIO
               : CRAWL_OK;
}

/* A crawl at work drops files while the look begins: then it is repeated. */
static crawl_err open_view(cw_inspect *inspect, crawl_error *error)
{
    enum { ATTEMPTS = 5 };
    crawl_err err = CRAWL_EIO;
    for (int i = 0; i < ATTEMPTS && err == CRAWL_EIO; i++)
        err = crawl_frontier_view_open(inspect->directory, &inspect->view, error);
    return err;
}

static int run(cw_inspect *inspect, const options *o)
{
    crawl_error error = {0};
    int status = CW_EXIT_OK;
    crawl_err err = open_view(inspect, &error);
    if (!err)
        err = o->check  ? check(inspect, &status, &error)
              : o->what ? o->what(inspect, &error)
                        : cw_inspect_summary(inspect, &error);
    crawl_frontier_view_free(inspect->view);
    fflush(stdout);
    if (err && cw_output_failed())
        return status; /* main() tells */
    if (err)
        fprintf(stderr, "crawl %s: %s\n", tool, *error.message ? error.message : crawl_strerror(err));
    return err ? CW_EXIT_LOCAL : status;
}

int cw_tool_inspect(int argc, char **argv)
{
    options o = {0};
    cw_inspect inspect = {.now_ms = cw_wall_ms()};
    if (!read_options(argc, argv, &o, &inspect)) {
        fputs(cw_tool_inspect_help, stderr);
        return CW_EXIT_USAGE;
    }
    if (o.help)
        return cw_output_text(cw_tool_inspect_help);
    const char *wrong = refusal(&o, argc - optind);
    if (wrong) {
        fprintf(stderr, "crawl %s: %s\n%s", tool, wrong, cw_tool_inspect_help);
        return CW_EXIT_USAGE;
    }
    inspect.directory = argv[optind];
    if (argc - optind == 2)
        inspect.origin = crawl_slice_from(argv[optind + 1]);
    return run(&inspect, &o);
}
