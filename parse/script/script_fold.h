/* Strings that a script joins from constants: "/a/" + b, templates, ["a", "b"].join("/"). No script is run: names are
 * known if they are bound once, to a constant or to each item of a literal array or object. */
#pragma once

#include "parse/script/script_token.h"

/* Bytes in a folded string: where each of its pieces begins, and in place of a value that is unknown. No URL has
 * them. */
#define CW_SCRIPT_SEAM '\2'
#define CW_SCRIPT_UNKNOWN '\1'

/* The receiver of the strings, in order of occurrence; raw is the value, with the bytes above, and valid until the next
 * one. A string that is a part has something unknown, or belongs to a larger one. Any result but CRAWL_OK ends the
 * search. */
typedef struct cw_script_fold_to {
    void *user;
    crawl_err (*folded)(void *user, const cw_script_string *string);
} cw_script_fold_to;

/* Folds the strings of a text. An expression whose names have several values, as in a loop, is folded for each, up to
 * 64. Takes time and memory linear in the text, and stops early in a text made to take more. CRAWL_ENOMEM. */
crawl_err cw_script_fold(crawl_slice text, const cw_script_fold_to *to);
