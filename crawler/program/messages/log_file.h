/* The file of --log: whole lines, each written by one call, which somebody may move away while it grows (logrotate). */
#ifndef CW_MESSAGE_LOG_H
#define CW_MESSAGE_LOG_H

#include <crawl/base.h>

/* Single-thread. */
typedef struct cw_message_log cw_message_log;

/* Lines go behind those that are there. CRAWL_EIO, CRAWL_ENOMEM; error says why. */
crawl_err cw_message_log_open(const char *path, cw_message_log **out, crawl_error *error);
/* Opens the file of that name, which may be another one by now. CRAWL_EIO: the file of before goes on. */
crawl_err cw_message_log_reopen(cw_message_log *log, crawl_error *error);
void cw_message_log_close(cw_message_log *log);

/* 0, or errno: none of the line is there. */
int cw_message_log_write(cw_message_log *log, crawl_slice line);
const char *cw_message_log_path(const cw_message_log *log);

#endif
