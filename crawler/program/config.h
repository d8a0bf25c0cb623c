/* The configuration that a command line asks for: that of a crawl, and of each tool that needs one. */
#ifndef CW_TOOL_CONFIG_H
#define CW_TOOL_CONFIG_H

#include <crawl/config.h>

/* The file that is read if --config names no other. */
#define CW_PROGRAM_CONFIG "crawler.conf"

/* Puts the configuration together. Each of these goes before what stands in front of it: the defaults; the options that
 * the directory of state.directory keeps, if one is named and there; the file that --config names, or else
 * ./crawler.conf, if it is there; the options. Options that neither the schema has nor are --config are offered to
 * other, two or three times each. Errors as those of crawl_config_options, but no memory ends the program, and
 * CRAWL_ECORRUPT: what the directory keeps was cut or changed. The caller frees *config, also after an
 * error. */
crawl_err cw_program_configure(crawl_config *config, int argc, char **argv, int *first, crawl_config_other other,
                               void *user, crawl_error *error);

#endif
