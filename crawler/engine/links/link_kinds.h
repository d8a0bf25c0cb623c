/* Kinds of links: relations that lead to a page (RFC 8288; HTML standard, 4.6.7), parts of a page, and guesses. */
#pragma once

#include "crawler/engine/host/host_table.h"
#include "crawler/engine/tags.h"

#include <crawl/frontier.h>
#include <crawl/links.h>

/* Is a <link>, or a link of a header or a feed, followed? One of its relations has to lead readers to a page, and none
 * may name something else. Its type, where it has one, has to be that of a page or, without a query, of a feed. */
bool cw_links_rel_is_followed(const crawl_link *link);

/* Is this relation among those of rel? Upper and lower case are the same. */
bool cw_links_rel_has(crawl_slice rel, const char *relation);

/* The parts that a page needs to be shown (crawl.requisites). A part is asked for at the depth of its page and from any
 * host; only where it is a document in a frame or a style sheet it has parts of its own, and its other links lead
 * nowhere. */

/* The most levels of parts of parts: frames in frames, style sheets that import others. Pages have two or three levels;
 * a site could make them without end, all at the depth of one page. */
#define CW_LINKS_REQUISITES_MAX_LEVEL 8u

/* The tag of a request for a part at this level, 1: of a page itself. */
static inline uint32_t cw_links_requisites_tag_of(bool frame, uint32_t level)
{
    return CW_ENGINE_TAG_REQUISITE | (frame ? CW_ENGINE_TAG_FRAME : 0) | level << CW_ENGINE_TAG_LEVEL_SHIFT;
}

/* The tag of a request for this link of the page or part that the lease is of; 0: the link is no part of it, or one of
 * too many levels. */
uint32_t cw_links_requisites_tag(const crawl_link *link, const crawl_lease *lease);

/* Does this tag of a request say that it is a part of a page? */
static inline bool cw_links_requisites_is_part(uint32_t tag)
{
    return tag & CW_ENGINE_TAG_REQUISITE;
}

/* Does this tag of a request say that the part may be a document in a frame? */
static inline bool cw_links_requisites_is_frame(uint32_t tag)
{
    return tag & CW_ENGINE_TAG_FRAME;
}

/* The bits of this tag that go on to the request that follows a redirect. */
static inline uint32_t cw_links_requisites_inherited(uint32_t tag)
{
    const uint32_t level = CW_ENGINE_TAG_LEVEL_MASK << CW_ENGINE_TAG_LEVEL_SHIFT;
    return tag & CW_ENGINE_TAG_REQUISITE ? tag & (CW_ENGINE_TAG_REQUISITE | CW_ENGINE_TAG_FRAME | level) : 0;
}

/* URLs that strings of scripts only look like (CRAWL_LINK_SCRIPT_TEXT). Some are none. So they are asked for after
 * everything else on their host, and where most are none, no further ones are. */

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
