/* `crawl render`: a page as its scripts make it. */
#include "config/config_values.h"
#include "crawler/program/commands/commands.h"
#include "crawler/program/commands/render/rendering.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"

#include <crawl/extract.h>
#include <crawl/text.h>

#include <errno.h>
#include <unistd.h>

static const char name[] = "render";

typedef struct render_options {
    const char *screenshot, *url, *browser, *config, *delay;
    bool text, links, verbose, images, post;
    crawl_buf clicks; /* in the form of crawl_render_options */
} render_options;

/* --- output --- */

static void command_render_html(const crawl_rendered *page)
{
    crawl_slice html = page->frames[0].html;
    fwrite(html.data, 1, html.size, stdout);
    putchar('\n');
}

static void command_render_text(const crawl_rendered *page)
{
    const crawl_text_options options = {.size = sizeof options,
                                        .form = CRAWL_TEXT_FORM_PLAIN,
                                        .document = CRAWL_DOCUMENT_HTML,
                                        .all = true,
                                        .charset = "utf-8"};
    crawl_text_maker *maker = cw_tool_memory_granted(crawl_text_maker_create());
    crawl_slice text;
    for (size_t i = 0; i < page->frame_count; i++) {
        if (!page->frames[i].is_own)
            continue;
        cw_tool_memory_must(crawl_text_make(maker, page->frames[i].html, &options, &text));
        fwrite(text.data ? text.data : "", 1, text.size, stdout);
    }
    crawl_text_maker_free(maker);
}

static void command_render_link(crawl_slice url, const char *tag, const char *attr, crawl_slice rel, bool nofollow)
{
    cw_tool_json_print(json_pack("{s:o, s:s, s:s, s:o, s:b}", "url", cw_tool_json_text(url), "tag", tag, "attr", attr,
                                 "rel", cw_tool_json_text(rel), "nofollow", (int)nofollow));
}

static void command_render_links_of(crawl_page *parsed, const crawl_render_frame *frame, crawl_url *base,
                                    crawl_url *url)
{
    size_t count;
    bool has_base = !crawl_url_parse(base, frame->base, NULL, NULL);
    cw_tool_memory_must(crawl_page_parse(parsed, frame->html, has_base ? base : NULL, "utf-8"));
    const crawl_link *links = crawl_page_links(parsed, &count);
    for (size_t i = 0; i < count; i++)
        if (!crawl_url_parse(url, links[i].href, has_base ? base : NULL, "utf-8"))
            command_render_link(crawl_url_href(url), links[i].tag, links[i].attr, links[i].rel, links[i].nofollow);
}

static void command_render_links(const crawl_rendered *page)
{
    crawl_page *parsed = cw_tool_memory_granted(crawl_page_create());
    crawl_url *base = cw_tool_memory_granted(crawl_url_create()), *url = cw_tool_memory_granted(crawl_url_create());
    crawl_page_set_kinds(parsed, CRAWL_LINK_PAGES | CRAWL_LINK_FORM);
    for (size_t i = 0; i < page->frame_count; i++)
        command_render_links_of(parsed, &page->frames[i], base, url);
    for (size_t i = 0; i < page->link_count; i++)
        command_render_link(page->links[i].url, "script", page->links[i].how, (crawl_slice){0}, false);
    crawl_page_free(parsed);
    crawl_url_free(base);
    crawl_url_free(url);
}

static int command_render_picture(const crawl_rendered *page, const char *path)
{
    FILE *file = page->screenshot.size ? fopen(path, "wb") : NULL;
    if (!page->screenshot.size) {
        cw_tool_say(name, "--screenshot: the browser made none");
        return CW_EXIT_NOTHING;
    }
    bool is_written = file && fwrite(page->screenshot.data, 1, page->screenshot.size, file) == page->screenshot.size;
    is_written = file && !fclose(file) && is_written;
    if (!is_written)
        cw_tool_say(name, "%s: %s", path, strerror(errno));
    return is_written ? CW_EXIT_OK : CW_EXIT_LOCAL;
}

