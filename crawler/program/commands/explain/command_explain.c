/* Explains URLs one by one: collects what is known of a URL, runs the checks, and prints the answer for people or
 * programs. */
#include "crawler/program/commands/explain/command_explain.h"

#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_output.h"

static const char tool[] = "explain";

/* The result of a check of the present URL. */
typedef struct judged {
    const cw_explain_check *check;
    cw_explain_verdict verdict;
    crawl_buf rule;
} judged;

/* Parts shared by all URLs. */
typedef struct explainer {
    cw_explain_world *world;
    cw_explain_url url;
    judged judged[CW_EXPLAIN_CHECKS];
    size_t judged_count;
    bool jsonl;
} explainer;

static const char *const verdict_names[] = {[CW_EXPLAIN_PASS] = "pass",
                                            [CW_EXPLAIN_UNKNOWN] = "unknown",
                                            [CW_EXPLAIN_WAIT] = "wait",
                                            [CW_EXPLAIN_REFUSE] = "refuse"};

/* --- one URL --- */

/* Returns what is wrong with a URL. NULL: nothing. */
static const char *explain_refusal(crawl_err err)
{
    return err == CRAWL_EPARSE ? "not an absolute URL" : err == CRAWL_EINVAL ? "not an http or https URL" : NULL;
}

static crawl_err look_up(explainer *e, crawl_slice input)
{
    crawl_err err = crawl_url_parse(e->url.url, input, NULL, NULL);
    if (!err && !crawl_url_is_http(e->url.url))
        err = CRAWL_EINVAL;
    if (!err)
        err = crawl_judge_url(e->world->judge, e->url.url, &e->url.rules);
    if (!err)
        err = cw_explain_read_records(e->world, &e->url);
    if (err)
        return err;
    return e->world->shared ? cw_explain_find_shared(e->world, &e->url) : cw_explain_find(e->world, &e->url);
}

static bool knows_queue(const cw_explain_world *world)
{
    return world->view || world->shared || world->engine;
}

/* Runs all possible checks. */
static crawl_err explain_judge(explainer *e)
{
    e->judged_count = 0;
    for (size_t i = 0; i < CW_EXPLAIN_CHECKS; i++) {
        const cw_explain_check *check = &cw_explain_checks[i];
        if ((check->of_state && !knows_queue(e->world)) || (check->of_records && !e->world->record_count))
            continue;
        judged *one = &e->judged[e->judged_count++];
        cw_writer rule = {.out = &one->rule};
        crawl_buf_clear(&one->rule);
        one->check = check;
        one->verdict = check->judge(e->world, &e->url, &rule);
        if (rule.err)
            return rule.err;
    }
    return CRAWL_OK;
}

/* Returns the check that decides: the first with the worst verdict. */
static const judged *decisive(const explainer *e)
{
    const judged *worst = &e->judged[0];
    for (size_t i = 1; i < e->judged_count; i++)
        if (e->judged[i].verdict > worst->verdict)
            worst = &e->judged[i];
    return worst;
}

/* --- for people --- */

static void explain_print_row(const char *format, const char *name, crawl_slice text, FILE *out)
{
    fprintf(out, format, name);
    cw_tool_escape_print(text, out);
    putc('\n', out);
}

static crawl_err print_step(void *user, const char *what, crawl_slice text)
{
    FILE *out = user;
    fputs("    -> ", out);
    cw_tool_escape_print(text, out);
    fprintf(out, "  (%s)\n", what);
    return CRAWL_OK;
}

static bool explain_is_check(const judged *one, const char *name)
{
    return strcmp(one->check->name, name) == 0;
}

/* Returns the check that tells the URL's place in the queue, if it has one. That is the answer for a URL that passes
 * all checks. */
static const judged *place_in_queue(const explainer *e)
{
    for (size_t i = 0; i < e->judged_count; i++)
        if (e->url.found.queued && explain_is_check(&e->judged[i], "seen"))
            return &e->judged[i];
    return NULL;
}

