/* URLs of pages that scripts hold: in data that a page brings along (JSON, the states of frameworks, speculation
 * rules), in calls that lead to a page, and in strings of which only their look speaks. No script is run. */
#pragma once

#include <crawl/base.h>

/* URLs of a page, by their look alone, beyond which no more are taken. */
#define CW_SCRIPT_MAX_GUESSES 100u

/* Whom the URLs are told, in the order in which they stand. */
typedef struct cw_script_finder {
    void *user;
    /* url is as a link has it. name: under which it stands (script_url.h); -1: it is told by its look. Any answer
     * ends the search unless it is CRAWL_OK. */
    crawl_err (*found)(void *user, crawl_slice url, int name);
    bool guesses;     /* are URLs told by their look wanted? */
    crawl_slice host; /* of the page: of such URLs with a host only those on this one are told */
    bool is_handler;  /* the text is code of one element: what has a name may do without a "/" at its front */
} cw_script_finder;

/* Finds the URLs of a <script>, whatever its type, or of a file of scripts. Of strings that hold JSON or HTML their own
 * are found. A text that a framework streams in pieces is not read: see cw_script_flight. CRAWL_ENOMEM. */
crawl_err cw_script_find(crawl_slice text, const cw_script_finder *finder);

/* Is text a piece of what React streams, self.__next_f.push([1,"..."])? Then it is appended to stream, which is to be
 * searched when the page has ended: pieces end anywhere. CRAWL_ENOMEM. */
crawl_err cw_script_flight(crawl_slice text, crawl_buf *stream, bool *is_piece);

/* Finds the URLs of JSON in which numbers stand for values, as devalue writes it for Nuxt and SvelteKit: one array, in
 * which the numbers inside objects are places. Of other JSON there are none. CRAWL_ENOMEM. */
crawl_err cw_script_find_flat(crawl_slice text, const cw_script_finder *finder);
