/* Lines of JSON in a chain: each ends in "chain", the SHA-1 of the value before it and of its own text. Who holds one
 * value can tell of every line up to there whether it is as it was written: none is changed, moved, taken out or put in
 * between. It is no signature: who can rewrite a whole file can make another chain, with other values. */
#ifndef CW_CHAIN_H
#define CW_CHAIN_H

#include <crawl/fingerprint.h>

#define CW_OUTPUT_CHAIN_SIZE (2 * CRAWL_FINGERPRINT_SIZE)

/* Single-thread. */
typedef struct cw_output_chain {
    crawl_fingerprinter *hash;
    crawl_buf text;
    char last[CW_OUTPUT_CHAIN_SIZE + 1]; /* "": nothing before */
} cw_output_chain;

/* CRAWL_ENOMEM. */
crawl_err cw_output_chain_open(cw_output_chain *chain);
/* {0} too. */
void cw_output_chain_close(cw_output_chain *chain);

/* Ends an object that has fields but no closing brace: with the next value, and the brace. CRAWL_ENOMEM. */
crawl_err cw_output_chain_append(cw_output_chain *chain, crawl_buf *line);

typedef enum cw_output_chain_answer {
    CW_CHAIN_FOLLOWS, /* the line before, */
    CW_CHAIN_BEGINS,  /* or nothing: it is the first of a chain */
    CW_CHAIN_BROKEN,  /* the value is another line's, or this line is not as it was */
    CW_CHAIN_NONE     /* the line has no value */
} cw_output_chain_answer;

/* What this line is to the one before; the next is compared with its value, whatever it is. CRAWL_ENOMEM. */
crawl_err cw_output_chain_check(cw_output_chain *chain, crawl_slice line, cw_output_chain_answer *answer);

/* Goes on behind this line; from the beginning where it has no value. */
void cw_output_chain_follow(cw_output_chain *chain, crawl_slice line);

#endif
