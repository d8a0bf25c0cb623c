#include "parse/text/text_escape.h"

#include "base/bytes.h"

bool cw_text_is_reference(const char *at, const char *end)
{
    enum { NAME_MAX_SIZE = 32 };
    const char *name = at + 1 + (end - at > 1 && at[1] == '#');
    const char *last = name;
    while (last < end && last - name < NAME_MAX_SIZE && cw_is_alnum((unsigned char)*last))
        last++;
    return last > name && last < end && *last == ';';
}

/* Returns true if the rest has only this character and spaces, like a rule or the line below a heading. */
static bool is_line_of(char c, const char *at, const char *end)
{
    while (at < end && (*at == c || cw_is_space((unsigned char)*at)))
        at++;
    return at == end;
}

/* Returns true for the line below the heads of a table (GitHub Flavored Markdown, 4.10). */
static bool is_table_line(const char *at, const char *end)
{
    while (at < end && strchr("-:| ", *at))
        at++;
    return at == end;
}

/* Returns true for the box of a task (GitHub Flavored Markdown, 5.3). */
static bool is_box(const char *at, const char *end)
{
    return at + 1 == end || (strchr(" xX", at[1]) && (at + 2 == end || at[2] == ']'));
}

/* Returns true if the first character of a line would be taken for the mark of a block. */
static bool marks_block(const char *at, const char *end)
{
    const char *last = at + 1;
    while (*at == '#' && last < end && *last == '#')
        last++;
    bool ends = last == end || cw_is_space((unsigned char)*last);
    if (*at == '[')
        return is_box(at, end);
    return *at == '>' || (ends && strchr("#+-=:*_", *at)) || (strchr("-=_*", *at) && is_line_of(*at, at, end)) ||
           (strchr("-:|", *at) && is_table_line(at, end));
}

/* Returns true if the line has only digits, which "." or ")" would make the number of an item. */
static bool text_escape_is_number(const cw_text_writer *writer)
{
    const crawl_buf *out = writer->out;
    size_t at = out->size;
    while (at > writer->start && out->size - at < 10 && cw_is_digit((unsigned char)out->data[at - 1]))
        at--;
    return at < out->size && (at == writer->start || out->data[at - 1] == '\n');
}

/* Returns true if a backslash escapes the character at this place. */
static bool is_escaped(const cw_text_writer *writer, size_t at)
{
    size_t slashes = 0;
    while (slashes < at - writer->start && writer->out->data[at - slashes - 1] == '\\')
        slashes++;
    return slashes % 2;
}

/* Returns true if a reference that began in another element ends here. */
static bool ends_reference(const cw_text_writer *writer)
{
    const crawl_buf *out = writer->out;
    size_t at = out->size;
    while (at > writer->start && (cw_is_alnum((unsigned char)out->data[at - 1]) || out->data[at - 1] == '#'))
        at--;
    return at > writer->start && at < out->size && out->data[at - 1] == '&' && !is_escaped(writer, at - 1);
}

static bool is_space_at(const char *at, const char *end)
{
    return at >= end || cw_is_space((unsigned char)*at);
}

/* Returns true if this character would be taken for markup here. before: the last character written. */
static bool is_markup(const cw_text_writer *writer, const char *at, const char *end, char before)
{
    unsigned char next = at + 1 < end ? (unsigned char)at[1] : ' ';
    bool is_last = is_line_of(' ', at + 1, end);
    bool has_signs = writer->signs.count > 0; /* signs may move to here */
    switch (*at) {
    case '\\':
        return is_last || next != ' ';
    case '`':
        return true;
    case '*':
        return is_last || has_signs || !(cw_is_space((unsigned char)before) && is_space_at(at + 1, end));
    case '_':
        return is_last || (!(cw_is_alnum((unsigned char)before) && cw_is_alnum(next)) && next != ' ');
    case '[':
        return writer->brackets > 0;
    case ']':
        return writer->brackets > 0 || next == '(' || next == ':';
    case '<':
        return is_last || cw_is_alpha(next) || next == '/' || next == '!' || next == '?';
    case '(':
    case ':':
        return before == ']' && !is_escaped(writer, writer->out->size - 1);
    case '^': /* cmark-gfm takes "![^" for the start of a note */
        return before == '[' && writer->brackets > 0;
    case '&':
        return cw_text_is_reference(at, end);
    case ';':
        return ends_reference(writer);
    case '.':
    case ')':
        return !writer->is_plain && is_space_at(at + 1, end) && text_escape_is_number(writer);
    case '~':
        return is_last || has_signs || !(cw_is_space((unsigned char)before) && (next == '/' || next == ' '));
    default:
        return false;
    }
}

const bool cw_text_special[256] = {
    ['\\'] = true, ['`'] = true, ['*'] = true, ['_'] = true, ['['] = true, [']'] = true, ['<'] = true, ['&'] = true,
    ['~'] = true,  ['.'] = true, [')'] = true, ['('] = true, [':'] = true, [';'] = true, ['^'] = true,
};

bool cw_text_escapes(const cw_text_writer *writer, const char *at, const char *end)
{
    const crawl_buf *out = writer->out;
    bool is_empty = out->size == writer->start;
    char before = is_empty ? ' ' : out->data[out->size - 1];
    if ((is_empty || before == '\n') && marks_block(at, end))
        return true;
    bool is_signed = writer->signs.count && writer->signs.list[writer->signs.count - 1].at == out->size;
    if (is_signed && before != ']')
        before = '*'; /* stands for any sign */
    return cw_text_special[(unsigned char)*at] && is_markup(writer, at, end, before);
}
