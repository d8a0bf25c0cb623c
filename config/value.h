/* Text to the field of a key and back. */
#ifndef CW_CONFIG_VALUE_H
#define CW_CONFIG_VALUE_H

#include "base/escape.h"
#include "config/schema.h"

/* Sets the field of key in object, which is a crawl_config, or for a key of hosts a crawl_host_config; a rule is added
 * to the rules, a header takes the place of one of its name or is added. CRAWL_EPARSE: text is not of the type or out
 * of range (see cw_config_value_expected); nothing changed. CRAWL_ENOMEM. */
crawl_err cw_config_value_set(const cw_config_key *key, void *object, crawl_slice text);

/* Appends the field as text that cw_config_value_set reads back. Nothing for lists and for what is not set. */
crawl_err cw_config_value_print(const cw_config_key *key, const void *object, crawl_buf *out);

/* Appends what the key takes: "a duration from 0ms to 1d, as 250ms or 5s". */
crawl_err cw_config_value_expected(const cw_config_key *key, crawl_buf *out);

/* A value of key as messages quote it: of one that may be a secret "(not shown)". */
cw_excerpt cw_config_value_excerpt(const cw_config_key *key, crawl_slice text);

/* Fills error for a value that cw_config_value_set refused with err: "SUBJECT: expected ...". Returns err. */
crawl_err cw_config_value_refused(const cw_config_key *key, crawl_err err, const char *subject, crawl_error *error);

#endif
