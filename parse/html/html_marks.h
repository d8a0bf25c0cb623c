/* Marks the bytes of a page that distinguish tags from text, one bit per byte of a block of 64. The rest of the scan is
 * then arithmetic on whole blocks (html_skim.c). All implementations give the same bits; the widest that the processor
 * has is chosen at run time. */
#pragma once

#include <crawl/base.h>

enum { CW_MARKS_BLOCK = 64 };

/* Bit i stands for byte i of the block. */
typedef struct cw_html_marks {
    uint64_t open;       /* "<" */
    uint64_t close;      /* ">" */
    uint64_t quote;      /* '"' */
    uint64_t apostrophe; /* "'" */
    uint64_t slash;      /* "/" */
    uint64_t stop;       /* "=", space, control characters but DEL, and all bytes beyond ASCII */
} cw_html_marks;

/* Marks a number of blocks that begin at `at`. */
typedef void (*cw_html_marker)(const char *at, size_t blocks, cw_html_marks *out);

/* Returns the fastest implementation that this processor can run. */
cw_html_marker cw_html_best_marker(void);

/* The implementation for any processor. */
void cw_html_mark_portably(const char *at, size_t blocks, cw_html_marks *out);

/* Lists all implementations that this processor can run, the portable one first. Returns how many, at most
 * CW_HTML_MARKERS. */
enum { CW_HTML_MARKERS = 4 };
size_t cw_html_all_markers(cw_html_marker markers[CW_HTML_MARKERS]);
