/* `crawl extract`: tries the rules of [extract NAME] on pages, and shows what each selector matched; or prints
 * selectors as XPath. */
#include "base/json.h"
#include "crawler/program/tools/io.h"
#include "crawler/program/tools/options.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <crawl/config.h>
#include <crawl/extract.h>
#include <crawl/links.h>

#include <unistd.h>

const char cw_tool_extract_help[] =
    "usage: crawl extract --rules CONF [--url URL] [--charset NAME] [--jsonl] [FILE...]\n"
    "       crawl extract --xpath [FILE]\n"
    "\n"
    "Tries rules for values of pages: the sections [extract NAME] of CONF are applied to each FILE, a page of HTML (default:\n"
    "standard input). A line for each field says how many nodes its selector matched, and what came of it as JSON:\n"
    "\n"
    "  product.title   1 match    \"Blue kettle\"\n"
    "  product.price   1 match    12.50\n"
    "  product.sku     no match   missing\n"
    "\n"
    "\"missing\" stands behind a required field without a value. docs/extract.md explains the rules.\n"
    "\n"
    "  --rules CONF    a crawler.conf; of it the sections [extract NAME] count\n"
    "  --url URL       the page's own URL: \"pages\" is held against it, and links are resolved against it\n"
    "  --charset NAME  the encoding that the server declared; default: what the page says, else UTF-8 or windows-1252\n"
    "  --jsonl         a JSON object a page: {\"file\",\"url\",\"fields\",\"missing\"}\n"
    "  --xpath         the input has a CSS selector a line; each is answered by its XPath, or by an empty line and a message\n"
    "  --help          this text\n"
    "\n"
    "Exit status: 0, 1 a required field is missing or a selector is none, 2 usage or rules, 4 a file or memory.\n";

/* A larger page is cut by the extraction anyway. */
#define PAGE_MAX ((size_t)CRAWL_EXTRACT_MAX_PAGE)

typedef struct extract_options {
    const char *rules;
    const char *url;
    const char *charset;
    bool jsonl;
    bool xpath;
} extract_options;

/* What pages are read with. */
typedef struct extract_tool {
    const extract_options *options;
    crawl_config config;
    crawl_rules *rules;
    crawl_extraction *extraction;
    crawl_page *page;
    crawl_url *url;
    crawl_buf html;
    crawl_buf line;
} extract_tool;

/* ---- selectors as XPath ---- */

static int translate(void *user, crawl_slice css, unsigned long number, FILE *out)
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
        .tool = "extract", .path = path, .longest = CW_TOOL_LINE_URL_MAX, .instead = "", .line = translate};
    return cw_tool_lines(&input, stdout);
}

/* ---- a page ---- */

static void put_fields(const extract_tool *tool, const char *file, cw_writer *line)
{
    crawl_slice json = crawl_extraction_json(tool->extraction);
    crawl_slice missing = crawl_extraction_missing(tool->extraction);
    cw_json_words(line, "{\"file\":", file);
    cw_json_words(line, ",\"url\":", tool->options->url);
    cw_put_text(line, ",\"fields\":");
    cw_put(line, json.size ? json : crawl_slice_from("{}"));
    cw_put_text(line, ",\"missing\":");
    cw_put(line, missing.size ? missing : crawl_slice_from("[]"));
    cw_put_text(line, "}\n");
}

/* The width of the longest "section.name". */
static int width_of(const crawl_rules *rules)
{
    size_t width = 0;
    crawl_rule rule;
    for (size_t i = 0; crawl_rules_at(rules, i, &rule); i++)
        if (rule.section.size + rule.name.size + 1 > width)
            width = rule.section.size + rule.name.size + 1;
    return (int)width;
}

static void put_row(const extract_tool *tool, size_t index, const crawl_rule *rule, cw_writer *line)
{
    char matches[40] = "no match";
    size_t count = crawl_extraction_matches(tool->extraction, index);
    size_t before = cw_writer_size(line);
    if (count)
        snprintf(matches, sizeof matches, "%zu match%s", count, count == 1 ? "" : "es");
    cw_put_format(line, "  %.*s.%.*s", (int)rule->section.size, rule->section.data, (int)rule->name.size,
                  rule->name.data);
    cw_put_format(line, "%*s%-12s ", (int)(before + 4 + (size_t)width_of(tool->rules) - cw_writer_size(line)), "",
                  matches);
    if (crawl_extraction_is_missing(tool->extraction, index))
        cw_put_text(line, "missing");
    else if (!rule->is_member)
        cw_put(line, crawl_extraction_value(tool->extraction, index));
    while (cw_writer_size(line) > before && line->out->data[cw_writer_size(line) - 1] == ' ')
        cw_writer_cut(line, cw_writer_size(line) - 1);
    cw_put_char(line, '\n');
}

static void put_rows(const extract_tool *tool, const char *file, cw_writer *line)
{
    crawl_rule rule;
    cw_put_format(line, "%s\n", cw_tool_name(file));
    for (size_t i = 0; crawl_rules_at(tool->rules, i, &rule); i++)
        put_row(tool, i, &rule, line);
}

