/* `crawl extract`: tries the rules of [extract NAME] on pages, and shows the matches of each selector; or prints
 * selectors as XPath. */
#include "base/error.h"
#include "base/json/json_write.h"
#include "config/config_values.h"
#include "crawler/program/commands/commands.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"

#include <crawl/data.h>
#include <crawl/extract.h>
#include <crawl/links.h>

#include <crawl/config.h>
#include <crawl/engine.h>
#include <jansson.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A page of the web for `crawl extract`, requested as a crawl does: with robots.txt, redirects, and the configured
 * names and passwords of hosts. */

typedef struct trial_page {
    crawl_buf url; /* after redirects */
    crawl_buf body;
    const char *charset; /* declared by the server, a WHATWG name; NULL: none */
    bool is_there;       /* answered with status 2xx */
    bool was_asked;      /* not the first page of the process */
    crawl_buf reason;    /* why there is no page, in words */
} trial_page;

/* Returns a configuration that crawls only this page, and writes nothing. It borrows from config. */
static crawl_config config_of_page(const crawl_config *config)
{
    crawl_config own = *config;
    own.output = own.links = own.requests = own.fields = own.bodies = own.mirror = own.warc = NULL;
    own.screenshots = own.cookies_save = own.state = own.shared = NULL;
    own.program = (cw_config_program){0};
    own.depth = 0;
    own.scope = CRAWL_SCOPE_ANY;
    own.rules = NULL;
    own.rule_count = 0;
    own.max_pages = own.max_pages_per_host = own.max_pages_per_domain = 0;
    own.sitemaps = own.llms_txt = own.find_feeds = own.soft_404 = false;
    own.requisites = own.check_external = own.check_fragments = false;
    own.revisit = CRAWL_REVISIT_OFF;
    own.extracts = NULL;
    own.extract_count = 0;
    own.workers = 1;
    own.retries = 0; /* somebody is waiting */
    return own;
}

/* --- the page --- */

static crawl_err put_reason(trial_page *page, const crawl_record *record)
{
    const char *text = record->error_text && *record->error_text ? record->error_text : record->error;
    crawl_buf_clear(&page->reason);
    return record->error ? crawl_buf_append_text(&page->reason, text)
                         : crawl_buf_printf(&page->reason, "the answer has status %d", record->status);
}

/* Takes a record. A redirect has its own record, before that of its target. */
static crawl_err trial_fetch_take(void *user, const crawl_record *record)
{
    trial_page *page = user;
    crawl_buf_clear(&page->url);
    crawl_err err = crawl_buf_append(&page->url, record->url.data, record->url.size);
    if (!err)
        err = put_reason(page, record);
    page->is_there = !record->error && record->status >= 200 && record->status < 300;
    page->charset = crawl_charset_of_content_type(record->content_type_header);
    crawl_buf_clear(&page->body);
    return err ? err : crawl_buf_append(&page->body, record->body.data, record->body.size);
}

static crawl_err trial_fetch_run(const crawl_config *config, const char *url, trial_page *page, crawl_error *error)
{
    const crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = trial_fetch_take, .user = page};
    const crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
    crawl_engine *engine = NULL;
    crawl_err err = crawl_engine_create(config, &hooks, &engine, error);
    if (!err)
        err = crawl_engine_seed(engine, &seed, error);
    if (!err)
        err = crawl_engine_run(engine, error);
    crawl_engine_free(engine);
    return err;
}

/* Waits for the pause, because this engine does not know when the last page's engine asked the host. */
static void pause_before(const crawl_config *config, trial_page *page)
{
    const int64_t second = 1000, nanoseconds = 1000000;
    struct timespec pause = {.tv_sec = config->delay_ms / second, .tv_nsec = config->delay_ms % second * nanoseconds};
    if (page->was_asked)
        (void)nanosleep(&pause, NULL);
    page->was_asked = true;
}

/* Requests a page. Uses the settings of config that say how to request, and none that read or write files. Forgets the
 * last page; after one, waits for politeness.delay first. error says what failed here: CRAWL_EINVAL, CRAWL_EPARSE,
 * CRAWL_ENOMEM, CRAWL_EIO. */
