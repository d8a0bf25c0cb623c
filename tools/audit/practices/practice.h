/* The rows of `crawl audit --practices`: what a crawler should do by draft-illyes-webbotauth-cbcp-01, and what was
 * found of each. */
#pragma once

#include <crawl/base.h>

typedef enum cw_practice {
    CW_PRACTICE_ROBOTS_FIRST,
    CW_PRACTICE_ROBOTS_DAY,
    CW_PRACTICE_ROBOTS_OBEYED,
    CW_PRACTICE_NOFOLLOW,
    CW_PRACTICE_NOINDEX,
    CW_PRACTICE_AGENT_NAME,
    CW_PRACTICE_AGENT_URL,
    CW_PRACTICE_AGENT_SAME,
    CW_PRACTICE_PAUSE,
    CW_PRACTICE_AT_ONCE,
    CW_PRACTICE_RETRY_AFTER,
    CW_PRACTICE_BACK_OFF,
    CW_PRACTICE_SAME_RESOURCE,
    CW_PRACTICE_DEPTH,
    CW_PRACTICE_REVISITS,
    CW_PRACTICE_OFF_PEAK,
    CW_PRACTICE_METHODS,
    CW_PRACTICE_CHALLENGES,
    CW_PRACTICE_IDENTITY,
    CW_PRACTICE_LOGINS,
    CW_PRACTICE_CONDITIONAL,
    CW_PRACTICE_MAX_AGE,
    CW_PRACTICE_LOG,
    CW_PRACTICE_RANGES,
    CW_PRACTICE_ADDRESS,
    CW_PRACTICE_PAGE,
    CW_PRACTICE_COUNT
} cw_practice;

typedef enum cw_practice_status { CW_PRACTICE_KEPT, CW_PRACTICE_BROKEN, CW_PRACTICE_UNKNOWN } cw_practice_status;

enum { CW_PRACTICE_SHOWN = 3, CW_PRACTICE_WORDS = 240 };

/* A place where a practice was broken. */
typedef struct cw_practice_breach {
    uint64_t line; /* of the log; 0: elsewhere, as the words say */
    char words[CW_PRACTICE_WORDS];
} cw_practice_breach;

typedef struct cw_practice_row {
    uint64_t kept; /* times */
    uint64_t broken;
    cw_practice_breach first[CW_PRACTICE_SHOWN]; /* of these */
    char words[CW_PRACTICE_WORDS];               /* on the whole; "": none */
    bool is_told;                                /* not broken is kept, though there was no occasion */
} cw_practice_row;

/* {0} at first. */
typedef struct cw_practice_findings {
    cw_practice_row rows[CW_PRACTICE_COUNT];
} cw_practice_findings;

/* Its name in JSON, and what it asks for. */
const char *cw_practice_name(cw_practice practice);
const char *cw_practice_title(cw_practice practice);

void cw_practice_keep(cw_practice_findings *findings, cw_practice practice);
void cw_practice_break(cw_practice_findings *findings, cw_practice practice, uint64_t line, const char *format, ...)
    CRAWL_PRINTF(4, 5);
/* Says what was found on the whole, which makes the practice kept if it was never broken. */
void cw_practice_tell(cw_practice_findings *findings, cw_practice practice, const char *format, ...) CRAWL_PRINTF(3, 4);

cw_practice_status cw_practice_status_of(const cw_practice_findings *findings, cw_practice practice);
/* Of a row that is kept or cannot be told; "": there is nothing to say. */
const char *cw_practice_words_of(const cw_practice_findings *findings, cw_practice practice);

/* As JSON Lines, or as text. */
void cw_practice_print(const cw_practice_findings *findings, bool jsonl);

/* How many are broken. */
unsigned cw_practice_broken(const cw_practice_findings *findings);

/* Judges the text of a list: whether it is valid and fresh, and, unless address is NULL, whether it has that address.
 * now_s: seconds since 1970. CRAWL_EINVAL: address is none. CRAWL_ENOMEM. */
crawl_err cw_practice_ranges_check(crawl_slice text, const char *address, int64_t now_s,
                                   cw_practice_findings *findings);
