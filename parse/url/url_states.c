/* States of the URL parser up to the authority: scheme, relative references, slashes, and file URLs. See
 * url_parser.h. */
#include "parse/url/url_parser.h"

#include "base/bytes.h"

typedef struct scheme_name {
    const char *name;
    size_t size;
    cw_url_scheme scheme;
} scheme_name;

static cw_url_scheme scheme_of(crawl_slice name)
{
    static const scheme_name names[] = {
        {"https", 5, CW_SCHEME_HTTPS}, {"http", 4, CW_SCHEME_HTTP}, {"file", 4, CW_SCHEME_FILE},
        {"ftp", 3, CW_SCHEME_FTP},     {"wss", 3, CW_SCHEME_WSS},   {"ws", 2, CW_SCHEME_WS},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name.size == names[i].size && memcmp(name.data, names[i].name, name.size) == 0)
            return names[i].scheme;
    return CW_SCHEME_OTHER;
}

/* Returns the colon after a scheme. NULL: the input has no scheme. */
static const char *find_scheme_end(const cw_url_parser *parser)
{
    static const bool scheme_characters[256] = {
        ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['+'] = true, ['-'] = true, ['.'] = true,
    };
    const char *at = parser->at;
    if (at == parser->end || !cw_is_alpha((unsigned char)*at))
        return NULL;
    while (at < parser->end && scheme_characters[(unsigned char)*at])
        at++;
    return at < parser->end && *at == ':' ? at : NULL;
}

static void take_scheme(cw_url_parser *parser, const char *colon)
{
    size_t size = (size_t)(colon - parser->at);
    if (!cw_url_room(parser, size + 1))
        return;
    char *to = parser->out->data;
    for (size_t i = 0; i < size; i++)
        to[i] = (char)cw_lower((unsigned char)parser->at[i]);
    to[size] = ':';
    parser->out->size = size + 1;
    parser->parts.scheme = (cw_url_span){0, (uint32_t)size};
    parser->parts.special = scheme_of(crawl_slice_of(to, size));
    parser->parts.authority_end = cw_url_position(parser);
    parser->at = colon + 1;
}

/* Scheme start and scheme state. */
cw_url_state cw_url_in_scheme(cw_url_parser *parser)
{
    const char *colon = find_scheme_end(parser);
    if (!colon)
        return CW_URL_NO_SCHEME;
    take_scheme(parser, colon);
    cw_url_scheme special = parser->parts.special;
    if (special == CW_SCHEME_FILE)
        return CW_URL_FILE;
    if (special != CW_SCHEME_OTHER)
        return parser->base && parser->base->parts.special == special ? CW_URL_SPECIAL_RELATIVE_OR_AUTHORITY
                                                                      : CW_URL_SPECIAL_AUTHORITY_SLASHES;
    if (cw_url_peek(parser) != '/')
        return CW_URL_OPAQUE_PATH;
    parser->at++;
    return CW_URL_PATH_OR_AUTHORITY;
}

/* Takes the first size bytes of base's serialization, and its parts; the caller must unset those beyond. */
static void url_states_take_base(cw_url_parser *parser, size_t size)
{
    parser->out->size = 0;
    cw_url_put(parser, parser->base->text.data, size);
    parser->parts = parser->base->parts;
    parser->parts.has_fragment = false;
    parser->parts.fragment = (cw_url_span){0};
}

/* Takes base's scheme and authority, without a path. */
static void url_states_take_base_authority(cw_url_parser *parser)
{
    uint32_t size = parser->base->parts.authority_end;
    url_states_take_base(parser, size);
    parser->parts.path = (cw_url_span){size, 0};
    parser->parts.has_query = false;
    parser->parts.query = (cw_url_span){0};
}

/* Takes base's scheme, authority and the first path_size bytes of its path, without query and fragment. */
static void url_states_take_base_path(cw_url_parser *parser, size_t path_size)
{
    const crawl_url *base = parser->base;
    url_states_take_base_authority(parser);
    cw_url_put(parser, base->text.data + base->parts.path.at, path_size);
}

