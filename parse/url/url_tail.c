/* States of the URL parser for what is copied with no structure of its own: opaque path, query, fragment. See
 * url_parser.h. */
#include "parse/url/url_parser.h"

#include "base/percent.h"

/* Appends from..end, the bytes of the set escaped, after the byte that introduces them. */
static cw_span put_encoded(cw_url_parser *parser, const char *from, const char *end, unsigned set)
{
    uint32_t start = cw_url_position(parser);
    if (cw_url_room(parser, 3 * (size_t)(end - from))) {
        char *to = cw_percent_write(parser->out->data + start, from, end, set);
        parser->out->size = (size_t)(to - parser->out->data);
    }
    return cw_url_span_from(parser, start);
}

/* A space at the very end, before "?" or "#", is escaped: it could not be told from one that is trimmed. */
cw_url_state cw_url_opaque_path(cw_url_parser *parser)
{
    const char *end = parser->at;
    while (end < parser->end && *end != '?' && *end != '#')
        end++;
    bool space = end < parser->end && end > parser->at && end[-1] == ' ';
    parser->parts.opaque = true;
    parser->parts.path = put_encoded(parser, parser->at, end - space, CW_SET_C0);
    if (space) {
        cw_url_put(parser, "%20", 3);
        parser->parts.path.size += 3;
    }
    parser->at = end;
    return cw_url_after_path(parser);
}

/* Only http(s), ftp and file have queries in the encoding of the document. */
static const char *query_charset(const cw_url_parser *parser)
{
    cw_scheme special = parser->parts.special;
    return special == CW_SCHEME_OTHER || special == CW_SCHEME_WS || special == CW_SCHEME_WSS ? NULL : parser->charset;
}

static cw_span put_in_charset(cw_url_parser *parser, crawl_slice query, const char *charset, unsigned set)
{
    uint32_t start = cw_url_position(parser);
    crawl_err err = cw_query_encode(&parser->url->encoder, charset, query, set, parser->out);
    parser->err = err ? err : parser->err;
    return cw_url_span_from(parser, start);
}

cw_url_state cw_url_query(cw_url_parser *parser)
{
    const char *from = parser->at + 1;
    const char *end = memchr(from, '#', (size_t)(parser->end - from));
    end = end ? end : parser->end;
    unsigned set = cw_url_is_special(parser) ? CW_SET_SPECIAL_QUERY : CW_SET_QUERY;
    const char *charset = query_charset(parser);
    crawl_slice query = crawl_slice_of(from, (size_t)(end - from));
    cw_url_put_char(parser, '?');
    parser->parts.query = cw_query_depends_on_charset(charset, query) ? put_in_charset(parser, query, charset, set)
                                                                      : put_encoded(parser, from, end, set);
    parser->parts.has_query = true;
    parser->at = end;
    return end < parser->end ? CW_URL_FRAGMENT : CW_URL_DONE;
}

cw_url_state cw_url_fragment(cw_url_parser *parser)
{
    cw_url_put_char(parser, '#');
    parser->parts.fragment = put_encoded(parser, parser->at + 1, parser->end, CW_SET_FRAGMENT);
    parser->parts.has_fragment = true;
    parser->at = parser->end;
    return CW_URL_DONE;
}
