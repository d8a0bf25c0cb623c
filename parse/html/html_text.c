#include "parse/html/html_text.h"

#include "parse/html/html_reference.h"

#include "base/bytes.h"

#include <crawl/links.h>

/* --- memory --- */

static void each_buf(cw_html_texts *texts, void (*act)(crawl_buf *buf, size_t most), size_t most)
{
    act(&texts->page, most);
    act(&texts->anchor, most);
    act(&texts->images, most);
    act(&texts->scratch, most);
}

void cw_html_texts_free(cw_html_texts *texts)
{
    each_buf(texts, cw_buf_trim, 0);
}

void cw_html_texts_reset(cw_html_texts *texts, size_t most)
{
    texts->open = false;
    each_buf(texts, cw_buf_trim, most); /* even if no text is wanted now: the previous page may have left some */
}

/* --- white space --- */

/* Appends text with each run of white space as one space, and none at the start. A space may be left at the end, which
 * cw_html_text_cut removes. Other control characters are dropped. */
crawl_err cw_html_text_collapse(crawl_buf *out, crawl_slice text, size_t most)
{
    size_t room = out->size < most ? most - out->size : 0;
    crawl_err err = crawl_buf_reserve(out, text.size < room ? text.size : room);
    if (err)
        return err;
    for (size_t i = 0; i < text.size && out->size < most; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool after_space = out->size == 0 || out->data[out->size - 1] == ' ';
        if (c > ' ' && c != 0x7f)
            out->data[out->size++] = (char)c;
        else if (cw_is_space(c) && !after_space)
            out->data[out->size++] = ' ';
    }
    return CRAWL_OK;
}

/* Returns the size of the character that begins with this byte. */
static size_t length_of(unsigned char lead)
{
    return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

crawl_slice cw_html_text_cut(crawl_slice text)
{
    size_t start = text.size;
    while (start && ((unsigned char)text.data[start - 1] & 0xc0) == 0x80)
        start--;
    if (start && start - 1 + length_of((unsigned char)text.data[start - 1]) > text.size)
        text.size = start - 1;
    return cw_trim(text);
}

/* --- events of the walk --- */

/* Elements that do not end a word, by their first letter, each after a space; any other element ends a word. */
static const char *const inline_names[26] = {
    ['a' - 'a'] = " a abbr acronym",
    ['b' - 'a'] = " b bdi bdo big",
    ['c' - 'a'] = " code cite",
    ['d' - 'a'] = " del dfn data",
    ['e' - 'a'] = " em",
    ['f' - 'a'] = " font",
    ['i' - 'a'] = " i ins",
    ['k' - 'a'] = " kbd",
    ['m' - 'a'] = " mark",
    ['n' - 'a'] = " nobr",
    ['q' - 'a'] = " q",
    ['s' - 'a'] = " span strong s small sub sup samp strike",
    ['t' - 'a'] = " tt time",
    ['u' - 'a'] = " u",
    ['v' - 'a'] = " var",
    ['w' - 'a'] = " wbr",
};

static bool is_inline(crawl_slice name)
{
    const char *at = inline_names[(unsigned char)(name.data[0] | 0x20) - 'a'];
    while (at && *at) {
        size_t i = 0;
        for (at++; i < name.size && at[i] && cw_lower((unsigned char)name.data[i]) == (unsigned char)at[i];)
            i++;
        if (i == name.size && (at[i] == ' ' || !at[i]))
            return true;
        while (*at && *at != ' ')
            at++;
    }
    return false;
}

static crawl_err html_text_put(cw_html_texts *texts, crawl_slice text)
{
    crawl_err err = CRAWL_OK;
    if (texts->open)
        err = cw_html_text_collapse(&texts->anchor, text, CRAWL_PAGE_MAX_LINK_TEXT);
    if (!err && (texts->wanted & CRAWL_TEXT_PAGE))
        err = cw_html_text_collapse(&texts->page, text, CRAWL_PAGE_MAX_TEXT);
    return err;
}

/* Decodes a run of text, but no more of it than a page may have in all. */
static crawl_err html_text_decode(cw_html_texts *texts, crawl_slice *text, cw_html_place place)
{
    if (text->size > CRAWL_PAGE_MAX_TEXT)
        *text = cw_html_text_cut(crawl_slice_of(text->data, CRAWL_PAGE_MAX_TEXT));
    if (cw_html_is_literal(*text))
        return CRAWL_OK;
    crawl_buf_clear(&texts->scratch);
    crawl_err err = cw_html_decode(&texts->scratch, *text, place);
    *text = crawl_buf_slice(&texts->scratch);
    return err;
}

crawl_err cw_html_texts_add(cw_html_texts *texts, crawl_slice raw)
{
    if (!raw.size || (!texts->open && !(texts->wanted & CRAWL_TEXT_PAGE)))
        return CRAWL_OK;
    crawl_err err = html_text_decode(texts, &raw, CW_IN_TEXT);
    return err ? err : html_text_put(texts, raw);
}

/* Passes on the text of the open link: its words or, if it has none, the text that stands for its images. */
static crawl_err end_anchor(cw_html_texts *texts)
{
    if (!texts->open)
        return CRAWL_OK;
    texts->open = false;
    crawl_slice text = cw_html_text_cut(crawl_buf_slice(&texts->anchor));
    if (!text.size)
        text = cw_html_text_cut(crawl_buf_slice(&texts->images));
    return text.size ? texts->anchor_ended(texts->user, text) : CRAWL_OK;
}

static crawl_err begin_anchor(cw_html_texts *texts, bool has_href)
{
    crawl_err err = end_anchor(texts);
    crawl_buf_clear(&texts->anchor);
    crawl_buf_clear(&texts->images);
    texts->open = has_href && (texts->wanted & CRAWL_TEXT_LINKS);
    return err;
}

static crawl_err html_text_add_image(cw_html_texts *texts, crawl_slice alt)
{
    if (!texts->open || !alt.size)
        return CRAWL_OK;
    crawl_err err = html_text_decode(texts, &alt, CW_IN_ATTRIBUTE);
    if (!err)
        err = cw_html_text_collapse(&texts->images, crawl_slice_of(" ", 1), CRAWL_PAGE_MAX_LINK_TEXT);
    return err ? err : cw_html_text_collapse(&texts->images, alt, CRAWL_PAGE_MAX_LINK_TEXT);
}

crawl_err cw_html_texts_tag(cw_html_texts *texts, const cw_html_tag *tag, const cw_html_element *element,
                            const cw_html_values *raw)
{
    unsigned id = element ? element->id : CW_ID_OTHER;
    if (id == CW_ID_A)
        return tag->closing ? end_anchor(texts) : begin_anchor(texts, raw->found & CW_AT_HREF);
    bool heard = texts->open || (texts->wanted & CRAWL_TEXT_PAGE);
    crawl_err err = heard && !is_inline(tag->name) ? html_text_put(texts, crawl_slice_of(" ", 1)) : CRAWL_OK;
    return !err && id == CW_ID_IMG && !tag->closing ? html_text_add_image(texts, cw_html_value(raw, CW_AT_ALT)) : err;
}

crawl_err cw_html_texts_end(cw_html_texts *texts)
{
    return end_anchor(texts);
}