/* Returns the size of base's path without its last segment ("shorten a URL's path"). */
static size_t url_states_shorter_base_path(const crawl_url *base)
{
    crawl_slice path = crawl_url_path(base);
    if (base->parts.special == CW_SCHEME_FILE && cw_url_is_drive_path(path))
        return path.size;
    const char *slash = path.size ? memrchr(path.data, '/', path.size) : NULL;
    return slash ? (size_t)(slash - path.data) : 0;
}

/* Return the size of base's serialization up to the end of its path, or of its query. */
static size_t base_path_end(const crawl_url *base)
{
    return base->parts.path.at + base->parts.path.size;
}

static size_t base_query_end(const crawl_url *base)
{
    return base->parts.has_query ? base->parts.query.at + base->parts.query.size : base_path_end(base);
}

cw_url_state cw_url_in_no_scheme(cw_url_parser *parser)
{
    const crawl_url *base = parser->base;
    if (!base)
        return CW_URL_FAILED;
    if (base->parts.opaque) {
        if (cw_url_peek(parser) != '#')
            return CW_URL_FAILED;
        url_states_take_base(parser, base_query_end(base));
        return CW_URL_FRAGMENT;
    }
    parser->parts.special = base->parts.special;
    return base->parts.special == CW_SCHEME_FILE ? CW_URL_FILE : CW_URL_RELATIVE;
}

cw_url_state cw_url_in_special_relative_or_authority(cw_url_parser *parser)
{
    if (parser->end - parser->at < 2 || parser->at[0] != '/' || parser->at[1] != '/')
        return CW_URL_RELATIVE;
    parser->at += 2;
    return CW_URL_SPECIAL_AUTHORITY_IGNORE_SLASHES;
}

cw_url_state cw_url_in_path_or_authority(cw_url_parser *parser)
{
    if (cw_url_peek(parser) != '/')
        return CW_URL_PATH;
    parser->at++;
    return CW_URL_AUTHORITY;
}

cw_url_state cw_url_in_relative(cw_url_parser *parser)
{
    const crawl_url *base = parser->base;
    int next = cw_url_peek(parser);
    if (cw_url_is_slash(parser, next)) {
        parser->at++;
        return CW_URL_RELATIVE_SLASH;
    }
    if (next == '#' || next < 0) {
        url_states_take_base(parser, base_query_end(base));
        return next < 0 ? CW_URL_DONE : CW_URL_FRAGMENT;
    }
    if (next == '?') {
        url_states_take_base(parser, base_path_end(base));
        return CW_URL_QUERY;
    }
    url_states_take_base_path(parser, url_states_shorter_base_path(base));
    return CW_URL_PATH;
}

static void take_base_scheme(cw_url_parser *parser)
{
    cw_url_span scheme = parser->base->parts.scheme;
    cw_url_scheme special = parser->base->parts.special;
    parser->out->size = 0;
    cw_url_put(parser, parser->base->text.data, scheme.size + 1);
    parser->parts.scheme = scheme;
    parser->parts.special = special;
}

cw_url_state cw_url_in_relative_slash(cw_url_parser *parser)
{
    int next = cw_url_peek(parser);
    if (!cw_url_is_slash(parser, next)) {
        url_states_take_base_authority(parser);
        return CW_URL_PATH;
    }
    take_base_scheme(parser);
    parser->at++;
    return cw_url_is_special(parser) ? CW_URL_SPECIAL_AUTHORITY_IGNORE_SLASHES : CW_URL_AUTHORITY;
}

cw_url_state cw_url_in_special_authority_slashes(cw_url_parser *parser)
{
    if (parser->end - parser->at >= 2 && parser->at[0] == '/' && parser->at[1] == '/')
        parser->at += 2;
    return CW_URL_SPECIAL_AUTHORITY_IGNORE_SLASHES;
}

cw_url_state cw_url_in_special_authority_ignore_slashes(cw_url_parser *parser)
{
    while (cw_url_is_slash(parser, cw_url_peek(parser)))
        parser->at++;
    return CW_URL_AUTHORITY;
}

