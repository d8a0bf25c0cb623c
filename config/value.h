/* Text to the field of a key and back. */
#ifndef CW_CONFIG_VALUE_H
#define CW_CONFIG_VALUE_H

#include "config/schema.h"

/* Sets the field of key in object, which is a crawl_config, or for a key of hosts a crawl_host_config; a rule is added
 * to the rules, a header takes the place of one of its name or is added. CRAWL_EPARSE: text is not of the type or out
 * of range (see cw_value_expected); nothing changed. CRAWL_ENOMEM. */
crawl_err cw_value_set(const cw_key *key, void *object, crawl_slice text);

/* Appends the field as text that cw_value_set reads back. Nothing for lists and for what is not set. */
crawl_err cw_value_print(const cw_key *key, const void *object, crawl_buf *out);

/* Appends what the key takes: "a duration from 0ms to 1d, as 250ms or 5s". */
crawl_err cw_value_expected(const cw_key *key, crawl_buf *out);

/* Most bytes of a refused value that are shown. */
#define CW_EXCERPT 60u

/* text as a message shows it: cut, control characters as "?". */
typedef struct cw_excerpt {
    char text[CW_EXCERPT + 4];
} cw_excerpt;

cw_excerpt cw_excerpt_of(crawl_slice text);

/* The same of a value of key: of one that may be a secret "(not shown)". */
cw_excerpt cw_value_excerpt(const cw_key *key, crawl_slice text);

/* Fills error for a value that cw_value_set refused with err: "SUBJECT: expected ...". Returns err. */
crawl_err cw_value_refused(const cw_key *key, crawl_err err, const char *subject, crawl_error *error);

#endif
