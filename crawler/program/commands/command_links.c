/* `crawl links`: the links of a page, one JSON line each; or, with --jsonl, all facts that pages contain. */
#include "config/config_values.h"
#include "crawler/program/commands/commands.h"
#include "crawler/program/summary/units.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <crawl/links.h>

#include <unistd.h>

/* Maximum size of a page: several times the default limit of a crawl (max_body). */
#define PAGE_MAX ((size_t)64 << 20)

static const char links_cut[] = "more than 100000 links: the rest is left out";

/* Parts reused from page to page. */
typedef struct links_tool {
    crawl_page *page;
    crawl_url *page_url;
    crawl_url *link_url;
    crawl_buf html;
    crawl_document document;
    const crawl_url *base; /* of the page parsed last; NULL: none */
    crawl_slice url;       /* of the page itself; data NULL: unknown */
    const char *charset;   /* for resolving its links */
    bool text;
} links_tool;

static void links_open_tool(links_tool *tool)
{
    tool->page = cw_tool_memory_granted(crawl_page_create());
    tool->page_url = cw_tool_memory_granted(crawl_url_create());
    tool->link_url = cw_tool_memory_granted(crawl_url_create());
}

static void links_close_tool(links_tool *tool)
{
    crawl_page_free(tool->page);
    crawl_url_free(tool->page_url);
    crawl_url_free(tool->link_url);
    crawl_buf_free(&tool->html);
}

/* --- a page as JSON --- */

/* Resolves href against the page. data NULL: href is no URL. Borrowed until the next call. */
static crawl_slice links_resolve(links_tool *tool, crawl_slice href)
{
    if (crawl_url_parse(tool->link_url, href, tool->base, tool->charset))
        return (crawl_slice){0};
    return crawl_url_href(tool->link_url);
}

static json_t *link_object(const links_tool *tool, const crawl_link *link, crawl_slice url)
{
    json_t *object = json_pack("{s:o, s:s, s:s, s:o, s:b}", "url", cw_tool_json_text(url), "tag", link->tag, "attr",
                               link->attr, "rel", cw_tool_json_text(link->rel), "nofollow", (int)link->nofollow);
    if (tool->text)
        json_object_set_new(object, "text", cw_tool_json_text(link->text));
    return object;
}

static json_t *links_array(links_tool *tool)
{
    json_t *array = json_array();
    size_t count;
    const crawl_link *links = crawl_page_links(tool->page, &count);
    for (size_t i = 0; i < count; i++) {
        crawl_slice url = links_resolve(tool, links[i].href);
        if (url.data)
            json_array_append_new(array, link_object(tool, &links[i], url));
    }
    return array;
}

static json_t *refresh_object(links_tool *tool)
{
    double delay;
    crawl_slice href;
    if (!crawl_page_refresh(tool->page, &delay, &href))
        return json_null();
    crawl_slice url = href.size ? links_resolve(tool, href) : tool->url;
    return url.data ? json_pack("{s:I, s:o}", "delay", (json_int_t)delay, "url", cw_tool_json_text(url)) : json_null();
}

static json_t *robots_array(const crawl_page *page)
{
    unsigned flags = crawl_page_robots(page);
    json_t *array = json_array();
    if (flags & CRAWL_ROBOTS_NOINDEX)
        json_array_append_new(array, json_string("noindex"));
    if (flags & CRAWL_ROBOTS_NOFOLLOW)
        json_array_append_new(array, json_string("nofollow"));
    return array;
}

static json_t *canonical_text(links_tool *tool)
{
    crawl_slice href = crawl_page_canonical(tool->page);
    return href.size ? cw_tool_json_text(links_resolve(tool, href)) : json_null();
}

static json_t *page_object(links_tool *tool)
{
    crawl_slice title = crawl_page_title(tool->page);
    crawl_slice base = tool->base ? crawl_url_href(tool->base) : (crawl_slice){0};
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "base", cw_tool_json_text(base), "links", links_array(tool),
                     "meta_refresh", refresh_object(tool), "robots_meta", robots_array(tool->page), "title",
                     title.size ? cw_tool_json_text(title) : json_null(), "charset", tool->charset, "canonical",
                     canonical_text(tool));
}

