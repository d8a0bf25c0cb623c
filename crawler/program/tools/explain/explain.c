/* `crawl explain`: what a crawl would make of URLs, and by which rule. */
#include "crawler/program/tools/explain/explain.h"

#include "crawler/program/config.h"
#include "crawler/program/seeds.h"
#include "crawler/program/tools/io.h"
#include "crawler/program/tools/output.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <stdlib.h>

const char cw_tool_explain_help[] =
    "usage: crawl explain [options] [URL...]\n"
    "\n"
    "Says of each URL whether it would be fetched and what decides that, first and in one line; then its canonical form step by\n"
    "step, its fingerprint, and what each check makes of it, with the setting, the pattern or the line that decided. Nothing is\n"
    "fetched. URLs are read from standard input, one per line, where none is given.\n"
    "\n"
    "  depth      crawl.depth, against a seed's own depth or --at-depth\n"
    "  scope      crawl.scope, relative to the seeds\n"
    "  patterns   crawl.include and crawl.exclude: the last that matches decides\n"
    "  shape      crawl.max_url, max_path_depth and max_repeats, the guard against sites without end\n"
    "  counts     crawl.max_queries, max_pages_per_host and max_pages_per_domain: with --records, what a crawl made of them\n"
    "  address    ports that browsers block; private addresses, of hosts that are addresses\n"
    "  robots     the rule of the robots.txt named by --robots, or of the one that the directory of --state keeps\n"
    "  record     with --records: when it was asked and what came of it, or what became of the last link to it\n"
    "  seen       with --state: whether it was seen before, which filter of the seen-set says so and at what chance of error;\n"
    "             where it stands in the queue, and when its turn is at the soonest\n"
    "  host       with --state: whether its host asked us to wait or failed, and until when\n"
    "\n"
    "A check says pass, wait (until a date), refuse, or unknown where nothing is known that would decide it. Seeds are in the\n"
    "crawl whatever scope and patterns say.\n"
    "\n"
    "  --seed URL     a seed, as on the command line of a crawl; repeatable\n"
    "  --seeds FILE   a file of them\n"
    "  --at-depth N   the URLs are so many links away from a seed\n"
    "  --robots FILE  the robots.txt of the URLs' hosts; \"-\": standard input\n"
    "  --records FILE\n"
    "                 the --output or the --links of the crawl, which are read whole for each URL; repeatable\n"
    "  --config FILE  read this configuration in place of ./crawler.conf\n"
    "  --jsonl        a JSON object for each URL instead:\n"
    "                   {\"url\", \"href\", \"steps\":[{\"step\", \"text\"}], \"canonical\", \"fingerprint\", \"seed\",\n"
    "                    \"checks\":[{\"name\", \"verdict\", \"rule\"}], \"by\", \"verdict\", \"error\"}\n"
    "                 href: as it would be fetched. verdict: the worst of the checks', of pass, unknown, wait and refuse; by: "
    "the\n"
    "                 check that gave it, null of pass\n"
    "  --help         this text\n"
    "\n"
    "All options of a crawl are taken too (`crawl --help`), so that a crawl's own command line can be explained. --state DIR\n"
    "brings the options that the crawl in DIR has, and the places its seeds made part of its scope; also while it works.\n"
    "\n"
    "Exit status: 0 all would be fetched, as far as is known; 1 some would be refused; 2 usage or configuration; 4 a local\n"
    "failure.\n";

static const char tool[] = "explain";

enum { MAX_DEPTH = 1000000 }; /* as of crawl.depth */

typedef struct options {
    const char **seeds; /* as many as argv has words, and behind them as many for files of records */
    size_t seed_count;
    const char **records;
    size_t record_count;
    const char *robots;
    int64_t at_depth; /* negative: not given */
    bool jsonl;
    bool help;
} options;

/* What the URLs share. */
typedef struct explainer {
    cw_explain_world world;
    cw_explain_url url;
    crawl_buf robots;
    struct judged {
        const cw_explain_check *check;
        cw_verdict verdict;
        crawl_buf rule;
    } judged[CW_EXPLAIN_CHECKS]; /* of the URL at hand */
    size_t judged_count;
    bool jsonl;
} explainer;

