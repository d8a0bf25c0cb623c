/* The file of --log: whole lines, each written by one call, which somebody may move away while it grows (logrotate). */
#pragma once

#include <crawl/base.h>

/* Single-thread. */
typedef struct cw_message_log cw_message_log;

/* Opens the file, so that lines go behind those that it has. CRAWL_EIO, CRAWL_ENOMEM: error says why. */
crawl_err cw_message_log_open(const char *path, cw_message_log **out, crawl_error *error);
/* Opens the file of the same name anew, which may be another one by now. CRAWL_EIO: the file that was open stays in
 * use. */
crawl_err cw_message_log_reopen(cw_message_log *log, crawl_error *error);
void cw_message_log_close(cw_message_log *log);

/* Writes a line. Returns 0, or the errno of what failed; then the file has no part of the line. */
int cw_message_log_write(cw_message_log *log, crawl_slice line);
const char *cw_message_log_path(const cw_message_log *log);
