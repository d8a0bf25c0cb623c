/* `crawl extract`: tries the rules of [extract NAME] on pages, and shows what each selector matched; or prints
 * selectors as XPath. */
#include "base/json/json_write.h"
#include "crawler/program/commands/commands.h"
#include "crawler/program/commands/extract/trial_fetch.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"

#include <crawl/config.h>
#include <crawl/data.h>
#include <crawl/extract.h>
#include <crawl/links.h>

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

const char cw_command_extract_help[] =
    "usage: crawl extract --rules CONF [--data] [--url URL] [--charset NAME]\n"
    "             [--jsonl] [FILE|URL...]\n"
    "       crawl extract --data [--url URL] [--charset NAME] [--jsonl] [FILE|URL...]\n"
    "       crawl extract --xpath [FILE]\n"
    "\n"
    "Tries rules for values of pages: the sections [extract NAME] of CONF are applied\n"
    "to each FILE, a page of HTML (default: standard input). A URL is asked for\n"
    "first, as a crawl with CONF would: robots.txt holds, redirects are followed, and\n"
    "[politeness] delay passes between two.\n"
    "A line for each field says how many nodes its selector matched, and what came of\n"
    "it as JSON:\n"
    "\n"
    "  product.title   1 match    \"Blue kettle\"\n"
    "  product.price   1 match    12.50\n"
    "  product.sku     no match   missing\n"
    "\n"
    "\"missing\" stands behind a required field without a value, \"no value\" behind\n"
    "another of which something matches: text that is no number, a relative URL\n"
    "without --url. docs/extract.md explains the rules.\n"
    "With --data it prints what a page says of itself, without rules: JSON-LD,\n"
    "microdata, RDFa Lite, OpenGraph, language, description, canonical link,\n"
    "translations, headings, images without alt, a line for each as JSON.\n"
    "docs/data.md explains these.\n"
    "\n"
    "  --rules CONF    a crawler.conf; of it the sections [extract NAME] count, and\n"
    "                  for a URL how it is asked for\n"
    "  --data          what the page says of itself\n"
    "  --url URL       the page's own URL: \"pages\" is held against it, and links are\n"
    "                  resolved against it\n"
    "  --charset NAME  the encoding that the server declared; default: what the page\n"
    "                  says, else UTF-8 or windows-1252\n"
    "  --jsonl         a JSON object a page: {\"file\",\"url\",\"fields\",\"missing\",\"data\"}\n"
    "  --xpath         the input has a CSS selector a line; each is answered by its\n"
    "                  XPath, or by an empty line and a message\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0, 1 a required field is missing, a selector is none, or a URL or a\n"
    "file is no page, 2 usage or rules, 4 a file or memory.\n";

/* A larger page is cut by the extraction anyway. */
#define PAGE_MAX ((size_t)CRAWL_TREE_MAX_PAGE)

typedef struct extract_options {
    const char *rules;
    const char *url;
    const char *charset;
    bool data;
    bool jsonl;
    bool xpath;
} extract_options;

/* The parts that read pages. */
typedef struct extract_tool {
    const extract_options *options;
    crawl_config config;
    crawl_rules *rules;           /* NULL: data alone is wanted */
    crawl_extraction *extraction; /* likewise */
    crawl_data *data;
    crawl_tree *tree;
    crawl_slice found; /* the data */
    crawl_page *page;
    crawl_url *url;
    const char *page_url; /* in text; NULL: it is not known */
    crawl_slice html;
    const char *charset;  /* that the server declared; NULL: not known */
    cw_trial_page of_web; /* holds html where that was asked for */
    crawl_buf of_file;    /* where it was read */
    crawl_buf line;
} extract_tool;

/* ---- selectors as XPath ---- */

static int extract_translate(void *user, crawl_slice css, unsigned long number, FILE *out)
{
    (void)user;
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

/* The width of the longest "section.name". */
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
    if (text)
        cw_put_format(line, "  %-14s %s\n", name, text);
    else
        line->err = CRAWL_ENOMEM;
    free(text);
}

/* A line for each part, and for each value of those that are lists. */
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

static crawl_err extract_pages(extract_tool *tool)
{
    const crawl_url *url = tool->page_url ? tool->url : NULL;
    crawl_err err = crawl_page_parse(tool->page, tool->html, url, tool->charset);
    const crawl_extract_page page = {
        .size = sizeof page,
        .url = url ? crawl_url_href(url) : (crawl_slice){0},
        .base = crawl_page_base(tool->page),
        .tree = tool->tree,
    };
    crawl_tree_set(tool->tree, tool->html, crawl_page_charset(tool->page));
    if (!err && tool->rules)
        err = crawl_extraction_run(tool->extraction, &page);
    if (!err && tool->options->data)
        err = crawl_data_read(tool->data, tool->page, tool->tree, &tool->found);
    return err;
}

static int extract_print(extract_tool *tool, const char *file)
{
    cw_writer line = {.out = &tool->line};
    crawl_buf_clear(&tool->line);
    if (tool->options->jsonl)
        extract_put_fields(tool, file, &line);
    else
        put_rows(tool, file, &line);
    if (line.err)
        cw_tool_memory_refused();
    fwrite(tool->line.data, 1, tool->line.size, stdout);
    fflush(stdout);
    return tool->rules && crawl_extraction_missing(tool->extraction).size ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

/* ---- where a page comes from ---- */

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
    crawl_err err = cw_trial_fetch(&tool->config, url, &tool->of_web, &error);
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
    if (extract_pages(tool)) {
        cw_tool_say("extract", "%s", crawl_strerror(CRAWL_ENOMEM));
        return CW_EXIT_LOCAL;
    }
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

/* CW_EXIT_OK: the tool has its rules. */
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
    if (!tool->page || !tool->url || !tool->tree || !tool->data || crawl_config_init(&tool->config))
        cw_tool_memory_refused();
    crawl_page_set_data(tool->page, options->data);
    if (options->url && crawl_url_parse(tool->url, crawl_slice_from(options->url), NULL, NULL))
        return extract_refuse("no absolute URL:", options->url);
    return options->rules ? open_rules(tool) : CW_EXIT_OK;
}

static void extract_close_tool(extract_tool *tool)
{
    crawl_extraction_free(tool->extraction);
    crawl_rules_free(tool->rules);
    crawl_config_free(&tool->config);
    crawl_data_free(tool->data);
    crawl_tree_free(tool->tree);
    crawl_page_free(tool->page);
    crawl_url_free(tool->url);
    crawl_buf_free(&tool->of_file);
    cw_trial_free(&tool->of_web);
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
