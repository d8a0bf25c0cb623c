/* Pages that stand in the place of another and that no service is known by: told by their words and their form. */
#ifndef CW_WALLS_WORDS_H
#define CW_WALLS_WORDS_H

#include "parse/wall/wall_page.h"

#include <crawl/wall.h>

/* A page that says more than this, in bytes, is no "not found" and no consent, or no login. */
#define CW_WALLS_MISSING_TEXT 1500u
#define CW_WALLS_LOGIN_TEXT 800u

/* Does the whole title, but for the name of a site behind it, say that there is no such page? */
bool cw_walls_title_is_missing(crawl_slice title);

/* Does a page at this URL ask for a login, or for a consent before it leads back? CONTENT: for neither. */
crawl_verdict cw_walls_form_of(const cw_walls_page *page, crawl_slice url);

#endif