/* --- JSON Lines --- */

/* Returns the kind of document that a crawl would take the page for. */
static crawl_document document_of(const char *type, crawl_slice bytes)
{
    return crawl_document_of(crawl_slice_from(type && *type ? type : "text/html"), bytes);
}

/* Parses a text. A mark says that it is UTF-8, so that its declared encoding does not decode it again. */
static void parse_text(links_tool *tool, crawl_slice text, const crawl_url *url, const char *charset)
{
    crawl_buf_clear(&tool->html);
    cw_tool_memory_must(crawl_buf_append_text(&tool->html, "\xef\xbb\xbf"));
    cw_tool_memory_must(crawl_buf_append(&tool->html, text.data, text.size));
    cw_tool_memory_must(crawl_page_parse_as(tool->page, tool->document, crawl_buf_slice(&tool->html), url, NULL));
    tool->charset = crawl_charset_sniff(text, charset);
}

static void parse_bytes(links_tool *tool, crawl_slice bytes, const crawl_url *url, const char *charset)
{
    cw_tool_memory_must(crawl_page_parse_as(tool->page, tool->document, bytes, url, charset));
    tool->charset = crawl_page_charset(tool->page);
}

static json_t *links_answer_row(void *user, const json_t *row, const char **note)
{
    links_tool *tool = user;
    crawl_slice html = cw_tool_json_bytes(row, "html", &tool->html);
    if (!html.data)
        return json_pack("{s:s}", "error", "neither html nor html_hex");
    const char *text = cw_tool_json_field(row, "url");
    bool known = text && *text && crawl_url_parse(tool->page_url, crawl_slice_from(text), NULL, NULL) == CRAWL_OK;
    tool->document = document_of(cw_tool_json_field(row, "type"), html);
    bool is_text = cw_tool_json_field(row, "html") != NULL;
    (is_text ? parse_text : parse_bytes)(tool, html, known ? tool->page_url : NULL, cw_tool_json_field(row, "charset"));
    tool->base = crawl_page_base(tool->page);
    tool->url = known ? crawl_url_href(tool->page_url) : (crawl_slice){0};
    json_t *answer = page_object(tool);
    if (crawl_page_links_cut(tool->page)) {
        *note = links_cut;
        json_object_set_new(answer, "links_cut", json_true());
    }
    return answer;
}

/* --- one page --- */

typedef struct links_options {
    const char *base;
    const char *charset;
    const char *type;
    const char *html;
    const char *from;
    const char *file;
    bool jsonl;
    bool text;
} links_options;

static void print_links(links_tool *tool)
{
    size_t count;
    const crawl_link *links = crawl_page_links(tool->page, &count);
    for (size_t i = 0; i < count && !cw_tool_output_failed(); i++) {
        crawl_slice url = links_resolve(tool, links[i].href);
        if (url.data)
            cw_tool_json_print(link_object(tool, &links[i], url));
    }
}

/* Counts the relative links of a page without a base. */
static size_t count_relative(links_tool *tool)
{
    size_t count, relative = 0;
    const crawl_link *links = crawl_page_links(tool->page, &count);
    if (crawl_url_parse(tool->page_url, crawl_slice_from("http://stands.for.the.page.invalid/"), NULL, NULL))
        return 0;
    for (size_t i = 0; i < count; i++)
        relative += !links_resolve(tool, links[i].href).data &&
                    !crawl_url_parse(tool->link_url, links[i].href, tool->page_url, tool->charset);
    return relative;
}

/* Tells the user that relative links were left out, because most links of most pages are relative. */
static void say_relative(links_tool *tool, const char *path)
{
    size_t count = tool->base ? 0 : count_relative(tool);
    if (count)
        cw_tool_say("links", "%s: %zu relative link%s left out: give the page's own URL with --base URL",
                    cw_tool_name(path), count, cw_program_plural(count));
}

/* Reads the page. Returns CW_EXIT_OK, or another status after a message. */
static int links_read_page(links_tool *tool, const char *path)
{
    crawl_err err = cw_tool_read("links", path, PAGE_MAX, &tool->html);
    if (err == CRAWL_FULL)
        cw_tool_say("links", "%s: too long: more than %zu bytes", cw_tool_name(path), PAGE_MAX);
    return err == CRAWL_FULL ? CW_EXIT_NOTHING : err ? CW_EXIT_LOCAL : cw_command_read_pdf("links", path, &tool->html);
}

