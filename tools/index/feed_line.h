/* A line of a crawl (docs/sinks.md) as an item for an engine. */
#ifndef CW_INDEX_LINE_H
#define CW_INDEX_LINE_H

#include "tools/index/engines.h"

typedef enum cw_index_line {
    CW_INDEX_LINE_ITEM,
    CW_INDEX_LINE_PASS,  /* with *number: it asks for nothing, and is to be acknowledged; 0: not even that */
    CW_INDEX_LINE_WRONG, /* it is none of a crawl's lines */
    CW_INDEX_LINE_NO_MEMORY
} cw_index_line;

/* *out is the caller's. */
cw_index_line cw_index_line_read(crawl_slice line, cw_index_item **out, uint64_t *number);

#endif
