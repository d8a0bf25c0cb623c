/* Sits between the bytes of a sitemap and the XML parser: it stops dangerous input and repairs the most common
 * mistakes.
 *
 *   - Characters that XML forbids are dropped.
 *   - A "&" that begins none of XML's own references is escaped: URLs often contain one unescaped.
 *   - A DOCTYPE is removed with all its declarations: no sitemap needs entities or default attributes. Comments and
 *     processing instructions are removed too, and with them the XML declaration: the bytes are UTF-8 already, whatever
 *     it says.
 *   - Tags are balanced (sitemap_tags.c) inside one element of our own around everything: a parser that recovers by
 *     itself would end the document at an extra end tag, or at the end of the first root.
 *   - A tag has a maximum size. A long or deep one, or one with many, loses its attributes: libxml2's time grows with
 *     the square of their size and of their number, and with the namespaces declared.
 *
 * The bytes come in pieces that may end anywhere; bytes that cannot be judged yet wait in pending. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"

/* Maxima in bytes. A subset may declare all of HTML's entities, some 60 KiB, and the value of an attribute may be an
 * image, as a data: URL. Without MAX_MARKUP an unclosed quote would hide the rest of the file. */
enum { MAX_MARKUP = 1 << 20, LONGEST_REFERENCE = 12 };

typedef struct cursor {
    const char *at;
    const char *end;
    bool last;
} cursor;

/* The result of a step. */
typedef enum outcome { GO_ON, WAIT, DANGEROUS, NO_MEMORY } outcome;

static outcome sitemap_filter_outcome_of(crawl_err err)
{
    return !err ? GO_ON : err == CRAWL_ENOMEM ? NO_MEMORY : DANGEROUS;
}

static outcome sitemap_filter_put(cw_sitemap_filter *filter, const char *data, size_t size)
{
    return sitemap_filter_outcome_of(crawl_buf_append(&filter->clean, data, size));
}

/* Copies the bytes before `to` and continues there. */
static outcome pass(cw_sitemap_filter *filter, cursor *c, const char *to)
{
    outcome done = sitemap_filter_put(filter, c->at, (size_t)(to - c->at));
    c->at = to;
    return done;
}

typedef enum match { NO, YES, PERHAPS } match;

/* Returns whether the rest begins with text. */
static match begins(const cursor *c, const char *text)
{
    size_t size = strlen(text);
    size_t left = (size_t)(c->end - c->at);
    size_t shared = left < size ? left : size;
    if (memcmp(c->at, text, shared) != 0)
        return NO;
    return shared == size ? YES : c->last ? NO : PERHAPS;
}

/* Returns whether the rest begins with a reference that XML knows without a DTD. */
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

static outcome sitemap_filter_enter(cw_sitemap_filter *filter, cw_sitemap_filter_state state)
{
    filter->state = state;
    filter->scanned = filter->first_end = filter->values = 0;
    filter->quote = 0;
    filter->doctype = (cw_sitemap_doctype){0};
    return GO_ON;
}

/* Escapes a "&" that begins no reference. */
static outcome sitemap_filter_escape(cw_sitemap_filter *filter, cursor *c)
{
    match found = begins_reference(c);
    if (found == PERHAPS)
        return WAIT;
    c->at++;
    return sitemap_filter_put(filter, found == YES ? "&" : "&amp;", found == YES ? 1 : 5);
}

crawl_err cw_sitemap_filter_escape(cw_sitemap_filter *filter, crawl_slice text)
{
    cursor c = {text.data, text.data + text.size, true};
    outcome done = GO_ON;
    while (!done && c.at < c.end) {
        const char *found = memchr(c.at, '&', (size_t)(c.end - c.at));
        done = pass(filter, &c, found ? found : c.end);
        if (!done && found)
            done = sitemap_filter_escape(filter, &c);
    }
    return done ? CRAWL_ENOMEM : CRAWL_OK;
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
            cw_sitemap_filter_state state;
        } markup[] = {{"<![CDATA[", CW_SITEMAP_FILTER_CDATA},
                      {"<!--", CW_SITEMAP_FILTER_COMMENT},
                      {"<!", CW_SITEMAP_FILTER_DECLARATION},
                      {"<?", CW_SITEMAP_FILTER_INSTRUCTION},
                      {"<", CW_SITEMAP_FILTER_TAG}};
        for (size_t i = 0; i < sizeof markup / sizeof *markup; i++) {
            match found = begins(c, markup[i].start);
            if (found == PERHAPS)
                return WAIT;
            if (found == YES)
                return sitemap_filter_enter(filter, markup[i].state);
        }
    }
    return sitemap_filter_escape(filter, c);
}

