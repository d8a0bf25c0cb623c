/* See head.h. The lines are stored as one text and split into fields on demand, because most headers are needed at most
 * once. Each status line begins a new header, so that interim answers (1xx) leave only their count of bytes. */
#include "fetch/answer/head.h"

#include "base/array.h"
#include "base/bytes.h"

#include <stdlib.h>

void cw_fetch_head_clear(cw_fetch_head *head)
{
    head->state = CW_HEAD_STATUS;
    head->status = 0;
    head->http_version = 0;
    head->lines = 0;
    head->bytes = 0;
    head->parsed = false;
    head->field_count = 0;
    crawl_buf_clear(&head->text);
}

void cw_fetch_head_free(cw_fetch_head *head)
{
    crawl_buf_free(&head->text);
    free(head->fields);
    *head = (cw_fetch_head){0};
}

static bool all_digits(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!cw_is_digit((unsigned char)text[i]))
            return false;
    return true;
}

/* Parses a status line such as "HTTP/1.1 200 OK" or "HTTP/2 200". */
static crawl_err add_status(cw_fetch_head *head, crawl_slice line)
{
    const char *space = memchr(line.data, ' ', line.size);
    size_t version = space ? (size_t)(space - line.data) : 0;
    if (version < 6 || memcmp(line.data, "HTTP/", 5) != 0 || line.size < version + 4 || !all_digits(space + 1, 3) ||
        !cw_is_digit((unsigned char)line.data[5]))
        return CRAWL_EPARSE;
    int minor = version == 8 && cw_is_digit((unsigned char)line.data[7]) ? line.data[7] - '0' : 0;
    head->http_version = (line.data[5] - '0') * 10 + minor;
    head->status = (space[1] - '0') * 100 + (space[2] - '0') * 10 + (space[3] - '0');
    head->state = CW_HEAD_FIELDS;
    crawl_buf_clear(&head->text);
    return head->status == 101 ? CRAWL_EPARSE : CRAWL_OK;
}

bool cw_fetch_head_is_stray(const cw_fetch_head *head, crawl_slice line)
{
    bool is_first = head->state == CW_HEAD_FIELDS && head->text.size == 0;
    return is_first && line.size && (line.data[0] == ' ' || line.data[0] == '\t');
}

static crawl_err add_field_line(cw_fetch_head *head, crawl_slice line)
{
    if (cw_fetch_head_is_stray(head, line))
        return CRAWL_EPARSE;
    if (line.data[0] != '\r' && line.data[0] != '\n')
        return crawl_buf_append(&head->text, line.data, line.size);
    head->state = head->status < 200 ? CW_HEAD_STATUS : CW_HEAD_DONE;
    return CRAWL_OK;
}

crawl_err cw_fetch_head_add(cw_fetch_head *head, crawl_slice line, uint64_t max_bytes)
{
    head->bytes += line.size;
    if (head->bytes > max_bytes || ++head->lines > CW_FETCH_HEAD_MAX_LINES)
        return CRAWL_FULL;
    if (line.size == 0 || head->state == CW_HEAD_DONE)
        return CRAWL_OK;
    head->parsed = false;
    return head->state == CW_HEAD_STATUS ? add_status(head, line) : add_field_line(head, line);
}

static crawl_header *head_next_field(cw_fetch_head *head)
{
    crawl_err err = CW_ARRAY_RESERVE(head->fields, head->field_capacity, head->field_count + 1, 32);
    return err ? NULL : &head->fields[head->field_count];
}

/* Returns where the text of the line [at, end) ends: before its LF or CR LF. */
static char *line_end(char *at, char *newline)
{
    return newline > at && newline[-1] == '\r' ? newline - 1 : newline;
}

/* RFC 9112, 5.2: a line that begins with white space continues the value of the previous line. The bytes between the
 * two become spaces. value: the start of that value; NULL: there is no previous field. */
static void unfold(cw_fetch_head *head, char *value, char *at, char *end)
{
    if (!value)
        return;
    crawl_header *field = &head->fields[head->field_count - 1];
    for (char *gap = at; gap > value && (gap[-1] == '\n' || gap[-1] == '\r'); gap--)
        gap[-1] = ' ';
    field->value = cw_trim(crawl_slice_of(value, (size_t)(end - value)));
}

/* Adds the field of a line. *value is set to the start of its value; NULL: the line is not a field, and nothing was
 * added. */
static crawl_err head_add_field(cw_fetch_head *head, char *at, char *end, char **value)
{
    *value = NULL;
    char *colon = memchr(at, ':', (size_t)(end - at));
    crawl_slice name = cw_trim(crawl_slice_of(at, colon ? (size_t)(colon - at) : 0));
    if (name.size == 0)
        return CRAWL_OK;
    crawl_header *field = head_next_field(head);
    if (!field)
        return CRAWL_ENOMEM;
    *value = colon + 1;
    field->name = name;
    field->value = cw_trim(crawl_slice_of(*value, (size_t)(end - *value)));
    head->field_count++;
    return CRAWL_OK;
}

