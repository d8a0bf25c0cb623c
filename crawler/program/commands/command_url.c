/* `crawl url` prints canonical forms and fingerprints of URLs. */
#include "base/array.h"
#include "crawler/program/commands/commands.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"

#include <crawl/fingerprint.h>
#include <crawl/url.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

/* Shared by all rows, so that a row needs few allocations. */
typedef struct command_url_reader {
    crawl_url *url;
    crawl_url *base;
    crawl_fingerprinter *fingerprinter;
    crawl_drop_params *drop;     /* of the command line; NULL: none */
    crawl_drop_params *row_drop; /* of the present row; NULL: none */
    const char *profile;         /* of the command line; NULL: not given */
    crawl_buf canonical;
    crawl_buf input;
    crawl_buf base_text;
    crawl_buf body;
    crawl_buf method;
    crawl_buf list;
    crawl_fingerprint_header *headers;
    size_t header_count;
    crawl_slice *include;
    size_t include_count;
} command_url_reader;

/* Reads "default", "w3lib" or "surt". Returns false for anything else. */
static bool command_url_profile_of(const char *name, crawl_profile *out)
{
    static const char *const names[] = {
        [CRAWL_PROFILE_DEFAULT] = "default", [CRAWL_PROFILE_W3LIB] = "w3lib", [CRAWL_PROFILE_SURT] = "surt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name && strcmp(name, names[i]) == 0) {
            *out = (crawl_profile)i;
            return true;
        }
    return false;
}

/* --- a row of --jsonl: a request in, its serialization, canonical form and fingerprint out --- */

/* The parts of a row's answer, and the error that ended it. */
typedef struct row_answer {
    crawl_slice href; /* data NULL: none */
    crawl_slice canonical;
    char fingerprint[41]; /* empty: none */
    const char *error;    /* NULL: none */
    crawl_error words;    /* storage of that error */
} row_answer;

/* Options in a row. */
typedef struct row_options {
    crawl_canonical_options canonical;
    crawl_fingerprint_options fingerprint;
} row_options;

static bool url_row_is_set(const json_t *row, const char *field)
{
    const json_t *value = json_object_get(row, field);
    return value && !json_is_null(value);
}

static bool url_row_kind_of(const char *name, crawl_fingerprint_kind *out)
{
    static const char *const names[] = {[CRAWL_FINGERPRINT_DEFAULT] = "default",
                                        [CRAWL_FINGERPRINT_SCRAPY_26] = "scrapy-2.6",
                                        [CRAWL_FINGERPRINT_SCRAPY_27] = "scrapy-2.7",
                                        [CRAWL_FINGERPRINT_SCRAPY_REDIS] = "scrapy-redis-0.8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name && strcmp(name, names[i]) == 0) {
            *out = (crawl_fingerprint_kind)i;
            return true;
        }
    return false;
}

/* Returns false if the row has a value other than true or false. */
static bool url_row_read_flag(const json_t *row, const char *field, bool *out)
{
    const json_t *value = json_object_get(row, field);
    if (json_is_boolean(value))
        *out = json_is_true(value);
    return json_is_boolean(value) || !url_row_is_set(row, field);
}

/* Takes the profile of the row or the command line, otherwise the one that fits the fingerprint. */
static bool read_profile(const command_url_reader *r, const json_t *row, row_options *w)
{
    if (url_row_is_set(row, "profile"))
        return command_url_profile_of(cw_tool_json_field(row, "profile"), &w->canonical.profile);
    if (r->profile)
        return command_url_profile_of(r->profile, &w->canonical.profile);
    w->canonical.profile = w->fingerprint.kind ? CRAWL_PROFILE_W3LIB : CRAWL_PROFILE_DEFAULT;
    return true;
}

/* Appends names from a list or from one text. */
static crawl_err append_names(const json_t *value, crawl_buf *out)
{
    if (json_is_string(value))
        return crawl_buf_append(out, json_string_value(value), json_string_length(value));
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < json_array_size(value) && !err; i++) {
        const json_t *name = json_array_get(value, i);
        err = json_is_string(name) ? crawl_buf_printf(out, "%s ", json_string_value(name)) : CRAWL_EPARSE;
    }
    return err;
}

static crawl_err read_drop(command_url_reader *r, const json_t *row, row_options *w, row_answer *a)
{
    w->canonical.drop = r->drop;
    if (!url_row_is_set(row, "drop_params"))
        return CRAWL_OK;
    crawl_drop_params_free(r->row_drop);
    r->row_drop = NULL;
    crawl_buf_clear(&r->list);
    const json_t *value = json_object_get(row, "drop_params");
    crawl_err err = json_is_string(value) || json_is_array(value) ? append_names(value, &r->list) : CRAWL_EPARSE;
    if (err)
        crawl_error_set(&a->words, err, "drop_params is not a list of names");
    else
        err = crawl_drop_params_create(crawl_buf_slice(&r->list), &r->row_drop, &a->words);
    if (err == CRAWL_EPARSE)
        a->error = a->words.message;
    w->canonical.drop = r->row_drop;
    return err;
}

