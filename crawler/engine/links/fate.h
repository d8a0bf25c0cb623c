/* The one vocabulary of what becomes of a URL that was found: crawl_edge_verdict, from a look at the link to the answer
 * of the frontier. What the trap guard and the frontier answer is put into it here, and what a redirect that is not
 * followed is called in its page's record. */
#ifndef CW_LINKS_FATE_H
#define CW_LINKS_FATE_H

#include <crawl/engine.h>
#include <crawl/frontier.h>

crawl_edge_verdict cw_links_fate_of_trap(crawl_trap trap); /* NONE: NEW */
crawl_edge_verdict cw_links_fate_of_push(crawl_pushed pushed);
crawl_trap cw_links_fate_trap(crawl_edge_verdict verdict); /* NONE: the verdict is about no limit */

/* Why a redirect that came to this is not followed, as an error of the page that redirects; words NULL: it is. */
typedef struct cw_links_fate_error {
    crawl_error_class error_class;
    const char *words;
} cw_links_fate_error;
cw_links_fate_error cw_links_fate_of_redirect(crawl_edge_verdict verdict);

#endif
