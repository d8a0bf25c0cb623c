/* The kind of a page, by its own statements: the schema.org types in JSON-LD and microdata, OpenGraph, and the
 * generator. */
#pragma once

#include "parse/text/text_hint.h"

typedef enum cw_text_kind {
    CW_KIND_UNKNOWN,
    CW_KIND_SAID_ARTICLE,   /* only by og:type, which many sites give to pages of any kind */
    CW_KIND_CALLED_ARTICLE, /* only by a type that many sites give to all pages, and to items of a list */
    CW_KIND_ARTICLE,        /* news, a post: one text of some day */
    CW_KIND_OTHER           /* forum, product, recipe, listing, documentation */
} cw_text_kind;

/* The statements of a page so far, as bits. */
typedef unsigned cw_text_signs;

/* Note a schema.org type, with or without its address; a <meta>; the text of a JSON-LD script. */
void cw_text_kind_take_type(cw_text_signs *signs, crawl_slice type);
void cw_text_kind_take_meta(cw_text_signs *signs, const cw_text_attributes *attributes);
void cw_text_kind_take_json(cw_text_signs *signs, crawl_slice json);

cw_text_kind cw_text_kind_of(cw_text_signs signs);
