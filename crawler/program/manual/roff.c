#include "crawler/program/manual/roff.h"

/* The characters that roff would take for its own, or print as typographic ones. */
static const char *roff_escape_of(char c)
{
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    default:
        return NULL;
    }
}

void cw_program_roff_text(cw_program_roff *roff, crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        const char *escape = roff_escape_of(text.data[i]);
        cw_put(&roff->to, escape ? crawl_slice_from(escape) : crawl_slice_of(&text.data[i], 1));
    }
}

/* A line that begins with a dot would be a request of roff, one that begins with a blank a break. */
void cw_program_roff_line(cw_program_roff *roff, crawl_slice text)
{
    if (text.size && (text.data[0] == '.' || text.data[0] == ' '))
        cw_put_text(&roff->to, "\\&");
    cw_program_roff_text(roff, text);
    cw_put_text(&roff->to, "\n");
}

void cw_program_roff_end(cw_program_roff *roff)
{
    if (roff->mode == CW_ROFF_LITERAL)
        cw_put_text(&roff->to, ".fi\n.RE\n");
    roff->mode = CW_ROFF_NONE;
}

void cw_program_roff_literal(cw_program_roff *roff, crawl_slice text)
{
    if (roff->mode != CW_ROFF_LITERAL)
        cw_put_text(&roff->to, ".PP\n.RS 4\n.nf\n");
    roff->mode = CW_ROFF_LITERAL;
    cw_program_roff_line(roff, text);
}

void cw_program_roff_paragraph(cw_program_roff *roff, crawl_slice text)
{
    if (roff->mode != CW_ROFF_PARAGRAPH) {
        cw_program_roff_end(roff);
        cw_put_text(&roff->to, ".PP\n");
    }
    roff->mode = CW_ROFF_PARAGRAPH;
    cw_program_roff_line(roff, text);
}

void cw_program_roff_item(cw_program_roff *roff, crawl_slice tag)
{
    cw_program_roff_end(roff);
    cw_put_text(&roff->to, ".TP\n\\fB");
    cw_program_roff_text(roff, tag);
    cw_put_text(&roff->to, "\\fR\n");
    roff->mode = CW_ROFF_ITEM;
}

void cw_program_roff_section(cw_program_roff *roff, crawl_slice name)
{
    cw_program_roff_end(roff);
    cw_put_text(&roff->to, ".SH ");
    cw_program_roff_line(roff, name);
}

void cw_program_roff_page(cw_program_roff *roff, const char *name, int section, const char *summary)
{
    cw_put_text(&roff->to, ".TH \"");
    for (const char *c = name; *c; c++)
        cw_put_char(&roff->to, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
    cw_put_format(&roff->to, "\" %d \"\" \"crawl %s\" \"crawl\"\n.nh\n.ad l\n", section, crawl_version());
    cw_program_roff_section(roff, crawl_slice_from("NAME"));
    cw_program_roff_text(roff, crawl_slice_from(name));
    cw_put_text(&roff->to, " \\- ");
    cw_program_roff_line(roff, crawl_slice_from(summary));
}
