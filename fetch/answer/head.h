/* The header of an answer, collected from the lines that libcurl passes one by one (RFC 9112, sections 4 and 5): its
 * status, its fields, and the framing of its body. Has checks of its own, since versions of libcurl differ in what they
 * accept. */
#pragma once

#include <crawl/fetch.h>

/* Maximum number of lines of an answer's header, interim answers included: the limit of libcurl 8. Earlier versions
 * have none. */
#define CW_FETCH_HEAD_MAX_LINES 5000

typedef enum cw_fetch_head_state {
    CW_HEAD_STATUS, /* expects the status line */
    CW_HEAD_FIELDS, /* expects fields, then an empty line */
    CW_HEAD_DONE    /* the header of the final answer is complete; trailers may follow */
} cw_fetch_head_state;

/* A header; {0} is an empty one. */
typedef struct cw_fetch_head {
    cw_fetch_head_state state;
    int status;       /* of the last answer read, 1xx included; 0: none */
    int http_version; /* 10, 11, 20; 0: none */
    unsigned lines;
    uint64_t bytes; /* of all lines of the transfer, including interim answers and trailers */
    crawl_buf text; /* the lines of the last answer read, without its status line */
    bool parsed;    /* fields were made from text */
    crawl_header *fields;
    size_t field_count;
    size_t field_capacity;
} cw_fetch_head;

/* Removes the content but keeps the memory. */
void cw_fetch_head_clear(cw_fetch_head *head);
void cw_fetch_head_free(cw_fetch_head *head);

/* Returns true if this next line would continue a field although there is none (RFC 9112, 2.2). */
bool cw_fetch_head_is_stray(const cw_fetch_head *head, crawl_slice line);

/* Takes one line with its line end. CRAWL_FULL: the lines exceed max_bytes or CW_FETCH_HEAD_MAX_LINES. CRAWL_EPARSE:
 * the first line is not a status line, or the status is 101, which was not requested; or the line is a stray one.
 * CRAWL_ENOMEM. */
crawl_err cw_fetch_head_add(cw_fetch_head *head, crawl_slice line, uint64_t max_bytes);

/* Splits the lines taken so far into fields, which live until the next cw_fetch_head_add or cw_fetch_head_clear.
 * CRAWL_ENOMEM: there are no fields. */
crawl_err cw_fetch_head_parse(cw_fetch_head *head);

/* The framing of the body that follows. */
typedef enum cw_fetch_framing {
    CW_FRAMING_PLAIN, /* by its length, by HTTP/2 frames, or by the end of the connection */
    CW_FRAMING_CHUNKED,
    CW_FRAMING_CHUNKS_ALONE, /* chunked, which libcurl does not notice */
    CW_FRAMING_LENGTH        /* by its length, which libcurl does not notice, or ignores for any Transfer-Encoding */
} cw_fetch_framing;

/* Determines the framing of the body; the header must have been parsed. *bytes: the length for CW_FRAMING_LENGTH.
 * CRAWL_EPARSE, with *words: a length that is not a number or lengths that differ (RFC 9110, 8.6), or a transfer coding
 * that was not requested (RFC 9112, 6.1). Versions of libcurl differ in which of these they accept. */
crawl_err cw_fetch_head_framing(const cw_fetch_head *head, cw_fetch_framing *framing, uint64_t *bytes,
                                const char **words);

/* Returns the status of the final answer; 0 if there were only interim ones so far. */
static inline int cw_fetch_head_final_status(const cw_fetch_head *head)
{
    return head->status >= 200 ? head->status : 0;
}
