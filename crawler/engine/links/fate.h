/* The two vocabularies of what becomes of a URL. From a look at the link to the answer of the frontier it is
 * crawl_edge_verdict: here the answers of the trap guard and of the frontier are translated into it. Behind a request
 * it is crawl_error_class, the error that a record has: a failed transfer and the verdict on a redirect are translated
 * into it. */
#pragma once

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <crawl/frontier.h>

crawl_edge_verdict cw_links_fate_of_trap(crawl_trap trap); /* NONE: NEW */
crawl_edge_verdict cw_links_fate_of_push(crawl_pushed pushed);
crawl_trap cw_links_fate_trap(crawl_edge_verdict verdict); /* NONE: the verdict is about no limit of the trap guard */

/* Why a redirect is not followed, as the error of the page that redirects; words NULL: it is followed. */
typedef struct cw_links_fate_error {
    crawl_error_class error_class;
    const char *words;
} cw_links_fate_error;
cw_links_fate_error cw_links_fate_of_redirect(crawl_edge_verdict verdict);

/* The class of a failed transfer. */
crawl_error_class cw_links_fate_of_fetch(crawl_fetch_error error);
