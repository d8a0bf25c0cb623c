/* A page as far as walls are recognized by it: its text, its tags, and its scripts, each as one text to search. */
#pragma once

#include <crawl/base.h>
#include <crawl/wall.h>

/* A page with more links leads on, whatever else it says. */
#define CW_WALLS_MAX_LINKS 5u

/* With a successful status, a page with more text than this, in bytes outside scripts, is not a wall; with any other
 * status its words prove nothing. The longest known block page, an error of CloudFront, has 700. */
#define CW_WALLS_MAX_TEXT 2000u

/* `{0}` is empty; its memory is kept from one page to the next. */
typedef struct cw_walls_page {
    crawl_buf title;   /* of the first <title>, with its references resolved */
    crawl_buf text;    /* outside scripts, styles and titles; white space collapsed, references resolved; cut at
                          CW_WALLS_MAX_TEXT + 1 bytes */
    crawl_buf marks;   /* a line for each start tag, "\nname\n", and for each of its attributes, "\nname
                          attribute=value\n"; names in lower case */
    crawl_buf scripts; /* the texts of scripts, and their URLs */
    crawl_buf scratch;
} cw_walls_page;

/* Returns true if the page has more than CW_WALLS_MAX_LINKS links. */
bool cw_walls_page_leads_on(crawl_slice html);

/* Reads the page. CRAWL_ENOMEM. */
crawl_err cw_walls_page_read(cw_walls_page *page, crawl_slice html);
void cw_walls_page_free(cw_walls_page *page);

/* Pages in the place of another that belong to no known service: recognized by their words and their form. */

/* A page with more text than this, in bytes, is not a "not found" page or a consent, or not a login. */
#define CW_WALLS_MISSING_TEXT 1500u
#define CW_WALLS_LOGIN_TEXT 800u

/* Returns true if the whole title, apart from a site's name beside it, says that there is no such page. */
bool cw_walls_title_is_missing(crawl_slice title);

/* Returns whether a page at this URL asks for a login, or for a consent before it leads back. CONTENT: neither. */
crawl_verdict cw_walls_form_of(const cw_walls_page *page, crawl_slice url);
