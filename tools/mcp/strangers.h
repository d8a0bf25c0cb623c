/* Text that strangers wrote, as a model may read it. */
#ifndef CW_MCP_STRANGERS_H
#define CW_MCP_STRANGERS_H

#include "tools/mcp/mcp.h"

/* The text without what is not seen and yet read: control characters, but for tabs and line ends, marks of direction,
 * invisible operators, tags and selectors of variants. */
json_t *cw_mcp_clean(crawl_slice text);
void cw_mcp_clean_into(crawl_slice text, crawl_buf *out);

/* The same between two marks that name it; they hold a number that no page can know. */
json_t *cw_mcp_marked(crawl_slice text);

#endif