/* --- file URLs, with their drive letters --- */

bool cw_url_is_drive_letter(crawl_slice text)
{
    return text.size == 2 && cw_is_alpha((unsigned char)text.data[0]) && (text.data[1] == ':' || text.data[1] == '|');
}

static bool ends_host(char c)
{
    return c == '/' || c == '\\' || c == '?' || c == '#';
}

/* Returns true for "C:" or "C|" at the start of the input, followed by its end or a delimiter. */
static bool url_states_starts_with_drive_letter(const cw_url_parser *parser)
{
    size_t left = (size_t)(parser->end - parser->at);
    if (left < 2 || !cw_url_is_drive_letter(crawl_slice_of(parser->at, 2)))
        return false;
    return left == 2 || ends_host(parser->at[2]);
}

bool cw_url_is_drive_path(crawl_slice path)
{
    return path.size == 3 && path.data[0] == '/' && cw_is_alpha((unsigned char)path.data[1]) && path.data[2] == ':';
}

/* Begins with "file://" and an empty host. */
static void url_states_begin(cw_url_parser *parser)
{
    parser->out->size = 0;
    cw_url_put(parser, "file://", 7);
    uint32_t position = cw_url_position(parser);
    parser->parts = (cw_url_parts){
        .scheme = {0, 4},
        .host = {position, 0},
        .path = {position, 0},
        .authority_end = position,
        .port_number = -1,
        .special = CW_SCHEME_FILE,
        .has_host = true,
    };
}

static const crawl_url *file_base(const cw_url_parser *parser)
{
    return parser->base && parser->base->parts.special == CW_SCHEME_FILE ? parser->base : NULL;
}

cw_url_state cw_url_in_file(cw_url_parser *parser)
{
    const crawl_url *base = file_base(parser);
    int next = cw_url_peek(parser);
    url_states_begin(parser);
    if (next == '/' || next == '\\') {
        parser->at++;
        return CW_URL_FILE_SLASH;
    }
    if (!base)
        return CW_URL_PATH;
    if (next >= 0 && next != '?' && next != '#' && url_states_starts_with_drive_letter(parser)) {
        url_states_take_base_authority(parser);
        return CW_URL_PATH;
    }
    return cw_url_in_relative(parser);
}

cw_url_state cw_url_in_file_slash(cw_url_parser *parser)
{
    int next = cw_url_peek(parser);
    if (next == '/' || next == '\\') {
        parser->at++;
        return CW_URL_FILE_HOST;
    }
    const crawl_url *base = file_base(parser);
    if (!base)
        return CW_URL_PATH;
    crawl_slice path = crawl_url_path(base);
    bool on_drive =
        path.size >= 3 && cw_url_is_drive_path(crawl_slice_of(path.data, 3)) && (path.size == 3 || path.data[3] == '/');
    bool keep = on_drive && !url_states_starts_with_drive_letter(parser);
    url_states_take_base_path(parser, keep ? 3 : 0);
    return CW_URL_PATH;
}

static bool url_states_is_localhost(crawl_slice host)
{
    return crawl_slice_equal(host, crawl_slice_from("localhost"));
}

cw_url_state cw_url_in_file_host(cw_url_parser *parser)
{
    const char *end = parser->at;
    while (end < parser->end && !ends_host(*end))
        end++;
    /* "file://C:/x": no host, the path begins here. */
    if (cw_url_is_drive_letter(crawl_slice_of(parser->at, (size_t)(end - parser->at))))
        return CW_URL_PATH;
    uint32_t start = cw_url_position(parser);
    if (!cw_url_take_host(parser, parser->at, end))
        return CW_URL_FAILED;
    if (url_states_is_localhost(crawl_slice_of(parser->out->data + start, parser->out->size - start))) {
        parser->out->size = start;
        parser->parts.host.size = 0;
    }
    parser->parts.authority_end = cw_url_position(parser);
    parser->at = end;
    return CW_URL_PATH_START;
}
