/* Examines a directory of keys as a verifier does, and reports the results. */
#pragma once

#include <crawl/identity.h>

/* A directory, from a file or from a server's answer. Borrowed. */
typedef struct cw_bot_directory {
    crawl_slice url; /* empty: unknown; no signature can be verified */
    const crawl_header *headers;
    size_t header_count;
    crawl_slice body;
    bool is_answer; /* from a server: its headers count */
} cw_bot_directory;

/* Prints a line for each key and for each fault. Returns an exit status; CW_EXIT_NOTHING: a verifier could find
 * faults. */
int cw_bot_check(const cw_bot_directory *directory, int64_t now_s);
