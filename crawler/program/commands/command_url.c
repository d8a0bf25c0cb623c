/* `crawl url` prints canonical forms and fingerprints of URLs. */
#include "crawler/program/commands/command_url.h"
#include "crawler/program/commands/commands.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <stdlib.h>
#include <unistd.h>

const char cw_command_url_help[] =
    "usage: crawl url [--profile NAME] [--drop-params LIST] [--href | --jsonl] [FILE]\n"
    "\n"
    "Prints the canonical form of each URL in FILE or on standard input, one per\n"
    "line. What is no http or https URL gives an empty line, and a message with its\n"
    "line number on standard error; so does a line of more than 65536 bytes, or with\n"
    "--jsonl of more than 64 MiB.\n"
    "\n"
    "  --profile NAME      whose canonical form: default; w3lib, which Scrapy\n"
    "                      fingerprints; surt, the key of web archives. The last two\n"
    "                      take lines that are no URL too\n"
    "  --drop-params LIST  query parameters to leave out: names apart by commas or\n"
    "                      spaces, \"name\" or \"prefix*\"; @sessions and @tracking stand\n"
    "                      for the usual ones\n"
    "  --href              the serialization of the URL standard instead, of any\n"
    "                      scheme\n"
    "  --jsonl             a JSON object per line in, one out:\n"
    "                        {\"input\", \"base\", \"charset\", \"method\", \"headers\",\n"
    "                         \"include_headers\", \"body\" or \"body_hex\",\n"
    "                         \"profile\", \"fingerprint\", \"drop_params\",\n"
    "                         \"keep_fragments\", \"keep_blank_values\"}\n"
    "                        {\"href\", \"canonical\", \"fingerprint\", \"error\"}, each null\n"
    "                         where there is none\n"
    "                      Only input is needed. charset: encoding of the document,\n"
    "                      UTF-8 if unknown. headers: names to a text or a list;\n"
    "                      those named by include_headers count. fingerprint:\n"
    "                      default, scrapy-2.6, scrapy-2.7, scrapy-redis-0.8; all but\n"
    "                      the first go with profile w3lib unless the row or\n"
    "                      --profile names another. keep_fragments and\n"
    "                      keep_blank_values (false, true) are w3lib's.\n"
    "  --help              this text\n"
    "\n"
    "Exit status: 0; 1 some input was refused; 2 usage; 4 a local failure.\n";

static const char tool[] = "url";

typedef enum output { CANONICAL, HREF, JSONL } output;

typedef struct url_options {
    output output;
    const char *profile;
    const char *drop;
} url_options;

typedef struct tool_state {
    cw_command_url_reader reader;
    crawl_canonical_options canonical; /* for lines; rows have their own */
    output output;
} tool_state;

static const char not_a_url[] = "not a URL";
static const char not_http[] = "not an http or https URL";

static int url_refuse(unsigned long number, const char *why, int status, FILE *out)
{
    cw_tool_say(tool, "line %lu: %s", number, why);
    putc('\n', out);
    return status;
}

static int print_error(crawl_err err, unsigned long number, FILE *out)
{
    switch (err) {
    case CRAWL_EPARSE:
        return url_refuse(number, not_a_url, CW_EXIT_NOTHING, out);
    case CRAWL_EINVAL:
        return url_refuse(number, not_http, CW_EXIT_NOTHING, out);
    default:
        return url_refuse(number, crawl_strerror(err), CW_EXIT_LOCAL, out);
    }
}

static int url_print_line(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    tool_state *state = user;
    cw_command_url_reader *r = &state->reader;
    bool is_url = state->output == HREF || state->canonical.profile == CRAWL_PROFILE_DEFAULT;
    crawl_buf_clear(&r->canonical);
    crawl_err err = is_url ? crawl_url_parse(r->url, line, NULL, NULL)
                           : crawl_text_canonical(line, &state->canonical, &r->canonical);
    if (!err && state->output == CANONICAL && is_url)
        err = crawl_url_canonical_by(r->url, &state->canonical, &r->canonical);
    if (err)
        return print_error(err, number, out);
    crawl_slice text = state->output == HREF ? crawl_url_href(r->url) : crawl_buf_slice(&r->canonical);
    fwrite(text.data, 1, text.size, out);
    putc('\n', out);
    return CW_EXIT_OK;
}

static bool open_reader(cw_command_url_reader *r)
{
    r->url = crawl_url_create();
    r->base = crawl_url_create();
    r->fingerprinter = crawl_fingerprinter_create();
    if (r->url && r->base && r->fingerprinter)
        return true;
    cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
    return false;
}

static void close_reader(cw_command_url_reader *r)
{
    crawl_buf *texts[] = {&r->canonical, &r->input, &r->base_text, &r->body, &r->method, &r->list};
    crawl_url_free(r->url);
    crawl_url_free(r->base);
    crawl_fingerprinter_free(r->fingerprinter);
    crawl_drop_params_free(r->drop);
    crawl_drop_params_free(r->row_drop);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        crawl_buf_free(texts[i]);
    free(r->headers);
    free(r->include);
}

static int url_read_file(tool_state *state, const char *path)
{
    const cw_tool_input lines = {.tool = tool,
                                 .path = path,
                                 .longest = CW_TOOL_LINE_URL_MAX,
                                 .instead = "\n",
                                 .line = url_print_line,
                                 .user = state};
    return state->output == JSONL ? cw_tool_jsonl(tool, path, stdout, cw_command_url_answer, &state->reader)
                                  : cw_tool_lines(&lines, stdout);
}

/* Applies the options. False: one is wrong, and a message was written. */
static bool url_take_options(tool_state *state, const url_options *o)
{
    crawl_error error = {0};
    state->output = o->output;
    state->canonical.size = sizeof state->canonical;
    state->reader.profile = o->profile;
    if (o->profile && !cw_command_profile_of(o->profile, &state->canonical.profile))
        crawl_error_set(&error, CRAWL_EINVAL, "--profile %s: expected default, w3lib or surt", o->profile);
    else if (o->drop)
        crawl_drop_params_create(crawl_slice_from(o->drop), &state->reader.drop, &error);
    state->canonical.drop = state->reader.drop;
    if (error.code)
        cw_tool_say(tool, "%s", error.message);
    return !error.code;
}

int cw_command_url(int argc, char **argv)
{
    url_options o = {0};
    bool href = false;
    bool jsonl = false;
    const cw_tool_option known[] = {
        {"profile", .text = &o.profile},
        {"drop-params", .text = &o.drop},
        {"href", .flag = &href},
        {"jsonl", .flag = &jsonl},
        {0},
    };
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .help = cw_command_url_help,
        .one_file = true,
    };
    int status = CW_EXIT_USAGE;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    o.output = jsonl ? JSONL : href ? HREF : CANONICAL;
    tool_state state = {0};
    status = CW_EXIT_USAGE;
    if (url_take_options(&state, &o))
        status = open_reader(&state.reader) ? url_read_file(&state, argv[optind]) : CW_EXIT_LOCAL;
    close_reader(&state.reader);
    return status;
}
