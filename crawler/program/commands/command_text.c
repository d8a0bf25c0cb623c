/* `crawl text`: the contents of pages as plain text or Markdown. */
#include "base/bytes.h"
#include "base/convert.h"
#include "base/process.h"
#include "crawler/program/commands/commands.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <crawl/text.h>
#include <unistd.h>

static const char name[] = "text";

/* Far larger than what is read of a page, because a PDF is read as a whole. */
#define INPUT_MAX ((size_t)64 << 20)

typedef struct text_tool {
    crawl_text_maker *maker;
    crawl_url *url;
    crawl_buf html;
    crawl_text_options options;
    const char *type;
    bool jsonl;
    bool named; /* there are several files */
} text_tool;

static void commands_print_text(const text_tool *tool, const char *path, crawl_slice text)
{
    if (tool->jsonl) {
        json_t *file = cw_tool_json_text(crawl_slice_from(path ? path : "-"));
        cw_tool_json_print(json_pack("{s:o, s:o}", "file", file, "text", cw_tool_json_text(text)));
        return;
    }
    if (tool->named)
        printf("==> %s <==\n", path);
    fwrite(text.data ? text.data : "", 1, text.size, stdout);
    fflush(stdout);
}

/* Prints the text of a page. path NULL: standard input. */
static int text_run_file(text_tool *tool, const char *path)
{
    crawl_slice text;
    crawl_buf_clear(&tool->html);
    crawl_err err = cw_tool_read(name, path, INPUT_MAX, &tool->html);
    if (err && err != CRAWL_FULL)
        return CW_EXIT_LOCAL;
    int status = cw_command_read_pdf(name, path, &tool->html);
    if (status)
        return status;
    crawl_slice html = crawl_buf_slice(&tool->html);
    if (!tool->type && !tool->options.charset && cw_tool_is_binary(name, path, html))
        return CW_EXIT_NOTHING;
    tool->options.document = crawl_document_of(crawl_slice_from(tool->type ? tool->type : "text/html"), html);
    err = crawl_text_make(tool->maker, html, &tool->options, &text);
    if (!err) {
        commands_print_text(tool, path, text);
        if (crawl_text_is_cut(tool->maker))
            cw_tool_say(name, "%s: too long: the rest is left out", cw_tool_name(path));
        return CW_EXIT_OK;
    }
    cw_tool_say(name, "%s: %s", cw_tool_name(path), err == CRAWL_EINVAL ? "not an HTML page" : crawl_strerror(err));
    return err == CRAWL_EINVAL ? CW_EXIT_NOTHING : CW_EXIT_LOCAL;
}

static int run_files(text_tool *tool, char **paths, int count)
{
    int status = CW_EXIT_OK;
    if (count == 0)
        return text_run_file(tool, NULL);
    for (int i = 0; i < count && !cw_tool_output_failed(); i++) {
        int one = text_run_file(tool, paths[i]);
        status = status == CW_EXIT_LOCAL || !one ? status : one;
    }
    return status;
}

static int text_check(text_tool *tool, const char *base)
{
    const char *charset = tool->options.charset;
    if (charset && !crawl_charset_name(crawl_slice_from(charset))) {
        cw_tool_say(name, "unknown charset: %s", charset);
        return CW_EXIT_USAGE;
    }
    if (base && crawl_url_parse(tool->url, crawl_slice_from(base), NULL, NULL)) {
        cw_tool_say(name, "--base %s: not a URL", base);
        return CW_EXIT_USAGE;
    }
    tool->options.charset = charset ? crawl_charset_name(crawl_slice_from(charset)) : NULL;
    tool->options.url = base ? tool->url : NULL;
    return CW_EXIT_OK;
}

static int text_run(text_tool *tool, const char *base, char **paths, int count)
{
    tool->maker = cw_tool_memory_granted(crawl_text_maker_create());
    tool->url = cw_tool_memory_granted(crawl_url_create());
    tool->named = count > 1;
    int status = text_check(tool, base);
    if (!status)
        status = run_files(tool, paths, count);
    crawl_text_maker_free(tool->maker);
    crawl_url_free(tool->url);
    crawl_buf_free(&tool->html);
    return status;
}

int cw_command_text(int argc, char **argv)
{
    text_tool tool = {.options.size = sizeof tool.options};
    bool markdown = false;
    const char *base = NULL;
    const cw_tool_option known[] = {
        {"markdown", .flag = &markdown},
        {"all", .flag = &tool.options.all},
        {"base", .text = &base},
        {"charset", .text = &tool.options.charset},
        {"type", .text = &tool.type},
        {"jsonl", .flag = &tool.jsonl},
        {0},
    };
    const cw_tool_syntax syntax = {.tool = name, .options = known, .help = cw_command_text_help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    tool.options.form = markdown ? CRAWL_TEXT_FORM_MARKDOWN : CRAWL_TEXT_FORM_PLAIN;
    return text_run(&tool, base, argv + optind, argc - optind);
}

int cw_command_read_pdf(const char *tool, const char *path, crawl_buf *bytes)
{
    crawl_slice rest = crawl_buf_slice(bytes);
    if (!cw_take_text(&rest, "%PDF-"))
        return CW_EXIT_OK;
    crawl_buf program = {0};
    cw_converted result = {.outcome = "failed"};
    int why = cw_process_path("pdf", &program);
    why = why ? why : cw_convert_find(program.data);
    if (why)
        cw_tool_say(tool, "%s: a PDF, and %s: %s; in Debian, the package crawl-pdf has it", cw_tool_name(path),
                    program.size ? program.data : "crawl-pdf", strerror(why));
    else
        cw_convert_run((char *[]){program.data, NULL}, crawl_buf_slice(bytes), &result);
    if (*result.words || (!why && !result.page.size))
        cw_tool_say(tool, "%s: %s", cw_tool_name(path), *result.words ? result.words : result.outcome);
    crawl_buf_free(&program);
    crawl_buf_free(bytes);
    *bytes = result.page;
    return why ? CW_EXIT_LOCAL : result.page.size ? CW_EXIT_OK : CW_EXIT_NOTHING;
}
