/* URLs that strings of scripts only look like (CRAWL_LINK_SCRIPT_TEXT). Some are none. So they are asked for after
 * everything else on their host, and where most are none, no further ones are. */
#ifndef CW_LINKS_GUESSES_H
#define CW_LINKS_GUESSES_H

#include "crawler/engine/host/host_table.h"
#include "crawler/engine/tags.h"

#include <crawl/links.h>

/* Is the link such a URL? */
static inline bool cw_links_guesses_has(const crawl_link *link)
{
    return link->kind == CRAWL_LINK_SCRIPT_TEXT;
}

/* Is the request with this tag for one? */
static inline bool cw_links_guesses_is(uint32_t tag)
{
    const uint32_t others = CW_ENGINE_TAG_ROBOTS | CW_ENGINE_TAG_SITEMAP | CW_ENGINE_TAG_REQUISITE;
    return (tag & CW_ENGINE_TAG_GUESSED) && !(tag & others);
}

/* How far behind all else they are. */
enum { CW_LINKS_GUESSES_PRIORITY = -1000000 };

/* Are no more asked for on this host? */
bool cw_links_guesses_are_shut(const cw_host_record *host);
/* One was answered; *exists: there is a page. */
void cw_links_guesses_answered(cw_host_record *host, bool exists);

#endif
