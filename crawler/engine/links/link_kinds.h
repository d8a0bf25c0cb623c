/* Kinds of links: relations that lead to a page (RFC 8288; HTML standard, 4.6.7), parts of a page, and guesses. */
#pragma once

#include "crawler/engine/host/host_table.h"
#include "crawler/engine/tags.h"

#include <crawl/frontier.h>
#include <crawl/links.h>

/* Returns true if a <link>, or a link of a header or a feed, is followed. One of its relations must lead readers to a
 * page, and none may name something else. Its type, if any, must be that of a page or, without a query, of a feed. */
bool cw_links_rel_is_followed(const crawl_link *link);

/* Returns true if this relation is among those of rel, in any case. */
bool cw_links_rel_has(crawl_slice rel, const char *relation);

/* The parts that a page needs to be shown (crawl.requisites). A part is asked for at the depth of its page and from any
 * host. Only a document in a frame or a style sheet has parts of its own; the other links of a part are not
 * followed. */

/* The most levels of parts of parts: frames in frames, style sheets that import others. Pages have two or three levels;
 * a site could make endlessly many, all at the depth of one page. */
#define CW_LINKS_REQUISITES_MAX_LEVEL 8u

/* Returns the tag of a request for a part at this level; 1: a part of the page itself. */
static inline uint32_t cw_links_requisites_tag_of(bool frame, uint32_t level)
{
    return CW_ENGINE_TAG_REQUISITE | (frame ? CW_ENGINE_TAG_FRAME : 0) | level << CW_ENGINE_TAG_LEVEL_SHIFT;
}

/* Returns the tag of a request for this link of the lease's page or part; 0: the link is not a part of it, or is too
 * many levels deep. */
uint32_t cw_links_requisites_tag(const crawl_link *link, const crawl_lease *lease);

/* Returns true if a request with this tag is for a part of a page. */
static inline bool cw_links_requisites_is_part(uint32_t tag)
{
    return tag & CW_ENGINE_TAG_REQUISITE;
}

/* Returns true if a part with this tag may be a document in a frame. */
static inline bool cw_links_requisites_is_frame(uint32_t tag)
{
    return tag & CW_ENGINE_TAG_FRAME;
}

/* Returns true if a page with this tag was found as a frame, and becomes a part once a redirect leaves the scope. */
static inline bool cw_links_requisites_may_become_part(uint32_t tag)
{
    return (tag & CW_ENGINE_TAG_FRAME) && !(tag & (CW_ENGINE_TAG_SITEMAP | CW_ENGINE_TAG_REQUISITE));
}

/* Returns the bits of this tag that pass on to the request that follows a redirect. */
static inline uint32_t cw_links_requisites_inherited(uint32_t tag)
{
    const uint32_t level = CW_ENGINE_TAG_LEVEL_MASK << CW_ENGINE_TAG_LEVEL_SHIFT;
    return tag & CW_ENGINE_TAG_REQUISITE              ? tag & (CW_ENGINE_TAG_REQUISITE | CW_ENGINE_TAG_FRAME | level)
           : cw_links_requisites_may_become_part(tag) ? CW_ENGINE_TAG_FRAME
                                                      : 0;
}

/* Strings in scripts that only look like URLs (CRAWL_LINK_SCRIPT_TEXT). Some are not. So they are asked for after
 * everything else on their host, and no longer once too many of them turn out not to exist. */

/* Returns true if the link is such a string. */
static inline bool cw_links_guesses_has(const crawl_link *link)
{
    return link->kind == CRAWL_LINK_SCRIPT_TEXT;
}

/* Returns true if a request with this tag is for one. */
static inline bool cw_links_guesses_is(uint32_t tag)
{
    const uint32_t others = CW_ENGINE_TAG_ROBOTS | CW_ENGINE_TAG_SITEMAP | CW_ENGINE_TAG_REQUISITE;
    return (tag & CW_ENGINE_TAG_GUESSED) && !(tag & others);
}

/* How far behind everything else they are. */
enum { CW_LINKS_GUESSES_PRIORITY = -1000000 };

/* Returns true if no more are asked for on this host. */
bool cw_links_guesses_are_shut(const cw_host_record *host);
/* Counts the answer for one; exists: there is a page. */
void cw_links_guesses_answered(cw_host_record *host, bool exists);
