#include "crawler/engine/links/rel.h"

#include "base/bytes.h"

/* Relations that lead readers to a page: of the HTML standard (4.6.7), of HTML 4.01 (6.12), and those in common use for
 * the same. Any other leads to a part of a page, gives a hint to the browser, or is an interface for programs, some of
 * which change what they are asked for. */
static const char *const pages[] = {
    "alternate",  "canonical", "amphtml",   "next",           "prev",
    "previous",   "first",     "begin",     "last",           "end",
    "contents",   "toc",       "index",     "start",          "home",
    "top",        "up",        "parent",    "chapter",        "section",
    "subsection", "appendix",  "glossary",  "bookmark",       "help",
    "author",     "license",   "copyright", "privacy-policy", "terms-of-service",
    "hreflang",   "archives",  "about",     "related",
};

/* Relations that another one beside them does not make a page: "alternate stylesheet", "alternate edit". */
static const char *const others[] = {
    "stylesheet", "icon",       "shortcut",   "manifest",  "preload",      "modulepreload", "prefetch",
    "prerender",  "preconnect", "expect",     "enclosure", "hub",          "self",          "search",
    "edit",       "edit-form",  "edit-media", "edituri",   "shortlink",    "pingback",      "webmention",
    "replies",    "payment",    "service",    "image_src", "dns-prefetch", "wlwmanifest",
};

static crawl_slice next_token(crawl_slice *rest)
{
    *rest = cw_trim(*rest);
    size_t size = 0;
    while (size < rest->size && !cw_is_space((unsigned char)rest->data[size]))
        size++;
    crawl_slice token = crawl_slice_of(rest->data, size);
    rest->data += size;
    rest->size -= size;
    return token;
}

bool cw_links_rel_has(crawl_slice rel, const char *relation)
{
    for (crawl_slice token; (token = next_token(&rel)).size;)
        if (cw_equal_nocase(token, crawl_slice_from(relation)))
            return true;
    return false;
}

static bool rel_leads_to_page(const crawl_link *link)
{
    bool leads = false;
    crawl_slice rel = link->rel;
    for (crawl_slice token; (token = next_token(&rel)).size;) {
        if (cw_is_among(token, others, sizeof others / sizeof *others))
            return false;
        leads = leads || cw_is_among(token, pages, sizeof pages / sizeof *pages);
    }
    return leads;
}

/* Could it be a page, by its type? */
static bool rel_is_page(const crawl_link *link)
{
    crawl_document document = crawl_document_of_content_type(link->type);
    return !cw_trim(link->type).size || document == CRAWL_DOCUMENT_HTML || document == CRAWL_DOCUMENT_XHTML;
}

/* A feed with a query is one of very many: applications make one for each page, folder or search. RDF is data more
 * often than it is RSS 1.0. */
static bool is_feed_of_site(const crawl_link *link)
{
    return crawl_document_of_content_type(link->type) == CRAWL_DOCUMENT_FEED &&
           !cw_starts_nocase(cw_trim(link->type), "application/rdf") &&
           !memchr(link->href.data ? link->href.data : "", '?', link->href.size);
}

/* An alternate of the same type, for the same readers, is the page itself once more: to be printed, or exported. */
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
