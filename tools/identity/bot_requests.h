/* Verifies signed requests as a server has logged them. */
#ifndef CW_BOT_REQUESTS_H
#define CW_BOT_REQUESTS_H

#include <crawl/identity.h>

/* The format of a log for nginx, from which lines are read; others may have the same members. */
#define CW_BOT_REQUESTS_FORMAT(between)                                                                       \
    "log_format signed escape=json '{\"time\":$msec,'" between "'\"method\":\"$request_method\",'" between    \
    "'\"url\":\"$scheme://$http_host$request_uri\",'" between                                                 \
    "'\"signature_agent\":\"$http_signature_agent\",'" between                                                \
    "'\"signature_input\":\"$http_signature_input\",'" between "'\"signature\":\"$http_signature\",'" between \
    "'\"content_digest\":\"$http_content_digest\"}';\n"

/* Prints a line for each request whose signature is wrong, or was there before, and the sums. path: "-" is standard
 * input. An exit status: CW_EXIT_NOTHING where a signature is not one of these keys, or a line cannot be read. */
int cw_bot_requests(const char *path, const crawl_keys *keys);

#endif
