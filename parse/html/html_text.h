/* Collects the text of a page: of its links, and of the whole page. The walk over a page passes on the text between the
 * tags if it is wanted; here it is decoded, its white space is collapsed, and it is cut at its maximum. */
#pragma once

#include "parse/html/html_token.h"

/* `{0}` wants none. */
typedef struct cw_html_texts {
    unsigned wanted;   /* CRAWL_TEXT_ bits */
    crawl_buf page;    /* text of the whole page */
    crawl_buf anchor;  /* text of the open <a> */
    crawl_buf images;  /* text that stands for the images in it */
    crawl_buf scratch; /* text with its references decoded */
    bool open;         /* inside an <a> with href */

    /* Called when the last <a> passed on has ended, with its text, unless that is empty. The extractor sets it. */
    crawl_err (*anchor_ended)(void *user, crawl_slice text);
    void *user;
} cw_html_texts;

void cw_html_texts_free(cw_html_texts *texts);

/* Call before each page. most: bytes of memory that each buffer keeps from the previous page. */
void cw_html_texts_reset(cw_html_texts *texts, size_t most);

/* The walk calls these in page order: for text before it is decoded, and for each tag before its element is passed on.
 * CRAWL_ENOMEM, or the result of anchor_ended. */
crawl_err cw_html_texts_add(cw_html_texts *texts, crawl_slice raw);
crawl_err cw_html_texts_tag(cw_html_texts *texts, const cw_html_tag *tag, const cw_html_element *element,
                            const cw_html_values *raw);
crawl_err cw_html_texts_end(cw_html_texts *texts);

/* The first appends text with its white space collapsed, until *out has `most` bytes; the second returns the part of it
 * to use, cut at a character. CRAWL_ENOMEM. */
crawl_err cw_html_text_collapse(crawl_buf *out, crawl_slice text, size_t most);
crawl_slice cw_html_text_cut(crawl_slice text);
