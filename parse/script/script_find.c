#include "parse/script/script_find.h"

#include "base/bytes.h"
#include "parse/html/html_token.h"
#include "parse/script/script_fold.h"
#include "parse/script/script_url.h"

#include <crawl/links.h>

/* Nested strings that are searched. */
enum { MAX_LEVELS = 3 };

/* A name for strings that are no URL. */
enum { NO_URL = -3 };

/* Bytes of a streamed page that are kept. */
enum { MAX_STREAM = 4 * 1024 * 1024 };

/* A search of one text. */
typedef struct script_search {
    const cw_script_finder *finder;
    unsigned level;
    bool is_folded; /* the text has seams; strings without one were found before */
    crawl_buf plain;
} script_search;

static crawl_err find_in(crawl_slice text, const cw_script_finder *finder, unsigned level, bool is_folded);

/* Returns true if a string may hold JSON or HTML, in which URLs have names. */
static bool holds_more(crawl_slice text)
{
    if (text.size < 12 || cw_find_text(text, "\":") < text.size)
        return text.size >= 12;
    return cw_find_char(text, '=') < text.size &&
           (cw_find_text(text, "href=") < text.size || cw_find_text(text, "src=") < text.size ||
            cw_find_text(text, "action=") < text.size);
}

/* Takes the URL of "3; url=/a", the content of a <meta> that a script makes. */
static bool find_refresh(crawl_slice *text)
{
    double delay;
    crawl_slice url;
    bool is_refresh = text->size && cw_is_digit((unsigned char)*text->data) &&
                      cw_find_text(*text, "url=") < text->size && !crawl_refresh_header(*text, &delay, &url);
    if (is_refresh)
        *text = url;
    return is_refresh && cw_script_is_named_url(url, 0);
}

/* Returns the name under which a string is a URL, as cw_script_finder.found takes it, or NO_URL. Sets *text to that
 * URL. */
static int find_form(crawl_slice *text, const cw_script_string *string, const cw_script_finder *finder)
{
    bool is_request = cw_is(string->name, "url") && cw_script_leads_nowhere(string->call, CW_SCRIPT_CALL);
    if (string->is_part || is_request)
        return NO_URL;
    if (cw_script_is_file(*text, string->name, string->how))
        return CW_SCRIPT_FILE;
    int name = cw_script_name_of(string->name, string->how);
    if (name >= 0 && cw_script_is_named_url(*text, finder->is_handler ? 0 : name))
        return name;
    bool may_be_page = finder->guesses && !cw_script_leads_nowhere(string->name, string->how);
    if (may_be_page && cw_script_is_url(*text, finder->host))
        return -1;
    return find_refresh(text) ? 0 : NO_URL;
}

/* Appends a folded text without its seams. */
static crawl_err find_without_seams(crawl_slice text, crawl_buf *out)
{
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append_text(out, "");
    while (!err && text.size) {
        crawl_slice piece = cw_cut(&text, CW_SCRIPT_SEAM);
        err = crawl_buf_append(out, piece.data, piece.size);
    }
    return err;
}

/* Reports the file of <script src=...> without quotes. */
static crawl_err find_script_tag(crawl_slice tag, const cw_script_finder *finder)
{
    bool is_script = cw_take_text(&tag, "script ");
    crawl_slice file = cw_drop(tag, cw_find_text(tag, "src="));
    bool is_file = is_script && cw_take_text(&file, "src=");
    file.size = cw_find_any(file, " \t\r\n");
    is_file = is_file && cw_script_is_file(file, crawl_slice_from("src"), CW_SCRIPT_VALUE);
    return is_file ? finder->found(finder->user, file, CW_SCRIPT_FILE) : CRAWL_OK;
}

