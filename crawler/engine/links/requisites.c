#include "crawler/engine/links/requisites.h"

#include "crawler/engine/links/rel.h"

/* The links to documents that a page shows inside itself. */
enum { FRAMES = CRAWL_LINK_FRAME | CRAWL_LINK_IFRAME | CRAWL_LINK_OBJECT | CRAWL_LINK_EMBED };

/* Relations of <link> for which a browser asks while it shows the page (HTML standard, 4.6.7). "shortcut" stands before
 * "icon" only; "prefetch" and the like are for pages to come. */
static const char *const loaded[] = {
    "stylesheet", "icon",    "apple-touch-icon", "apple-touch-icon-precomposed",
    "mask-icon",  "preload", "modulepreload",    "manifest",
};

static bool is_loaded(crawl_slice rel)
{
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        if (cw_links_rel_has(rel, loaded[i]))
            return true;
    return false;
}

uint32_t cw_links_requisites_tag(const crawl_link *link, const crawl_lease *lease)
{
    unsigned kind = (unsigned)link->kind;
    if (kind & CRAWL_LINK_LINK ? !is_loaded(link->rel) : !(kind & (CRAWL_LINK_PARTS | FRAMES)))
        return 0;
    uint32_t level = cw_links_requisites_inherited(lease->tag) >> CW_ENGINE_TAG_LEVEL_SHIFT & CW_ENGINE_TAG_LEVEL_MASK;
    if (level >= CW_LINKS_REQUISITES_MAX_LEVEL)
        return 0;
    return cw_links_requisites_tag_of(kind & FRAMES, level + 1);
}
