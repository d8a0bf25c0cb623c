/* See rel.h. */
#include "crawler/engine/links/rel.h"

#include "base/bytes.h"

/* Relations that lead to no page: to a part of one, a hint to the browser, or an interface for programs. */
static const char *const resources[] = {
    "stylesheet", "icon",         "apple-touch-icon", "apple-touch-icon-precomposed",
    "mask-icon",  "manifest",     "preload",          "modulepreload",
    "prefetch",   "dns-prefetch", "preconnect",       "prerender",
    "pingback",   "expect",       "shortcut",         "enclosure",
    "hub",        "webmention",   "edituri",          "https://api.w.org/",
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

static bool names_resource(crawl_slice token)
{
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        if (cw_equal_nocase(token, crawl_slice_from(resources[i])))
            return true;
    return false;
}

bool cw_links_rel_leads_to_page(crawl_slice rel)
{
    crawl_slice token = next_token(&rel);
    if (!token.size)
        return false;
    for (; token.size; token = next_token(&rel))
        if (names_resource(token))
            return false;
    return true;
}
