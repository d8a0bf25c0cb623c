/* The configuration of a command line, for whatever word of it wants one. */
#ifndef CW_TOOL_CONFIG_H
#define CW_TOOL_CONFIG_H

#include <crawl/config.h>

/* Read where --config names no other. */
#define CW_PROGRAM_CONFIG "crawler.conf"

/* Defaults, over them what the directory of state.directory keeps, where one is named and there, over that the file
 * that --config names (else ./crawler.conf, if it is there), over that the options. Other options than the schema's and
 * --config are offered to other, two or three times each. The rest as of crawl_config_options. *config is the caller's
 * to free, error or not. */
crawl_err cw_program_configure(crawl_config *config, int argc, char **argv, int *first, crawl_config_other other,
                               void *user, crawl_error *error);

#endif
