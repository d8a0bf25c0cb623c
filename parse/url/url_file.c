/* States of the URL parser for file URLs, with their drive letters. See url_parser.h. */
#include "parse/url/url_parser.h"

#include "base/bytes.h"

bool cw_url_is_drive_letter(crawl_slice text)
{
    return text.size == 2 && cw_is_alpha((unsigned char)text.data[0]) && (text.data[1] == ':' || text.data[1] == '|');
}

static bool ends_host(char c)
{
    return c == '/' || c == '\\' || c == '?' || c == '#';
}

bool cw_url_starts_with_drive_letter(const cw_url_parser *parser)
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

/* "file://" and an empty host. */
static void begin(cw_url_parser *parser)
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

cw_url_state cw_url_file(cw_url_parser *parser)
{
    const crawl_url *base = file_base(parser);
    int next = cw_url_peek(parser);
    begin(parser);
    if (next == '/' || next == '\\') {
        parser->at++;
        return CW_URL_FILE_SLASH;
    }
    if (!base)
        return CW_URL_PATH;
    if (next >= 0 && next != '?' && next != '#' && cw_url_starts_with_drive_letter(parser)) {
        cw_url_take_base_authority(parser);
        return CW_URL_PATH;
    }
    return cw_url_relative(parser);
}

cw_url_state cw_url_file_slash(cw_url_parser *parser)
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
    bool keep = on_drive && !cw_url_starts_with_drive_letter(parser);
    cw_url_take_base_path(parser, keep ? 3 : 0);
    return CW_URL_PATH;
}

static bool is_localhost(crawl_slice host)
{
    return crawl_slice_equal(host, crawl_slice_from("localhost"));
}

cw_url_state cw_url_file_host(cw_url_parser *parser)
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
    if (is_localhost(crawl_slice_of(parser->out->data + start, parser->out->size - start))) {
        parser->out->size = start;
        parser->parts.host.size = 0;
    }
    parser->parts.authority_end = cw_url_position(parser);
    parser->at = end;
    return CW_URL_PATH_START;
}