static crawl_err trial_fetch(const crawl_config *config, const char *url, trial_page *page, crawl_error *error)
{
    const crawl_config own = config_of_page(config);
    page->is_there = false;
    pause_before(config, page);
    crawl_buf_clear(&page->reason);
    crawl_err err = crawl_buf_append_text(&page->reason, "no answer");
    return err ? cw_error(error, err) : trial_fetch_run(&own, url, page, error);
}

static void trial_free(trial_page *page)
{
    crawl_buf_free(&page->url);
    crawl_buf_free(&page->body);
    crawl_buf_free(&page->reason);
}

/* Extraction cuts larger pages anyway. */
#define PAGE_MAX ((size_t)CRAWL_TREE_MAX_PAGE)

typedef struct extract_options {
    const char *rules;
    const char *url;
    const char *charset;
    bool data;
    bool jsonl;
    bool xpath;
} extract_options;

/* Parts that read pages. */
typedef struct extract_tool {
    const extract_options *options;
    crawl_config config;
    crawl_rules *rules;           /* NULL: only data is wanted */
    crawl_extraction *extraction; /* likewise */
    crawl_data *data;
    crawl_tree *tree;
    crawl_slice found; /* the data */
    crawl_page *page;
    crawl_url *url;
    const char *page_url; /* in text; NULL: unknown */
    crawl_slice html;
    const char *charset; /* declared by the server; NULL: unknown */
    trial_page of_web;   /* holds html if it was requested */
    crawl_buf of_file;   /* holds html if it was read from a file */
    crawl_buf line;
} extract_tool;

/* ---- selectors as XPath ---- */

static int extract_translate(void *, crawl_slice css, unsigned long number, FILE *out)
{
    crawl_buf xpath = {0};
    crawl_error error = {0};
    crawl_err err = crawl_select_xpath(css, &xpath, &error);
    if (err)
        cw_tool_say("extract", "line %lu, %s", number, error.message);
    fprintf(out, "%s\n", err ? "" : xpath.data);
    crawl_buf_free(&xpath);
    return err ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

static int translate_all(const char *path)
{
    const cw_tool_input input = {
        .tool = "extract", .path = path, .longest = CW_TOOL_LINE_URL_MAX, .instead = "", .line = extract_translate};
    return cw_tool_lines(&input, stdout);
}

/* ---- a page ---- */

static void extract_put_fields(const extract_tool *tool, const char *file, cw_writer *line)
{
    cw_json_words(line, "{\"file\":", file);
    cw_json_words(line, ",\"url\":", tool->page_url);
    if (tool->rules) {
        crawl_slice json = crawl_extraction_json(tool->extraction);
        crawl_slice missing = crawl_extraction_missing(tool->extraction);
        cw_put_text(line, ",\"fields\":");
        cw_put(line, json.size ? json : crawl_slice_from("{}"));
        cw_put_text(line, ",\"missing\":");
        cw_put(line, missing.size ? missing : crawl_slice_from("[]"));
    }
    if (tool->options->data) {
        cw_put_text(line, ",\"data\":");
        cw_put(line, tool->found.size ? tool->found : crawl_slice_from("{}"));
    }
    cw_put_text(line, "}\n");
}

/* Returns the width of the longest "section.name". */
static int extract_width_of(const crawl_rules *rules)
{
    size_t width = 0;
    crawl_rule rule;
    for (size_t i = 0; crawl_rules_at(rules, i, &rule); i++)
        if (rule.section.size + rule.name.size + 1 > width)
            width = rule.section.size + rule.name.size + 1;
    return (int)width;
}

static void extract_put_row(const extract_tool *tool, size_t index, const crawl_rule *rule, cw_writer *line)
{
    char matches[40] = "no match";
    size_t count = crawl_extraction_matches(tool->extraction, index);
    size_t before = cw_writer_size(line);
    if (count)
        snprintf(matches, sizeof matches, "%zu match%s", count, count == 1 ? "" : "es");
    cw_put_format(line, "  %.*s.%.*s", (int)rule->section.size, rule->section.data, (int)rule->name.size,
                  rule->name.data);
    cw_put_format(line, "%*s%-12s ", (int)(before + 4 + (size_t)extract_width_of(tool->rules) - cw_writer_size(line)),
                  "", matches);
    crawl_slice value = crawl_extraction_value(tool->extraction, index);
    if (crawl_extraction_is_missing(tool->extraction, index))
        cw_put_text(line, "missing");
    else if (!rule->is_member && count && !value.size)
        cw_put_text(line, "no value");
    else
        cw_put(line, value);
    while (cw_writer_size(line) > before && line->out->data[cw_writer_size(line) - 1] == ' ')
        cw_writer_cut(line, cw_writer_size(line) - 1);
    cw_put_char(line, '\n');
}

static void extract_put_part(const char *name, const json_t *value, cw_writer *line)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    cw_put_format(line, "  %-14s %s\n", name, text);
    free(text);
}

