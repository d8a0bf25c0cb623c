/* What the parts of config/ share about a crawl_config as a whole. */
#ifndef CW_CONFIG_H
#define CW_CONFIG_H

#include "config/schema.h"
#include "config/suggest.h"

#include <crawl/config.h>

/* Where loading and options work: on a copy, which takes the place of the original if all went well (err is CRAWL_OK),
 * or is freed. Returns err. */
crawl_err cw_config_settle(crawl_config *config, crawl_config *copy, crawl_err err);

/* Reads text, an INI file called name in messages, over what is there, as crawl_config_load does. */
crawl_err cw_config_parse(crawl_config *config, const char *name, crawl_slice text, crawl_error *error);

/* Does this section's name, or full key, begin as those of hosts do: "host NAME"? */
bool cw_config_section_is_host(crawl_slice section);

/* The section "host NAME" of config, made if it is not there. CRAWL_EPARSE: NAME is none; error says why.
 * CRAWL_ENOMEM. */
crawl_err cw_config_host(crawl_config *config, crawl_slice section, crawl_host_config **out, crawl_error *error);

/* Does key have another value than that of a new section? */
bool cw_config_host_has(const crawl_host_config *host, const cw_config_key *key);

/* Is this text of a key, or item of its list, a secret? */
bool cw_config_text_is_secret(const cw_config_key *key, const char *text);

/* Appends the names of an object's secrets, and of those that were left out of what it was read from and are not there
 * again: "password, header X-Key". CRAWL_ENOMEM. */
crawl_err cw_config_withheld(const cw_config_key *keys, size_t count, const void *object, crawl_buf *out);

#endif
