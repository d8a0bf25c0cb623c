/* The two vocabularies for the fate of a URL. crawl_edge_verdict is used from the first look at a link to the
 * frontier's answer; the answers of the trap guard and of the frontier are translated into it here. crawl_error_class
 * is used after a request, as the error of a record; a failed transfer and the verdict on a redirect are translated
 * into it here. */
#pragma once

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <crawl/frontier.h>

crawl_edge_verdict cw_links_fate_of_trap(crawl_trap trap); /* CRAWL_TRAP_NONE gives NEW */
crawl_edge_verdict cw_links_fate_of_push(crawl_pushed pushed);
crawl_trap cw_links_fate_trap(crawl_edge_verdict verdict); /* NONE: the verdict is not a limit of the trap guard */

/* Why a redirect is not followed, as the error of the page that redirects; words NULL: it is followed. */
typedef struct cw_links_fate_error {
    crawl_error_class error_class;
    const char *words;
} cw_links_fate_error;
cw_links_fate_error cw_links_fate_of_redirect(crawl_edge_verdict verdict);

/* Returns the error class of a failed transfer. */
crawl_error_class cw_links_fate_of_fetch(crawl_fetch_error error);
