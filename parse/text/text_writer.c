/* See text_writer.h. Writes the markup of CommonMark 0.31. */
#include "parse/text/text_writer.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/text/text_escape.h"
#include "parse/text/text_script.h"
#include "parse/text/text_shift.h"

void cw_text_writer_reset(cw_text_writer *writer, crawl_buf *out, bool markdown, size_t most)
{
    crawl_buf hrefs = writer->hrefs;
    cw_text_marking signs = writer->signs;
    crawl_buf_clear(&hrefs);
    *writer = (cw_text_writer){.out = out, .markdown = markdown, .most = most, .hrefs = hrefs, .signs = signs};
}

void cw_text_writer_free(cw_text_writer *writer)
{
    crawl_buf_free(&writer->hrefs);
    cw_text_signs_free(&writer->signs);
}

void cw_text_writer_begin(cw_text_writer *writer, bool is_pre, bool is_plain)
{
    writer->start = writer->out->size;
    writer->is_pre = is_pre;
    writer->is_plain = is_plain;
    writer->space = writer->line = writer->after_line = writer->in_word = false;
    writer->words = writer->link_words = 0;
    writer->shift = CW_SHIFT_NONE;
    writer->signs.count = 0;
    writer->shifted_at = 0;
    writer->in_reading = writer->after_reading = false;
    writer->formula.is_open = false;
}

/* --- marks --- */

/* Returns true if the mark is written. Headings show no emphasis. */
static bool is_shown(const cw_text_writer *writer, const cw_text_mark *mark)
{
    bool says = !writer->is_plain || mark->kind == CW_MARK_LINK || mark->kind == CW_MARK_CODE;
    return writer->markdown && !writer->is_pre && !mark->is_local && says;
}

/* Begins a link. Escapes an exclamation mark before it, which would make it an image. */
static crawl_err text_writer_open_link(cw_text_writer *writer)
{
    crawl_buf *out = writer->out;
    bool is_exclaimed = !cw_text_writer_is_empty(writer) && out->data[out->size - 1] == '!' &&
                        !cw_text_signs_code_ends(&writer->signs, out->size);
    crawl_err err = cw_text_signs_bar(&writer->signs, out->size);
    if (err || !is_exclaimed)
        return err ? err : crawl_buf_append_char(out, '[');
    out->data[out->size - 1] = '\\';
    for (size_t i = writer->signs.count; i && writer->signs.list[i - 1].at == out->size; i--)
        writer->signs.list[i - 1].at++;
    return crawl_buf_append_text(out, "![");
}

static crawl_err text_writer_begin_mark(cw_text_writer *writer, cw_text_mark *mark)
{
    crawl_err err = mark->kind == CW_MARK_LINK ? text_writer_open_link(writer)
                                               : cw_text_signs_open(&writer->signs, (cw_text_mark_kind)mark->kind,
                                                                    writer->out->size, &mark->sign);
    mark->written = !err;
    mark->at = writer->out->size;
    return err;
}

static bool is_within(const cw_text_writer *writer, unsigned count, uint8_t kind)
{
    for (unsigned i = 0; i < count; i++)
        if (writer->marks[i].kind == kind && writer->marks[i].written)
            return true;
    return false;
}

/* Writes the open marks before the first text after their tags. Code contains no other marks, and no mark contains
 * one of its own kind. */
static crawl_err write_marks(cw_text_writer *writer)
{
    crawl_err err = CRAWL_OK;
    for (unsigned i = 0; i < writer->mark_count && !err; i++) {
        cw_text_mark *mark = &writer->marks[i];
        bool is_vain = mark->kind != CW_MARK_LINK && is_within(writer, i, mark->kind);
        if (!mark->written && is_shown(writer, mark) && !is_vain && !is_within(writer, i, CW_MARK_CODE))
            err = text_writer_begin_mark(writer, mark);
    }
    return err;
}

/* Writes the URL of a link, in angle brackets if it has parentheses or spaces (CommonMark 6.3). Escapes references
 * and backslashes, which count in a URL. */
