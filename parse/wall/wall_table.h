/* The services that put something in the place of a page, and the signs by which each is recognized: data, read by
 * wall.c. */
#pragma once

#include <crawl/wall.h>

/* Where a sign is searched for. The places from CW_WALLS_ON_TITLE on need the page to be read. */
typedef enum cw_walls_place {
    CW_WALLS_NOWHERE,     /* the end of a row's signs */
    CW_WALLS_ON_HEADER,   /* the header has this value, in any case, or any value if text is "" */
    CW_WALLS_ON_COOKIE,   /* a cookie is set whose name begins with this, and does not end with "-auth" */
    CW_WALLS_ON_LOCATION, /* a redirect leads to a URL that contains this */
    CW_WALLS_ON_AWAY,     /* the same, if that URL is on another host */
    CW_WALLS_ON_URL,      /* the requested URL contains this */
    CW_WALLS_ON_ROOT,     /* the path is "/" */
    CW_WALLS_ON_JSON,     /* the body is JSON, and contains this */
    CW_WALLS_ON_PLAIN,    /* the body is plain text that begins with this */
    CW_WALLS_ON_TITLE,    /* the whole title is this */
    CW_WALLS_ON_TEXT,     /* the text contains this, in any case */
    CW_WALLS_ON_MARK,     /* an attribute of a start tag, see cw_walls_page.marks, contains this */
    CW_WALLS_ON_SCRIPT,   /* the text or the URL of a script contains this */
    CW_WALLS_ON_BARE,     /* the page has less than CW_WALLS_BARE_TEXT bytes of text */
    CW_WALLS_ON_MUTE,     /* the page has no text at all */
    CW_WALLS_ON_FORM      /* the page has a form, and less than CW_WALLS_BARE_TEXT bytes of text */
} cw_walls_place;

#define CW_WALLS_BARE_TEXT 300u

typedef struct cw_walls_sign {
    cw_walls_place place;
    const char *text;
    const char *name; /* of a header, in lower case */
} cw_walls_sign;

enum { CW_WALLS_SIGNS = 4, CW_WALLS_STATUSES = 5 };

/* A row matches if all of its signs are present and its statuses include that of the answer. Titles and texts only
 * count on pages with at most CW_WALLS_MAX_TEXT bytes of text. Signs that need no body come first. */
typedef struct cw_walls_row {
    const char *service;
    crawl_verdict verdict;
    int statuses[CW_WALLS_STATUSES]; /* the first 0: any */
    cw_walls_sign signs[CW_WALLS_SIGNS];
} cw_walls_row;

extern const cw_walls_row cw_walls_rows[];
extern const size_t cw_walls_count;

/* The signs in a URL of a page that asks for a login or a consent before it leads back to the requested page: words
 * that are whole segments of its path, without their extension or parameters, or its title as MediaWiki has it, or
 * labels of its host, and parameters that carry the way back. */
typedef struct cw_walls_detour {
    crawl_verdict verdict;
    const char *segments[20];
    const char *labels[4];
} cw_walls_detour;

extern const cw_walls_detour cw_walls_detours[];
extern const size_t cw_walls_detour_count;
extern const char *const cw_walls_returns[];
extern const size_t cw_walls_return_count;