/* --- tags: held until their ">" is there --- */

static outcome sitemap_filter_take_tag(cw_sitemap_filter *filter, cursor *c, size_t size)
{
    crawl_err err = cw_sitemap_tag(filter, crawl_slice_of(c->at, size));
    c->at += size;
    filter->state = CW_SITEMAP_FILTER_TEXT;
    return sitemap_filter_outcome_of(err);
}

/* Takes a "<" that begins no tag as text. */
static outcome take_bare(cw_sitemap_filter *filter, cursor *c)
{
    filter->broken = true;
    filter->state = CW_SITEMAP_FILTER_TEXT;
    c->at++;
    return sitemap_filter_put(filter, "&lt;", 4);
}

/* Takes a tag that has no ">" before the next "<" or the end of the file; a value without its closing quote may have
 * hidden the ">". */
static outcome sitemap_filter_take_open(cw_sitemap_filter *filter, cursor *c, bool cut_off)
{
    filter->broken = true;
    if (filter->first_end)
        return sitemap_filter_take_tag(filter, c, filter->first_end + 1);
    if (!cut_off)
        return take_bare(filter, c);
    c->at = c->end;
    return GO_ON;
}

static bool begins_tag(const char *at)
{
    unsigned char c = (unsigned char)at[1];
    return cw_is_alpha(c) || c == '/' || c == '_' || c == ':' || c >= 0x80;
}

static outcome in_tag(cw_sitemap_filter *filter, cursor *c)
{
    size_t left = (size_t)(c->end - c->at);
    if (left > 1 && !begins_tag(c->at))
        return take_bare(filter, c);
    size_t at = filter->scanned ? filter->scanned : 1;
    for (; at < left && c->at[at] != '<'; at++) {
        char byte = c->at[at];
        if (byte == '>' && !filter->quote)
            return sitemap_filter_take_tag(filter, c, at + 1);
        if (byte == '>' && !filter->first_end)
            filter->first_end = at;
        bool opens = !filter->quote && (byte == '"' || byte == '\'');
        filter->quote = opens ? byte : byte == filter->quote ? 0 : filter->quote;
        filter->values += opens;
        if (at > MAX_MARKUP)
            return DANGEROUS;
    }
    filter->scanned = at;
    return at == left && !c->last ? WAIT : sitemap_filter_take_open(filter, c, at == left);
}

/* --- other than text --- */

/* Continues to the end of a construct that ends with text, and copies or drops it. */
static outcome until(cw_sitemap_filter *filter, cursor *c, const char *text, bool copied)
{
    size_t size = strlen(text);
    const char *found = memmem(c->at, (size_t)(c->end - c->at), text, size);
    size_t left = (size_t)(c->end - c->at);
    size_t held = c->last ? 0 : left < size - 1 ? left : size - 1;
    const char *to = found ? found + size : c->end - held;
    if (!copied)
        c->at = to;
    outcome done = copied ? pass(filter, c, to) : GO_ON;
    if (found)
        filter->state = CW_SITEMAP_FILTER_TEXT;
    return done || found ? done : WAIT;
}

static outcome sitemap_filter_in_comment(cw_sitemap_filter *filter, cursor *c)
{
    if (!filter->scanned) /* not "<!-->", whose dashes open it */
        c->at += filter->scanned = 4;
    return until(filter, c, "-->", false);
}

static outcome in_cdata(cw_sitemap_filter *filter, cursor *c)
{
    return until(filter, c, "]]>", true);
}