static crawl_err url_row_refuse(row_answer *a, const char *why)
{
    a->error = why;
    return CRAWL_EPARSE;
}

static crawl_err url_row_read_options(command_url_reader *r, const json_t *row, row_options *w, row_answer *a)
{
    bool keep_blank = true;
    if (url_row_is_set(row, "fingerprint") &&
        !url_row_kind_of(cw_tool_json_field(row, "fingerprint"), &w->fingerprint.kind))
        return url_row_refuse(a, "unknown fingerprint");
    if (!read_profile(r, row, w))
        return url_row_refuse(a, "unknown profile");
    if (url_row_is_set(row, "method") && !cw_tool_json_field(row, "method"))
        return url_row_refuse(a, "method is not text");
    if (url_row_is_set(row, "charset") && !cw_tool_json_field(row, "charset"))
        return url_row_refuse(a, "charset is not text");
    if (!url_row_read_flag(row, "keep_fragments", &w->canonical.keep_fragment) ||
        !url_row_read_flag(row, "keep_blank_values", &keep_blank))
        return url_row_refuse(a, "keep_fragments and keep_blank_values are true or false");
    w->canonical.drop_blank = !keep_blank;
    w->canonical.charset = cw_tool_json_field(row, "charset");
    return read_drop(r, row, w, a);
}

static crawl_err parse_url(command_url_reader *r, const json_t *row, crawl_slice input, row_answer *a)
{
    crawl_slice base = cw_tool_json_bytes(row, "base", &r->base_text);
    if (!base.data && (url_row_is_set(row, "base") || url_row_is_set(row, "base_hex")))
        return url_row_refuse(a, "base is not a URL");
    crawl_err err = base.data ? crawl_url_parse(r->base, base, NULL, NULL) : CRAWL_OK;
    if (err)
        return err == CRAWL_EPARSE ? url_row_refuse(a, "base is not a URL") : err;
    err = crawl_url_parse(r->url, input, base.data ? r->base : NULL, cw_tool_json_field(row, "charset"));
    if (err)
        return err == CRAWL_EPARSE ? url_row_refuse(a, "not a URL") : err;
    a->href = crawl_url_href(r->url);
    return CRAWL_OK;
}

/* Makes the canonical form. Profiles other than the default take the text as it stands, URL or not, unless there is a
 * base to resolve it against. */
static crawl_err read_canonical(command_url_reader *r, const json_t *row, const row_options *w, row_answer *a)
{
    crawl_slice input = cw_tool_json_bytes(row, "input", &r->input);
    if (!input.data)
        return url_row_refuse(a, "no input");
    bool of_text = w->canonical.profile != CRAWL_PROFILE_DEFAULT && !url_row_is_set(row, "base") &&
                   !url_row_is_set(row, "base_hex");
    crawl_err err = parse_url(r, row, input, a);
    if (err && (!of_text || err != CRAWL_EPARSE))
        return err;
    crawl_buf_clear(&r->canonical);
    err = of_text ? crawl_text_canonical(input, &w->canonical, &r->canonical)
                  : crawl_url_canonical_by(r->url, &w->canonical, &r->canonical);
    if (err)
        return err == CRAWL_EINVAL   ? url_row_refuse(a, "not an http or https URL")
               : err == CRAWL_EPARSE ? url_row_refuse(a, "not a URL")
                                     : err;
    a->error = NULL;
    a->canonical = crawl_buf_slice(&r->canonical);
    return CRAWL_OK;
}

/* Reads the method, and upper-cases it as the fingerprint demands. */
static crawl_err read_method(command_url_reader *r, const json_t *row)
{
    const json_t *method = json_object_get(row, "method");
    crawl_buf_clear(&r->method);
    crawl_err err = crawl_buf_append(&r->method, json_string_value(method), json_string_length(method));
    for (size_t i = 0; i < r->method.size && !err; i++)
        if (r->method.data[i] >= 'a' && r->method.data[i] <= 'z')
            r->method.data[i] = (char)(r->method.data[i] - 'a' + 'A');
    return err;
}

static crawl_slice url_row_text_of(const json_t *value)
{
    return crawl_slice_of(json_string_value(value), json_string_length(value));
}

static crawl_err url_row_add_header(command_url_reader *r, const char *name, const json_t *value)
{
    if (!json_is_string(value))
        return CRAWL_EPARSE;
    if (CW_ARRAY_RESIZE(r->headers, r->header_count + 1))
        return CRAWL_ENOMEM;
    r->headers[r->header_count++] = (crawl_fingerprint_header){crawl_slice_from(name), url_row_text_of(value)};
    return CRAWL_OK;
}

