/* Redirects that ask for a login or a consent before they lead back. */
#pragma once

#include <crawl/wall.h>

/* The parts of a URL, absolute or relative, that are searched for words. */
typedef struct cw_walls_url {
    crawl_slice host; /* empty: it names none */
    crawl_slice path;
    crawl_slice query;
} cw_walls_url;

cw_walls_url cw_walls_url_split(crawl_slice url);

/* Returns true for the URL of a login, whatever its query says. */
bool cw_walls_url_is_login(crawl_slice url);

/* Returns the kind of detour if a page at `from` redirects to `to` for one. CONTENT: it does not. */
crawl_verdict cw_walls_detour_of(crawl_slice from, crawl_slice to);
