/* Between the bytes of a sitemap and the XML parser: what is dangerous is stopped, and the most common mistake mended.
 *
 * - A "&" that begins none of XML's own references is escaped: URLs are often written with bare ones.
 * - Declarations (<!DOCTYPE ...>) are left out, and one with a subset of its own ends the reading: nothing in a sitemap
 *   defines entities or default attributes.
 * - Processing instructions are left out, the XML declaration among them: the bytes are UTF-8 by now, whatever it says.
 * - A tag has a maximum size and number of attributes: libxml2 takes time that grows with the square of both.
 *
 * The bytes come in pieces that may end anywhere: those that are not decided about wait in pending. */
#include "parse/sitemap_private.h"

#include "base/bytes.h"

enum { MAX_TAG = 32768, MAX_QUOTES = 256, LONGEST_REFERENCE = 12 };

typedef struct cursor {
    const char *at;
    const char *end;
    bool last;
} cursor;

/* What a state answers. */
typedef enum outcome { GO_ON, WAIT, DANGEROUS, NO_MEMORY } outcome;

static outcome put(cw_sitemap_filter *filter, const char *data, size_t size)
{
    return crawl_buf_append(&filter->clean, data, size) ? NO_MEMORY : GO_ON;
}

/* Copies up to `to` and goes on there. */
static outcome pass(cw_sitemap_filter *filter, cursor *c, const char *to)
{
    outcome done = put(filter, c->at, (size_t)(to - c->at));
    c->at = to;
    return done;
}

typedef enum match { NO, YES, PERHAPS } match;

/* Does the rest begin with text? */
static match begins(const cursor *c, const char *text)
{
    size_t size = strlen(text);
    size_t left = (size_t)(c->end - c->at);
    size_t shared = left < size ? left : size;
    if (memcmp(c->at, text, shared) != 0)
        return NO;
    return shared == size ? YES : c->last ? NO : PERHAPS;
}

/* Does the rest begin with a reference that XML knows without a DTD? */
static match begins_reference(const cursor *c)
{
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        match found = begins(c, names[i]);
        if (found != NO)
            return found;
    }
    const char *at = c->at + 1;
    if (at == c->end)
        return c->last ? NO : PERHAPS;
    if (*at != '#')
        return NO;
    while (++at < c->end && at - c->at < LONGEST_REFERENCE)
        if (*at == ';')
            return YES;
        else if (!cw_is_digit((unsigned char)*at) && !cw_is_alpha((unsigned char)*at))
            return NO;
    return at == c->end && !c->last ? PERHAPS : NO;
}

static outcome enter(cw_sitemap_filter *filter, cursor *c, cw_filter_state state)
{
    filter->state = state;
    filter->quotes = 0;
    filter->size = 0;
    return state == CW_FILTER_TAG ? pass(filter, c, c->at + 1) : GO_ON;
}

/* A "&" that begins no reference is escaped. */
static outcome escape(cw_sitemap_filter *filter, cursor *c)
{
    match found = begins_reference(c);
    if (found == PERHAPS)
        return WAIT;
    c->at++;
    return put(filter, found == YES ? "&" : "&amp;", found == YES ? 1 : 5);
}

static outcome in_text(cw_sitemap_filter *filter, cursor *c)
{
    const char *at = c->at;
    while (at < c->end && *at != '<' && *at != '&')
        at++;
    outcome done = pass(filter, c, at);
    if (done || at == c->end)
        return done;
    if (*at == '<') {
        static const struct {
            const char *start;
            cw_filter_state state;
        } markup[] = {{"<![CDATA[", CW_FILTER_CDATA},
                      {"<!--", CW_FILTER_COMMENT},
                      {"<!", CW_FILTER_DECLARATION},
                      {"<?", CW_FILTER_INSTRUCTION},
                      {"<", CW_FILTER_TAG}};
        for (size_t i = 0; i < sizeof markup / sizeof *markup; i++) {
            match found = begins(c, markup[i].start);
            if (found == PERHAPS)
                return WAIT;
            if (found == YES)
                return enter(filter, c, markup[i].state);
        }
    }
    return escape(filter, c);
}

