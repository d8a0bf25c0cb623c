/* The file of --log: whole lines, each written by one call. The file may be moved while it grows (logrotate). */
#pragma once

#include <crawl/base.h>

/* Single-threaded. */
typedef struct cw_message_log cw_message_log;

/* Opens the file for appending. CRAWL_EIO, CRAWL_ENOMEM: error says why. */
crawl_err cw_message_log_open(const char *path, cw_message_log **out, crawl_error *error);
/* Reopens the file under its name, which may now be another one. CRAWL_EIO: the old file stays in use. */
crawl_err cw_message_log_reopen(cw_message_log *log, crawl_error *error);
void cw_message_log_close(cw_message_log *log);

/* Writes a line. Returns 0, or an errno; then the file has no part of the line. */
int cw_message_log_write(cw_message_log *log, crawl_slice line);
const char *cw_message_log_path(const cw_message_log *log);
