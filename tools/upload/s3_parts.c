#include "tools/upload/s3_parts.h"

#include "base/writer.h"
#include "tools/upload/s3_xml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS_MAX = 10000 };

typedef struct s3_part {
    char etag[80]; /* "": not uploaded */
    uint64_t size; /* on the server */
} s3_part;

typedef struct s3_parts {
    cw_s3_client *client;
    const char *key, *sha256;
    int file;
    uint64_t size, part_size;
    bool is_new;
    size_t count;
    s3_part *parts;
    crawl_buf id, query; /* id: of the upload, encoded */
    cw_s3_answer *answer;
    bool has_failed; /* locally, see errno */
} s3_parts;

/* Sends a request about the upload or uploads. The format makes the query; method, text and body are those of
 * cw_s3_call. */
static bool s3_parts_ask(s3_parts *u, const cw_s3_call *call, const char *format, ...) CRAWL_PRINTF(3, 4);

static bool s3_parts_ask(s3_parts *u, const cw_s3_call *call, const char *format, ...)
{
    va_list arguments;
    cw_s3_call whole = *call;
    crawl_buf_clear(&u->query);
    va_start(arguments, format);
    crawl_err err = cw_buf_vprintf(&u->query, format, arguments);
    va_end(arguments);
    if (err) {
        errno = ENOMEM;
        u->has_failed = true;
        return false;
    }
    whole.query = u->query.data;
    cw_s3_ask(u->client, &whole, u->answer);
    return u->answer->is_good;
}

static bool s3_parts_set_id(s3_parts *u, const xmlNode *node)
{
    char id[1200];
    cw_s3_xml_text(node, "UploadId", id, sizeof id);
    crawl_buf_clear(&u->id);
    return *id && cw_s3_encode(crawl_slice_from(id), true, &u->id) == CRAWL_OK;
}

/* Finds the last upload begun for this object. False: none, or the server does not tell. */
static bool s3_parts_find(s3_parts *u)
{
    char key[1100];
    crawl_buf name = {0};
    bool is_found = false;
    const cw_s3_call call = {.method = "GET"};
    if (!cw_s3_encode(crawl_slice_from(u->key), true, &name) &&
        s3_parts_ask(u, &call, "prefix=%s&uploads=", name.data)) {
        xmlDoc *doc = cw_s3_xml_read(u->answer->body);
        xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
        for (xmlNode *one = cw_s3_xml_child(root, "Upload"); one; one = cw_s3_xml_next(one)) {
            cw_s3_xml_text(one, "Key", key, sizeof key);
            if (strcmp(key, u->key) == 0)
                is_found = s3_parts_set_id(u, one);
        }
        xmlFreeDoc(doc);
    }
    crawl_buf_free(&name);
    return is_found;
}

static bool s3_parts_begin(s3_parts *u)
{
    memset(u->parts, 0, u->count * sizeof *u->parts); /* they belong to an upload that is gone */
    const cw_s3_call call = {.method = "POST", .key = u->key, .sha256 = u->sha256};
    if (!s3_parts_ask(u, &call, "uploads="))
        return false;
    xmlDoc *doc = cw_s3_xml_read(u->answer->body);
    bool is_begun = s3_parts_set_id(u, doc ? xmlDocGetRootElement(doc) : NULL);
    if (!is_begun) {
        u->answer->is_good = false;
        snprintf(u->answer->words, sizeof u->answer->words, "the server's answer names no upload");
    }
    xmlFreeDoc(doc);
    return is_begun;
}

/* Adds the parts on a page of the list. Returns the marker of the next page; 0: none. */
static unsigned s3_parts_take_list(s3_parts *u)
{
    char text[32];
    unsigned next = 0;
    xmlDoc *doc = cw_s3_xml_read(u->answer->body);
    xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    for (xmlNode *one = cw_s3_xml_child(root, "Part"); one; one = cw_s3_xml_next(one)) {
        cw_s3_xml_text(one, "PartNumber", text, sizeof text);
        unsigned long number = strtoul(text, NULL, 10);
        if (number < 1 || number > u->count)
            continue;
        s3_part *part = &u->parts[number - 1];
        cw_s3_xml_text(one, "Size", text, sizeof text);
        part->size = strtoull(text, NULL, 10);
        cw_s3_xml_text(one, "ETag", part->etag, sizeof part->etag);
    }
    cw_s3_xml_text(root, "IsTruncated", text, sizeof text);
    if (strcmp(text, "true") == 0) {
        cw_s3_xml_text(root, "NextPartNumberMarker", text, sizeof text);
        next = (unsigned)strtoul(text, NULL, 10);
    }
    xmlFreeDoc(doc);
    return next;
}

