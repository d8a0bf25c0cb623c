/* Text of a page: of its links, and of the whole. The walk over a page tells of the text between the tags where
 * somebody wants it; here it is decoded, its white space collapsed, and cut. */
#ifndef CW_HTML_TEXT_H
#define CW_HTML_TEXT_H

#include "parse/html/html_token.h"

/* `{0}` wants none. */
typedef struct cw_html_texts {
    unsigned wanted;   /* CRAWL_TEXT_ bits */
    crawl_buf page;    /* of the whole page */
    crawl_buf anchor;  /* of the <a> that is open */
    crawl_buf images;  /* what stands for the images in it */
    crawl_buf scratch; /* text with its references decoded */
    bool open;         /* inside an <a> with href */

    /* The <a> handed over last has ended, with this text, which is not empty. Set by the extractor. */
    crawl_err (*anchor_ended)(void *user, crawl_slice text);
    void *user;
} cw_html_texts;

void cw_html_texts_free(cw_html_texts *texts);

/* Before a page; most: bytes of memory kept from the page before, of each buffer. */
void cw_html_texts_reset(cw_html_texts *texts, size_t most);

/* What the walk tells, in the order of the page: text as it stands, and each tag that is one, before its element is
 * handed over. CRAWL_ENOMEM, or what anchor_ended says. */
crawl_err cw_html_texts_add(cw_html_texts *texts, crawl_slice raw);
crawl_err cw_html_texts_tag(cw_html_texts *texts, const cw_html_tag *tag, const cw_html_element *element,
                            const cw_html_values *raw);
crawl_err cw_html_texts_end(cw_html_texts *texts);

/* Appends text with its white space collapsed, up to so many bytes of *out; and what is then to be taken of *out, cut
 * at a character. CRAWL_ENOMEM. */
crawl_err cw_html_text_collapse(crawl_buf *out, crawl_slice text, size_t most);
crawl_slice cw_html_text_cut(crawl_slice text);

#endif