static crawl_err text_writer_put_url(cw_text_writer *writer, crawl_slice url)
{
    crawl_buf *out = writer->out;
    bool quoted = cw_find_any(url, "()<> ") < url.size;
    crawl_err err = crawl_buf_append_text(out, quoted ? "](<" : "](");
    for (size_t i = 0; i < url.size && !err; i++) {
        const char *at = url.data + i;
        if (strchr("<>\\", *at))
            err = crawl_buf_append_char(out, '\\');
        if (!err)
            err = crawl_buf_append_char(out, *at);
        if (!err && *at == '&' && cw_text_is_reference(at, url.data + url.size))
            err = crawl_buf_append_text(out, "amp;");
    }
    if (!err)
        err = crawl_buf_append_text(out, quoted ? ">)" : ")");
    return err ? err : cw_text_signs_bar(&writer->signs, out->size);
}

static crawl_err end_link(cw_text_writer *writer, const cw_text_mark *mark)
{
    return text_writer_put_url(writer, crawl_slice_of(writer->hrefs.data + mark->href, mark->href_size));
}

static crawl_err text_writer_end_mark(cw_text_writer *writer, cw_text_mark *mark)
{
    if (!mark->written)
        return CRAWL_OK;
    mark->written = false;
    if (mark->kind == CW_MARK_LINK)
        return end_link(writer, mark);
    return cw_text_signs_close(&writer->signs, mark->sign, writer->out->size);
}

static crawl_err end_marks(cw_text_writer *writer, unsigned from)
{
    crawl_err err = CRAWL_OK;
    for (unsigned i = writer->mark_count; i > from && !err; i--)
        err = text_writer_end_mark(writer, &writer->marks[i - 1]);
    return err;
}

/* Ends code at the end of a line; it begins again in the next line. */
static crawl_err end_code_line(cw_text_writer *writer)
{
    crawl_err err = CRAWL_OK;
    for (unsigned i = 0; i < writer->mark_count && !err; i++)
        if (writer->marks[i].kind == CW_MARK_CODE)
            err = text_writer_end_mark(writer, &writer->marks[i]);
    return err;
}

static crawl_err write_space(cw_text_writer *writer)
{
    bool line = writer->line;
    bool space = writer->space || line;
    writer->space = writer->line = false;
    if (!space || cw_text_writer_is_empty(writer))
        return CRAWL_OK;
    if (!line || writer->is_plain)
        return crawl_buf_append_char(writer->out, ' ');
    crawl_err err = writer->markdown ? end_code_line(writer) : CRAWL_OK;
    return err ? err : crawl_buf_append_text(writer->out, writer->markdown ? "\\\n" : "\n");
}

/* Escapes a number sign at the end of a heading, which would be taken for part of its mark. */
static crawl_err end_heading(cw_text_writer *writer)
{
    crawl_buf *out = writer->out;
    if (!writer->markdown || !writer->is_plain || cw_text_writer_is_empty(writer) || out->data[out->size - 1] != '#' ||
        (out->size - writer->start > 1 && out->data[out->size - 2] == '\\'))
        return CRAWL_OK;
    out->data[out->size - 1] = '\\';
    return crawl_buf_append_char(out, '#');
}

crawl_err cw_text_writer_end(cw_text_writer *writer)
{
    crawl_err err = end_marks(writer, 0);
    if (!err)
        err = cw_text_signs_write(&writer->signs, writer->out, writer->start);
    return err ? err : end_heading(writer);
}

crawl_err cw_text_writer_open(cw_text_writer *writer, cw_text_mark_kind kind, crawl_slice href, bool leads_on)
{
    if (writer->mark_count == CW_TEXT_MAX_MARKS)
        return CRAWL_OK;
    cw_text_mark *mark = &writer->marks[writer->mark_count];
    *mark = (cw_text_mark){.kind = (uint8_t)kind,
                           .is_local = kind == CW_MARK_LINK && !href.size,
                           .leads_on = leads_on,
                           .at = writer->out->size,
                           .sign = writer->signs.count};
    crawl_err err = CRAWL_OK;
    if (href.size) {
        mark->href = writer->hrefs.size;
        mark->href_size = href.size;
        err = crawl_buf_append(&writer->hrefs, href.data, href.size);
    }
    writer->mark_count += !err;
    writer->links += kind == CW_MARK_LINK;
    writer->leading += leads_on;
    writer->brackets += href.size > 0;
    writer->codes += kind == CW_MARK_CODE;
    return err;
}

