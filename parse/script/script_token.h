/* Finds the strings of a script, of JSON or of the mixtures that frameworks print, and the name that each has. It reads
 * JavaScript only as far as strings, comments, templates and regular expressions require (ECMA-262, 12 "Lexical
 * Grammar"), builds nothing, and continues after what it cannot read. */
#pragma once

#include <crawl/base.h>

/* The text between a name and its string. */
typedef enum cw_script_how {
    CW_SCRIPT_ALONE, /* nothing: there is no name */
    CW_SCRIPT_VALUE, /* ":" or "=", {href: "/a"}, location = "/a"; or an array after these */
    CW_SCRIPT_CALL   /* "(", router.push("/a") */
} cw_script_how;

/* A string, borrowed from the text. */
typedef struct cw_script_string {
    crawl_slice raw;  /* raw, between its quotes */
    crawl_slice name; /* raw: of location.href "href" */
    cw_script_how how;
    bool has_escapes;
    bool is_key;  /* it is a name itself: ":" follows it */
    bool is_part; /* of a text made from it: "a" + b, "a".concat(b) */
} cw_script_string;

/* A position in a text; {at, end} is its start. */
typedef struct cw_script_reader {
    const char *at;
    const char *end;
    crawl_slice name; /* the last one */
    cw_script_how how;
    char before;     /* first byte of the previous token; NUL: there is none */
    unsigned arrays; /* open ones, after name */
    bool is_value;   /* the previous token is a value, so a "/" divides */
} cw_script_reader;

static inline cw_script_reader cw_script_read(crawl_slice text)
{
    return (cw_script_reader){.at = text.data, .end = text.data + text.size};
}

/* Takes the next string; a template with a substitution does not count. false: there is none left. */
bool cw_script_next(cw_script_reader *reader, cw_script_string *string);

/* Appends the value of a string; an invalid escape stays as it is, half a surrogate pair becomes U+FFFD. CRAWL_ENOMEM:
 * out is unchanged. */
crawl_err cw_script_unescape(crawl_slice raw, crawl_buf *out);
