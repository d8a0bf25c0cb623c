/* See text_writer.h. Markup is that of CommonMark 0.31; what is escaped is what it would take for markup at that place,
 * so that names with underscores and the like stay as readable as they are. */
#include "parse/text/text_writer.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/text/text_flank.h"
#include "parse/text/text_shift.h"

void cw_text_writer_reset(cw_text_writer *writer, crawl_buf *out, bool markdown, size_t most)
{
    crawl_buf hrefs = writer->hrefs;
    crawl_buf_clear(&hrefs);
    *writer = (cw_text_writer){.out = out, .markdown = markdown, .most = most, .hrefs = hrefs};
}

void cw_text_writer_free(cw_text_writer *writer)
{
    crawl_buf_free(&writer->hrefs);
}

void cw_text_writer_begin(cw_text_writer *writer, bool is_pre, bool is_plain)
{
    writer->start = writer->out->size;
    writer->is_pre = is_pre;
    writer->is_plain = is_plain;
    writer->space = writer->line = writer->in_word = false;
    writer->words = writer->link_words = 0;
    writer->shift = CW_SHIFT_NONE;
    writer->closed_at = 0;
    writer->shifted_at = 0;
    writer->after_reading = false;
}

/* --- marks --- */

static bool text_writer_is_empty(const cw_text_writer *writer)
{
    return writer->out->size == writer->start;
}

/* Emphasis says nothing in a heading. */
static bool is_shown(const cw_text_writer *writer, const cw_text_mark *mark)
{
    bool says = !writer->is_plain || mark->kind == CW_MARK_LINK || mark->kind == CW_MARK_CODE;
    return writer->markdown && !writer->is_pre && !mark->is_local && says;
}

static const char *const signs[] = {
    [CW_MARK_LINK] = "[", [CW_MARK_STRONG] = "**",  [CW_MARK_EMPHASIS] = "*",
    [CW_MARK_CODE] = "`", [CW_MARK_DELETED] = "~~",
};

/* An exclamation mark before a link would make an image of it. */
static crawl_err text_writer_write_sign(cw_text_writer *writer, const cw_text_mark *mark)
{
    crawl_buf *out = writer->out;
    bool is_exclaimed = mark->kind == CW_MARK_LINK && !text_writer_is_empty(writer) && out->data[out->size - 1] == '!';
    if (is_exclaimed)
        out->data[out->size - 1] = '\\';
    return is_exclaimed ? crawl_buf_append_text(out, "![") : crawl_buf_append_text(out, signs[mark->kind]);
}

static bool is_emphasis(const cw_text_mark *mark)
{
    return mark->kind != CW_MARK_LINK && mark->kind != CW_MARK_CODE;
}

/* Before the first text behind the tags that opened them, which is next. Inside code nothing else is markup. Emphasis
 * that cannot begin here begins behind the next character. */
static crawl_err write_marks(cw_text_writer *writer, crawl_slice next)
{
    crawl_err err = CRAWL_OK;
    bool in_code = false;
    bool is_first = true;
    for (unsigned i = 0; i < writer->mark_count && !err; i++) {
        cw_text_mark *mark = &writer->marks[i];
        bool shown = !mark->written && !in_code && is_shown(writer, mark);
        in_code = in_code || (mark->kind == CW_MARK_CODE && (mark->written || shown));
        if (!shown || (is_first && cw_text_flank_goes_on(writer, mark)))
            continue;
        if (is_first && is_emphasis(mark) && !cw_text_flank_opens(writer, next))
            break;
        is_first = false;
        err = text_writer_write_sign(writer, mark);
        mark->written = true;
        mark->at = writer->out->size;
    }
    if (!err && is_first && writer->markdown)
        err = cw_text_flank_settle(writer, next);
    return err;
}

