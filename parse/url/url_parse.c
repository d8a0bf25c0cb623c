/* crawl_url_parse: cleans the input, runs the states of url_parser.h, and swaps the result in. */
#include "parse/url/url_parser.h"

#include "base/bytes.h"
#include "base/utf8.h"

typedef cw_url_state (*state_function)(cw_url_parser *parser);

static const state_function states[] = {
    [CW_URL_SCHEME] = cw_url_in_scheme,
    [CW_URL_NO_SCHEME] = cw_url_in_no_scheme,
    [CW_URL_SPECIAL_RELATIVE_OR_AUTHORITY] = cw_url_in_special_relative_or_authority,
    [CW_URL_PATH_OR_AUTHORITY] = cw_url_in_path_or_authority,
    [CW_URL_RELATIVE] = cw_url_in_relative,
    [CW_URL_RELATIVE_SLASH] = cw_url_in_relative_slash,
    [CW_URL_SPECIAL_AUTHORITY_SLASHES] = cw_url_in_special_authority_slashes,
    [CW_URL_SPECIAL_AUTHORITY_IGNORE_SLASHES] = cw_url_in_special_authority_ignore_slashes,
    [CW_URL_AUTHORITY] = cw_url_in_authority,
    [CW_URL_FILE] = cw_url_in_file,
    [CW_URL_FILE_SLASH] = cw_url_in_file_slash,
    [CW_URL_FILE_HOST] = cw_url_in_file_host,
    [CW_URL_PATH_START] = cw_url_in_path_start,
    [CW_URL_PATH] = cw_url_in_path,
    [CW_URL_OPAQUE_PATH] = cw_url_in_opaque_path,
    [CW_URL_QUERY] = cw_url_in_query,
    [CW_URL_FRAGMENT] = cw_url_in_fragment,
};

/* Removes C0 controls and spaces from both ends. */
crawl_slice cw_url_trim(crawl_slice input)
{
    while (input.size && (unsigned char)input.data[0] <= ' ')
        input = cw_drop(input, 1);
    while (input.size && (unsigned char)input.data[input.size - 1] <= ' ')
        input.size--;
    return input;
}

/* Returns true if there is a byte that is not printable ASCII; reads eight bytes at a time. A word less 0x20 in each
 * byte borrows into the top bit of each byte below 0x20; the borrow may reach a neighbour, which only causes false
 * positives. */
static bool needs_cleaning(crawl_slice input)
{
    const uint64_t spaces = UINT64_C(0x2020202020202020);
    const uint64_t top_bits = UINT64_C(0x8080808080808080);
    uint64_t word = spaces;
    uint64_t all = 0;
    for (size_t i = 0; i + 8 <= input.size; i += 8) {
        memcpy(&word, input.data + i, 8);
        all |= word | (word - spaces);
    }
    /* The remaining bytes, padded to eight with bytes seen before or spaces. */
    if (input.size >= 8)
        memcpy(&word, input.data + input.size - 8, 8);
    else if (input.size)
        memcpy(&word, input.data, input.size);
    all |= word | (word - spaces);
    return all & top_bits;
}

static bool is_tab_or_newline(char c)
{
    return c == '\t' || c == '\n' || c == '\r';
}

/* Escapes bytes that are not UTF-8 one by one, as browsers, curl and wget send those of a Location in another encoding.
 * The standard's input is text, which has none. */
crawl_err cw_url_clean(crawl_slice input, crawl_buf *out)
{
    crawl_buf_clear(out);
    crawl_err err = cw_utf8_escape(input, out);
    size_t kept = 0;
    for (size_t i = 0; i < out->size && !err; i++)
        if (!is_tab_or_newline(out->data[i]))
            out->data[kept++] = out->data[i];
    out->size = kept;
    return err;
}

static crawl_err url_parse_run(cw_url_parser *parser)
{
    cw_url_state state = CW_URL_SCHEME;
    while (state < CW_URL_DONE && !parser->err)
        state = states[state](parser);
    if (parser->err)
        return parser->err;
    return state == CW_URL_DONE ? CRAWL_OK : CRAWL_EPARSE;
}

static void swap_in(crawl_url *url, const cw_url_parts *parts)
{
    crawl_buf parsed = url->spare;
    url->spare = url->text;
    url->text = parsed;
    url->parts = *parts;
}

crawl_err crawl_url_parse(crawl_url *url, crawl_slice input, const crawl_url *base, const char *charset)
{
    if (input.size > CRAWL_URL_MAX_INPUT)
        return CRAWL_EPARSE;
    input = cw_url_trim(input);
    if (needs_cleaning(input)) {
        crawl_err err = cw_url_clean(input, &url->clean);
        if (err)
            return err;
        input = crawl_buf_slice(&url->clean);
    }
    bool has_base = base && base->text.size;
    crawl_buf_clear(&url->spare);
    crawl_err err = crawl_buf_reserve(&url->spare, 3 * input.size + (has_base ? base->text.size : 0));
    if (err)
        return err;
    const char *at = input.size ? input.data : "";
    cw_url_parser parser = {
        .at = at,
        .end = at + input.size,
        .base = has_base ? base : NULL,
        .charset = charset,
        .url = url,
        .out = &url->spare,
        .parts = {.port_number = -1},
    };
    err = url_parse_run(&parser);
    if (err)
        return err;
    url->spare.data[url->spare.size] = '\0';
    swap_in(url, &parser.parts);
    return CRAWL_OK;
}
