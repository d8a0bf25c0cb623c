/* Verifies signed requests as a server has logged them. */
#pragma once

#include <crawl/identity.h>

/* Prints a line for each request whose signature is wrong, or was there before, and the sums. path: "-" is standard
 * input. An exit status: CW_EXIT_NOTHING where a signature is not one of these keys, or a line cannot be read. */
int cw_bot_requests(const char *path, const crawl_keys *keys);