static crawl_err write_space(cw_text_writer *writer)
{
    bool line = writer->line;
    bool space = writer->space || line;
    writer->space = writer->line = false;
    if (!space || text_writer_is_empty(writer))
        return CRAWL_OK;
    if (!line || writer->is_plain)
        return crawl_buf_append_char(writer->out, ' ');
    return crawl_buf_append_text(writer->out, writer->markdown ? "\\\n" : "\n");
}

/* How many backquotes stand in a row at most. */
static size_t longest_run(crawl_slice text, char c)
{
    size_t longest = 0;
    for (size_t i = 0, run = 0; i < text.size; i++) {
        run = text.data[i] == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Code that has backquotes stands between longer rows of them, with a space (CommonMark 6.1). */
static crawl_err end_code(cw_text_writer *writer, const cw_text_mark *mark)
{
    crawl_buf *out = writer->out;
    crawl_slice code = crawl_slice_of(out->data + mark->at, out->size - mark->at);
    size_t run = longest_run(code, '`');
    if (!run)
        return crawl_buf_append_char(out, '`');
    size_t more = run + 1; /* quotes besides the one that stands there, and a space */
    crawl_err err = crawl_buf_reserve(out, more + 1 + run + 1);
    if (err)
        return err;
    memmove(out->data + mark->at + more, out->data + mark->at, code.size);
    memset(out->data + mark->at, '`', run);
    out->data[mark->at + run] = ' ';
    out->size += more;
    err = crawl_buf_append_char(out, ' ');
    for (size_t i = 0; i <= run && !err; i++)
        err = crawl_buf_append_char(out, '`');
    return err;
}

/* A URL with parentheses or spaces stands in angle brackets (CommonMark 6.3). */
static crawl_err end_link(cw_text_writer *writer, const cw_text_mark *mark)
{
    crawl_slice href = crawl_slice_of(writer->hrefs.data + mark->href, mark->href_size);
    bool quoted = cw_find_any(href, "() ") < href.size;
    return crawl_buf_printf(writer->out, quoted ? "](<%.*s>)" : "](%.*s)", (int)href.size, href.data);
}

static crawl_err text_writer_end_mark(cw_text_writer *writer, cw_text_mark *mark)
{
    if (!mark->written)
        return CRAWL_OK;
    mark->written = false;
    if (mark->kind == CW_MARK_CODE)
        return end_code(writer, mark);
    if (mark->kind == CW_MARK_LINK)
        return end_link(writer, mark);
    size_t from = writer->out->size;
    crawl_err err = crawl_buf_append_text(writer->out, signs[mark->kind]);
    cw_text_flank_note(writer, (cw_text_mark_kind)mark->kind, from, mark->at);
    return err;
}

static crawl_err end_marks(cw_text_writer *writer, unsigned from)
{
    crawl_err err = CRAWL_OK;
    for (unsigned i = writer->mark_count; i > from && !err; i--)
        err = text_writer_end_mark(writer, &writer->marks[i - 1]);
    return err;
}

/* Number signs at the end of a heading would be taken for a part of its mark. */
static crawl_err end_heading(cw_text_writer *writer)
{
    crawl_buf *out = writer->out;
    if (!writer->markdown || !writer->is_plain || text_writer_is_empty(writer) || out->data[out->size - 1] != '#')
        return CRAWL_OK;
    out->data[out->size - 1] = '\\';
    return crawl_buf_append_char(out, '#');
}

crawl_err cw_text_writer_end(cw_text_writer *writer)
{
    crawl_err err = end_marks(writer, 0);
    return err ? err : end_heading(writer);
}

crawl_err cw_text_writer_open(cw_text_writer *writer, cw_text_mark_kind kind, crawl_slice href)
{
    if (writer->mark_count == CW_TEXT_MAX_MARKS)
        return CRAWL_OK;
    cw_text_mark *mark = &writer->marks[writer->mark_count];
    *mark =
        (cw_text_mark){.kind = (uint8_t)kind, .is_local = kind == CW_MARK_LINK && !href.size, .at = writer->out->size};
    crawl_err err = CRAWL_OK;
    if (href.size) {
        mark->href = writer->hrefs.size;
        mark->href_size = href.size;
        err = crawl_buf_append(&writer->hrefs, href.data, href.size);
    }
    writer->mark_count += !err;
    writer->links += kind == CW_MARK_LINK;
    writer->brackets += href.size > 0;
    writer->codes += kind == CW_MARK_CODE;
    return err;
}

/* Links behind headings and terms that lead to these, as documentation has them, by what they show. */
static bool is_anchor_sign(crawl_slice text)
{
    static const char *const texts[] = {"\xc2\xb6",     "\xc2\xa7",         "#",
                                        "\xe2\x9a\x93", "\xf0\x9f\x94\x97", "\xef\x83\x81"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (cw_is(text, texts[i]))
            return true;
    return false;
}

static void drop_anchor_sign(cw_text_writer *writer, const cw_text_mark *mark)
{
    size_t at = mark->at < writer->start ? writer->start : mark->at;
    if (!mark->is_local || writer->out->size <= at)
        return;
    crawl_slice text = cw_trim(crawl_slice_of(writer->out->data + at, writer->out->size - at));
    cw_take_text(&text, "\\");
    if (is_anchor_sign(text)) {
        writer->out->size = at;
        writer->closed_at = writer->shifted_at = 0; /* places in what is gone */
    }
}

crawl_err cw_text_writer_close(cw_text_writer *writer, cw_text_mark_kind kind)
{
    unsigned at = writer->mark_count;
    while (at && writer->marks[at - 1].kind != kind)
        at--;
    if (!at--)
        return CRAWL_OK;
    crawl_err err = end_marks(writer, at);
    drop_anchor_sign(writer, &writer->marks[at]);
    writer->mark_count--;
    writer->links -= kind == CW_MARK_LINK;
    writer->brackets -= writer->marks[at].href_size > 0;
    writer->codes -= kind == CW_MARK_CODE;
    memmove(&writer->marks[at], &writer->marks[at + 1], (writer->mark_count - at) * sizeof *writer->marks);
    return err;
}

/* --- text --- */

/* What comes next is taken for a reference: "&" with a name or a number and ";" behind it. */
static bool is_reference(const char *at, const char *end)
{
    enum { NAME_MAX_SIZE = 32 };
    const char *name = at + 1 + (end - at > 1 && at[1] == '#');
    const char *last = name;
    while (last < end && last - name < NAME_MAX_SIZE && cw_is_alnum((unsigned char)*last))
        last++;
    return last > name && last < end && *last == ';';
}

/* Is there nothing but this character and spaces, as in a rule or below a heading? */
static bool is_line_of(char c, const char *at, const char *end)
{
    while (at < end && (*at == c || cw_is_space((unsigned char)*at)))
        at++;
    return at == end;
}

/* The box of a task (GitHub Flavored Markdown, 5.3). */
static bool is_box(const char *at, const char *end)
{
    return end - at > 2 && strchr(" xX", at[1]) && at[2] == ']';
}

/* Would the first character of a line be taken for the mark of a block? */
static bool marks_block(const char *at, const char *end)
{
    const char *last = at + 1;
    while (*at == '#' && last < end && *last == '#')
        last++;
    bool ends = last == end || cw_is_space((unsigned char)*last);
    if (*at == '[')
        return is_box(at, end);
    return *at == '>' || (ends && strchr("#+-=:*_", *at)) || (strchr("-=_*", *at) && is_line_of(*at, at, end));
}

/* Has the line nothing but digits, so that "." or ")" would make them the number of an item? */
static bool text_writer_is_number(const cw_text_writer *writer)
{
    const crawl_buf *out = writer->out;
    size_t at = out->size;
    while (at > writer->start && out->size - at < 10 && cw_is_digit((unsigned char)out->data[at - 1]))
        at--;
    return at < out->size && (at == writer->start || out->data[at - 1] == '\n');
}

static bool is_space_at(const char *at, const char *end)
{
    return at >= end || cw_is_space((unsigned char)*at);
}

/* Would this character be taken for markup here? before: the one that was written last. */
static bool is_markup(const cw_text_writer *writer, const char *at, const char *end, char before)
{
    unsigned char next = at + 1 < end ? (unsigned char)at[1] : ' ';
    switch (*at) {
    case '\\':
        return at + 1 == end || next != ' ';
    case '`':
        return true;
    case '*':
        return at + 1 == end || !(cw_is_space((unsigned char)before) && is_space_at(at + 1, end));
    case '_':
        return at + 1 == end || (!(cw_is_alnum((unsigned char)before) && cw_is_alnum(next)) && next != ' ');
    case '[':
        return writer->brackets > 0;
    case ']':
        return writer->brackets > 0 || next == '(' || next == ':';
    case '<':
        return at + 1 == end || cw_is_alpha(next) || next == '/' || next == '!' || next == '?';
    case '&':
        return is_reference(at, end);
    case '.':
    case ')':
        return !writer->is_plain && is_space_at(at + 1, end) && text_writer_is_number(writer);
    case '~':
        return !(cw_is_space((unsigned char)before) && (next == '/' || next == ' ')) || at + 1 == end;
    default:
        return false;
    }
}

/* Bytes that are looked at before they are written. */
static const bool is_special[256] = {
    ['\\'] = true, ['`'] = true, ['*'] = true, ['_'] = true, ['['] = true, [']'] = true,
    ['<'] = true,  ['&'] = true, ['~'] = true, ['.'] = true, [')'] = true,
};

/* Is this a character of Chinese or Japanese, each of which counts as a word? U+3000 to U+9FFF. */
static bool is_ideograph(unsigned char lead)
{
    return lead >= 0xe3 && lead <= 0xe9;
}

static inline void count_word(cw_text_writer *writer, unsigned char c)
{
    bool is_word = cw_is_alnum(c) || c >= 0x80;
    uint32_t begins = is_word && (!writer->in_word || is_ideograph(c));
    writer->words += begins;
    writer->link_words += writer->links ? begins : 0;
    writer->in_word = is_word;
}

/* Characters that take no room, or are white space: how many bytes they have, 0: it is none of them. */
static size_t blank_size(const char *at, const char *end, bool *is_space)
{
    unsigned char c = (unsigned char)*at;
    size_t left = (size_t)(end - at);
    *is_space = cw_is_space(c);
    if (*is_space || c < ' ' || c == 0x7f)
        return 1;
    if (c == 0xc2 && left > 1 && ((unsigned char)at[1] <= 0xa0 || (unsigned char)at[1] == 0xad)) { /* C1 among them */
        *is_space = (unsigned char)at[1] == 0xa0;
        return 2;
    }
    if (left > 2 && (memcmp(at, "\xe2\x80\x8b", 3) == 0 || memcmp(at, "\xef\xbb\xbf", 3) == 0))
        return 3;
    return 0;
}

static crawl_err write_char(cw_text_writer *writer, const char *at, const char *end)
{
    crawl_err err = CRAWL_OK;
    crawl_buf *out = writer->out;
    char before = text_writer_is_empty(writer) ? ' ' : out->data[out->size - 1];
    bool begins = text_writer_is_empty(writer) || before == '\n';
    bool looked_at = writer->markdown && !writer->codes;
    bool is_block = looked_at && begins && marks_block(at, end);
    if (is_block || (looked_at && is_special[(unsigned char)*at] && is_markup(writer, at, end, before)))
        err = crawl_buf_append_char(out, '\\');
    return err ? err : crawl_buf_append_char(out, *at);
}

/* Characters that stand as they are, from the second of a run on. */
static size_t text_writer_plain_run(const cw_text_writer *writer, const char *at, const char *end)
{
    size_t size = 0;
    while (at + size < end) {
        unsigned char c = (unsigned char)at[size];
        if (c <= ' ' || c == 0x7f || c == 0xc2 || c == 0xe2 || c == 0xef || (writer->markdown && is_special[c]))
            break;
        size++;
    }
    return size;
}

static crawl_err add_run(cw_text_writer *writer, const char *at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        count_word(writer, (unsigned char)at[i]);
    return crawl_buf_append(writer->out, at, size);
}

static crawl_err add_collapsed(cw_text_writer *writer, crawl_slice text)
{
    const char *at = text.data;
    const char *end = at + text.size;
    crawl_err err = CRAWL_OK;
    while (at < end && !err && writer->out->size < writer->most) {
        bool is_space;
        size_t blank = blank_size(at, end, &is_space);
        if (blank) {
            if (is_space)
                cw_text_writer_space(writer);
            at += blank;
            continue;
        }
        if (writer->after_reading)
            cw_text_shift_end_reading(writer, crawl_slice_of(at, (size_t)(end - at)));
        err = write_space(writer);
        if (!err)
            err = write_marks(writer, crawl_slice_of(at, (size_t)(end - at)));
        if (!err && writer->shift && cw_text_shift_takes(writer, *at)) {
            err = cw_text_shift_write(writer, *at++);
            continue;
        }
        writer->shift = CW_SHIFT_NONE;
        if (!err)
            err = write_char(writer, at, end);
        count_word(writer, (unsigned char)*at);
        size_t run = text_writer_plain_run(writer, ++at, end);
        if (!err)
            err = add_run(writer, at, run);
        at += run;
    }
    return err;
}

/* A control character other than a line feed and a tab: how many bytes it has, 0: it is none. */
static size_t control_size(const char *at, const char *end)
{
    unsigned char c = (unsigned char)*at;
    if (c == 0xc2 && end - at > 1 && (unsigned char)at[1] < 0xa0)
        return 2;
    return (c < ' ' && c != '\n' && c != '\t') || c == 0x7f;
}

static crawl_err add_pre(cw_text_writer *writer, crawl_slice text)
{
    size_t room = writer->out->size < writer->most ? writer->most - writer->out->size : 0;
    text = cw_utf8_cut(text, room);
    if (text_writer_is_empty(writer) && cw_starts_with(text, "\n"))
        text = cw_drop(text, 1);
    crawl_err err = CRAWL_OK;
    const char *end = text.data + text.size;
    for (const char *at = text.data, *from = at; at <= end && !err; at++) {
        size_t control = at < end ? control_size(at, end) : 0;
        if (at < end && !control)
            continue;
        err = add_run(writer, from, (size_t)(at - from));
        from = at + control;
        at += control > 1;
    }
    return err;
}

crawl_err cw_text_writer_add(cw_text_writer *writer, crawl_slice text)
{
    if (!text.size)
        return CRAWL_OK;
    return writer->is_pre ? add_pre(writer, text) : add_collapsed(writer, text);
}

crawl_err cw_text_writer_break(cw_text_writer *writer)
{
    writer->in_word = false;
    writer->line = !writer->is_pre;
    return writer->is_pre ? crawl_buf_append_char(writer->out, '\n') : CRAWL_OK;
}

crawl_err cw_text_writer_image(cw_text_writer *writer, crawl_slice alt, crawl_slice src)
{
    bool shown =
        writer->markdown && !writer->is_pre && !writer->links && !writer->codes && !writer->is_plain && src.size;
    if (!alt.size)
        return CRAWL_OK;
    if (!shown)
        return cw_text_writer_add(writer, alt);
    crawl_err err = write_space(writer);
    if (!err)
        err = write_marks(writer, crawl_slice_from("!"));
    if (!err)
        err = crawl_buf_append_text(writer->out, "![");
    writer->brackets++; /* brackets are escaped in it */
    if (!err)
        err = cw_text_writer_add(writer, alt);
    writer->brackets--;
    writer->space = writer->line = false;
    bool quoted = cw_find_any(src, "() ") < src.size;
    return err ? err : crawl_buf_printf(writer->out, quoted ? "](<%.*s>)" : "](%.*s)", (int)src.size, src.data);
}
