/* The folder that the browser may write to. Its lock, which ends with the process that made the folder, tells
 * folders in use from those that a killed process left behind; making a folder removes the latter. */
#pragma once

#include <crawl/base.h>

typedef struct cw_render_folder {
    char path[128]; /* "": no folder */
    int lock;       /* a descriptor of the folder */
} cw_render_folder;

/* Makes an empty folder below $TMPDIR or /tmp. CRAWL_EIO: not made. */
crawl_err cw_render_folder_make(cw_render_folder *folder, crawl_error *error);
/* Removes the folder with its contents. Does nothing if there is none. */
void cw_render_folder_remove(cw_render_folder *folder);