/* Up to its ">", with quotes counted; a "&" in an attribute is as one in text. */
static outcome in_tag(cw_sitemap_filter *filter, cursor *c)
{
    const char *at = c->at;
    while (at < c->end && *at != '>' && *at != '&') {
        filter->quotes += *at == '"' || *at == '\'';
        at++;
    }
    filter->size += (size_t)(at - c->at);
    if (filter->size > MAX_TAG || filter->quotes > MAX_QUOTES)
        return DANGEROUS;
    outcome done = pass(filter, c, at);
    if (done || at == c->end)
        return done;
    if (*at == '>') {
        filter->state = CW_FILTER_TEXT;
        return pass(filter, c, at + 1);
    }
    return escape(filter, c);
}

/* Copies what ends with text, and goes back to text. */
static outcome until(cw_sitemap_filter *filter, cursor *c, const char *text)
{
    size_t size = strlen(text);
    const char *found = memmem(c->at, (size_t)(c->end - c->at), text, size);
    if (found) {
        filter->state = CW_FILTER_TEXT;
        return pass(filter, c, found + size);
    }
    size_t left = (size_t)(c->end - c->at);
    size_t held = c->last ? 0 : left < size - 1 ? left : size - 1;
    outcome done = pass(filter, c, c->end - held);
    return done ? done : WAIT;
}

static outcome in_comment(cw_sitemap_filter *filter, cursor *c)
{
    return until(filter, c, "-->");
}

static outcome in_cdata(cw_sitemap_filter *filter, cursor *c)
{
    return until(filter, c, "]]>");
}

/* "<? ... ?>", left out. */
static outcome in_instruction(cw_sitemap_filter *filter, cursor *c)
{
    const char *found = memmem(c->at, (size_t)(c->end - c->at), "?>", 2);
    size_t left = (size_t)(c->end - c->at);
    size_t skipped = found ? (size_t)(found + 2 - c->at) : left ? left - 1 : 0;
    if (found)
        filter->state = CW_FILTER_TEXT;
    c->at += skipped;
    return found ? GO_ON : WAIT;
}

/* "<! ... >", left out. */
static outcome in_declaration(cw_sitemap_filter *filter, cursor *c)
{
    for (; c->at < c->end; c->at++) {
        if (*c->at == '[' || ++filter->size > MAX_TAG)
            return DANGEROUS;
        if (*c->at == '>') {
            c->at++;
            filter->state = CW_FILTER_TEXT;
            return GO_ON;
        }
    }
    return WAIT;
}

static outcome run(cw_sitemap_filter *filter, cursor *c)
{
    static outcome (*const states[])(cw_sitemap_filter * filter, cursor * c) = {
        [CW_FILTER_TEXT] = in_text,
        [CW_FILTER_TAG] = in_tag,
        [CW_FILTER_COMMENT] = in_comment,
        [CW_FILTER_CDATA] = in_cdata,
        [CW_FILTER_INSTRUCTION] = in_instruction,
        [CW_FILTER_DECLARATION] = in_declaration,
    };
    outcome done = GO_ON;
    while (done == GO_ON && c->at < c->end)
        done = states[filter->state](filter, c);
    return done;
}

crawl_err cw_sitemap_filter_run(cw_sitemap_filter *filter, crawl_slice bytes, bool last)
{
    crawl_buf_clear(&filter->clean);
    crawl_err err = crawl_buf_append(&filter->pending, bytes.data, bytes.size);
    if (err || !filter->pending.size)
        return err;
    const char *start = filter->pending.data;
    cursor c = {.at = start, .end = start + filter->pending.size, .last = last};
    outcome done = run(filter, &c);
    size_t left = (size_t)(c.end - c.at);
    memmove(filter->pending.data, c.at, left);
    filter->pending.size = left;
    return done == DANGEROUS ? CRAWL_EPARSE : done == NO_MEMORY ? CRAWL_ENOMEM : CRAWL_OK;
}