static int command_render_print(void *user, const crawl_rendered *page)
{
    const render_options *options = user;
    (options->text ? command_render_text : options->links ? command_render_links : command_render_html)(page);
    fflush(stdout);
    return options->screenshot ? command_render_picture(page, options->screenshot) : CW_EXIT_OK;
}

/* --- the command line --- */

static int command_render_refuse(const char *what, const char *value)
{
    cw_tool_say(name, "%s%s", what, value);
    return CW_EXIT_USAGE;
}

static int command_render_check(const render_options *options, const char *input)
{
    bool is_url = input && cw_tool_is_url(crawl_slice_from(input));
    if (options->text && options->links)
        return command_render_refuse("--text or --links, ", "not both");
    if (!input)
        return command_render_refuse("a URL is needed, ", "or --url URL and a FILE");
    if (is_url && options->url)
        return command_render_refuse("--url is for a FILE, ", "not for a URL");
    if (!is_url && !options->url && strcmp(input, "-") != 0 && access(input, F_OK))
        return command_render_refuse("neither a file nor an http or https URL: ", input);
    if (!is_url && !options->url)
        return command_render_refuse("--url is needed: the URL of the page in ", input);
    if (options->url && !cw_tool_is_url(crawl_slice_from(options->url)))
        return command_render_refuse("not an http or https URL: ", options->url);
    return CW_EXIT_OK;
}

static bool command_render_take_click(void *user, const char *option, const char *value)
{
    crawl_buf *clicks = user;
    crawl_error error = {0};
    crawl_err err = crawl_select_xpath(crawl_slice_from(value), clicks, &error);
    err = err ? err : crawl_buf_append_char(clicks, '\0');
    if (err)
        cw_tool_say(name, "--%s: %s", option, error.code ? error.message : crawl_strerror(err));
    return !err;
}

static int command_render_configure(crawl_config *config, const render_options *options)
{
    crawl_error error = {0};
    crawl_err err = cw_config_init(config);
    if (!err && options->config)
        err = crawl_config_load(config, options->config, &error);
    if (!err && options->delay)
        err = crawl_config_set(config, "politeness.delay", options->delay, &error);
    if (!err)
        err = crawl_config_complete(config, &error);
    if (!err) {
        cw_tool_secrets_warn(config, options->config);
        return CW_EXIT_OK;
    }
    cw_tool_say(name, "%s", error.code ? error.message : crawl_strerror(err));
    return err == CRAWL_EPARSE ? CW_EXIT_USAGE : cw_tool_status(err);
}

static int command_render_run(const render_options *options, const char *input)
{
    crawl_config config;
    int status = command_render_configure(&config, options);
    const cw_rendering rendering = {.config = &config,
                                    .input = input,
                                    .url = options->url,
                                    .browser = options->browser,
                                    .screenshot = options->screenshot != NULL,
                                    .verbose = options->verbose,
                                    .images = options->images,
                                    .post = options->post,
                                    .clicks = crawl_buf_slice(&options->clicks),
                                    .take = command_render_print,
                                    .user = (void *)options};
    if (!status)
        status = cw_rendering_run(&rendering);
    cw_config_clear(&config);
    return status;
}

int cw_command_render(int argc, char **argv)
{
    render_options options = {0};
    const cw_tool_option known[] = {
        {"text", .flag = &options.text},
        {"links", .flag = &options.links},
        {"screenshot", .text = &options.screenshot},
        {"url", .text = &options.url},
        {"verbose", .flag = &options.verbose},
        {"images", .flag = &options.images},
        {"post", .flag = &options.post},
        {"click", .take = command_render_take_click, .takes_value = true},
        {"config", .text = &options.config},
        {"delay", .text = &options.delay},
        {"browser", .text = &options.browser},
        {0},
    };
    const cw_tool_syntax syntax = {
        .tool = name, .options = known, .user = &options.clicks, .help = cw_command_render_help, .one_file = true};
    int status;
    bool goes_on = cw_tool_options(&syntax, argc, argv, &status);
    if (goes_on)
        status = command_render_check(&options, argv[optind]);
    if (goes_on && !status)
        status = command_render_run(&options, argv[optind]);
    crawl_buf_free(&options.clicks);
    return status;
}
