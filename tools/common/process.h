/* What a crawl needs of its process before anything else: enough open files, and a message if libevent ends it. */
#ifndef CW_TOOL_PROCESS_H
#define CW_TOOL_PROCESS_H

#include <stdbool.h>

/* Raises the limit of open files to the highest that is allowed. False: that is too low for any crawl, and the user was
 * told. */
bool cw_tool_process_prepare(void);

#endif
