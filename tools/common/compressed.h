/* Input that is compressed, by gzip or zstd, is read as what it holds, whatever its name is; and gzip is written. */
#pragma once

#include <crawl/base.h>
#include <stdio.h>

/* Takes a file that nothing was read from. Returns it as it is, or, where its first bytes say that it is compressed, a
 * file of the bytes it holds, which closes it with itself, but for standard input. Reads the first bytes, so it waits
 * for them. Several members of gzip and frames of zstd are read one after the other. NULL: the file is NULL, or there
 * is no memory, and it is closed. */
FILE *cw_tool_compressed(FILE *file);

/* Words for an errno of reading such a file: EBADMSG is compressed data that is damaged, or ends too soon. */
const char *cw_tool_compressed_error(int error);

/* Appends a text of less than 4 GiB as a member of gzip. CRAWL_ENOMEM. */
crawl_err cw_tool_gzip(crawl_slice text, crawl_buf *out);
