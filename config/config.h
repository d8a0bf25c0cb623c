/* Shared by the files of config/, about a crawl_config as a whole: working copies, sections of hosts, and secrets. */
#pragma once

#include "config/schema.h"
#include "config/suggest.h"

/* Ends the work on a copy of config, as used by loading and options: if err is CRAWL_OK the copy replaces the original,
 * otherwise it is freed. Returns err, or CRAWL_ENOMEM. */
crawl_err cw_config_settle(crawl_config *config, crawl_config *copy, crawl_err err, crawl_error *error);

/* Appends a configuration file, or a little more than the largest allowed. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_config_read(const char *path, crawl_buf *text, crawl_error *error);

/* Reads text over the present values, as crawl_config_load does; name stands for the file in messages. */
crawl_err cw_config_parse(crawl_config *config, const char *name, crawl_slice text, crawl_error *error);

/* As crawl_config_load, for a file that the program wrote: a " # " belongs to its value, which 0.1.0 did not quote. */
crawl_err cw_config_load_kept(crawl_config *config, const char *path, crawl_error *error);

/* Returns true if this section name, or full key, begins with "host " or "group ". */
bool cw_config_section_is_host(crawl_slice section);

/* Returns the section "host NAME" or "group NAME" of config, which is added if missing. CRAWL_EPARSE: NAME is invalid,
 * and error says why. CRAWL_ENOMEM. */
crawl_err cw_config_host(crawl_config *config, crawl_slice section, crawl_host_config **out, crawl_error *error);

/* As cw_config_host, but adds nothing; NULL: config does not have the section. */
const crawl_host_config *cw_config_host_find(const crawl_config *config, crawl_slice section);

/* Returns the NAME of a section "extract NAME"; data NULL: another section. */
crawl_slice cw_config_extract_name(crawl_slice section);

/* Add a line of [extract NAME], and remove all of them. CRAWL_ENOMEM. */
crawl_err cw_config_extract_add(crawl_config *config, crawl_slice name, crawl_slice key, crawl_slice value);
void cw_config_extract_remove(crawl_config *config, crawl_slice name);

/* Replace borrowed lines by copies, and free all lines. */
crawl_err cw_config_extract_own(crawl_config *config);
void cw_config_extract_free(crawl_config *config);

/* Returns "host" or "group". */
const char *cw_config_host_kind(const crawl_host_config *host);
/* Returns true if key has another value than in a new section. */
bool cw_config_host_has(const crawl_host_config *host, const cw_config_key *key);

/* Returns the number of bytes at the start of text that a product token may have (RFC 9309, 2.2.1). */
size_t cw_config_agent_size(crawl_slice text);

/* Updates config->robots_agent after a change of settings. CRAWL_ENOMEM. */
crawl_err cw_config_agent_follow(crawl_config *config);

/* Appends the value of a key that is not a list, as it may be shown: nothing for a secret; for "withheld" the names of
 * the secrets. CRAWL_ENOMEM. */
crawl_err cw_config_shown(const cw_config_key *keys, size_t count, const cw_config_key *key, const void *object,
                          crawl_buf *text);

/* Returns true if this text of a key, or item of its list, is a secret. */
bool cw_config_text_is_secret(const cw_config_key *key, const char *text);

/* Appends the names of an object's secrets, including secrets withheld when it was printed and not set again since:
 * "password, header X-Key". CRAWL_ENOMEM. */
crawl_err cw_config_withheld(const cw_config_key *keys, size_t count, const void *object, crawl_buf *out);
