/* Where an XPath expression joins sets of nodes. libxml2 joins two sets by comparing each node with each, which its
 * step count does not include. A path is cut before each step that would make it do so: evaluated piece by piece, one
 * node at a time, it finds the same nodes in linear time. */
#pragma once

#include <crawl/base.h>

enum { CW_EXTRACT_PIECES_MAX = 32 };

typedef struct cw_extract_piece {
    crawl_slice text; /* borrowed */
    bool begins;      /* an alternative of a union; otherwise it continues from the nodes of the previous piece */
    bool is_below;    /* "descendant-or-self::node()/" belongs before text */
    bool is_joining;  /* libxml2 joins sets within it */
} cw_extract_piece;

typedef struct cw_extract_pieces {
    cw_extract_piece items[CW_EXTRACT_PIECES_MAX];
    size_t count; /* 1: text is the whole expression */
} cw_extract_pieces;

/* Cuts an expression, which libxml2 must have compiled. An expression that is not a path, or has too many pieces, is
 * one piece. */
void cw_extract_path_cut(crawl_slice xpath, cw_extract_pieces *out);
