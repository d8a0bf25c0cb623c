#include "parse/script/script_find.h"

#include "base/bytes.h"
#include "parse/script/script_url.h"

/* Nested strings that are searched. */
enum { MAX_LEVELS = 3 };

/* Bytes of a streamed page that are kept. */
enum { MAX_STREAM = 4 * 1024 * 1024 };

static crawl_err find_in(crawl_slice text, const cw_script_finder *finder, unsigned level);

/* Returns true if a string may hold JSON or HTML, in which URLs have names. */
static bool holds_more(crawl_slice text)
{
    return text.size >= 12 && (cw_find_text(text, "\":") < text.size || cw_find_text(text, "href=") < text.size);
}

static crawl_err find_in_string(crawl_slice text, const cw_script_string *string, const cw_script_finder *finder,
                                unsigned level)
{
    int name = string->is_part ? -1 : cw_script_name_of(string->name, string->how);
    if (name >= 0 && cw_script_is_named_url(text, finder->is_handler ? 0 : name))
        return finder->found(finder->user, text, name);
    bool may_be_page = finder->guesses && !string->is_part && !cw_script_leads_nowhere(string->name, string->how);
    if (may_be_page && cw_script_is_url(text, finder->host))
        return finder->found(finder->user, text, -1);
    return level < MAX_LEVELS && holds_more(text) ? find_in(text, finder, level + 1) : CRAWL_OK;
}

static crawl_err find_in(crawl_slice text, const cw_script_finder *finder, unsigned level)
{
    cw_script_reader reader = cw_script_read(text);
    cw_script_string string;
    crawl_buf plain = {0};
    crawl_err err = CRAWL_OK;
    while (!err && cw_script_next(&reader, &string)) {
        crawl_slice value = string.raw;
        if (string.has_escapes) {
            crawl_buf_clear(&plain);
            err = cw_script_unescape(string.raw, &plain);
            value = crawl_buf_slice(&plain);
        }
        if (!err)
            err = find_in_string(value, &string, finder, level);
    }
    crawl_buf_free(&plain);
    return err;
}

crawl_err cw_script_find(crawl_slice text, const cw_script_finder *finder)
{
    return find_in(text, finder, 0);
}

crawl_err cw_script_flight(crawl_slice text, crawl_buf *stream, bool *is_piece)
{
    cw_script_string piece;
    text = cw_trim(text);
    *is_piece = cw_take_text(&text, "self.__next_f.push([1,");
    cw_script_reader reader = cw_script_read(text);
    bool fits = *is_piece && stream->size + text.size <= MAX_STREAM;
    return fits && cw_script_next(&reader, &piece) ? cw_script_unescape(piece.raw, stream) : CRAWL_OK;
}
