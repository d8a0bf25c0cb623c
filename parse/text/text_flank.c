#include "parse/text/text_flank.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <unictype.h>

typedef enum flank_class { FLANK_SPACE, FLANK_PUNCTUATION, FLANK_WORD } flank_class;

/* Of the first character of a text; its end is a space. */
static flank_class flank_class_of(crawl_slice text)
{
    if (!text.size || cw_is_space((unsigned char)text.data[0]))
        return FLANK_SPACE;
    unsigned char c = (unsigned char)text.data[0];
    if (c < 0x80)
        return cw_is_alnum(c) || c < ' ' ? FLANK_WORD : FLANK_PUNCTUATION;
    uint32_t code = cw_utf8_next(text.data, text.data + text.size).code;
    bool is_mark = uc_is_general_category_withtable(code, UC_CATEGORY_MASK_P | UC_CATEGORY_MASK_S);
    return is_mark ? FLANK_PUNCTUATION : FLANK_WORD;
}

/* The last character that stands before a place, not before `from`; empty: there is none. */
static crawl_slice flank_before(const cw_text_writer *writer, size_t from, size_t at)
{
    size_t begin = at;
    while (begin > from && at - begin < 4) {
        begin--;
        if (((unsigned char)writer->out->data[begin] & 0xc0) != 0x80)
            break;
    }
    return begin < at ? crawl_slice_of(writer->out->data + begin, at - begin) : (crawl_slice){0};
}

bool cw_text_flank_opens(const cw_text_writer *writer, crawl_slice next)
{
    crawl_slice before = flank_before(writer, writer->start, writer->out->size);
    return flank_class_of(before) != FLANK_WORD || flank_class_of(next) != FLANK_PUNCTUATION;
}

void cw_text_flank_note(cw_text_writer *writer, cw_text_mark_kind kind, size_t from, size_t content)
{
    bool is_behind_another = writer->closed_at == from && from;
    writer->closed = is_behind_another ? CW_MARK_LINK : (uint8_t)kind; /* which stands for several */
    writer->closed_from = is_behind_another ? writer->closed_from : from;
    if (!is_behind_another || content > writer->content_from)
        writer->content_from = content;
    writer->closed_at = writer->out->size;
}

bool cw_text_flank_goes_on(cw_text_writer *writer, cw_text_mark *mark)
{
    if (!writer->closed_at || writer->closed_at != writer->out->size || writer->closed != mark->kind ||
        mark->kind == CW_MARK_LINK)
        return false;
    writer->out->size = writer->closed_from;
    writer->closed_at = 0;
    mark->written = true;
    mark->at = writer->content_from;
    return true;
}

/* Takes a mark away that holds punctuation alone. */
static void flank_drop(cw_text_writer *writer)
{
    crawl_buf *out = writer->out;
    size_t sign = writer->closed_at - writer->closed_from;
    if (writer->closed == CW_MARK_LINK || writer->content_from < writer->start + sign)
        return;
    memmove(out->data + writer->content_from - sign, out->data + writer->content_from,
            writer->closed_from - writer->content_from);
    out->size -= 2 * sign;
}

crawl_err cw_text_flank_settle(cw_text_writer *writer, crawl_slice next)
{
    crawl_buf *out = writer->out;
    if (!writer->closed_at || writer->closed_at != out->size || flank_class_of(next) != FLANK_WORD)
        return CRAWL_OK;
    size_t to = writer->closed_from;
    for (crawl_slice c; (c = flank_before(writer, writer->content_from, to)).size; to -= c.size)
        if (flank_class_of(c) == FLANK_WORD)
            break;
    size_t moved = writer->closed_from - to;
    if (to == writer->content_from) {
        flank_drop(writer);
    } else if (moved) {
        size_t sign = writer->closed_at - writer->closed_from;
        crawl_err err = crawl_buf_reserve(out, moved); /* a copy stands behind the text for the turn */
        if (err)
            return err;
        memcpy(out->data + out->size, out->data + to, moved);
        memmove(out->data + to, out->data + writer->closed_from, sign);
        memcpy(out->data + to + sign, out->data + out->size, moved);
        out->data[out->size] = '\0';
    }
    writer->closed_at = 0;
    return CRAWL_OK;
}
