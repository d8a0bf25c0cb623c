/* Reads input compressed by gzip or zstd, whatever its name; and writes gzip. */
#pragma once

#include <crawl/base.h>
#include <stdio.h>

/* Takes an unread file. Returns it unchanged or, if its first bytes are those of compressed data, a file of the
 * decompressed bytes, which closes the original with itself, unless that is standard input. Waits for the first bytes.
 * Reads several gzip members or zstd frames one after the other. NULL: the file is NULL or, closed, out of memory. */
FILE *cw_tool_compressed(FILE *file);

/* Returns words for an errno from reading such a file. EBADMSG: the compressed data is damaged or truncated. */
const char *cw_tool_compressed_error(int error);

/* Appends a text of less than 4 GiB as a gzip member. CRAWL_ENOMEM. */
crawl_err cw_tool_gzip(crawl_slice text, crawl_buf *out);
