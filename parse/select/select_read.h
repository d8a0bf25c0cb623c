/* Reads a selector character by character, by the grammar of CSS Syntax level 3: names, strings, escapes, white space
 * and comments. A fault is reported with its column. */
#pragma once

#include <crawl/base.h>

/* The longest selector, in bytes: people write them by hand. */
#define CW_SELECT_MAX 4096u

/* Nesting of selectors, as in :not(:is(a)). Each level is a level of calls. */
#define CW_SELECT_MAX_DEPTH 16u

/* The longest XPath expression, in bytes: :nth-child(2n of a) repeats its selector three times, nested 27 times. */
#define CW_SELECT_MAX_XPATH 65536u

typedef struct cw_select_reader cw_select_reader;

struct cw_select_reader {
    const char *start;
    const char *at;
    const char *end;
    crawl_error *error;
    unsigned depth;
    /* Reads a list of selectors up to the parenthesis that ends it, as conditions joined by "or" in parentheses; see
     * select.c. It is a member since a list holds compounds, and a compound may hold lists. */
    crawl_err (*list)(cw_select_reader *reader, bool is_relative, crawl_buf *out);
};

/* Fills reader->error with the column of `at` and this message. Returns CRAWL_EPARSE. */
crawl_err cw_select_fail(const cw_select_reader *reader, const char *at, const char *format, ...) CRAWL_PRINTF(3, 4);

static inline bool cw_select_is_next(const cw_select_reader *reader, char c)
{
    return reader->at < reader->end && *reader->at == c;
}

/* Skips c. false: something else comes next. */
static inline bool cw_select_take(cw_select_reader *reader, char c)
{
    bool is_next = cw_select_is_next(reader, c);
    reader->at += is_next;
    return is_next;
}

/* Skips comments, which may occur within a compound; white space may not. */
void cw_select_skip_comments(cw_select_reader *reader);

/* Skips white space and comments. true: there was white space. */
bool cw_select_skip(cw_select_reader *reader);

/* Returns true if a name can begin here. */
bool cw_select_at_name(const cw_select_reader *reader);

/* Appends a name, its escapes decoded. CRAWL_EPARSE: there is none; `what` says which one was expected. */
crawl_err cw_select_name(cw_select_reader *reader, const char *what, crawl_buf *out);

/* The same for a word after "#", which may also begin with a digit. */
crawl_err cw_select_hash(cw_select_reader *reader, crawl_buf *out);

/* Appends the text of a quoted string, or of a name. */
crawl_err cw_select_string(cw_select_reader *reader, const char *what, crawl_buf *out);

/* Skips white space and the parenthesis that ends an argument. */
crawl_err cw_select_close(cw_select_reader *reader);
