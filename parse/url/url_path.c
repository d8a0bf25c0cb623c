/* The path of the URL parser, and what follows it: dot segments, escapes, drive letters. Segments that need no change,
 * nearly all of them, are copied many at a time; one that does is handled by itself. See url_parser.h. */
#include "parse/url/url_parser.h"

#include "base/text/percent.h"

enum {
    SLASH = 1 << 0,
    BACKSLASH = 1 << 1, /* a slash in special schemes */
    ENDS = 1 << 2,      /* ? # */
    DOT = 1 << 3,       /* of a dot segment, perhaps */
    ESCAPE = 1 << 4,    /* in the path percent-encode set, without ENDS */
    ANY = 0xff
};

static const uint8_t classes[256] = {
    [0x00 ... ' '] = ESCAPE, ['"'] = ESCAPE, ['#'] = ENDS,   ['%'] = DOT,    ['.'] = DOT,
    ['/'] = SLASH,           ['<'] = ESCAPE, ['>'] = ESCAPE, ['?'] = ENDS,   ['\\'] = BACKSLASH,
    ['^'] = ESCAPE,          ['`'] = ESCAPE, ['{'] = ESCAPE, ['}'] = ESCAPE, [0x7f ... 0xff] = ESCAPE,
};

static unsigned url_path_class_of(char c)
{
    return classes[(unsigned char)c];
}

/* Returns the size of the "." or "%2e" that text begins with. 0: none. */
static size_t url_path_dot_size(const char *text, size_t size)
{
    if (size >= 1 && text[0] == '.')
        return 1;
    return size >= 3 && text[0] == '%' && text[1] == '2' && (text[2] | 0x20) == 'e' ? 3 : 0;
}

/* Returns the number of dots of a segment of nothing else: 1, 2; otherwise 0. */
static int dots_of(crawl_slice segment)
{
    size_t first = url_path_dot_size(segment.data, segment.size);
    if (first == 0 || first == segment.size)
        return first > 0;
    size_t second = url_path_dot_size(segment.data + first, segment.size - first);
    return second && first + second == segment.size ? 2 : 0;
}

static crawl_slice url_path_of(const cw_url_parser *parser)
{
    size_t start = parser->parts.authority_end;
    return crawl_slice_of(parser->out->data + start, parser->out->size - start);
}

static void url_path_shorten(cw_url_parser *parser)
{
    crawl_slice path = url_path_of(parser);
    if (parser->parts.special == CW_SCHEME_FILE && cw_url_is_drive_path(path))
        return;
    const char *slash = path.size ? memrchr(path.data, '/', path.size) : NULL;
    if (slash)
        parser->out->size = (size_t)(slash - parser->out->data);
}

static const char *segment_end(const cw_url_parser *parser)
{
    unsigned stop = cw_url_is_special(parser) ? SLASH | BACKSLASH | ENDS : SLASH | ENDS;
    return cw_find_class(classes, stop, parser->at, parser->end);
}

static void put_segment(cw_url_parser *parser, crawl_slice segment)
{
    bool drive =
        parser->parts.special == CW_SCHEME_FILE && url_path_of(parser).size == 0 && cw_url_is_drive_letter(segment);
    if (!cw_url_room(parser, 1 + 3 * segment.size))
        return;
    char *to = parser->out->data + parser->out->size;
    *to++ = '/';
    to = cw_percent_write(to, segment.data, segment.data + segment.size, CW_SET_PATH);
    if (drive)
        to[-1] = ':';
    parser->out->size = (size_t)(to - parser->out->data);
}

/* Takes the next segment, whatever it is, and the slash after it. false: it was the last. */
static bool take_segment(cw_url_parser *parser)
{
    const char *end = segment_end(parser);
    crawl_slice segment = crawl_slice_of(parser->at, (size_t)(end - parser->at));
    bool more = end < parser->end && !(url_path_class_of(*end) & ENDS);
    int dots = dots_of(segment);
    if (dots == 2)
        url_path_shorten(parser);
    if (dots == 0)
        put_segment(parser, segment);
    else if (!more)
        cw_url_put_char(parser, '/');
    parser->at = end + more;
    return more;
}

/* Returns true if a dot or an escape at `at` may begin a dot segment, by a cheap check. */
static bool begins_dots(const cw_url_parser *parser, const char *at)
{
    return at == parser->at || at[-1] == '/';
}

/* Copies the segments that need no change, without the last of them if one follows that does. false: the path is at its
 * end. */
static bool take_plain_segments(cw_url_parser *parser)
{
    const char *at = parser->at;
    const char *last = NULL; /* last slash seen */
    for (; (at = cw_find_class(classes, ANY, at, parser->end)) < parser->end; at++) {
        unsigned class = url_path_class_of(*at);
        if (class == SLASH)
            last = at;
        else if (class != DOT || begins_dots(parser, at))
            break;
    }
    bool more = at < parser->end && !(url_path_class_of(*at) & ENDS);
    if (more && !last)
        return true;
    const char *end = more ? last : at;
    cw_url_put_char(parser, '/');
    cw_url_put(parser, parser->at, (size_t)(end - parser->at));
    parser->at = end + more;
    return more;
}

