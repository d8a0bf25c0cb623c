/* The text of --version: the program and the libraries that it runs with. */
#ifndef CW_COMMAND_VERSION_H
#define CW_COMMAND_VERSION_H

#include <crawl/base.h>

#include <stdio.h>

/* Prints "crawl X.Y.Z", then a line for each library in use. CRAWL_ENOMEM: nothing was written. */
crawl_err cw_command_version_print(FILE *out);

#endif
