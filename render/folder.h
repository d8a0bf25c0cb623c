/* The folder that the browser may write to. A lock on it, which ends with the process that made it, tells those in use
 * from those that a killed process left behind: the next one to be made removes these. */
#pragma once

#include <crawl/base.h>

typedef struct cw_render_folder {
    char path[128]; /* "": none */
    int lock;       /* a descriptor of the folder */
} cw_render_folder;

/* Makes an empty one below $TMPDIR or /tmp. CRAWL_EIO: there is none. */
crawl_err cw_render_folder_make(cw_render_folder *folder, crawl_error *error);
/* Removes it with all that is in it; where there is none, does nothing. */
void cw_render_folder_remove(cw_render_folder *folder);