crawl_err cw_fetch_head_parse(cw_fetch_head *head)
{
    if (head->parsed)
        return CRAWL_OK;
    head->field_count = 0;
    char *at = head->text.data;
    char *stop = at ? at + head->text.size : NULL;
    char *value = NULL;
    while (at < stop) {
        char *newline = memchr(at, '\n', (size_t)(stop - at));
        if (!newline)
            newline = stop;
        char *end = line_end(at, newline);
        crawl_err err = CRAWL_OK;
        if (*at == ' ' || *at == '\t')
            unfold(head, value, at, end);
        else
            err = head_add_field(head, at, end, &value);
        if (err) {
            head->field_count = 0;
            return err;
        }
        at = newline + 1;
    }
    head->parsed = true;
    return CRAWL_OK;
}

/* ---- framing of the body ---- */

/* Returns the next element of a comma-separated list, skipping empty ones. Its data is NULL at the end. */
static crawl_slice next_element(crawl_slice *list)
{
    crawl_slice element = {0};
    while (list->size > 0 && element.size == 0) {
        const char *comma = memchr(list->data, ',', list->size);
        size_t size = comma ? (size_t)(comma - list->data) : list->size;
        element = cw_trim(crawl_slice_of(list->data, size));
        size += comma != NULL;
        *list = crawl_slice_of(list->data + size, list->size - size);
    }
    return element.size ? element : (crawl_slice){0};
}

/* Returns true if the value is one number, possibly repeated, equal to that of earlier fields. *length: the number in
 * those fields; empty: there were none. */
static bool is_length(crawl_slice value, crawl_slice *length)
{
    crawl_slice element = next_element(&value);
    bool good = element.size > 0;
    for (; element.size && good; element = next_element(&value)) {
        good = all_digits(element.data, element.size) && (!length->size || crawl_slice_equal(*length, element));
        *length = element;
    }
    return good;
}

/* Returns true for a coding that changes the body (RFC 9112, 7). */
static bool is_compression(crawl_slice coding)
{
    static const char *const names[] = {"gzip", "x-gzip", "deflate", "compress", "x-compress"};
    return cw_is_among(coding, names, sizeof names / sizeof *names);
}

/* Returns true if white space stands before the colon: browsers ignore it, but libcurl does not know such a name. */
static bool has_gap(const crawl_header *field)
{
    return field->name.data[field->name.size] != ':';
}

/* Reads a Transfer-Encoding field. False: a coding that was not requested. Others, such as "identity" or "utf-8", are
 * ignored, as in browsers. Variants of "chunked" set *may_be_chunks. */
static bool reads_transfer_coding(const crawl_header *field, bool *may_be_chunks, cw_fetch_framing *framing)
{
    crawl_slice value = field->value;
    if (*framing == CW_FRAMING_PLAIN)
        *framing = CW_FRAMING_LENGTH;
    for (crawl_slice element; (element = next_element(&value)).size;) {
        if (cw_equal_nocase(element, crawl_slice_from("chunked")))
            *framing = has_gap(field) ? CW_FRAMING_CHUNKS_ALONE : CW_FRAMING_CHUNKED;
        else if (is_compression(element))
            return false;
        else if (cw_starts_nocase(element, "chunked"))
            *may_be_chunks = true;
    }
    return true;
}

static uint64_t head_number_of(crawl_slice digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.size; i++)
        number = number > UINT64_MAX / 10 - 1 ? UINT64_MAX / 10 : number * 10 + (uint64_t)(digits.data[i] - '0');
    return number;
}

crawl_err cw_fetch_head_framing(const cw_fetch_head *head, cw_fetch_framing *framing, uint64_t *bytes,
                                const char **words)
{
    static const char not_asked_for[] = "a transfer coding that was not asked for";
    crawl_slice length = {0};
    bool may_be_chunks = false;
    *framing = CW_FRAMING_PLAIN;
    *words = "";
    for (size_t i = 0; i < head->field_count && !**words; i++) {
        const crawl_header *field = &head->fields[i];
        bool names_length = cw_equal_nocase(field->name, crawl_slice_from("Content-Length"));
        if (names_length && !is_length(field->value, &length))
            *words = "Content-Length is not one number";
        else if (names_length && has_gap(field) && *framing == CW_FRAMING_PLAIN)
            *framing = CW_FRAMING_LENGTH;
        else if (cw_equal_nocase(field->name, crawl_slice_from("Transfer-Encoding")) &&
                 !reads_transfer_coding(field, &may_be_chunks, framing))
            *words = not_asked_for;
    }
    if (may_be_chunks && !length.size && !**words)
        *words = not_asked_for;
    if (*framing == CW_FRAMING_LENGTH && !length.size)
        *framing = CW_FRAMING_PLAIN;
    *bytes = head_number_of(length);
    return **words ? CRAWL_EPARSE : CRAWL_OK;
}

crawl_slice crawl_response_header(const crawl_response *response, const char *name)
{
    crawl_slice wanted = crawl_slice_from(name);
    for (size_t i = 0; i < response->header_count; i++)
        if (cw_equal_nocase(response->headers[i].name, wanted))
            return response->headers[i].value;
    return (crawl_slice){0};
}
