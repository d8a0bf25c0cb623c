#include "crawler/engine/links/link_kinds.h"

#include "base/bytes.h"

/* Relations that lead readers to a page: those of the HTML standard (4.6.7) and of HTML 4.01 (6.12), and others in
 * common use for the same. Any other relation leads to a part of a page, gives a hint to the browser, or is an
 * interface for programs; some of these change what they are asked for. */
static const char *const pages[] = {
    "alternate",  "canonical", "amphtml",   "next",           "prev",
    "previous",   "first",     "begin",     "last",           "end",
    "contents",   "toc",       "index",     "start",          "home",
    "top",        "up",        "parent",    "chapter",        "section",
    "subsection", "appendix",  "glossary",  "bookmark",       "help",
    "author",     "license",   "copyright", "privacy-policy", "terms-of-service",
    "hreflang",   "archives",  "about",     "related",
};

/* Relations that never lead to a page, whatever other relations the link has: "alternate stylesheet", "alternate
 * edit". */
static const char *const others[] = {
    "stylesheet", "icon",       "shortcut",   "manifest",  "preload",      "modulepreload", "prefetch",
    "prerender",  "preconnect", "expect",     "enclosure", "hub",          "self",          "search",
    "edit",       "edit-form",  "edit-media", "edituri",   "shortlink",    "pingback",      "webmention",
    "replies",    "payment",    "service",    "image_src", "dns-prefetch", "wlwmanifest",
};

bool cw_links_rel_has(crawl_slice rel, const char *relation)
{
    return cw_has_word(rel, crawl_slice_from(relation), false);
}

static bool rel_leads_to_page(const crawl_link *link)
{
    bool leads = false;
    crawl_slice rel = link->rel;
    for (crawl_slice token; (token = cw_take_word(&rel, false)).size;) {
        if (cw_is_among(token, others, sizeof others / sizeof *others))
            return false;
        leads = leads || cw_is_among(token, pages, sizeof pages / sizeof *pages);
    }
    return leads;
}

/* Returns true if the type allows a page. */
static bool rel_is_page(const crawl_link *link)
{
    crawl_document document = crawl_document_of_content_type(link->type);
    return !cw_trim(link->type).size || document == CRAWL_DOCUMENT_HTML || document == CRAWL_DOCUMENT_XHTML;
}

/* Returns true for a feed of the whole site. A feed with a query is one of very many: applications make one for each
 * page, folder or search. RDF is data more often than RSS 1.0. */
static bool is_feed_of_site(const crawl_link *link)
{
    return crawl_document_of_content_type(link->type) == CRAWL_DOCUMENT_FEED &&
           !cw_starts_nocase(cw_trim(link->type), "application/rdf") &&
           !memchr(link->href.data ? link->href.data : "", '?', link->href.size);
}

/* Returns true if the link is the page itself again, for print or export: an alternate of the same type for the same
 * readers. */
static bool is_same_page(const crawl_link *link)
{
    return link->for_anyone && cw_trim(link->type).size && cw_links_rel_has(link->rel, "alternate");
}

bool cw_links_rel_is_followed(const crawl_link *link)
{
    if (!rel_leads_to_page(link))
        return false;
    return rel_is_page(link) ? !is_same_page(link) : is_feed_of_site(link);
}

/* Links to documents that a page shows inside itself. */
enum { FRAMES = CRAWL_LINK_FRAME | CRAWL_LINK_IFRAME | CRAWL_LINK_OBJECT | CRAWL_LINK_EMBED };

/* Relations of <link> that a browser loads while it shows the page (HTML standard, 4.6.7). "shortcut" occurs only
 * before "icon"; "prefetch" and the like are for later pages. */
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

/* Answers before a host is judged, the number out of ten that may be missing, and the last count that fits into a
 * byte. */
enum { ENOUGH = 5, MOST_OF_TEN = 4, MOST_COUNTED = 255 };

static uint32_t guesses_asked(uint32_t counts)
{
    return counts & 0xff;
}

static uint32_t guesses_gone(uint32_t counts)
{
    return counts >> 8;
}

bool cw_links_guesses_are_shut(const cw_host_record *host)
{
    uint32_t counts = atomic_load_explicit(&host->guesses, memory_order_relaxed);
    return guesses_asked(counts) >= ENOUGH && guesses_gone(counts) * 10 > guesses_asked(counts) * MOST_OF_TEN;
}

void cw_links_guesses_answered(cw_host_record *host, bool exists)
{
    uint32_t counts = atomic_load_explicit(&host->guesses, memory_order_relaxed);
    while (guesses_asked(counts) < MOST_COUNTED &&
           !atomic_compare_exchange_weak(&host->guesses, &counts, counts + (exists ? 1 : 1 + (1 << 8))))
        ;
}
