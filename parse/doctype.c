/* See doctype.h. A byte at a time, so that it can be read as it comes. */
#include "parse/doctype.h"

enum { MARKUP, COMMENT, INSTRUCTION };

/* Within a comment, to its "-->". */
static void in_comment(cw_doctype *d, char c)
{
    if (c == '>' && d->mark == 2)
        d->place = MARKUP;
    d->mark = c != '-' ? 0 : d->mark < 2 ? d->mark + 1 : 2;
    if (d->place == MARKUP)
        d->mark = 0;
}

/* Within an instruction, to its "?>". */
static void in_instruction(cw_doctype *d, char c)
{
    if (c == '>' && d->mark)
        d->place = MARKUP;
    d->mark = c == '?';
}

/* Does the subset's "<!--" or "<?" end with c? */
static void look_for_opening(cw_doctype *d, char c)
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

static bool in_markup(cw_doctype *d, char c)
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

bool cw_doctype_step(cw_doctype *doctype, char c)
{
    if (doctype->place == MARKUP)
        return in_markup(doctype, c);
    if (doctype->place == COMMENT)
        in_comment(doctype, c);
    else
        in_instruction(doctype, c);
    return false;
}

const char *cw_doctype_skip(const char *at, const char *end)
{
    cw_doctype doctype = {0};
    for (at += 2; at < end; at++)
        if (cw_doctype_step(&doctype, *at))
            return at + 1;
    return end;
}
