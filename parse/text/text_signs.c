#include "parse/text/text_signs.h"

#include "base/array.h"
#include "parse/text/text_flank.h"

#include <stdlib.h>

void cw_text_signs_free(cw_text_marking *signs)
{
    free(signs->list);
    crawl_buf_free(&signs->made);
}

static crawl_err add_sign(cw_text_marking *signs, cw_text_sign sign)
{
    crawl_err err = CW_ARRAY_RESERVE(signs->list, signs->capacity, signs->count + 1, 32);
    if (!err)
        signs->list[signs->count++] = sign;
    return err;
}

crawl_err cw_text_signs_open(cw_text_marking *signs, cw_text_mark_kind kind, size_t at, size_t *index)
{
    const cw_text_sign *last = signs->count ? &signs->list[signs->count - 1] : NULL;
    if (last && last->at == at && last->kind == kind && !last->opens) {
        *index = last->pair;
        signs->count--;
        return CRAWL_OK;
    }
    *index = signs->count;
    return add_sign(signs, (cw_text_sign){.at = at, .kind = (uint8_t)kind, .opens = true, .pair = signs->count});
}

crawl_err cw_text_signs_close(cw_text_marking *signs, size_t index, size_t at)
{
    signs->list[index].pair = signs->count;
    return add_sign(signs, (cw_text_sign){.at = at, .kind = signs->list[index].kind, .pair = index});
}

crawl_err cw_text_signs_bar(cw_text_marking *signs, size_t at)
{
    return add_sign(signs, (cw_text_sign){.at = at, .kind = CW_MARK_LINK, .opens = true});
}

bool cw_text_signs_code_ends(const cw_text_marking *signs, size_t at)
{
    for (size_t i = signs->count; i && signs->list[i - 1].at == at; i--)
        if (signs->list[i - 1].kind == CW_MARK_CODE)
            return true;
    return false;
}

void cw_text_signs_cut(cw_text_marking *signs, size_t count, size_t size)
{
    size_t kept = count < signs->count ? count : signs->count;
    for (size_t i = kept; i && signs->list[i - 1].at > size; i--)
        signs->list[i - 1].at = size;
    for (size_t i = kept; i < signs->count; i++) {
        cw_text_sign sign = signs->list[i];
        if (sign.opens || sign.pair >= count)
            continue;
        sign.at = sign.at < size ? sign.at : size;
        signs->list[sign.pair].pair = kept;
        signs->list[kept++] = sign;
    }
    signs->count = kept;
}

/* Returns the length of the longest run of a character. */
static size_t longest_run(crawl_slice text, char c)
{
    size_t longest = 0;
    for (size_t i = 0, run = 0; i < text.size; i++) {
        run = text.data[i] == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Writes a sign of code: one backquote more than the longest run in the code and, if it has any, a space (CommonMark
 * 6.1). */
static crawl_err write_code_sign(crawl_buf *made, const cw_text_sign *sign, const cw_text_sign *pair, crawl_slice text)
{
    size_t from = sign->opens ? sign->at : pair->at;
    size_t to = sign->opens ? pair->at : sign->at;
    size_t run = longest_run(crawl_slice_of(text.data + from, to - from), '`');
    crawl_err err = run && !sign->opens ? crawl_buf_append_char(made, ' ') : CRAWL_OK;
    for (size_t i = 0; i < run + 1 && !err; i++)
        err = crawl_buf_append_char(made, '`');
    return run && sign->opens && !err ? crawl_buf_append_char(made, ' ') : err;
}

static crawl_err write_text_sign(cw_text_marking *signs, const cw_text_sign *sign, crawl_slice text)
{
    static const char *const texts[] = {[CW_MARK_STRONG] = "**", [CW_MARK_EMPHASIS] = "*", [CW_MARK_DELETED] = "~~"};
    if (sign->kind == CW_MARK_LINK)
        return CRAWL_OK;
    if (sign->kind == CW_MARK_CODE)
        return write_code_sign(&signs->made, sign, &signs->list[sign->pair], text);
    return crawl_buf_append_text(&signs->made, texts[sign->kind]);
}

/* Joins pieces of code that have no sign between them. */
static void join_code(cw_text_marking *signs)
{
    cw_text_sign *list = signs->list;
    for (size_t i = 0, last = signs->count; i < signs->count; i++) {
        if (list[i].dropped)
            continue;
        if (last < i && list[last].at == list[i].at && list[last].kind == CW_MARK_CODE && !list[last].opens &&
            list[i].kind == CW_MARK_CODE) {
            list[last].dropped = list[i].dropped = true;
            list[list[last].pair].pair = list[i].pair;
            list[list[i].pair].pair = list[last].pair;
        }
        last = i;
    }
}

crawl_err cw_text_signs_write(cw_text_marking *signs, crawl_buf *out, size_t start)
{
    if (!signs->count)
        return CRAWL_OK;
    for (size_t i = 0; i < signs->count; i++)
        signs->list[i].at -= start;
    crawl_slice text = crawl_slice_of(out->data + start, out->size - start);
    cw_text_flank_settle(signs, text);
    join_code(signs);
    crawl_buf_clear(&signs->made);
    crawl_err err = CRAWL_OK;
    size_t at = 0;
    for (size_t i = 0; i < signs->count && !err; i++) {
        const cw_text_sign *sign = &signs->list[i];
        if (sign->dropped) /* other signs may have moved past it */
            continue;
        err = crawl_buf_append(&signs->made, text.data + at, sign->at - at);
        at = sign->at;
        if (!err)
            err = write_text_sign(signs, sign, text);
    }
    if (!err)
        err = crawl_buf_append(&signs->made, text.data + at, text.size - at);
    if (err)
        return err;
    signs->count = 0;
    out->size = start;
    return crawl_buf_append(out, signs->made.data, signs->made.size);
}
