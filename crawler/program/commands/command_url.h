/* Shared by the files of `crawl url`: command_url.c (lines, options) and url_row.c (JSON Lines). */
#ifndef CW_COMMAND_URL_H
#define CW_COMMAND_URL_H

#include <crawl/fingerprint.h>
#include <crawl/url.h>

#include <jansson.h>

/* What the rows share, so that little is allocated per row. */
typedef struct cw_command_url_reader {
    crawl_url *url;
    crawl_url *base;
    crawl_fingerprinter *fingerprinter;
    crawl_drop_params *drop;     /* of the command line; NULL: none */
    crawl_drop_params *row_drop; /* of the row at hand; NULL: none */
    const char *profile;         /* of the command line; NULL: not given */
    crawl_buf canonical;
    crawl_buf input;
    crawl_buf base_text;
    crawl_buf body;
    crawl_buf method;
    crawl_buf list;
    crawl_fingerprint_header *headers;
    size_t header_count;
    crawl_slice *include;
    size_t include_count;
} cw_command_url_reader;

/* "default", "w3lib", "surt". False: none of them. */
bool cw_command_profile_of(const char *name, crawl_profile *out);

/* Answers one row; a cw_tool_row_handler, whose user is the reader. NULL: there is no memory. */
json_t *cw_command_url_answer(void *user, const json_t *row, const char **note);

#endif