static outcome sitemap_filter_in_instruction(cw_sitemap_filter *filter, cursor *c)
{
    if (!filter->scanned)
        c->at += filter->scanned = 2;
    return until(filter, c, "?>", false);
}

static outcome in_declaration(cw_sitemap_filter *filter, cursor *c)
{
    if (!filter->scanned)
        c->at += filter->scanned = 2;
    for (; c->at < c->end; filter->scanned++) {
        if (cw_sitemap_doctype_step(&filter->doctype, *c->at++)) {
            filter->state = CW_SITEMAP_FILTER_TEXT;
            return GO_ON;
        }
        if (filter->scanned > MAX_MARKUP)
            return DANGEROUS;
    }
    return WAIT;
}

static outcome sitemap_filter_run(cw_sitemap_filter *filter, cursor *c)
{
    static outcome (*const states[])(cw_sitemap_filter * filter, cursor * c) = {
        [CW_SITEMAP_FILTER_TEXT] = in_text,
        [CW_SITEMAP_FILTER_TAG] = in_tag,
        [CW_SITEMAP_FILTER_COMMENT] = sitemap_filter_in_comment,
        [CW_SITEMAP_FILTER_CDATA] = in_cdata,
        [CW_SITEMAP_FILTER_INSTRUCTION] = sitemap_filter_in_instruction,
        [CW_SITEMAP_FILTER_DECLARATION] = in_declaration,
    };
    outcome done = GO_ON;
    while (done == GO_ON && c->at < c->end)
        done = states[filter->state](filter, c);
    return done;
}

/* Opens our own element around everything. */
static outcome sitemap_filter_begin(cw_sitemap_filter *filter)
{
    outcome done = filter->begun ? GO_ON : sitemap_filter_put(filter, "<crawl>", 7);
    filter->begun = true;
    return done;
}

static outcome sitemap_filter_end(cw_sitemap_filter *filter)
{
    bool whole = filter->state == CW_SITEMAP_FILTER_TEXT && filter->depth == 0;
    filter->broken |= !whole;
    return whole ? sitemap_filter_put(filter, "</crawl>", 8) : GO_ON;
}

/* Returns the size of the character at the start of text if XML forbids it (XML 1.0, 2.2): a control character, U+FFFE
 * or U+FFFF. 0: it is allowed. */
static size_t forbidden_size(crawl_slice text)
{
    unsigned char first = (unsigned char)text.data[0];
    if (first < ' ')
        return first != '\t' && first != '\n' && first != '\r';
    return first == 0xef && (cw_starts_with(text, "\xef\xbf\xbe") || cw_starts_with(text, "\xef\xbf\xbf")) ? 3 : 0;
}

/* Appends the bytes, without characters that XML forbids: the parser would read no further than such a one in CDATA. */
static crawl_err append_allowed(cw_sitemap_filter *filter, crawl_slice bytes)
{
    crawl_buf *to = &filter->pending;
    crawl_err err = crawl_buf_reserve(to, bytes.size);
    while (bytes.size && !err) {
        size_t forbidden = forbidden_size(bytes);
        filter->broken |= forbidden > 0;
        if (!forbidden)
            to->data[to->size++] = bytes.data[0];
        bytes = cw_drop(bytes, forbidden ? forbidden : 1);
    }
    return err;
}

crawl_err cw_sitemap_filter_run(cw_sitemap_filter *filter, crawl_slice bytes, bool last)
{
    crawl_buf_clear(&filter->clean);
    crawl_err err = append_allowed(filter, bytes);
    if (err)
        return err;
    const char *start = filter->pending.data;
    cursor c = {.at = start, .end = start + filter->pending.size, .last = last};
    outcome done = sitemap_filter_begin(filter);
    if (!done)
        done = sitemap_filter_run(filter, &c);
    if ((done == GO_ON || done == WAIT) && last)
        done = sitemap_filter_end(filter);
    size_t left = (size_t)(c.end - c.at);
    if (left)
        memmove(filter->pending.data, c.at, left);
    filter->pending.size = left;
    return done == DANGEROUS ? CRAWL_EPARSE : done == NO_MEMORY ? CRAWL_ENOMEM : CRAWL_OK;
}