static bool was_done(const explainer *e, const judged *by)
{
    bool is_record = explain_is_check(by, "record");
    bool has_answer = is_record && json_integer_value(json_object_get(e->url.record, "status"));
    return (e->url.found.seen || has_answer) && !e->url.found.queued && (explain_is_check(by, "seen") || is_record);
}

/* Prints the verdict in one line. */
static void explain_print_verdict(const explainer *e, FILE *out)
{
    const judged *by = decisive(e);
    static const char *const words[] = {[CW_EXPLAIN_PASS] = "fetched",
                                        [CW_EXPLAIN_UNKNOWN] = "fetched, as far as is known",
                                        [CW_EXPLAIN_WAIT] = "fetched, but not now",
                                        [CW_EXPLAIN_REFUSE] = "not fetched"};
    fprintf(out, "  %s",
            by->verdict == CW_EXPLAIN_REFUSE && was_done(e, by) ? "not fetched again" : words[by->verdict]);
    if (by->verdict == CW_EXPLAIN_PASS)
        by = place_in_queue(e);
    if (by)
        fprintf(out, ": %s: ", by->check->name);
    explain_print_row("%s", "", by ? crawl_buf_slice(&by->rule) : (crawl_slice){0}, out);
}

static void print_checks(const explainer *e, FILE *out)
{
    for (size_t i = 0; i < e->judged_count; i++) {
        const judged *one = &e->judged[i];
        fprintf(out, "  %-12s%-9s", one->check->name, verdict_names[one->verdict]);
        explain_print_row("%s", "", crawl_buf_slice(&one->rule), out);
    }
}

static crawl_err print_url(explainer *e, crawl_slice input, FILE *out, cw_explain_verdict *whole)
{
    char fingerprint[41];
    explain_print_row("%s", "", input, out);
    crawl_err err = look_up(e, input);
    if (explain_refusal(err)) {
        *whole = CW_EXPLAIN_REFUSE;
        fprintf(out, "  not fetched: %s\n", explain_refusal(err));
        return CRAWL_OK;
    }
    if (!err)
        err = explain_judge(e);
    if (err)
        return err;
    *whole = decisive(e)->verdict;
    explain_print_verdict(e, out);
    err = crawl_canonical_steps(input, NULL, crawl_judge_canonical(e->world->judge), print_step, out);
    if (err)
        return err;
    crawl_fingerprint_hex(&e->url.rules.fingerprint, fingerprint);
    explain_print_row("  %-12s", "request", crawl_url_request(e->url.url), out);
    explain_print_row("  %-12s", "canonical", e->url.rules.canonical, out);
    explain_print_row("  %-12s", "fingerprint", crawl_slice_from(fingerprint), out);
    print_checks(e, out);
    return CRAWL_OK;
}

/* --- for programs --- */

static crawl_err append_step(void *user, const char *what, crawl_slice text)
{
    json_array_append_new(user, json_pack("{s:s, s:o}", "step", what, "text", cw_tool_json_text(text)));
    return CRAWL_OK;
}

static void append_checks(const explainer *e, json_t *list)
{
    for (size_t i = 0; i < e->judged_count; i++) {
        const judged *one = &e->judged[i];
        json_t *object = json_pack("{s:s, s:s, s:o}", "name", one->check->name, "verdict", verdict_names[one->verdict],
                                   "rule", cw_tool_json_text(crawl_buf_slice(&one->rule)));
        json_array_append_new(list, object);
    }
}

/* Fills the object for the parsed URL. */
static crawl_err explain_fill(explainer *e, crawl_slice input, json_t *object, cw_explain_verdict *whole)
{
    char fingerprint[41];
    json_t *steps = json_array();
    json_t *checks = json_array();
    crawl_fingerprint_hex(&e->url.rules.fingerprint, fingerprint);
    json_object_set_new(object, "href", cw_tool_json_text(crawl_url_request(e->url.url)));
    json_object_set_new(object, "steps", steps);
    json_object_set_new(object, "canonical", cw_tool_json_text(e->url.rules.canonical));
    json_object_set_new(object, "fingerprint", json_string(fingerprint));
    json_object_set_new(object, "seed", json_boolean(e->url.rules.seed != NULL));
    json_object_set_new(object, "checks", checks);
    crawl_err err = crawl_canonical_steps(input, NULL, crawl_judge_canonical(e->world->judge), append_step, steps);
    if (!err)
        err = explain_judge(e);
    if (err)
        return err;
    append_checks(e, checks);
    const judged *by = decisive(e);
    *whole = by->verdict;
    json_object_set_new(object, "by", *whole == CW_EXPLAIN_PASS ? json_null() : json_string(by->check->name));
    return CRAWL_OK;
}

