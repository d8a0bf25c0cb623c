/* The files behind --output, --links and --requests: JSON Lines, or rows of CSV, that many threads write. A line is
 * written straight into the buffer of its file, under the file's lock, and leaves the process with all others that
 * stand there, by one call. So what is in the file are whole lines, whenever the process ends. */
#ifndef CW_SINK_H
#define CW_SINK_H

#include "base/writer.h"

/* Thread-safe. */
typedef struct cw_output_sink cw_output_sink;

/* How a file is opened, as flags. */
enum {
    CW_SINK_APPENDS = 1, /* lines go behind those of an existing file, whose end is mended; otherwise it is replaced */
    CW_SINK_AT_ONCE = 2, /* each line leaves when it is written; otherwise when there are many, or by a flush */
};

/* "-": standard output. columns: those of a file of CSV, which begins with their names; NULL: it is JSON Lines. After a
 * failure the file ends with a whole line. CRAWL_EINVAL: it is to be appended to, and has other columns. CRAWL_EIO:
 * error says why. CRAWL_ENOMEM. */
crawl_err cw_output_sink_open(const char *path, unsigned flags, const char *const *columns, cw_output_sink **out,
                              crawl_error *error);

/* Holds the file for one line, which is put into what is returned, without its end. */
cw_writer *cw_output_sink_begin(cw_output_sink *sink);
/* Ends the line, and lets others go on. CRAWL_EIO: the file failed, now or before; cw_output_sink_close says why.
 * Otherwise the first error of the writer, and there is no such line. */
crawl_err cw_output_sink_end(cw_output_sink *sink);

/* All lines leave. CRAWL_EIO: as cw_output_sink_end. */
crawl_err cw_output_sink_flush(cw_output_sink *sink);

/* Opens the file of that name, which may be another one by now, and goes on there: each line is in one of the two. What
 * is no regular file stays open. CRAWL_EIO, CRAWL_EINVAL, CRAWL_ENOMEM: error says why, and the file of before goes
 * on. */
crawl_err cw_output_sink_reopen(cw_output_sink *sink, crawl_error *error);

/* True when the reader of a pipe went away: the end that a reader like `head` chose, and no failure. */
bool cw_output_sink_abandoned(cw_output_sink *sink);

/* Flushes, closes and frees; NULL does nothing. CRAWL_EIO: something was not written; error names the file and the
 * reason. */
crawl_err cw_output_sink_close(cw_output_sink *sink, crawl_error *error);

#endif
