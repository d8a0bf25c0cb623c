/* Records, edges and other lines as JSON Lines: the sinks behind --output, --links and --requests. */
#ifndef CW_RECORD_H
#define CW_RECORD_H

#include <crawl/engine.h>

/* Thread-safe. */
typedef struct cw_output_sink cw_output_sink;

/* With a crawl that outlives its process a record is written before its request is finished there, so that it comes
 * again if need be, and none is lost. */
typedef enum cw_output_mode {
    CW_RECORDS_NEW,     /* an existing file is replaced; records leave when there are many, or by a flush */
    CW_RECORDS_AT_ONCE, /* an existing file is replaced; each record leaves when it is written */
    CW_RECORDS_APPENDED /* likewise, behind those of an existing file, whose end is mended */
} cw_output_mode;

/* "-": standard output. After a failure the file ends with a whole record. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
crawl_err cw_output_sink_open(const char *path, cw_output_mode mode, cw_output_sink **out, crawl_error *error);

/* CRAWL_EIO: the file failed, now or before; cw_output_sink_close says why. All of these. */
/* body: where its body was put; NULL: nowhere. */
crawl_err cw_output_sink_record(cw_output_sink *sink, const crawl_record *record, const char *body);
crawl_err cw_output_sink_edge(cw_output_sink *sink, const crawl_edge *edge); /* record_edge.c */
/* Appends the line of a record, without its end. CRAWL_ENOMEM. */
crawl_err cw_output_record_line(const crawl_record *record, const char *body, crawl_buf *out);
/* A line that is ready, without its end. */
crawl_err cw_output_sink_line(cw_output_sink *sink, const char *line);
crawl_err cw_output_sink_flush(cw_output_sink *sink);

/* True when the reader of a pipe went away: the end that a reader like `head` chose, and no failure. */
bool cw_output_sink_abandoned(cw_output_sink *sink);

/* Flushes, closes and frees. CRAWL_EIO: something was not written; error names the file and the reason. */
crawl_err cw_output_sink_close(cw_output_sink *sink, crawl_error *error);

#endif
