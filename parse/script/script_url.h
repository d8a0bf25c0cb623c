/* Which strings of a script are URLs of pages. Most that look so are none: patterns of routes, files of the build,
 * interfaces for programs. The rules give few URLs that do not exist rather than all that do. */
#pragma once

#include "parse/script/script_token.h"

/* The most bytes of a URL that is taken from a script. */
#define CW_SCRIPT_MAX_URL 2048u

/* Names under which URLs of pages stand: of values, and of functions that lead to a page. */
#define CW_SCRIPT_VALUES(X)                                                                                       \
    X(href)                                                                                                       \
    X(url)                                                                                                        \
    X(urls)                                                                                                       \
    X(uri)                                                                                                        \
    X(link)                                                                                                       \
    X(permalink)                                                                                                  \
    X(canonical) X(canonicalUrl) X(path) X(pathname) X(urlPath) X(to) X(webUrl) X(pageUrl) X(linkUrl) X(location) \
        X(route) X(slug)
#define CW_SCRIPT_CALLS(X) X(open) X(assign) X(navigate) X(redirect) X(replace) X(push) X(goto) X(navigateTo)

/* The place of one in both lists, one after the other; -1: it is none. */
int cw_script_name_of(crawl_slice name, cw_script_how how);

/* Is text, whose name says that it is one, the URL of a page? name: its place; under the first one, href, it may do
 * without a "/" at its front. */
bool cw_script_is_named_url(crawl_slice text, int name);

/* Does what stands under this name lead to no page: fetch("/a"), b.startsWith("/a")? */
bool cw_script_leads_nowhere(crawl_slice name, cw_script_how how);

/* Is text, of which nothing is known, one? Of those with a host only the ones on host (empty: none) are. */
bool cw_script_is_url(crawl_slice text, crawl_slice host);