/* Reads {"name": "value" or ["value", ...]}. */
static crawl_err read_headers(command_url_reader *r, const json_t *row)
{
    json_t *fields = json_object_get(row, "headers");
    const char *name;
    json_t *value;
    crawl_err err = json_is_object(fields) || !url_row_is_set(row, "headers") ? CRAWL_OK : CRAWL_EPARSE;
    r->header_count = 0;
    json_object_foreach(fields, name, value)
    {
        if (json_is_array(value))
            for (size_t i = 0; i < json_array_size(value) && !err; i++)
                err = url_row_add_header(r, name, json_array_get(value, i));
        else if (!err)
            err = url_row_add_header(r, name, value);
    }
    return err;
}

static crawl_err read_include(command_url_reader *r, const json_t *row)
{
    const json_t *names = json_object_get(row, "include_headers");
    r->include_count = 0;
    if (!url_row_is_set(row, "include_headers"))
        return CRAWL_OK;
    size_t count = json_array_size(names);
    if (CW_ARRAY_RESIZE(r->include, count))
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!json_is_string(json_array_get(names, i)))
            return CRAWL_EPARSE;
        r->include[r->include_count++] = url_row_text_of(json_array_get(names, i));
    }
    return json_is_array(names) ? CRAWL_OK : CRAWL_EPARSE;
}

static crawl_err read_fingerprint(command_url_reader *r, const json_t *row, row_options *w, row_answer *a)
{
    crawl_fingerprint fingerprint;
    crawl_slice body = cw_tool_json_bytes(row, "body", &r->body);
    if (!body.data && (url_row_is_set(row, "body") || url_row_is_set(row, "body_hex")))
        return url_row_refuse(a, "body is neither text nor hexadecimal");
    crawl_err err = read_headers(r, row);
    if (!err)
        err = read_include(r, row);
    if (err)
        return err == CRAWL_EPARSE
                   ? url_row_refuse(a, "headers map names to text or lists of it, include_headers is a list of names")
                   : err;
    err = read_method(r, row);
    w->fingerprint.include_headers = r->include;
    w->fingerprint.include_count = r->include_count;
    if (!err)
        err = crawl_fingerprint_by(r->fingerprinter, &w->fingerprint, crawl_buf_slice(&r->method), a->canonical, body,
                                   r->headers, r->header_count, &fingerprint);
    if (!err)
        crawl_fingerprint_hex(&fingerprint, a->fingerprint);
    return err;
}

static json_t *url_row_to_json(const row_answer *a)
{
    const char *fingerprint = a->fingerprint[0] ? a->fingerprint : NULL;
    return json_pack("{s:o, s:o, s:s?, s:s?}", "href", cw_tool_json_text(a->href), "canonical",
                     cw_tool_json_text(a->canonical), "fingerprint", fingerprint, "error", a->error);
}

/* Answers one row. A cw_tool_row_handler; user is the reader. */
static json_t *command_url_answer(void *user, const json_t *row, const char **)
{
    command_url_reader *r = user;
    row_answer a = {0};
    row_options w = {.canonical.size = sizeof w.canonical, .fingerprint.size = sizeof w.fingerprint};
    crawl_err wished = url_row_read_options(r, row, &w, &a);
    const char *why = a.error;
    crawl_err err = wished && wished != CRAWL_EPARSE ? wished : read_canonical(r, row, &w, &a);
    if (wished == CRAWL_EPARSE && !err) {
        a.error = why; /* an unknown option leaves the serialization valid */
        a.canonical = (crawl_slice){0};
    } else if (!err) {
        err = read_fingerprint(r, row, &w, &a);
    }
    if (err && err != CRAWL_EPARSE)
        cw_tool_memory_refused();
    return url_row_to_json(&a);
}

/* --- lines, and the command line --- */

static const char tool[] = "url";

typedef enum output { CANONICAL, HREF, JSONL } output;

typedef struct url_options {
    output output;
    const char *profile;
    const char *drop;
} url_options;

typedef struct tool_state {
    command_url_reader reader;
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
    command_url_reader *r = &state->reader;
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

static void open_reader(command_url_reader *r)
{
    r->url = cw_tool_memory_granted(crawl_url_create());
    r->base = cw_tool_memory_granted(crawl_url_create());
    r->fingerprinter = cw_tool_memory_granted(crawl_fingerprinter_create());
}

static void close_reader(command_url_reader *r)
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
    return state->output == JSONL ? cw_tool_jsonl(tool, path, stdout, command_url_answer, &state->reader)
                                  : cw_tool_lines(&lines, stdout);
}

/* Applies the options. Returns false after a message if one is wrong. */
static bool url_take_options(tool_state *state, const url_options *o)
{
    crawl_error error = {0};
    state->output = o->output;
    state->canonical.size = sizeof state->canonical;
    state->reader.profile = o->profile;
    if (o->profile && !command_url_profile_of(o->profile, &state->canonical.profile))
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
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    o.output = jsonl ? JSONL : href ? HREF : CANONICAL;
    tool_state state = {0};
    open_reader(&state.reader);
    status = url_take_options(&state, &o) ? url_read_file(&state, argv[optind]) : CW_EXIT_USAGE;
    close_reader(&state.reader);
    return status;
}
