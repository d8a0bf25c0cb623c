/* Looks at a directory of keys as a verifier does, and says what it finds. */
#pragma once

#include <crawl/identity.h>

/* A directory, as it was read or as a server has answered. Borrowed. */
typedef struct cw_bot_directory {
    crawl_slice url; /* empty: not known, and no signature can be verified */
    const crawl_header *headers;
    size_t header_count;
    crawl_slice body;
    bool is_answer; /* of a server: its headers count */
} cw_bot_directory;

/* Prints a line for each key and for each fault. An exit status: CW_EXIT_NOTHING where a verifier could find fault. */
int cw_bot_check(const cw_bot_directory *directory, int64_t now_s);