/* --- for people --- */

static void print_row(const char *format, const char *name, crawl_slice text, FILE *out)
{
    fprintf(out, format, name);
    cw_escape_print(text, out);
    putc('\n', out);
}

static crawl_err print_step(void *user, const char *what, crawl_slice text)
{
    FILE *out = user;
    fputs("    -> ", out);
    cw_escape_print(text, out);
    fprintf(out, "  (%s)\n", what);
    return CRAWL_OK;
}

/* --- one URL --- */

/* What is wrong with it; NULL: nothing. */
static const char *refusal(crawl_err err)
{
    return err == CRAWL_EPARSE ? "not an absolute URL" : err == CRAWL_EINVAL ? "not an http or https URL" : NULL;
}

static crawl_err parse(explainer *e, crawl_slice input)
{
    crawl_err err = crawl_url_parse(e->url.url, input, NULL, NULL);
    if (!err && !crawl_url_is_http(e->url.url))
        err = CRAWL_EINVAL;
    e->url.seed = NULL;
    if (!err)
        err = cw_explain_look_up(&e->world, &e->url);
    if (!err)
        err = cw_explain_read_records(&e->world, &e->url);
    return err ? err : cw_explain_find(&e->world, &e->url);
}

static bool applies(const explainer *e, const cw_explain_check *check)
{
    return (!check->of_state || e->world.view) && (!check->of_records || e->world.record_count);
}

/* All checks that can be made. */
static crawl_err judge(explainer *e)
{
    e->judged_count = 0;
    for (const cw_explain_check *check = cw_explain_checks; check->name; check++) {
        struct judged *judged = &e->judged[e->judged_count];
        if (!applies(e, check))
            continue;
        judged->check = check;
        crawl_buf_clear(&judged->rule);
        crawl_err err = check->judge(&e->world, &e->url, &judged->verdict, &judged->rule);
        if (err)
            return err;
        e->judged_count++;
    }
    return CRAWL_OK;
}

/* The first of the worst. */
static const struct judged *decisive(const explainer *e)
{
    const struct judged *worst = &e->judged[0];
    for (size_t i = 1; i < e->judged_count; i++)
        if (e->judged[i].verdict > worst->verdict)
            worst = &e->judged[i];
    return worst;
}

/* A URL that passes all: its place in the queue, if it has one, is what there is to say. */
static const struct judged *place_in_queue(const explainer *e)
{
    for (size_t i = 0; i < e->judged_count; i++)
        if (e->url.found.queued && e->judged[i].check->judge == cw_explain_seen)
            return &e->judged[i];
    return NULL;
}

static bool was_done(const explainer *e, const struct judged *by)
{
    return e->url.found.seen && !e->url.found.queued &&
           (by->check->judge == cw_explain_seen || by->check->judge == cw_explain_record);
}

/* The verdict in one line. */
static void print_verdict(const explainer *e, FILE *out)
{
    const struct judged *by = decisive(e);
    static const char *const words[] = {[CW_VERDICT_PASS] = "fetched",
                                        [CW_VERDICT_UNKNOWN] = "fetched, as far as is known",
                                        [CW_VERDICT_WAIT] = "fetched, but not now",
                                        [CW_VERDICT_REFUSE] = "not fetched"};
    fprintf(out, "  %s",
            by->verdict == CW_VERDICT_REFUSE && was_done(e, by) ? "not fetched again" : words[by->verdict]);
    if (by->verdict == CW_VERDICT_PASS)
        by = place_in_queue(e);
    if (by)
        fprintf(out, ": %s: ", by->check->name);
    print_row("%s", "", by ? crawl_buf_slice(&by->rule) : (crawl_slice){0}, out);
}

static void print_checks(const explainer *e, FILE *out)
{
    for (size_t i = 0; i < e->judged_count; i++) {
        const struct judged *judged = &e->judged[i];
        fprintf(out, "  %-12s%-9s", judged->check->name, cw_verdict_name(judged->verdict));
        print_row("%s", "", crawl_buf_slice(&judged->rule), out);
    }
}

