/* An+B of :nth-child() and its like (CSS Syntax level 3, "the An+B microsyntax"). */
#ifndef CW_SELECT_NTH_H
#define CW_SELECT_NTH_H

#include "base/writer.h"
#include "parse/select/select_read.h"

/* The places a * n + b, n from 0 on; places count from 1. */
typedef struct cw_select_nth {
    long a;
    long b;
} cw_select_nth;

crawl_err cw_select_nth_read(cw_select_reader *reader, cw_select_nth *out);

/* Writes the condition that the node has one of these places among itself and its siblings on one side; others: what
 * finds those, as "preceding-sibling::*". */
void cw_select_nth_put(cw_writer *writer, cw_select_nth nth, crawl_slice others);

#endif
