/* URLs of pages in scripts: in data that a page carries (JSON, the states of frameworks, speculation rules), in calls
 * that lead to a page, and in strings that only look like URLs. No script is run. */
#pragma once

#include <crawl/base.h>

/* The most URLs per page that are taken by their look alone. */
#define CW_SCRIPT_MAX_GUESSES 100u

/* The names of URLs that are not of a page, but of a script file, or the target of a form that is sent by GET. */
#define CW_SCRIPT_FILE (-2)
#define CW_SCRIPT_FORM (-4)

/* The receiver of the URLs, in order of occurrence; those of strings joined from constants come last. */
typedef struct cw_script_finder {
    void *user;
    /* url is in the form of a link. name: index of its name (script_url.h), CW_SCRIPT_FILE or CW_SCRIPT_FORM; -1: it
     * was found by its look. Any result but CRAWL_OK ends the search. */
    crawl_err (*found)(void *user, crawl_slice url, int name);
    bool guesses;     /* URLs found by their look are wanted */
    crawl_slice host; /* of the page: such URLs with a host are only reported if it is this one */
    bool is_handler;  /* the text is code of one element: a named string need not begin with "/" */
} cw_script_finder;

/* Finds the URLs of a <script>, whatever its type, or of a script file. Strings that hold JSON or HTML are searched in
 * turn. Text that a framework streams in pieces is not read: see cw_script_flight. CRAWL_ENOMEM. */
crawl_err cw_script_find(crawl_slice text, const cw_script_finder *finder);

/* Appends text to stream if it is a piece of React's stream, self.__next_f.push([1,"..."]). Search stream when the page
 * has ended: pieces end anywhere. CRAWL_ENOMEM. */
crawl_err cw_script_flight(crawl_slice text, crawl_buf *stream, bool *is_piece);

/* Finds the URLs of JSON in which numbers stand for values, as devalue writes it for Nuxt and SvelteKit: one array, in
 * which the numbers inside objects are indices. Other JSON has none. CRAWL_ENOMEM. */
crawl_err cw_script_find_flat(crawl_slice text, const cw_script_finder *finder);
