/* `crawl robots` says whether a robots.txt allows URLs, and which line decides. */
#include "crawler/program/commands/commands.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"

#include <crawl/preferences.h>
#include <stdlib.h>
#include <unistd.h>

static const char tool[] = "robots";

typedef struct robots_options {
    const char *agent;
    const char *file;
    bool jsonl;
} robots_options;

/* Parts that judge each line. */
typedef struct judge {
    crawl_robots *robots;
    crawl_url *url;
    crawl_preferences *preferences;
    const char *agent; /* for rows without one */
    crawl_buf bytes;
} judge;

/* Returns the library's agent for a name on the command line or in a row. */
static crawl_slice agent_of(const char *name)
{
    return name && strcmp(name, "*") == 0 ? crawl_slice_of("", 0) : crawl_slice_from(name);
}

static bool is_agent(const char *name)
{
    return name && (strcmp(name, "*") == 0 || crawl_robots_agent_valid(crawl_slice_from(name)));
}

/* Parses a URL that rules can judge. Returns what is wrong with it. NULL: nothing. */
static const char *robots_read_url(judge *j, crawl_slice text)
{
    if (cw_tool_memory_must(crawl_url_parse(j->url, text, NULL, NULL)))
        return "not a URL";
    return crawl_url_is_http(j->url) ? NULL : "not an http or https URL";
}

/* Gathers the file's statements about the use of the page. */
static const crawl_preferences *robots_uses(const judge *j, const crawl_robots *robots)
{
    crawl_preferences_clear(j->preferences);
    cw_tool_memory_must(crawl_preferences_add_robots(j->preferences, robots, j->url));
    cw_tool_memory_must(crawl_preferences_finish(j->preferences));
    return j->preferences;
}

static void robots_print_uses(const crawl_preferences *uses, FILE *out)
{
    for (size_t i = 0; i < crawl_preferences_count(uses); i++) {
        const crawl_statement one = crawl_preferences_statement(uses, i);
        fputs(i ? ", " : "\t", out);
        cw_tool_escape_print(one.label, out);
        putc('=', out);
        cw_tool_escape_print(one.value, out);
        fprintf(out, " (line %u%s%s)", one.line, one.ignored ? ", ignored: " : "", one.ignored ? one.ignored : "");
    }
}

/* Returns the line of the first statement that decides a use; 0: none. */
static unsigned robots_line_of(const crawl_preferences *uses, unsigned bit, bool is_refused)
{
    for (size_t i = 0; i < crawl_preferences_count(uses); i++) {
        const crawl_statement one = crawl_preferences_statement(uses, i);
        if ((is_refused ? one.refuses : one.grants) & bit)
            return one.line;
    }
    return 0;
}

/* Prints the result of the statements. */
static void robots_print_may(const crawl_preferences *uses, FILE *out)
{
    const char *before = "\t";
    unsigned refused = crawl_preferences_refused(uses);
    unsigned granted = crawl_preferences_granted(uses);
    for (unsigned use = 0; use < CRAWL_USE_COUNT; use++) {
        unsigned bit = 1u << use;
        if (!((refused | granted) & bit))
            continue;
        fprintf(out, "%s%s=%c (line %u)", before, crawl_use_name((crawl_use)use), refused & bit ? 'n' : 'y',
                robots_line_of(uses, bit, refused & bit));
        before = ", ";
    }
}

/* Prints a verdict. Strangers wrote both texts, which are escaped: a control byte could end the line or the field. */
static void robots_print_verdict(const judge *j, crawl_slice url, FILE *out)
{
    crawl_robots_verdict verdict = crawl_robots_check(j->robots, j->url);
    cw_tool_memory_must(verdict.err);
    fputs(verdict.allowed ? "allowed\t" : "disallowed\t", out);
    cw_tool_escape_print(url, out);
    putc('\t', out);
    if (verdict.line)
        fprintf(out, "line %u: ", verdict.line);
    cw_tool_escape_print(verdict.rule, out);
    const crawl_preferences *uses = robots_uses(j, j->robots);
    robots_print_uses(uses, out);
    robots_print_may(uses, out);
    putc('\n', out);
}