void cw_text_writer_cut(cw_text_writer *writer, size_t at, size_t count)
{
    writer->out->size = at;
    writer->shifted_at = 0; /* it was in the removed text */
    for (unsigned i = 0; i < writer->mark_count; i++)
        if (writer->marks[i].kind != CW_MARK_LINK && writer->marks[i].sign >= count)
            writer->marks[i].written = false;
    cw_text_signs_cut(&writer->signs, count, at);
}

/* Returns true for the text of a link after a heading or term that leads to it, as documentation has them. */
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
    if (is_anchor_sign(text))
        cw_text_writer_cut(writer, at, at == writer->start ? 0 : mark->sign);
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
    writer->leading -= writer->marks[at].leads_on;
    writer->brackets -= writer->marks[at].href_size > 0;
    writer->codes -= kind == CW_MARK_CODE;
    memmove(&writer->marks[at], &writer->marks[at + 1], (writer->mark_count - at) * sizeof *writer->marks);
    return err;
}

/* --- ruby readings --- */

/* Separates a ruby reading from the text after it, unless that is the closing parenthesis. */
static void text_writer_end_reading(cw_text_writer *writer, crawl_slice next)
{
    writer->after_reading = false;
    if (!cw_starts_with(next, ")") && !cw_starts_with(next, "\xef\xbc\x89"))
        cw_text_writer_space(writer);
}

void cw_text_writer_begin_reading(cw_text_writer *writer)
{
    crawl_slice text = cw_drop(crawl_buf_slice(writer->out), writer->start);
    writer->after_reading = false;
    writer->in_reading = true;
    if (!cw_ends_with(text, "(") && !cw_ends_with(text, "\xef\xbc\x88"))
        cw_text_writer_space(writer);
}

void cw_text_writer_end_reading(cw_text_writer *writer)
{
    crawl_slice text = cw_drop(crawl_buf_slice(writer->out), writer->start);
    bool is_apart = cw_ends_with(text, ")") || cw_ends_with(text, "\xef\xbc\x89");
    writer->after_reading = writer->after_reading || (writer->in_reading && !is_apart);
    writer->in_reading = false;
}

void cw_text_writer_shift(cw_text_writer *writer, cw_text_shift shift)
{
    writer->shift = (uint8_t)(writer->space || writer->line || writer->is_pre ? CW_SHIFT_NONE : shift);
}

/* --- text --- */

/* Takes a byte of a character that is not ASCII. Returns true if it begins another word of a script without spaces. */
static bool begins_unspaced(cw_text_writer *writer, unsigned char c)
{
    unsigned char lead = writer->byte;
    writer->byte = c;
    if (!cw_text_script_is_unspaced(lead, c) || writer->letters++ < CW_TEXT_SCRIPT_LETTERS)
        return false;
    writer->letters = 1;
    return true;
}

static inline void count_word(cw_text_writer *writer, unsigned char c)
{
    bool is_word = cw_is_alnum(c) || c >= 0x80;
    uint32_t begins = is_word && (!writer->in_word || cw_text_script_is_ideograph(c));
    writer->letters = begins ? 0 : writer->letters;
    begins += c >= 0x80 && begins_unspaced(writer, c);
    writer->words += begins;
    writer->link_words += writer->leading ? begins : 0;
    writer->in_word = is_word;
}