static crawl_err print_url(explainer *e, crawl_slice input, FILE *out, cw_verdict *whole)
{
    char fingerprint[41];
    print_row("%s", "", input, out);
    crawl_err err = parse(e, input);
    if (refusal(err)) {
        *whole = CW_VERDICT_REFUSE;
        fprintf(out, "  not fetched: %s\n", refusal(err));
        return CRAWL_OK;
    }
    if (!err)
        err = judge(e);
    if (err)
        return err;
    *whole = decisive(e)->verdict;
    print_verdict(e, out);
    err = crawl_canonical_steps(input, NULL, &e->world.key.canonical, print_step, out);
    if (err)
        return err;
    crawl_fingerprint_hex(&e->url.fingerprint, fingerprint);
    print_row("  %-12s", "request", crawl_url_request(e->url.url), out);
    print_row("  %-12s", "canonical", crawl_buf_slice(&e->url.canonical), out);
    print_row("  %-12s", "fingerprint", crawl_slice_from(fingerprint), out);
    print_checks(e, out);
    return CRAWL_OK;
}

/* --- for programs --- */

static crawl_err append_step(void *user, const char *what, crawl_slice text)
{
    json_t *step = json_pack("{s:s, s:o}", "step", what, "text", cw_json_text(text));
    return json_array_append_new(user, step) ? CRAWL_ENOMEM : CRAWL_OK;
}

static crawl_err append_checks(const explainer *e, json_t *list)
{
    for (size_t i = 0; i < e->judged_count; i++) {
        const struct judged *judged = &e->judged[i];
        json_t *object =
            json_pack("{s:s, s:s, s:o}", "name", judged->check->name, "verdict", cw_verdict_name(judged->verdict),
                      "rule", cw_json_text(crawl_buf_slice(&judged->rule)));
        if (json_array_append_new(list, object))
            return CRAWL_ENOMEM;
    }
    return CRAWL_OK;
}

/* The parsed URL into the object. */
static crawl_err fill(explainer *e, crawl_slice input, json_t *object, cw_verdict *whole)
{
    char fingerprint[41];
    json_t *steps = json_array();
    json_t *checks = json_array();
    crawl_fingerprint_hex(&e->url.fingerprint, fingerprint);
    bool failed = json_object_set_new(object, "href", cw_json_text(crawl_url_request(e->url.url)));
    failed |= json_object_set_new(object, "steps", steps);
    failed |= json_object_set_new(object, "canonical", cw_json_text(crawl_buf_slice(&e->url.canonical)));
    failed |= json_object_set_new(object, "fingerprint", json_string(fingerprint));
    failed |= json_object_set_new(object, "seed", json_boolean(e->url.seed != NULL));
    failed |= json_object_set_new(object, "checks", checks);
    if (failed)
        return CRAWL_ENOMEM;
    crawl_err err = crawl_canonical_steps(input, NULL, &e->world.key.canonical, append_step, steps);
    if (!err)
        err = judge(e);
    if (!err)
        err = append_checks(e, checks);
    if (err)
        return err;
    const struct judged *by = decisive(e);
    *whole = by->verdict;
    json_t *name = *whole == CW_VERDICT_PASS ? json_null() : json_string(by->check->name);
    return json_object_set_new(object, "by", name) ? CRAWL_ENOMEM : CRAWL_OK;
}

static crawl_err write_url(explainer *e, crawl_slice input, FILE *out, cw_verdict *whole)
{
    json_t *object = json_object();
    crawl_err err = parse(e, input);
    const char *why = refusal(err);
    bool failed = json_object_set_new(object, "url", cw_json_text(input));
    if (why)
        *whole = CW_VERDICT_REFUSE;
    if (why || !err)
        err = why ? CRAWL_OK : fill(e, input, object, whole);
    failed |= json_object_set_new(object, "verdict", json_string(cw_verdict_name(*whole)));
    failed |= json_object_set_new(object, "error", why ? json_string(why) : json_null());
    if (!err)
        err = failed ? CRAWL_ENOMEM : cw_json_write(object, out);
    json_decref(object);
    return err;
}

