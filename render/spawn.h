/* Starts the browser's process. cw_process_kill ends it with all that it has started. */
#pragma once

#include "render/pipe.h"

#include <sys/types.h>

typedef struct cw_render_spawned {
    pid_t pid;           /* of the process and of its group */
    cw_render_ends ends; /* our ends of its descriptors 3 and 4 */
    int errors;          /* its standard error */
} cw_render_spawned;

/* Starts program in folder, which must be empty and this process's. user_agent may be NULL. CRAWL_REFUSED: the
 * fence; CRAWL_EIO; CRAWL_ENOMEM. */
crawl_err cw_render_spawn(const char *program, const char *folder, const char *user_agent, cw_render_spawned *out,
                          crawl_error *error);