/* Returns the size of a character that has no width or is white space; 0: any other. */
static size_t blank_size(const char *at, const char *end, bool *is_space)
{
    unsigned char c = (unsigned char)*at;
    size_t left = (size_t)(end - at);
    *is_space = cw_is_space(c);
    if (*is_space || c < ' ' || c == 0x7f)
        return 1;
    if (c == 0xc2 && left > 1 && ((unsigned char)at[1] <= 0xa0 || (unsigned char)at[1] == 0xad)) { /* includes C1 */
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
    if (writer->markdown && !writer->codes && cw_text_escapes(writer, at, end))
        err = crawl_buf_append_char(out, '\\');
    return err ? err : crawl_buf_append_char(out, *at);
}

/* Returns how many bytes can be copied unchanged, after the first character of a run. */
static size_t text_writer_plain_run(const cw_text_writer *writer, const char *at, const char *end)
{
    size_t size = 0;
    while (at + size < end) {
        unsigned char c = (unsigned char)at[size];
        if (c <= ' ' || (writer->markdown && cw_text_special[c]))
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

/* Returns the size of the text before the next character without width or no-break space. */
static size_t text_writer_seen_size(crawl_slice text)
{
    const char *at = text.data;
    const char *end = at + text.size;
    bool is_space = false;
    while (at < end && (cw_is_space((unsigned char)*at) || !blank_size(at, end, &is_space)))
        at++;
    return (size_t)(at - text.data);
}

static crawl_err add_seen(cw_text_writer *writer, crawl_slice text)
{
    const char *at = text.data;
    const char *end = at + text.size;
    crawl_err err = CRAWL_OK;
    while (at < end && !err && writer->out->size < writer->most) {
        if (cw_is_space((unsigned char)*at)) {
            cw_text_writer_space(writer);
            at++;
            continue;
        }
        if (writer->after_reading)
            text_writer_end_reading(writer, crawl_slice_of(at, (size_t)(end - at)));
        err = write_space(writer);
        if (!err)
            err = write_marks(writer);
        crawl_slice left = crawl_slice_of(at, (size_t)(end - at));
        size_t shifted = !err && writer->shift ? cw_text_shift_takes(writer, left) : 0;
        if (shifted) {
            err = cw_text_shift_write(writer, *at);
            at += shifted;
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

/* Adds text, and collapses its white space. The text before a blank character is escaped as at an end, since the
 * blank is not written as it is. */
static crawl_err add_collapsed(cw_text_writer *writer, crawl_slice text)
{
    crawl_err err = CRAWL_OK;
    while (text.size && !err) {
        size_t seen = text_writer_seen_size(text);
        err = add_seen(writer, crawl_slice_of(text.data, seen));
        text = cw_drop(text, seen);
        bool is_space = false;
        if (text.size)
            text = cw_drop(text, blank_size(text.data, text.data + text.size, &is_space));
        if (is_space)
            cw_text_writer_space(writer);
    }
    return err;
}

/* Returns the size of a control character other than a line feed and a tab; 0: any other character. */
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
    /* A newline between two such lines is not a line: their pages style it away. */
    if ((cw_text_writer_is_empty(writer) || writer->after_line) && cw_starts_with(text, "\n"))
        text = cw_drop(text, 1);
    writer->after_line = false;
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

crawl_err cw_text_writer_begin_line(cw_text_writer *writer)
{
    const crawl_buf *out = writer->out;
    writer->after_line = false;
    bool is_begun = !cw_text_writer_is_empty(writer) && out->data[out->size - 1] != '\n';
    return is_begun ? cw_text_writer_break(writer) : CRAWL_OK;
}

crawl_err cw_text_writer_end_line(cw_text_writer *writer)
{
    crawl_err err = cw_text_writer_begin_line(writer);
    writer->after_line = true;
    return err;
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
        err = write_marks(writer);
    if (!err)
        err = cw_text_signs_bar(&writer->signs, writer->out->size);
    if (!err)
        err = crawl_buf_append_text(writer->out, "![");
    writer->brackets++; /* escapes brackets in alt */
    if (!err)
        err = cw_text_writer_add(writer, alt);
    writer->brackets--;
    writer->space = writer->line = false;
    return err ? err : text_writer_put_url(writer, src);
}
