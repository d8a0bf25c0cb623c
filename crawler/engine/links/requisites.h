/* The parts that a page needs to be shown (crawl.requisites): which of its links are parts of it, and how far the parts
 * of parts are asked for. A part is asked for at the depth of its page and from any host; only where it is a document
 * in a frame or a style sheet it has parts of its own, and its other links lead nowhere. */
#ifndef CW_LINKS_REQUISITES_H
#define CW_LINKS_REQUISITES_H

#include "crawler/engine/tags.h"

#include <crawl/frontier.h>
#include <crawl/links.h>

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

#endif
