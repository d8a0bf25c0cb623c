/* See jsonl.h. */
#include "tests/support/jsonl.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIELDS = 8 };

struct jsonl {
    FILE *file;
    char *line;
    size_t capacity;
    json_t *row;
    crawl_buf decoded[FIELDS]; /* of x_hex fields, used in turn */
    unsigned used;
};

jsonl *jsonl_open(const char *name)
{
    const char *folder = getenv("CRAWL_CONFORMANCE");
    if (!folder || access(folder, R_OK)) {
        fprintf(stderr, "skipped: no conformance data (CRAWL_CONFORMANCE=%s)\n", folder ? folder : "");
        return NULL;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    jsonl *file = calloc(1, sizeof *file);
    if (file)
        file->file = fopen(path, "r");
    if (!file || !file->file) {
        perror(path);
        abort();
    }
    return file;
}

static void close_file(jsonl *file)
{
    fclose(file->file);
    free(file->line);
    for (unsigned i = 0; i < FIELDS; i++)
        crawl_buf_free(&file->decoded[i]);
    free(file);
}

const json_t *jsonl_next(jsonl *file)
{
    json_decref(file->row);
    file->row = NULL;
    file->used = 0;
    ssize_t size = getline(&file->line, &file->capacity, file->file);
    if (size < 0) {
        close_file(file);
        return NULL;
    }
    json_error_t error;
    file->row = json_loadb(file->line, (size_t)size, JSON_ALLOW_NUL, &error);
    if (!file->row) {
        fprintf(stderr, "conformance row: %s\n", error.text);
        abort();
    }
    return file->row;
}

crawl_slice jsonl_bytes(jsonl *file, const json_t *row, const char *field)
{
    json_t *value = json_object_get(row, field);
    if (json_is_string(value))
        return crawl_slice_of(json_string_value(value), json_string_length(value));
    char name[64];
    snprintf(name, sizeof name, "%s_hex", field);
    const char *digits = jsonl_text(row, name);
    if (!digits)
        return (crawl_slice){0};
    crawl_buf *buf = &file->decoded[file->used++ % FIELDS];
    crawl_buf_clear(buf);
    if (cw_hex_decode(crawl_slice_from(digits), buf) || crawl_buf_reserve(buf, 1))
        abort();
    return crawl_buf_slice(buf);
}

const char *jsonl_text(const json_t *row, const char *field)
{
    return json_string_value(json_object_get(row, field));
}