static crawl_err make_object(explainer *e, crawl_slice input, cw_explain_verdict *whole, json_t **out)
{
    json_t *object = json_object();
    *out = object;
    crawl_err err = look_up(e, input);
    const char *why = explain_refusal(err);
    json_object_set_new(object, "url", cw_tool_json_text(input));
    if (why) {
        *whole = CW_EXPLAIN_REFUSE;
        err = CRAWL_OK;
    } else if (!err) {
        err = explain_fill(e, input, object, whole);
    }
    json_object_set_new(object, "verdict", json_string(verdict_names[*whole]));
    json_object_set_new(object, "error", why ? json_string(why) : json_null());
    return err;
}

static crawl_err explain_write_url(explainer *e, crawl_slice input, FILE *out, cw_explain_verdict *whole)
{
    json_t *object;
    crawl_err err = make_object(e, input, whole, &object);
    if (!err)
        err = cw_tool_json_write(object, out);
    json_decref(object);
    return err;
}

/* --- all of them --- */

static int explain_one(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    explainer *e = user;
    cw_explain_verdict whole = CW_EXPLAIN_PASS;
    if (number > 1 && !e->jsonl)
        putc('\n', out);
    crawl_err err = (e->jsonl ? explain_write_url : print_url)(e, line, out, &whole);
    if (!err)
        return whole == CW_EXPLAIN_REFUSE ? CW_EXIT_NOTHING : CW_EXIT_OK;
    if (cw_tool_output_failed())
        return CW_EXIT_OK;
    cw_tool_say(tool, "%s", e->world->error.code ? e->world->error.message : crawl_strerror(err));
    return CW_EXIT_LOCAL;
}

static int explain_arguments(explainer *e, int count, char **urls)
{
    int status = CW_EXIT_OK;
    for (int i = 0; i < count && status != CW_EXIT_LOCAL; i++) {
        int answer = explain_one(e, crawl_slice_from(urls[i]), (unsigned long)i + 1, stdout);
        status = answer > status ? answer : status;
    }
    return status;
}

static int explain_lines(explainer *e)
{
    const cw_tool_input lines = {.tool = tool,
                                 .longest = CW_TOOL_LINE_URL_MAX,
                                 .instead = e->jsonl ? "{\"error\":\"too long\"}\n" : NULL,
                                 .line = explain_one,
                                 .user = e};
    return cw_tool_lines(&lines, stdout);
}

static void free_explainer(explainer *e)
{
    crawl_url_free(e->url.url);
    cw_explain_found_free(&e->url.found);
    cw_explain_drop_records(&e->url);
    for (size_t i = 0; i < CW_EXPLAIN_CHECKS; i++)
        crawl_buf_free(&e->judged[i].rule);
}

crawl_err cw_explain_object(cw_explain_world *world, crawl_slice url, json_t **out)
{
    explainer e = {.world = world, .url.url = cw_tool_memory_granted(crawl_url_create())};
    cw_explain_verdict whole = CW_EXPLAIN_PASS;
    crawl_err err = make_object(&e, url, &whole, out);
    if (err) {
        json_decref(*out);
        *out = NULL;
    }
    free_explainer(&e);
    return err;
}

int cw_explain_urls(cw_explain_world *world, bool jsonl, int count, char **urls)
{
    explainer e = {.world = world, .url.url = cw_tool_memory_granted(crawl_url_create()), .jsonl = jsonl};
    int status = count ? explain_arguments(&e, count, urls) : explain_lines(&e);
    free_explainer(&e);
    return status;
}