/* Reports the target of <form action=...>, unless it is sent by POST. */
static crawl_err find_form_tag(crawl_slice tag, const cw_script_finder *finder)
{
    crawl_slice name, value, target = {0};
    bool is_sent = cw_take_text(&tag, "form ");
    while (is_sent && cw_html_next_attribute(&tag, &name, &value)) {
        if (cw_is_nocase(name, "action"))
            target = value;
        else if (cw_is_nocase(name, "method"))
            is_sent = !cw_html_is_posted(value);
    }
    return is_sent && cw_script_is_named_url(target, 0) ? finder->found(finder->user, target, CW_SCRIPT_FORM)
                                                        : CRAWL_OK;
}

/* Does both for the tags of a text. In a folded one, those without a seam were found before. */
static crawl_err find_tags(crawl_slice text, script_search *search)
{
    crawl_err err = CRAWL_OK;
    for (size_t at; !err && (at = cw_find_char(text, '<')) < text.size;) {
        text = cw_drop(text, at + 1);
        crawl_slice tag = crawl_slice_of(text.data, cw_find_any(text, "<>"));
        bool is_whole = tag.size < text.size && text.data[tag.size] == '>';
        if (!is_whole || (search->is_folded && !memchr(tag.data, CW_SCRIPT_SEAM, tag.size)))
            continue;
        if (search->is_folded) {
            err = find_without_seams(tag, &search->plain);
            tag = crawl_buf_slice(&search->plain);
        }
        err = err ? err : find_script_tag(tag, search->finder);
        err = err ? err : find_form_tag(tag, search->finder);
    }
    return err;
}

static crawl_err find_in_string(crawl_slice text, const cw_script_string *string, script_search *search)
{
    crawl_err err = CRAWL_OK;
    crawl_slice value = text;
    bool is_new = !search->is_folded || memchr(text.data, CW_SCRIPT_SEAM, text.size);
    if (search->is_folded && is_new) {
        err = find_without_seams(text, &search->plain);
        value = crawl_buf_slice(&search->plain);
    }
    int name = err || !is_new ? NO_URL : find_form(&value, string, search->finder);
    if (name != NO_URL)
        return search->finder->found(search->finder->user, value, name);
    if (err || !is_new || search->level == MAX_LEVELS || !holds_more(value))
        return err;
    err = find_tags(text, search);
    return err ? err : find_in(text, search->finder, search->level + 1, search->is_folded);
}

/* A value of one piece was a string before, and is new only under its name here. */
static crawl_err find_folded(void *user, const cw_script_string *string)
{
    script_search *search = user;
    cw_script_finder finder = *search->finder;
    bool is_joined = string->raw.size && memchr(string->raw.data + 1, CW_SCRIPT_SEAM, string->raw.size - 1);
    finder.guesses = finder.guesses && is_joined;
    script_search one = {&finder, 0, true, search->plain};
    crawl_err err = find_in_string(string->raw, string, &one);
    search->plain = one.plain;
    return err;
}

static crawl_err find_folded_in(crawl_slice text, const cw_script_finder *finder)
{
    script_search search = {finder, 0, true, {0}};
    crawl_err err = cw_script_fold(text, &(cw_script_fold_to){&search, find_folded});
    crawl_buf_free(&search.plain);
    return err;
}

static crawl_err find_in(crawl_slice text, const cw_script_finder *finder, unsigned level, bool is_folded)
{
    script_search search = {finder, level, is_folded, {0}};
    cw_script_reader reader = cw_script_read(text);
    cw_script_string string;
    crawl_buf decoded = {0};
    crawl_err err = CRAWL_OK;
    while (!err && cw_script_next(&reader, &string)) {
        crawl_slice value = string.raw;
        if (string.has_escapes) {
            crawl_buf_clear(&decoded);
            err = cw_script_unescape(string.raw, &decoded);
            value = crawl_buf_slice(&decoded);
        }
        if (!err)
            err = find_in_string(value, &string, &search);
    }
    if (!err && !level && reader.joins)
        err = find_folded_in(text, finder);
    crawl_buf_free(&search.plain);
    crawl_buf_free(&decoded);
    return err;
}

crawl_err cw_script_find(crawl_slice text, const cw_script_finder *finder)
{
    return find_in(text, finder, 0, false);
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
