/* `crawl url`: canonical forms and fingerprints of URLs. */
#include "crawler/tool_io.h"
#include "crawler/tools.h"

#include <crawl/fingerprint.h>
#include <crawl/url.h>
#include <getopt.h>

const char cw_tool_url_help[] =
    "usage: crawl url [--href | --jsonl] [FILE]\n"
    "\n"
    "Prints the canonical form of each URL in FILE or on standard input, one per line. What is no http or https URL gives an\n"
    "empty line, and a message with its line number on standard error.\n"
    "\n"
    "  --href   the serialization of the URL standard instead, of any scheme\n"
    "  --jsonl  a JSON object per line in, one out:\n"
    "           {\"input\", \"base\", \"charset\", \"method\", \"body\" or \"body_hex\", \"profile\", \"fingerprint\"}\n"
    "           {\"href\", \"canonical\", \"fingerprint\", \"error\"}, each null where there is none\n"
    "           Only input is needed. charset: encoding of the document, UTF-8 if unknown. profile and fingerprint: "
    "\"default\".\n"
    "  --help   this text\n"
    "\n"
    "Exit status: 0; 1 some input was refused; 2 usage; 4 a local failure.\n";

static const char tool[] = "url";

typedef enum output { CANONICAL, HREF, JSONL } output;

typedef struct options {
    output output;
    bool help;
} options;

/* What the rows share, so that nothing is allocated per row. */
typedef struct reader {
    crawl_url *url;
    crawl_url *base;
    crawl_fingerprinter *fingerprinter;
    crawl_buf canonical;
    crawl_buf input_bytes;
    crawl_buf base_bytes;
    crawl_buf body_bytes;
    crawl_buf method;
    output output;
} reader;

static const char not_a_url[] = "not a URL";
static const char not_http[] = "not an http or https URL";

static int refuse(unsigned long number, const char *why, int status, FILE *out)
{
    fprintf(stderr, "crawl %s: line %lu: %s\n", tool, number, why);
    putc('\n', out);
    return status;
}

static int print_line(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    reader *r = user;
    crawl_err err = crawl_url_parse(r->url, line, NULL, NULL);
    if (err == CRAWL_EPARSE)
        return refuse(number, not_a_url, CW_EXIT_NOTHING, out);
    crawl_buf_clear(&r->canonical);
    if (!err && r->output == CANONICAL)
        err = crawl_url_canonical(r->url, &r->canonical);
    if (err == CRAWL_EINVAL)
        return refuse(number, not_http, CW_EXIT_NOTHING, out);
    if (err)
        return refuse(number, crawl_strerror(err), CW_EXIT_LOCAL, out);
    crawl_slice text = r->output == HREF ? crawl_url_href(r->url) : crawl_buf_slice(&r->canonical);
    fwrite(text.data, 1, text.size, out);
    putc('\n', out);
    return CW_EXIT_OK;
}

/* One row of JSON Lines: what is known of it, and why no more. */
typedef struct answer {
    crawl_slice href; /* data NULL: none */
    crawl_slice canonical;
    char fingerprint[41]; /* empty: none */
    const char *error;    /* NULL: none */
} answer;

static bool is_set(const json_t *row, const char *field)
{
    const json_t *value = json_object_get(row, field);
    return value && !json_is_null(value);
}

static bool is_default(const json_t *row, const char *field)
{
    const char *text = cw_json_field(row, field);
    return text ? strcmp(text, "default") == 0 : !is_set(row, field);
}

/* The first thing wrong with the row itself; NULL: nothing. */
static const char *row_error(const json_t *row)
{
    if (!is_default(row, "profile"))
        return "unknown profile";
    if (!is_default(row, "fingerprint"))
        return "unknown fingerprint";
    return is_set(row, "method") && !cw_json_field(row, "method") ? "method is not text" : NULL;
}

/* Methods are upper-cased as the fingerprint wants them. */
static crawl_err read_method(reader *r, const json_t *row)
{
    const json_t *method = json_object_get(row, "method");
    crawl_buf_clear(&r->method);
    crawl_err err = crawl_buf_append(&r->method, json_string_value(method), json_string_length(method));
    for (size_t i = 0; i < r->method.size && !err; i++)
        if (r->method.data[i] >= 'a' && r->method.data[i] <= 'z')
            r->method.data[i] = (char)(r->method.data[i] - 'a' + 'A');
    return err;
}

static crawl_err read_fingerprint(reader *r, const json_t *row, answer *a)
{
    crawl_fingerprint fingerprint;
    crawl_slice body = cw_json_bytes(row, "body", &r->body_bytes);
    if (!body.data && (is_set(row, "body") || is_set(row, "body_hex"))) {
        a->error = "body is neither text nor hexadecimal";
        return CRAWL_OK;
    }
    crawl_err err = read_method(r, row);
    if (!err)
        err = crawl_fingerprint_request(r->fingerprinter, crawl_buf_slice(&r->method), a->canonical, body, &fingerprint);
    if (!err)
        crawl_fingerprint_hex(&fingerprint, a->fingerprint);
    return err;
}

