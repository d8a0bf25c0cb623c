/* A page as far as walls are told by it: what it says, its tags, and its scripts, each as one text to be searched. */
#pragma once

#include <crawl/base.h>
#include <crawl/wall.h>

/* A page with more links leads on, whatever else it says. */
#define CW_WALLS_MAX_LINKS 5u

/* Nor is one a wall that says more than this, in bytes outside of scripts, where its answer is a good one; of any other
 * answer its words prove nothing. The longest block page that is known, an error of CloudFront, has 700. */
#define CW_WALLS_MAX_TEXT 2000u

/* `{0}` is an empty one; its memory is kept from one page to the next. */
typedef struct cw_walls_page {
    crawl_buf title;   /* of the first <title>, with its references resolved */
    crawl_buf text;    /* outside of scripts, styles and titles; white space collapsed, references resolved; cut at
                          CW_WALLS_MAX_TEXT + 1 bytes */
    crawl_buf marks;   /* a line for each start tag, "\nname\n", and for each of its attributes, "\nname
                          attribute=value\n"; names in lower case */
    crawl_buf scripts; /* the texts of scripts, and the URLs that they come from */
    crawl_buf scratch;
} cw_walls_page;

/* Has the page more than CW_WALLS_MAX_LINKS links? */
bool cw_walls_page_leads_on(crawl_slice html);

/* Reads the page. CRAWL_ENOMEM. */
crawl_err cw_walls_page_read(cw_walls_page *page, crawl_slice html);
void cw_walls_page_free(cw_walls_page *page);

/* Pages that stand in the place of another and that no service is known by: told by their words and their form. */

/* A page that says more than this, in bytes, is no "not found" and no consent, or no login. */
#define CW_WALLS_MISSING_TEXT 1500u
#define CW_WALLS_LOGIN_TEXT 800u

/* Does the whole title, but for the name of a site behind it, say that there is no such page? */
bool cw_walls_title_is_missing(crawl_slice title);

/* Does a page at this URL ask for a login, or for a consent before it leads back? CONTENT: for neither. */
crawl_verdict cw_walls_form_of(const cw_walls_page *page, crawl_slice url);
