/* The tokens of a style sheet, by CSS Syntax level 3, section 4. The tokenizer only moves forward, needs no memory and
 * accepts any bytes: a byte above 0x7f is part of a name, as every character that it could belong to is, so that broken
 * UTF-8 changes no token. Line ends are not normalized first (section 3.3) but read as what they would become, so that
 * a token's slices are positions in the source. Comments are skipped. */
#pragma once

#include <crawl/base.h>

typedef enum cw_css_type {
    CW_CSS_IDENT,
    CW_CSS_FUNCTION, /* with its "(" */
    CW_CSS_AT_KEYWORD,
    CW_CSS_HASH,
    CW_CSS_STRING,
    CW_CSS_BAD_STRING,
    CW_CSS_URL, /* url(...) without quotes */
    CW_CSS_BAD_URL,
    CW_CSS_DELIM,
    CW_CSS_NUMBER,
    CW_CSS_PERCENTAGE,
    CW_CSS_DIMENSION,
    CW_CSS_WHITESPACE,
    CW_CSS_CDO,
    CW_CSS_CDC,
    CW_CSS_COLON,
    CW_CSS_SEMICOLON,
    CW_CSS_COMMA,
    CW_CSS_OPEN,  /* "(", "[" or "{" */
    CW_CSS_CLOSE, /* ")", "]" or "}" */
    CW_CSS_TYPES
} cw_css_type;

/* Slices are parts of the source. */
typedef struct cw_css_token {
    cw_css_type type;
    bool id;          /* of a hash: the text after "#" is an identifier */
    crawl_slice raw;  /* the whole token; of a delim, an open and a close, one byte */
    crawl_slice name; /* with its escapes: the name of an identifier, function, at-keyword or hash; the contents of a
                         string or a URL; the unit of a dimension */
} cw_css_token;

typedef struct cw_css_scanner {
    const char *at;
    const char *end;
} cw_css_scanner;

/* false: the sheet has ended. */
bool cw_css_next(cw_css_scanner *scanner, cw_css_token *token);

/* Takes the character of an escape, whose backslash is at *at; moves *at past it (4.3.7). */
uint32_t cw_css_take_escape(const char **at, const char *end);

/* Returns true if a token's name, its escapes decoded, is this word in any ASCII case. The word is in lower case. */
bool cw_css_is_named(crawl_slice name, const char *word);

/* Returns true if a token's name or content means something else than its bytes: it has escapes or U+0000, or is not
 * UTF-8. */
bool cw_css_is_coded(crawl_slice name);

/* Appends the meaning of a name or content, in UTF-8. string: the content of a string, in which an escaped line end,
 * and a backslash at the end of the sheet, mean nothing. CRAWL_ENOMEM. */
crawl_err cw_css_decode_name(crawl_slice name, bool string, crawl_buf *out);