/* CRAWL_EPARSE: error says why. */
static crawl_err parse_row(reader *r, const json_t *row, answer *a)
{
    crawl_slice input = cw_json_bytes(row, "input", &r->input_bytes);
    crawl_slice base = cw_json_bytes(row, "base", &r->base_bytes);
    a->error = "no input";
    if (!input.data)
        return CRAWL_EPARSE;
    a->error = "base is not a URL";
    if (!base.data && (is_set(row, "base") || is_set(row, "base_hex")))
        return CRAWL_EPARSE;
    crawl_err err = base.data ? crawl_url_parse(r->base, base, NULL, NULL) : CRAWL_OK;
    if (err)
        return err;
    a->error = not_a_url;
    err = crawl_url_parse(r->url, input, base.data ? r->base : NULL, cw_json_field(row, "charset"));
    if (err)
        return err;
    a->error = NULL;
    a->href = crawl_url_href(r->url);
    return CRAWL_OK;
}

static crawl_err read_row(reader *r, const json_t *row, answer *a)
{
    crawl_err err = parse_row(r, row, a);
    if (err)
        return err == CRAWL_EPARSE ? CRAWL_OK : err;
    a->error = row_error(row);
    if (a->error)
        return CRAWL_OK;
    crawl_buf_clear(&r->canonical);
    err = crawl_url_canonical(r->url, &r->canonical);
    if (err == CRAWL_EINVAL) {
        a->error = not_http;
        return CRAWL_OK;
    }
    if (err)
        return err;
    a->canonical = crawl_buf_slice(&r->canonical);
    return read_fingerprint(r, row, a);
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *answer_row(void *user, const json_t *row)
{
    answer a = {0};
    if (read_row(user, row, &a))
        return NULL;
    json_t *object = json_object();
    int failed = json_object_set_new(object, "href", cw_json_text(a.href));
    failed |= json_object_set_new(object, "canonical", cw_json_text(a.canonical));
    failed |= json_object_set_new(object, "fingerprint", text_or_null(a.fingerprint[0] ? a.fingerprint : NULL));
    failed |= json_object_set_new(object, "error", text_or_null(a.error));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static bool open_reader(reader *r)
{
    r->url = crawl_url_create();
    r->base = crawl_url_create();
    r->fingerprinter = crawl_fingerprinter_create();
    if (r->url && r->base && r->fingerprinter)
        return true;
    fprintf(stderr, "crawl %s: %s\n", tool, crawl_strerror(CRAWL_ENOMEM));
    return false;
}

static void close_reader(reader *r)
{
    crawl_url_free(r->url);
    crawl_url_free(r->base);
    crawl_fingerprinter_free(r->fingerprinter);
    crawl_buf_free(&r->canonical);
    crawl_buf_free(&r->input_bytes);
    crawl_buf_free(&r->base_bytes);
    crawl_buf_free(&r->body_bytes);
    crawl_buf_free(&r->method);
}

static int read_file(reader *r, const char *path)
{
    FILE *in = cw_tool_open(tool, path);
    if (!in)
        return CW_EXIT_LOCAL;
    int status =
        r->output == JSONL ? cw_tool_jsonl(tool, in, stdout, answer_row, r) : cw_tool_lines(tool, in, stdout, print_line, r);
    if (in != stdin)
        fclose(in);
    return status;
}

static bool read_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {
        {"href", no_argument, NULL, 'r'}, {"jsonl", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    optind = 0;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (c) {
        case 'r':
            o->output = HREF;
            break;
        case 'j':
            o->output = JSONL;
            break;
        case 'h':
            o->help = true;
            break;
        default:
            fprintf(stderr, "crawl %s: %s: unknown option\n", tool, argv[optind - 1]);
            return false;
        }
    }
    if (argc - optind <= 1)
        return true;
    fprintf(stderr, "crawl %s: one FILE at most\n", tool);
    return false;
}

int cw_tool_url(int argc, char **argv)
{
    options o = {0};
    if (!read_options(argc, argv, &o)) {
        fputs(cw_tool_url_help, stderr);
        return CW_EXIT_USAGE;
    }
    if (o.help)
        return fputs(cw_tool_url_help, stdout) == EOF ? CW_EXIT_LOCAL : CW_EXIT_OK;
    reader r = {.output = o.output};
    int status = open_reader(&r) ? read_file(&r, argv[optind]) : CW_EXIT_LOCAL;
    close_reader(&r);
    return status;
}