static crawl_err extract(extract_tool *tool)
{
    const crawl_url *url = tool->options->url ? tool->url : NULL;
    crawl_slice html = crawl_buf_slice(&tool->html);
    const char *charset = tool->options->charset ? crawl_charset_name(crawl_slice_from(tool->options->charset)) : NULL;
    crawl_err err = crawl_page_parse(tool->page, html, url, charset);
    const crawl_extract_page page = {
        .html = html,
        .charset = crawl_page_charset(tool->page),
        .url = url ? crawl_url_href(url) : (crawl_slice){0},
        .base = crawl_page_base(tool->page),
    };
    return err ? err : crawl_extraction_run(tool->extraction, &page);
}

static int print(extract_tool *tool, const char *file)
{
    cw_writer line = {.out = &tool->line};
    crawl_buf_clear(&tool->line);
    if (tool->options->jsonl)
        put_fields(tool, file, &line);
    else
        put_rows(tool, file, &line);
    if (line.err)
        return CW_EXIT_LOCAL;
    fwrite(tool->line.data, 1, tool->line.size, stdout);
    fflush(stdout);
    return crawl_extraction_missing(tool->extraction).size ? CW_EXIT_NOTHING : CW_EXIT_OK;
}

static int run_file(extract_tool *tool, const char *file)
{
    crawl_buf_clear(&tool->html);
    crawl_err err = cw_tool_read("extract", file, PAGE_MAX, &tool->html);
    if (err && err != CRAWL_FULL)
        return CW_EXIT_LOCAL;
    if (extract(tool)) {
        cw_tool_say("extract", "%s", crawl_strerror(CRAWL_ENOMEM));
        return CW_EXIT_LOCAL;
    }
    if (crawl_extraction_is_cut(tool->extraction))
        cw_tool_say("extract", "%s: too large or too deep, or a selector took too many steps: some of it is left out",
                    cw_tool_name(file));
    return print(tool, file);
}

/* ---- the command line ---- */

static int refuse(const char *what, const char *value)
{
    cw_tool_say("extract", "%s %s", what, value);
    return CW_EXIT_USAGE;
}

/* CW_EXIT_OK: the tool has its rules. */
static int open_rules(extract_tool *tool)
{
    crawl_error error = {0};
    crawl_err err = crawl_config_init(&tool->config);
    if (!err)
        err = crawl_config_load(&tool->config, tool->options->rules, &error);
    if (!err)
        err = crawl_config_rules(&tool->config, &tool->rules, &error);
    if (!err && !tool->rules)
        return refuse("there is no section [extract NAME] in", tool->options->rules);
    if (!err)
        err = crawl_extraction_create(tool->rules, &tool->extraction);
    if (!err)
        return CW_EXIT_OK;
    cw_tool_say("extract", "%s", error.code ? error.message : crawl_strerror(err));
    return err == CRAWL_EPARSE ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
}

static int open_tool(extract_tool *tool)
{
    const extract_options *options = tool->options;
    if (!options->rules)
        return refuse("--rules CONF is needed: a file with", "[extract NAME]");
    if (options->charset && !crawl_charset_name(crawl_slice_from(options->charset)))
        return refuse("unknown charset:", options->charset);
    tool->page = crawl_page_create();
    tool->url = crawl_url_create();
    if (!tool->page || !tool->url)
        return CW_EXIT_LOCAL;
    if (options->url && crawl_url_parse(tool->url, crawl_slice_from(options->url), NULL, NULL))
        return refuse("no absolute URL:", options->url);
    return open_rules(tool);
}

static void close_tool(extract_tool *tool)
{
    crawl_extraction_free(tool->extraction);
    crawl_rules_free(tool->rules);
    crawl_config_free(&tool->config);
    crawl_page_free(tool->page);
    crawl_url_free(tool->url);
    crawl_buf_free(&tool->html);
    crawl_buf_free(&tool->line);
}

static int run(const extract_options *options, int count, char **files)
{
    extract_tool tool = {.options = options};
    int status = open_tool(&tool);
    bool is_missing_any = false;
    for (int i = 0; i < (count ? count : 1) && !status; i++) {
        status = run_file(&tool, count ? files[i] : NULL);
        is_missing_any = is_missing_any || status == CW_EXIT_NOTHING;
        status = status == CW_EXIT_NOTHING ? CW_EXIT_OK : status;
    }
    close_tool(&tool);
    return !status && is_missing_any ? CW_EXIT_NOTHING : status;
}

int cw_tool_extract(int argc, char **argv)
{
    extract_options options = {0};
    const cw_tool_option known[] = {
        {"rules", .text = &options.rules}, {"url", .text = &options.url},     {"charset", .text = &options.charset},
        {"jsonl", .flag = &options.jsonl}, {"xpath", .flag = &options.xpath}, {0},
    };
    const cw_tool_syntax syntax = {
        .tool = "extract", .options = known, .help = cw_tool_extract_help, .usage = cw_tool_extract_help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    if (!options.xpath)
        return run(&options, argc - optind, argv + optind);
    if (options.rules || options.url || options.charset || options.jsonl || argc - optind > 1)
        return cw_tool_refuse(&syntax, "--xpath takes one FILE at most, and no other option");
    return translate_all(argv[optind]);
}