static int run_page(links_tool *tool, const links_options *options, const crawl_url *url)
{
    int status = links_read_page(tool, options->file);
    if (status)
        return status;
    bool is_declared = options->type || options->charset;
    if (!is_declared && cw_tool_is_binary("links", options->file, crawl_buf_slice(&tool->html)))
        return CW_EXIT_NOTHING;
    tool->document = document_of(options->type, crawl_buf_slice(&tool->html));
    parse_bytes(tool, crawl_buf_slice(&tool->html), url, options->charset);
    tool->base = crawl_page_base(tool->page);
    if (crawl_page_links_cut(tool->page))
        cw_tool_say("links", "%s: %s", cw_tool_name(options->file), links_cut);
    print_links(tool);
    say_relative(tool, options->file);
    return CW_EXIT_OK;
}

/* --- the command line --- */

static int links_refuse(const char *what, const char *value)
{
    cw_tool_say("links", "%s %s", what, value);
    return CW_EXIT_USAGE;
}

static int check_options(const links_options *options)
{
    if (options->jsonl && (options->base || options->charset || options->type))
        return links_refuse("--jsonl takes url, charset and type from each line, not", options->base      ? "--base"
                                                                                       : options->charset ? "--charset"
                                                                                                          : "--type");
    if (options->charset && !crawl_charset_name(crawl_slice_from(options->charset)))
        return links_refuse("unknown charset:", options->charset);
    if (options->html && strcmp(options->html, "scan") != 0 && strcmp(options->html, "libxml2") != 0)
        return links_refuse("--html is scan or libxml2, not", options->html);
    return CW_EXIT_OK;
}

/* Reads the words of --links-from as a crawl does. */
static int links_set_kinds(links_tool *tool, const links_options *options)
{
    crawl_config config;
    crawl_error error;
    crawl_page_set_kinds(tool->page, CRAWL_LINK_EVERY);
    if (!options->from)
        return CW_EXIT_OK;
    cw_tool_memory_must(cw_config_init(&config));
    crawl_err err = crawl_config_set(&config, "parse.follow", options->from, &error);
    crawl_page_set_kinds(tool->page, config.follow);
    cw_config_clear(&config);
    return err ? links_refuse("--links-from:", error.message) : CW_EXIT_OK;
}

static int links_run(links_tool *tool, const links_options *options)
{
    int status = links_set_kinds(tool, options);
    if (status)
        return status;
    cw_tool_memory_must(crawl_page_set_lazy(tool->page, CRAWL_PAGE_LAZY));
    if (options->html && strcmp(options->html, "libxml2") == 0)
        crawl_page_set_extractor(tool->page, CRAWL_EXTRACTOR_LIBXML2);
    crawl_page_set_text(tool->page, options->text ? CRAWL_TEXT_LINKS : 0);
    tool->text = options->text;
    if (options->jsonl)
        return cw_tool_jsonl("links", options->file, stdout, links_answer_row, tool);
    if (options->base && crawl_url_parse(tool->page_url, crawl_slice_from(options->base), NULL, NULL))
        return links_refuse("not an absolute URL:", options->base);
    return run_page(tool, options, options->base ? tool->page_url : NULL);
}

int cw_command_links(int argc, char **argv)
{
    links_options options = {0};
    const cw_tool_option known[] = {
        {"base", .text = &options.base},       {"charset", .text = &options.charset},
        {"type", .text = &options.type},       {"html", .text = &options.html},
        {"links-from", .text = &options.from}, {"text", .flag = &options.text},
        {"jsonl", .flag = &options.jsonl},     {0},
    };
    const cw_tool_syntax syntax = {
        .tool = "links",
        .options = known,
        .help = cw_command_links_help,
        .one_file = true,
    };
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    options.file = argv[optind];
    status = check_options(&options);
    if (status)
        return status;
    links_tool tool = {0};
    links_open_tool(&tool);
    status = links_run(&tool, &options);
    links_close_tool(&tool);
    return status;
}
