/* Which strings of a script are URLs of pages. Most that look like one are not: route patterns, files of the build,
 * interfaces for programs. The rules favour few false URLs over finding all. */
#pragma once

#include "parse/script/script_token.h"

/* The most bytes of a URL that is taken from a script. */
#define CW_SCRIPT_MAX_URL 2048u

/* Names of strings that are URLs of pages: of values, and of functions that lead to a page. */
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

/* Returns the index of a name in the two lists, one after the other. -1: it is not in them. */
int cw_script_name_of(crawl_slice name, cw_script_how how);

/* Returns true if text, whose name says that it is a URL, is that of a page. name: its index; under the first one,
 * href, it need not begin with "/". */
bool cw_script_is_named_url(crawl_slice text, int name);

/* Returns true if a string with this name leads to no page: fetch("/a"), b.startsWith("/a"), targets of forms, patterns
 * of speculation rules. */
bool cw_script_leads_nowhere(crawl_slice name, cw_script_how how);

/* Returns true if text without a name is the URL of a page. A URL with a host only counts if it is `host` (empty:
 * none). */
bool cw_script_is_url(crawl_slice text, crawl_slice host);

/* Returns true if text is the URL of a script file, by its name and extension: {src: "a.js"}, import("./a.js"). */
bool cw_script_is_file(crawl_slice text, crawl_slice name, cw_script_how how);
