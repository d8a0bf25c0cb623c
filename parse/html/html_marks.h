/* Where the bytes stand by which tags are told from text, as bits: one bit for each byte of a block of 64. The rest of
 * the scan is then arithmetic on whole blocks (html_skim.c), and this is the one place where instructions of a
 * processor are named. Each way of making the marks gives the same bits; the widest that the processor has is chosen
 * when the program runs. */
#ifndef CW_HTML_MARKS_H
#define CW_HTML_MARKS_H

#include <crawl/base.h>

enum { CW_MARKS_BLOCK = 64 };

/* Bit i is of byte i of the block. */
typedef struct cw_html_marks {
    uint64_t open;       /* "<" */
    uint64_t close;      /* ">" */
    uint64_t quote;      /* '"' */
    uint64_t apostrophe; /* "'" */
    uint64_t slash;      /* "/" */
    uint64_t stop;       /* "=", space, control characters but DEL, and all bytes beyond ASCII */
} cw_html_marks;

/* Marks so many blocks, which begin at `at`. */
typedef void (*cw_html_marker)(const char *at, size_t blocks, cw_html_marks *out);

/* The fastest that this processor has. */
cw_html_marker cw_html_best_marker(void);

/* The same, for any processor. */
void cw_html_mark_portably(const char *at, size_t blocks, cw_html_marks *out);

/* All that this processor has, the portable one first; returns how many, CW_HTML_MARKERS at most. */
enum { CW_HTML_MARKERS = 3 };
size_t cw_html_all_markers(cw_html_marker markers[CW_HTML_MARKERS]);

#endif
