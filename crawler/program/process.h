/* What a crawl needs of the process that it runs in, before anything else: open files, and words where libevent cannot
 * go on. */
#ifndef CW_PROCESS_H
#define CW_PROCESS_H

#include <stdbool.h>

/* Raises the limit of open files to the highest that is allowed. False: that is too low for any crawl, and was said. */
bool cw_program_process_prepare(void);

#endif
