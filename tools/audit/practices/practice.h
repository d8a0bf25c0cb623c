/* The rows of `crawl audit --practices`: the practices of draft-illyes-webbotauth-cbcp-01, and the result for each. */
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
    uint64_t line; /* of the log; 0: elsewhere, see words */
    char words[CW_PRACTICE_WORDS];
} cw_practice_breach;

typedef struct cw_practice_row {
    uint64_t kept; /* times */
    uint64_t broken;
    cw_practice_breach first[CW_PRACTICE_SHOWN]; /* the first breaches */
    char words[CW_PRACTICE_WORDS];               /* overall result; "": none */
    bool is_told;                                /* not broken means kept, even without an occasion */
} cw_practice_row;

/* Initialise with {0}. */
typedef struct cw_practice_findings {
    cw_practice_row rows[CW_PRACTICE_COUNT];
} cw_practice_findings;

/* Return its name in JSON, and its description. */
const char *cw_practice_name(cw_practice practice);
const char *cw_practice_title(cw_practice practice);

void cw_practice_keep(cw_practice_findings *findings, cw_practice practice);
void cw_practice_break(cw_practice_findings *findings, cw_practice practice, uint64_t line, const char *format, ...)
    CRAWL_PRINTF(4, 5);
/* Gives the overall result, which makes the practice kept if it was never broken. */
void cw_practice_tell(cw_practice_findings *findings, cw_practice practice, const char *format, ...) CRAWL_PRINTF(3, 4);

cw_practice_status cw_practice_status_of(const cw_practice_findings *findings, cw_practice practice);
/* Returns the words of a row that is kept or unknown; "": nothing to say. */
const char *cw_practice_words_of(const cw_practice_findings *findings, cw_practice practice);

/* Prints JSON Lines or text. */
void cw_practice_print(const cw_practice_findings *findings, bool jsonl);

/* Returns how many are broken. */
unsigned cw_practice_broken(const cw_practice_findings *findings);

/* Judges the text of a list: whether it is valid and fresh and, unless address is NULL, whether it has that address.
 * now_s: seconds since 1970. CRAWL_EINVAL: not an address. CRAWL_ENOMEM. */
crawl_err cw_practice_ranges_check(crawl_slice text, const char *address, int64_t now_s,
                                   cw_practice_findings *findings);
