/* See doctype.h. It works a byte at a time, so that a DOCTYPE can be read as it arrives. */
#include "parse/sitemap/doctype.h"

#include "base/bytes.h"

enum { MARKUP, COMMENT, INSTRUCTION };

/* Within a comment, to its "-->". */
static void doctype_in_comment(cw_sitemap_doctype *d, char c)
{
    if (c == '>' && d->mark == 2)
        d->place = MARKUP;
    d->mark = c != '-' ? 0 : d->mark < 2 ? d->mark + 1 : 2;
    if (d->place == MARKUP)
        d->mark = 0;
}

/* Within an instruction, to its "?>". */
static void doctype_in_instruction(cw_sitemap_doctype *d, char c)
{
    if (c == '>' && d->mark)
        d->place = MARKUP;
    d->mark = c == '?';
}

/* Checks whether the subset's "<!--" or "<?" ends with c. */
static void look_for_opening(cw_sitemap_doctype *d, char c)
{
    static const char comment[] = "<!--";
    if (d->mark == 1 && c == '?')
        d->place = INSTRUCTION;
    d->mark = c == comment[d->mark] ? d->mark + 1 : c == '<';
    if (d->mark == sizeof comment - 1)
        d->place = COMMENT;
    if (d->place != MARKUP)
        d->mark = 0;
}

static bool in_markup(cw_sitemap_doctype *d, char c)
{
    if (d->quote) {
        d->quote = c == d->quote ? 0 : d->quote;
        return false;
    }
    if (d->subset)
        look_for_opening(d, c);
    if (c == '"' || c == '\'')
        d->quote = c;
    else if (c == '[' || c == ']')
        d->subset = c == '[';
    return c == '>' && !d->subset;
}

bool cw_sitemap_doctype_step(cw_sitemap_doctype *doctype, char c)
{
    if (doctype->place == MARKUP)
        return in_markup(doctype, c);
    if (doctype->place == COMMENT)
        doctype_in_comment(doctype, c);
    else
        doctype_in_instruction(doctype, c);
    return false;
}

/* Returns the end of the declaration whose "<!" is at `at`. A declaration without a subset ends at its first ">", even
 * if quotes do not match: a "[" behind that is none of its own. A subset that never closes takes the rest, so that no
 * byte is searched again for its end. */
static const char *doctype_skip_declaration(const char *at, const char *end)
{
    cw_sitemap_doctype doctype = {0};
    bool subset = false, passed = false; /* passed: another tag, in quotes that do not match */
    for (const char *next = at + 2; next < end; next++) {
        bool ends = cw_sitemap_doctype_step(&doctype, *next);
        if (doctype.subset && !subset && passed)
            break;
        subset |= doctype.subset;
        passed |= *next == '<';
        if (ends && subset)
            return next + 1;
        if (ends)
            break;
    }
    if (subset)
        return end;
    const char *first = memchr(at, '>', (size_t)(end - at));
    return first ? first + 1 : end;
}

static const char *doctype_skip_past(crawl_slice text, const char *mark)
{
    const char *found = memmem(text.data, text.size, mark, strlen(mark));
    return found ? found + strlen(mark) : text.data + text.size;
}

crawl_slice cw_sitemap_next_in_prolog(crawl_slice *rest)
{
    crawl_slice text = cw_trim_start(*rest);
    const char *end = text.data + text.size;
    const char *behind = text.data;
    if (cw_starts_with(text, "<!--"))
        behind = doctype_skip_past(text, "-->");
    else if (cw_starts_with(text, "<?"))
        behind = doctype_skip_past(text, "?>");
    else if (cw_starts_with(text, "<!"))
        behind = doctype_skip_declaration(text.data, end);
    *rest = crawl_slice_of(behind, (size_t)(end - behind));
    return crawl_slice_of(text.data, (size_t)(behind - text.data));
}

crawl_slice cw_sitemap_behind_prolog(crawl_slice text)
{
    while (cw_sitemap_next_in_prolog(&text).size)
        continue;
    return text;
}
