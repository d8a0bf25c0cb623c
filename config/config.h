/* What the parts of config/ share about a crawl_config as a whole. */
#ifndef CW_CONFIG_CONFIG_H
#define CW_CONFIG_CONFIG_H

#include <crawl/config.h>

/* A deep copy; *to is overwritten, not freed first. CRAWL_ENOMEM: *to holds nothing to be freed. */
crawl_err cw_config_copy(const crawl_config *from, crawl_config *to);

/* Where loading and options work: on a copy, which takes the place of the original if all went well (err is CRAWL_OK),
 * or is freed. Returns err. */
crawl_err cw_config_settle(crawl_config *config, crawl_config *copy, crawl_err err);

/* Reads text, an INI file called name in messages, over what is there, as crawl_config_load does. */
crawl_err cw_config_parse(crawl_config *config, const char *name, crawl_slice text, crawl_error *error);

/* "; did you mean ..." for a key, or a section, that the schema does not have; "" if nothing is near. */
typedef struct cw_suggestion {
    char text[96];
} cw_suggestion;

cw_suggestion cw_suggest_key(crawl_slice section, crawl_slice name);
cw_suggestion cw_suggest_section(crawl_slice section);
cw_suggestion cw_suggest_full(crawl_slice full); /* "section.name" */

#endif
