/* The URL standard's basic URL parser (4.4) as a state machine whose states take a whole part of the input at a time.
 * Each state is a function that reads from `at`, appends to `out`, records the parts, and returns the next state.
 *
 * A state leaves `at` where the next one begins to read: where the standard decreases the pointer, it does not
 * advance. */
#pragma once

#include "parse/url/url.h"

typedef enum cw_url_state {
    CW_URL_SCHEME,
    CW_URL_NO_SCHEME,
    CW_URL_SPECIAL_RELATIVE_OR_AUTHORITY,
    CW_URL_PATH_OR_AUTHORITY,
    CW_URL_RELATIVE,
    CW_URL_RELATIVE_SLASH,
    CW_URL_SPECIAL_AUTHORITY_SLASHES,
    CW_URL_SPECIAL_AUTHORITY_IGNORE_SLASHES,
    CW_URL_AUTHORITY, /* with host, hostname and port */
    CW_URL_FILE,
    CW_URL_FILE_SLASH,
    CW_URL_FILE_HOST,
    CW_URL_PATH_START,
    CW_URL_PATH,
    CW_URL_OPAQUE_PATH,
    CW_URL_QUERY,
    CW_URL_FRAGMENT,
    CW_URL_DONE,
    CW_URL_FAILED
} cw_url_state;

typedef struct cw_url_parser {
    const char *at; /* the rest of the input */
    const char *end;
    const crawl_url *base; /* NULL: none */
    const char *charset;   /* of the document; NULL: UTF-8 */
    crawl_url *url;
    crawl_buf *out; /* url's spare */
    cw_url_parts parts;
    crawl_err err; /* CRAWL_ENOMEM once something did not fit; the states need not check */
} cw_url_parser;

/* The states, by file. */
cw_url_state cw_url_in_scheme(cw_url_parser *parser); /* url_states.c */
cw_url_state cw_url_in_no_scheme(cw_url_parser *parser);
cw_url_state cw_url_in_special_relative_or_authority(cw_url_parser *parser);
cw_url_state cw_url_in_path_or_authority(cw_url_parser *parser);
cw_url_state cw_url_in_relative(cw_url_parser *parser);
cw_url_state cw_url_in_relative_slash(cw_url_parser *parser);
cw_url_state cw_url_in_special_authority_slashes(cw_url_parser *parser);
cw_url_state cw_url_in_special_authority_ignore_slashes(cw_url_parser *parser);
cw_url_state cw_url_in_authority(cw_url_parser *parser); /* url_authority.c */
cw_url_state cw_url_in_file(cw_url_parser *parser);
cw_url_state cw_url_in_file_slash(cw_url_parser *parser);
cw_url_state cw_url_in_file_host(cw_url_parser *parser);
cw_url_state cw_url_in_path_start(cw_url_parser *parser); /* url_path.c */
cw_url_state cw_url_in_path(cw_url_parser *parser);
cw_url_state cw_url_in_opaque_path(cw_url_parser *parser);
cw_url_state cw_url_in_query(cw_url_parser *parser);
cw_url_state cw_url_in_fragment(cw_url_parser *parser);

/* Parses host into out and records it. false: not a host, or out of memory (err). */
bool cw_url_take_host(cw_url_parser *parser, const char *host, const char *end);

/* Returns true if text is exactly "C:" or "C|". */
bool cw_url_is_drive_letter(crawl_slice text);
/* Returns true if path is exactly "/C:". */
bool cw_url_is_drive_path(crawl_slice path);

/* Makes room for more bytes. false: out of memory, and err is set. */
static inline bool cw_url_room(cw_url_parser *parser, size_t more)
{
    crawl_buf *out = parser->out;
    if (more < out->capacity - out->size)
        return true;
    parser->err = crawl_buf_reserve(out, more);
    return !parser->err;
}

static inline void cw_url_put(cw_url_parser *parser, const char *data, size_t size)
{
    if (!cw_url_room(parser, size))
        return;
    memcpy(parser->out->data + parser->out->size, data, size);
    parser->out->size += size;
}

static inline void cw_url_put_char(cw_url_parser *parser, char c)
{
    if (cw_url_room(parser, 1))
        parser->out->data[parser->out->size++] = c;
}

static inline uint32_t cw_url_position(const cw_url_parser *parser)
{
    return (uint32_t)parser->out->size;
}

/* Returns the part from byte start of out to its end. */
static inline cw_url_span cw_url_span_from(const cw_url_parser *parser, uint32_t start)
{
    return (cw_url_span){start, cw_url_position(parser) - start};
}

/* Returns the next byte. -1: none. */
static inline int cw_url_peek(const cw_url_parser *parser)
{
    return parser->at < parser->end ? (unsigned char)*parser->at : -1;
}

static inline bool cw_url_is_special(const cw_url_parser *parser)
{
    return parser->parts.special != CW_SCHEME_OTHER;
}

/* Returns true for "/", and for "\" if the scheme is special. */
static inline bool cw_url_is_slash(const cw_url_parser *parser, int c)
{
    return c == '/' || (c == '\\' && cw_url_is_special(parser));
}