/* --- all of them --- */

static int explain(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    explainer *e = user;
    cw_verdict whole = CW_VERDICT_PASS;
    if (number > 1 && !e->jsonl)
        putc('\n', out);
    crawl_err err = (e->jsonl ? write_url : print_url)(e, line, out, &whole);
    if (err) {
        if (!cw_output_failed())
            cw_say(tool, "%s", e->world.error.code ? e->world.error.message : crawl_strerror(err));
        return cw_output_failed() ? CW_EXIT_OK : CW_EXIT_LOCAL;
    }
    return whole == CW_VERDICT_REFUSE ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

static int explain_arguments(explainer *e, int count, char **urls)
{
    int status = CW_EXIT_OK;
    for (int i = 0; i < count && status != CW_EXIT_LOCAL; i++) {
        int answer = explain(e, crawl_slice_from(urls[i]), (unsigned long)i + 1, stdout);
        status = answer > status ? answer : status;
    }
    return status;
}

static int explain_lines(explainer *e)
{
    const cw_tool_input lines = {.tool = tool,
                                 .longest = CW_LINE_URL_MAX,
                                 .instead = e->jsonl ? "{\"error\":\"too long\"}\n" : NULL,
                                 .line = explain,
                                 .user = e};
    return cw_tool_lines(&lines, stdout);
}

static int read_seeds(explainer *e, const options *o)
{
    crawl_error error = {0};
    cw_seed_count count = {0};
    const char *path = e->world.config->seeds;
    for (size_t i = 0; i < o->seed_count; i++) {
        if (cw_seeds_take_url(crawl_slice_from(o->seeds[i]), cw_explain_take_seed, &e->world, &error)) {
            cw_say(tool, "--seed: %s", error.message);
            return CW_EXIT_USAGE;
        }
    }
    if (path && cw_seeds_each(path, -1, cw_explain_take_seed, &e->world, &count, &error)) {
        cw_say(tool, "seeds: %s", error.message);
        return cw_seeds_ends(error.code) ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    }
    return CW_EXIT_OK;
}

static int read_robots(explainer *e, const options *o)
{
    if (!o->robots)
        return CW_EXIT_OK;
    if (cw_tool_read_robots(tool, o->robots, &e->robots))
        return CW_EXIT_LOCAL;
    crawl_slice agent = crawl_slice_from(e->world.config->robots_agent);
    crawl_err err = crawl_robots_parse(crawl_buf_slice(&e->robots), agent, &e->world.robots);
    e->world.robots_path = strcmp(o->robots, "-") == 0 ? "standard input" : o->robots;
    if (err)
        cw_say(tool, "%s", crawl_strerror(err));
    return err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

static int run(const crawl_config *config, const options *o, int count, char **urls)
{
    explainer e = {.url.url = crawl_url_create(), .jsonl = o->jsonl};
    crawl_error error = {0};
    crawl_err err = cw_explain_open(&e.world, config, &error);
    e.world.at_depth = o->at_depth;
    e.world.records = o->records;
    e.world.record_count = o->record_count;
    int status = !err && e.url.url ? CW_EXIT_OK : err && err != CRAWL_ENOMEM ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
    if (status)
        cw_say(tool, "%s", err ? error.message : crawl_strerror(CRAWL_ENOMEM));
    if (!status && cw_explain_open_state(&e.world)) {
        cw_say(tool, "%s", e.world.error.message);
        status = CW_EXIT_LOCAL;
    }
    if (!status)
        status = read_seeds(&e, o);
    if (!status)
        status = read_robots(&e, o);
    if (!status)
        status = count ? explain_arguments(&e, count, urls) : explain_lines(&e);
    cw_explain_close(&e.world);
    crawl_url_free(e.url.url);
    crawl_buf_free(&e.url.canonical);
    cw_explain_found_free(&e.url.found);
    cw_explain_drop_records(&e.url);
    crawl_buf_free(&e.robots);
    for (size_t i = 0; i < CW_EXPLAIN_CHECKS; i++)
        crawl_buf_free(&e.judged[i].rule);
    return status;
}

/* --- the command line --- */

static bool refuse(const char *option, const char *why)
{
    cw_say(tool, "--%s: %s", option, why);
    fputs("Try 'crawl help explain'.\n", stderr);
    return false;
}

/* Digits alone; strtoull takes signs and blanks. */
static bool read_depth(const char *text, int64_t *out)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || number > MAX_DEPTH)
        return refuse("at-depth", "expected a whole number from 0 to 1000000");
    *out = (int64_t)number;
    return true;
}