/* Puts a line for each part; a list gets a line for each value. */
static void put_data(const extract_tool *tool, cw_writer *line)
{
    const char *name;
    json_t *value;
    json_t *data = tool->found.size ? json_loadb(tool->found.data, tool->found.size, 0, NULL) : NULL;
    json_object_foreach(data, name, value)
    {
        for (size_t i = 0; i < json_array_size(value); i++)
            extract_put_part(name, json_array_get(value, i), line);
        if (!json_is_array(value))
            extract_put_part(name, value, line);
    }
    json_decref(data);
}

static void put_rows(const extract_tool *tool, const char *file, cw_writer *line)
{
    crawl_rule rule;
    cw_put_format(line, "%s\n", cw_tool_name(file));
    for (size_t i = 0; tool->rules && crawl_rules_at(tool->rules, i, &rule); i++)
        extract_put_row(tool, i, &rule, line);
    if (tool->options->data)
        put_data(tool, line);
}

static void extract_page(extract_tool *tool)
{
    const crawl_url *url = tool->page_url ? tool->url : NULL;
    cw_tool_memory_must(crawl_page_parse(tool->page, tool->html, url, tool->charset));
    const crawl_extract_page page = {
        .size = sizeof page,
        .url = url ? crawl_url_href(url) : (crawl_slice){0},
        .base = crawl_page_base(tool->page),
        .tree = tool->tree,
    };
    crawl_tree_set(tool->tree, tool->html, crawl_page_charset(tool->page));
    if (tool->rules)
        cw_tool_memory_must(crawl_extraction_run(tool->extraction, &page));
    if (tool->options->data)
        cw_tool_memory_must(crawl_data_read(tool->data, tool->page, tool->tree, &tool->found));
}