/* Asks for the uploaded parts. False: the upload is gone, or the server does not tell. */
static bool s3_parts_list(s3_parts *u)
{
    const cw_s3_call call = {.method = "GET", .key = u->key};
    for (unsigned marker = 0, next;; marker = next) {
        bool is_told = marker ? s3_parts_ask(u, &call, "part-number-marker=%u&uploadId=%s", marker, u->id.data)
                              : s3_parts_ask(u, &call, "uploadId=%s", u->id.data);
        if (!is_told)
            return false;
        next = s3_parts_take_list(u);
        if (next <= marker)
            return true;
    }
}

static bool s3_parts_is_there(const s3_part *part, const cw_s3_body *body)
{
    const char *etag = part->etag + (*part->etag == '"');
    return part->size == body->size && strncmp(etag, body->md5, strlen(body->md5)) == 0 &&
           (etag[strlen(body->md5)] == '\0' || etag[strlen(body->md5)] == '"');
}

static bool s3_parts_send_one(s3_parts *u, size_t i)
{
    cw_s3_body body;
    s3_part *part = &u->parts[i];
    uint64_t from = i * u->part_size;
    uint64_t size = u->size - from < u->part_size ? u->size - from : u->part_size;
    crawl_err err = cw_s3_body_open(u->file, from, size, &body);
    if (err) {
        errno = err == CRAWL_ENOMEM ? ENOMEM : errno;
        u->has_failed = true;
        return false;
    }
    if (s3_parts_is_there(part, &body))
        return true;
    const cw_s3_call call = {.method = "PUT", .key = u->key, .body = &body};
    if (!s3_parts_ask(u, &call, "partNumber=%zu&uploadId=%s", i + 1, u->id.data))
        return false;
    snprintf(part->etag, sizeof part->etag, "\"%.77s\"", u->answer->etag);
    return true;
}

static bool s3_parts_complete(s3_parts *u)
{
    crawl_buf text = {0};
    cw_writer out = {.out = &text};
    cw_put_text(&out, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (size_t i = 0; i < u->count; i++) {
        cw_put_format(&out, "<Part><PartNumber>%zu</PartNumber><ETag>", i + 1);
        for (const char *c = u->parts[i].etag; *c; c++)
            cw_put_text(&out, *c == '"' ? "&quot;" : (char[]){*c, '\0'});
        cw_put_text(&out, "</ETag></Part>");
    }
    cw_put_text(&out, "</CompleteMultipartUpload>");
    const cw_s3_call call = {.method = "POST", .key = u->key, .text = crawl_buf_slice(&text), .is_new = u->is_new};
    if (out.err) {
        errno = ENOMEM;
        u->has_failed = true;
    }
    bool is_done = !out.err && s3_parts_ask(u, &call, "uploadId=%s", u->id.data);
    crawl_buf_free(&text);
    return is_done;
}

/* Deletes the parts of an upload that cannot be completed. They would cost money for ever. */
static void s3_parts_abort(s3_parts *u)
{
    cw_s3_answer ours = *u->answer;
    (void)s3_parts_ask(u, &(cw_s3_call){.method = "DELETE", .key = u->key}, "uploadId=%s", u->id.data);
    *u->answer = ours;
    u->answer->body = (crawl_slice){0};
}

static void s3_parts_send(s3_parts *u)
{
    bool is_going = (s3_parts_find(u) && s3_parts_list(u)) || (!u->has_failed && s3_parts_begin(u));
    for (size_t i = 0; i < u->count && is_going; i++)
        is_going = s3_parts_send_one(u, i);
    if (is_going && !s3_parts_complete(u) && u->answer->status == 412)
        s3_parts_abort(u);
}

bool cw_s3_parts_send(cw_s3_client *client, const char *key, int file, uint64_t size, const char *sha256, bool is_new,
                      cw_s3_answer *answer)
{
    s3_parts u = {.client = client,
                  .key = key,
                  .sha256 = sha256,
                  .file = file,
                  .size = size,
                  .part_size = CW_S3_PART * (1 + (size - 1) / (CW_S3_PART * PARTS_MAX)),
                  .is_new = is_new,
                  .answer = answer};
    u.count = (size_t)((size + u.part_size - 1) / u.part_size);
    u.parts = calloc(u.count, sizeof *u.parts);
    errno = u.parts ? errno : ENOMEM;
    u.has_failed = !u.parts;
    if (u.parts)
        s3_parts_send(&u);
    free(u.parts);
    crawl_buf_free(&u.id);
    crawl_buf_free(&u.query);
    return !u.has_failed;
}
