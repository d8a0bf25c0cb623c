/* Finds the strings of a script, of JSON or of the mixtures that frameworks print, and the name that each has. It reads
 * JavaScript only as far as strings, comments, templates and regular expressions require (ECMA-262, 12 "Lexical
 * Grammar"), and continues after what it cannot read. Reading builds nothing; for expressions a text is split into all
 * its tokens. */
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
    crawl_slice call; /* given an object that begins before the string: of ajax({url: "/a"}) "ajax" */
    bool has_escapes;
    bool is_key;  /* it is a name itself: ":" follows it */
    bool is_part; /* of a text made from it: "a" + b, "a".concat(b) */
} cw_script_string;

/* Strings in quotation marks, strings in apostrophes, patterns. For each, a reader knows up to where it found no end,
 * and looks for none there again: a line may have many that are not closed. */
enum { CW_SCRIPT_UNCLOSED = 3 };

/* A position in a text. */
typedef struct cw_script_reader {
    const char *at;
    const char *end;
    const char *unclosed[CW_SCRIPT_UNCLOSED];
    crawl_slice name; /* the last one */
    cw_script_how how;
    crawl_slice call; /* of cw_script_string; empty behind a "}" */
    char before;      /* first byte of the previous token; NUL: there is none */
    unsigned arrays;  /* open ones, after name */
    bool is_value;    /* the previous token is a value, so a "/" divides */
    bool joins;       /* strings were joined by "+" or a template, or an array has had its method called */
} cw_script_reader;

static inline cw_script_reader cw_script_read(crawl_slice text)
{
    const char *at = text.data;
    return (cw_script_reader){.at = at, .end = at + text.size, .unclosed = {at, at, at}};
}

/* --- all tokens --- */

/* The most tokens of a text that are read: some 400 KB. Larger texts are bundles, of libraries for the most part, and
 * may take hardly more time than without tokens. */
#define CW_SCRIPT_MAX_TOKENS 131072u
#define CW_SCRIPT_NO_TOKEN 0xffffffu

/* Kinds of tokens that are not the mark that they consist of. The mark of a bracket is its kind; "}" also closes a
 * substitution. */
enum {
    CW_SCRIPT_WORD = 'w',
    CW_SCRIPT_NUMBER = '0',
    CW_SCRIPT_STRING = 's',   /* between its quotes, or a piece of a template */
    CW_SCRIPT_PATTERN = 'r',  /* a regular expression */
    CW_SCRIPT_ARROW = 'a',    /* => */
    CW_SCRIPT_SETS = 'e',     /* += and the like, but not = */
    CW_SCRIPT_STEPS = 'i',    /* ++ or -- */
    CW_SCRIPT_OPERATOR = 'o', /* any other of several bytes */
    CW_SCRIPT_TEMPLATE = '`', /* opens a template */
    CW_SCRIPT_ENDS = 't',     /* closes it */
    CW_SCRIPT_INSERTS = '$'   /* ${ */
};

typedef struct cw_script_token {
    uint32_t at; /* its first byte */
    uint32_t kind : 8;
    uint32_t extent : 24; /* its bytes. Of an opening bracket: the token that closes it, or the count of all; of a
                             closing one: the bracket around its pair, or CW_SCRIPT_NO_TOKEN */
} cw_script_token;

typedef struct cw_script_tokens {
    crawl_slice text; /* borrowed */
    cw_script_token *list;
    size_t count;
    size_t capacity;
} cw_script_tokens;

/* Splits a text into tokens, without comments; free(list) releases them. Closing brackets without a pair are left out.
 * CRAWL_ENOMEM: list must be freed all the same. */
crawl_err cw_script_tokenize(crawl_slice text, cw_script_tokens *tokens);

/* --- */

/* Takes the next string; a template with a substitution does not count. false: there is none left. */
bool cw_script_next(cw_script_reader *reader, cw_script_string *string);

/* Appends the value of a string; an invalid escape stays as it is, half a surrogate pair becomes U+FFFD. CRAWL_ENOMEM:
 * out is unchanged. */
crawl_err cw_script_unescape(crawl_slice raw, crawl_buf *out);
