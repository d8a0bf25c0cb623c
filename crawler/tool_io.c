/* See tool_io.h. */
#include "crawler/tool_io.h"

#include "base/bytes.h"
#include "crawler/tools.h"

#include <errno.h>
#include <stdlib.h>

static bool is_standard_input(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

FILE *cw_tool_open(const char *tool, const char *path)
{
    if (is_standard_input(path))
        return stdin;
    FILE *file = fopen(path, "rb");
    if (!file)
        fprintf(stderr, "crawl %s: %s: %s\n", tool, path, strerror(errno));
    return file;
}

static crawl_err read_all(FILE *file, crawl_buf *out)
{
    enum { STEP = 64 * 1024 };
    size_t got;
    do {
        crawl_err err = crawl_buf_reserve(out, STEP);
        if (err)
            return err;
        got = fread(out->data + out->size, 1, STEP, file);
        out->size += got;
        out->data[out->size] = '\0';
    } while (got);
    return ferror(file) ? CRAWL_EIO : CRAWL_OK;
}

crawl_err cw_tool_read(const char *tool, const char *path, crawl_buf *out)
{
    FILE *file = cw_tool_open(tool, path);
    if (!file)
        return CRAWL_EIO;
    crawl_err err = read_all(file, out);
    if (err)
        fprintf(stderr, "crawl %s: %s: %s\n", tool, path ? path : "-", err == CRAWL_EIO ? strerror(errno) : crawl_strerror(err));
    if (file != stdin)
        fclose(file);
    return err;
}

static crawl_slice without_line_end(const char *line, size_t size)
{
    if (size && line[size - 1] == '\n')
        size--;
    if (size && line[size - 1] == '\r')
        size--;
    return crawl_slice_of(line, size);
}

int cw_tool_lines(const char *tool, FILE *in, FILE *out, cw_line_handler line, void *user)
{
    char *text = NULL;
    size_t capacity = 0;
    unsigned long number = 0;
    int status = CW_EXIT_OK;
    for (ssize_t size; (size = getline(&text, &capacity, in)) >= 0;) {
        int answer = line(user, without_line_end(text, (size_t)size), ++number, out);
        if (!status)
            status = answer;
        if (fflush(out) || ferror(out)) {
            fprintf(stderr, "crawl %s: output: %s\n", tool, strerror(errno));
            status = CW_EXIT_LOCAL;
            break;
        }
    }
    if (ferror(in)) {
        fprintf(stderr, "crawl %s: input: %s\n", tool, strerror(errno));
        status = CW_EXIT_LOCAL;
    }
    free(text);
    return status;
}

typedef struct jsonl_run {
    const char *tool;
    cw_row_handler answer;
    void *user;
} jsonl_run;

static json_t *answer_row(const jsonl_run *run, crawl_slice line, unsigned long number, int *status)
{
    json_error_t error;
    json_t *row = json_loadb(line.data, line.size, JSON_ALLOW_NUL, &error);
    if (json_is_object(row)) {
        json_t *answer = run->answer(run->user, row);
        json_decref(row);
        return answer;
    }
    const char *why = row ? "not an object" : error.text;
    fprintf(stderr, "crawl %s: line %lu: %s\n", run->tool, number, why);
    json_decref(row);
    *status = CW_EXIT_NOTHING;
    return json_pack("{s:s}", "error", why);
}

static int jsonl_line(void *user, crawl_slice line, unsigned long number, FILE *out)
{
    const jsonl_run *run = user;
    int status = CW_EXIT_OK;
    json_t *answer = answer_row(run, line, number, &status);
    if (!answer) {
        fprintf(stderr, "crawl %s: line %lu: %s\n", run->tool, number, crawl_strerror(CRAWL_ENOMEM));
        return CW_EXIT_LOCAL;
    }
    cw_json_write(answer, out);
    json_decref(answer);
    return status;
}

int cw_tool_jsonl(const char *tool, FILE *in, FILE *out, cw_row_handler answer, void *user)
{
    jsonl_run run = {tool, answer, user};
    return cw_tool_lines(tool, in, out, jsonl_line, &run);
}

crawl_slice cw_json_bytes(const json_t *row, const char *field, crawl_buf *storage)
{
    const json_t *value = json_object_get(row, field);
    if (json_is_string(value))
        return crawl_slice_of(json_string_value(value), json_string_length(value));
    char name[64];
    snprintf(name, sizeof name, "%s_hex", field);
    const char *digits = cw_json_field(row, name);
    crawl_buf_clear(storage);
    if (!digits || crawl_buf_reserve(storage, 1) || cw_hex_decode(crawl_slice_from(digits), storage))
        return (crawl_slice){0};
    return crawl_buf_slice(storage);
}

const char *cw_json_field(const json_t *row, const char *field)
{
    return json_string_value(json_object_get(row, field));
}

/* Length of the well-formed UTF-8 sequence at p; 0: none is there. */
static size_t utf8_sequence(const unsigned char *p, size_t left)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (size == 0 || size > left)
        return 0;
    uint32_t code = size == 1 ? p[0] : p[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[size] || code > 0x10ffff || surrogate ? 0 : size;
}

json_t *cw_json_text(crawl_slice text)
{
    if (!text.data)
        return json_null();
    json_t *string = json_stringn(text.data, text.size);
    if (string)
        return string;
    crawl_buf clean = {0};
    for (size_t i = 0; i < text.size;) {
        size_t size = utf8_sequence((const unsigned char *)text.data + i, text.size - i);
        if (size ? crawl_buf_append(&clean, text.data + i, size) : crawl_buf_append_text(&clean, "\xef\xbf\xbd"))
            break;
        i += size ? size : 1;
    }
    string = json_stringn(clean.data ? clean.data : "", clean.size);
    crawl_buf_free(&clean);
    return string;
}

crawl_err cw_json_write(const json_t *object, FILE *out)
{
    if (json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(15)) || putc('\n', out) == EOF)
        return CRAWL_EIO;
    return CRAWL_OK;
}

/* What stands for the byte or the sequence at text, of *size bytes, in JSON; NULL: itself. */
static const char *escape(crawl_slice text, size_t *size, char code[8])
{
    unsigned char c = (unsigned char)text.data[0];
    *size = 1;
    if (c >= 0x80) {
        *size = utf8_sequence((const unsigned char *)text.data, text.size);
        const char *broken = *size ? NULL : "\xef\xbf\xbd";
        *size += *size == 0;
        return broken;
    }
    if (c >= ' ' && c != '"' && c != '\\')
        return NULL;
    snprintf(code, 8, c < ' ' ? "\\u%04x" : "\\%c", c);
    return code;
}

crawl_err cw_json_append_text(crawl_buf *out, crawl_slice text)
{
    crawl_err err = crawl_buf_append_char(out, '"');
    size_t start = 0;
    for (size_t at = 0, size; at < text.size && !err; at += size) {
        char code[8];
        const char *instead = escape(crawl_slice_of(text.data + at, text.size - at), &size, code);
        if (!instead)
            continue;
        err = crawl_buf_append(out, text.data + start, at - start);
        if (!err)
            err = crawl_buf_append_text(out, instead);
        start = at + size;
    }
    if (!err && text.size > start)
        err = crawl_buf_append(out, text.data + start, text.size - start);
    return err ? err : crawl_buf_append_char(out, '"');
}