static int extract_print(extract_tool *tool, const char *file)
{
    cw_writer line = {.out = &tool->line};
    crawl_buf_clear(&tool->line);
    if (tool->options->jsonl)
        extract_put_fields(tool, file, &line);
    else
        put_rows(tool, file, &line);
    cw_tool_memory_must(line.err);
    fwrite(tool->line.data, 1, tool->line.size, stdout);
    fflush(stdout);
    return tool->rules && crawl_extraction_missing(tool->extraction).size ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

/* ---- sources of a page ---- */

static int extract_read_file(extract_tool *tool, const char *file)
{
    crawl_buf_clear(&tool->of_file);
    crawl_err err = cw_tool_read("extract", file, PAGE_MAX, &tool->of_file);
    tool->html = crawl_buf_slice(&tool->of_file);
    if (err && err != CRAWL_FULL)
        return CW_EXIT_LOCAL;
    return !tool->charset && cw_tool_is_binary("extract", file, tool->html) ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

static int extract_ask(extract_tool *tool, const char *url)
{
    crawl_error error = {0};
    crawl_err err = trial_fetch(&tool->config, url, &tool->of_web, &error);
    if (err)
        cw_tool_say("extract", "%s: %s", url, error.code ? error.message : crawl_strerror(err));
    else if (!tool->of_web.is_there)
        cw_tool_say("extract", "%s: %s", url, tool->of_web.reason.data);
    tool->html = crawl_buf_slice(&tool->of_web.body);
    if (!tool->options->charset)
        tool->charset = tool->of_web.charset;
    if (!tool->options->url && tool->of_web.is_there && !err)
        tool->page_url = crawl_url_parse(tool->url, crawl_slice_from(tool->of_web.url.data), NULL, NULL)
                             ? NULL
                             : tool->of_web.url.data;
    if (err)
        return cw_tool_status(err == CRAWL_EPARSE ? CRAWL_EINVAL : err);
    return tool->of_web.is_there ? CW_EXIT_OK : CW_EXIT_NOTHING;
}

static int extract_run_file(extract_tool *tool, const char *file)
{
    const extract_options *options = tool->options;
    tool->page_url = options->url;
    tool->charset = options->charset ? crawl_charset_name(crawl_slice_from(options->charset)) : NULL;
    int status =
        file && cw_tool_is_url(crawl_slice_from(file)) ? extract_ask(tool, file) : extract_read_file(tool, file);
    if (status)
        return status;
    extract_page(tool);
    if (tool->rules && crawl_extraction_is_cut(tool->extraction))
        cw_tool_say("extract", "%s: too large or too deep, or a selector took too many steps: some of it is left out",
                    cw_tool_name(file));
    return extract_print(tool, file);
}

/* ---- the command line ---- */

static int extract_refuse(const char *what, const char *value)
{
    cw_tool_say("extract", "%s %s", what, value);
    return CW_EXIT_USAGE;
}

/* Loads the rules. Returns CW_EXIT_OK, or another status after a message. */
static int open_rules(extract_tool *tool)
{
    crawl_error error = {0};
    crawl_err err = crawl_config_load(&tool->config, tool->options->rules, &error);
    if (!err)
        err = crawl_config_rules(&tool->config, &tool->rules, &error);
    if (!err && !tool->rules)
        return extract_refuse("there is no section [extract NAME] in", tool->options->rules);
    if (!err)
        err = crawl_extraction_create(tool->rules, &tool->extraction);
    if (!err)
        return CW_EXIT_OK;
    cw_tool_say("extract", "%s", error.code ? error.message : crawl_strerror(err));
    return err == CRAWL_EPARSE ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
}

static int extract_open_tool(extract_tool *tool)
{
    const extract_options *options = tool->options;
    if (!options->rules && !options->data)
        return extract_refuse("--rules CONF is needed: a file with", "[extract NAME]; or --data");
    if (options->charset && !crawl_charset_name(crawl_slice_from(options->charset)))
        return extract_refuse("unknown charset:", options->charset);
    tool->page = crawl_page_create();
    tool->url = crawl_url_create();
    tool->tree = crawl_tree_create();
    tool->data = crawl_data_create();
    if (!tool->page || !tool->url || !tool->tree || !tool->data || cw_config_init(&tool->config))
        cw_tool_memory_refused();
    crawl_page_set_data(tool->page, options->data);
    if (options->url && crawl_url_parse(tool->url, crawl_slice_from(options->url), NULL, NULL))
        return extract_refuse("not an absolute URL:", options->url);
    return options->rules ? open_rules(tool) : CW_EXIT_OK;
}

static void extract_close_tool(extract_tool *tool)
{
    crawl_extraction_free(tool->extraction);
    crawl_rules_free(tool->rules);
    cw_config_clear(&tool->config);
    crawl_data_free(tool->data);
    crawl_tree_free(tool->tree);
    crawl_page_free(tool->page);
    crawl_url_free(tool->url);
    crawl_buf_free(&tool->of_file);
    trial_free(&tool->of_web);
    crawl_buf_free(&tool->line);
}

static int extract_run(const extract_options *options, int count, char **files)
{
    extract_tool tool = {.options = options};
    int status = extract_open_tool(&tool);
    bool is_missing_any = false;
    for (int i = 0; i < (count ? count : 1) && !status; i++) {
        status = extract_run_file(&tool, count ? files[i] : NULL);
        is_missing_any = is_missing_any || status == CW_EXIT_NOTHING;
        status = status == CW_EXIT_NOTHING ? CW_EXIT_OK : status;
    }
    extract_close_tool(&tool);
    return !status && is_missing_any ? CW_EXIT_NOTHING : status;
}

int cw_command_extract(int argc, char **argv)
{
    extract_options options = {0};
    const cw_tool_option known[] = {
        {"rules", .text = &options.rules},
        {"url", .text = &options.url},
        {"charset", .text = &options.charset},
        {"data", .flag = &options.data},
        {"jsonl", .flag = &options.jsonl},
        {"xpath", .flag = &options.xpath},
        {0},
    };
    const cw_tool_syntax syntax = {.tool = "extract", .options = known, .help = cw_command_extract_help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    if (!options.xpath)
        return extract_run(&options, argc - optind, argv + optind);
    if (options.rules || options.data || options.url || options.charset || options.jsonl || argc - optind > 1)
        return cw_tool_refuse(&syntax, "--xpath takes one FILE at most, and no other option");
    return translate_all(argv[optind]);
}