/* Judges a URL, and prints the verdict. number: of its line; 0: it is on the command line. */
static int judge_url(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    judge *j = user;
    const char *why = robots_read_url(j, line);
    if (!why)
        robots_print_verdict(j, line, out);
    else if (number)
        cw_tool_say(tool, "line %lu: %s", number, why);
    else
        cw_tool_say(tool, "%.*s: %s", (int)line.size, line.data, why);
    return why ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

static int judge_arguments(judge *j, int count, char **urls)
{
    int status = CW_EXIT_OK;
    for (int i = 0; i < count; i++) {
        int answer = judge_url(j, crawl_slice_from(urls[i]), 0, stdout);
        status = status ? status : answer;
    }
    return status;
}

static void say_use_fault(void *, unsigned line, crawl_slice text, const char *why)
{
    cw_tool_say(tool, "line %u: %.*s: %s", line, (int)text.size, text.data, why);
}

static int judge_all(judge *j, const robots_options *o, int count, char **urls)
{
    const cw_tool_input lines = {.tool = tool, .longest = CW_TOOL_LINE_URL_MAX, .line = judge_url, .user = j};
    if (cw_tool_read_robots(tool, o->file, &j->bytes))
        return CW_EXIT_LOCAL;
    cw_tool_memory_must(crawl_robots_parse(crawl_buf_slice(&j->bytes), agent_of(o->agent), &j->robots));
    cw_tool_memory_must(crawl_robots_use_faults(crawl_buf_slice(&j->bytes), say_use_fault, NULL));
    return count ? judge_arguments(j, count, urls) : cw_tool_lines(&lines, stdout);
}

static json_t *sitemaps_of(const crawl_robots *robots)
{
    json_t *list = json_array();
    for (size_t i = 0; i < crawl_robots_sitemap_count(robots); i++)
        json_array_append_new(list, cw_tool_json_text(crawl_robots_sitemap(robots, i)));
    return list;
}

static json_t *robots_delay_of(const crawl_robots *robots)
{
    double delay = crawl_robots_delay(robots);
    return delay < 0 ? json_null() : json_real(delay);
}

/* Makes the answer to a row. error: why there is no verdict, or why the groups for "*" decided; NULL: none. */
static json_t *robots_answer(const crawl_robots *robots, const crawl_robots_verdict *verdict, const char *error)
{
    bool has_rule = verdict && verdict->line;
    json_t *object = json_object();
    json_object_set_new(object, "allowed", verdict ? json_boolean(verdict->allowed) : json_null());
    json_object_set_new(object, "rule", has_rule ? cw_tool_json_text(verdict->rule) : json_null());
    json_object_set_new(object, "line", has_rule ? json_integer(verdict->line) : json_null());
    json_object_set_new(object, "crawl_delay", robots_delay_of(robots));
    json_object_set_new(object, "sitemaps", sitemaps_of(robots));
    if (error)
        json_object_set_new(object, "error", json_string(error));
    return object;
}

/* Adds a JSON text as a member, unless it is empty. */
static void robots_set_json(json_t *object, const char *name, crawl_buf *text)
{
    if (text->size)
        json_object_set_new(object, name, json_loadb(text->data, text->size, 0, NULL));
    crawl_buf_clear(text);
}

static void robots_set_uses(json_t *object, const crawl_preferences *uses)
{
    crawl_buf text = {0};
    cw_tool_memory_must(crawl_preferences_json(uses, &text));
    robots_set_json(object, "preferences", &text);
    cw_tool_memory_must(crawl_may_json(crawl_preferences_refused(uses), crawl_preferences_granted(uses), &text));
    robots_set_json(object, "may", &text);
    crawl_buf_free(&text);
}

static void add_use_fault(void *user, unsigned line, crawl_slice text, const char *why)
{
    crawl_buf words = {0};
    cw_tool_memory_must(crawl_buf_printf(&words, "line %u: %.*s: %s", line, (int)text.size, text.data, why));
    json_array_append_new(user, cw_tool_json_text(crawl_buf_slice(&words)));
    crawl_buf_free(&words);
}

/* Adds warnings about faulty lines about use, if any. */
static void robots_set_warnings(json_t *object, crawl_slice body)
{
    json_t *list = json_array();
    cw_tool_memory_must(crawl_robots_use_faults(body, add_use_fault, list));
    if (json_array_size(list))
        json_object_set(object, "warnings", list);
    json_decref(list);
}

static json_t *judge_row(void *user, const json_t *row, const char **note)
{
    judge *j = user;
    const char *name = cw_tool_json_field(row, "agent") ? cw_tool_json_field(row, "agent") : j->agent;
    crawl_slice body = cw_tool_json_bytes(row, "robots", &j->bytes);
    crawl_robots *robots = NULL;
    if (!body.data)
        return json_pack("{s:s}", "error", "no robots or robots_hex");
    cw_tool_memory_must(crawl_robots_parse(body, is_agent(name) ? agent_of(name) : (crawl_slice){0}, &robots));
    if (body.size > CRAWL_ROBOTS_MAX_SIZE)
        *note = "robots is longer than 512000 bytes (RFC 9309, 2.5): the rest is ignored";
    const json_t *url = json_object_get(row, "url");
    const char *why = robots_read_url(j, crawl_slice_of(json_string_value(url), json_string_length(url)));
    json_t *object;
    if (why) {
        object = robots_answer(robots, NULL, why);
    } else {
        crawl_robots_verdict verdict = crawl_robots_check(robots, j->url);
        cw_tool_memory_must(verdict.err);
        object = robots_answer(robots, &verdict, is_agent(name) ? NULL : "agent is not a product token");
        robots_set_uses(object, robots_uses(j, robots));
        robots_set_warnings(object, body);
    }
    crawl_robots_free(robots);
    return object;
}

/* Returns what is wrong with the options. NULL: nothing. */
static const char *robots_refusal(const robots_options *o, int count)
{
    if (o->agent && !is_agent(o->agent))
        return "--agent: not a product token, letters, \"-\" and \"_\" (or '*')";
    if (o->jsonl)
        return o->file     ? "--jsonl: each row has its own robots: omit --file"
               : count > 1 ? "--jsonl: one FILE at most"
                           : NULL;
    if (!o->agent)
        return "--agent is missing";
    if (!o->file)
        return "--file is missing";
    return strcmp(o->file, "-") == 0 && !count ? "--file - leaves no standard input for URLs" : NULL;
}

int cw_command_robots(int argc, char **argv)
{
    robots_options o = {0};
    const cw_tool_option known[] = {
        {"agent", .text = &o.agent}, {"file", .text = &o.file}, {"jsonl", .flag = &o.jsonl}, {0}};
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .help = cw_command_robots_help,
    };
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    const char *wrong = robots_refusal(&o, argc - optind);
    if (wrong)
        return cw_tool_refuse(&syntax, wrong);
    judge j = {.agent = o.agent,
               .url = cw_tool_memory_granted(crawl_url_create()),
               .preferences = cw_tool_memory_granted(crawl_preferences_create(NULL))};
    if (o.jsonl)
        status = cw_tool_jsonl(tool, argv[optind], stdout, judge_row, &j);
    else
        status = judge_all(&j, &o, argc - optind, argv + optind);
    crawl_robots_free(j.robots);
    crawl_url_free(j.url);
    crawl_preferences_free(j.preferences);
    crawl_buf_free(&j.bytes);
    return status;
}