/* A path without a host before it must not look like one: inserts "/." between. */
static void guard(cw_url_parser *parser)
{
    crawl_slice path = url_path_of(parser);
    if (parser->parts.has_host || path.size < 2 || path.data[0] != '/' || path.data[1] != '/')
        return;
    cw_url_put(parser, "/.", 2);
    if (parser->err)
        return;
    char *text = parser->out->data;
    uint32_t start = parser->parts.authority_end;
    memmove(text + start + 2, text + start, path.size);
    text[start] = '/';
    text[start + 1] = '.';
    parser->parts.path.at = start + 2;
}

static void note_path(cw_url_parser *parser)
{
    parser->parts.path.at = parser->parts.authority_end;
    guard(parser);
    parser->parts.path = cw_url_span_from(parser, parser->parts.path.at);
}

/* Returns the state after a path: at "?", "#" or the end of the input. */
static cw_url_state url_path_after(cw_url_parser *parser)
{
    int next = cw_url_peek(parser);
    return next == '?' ? CW_URL_QUERY : next == '#' ? CW_URL_FRAGMENT : CW_URL_DONE;
}

/* Reads from the byte after a slash, or from the first byte of a relative path. */
cw_url_state cw_url_in_path(cw_url_parser *parser)
{
    bool file = parser->parts.special == CW_SCHEME_FILE;
    while (!parser->err && (file || take_plain_segments(parser)) && take_segment(parser))
        continue;
    note_path(parser);
    return url_path_after(parser);
}

cw_url_state cw_url_in_path_start(cw_url_parser *parser)
{
    int next = cw_url_peek(parser);
    if (cw_url_is_slash(parser, next)) {
        parser->at++;
        return CW_URL_PATH;
    }
    bool nothing = next < 0 || next == '?' || next == '#';
    if (cw_url_is_special(parser) || !nothing)
        return CW_URL_PATH;
    note_path(parser);
    return url_path_after(parser);
}

/* --- parts without a structure of their own: opaque path, query, fragment --- */

/* Appends from..end with the bytes of the set escaped, after the byte that introduces them. */
static cw_url_span put_encoded(cw_url_parser *parser, const char *from, const char *end, unsigned set)
{
    uint32_t start = cw_url_position(parser);
    if (cw_url_room(parser, 3 * (size_t)(end - from))) {
        char *to = cw_percent_write(parser->out->data + start, from, end, set);
        parser->out->size = (size_t)(to - parser->out->data);
    }
    return cw_url_span_from(parser, start);
}

/* A space at the very end, before "?" or "#", is escaped: it could not be distinguished from one that is trimmed. */
cw_url_state cw_url_in_opaque_path(cw_url_parser *parser)
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
    return url_path_after(parser);
}

/* Only http(s), ftp and file have queries in the encoding of the document. */
static const char *query_charset(const cw_url_parser *parser)
{
    cw_url_scheme special = parser->parts.special;
    return special == CW_SCHEME_OTHER || special == CW_SCHEME_WS || special == CW_SCHEME_WSS ? NULL : parser->charset;
}

static cw_url_span put_in_charset(cw_url_parser *parser, crawl_slice query, const char *charset, unsigned set)
{
    uint32_t start = cw_url_position(parser);
    crawl_err err = cw_url_query_encode(&parser->url->encoder, charset, query, set, parser->out);
    parser->err = err ? err : parser->err;
    return cw_url_span_from(parser, start);
}

cw_url_state cw_url_in_query(cw_url_parser *parser)
{
    const char *from = parser->at + 1;
    const char *end = memchr(from, '#', (size_t)(parser->end - from));
    end = end ? end : parser->end;
    unsigned set = cw_url_is_special(parser) ? CW_SET_SPECIAL_QUERY : CW_SET_QUERY;
    const char *charset = query_charset(parser);
    crawl_slice query = crawl_slice_of(from, (size_t)(end - from));
    cw_url_put_char(parser, '?');
    parser->parts.query = cw_url_query_depends_on_charset(charset, query) ? put_in_charset(parser, query, charset, set)
                                                                          : put_encoded(parser, from, end, set);
    parser->parts.has_query = true;
    parser->at = end;
    return end < parser->end ? CW_URL_FRAGMENT : CW_URL_DONE;
}

cw_url_state cw_url_in_fragment(cw_url_parser *parser)
{
    cw_url_put_char(parser, '#');
    parser->parts.fragment = put_encoded(parser, parser->at + 1, parser->end, CW_SET_FRAGMENT);
    parser->parts.has_fragment = true;
    parser->at = parser->end;
    return CW_URL_DONE;
}
