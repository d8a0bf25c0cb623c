/* Converts between text and the field of a key: for files, options, --print-config and messages. */
#pragma once

#include "base/text/escape.h"
#include "config/schema.h"

/* Sets the field of key in object, which is a crawl_config or, for a key of hosts, a crawl_host_config. A rule is
 * appended to the rules; a header replaces the one with its name, or is appended. CRAWL_EPARSE: text is not of the type
 * or out of range (see cw_config_value_expected), and nothing has changed. CRAWL_ENOMEM. */
crawl_err cw_config_value_set(const cw_config_key *key, void *object, crawl_slice text);

/* Appends the field as text that cw_config_value_set reads back, each item of lists and rules with a newline; nothing
 * for fields that are not set. */
crawl_err cw_config_value_print(const cw_config_key *key, const void *object, crawl_buf *out);

/* As crawl_config_text and crawl_config_number. */
const char *cw_config_value_text(const cw_config_key *key, const void *object);
int64_t cw_config_value_number(const cw_config_key *key, const void *object);

/* Appends the values that the key accepts, such as "a duration from 0ms to 1d, as 250ms or 5s". */
crawl_err cw_config_value_expected(const cw_config_key *key, crawl_buf *out);

/* Returns a value of key as quoted in messages; "(not shown)" if it may be a secret. */
cw_excerpt cw_config_value_excerpt(const cw_config_key *key, crawl_slice text);

/* Fills error for a value that cw_config_value_set refused with err: "SUBJECT: expected ...". Returns err. */
crawl_err cw_config_value_refused(const cw_config_key *key, crawl_err err, const char *subject, crawl_error *error);