static bool take_value(options *o, const char *name, const char *value)
{
    if (strcmp(name, "seed") == 0)
        o->seeds[o->seed_count++] = value;
    else if (strcmp(name, "records") == 0)
        o->records[o->record_count++] = value;
    else if (strcmp(name, "robots") == 0)
        o->robots = value;
    else
        return read_depth(value, &o->at_depth);
    return true;
}

/* The options of this tool alone are taken out of argv first; one of them, --robots, is a switch to a crawl. The name,
 * if word is one of them; *value is what stands behind "=". */
static const char *own_option(const char *word, const char **value, bool *takes_value)
{
    static const char *const names[] = {"seed", "robots", "at-depth", "records", "jsonl", "help"};
    enum { WITH_VALUE = 4 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size = strlen(names[i]);
        if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, names[i], size) != 0)
            continue;
        const char *end = word + 2 + size;
        *value = *end == '=' ? end + 1 : NULL;
        *takes_value = i < WITH_VALUE;
        if (!*end || *value)
            return names[i];
    }
    return NULL;
}

static bool take_own(int *argc, char **argv, options *o)
{
    int kept = 1;
    int i = 1;
    for (; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        const char *value;
        bool takes_value;
        const char *name = own_option(argv[i], &value, &takes_value);
        if (!name) {
            argv[kept++] = argv[i];
            continue;
        }
        if (!takes_value && value)
            return refuse(name, "takes no value");
        if (takes_value && !value && i + 1 == *argc)
            return refuse(name, "needs a value");
        if (takes_value && !take_value(o, name, value ? value : argv[++i]))
            return false;
        o->jsonl |= strcmp(name, "jsonl") == 0;
        o->help |= strcmp(name, "help") == 0;
    }
    while (i < *argc)
        argv[kept++] = argv[i++];
    *argc = kept;
    return true;
}

/* Standard input can be read once. */
static bool check(const options *o, const crawl_config *config, int urls)
{
    int readers =
        (urls == 0) + (o->robots && strcmp(o->robots, "-") == 0) + (config->seeds && strcmp(config->seeds, "-") == 0);
    if (readers > 1)
        cw_say(tool, "URLs, seeds and robots.txt cannot all come from standard input");
    return readers <= 1;
}

static int configure_and_run(options *o, int argc, char **argv)
{
    crawl_config config;
    crawl_error error = {0};
    int first = argc;
    int status = CW_EXIT_USAGE;
    if (cw_configure(&config, argc, argv, &first, NULL, NULL, &error)) {
        cw_say(tool, "%s", error.message);
        fputs(error.line ? "" : "Try 'crawl help explain'.\n", stderr);
    } else if (check(o, &config, argc - first))
        status = run(&config, o, argc - first, argv + first);
    crawl_config_free(&config);
    return status;
}

int cw_tool_explain(int argc, char **argv)
{
    options o = {.seeds = calloc(2 * (size_t)argc, sizeof *o.seeds), .at_depth = -1};
    o.records = o.seeds ? o.seeds + argc : NULL;
    int status = CW_EXIT_LOCAL;
    if (!o.seeds)
        cw_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
    else if (!take_own(&argc, argv, &o))
        status = CW_EXIT_USAGE;
    else if (o.help)
        status = cw_output_text(cw_tool_explain_help);
    else
        status = configure_and_run(&o, argc, argv);
    free(o.seeds);
    return status;
}
